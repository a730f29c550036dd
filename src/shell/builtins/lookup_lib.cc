#include "shell/builtins/lookup.h"

#include <algorithm>

#include "shell/ast/printer.h"
#include "shell/expand/expander.h"

namespace paddock::shell {
namespace {

constexpr const char* kReserved[] = {"if", "then", "else", "elif", "fi", "case", "esac", "for", "select", "while", "until",
                                     "do", "done", "in", "function", "time", "{", "}", "!", "[[", "]]", "coproc"};

}  // namespace

bool IsReservedWord(std::string_view word) {
  return std::find(std::begin(kReserved), std::end(kReserved), word) != std::end(kReserved);
}

bool DescribeCommand(Shell& shell, const std::string& name, const DescribeMode& mode) {
  Output& out = shell.out();
  bool found = false;
  const auto say = [&](const char* kind, const std::string& sentence, const std::string& short_form) {
    found = true;
    if (mode.path_only || mode.force_path) return;
    if (mode.kind_only) out.WriteLine(kind);
    else out.WriteLine(mode.reusable ? short_form : sentence);
  };
  const bool searches_names = !mode.force_path;
  if (searches_names) {
    const auto alias = shell.aliases->find(name);
    if (alias != shell.aliases->end() && (shell.options.Get(ShoptOption::kExpandAliases) || shell.is_interactive)) {
      say("alias", name + " is aliased to `" + alias->second.value + "'",
          "alias " + name + "=" + QuoteForReuse(alias->second.value));
      if (!mode.all) return true;
    }
    if (IsReservedWord(name)) {
      say("keyword", name + " is a shell keyword", name);
      if (!mode.all) return true;
    }
    if (const Function* function = mode.skip_functions ? nullptr : shell.FindFunction(name)) {
      say("function", name + " is a function\n" + PrintFunction(name, *function->definition), name);
      if (!mode.all) return true;
    }
    if (const Builtin* builtin = FindBuiltin(name); builtin != nullptr && !IsDisabled(shell, name)) {
      const bool is_special = builtin->is_special && shell.options.Get(SetOption::kPosix);
      say("builtin", name + (is_special ? " is a special shell builtin" : " is a shell builtin"), name);
      if (!mode.all) return true;
    }
  }
  std::vector<std::string> paths;
  if (name.find('/') != std::string::npos) {
    auto stat = shell.files().Stat(name);
    if (stat && stat->is_file() && shell.files().Access(name, 1)) paths.push_back(name);
  } else if (mode.use_default_path) {
    const std::string path = shell.FindInPath(name, "/usr/bin:/bin", false);
    if (!path.empty()) paths.push_back(path);
  } else {
    const auto hashed = shell.MutableHash().find(name);
    if (hashed != shell.MutableHash().end() && !mode.all) {
      if (!mode.path_only && !mode.force_path && !mode.kind_only && !mode.reusable) {
        out.WriteLine(name + " is hashed (" + hashed->second.first + ")");
        return true;
      }
      paths.push_back(hashed->second.first);
    } else {
      paths = shell.FindAllInPath(name);
    }
  }
  for (const std::string& path : paths) {
    found = true;
    if (mode.kind_only) out.WriteLine("file");
    else if (mode.path_only || mode.force_path || mode.reusable) out.WriteLine(path);
    else out.WriteLine(name + " is " + path);
    if (!mode.all) break;
  }
  return found;
}

}  // namespace paddock::shell
