#include "lang/awk/format.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "base/budget.h"
#include "lang/awk/big_format.h"
#include "lang/awk/big_number.h"
#include "lang/awk/number.h"
#include "text/utf8.h"

namespace paddock::awk {
namespace {

// One conversion of a format as it is written.
struct Conversion {
  bool left = false, plus = false, blank = false, alternate = false, zero = false;
  int64_t width = 0;
  int64_t precision = -1;
  char letter = 0;
};

constexpr int64_t kMaxWidth = INT32_MAX;
constexpr std::string_view kModifiers = "hlLjtz";

// Code points as UTF-8, also those above Unicode's range, as the C library encodes them.
void AppendCodePoint(std::string& out, uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
    return;
  }
  int bytes = 2;
  while (bytes < 6 && code >= (1u << (bytes * 5 + 1))) ++bytes;
  out += static_cast<char>((0xff00u >> bytes) | (code >> ((bytes - 1) * 6)));
  for (int i = bytes - 2; i >= 0; --i) out += static_cast<char>(0x80 | ((code >> (i * 6)) & 0x3f));
}

class Formatter {
 public:
  Formatter(std::string& out, std::string_view format, std::span<const Value> arguments,
            const FormatContext& context)
      : out_(out), format_(format), arguments_(arguments), context_(context) {}

  Status Run() {
    while (at_ < format_.size()) {
      if (context_.budget != nullptr) context_.budget->Step();
      const size_t percent = std::min(format_.find('%', at_), format_.size());
      out_.append(format_.substr(at_, percent - at_));
      at_ = percent;
      if (at_ == format_.size()) break;
      PADDOCK_TRY(Convert());
    }
    if (next_ < arguments_.size() && !counts_positions_) return Lint("too many arguments supplied for format string");
    return {};
  }

 private:
  char Peek() const { return at_ < format_.size() ? format_[at_] : '\0'; }

  // Digits at the place, limited; -1 when there are none.
  int64_t TakeNumber() {
    int64_t value = -1;
    while (Peek() >= '0' && Peek() <= '9') {
      value = std::min<int64_t>(std::max<int64_t>(value, 0) * 10 + (Peek() - '0'), kMaxWidth);
      ++at_;
    }
    return value;
  }

  Status Lint(const std::string& message) {
    return context_.lint == nullptr || context_.lint(message) ? Status() : Status(Code::kInvalid);
  }

  Status CheckCounting(bool is_positional, std::string_view intro = "") {
    if (has_counted_ && is_positional != counts_positions_) {
      return Error(Code::kInvalid, std::string(intro) + "must use `count$' on all formats or none");
    }
    has_counted_ = true;
    counts_positions_ = is_positional;
    return {};
  }

  Result<const Value*> Argument(int64_t position) {
    if (position > 0) {
      if (static_cast<size_t>(position) > arguments_.size()) {
        return Error(Code::kInvalid, "argument index " + std::to_string(position) +
                                         " greater than total number of supplied arguments");
      }
      return &arguments_[static_cast<size_t>(position) - 1];
    }
    if (next_ < arguments_.size()) return &arguments_[next_++];
    return RanOut(start_ + 1);
  }

  Error RanOut() const { return RanOut(at_ - 1); }
  Error RanOut(size_t at) const {
    return Error(Code::kInvalid, "not enough arguments to satisfy format string\n\t`" + std::string(format_) + "'\n\t" +
                                     std::string(at, ' ') + "^ ran out for this one");
  }

  // After '*': the value of the next argument, or of "N$".
  Result<int64_t> TakeStar() {
    const size_t digits = at_;
    const int64_t position = TakeNumber();
    const bool is_positional = position >= 0 && Peek() == '$';
    if (is_positional) {
      ++at_;
    } else {
      at_ = digits;
    }
    PADDOCK_TRY(CheckCounting(is_positional, is_positional ? "" : "fatal: "));
    if (is_positional && static_cast<size_t>(position) > arguments_.size()) return RanOut();
    PADDOCK_ASSIGN(const Value* value, Argument(is_positional ? position : 0));
    const double number = value->ToNumber();
    if (!(std::abs(number) <= static_cast<double>(kMaxWidth))) return int64_t{0};
    return static_cast<int64_t>(number);
  }

  void CopyLiterally() {
    out_.append(format_.substr(start_, at_ - start_));
  }

  Status Convert() {
    start_ = at_++;
    Conversion conversion;
    int64_t position = 0;
    const size_t digits = at_;
    if (const int64_t number = TakeNumber(); number >= 0 && Peek() == '$') {
      if (number == 0) return Error(Code::kInvalid, "argument index with `$' must be > 0");
      position = number;
      ++at_;
    } else {
      at_ = digits;
    }
    if (position > 0) PADDOCK_TRY(CheckCounting(true));
    TakeFlags(conversion);
    PADDOCK_TRY(TakeWidth(conversion));
    bool seen[kModifiers.size()] = {};
    for (;; ++at_) {
      const size_t modifier = kModifiers.find(Peek());
      if (at_ == format_.size() || modifier == std::string_view::npos || seen[modifier]) break;
      const std::string shown = std::string("`") + Peek() + "' is ";
      const bool is_first = std::none_of(std::begin(seen), std::end(seen), [](bool is_seen) { return is_seen; });
      if (is_first) PADDOCK_TRY(Lint(shown + "meaningless in awk formats; ignored"));
      if (context_.is_posix) return Error(Code::kInvalid, shown + "not permitted in POSIX awk formats");
      seen[modifier] = true;
    }
    if (at_ == format_.size()) {
      CopyLiterally();
      return Lint("[s]printf: format specifier does not have control letter");
    }
    conversion.letter = format_[at_++];
    if (conversion.letter == '%') {
      if (conversion.width > 0) PADDOCK_TRY(Lint("field width is ignored for `%%' specifier"));
      if (conversion.precision > 0) PADDOCK_TRY(Lint("precision is ignored for `%%' specifier"));
      out_ += '%';
      return {};
    }
    if (std::string_view("cdieEfFgGaAosuxX").find(conversion.letter) == std::string_view::npos) {
      CopyLiterally();
      // What cannot be shown ends the format as if it had no letter.
      if (conversion.letter > ' ') {
        return Lint(std::string("ignoring unknown format specifier character `") + conversion.letter + "': no argument converted");
      }
      return Lint("[s]printf: format specifier does not have control letter");
      return {};
    }
    PADDOCK_TRY(CheckCounting(position > 0));
    PADDOCK_ASSIGN(const Value* value, Argument(position));
    if (context_.budget != nullptr) {
      const int64_t size = std::max(conversion.width, conversion.precision);
      context_.budget->WillAllocate(static_cast<uint64_t>(size) + 400);
      context_.budget->Step(size / 32);
    }
    Write(conversion, *value);
    return {};
  }

  void TakeFlags(Conversion& conversion) {
    for (;; ++at_) {
      switch (Peek()) {
        case '-': conversion.left = true; break;
        case '+': conversion.plus = true; break;
        case ' ': conversion.blank = true; break;
        case '#': conversion.alternate = true; break;
        case '0': conversion.zero = true; break;
        case '\'': break;  // grouping: the C locale has none
        default: return;
      }
      if (at_ == format_.size()) return;
    }
  }

  Status TakeWidth(Conversion& conversion) {
    if (Peek() == '*') {
      ++at_;
      PADDOCK_ASSIGN(conversion.width, TakeStar());
      if (conversion.width < 0) {
        conversion.left = true;
        conversion.width = -conversion.width;
      }
    } else {
      conversion.width = std::max<int64_t>(TakeNumber(), 0);
    }
    if (Peek() != '.') return {};
    ++at_;
    if (Peek() == '*') {
      ++at_;
      PADDOCK_ASSIGN(conversion.precision, TakeStar());
      if (conversion.precision < 0) conversion.precision = -1;
    } else if (Peek() == '-') {  // a negative precision is none
      ++at_;
      TakeNumber();
    } else {
      conversion.precision = std::max<int64_t>(TakeNumber(), 0);
    }
    return {};
  }

  void Write(const Conversion& conversion, const Value& value) {
    switch (conversion.letter) {
      case 's': {
        const TextOf text(value, context_.convfmt);
        WriteText(conversion, text.view(), conversion.precision);
        return;
      }
      case 'c': WriteCharacter(conversion, value); return;
      case 'd':
      case 'i':
      case 'o':
      case 'u':
      case 'x':
      case 'X':
        if (context_.math != nullptr) {
          WriteBigInteger(conversion, context_.math->NumberOf(value));
        } else {
          WriteInteger(conversion, value.ToNumber());
        }
        return;
      default:
        if (context_.math != nullptr) {
          WriteBigFloating(conversion, context_.math->NumberOf(value).ToFloat());
          return;
        }
        WriteFloating(conversion, conversion.letter, value.ToNumber()); return;
    }
  }

  void WriteText(const Conversion& conversion, std::string_view text, int64_t precision) {
    // As gawk, which counts the characters of a string that ends at its first NUL.
    if (context_.is_utf8 && conversion.letter == 's' && (precision >= 0 || conversion.width > 0)) {
      text = text.substr(0, text.find('\0'));
    }
    if (precision >= 0 && static_cast<size_t>(precision) < text.size()) {
      const auto limit = static_cast<size_t>(precision);
      text = text.substr(0, context_.is_utf8 ? OffsetOfChar(text, limit) : limit);
    }
    size_t length = text.size();
    if (conversion.width > 0 && context_.is_utf8) length = CountUtf8(text);
    Pad(conversion, text, length);
  }

  void Pad(const Conversion& conversion, std::string_view text, size_t length) {
    const auto width = static_cast<size_t>(conversion.width);
    const size_t padding = width > length ? width - length : 0;
    if (!conversion.left) out_.append(padding, ' ');
    out_.append(text);
    if (conversion.left) out_.append(padding, ' ');
  }

  void WriteCharacter(const Conversion& conversion, const Value& value) {
    std::string text;
    if (value.is_text() && !(value.kind() == Kind::kInput && value.LooksNumeric())) {
      const std::string_view view = value.view();
      if (view.empty()) {
        text += '\0';
      } else {
        text = view.substr(0, context_.is_utf8 ? DecodeUtf8(view).length : 1);
      }
    } else {
      const double number = value.ToNumber();
      const uint32_t code = std::isfinite(number) && std::abs(number) < 1.8e19
                                ? static_cast<uint32_t>(static_cast<int64_t>(std::fmod(number, 4294967296.0)))
                                : 0;
      if (context_.is_utf8 && code < 0x80000000u) {
        AppendCodePoint(text, code);
      } else {
        text += static_cast<char>(code);
      }
      return Pad(conversion, text, text.size());   // bytes, even where they are one character
    }
    WriteText(conversion, text, -1);
  }

  void WriteInteger(const Conversion& conversion, double number) {
    if (!std::isfinite(number)) {
      out_.append(SpecialName(number));
      return;
    }
    number = std::trunc(number);
    const bool is_signed = conversion.letter == 'd' || conversion.letter == 'i';
    char digits[400];
    size_t length = 0;
    if (is_signed) {
      length = WriteIntegral(std::abs(number), digits);
      if (length == 0) {
        length = static_cast<size_t>(std::snprintf(digits, sizeof digits, "%.0f", std::abs(number)));
      }
    } else {
      if (number >= 18446744073709551616.0 || number < -9223372036854775808.0) {
        WriteFloating(conversion, 'g', number);
        return;
      }
      const uint64_t bits = number < 0 ? static_cast<uint64_t>(static_cast<int64_t>(number))
                                       : static_cast<uint64_t>(number);
      const int base = conversion.letter == 'o' ? 8 : conversion.letter == 'u' ? 10 : 16;
      length = static_cast<size_t>(std::to_chars(digits, digits + sizeof digits, bits, base).ptr - digits);
      if (conversion.letter == 'X') {
        for (size_t i = 0; i < length; ++i) {
          if (digits[i] >= 'a') digits[i] = static_cast<char>(digits[i] - 32);
        }
      }
    }
    WriteDigits(conversion, {digits, length}, number < 0, number == 0);
  }

  // The digits of a whole number's magnitude; unsigned conversions know no sign.
  void WriteDigits(const Conversion& conversion, std::string body, bool is_negative, bool is_zero) {
    const bool is_signed = conversion.letter == 'd' || conversion.letter == 'i';
    if (is_zero && conversion.precision == 0) body.clear();
    std::string prefix;
    if (is_signed) {
      prefix = is_negative ? "-" : conversion.plus ? "+" : conversion.blank ? " " : "";
    } else if (conversion.alternate && !is_zero) {
      prefix = conversion.letter == 'x' ? "0x" : conversion.letter == 'X' ? "0X" : "";
    }
    if (conversion.precision > static_cast<int64_t>(body.size())) {
      body.insert(0, static_cast<size_t>(conversion.precision) - body.size(), '0');
    }
    if (conversion.letter == 'o' && conversion.alternate && (body.empty() || body[0] != '0')) {
      body.insert(0, 1, '0');
    }
    WriteNumber(conversion, prefix, body, conversion.zero && conversion.precision < 0);
  }

  void WriteBigInteger(const Conversion& conversion, const BigValue& number) {
    if (!number.is_finite()) {
      out_.append(SpecialName(number.real.ToDouble()));
      return;
    }
    Budget& budget = context_.math->budget();
    BigInteger whole = context_.math->Cut(number).whole;
    const bool is_signed = conversion.letter == 'd' || conversion.letter == 'i';
    if (!is_signed && number.is_negative()) {
      // As 64 bits have it, rounded down.
      if (!number.is_whole && !number.real.IsIntegral()) --whole;
      const BigInteger wrapped = (BigInteger(1) << 64) + whole;
      if (wrapped.sign() >= 0) whole = wrapped;
    }
    const bool is_negative = whole.sign() < 0, is_zero = whole.is_zero();
    if (is_negative) whole = -whole;
    std::string digits;
    switch (conversion.letter) {
      case 'o': digits = whole.str(0, std::ios_base::oct); break;
      case 'x':
      case 'X': digits = whole.str(0, std::ios_base::hex); break;
      default: digits = ToDecimal(whole, budget); break;
    }
    for (char& c : digits) {
      if (conversion.letter == 'X') c = c >= 'a' ? static_cast<char>(c - 32) : c;
      if (conversion.letter == 'x') c = c >= 'A' && c <= 'F' ? static_cast<char>(c + 32) : c;
    }
    if (is_negative && !is_signed) digits.insert(0, 1, '-');
    WriteDigits(conversion, std::move(digits), is_negative, is_zero);
  }

  void WriteBigFloating(const Conversion& conversion, const BigFloat& number) {
    if (!number.is_finite()) {
      const std::string_view name = number.is_nan() ? (number.is_negative ? "-nan" : "+nan") : number.is_negative ? "-inf" : "+inf";
      Pad(conversion, name, name.size());
      return;
    }
    FloatStyle style;
    style.letter = conversion.letter;
    if (conversion.precision >= 0) style.precision = conversion.precision;
    style.is_alternate = conversion.alternate;
    style.rounding = context_.math->context().rounding;
    std::string body = FloatText(number, style, context_.math->budget());
    std::string prefix = number.is_negative ? "-" : conversion.plus ? "+" : conversion.blank ? " " : "";
    if (conversion.letter == 'a' || conversion.letter == 'A') {
      prefix += body.substr(0, 2);
      body.erase(0, 2);
    }
    WriteNumber(conversion, prefix, body, conversion.zero);
  }

  void WriteFloating(const Conversion& conversion, char letter, double number) {
    if (!std::isfinite(number)) {
      out_.append(SpecialName(number));
      return;
    }
    char format[16];
    char* end = format;
    *end++ = '%';
    if (conversion.alternate) *end++ = '#';
    if (conversion.precision >= 0 || (letter != 'a' && letter != 'A')) {
      *end++ = '.';
      *end++ = '*';
    }
    *end++ = letter;
    *end = '\0';
    const int precision = conversion.precision < 0 ? 6 : static_cast<int>(conversion.precision);
    const double magnitude = std::abs(number);
    std::string body(static_cast<size_t>(precision) + 340, '\0');
    int length = 0;
    if (conversion.precision < 0 && (letter == 'a' || letter == 'A')) {
      length = std::snprintf(body.data(), body.size(), format, magnitude);
    } else {
      length = std::snprintf(body.data(), body.size(), format, precision, magnitude);
    }
    body.resize(static_cast<size_t>(std::max(length, 0)));
    std::string prefix = std::signbit(number) ? "-" : conversion.plus ? "+" : conversion.blank ? " " : "";
    if (letter == 'a' || letter == 'A') {  // zeros go behind 0x
      prefix += body.substr(0, 2);
      body.erase(0, 2);
    }
    WriteNumber(conversion, prefix, body, conversion.zero);
  }

  void WriteNumber(const Conversion& conversion, std::string_view prefix, std::string_view body,
                   bool zero_fill) {
    const auto width = static_cast<size_t>(conversion.width);
    const size_t length = prefix.size() + body.size();
    const size_t padding = width > length ? width - length : 0;
    if (!conversion.left && !zero_fill) out_.append(padding, ' ');
    out_.append(prefix);
    if (!conversion.left && zero_fill) out_.append(padding, '0');
    out_.append(body);
    if (conversion.left) out_.append(padding, ' ');
  }

  std::string& out_;
  std::string_view format_;
  std::span<const Value> arguments_;
  const FormatContext& context_;
  size_t at_ = 0;
  size_t start_ = 0;  // of the conversion in progress
  size_t next_ = 0;
  bool has_counted_ = false;
  bool counts_positions_ = false;
};

}  // namespace

Status Format(std::string& out, std::string_view format, std::span<const Value> arguments,
              const FormatContext& context) {
  return Formatter(out, format, arguments, context).Run();
}

bool IsReasonableNumberFormat(std::string_view format) {
  size_t digits = 0;
  for (const char c : format) {
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    if (digits > 5) return false;
  }
  return format.size() < 4096;
}

void AppendByFormat(std::string& out, std::string_view format, double value) {
  const Value argument = Value::Number(value);
  const FormatContext context = {"%.6g", true, nullptr};
  // A format that wants more arguments shows as far as it got.
  if (const Status status = Format(out, format, {&argument, 1}, context); !status) return;
}

void AppendByFormat(std::string& out, std::string_view format, const BigNumber& value) {
  const Value argument = value.math->Make(value.value);
  const FormatContext context = {"%.6g", true, nullptr, value.math};
  if (const Status status = Format(out, format, {&argument, 1}, context); !status) return;
}

}  // namespace paddock::awk
