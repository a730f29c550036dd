// isutf8 - check whether files are valid UTF-8
//
// usage: isutf8 [OPTION]... [FILE]...
// Tells the first malformed sequence of each FILE: its line, the character in that line, the byte in the file.
//
// Exit status: 0 when all are valid, else 1.
// Source: moreutils 0.67; the Unicode Standard, table 3-7.
// Differs: nothing known.

#include <cstdio>

#include "commands/input_files.h"
#include "proc/command.h"
#include "proc/option_complaint.h"

namespace paddock {
namespace {

struct Options {
  bool quiet = false, list = false, invert = false, verbose = false, wants_help = false;
};
constexpr Option kOptions[] = {
    Flag<&Options::wants_help>('h', "help", "display this help text and exit"),
    Flag<&Options::quiet>('q', "quiet", "suppress all normal output"),
    Flag<&Options::list>('l', "list", "print only names of FILEs containing invalid UTF-8"),
    Flag<&Options::invert>('i', "invert", "list valid UTF-8 files instead of invalid ones"),
    Flag<&Options::verbose>('v', "verbose", "print detailed error (multiple lines)"),
};

// One row of table 3-7: sequences that begin with first…last, and what is said when a later byte is wrong.
struct Row {
  unsigned char first, last;
  unsigned char low, high;         // of the second byte
  size_t length;
  const char* too_short;
  const char* wrong[3];            // second, third, fourth byte
};
constexpr const char kThreeAfterF0[] = "After a first byte of F0, expecting three following bytes.";
constexpr Row kRows[] = {
    {0xC2, 0xDF, 0x80, 0xBF, 2, "After a first byte between C2 and DF, expecting a 2nd byte.",
     {"After a first byte between C2 and DF, expecting a 2nd byte between 80 and BF", nullptr, nullptr}},
    {0xE0, 0xE0, 0xA0, 0xBF, 3, "After a first byte of E0, expecting two following bytes.",
     {"After a first byte of E0, expecting a 2nd byte between A0 and BF.", "After a first byte of E0, expecting a 3nd byte between 80 and BF.", nullptr}},
    {0xE1, 0xEC, 0x80, 0xBF, 3, "After a first byte between E1 and EC, expecting two following bytes.",
     {"After a first byte between E1 and EC, expecting the 2nd byte between 80 and BF.",
      "After a first byte between E1 and EC, expecting the 3rd byte between 80 and BF.", nullptr}},
    {0xED, 0xED, 0x80, 0x9F, 3, "After a first byte of ED, expecting two following bytes.",
     {"After a first byte of ED, expecting 2nd byte between 80 and 9F.", "After a first byte of ED, expecting 3rd byte between 80 and BF.", nullptr}},
    {0xEE, 0xEF, 0x80, 0xBF, 3, "After a first byte between EE and EF, two following bytes.",
     {"After a first byte between EE and EF, expecting 2nd byte between 80 and BF.",
      "After a first byte between EE and EF, expecting 3rd byte between 80 and BF.", nullptr}},
    {0xF0, 0xF0, 0x90, 0xBF, 4, kThreeAfterF0,
     {"After a first byte of F0, expecting 2nd byte between 90 and BF.", "After a first byte of F0, expecting 3rd byte between 80 and BF.",
      "After a first byte of F0, expecting 4th byte between 80 and BF."}},
    {0xF1, 0xF3, 0x80, 0xBF, 4, "After a first byte of F1, F2, or F3, expecting three following bytes.",
     {"After a first byte of F1, F2, or F3, expecting a 2nd byte between 80 and BF.",
      "After a first byte of F1, F2, or F3, expecting a 3rd byte between 80 and BF.",
      "After a first byte of F1, F2, or F3, expecting a 4th byte between 80 and BF."}},
    {0xF4, 0xF4, 0x80, 0x8F, 4, "After a first byte of F4, expecting three following bytes.",
     {"After a first byte of F4, expecting 2nd byte between 80 and 8F.", "After a first byte of F4, expecting 3rd byte between 80 and BF.",
      "After a first byte of F4, expecting 4th byte between 80 and BF."}},
};

struct Fault {
  const char* message = nullptr;   // null: there is none
  size_t length = 1;               // bytes to point at
};

// Judges the sequence at the front of `text`, which holds four bytes unless the input ends; its length goes to `length`.
Fault Judge(std::string_view text, size_t& length) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  length = 1;
  if (byte(0) < 0x80) return {};
  for (const Row& row : kRows) {
    if (byte(0) < row.first || byte(0) > row.last) continue;
    length = row.length;
    if (text.size() < row.length) return {row.too_short, 1};
    for (size_t i = 1; i < row.length; ++i) {
      const unsigned char low = i == 1 ? row.low : 0x80, high = i == 1 ? row.high : 0xBF;
      if (byte(i) < low || byte(i) > high) return {row.wrong[i - 1], i + 1};
    }
    return {};
  }
  return {"Expecting bytes in the following ranges: 00..7F C2..F4.", 1};
}

class Checker {
 public:
  Checker(Invocation& in, const Options& options) : in_(in), o_(options) {}

  bool Check(Input& input, std::string_view name) {
    const bool is_valid = Scan(input, name);
    if (!o_.quiet && is_valid == o_.invert && (o_.list || o_.invert)) in_.out.WriteLine(name);
    return is_valid;
  }

 private:
  bool Scan(Input& input, std::string_view name) {
    uint64_t line = 1, character = 1, offset = 0;
    std::string before;   // the last bytes that were good
    std::string window;   // what is not judged yet
    while (true) {
      in_.budget.Step();
      const std::string_view more = input.Peek();
      window += more;
      input.Consume(more.size());
      const bool is_end = more.empty();
      size_t at = 0;
      while (at < window.size() && (is_end || window.size() - at >= 4)) {
        const std::string_view rest = std::string_view(window).substr(at, 4);
        size_t length = 0;
        const Fault fault = Judge(rest, length);
        if (fault.message != nullptr) {
          while (window.size() - at < kRowBytes && !input.Peek().empty()) {
            window += input.Peek().substr(0, kRowBytes);
            input.Consume(std::min(input.Peek().size(), kRowBytes));
          }
          before.append(window, 0, at);
          if (!o_.quiet && !o_.list && !o_.invert) Report(name, line, character, offset, fault, before, std::string_view(window).substr(at));
          return false;
        }
        if (rest[0] == '\n') ++line, character = 1;
        else character += length;
        offset += length;
        at += length;
      }
      before.append(window, 0, at);
      if (before.size() > kRowBytes) before.erase(0, before.size() - kRowBytes);
      window.erase(0, at);
      in_.budget.Step(static_cast<int64_t>(at / 32));
      if (is_end) return true;
    }
  }

  void Report(std::string_view name, uint64_t line, uint64_t character, uint64_t offset, const Fault& fault, std::string_view before,
              std::string_view after) {
    in_.out.Write(std::string(name) + ": line " + std::to_string(line) + ", char " + std::to_string(character) + ", byte " + std::to_string(offset) + ": " +
                  fault.message + "\n");
    if (!o_.verbose) return;
    // Sixteen bytes, at most eight of them before the fault.
    const std::string_view head = before.substr(before.size() - std::min<size_t>(before.size(), 8));
    const std::string shown = std::string(head) + std::string(after.substr(0, kRowBytes - head.size()));
    std::string bytes, marks, text, text_marks;
    for (size_t i = 0; i < kRowBytes; ++i) {
      const bool is_marked = i >= head.size() && i < head.size() + fault.length;
      char digits[4] = "   ";
      if (i < shown.size()) std::snprintf(digits, sizeof digits, "%02X ", static_cast<unsigned>(static_cast<unsigned char>(shown[i])));
      bytes += digits;
      const bool is_last = i + 1 == head.size() + fault.length;
      marks += is_marked ? is_last ? "^^ " : "^^^" : "   ";
      if (i < shown.size()) text += shown[i] >= ' ' && shown[i] < 0x7F ? shown[i] : '.';
      if (i < head.size() + fault.length) text_marks += is_marked ? '^' : ' ';
    }
    in_.out.Write(bytes + " | " + text + "\n" + marks + " | " + text_marks + "\n\n");
  }

  static constexpr size_t kRowBytes = 16;
  Invocation& in_;
  const Options& o_;
};

ExitStatus Run(Invocation& in) {
  Options options;
  const auto parsed = ParseOptions(in.args, kOptions, &options);
  if (!parsed || options.wants_help) {
    if (!parsed) ComplainOfOption(in, parsed.error().Text());
    (parsed ? in.out : in.err).Write("Usage: isutf8 [OPTION]... [FILE]...\nCheck whether input files are valid UTF-8.\n\n" + OptionHelp(kOptions) + "\nThis is version 1.2.\n");
    return parsed ? 0 : 1;
  }
  if (parsed->wants_version) return in.out.Write(VersionText(in.command, in.name())), 0;
  Checker checker(in, options);
  ExitStatus status = 0;
  if (parsed->operands.empty()) return checker.Check(in.in, "(standard input)") ? 0 : 1;
  for (const std::string& name : parsed->operands) {
    auto file = InputFile::OpenPath(in, name);
    if (!file) {
      in.out.Flush();
      in.err.Write("open: " + std::string(file.error().Text()) + "\n");
      status = 1;
      continue;
    }
    if (!checker.Check(file->input(), name)) status = 1;
  }
  return status;
}

}  // namespace

extern const Command kCommand_isutf8;
const Command kCommand_isutf8 = {
    .name = "isutf8",
    .summary = "check whether files are valid UTF-8",
    .synopsis = "[OPTION]... [FILE]...",
    .options = kOptions,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
