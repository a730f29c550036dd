// csv - select, filter, sort, join and sum up comma-separated values
//
// usage: csv COMMAND [OPTION]... [FILE]...
//
// Commands: headers count select filter search head tail slice cat sort dedup join stats frequency tojson fromjson
// table; `csv COMMAND --help` tells about each. Without a file (or with -) standard input is read. Commands that need
// not see all records at once (select, filter, search, head, slice, cat, count, tojson, dedup) stream.
//
// Exit status: 0; 1 when something went wrong or `search` found nothing; 2 for wrong usage and for what is wrong in
// `search` and `filter`.
// Source: RFC 4180; names and habits of xsv.
// Differs: a command of our own; there is no tool of this name in Debian.
#include "commands/data/csv.h"

namespace paddock {
namespace {

using data::CsvCommand;
using data::CsvOptions;

constexpr ExitStatus kUsage = 2;

template <class F>
void ForEach(F visit) {
  for (const auto group : {data::CsvRowCommands(), data::CsvOrderCommands(), data::CsvSummaryCommands(), data::CsvJsonCommands()}) {
    for (const CsvCommand& command : group) visit(command);
  }
}

std::string CommandList() {
  std::string text = "\nCommands:\n";
  ForEach([&](const CsvCommand& command) {
    std::string name = command.name;
    name.resize(12, ' ');
    text += "  " + name + command.summary + "\n";
  });
  return text + "\n'csv COMMAND --help' tells about each.\n";
}

const CsvCommand* Find(const std::string& name) {
  const CsvCommand* found = nullptr;
  ForEach([&](const CsvCommand& command) {
    if (name == command.name) found = &command;
  });
  return found;
}

ExitStatus RunCommand(Invocation& in, const CsvCommand& command) {
  CsvOptions options;
  const std::string name = "csv " + std::string(command.name);
  const auto parsed = ParseOptions(in.args.subspan(1), command.options, &options, {});
  if (!parsed) {
    in.err.Write(name + ": " + std::string(parsed.error().Text()) + "\nTry '" + name + " --help' for more information.\n");
    return kUsage;
  }
  if (parsed->wants_help) {
    in.out.Write("Usage: " + name + " [OPTION]... " + command.synopsis + "\n" + command.summary + "\n\n" + OptionHelp(command.options) +
                 (*command.details == '\0' ? "" : "\n") + command.details);
    return 0;
  }
  for (const std::string& delimiter : {options.delimiter, options.out_delimiter}) {
    const bool is_name = delimiter == "\\t" || delimiter == "tab";
    if (!is_name && (delimiter.size() > 1 || delimiter == "\"" || delimiter == "\n" || delimiter == "\r")) {
      in.err.Write(name + ": a delimiter is one byte, and neither a quote nor a newline: '" + delimiter + "'\n");
      return kUsage;
    }
  }
  return command.run(in, options, parsed->operands);
}

ExitStatus Run(Invocation& in) {
  if (in.args.size() < 2) return in.Usage("missing command");
  const std::string& name = in.args[1];
  if (name == "--help" || name == "-h" || name == "help") {
    in.out.Write(HelpText(in.command, in.name()) + CommandList());
    return 0;
  }
  if (name == "--version") {
    in.out.Write(VersionText(in.command, in.name()));
    return 0;
  }
  const CsvCommand* command = Find(name);
  if (command == nullptr) return in.Usage("unknown command '" + name + "'");
  return RunCommand(in, *command);
}

}  // namespace

extern const Command kCommand_csv;
const Command kCommand_csv = {
    .name = "csv",
    .summary = "select, filter, sort, join and sum up comma-separated values",
    .synopsis = "COMMAND [OPTION]... [FILE]...",
    .usage_status = kUsage,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
