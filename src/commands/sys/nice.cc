// nice - run a command with an adjusted niceness
//
// usage: nice [OPTION] [COMMAND [ARG]...]
// Without COMMAND it prints the niceness. The old forms -N and --N are taken too.
//
// Exit status: the command's; 125 if nice itself fails, 126 if the command cannot run, 127 if it is missing.
// Source: POSIX nice; GNU coreutils 9.1.
// Differs: niceness is kept and inherited, but all processes of a sandbox get the same share.

#include <algorithm>

#include "proc/command.h"
#include "proc/process.h"
#include "text/quote.h"

namespace paddock {
namespace {

constexpr ExitStatus kFailed = 125;
constexpr ExitStatus kCannotRun = 126;
constexpr ExitStatus kMissing = 127;
constexpr int kLeast = -20;
constexpr int kMost = 19;

struct Options {
  std::optional<std::string> adjustment;
};

constexpr Option kOptions[] = {
    Value<&Options::adjustment>('n', "adjustment", "N", "add integer N to the niceness (default 10)"),
};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Takes -5, --5 (minus five) and -+5.
bool TakeOldForm(void* options, std::string_view argument) {
  if (argument[0] != '-' || argument.size() < 2) return false;
  const size_t digits = argument[1] == '-' || argument[1] == '+' ? 2 : 1;
  if (argument.size() <= digits || !IsDigit(argument[digits])) return false;
  static_cast<Options*>(options)->adjustment = argument.substr(1);
  return true;
}

// A number that is cut to what can matter; nothing for other text.
std::optional<int> ReadAdjustment(std::string_view text) {
  while (!text.empty() && (text[0] == ' ' || (text[0] >= '\t' && text[0] <= '\r'))) text.remove_prefix(1);
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  if (text.empty() || !std::all_of(text.begin(), text.end(), IsDigit)) return std::nullopt;
  int value = 0;
  for (const char c : text) value = std::min(value * 10 + (c - '0'), kMost - kLeast);
  return is_negative ? -value : value;
}

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  int adjustment = 10;
  if (options.adjustment) {
    const auto number = ReadAdjustment(*options.adjustment);
    if (!number) {
      return in.Fail("invalid adjustment " + Quote(*options.adjustment, in.locale.is_utf8), kFailed);
    }
    adjustment = *number;
  }
  if (operands.empty()) {
    if (options.adjustment) return in.Usage("a command must be given with an adjustment");
    in.out.WriteLine(std::to_string(in.process.niceness()));
    return 0;
  }
  const int wanted = std::clamp(in.process.niceness() + adjustment, kLeast, kMost);
  if (wanted < in.process.niceness() && in.fs.credentials().uid != 0) {
    in.Fail("cannot set niceness: Permission denied");
    if (!in.err.status()) return kFailed;   // a command with a priority that nobody is told of is none to run
  } else {
    in.process.set_niceness(wanted);
  }
  in.out.Flush();
  auto status = in.launcher.Run(in.process, {.args = operands, .environment = &in.env});
  if (status) return *status;
  const Code code = status.error().code == Code::kIsDirectory ? Code::kAccess : status.error().code;
  in.Fail(Quote(operands[0], in.locale.is_utf8), Error(code));
  return code == Code::kNoEntry ? kMissing : kCannotRun;
}

}  // namespace

extern const Command kCommand_nice;
const Command kCommand_nice = Define<Options, Run>({
    .name = "nice",
    .summary = "run COMMAND with an adjusted niceness, which affects process scheduling",
    .synopsis = "[OPTION] [COMMAND [ARG]...]",
    .details = "With no COMMAND, print the current niceness.  Niceness values range from\n"
               "-20 (most favorable to the process) to 19 (least favorable to the process).\n",
    .options = kOptions,
    .rules = {.stop_at_operand = true, .numeric_shorthand = TakeOldForm},
    .usage_status = kFailed,
});

}  // namespace paddock
