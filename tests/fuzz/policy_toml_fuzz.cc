// Fuzz target of policies in TOML: see policy_document.h.
#include "policy_document.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  paddock::fuzz::ReadPolicy({reinterpret_cast<const char*>(data), size}, paddock::policy::DocumentFormat::kToml);
  return 0;
}
