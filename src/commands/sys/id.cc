// id - print user and group ids
//
// usage: id [OPTION]... [USER]...
//
// Exit status: 0, or 1 if a user is unknown or the options do not go together.
// Source: GNU coreutils 9.1.
// Differs: -Z fails: no SELinux.

#include <algorithm>

#include "commands/user_names.h"
#include "proc/command.h"
#include "text/quote.h"

namespace paddock {
namespace {

struct Options {
  bool ignored = false;
  bool context = false;
  bool group = false;
  bool groups = false;
  bool name = false;
  bool real = false;
  bool user = false;
  bool zero = false;
};
constexpr Option kOptions[] = {
    Flag<&Options::ignored>('a', nullptr, "ignore, for compatibility with other versions"),
    Flag<&Options::context>('Z', "context", "print only the security context of the process"),
    Flag<&Options::group>('g', "group", "print only the effective group ID"),
    Flag<&Options::groups>('G', "groups", "print all group IDs"),
    Flag<&Options::name>('n', "name", "print a name instead of a number, for -ugG"),
    Flag<&Options::real>('r', "real", "print the real ID instead of the effective ID, with -ugG"),
    Flag<&Options::user>('u', "user", "print only the effective user ID"),
    Flag<&Options::zero>('z', "zero", "delimit entries with NUL characters, not whitespace"),
};

std::string Full(uint32_t id, const std::string* name) {
  return std::to_string(id) + (name == nullptr ? "" : "(" + *name + ")");
}

bool Print(Invocation& in, UserNames& names, const Options& options, uint32_t uid, uint32_t gid, bool is_only) {
  const UserRecord* user = names.User(uid);
  std::vector<uint32_t> groups = {gid};
  if (user != nullptr) {
    for (const uint32_t other : names.GroupsOf(user->name)) {
      if (std::find(groups.begin(), groups.end(), other) == groups.end()) groups.push_back(other);
    }
  }
  const char end = options.zero ? '\0' : '\n';
  const auto group_text = [&](uint32_t id) { return options.name ? names.GroupText(id) : std::to_string(id); };
  if (options.user) {
    in.out.Write(options.name ? names.UserText(uid) : std::to_string(uid));
    in.out.Put(end);
  } else if (options.group) {
    in.out.Write(group_text(gid));
    in.out.Put(end);
  } else if (options.groups) {
    for (size_t i = 0; i < groups.size(); ++i) {
      if (i > 0) in.out.Put(options.zero ? '\0' : ' ');
      in.out.Write(group_text(groups[i]));
    }
    in.out.Put(end);
    if (options.zero && !is_only) in.out.Put('\0');
  } else {
    const GroupRecord* own = names.Group(gid);
    std::string text = "uid=" + Full(uid, user == nullptr ? nullptr : &user->name) + " gid=" +
                       Full(gid, own == nullptr ? nullptr : &own->name) + " groups=";
    for (size_t i = 0; i < groups.size(); ++i) {
      const GroupRecord* group = names.Group(groups[i]);
      text += (i > 0 ? "," : "") + Full(groups[i], group == nullptr ? nullptr : &group->name);
    }
    in.out.WriteLine(text);
  }
  return true;
}

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  const int choices = options.user + options.group + options.groups + options.context;
  if (options.context) return in.Fail("--context (-Z) works only on an SELinux-enabled kernel");
  if (choices > 1) return in.Fail("cannot print \"only\" of more than one choice");
  if (choices == 0 && (options.name || options.real)) return in.Fail("cannot print only names or real IDs in default format");
  if (choices == 0 && options.zero) return in.Fail("option --zero not permitted in default format");
  UserNames names(in.fs, in.budget);
  if (operands.empty()) {
    Print(in, names, options, in.fs.credentials().uid, in.fs.credentials().gid, true);
    return 0;
  }
  ExitStatus status = 0;
  for (size_t i = 0; i < operands.size(); ++i) {
    const UserRecord* user = names.User(operands[i]);
    const std::string digits = operands[i].substr(operands[i].starts_with('+') ? 1 : 0);
    if (user == nullptr && !digits.empty() && digits.find_first_not_of("0123456789") == std::string::npos &&
        digits.size() < 10) {
      user = names.User(static_cast<uint32_t>(std::stoul(digits)));
    }
    if (user == nullptr) {
      status = in.Fail(Quote(operands[i], in.locale.is_utf8) + ": no such user" +
                       (operands[i].empty() ? ": No such file or directory" : ""));
      continue;
    }
    Print(in, names, options, user->uid, user->gid, operands.size() == 1);
  }
  return status;
}

}  // namespace

extern const Command kCommand_id;
const Command kCommand_id = Define<Options, Run>({
    .name = "id",
    .summary = "print user and group information for each specified USER, or for the current process",
    .synopsis = "[OPTION]... [USER]...",
    .options = kOptions,
});

}  // namespace paddock
