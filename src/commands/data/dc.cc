// dc - an arbitrary precision reverse polish calculator
//
// usage: dc [OPTION]... [FILE]...
// Runs the expressions and files in their order; standard input when there are none.
//
// Exit status: 0; 1 for a bad option or a program that ended with q.
// Source: GNU dc 1.4.1.
// Differs: a number has at most about 1,260,000 digits; Q may leave out its complaint where strings end in calls of others.

#include <vector>

#include "commands/data/calculator_host.h"
#include "commands/input_files.h"
#include "lang/bc/dc.h"

namespace paddock {
namespace {

struct Piece {
  bool is_file;
  std::string text;
};
struct Options {
  std::vector<Piece> pieces;
  bool help = false, version = false;
};
Status AddExpression(Options& o, std::string_view text) { return o.pieces.push_back({false, std::string(text)}), Status(); }
Status AddFile(Options& o, std::string_view path) { return o.pieces.push_back({true, std::string(path)}), Status(); }
constexpr Option kOptions[] = {
    Call<AddExpression>('e', "expression", "EXPR", "run the commands EXPR"),
    Call<AddFile>('f', "file", "FILE", "run the commands in FILE"),
    Flag<&Options::help>('h', nullptr, "display this help and exit"),
    Flag<&Options::version>('V', nullptr, "output version information and exit"),
};

ExitStatus Run(Invocation& in, Options& options, const std::vector<std::string>& operands) {
  if (options.help) return in.out.Write(HelpText(in.command, in.name())), 0;
  if (options.version) return in.out.Write(VersionText(in.command, in.name())), 0;
  for (const std::string& name : operands) options.pieces.push_back({true, name});
  CalculatorHost host(in);
  bc::Dc dc(host, LineWidth(in.env, "DC_LINE_LENGTH"));
  const auto run_input = [&] { return dc.Run([&host] { return host.ReadByte(); }); };
  if (options.pieces.empty()) return run_input() ? 0 : 1;
  for (const Piece& piece : options.pieces) {
    bool goes_on = true;
    if (!piece.is_file) {
      goes_on = dc.RunText(piece.text);
    } else if (piece.text == "-") {
      goes_on = run_input();
    } else if (auto file = InputFile::OpenPath(in, piece.text)) {
      goes_on = dc.RunText(file->input().ReadAll());
    } else {
      in.Fail("Could not open file " + piece.text);
    }
    if (!goes_on) return 1;
  }
  return 0;
}

}  // namespace

extern const Command kCommand_dc;
const Command kCommand_dc = Define<Options, Run>({
    .name = "dc",
    .summary = "calculate with numbers of any precision, in reverse polish notation",
    .synopsis = "[OPTION]... [FILE]...",
    .details = "DC_LINE_LENGTH is the width at which long numbers are broken (default 70, 0: never).\n",
    .options = kOptions,
    .cuts_own_name = true,
});

}  // namespace paddock
