// Fuzz target of awk: any program compiles or is refused, and runs on any input within the budget.
// The input is a byte of flags, the program, a line "--" and the text of the records.
#include <cstdint>
#include <string>

#include "base/check.h"
#include "bounded_run.h"
#include "lang/awk/awk.h"
#include "lang/awk/memory_host.h"

namespace paddock {
namespace {

void RunOne(std::string_view data, Budget& budget) {
  const auto flags = static_cast<unsigned char>(data[0]);
  data.remove_prefix(1);
  const size_t end = data.find("\n--\n");
  const std::string program(data.substr(0, end));
  const std::string input(end == std::string_view::npos ? "a b c\n1 2.5 0x1f\n\nb\xc3\xa4r,x\n" : data.substr(end + 4));

  awk::RunOptions options;
  options.is_utf8 = (flags & 1) == 0;
  options.reads_non_decimal = (flags & 2) != 0;
  if ((flags & 4) != 0) options.strictness = awk::Strictness::kPosix;
  if ((flags & 8) != 0) options.strictness = awk::Strictness::kTraditional;
  if ((flags & 16) != 0) options.assignments = {"FS=,", "v=1e3"};
  if ((flags & 32) != 0) options.operands = {"in", "x=2", "missing", "in"};
  options.has_big_numbers = (flags & 128) != 0;
  // Small blocks make records span them.
  awk::MemoryHost host(budget, input, (flags & 64) != 0 ? 3 : SIZE_MAX);
  host.files["in"] = input;
  const int status = awk::RunAwk({{"cmd. line", program}}, options, host);
  PADDOCK_CHECK(status >= 0 && status <= 255);
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
