// sleep - wait for a time
//
// usage: sleep NUMBER[SUFFIX]...
// Pauses for the sum of the times. SUFFIX is s (default), m, h or d; NUMBER may have a fraction or be
// "infinity".
//
// Exit status: 0, or 1 for a bad time.
// Source: GNU coreutils 9.1.
// Differs: nothing known.

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "proc/command.h"
#include "proc/kernel.h"
#include "text/date/duration.h"
#include "text/quote.h"

namespace paddock {
namespace {

struct Options {};

ExitStatus Run(Invocation& in, const Options&, const std::vector<std::string>& operands) {
  if (operands.empty()) return in.Usage("missing operand");
  double seconds = 0;
  bool is_good = true;
  for (const std::string& operand : operands) {
    const auto parsed = ParseDuration(operand);
    if (!parsed) {
      in.Fail("invalid time interval " + Quote(operand, in.locale.is_utf8));
      is_good = false;
    } else {
      seconds += *parsed;
    }
  }
  if (!is_good) return in.UsageHint();
  const Nanoseconds until = in.clock.MonotonicNow() + ToNanoseconds(seconds);
  while (in.clock.MonotonicNow() < until) {
    if (in.kernel.Sleep(in.process, until)) break;
  }
  return 0;
}

}  // namespace

extern const Command kCommand_sleep;
const Command kCommand_sleep = Define<Options, Run>({
    .name = "sleep",
    .summary = "pause for NUMBER seconds",
    .synopsis = "NUMBER[SUFFIX]...",
});

}  // namespace paddock
