#include "lang/printf/printf.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <optional>
#include <type_traits>

#include "text/utf8.h"

namespace paddock {
namespace {

constexpr int64_t kMaxField = 1ll << 30;
constexpr size_t kBytesPerStep = 32;
constexpr int64_t kDigitsPerStep = 4;

struct Specification {
  bool left = false;
  bool zero = false;
  bool plus = false;
  bool space = false;
  bool alternate = false;
  bool group = false;
  int64_t width = 0;
  std::optional<int64_t> precision;
  std::string time_format;   // of %(…)T
  char letter = 0;
};

class Formatter {
 public:
  Formatter(PrintfHost& host, std::string_view format, std::span<const std::string> arguments, std::string* out)
      : host_(host), format_(format), arguments_(arguments), out_(out) {}

  int Run() {
    do {
      const size_t used_before = next_;
      if (!RunOnce()) return status_;
      if (next_ == used_before) {   // no conversion takes arguments
        if (next_ < arguments_.size()) host_.WarnExcess(arguments_[next_]);
        break;
      }
      host_.budget().Step();
    } while (next_ < arguments_.size());
    return status_;
  }

 private:
  // One pass over the format. False when the output must end.
  bool RunOnce() {
    for (size_t i = 0; i < format_.size();) {
      const size_t special = format_.find_first_of("%\\", i);
      out_->append(format_.substr(i, special - i));
      if (special == std::string_view::npos) return true;
      i = special;
      if (format_[i] == '\\') {
        const size_t end = EscapeEnd(i);
        const std::string_view escape = format_.substr(i, end - i);
        bool is_done = false;
        if (host_.is_strict() && !IsStrictEscape(escape, is_done)) return false;
        if (!host_.is_strict() && LacksDigits(escape)) host_.ComplainEscape(escape);
        if (!is_done && !AppendEscapes(escape, EscapeStyle::kPrintfFormat, host_.is_utf8(), out_)) return false;
        i = end;
        continue;
      }
      if (i + 1 < format_.size() && format_[i + 1] == '%') {
        *out_ += '%';
        i += 2;
        continue;
      }
      Specification spec;
      const size_t begin = i;
      const bool is_good = Parse(&i, &spec);
      if (is_refused_) return false;
      if (is_good && host_.is_strict() && !IsStrict(spec, format_.substr(begin, i - begin))) {
        host_.ComplainConversion(format_.substr(begin, i - begin), '\0');
        status_ = 1;
        return false;
      }
      if (!is_good) {
        host_.ComplainConversion(format_.substr(begin, i - begin), i < format_.size() ? format_[i] : '\0');
        status_ = 1;
        return false;
      }
      if (!Convert(spec)) return false;
    }
    return true;
  }

  // False when the escape ends the output: \c, or \x without digits. `is_done`: it stands for itself.
  bool IsStrictEscape(std::string_view escape, bool& is_done) {
    const char letter = escape.size() > 1 ? escape[1] : '\0';
    if (letter == 'c') return false;
    if (letter == '\'' || letter == '?' || letter == 'E') {
      out_->append(escape);
      is_done = true;
      return true;
    }
    const size_t wanted = letter == 'u' ? 6 : letter == 'U' ? 10 : letter == 'x' ? 3 : 0;
    if (escape.size() < wanted) {
      host_.ComplainEscape(escape);
      status_ = 1;
      return false;
    }
    if (letter != 'u' && letter != 'U') return true;
    const uint64_t code = std::strtoull(std::string(escape.substr(2)).c_str(), nullptr, 16);
    if ((code >= 0xa0 || code == '$' || code == '@' || code == '`') && (code < 0xd800 || code > 0xdfff)) return true;
    host_.ComplainCodePoint(escape);
    status_ = 1;
    return false;
  }

  static bool LacksDigits(std::string_view escape) {
    return escape.size() == 2 && std::string_view("xuU").find(escape[1]) != std::string_view::npos;
  }

  // What coreutils takes: no flag without a meaning for the conversion.
  bool IsStrict(const Specification& spec, std::string_view text) const {
    const std::string_view letter(&spec.letter, 1);
    if (letter == "b" || letter == "q") return text.size() == 2;
    const std::string_view kFloats = "aAeEfFgG";
    if (spec.group && (kFloats.substr(0, 4).find(letter) != text.npos || letter == "c" || letter == "o" ||
                       letter == "s" || letter == "x" || letter == "X")) return false;
    if (spec.alternate && std::string_view("cdisu").find(letter) != text.npos) return false;
    if (spec.zero && std::string_view("cs").find(letter) != text.npos) return false;
    if (spec.precision && letter == "c") return false;
    return letter != "n" && letter != "Q" && letter != "T";
  }

  // Where the escape at format_[i] ends.
  size_t EscapeEnd(size_t i) const {
    if (i + 1 >= format_.size()) return i + 1;
    const char letter = format_[i + 1];
    size_t end = i + 2;
    const auto take = [&](size_t most, auto&& is_digit) {
      for (size_t count = 0; count < most && end < format_.size() && is_digit(format_[end]); ++count) ++end;
    };
    const auto is_octal = [](char c) { return c >= '0' && c <= '7'; };
    const auto is_hex = [](char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; };
    if (is_octal(letter)) take(2, is_octal);
    if (letter == 'x') take(2, is_hex);
    if (letter == 'u') take(4, is_hex);
    if (letter == 'U') take(8, is_hex);
    return end;
  }

  // Parses a specification at format_[*i] == '%'; leaves *i behind it, or at what is wrong.
  bool Parse(size_t* i, Specification* spec) {
    ++*i;
    for (; *i < format_.size(); ++*i) {
      const char flag = format_[*i];
      if (flag == '-') spec->left = true;
      else if (flag == '0') spec->zero = true;
      else if (flag == '+') spec->plus = true;
      else if (flag == ' ') spec->space = true;
      else if (flag == '#') spec->alternate = true;
      else if (flag == '\'') spec->group = true;
      else break;
    }
    if (*i < format_.size() && format_[*i] == '*') {
      ++*i;
      spec->width = NextField(false);
      if (spec->width < 0) {
        spec->left = true;
        spec->width = -spec->width;
      }
    } else {
      spec->width = ReadNumber(i);
    }
    if (*i < format_.size() && format_[*i] == '.') {
      ++*i;
      if (*i < format_.size() && format_[*i] == '*') {
        ++*i;
        const int64_t precision = NextField(true);
        if (precision >= 0) spec->precision = precision;
      } else if (*i < format_.size() && format_[*i] == '-') {
        ++*i;
        ReadNumber(i);   // a negative precision counts as none
      } else {
        spec->precision = ReadNumber(i);
      }
    }
    while (*i < format_.size() && std::string_view("hlLjtzq").find(format_[*i]) != std::string_view::npos) {
      if (format_[*i] == 'q') break;
      ++*i;
    }
    if (*i < format_.size() && format_[*i] == '(') {
      const size_t close = format_.find(')', *i);
      if (close != std::string_view::npos && close + 1 < format_.size() && format_[close + 1] == 'T') {
        spec->time_format = format_.substr(*i + 1, close - *i - 1);
        spec->letter = 'T';
        *i = close + 2;
        return true;
      }
      return false;
    }
    if (*i >= format_.size()) return false;
    spec->letter = format_[*i];
    if (std::string_view("diouxXcsbqQneEfFgGaA").find(spec->letter) == std::string_view::npos) return false;
    ++*i;
    return true;
  }

  int64_t ReadNumber(size_t* i) const {
    int64_t value = 0;
    for (; *i < format_.size() && format_[*i] >= '0' && format_[*i] <= '9'; ++*i) {
      value = std::min(value * 10 + (format_[*i] - '0'), kMaxField);
    }
    return value;
  }

  int64_t NextField(bool is_precision) {
    const auto text = Next();
    const int64_t field = Integer(text);
    constexpr int64_t kIntMax = std::numeric_limits<int>::max();
    if ((field > kIntMax || (field < -kIntMax - 1 && !is_precision)) && host_.RefuseField(is_precision, text)) {
      is_refused_ = true;
      status_ = 1;
    }
    if (field == std::numeric_limits<int64_t>::max() && !host_.is_strict()) return -1;   // as an int of bash's
    return std::clamp(field, -kMaxField, kMaxField);
  }

  // The next argument; an absent one is empty (and counts as used).
  std::string_view Next() {
    has_argument_ = next_ < arguments_.size();
    if (!has_argument_) {
      ++next_;
      return {};
    }
    return arguments_[next_++];
  }

  // The character code of 'c or "c; nothing if the argument has no such form.
  std::optional<int64_t> CharacterValue(std::string_view text) const {
    if (text.empty() || (text[0] != '\'' && text[0] != '"')) return std::nullopt;
    if (text.size() == 1) return host_.is_strict() ? std::nullopt : std::optional<int64_t>(0);
    const DecodedChar decoded = DecodeUtf8(text.substr(1));
    const size_t length = host_.is_utf8() && decoded.is_valid ? decoded.length : 1;
    if (text.size() > 1 + length) host_.WarnCharacterRest(text.substr(1 + length));
    if (!host_.is_utf8()) return static_cast<unsigned char>(text[1]);
    return decoded.is_valid ? static_cast<int64_t>(decoded.code) : static_cast<int64_t>(static_cast<unsigned char>(text[1]));
  }

  int64_t Integer(std::string_view text) { return static_cast<int64_t>(ParseNumber(text, /*is_signed=*/true)); }
  uint64_t Unsigned(std::string_view text) { return ParseNumber(text, /*is_signed=*/false); }

  uint64_t ParseNumber(std::string_view argument, bool is_signed) {
    if (!has_argument_) return 0;
    if (const auto code = CharacterValue(argument)) return static_cast<uint64_t>(*code);
    const std::string text(argument);
    if (text.empty()) {
      if (!host_.empty_is_zero()) {
        host_.ComplainNumber(argument, false);
        status_ = 1;
      }
      return 0;
    }
    errno = 0;
    char* end = nullptr;
    const uint64_t value = is_signed ? static_cast<uint64_t>(std::strtoll(text.c_str(), &end, 0))
                                     : static_cast<uint64_t>(std::strtoull(text.c_str(), &end, 0));
    CheckNumber(argument, end == text.c_str(), end != text.c_str() + text.size());
    return value;
  }

  void CheckNumber(std::string_view argument, bool is_none, bool has_rest) {
    if (errno == ERANGE) {
      host_.ComplainRange(argument);
      errno = 0;
      if (!host_.range_is_warning()) status_ = 1;
    }
    if (is_none || has_rest) {
      host_.ComplainNumber(argument, !is_none);
      status_ = 1;
    }
  }

  long double Floating(std::string_view argument) {
    if (!has_argument_) return 0;
    if (const auto code = CharacterValue(argument)) return static_cast<long double>(*code);
    const std::string text(argument);
    if (text.empty()) {
      if (!host_.empty_is_zero()) {
        host_.ComplainNumber(argument, false);
        status_ = 1;
      }
      return 0;
    }
    errno = 0;
    char* end = nullptr;
    const long double value = std::strtold(text.c_str(), &end);
    CheckNumber(argument, end == text.c_str(), end != text.c_str() + text.size());
    return value;
  }

  void Pad(std::string_view text, const Specification& spec, size_t columns) {
    const size_t width = static_cast<size_t>(spec.width);
    const size_t fill = width > columns ? width - columns : 0;
    host_.budget().WillAllocate(fill);
    host_.budget().Step(static_cast<int64_t>(fill / kBytesPerStep));
    if (!spec.left) out_->append(fill, ' ');
    out_->append(text);
    if (spec.left) out_->append(fill, ' ');
  }

  // %s and its kin: precision cuts, in bytes as bash counts them.
  void PutText(std::string_view text, const Specification& spec) {
    if (spec.precision) text = text.substr(0, static_cast<size_t>(*spec.precision));
    Pad(text, spec, text.size());
  }

  std::string CFormat(const Specification& spec, const char* length) const {
    std::string format = "%";
    if (spec.left) format += '-';
    if (spec.zero) format += '0';
    if (spec.plus) format += '+';
    if (spec.space) format += ' ';
    if (spec.alternate) format += '#';
    format += '*';
    if (spec.precision) format += ".*";
    format += length;
    format += spec.letter;
    return format;
  }

  template <class T>
  void PutNumber(const Specification& spec, const char* length, T value) {
    const std::string format = CFormat(spec, length);
    const int width = static_cast<int>(spec.width);
    const int precision = static_cast<int>(spec.precision.value_or(0));
    // The C library takes up to ten bytes for a digit of a floating-point number, outside of the meter.
    const auto digits = static_cast<uint64_t>(precision);
    host_.budget().WillAllocate(static_cast<uint64_t>(width) + (std::is_floating_point_v<T> ? 12 * digits : digits));
    host_.budget().Step((spec.width + precision) / kDigitsPerStep);
    std::string text;
    const auto print = [&](char* buffer, size_t size) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
      return spec.precision ? std::snprintf(buffer, size, format.c_str(), width, precision, value)
                            : std::snprintf(buffer, size, format.c_str(), width, value);
#pragma GCC diagnostic pop
    };
    const int needed = print(nullptr, 0);
    if (needed < 0) return;
    text.resize(static_cast<size_t>(needed) + 1);
    print(text.data(), text.size());
    text.pop_back();
    out_->append(text);
  }

  bool Convert(const Specification& spec) {
    switch (spec.letter) {
      case 'd':
      case 'i': PutNumber(spec, "ll", static_cast<long long>(Integer(Next()))); return true;
      case 'o':
      case 'u':
      case 'x':
      case 'X': PutNumber(spec, "ll", static_cast<unsigned long long>(Unsigned(Next()))); return true;
      case 'e': case 'E': case 'f': case 'F': case 'g': case 'G': case 'a': case 'A':
        PutNumber(spec, "L", Floating(Next()));
        return true;
      case 'c': {
        const std::string_view text = Next();
        if (text.empty()) {
          Pad(std::string_view("\0", 1), spec, 1);
        } else {
          Pad(text.substr(0, 1), spec, 1);
        }
        return true;
      }
      case 's': PutText(Next(), spec); return true;
      case 'b': {
        std::string decoded;
        const bool goes_on = AppendEscapes(Next(), host_.is_strict() ? EscapeStyle::kPrintfB : EscapeStyle::kShellPrintfB,
                                           host_.is_utf8(), &decoded);
        PutText(decoded, spec);
        return goes_on;
      }
      case 'q':
      case 'Q': {
        std::string_view text = Next();
        if (spec.letter == 'Q' && spec.precision) text = text.substr(0, static_cast<size_t>(*spec.precision));
        Specification plain = spec;
        if (spec.letter == 'Q') plain.precision.reset();
        PutText(host_.Quote(text), plain);
        return true;
      }
      case 'n': {
        const std::string_view name = Next();
        if (!host_.StoreCount(name, out_->size())) status_ = 1;
        return true;
      }
      case 'T': {
        const std::string_view text = Next();
        int64_t seconds = has_argument_ ? Integer(text) : -1;
        if (seconds == -1) seconds = host_.NowSeconds();
        if (seconds == -2) seconds = host_.StartSeconds();
        std::string formatted;
        if (!host_.FormatTimestamp(spec.time_format.empty() ? "%X" : spec.time_format, seconds, &formatted)) {
          host_.ComplainConversion("%(", 'T');
          status_ = 1;
          return false;
        }
        PutText(formatted, spec);
        return true;
      }
      default: return true;
    }
  }

  PrintfHost& host_;
  std::string_view format_;
  std::span<const std::string> arguments_;
  std::string* out_;
  size_t next_ = 0;
  int status_ = 0;
  bool is_refused_ = false;
  bool has_argument_ = false;
};

}  // namespace

int FormatPrintf(PrintfHost& host, std::string_view format, std::span<const std::string> arguments, std::string* out) {
  return Formatter(host, format, arguments, out).Run();
}

}  // namespace paddock
