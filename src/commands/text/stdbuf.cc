// stdbuf - run a command with other buffering of its standard streams
//
// usage: stdbuf OPTION... COMMAND [ARG]...
//
// Exit status: the command's; 125 if stdbuf itself fails, 126 if the command cannot run, 127 if it is missing.
// Source: GNU coreutils 9.1.
// Differs: modes are checked, and COMMAND gets them as _STDBUF_I, _STDBUF_O and _STDBUF_E, but buffering does not change: commands
// of a sandbox write what they have when they wait and when they end.

#include <array>

#include "proc/command.h"
#include "text/numbers.h"
#include "text/quote.h"

namespace paddock {
namespace {

constexpr ExitStatus kFailed = 125;
constexpr ExitStatus kCannotRun = 126;
constexpr ExitStatus kMissing = 127;

struct Options {
  std::vector<std::string> modes;   // with the stream's letter first
};

template <char kStream>
Status AddMode(Options& options, std::string_view mode) {
  options.modes.push_back(kStream + std::string(mode));
  return {};
}

constexpr Option kOptions[] = {
    Call<AddMode<'I'>>('i', "input", "MODE", "adjust standard input stream buffering"),
    Call<AddMode<'O'>>('o', "output", "MODE", "adjust standard output stream buffering"),
    Call<AddMode<'E'>>('e', "error", "MODE", "adjust standard error stream buffering"),
};

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  const bool is_utf8 = in.locale.is_utf8;
  Environment environment = in.env;
  for (const std::string& entry : options.modes) {
    std::string mode = entry.substr(1);
    while (!mode.empty() && (mode[0] == ' ' || (mode[0] >= '\t' && mode[0] <= '\r'))) mode.erase(0, 1);
    if (mode == "L") {
      if (entry[0] == 'I') return in.Usage("line buffering stdin is meaningless");
    } else {
      const auto size = ParseSizeBetween(mode, 0, std::numeric_limits<uint64_t>::max(), "EGkKMPTYZ0");
      if (!size) {
        const bool is_wide = size.error().code == Code::kOverflow;
        return in.Fail("invalid mode " + Quote(mode, is_utf8) + (is_wide ? ": " + std::string(size.error().Text()) : ""), kFailed);
      }
      mode = std::to_string(*size);
    }
    environment.Set(std::string("_STDBUF_") + entry[0], mode);
  }
  if (operands.empty()) return in.Usage("missing operand");
  if (options.modes.empty()) return in.Usage("you must specify a buffering mode option");
  in.out.Flush();
  ChildSpec spec;
  spec.args = operands;
  spec.environment = &environment;
  const auto status = in.launcher.Run(in.process, spec);
  if (status) return *status;
  const Code code = status.error().code == Code::kIsDirectory ? Code::kAccess : status.error().code;
  in.Fail("failed to run command " + Quote(operands[0], is_utf8), Error(code));
  return code == Code::kNoEntry ? kMissing : kCannotRun;
}

}  // namespace

extern const Command kCommand_stdbuf;
const Command kCommand_stdbuf = Define<Options, Run>({
    .name = "stdbuf",
    .summary = "run COMMAND, with modified buffering operations for its standard streams",
    .synopsis = "OPTION... COMMAND",
    .details = "\nMODE is 'L' (by lines, not for standard input), '0' (no buffering) or a size, which may have a\n"
               "suffix: KB 1000, K and KiB 1024, and so on for M, G, T, P, E, Z, Y.\n",
    .options = kOptions,
    .rules = {.stop_at_operand = true},
    .usage_status = kFailed,
});

}  // namespace paddock
