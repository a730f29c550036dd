// env - run a program in a changed environment, or print it
//
// usage: env [OPTION]... [-] [NAME=VALUE]... [COMMAND [ARG]...]
//
// Exit status: the command's; 125 if env itself fails, 126 if the command cannot run, 127 if it is missing.
// Source: GNU coreutils 9.1.
// Differs: there are no signal masks: a signal that --block-signal names reaches what is run as little as an ignored one, but does not wait to be let in.

#include <algorithm>
#include <functional>
#include <set>

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

struct SignalChange {
  int signal;
  bool ignores;        // else the default action comes back
  bool is_by_name;     // asked for by name: must not fail
};

struct Options {
  bool ignore = false;
  bool null = false;
  bool debug = false;
  std::vector<std::string> unset;
  std::optional<std::string> chdir;
  std::vector<SignalChange> signals;
  std::set<int> blocked;
  bool lists_signals = false;
  bool is_utf8 = true;
};

// Replaced by what it stands for before the options are read.
Status SplitString(Options&, std::string_view) { return {}; }

// Calls `take` with each signal of a list, all for an empty one, and whether it was named.
Status ForEachSignal(const Options& options, std::string_view list, const std::function<void(int, bool)>& take) {
  if (list.empty()) {
    for (int signal = 1; signal < 32; ++signal) take(signal, false);
    return {};
  }
  while (true) {
    const size_t comma = list.find(',');
    const int signal = proc::FindSignal(list.substr(0, comma));
    if (signal <= 0) {
      return Error(Code::kSyntax, Quote(list.substr(0, comma), options.is_utf8) + ": invalid signal");
    }
    take(signal, true);
    if (comma == std::string_view::npos) return {};
    list.remove_prefix(comma + 1);
  }
}
template <bool kIgnores>
Status ChangeSignals(Options& options, std::string_view list) {
  return ForEachSignal(options, list, [&](int signal, bool is_named) {
    options.signals.push_back({signal, kIgnores, is_named});
    if (!kIgnores) options.blocked.erase(signal);
  });
}
// The two that nothing blocks are passed over.
Status BlockSignals(Options& options, std::string_view list) {
  return ForEachSignal(options, list, [&](int signal, bool) {
    if (signal != proc::kSigKill && signal != proc::kSigStop) options.blocked.insert(signal);
  });
}

constexpr Option kOptions[] = {
    Flag<&Options::ignore>('i', "ignore-environment", "start with an empty environment"),
    Flag<&Options::null>('0', "null", "end each output line with NUL, not newline"),
    Value<&Options::unset>('u', "unset", "NAME", "remove variable from the environment"),
    Value<&Options::chdir>('C', "chdir", "DIR", "change working directory to DIR"),
    Call<SplitString>('S', "split-string", "S", "process and split S into separate arguments"),
    CallOptional<ChangeSignals<false>>(0, "default-signal", "SIG", "reset handling of SIG signal(s) to the default"),
    CallOptional<ChangeSignals<true>>(0, "ignore-signal", "SIG", "set handling of SIG signal(s) to do nothing"),
    CallOptional<BlockSignals>(0, "block-signal", "SIG", "block delivery of SIG signal(s) to COMMAND"),
    Flag<&Options::lists_signals>(0, "list-signal-handling", "list non default signal handling to stderr"),
    Flag<&Options::debug>('v', "debug", "print verbose information for each processing step"),
};

bool IsVariableName(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  if (name.empty() || !is_letter(name[0])) return false;
  return std::all_of(name.begin(), name.end(), [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

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
    const bool has_text = in_word;
    in_word = true;
    if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else if (quote != 0 && c == quote) {
      quote = 0;
    } else if (c == '\\' && quote != '\'' && i + 1 == text.size()) {
      return Error(Code::kInvalid, "invalid backslash at end of string in -S");
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
        case 'c':
          if (quote == '"') return Error(Code::kInvalid, "'\\c' must not appear in double-quoted -S string");
          if (has_text) words.push_back(std::move(word));
          return words;
        case '"': case '#': case '$': case '\'': case '\\': word += letter; break;
        default: return Error(Code::kInvalid, std::string("invalid sequence '\\") + letter + "' in -S");
      }
    } else if (c == '$' && quote != '\'') {
      const size_t close = text.find('}', i);
      if (i + 1 >= text.size() || text[i + 1] != '{' || close == std::string_view::npos ||
          !IsVariableName(text.substr(i + 2, close - i - 2))) {
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

class Env {
 public:
  Env(Invocation& in, const Options& options) : in_(in), options_(options) {}

  ExitStatus Run(const std::vector<std::string>& operands) {
    size_t next = 0;
    const bool is_dash = !operands.empty() && operands[0] == "-";
    if (is_dash) ++next;
    if (options_.ignore || is_dash) {
      Explain("cleaning environ");
    } else {
      environment_ = in_.env;
    }
    for (const std::string& name : options_.unset) {
      if (!options_.ignore && !is_dash) Explain("unset:    " + name);
      if (name.empty() || name.find('=') != std::string::npos) {
        return in_.Fail("cannot unset " + QuoteWord(name) + ": Invalid argument", kFailed);
      }
      environment_.Unset(name);
    }
    for (; next < operands.size(); ++next) {
      const size_t equals = operands[next].find('=');
      if (equals == std::string::npos) break;
      Explain("setenv:   " + operands[next]);
      environment_.Set(operands[next].substr(0, equals), operands[next].substr(equals + 1));
    }
    if (next < operands.size()) {
      if (options_.null) return in_.Usage("cannot specify --null (-0) with command");
      return RunChild({operands.begin() + static_cast<std::ptrdiff_t>(next), operands.end()});
    }
    if (options_.chdir) return in_.Usage("must specify command with --chdir (-C)");
    for (const auto& [name, value] : environment_.variables()) {
      in_.out.Write(name + "=" + value);
      in_.out.Put(options_.null ? '\0' : '\n');
    }
    return 0;
  }

 private:
  std::string QuoteWord(std::string_view word) const { return Quote(word, in_.locale.is_utf8); }
  // What -v shows.
  void Explain(const std::string& step) {
    if (options_.debug) in_.err.Write(step + "\n");
  }

  ExitStatus ChangeSignals() {
    for (const SignalChange& change : options_.signals) {
      if (change.signal == proc::kSigKill || change.signal == proc::kSigStop) {
        if (!change.is_by_name) continue;
        return in_.Fail("failed to set signal action for signal " + std::to_string(change.signal) +
                            ": Invalid argument", kFailed);
      }
      in_.process.set_disposition(change.signal, change.ignores ? proc::Process::Disposition::kIgnore
                                                                : proc::Process::Disposition::kDefault);
      Explain("Reset signal " + proc::SignalName(change.signal) + " (" + std::to_string(change.signal) + ") to " +
              (change.ignores ? "IGNORE" : "DEFAULT"));
    }
    return 0;
  }

  void ListSignals() {
    for (int signal = 1; signal < 32; ++signal) {
      const bool is_ignored = in_.process.disposition(signal) == proc::Process::Disposition::kIgnore, is_blocked = options_.blocked.contains(signal);
      if (!is_ignored && !is_blocked) continue;
      std::string name = proc::SignalName(signal);
      name.append(name.size() < 10 ? 10 - name.size() : 0, ' ');
      in_.err.Write(name + " (" + (signal < 10 ? " " : "") + std::to_string(signal) + "): " + (is_blocked ? is_ignored ? "BLOCK,IGNORE" : "BLOCK" : "IGNORE") + "\n");
    }
  }

  ExitStatus RunChild(std::vector<std::string> command) {
    if (const ExitStatus status = ChangeSignals(); status != 0) return status;
    if (options_.lists_signals) ListSignals();
    for (const int signal : options_.blocked) in_.process.set_disposition(signal, proc::Process::Disposition::kIgnore);
    ChildSpec spec{.args = std::move(command), .environment = &environment_};
    if (options_.chdir) {
      Explain("chdir:    " + QuoteFile(*options_.chdir, in_.locale.is_utf8));
      auto stat = in_.fs.Stat(*options_.chdir);
      const Status usable = !stat ? Status(stat.error())
                            : stat->is_directory() ? in_.fs.Access(*options_.chdir, 1) : Status(Code::kNotDirectory);
      if (!usable) {
        return in_.Fail("cannot change directory to " + QuoteFile(*options_.chdir, in_.locale.is_utf8) + ": " +
                            std::string(usable.error().Text()), kFailed);
      }
      spec.cwd = *options_.chdir;
    }
    Explain("executing: " + spec.args[0]);
    for (size_t i = 0; i < spec.args.size(); ++i) {
      Explain("   arg[" + std::to_string(i) + "]= " + QuoteWord(spec.args[i]));
    }
    in_.out.Flush();
    const std::string name = spec.args[0];
    auto status = in_.launcher.Run(in_.process, spec);
    if (status) return *status;
    const Code code = status.error().code;
    in_.Fail(QuoteWord(name) + ": " + std::string(Error(code == Code::kIsDirectory ? Code::kAccess : code).Text()));
    return code == Code::kNoEntry ? kMissing : kCannotRun;
  }

  Invocation& in_;
  const Options& options_;
  Environment environment_;
};

// Where the text of -S stands in an argument that is no operand: behind the letter or the '='.
struct SplitOption {
  size_t begin = std::string::npos;   // npos: in the next argument
  std::string before;                 // the options that share the argument
};
std::optional<SplitOption> FindSplit(const std::string& argument, bool& takes_next) {
  takes_next = false;
  if (argument.starts_with("--")) {
    const size_t equals = argument.find('=');
    const std::string_view name = std::string_view(argument).substr(2, equals - 2);
    if (name.empty()) return std::nullopt;
    if (std::string_view("split-string").starts_with(name)) {
      return SplitOption{equals == std::string::npos ? equals : equals + 1, ""};
    }
    takes_next = equals == std::string::npos &&
                 (std::string_view("unset").starts_with(name) || std::string_view("chdir").starts_with(name));
    return std::nullopt;
  }
  for (size_t i = 1; i < argument.size(); ++i) {
    if (argument[i] == 'u' || argument[i] == 'C') {
      takes_next = i + 1 == argument.size();
      return std::nullopt;
    }
    if (argument[i] != 'S') continue;
    return SplitOption{i + 1 < argument.size() ? i + 1 : std::string::npos, i > 1 ? argument.substr(0, i) : ""};
  }
  return std::nullopt;
}

void ExplainSplit(Invocation& in, std::string_view text, const std::vector<std::string>& words) {
  in.err.Write("split -S:  " + Quote(text, in.locale.is_utf8) + "\n");
  for (size_t i = 0; i < words.size(); ++i) {
    in.err.Write((i == 0 ? " into:    " : "     &    ") + Quote(words[i], in.locale.is_utf8) + "\n");
  }
}

// Puts the words of each -S in its place, where they may be options too.
Status ExpandSplits(Invocation& in, std::vector<std::string>& args) {
  bool is_debug = false;
  for (size_t i = 1; i < args.size(); ++i) {
    in.budget.Step();
    const std::string argument = args[i];
    if (argument.size() < 2 || argument[0] != '-' || argument == "--") return {};
    bool takes_next = false;
    const auto split = FindSplit(argument, takes_next);
    if (!argument.starts_with("--") && argument.find('v') < (split ? split->begin : argument.size())) is_debug = true;
    if (argument == "--debug") is_debug = true;
    if (!split) {
      i += takes_next ? 1 : 0;
      continue;
    }
    const bool is_next = split->begin == std::string::npos;
    if (is_next && i + 1 == args.size()) return {};   // the parser complains
    const std::string text = is_next ? args[i + 1] : argument.substr(split->begin);
    PADDOCK_ASSIGN(std::vector<std::string> words, SplitArguments(text, in.env));
    if (is_debug) ExplainSplit(in, text, words);
    if (!split->before.empty()) words.insert(words.begin(), split->before);
    const auto at = args.begin() + static_cast<std::ptrdiff_t>(i);
    args.insert(args.erase(at, at + (is_next ? 2 : 1)), words.begin(), words.end());
    i = i - 1 + (split->before.empty() ? 0 : 1);
  }
  return {};
}

ExitStatus Run(Invocation& in) {
  std::vector<std::string> args(in.args.begin(), in.args.end());
  if (const Status expanded = ExpandSplits(in, args); !expanded) return in.Fail(expanded.error().Text(), kFailed);
  in.args = args;
  Options options;
  options.is_utf8 = in.locale.is_utf8;
  ExitStatus status = 0;
  const auto operands = command_internal::Prepare(in, &options, &status);
  return operands ? Env(in, options).Run(*operands) : status;
}

}  // namespace

extern const Command kCommand_env;
const Command kCommand_env = {
    .name = "env",
    .summary = "set each NAME to VALUE in the environment and run COMMAND",
    .synopsis = "[OPTION]... [-] [NAME=VALUE]... [COMMAND [ARG]...]",
    .options = kOptions,
    .rules = {.stop_at_operand = true},
    .usage_status = kFailed,
    .run = Run,
};

}  // namespace paddock
