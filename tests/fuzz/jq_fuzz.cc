// Fuzz target of jq: any program compiles or is refused, and runs on any input within the budget; what it writes reads
// back as JSON. The input is a byte of flags, the program, a line "--" and the JSON text.
#include <cstdint>
#include <string>

#include "base/check.h"
#include "bounded_run.h"
#include "lang/jq/jq.h"
#include "lang/jq/json_reader.h"
#include "lang/jq/json_writer.h"
#include "lang/jq/memory_host.h"

namespace paddock {
namespace {

constexpr size_t kMostOutputs = 200;

void CheckRoundTrip(const jq::Value& value, Budget& budget) {
  std::string text = jq::JsonText(value, budget);
  if (text.find("<skipped") != std::string::npos) return;
  // Numbers that were computed are written in another form than those that were read: 1e+19, 1E+19.
  for (const bool is_first : {true, false}) {
    jq::Value again;
    std::string error;
    PADDOCK_CHECK(jq::ParseJson(text, budget, again, error));
    const std::string same = jq::JsonText(again, budget);
    PADDOCK_CHECK(is_first || same == text);
    text = same;
  }
}

void RunOne(std::string_view data, Budget& budget) {
  const auto flags = static_cast<unsigned char>(data[0]);
  data.remove_prefix(1);
  const size_t end = data.find("\n--\n");
  const std::string program(data.substr(0, end));
  const std::string input(end == std::string_view::npos ? "{\"a\":[1,2.50,\"x\"],\"b\":null} 3" : data.substr(end + 4));

  jq::MemoryHost host(budget);
  host.inputs = {jq::Value::Number(1), jq::Value::String("two")};
  host.modules["lib/m.jq"] = "module {a: 1}; def f: 1; def g(x): x | x;";
  host.modules["lib/d.json"] = "[1] {\"a\":2}";
  jq::Runner runner(host);
  std::vector<std::string> complaints;
  const bool is_ok = runner.Compile(program, {{"x", jq::Value::Number(5)}}, complaints);
  PADDOCK_CHECK(is_ok == complaints.empty());
  // Small blocks make tokens span them.
  const size_t block = (flags & 4) != 0 ? 3 : input.size();
  size_t at = 0;
  jq::JsonReader reader(
      [&] {
        const std::string_view part = std::string_view(input).substr(at, block);
        at += part.size();
        return part;
      },
      {(flags & 1) != 0, (flags & 2) != 0}, budget);
  size_t outputs = 0;
  for (jq::Value value; reader.Next(value) == jq::JsonReader::Got::kValue;) {
    if (!is_ok) {
      CheckRoundTrip(value, budget);
      continue;
    }
    runner.Start(std::move(value));
    for (jq::Value output; runner.Next(output) == jq::Machine::Got::kOutput && ++outputs < kMostOutputs;) {
      CheckRoundTrip(output, budget);
    }
  }
}

}  // namespace
}  // namespace paddock

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  paddock::fuzz::RunBounded([&](paddock::Budget& budget) {
    paddock::RunOne({reinterpret_cast<const char*>(data), size}, budget);
  });
  return 0;
}
