#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <limits>

#include "base/budget.h"
#include "base/stream.h"
#include "commands/hash/hexdump_format.h"

namespace paddock {
namespace {

using Kind = HexdumpPart::Kind;
constexpr uint64_t kMostInBlock = 16 << 20;
constexpr std::array<const char*, 32> kNames = {"nul", "soh", "stx", "etx", "eot", "enq", "ack", "bel", "bs", "ht", "lf", "vt", "ff", "cr", "so", "si",
                                                "dle", "dc1", "dc2", "dc3", "dc4", "nak", "syn", "etb", "can", "em", "sub", "esc", "fs", "gs", "rs", "us"};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

uint64_t TakeNumber(std::string_view& text) {
  uint64_t value = 0;
  while (!text.empty() && IsDigit(text.front())) {
    value = std::min<uint64_t>(value * 10 + static_cast<uint64_t>(text.front() - '0'), kMostInBlock);
    text.remove_prefix(1);
  }
  return value;
}

std::string Unescape(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      plain += text[i];
      continue;
    }
    constexpr std::string_view kFrom = "abfnrtv", kTo = "\a\b\f\n\r\t\v";
    const char c = text[++i];
    const size_t at = kFrom.find(c);
    plain += at == std::string_view::npos ? c : kTo[at];
  }
  return plain;
}

// Reads the conversions of one quoted text.
class UnitReader {
 public:
  UnitReader(std::string_view text, std::optional<uint64_t> bytes, HexdumpUnit& unit) : text_(text), bytes_(bytes), unit_(unit) {}

  Status Read() {
    std::string before;
    while (!text_.empty()) {
      const char c = text_.front();
      text_.remove_prefix(1);
      if (c != '%') {
        before += c;
        continue;
      }
      HexdumpPart part;
      part.text = std::move(before);
      before.clear();
      PADDOCK_TRY(ReadConversion(part));
      unit_.parts.push_back(std::move(part));
    }
    if (!before.empty() || unit_.parts.empty()) {
      HexdumpPart part;
      part.text = std::move(before);
      unit_.parts.push_back(std::move(part));
    }
    return {};
  }

 private:
  Status ReadConversion(HexdumpPart& part) {
    while (!text_.empty() && std::string_view(" #+-0").find(text_.front()) != std::string_view::npos) {
      part.flags += text_.front();
      text_.remove_prefix(1);
    }
    part.width = TakeNumber(text_);
    if (text_.starts_with('.')) {
      text_.remove_prefix(1);
      part.precision = TakeNumber(text_);
    }
    const char c = text_.empty() ? '\0' : text_.front();
    if (!text_.empty()) text_.remove_prefix(1);
    part.letter = c;
    switch (c) {
      case 'c': PADDOCK_TRY(SetBytes(part, Kind::kChar, {1}, 1)); break;
      case 'd':
      case 'i': PADDOCK_TRY(SetBytes(part, Kind::kSigned, {1, 2, 4, 8}, 4)); break;
      case 'o':
      case 'u':
      case 'x':
      case 'X': PADDOCK_TRY(SetBytes(part, Kind::kUnsigned, {1, 2, 4, 8}, 4)); break;
      case 'e':
      case 'E':
      case 'f':
      case 'g':
      case 'G': PADDOCK_TRY(SetBytes(part, Kind::kFloat, {4, 8, sizeof(long double)}, 8)); break;
      case 's':
        part.kind = Kind::kString;
        if (!part.precision && !bytes_) return Error(Code::kSyntax, "%s requires a precision or a byte count");
        part.bytes = static_cast<size_t>(bytes_.value_or(part.precision.value_or(0)));
        break;
      case '_': PADDOCK_TRY(ReadSpecial(part)); break;
      default: return Error(Code::kSyntax, std::string("bad conversion character %") + (c == '\0' ? "" : std::string(1, c)));
    }
    if (text_.starts_with("_L[")) {   // colours are for terminals
      const size_t end = text_.find(']');
      if (end != std::string_view::npos) text_.remove_prefix(end + 1);
    }
    if (bytes_ && part.bytes > 0 && has_bytes_) return Error(Code::kSyntax, "byte count with multiple conversion characters");
    has_bytes_ |= part.bytes > 0;
    return {};
  }

  Status ReadSpecial(HexdumpPart& part) {
    const char c = text_.empty() ? '\0' : text_.front();
    if (!text_.empty()) text_.remove_prefix(1);
    if (c == 'A' || c == 'a') {
      const char base = text_.empty() ? '\0' : text_.front();
      if (base != 'd' && base != 'o' && base != 'x') return Error(Code::kSyntax, std::string("bad conversion character %_") + c + (base == '\0' ? "" : std::string(1, base)));
      text_.remove_prefix(1);
      part.kind = Kind::kAddress;
      part.letter = base;
      unit_.is_for_the_end |= c == 'A';
      return {};
    }
    if (c == 'c') return SetBytes(part, Kind::kNamed, {1}, 1);
    if (c == 'p') return SetBytes(part, Kind::kPrintable, {1}, 1);
    if (c == 'u') return SetBytes(part, Kind::kUnicodeName, {1}, 1);
    return Error(Code::kSyntax, std::string("bad conversion character %_") + (c == '\0' ? "" : std::string(1, c)));
  }

  Status SetBytes(HexdumpPart& part, Kind kind, std::initializer_list<uint64_t> allowed, size_t otherwise) {
    part.kind = kind;
    part.bytes = static_cast<size_t>(bytes_.value_or(otherwise));
    if (bytes_ && std::find(allowed.begin(), allowed.end(), *bytes_) == allowed.end()) {
      const std::string name = kind == Kind::kNamed ? "_c" : kind == Kind::kPrintable ? "_p" : kind == Kind::kUnicodeName ? "_u" : std::string(1, part.letter);
      return Error(Code::kSyntax, "bad byte count for conversion character " + name);
    }
    return {};
  }

  std::string_view text_;
  std::optional<uint64_t> bytes_;
  HexdumpUnit& unit_;
  bool has_bytes_ = false;
};

uint64_t ReadUnsigned(std::string_view bytes) {
  uint64_t value = 0;
  std::memcpy(&value, bytes.data(), std::min(bytes.size(), sizeof value));
  return value;
}

int64_t ReadSigned(std::string_view bytes) {
  const int shift = 64 - 8 * static_cast<int>(bytes.size());
  return static_cast<int64_t>(ReadUnsigned(bytes) << shift) >> shift;
}

class Printer {
 public:
  Printer(Output& out, Budget& budget) : out_(out), budget_(budget) {}

  // `cuts` leaves the last blank of trailing text out.
  void Print(const HexdumpPart& part, std::string_view bytes, uint64_t address, bool is_past_end, bool cuts) {
    budget_.Step();
    std::string_view text = part.text;
    if (cuts && part.kind == Kind::kText && !text.empty() && IsSpace(text.back())) text.remove_suffix(1);
    out_.Write(text);
    if (part.kind == Kind::kText) return;
    if (part.width > 4096 || part.precision.value_or(0) > 4096) budget_.WillAllocate(part.width + part.precision.value_or(0));
    budget_.Step(static_cast<int64_t>((part.width + part.precision.value_or(0)) / 16));
    if (is_past_end && part.kind != Kind::kAddress) return Padded(part, "", false);
    switch (part.kind) {
      case Kind::kAddress: return Integer(part, address, part.letter);
      case Kind::kChar: return Padded(part, bytes.substr(0, 1), false);
      case Kind::kNamed: return Padded(part, NamedChar(bytes[0]), true);
      case Kind::kPrintable: return Padded(part, bytes[0] >= 32 && bytes[0] < 127 ? bytes.substr(0, 1) : std::string_view("."), false);
      case Kind::kUnicodeName: return Padded(part, UnicodeName(bytes[0]), true);
      case Kind::kSigned: return Integer(part, static_cast<uint64_t>(ReadSigned(bytes)), 'd');
      case Kind::kUnsigned: return Integer(part, ReadUnsigned(bytes), part.letter);
      case Kind::kFloat: return Float(part, bytes);
      default: return Padded(part, bytes.substr(0, bytes.find('\0')), true);
    }
  }

 private:
  void Padded(const HexdumpPart& part, std::string_view text, bool has_precision) {
    if (has_precision && part.precision) text = text.substr(0, static_cast<size_t>(*part.precision));
    const std::string pad(part.width > text.size() ? static_cast<size_t>(part.width) - text.size() : 0, ' ');
    const bool is_left = part.flags.find('-') != std::string::npos;
    if (!is_left) out_.Write(pad);
    out_.Write(text);
    if (is_left) out_.Write(pad);
  }
  template <class T>
  void Format(const HexdumpPart& part, const char* conversion, T value) {
    std::string format = "%" + part.flags + std::to_string(part.width);
    if (part.width == 0) format = "%" + part.flags;
    if (part.precision) format += "." + std::to_string(*part.precision);
    format += conversion;
    constexpr size_t kLongestNumber = 5000;   // of a long double, as %f
    std::string text(static_cast<size_t>(part.width + part.precision.value_or(0)) + kLongestNumber, '\0');
    const int size = std::snprintf(text.data(), text.size(), format.c_str(), value);
    out_.Write(std::string_view(text).substr(0, static_cast<size_t>(std::max(size, 0))));
  }
  // Most numbers are %02x and the like, without need of the C library.
  bool Quick(const HexdumpPart& part, uint64_t value, char letter) {
    if (letter == 'd' || letter == 'X' || (part.flags != "" && part.flags != "0") || part.width > 24 || part.precision.value_or(0) > 24) return false;
    const unsigned base = letter == 'o' ? 8 : letter == 'u' ? 10 : 16;
    std::array<char, 64> digits;
    size_t at = digits.size();
    do digits[--at] = "0123456789abcdef"[value % base];
    while ((value /= base) > 0);
    const size_t least = static_cast<size_t>(part.precision ? *part.precision : part.flags == "0" ? part.width : 1);
    while (digits.size() - at < least) digits[--at] = '0';
    while (digits.size() - at < part.width) digits[--at] = ' ';
    out_.Write(std::string_view(digits.data() + at, digits.size() - at));
    return true;
  }
  void Integer(const HexdumpPart& part, uint64_t value, char letter) {
    if (part.kind == Kind::kAddress && letter == 'd') letter = 'u';
    if (Quick(part, value, letter)) return;
    if (letter == 'd') return Format(part, "lld", static_cast<long long>(value));
    Format(part, letter == 'o' ? "llo" : letter == 'u' ? "llu" : letter == 'X' ? "llX" : "llx", static_cast<unsigned long long>(value));
  }
  void Float(const HexdumpPart& part, std::string_view bytes) {
    long double value = 0;
    if (bytes.size() == sizeof(float)) {
      float small = 0;
      std::memcpy(&small, bytes.data(), sizeof small);
      value = small;
    } else if (bytes.size() == sizeof(double)) {
      double middle = 0;
      std::memcpy(&middle, bytes.data(), sizeof middle);
      value = middle;
    } else {
      std::memcpy(&value, bytes.data(), sizeof value);
    }
    Format(part, (std::string("L") + part.letter).c_str(), value);
  }
  static std::string NamedChar(char c) {
    constexpr std::string_view kCodes("\0\a\b\f\n\r\t\v", 8), kLetters = "0abfnrtv";
    const size_t at = kCodes.find(c);
    if (at != std::string_view::npos) return std::string{'\\', kLetters[at]};
    if (c >= 32 && c < 127) return std::string(1, c);
    const auto byte = static_cast<unsigned char>(c);
    return {static_cast<char>('0' + (byte >> 6)), static_cast<char>('0' + (byte >> 3 & 7)), static_cast<char>('0' + (byte & 7))};
  }
  static std::string UnicodeName(char c) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 32) return kNames[byte];
    if (byte == 127) return "del";
    if (byte < 127) return std::string(1, c);
    return {"0123456789abcdef"[byte >> 4], "0123456789abcdef"[byte & 15]};
  }

  Output& out_;
  Budget& budget_;
};

}  // namespace

size_t HexdumpUnit::bytes() const {
  size_t sum = 0;
  for (const HexdumpPart& part : parts) sum += part.bytes;
  return sum;
}

uint64_t HexdumpFormat::bytes() const {
  uint64_t sum = 0;
  for (const HexdumpUnit& unit : units) {
    if (!unit.is_for_the_end) sum = std::min(sum + unit.repeat * unit.bytes(), kMostInBlock + 1);
  }
  return sum;
}

Status HexdumpFormats::Add(std::string_view text) {
  const auto bad = [text] { return Error(Code::kSyntax, "bad format {" + std::string(text) + "}"); };
  HexdumpFormat format;
  std::string_view rest = text;
  const auto skip = [&rest] {
    while (!rest.empty() && IsSpace(rest.front())) rest.remove_prefix(1);
  };
  for (skip(); !rest.empty(); skip()) {
    HexdumpUnit unit;
    std::optional<uint64_t> bytes;
    if (IsDigit(rest.front())) {
      const uint64_t number = TakeNumber(rest);
      skip();
      if (rest.starts_with('/')) {
        rest.remove_prefix(1);
        skip();
        unit.repeat = number;
        unit.has_repeat = true;
        if (!rest.empty() && IsDigit(rest.front())) bytes = TakeNumber(rest);
      } else {
        unit.repeat = number;
        unit.has_repeat = true;
      }
    } else if (rest.starts_with('/')) {
      rest.remove_prefix(1);
      skip();
      if (!rest.empty() && IsDigit(rest.front())) bytes = TakeNumber(rest);
    }
    skip();
    if (!rest.starts_with('"')) return bad();
    rest.remove_prefix(1);
    const size_t end = rest.find('"');
    if (end == std::string_view::npos) return bad();
    PADDOCK_TRY(UnitReader(Unescape(rest.substr(0, end)), bytes, unit).Read());
    rest.remove_prefix(end + 1);
    format.units.push_back(std::move(unit));
  }
  formats_.push_back(std::move(format));
  return {};
}

Status HexdumpFormats::AddFile(std::string_view text) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    while (!line.empty() && IsSpace(line.front())) line.remove_prefix(1);
    if (!line.empty() && line.front() != '#') PADDOCK_TRY(Add(line));
  }
  return {};
}

Status HexdumpFormats::Complete() {
  uint64_t most = 0;
  for (const HexdumpFormat& format : formats_) most = std::max(most, format.bytes());
  if (most > kMostInBlock) return Error(Code::kLimit, "a block of more than 16 MiB is too large");
  block_size_ = static_cast<size_t>(most);
  for (HexdumpFormat& format : formats_) {
    if (format.units.empty()) continue;
    HexdumpUnit& last = format.units.back();
    const uint64_t used = format.bytes();
    if (used < most && !last.has_repeat && last.bytes() > 0 && !last.is_for_the_end) last.repeat += (most - used) / last.bytes();
  }
  return {};
}

void HexdumpFormats::PrintBlock(std::string_view block, size_t size, uint64_t address, Output& out, Budget& budget) const {
  Printer printer(out, budget);
  for (const HexdumpFormat& format : formats_) {
    size_t at = 0;
    for (const HexdumpUnit& unit : format.units) {
      if (unit.is_for_the_end) break;
      for (uint64_t left = unit.repeat; left > 0; --left) {
        budget.Step();
        for (size_t i = 0; i < unit.parts.size(); ++i) {
          const HexdumpPart& part = unit.parts[i];
          const bool cuts = left == 1 && unit.repeat > 1 && i + 1 == unit.parts.size();
          printer.Print(part, block.substr(std::min(at, block.size()), part.bytes), address + at, at >= size && size < block.size(), cuts);
          at += part.bytes;
        }
      }
    }
  }
}

void HexdumpFormats::PrintEnd(uint64_t address, Output& out, Budget& budget) const {
  const HexdumpUnit* found = nullptr;
  for (const HexdumpFormat& format : formats_) {
    for (const HexdumpUnit& unit : format.units) {
      if (unit.is_for_the_end) found = &unit;
    }
  }
  if (found == nullptr) return;
  Printer printer(out, budget);
  for (const HexdumpPart& part : found->parts) {
    if (part.kind == Kind::kAddress || part.kind == Kind::kText) printer.Print(part, {}, address, false, false);
  }
}

}  // namespace paddock
