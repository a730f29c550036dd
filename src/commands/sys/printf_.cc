// printf - format and print data
//
// usage: printf FORMAT [ARGUMENT]...
// The program behind `env printf` and `xargs printf`; the shell has its own.
//
// Exit status: 0, or 1 for a bad number or conversion.
// Source: GNU coreutils 9.1.
// Differs: nothing known.

#include "lang/printf/printf.h"
#include "proc/command.h"
#include "text/quote.h"

namespace paddock {
namespace {

class Host final : public PrintfHost {
 public:
  explicit Host(Invocation& in) : in_(in) {}
  void ComplainNumber(std::string_view argument, bool is_partial) override {
    in_.Fail(Quote(argument, is_utf8()) + (is_partial ? ": value not completely converted" : ": expected a numeric value"));
  }
  void ComplainRange(std::string_view argument) override {
    in_.Fail(Quote(argument, is_utf8()) + ": Numerical result out of range");
  }
  void ComplainConversion(std::string_view specification, char letter) override {
    std::string text(specification);
    if (letter != 0) text += letter;
    in_.Fail(text + ": invalid conversion specification");
  }
  std::string Quote(std::string_view text) override {
    return QuoteText(text, QuotingStyle::kShellEscape, is_utf8());
  }
  bool FormatTimestamp(std::string_view, int64_t, std::string*) override { return false; }
  bool is_utf8() const override { return in_.locale.is_utf8; }
  bool StoreCount(std::string_view, size_t) override {
    in_.Fail("%n: invalid conversion specification");
    return false;
  }
  bool empty_is_zero() const override { return true; }
  bool is_strict() const override { return true; }
  void WarnCharacterRest(std::string_view rest) override {
    in_.Fail("warning: " + std::string(rest) + ": character(s) following character constant have been ignored");
  }
  void ComplainCodePoint(std::string_view escape) override {
    in_.Fail("invalid universal character name " + std::string(escape));
  }
  bool RefuseField(bool is_precision, std::string_view number) override {
    in_.Fail(std::string(is_precision ? "invalid precision: " : "invalid field width: ") + Quote(number, is_utf8()));
    return true;
  }
  void ComplainEscape(std::string_view) override { in_.Fail("missing hexadecimal number in escape"); }
  void WarnExcess(std::string_view argument) override {
    in_.Fail("warning: ignoring excess arguments, starting with " + Quote(argument, is_utf8()));
  }
  Budget& budget() override { return in_.budget; }
  int64_t NowSeconds() override { return 0; }
  int64_t StartSeconds() override { return 0; }

 private:
  static std::string Quote(std::string_view text, bool is_utf8) { return paddock::Quote(text, is_utf8); }
  Invocation& in_;
};

ExitStatus Run(Invocation& in) {
  std::span<const std::string> args = in.args.subspan(1);
  if (!args.empty() && args[0] == "--") args = args.subspan(1);
  if (args.empty()) return in.Usage("missing operand");
  if (args[0] == "--help" && args.size() == 1) {
    in.out.Write(HelpText(in.command, in.name_in_messages()));
    return 0;
  }
  if (args[0] == "--version" && args.size() == 1) {
    in.out.Write(VersionText(in.command, in.name()));
    return 0;
  }
  Host host(in);
  std::string text;
  const int status = FormatPrintf(host, args[0], args.subspan(1), &text);
  in.out.Write(text);
  return status;
}

}  // namespace

extern const Command kCommand_printf_;
const Command kCommand_printf_ = {
    .name = "printf",
    .summary = "print ARGUMENT(s) according to FORMAT",
    .synopsis = "FORMAT [ARGUMENT]...",
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
