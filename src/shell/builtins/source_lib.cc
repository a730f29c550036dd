#include "shell/builtins/source.h"

namespace paddock::shell {

int RunSource(Shell& shell, const BuiltinCall& call) {
  constexpr uint64_t kMaxScript = 256ull << 20;
  BuiltinOptions options(shell, call, *FindBuiltin(call.args[0]), "");
  if (options.Next() != 0) return 2;
  const auto operands = options.operands();
  if (operands.empty()) {
    shell.Complain(call.args[0], "filename argument required");
    return UsageError(shell, *FindBuiltin(call.args[0]));
  }
  const std::string& name = operands[0];
  std::string path = name;
  if (name.find('/') == std::string::npos && shell.options.Get(ShoptOption::kSourcepath)) {
    // PATH is searched for a readable file; execute permission does not count.
    std::string_view rest = shell.Get("PATH").value_or("");
    while (!rest.empty()) {
      const size_t colon = rest.find(':');
      const std::string candidate = vfs::JoinPath(colon == 0 ? "." : rest.substr(0, colon), name);
      if (auto stat = shell.files().Stat(candidate); stat && stat->is_file() && shell.files().Access(candidate, 4)) {
        path = candidate;
        break;
      }
      if (colon == std::string_view::npos) break;
      rest.remove_prefix(colon + 1);
    }
  }
  const auto fail = [&](std::string_view text) {
    shell.Complain(name + ": " + std::string(text));
    shell.was_misused = true;
    return 1;
  };
  if (path == name && name.find('/') == std::string::npos && shell.options.Get(SetOption::kPosix)) {
    shell.Complain(call.args[0], name + ": file not found");
    shell.was_misused = true;
    return 1;
  }
  auto stat = shell.files().Stat(path);
  if (!stat) return fail(stat.error().Text());
  if (stat->is_directory()) {
    shell.Complain(call.args[0], name + ": is a directory");
    return 1;
  }
  auto text = vfs::ReadFile(shell.files(), path, kMaxScript);
  if (!text) return fail(text.error().Text());
  // Bash reads over NULs, but many of them make a binary.
  constexpr size_t kMostNuls = 256;
  if (std::erase(*text, '\0') > kMostNuls) {
    shell.Complain(call.args[0], name + ": cannot execute binary file");
    return 126;
  }
  std::optional<std::vector<std::string>> arguments;
  if (operands.size() > 1) arguments.emplace(operands.begin() + 1, operands.end());
  return shell.Source(path, *text, std::move(arguments));
}

}  // namespace paddock::shell
