// which - locate a command
//
// usage: which [-a] NAME...
//
// Exit status: 0 if all names are found, 1 if one is not, 2 for a bad option.
// Source: Debian debianutils 5.7.
// Differs: nothing known.

#include "proc/command.h"
#include "vfs/file_system.h"

namespace paddock {
namespace {

// The real one is a script: its shell searches these when PATH is not set.
constexpr std::string_view kPathOfShells = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

bool IsProgram(Invocation& in, const std::string& path) {
  auto stat = in.fs.Stat(path);
  return stat && stat->is_file() && in.fs.Access(path, 1).has_value();
}

ExitStatus Run(Invocation& in) {
  bool all = false;
  size_t i = 1;
  for (; i < in.args.size() && in.args[i].size() > 1 && in.args[i][0] == '-'; ++i) {
    if (in.args[i] == "--") {
      ++i;
      break;
    }
    for (const char letter : in.args[i].substr(1)) {
      if (letter == 'a') {
        all = true;
      } else {
        in.err.Write(std::string("Illegal option -") + letter + "\n");
        in.out.Write("Usage: /usr/bin/which [-a] args\n");
        return 2;
      }
    }
  }
  ExitStatus status = i < in.args.size() ? 0 : 1;
  for (; i < in.args.size(); ++i) {
    const std::string& name = in.args[i];
    bool found = false;
    if (name.find('/') != std::string::npos) {
      found = IsProgram(in, name);
      if (found) in.out.WriteLine(name);
    }
    std::string_view path = in.env.Get("PATH", kPathOfShells);
    while (name.find('/') == std::string::npos && !name.empty()) {
      in.budget.Step();
      const size_t colon = path.find(':');
      const std::string candidate = vfs::JoinPath(path.substr(0, colon).empty() ? "." : path.substr(0, colon), name);
      if (IsProgram(in, candidate)) {
        in.out.WriteLine(candidate);
        found = true;
        if (!all) break;
      }
      if (colon == std::string_view::npos) break;
      path.remove_prefix(colon + 1);
    }
    if (!found) status = 1;
  }
  return status;
}

}  // namespace

extern const Command kCommand_which;
const Command kCommand_which = {
    .name = "which",
    .summary = "locate a command",
    .synopsis = "[-a] NAME...",
    .usage_status = 2,
    .cuts_own_name = true,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
