// hash - remembers where commands are

#include "shell/builtins/builtin.h"

namespace paddock::shell {
namespace {

int Run(Shell& shell, const BuiltinCall& call) {
  BuiltinOptions options(shell, call, *FindBuiltin("hash"), "dlp:rt");
  bool forgets = false;
  bool resets = false;
  bool reusable = false;
  bool prints = false;
  std::string path;
  while (const char letter = options.Next()) {
    if (letter == '?') return 2;
    forgets |= letter == 'd';
    resets |= letter == 'r';
    reusable |= letter == 'l';
    prints |= letter == 't';
    if (letter == 'p') path = options.argument();
  }
  if (!shell.options.Get(SetOption::kHashall)) {
    shell.Complain("hash", "hashing disabled");
    return 1;
  }
  auto& table = shell.MutableHash();
  if (resets) table.clear();
  const auto names = options.operands();
  if (names.empty()) {
    if (resets) return 0;
    if (prints || forgets) {
      shell.Complain("hash", std::string(prints ? "-t" : "-d") + ": option requires an argument");
      return 1;
    }
    if (table.empty()) {
      if (!shell.options.Get(SetOption::kPosix)) shell.out().WriteLine("hash: hash table empty");
      return 0;
    }
    if (!reusable) shell.out().WriteLine("hits\tcommand");
    for (const auto& [name, hit] : table) {
      if (reusable) {
        shell.out().WriteLine("builtin hash -p " + hit.first + " " + name);
        continue;
      }
      std::string count = std::to_string(hit.second);
      shell.out().WriteLine(std::string(4 - std::min<size_t>(4, count.size()), ' ') + count + "\t" + hit.first);
    }
    return 0;
  }
  int status = 0;
  for (const std::string& name : names) {
    if (name.find('/') != std::string::npos) continue;
    if (forgets || prints) {
      const auto it = table.find(name);
      if (forgets && table.empty()) continue;   // there is no table yet
      if (it == table.end()) {
        shell.Complain("hash", name + ": not found");
        status = 1;
      } else if (forgets) {
        table.erase(it);
      } else if (reusable) {
        shell.out().WriteLine("builtin hash -p " + it->second.first + " " + name);
      } else {
        ++it->second.second;
        shell.out().WriteLine(names.size() > 1 ? name + "\t" + it->second.first : it->second.first);
      }
      continue;
    }
    if (!path.empty()) {
      table[name] = {path, 0};
      continue;
    }
    if (FindBuiltin(name) != nullptr || shell.FindFunction(name) != nullptr) continue;
    table.erase(name);
    const std::vector<std::string> found = shell.FindAllInPath(name);
    if (found.empty()) {
      shell.Complain("hash", name + ": not found");
      status = 1;
    } else {
      table[name] = {found.front(), 0};
    }
  }
  return status;
}

}  // namespace

extern const Builtin kBuiltin_hash;
const Builtin kBuiltin_hash = {
    .name = "hash",
    .usage = "[-lr] [-p pathname] [-dt] [name ...]",
    .help = "Remember or display program locations.",
    .run = Run,
};

}  // namespace paddock::shell
