// kill - send a signal to processes
//
// usage: kill [-SIGNAL] [options] PID...
// The program behind `env kill` and `xargs kill`; the shell has its own.
//
// Exit status: 0 if all signals were sent, else 1.
// Source: procps-ng 4.0.2.
// Differs: the value of -q goes nowhere, as no program here reads one.

#include <algorithm>
#include <charconv>

#include "commands/sys/signal_lists.h"
#include "proc/kernel.h"
#include "proc/option_complaint.h"
#include "proc/process.h"
#include "proc/signals.h"

namespace paddock {
namespace {

struct Options {
  std::optional<std::string> signal, value, listed;
  bool table = false, wants_help = false, wants_version = false;
};
Status SetListed(Options& options, std::string_view text) {
  options.listed = std::string(text);
  return {};
}
constexpr Option kOptions[] = {
    Value<&Options::signal>('s', "signal", "SIGNAL", "specify the SIGNAL to be sent"),
    Value<&Options::value>('q', "queue", "VALUE", "integer value to be sent with the signal"),
    CallOptional<SetListed>('l', "list", "SIGNAL", "list all signal names, or convert one to a name"),
    Flag<&Options::table>('L', "table", "list all signal names in a nice table"),
    Flag<&Options::wants_help>('h', "help", "display this help and exit"),
    Flag<&Options::wants_version>('V', "version", "output version information and exit"),
};

std::optional<int> ReadInteger(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Number for a name and name for a number.
ExitStatus Convert(Invocation& in, std::string_view text) {
  const int signal = proc::FindSignal(text);
  if (signal <= 0) {
    in.Fail("unknown signal name " + std::string(text));
    return 0;
  }
  const bool is_number = text[0] >= '0' && text[0] <= '9';
  in.out.WriteLine(is_number ? proc::SignalName(signal) : std::to_string(signal));
  return 0;
}

// Takes the first word -SIGNAL out of `args`, wherever it is.
std::optional<int> TakeSignal(std::vector<std::string>& args) {
  for (size_t i = 1; i < args.size() && args[i] != "--"; ++i) {
    if (args[i].size() < 2 || args[i][0] != '-') continue;
    const int signal = proc::FindSignal(std::string_view(args[i]).substr(1));
    if (signal < 0) continue;
    args.erase(args.begin() + static_cast<std::ptrdiff_t>(i));
    return signal;
  }
  return std::nullopt;
}

ExitStatus Usage(Invocation& in, std::string_view complaint) {
  if (!complaint.empty()) in.Fail(complaint);
  in.out.Flush();
  in.err.Write(HelpText(in.command, in.name_in_messages()));
  return 1;
}

// In the words of kill, which name the letter only.
std::string Complaint(std::string_view text) {
  const size_t quote = text.find("-- '");
  return "invalid argument " + (quote == std::string_view::npos ? " " : std::string(text.substr(quote + 4, 1)));
}

// `signal` is -1 for a name that there is not.
ExitStatus SendAll(Invocation& in, std::span<const std::string> targets, int signal) {
  ExitStatus status = 0;
  for (const std::string& target : targets) {
    const auto pid = ReadInteger(target);
    if (!pid) {
      status = in.Fail("failed to parse argument: '" + target + "'");
    } else if (const Status sent = in.kernel.Signal(in.process, *pid, std::max(signal, 0)); !sent || signal < 0) {
      status = in.Fail("(" + target + ")", sent ? Error(Code::kInvalid) : sent.error());
    }
  }
  return status;
}

// A word of digits behind the options is a process group.
bool IsGroup(const std::string& word) { return word.size() > 1 && word[0] == '-' && ReadInteger(word).has_value(); }

ExitStatus Run(Invocation& in) {
  std::vector<std::string> words(in.args.begin(), in.args.end());
  int signal = TakeSignal(words).value_or(proc::kSigTerm);
  const auto groups = std::find_if(words.begin() + 1, words.end(), [](const std::string& word) { return word == "--" || IsGroup(word); });
  std::vector<std::string> targets(groups, words.end());
  words.erase(groups, words.end());
  if (!targets.empty() && targets[0] == "--") targets.erase(targets.begin());

  Options options;
  const auto parsed = ParseOptions(words, kOptions, &options, in.command.rules);
  if (!parsed) return Usage(in, Complaint(parsed.error().Text()));
  targets.insert(targets.begin(), parsed->operands.begin(), parsed->operands.end());
  if (options.wants_help) return in.out.Write(HelpText(in.command, in.name_in_messages())), 0;
  if (options.wants_version) return in.out.Write(VersionText(in.command, in.name())), 0;
  if (options.table) return WriteSignalTable(in.out), 0;
  if (options.listed) {
    if (options.listed->empty() && !targets.empty()) options.listed = targets[0];
    if (!options.listed->empty()) return Convert(in, *options.listed);
    return WriteSignalList(in.out), 0;
  }
  if (options.value && !ReadInteger(*options.value)) {
    return in.Fail("must be an integer value to be passed with the signal.: '" + *options.value + "'");
  }
  if (options.signal) signal = proc::FindSignal(*options.signal);
  if (targets.empty()) return Usage(in, "");
  return SendAll(in, targets, signal);
}

}  // namespace

extern const Command kCommand_kill;
const Command kCommand_kill = {
    .name = "kill",
    .summary = "send a signal to a process",
    .synopsis = "[-SIGNAL] [OPTION]... PID...",
    .options = kOptions,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
