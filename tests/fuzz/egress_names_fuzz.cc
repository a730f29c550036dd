// Fuzz target of what the network verdict reads: canonical hosts stay as they are, a path that is trusted has its prefix
// in the laxest reading too, and a secret is found however its text is cut. The first byte is where to cut.
#include <cstdint>
#include <string>

#include "base/check.h"
#include "egress/secrets.h"
#include "policy/network_verdict.h"

namespace {

using namespace paddock;
using namespace paddock::policy;

void CheckHost(std::string_view text) {
  const auto host = ParseHost(text);
  if (host) {
    const auto again = ParseHost(host->text);
    PADDOCK_CHECK(again && *again == *host);
    PADDOCK_CHECK(host->text.find_first_of(std::string_view("\0 /@%*", 6)) == std::string::npos);
  }
  const auto pattern = HostPattern::Parse(text);
  if (pattern && host) PADDOCK_CHECK(pattern->Matches(*host));
  if (pattern) PADDOCK_CHECK(HostPattern::Parse(pattern->Text()).value_or({}).Text() == pattern->Text());
  (void)ParseHostPort(text, 443);
}

void CheckPath(std::string_view target) {
  const auto path = RequestPath::Parse(target);
  if (path.is_ambiguous) return;
  for (const std::string_view prefix : {"/v1", "/a", "/a/b"}) {
    if (HasPathPrefix(path.plain, prefix)) PADDOCK_CHECK(HasPathPrefix(path.collapsed, prefix));
  }
}

void CheckScrubber(std::string_view text, size_t cut) {
  static const std::vector<egress::Replacement> kReplacements = {{"abcab", "<1>"}, {"abc", "<2>"}, {"ca", "<3>"}};
  egress::Scrubber whole(kReplacements), parts(kReplacements);
  std::string expected = whole.Feed(text);
  expected += whole.Finish();
  std::string found;
  for (size_t at = 0; at < text.size(); at += cut) found += parts.Feed(text.substr(at, cut));
  found += parts.Finish();
  PADDOCK_CHECK(found == expected);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  CheckHost(text);
  CheckPath(text);
  CheckScrubber(text, data[0] + size_t{1});
  return 0;
}
