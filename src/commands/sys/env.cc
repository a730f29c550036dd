// env - run a program in a changed environment, or print it
//
// usage: env [OPTION]... [-] [NAME=VALUE]... [COMMAND [ARG]...]
//
// Exit status: the command's; 125 if env itself fails, 126 if the command cannot run, 127 if it is missing.
// Source: GNU coreutils 9.1.
// Differs: --block-signal and --list-signal-handling are refused: no signal masks here.

#include "proc/command.h"
#include "proc/kernel.h"
#include "proc/process.h"
#include "proc/signals.h"
#include "text/quote.h"
#include "vfs/file_system.h"

namespace paddock {
namespace {

constexpr ExitStatus kFailed = 125;
constexpr ExitStatus kCannotRun = 126;
constexpr ExitStatus kMissing = 127;

struct Options {
  bool ignore = false;
  bool null = false;
  bool debug = false;
  std::vector<std::string> unset;
  std::string chdir;
  std::vector<std::string> split;
  std::vector<int> ignored_signals;
};

Status SplitString(Options& options, std::string_view text) {
  options.split.emplace_back(text);
  return {};
}
Status IgnoreSignals(Options& options, std::string_view list) {
  if (list.empty()) {
    for (int signal = 1; signal < 32; ++signal) {
      if (signal != proc::kSigKill && signal != proc::kSigStop) options.ignored_signals.push_back(signal);
    }
    return {};
  }
  while (true) {
    const size_t comma = list.find(',');
    const int signal = proc::FindSignal(list.substr(0, comma));
    if (signal <= 0) return Error(Code::kInvalid, "'" + std::string(list.substr(0, comma)) + "': invalid signal");
    options.ignored_signals.push_back(signal);
    if (comma == std::string_view::npos) return {};
    list.remove_prefix(comma + 1);
  }
}

constexpr Option kOptions[] = {
    Flag<&Options::ignore>('i', "ignore-environment", "start with an empty environment"),
    Flag<&Options::null>('0', "null", "end each output line with NUL, not newline"),
    Value<&Options::unset>('u', "unset", "NAME", "remove variable from the environment"),
    Value<&Options::chdir>('C', "chdir", "DIR", "change working directory to DIR"),
    Call<SplitString>('S', "split-string", "S", "process and split S into separate arguments"),
    CallOptional<IgnoreSignals>(0, "ignore-signal", "SIG", "set handling of SIG signal(s) to do nothing"),
    Flag<&Options::debug>('v', "debug", "print verbose information for each processing step"),
};

// Splits the argument of -S: quotes, escapes and ${NAME}.
Result<std::vector<std::string>> SplitArguments(std::string_view text, const Environment& environment) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote == 0 && (c == ' ' || c == '\t' || c == '\n' || c == '\v' || c == '\f' || c == '\r')) {
      if (in_word) words.push_back(std::move(word));
      word.clear();
      in_word = false;
      continue;
    }
    if (quote == 0 && c == '#' && !in_word) break;
    in_word = true;
    if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else if (quote != 0 && c == quote) {
      quote = 0;
    } else if (c == '\\' && i + 1 < text.size() && (quote != '\'' || text[i + 1] == '\'' || text[i + 1] == '\\')) {
      const char letter = text[++i];
      switch (letter) {
        case 'n': word += '\n'; break;
        case 't': word += '\t'; break;
        case 'r': word += '\r'; break;
        case 'f': word += '\f'; break;
        case 'v': word += '\v'; break;
        case '_':
          if (quote == '"') {
            word += ' ';
          } else {
            words.push_back(std::move(word));
            word.clear();
            in_word = false;
          }
          break;
        case 'c': return words;
        case '"': case '#': case '$': case '\'': case '\\': word += letter; break;
        default: return Error(Code::kInvalid, std::string("invalid sequence '\\") + letter + "' in -S");
      }
    } else if (c == '$' && quote != '\'') {
      const size_t close = text.find('}', i);
      if (i + 1 >= text.size() || text[i + 1] != '{' || close == std::string_view::npos) {
        return Error(Code::kInvalid, "only ${VARNAME} expansion is supported, error at: " + std::string(text.substr(i)));
      }
      word += environment.Get(text.substr(i + 2, close - i - 2), "");
      i = close;
    } else {
      word += c;
    }
  }
  if (quote != 0) return Error(Code::kInvalid, "no terminating quote in -S string");
  if (in_word) words.push_back(std::move(word));
  return words;
}

ExitStatus RunChild(Invocation& in, const Options& options, const Environment& environment,
                    std::vector<std::string> command) {
  ChildSpec spec{.args = std::move(command), .environment = &environment, .ignored_signals = options.ignored_signals};
  if (!options.chdir.empty()) {
    auto stat = in.fs.Stat(options.chdir);
    const Status usable = !stat ? Status(stat.error())
                          : stat->is_directory() ? in.fs.Access(options.chdir, 1) : Status(Code::kNotDirectory);
    if (!usable) {
      return in.Fail("cannot change directory to " + Quote(options.chdir, in.locale.is_utf8) + ": " +
                         std::string(usable.error().Text()), kFailed);
    }
    spec.cwd = options.chdir;
  }
  in.out.Flush();
  const std::string name = spec.args[0];
  auto status = in.launcher.Run(in.process, spec);
  if (status) return *status;
  in.Fail(Quote(name, in.locale.is_utf8) + ": " + std::string(status.error().Text()));
  return status.error().code == Code::kNoEntry ? kMissing : kCannotRun;
}

ExitStatus Run(Invocation& in, Options& options, const std::vector<std::string>& given) {
  std::vector<std::string> operands = given;
  if (!options.split.empty()) {
    std::vector<std::string> inserted;
    for (const std::string& text : options.split) {
      auto words = SplitArguments(text, in.env);
      if (!words) return in.Fail(words.error().Text(), kFailed);
      inserted.insert(inserted.end(), words->begin(), words->end());
    }
    operands.insert(operands.begin(), inserted.begin(), inserted.end());
  }
  Environment environment = options.ignore ? Environment() : in.env;
  size_t i = 0;
  if (i < operands.size() && operands[i] == "-") {
    environment = Environment();
    ++i;
  }
  for (const std::string& name : options.unset) {
    if (name.empty() || name.find('=') != std::string::npos) {
      return in.Fail("cannot unset " + Quote(name, in.locale.is_utf8) + ": Invalid argument", kFailed);
    }
    environment.Unset(name);
  }
  for (; i < operands.size(); ++i) {
    const size_t equals = operands[i].find('=');
    if (equals == std::string::npos) break;
    if (equals == 0) {
      return in.Fail("cannot set " + Quote("", in.locale.is_utf8) + ": Invalid argument", kFailed);
    }
    environment.Set(operands[i].substr(0, equals), operands[i].substr(equals + 1));
  }
  if (i < operands.size()) {
    if (options.null) return in.Usage("cannot specify --null (-0) with command");
    return RunChild(in, options, environment, {operands.begin() + static_cast<std::ptrdiff_t>(i), operands.end()});
  }
  if (!options.chdir.empty()) return in.Usage("must specify command with --chdir (-C)");
  for (const auto& [name, value] : environment.variables()) {
    in.out.Write(name + "=" + value);
    in.out.Put(options.null ? '\0' : '\n');
  }
  return 0;
}

}  // namespace

extern const Command kCommand_env;
const Command kCommand_env = Define<Options, Run>({
    .name = "env",
    .summary = "set each NAME to VALUE in the environment and run COMMAND",
    .synopsis = "[OPTION]... [-] [NAME=VALUE]... [COMMAND [ARG]...]",
    .options = kOptions,
    .rules = {.stop_at_operand = true},
    .usage_status = kFailed,
});

}  // namespace paddock
