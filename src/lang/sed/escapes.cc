#include "lang/sed/escapes.h"

namespace paddock::sed {
namespace {

int DigitValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

class Converter {
 public:
  Converter(std::string_view text, EscapeUse use) : text_(text), use_(use) {}

  Result<std::string> Run() {
    while (at_ < text_.size()) {
      if (text_[at_] != '\\' || at_ + 1 >= text_.size()) {
        out_.push_back(text_[at_++]);
        continue;
      }
      PADDOCK_TRY(Convert());
    }
    return std::move(out_);
  }

 private:
  void Put(char c) {
    const bool is_special = (c == '\\' && use_ != EscapeUse::kRegex) || (c == '&' && use_ == EscapeUse::kReplacement);
    if (is_special) out_.push_back('\\');
    out_.push_back(c);
    at_ += 2;
  }

  void PutNumber(int base, size_t max_digits) {
    int value = 0;
    size_t end = at_ + 2;
    while (end < text_.size() && end - at_ - 2 < max_digits && DigitValue(text_[end]) < base) {
      value = value * base + DigitValue(text_[end++]);
    }
    if (end == at_ + 2) {
      Keep();
      return;
    }
    Put(static_cast<char>(value & 0xFF));
    at_ = end;
  }

  void Keep() {
    out_.append(text_.substr(at_, 2));
    at_ += 2;
  }

  Status Convert() {
    const char c = text_[at_ + 1];
    switch (c) {
      case 'a': Put('\a'); return {};
      case 'f': Put('\f'); return {};
      case 'n':
        if (use_ == EscapeUse::kText) {
          Put('\n');
        } else {
          Keep();
        }
        return {};
      case 'r': Put('\r'); return {};
      case 't': Put('\t'); return {};
      case 'v': Put('\v'); return {};
      case 'd': PutNumber(10, 3); return {};
      case 'o': PutNumber(8, 3); return {};
      case 'x': PutNumber(16, 2); return {};
      case 'c': return ConvertControl();
      default: Keep(); return {};
    }
  }

  Status ConvertControl() {
    if (at_ + 2 >= text_.size()) {
      out_.push_back('\\');  // the c is lost
      at_ = text_.size();
      return {};
    }
    char c = text_[at_ + 2];
    size_t length = 3;
    if (c == '\\') {
      if (at_ + 3 >= text_.size() || text_[at_ + 3] != '\\') {
        return Error(Code::kSyntax, "recursive escaping after \\c not allowed");
      }
      length = 4;
    }
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 0x20);
    const size_t from = at_;
    Put(static_cast<char>(c ^ 0x40));
    at_ = from + length;
    return {};
  }

  std::string_view text_;
  EscapeUse use_;
  size_t at_ = 0;
  std::string out_;
};

}  // namespace

void SwapEnds(std::string& text) {
  for (char& c : text) c = c == '\n' ? '\0' : c == '\0' ? '\n' : c;
}

Result<std::string> ConvertEscapes(std::string_view text, EscapeUse use) {
  // Most text has none.
  if (text.find('\\') == std::string_view::npos) return std::string(text);
  return Converter(text, use).Run();
}

}  // namespace paddock::sed
