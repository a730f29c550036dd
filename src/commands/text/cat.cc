// cat - concatenate files and print on the standard output
//
// usage: cat [OPTION]... [FILE]...
// Writes each FILE ("-" and no FILE: standard input), optionally numbered, squeezed or with what cannot be
// seen made visible.
//
// Exit status: 0, or 1 when a file could not be read.
// Source: POSIX cat; GNU coreutils 9.1.
// Differs: nothing known.

#include <bit>
#include <cstdint>
#include <cstring>

#include "commands/closed_input.h"
#include "commands/input_files.h"
#include "proc/process.h"
#include "text/quote.h"

namespace paddock {
namespace {

struct Options {
  bool number = false;
  bool number_nonblank = false;
  bool squeeze = false;
  bool show_ends = false;
  bool show_tabs = false;
  bool show_nonprinting = false;
  bool unbuffered = false;
};

template <bool kEnds, bool kTabs>
Status Show(Options& options, std::string_view) {
  options.show_nonprinting = true;
  options.show_ends |= kEnds;
  options.show_tabs |= kTabs;
  return {};
}

constexpr Option kOptions[] = {
    Flag<&Options::number_nonblank>('b', "number-nonblank", "number nonempty output lines, overrides -n"),
    Flag<&Options::number>('n', "number", "number all output lines"),
    Flag<&Options::squeeze>('s', "squeeze-blank", "suppress repeated empty output lines"),
    Flag<&Options::show_nonprinting>('v', "show-nonprinting",
                                     "use ^ and M- notation, except for LFD and TAB"),
    Flag<&Options::show_ends>('E', "show-ends", "display $ at end of each line"),
    Flag<&Options::show_tabs>('T', "show-tabs", "display TAB characters as ^I"),
    Call<Show<true, true>>('A', "show-all", nullptr, "equivalent to -vET"),
    Call<Show<true, false>>('e', nullptr, nullptr, "equivalent to -vE"),
    Call<Show<false, true>>('t', nullptr, nullptr, "equivalent to -vT"),
    Flag<&Options::unbuffered>('u', nullptr, "(ignored)"),
};

// How each byte but the newline is shown; empty: as it is.
class ByteForms {
 public:
  explicit ByteForms(const Options& options) {
    for (int i = 0; i < 256; ++i) {
      const auto c = static_cast<unsigned char>(i);
      if (c == '\t') {
        if (options.show_tabs) Set(c, "^I");
      } else if (options.show_nonprinting && c != '\n') {
        const char low = static_cast<char>(c & 0x7f);
        std::string form = c >= 0x80 ? "M-" : "";
        if (low < 0x20) form += {'^', static_cast<char>(low + 64)};
        else if (low == 0x7f) form += "^?";
        else form += low;
        if (form.size() > 1) Set(c, form);
      }
    }
  }
  bool is_trivial() const { return is_trivial_; }
  // True when all but printable ASCII has a form, newlines apart.
  bool shows_all() const { return has_form_['\t'] && has_form_[0x80]; }
  std::string_view Of(char c) const { return forms_[static_cast<unsigned char>(c)]; }
  // How many bytes at the beginning are shown as they are.
  size_t CountPlain(std::string_view text) const {
    size_t count = 0;
    while (count < text.size() && !has_form_[static_cast<unsigned char>(text[count])]) ++count;
    return count;
  }
  // The same where shows_all(), and up to a newline.
  static size_t CountPrintable(std::string_view text) {
    size_t count = 0;
    for (; text.size() - count >= sizeof(uint64_t); count += sizeof(uint64_t)) {
      uint64_t word;
      std::memcpy(&word, text.data() + count, sizeof word);
      if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
      // The lowest bit that is set is that of the first byte which is not printable; those above may be wrong.
      constexpr uint64_t kOnes = 0x0101010101010101, kHighs = 0x8080808080808080;
      const uint64_t deletes = word ^ (kOnes * 0x7f);
      const uint64_t others = (((word - kOnes * 0x20) & ~word) | word | ((deletes - kOnes) & ~deletes)) & kHighs;
      if (others != 0) return count + static_cast<size_t>(std::countr_zero(others)) / 8;
    }
    while (count < text.size() && text[count] >= ' ' && text[count] < 0x7f) ++count;
    return count;
  }

 private:
  void Set(unsigned char c, std::string form) {
    forms_[c] = std::move(form);
    has_form_[c] = true;
    is_trivial_ = false;
  }
  std::string forms_[256];
  bool has_form_[256] = {};
  bool is_trivial_ = true;
};

// The formatting of lines; its state runs on from one file to the next.
class Formatter {
 public:
  Formatter(Invocation& in, const Options& options) : in_(in), options_(options), forms_(options) {}

  void Feed(std::string_view bytes) {
    if (forms_.shows_all() && !options_.number && !options_.number_nonblank && !options_.squeeze) return Show(bytes);
    if (is_carriage_held_ && !bytes.empty()) {
      is_carriage_held_ = false;
      in_.out.Write(bytes[0] == '\n' ? "^M" : "\r");
    }
    while (!bytes.empty()) {
      if (is_line_start_ && !StartLine(bytes[0] == '\n')) {
        bytes.remove_prefix(1);
        continue;
      }
      const size_t end = bytes.find('\n');
      WriteText(bytes.substr(0, end), end != std::string_view::npos);
      if (end == std::string_view::npos) return;
      bytes.remove_prefix(end + 1);
      in_.out.Write(options_.show_ends ? "$\n" : "\n");
      is_line_start_ = true;
      in_.budget.Step();
    }
  }
  // Nothing depends on what came before: -A, -vT.
  void Show(std::string_view bytes) {
    in_.budget.Step(static_cast<int64_t>(bytes.size() / 32));
    while (!bytes.empty()) {
      const size_t plain = ByteForms::CountPrintable(bytes);
      in_.out.Write(bytes.substr(0, plain));
      if (plain == bytes.size()) return;
      if (bytes[plain] == '\n') in_.out.Write(options_.show_ends ? "$\n" : "\n");
      else in_.out.Write(forms_.Of(bytes[plain]));
      bytes.remove_prefix(plain + 1);
    }
  }
  void End() {
    if (is_carriage_held_) in_.out.Put('\r');
  }

 private:
  // Writes what comes before a line; false if the line (a blank one) is left out.
  bool StartLine(bool is_blank) {
    if (is_blank && options_.squeeze && was_blank_) return false;
    was_blank_ = is_blank;
    if (options_.number_nonblank ? !is_blank : options_.number) {
      ++number_;
      const std::string digits = std::to_string(number_);
      if (digits.size() < 6) in_.out.Write(std::string_view("      ").substr(digits.size()));
      in_.out.Write(digits);
      in_.out.Put('\t');
    }
    is_line_start_ = false;
    return true;
  }

  void WriteText(std::string_view text, bool is_whole) {
    std::string_view tail;
    if (options_.show_ends && !options_.show_nonprinting && text.ends_with('\r')) {
      text.remove_suffix(1);
      if (is_whole) tail = "^M";
      else is_carriage_held_ = true;
    }
    if (forms_.is_trivial()) {
      in_.out.Write(text);
    } else {
      while (!text.empty()) {
        const size_t plain = forms_.CountPlain(text);
        in_.out.Write(text.substr(0, plain));
        if (plain == text.size()) break;
        in_.out.Write(forms_.Of(text[plain]));
        text.remove_prefix(plain + 1);
      }
    }
    in_.out.Write(tail);
  }

  Invocation& in_;
  const Options& options_;
  const ByteForms forms_;
  uint64_t number_ = 0;
  bool is_line_start_ = true;
  bool was_blank_ = false;
  bool is_carriage_held_ = false;
};

// True when what is read would be what is written: `cat f >> f` would never end.
bool IsOwnOutput(Invocation& in, InputFile& input) {
  const vfs::OpenFilePtr& output = in.process.descriptors().Get(1);
  if (input.file() == nullptr || output == nullptr) return false;
  auto source = input.file()->GetAttributes();
  auto target = output->GetAttributes();
  if (!source || !target || !target->is_file()) return false;
  if (source->device != target->device || source->inode != target->inode) return false;
  auto offset = input.file()->Seek(0, vfs::Whence::kCurrent);
  return offset && *offset < source->size;
}

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  const bool is_plain = !options.number && !options.number_nonblank && !options.squeeze &&
                        !options.show_ends && !options.show_tabs && !options.show_nonprinting;
  Formatter formatter(in, options);
  const ExitStatus status = ForEachInput(in, operands, [&](InputFile& file) {
    if (IsOwnOutput(in, file)) {
      in.Fail(QuoteSubject(file.name(), in.locale.is_utf8) + ": input file is output file");
      return false;
    }
    Input& input = file.input();
    for (std::string_view bytes = input.Peek(); !bytes.empty(); bytes = input.Peek()) {
      if (is_plain) in.out.Write(bytes);
      else formatter.Feed(bytes);
      input.Consume(bytes.size());
      // A reader behind a pipe sees each piece as it comes.
      if (file.is_stdin()) in.out.Flush();
      if (!in.out.status()) return true;
    }
    return true;
  });
  formatter.End();
  return CloseStandardInput(in, operands, status, "closing standard input");
}

}  // namespace

extern const Command kCommand_cat;
const Command kCommand_cat = Define<Options, Run>({
    .name = "cat",
    .summary = "concatenate files and print on the standard output",
    .synopsis = "[OPTION]... [FILE]...",
    .options = kOptions,
});

}  // namespace paddock
