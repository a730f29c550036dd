// Fuzz target of the TOML reader: every text becomes one JSON text or is refused with a place in it.
#include <cstdint>
#include <string>

#include "base/check.h"
#include "bounded_run.h"
#include "lang/jq/json_reader.h"
#include "lang/toml/toml.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  paddock::fuzz::RunBounded([&](paddock::Budget& budget) {
    std::string json;
    if (!paddock::toml_text::ToJson({reinterpret_cast<const char*>(data), size}, json, budget)) return;
    paddock::jq::Value value;
    std::string error;
    PADDOCK_CHECK(paddock::jq::ParseJson(json, budget, value, error));
  });
  return 0;
}
