// Fuzz target of shell state: whatever bytes come, they are refused or give a shell that can be looked at and written again;
// and no byte of them is run.
#include <cstdint>
#include <string>

#include "base/check.h"
#include "bounded_run.h"
#include "shell/shell_for_test.h"
#include "shell/state/state_codec.h"

namespace paddock::shell {
namespace {

constexpr StateClock kClock{Nanoseconds(1'700'000'000'000'000'000)};

void Check(std::string_view bytes) {
  WithShell(
      [bytes](Shell& shell) {
        Shell restored(shell.process(), shell.host(), Environment());
        ShellPlace place;
        if (!DecodeState(bytes, kClock, restored, &place)) return;
        const EncodedState again = EncodeState(restored, place, shell.kernel(), kClock, {});
        Shell second(shell.process(), shell.host(), Environment());
        PADDOCK_CHECK(DecodeState(again.bytes, kClock, second, &place).has_value());
        // What bash prints of a function settles after one round.
        const EncodedState third = EncodeState(second, place, shell.kernel(), kClock, {});
        const auto delta = EncodeStateDelta(bytes, third.bytes);
        PADDOCK_CHECK(ApplyStateDelta(bytes, delta).value_or("") == third.bytes);
        PADDOCK_CHECK(shell.files().List("/")->empty());
        Shell next(restored, shell.process(), Shell::Continue{});
        next.RunScript("declare -p; declare -f; alias; trap; jobs; history; dirs; hash; complete; echo \"$@\" $! $RANDOM; getopts a o");
      },
      fuzz::kInputLimits);
}

}  // namespace
}  // namespace paddock::shell

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  paddock::fuzz::CpuGuard guard;
  paddock::shell::Check(bytes);
  (void)paddock::shell::ApplyStateDelta("", bytes);
  return 0;
}
