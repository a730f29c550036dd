#include <algorithm>
#include <cstring>

#include "base/budget.h"
#include "commands/text/rg_search.h"
#include "text/base64.h"
#include "text/byte_count.h"
#include "text/utf8.h"

namespace paddock {
namespace {

bool IsNameChar(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// Whether a pattern means itself: nothing in it is special, and it is ASCII.
bool IsPlain(std::string_view pattern) {
  constexpr std::string_view kPlain = " !\"#%&',-/:;<=>@`~";
  return std::all_of(pattern.begin(), pattern.end(), [&](char c) { return IsNameChar(c) || kPlain.find(c) != kPlain.npos; });
}

// The names of the capturing groups, by counting parentheses.
std::map<std::string, size_t, std::less<>> GroupNames(std::string_view pattern) {
  std::map<std::string, size_t, std::less<>> names;
  size_t count = 0;
  bool is_in_set = false;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '\\') ++i;
    else if (is_in_set) is_in_set = c != ']';
    else if (c == '[') {
      is_in_set = true;
      if (i + 1 < pattern.size() && pattern[i + 1] == '^') ++i;
      if (i + 1 < pattern.size() && pattern[i + 1] == ']') ++i;
    } else if (c == '(') {
      const std::string_view rest = pattern.substr(i + 1);
      const bool is_named = rest.starts_with("?P<") || (rest.starts_with("?<") && !rest.starts_with("?<=") && !rest.starts_with("?<!"));
      if (rest.starts_with('?') && !is_named) continue;
      ++count;
      if (!is_named) continue;
      const size_t begin = rest.find('<') + 1;
      names.emplace(std::string(rest.substr(begin, rest.find('>') - begin)), count);
    }
  }
  return names;
}

// [:alpha:] and the like are of ASCII, while \\w is not.
std::string WithAsciiClasses(std::string pattern) {
  constexpr std::pair<std::string_view, std::string_view> kClasses[] = {
      {"[:alpha:]", "a-zA-Z"}, {"[:digit:]", "0-9"}, {"[:alnum:]", "0-9a-zA-Z"}, {"[:upper:]", "A-Z"}, {"[:lower:]", "a-z"}, {"[:space:]", "\\t-\\r\\x20"}, {"[:blank:]", "\\t\\x20"},
      {"[:punct:]", "!-/:-@\\[-`{-~"}, {"[:xdigit:]", "0-9A-Fa-f"}, {"[:word:]", "0-9A-Za-z_"}, {"[:cntrl:]", "\\x00-\\x1f\\x7f"}, {"[:graph:]", "!-~"}, {"[:print:]", "\\x20-~"}};
  for (const auto& [name, range] : kClasses) {
    for (size_t at = pattern.find(name); at != std::string::npos; at = pattern.find(name, at + range.size())) pattern.replace(at, name.size(), range);
  }
  return pattern;
}

std::string JsonString(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\b': out += "\\b"; break;
      case '\f': out += "\\f"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      default:
        if (static_cast<unsigned char>(c) < 32) {
          out += "\\u00";
          out += "0123456789abcdef"[static_cast<unsigned char>(c) >> 4];
          out += "0123456789abcdef"[c & 15];
        } else {
          out += c;
        }
    }
  }
  return out + "\"";
}

std::string JsonData(std::string_view text) {
  if (IsValidUtf8(text)) return "{\"text\":" + JsonString(text) + "}";
  return "{\"bytes\":\"" + EncodeBase64(text) + "\"}";
}

// Text of UTF-16 with a byte order mark as UTF-8.
std::string FromUtf16(std::string_view bytes, bool is_big) {
  std::string text;
  const auto unit = [&](size_t i) {
    const auto a = static_cast<unsigned char>(bytes[i]), b = static_cast<unsigned char>(bytes[i + 1]);
    return static_cast<char32_t>(is_big ? a << 8 | b : b << 8 | a);
  };
  for (size_t i = 2; i + 1 < bytes.size(); i += 2) {
    char32_t code = unit(i);
    if (code >= 0xd800 && code < 0xdc00 && i + 3 < bytes.size() && unit(i + 2) >= 0xdc00 && unit(i + 2) < 0xe000) {
      code = 0x10000 + ((code - 0xd800) << 10) + (unit(i + 2) - 0xdc00);
      i += 2;
    } else if (code >= 0xd800 && code < 0xe000) {
      code = 0xfffd;
    }
    AppendUtf8(text, code);
  }
  return text;
}

}  // namespace

Result<RgMatcher> RgMatcher::Make(const std::string& pattern, bool ignores_case, bool is_multiline, bool is_unicode) {
  RegexFlags flags{.dialect = RegexDialect::kPerl, .ignore_case = ignores_case, .is_utf8 = is_unicode, .multiline = is_multiline};
  auto ascii = Regex::Compile(pattern, flags);
  if (!ascii) return ascii.error();
  std::optional<Regex> any;
  // Classes take in all of Unicode.
  if (is_unicode) {
    auto compiled = Regex::Compile("(*UCP)" + WithAsciiClasses(pattern), flags);
    if (!compiled) return compiled.error();
    any = std::move(*compiled);
  }
  const bool is_literal = !ignores_case && IsPlain(pattern);
  std::string required = is_literal ? pattern : ignores_case ? std::string() : LongestRequired(pattern);
  return RgMatcher(std::move(*ascii), std::move(any), GroupNames(pattern), is_literal ? pattern : std::string(), std::move(required));
}

std::optional<size_t> RgMatcher::GroupNamed(std::string_view name) const {
  const auto found = names_.find(name);
  if (found == names_.end()) return std::nullopt;
  return found->second;
}

Result<bool> RgMatcher::Find(std::string_view text, size_t from, RegexText kind, std::vector<RegexGroup>& groups, Budget& budget) const {
  if (literal_.empty()) return (any_ && kind != RegexText::kAscii ? *any_ : ascii_).Search(text, from, &groups, budget, true, kind);
  const size_t at = required_.Find(text, from);
  const bool is_found = at != std::string_view::npos;
  budget.Step(static_cast<int64_t>(((is_found ? at : text.size()) - from) / 32));
  if (is_found && !groups.empty()) groups[0] = {at, at + literal_.size()};
  return is_found;
}

void RgSearch::Write(std::string_view text) {
  in_.out.Write(text);
  printed_bytes_ += text.size();
}

void RgSearch::WriteName() {
  std::string name = name_;
  if (settings_.path_separator != '/') std::replace(name.begin(), name.end(), '/', settings_.path_separator);
  if (settings_.colors) name = settings_.color_table.path.Begin() + name + "\x1b[0m";
  Write(name);
}

void RgSearch::PrintPrefix(bool is_match, uint64_t number, std::optional<uint64_t> column, uint64_t offset) {
  const std::string& separator = is_match ? settings_.match_separator : settings_.field_context_separator;
  const auto colored = [this](uint64_t value, const RgColor& color) {
    const std::string digits = std::to_string(value);
    return settings_.colors ? color.Begin() + digits + "\x1b[0m" : digits;
  };
  const RgColors& colors = settings_.color_table;
  if (settings_.shows_name && !settings_.heading) {
    WriteName();
    Write(settings_.null_after_name ? std::string_view("\0", 1) : std::string_view(separator));
  }
  if (settings_.line_numbers) Write(colored(number, colors.line) + separator);
  if (column && settings_.columns) Write(colored(*column, colors.column) + separator);
  if (settings_.offsets) Write(colored(offset, colors.column) + separator);
}

// What stands between this line and the ones before it: a heading, or the mark of a gap.
void RgSearch::BeginGroup(uint64_t number) {
  const bool has_context = settings_.before > 0 || settings_.after > 0;
  if (!has_begun_ && settings_.heading) {
    if (has_printed_any_) Write("\n");
    if (settings_.shows_name) {
      WriteName();
      Write(settings_.null_after_name ? std::string_view("\0", 1) : std::string_view("\n"));
    }
  } else if (has_context && settings_.context_separator && !settings_.passthru) {
    const bool is_gap = has_begun_ ? number > last_printed_ + 1 : has_printed_any_;
    if (is_gap) Write(*settings_.context_separator + "\n");
  }
  has_begun_ = has_printed_any_ = true;
}

void RgSearch::AppendReplacement(std::string& out, std::string_view text, const Span& span) const {
  const std::string& pattern = *settings_.replacement;
  const auto append_group = [&](size_t index) {
    if (index < span.groups.size() && span.groups[index].is_set()) out += text.substr(span.groups[index].begin, span.groups[index].end - span.groups[index].begin);
  };
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '$' || i + 1 == pattern.size()) {
      out += pattern[i];
      continue;
    }
    if (pattern[i + 1] == '$') {
      out += '$';
      ++i;
      continue;
    }
    const bool is_braced = pattern[i + 1] == '{';
    const size_t begin = i + (is_braced ? 2 : 1);
    size_t end = begin;
    while (end < pattern.size() && (is_braced ? pattern[end] != '}' : IsNameChar(pattern[end]))) ++end;
    if (end == begin || (is_braced && end == pattern.size())) {
      out += '$';
      continue;
    }
    const std::string name = pattern.substr(begin, end - begin);
    if (name.size() < 6 && name.find_first_not_of("0123456789") == std::string::npos) append_group(std::stoul(name));
    else if (const auto index = matcher_.GroupNamed(name)) append_group(*index);
    i = is_braced ? end : end - 1;
  }
}

std::string RgSearch::Replace(std::string_view text, const std::vector<Span>& spans) const {
  std::string out;
  size_t at = 0;
  for (const Span& span : spans) {
    out += text.substr(at, span.begin - at);
    AppendReplacement(out, text, span);
    at = span.end;
  }
  return out + std::string(text.substr(at));
}

void RgSearch::PrintText(std::string_view text, uint64_t number, uint64_t offset, std::optional<size_t> column, bool is_match, const std::vector<Span>* spans, uint64_t matches) {
  PrintPrefix(is_match, number, column, offset);
  size_t cut = 0;
  if (settings_.trim) {
    while (cut < text.size() && (text[cut] == ' ' || (text[cut] >= '\t' && text[cut] <= '\r'))) ++cut;
  }
  const std::string_view shown = text.substr(cut);
  const char end = settings_.null_data ? '\0' : '\n';
  if (settings_.max_columns && *settings_.max_columns > 0 && shown.size() + 1 > *settings_.max_columns) {
    if (settings_.preview) {
      Write(shown.substr(0, OffsetOfChar(shown, static_cast<size_t>(*settings_.max_columns))));
      Write(" [... omitted end of long line]");
    } else if (!is_match) {
      Write("[Omitted long context line]");
    } else if (settings_.replacement) {
      Write("[Omitted long line with " + std::to_string(matches) + " matches]");
    } else {
      Write("[Omitted long matching line]");
    }
    Write(std::string_view(&end, 1));
    return;
  }
  if (!settings_.colors || spans == nullptr || settings_.color_table.match.is_plain()) {
    Write(shown);
  } else {
    size_t at = cut;
    for (const Span& span : *spans) {
      if (span.begin < at || span.begin == span.end) continue;
      Write(text.substr(at, span.begin - at));
      Write(settings_.color_table.match.Begin());
      Write(text.substr(span.begin, span.end - span.begin));
      Write("\x1b[0m");
      at = span.end;
    }
    Write(text.substr(at));
  }
  Write(std::string_view(&end, 1));
}

void RgSearch::PrintMatch(std::string_view text, uint64_t number, uint64_t offset, const std::vector<Span>& spans) {
  BeginGroup(number);
  if (settings_.only_matching && !settings_.invert) {
    uint64_t before = 0;   // line ends up to `counted`
    size_t counted = 0;
    for (const Span& span : spans) {
      std::string shown(text.substr(span.begin, span.end - span.begin));
      if (settings_.replacement) {
        shown.clear();
        AppendReplacement(shown, text, span);
      }
      // A match over several lines is printed line by line.
      if (settings_.multiline) {
        before += CountByte(text.substr(counted, span.begin - counted), '\n');
        counted = span.begin;
      }
      const size_t line_start = settings_.multiline && span.begin > 0 ? text.rfind('\n', span.begin - 1) + 1 : 0;
      uint64_t line = number + before;
      std::string_view rest = shown;
      do {
        const size_t end = settings_.multiline ? std::min(rest.find('\n'), rest.size()) : rest.size();
        const Span whole{0, end, {}};
        const std::vector<Span> all = {whole};
        PrintText(rest.substr(0, end), line++, offset + span.begin, span.begin - line_start + 1, true, &all, spans.size());
        rest.remove_prefix(std::min(end + 1, rest.size()));
      } while (!rest.empty());
    }
    last_printed_ = number;
    return;
  }
  std::optional<size_t> column;
  if (!spans.empty()) column = spans[0].begin + 1;
  if (settings_.replacement && !settings_.invert) {
    const std::string replaced = Replace(text, spans);
    std::string_view rest = replaced;
    uint64_t line = number;
    do {
      const size_t end = settings_.multiline ? std::min(rest.find('\n'), rest.size()) : rest.size();
      PrintText(rest.substr(0, end), line++, offset, column, true, nullptr, spans.size());
      rest.remove_prefix(std::min(end + 1, rest.size()));
    } while (!rest.empty());
    last_printed_ = number;
    return;
  }
  const size_t times = settings_.each_match && !spans.empty() ? spans.size() : 1;
  for (size_t i = 0; i < times; ++i) {
    if (settings_.each_match && !spans.empty()) column = spans[i].begin + 1;
    std::string_view rest = text;
    uint64_t line = number, at = offset;
    do {
      in_.budget.Step();
      const size_t end = settings_.multiline ? std::min(rest.find('\n'), rest.size()) : rest.size();
      const auto base = static_cast<size_t>(rest.data() - text.data());
      std::vector<Span> here;
      for (const Span& span : spans) {
        if (span.begin < base + end && span.end > base) here.push_back({std::max(span.begin, base) - base, std::min(span.end - base, end), {}});
      }
      PrintText(rest.substr(0, end), line, at, column, true, &here, spans.size());
      last_printed_ = line++;
      at += end + 1;
      rest.remove_prefix(std::min(end + 1, rest.size()));
    } while (!rest.empty());
  }
}

void RgSearch::PrintContext(std::string_view line, uint64_t number, uint64_t offset) {
  if (settings_.mode == RgSettings::Mode::kJson) {
    JsonLine("context", line, number, offset, {});
    return;
  }
  BeginGroup(number);
  PrintText(line, number, offset, std::nullopt, false, nullptr, 0);
  last_printed_ = number;
}

Status RgSearch::FindAll(std::string_view text, std::vector<Span>& spans) {
  std::vector<RegexGroup> groups(settings_.replacement ? matcher_.group_count() + 1 : 1);
  size_t from = 0;
  size_t last_end = std::string_view::npos;
  const RegexText kind = ExamineText(text);
  while (from <= text.size()) {
    in_.budget.Step();
    PADDOCK_ASSIGN(const bool found, matcher_.Find(text, from, kind, groups, in_.budget));
    if (!found) break;
    const RegexGroup match = groups[0];
    if (match.begin == match.end) {
      from = match.end + (match.end < text.size() ? DecodeUtf8(text.substr(match.end)).length : 1);
      if (match.begin == last_end) continue;   // an empty match right behind another is none
    } else {
      from = match.end;
    }
    last_end = match.end;
    spans.push_back({match.begin, match.end, settings_.replacement ? groups : std::vector<RegexGroup>()});
  }
  return {};
}

// A line, or lines, that are to be shown.
Status RgSearch::Select(std::string_view text, uint64_t number, uint64_t offset, const std::vector<Span>& spans) {
  using Mode = RgSettings::Mode;
  ++selected_;
  matches_ += settings_.invert ? 0 : std::max<size_t>(spans.size(), 1);
  if (settings_.mode == Mode::kQuiet || settings_.mode == Mode::kFilesWith || settings_.mode == Mode::kFilesWithout) {
    is_finished_ = !settings_.stats;
    return {};
  }
  if (settings_.mode == Mode::kLines && is_telling_binary_ && binary_at_) {
    if (settings_.shows_name) {
      WriteName();
      Write(": ");
    }
    Write("binary file matches (found \"\\0\" byte around offset " + std::to_string(*binary_at_) + ")\n");
    has_printed_any_ = true;
    is_finished_ = true;
    return {};
  }
  if (settings_.mode == Mode::kLines || settings_.mode == Mode::kJson) {
    if (settings_.mode == Mode::kJson && !has_begun_) JsonBegin();
    for (const KeptLine& kept : before_) PrintContext(kept.text, kept.number, kept.offset);
    before_.clear();
    if (settings_.mode == Mode::kJson) JsonLine("match", text, number, offset, spans);
    else PrintMatch(text, number, offset, spans);
    after_left_ = settings_.after;
  }
  if (settings_.max_count && selected_ >= *settings_.max_count && after_left_ == 0) is_finished_ = true;
  return {};
}

Status RgSearch::TakeLine(std::string_view line, bool is_terminated) {
  ++number_;
  const uint64_t offset = offset_;
  offset_ += line.size() + (is_terminated ? 1 : 0);
  const bool is_over = settings_.max_count && selected_ >= *settings_.max_count;
  std::string_view searched = line;
  if (settings_.crlf && searched.ends_with('\r')) searched.remove_suffix(1);
  std::vector<Span> spans;
  bool is_found = false;
  if (!is_over) {
    const bool needs_all = settings_.only_matching || settings_.replacement || settings_.each_match || settings_.colors || settings_.stats ||
                           settings_.mode == RgSettings::Mode::kJson || settings_.mode == RgSettings::Mode::kCountMatches;
    if (needs_all) {
      PADDOCK_TRY(FindAll(searched, spans));
      is_found = !spans.empty();
    } else {
      std::vector<RegexGroup> groups(settings_.columns ? 1 : 0);
      PADDOCK_ASSIGN(is_found, matcher_.Find(searched, 0, ExamineText(searched), groups, in_.budget));
      if (is_found && settings_.columns) spans.push_back({groups[0].begin, groups[0].end, {}});
    }
  }
  if (!is_over && is_found != settings_.invert) {
    if (settings_.invert) spans.clear();
    return Select(line, number_, offset, spans);
  }
  const bool prints = settings_.mode == RgSettings::Mode::kLines || settings_.mode == RgSettings::Mode::kJson;
  if (!prints || (is_telling_binary_ && binary_at_)) return {};
  if (settings_.passthru) {
    PrintContext(line, number_, offset);
  } else if (after_left_ > 0) {
    --after_left_;
    PrintContext(line, number_, offset);
    if (after_left_ == 0 && is_over) is_finished_ = true;
  } else if (settings_.before > 0) {
    if (before_.size() == settings_.before) before_.pop_front();
    before_.push_back({std::string(line), number_, offset});
  }
  return {};
}

// Passes over lines at hand that do not hold what each match holds.
void RgSearch::SkipLines(Input& input, char delimiter) {
  const std::string_view block = input.Peek();
  if (block.empty()) return;
  size_t end = std::min(matcher_.FindRequired(block), block.size());
  if (!settings_.text && !settings_.null_data && !binary_at_) end = std::min(end, block.substr(0, end).find('\0'));
  const void* const last = memrchr(block.data(), delimiter, end);
  if (last == nullptr) return;
  const std::string_view skipped = block.substr(0, static_cast<size_t>(static_cast<const char*>(last) - block.data()) + 1);
  in_.budget.Step(static_cast<int64_t>(skipped.size() / 32));
  number_ += CountByte(skipped, delimiter);
  offset_ += skipped.size();
  input.Consume(skipped.size());
}

Result<bool> RgSearch::Lines(Input& input) {
  const char delimiter = settings_.null_data ? '\0' : '\n';
  const bool looks_for_binary = !settings_.text && !settings_.null_data;
  const bool skips = matcher_.has_required() && !settings_.invert && !settings_.passthru && settings_.before == 0;
  while (!is_done() && in_.out.status()) {
    if (skips && after_left_ == 0) SkipLines(input, delimiter);
    const auto line = input.ReadLine(delimiter);
    if (!line) break;
    in_.budget.Step();
    if (looks_for_binary && !binary_at_) {
      const size_t at = line->text.find('\0');
      if (at != std::string_view::npos) {
        binary_at_ = offset_ + at;
        if (is_quitting_binary_) break;
      }
    }
    PADDOCK_TRY(TakeLine(line->text, line->is_terminated));
  }
  return selected_ > 0;
}

// With matches over several lines: the text as a whole.
Result<bool> RgSearch::Whole(std::string text) {
  if (!settings_.text && text.find('\0') != std::string::npos) {
    binary_at_ = text.find('\0');
    if (is_quitting_binary_) return false;
  }
  std::vector<Span> all;
  PADDOCK_TRY(FindAll(text, all));
  size_t next = 0;     // the first of `all` that is not dealt with
  for (size_t at = 0; at < text.size() && !is_done() && in_.out.status();) {
    in_.budget.Step();
    size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    const size_t first = next;
    // The block of lines that a match takes in, with others that begin inside it.
    while (next < all.size() && (all[next].begin < end || (all[next].begin == text.size() && end == text.size() && !text.ends_with('\n')))) {
      const size_t last = std::max(all[next].begin, all[next].end > all[next].begin ? all[next].end - 1 : all[next].end);
      if (last >= end) end = std::min(text.find('\n', last), text.size() - 1) + 1;
      ++next;
    }
    const bool is_found = next > first;
    std::string_view block = std::string_view(text).substr(at, end - at);
    const bool is_terminated = block.ends_with('\n');
    if (is_terminated) block.remove_suffix(1);
    const auto lines = static_cast<uint64_t>(std::count(block.begin(), block.end(), '\n')) + 1;
    std::vector<Span> spans;
    for (size_t i = first; i < next; ++i) {
      Span span = all[i];
      span.begin -= at;
      span.end = std::min(span.end - at, block.size());
      for (RegexGroup& group : span.groups) {
        if (!group.is_set()) continue;
        group.begin -= at;
        group.end -= at;
      }
      span.begin = std::min(span.begin, block.size());
      spans.push_back(std::move(span));
    }
    const uint64_t number = number_ + 1, offset = offset_;
    number_ += lines;
    offset_ += end - at;
    at = end;
    if (is_found != settings_.invert) {
      if (settings_.max_count && selected_ >= *settings_.max_count) break;
      PADDOCK_TRY(Select(block, number, offset, settings_.invert ? std::vector<Span>() : spans));
      last_printed_ = number_;
      continue;
    }
    if (settings_.mode != RgSettings::Mode::kLines && settings_.mode != RgSettings::Mode::kJson) continue;
    if (settings_.passthru || after_left_ > 0) {
      if (after_left_ > 0) --after_left_;
      PrintContext(block, number, offset);
    } else if (settings_.before > 0) {
      if (before_.size() == settings_.before) before_.pop_front();
      before_.push_back({std::string(block), number, offset});
    }
  }
  return selected_ > 0;
}

Result<bool> RgSearch::File(Input& input, const std::string& name, bool is_explicit) {
  using Mode = RgSettings::Mode;
  name_ = name;
  number_ = offset_ = selected_ = matches_ = last_printed_ = 0;
  const uint64_t printed_before = printed_bytes_;
  after_left_ = 0;
  before_.clear();
  binary_at_.reset();
  has_begun_ = is_finished_ = false;
  is_telling_binary_ = is_explicit || settings_.binary_everywhere;
  is_quitting_binary_ = !is_telling_binary_;
  std::string_view first = input.Peek();
  const bool is_little = first.starts_with("\xff\xfe"), is_big = first.starts_with("\xfe\xff");
  bool found = false;
  if (settings_.max_count == uint64_t{0}) return false;
  if (is_little || is_big || settings_.multiline) {
    std::string text = input.ReadAll();
    PADDOCK_TRY(input.status());
    if (is_little || is_big) text = FromUtf16(text, is_big);
    if (text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);
    if (settings_.multiline) {
      PADDOCK_ASSIGN(found, Whole(std::move(text)));
    } else {
      StringSource source(text);
      Input decoded(source, in_.budget);
      PADDOCK_ASSIGN(found, Lines(decoded));
    }
  } else {
    if (first.starts_with("\xef\xbb\xbf")) {
      input.Consume(3);
      first = input.Peek();
    }
    const size_t zero = settings_.text || settings_.null_data ? std::string_view::npos : first.find('\0');
    if (zero != std::string_view::npos) binary_at_ = zero;
    if (zero == std::string_view::npos || !is_quitting_binary_) {
      PADDOCK_ASSIGN(found, Lines(input));
    }
  }
  PADDOCK_TRY(input.status());
  totals_.files += 1;
  totals_.files_with += found;
  totals_.lines += selected_;
  totals_.matches += matches_;
  totals_.bytes_searched += offset_;
  if (settings_.mode == Mode::kLines && found && is_quitting_binary_ && binary_at_) {
    if (settings_.shows_name) {
      WriteName();
      Write(": ");
    }
    Write("WARNING: stopped searching binary file after match (found \"\\0\" byte around offset " + std::to_string(*binary_at_) + ")\n");
  }
  const char end = settings_.null_after_name ? '\0' : '\n';
  if ((settings_.mode == Mode::kFilesWith && found) || (settings_.mode == Mode::kFilesWithout && !found && !(is_quitting_binary_ && binary_at_))) {
    WriteName();
    Write(std::string_view(&end, 1));
  }
  if (settings_.mode == Mode::kCount || settings_.mode == Mode::kCountMatches) {
    const uint64_t count = settings_.mode == Mode::kCount ? selected_ : matches_;
    if ((count > 0 || settings_.includes_zero) && !(is_quitting_binary_ && binary_at_)) {
      if (settings_.shows_name) {
        WriteName();
        Write(settings_.null_after_name ? std::string_view("\0", 1) : std::string_view(":"));
      }
      Write(std::to_string(count) + "\n");
    }
  }
  if (settings_.mode == Mode::kJson && has_begun_) JsonEnd();
  if (settings_.mode == Mode::kLines || settings_.mode == Mode::kJson) totals_.bytes_printed += printed_bytes_ - printed_before;
  return settings_.mode == Mode::kFilesWithout ? !found : found;
}

void RgSearch::JsonBegin() {
  has_begun_ = true;
  Write("{\"type\":\"begin\",\"data\":{\"path\":" + JsonData(name_) + "}}\n");
}

void RgSearch::JsonLine(const char* type, std::string_view text, uint64_t number, uint64_t offset, const std::vector<Span>& spans) {
  std::string line(text);
  if (offset + text.size() < offset_) line += settings_.null_data ? '\0' : '\n';
  std::string out = std::string("{\"type\":\"") + type + "\",\"data\":{\"path\":" + JsonData(name_) + ",\"lines\":" + JsonData(line) +
                    ",\"line_number\":" + std::to_string(number) + ",\"absolute_offset\":" + std::to_string(offset) + ",\"submatches\":[";
  bool is_first = true;
  for (const Span& span : spans) {
    out += std::string(is_first ? "" : ",") + "{\"match\":" + JsonData(std::string_view(line).substr(span.begin, span.end - span.begin)) +
           ",\"start\":" + std::to_string(span.begin) + ",\"end\":" + std::to_string(span.end) + "}";
    is_first = false;
  }
  Write(out + "]}}\n");
}

void RgSearch::JsonEnd() {
  Write("{\"type\":\"end\",\"data\":{\"path\":" + JsonData(name_) + ",\"binary_offset\":" + (binary_at_ ? std::to_string(*binary_at_) : "null") +
        ",\"stats\":{\"elapsed\":{\"secs\":0,\"nanos\":0,\"human\":\"0.000000s\"},\"searches\":1,\"searches_with_match\":1,\"bytes_searched\":" + std::to_string(offset_) +
        ",\"bytes_printed\":" + std::to_string(printed_bytes_) + ",\"matched_lines\":" + std::to_string(selected_) + ",\"matches\":" + std::to_string(matches_) + "}}}\n");
}

void RgSearch::PrintStats(bool is_json) {
  const auto number = [](uint64_t value) { return std::to_string(value); };
  if (is_json) {
    Write("{\"data\":{\"elapsed_total\":{\"human\":\"0.000000s\",\"nanos\":0,\"secs\":0},\"stats\":{\"bytes_printed\":" + number(totals_.bytes_printed) + ",\"bytes_searched\":" +
          number(totals_.bytes_searched) + ",\"elapsed\":{\"human\":\"0.000000s\",\"nanos\":0,\"secs\":0},\"matched_lines\":" + number(totals_.lines) + ",\"matches\":" + number(totals_.matches) +
          ",\"searches\":" + number(totals_.files) + ",\"searches_with_match\":" + number(totals_.files_with) + "}},\"type\":\"summary\"}\n");
    return;
  }
  Write("\n" + number(totals_.matches) + " matches\n" + number(totals_.lines) + " matched lines\n" + number(totals_.files_with) + " files contained matches\n" + number(totals_.files) +
        " files searched\n" + number(totals_.bytes_printed) + " bytes printed\n" + number(totals_.bytes_searched) + " bytes searched\n0.000000 seconds spent searching\n0.000000 seconds\n");
}

}  // namespace paddock
