// od - dump files in octal and other formats
//
// usage: od [OPTION]... [FILE]...
//        od [-abcdfilosx]... [FILE] [[+]OFFSET[.][b]]
//        od --traditional [OPTION]... [FILE] [[+]OFFSET[.][b] [+][LABEL][.][b]]
//
// Exit status: 0, or 1 if a file cannot be read or an option is wrong.
// Source: GNU coreutils 9.1.
// Differs: nothing known.

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "commands/closed_input.h"
#include "proc/command.h"
#include "text/choice.h"
#include "text/numbers.h"
#include "text/quote.h"
#include "vfs/file_system.h"

namespace paddock {
namespace {

struct Format {
  char letter;      // a c d f o u x
  size_t size;
  bool shows_text;  // a trailing z
};

struct Options {
  std::vector<Format> formats;
  char radix = 'o';
  uint64_t skip = 0;
  std::optional<uint64_t> count;
  size_t width = 0;
  bool has_width = false;
  bool verbose = false;
  bool is_big_endian = false;
  std::optional<uint64_t> strings;        // the least length of those shown
  bool is_traditional = false;
  bool is_modern = false;                 // an option was given that rules out offsets as operands
  std::optional<uint64_t> pseudo_offset;  // shown in parentheses
  bool is_utf8 = false;
};

size_t DefaultSize(char letter) { return letter == 'f' ? 8 : letter == 'a' || letter == 'c' ? 1 : 4; }

Status AddFormats(Options& options, std::string_view text) {
  options.is_modern = true;
  const std::string whole(text);
  const auto bad_size = [&](const std::string& digits, char letter) {
    return Error(Code::kInvalid, "invalid type string " + Quote(whole, options.is_utf8) +
                                     ";\nthis system doesn't provide a " + digits + "-byte " +
                                     (letter == 'f' ? "floating point" : "integral") + " type");
  };
  while (!text.empty()) {
    Format format{text[0], 0, false};
    if (std::string_view("acdfoux").find(format.letter) == std::string_view::npos) {
      return Error(Code::kInvalid, std::string("invalid character '") + text[0] + "' in type string " +
                                       Quote(whole, options.is_utf8));
    }
    text.remove_prefix(1);
    format.size = DefaultSize(format.letter);
    if (format.letter != 'a' && format.letter != 'c' && !text.empty()) {
      const bool is_float = format.letter == 'f';
      const std::string_view names = is_float ? "FDL" : "CSIL";
      constexpr size_t kFloat[] = {4, 8, 16};
      constexpr size_t kInteger[] = {1, 2, 4, 8};
      const size_t named = names.find(text[0]);
      const std::string digits(text.substr(0, text.find_first_not_of("0123456789")));
      if (!digits.empty()) {
        if (digits.size() > 18) return Error(Code::kInvalid, "invalid type string " + Quote(whole, options.is_utf8));
        const uint64_t size = std::stoull(digits);
        const bool is_known = is_float ? size == 4 || size == 8 || size == 16
                                       : size == 1 || size == 2 || size == 4 || size == 8;
        if (!is_known) return bad_size(std::to_string(size), format.letter);
        format.size = size;
        text.remove_prefix(digits.size());
      } else if (named != std::string_view::npos) {
        format.size = is_float ? kFloat[named] : kInteger[named];
        text.remove_prefix(1);
      }
    }
    if (!text.empty() && text[0] == 'z') {
      format.shows_text = true;
      text.remove_prefix(1);
    }
    options.formats.push_back(format);
  }
  return {};
}
template <char kLetter, size_t kSize>
Status AddFixed(Options& options, std::string_view) {
  options.formats.push_back({kLetter, kSize, false});
  return {};
}
Status SetRadix(Options& options, std::string_view text) {
  options.is_modern = true;
  text = text.substr(0, 1);
  if (text.empty() || std::string_view("doxn").find(text[0]) == std::string_view::npos) {
    return Error(Code::kInvalid, "invalid output address radix '" + std::string(text) + "'; it must be one character from [doxn]");
  }
  options.radix = text[0];
  return {};
}
// A number in C's notation with a size suffix.
Result<uint64_t> ParseBytes(std::string_view text, const char* option) {
  const std::string argument = std::string(option) + " argument '" + std::string(text) + "'";
  const bool is_hex = text.starts_with("0x") || text.starts_with("0X");
  const bool is_octal = !is_hex && text.size() > 1 && text[0] == '0';
  if (!is_hex && !is_octal) {
    const SizeNumber number = ParseSize(text, kSizeSuffixes);
    switch (number.state) {
      case NumberState::kOk: return number.value;
      case NumberState::kOverflow: return Error(Code::kRange, argument + " too large");
      case NumberState::kInvalid: return Error(Code::kInvalid, "invalid " + argument);
      default: return Error(Code::kInvalid, "invalid suffix in " + argument);
    }
  }
  const unsigned base = is_hex ? 16 : 8;
  std::string_view rest = text.substr(is_hex ? 2 : 1);
  uint64_t value = 0;
  size_t count = 0;
  for (; !rest.empty(); rest.remove_prefix(1), ++count) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    const size_t digit = kDigits.find(rest[0] >= 'A' && rest[0] <= 'F' ? static_cast<char>(rest[0] + 32) : rest[0]);
    if (digit >= base) break;
    if (value > (kUnlimited - digit) / base) return Error(Code::kRange, argument + " too large");
    value = value * base + digit;
  }
  if (rest.empty() && (count > 0 || is_octal)) return value;
  const SizeNumber unit = ParseSize("1" + std::string(rest), kSizeSuffixes);
  const bool is_suffix = rest.empty() || rest[0] < '0' || rest[0] > '9';
  if (unit.state != NumberState::kOk || !is_suffix || (is_hex && count == 0)) {
    return Error(Code::kInvalid, "invalid suffix in " + argument);
  }
  return SaturatingMultiply(value, unit.value);
}
Status SetSkip(Options& options, std::string_view text) {
  options.is_modern = true;
  PADDOCK_ASSIGN(options.skip, ParseBytes(text, "-j"));
  return {};
}
Status SetCount(Options& options, std::string_view text) {
  options.is_modern = true;
  PADDOCK_ASSIGN(options.count, ParseBytes(text, "-N"));
  return {};
}
Status SetWidth(Options& options, std::string_view text) {
  options.is_modern = true;
  uint64_t width = 32;
  if (text.data() != nullptr) {
    PADDOCK_ASSIGN(width, ParseBytes(text, "-w"));
  }
  options.width = width;
  options.has_width = true;
  return {};
}
Status SetVerbose(Options& options, std::string_view) {
  options.is_modern = options.verbose = true;
  return {};
}
Status SetStrings(Options& options, std::string_view text) {
  options.is_modern = true;
  if (text.data() == nullptr) {
    options.strings = 3;
    return {};
  }
  PADDOCK_ASSIGN(options.strings, ParseBytes(text, "-S"));
  return {};
}
constexpr Choice kEndians[] = {{"little", 0}, {"big", 1}};
Status SetEndian(Options& options, std::string_view text) {
  PADDOCK_ASSIGN(const int endian, FindChoice("--endian", text, kEndians, options.is_utf8));
  options.is_big_endian = endian == 1;
  return {};
}

constexpr Option kOptions[] = {
    Call<SetRadix>('A', "address-radix", "RADIX", "output format for file offsets; RADIX is one of [doxn]"),
    Call<SetEndian>(0, "endian", "{big|little}", "swap input bytes according the specified order"),
    Call<SetSkip>('j', "skip-bytes", "BYTES", "skip BYTES input bytes first"),
    Call<SetCount>('N', "read-bytes", "BYTES", "limit dump to BYTES input bytes"),
    Call<AddFormats>('t', "format", "TYPE", "select output format or formats"),
    Call<SetVerbose>('v', "output-duplicates", nullptr, "do not use * to mark line suppression"),
    CallOptional<SetWidth>('w', "width", "BYTES", "output BYTES bytes per output line; 32 is implied when BYTES is not specified"),
    Call<SetStrings>('S', nullptr, "BYTES", "output strings of at least BYTES graphic chars"),
    CallOptional<SetStrings>(0, "strings", "BYTES", "the same; 3 is implied when BYTES is not specified"),
    Flag<&Options::is_traditional>(0, "traditional", "accept arguments in third form above"),
    Call<AddFixed<'a', 1>>('a', nullptr, nullptr, "same as -t a, select named characters, ignoring high-order bit"),
    Call<AddFixed<'o', 1>>('b', nullptr, nullptr, "same as -t o1, select octal bytes"),
    Call<AddFixed<'c', 1>>('c', nullptr, nullptr, "same as -t c, select printable characters or backslash escapes"),
    Call<AddFixed<'u', 2>>('d', nullptr, nullptr, "same as -t u2, select unsigned decimal 2-byte units"),
    Call<AddFixed<'f', 4>>('f', nullptr, nullptr, "same as -t fF, select floats"),
    Call<AddFixed<'d', 4>>('i', nullptr, nullptr, "same as -t dI, select decimal ints"),
    Call<AddFixed<'d', 8>>('l', nullptr, nullptr, "same as -t dL, select decimal longs"),
    Call<AddFixed<'o', 2>>('o', nullptr, nullptr, "same as -t o2, select octal 2-byte units"),
    Call<AddFixed<'d', 2>>('s', nullptr, nullptr, "same as -t d2, select decimal 2-byte units"),
    Call<AddFixed<'o', 2>>('B', nullptr, nullptr, nullptr),
    Call<AddFixed<'u', 4>>('D', nullptr, nullptr, nullptr),
    Call<AddFixed<'f', 8>>('e', nullptr, nullptr, nullptr),
    Call<AddFixed<'f', 8>>('F', nullptr, nullptr, nullptr),
    Call<AddFixed<'x', 2>>('h', nullptr, nullptr, nullptr),
    Call<AddFixed<'x', 4>>('H', nullptr, nullptr, nullptr),
    Call<AddFixed<'d', 8>>('I', nullptr, nullptr, nullptr),
    Call<AddFixed<'d', 8>>('L', nullptr, nullptr, nullptr),
    Call<AddFixed<'o', 4>>('O', nullptr, nullptr, nullptr),
    Call<AddFixed<'x', 4>>('X', nullptr, nullptr, nullptr),
    Call<AddFixed<'x', 2>>('x', nullptr, nullptr, "same as -t x2, select hexadecimal 2-byte units"),
};

// Columns that one unit takes, without the space before it.
size_t CellWidth(const Format& format) {
  constexpr std::array<size_t, 9> kOctal = {0, 3, 6, 0, 11, 0, 0, 0, 22};
  constexpr std::array<size_t, 9> kSigned = {0, 4, 6, 0, 11, 0, 0, 0, 20};
  constexpr std::array<size_t, 9> kUnsigned = {0, 3, 5, 0, 10, 0, 0, 0, 20};
  switch (format.letter) {
    case 'a':
    case 'c': return 3;
    case 'o': return kOctal[format.size];
    case 'd': return kSigned[format.size];
    case 'u': return kUnsigned[format.size];
    case 'x': return format.size * 2;
    default: return format.size == 4 ? 15 : format.size == 8 ? 24 : 29;
  }
}

std::string ByteName(unsigned char byte) {
  constexpr const char* kNames[] = {"nul", "soh", "stx", "etx", "eot", "enq", "ack", "bel", "bs", "ht", "nl",
                                    "vt", "ff", "cr", "so", "si", "dle", "dc1", "dc2", "dc3", "dc4", "nak",
                                    "syn", "etb", "can", "em", "sub", "esc", "fs", "gs", "rs", "us", "sp"};
  const unsigned char low = byte & 0x7F;
  if (low <= 32) return kNames[low];
  return low == 127 ? "del" : std::string(1, static_cast<char>(low));
}

std::string ByteEscape(unsigned char byte) {
  switch (byte) {
    case 0: return "\\0";
    case 7: return "\\a";
    case 8: return "\\b";
    case 9: return "\\t";
    case 10: return "\\n";
    case 11: return "\\v";
    case 12: return "\\f";
    case 13: return "\\r";
    default: break;
  }
  if (byte >= 32 && byte < 127) return std::string(1, static_cast<char>(byte));
  char text[8];
  std::snprintf(text, sizeof text, "%03o", byte);
  return text;
}

std::string FloatText(const unsigned char* bytes, size_t size) {
  char text[64];
  if (size == 4) {
    float value = 0;
    std::memcpy(&value, bytes, 4);
    for (int digits = std::fabs(value) < FLT_MIN ? 1 : 6; digits <= 9; ++digits) {
      std::snprintf(text, sizeof text, "%.*g", digits, static_cast<double>(value));
      if (std::strtof(text, nullptr) == value) break;
    }
  } else if (size == 16) {
    long double value = 0;
    std::memcpy(&value, bytes, 16);
    for (int digits = std::fabs(value) < LDBL_MIN ? 1 : 18; digits <= 21; ++digits) {
      std::snprintf(text, sizeof text, "%.*Lg", digits, value);
      if (std::strtold(text, nullptr) == value) break;
    }
  } else {
    double value = 0;
    std::memcpy(&value, bytes, 8);
    for (int digits = std::fabs(value) < DBL_MIN ? 1 : 15; digits <= 17; ++digits) {
      std::snprintf(text, sizeof text, "%.*g", digits, value);
      if (std::strtod(text, nullptr) == value) break;
    }
  }
  return text;
}

std::string UnitText(const Format& format, const unsigned char* bytes, bool is_big_endian) {
  if (format.letter == 'a') return ByteName(bytes[0]);
  if (format.letter == 'c') return ByteEscape(bytes[0]);
  unsigned char ordered[16] = {};
  std::memcpy(ordered, bytes, format.size);
  if (is_big_endian) std::reverse(ordered, ordered + format.size);
  if (format.letter == 'f') return FloatText(ordered, format.size);
  uint64_t value = 0;
  std::memcpy(&value, ordered, format.size);
  char text[32];
  switch (format.letter) {
    case 'o': std::snprintf(text, sizeof text, "%0*lo", static_cast<int>(CellWidth(format)), value); break;
    case 'x': std::snprintf(text, sizeof text, "%0*lx", static_cast<int>(CellWidth(format)), value); break;
    case 'u': std::snprintf(text, sizeof text, "%lu", value); break;
    default: {
      const int shift = static_cast<int>(64 - 8 * format.size);
      std::snprintf(text, sizeof text, "%ld", static_cast<int64_t>(value << shift) >> shift);
      break;
    }
  }
  return text;
}

class Dumper {
 public:
  Dumper(Invocation& in, const Options& options) : in_(in), options_(options) {
    size_t unit = 1;
    for (const Format& format : options_.formats) unit = std::max(unit, format.size);
    width_ = options_.has_width ? options_.width : 16;
    if (width_ == 0 || width_ % unit != 0) {
      in.Fail("warning: invalid width " + std::to_string(width_) + "; using " + std::to_string(unit) + " instead");
      width_ = unit;
    }
    in.budget.WillAllocate(SaturatingMultiply(width_, 8));
    // Every format's row is as wide as the widest one.
    for (const Format& format : options_.formats) {
      row_width_ = std::max(row_width_, (CellWidth(format) + 1) * (width_ / format.size));
    }
    skip_ = options_.skip;
    left_ = options_.count.value_or(kUnlimited);
    offset_ = options_.skip;
  }

  void Add(Input& input) {
    while (skip_ > 0) {
      const std::string_view bytes = input.Peek();
      if (bytes.empty()) return;
      const size_t taken = std::min<uint64_t>(skip_, bytes.size());
      input.Consume(taken);
      skip_ -= taken;
    }
    while (left_ > 0) {
      const std::string_view bytes = input.Peek();
      if (bytes.empty()) return;
      const size_t taken = std::min<uint64_t>(left_, std::min(bytes.size(), width_ - line_.size()));
      line_.append(bytes.substr(0, taken));
      input.Consume(taken);
      left_ -= taken;
      if (line_.size() == width_) Flush();
    }
  }

  bool wants_more() const { return left_ > 0; }
  bool is_past_end() const { return skip_ > 0; }

  void Finish() {
    if (!line_.empty()) Flush();
    if (options_.radix != 'n') {
      Address();
      in_.out.Put('\n');
    }
  }

 private:
  void Address() {
    char text[32];
    const char* format = options_.radix == 'd' ? "%07lu" : options_.radix == 'x' ? "%06lx" : "%07lo";
    if (options_.radix == 'n') return;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    std::snprintf(text, sizeof text, format, offset_);
    in_.out.Write(text);
    if (options_.pseudo_offset) {
      std::snprintf(text, sizeof text, format, offset_ - options_.skip + *options_.pseudo_offset);
      in_.out.Write(" (" + std::string(text) + ")");
    }
#pragma GCC diagnostic pop
  }

  void Flush() {
    in_.budget.Step();
    const bool is_full = line_.size() == width_;
    if (is_full && !options_.verbose && has_previous_ && line_ == previous_) {
      if (!is_starred_) in_.out.WriteLine("*");
      is_starred_ = true;
    } else {
      is_starred_ = false;
      bool is_first = true;
      for (const Format& format : options_.formats) {
        if (is_first) Address();
        else if (options_.radix != 'n') in_.out.Write(options_.radix == 'x' ? "      " : "       ");
        is_first = false;
        Row(format);
      }
    }
    previous_ = line_;
    has_previous_ = is_full;
    offset_ += line_.size();
    line_.clear();
  }

  void Row(const Format& format) {
    const size_t units = (line_.size() + format.size - 1) / format.size;
    std::string padded = line_;
    padded.resize(units * format.size, '\0');
    const size_t all = width_ / format.size;
    std::string row;
    for (size_t i = 0; i < units; ++i) {
      const auto* bytes = reinterpret_cast<const unsigned char*>(padded.data()) + i * format.size;
      // The padding that makes rows equally wide is spread over the units.
      const size_t padding = row_width_ - (CellWidth(format) + 1) * all;
      const size_t extra = padding * (all - i) / all - padding * (all - i - 1) / all;
      const std::string text = UnitText(format, bytes, options_.is_big_endian);
      const size_t cell = CellWidth(format) + 1 + extra;
      row.append(cell > text.size() ? cell - text.size() : 1, ' ');
      row += text;
    }
    if (format.shows_text) {
      row.append(row_width_ * all / all - std::min(row.size(), row_width_), ' ');
      row += "  >";
      for (const char c : line_) row += c >= 32 && c < 127 ? c : '.';
      row += '<';
    }
    in_.out.WriteLine(row);
  }

  Invocation& in_;
  const Options& options_;
  size_t width_ = 16;
  size_t row_width_ = 0;
  uint64_t skip_ = 0;
  uint64_t left_ = 0;
  uint64_t offset_ = 0;
  std::string line_;
  std::string previous_;
  bool has_previous_ = false;
  bool is_starred_ = false;
};

// The strings of at least so many printable characters that a NUL ends.
class StringFinder {
 public:
  StringFinder(Invocation& in, const Options& options) : in_(in), options_(options), skip_(options.skip) {
    left_ = options.count.value_or(kUnlimited);
  }

  void Add(Input& input) {
    while (left_ > 0 && in_.out.status()) {
      const std::string_view bytes = input.Peek().substr(0, skip_ > 0 ? skip_ : left_);
      if (bytes.empty()) return;
      if (skip_ > 0) skip_ -= bytes.size();
      else TakeBytes(bytes);
      offset_ += bytes.size();
      input.Consume(bytes.size());
    }
  }

  bool wants_more() const { return left_ > 0; }
  bool is_past_end() const { return skip_ > 0; }

 private:
  void TakeBytes(std::string_view bytes) {
    in_.budget.Step(static_cast<int64_t>(bytes.size() / 16));
    left_ -= bytes.size();
    for (size_t i = 0; i < bytes.size(); ++i) {
      if (bytes[i] >= 32 && bytes[i] < 127) {
        text_ += bytes[i];
        continue;
      }
      if (bytes[i] == 0 && text_.size() >= *options_.strings) Print(offset_ + i - text_.size());
      text_.clear();
    }
    in_.budget.WillAllocate(text_.size());
  }

  void Print(uint64_t address) {
    if (options_.radix != 'n') {
      char shown[32];
      const auto number = static_cast<unsigned long>(address);
      if (options_.radix == 'd') std::snprintf(shown, sizeof shown, "%07lu ", number);
      else if (options_.radix == 'x') std::snprintf(shown, sizeof shown, "%06lx ", number);
      else std::snprintf(shown, sizeof shown, "%07lo ", number);
      in_.out.Write(shown);
    }
    in_.out.WriteLine(text_);
  }

  Invocation& in_;
  const Options& options_;
  uint64_t skip_;
  uint64_t left_ = 0;
  uint64_t offset_ = 0;
  std::string text_;
};

// An offset as an operand: "+10", "0x1f", "7b"; octal unless it says otherwise.
std::optional<uint64_t> OldOffset(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  if (text.empty() || text.starts_with('+') || text.find('.') != std::string_view::npos) return std::nullopt;
  uint64_t unit = 1;
  const bool is_hex = text.starts_with("0x") || text.starts_with("0X");
  if (text.ends_with('B') && !is_hex) unit = 1024;
  if (text.ends_with('b') && !is_hex) unit = 512;
  if (unit != 1) text.remove_suffix(1);
  const auto value = ParseBytes(is_hex ? std::string(text) : "0" + std::string(text), "");
  if (!value || text.find_first_not_of("0123456789abcdefABCDEFxX") != std::string_view::npos) return std::nullopt;
  return SaturatingMultiply(*value, unit);
}

// Takes offsets off the end of the operands where they may stand. False after a complaint.
bool TakeOldOffsets(Invocation& in, Options& options, std::vector<std::string>& files) {
  if (options.is_modern && !options.is_traditional) return true;
  const auto may_be = [&](const std::string& text, bool digits_count) {
    const bool is_digit = digits_count && text[0] >= '0' && text[0] <= '9';
    return !text.empty() && (options.is_traditional || text[0] == '+' || is_digit);
  };
  if (files.size() == 1 && may_be(files[0], false)) {
    if (const auto offset = OldOffset(files[0])) {
      options.skip = *offset;
      files.clear();
    }
  } else if (files.size() == 2 && may_be(files[1], true)) {
    const auto last = OldOffset(files[1]);
    const auto first = options.is_traditional ? OldOffset(files[0]) : std::nullopt;
    if (first && last) {
      options.skip = *first;
      options.pseudo_offset = *last;
      files.clear();
    } else if (last) {
      options.skip = *last;
      files.pop_back();
    }
  } else if (files.size() == 3 && options.is_traditional) {
    const auto first = OldOffset(files[1]);
    const auto last = OldOffset(files[2]);
    if (first && last) {
      options.skip = *first;
      options.pseudo_offset = *last;
      files.resize(1);
    }
  }
  if (!options.is_traditional || files.size() <= 1) return true;
  in.Fail("extra operand " + Quote(files[1], in.locale.is_utf8));
  in.Usage("compatibility mode supports at most one file");
  return false;
}

template <class Reader>
ExitStatus ReadFiles(Invocation& in, const std::vector<std::string>& files, Reader& reader, bool* has_opened) {
  ExitStatus status = 0;
  for (const std::string& path : files) {
    if (!reader.wants_more()) break;
    if (path == "-") {
      *has_opened = true;
      reader.Add(in.in);
      if (!in.in.status()) status = in.Fail(QuoteSubject("standard input", in.locale.is_utf8), in.in.status().error());
      continue;
    }
    auto file = in.fs.Open(path, vfs::OpenFlags::Read());
    if (!file) {
      status = in.Fail(QuoteSubject(path, in.locale.is_utf8), file.error());
      continue;
    }
    *has_opened = true;
    Input input(**file, in.budget);
    reader.Add(input);
    if (!input.status()) status = in.Fail(QuoteSubject(path, in.locale.is_utf8), input.status().error());
  }
  if (*has_opened && reader.is_past_end()) {
    *has_opened = false;
    return in.Fail("cannot skip past end of combined input");
  }
  return status;
}

ExitStatus Run(Invocation& in, Options& options, const std::vector<std::string>& operands) {
  std::vector<std::string> files = operands;
  if (options.strings && !options.formats.empty()) return in.Fail("no type may be specified when dumping strings");
  if (!TakeOldOffsets(in, options, files)) return 1;
  if (files.empty()) files.push_back("-");
  if (options.formats.empty()) options.formats.push_back({'o', 2, false});
  bool has_opened = options.count == 0u;
  if (options.strings) {
    StringFinder finder(in, options);
    return CloseStandardInput(in, files, ReadFiles(in, files, finder, &has_opened), "standard input");
  }
  Dumper dumper(in, options);
  const ExitStatus status = ReadFiles(in, files, dumper, &has_opened);
  if (has_opened) dumper.Finish();
  return CloseStandardInput(in, files, status, "standard input");
}

// The wording of complaints about options depends on the locale.
ExitStatus ParseAndRun(Invocation& in) {
  Options options;
  options.is_utf8 = in.locale.is_utf8;
  ExitStatus status = 0;
  const auto operands = command_internal::Prepare(in, &options, &status);
  return operands ? Run(in, options, *operands) : status;
}

}  // namespace

extern const Command kCommand_od;
const Command kCommand_od = {
    .name = "od",
    .summary = "write an unambiguous representation, octal bytes by default, of FILE to standard output",
    .synopsis = "[OPTION]... [FILE]...",
    .options = kOptions,
    .run = ParseAndRun,
};

}  // namespace paddock
