// Fuzz target of command lines: any arguments are parsed or refused by a table that has every kind of option,
// and so is any value: numbers, sizes, durations, modes, dates, limits and mounts.
// The input is a byte of flags and arguments after newlines.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/options.h"
#include "bounded_run.h"
#include "cli/base64.h"
#include "cli/cli.h"
#include "text/block_size.h"
#include "text/date/date_parse.h"
#include "text/date/duration.h"
#include "text/date/time_format.h"
#include "text/mode.h"
#include "text/numbers.h"
#include "text/quote.h"

namespace paddock {
namespace {

enum class Style { kPlain, kFancy };

struct Settings {
  bool all = false;
  bool almost = false;
  int64_t width = 0;
  uint64_t count = 0;
  double ratio = 0;
  std::string name;
  std::optional<int64_t> level;
  std::vector<std::string> expressions;
  Style style = Style::kPlain;
  bool has_color = false;
};

Status AddTwo(Settings& settings, std::string_view text) {
  settings.expressions.insert(settings.expressions.end(), 2, std::string(text));
  return {};
}
Status SetColor(Settings& settings, std::string_view when) {
  if (when.data() != nullptr && when != "auto" && when != "never") return Error(Code::kInvalid, "invalid argument");
  settings.has_color = true;
  return {};
}
Status SetNothing(Settings&, std::string_view) { return {}; }

constexpr Option kOptions[] = {
    Flag<&Settings::all>('a', "all", "show all"),
    Flag<&Settings::almost>('A', "almost-all", "show almost all"),
    Value<&Settings::width>('w', "width", "NUMBER", "a signed number"),
    Value<&Settings::count>('c', "count", "NUMBER", "an unsigned number"),
    Value<&Settings::ratio>('r', "ratio", "NUMBER", "a number with a fraction"),
    Value<&Settings::name>('n', "name", "TEXT", "text"),
    Value<&Settings::level>('l', "level", "NUMBER", "a number that may be absent"),
    Value<&Settings::expressions>('e', "expression", "TEXT", "repeated text"),
    Set<&Settings::style, Style::kFancy>('F', "fancy", "a constant"),
    Call<AddTwo>('2', "twice", "TEXT", "a function"),
    Call<SetNothing>('q', nullptr, nullptr, "a function without a value"),
    CallOptional<SetColor>(0, "color", "WHEN", "a value that may be absent"),
    CallOptional<SetColor>('C', "colour", "WHEN", "the same"),
};

bool TakeNumber(void* settings, std::string_view argument) {
  static_cast<Settings*>(settings)->width = static_cast<int64_t>(argument.size());
  return argument.size() < 5;
}

std::vector<std::string> Lines(std::string_view text) {
  std::vector<std::string> lines = {"program"};
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

void CheckOptions(const std::vector<std::string>& arguments, unsigned flags) {
  OptionRules rules;
  rules.stop_at_operand = (flags & 1) != 0;
  if ((flags & 2) != 0) rules.numeric_shorthand = TakeNumber;
  Settings settings;
  const auto parsed = ParseOptions(arguments, kOptions, &settings, rules);
  if (!parsed) {
    PADDOCK_CHECK(!parsed.error().Text().empty());
    return;
  }
  // The operands are some of the arguments, in their order.
  size_t next = 1;
  for (const std::string& operand : parsed->operands) {
    while (next < arguments.size() && arguments[next] != operand) ++next;
    PADDOCK_CHECK(next++ < arguments.size());
  }
  PADDOCK_CHECK(!rules.stop_at_operand || parsed->operands.empty() ||
                std::equal(parsed->operands.begin(), parsed->operands.end(),
                           arguments.end() - static_cast<std::ptrdiff_t>(parsed->operands.size())));
}

void CheckSizes(const std::string& text) {
  (void)ParseSize(text, kSizeSuffixes);
  (void)ParseSize(text, "");
  if (const auto count = ParseSizeBetween(text, 10, 1000, kSizeSuffixes)) {
    PADDOCK_CHECK(*count >= 10 && *count <= 1000);
  } else {
    (void)NumberComplaint("invalid number", text, count.error(), true);
  }
  if (const auto seconds = ParseDuration(text)) PADDOCK_CHECK(ToNanoseconds(*seconds).count() >= 0);
  if (const auto block = ParseBlockSize(text)) {
    (void)block->Format(0);
    (void)block->Format(UINT64_MAX);
  } else {
    (void)BlockSizeComplaint("--block-size", text, block.error());
  }
}

void CheckModes(const std::string& text) {
  const auto change = ModeChange::Parse(text);
  if (!change) return;
  for (const uint32_t mode : {0u, 0644u, 07777u}) {
    PADDOCK_CHECK((change->Apply(mode, false, 022) & ~kModeBits) == 0);
    PADDOCK_CHECK((change->Apply(mode, true, 077) & ~kModeBits) == 0);
  }
}

void CheckTimes(const std::string& text, Budget& budget) {
  const TimePoint now{.seconds = 1'700'000'000, .nanos = 5};
  const TimeZone zone = TimeZone::FromTz(text);
  const CalendarTime local = zone.ToLocal(now.seconds);
  (void)FormatTime(text, local, now, budget);
  (void)FormatTime(text, local, now, budget, TimeDialect::kLibc);
  const auto moment = ParseDate(text, now, zone, budget);
  if (!moment) return;
  PADDOCK_CHECK(moment->nanos >= 0 && moment->nanos < 1'000'000'000);
  (void)FormatTime("%c %s %N %G-%V", zone.ToLocal(moment->seconds), *moment, budget);
}

void CheckProgram(const std::string& text) {
  Limits limits;
  sandbox::SandboxSpec spec;
  if (cli::ParseLimit(text, limits, spec)) PADDOCK_CHECK(limits.time.count() >= 0);
  if (const auto mount = cli::ParseMount(text)) {
    PADDOCK_CHECK(!mount->host.empty() && mount->guest.starts_with('/'));
  }
  const auto decoded = cli::DecodeBase64(cli::EncodeBase64(text));
  PADDOCK_CHECK(decoded && *decoded == text);
  (void)cli::DecodeBase64(text);
}

void RunOne(std::string_view data, Budget& budget) {
  const auto flags = static_cast<unsigned char>(data[0]);
  const std::vector<std::string> arguments = Lines(data.substr(1));
  CheckOptions(arguments, flags);
  for (const std::string& text : arguments) {
    CheckSizes(text);
    CheckModes(text);
    CheckTimes(text, budget);
    CheckProgram(text);
    for (int style = 0; style <= static_cast<int>(QuotingStyle::kCLocale); ++style) {
      (void)QuoteText(text, static_cast<QuotingStyle>(style), (flags & 4) == 0, ":");
    }
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
