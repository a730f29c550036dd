#include <algorithm>
#include <array>
#include <cmath>

#include "commands/file/fd.h"
#include "text/date/date_parse.h"
#include "text/numbers.h"

namespace paddock::fd {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool IsLetter(char c) { return Lower(c) >= 'a' && Lower(c) <= 'z'; }

struct Unit {
  const char* names;   // between blanks
  double seconds;
};
constexpr std::array<Unit, 10> kUnits = {{
    {" nsec ns ", 1e-9},
    {" usec us ", 1e-6},
    {" msec ms ", 1e-3},
    {" seconds second secs sec s ", 1},
    {" minutes minute min mins m ", 60},
    {" hours hour hrs hr h ", 3600},
    {" days day d ", 86400},
    {" weeks week w ", 604800},
    {" months month M ", 2630016},      // 30.44 days
    {" years year y ", 31557600},       // 365.25 days
}};

// "2h 30min": nothing when it is no duration.
std::optional<double> ParseSpan(std::string_view text) {
  double total = 0;
  bool has_any = false;
  while (true) {
    while (!text.empty() && text[0] == ' ') text.remove_prefix(1);
    if (text.empty()) break;
    double number = 0;
    size_t at = 0;
    for (; at < text.size() && IsDigit(text[at]); ++at) number = number * 10 + (text[at] - '0');
    if (at == 0) return std::nullopt;
    while (at < text.size() && text[at] == ' ') ++at;
    text.remove_prefix(at);
    at = 0;
    while (at < text.size() && IsLetter(text[at])) ++at;
    const std::string word = " " + std::string(text.substr(0, at)) + " ";
    text.remove_prefix(at);
    const auto unit = std::find_if(kUnits.begin(), kUnits.end(), [&](const Unit& one) { return std::string_view(one.names).find(word) != std::string_view::npos; });
    if (at == 0 || unit == kUnits.end()) return std::nullopt;
    total += number * unit->seconds;
    has_any = true;
  }
  if (!has_any || total > 1e17) return std::nullopt;
  return total;
}

// Whether it looks like "2018-10-27", with " 10:00:00" or RFC 3339's rest behind.
bool IsDate(std::string_view text) {
  constexpr std::string_view kShape = "0000-00-00 00:00:00";
  // Without a time, months and days may have one digit.
  if (text.size() >= 8 && text.size() < 10 && std::count(text.begin(), text.end(), '-') == 2 && text[4] == '-' && IsDigit(text.back())) {
    return text.find_first_not_of("0123456789-") == std::string_view::npos && text[5] != '-';
  }
  for (size_t i = 0; i < std::min(text.size(), kShape.size()); ++i) {
    const bool is_right = kShape[i] == '0' ? IsDigit(text[i]) : text[i] == kShape[i] || (i == 10 && (text[i] == 'T' || text[i] == 't'));
    if (!is_right) return false;
  }
  if (text.size() == 10) return true;
  if (text.size() < kShape.size()) return false;
  if (text[10] == ' ') return text.size() == kShape.size();
  return text.size() > kShape.size();   // RFC 3339 wants a zone
}

}  // namespace

Error BadValue(std::string_view option, std::string_view value, std::string_view why) {
  return Error(Code::kInvalid, "error: Invalid value '" + std::string(value) + "' for '" + std::string(option) + "': " + std::string(why) + "\n\nFor more information try '--help'\n");
}

Result<uint64_t> ParseNumber(std::string_view option, std::string_view text) {
  std::string_view digits = text;
  if (digits.size() > 1 && digits[0] == '+') digits.remove_prefix(1);
  if (digits.empty()) return BadValue(option, text, "cannot parse integer from empty string");
  uint64_t value = 0;
  for (const char c : digits) {
    if (!IsDigit(c)) return BadValue(option, text, "invalid digit found in string");
    if (value > (UINT64_MAX - 9) / 10) return BadValue(option, text, "number too large to fit in target type");
    value = value * 10 + static_cast<uint64_t>(c - '0');
  }
  return value;
}

Status Types::Add(std::string_view text) {
  const auto is = [&](std::string_view letter, std::string_view word) { return text == letter || text == word; };
  if (is("f", "file")) files = true;
  else if (is("d", "directory")) directories = true;
  else if (is("l", "symlink")) symlinks = true;
  else if (is("s", "socket")) sockets = true;
  else if (is("p", "pipe")) pipes = true;
  else if (is("x", "executable")) executables = files = true;
  else if (is("e", "empty")) empties = true;
  else return Error(Code::kInvalid, "error: '" + std::string(text) + "' isn't a valid value for '--type <filetype>'\n"
                                    "  [possible values: file, directory, symlink, executable, empty, socket, pipe]\n\nFor more information try '--help'\n");
  any = true;
  return {};
}

Result<SizeFilter> SizeFilter::Parse(std::string_view text) {
  const Error bad = BadValue("--size <size>", text, "'" + std::string(text) + "' is not a valid size constraint. See 'fd --help'.");
  SizeFilter filter{Kind::kExactly, 0};
  std::string_view rest = text;
  if (!rest.empty() && (rest[0] == '+' || rest[0] == '-')) {
    filter.kind = rest[0] == '+' ? Kind::kAtLeast : Kind::kAtMost;
    rest.remove_prefix(1);
  }
  if (rest.empty() || !IsDigit(rest[0])) return bad;
  while (!rest.empty() && IsDigit(rest[0])) {
    if (filter.bytes > (UINT64_MAX - 9) / 10) return bad;
    filter.bytes = filter.bytes * 10 + static_cast<uint64_t>(rest[0] - '0');
    rest.remove_prefix(1);
  }
  std::string unit(rest);
  for (char& c : unit) c = Lower(c);
  if (unit == "b") return filter;
  const size_t power = unit.empty() ? std::string_view::npos : std::string_view("kmgt").find(unit[0]);
  if (power == std::string_view::npos) return bad;
  const std::string tail = unit.substr(1);
  if (tail != "" && tail != "b" && tail != "i" && tail != "ib") return bad;
  const uint64_t step = tail.starts_with('i') ? 1024 : 1000;
  for (size_t i = 0; i <= power; ++i) filter.bytes = SaturatingMultiply(filter.bytes, step);
  return filter;
}

bool SizeFilter::Matches(uint64_t size) const {
  switch (kind) {
    case Kind::kAtLeast: return size >= bytes;
    case Kind::kAtMost: return size <= bytes;
    case Kind::kExactly: return size == bytes;
  }
  return false;
}

Result<OwnerFilter> OwnerFilter::Parse(std::string_view text, UserNames& names) {
  constexpr std::string_view kOption = "--owner <user:group>";
  if (std::count(text.begin(), text.end(), ':') > 1) {
    return BadValue(kOption, text, "more than one ':' present in owner string '" + std::string(text) + "'. See 'fd --help'.");
  }
  OwnerFilter filter;
  const size_t colon = text.find(':');
  const auto parse = [&](std::string_view part, bool is_user, std::optional<Id>& id) -> Status {
    if (part.empty()) return {};
    const bool is_not = part[0] == '!';
    if (is_not) part.remove_prefix(1);
    if (!part.empty() && part.size() < 10 && std::all_of(part.begin(), part.end(), IsDigit)) {
      id = Id{static_cast<uint32_t>(std::stoul(std::string(part))), is_not};
      return {};
    }
    const UserRecord* user = is_user ? names.User(part) : nullptr;
    const GroupRecord* group = is_user ? nullptr : names.Group(part);
    if (user == nullptr && group == nullptr) {
      return BadValue(kOption, text, "'" + std::string(part) + "' is not a recognized " + (is_user ? "user" : "group") + " name");
    }
    id = Id{user != nullptr ? user->uid : group->gid, is_not};
    return {};
  };
  PADDOCK_TRY(parse(text.substr(0, colon), true, filter.user));
  if (colon != std::string_view::npos) PADDOCK_TRY(parse(text.substr(colon + 1), false, filter.group));
  return filter;
}

bool OwnerFilter::Matches(const vfs::Attributes& attributes) const {
  const auto fits = [](const std::optional<Id>& id, uint32_t value) { return !id || (id->id == value) != id->is_not; };
  return fits(user, attributes.uid) && fits(group, attributes.gid);
}

std::optional<TimePoint> ParseMoment(std::string_view text, const TimePoint& now, const TimeZone& zone, Budget& budget) {
  if (const auto span = ParseSpan(text)) {
    const double whole = std::floor(*span);
    TimePoint moment{now.seconds - static_cast<int64_t>(whole), now.nanos - static_cast<int32_t>((*span - whole) * 1e9)};
    if (moment.nanos < 0) {
      moment.nanos += 1'000'000'000;
      --moment.seconds;
    }
    return moment;
  }
  if (!IsDate(text)) return std::nullopt;
  return ParseDate(text, now, zone, budget);
}

Result<NamePattern> NamePattern::Parse(const std::string& text, const PatternSettings& settings) {
  NamePattern pattern;
  if (settings.kind == PatternSettings::Kind::kGlob) {
    // A slash in front ties it to the whole name; without one in the pattern no absolute path can match.
    pattern.is_never_ = settings.is_for_paths && !text.starts_with('/') && !text.starts_with("**") && !text.starts_with('{');
    auto glob = IgnoreGlob::Parse("/" + text, settings.ignores_case, true);
    if (!glob) {
      std::string message(glob.error().Text());
      const size_t at = message.find("'/");
      if (at != std::string::npos) message.erase(at + 1, 1);
      return Error(Code::kSyntax, message);
    }
    pattern.glob_ = std::move(*glob);
    return pattern;
  }
  const bool is_literal = settings.kind == PatternSettings::Kind::kLiteral;
  auto regex = Regex::Compile(text, {.dialect = is_literal ? RegexDialect::kExtended : RegexDialect::kPerl, .ignore_case = settings.ignores_case, .is_utf8 = true, .is_literal = is_literal});
  if (!regex) {
    return Error(Code::kSyntax, "regex parse error:\n    " + text + "\nerror: " + std::string(regex.error().Text()) +
                                    "\n\nNote: You can use the '--fixed-strings' option to search for a literal string instead of a regular expression. "
                                    "Alternatively, you can also use the '--glob' option to match on a glob pattern.");
  }
  pattern.regex_ = std::move(*regex);
  return pattern;
}

Result<bool> NamePattern::Matches(std::string_view name, Budget& budget) const {
  if (is_never_) return false;
  if (glob_) return glob_->Matches(name, true, budget);
  return regex_->Search(name, 0, nullptr, budget);
}

bool HasUppercase(std::string_view pattern, PatternSettings::Kind kind) {
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\\' && kind != PatternSettings::Kind::kLiteral) ++i;
    else if (pattern[i] >= 'A' && pattern[i] <= 'Z') return true;
  }
  return false;
}

bool WantsLeadingDot(std::string_view pattern, PatternSettings::Kind kind) {
  if (kind == PatternSettings::Kind::kGlob) return pattern.starts_with('.') || pattern.starts_with("[.]");
  return kind == PatternSettings::Kind::kRegex && (pattern.starts_with("^\\.") || pattern.starts_with("^[.]"));
}

}  // namespace paddock::fd
