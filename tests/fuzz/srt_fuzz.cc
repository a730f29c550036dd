// Fuzz target of srt's settings: any text gives settings or a reason, and settings that pass give network rules that the
// engine can compile, unless the reason is told.
#include <cstdint>
#include <string>

#include "base/check.h"
#include "cli/srt_command.h"
#include "policy/network_verdict.h"
#include "policy/srt_policy.h"
#include "policy/srt_settings.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace paddock;
  const std::string text(reinterpret_cast<const char*>(data), size);

  // Quoting keeps what it quotes: one word, or an assignment.
  const std::string quoted = cli::QuoteSrtWord(text);
  PADDOCK_CHECK(quoted == text || (quoted.front() == '\'' && quoted.back() == '\''));

  const auto settings = policy::ParseSrtSettings(text);
  if (!settings) {
    PADDOCK_CHECK(!settings.error().Text().empty());
    return 0;
  }
  const policy::SrtHost host{.context = {.home = "/home/ann", .workspace = "/work", .user = "ann", .search_path = {}, .variables = {"TOKEN"}},
                             .settings_path = {}, .http_proxy = {}, .https_proxy = {}, .no_proxy = {}};
  const auto network = policy::MakeSrtNetwork(*settings, host);
  if (!network) {
    PADDOCK_CHECK(!network.error().Text().empty());
    return 0;
  }
  PADDOCK_CHECK(policy::NetworkRuleSet::Compile(*network));
  policy::IsIgnoredViolation(*settings, "npm test", "denied connect example.org:443");
  return 0;
}
