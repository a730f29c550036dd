// Fuzz target of the order of versions: any three names, one a line, have an order.
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "text/version_order.h"

namespace {

using Compare = int (*)(std::string_view a, std::string_view b);

int Sign(int value) { return value < 0 ? -1 : value > 0 ? 1 : 0; }

std::string_view TakeLine(std::string_view& rest) {
  const std::string_view line = rest.substr(0, rest.find('\n'));
  rest.remove_prefix(line.size() + (line.size() < rest.size() ? 1 : 0));
  return line;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  const std::string_view a = TakeLine(rest), b = TakeLine(rest), c = rest;
  for (const Compare compare : {&paddock::CompareVersionNames, &paddock::CompareVersions}) {
    PADDOCK_CHECK(compare(a, a) == 0);
    PADDOCK_CHECK(Sign(compare(a, b)) == -Sign(compare(b, a)));
    if (compare(a, b) <= 0 && compare(b, c) <= 0) PADDOCK_CHECK(compare(a, c) <= 0);
  }
  return 0;
}
