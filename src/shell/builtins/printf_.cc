// printf - formats and writes its arguments

#include "lang/printf/printf.h"
#include "shell/builtins/builtin.h"
#include "shell/expand/expander.h"
#include "shell/state/assign.h"
#include "text/date/time_format.h"
#include "text/date/time_zone.h"

namespace paddock::shell {
namespace {

class Host final : public PrintfHost {
 public:
  Host(Shell& shell) : shell_(shell) {}
  void ComplainNumber(std::string_view argument, bool) override {
    const bool is_octal = argument.size() > 1 && argument[0] == '0' &&
                          argument.find_first_not_of("0123456789") == std::string_view::npos;
    const bool is_hex = argument.size() > 1 && argument[0] == '0' && (argument[1] == 'x' || argument[1] == 'X');
    shell_.Complain("printf", std::string(argument) + (is_octal ? ": invalid octal number"
                                                       : is_hex ? ": invalid hex number"
                                                                : ": invalid number"));
  }
  bool empty_is_zero() const override { return true; }
  bool range_is_warning() const override { return true; }
  void ComplainRange(std::string_view argument) override {
    shell_.Complain("printf", "warning: " + std::string(argument) + ": Numerical result out of range");
  }
  void ComplainConversion(std::string_view directive, char letter) override {
    if (letter == 0) {
      shell_.Complain("printf", "`" + std::string(directive) + "': missing format character");
    } else {
      shell_.Complain("printf", std::string("`") + letter + "': invalid format character");
    }
  }
  void ComplainEscape(std::string_view escape) override {
    shell_.Complain("printf", "missing " + std::string(escape[1] == 'x' ? "hex" : "unicode") + " digit for " + std::string(escape));
  }
  std::string Quote(std::string_view text) override { return QuoteBackslash(text, is_utf8()); }
  bool FormatTimestamp(std::string_view format, int64_t seconds, std::string* out) override {
    const TimeZone zone = TimeZone::FromTz(shell_.Get("TZ"));
    *out = FormatTime(format, zone.ToLocal(seconds), TimePoint{.seconds = seconds}, shell_.budget(), TimeDialect::kLibc);
    return true;
  }
  bool is_utf8() const override { return shell_.locale().is_utf8; }
  bool StoreCount(std::string_view variable, size_t count) override {
    if (!IsReference(variable)) {
      shell_.Complain("printf", "`" + std::string(variable) + "': not a valid identifier");
      return false;
    }
    return AssignReference(shell_, variable, std::to_string(count));
  }
  Budget& budget() override { return shell_.budget(); }
  int64_t NowSeconds() override {
    return std::chrono::duration_cast<std::chrono::seconds>(shell_.kernel().clock().RealNow()).count();
  }
  int64_t StartSeconds() override {
    const auto passed = shell_.kernel().clock().MonotonicNow() - shell_.started;
    return NowSeconds() - std::chrono::duration_cast<std::chrono::seconds>(passed).count();
  }

 private:
  Shell& shell_;
};

int Run(Shell& shell, const BuiltinCall& call) {
  BuiltinOptions options(shell, call, *FindBuiltin("printf"), "v:");
  std::optional<std::string> variable;
  while (const char letter = options.Next()) {
    if (letter == '?') return 2;
    variable = options.argument();
    if (!IsReference(*variable)) {
      shell.Complain("printf", "`" + *variable + "': not a valid identifier");
      return 2;
    }
  }
  const auto operands = options.operands();
  if (operands.empty()) return UsageError(shell, *FindBuiltin("printf"));
  Host host(shell);
  std::string text;
  const int status = FormatPrintf(host, operands[0], operands.subspan(1), &text);
  if (!variable) {
    shell.out().Write(text);
    return status;
  }
  text.resize(std::min(text.size(), text.find('\0')));   // a variable holds no NUL
  return AssignReference(shell, *variable, text) ? status : 1;
}

}  // namespace

extern const Builtin kBuiltin_printf_;
const Builtin kBuiltin_printf_ = {
    .name = "printf",
    .usage = "[-v var] format [arguments]",
    .help = "Formats and prints ARGUMENTS under control of the FORMAT.",
    .run = Run,
};

}  // namespace paddock::shell
