// fold - wrap each input line to fit in specified width
//
// usage: fold [OPTION]... [FILE]...
// Breaks lines that are longer than WIDTH (80) columns; TAB, backspace and carriage return move as usual.
//
// Exit status: 0, or 1 when a file could not be read.
// Source: POSIX fold; GNU coreutils 9.1, where a character is a byte, with the old form -WIDTH.
// Differs: nothing known.

#include "commands/closed_input.h"
#include "commands/input_files.h"
#include "text/numbers.h"
#include "text/quote.h"

namespace paddock {
namespace {

struct Options {
  bool counts_bytes = false;
  bool breaks_at_spaces = false;
  std::string width = "80";
};

constexpr Option kOptions[] = {
    Flag<&Options::counts_bytes>('b', "bytes", "count bytes rather than columns"),
    Flag<&Options::breaks_at_spaces>('s', "spaces", "break at spaces"),
    Value<&Options::width>('w', "width", "WIDTH", "use WIDTH columns instead of 80"),
};

bool TakeWidth(void* options, std::string_view argument) {
  if (argument[0] != '-' || argument.find_first_not_of("0123456789", 1) != std::string_view::npos) return false;
  static_cast<Options*>(options)->width = argument.substr(1);
  return true;
}

class Folder {
 public:
  Folder(Output& out, const Options& options, uint64_t width) : out_(out), options_(options), width_(width) {}

  void Feed(std::string_view bytes) {
    for (const char c : bytes) {
      if (c == '\n') {
        out_.Write(line_);
        out_.Put('\n');
        line_.clear();
        column_ = 0;
      } else {
        Add(c);
      }
    }
  }
  // The end of a file: what is left is written without a newline.
  void End() {
    out_.Write(line_);
    line_.clear();
    column_ = 0;
  }

 private:
  uint64_t Moved(uint64_t column, char c) const {
    if (options_.counts_bytes) return column + 1;
    if (c == '\b') return column > 0 ? column - 1 : 0;
    if (c == '\r') return 0;
    if (c == '\t') return column + 8 - column % 8;
    return column + 1;
  }

  void Add(char c) {
    while (true) {
      const uint64_t column = Moved(column_, c);
      if (column <= width_) {
        column_ = column;
        break;
      }
      const size_t space = options_.breaks_at_spaces ? line_.find_last_of(" \t") : std::string::npos;
      if (space != std::string::npos) {
        out_.Write(std::string_view(line_).substr(0, space + 1));
        out_.Put('\n');
        line_.erase(0, space + 1);
        column_ = 0;
        for (const char kept : line_) column_ = Moved(column_, kept);
        continue;
      }
      if (line_.empty()) {
        column_ = column;
        break;
      }
      out_.Write(line_);
      out_.Put('\n');
      line_.clear();
      column_ = 0;
    }
    line_ += c;
  }

  Output& out_;
  const Options& options_;
  const uint64_t width_;
  std::string line_;
  uint64_t column_ = 0;
};

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  constexpr uint64_t kWidest = std::numeric_limits<uint64_t>::max() - 8 - 1;
  auto width = ParseSizeBetween(options.width, 1, kWidest, "");
  if (!width) {
    return in.Fail(NumberComplaint("invalid number of columns", options.width, width.error(), in.locale.is_utf8));
  }
  Folder folder(in.out, options, *width);
  const ExitStatus status = ForEachInput(in, operands, [&](InputFile& file) {
    Input& input = file.input();
    for (std::string_view bytes = input.Peek(); !bytes.empty(); bytes = input.Peek()) {
      folder.Feed(bytes);
      input.Consume(bytes.size());
      in.budget.Step(static_cast<int64_t>(bytes.size() / 32));
      if (!in.out.status()) break;
    }
    folder.End();
    return true;
  });
  return CloseStandardInput(in, operands, status);
}

}  // namespace

extern const Command kCommand_fold;
const Command kCommand_fold = Define<Options, Run>({
    .name = "fold",
    .summary = "wrap each input line to fit in specified width",
    .synopsis = "[OPTION]... [FILE]...",
    .options = kOptions,
    .rules = {.numeric_shorthand = TakeWidth},
});

}  // namespace paddock
