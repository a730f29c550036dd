// paste - merge lines of files
//
// usage: paste [OPTION]... [FILE]...
// Writes lines made of the corresponding lines of each FILE, or (-s) one line a FILE.
//
// Exit status: 0, or 1 when a file could not be read.
// Source: POSIX paste; GNU coreutils 9.1, where delimiters are bytes.
// Differs: nothing known.

#include "commands/closed_input.h"
#include "commands/input_files.h"
#include "text/quote.h"

namespace paddock {
namespace {

struct Options {
  std::string delimiters = "\t";
  bool serial = false;
  bool zero = false;
};

constexpr Option kOptions[] = {
    Value<&Options::delimiters>('d', "delimiters", "LIST", "reuse characters from LIST instead of TABs"),
    Flag<&Options::serial>('s', "serial", "paste one file at a time instead of in parallel"),
    Flag<&Options::zero>('z', "zero-terminated", "line delimiter is NUL, not newline"),
};

// Each delimiter is a string of one byte, or of none for "\0".
Result<std::vector<std::string>> ParseDelimiters(std::string_view list) {
  constexpr std::string_view kLetters = "bfnrtv";
  constexpr std::string_view kValues = "\b\f\n\r\t\v";
  std::vector<std::string> delimiters;
  for (size_t i = 0; i < list.size(); ++i) {
    if (list[i] != '\\') {
      delimiters.emplace_back(1, list[i]);
      continue;
    }
    if (++i == list.size()) {
      return Error(Code::kInvalid, "delimiter list ends with an unescaped backslash: " + std::string(list));
    }
    const size_t letter = kLetters.find(list[i]);
    if (list[i] == '0') delimiters.emplace_back();
    else delimiters.emplace_back(1, letter == std::string_view::npos ? list[i] : kValues[letter]);
  }
  if (delimiters.empty()) delimiters.emplace_back();
  return delimiters;
}

struct Rules {
  std::vector<std::string> delimiters;
  char line_end = '\n';
};

// One output line a file.
ExitStatus PasteSerial(Invocation& in, const std::vector<std::string>& names, const Rules& rules) {
  return ForEachInput(in, names, [&](InputFile& file) {
    size_t next = 0;
    bool is_first = true;
    while (const auto line = file.input().ReadLine(rules.line_end)) {
      if (!is_first) {
        in.out.Write(rules.delimiters[next]);
        next = (next + 1) % rules.delimiters.size();
      }
      is_first = false;
      in.out.Write(line->text);
      if (!in.out.status()) return true;
    }
    in.out.Put(rules.line_end);
    return true;
  });
}

ExitStatus PasteParallel(Invocation& in, const std::vector<std::string>& names, const Rules& rules) {
  struct Source {
    InputFile file;
    bool is_at_end = false;
  };
  std::vector<Source> sources;
  ExitStatus status = 0;
  for (const std::string& name : names) {
    auto file = InputFile::Open(in, name);
    if (!file) {
      ReportFile(in, name, file.error());
      return 1;
    }
    sources.push_back({std::move(*file)});
  }
  std::string pending;   // delimiters that are written only if more comes on this line
  while (in.out.status()) {
    bool has_line = false;
    pending.clear();
    for (size_t i = 0; i < sources.size(); ++i) {
      Source& source = sources[i];
      if (i > 0) pending += rules.delimiters[(i - 1) % rules.delimiters.size()];
      if (source.is_at_end) continue;
      const auto line = source.file.input().ReadLine(rules.line_end);
      if (!line) {
        source.is_at_end = true;
        if (const Status& read = source.file.input().status(); !read) {
          ReportFile(in, source.file.name(), read.error());
          status = 1;
        }
        continue;
      }
      has_line = true;
      in.out.Write(pending);
      pending.clear();
      in.out.Write(line->text);
    }
    if (!has_line) break;
    in.out.Write(pending);
    in.out.Put(rules.line_end);
  }
  return status;
}

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  auto delimiters = ParseDelimiters(options.delimiters);
  if (!delimiters) return in.Fail(delimiters.error().Text());
  const Rules rules{std::move(*delimiters), options.zero ? '\0' : '\n'};
  std::vector<std::string> names = operands;
  if (names.empty()) names.push_back("-");
  const ExitStatus status = options.serial ? PasteSerial(in, names, rules) : PasteParallel(in, names, rules);
  return CloseStandardInput(in, names, status);
}

}  // namespace

extern const Command kCommand_paste;
const Command kCommand_paste = Define<Options, Run>({
    .name = "paste",
    .summary = "merge lines of files",
    .synopsis = "[OPTION]... [FILE]...",
    .options = kOptions,
});

}  // namespace paddock
