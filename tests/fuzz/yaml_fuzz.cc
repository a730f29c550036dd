// Fuzz target of the YAML reader and emitter: every document becomes a JSON text or is refused, and what the emitter
// writes of the same strings reads back as they were. The first byte chooses the settings.
#include <cstdint>
#include <string>

#include "base/check.h"
#include "bounded_run.h"
#include "lang/jq/json_reader.h"
#include "lang/yaml/emitter.h"
#include "lang/yaml/reader.h"
#include "text/utf8.h"

namespace paddock {
namespace {

void ReadAll(std::string_view text, unsigned flags, Budget& budget) {
  const yaml::ReadSettings settings = {.annotates = (flags & 1) != 0, .expands_aliases = (flags & 2) == 0, .expansion_factor = 64};
  yaml::Reader reader(text, "fuzz", settings, budget);
  for (std::string json; reader.Next(json); json.clear()) {
    jq::Value value;
    std::string error;
    PADDOCK_CHECK(jq::ParseJson(json, budget, value, error));
  }
}

void EmitAndReadBack(std::string_view text, unsigned flags, Budget& budget) {
  if (!IsValidUtf8(text)) return;
  yaml::Node string = {.tag = std::string(yaml::kTagPrefix) + "str", .text = std::string(text)};
  string.style = "\0\0'\"|>"[(flags >> 2) % 6];
  yaml::Node key = {.tag = string.tag, .text = string.text};
  yaml::Node root = {.kind = yaml::Node::kMapping, .tag = std::string(yaml::kTagPrefix) + "map"};
  root.items = {&key, &string};
  root.is_flow = (flags & 32) != 0;
  std::string out;
  yaml::Emitter emitter({.grammar = yaml::Grammar::k12, .width = flags & 64 ? size_t{20} : size_t{80}}, out, budget);
  emitter.Document(root);
  emitter.Finish();
  yaml::Reader reader(out, "fuzz", {}, budget);
  std::string json;
  reader.Next(json);
}

}  // namespace
}  // namespace paddock

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  paddock::fuzz::RunBounded([&](paddock::Budget& budget) {
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    paddock::ReadAll(text, data[0], budget);
    paddock::EmitAndReadBack(text, data[0], budget);
  });
  return 0;
}
