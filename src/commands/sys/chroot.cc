// chroot - run a command with another root directory
//
// usage: chroot [OPTION] NEWROOT [COMMAND [ARG]...]
//
// Exit status: 125.
// Source: GNU coreutils 9.1, for a user who may not change the root.
// Differs: nobody may, not even root: the root of the sandbox is its wall.

#include "proc/command.h"
#include "text/quote.h"

namespace paddock {
namespace {

constexpr ExitStatus kCancelled = 125;

struct Options {
  std::string groups, user;
  bool skip_chdir = false;
};

constexpr Option kOptions[] = {
    Value<&Options::groups>(0, "groups", "G_LIST", "supplementary groups as g1,g2,..,gN"),
    Value<&Options::user>(0, "userspec", "USER:GROUP", "the user and group to run as"),
    Flag<&Options::skip_chdir>(0, "skip-chdir", "do not change the working directory to '/'"),
};

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  if (operands.empty()) return in.Usage("missing operand");
  const auto canonical = in.fs.Canonical(operands[0]);
  if (options.skip_chdir && !(canonical && *canonical == "/")) return in.Usage("option --skip-chdir only permitted if NEWROOT is old '/'");
  const auto found = in.fs.Stat(operands[0]);
  Error error(Code::kNotPermitted);
  if (!found) error = found.error();
  else if (!found->is_directory()) error = Error(Code::kNotDirectory);
  return in.Fail("cannot change root directory to " + QuoteFile(operands[0], in.locale.is_utf8), error, kCancelled);
}

}  // namespace

extern const Command kCommand_chroot;
const Command kCommand_chroot = Define<Options, Run>({
    .name = "chroot",
    .summary = "run COMMAND with root directory set to NEWROOT",
    .synopsis = "[OPTION] NEWROOT [COMMAND [ARG]...]",
    .options = kOptions,
    .rules = {.stop_at_operand = true},
    .usage_status = kCancelled,
});

}  // namespace paddock
