// nproc - print the number of processing units available
//
// usage: nproc [OPTION]...
// OMP_NUM_THREADS and OMP_THREAD_LIMIT override the number, except with --all.
//
// Exit status: 0, or 1 for a usage error.
// Source: GNU coreutils 9.1.
// Differs: the units are those of the sandbox's /proc/cpuinfo.

#include "proc/command.h"
#include "text/numbers.h"
#include "text/quote.h"

namespace paddock {
namespace {

struct Options {
  bool all = false;
  std::optional<std::string> ignore;
};

constexpr Option kOptions[] = {
    Flag<&Options::all>(0, "all", "print the number of installed processors"),
    Value<&Options::ignore>(0, "ignore", "N", "if possible, exclude N processing units"),
};

uint64_t CountProcessors(Invocation& in) {
  const auto text = vfs::ReadFile(in.fs, "/proc/cpuinfo", 1 << 20);
  uint64_t count = 0;
  std::string_view rest = text ? std::string_view(*text) : std::string_view();
  while (!rest.empty()) {
    in.budget.Step();
    if (rest.starts_with("processor")) ++count;
    rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);
  }
  return std::max<uint64_t>(count, 1);
}

// The first number of a list, 0 if there is none that can be used.
uint64_t FirstOf(std::string_view list) {
  constexpr std::string_view kBlanks = " \t\n\v\f\r";
  while (!list.empty() && kBlanks.find(list.front()) != std::string_view::npos) list.remove_prefix(1);
  const size_t digits = std::min(list.find_first_not_of("0123456789"), list.size());
  if (digits == 0) return 0;
  std::string_view rest = list.substr(digits);
  while (!rest.empty() && kBlanks.find(rest.front()) != std::string_view::npos) rest.remove_prefix(1);
  if (!rest.empty() && rest.front() != ',') return 0;
  return ParseSize(list.substr(0, digits), "").value;
}

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  uint64_t ignored = 0;
  if (options.ignore) {
    const auto number = ParseCount(*options.ignore);
    if (!number) return in.Fail(NumberComplaint("invalid number", *options.ignore, number.error(), in.locale.is_utf8));
    ignored = *number;
  }
  if (!operands.empty()) return in.Usage("extra operand " + Quote(operands[0], in.locale.is_utf8));
  const uint64_t wanted = options.all ? 0 : FirstOf(in.env.Get("OMP_NUM_THREADS", ""));
  const uint64_t limit = options.all ? 0 : FirstOf(in.env.Get("OMP_THREAD_LIMIT", ""));
  uint64_t count = wanted != 0 ? wanted : CountProcessors(in);
  if (limit != 0) count = std::min(count, limit);
  in.out.WriteLine(std::to_string(ignored < count ? count - ignored : 1));
  return 0;
}

}  // namespace

extern const Command kCommand_nproc;
const Command kCommand_nproc = Define<Options, Run>({
    .name = "nproc",
    .summary = "print the number of processing units available to the current process",
    .synopsis = "[OPTION]...",
    .options = kOptions,
});

}  // namespace paddock
