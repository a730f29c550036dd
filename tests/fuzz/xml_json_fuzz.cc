// Fuzz target of xq's reader: any text as XML, to JSON. The first byte chooses the depth of items and what is a list.
#include <cstdint>
#include <string>

#include "bounded_run.h"
#include "lang/xml/to_json.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  paddock::xml::ToJsonSettings settings;
  settings.item_depth = data[0] & 3;
  if ((data[0] & 4) != 0) settings.lists = {"a", "b"};
  paddock::fuzz::RunBounded([&](paddock::Budget& budget) {
    std::string json;
    if (paddock::xml::ToJson({reinterpret_cast<const char*>(data) + 1, size - 1}, settings, json, budget) && settings.item_depth == 0 && !json.ends_with("}\n")) __builtin_trap();
  });
  return 0;
}
