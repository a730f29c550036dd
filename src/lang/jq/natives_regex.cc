// match and what is built on it, by Perl's regular expressions.
#include <optional>

#include "base/budget.h"
#include "lang/jq/native_tables.h"
#include "lang/jq/pattern_cache.h"
#include "text/utf8.h"

namespace paddock::jq {
namespace {

// The names of the groups in order, found in the pattern's text.
std::vector<std::string> GroupNames(std::string_view source, size_t count) {
  std::vector<std::string> names;
  bool is_in_set = false;
  for (size_t i = 0; i < source.size() && names.size() < count; ++i) {
    const char c = source[i];
    if (c == '\\') {
      ++i;
    } else if (is_in_set) {
      is_in_set = c != ']';
    } else if (c == '[') {
      is_in_set = true;
      if (i + 1 < source.size() && source[i + 1] == '^') ++i;
      if (i + 1 < source.size() && source[i + 1] == ']') ++i;
    } else if (c == '(') {
      const std::string_view rest = source.substr(i + 1);
      if (!rest.starts_with("?")) {
        if (!rest.starts_with("*")) names.emplace_back();
        continue;
      }
      const size_t start = rest.starts_with("?P<") ? 3 : 2;
      const bool is_named = rest.starts_with("?P<") || rest.starts_with("?'") ||
                            (rest.starts_with("?<") && rest.size() > 2 && rest[2] != '=' && rest[2] != '!');
      if (!is_named) continue;
      const size_t end = rest.find_first_of(">'", start);
      names.emplace_back(rest.substr(start, end == std::string_view::npos ? 0 : end - start));
    }
  }
  names.resize(count);
  return names;
}

struct MatchFlags {
  bool is_global = false;
  bool skips_empty = false;
  std::string inline_flags;   // as Perl's (?imsx)
};

std::optional<MatchFlags> ReadFlags(std::string_view text) {
  MatchFlags flags;
  for (const char c : text) {
    switch (c) {
      case 'g': flags.is_global = true; break;
      case 'n': flags.skips_empty = true; break;
      case 'i': flags.inline_flags += 'i'; break;
      case 'x': flags.inline_flags += 'x'; break;
      case 'p': flags.inline_flags += 's'; break;
      case 's': break;   // ^ and $ never match at lines
      default: return std::nullopt;
    }
  }
  return flags;
}

// Offsets in characters of bytes that lie close to each other.
class CharCounter {
 public:
  explicit CharCounter(std::string_view text) : text_(text) {}
  double At(size_t byte) {
    if (byte < byte_) chars_ -= CountUtf8(text_.substr(byte, byte_ - byte));
    else chars_ += CountUtf8(text_.substr(byte_, byte - byte_));
    byte_ = byte;
    return static_cast<double>(chars_);
  }

 private:
  std::string_view text_;
  size_t byte_ = 0, chars_ = 0;
};

// The other way round, also for ever later characters.
class CharOffsets {
 public:
  explicit CharOffsets(std::string_view text) : text_(text) {}
  size_t At(double wanted) {
    const auto character = static_cast<size_t>(wanted);
    byte_ += OffsetOfChar(text_.substr(byte_), character - chars_);
    chars_ = character;
    return byte_;
  }

 private:
  std::string_view text_;
  size_t byte_ = 0, chars_ = 0;
};

Value Capture(std::string_view text, const RegexGroup& group, CharCounter& counter, const std::string* name) {
  Value capture = Value::Object(4);
  if (group.is_set()) {
    const std::string_view part = text.substr(group.begin, group.end - group.begin);
    capture.Set("offset", Value::Number(counter.At(group.begin)));
    capture.Set("length", Value::Number(static_cast<double>(CountUtf8(part))));
    capture.Set("string", Value::String(part));
  } else {
    capture.Set("offset", Value::Number(-1));
    capture.Set("string", Value::Null());
    capture.Set("length", Value::Number(0));
  }
  if (name != nullptr) capture.Set("name", name->empty() ? Value::Null() : Value::String(*name));
  return capture;
}

Value MatchObject(std::string_view text, const std::vector<RegexGroup>& groups, const CompiledPattern& pattern,
                  CharCounter& counter) {
  Value match = Capture(text, groups[0], counter, nullptr);
  Value captures = Value::Array(groups.size() - 1);
  // In a match of nothing, groups that took no part are told as nothing there.
  const bool is_empty = groups[0].begin == groups[0].end;
  for (size_t i = 1; i < groups.size(); ++i) {
    captures.Append(Capture(text, is_empty && !groups[i].is_set() ? groups[0] : groups[i], counter, &pattern.names[i - 1]));
  }
  match.Set("captures", std::move(captures));
  return match;
}

Value FindAll(NativeContext& context, std::string_view text, const CompiledPattern& pattern, const MatchFlags& flags,
              bool is_test) {
  Value matches = Value::Array();
  std::vector<RegexGroup> groups(is_test && !flags.skips_empty ? 0 : pattern.regex.group_count() + 1);
  CharCounter counter(text);
  const RegexText kind = flags.is_global ? ExamineText(text) : RegexText::kUnknown;
  for (size_t from = 0; from <= text.size();) {
    context.budget.Step();
    const Result<bool> found = pattern.regex.Search(text, from, &groups, context.budget, true, kind);
    if (!found) return context.Fail("Regex failure: " + std::string(found.error().Text()));
    if (!*found) break;
    if (groups.empty()) return Value::Bool(true);
    const bool is_empty = groups[0].begin == groups[0].end;
    if (!is_empty || !flags.skips_empty) {
      if (is_test) return Value::Bool(true);
      matches.Append(MatchObject(text, groups, pattern, counter));
      if (!flags.is_global) break;
    }
    from = groups[0].end;
    if (is_empty && from < text.size()) {
      from += DecodeUtf8(text.substr(from)).length;
    } else if (is_empty) {
      break;
    }
  }
  return is_test ? Value::Bool(false) : matches;
}

// What is wrong with a pattern, in the words of jq's own engine.
std::string_view Reason(std::string_view text) {
  constexpr std::pair<std::string_view, std::string_view> kReasons[] = {
      {"missing closing parenthesis", "end pattern with unmatched parenthesis"},
      {"unmatched closing parenthesis", "unmatched close parenthesis"},
      {"missing terminating ]", "premature end of char-class"},
      {"quantifier does not follow", "target of repeat operator is not specified"},
      {"\\ at end of pattern", "end pattern at escape"},
      {"reference to non-existent", "invalid backref number/name"},
      {"range out of order", "empty range in char class"},
  };
  for (const auto& [ours, theirs] : kReasons) {
    if (text.starts_with(ours)) return theirs;
  }
  return text;
}

// (re, flags, is_test)
Value Match(NativeContext& context, Value* a) {
  const auto refuse = [&](const Value& value, const char* why) {
    return context.Fail(Describe(value, context.budget) + why);
  };
  if (!a[0].is_string()) return refuse(a[0], " cannot be matched, as it is not a string");
  if (!a[1].is_string()) return refuse(a[1], " is not a string");
  if (!a[2].is_string() && !a[2].is_null()) return refuse(a[2], " is not a string");
  const auto flags = ReadFlags(a[2].is_null() ? std::string_view() : a[2].view());
  if (!flags) return context.Fail(std::string(a[2].view()) + " is not a valid modifier string");
  const auto pattern = context.patterns.Find(a[1].view(), flags->inline_flags);
  context.budget.Step(100);
  if (!pattern) return context.Fail("Regex failure: " + std::string(Reason(pattern.error().Text())));
  return FindAll(context, a[0].view(), **pattern, *flags, a[3].is_truthy());
}

// (re or [re, flags], null, is_test)
Value MatchArguments(NativeContext& context, Value* a) {
  if (a[1].is_array()) {
    const Value arguments = a[1];
    a[2] = arguments.array_size() > 1 ? arguments.At(1) : Value::Null();
    a[1] = arguments.array_size() > 0 ? arguments.At(0) : Value::Null();
  } else if (!a[1].is_string()) {
    return context.Fail(std::string(a[1].type_name()) + " not a string or array");
  }
  return Match(context, a);
}

// The named groups of a match as an object.
Value Captures(NativeContext& context, Value* a) {
  Value object = Value::Object();
  const Value captures = Index(a[0], Value::String("captures"), context);
  if (!captures.is_array()) return object;
  for (const Value& capture : captures) {
    const Value* const name = capture.Find("name");
    if (name != nullptr && name->is_string()) object.Set(name->text(), *capture.Find("string"));
  }
  return object;
}

// (re, flags): what lies before each match with its named groups, and what lies behind the last.
Value Pieces(NativeContext& context, Value* a) {
  const Value text = a[0];
  a[3] = Value::Bool(false);
  const Value matches = Match(context, a);
  if (!matches.is_valid()) return matches;
  Value edits = Value::Array(matches.array_size());
  CharOffsets offsets(text.view());
  size_t from = 0;
  for (Value match : matches) {
    context.budget.Step();
    const size_t begin = offsets.At(match.Find("offset")->number());
    Value edit = Value::Array(2);
    edit.Append(Value::String(text.view().substr(from, begin - from)));
    from = begin + match.Find("string")->view().size();
    edit.Append(Captures(context, &match));
    edits.Append(std::move(edit));
  }
  Value pieces = Value::Array(2);
  pieces.Append(std::move(edits));
  pieces.Append(Value::String(text.view().substr(from)));
  return pieces;
}

// Of [gap, replacement, other replacement …] for each match: the texts with the first replacements, the second …
Value Assemble(NativeContext& context, Value* a) {
  Value texts = Value::Array();
  for (const Value& edit : a[0]) {
    for (size_t i = 1; i < edit.array_size(); ++i) {
      context.budget.Step();
      Value inserted = Add(edit.At(0), edit.At(i), context);
      if (!inserted.is_valid()) return inserted;
      Value& text = texts.Slot(i - 1);
      text = Add(std::move(text), inserted, context);
      if (!text.is_valid()) return Value();
    }
  }
  for (size_t i = 0; i < texts.array_size(); ++i) {
    Value& text = texts.Slot(i);
    text = Add(std::move(text), a[1], context);
    if (!text.is_valid()) return Value();
  }
  return texts;
}

constexpr Native kNatives[] = {
    {"_pieces", 2, Pieces},
    {"_assemble", 1, Assemble},
    {"_match", 3, Match},
    {"_match_arguments", 3, MatchArguments},
    {"_captures", 0, Captures},
};

}  // namespace

Result<const CompiledPattern*> PatternCache::Find(std::string_view source, std::string_view flags) {
  std::string key = std::string(flags) + "/" + std::string(source);
  if (const auto found = patterns_.find(key); found != patterns_.end()) return found->second.get();
  RegexFlags regex_flags;
  regex_flags.dialect = RegexDialect::kPerl;
  regex_flags.newline_is_text = false;
  const std::string text = flags.empty() ? std::string(source) : "(?" + std::string(flags) + ")" + std::string(source);
  PADDOCK_ASSIGN(Regex regex, Regex::Compile(text, regex_flags));
  const size_t count = regex.group_count();
  if (patterns_.size() >= kMost) patterns_.clear();
  auto& slot = patterns_[std::move(key)];
  slot = std::make_unique<CompiledPattern>(CompiledPattern{std::move(regex), GroupNames(source, count)});
  return slot.get();
}

std::span<const Native> RegexNatives() { return kNatives; }

}  // namespace paddock::jq
