#include "commands/text/sort_debug.h"

#include <algorithm>

#include "base/budget.h"
#include "commands/text/locale_name.h"
#include "commands/text/sort_numbers.h"
#include "text/quote.h"
#include "text/utf8.h"

namespace paddock {
namespace {

bool IsNumeric(const KeyFlags& flags) { return flags.numeric || flags.general_numeric || flags.human_numeric; }

// All letters, as "options '-bf' are ignored" shows them.
std::string AllLetters(const KeyFlags& flags) {
  KeyFlags rest = flags;
  std::string letters = flags.skip_blanks_start || flags.skip_blanks_end ? "b" : "";
  rest.reverse = false;
  letters += rest.Letters();
  if (!flags.reverse) return letters;
  const size_t version = letters.find('V');
  return letters.insert(version == std::string::npos ? letters.size() : version, "r");
}

// Takes away what some key has itself.
void TakeAway(KeyFlags& unused, const KeyFlags& key) {
  constexpr bool KeyFlags::*kAll[] = {&KeyFlags::skip_blanks_start, &KeyFlags::skip_blanks_end, &KeyFlags::dictionary,
                                      &KeyFlags::fold_case, &KeyFlags::general_numeric, &KeyFlags::human_numeric,
                                      &KeyFlags::printable, &KeyFlags::month, &KeyFlags::numeric,
                                      &KeyFlags::random, &KeyFlags::reverse, &KeyFlags::version};
  for (const auto flag : kAll) unused.*flag = unused.*flag && !(key.*flag);
}

class Warner {
 public:
  Warner(Invocation& in, const SortRules& rules, const SortDebugFacts& facts) : in_(in), rules_(rules), facts_(facts) {}

  void Warn() {
    WarnAboutLocale();
    KeyFlags unused = facts_.global_flags;
    for (size_t i = 0; i < rules_.keys.size(); ++i) {
      WarnAboutKey(rules_.keys[i], i);
      TakeAway(unused, rules_.keys[i].flags);
    }
    WarnAboutNumbers();
    WarnAboutUnused(unused);
  }

 private:
  std::string Quoted(std::string_view text) const { return Quote(text, rules_.is_utf8); }

  void WarnAboutLocale() {
    if (IsPosixLocale(in_.env, "LC_COLLATE")) in_.Fail("text ordering performed using simple byte comparison");
    else in_.Fail("text ordering performed using " + Quoted(LocaleName(in_.env, "LC_COLLATE")) + " sorting rules");
  }

  void WarnAboutKey(const SortKey& key, size_t index) {
    const bool is_obsolete = index < facts_.are_obsolete.size() && facts_.are_obsolete[index];
    if (is_obsolete) {
      std::string old = "+" + std::to_string(key.start_field);
      std::string modern = "-k " + std::to_string(key.start_field + 1);
      if (key.end_field != SortKey::kLineEnd) {
        const std::string end = std::to_string(key.end_field + 1);
        old += " -" + end;
        modern += "," + end;
      }
      in_.Fail("obsolescent key " + Quoted(old) + " used; consider " + Quoted(modern) + " instead");
    }
    const std::string number = std::to_string(index + 1);
    const bool has_no_width = key.end_field != SortKey::kLineEnd && key.end_field < key.start_field;
    if (has_no_width) in_.Fail("key " + number + " has zero width and will be ignored");
    if (!has_no_width && HasSignificantBlanks(key)) {
      in_.Fail("leading blanks are significant in key " + number + "; consider also specifying 'b'");
    }
    if (!facts_.has_only_global_key && IsNumeric(key.flags) &&
        (key.end_field == SortKey::kLineEnd || key.start_field < key.end_field)) {
      in_.Fail("key " + number + " is numeric and spans multiple fields");
      if (key.flags.general_numeric) spans_general_ = true;
      else spans_basic_ = true;
    }
    has_numeric_ |= IsNumeric(key.flags);
  }

  bool HasSignificantBlanks(const SortKey& key) const {
    const bool begins_at_line = key.end_field == 0 && key.end_char != 0;
    if (facts_.has_only_global_key || rules_.tab || begins_at_line) return false;
    const bool skips_anyway = IsNumeric(key.flags) || key.flags.month;
    if (!key.flags.skip_blanks_start && (key.start_char > 0 || !skips_anyway)) return true;
    return !key.flags.skip_blanks_end && key.end_char > 0;
  }

  void WarnAboutNumbers() {
    constexpr char kPoint = '.';
    if (spans_basic_ || spans_general_) {
      const auto warn = [&](std::string_view what) {
        in_.Fail("field separator " + Quoted(std::string(1, *rules_.tab)) + " is treated as a " + std::string(what) +
                 " in numbers");
      };
      if (rules_.tab == kPoint) {
        warn("decimal point");
        return;
      }
      if (rules_.tab == '-') warn("minus sign");
      else if (spans_general_ && rules_.tab == '+') warn("plus sign");
    }
    if (!has_numeric_) return;
    in_.Fail(std::string(rules_.tab == kPoint ? "" : "note ") + "numbers use " + Quoted(".") +
             " as a decimal point in this locale");
  }

  void WarnAboutUnused(KeyFlags unused) {
    const bool has_last_resort = !rules_.is_stable && !rules_.is_unique;
    const bool is_reversed = unused.reverse && !rules_.keys.empty();
    if (!unused.is_default() || (is_reversed && !has_last_resort)) {
      KeyFlags shown = unused;
      if (has_last_resort) shown.reverse = false;
      const std::string letters = AllLetters(shown);
      in_.Fail(letters.size() == 1 ? "option '-" + letters + "' is ignored" : "options '-" + letters + "' are ignored");
    }
    if (is_reversed && has_last_resort) in_.Fail("option '-r' only applies to last-resort comparison");
  }

  Invocation& in_;
  const SortRules& rules_;
  const SortDebugFacts& facts_;
  bool spans_basic_ = false, spans_general_ = false, has_numeric_ = false;
};

// Columns of text in which a tab takes one.
size_t WidthOf(std::string_view text, bool is_utf8) {
  const auto tabs = static_cast<size_t>(std::count(text.begin(), text.end(), '\t'));
  if (is_utf8) return TextWidth(text) + tabs;
  const auto printed = std::count_if(text.begin(), text.end(), [](char c) { return c >= ' ' && c != 0x7f; });
  return static_cast<size_t>(printed) + tabs;
}

// The bytes that count of a number or a month that stands at the front of `text`.
size_t CountedLength(std::string_view text, const KeyFlags& flags) {
  if (flags.month) return MonthNumber(text) > 0 ? 3 : 0;
  if (flags.general_numeric) return GeneralNumericLength(text);
  if (!flags.numeric && !flags.human_numeric) return text.size();
  size_t at = text.starts_with('-') ? 1 : 0;
  bool has_digit = false;
  bool has_point = false;
  for (; at < text.size(); ++at) {
    if (text[at] == '.' && !has_point) has_point = true;
    else if (text[at] >= '0' && text[at] <= '9') has_digit = true;
    else break;
  }
  if (!has_digit) return 0;
  constexpr std::string_view kUnits = "kKMGTPEZY";
  return at + (flags.human_numeric && at < text.size() && kUnits.find(text[at]) != std::string_view::npos ? 1 : 0);
}

void WriteMarks(Output& out, const SortOrder& order, std::string_view line, std::string_view key) {
  const bool is_utf8 = order.rules().is_utf8;
  const auto before = static_cast<size_t>(key.data() - line.data());
  const size_t width = WidthOf(key, is_utf8);
  out.Write(std::string(WidthOf(line.substr(0, before), is_utf8), ' '));
  out.WriteLine(width == 0 ? "^ no match for key" : std::string(width, '_'));
}

}  // namespace

void WarnAboutKeys(Invocation& in, const SortRules& rules, const SortDebugFacts& facts) {
  Warner(in, rules, facts).Warn();
}

void WriteAnnotated(Output& out, const SortOrder& order, std::string_view line) {
  std::string shown(line);
  std::replace(shown.begin(), shown.end(), '\t', '>');
  out.WriteLine(shown);
  const SortRules& rules = order.rules();
  for (const SortKey& key : rules.keys) {
    std::string_view text = order.KeyOf(line, key);
    if (key.flags.month || IsNumeric(key.flags)) {
      const size_t blanks = std::min(text.find_first_not_of(" \t\n"), text.size());
      text.remove_prefix(blanks);
      text = text.substr(0, CountedLength(text, key.flags));
    }
    WriteMarks(out, order, line, text);
  }
  if (rules.keys.empty() || !(rules.is_unique || rules.is_stable)) WriteMarks(out, order, line, line);
}

}  // namespace paddock
