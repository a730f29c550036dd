// groups - print the groups a user is in
//
// usage: groups [OPTION]... [USERNAME]...
//
// Exit status: 0, or 1 if a user is unknown or a group has no name.
// Source: GNU coreutils 9.1.
// Differs: nothing known.

#include <algorithm>

#include "commands/user_names.h"
#include "proc/command.h"
#include "text/quote.h"

namespace paddock {
namespace {

struct Options {};

ExitStatus WriteGroups(Invocation& in, UserNames& names, const UserRecord* user, uint32_t gid) {
  std::vector<uint32_t> groups = {gid};
  if (user != nullptr) {
    for (const uint32_t other : names.GroupsOf(user->name)) {
      if (std::find(groups.begin(), groups.end(), other) == groups.end()) groups.push_back(other);
    }
  }
  ExitStatus status = 0;
  for (size_t i = 0; i < groups.size(); ++i) {
    if (i > 0) in.out.Put(' ');
    if (names.Group(groups[i]) == nullptr) {
      status = in.Fail("cannot find name for group ID " + std::to_string(groups[i]));
    }
    in.out.Write(names.GroupText(groups[i]));
  }
  in.out.Put('\n');
  return status;
}

ExitStatus Run(Invocation& in, const Options&, const std::vector<std::string>& operands) {
  UserNames names(in.fs, in.budget);
  if (operands.empty()) {
    const vfs::Credentials& who = in.fs.credentials();
    return WriteGroups(in, names, names.User(who.uid), who.gid);
  }
  ExitStatus status = 0;
  for (const std::string& name : operands) {
    const UserRecord* user = names.User(name);
    if (user == nullptr) {
      status = in.Fail(Quote(name, in.locale.is_utf8) + ": no such user");
      continue;
    }
    in.out.Write(name + " : ");
    if (WriteGroups(in, names, user, user->gid) != 0) status = 1;
  }
  return status;
}

}  // namespace

extern const Command kCommand_groups;
const Command kCommand_groups = Define<Options, Run>({
    .name = "groups",
    .summary = "print group memberships for each USERNAME or, if no USERNAME is specified, for the current process",
    .synopsis = "[OPTION]... [USERNAME]...",
});

}  // namespace paddock
