// The index and the configuration: what is read can be written and read again.
#include <string>
#include <string_view>

#include "base/check.h"
#include "git/config.h"
#include "git/index_file.h"
#include "text/digest.h"

namespace {

void Run(std::string_view bytes) {
  paddock::Limits limits;
  limits.steps = 20'000'000;
  limits.memory_bytes = 256 << 20;
  paddock::Budget budget(limits, paddock::SystemClock());
  std::string index(bytes);
  index += paddock::DigestOf(paddock::DigestAlgorithm::kSha1, index);
  if (auto parsed = paddock::git::Index::Parse(index, budget)) {
    auto again = paddock::git::Index::Parse(parsed->Text(), budget);
    PADDOCK_CHECK(again.has_value());
    PADDOCK_CHECK(again->entries().size() == parsed->entries().size());
  }
  if (paddock::git::ParseConfig(bytes, budget)) {
    const std::string edited = paddock::git::EditConfig(bytes, "a.b", "c \"d\"", false);
    PADDOCK_CHECK(paddock::git::ParseConfig(edited, budget).has_value());
    static_cast<void>(paddock::git::EditConfig(edited, "a.b", std::nullopt, false));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    Run(std::string_view(reinterpret_cast<const char*>(data), size));
  } catch (const paddock::Termination&) {
    // A limit of the budget: that is what it is for.
  }
  return 0;
}
