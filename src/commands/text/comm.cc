// comm - compare two sorted files line by line
//
// usage: comm [OPTION]... FILE1 FILE2
// Writes lines only in FILE1, lines only in FILE2 and common lines in three columns.
//
// Exit status: 0, or 1 when a file could not be read or turned out not to be sorted.
// Source: POSIX comm; GNU coreutils 9.1. Lines compare by bytes.
// Differs: nothing known.

#include <array>

#include "commands/input_files.h"
#include "text/quote.h"

namespace paddock {
namespace {

enum class CheckOrder { kWhenUnpaired, kYes, kNo };

struct Options {
  bool hide_first = false;
  bool hide_second = false;
  bool hide_both = false;
  CheckOrder check_order = CheckOrder::kWhenUnpaired;
  std::vector<std::string> delimiters;
  bool total = false;
  bool zero = false;
};

constexpr Option kOptions[] = {
    Flag<&Options::hide_first>('1', nullptr, "suppress column 1 (lines unique to FILE1)"),
    Flag<&Options::hide_second>('2', nullptr, "suppress column 2 (lines unique to FILE2)"),
    Flag<&Options::hide_both>('3', nullptr, "suppress column 3 (lines that appear in both files)"),
    Set<&Options::check_order, CheckOrder::kYes>(0, "check-order",
                                                 "check that the input is correctly sorted, always"),
    Set<&Options::check_order, CheckOrder::kNo>(0, "nocheck-order",
                                                "do not check that the input is correctly sorted"),
    Value<&Options::delimiters>(0, "output-delimiter", "STR", "separate columns with STR"),
    Flag<&Options::total>(0, "total", "output a summary"),
    Flag<&Options::zero>('z', "zero-terminated", "line delimiter is NUL, not newline"),
};

// One side: its current line and the two before, to check their order late.
struct Side {
  explicit Side(InputFile opened) : file(std::move(opened)) {}
  InputFile file;
  std::optional<std::string> line;
  std::optional<std::string> previous;
  std::optional<std::string> before_previous;
  bool is_disordered = false;
};

class Comparer {
 public:
  Comparer(Invocation& in, const Options& options, std::array<Side, 2> sides)
      : in_(in), options_(options), sides_(std::move(sides)), line_end_(options.zero ? '\0' : '\n') {
    if (!options.delimiters.empty()) delimiter_ = options.delimiters[0];
    if (delimiter_.empty()) delimiter_.assign(1, '\0');
  }

  ExitStatus Run() {
    if (!Advance(0) || !Advance(1)) return 1;
    while ((sides_[0].line || sides_[1].line) && in_.out.status()) {
      const int order = !sides_[0].line   ? 1
                        : !sides_[1].line ? -1
                                          : sides_[0].line->compare(*sides_[1].line);
      Write(order);
      if (order <= 0 && !Advance(0)) return 1;
      if (order >= 0 && !Advance(1)) return 1;
    }
    if (options_.total) {
      const std::string_view delimiter = delimiter_ == std::string_view("\0", 1) ? std::string_view() : delimiter_;
      for (const uint64_t total : totals_) {
        in_.out.Write(std::to_string(total));
        in_.out.Write(delimiter);
      }
      in_.out.Write("total");
      in_.out.Put(line_end_);
    }
    if (sides_[0].is_disordered || sides_[1].is_disordered) return in_.Fail("input is not in sorted order");
    return 0;
  }

 private:
  void Write(int order) {
    if (order == 0) {
      ++totals_[2];
      if (options_.hide_both) return;
      if (!options_.hide_first) in_.out.Write(delimiter_);
      if (!options_.hide_second) in_.out.Write(delimiter_);
    } else {
      has_unpaired_ = true;
      ++totals_[order < 0 ? 0 : 1];
      if (order < 0 ? options_.hide_first : options_.hide_second) return;
      if (order > 0 && !options_.hide_first) in_.out.Write(delimiter_);
    }
    in_.out.Write(*sides_[order < 0 ? 0 : 1].line);
    in_.out.Put(line_end_);
  }

  // Reads the next line of one side; false when that or its order is fatal.
  bool Advance(size_t index) {
    Side& side = sides_[index];
    std::swap(side.before_previous, side.previous);
    std::swap(side.previous, side.line);
    const auto line = side.file.input().ReadLine(line_end_);
    if (!line) {
      side.line.reset();
      if (const Status& status = side.file.input().status(); !status) {
        ReportFile(in_, side.file.name(), status.error());
        return false;
      }
      return !side.before_previous || !side.previous ||
             Check(index, *side.before_previous, *side.previous);
    }
    if (!side.line) side.line.emplace();
    side.line->assign(line->text);
    return !side.previous || Check(index, *side.previous, *side.line);
  }

  bool Check(size_t index, const std::string& before, const std::string& after) {
    Side& side = sides_[index];
    if (options_.check_order == CheckOrder::kNo || side.is_disordered) return true;
    if (options_.check_order == CheckOrder::kWhenUnpaired && !has_unpaired_) return true;
    if (before <= after) return true;
    in_.Fail("file " + std::to_string(index + 1) + " is not in sorted order");
    side.is_disordered = true;
    return options_.check_order != CheckOrder::kYes;
  }

  Invocation& in_;
  const Options& options_;
  std::array<Side, 2> sides_;
  const char line_end_;
  std::string delimiter_ = "\t";
  bool has_unpaired_ = false;
  std::array<uint64_t, 3> totals_{};
};

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  const bool is_utf8 = in.locale.is_utf8;
  for (const std::string& delimiter : options.delimiters) {
    if (delimiter != options.delimiters[0]) return in.Fail("multiple output delimiters specified");
  }
  if (operands.empty()) return in.Usage("missing operand");
  if (operands.size() == 1) return in.Usage("missing operand after " + Quote(operands[0], is_utf8));
  if (operands.size() > 2) return in.Usage("extra operand " + Quote(operands[2], is_utf8));
  auto first = InputFile::Open(in, operands[0]);
  if (!first) {
    ReportFile(in, operands[0], first.error());
    return 1;
  }
  auto second = InputFile::Open(in, operands[1]);
  if (!second) {
    ReportFile(in, operands[1], second.error());
    return 1;
  }
  return Comparer(in, options, {Side(std::move(*first)), Side(std::move(*second))}).Run();
}

}  // namespace

extern const Command kCommand_comm;
const Command kCommand_comm = Define<Options, Run>({
    .name = "comm",
    .summary = "compare two sorted files line by line",
    .synopsis = "[OPTION]... FILE1 FILE2",
    .details = "\nWith no options, produce three-column output.  Column one contains\n"
               "lines unique to FILE1, column two contains lines unique to FILE2,\n"
               "and column three contains lines common to both files.\n",
    .options = kOptions,
});

}  // namespace paddock
