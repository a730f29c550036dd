// colrm - filter out the specified columns
//
// usage: colrm [startcol [endcol]]
// Removes columns from each line of standard input. A tab is the blanks up to the next multiple of 8, a backspace goes back.
//
// Exit status: 0, or 1 for a bad number.
// Source: util-linux 2.38.
// Differs: nothing known.

#include "proc/command.h"
#include "proc/option_complaint.h"
#include "text/utf8.h"

namespace paddock {
namespace {

struct Options {
  bool wants_help = false;
  bool wants_version = false;
};

constexpr Option kOptions[] = {
    Flag<&Options::wants_help>('h', "help", "display this help"),
    Flag<&Options::wants_version>('V', "version", "display version"),
};

// Nothing after a complaint.
std::optional<uint64_t> Number(Invocation& in, const std::string& text, const char* which) {
  const std::string start = std::string(which) + " argument: '" + text + "'";
  uint64_t value = 0;
  const bool is_number = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  if (!is_number) {
    in.Fail(start);
    return std::nullopt;
  }
  for (const char c : text) {
    const auto digit = static_cast<uint64_t>(c - '0');
    if (value > (std::numeric_limits<uint64_t>::max() - digit) / 10) {
      in.Fail(start + ": Numerical result out of range");
      return std::nullopt;
    }
    value = value * 10 + digit;
  }
  return value;
}

// Removes columns from one line. Blanks stand in for the part of a wide character that stays.
class Line {
 public:
  Line(Invocation& in, std::string_view text) : in_(in), rest_(text) {}

  void Write(uint64_t first, uint64_t last) {
    uint64_t before = 0;
    while (true) {
      before = column_;
      if (!Next()) return;
      if (first != 0 && column_ >= first) break;
      in_.out.Write(bytes_);
    }
    for (uint64_t i = before + 1; i < first; ++i) in_.out.Put(' ');
    while (last == 0 || column_ < last) {
      if (!Next()) return;
    }
    if (rest_.empty()) return;
    for (uint64_t i = last; i < column_; ++i) in_.out.Put(' ');
    in_.out.Write(rest_);
  }

 private:
  // Takes a character and moves on by its width.
  bool Next() {
    in_.budget.Step();
    if (rest_.empty()) return false;
    const DecodedChar c = in_.locale.is_utf8 ? DecodeUtf8(rest_) : DecodedChar{static_cast<unsigned char>(rest_[0]), 1, true};
    bytes_ = rest_.substr(0, c.length);
    rest_.remove_prefix(c.length);
    if (c.code == '\b') {
      column_ -= column_ > 0 ? 1 : 0;
    } else if (c.code == '\t') {
      column_ = (column_ + 8) / 8 * 8;
    } else {
      const int width = in_.locale.is_utf8 && c.is_valid ? CharWidth(c.code) : 1;
      column_ += width > 0 ? static_cast<uint64_t>(width) : 0;
    }
    return true;
  }

  Invocation& in_;
  std::string_view rest_, bytes_;
  uint64_t column_ = 0;
};

ExitStatus Run(Invocation& in) {
  Options options;
  ExitStatus status = 0;
  auto operands = PrepareWithLetters(in, options, &status);
  if (!operands) return status;
  uint64_t first = 0, last = 0;
  if (!operands->empty()) {
    const auto number = Number(in, (*operands)[0], "first");
    if (!number) return 1;
    first = *number;
  }
  if (operands->size() > 1) {
    const auto number = Number(in, (*operands)[1], "second");
    if (!number) return 1;
    last = *number;
  }
  while (const auto line = in.in.ReadLine()) {
    Line(in, line->text).Write(first, last);
    if (line->is_terminated) in.out.Put('\n');
    if (!in.out.status()) break;
  }
  return 0;
}

}  // namespace

extern const Command kCommand_colrm;
const Command kCommand_colrm = {
    .name = "colrm",
    .summary = "filter out the specified columns",
    .synopsis = "[startcol [endcol]]",
    .options = kOptions,
    .cuts_own_name = true,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
