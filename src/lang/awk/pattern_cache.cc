#include "lang/awk/pattern_cache.h"

#include "base/budget.h"
#include "text/utf8.h"

namespace paddock::awk {
namespace {

bool IsPlain(std::string_view source) {
  return source.find_first_of("\\^$.[]|()*+?{}") == std::string_view::npos;
}

bool IsOperator(char c) { return std::string_view("\\^$.[]|()*+?{}").find(c) != std::string_view::npos; }

bool HasLetter(std::string_view text) {
  for (const char c : text) {
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & 0x80) != 0) return true;
  }
  return false;
}

bool IsAscii(std::string_view text) {
  for (const char c : text) {
    if ((c & 0x80) != 0) return false;
  }
  return true;
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char l = static_cast<char>(c | 0x20);
  return l >= 'a' && l <= 'f' ? l - 'a' + 10 : -1;
}

bool IsOctal(char c) { return c >= '0' && c <= '7'; }

// Adds the bytes above ASCII that escapes gave: as characters where they are some, else as \ddd.
void AppendBytes(std::string& out, std::string& bytes, bool is_utf8) {
  for (size_t at = 0; at < bytes.size();) {
    const DecodedChar decoded = DecodeUtf8(std::string_view(bytes).substr(at));
    if (!is_utf8 || decoded.is_valid) {
      out += bytes.substr(at, decoded.length);
    } else {
      out += '\\';
      const auto byte = static_cast<unsigned char>(bytes[at]);
      for (const int shift : {6, 3, 0}) out += static_cast<char>('0' + ((byte >> shift) & 7));
    }
    at += decoded.length;
  }
  bytes.clear();
}

// \xHH and \ddd as the characters they mean, which may then be operators: /\52/ is /*/. Bytes that make no
// character and NUL stay escapes, as \ddd, which the engine knows.
std::string WithoutNumbers(std::string_view source, bool is_utf8, bool are_literal) {
  std::string out, bytes;
  bool in_brackets = false;
  for (size_t i = 0; i < source.size(); ++i) {
    if (source[i] != '\\' || i + 1 == source.size()) {
      AppendBytes(out, bytes, is_utf8);
      if (in_brackets && source.substr(i, 3) == "---") {   // no range, but one hyphen
        out += "\\-";
        i += 2;
        continue;
      }
      in_brackets = source[i] == '[' || (in_brackets && source[i] != ']');
      out += source[i];
      continue;
    }
    const char kind = source[++i];
    int value = 0;
    if (kind == 'x' && i + 1 < source.size() && HexDigit(source[i + 1]) >= 0) {
      value = HexDigit(source[++i]);
      if (i + 1 < source.size() && HexDigit(source[i + 1]) >= 0) value = value * 16 + HexDigit(source[++i]);
    } else if (IsOctal(kind)) {
      value = kind - '0';
      for (int k = 0; k < 2 && i + 1 < source.size() && IsOctal(source[i + 1]); ++k) {
        value = value * 8 + (source[++i] - '0');
      }
      value &= 0xff;
    } else {
      AppendBytes(out, bytes, is_utf8);
      out += '\\';
      out += kind;
      continue;
    }
    if (value >= 0x80) {
      bytes += static_cast<char>(value);
      continue;
    }
    AppendBytes(out, bytes, is_utf8);
    if (value != 0) {
      if (are_literal && !in_brackets && IsOperator(static_cast<char>(value))) out += '\\';
      out += static_cast<char>(value);
    } else {
      out += "\\000";
    }
  }
  AppendBytes(out, bytes, is_utf8);
  return out;
}

}  // namespace

Result<AwkPattern> AwkPattern::Compile(std::string_view source, bool ignore_case, bool is_utf8, bool has_literal_escapes) {
  AwkPattern pattern;
  pattern.has_caret_ = source.find('^') != std::string_view::npos;
  const bool is_at_start = source.size() > 1 && source[0] == '^';
  const std::string_view rest = is_at_start ? source.substr(1) : source;
  if (IsPlain(rest) && (!ignore_case || !HasLetter(rest)) && (!is_utf8 || IsAscii(rest))) {
    pattern.plain_ = rest;
    pattern.is_at_start_ = is_at_start;
    return pattern;
  }
  RegexFlags flags;
  flags.dialect = RegexDialect::kAwk;
  flags.ignore_case = ignore_case;
  flags.is_utf8 = is_utf8;
  PADDOCK_ASSIGN(Regex regex, Regex::Compile(WithoutNumbers(source, is_utf8, has_literal_escapes), flags));
  pattern.regex_.emplace(std::move(regex));
  return pattern;
}

Result<bool> AwkPattern::Search(std::string_view text, size_t from, std::vector<RegexGroup>* groups,
                                Budget& budget) const {
  if (regex_) return regex_->Search(text, from, groups, budget);
  budget.Step(static_cast<int64_t>((text.size() - from) / 64));
  size_t at = std::string_view::npos;
  if (is_at_start_) {
    if (from == 0 && text.substr(0, plain_.size()) == plain_) at = 0;
  } else if (plain_.empty()) {
    at = from;
  } else if (const void* found = ::memmem(text.data() + from, text.size() - from, plain_.data(),
                                          plain_.size());
             found != nullptr) {
    at = static_cast<size_t>(static_cast<const char*>(found) - text.data());
  }
  if (at == std::string_view::npos) return false;
  if (groups != nullptr && !groups->empty()) {
    for (RegexGroup& group : *groups) group = {};
    (*groups)[0] = {at, at + plain_.size()};
  }
  return true;
}

void UnknownEscapes::Report(std::string_view source, const std::function<void(const std::string&)>& warn) {
  constexpr std::string_view kUnknown = " 89!\"#%&,:;=@ACDEFGHIJKLMNOPQRTUVXYZ_cdeghijklmopquz~";
  for (size_t at = source.find('\\'); at != source.npos && at + 1 < source.size(); at = source.find('\\', at + 2)) {
    const char c = source[at + 1];
    if (kUnknown.find(c) == std::string_view::npos || seen_.find(c) != std::string::npos) continue;
    seen_ += c;
    const std::string intro = std::string("regexp escape sequence `\\") + c + "' ";
    warn(intro + (c == '8' || c == '9' ? std::string("treated as plain `") + c + "'" : "is not a known regexp operator"));
  }
}

void PatternCache::ForgetRecent() {
  for (Recent& recent : recent_) recent = {};
}

Result<const AwkPattern*> PatternCache::Find(const Value& value, std::string_view convfmt) {
  if (!value.is_text()) {
    const TextOf text(value, convfmt);
    return FindText(text.view());
  }
  Recent& recent = recent_[(reinterpret_cast<uintptr_t>(value.text()) >> 4) % kRecent];
  if (recent.text.is_text() && recent.text.text() == value.text()) [[likely]] return recent.pattern;
  PADDOCK_ASSIGN(const AwkPattern* pattern, FindText(value.view()));
  recent.text = value;
  recent.pattern = pattern;
  return pattern;
}

Result<const AwkPattern*> PatternCache::FindText(std::string_view source) {
  auto& patterns = patterns_[ignore_case_ ? 1 : 0];
  std::string key(source);
  if (const auto found = patterns.find(key); found != patterns.end()) return found->second.get();
  budget_.Step(static_cast<int64_t>(100 + source.size()));
  if (warn_) ReportEscapes(source);
  PADDOCK_ASSIGN(AwkPattern pattern, AwkPattern::Compile(source, ignore_case_, is_utf8_, has_literal_escapes_));
  if (patterns.size() >= kMaxPatterns) {
    ForgetRecent();
    patterns.clear();
  }
  auto& slot = patterns[std::move(key)];
  slot = std::make_unique<AwkPattern>(std::move(pattern));
  return slot.get();
}

}  // namespace paddock::awk
