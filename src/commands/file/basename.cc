// basename - strip directory and suffix from filenames
//
// usage: basename NAME [SUFFIX]
//        basename OPTION... NAME...
//
// Exit status: 0, or 1 for bad usage.
// Source: POSIX basename, GNU coreutils 9.1.
// Differs: nothing known.

#include "proc/command.h"
#include "text/quote.h"

namespace paddock {
namespace {

struct Options {
  bool multiple = false;
  bool zero = false;
  std::optional<std::string> suffix;
};

constexpr Option kOptions[] = {
    Flag<&Options::multiple>('a', "multiple", "support multiple arguments and treat each as a NAME"),
    Value<&Options::suffix>('s', "suffix", "SUFFIX", "remove a trailing SUFFIX; implies -a"),
    Flag<&Options::zero>('z', "zero", "end each output line with NUL, not newline"),
};

ExitStatus Run(Invocation& in, const Options& options, std::vector<std::string> operands) {
  if (operands.empty()) return in.Usage("missing operand");
  std::string suffix = options.suffix.value_or("");
  if (!options.multiple && !options.suffix) {
    if (operands.size() > 2) return in.Usage("extra operand " + Quote(operands[2], in.locale.is_utf8));
    if (operands.size() == 2) {
      suffix = operands[1];
      operands.pop_back();
    }
  }
  for (const std::string& name : operands) {
    in.budget.Step();
    const std::string base = vfs::BaseName(name);
    std::string_view shown = base;
    if (base != "/" && shown.size() > suffix.size() && shown.ends_with(suffix)) shown.remove_suffix(suffix.size());
    in.out.Write(shown);
    in.out.Put(options.zero ? '\0' : '\n');
  }
  return 0;
}

}  // namespace

extern const Command kCommand_basename;
const Command kCommand_basename = Define<Options, Run>({
    .name = "basename",
    .summary = "print NAME with any leading directory components removed",
    .synopsis = "NAME [SUFFIX]\nOPTION... NAME...",
    .options = kOptions,
    .rules = {.stop_at_operand = true},
});

}  // namespace paddock
