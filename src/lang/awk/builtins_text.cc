// Built-in functions on text.
#include <algorithm>
#include <cmath>

#include "lang/awk/format.h"
#include "lang/awk/interpreter.h"
#include "lang/awk/number.h"
#include "text/utf8.h"

namespace paddock::awk {
namespace {

bool IsAscii(std::string_view text) {
  size_t i = 0;
  for (; i + 8 <= text.size(); i += 8) {
    uint64_t bytes = 0;
    std::memcpy(&bytes, text.data() + i, 8);
    if ((bytes & 0x8080808080808080u) != 0) return false;
  }
  for (; i < text.size(); ++i) {
    if ((text[i] & 0x80) != 0) return false;
  }
  return true;
}

// Adds the replacement of sub() and gsub(): & is the match, \& is &, \\& a backslash and the match. For POSIX two
// backslashes are one wherever they stand.
void AppendReplacement(std::string& out, std::string_view replacement, std::string_view match, bool is_posix) {
  for (size_t i = 0; i < replacement.size();) {
    const char c = replacement[i];
    if (c == '&') {
      out += match;
      ++i;
      continue;
    }
    if (c != '\\') {
      out += c;
      ++i;
      continue;
    }
    size_t end = i;
    while (end < replacement.size() && replacement[end] == '\\') ++end;
    const size_t backslashes = end - i;
    if (end < replacement.size() && replacement[end] == '&') {
      out.append(backslashes / 2, '\\');
      if (backslashes % 2 == 1) {
        out += '&';
        ++end;
      }
    } else {
      // Four are two in any case.
      out.append(is_posix ? (backslashes + 1) / 2 : backslashes / 4 * 2 + backslashes % 4, '\\');
    }
    i = end;
  }
}

// Adds the replacement of gensub(): \0 to \9 and &.
void AppendGroups(std::string& out, std::string_view replacement, std::string_view text,
                  const std::vector<RegexGroup>& groups) {
  const auto append_group = [&](size_t group) {
    if (group < groups.size() && groups[group].is_set()) {
      out += text.substr(groups[group].begin, groups[group].end - groups[group].begin);
    }
  };
  for (size_t i = 0; i < replacement.size(); ++i) {
    const char c = replacement[i];
    if (c == '&') {
      append_group(0);
    } else if (c != '\\') {
      out += c;
    } else {
      const char next = ++i < replacement.size() ? replacement[i] : '\0';
      if (next >= '0' && next <= '9') {
        append_group(static_cast<size_t>(next - '0'));
      } else {
        out += next;
      }
    }
  }
}

}  // namespace

size_t Interpreter::CountChars(std::string_view text) const {
  return options_.is_utf8 && !IsAscii(text) ? CountUtf8(text) : text.size();
}

size_t Interpreter::CharOffset(std::string_view text, size_t count) const {
  if (!options_.is_utf8 || IsAscii(text)) return std::min(count, text.size());
  return OffsetOfChar(text, count);
}

const AwkPattern* Interpreter::PatternOf(const Value& value) {
  auto pattern = patterns_.Find(value, convfmt_);
  if (pattern) return *pattern;
  BadPattern(pattern.error(), TextOf(value, convfmt_).view());
  return nullptr;
}

bool Interpreter::CallText(Builtin id, size_t count) {
  switch (id) {
    case Builtin::kLength: return Length(stack_.At(0));
    case Builtin::kSubstr: return Substr(count);
    case Builtin::kIndex: return Index();
    case Builtin::kToupper: return ChangeCase(true);
    case Builtin::kTolower: return ChangeCase(false);
    case Builtin::kSprintf: return Sprintf(count);
    case Builtin::kMatch: return MatchFunction(count);
    case Builtin::kSplit: return Split(count, false);
    case Builtin::kPatsplit: return Split(count, true);
    case Builtin::kSub: return Substitute(false);
    case Builtin::kGsub: return Substitute(true);
    default: return Gensub();
  }
}

bool Interpreter::Length(const Value& value) {
  if (const Array* const array = value.array(); array != nullptr) {
    return ReturnNumber(1, static_cast<double>(array->size()));
  }
  // An element may still become an array.
  const bool is_element = pc_ > 0 && program_.code[static_cast<size_t>(pc_) - 1].op == Op::kPushElementRef;
  if (value.kind() == Kind::kCell && !is_element) value.cell()->is_scalar = true;
  const size_t length = CountChars(TextOf(value, convfmt_).view());
  budget_.Step(static_cast<int64_t>(length / 64));
  return ReturnNumber(1, static_cast<double>(length));
}

bool Interpreter::Substr(size_t count) {
  double start = std::trunc(stack_.At(count - 2).ToNumber());
  if (!(start >= 1)) start = 1;
  double length = count > 2 ? std::trunc(stack_.At(0).ToNumber()) : HUGE_VAL;
  if (!(length > 0)) return Return(count, Value::String(""));
  Value part;
  {
    const TextOf text(stack_.At(count - 1), convfmt_);
    const std::string_view view = text.view();
    if (start > static_cast<double>(view.size())) return Return(count, Value::String(""));
    length = std::min(length, static_cast<double>(view.size()));
    const size_t begin = CharOffset(view, static_cast<size_t>(start) - 1);
    const std::string_view rest = view.substr(begin);
    const size_t size = CharOffset(rest, static_cast<size_t>(length));
    budget_.Step(static_cast<int64_t>((begin + size) / 64));
    part = Value::String(rest.substr(0, size));
  }
  return Return(count, std::move(part));
}

bool Interpreter::Index() {
  if (stack_.At(0).kind() == Kind::kRegex) {
    return Fatal("index: regexp constant as second argument is not allowed");
  }
  double result = 0;
  {
    const TextOf text(stack_.At(1), convfmt_), part(stack_.At(0), convfmt_);
    const std::string_view view = text.view();
    budget_.Step(static_cast<int64_t>(view.size() / 64));
    size_t at = std::string_view::npos;
    if (part.view().empty()) {
      result = 1;
    } else if (patterns_.ignore_case()) {
      for (size_t i = 0; i + part.view().size() <= view.size(); ++i) {
        if (CompareText(view.substr(i, part.view().size()), part.view()) == 0) {
          at = i;
          break;
        }
        budget_.Step();
      }
    } else if (const void* found = ::memmem(view.data(), view.size(), part.view().data(),
                                            part.view().size());
               found != nullptr) {
      at = static_cast<size_t>(static_cast<const char*>(found) - view.data());
    }
    if (at != std::string_view::npos) {
      result = static_cast<double>(CountChars(view.substr(0, at)) + 1);
    }
  }
  return ReturnNumber(2, result);
}

bool Interpreter::ChangeCase(bool to_upper) {
  Value result;
  {
    const TextOf text(stack_.At(0), convfmt_);
    const std::string_view view = text.view();
    budget_.Step(static_cast<int64_t>(view.size() / 32));
    if (options_.is_utf8 && !IsAscii(view)) {
      result = Value::String(to_upper ? UpperUtf8(view) : LowerUtf8(view));
    } else {
      Text* const changed = Text::Make(view);
      for (char* c = changed->data(); c != changed->data() + changed->size; ++c) {
        if (to_upper ? (*c >= 'a' && *c <= 'z') : (*c >= 'A' && *c <= 'Z')) *c = static_cast<char>(*c ^ 0x20);
      }
      result = Value::FromText(changed);
    }
  }
  return Return(1, std::move(result));
}

bool Interpreter::Sprintf(size_t count) {
  if (count == 0) return Fatal("sprintf: no arguments");
  std::string text;
  {
    const TextOf format(stack_.At(count - 1), convfmt_);
    const FormatContext context = MakeFormatContext();
    const std::span<const Value> arguments(&stack_.At(0) - (count - 1) + 1, count - 1);
    if (Status status = Format(text, format.view(), arguments, context); !status) {
      if (flow_ == Flow::kFatal) return false;
      return FatalError(status.error());
    }
  }
  return Return(count, Value::String(text));
}

bool Interpreter::MatchFunction(size_t count) {
  Array* array = nullptr;
  if (count > 2) {
    array = stack_.At(0).array();
    if (array == nullptr) return Fatal("match: third argument is not an array");
  }
  const AwkPattern* const pattern = PatternOf(stack_.At(count - 2));
  if (pattern == nullptr) return false;
  const Value subject = ToText(stack_.At(count - 1), convfmt_);
  const std::string_view text = subject.view();
  groups_.assign(array != nullptr ? pattern->group_count() + 1 : 1, RegexGroup{});
  auto found = pattern->Search(text, 0, &groups_, budget_);
  if (!found) return FatalError(found.error());
  if (array != nullptr) array->Clear();
  double start = 0, length = -1;
  if (*found) {
    // Where nothing is matched, gawk counts bytes.
    const bool is_empty = groups_[0].begin == groups_[0].end;
    const size_t before = is_empty ? groups_[0].begin : CountChars(text.substr(0, groups_[0].begin));
    start = static_cast<double>(before + 1);
    length = static_cast<double>(
        CountChars(text.substr(groups_[0].begin, groups_[0].end - groups_[0].begin)));
    for (size_t i = 0; array != nullptr && i < groups_.size(); ++i) {
      const RegexGroup& group = groups_[i];
      if (!group.is_set()) continue;
      const std::string_view part = text.substr(group.begin, group.end - group.begin);
      array->Set(static_cast<int32_t>(i), Value::Input(part), budget_);
      const std::string prefix = std::to_string(i) + subsep_;
      const size_t preceding = CountChars(text.substr(0, group.begin));
      array->Set(prefix + "start", Value::Number(static_cast<double>(preceding + 1)), budget_);
      array->Set(prefix + "length", Value::Number(static_cast<double>(CountChars(part))), budget_);
    }
  }
  global(kSlotRstart) = Value::Number(start);
  global(kSlotRlength) = Value::Number(length);
  return ReturnNumber(count, start);
}

bool Interpreter::Split(size_t count, bool by_content) {
  const std::string name = by_content ? "patsplit" : "split";
  Array* const array = stack_.At(count - 2).array();
  if (array == nullptr) return Fatal(name + ": second argument is not an array");
  Array* separators = nullptr;
  if (count > 3) {
    separators = stack_.At(0).array();
    if (separators == nullptr) return Fatal(name + ": fourth argument is not an array");
    if (separators == array) {
      return Fatal(name + ": cannot use the same array for second and fourth args");
    }
  }
  FieldRule rule;
  const Value& how = count > 2 ? stack_.At(count - 3) : global(by_content ? kSlotFpat : kSlotFs);
  {
    const TextOf separator(how, convfmt_);
    if (by_content) {
      if (separator.view().empty()) return Fatal("patsplit: third argument must be non-null");
      rule = FieldRule::FromContent(separator.view());
    } else if (how.kind() == Kind::kRegex && !separator.view().empty()) {
      rule = FieldRule::FromPattern(separator.view());
    } else {
      rule = FieldRule::FromSeparator(separator.view(), options_.is_utf8);
    }
  }
  if (!rule.pattern().empty()) {
    if (auto pattern = patterns_.FindText(rule.pattern()); !pattern) {
      return BadPattern(pattern.error(), rule.pattern());
    }
  }
  // The text may be an element of the array that is about to be cleared.
  const Value subject = ToText(stack_.At(count - 1), convfmt_);
  const std::string_view text = subject.view();
  array->Clear();
  if (separators != nullptr) separators->Clear();
  int32_t fields = 0;
  const auto take = [&](const FieldSpan& field) {
    const std::string_view after =
        text.substr(field.separator_begin, field.separator_end - field.separator_begin);
    if (field.is_lead) {
      if (separators != nullptr && (by_content || !after.empty())) {
        separators->Set(0, Value::String(after), budget_);
      }
      return true;
    }
    ++fields;
    budget_.Step();
    Value value = Value::Input(text.substr(field.begin, field.end - field.begin));
    if (options_.reads_non_decimal) value.text()->LookNonDecimal();
    array->Set(fields, std::move(value), budget_);
    const bool is_last = field.separator_end == text.size() && after.empty();
    if (separators != nullptr && (by_content || !is_last)) {
      separators->Set(fields, Value::String(after), budget_);
    }
    return fields < INT32_MAX;
  };
  if (Status status = rule.Split(text, patterns_, options_.is_utf8, budget_, take); !status) {
    return FatalError(status.error());
  }
  return ReturnNumber(count, fields);
}

// Stack: target, pattern, replacement. Leaves the number of replacements and the new text aside.
bool Interpreter::Substitute(bool is_global) {
  has_aside_ = false;
  const AwkPattern* const pattern = PatternOf(stack_.At(1));
  if (pattern == nullptr) return false;
  const Value subject = ToText(stack_.At(2), convfmt_);
  const std::string_view text = subject.view();
  const TextOf replacement(stack_.At(0), convfmt_);
  const bool is_plain = replacement.view().find_first_of("\\&") == std::string_view::npos;
  groups_.assign(1, RegexGroup{});
  double replaced = 0;
  size_t copied = 0;         // of the subject
  bool after_match = false;  // a match that was not empty ends at `from`
  std::string& out = scratch_;
  out.clear();
  for (size_t from = 0; from <= text.size();) {
    auto found = pattern->Search(text, from, &groups_, budget_);
    if (!found) return FatalError(found.error());
    if (!*found) break;
    const size_t begin = groups_[0].begin, end = groups_[0].end;
    if (begin == end && after_match && begin == from) {
      // Nothing right behind a match is no match of its own.
      after_match = false;
      ++from;
      continue;
    }
    ++replaced;
    budget_.Step(static_cast<int64_t>(1 + replacement.view().size() / 64));
    out.append(text.substr(copied, begin - copied));
    if (is_plain) {
      out.append(replacement.view());
    } else {
      AppendReplacement(out, replacement.view(), text.substr(begin, end - begin), options_.strictness == Strictness::kPosix);
    }
    if (out.size() > Text::kMaxSize) budget_.Stop(LimitKind::kMemory);
    copied = end;
    if (!is_global) break;
    after_match = end > begin;
    from = after_match ? end : end + 1;
  }
  if (replaced > 0) {
    out.append(text.substr(copied));
    const bool is_regex = stack_.At(2).kind() == Kind::kRegex;  // and stays one
    aside_ = Value::FromText(Text::Make(out), is_regex ? Kind::kRegex : Kind::kString);
    has_aside_ = true;
  }
  return ReturnNumber(3, replaced);
}

// Stack: pattern, replacement, how, target.
bool Interpreter::Gensub() {
  const AwkPattern* const pattern = PatternOf(stack_.At(3));
  if (pattern == nullptr) return false;
  double wanted = 1;
  bool is_global = false;
  {
    const TextOf how(stack_.At(1), convfmt_);
    const std::string_view view = how.view();
    if (stack_.At(1).is_text() && !view.empty() && (view[0] == 'g' || view[0] == 'G')) {
      is_global = true;
    } else {
      wanted = std::trunc(stack_.At(1).ToNumber());
      if (!(wanted >= 1)) {
        Warn("gensub: third argument `" + std::string(view) + "' treated as 1");
        wanted = 1;
      }
    }
  }
  const Value subject = ToText(stack_.At(0), convfmt_);
  const std::string_view text = subject.view();
  const TextOf replacement(stack_.At(2), convfmt_);
  groups_.assign(pattern->group_count() + 1, RegexGroup{});
  std::string out;
  double matches = 0;
  size_t copied = 0;
  bool after_match = false;  // a match that was not empty ends at `copied`
  for (size_t from = 0; from <= text.size();) {
    auto found = pattern->Search(text, from, &groups_, budget_);
    if (!found) return FatalError(found.error());
    if (!*found) break;
    const size_t begin = groups_[0].begin, end = groups_[0].end;
    if (begin == end && after_match && begin == from) {
      after_match = false;
      ++from;
      continue;
    }
    ++matches;
    budget_.Step();
    if (is_global || matches == wanted) {
      out.append(text.substr(copied, begin - copied));
      AppendGroups(out, replacement.view(), text, groups_);
      if (out.size() > Text::kMaxSize) budget_.Stop(LimitKind::kMemory);
      copied = end;
      if (!is_global) break;
    }
    after_match = end > begin;
    from = after_match ? end : end + 1;
  }
  out.append(text.substr(copied));
  return Return(4, Value::String(out));
}

}  // namespace paddock::awk
