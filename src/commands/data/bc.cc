// bc - an arbitrary precision calculator language
//
// usage: bc [OPTION]... [FILE]...
// Runs the files, then standard input.
//
// Exit status: 0; 1 for a file that is not there or a bad option.
// Source: POSIX bc, GNU bc 1.07.1.
// Differs: -i shows results at once, without a banner or an editor for lines; what is run after several syntax errors in a
// row may differ; runtime errors do not tell an address of code (adr=0); a number has at most about 1,260,000 digits; random()
// has a sequence of its own; functions may call each other about 10,000 deep; functions of -l are exact to the last digit, where
// GNU's may be off by one, and in s and c of large arguments by more.

#include <vector>

#include "commands/data/calculator_host.h"
#include "commands/input_files.h"
#include "lang/bc/bc.h"

namespace paddock {
namespace {

struct Options {
  bool help = false, interactive = false, math = false, quiet = false, standard = false, warns = false, version = false;
};
constexpr Option kOptions[] = {
    Flag<&Options::help>('h', nullptr, "display this help and exit"),
    Flag<&Options::interactive>('i', "interactive", "write what each line gives at once, as at a terminal"),
    Flag<&Options::math>('l', "mathlib", "define s c a l e j, and set scale to 20"),
    Flag<&Options::quiet>('q', "quiet", "write no banner (there is none)"),
    Flag<&Options::standard>('s', "standard", "refuse what POSIX does not have"),
    Flag<&Options::warns>('w', "warn", "warn of what POSIX does not have"),
    Flag<&Options::version>('v', nullptr, "output version information and exit"),
};

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  if (options.help) return in.out.Write(HelpText(in.command, in.name())), 0;
  if (options.version) return in.out.Write(VersionText(in.command, in.name())), 0;
  if (options.interactive) in.out.set_unbuffered(true);
  std::vector<bc::BcSource> files;
  CalculatorHost host(in);
  std::vector<std::string> names = operands;
  for (const std::string& name : names) {
    auto file = InputFile::OpenPath(in, name);
    if (!file || (file->file() != nullptr && file->file()->GetAttributes() && file->file()->GetAttributes()->is_directory())) {
      host.Complain("File " + name + " is unavailable.");
      return 1;
    }
    files.push_back({name, file->input().ReadAll()});
  }
  return bc::RunBc(files, {.has_math = options.math, .is_standard = options.standard, .warns = options.warns,
                           .line_width = options.standard ? 70 : LineWidth(in.env, "BC_LINE_LENGTH")}, host);
}

}  // namespace

extern const Command kCommand_bc;
const Command kCommand_bc = Define<Options, Run>({
    .name = "bc",
    .summary = "calculate with numbers of any precision",
    .synopsis = "[options] [file ...]",
    .details = "BC_LINE_LENGTH is the width at which long numbers are broken (default 70, 0: never).\n",
    .options = kOptions,
});

}  // namespace paddock
