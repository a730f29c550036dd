// Fuzz target of the loose dates of git. Blanks and commas around them change nothing; what is not understood is now.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "bounded_run.h"
#include "git/loose_date.h"

namespace paddock::git {
namespace {

constexpr int64_t kNow = 1'700'000'000;

void RunOne(std::string_view text) {
  for (const char* zone_name : {"UTC", "America/New_York", "<+14>-14"}) {
    const TimeZone zone = TimeZone::FromTz(zone_name);
    const LooseDate date = ReadLooseDate(text, kNow, zone);
    PADDOCK_CHECK(!date.is_complete || date.is_understood);
    PADDOCK_CHECK(date.is_understood || date.seconds == kNow);
    const LooseDate wider = ReadLooseDate(" " + std::string(text) + " ,", kNow, zone);
    PADDOCK_CHECK(wider.seconds == date.seconds && wider.is_understood == date.is_understood && wider.is_complete == date.is_complete);
  }
}

}  // namespace
}  // namespace paddock::git

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  paddock::fuzz::RunBounded([&](paddock::Budget&) { paddock::git::RunOne({reinterpret_cast<const char*>(data), size}); });
  return 0;
}
