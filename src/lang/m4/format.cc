// format: as printf, with what the arguments are checked.
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>

#include "lang/m4/processor.h"

namespace paddock::m4 {
namespace {

class Formatter {
 public:
  Formatter(Processor& m4, const Arguments& arguments) : m4_(m4), arguments_(arguments), format_(arguments[1]) {}

  std::string Run() {
    while (at_ < format_.size()) {
      m4_.budget().Step();
      const char c = format_[at_++];
      if (c != '%') {
        out_ += c;
      } else if (Here() == '%') {
        out_ += '%';
        ++at_;
      } else {
        Specifier();
      }
    }
    return std::move(out_);
  }

 private:
  char Here() const { return at_ < format_.size() ? format_[at_] : '\0'; }
  void Forbid(std::string_view kinds) {
    for (const char kind : kinds) std::erase(allowed_, kind);
  }

  void Specifier() {
    allowed_ = "aAcdeEfFgGiosuxX";
    std::string flags;
    for (; std::string_view("'+ 0#-").find(Here()) != std::string_view::npos && Here() != '\0'; ++at_) {
      switch (Here()) {
        case '\'': Forbid("aAceEosxX"); break;
        case '+':
        case ' ': Forbid("cosuxX"); break;
        case '0': Forbid("cs"); break;
        case '#': Forbid("cdisu"); break;
        default: break;
      }
      if (flags.find(Here()) == std::string::npos) flags += Here();
    }
    const int width = TakeCount(0);
    int precision = -1;
    if (Here() == '.') {
      ++at_;
      Forbid("c");
      precision = TakeCount(0);
    }
    int shorts = 0;
    const bool is_long = Here() == 'l';
    if (is_long) {
      ++at_;
      Forbid("cs");
    }
    for (; !is_long && shorts < 2 && Here() == 'h'; ++at_) ++shorts;
    if (shorts > 0) Forbid("aAeEfFgGcs");
    const char kind = Here();
    if (kind == '\0' || allowed_.find(kind) == std::string::npos) {
      if (at_ < format_.size()) ++at_;
      return m4_.Warn("Warning: unrecognized specifier in `" + format_ + "'");
    }
    ++at_;
    const std::string head = "%" + flags + "*.*";
    if (kind == 's') return Print(head + "s", width, precision, Take().c_str());
    if (kind == 'c') return Print("%" + flags + "*c", width, static_cast<int>(Integer() & 255));
    if (std::string_view("aAeEfFgG").find(kind) != std::string_view::npos) return Print(head + kind, width, precision, Real());
    const long value = Integer();
    if (is_long) return Print(head + "l" + kind, width, precision, value);
    Print(head + std::string(static_cast<size_t>(shorts), 'h') + kind, width, precision, static_cast<int>(value));
  }

  // Digits, or * for an argument.
  int TakeCount(int otherwise) {
    constexpr int kMost = 100000000;
    if (Here() == '*') {
      ++at_;
      return static_cast<int>(Integer());
    }
    int count = otherwise;
    for (; Here() >= '0' && Here() <= '9'; ++at_) count = count < kMost ? count * 10 + (Here() - '0') : count;
    return count;
  }

  std::string Take() { return next_ < arguments_.size() ? arguments_[next_++] : std::string(); }
  // Complains of what is no number whole.
  void Check(const std::string& text, const char* end) {
    const char first = text.empty() ? '\0' : text[0];
    if (text.empty()) m4_.Warn("empty string treated as 0");
    else if (end != text.data() + text.size()) m4_.Warn("non-numeric argument " + text);
    else if (first == ' ' || (first >= '\t' && first <= '\r')) m4_.Warn("leading whitespace ignored");
    else if (errno == ERANGE) m4_.Warn("numeric overflow detected");
  }
  long Integer() {
    if (next_ >= arguments_.size()) return 0;
    const std::string text = Take();
    errno = 0;
    char* end = nullptr;
    const long value = std::strtol(text.c_str(), &end, 10);
    Check(text, end);
    return value;
  }
  double Real() {
    if (next_ >= arguments_.size()) return 0;
    const std::string text = Take();
    errno = 0;
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    Check(text, end);
    return value;
  }

  // The C library counts even what it does not print one character at a time: a width is charged before it is asked.
  template <typename... Values>
  void Print(const std::string& spec, int width, Values... values) {
    uint64_t widest = static_cast<uint64_t>(width < 0 ? -static_cast<int64_t>(width) : width);
    if constexpr (sizeof...(Values) == 2) widest += Precision(values...);
    m4_.budget().WillAllocate(widest);
    m4_.budget().Step(static_cast<int64_t>(widest));
    const int length = std::snprintf(nullptr, 0, spec.c_str(), width, values...);
    if (length <= 0) return;
    m4_.budget().WillAllocate(static_cast<uint64_t>(length));
    m4_.budget().Step(length);
    std::string text(static_cast<size_t>(length) + 1, '\0');
    std::snprintf(text.data(), text.size(), spec.c_str(), width, values...);
    text.resize(static_cast<size_t>(length));
    out_ += text.substr(0, text.find('\0'));
  }
  template <typename Value>
  static uint64_t Precision(int precision, Value) {
    return precision < 0 ? 0 : static_cast<uint64_t>(precision);
  }

  Processor& m4_;
  const Arguments& arguments_;
  const std::string& format_;
  size_t at_ = 0, next_ = 2;
  std::string allowed_, out_;
};

}  // namespace

std::string Format(Processor& m4, const Arguments& arguments) { return Formatter(m4, arguments).Run(); }

}  // namespace paddock::m4
