// The bash program: its own arguments, and what it runs (-c string, file, stdin).

#include <algorithm>

#include "shell/exec/program.h"
#include "shell/interactive/prompt_loop.h"
#include "shell/shell.h"

namespace paddock::shell {
namespace {

constexpr uint64_t kMaxScript = 256ull << 20;

struct Arguments {
  bool is_command = false;       // -c
  bool reads_stdin = false;      // -s
  bool is_interactive = false;   // -i
  std::vector<std::pair<SetOption, bool>> set_options;
  std::vector<std::pair<ShoptOption, bool>> shopt_options;
  std::vector<std::string> listings;   // shopt commands for an -o or -O without a name
  size_t operands = 1;                 // index of the first operand
};

int Fail(Shell& shell, const std::string& message, int status) {
  shell.err().Write(shell.name0 + ": " + message + "\n");
  return status;
}

constexpr std::string_view kUsage =
    "Usage:\tbash [GNU long option] [option] ...\n\tbash [GNU long option] [option] script-file ...\nGNU long options:\n"
    "\t--help\n\t--init-file\n\t--login\n\t--noediting\n\t--noprofile\n\t--norc\n\t--posix\n\t--rcfile\n\t--verbose\n\t--version\n"
    "Shell options:\n\t-ils or -c command or -O shopt_option\t\t(invocation only)\n"
    "\t-abefhkmnptuvxBCEHPT or -o option\n";

int FailWithUsage(Shell& shell, const std::string& message) {
  shell.err().Write(shell.name0 + ": " + message + "\n" + std::string(kUsage));
  return 2;
}

// Parses bash's options; a status when it is all over already.
std::optional<int> ParseArguments(Shell& shell, std::span<const std::string> args, Arguments* parsed) {
  size_t i = 1;
  for (; i < args.size(); ++i) {
    const std::string& arg = args[i];
    if (arg == "--" || arg == "-") {
      ++i;
      break;
    }
    if (arg.size() < 2 || (arg[0] != '-' && arg[0] != '+')) break;
    if (arg.starts_with("--")) {
      if (arg == "--version") {
        shell.out().Write("GNU bash, version 5.2.15(1)-release (x86_64-pc-linux-gnu)\nAs implemented by Paddock.\n");
        shell.out().Flush();
        return 0;
      }
      if (arg == "--help") {
        shell.out().Write(kUsage);
        shell.out().Flush();
        return 0;
      }
      if (arg == "--posix") {
        parsed->set_options.emplace_back(SetOption::kPosix, true);
      } else if (arg == "--verbose") {
        parsed->set_options.emplace_back(SetOption::kVerbose, true);
      } else if (arg == "--rcfile" || arg == "--init-file") {
        ++i;
      } else if (arg != "--norc" && arg != "--noprofile" && arg != "--noediting" && arg != "--login") {
        return FailWithUsage(shell, arg + ": invalid option");
      }
      continue;
    }
    const bool on = arg[0] == '-';
    for (size_t k = 1; k < arg.size(); ++k) {
      const char letter = arg[k];
      if (letter == 'c') {
        parsed->is_command = true;
      } else if (letter == 's') {
        parsed->reads_stdin = true;
      } else if (letter == 'i') {
        parsed->is_interactive = true;
      } else if (letter == 'l' || letter == 'r' || letter == 'D') {
        // A login shell has no profile here; restrictions are the sandbox's.
        if (letter != 'l') return Fail(shell, std::string("-") + letter + ": not supported in this sandbox", 2);
      } else if (letter == 'o' || letter == 'O') {
        if (i + 1 >= args.size()) {
          const bool is_set = letter == 'o';
          parsed->listings.emplace_back(is_set ? (on ? "set -o" : "set +o") : (on ? "shopt" : "shopt -p"));
          continue;
        }
        const std::string& name = args[++i];
        if (letter == 'o') {
          const auto option = FindSetOption(name);
          if (!option) return Fail(shell, "line 0: " + shell.name0 + ": " + name + ": invalid option name", 2);
          parsed->set_options.emplace_back(*option, on);
        } else {
          const auto option = FindShoptOption(name);
          if (!option) return Fail(shell, name + ": invalid shell option name", 2);
          parsed->shopt_options.emplace_back(*option, on);
        }
      } else if (const auto option = FindSetOption(letter)) {
        parsed->set_options.emplace_back(*option, on);
      } else {
        return FailWithUsage(shell, arg.substr(0, 1) + letter + ": invalid option");
      }
    }
  }
  parsed->operands = i;
  return std::nullopt;
}

int RunCommandString(Shell& shell, std::span<const std::string> operands) {
  if (operands.empty()) return Fail(shell, "-c: option requires an argument", 2);
  shell.reads_command_string = true;
  if (operands.size() > 1) shell.name0 = operands[1];
  if (operands.size() > 2) shell.SetPositionals({operands.begin() + 2, operands.end()});
  const std::string text = operands[0];
  shell.SetShellVariable("BASH_EXECUTION_STRING", text);
  return shell.Finish(shell.RunScript(text));
}

int RunFile(Shell& shell, std::span<const std::string> operands) {
  std::string path = operands[0];
  auto stat = shell.files().Stat(path);
  if (!stat && path.find('/') == std::string::npos) {
    if (const std::string found = shell.FindInPath(path); !found.empty()) path = found;
    stat = shell.files().Stat(path);
  }
  if (!stat) return Fail(shell, path + ": " + std::string(stat.error().Text()), 127);
  // What could be opened gives the name to complaints.
  if (stat->is_directory()) {
    shell.name0 = operands[0];
    return Fail(shell, path + ": Is a directory", 126);
  }
  auto text = vfs::ReadFile(shell.files(), path, kMaxScript);
  if (!text) return Fail(shell, path + ": " + std::string(text.error().Text()), 126);
  shell.name0 = operands[0];
  const bool has_nul = text->substr(0, std::min<size_t>(text->find('\n'), 80)).find('\0') != std::string::npos;
  if (has_nul || text->starts_with("\x7f" "ELF")) return Fail(shell, path + ": cannot execute binary file", 126);
  std::erase(*text, '\0');   // bash reads over them
  shell.frames.front().source = operands[0];
  shell.SetPositionals({operands.begin() + 1, operands.end()});
  return shell.Finish(shell.RunScript(*text));
}

// A script on stdin is read line by line, so that commands in it can read what follows.
int RunStdin(Shell& shell) {
  shell.reads_stdin = true;
  proc::DescriptorSource source(shell.process(), 0);
  std::string pending;
  int first_line = 1;
  int line_count = 0;
  bool at_end = false;
  while (!at_end && shell.flow != Flow::kExit) {
    Input input(source, shell.budget());
    input.set_block_size(1);
    const auto line = input.ReadLine();
    at_end = !line.has_value();
    if (line) {
      pending.append(line->text);
      pending += '\n';
      ++line_count;
    }
    if (pending.empty()) continue;
    if (!at_end && IsIncomplete(shell, pending)) continue;
    const std::string text = std::move(pending);
    pending.clear();
    shell.RunScript(text, first_line);
    first_line = line_count + 1;
  }
  return shell.Finish(shell.last_status);
}

}  // namespace

ExitStatus RunBash(proc::Process& process, const ShellHost& host, std::span<const std::string> args,
                   const Environment& environment) {
  Shell shell(process, host, environment);
  shell.name0 = args[0];
  if (!environment.Get("_")) shell.last_argument = args[0];
  Arguments parsed;
  if (const auto status = ParseArguments(shell, args, &parsed)) return *status;
  const size_t slash = args[0].rfind('/');
  const std::string_view base = std::string_view(args[0]).substr(slash == std::string::npos ? 0 : slash + 1);
  for (int signal = 1; signal <= proc::kLastSignal; ++signal) {
    if (process.disposition(signal) != proc::Process::Disposition::kIgnore) continue;
    shell.traps.actions[signal] = "";
    shell.traps.ignored_at_start |= 1ull << (signal - 1);
  }
  if (base == "sh" || environment.Get("POSIXLY_CORRECT")) shell.options.Put(SetOption::kPosix, true);
  if (base == "rbash") return Fail(shell, "restricted shells are not supported in this sandbox", 2);
  for (const auto& [option, on] : parsed.set_options) {
    shell.options.Put(option, on);
    if (option == SetOption::kPosix && on) shell.SetShellVariable("POSIXLY_CORRECT", "y");
  }
  for (const auto& [option, on] : parsed.shopt_options) shell.options.Put(option, on);
  if (shell.options.Get(SetOption::kPosix)) {
    shell.options.Put(ShoptOption::kInheritErrexit, true);
    shell.options.Put(ShoptOption::kExpandAliases, true);
    shell.options.Put(ShoptOption::kShiftVerbose, true);
  }
  // Options that the parent exported (SHELLOPTS, BASHOPTS) hold in the child too.
  const auto for_each_name = [](std::string_view list, auto&& apply) {
    while (!list.empty()) {
      const size_t colon = list.find(':');
      apply(list.substr(0, colon));
      if (colon == std::string_view::npos) break;
      list.remove_prefix(colon + 1);
    }
  };
  for_each_name(environment.Get("SHELLOPTS", ""), [&](std::string_view name) {
    if (const auto option = FindSetOption(name)) shell.options.Put(*option, true);
  });
  for_each_name(environment.Get("BASHOPTS", ""), [&](std::string_view name) {
    if (const auto option = FindShoptOption(name)) shell.options.Put(*option, true);
  });
  const std::span<const std::string> operands = args.subspan(std::min(parsed.operands, args.size()));
  if (parsed.is_interactive) {
    shell.options.Put(ShoptOption::kExpandAliases, true);
  } else if (const auto startup = shell.Get("BASH_ENV"); startup && !startup->empty() && base != "sh") {
    const std::string path(*startup);
    if (auto text = vfs::ReadFile(shell.files(), path, kMaxScript)) shell.Source(path, *text, std::nullopt);
    if (shell.flow == Flow::kExit) return shell.Finish(shell.last_status);
  }
  for (const std::string& listing : parsed.listings) shell.RunScript(listing);
  if (parsed.is_command) return RunCommandString(shell, operands);
  if (!operands.empty() && !parsed.reads_stdin) return RunFile(shell, operands);
  if (!operands.empty()) shell.SetPositionals({operands.begin(), operands.end()});
  return RunStdin(shell);
}

}  // namespace paddock::shell
