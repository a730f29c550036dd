// od - dump files in octal and other formats
//
// usage: od [OPTION]... [FILE]...
//
// Exit status: 0, or 1 if a file cannot be read or an option is wrong.
// Source: GNU coreutils 9.1.
// Differs: -S (strings) and the traditional OFFSET operand are refused; long doubles (fL) are.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "proc/command.h"
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
};

size_t DefaultSize(char letter) { return letter == 'f' ? 8 : letter == 'a' || letter == 'c' ? 1 : 4; }

Status AddFormats(Options& options, std::string_view text) {
  const std::string whole(text);
  const auto bad = [&] { return Error(Code::kInvalid, "invalid type string '" + whole + "'"); };
  while (!text.empty()) {
    Format format{text[0], 0, false};
    text.remove_prefix(1);
    if (std::string_view("acdfoux").find(format.letter) == std::string_view::npos) return bad();
    format.size = DefaultSize(format.letter);
    if (format.letter != 'a' && format.letter != 'c' && !text.empty()) {
      size_t size = 0;
      const std::string_view names = format.letter == 'f' ? "FD" : "CSIL";
      const size_t named = names.find(text[0]);
      if (text[0] >= '0' && text[0] <= '9') {
        while (!text.empty() && text[0] >= '0' && text[0] <= '9' && size < 100) {
          size = size * 10 + static_cast<size_t>(text[0] - '0');
          text.remove_prefix(1);
        }
      } else if (named != std::string_view::npos) {
        constexpr size_t kFloat[] = {4, 8};
        constexpr size_t kInteger[] = {1, 2, 4, 8};
        size = format.letter == 'f' ? kFloat[named] : kInteger[named];
        text.remove_prefix(1);
      }
      if (size != 0) {
        const bool is_known = format.letter == 'f' ? size == 4 || size == 8 : size == 1 || size == 2 || size == 4 || size == 8;
        if (!is_known) return bad();
        format.size = size;
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
  if (text.size() != 1 || std::string_view("doxn").find(text[0]) == std::string_view::npos) {
    return Error(Code::kInvalid, "invalid output address radix '" + std::string(text) + "'; it must be one character from [doxn]");
  }
  options.radix = text[0];
  return {};
}
Result<uint64_t> ParseBytes(std::string_view text, const char* option) {
  if (text.starts_with("0x") || text.starts_with("0X")) {
    uint64_t value = 0;
    for (const char c : text.substr(2)) {
      const char* digits = "0123456789abcdef";
      const char* found = std::strchr(digits, c >= 'A' && c <= 'F' ? c + 32 : c);
      if (c == 0 || found == nullptr) return Error(Code::kInvalid, std::string("invalid ") + option + " argument '" + std::string(text) + "'");
      value = value * 16 + static_cast<uint64_t>(found - digits);
    }
    return value;
  }
  auto value = ParseCount(text, kSizeSuffixes);
  if (!value) return Error(Code::kInvalid, std::string("invalid ") + option + " argument '" + std::string(text) + "'");
  return value;
}
Status SetSkip(Options& options, std::string_view text) {
  PADDOCK_ASSIGN(options.skip, ParseBytes(text, "-j"));
  return {};
}
Status SetCount(Options& options, std::string_view text) {
  PADDOCK_ASSIGN(options.count, ParseBytes(text, "-N"));
  return {};
}
Status SetWidth(Options& options, std::string_view text) {
  uint64_t width = 32;
  if (text.data() != nullptr && !text.empty()) {
    PADDOCK_ASSIGN(width, ParseBytes(text, "-w"));
  }
  if (width == 0 || width > 1 << 20) return Error(Code::kInvalid, "invalid -w argument '" + std::string(text) + "'");
  options.width = width;
  options.has_width = true;
  return {};
}
Status SetEndian(Options& options, std::string_view text) {
  if (text != "big" && text != "little") return Error(Code::kInvalid, "invalid argument '" + std::string(text) + "' for '--endian'");
  options.is_big_endian = text == "big";
  return {};
}

constexpr Option kOptions[] = {
    Call<SetRadix>('A', "address-radix", "RADIX", "output format for file offsets; RADIX is one of [doxn]"),
    Call<SetEndian>(0, "endian", "{big|little}", "swap input bytes according the specified order"),
    Call<SetSkip>('j', "skip-bytes", "BYTES", "skip BYTES input bytes first"),
    Call<SetCount>('N', "read-bytes", "BYTES", "limit dump to BYTES input bytes"),
    Call<AddFormats>('t', "format", "TYPE", "select output format or formats"),
    Flag<&Options::verbose>('v', "output-duplicates", "do not use * to mark line suppression"),
    CallOptional<SetWidth>('w', "width", "BYTES", "output BYTES bytes per output line; 32 is implied when BYTES is not specified"),
    Call<AddFixed<'a', 1>>('a', nullptr, nullptr, "same as -t a, select named characters, ignoring high-order bit"),
    Call<AddFixed<'o', 1>>('b', nullptr, nullptr, "same as -t o1, select octal bytes"),
    Call<AddFixed<'c', 1>>('c', nullptr, nullptr, "same as -t c, select printable characters or backslash escapes"),
    Call<AddFixed<'u', 2>>('d', nullptr, nullptr, "same as -t u2, select unsigned decimal 2-byte units"),
    Call<AddFixed<'f', 4>>('f', nullptr, nullptr, "same as -t fF, select floats"),
    Call<AddFixed<'d', 4>>('i', nullptr, nullptr, "same as -t dI, select decimal ints"),
    Call<AddFixed<'d', 8>>('l', nullptr, nullptr, "same as -t dL, select decimal longs"),
    Call<AddFixed<'o', 2>>('o', nullptr, nullptr, "same as -t o2, select octal 2-byte units"),
    Call<AddFixed<'d', 2>>('s', nullptr, nullptr, "same as -t d2, select decimal 2-byte units"),
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
    default: return format.size == 4 ? 15 : 24;
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
    for (int digits = 6; digits <= 9; ++digits) {
      std::snprintf(text, sizeof text, "%.*g", digits, static_cast<double>(value));
      if (std::strtof(text, nullptr) == value) break;
    }
  } else {
    double value = 0;
    std::memcpy(&value, bytes, 8);
    for (int digits = 15; digits <= 17; ++digits) {
      std::snprintf(text, sizeof text, "%.*g", digits, value);
      if (std::strtod(text, nullptr) == value) break;
    }
  }
  return text;
}

std::string UnitText(const Format& format, const unsigned char* bytes, bool is_big_endian) {
  if (format.letter == 'a') return ByteName(bytes[0]);
  if (format.letter == 'c') return ByteEscape(bytes[0]);
  unsigned char ordered[8] = {};
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
    if (width_ % unit != 0) width_ = std::max(unit, width_ - width_ % unit);
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
#pragma GCC diagnostic pop
    in_.out.Write(text);
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
      const size_t end = row_width_ * (i + 1) / all;
      const size_t begin = row_width_ * i / all;
      const std::string text = UnitText(format, bytes, options_.is_big_endian);
      const size_t cell = end - begin;
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

ExitStatus Run(Invocation& in, Options& options, const std::vector<std::string>& operands) {
  if (options.formats.empty()) options.formats.push_back({'o', 2, false});
  Dumper dumper(in, options);
  ExitStatus status = 0;
  std::vector<std::string> files = operands;
  if (files.empty()) files.push_back("-");
  for (const std::string& path : files) {
    if (!dumper.wants_more()) break;
    if (path == "-") {
      dumper.Add(in.in);
      continue;
    }
    auto file = in.fs.Open(path, vfs::OpenFlags::Read());
    if (!file) {
      status = in.Fail(QuoteSubject(path, in.locale.is_utf8), file.error());
      continue;
    }
    Input input(**file, in.budget);
    dumper.Add(input);
    if (!input.status()) status = in.Fail(QuoteSubject(path, in.locale.is_utf8), input.status().error());
  }
  if (dumper.is_past_end()) return in.Fail("cannot skip past end of combined input");
  dumper.Finish();
  return status;
}

}  // namespace

extern const Command kCommand_od;
const Command kCommand_od = Define<Options, Run>({
    .name = "od",
    .summary = "write an unambiguous representation, octal bytes by default, of FILE to standard output",
    .synopsis = "[OPTION]... [FILE]...",
    .options = kOptions,
});

}  // namespace paddock
