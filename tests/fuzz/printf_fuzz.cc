// Fuzz target of printf: any format with any arguments is formatted or complained about; numbers come out as
// the C library's printf shows them. The input is a byte of flags, the format, and arguments after newlines.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/check.h"
#include "bounded_run.h"
#include "lang/printf/printf.h"

namespace paddock {
namespace {

class Host final : public PrintfHost {
 public:
  Host(Budget& budget, unsigned flags) : budget_(budget), flags_(flags) {}
  void ComplainNumber(std::string_view, bool) override { ++complaints; }
  void ComplainRange(std::string_view) override { ++complaints; }
  void ComplainConversion(std::string_view, char) override { ++complaints; }
  std::string Quote(std::string_view text) override { return "'" + std::string(text) + "'"; }
  bool FormatTimestamp(std::string_view format, int64_t seconds, std::string* out) override {
    *out = std::string(format) + std::to_string(seconds);
    return (flags_ & 1) == 0;
  }
  bool is_utf8() const override { return (flags_ & 2) == 0; }
  bool empty_is_zero() const override { return (flags_ & 4) != 0; }
  bool range_is_warning() const override { return (flags_ & 8) != 0; }
  bool StoreCount(std::string_view variable, size_t) override { return !variable.empty(); }
  Budget& budget() override { return budget_; }
  int64_t NowSeconds() override { return 1'700'000'000; }
  int64_t StartSeconds() override { return 1'600'000'000; }

  int complaints = 0;

 private:
  Budget& budget_;
  const unsigned flags_;
};

std::vector<std::string> Lines(std::string_view text) {
  std::vector<std::string> lines;
  for (size_t end = 0; end != std::string_view::npos; text.remove_prefix(end + 1)) {
    end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
  }
  return lines;
}

// Whether the whole format is one %d, %i, %o, %u, %x or %X with a modest width and precision.
bool IsPlainInteger(std::string_view format) {
  if (format.size() < 2 || format.size() > 12 || format[0] != '%') return false;
  const size_t width = format.find_first_not_of("-+ #0", 1);
  if (width == std::string_view::npos) return false;
  size_t at = format.find_first_not_of("0123456789", width);
  if (at == std::string_view::npos || at - width > 3) return false;
  if (format[at] == '.') {
    const size_t precision = at + 1;
    at = format.find_first_not_of("0123456789", precision);
    if (at == std::string_view::npos || at - precision > 3) return false;
  }
  return at + 1 == format.size() && std::string_view("dioxXu").find(format[at]) != std::string_view::npos;
}

void CheckInteger(const std::string& format, const std::string& argument, const std::string& out) {
  std::string wide = format;
  wide.insert(wide.size() - 1, "ll");
  const bool is_signed = format.back() == 'd' || format.back() == 'i';
  const long long value = is_signed ? std::strtoll(argument.c_str(), nullptr, 0)
                                    : static_cast<long long>(std::strtoull(argument.c_str(), nullptr, 0));
  char expected[2048];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  const int length = std::snprintf(expected, sizeof expected, wide.c_str(), value);
#pragma GCC diagnostic pop
  PADDOCK_CHECK(length >= 0 && out == std::string_view(expected, static_cast<size_t>(length)));
}

void RunOne(std::string_view data, Budget& budget) {
  const auto flags = static_cast<unsigned char>(data[0]);
  std::vector<std::string> arguments = Lines(data.substr(1));
  const std::string format = std::move(arguments.front());
  arguments.erase(arguments.begin());
  Host host(budget, flags);
  std::string out;
  const int status = FormatPrintf(host, format, arguments, &out);
  PADDOCK_CHECK(status == 0 || status == 1);
  PADDOCK_CHECK(status == 0 || host.complaints > 0 || format.find('n') != std::string::npos);
  if (IsPlainInteger(format) && arguments.size() == 1 && host.complaints == 0 && !arguments[0].empty() &&
      arguments[0][0] != '\'' && arguments[0][0] != '"') {
    CheckInteger(format, arguments[0], out);
  }
  for (const EscapeStyle style : {EscapeStyle::kEcho, EscapeStyle::kPrintfFormat, EscapeStyle::kPrintfB}) {
    std::string decoded;
    AppendEscapes(format, style, true, &decoded);
    PADDOCK_CHECK(decoded.size() <= format.size());
    // A character that the locale lacks is written out again, with leading zeros: \u1 as \u0001.
    decoded.clear();
    AppendEscapes(format, style, false, &decoded);
    PADDOCK_CHECK(decoded.size() <= 4 * format.size());
  }
}

}  // namespace
}  // namespace paddock

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  paddock::fuzz::RunBounded([&](paddock::Budget& budget) {
    paddock::RunOne({reinterpret_cast<const char*>(data), size}, budget);
  });
  return 0;
}
