// whoami - print the user name of the current user
//
// usage: whoami [OPTION]...
//
// Exit status: 0, or 1 if the user has no name.
// Source: GNU coreutils 9.1.
// Differs: nothing known.

#include "commands/user_names.h"
#include "proc/command.h"
#include "text/quote.h"

namespace paddock {
namespace {

struct Options {};

ExitStatus Run(Invocation& in, const Options&, const std::vector<std::string>& operands) {
  if (!operands.empty()) return in.Usage("extra operand " + Quote(operands[0], in.locale.is_utf8));
  UserNames names(in.fs, in.budget);
  const uint32_t uid = in.fs.credentials().uid;
  const UserRecord* user = names.User(uid);
  if (user == nullptr) return in.Fail("cannot find name for user ID " + std::to_string(uid));
  in.out.WriteLine(user->name);
  return 0;
}

}  // namespace

extern const Command kCommand_whoami;
const Command kCommand_whoami = Define<Options, Run>({
    .name = "whoami",
    .summary = "print the user name associated with the current effective user ID",
    .synopsis = "[OPTION]...",
});

}  // namespace paddock
