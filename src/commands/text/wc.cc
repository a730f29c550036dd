// wc - print newline, word, and byte counts for each file
//
// usage: wc [OPTION]... [FILE]...
//        wc [OPTION]... --files0-from=F
// Counts lines, words and bytes, or what the options ask for, and a total for more than one file.
//
// Exit status: 0, or 1 when a file could not be read.
// Source: POSIX wc; GNU coreutils 9.1 (no --total yet).
// Differs: nothing known.

#include <algorithm>
#include <array>
#include <cstring>

#include "commands/closed_input.h"
#include "commands/input_files.h"
#include "commands/text/file_list.h"
#include "proc/process.h"
#include "text/byte_count.h"
#include "text/quote.h"
#include "text/utf8.h"

namespace paddock {
namespace {

struct Options {
  bool bytes = false;
  bool chars = false;
  bool lines = false;
  bool words = false;
  bool max_line_length = false;
  std::optional<std::string> files0_from;
};

constexpr Option kOptions[] = {
    Flag<&Options::bytes>('c', "bytes", "print the byte counts"),
    Flag<&Options::chars>('m', "chars", "print the character counts"),
    Flag<&Options::lines>('l', "lines", "print the newline counts"),
    Value<&Options::files0_from>(0, "files0-from", "F",
                                 "read input from the files specified by NUL-terminated names in file F"),
    Flag<&Options::max_line_length>('L', "max-line-length", "print the maximum display width"),
    Flag<&Options::words>('w', "words", "print the word counts"),
};

struct Counts {
  uint64_t lines = 0;
  uint64_t words = 0;
  uint64_t chars = 0;
  uint64_t bytes = 0;
  uint64_t longest = 0;
};

enum ByteKind : uint8_t { kWordByte, kSpaceByte, kOtherByte };

constexpr bool IsSpaceByte(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// What a byte is in the C locale. What cannot be printed neither ends a word nor makes one.
constexpr std::array<uint8_t, 256> kByteKinds = [] {
  std::array<uint8_t, 256> kinds{};
  for (int i = 0; i < 256; ++i) {
    const auto at = static_cast<size_t>(i);
    kinds[at] = IsSpaceByte(i) ? kSpaceByte : i > 0x20 && i < 0x7f ? kWordByte : kOtherByte;
  }
  return kinds;
}();

// Spaces that iswspace() does not know but that part words all the same.
bool IsNoBreakSpace(char32_t c) { return c == 0xa0 || c == 0x2007 || c == 0x202f || c == 0x2060; }

class Counter {
 public:
  Counter(const Options& wanted, bool is_utf8)
      : wanted_(wanted), is_utf8_(is_utf8), by_char_(is_utf8 && (wanted.chars || wanted.words ||
                                                                  wanted.max_line_length)) {}

  void Feed(std::string_view bytes) {
    counts_.bytes += bytes.size();
    if (!held_.empty()) {
      while (!held_.empty() && !bytes.empty()) {
        held_ += bytes[0];
        bytes.remove_prefix(1);
        FlushHeld();
      }
    }
    if (wanted_.words || wanted_.max_line_length) {
      FeedWords(bytes);
      return;
    }
    if (wanted_.lines) counts_.lines += CountByte(bytes, '\n');
    if (!wanted_.chars) return;
    if (is_utf8_) FeedChars(bytes);
    else counts_.chars += bytes.size();
  }

  const Counts& End() {
    while (!held_.empty()) TakeInvalid(1);
    EndLine();
    counts_.words += in_word_;
    in_word_ = false;
    return counts_;
  }

 private:
  // Counts characters only. Text that is well formed is counted by its leading bytes.
  void FeedChars(std::string_view bytes) {
    size_t at = 0;
    while (at < bytes.size()) {
      const auto c = static_cast<unsigned char>(bytes[at]);
      if (c < 0x80) {
        const size_t start = at;
        while (at + 8 <= bytes.size() && !HasHighBit(bytes.data() + at)) at += 8;
        while (at < bytes.size() && static_cast<unsigned char>(bytes[at]) < 0x80) ++at;
        counts_.chars += at - start;
        continue;
      }
      if (!TakeMultibyte(bytes, &at)) return;
    }
  }

  static bool HasHighBit(const char* at) {
    uint64_t word;
    std::memcpy(&word, at, sizeof word);
    return (word & 0x8080808080808080ull) != 0;
  }

  void FeedWords(std::string_view bytes) {
    if (!by_char_ && !wanted_.max_line_length) {
      FeedWordBytes(bytes);
      if (wanted_.chars) counts_.chars += bytes.size();
      return;
    }
    size_t at = 0;
    while (at < bytes.size()) {
      const auto c = static_cast<unsigned char>(bytes[at]);
      if (c < 0x80 || !is_utf8_) {
        // A run of plain bytes without what only the display width needs goes through the fast loop.
        if (!wanted_.max_line_length) {
          const size_t start = at;
          while (at + 8 <= bytes.size() && !HasHighBit(bytes.data() + at)) at += 8;
          while (at < bytes.size() && static_cast<unsigned char>(bytes[at]) < 0x80) ++at;
          FeedWordBytes(bytes.substr(start, at - start));
          counts_.chars += at - start;
          continue;
        }
        TakeByte(c);
        ++at;
        continue;
      }
      if (!TakeMultibyte(bytes, &at)) return;
    }
  }

  void FeedWordBytes(std::string_view bytes) {
    uint64_t words = 0;
    bool in_word = in_word_;
    for (const char c : bytes) {
      const uint8_t kind = kByteKinds[static_cast<unsigned char>(c)];
      words += in_word & (kind == kSpaceByte);
      in_word = kind == kWordByte || (in_word && kind == kOtherByte);
    }
    counts_.words += words;
    in_word_ = in_word;
    if (wanted_.lines) counts_.lines += CountByte(bytes, '\n');
  }

  void TakeByte(unsigned char c) {
    ++counts_.chars;
    const uint8_t kind = kByteKinds[c];
    if (kind == kWordByte) {
      ++column_;
      in_word_ = true;
      return;
    }
    if (kind == kOtherByte) return;
    counts_.words += in_word_;
    in_word_ = false;
    if (c == ' ') {
      ++column_;
    } else if (c == '\t') {
      column_ += 8 - column_ % 8;
    } else if (c != '\v') {
      counts_.lines += c == '\n';
      EndLine();
    }
  }

  // Takes the character or the malformed byte at *at; false when the block ends within it.
  bool TakeMultibyte(std::string_view bytes, size_t* at) {
    const std::string_view rest = bytes.substr(*at);
    const DecodedChar decoded = DecodeUtf8(rest);
    if (!decoded.is_valid && rest.size() < 4 && IsCutOff(rest)) {
      held_ = rest;
      return false;
    }
    *at += decoded.length;
    if (decoded.is_valid) TakeChar(decoded.code);
    return true;
  }

  // True when more bytes could make `text` a character.
  static bool IsCutOff(std::string_view text) {
    std::string completed(text);
    const auto lead = static_cast<unsigned char>(text[0]);
    const size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 1;
    if (lead < 0xc2 || lead > 0xf4 || text.size() >= length) return false;
    for (const char fill : {'\x80', '\x9f', '\xbf'}) {
      std::string trial = completed;
      trial.append(length - text.size(), text.size() == 1 && trial.size() == 1 ? fill : '\x80');
      if (DecodeUtf8(trial).is_valid) return true;
    }
    return false;
  }

  void FlushHeld() {
    const DecodedChar decoded = DecodeUtf8(held_);
    if (!decoded.is_valid && held_.size() < 4 && IsCutOff(held_)) return;
    if (decoded.is_valid) {
      TakeChar(decoded.code);
      held_.erase(0, decoded.length);
      return;
    }
    TakeInvalid(1);
    while (!held_.empty()) {
      const DecodedChar next = DecodeUtf8(held_);
      if (!next.is_valid && IsCutOff(held_)) return;
      if (!next.is_valid) {
        TakeInvalid(1);
        continue;
      }
      if (next.code < 0x80) TakeAscii(static_cast<unsigned char>(next.code));
      else TakeChar(next.code);
      held_.erase(0, next.length);
    }
  }
  void TakeAscii(unsigned char c) {
    if (wanted_.words || wanted_.max_line_length) {
      TakeByte(c);
    } else {
      counts_.lines += wanted_.lines && c == '\n';
      ++counts_.chars;
    }
  }
  void TakeInvalid(size_t count) { held_.erase(0, count); }

  void TakeChar(char32_t c) {
    ++counts_.chars;
    if (!wanted_.words && !wanted_.max_line_length) return;
    if (IsInClass(c, CharClass::kSpace) || IsNoBreakSpace(c)) {
      counts_.words += in_word_;
      in_word_ = false;
    } else if (IsInClass(c, CharClass::kPrint)) {
      in_word_ = true;
    } else {
      return;
    }
    if (const int width = CharWidth(c); width > 0) column_ += static_cast<uint64_t>(width);
  }

  void EndLine() {
    counts_.longest = std::max(counts_.longest, column_);
    column_ = 0;
  }

  const Options& wanted_;
  const bool is_utf8_;
  const bool by_char_;
  Counts counts_;
  bool in_word_ = false;
  uint64_t column_ = 0;
  std::string held_;   // the bytes of a character cut off by the end of a block
};

class Report {
 public:
  Report(Invocation& in, const Options& wanted) : in_(in), wanted_(wanted) {}

  void set_width(size_t width) { width_ = width; }

  void Add(const Counts& counts) {
    total_.lines += counts.lines;
    total_.words += counts.words;
    total_.chars += counts.chars;
    total_.bytes += counts.bytes;
    total_.longest = std::max(total_.longest, counts.longest);
  }
  void Write(const Counts& counts, std::string_view name) {
    is_first_column_ = true;
    if (wanted_.lines) WriteNumber(counts.lines);
    if (wanted_.words) WriteNumber(counts.words);
    if (wanted_.chars) WriteNumber(counts.chars);
    if (wanted_.bytes) WriteNumber(counts.bytes);
    if (wanted_.max_line_length) WriteNumber(counts.longest);
    if (!name.empty()) {
      in_.out.Put(' ');
      if (name.find('\n') != std::string_view::npos) in_.out.Write(QuoteSubject(name, in_.locale.is_utf8));
      else in_.out.Write(name);
    }
    in_.out.Put('\n');
  }
  void WriteTotal() { Write(total_, "total"); }

 private:
  void WriteNumber(uint64_t number) {
    const std::string digits = std::to_string(number);
    if (!is_first_column_) in_.out.Put(' ');
    if (digits.size() < width_) in_.out.Write(std::string(width_ - digits.size(), ' '));
    in_.out.Write(digits);
    is_first_column_ = false;
  }

  Invocation& in_;
  const Options& wanted_;
  Counts total_;
  size_t width_ = 1;
  bool is_first_column_ = true;
};

Result<vfs::Attributes> AttributesOf(Invocation& in, const std::string& name) {
  if (name != "-") return in.fs.Stat(name);
  const auto& file = in.process.descriptors().Get(0);
  if (file == nullptr) return Code::kBadDescriptor;
  return file->GetAttributes();
}

// The column width that fits the sizes of all files; 7 if one of them is no regular file. A list of names
// that comes out of a pipe is not known before.
size_t WidthFor(Invocation& in, const Options& options, const std::vector<std::string>& names) {
  if (options.files0_from) {
    auto list = AttributesOf(in, *options.files0_from);
    if (!list || !list->is_file()) return 1;
  }
  const int columns = options.lines + options.words + options.chars + options.bytes + options.max_line_length;
  if (names.empty() || (names.size() == 1 && columns == 1)) return 1;
  uint64_t total = 0;
  size_t least = 1;
  for (const std::string& name : names) {
    auto attributes = AttributesOf(in, name);
    if (!attributes) continue;
    if (attributes->is_file()) total += attributes->size;
    else least = 7;
  }
  return std::max(least, std::to_string(total).size());
}

// Counts bytes without reading them where the file knows its size.
bool CountBySize(InputFile& file, Counts* counts) {
  if (file.file() == nullptr) return false;
  auto attributes = file.file()->GetAttributes();
  if (!attributes || !attributes->is_file() || attributes->size == 0) return false;
  file.input().Finish();
  auto offset = file.file()->Seek(0, vfs::Whence::kCurrent);
  if (!offset) return false;
  counts->bytes = attributes->size > *offset ? attributes->size - *offset : 0;
  return true;
}

Counts Count(InputFile& file, const Options& options, bool is_utf8) {
  Counts counts;
  const bool only_bytes = options.bytes && !options.chars && !options.lines && !options.words &&
                          !options.max_line_length;
  if (only_bytes && CountBySize(file, &counts)) return counts;
  Counter counter(options, is_utf8);
  Input& input = file.input();
  for (std::string_view bytes = input.Peek(); !bytes.empty(); bytes = input.Peek()) {
    counter.Feed(bytes);
    input.Consume(bytes.size());
  }
  return counter.End();
}

// Counts one file and writes its line; false when something went wrong.
bool CountFile(Invocation& in, const Options& options, const std::string& name, bool shows_name, Report& report) {
  auto file = InputFile::Open(in, name);
  if (!file) {
    ReportFile(in, name, file.error());
    return false;
  }
  const Counts counts = Count(*file, options, in.locale.is_utf8);
  report.Add(counts);
  const Status status = file->input().status();
  if (!status) ReportFile(in, shows_name ? std::string_view(name) : file->display_name(), status.error());
  report.Write(counts, shows_name ? std::string_view(name) : "");
  return static_cast<bool>(status);
}

ExitStatus Run(Invocation& in, Options& options, const std::vector<std::string>& operands) {
  if (!options.lines && !options.words && !options.chars && !options.bytes && !options.max_line_length) {
    options.lines = options.words = options.bytes = true;
  }
  std::vector<std::string> names = operands;
  if (names.empty()) names.push_back("-");
  std::string list_name;   // of --files0-from, for messages
  ExitStatus status = 0;
  if (options.files0_from) {
    if (!operands.empty()) {
      return in.Usage("extra operand " + QuoteFile(operands[0], in.locale.is_utf8) +
                      "\nfile operands cannot be combined with --files0-from");
    }
    auto list = ReadFileList(in, *options.files0_from);
    if (!list) return in.Fail(list.error().Text());
    names = std::move(*list);
    list_name = *options.files0_from;
  }
  Report report(in, options);
  report.set_width(WidthFor(in, options, names));
  const bool shows_names = !operands.empty() || options.files0_from;
  for (size_t i = 0; i < names.size(); ++i) {
    if (auto checked = CheckListedName(in, names[i], list_name, i); !checked) {
      status = in.Fail(checked.error().Text());
      continue;
    }
    if (!CountFile(in, options, names[i], shows_names, report)) status = 1;
    if (!in.out.status()) break;
  }
  if (names.size() > 1) report.WriteTotal();
  return CloseStandardInput(in, names, status);
}

}  // namespace

extern const Command kCommand_wc;
const Command kCommand_wc = Define<Options, Run>({
    .name = "wc",
    .summary = "print newline, word, and byte counts for each file",
    .synopsis = "[OPTION]... [FILE]...\n[OPTION]... --files0-from=F",
    .options = kOptions,
});

}  // namespace paddock
