// users - print the user names of users currently logged in
//
// usage: users [OPTION]... [FILE]
// The names in FILE (/var/run/utmp), sorted, one for each session.
//
// Exit status: 0, or 1 for a usage error.
// Source: GNU coreutils 9.1; utmp(5) of 64-bit Linux.
// Differs: nobody logs in inside a sandbox; there is an answer only when a FILE with records is there.

#include <algorithm>

#include "commands/text/utmp.h"
#include "text/quote.h"

namespace paddock {
namespace {

struct Options {};

ExitStatus Run(Invocation& in, const Options&, const std::vector<std::string>& operands) {
  if (operands.size() > 1) return in.Usage("extra operand " + Quote(operands[1], in.locale.is_utf8));
  const std::string path = operands.empty() ? kLoginFile : operands[0];
  std::vector<std::string> names;
  for (const LoginRecord& record : ReadLogins(in, path, operands.empty())) {
    if (IsSession(record)) names.push_back(record.user);
  }
  std::sort(names.begin(), names.end());
  for (size_t i = 0; i < names.size(); ++i) {
    in.out.Write(names[i]);
    in.out.Put(i + 1 < names.size() ? ' ' : '\n');
  }
  return 0;
}

}  // namespace

extern const Command kCommand_users;
const Command kCommand_users = Define<Options, Run>({
    .name = "users",
    .summary = "print the user names of users currently logged in",
    .synopsis = "[OPTION]... [FILE]",
    .details = "\nIf FILE is not specified, use /var/run/utmp.\n",
});

}  // namespace paddock
