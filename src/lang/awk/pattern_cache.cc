#include "lang/awk/pattern_cache.h"

#include "base/budget.h"

namespace paddock::awk {
namespace {

bool IsPlain(std::string_view source) {
  return source.find_first_of("\\^$.[]|()*+?{}") == std::string_view::npos;
}

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

// \xHH as \ddd, which the engine knows.
std::string WithoutHex(std::string_view source) {
  std::string out;
  for (size_t i = 0; i < source.size(); ++i) {
    out += source[i];
    if (source[i] != '\\' || i + 1 == source.size()) continue;
    if (source[i + 1] != 'x' || i + 2 == source.size() || HexDigit(source[i + 2]) < 0) {
      out += source[++i];
      continue;
    }
    i += 2;
    int value = HexDigit(source[i]);
    if (i + 1 < source.size() && HexDigit(source[i + 1]) >= 0) value = value * 16 + HexDigit(source[++i]);
    for (const int shift : {6, 3, 0}) out += static_cast<char>('0' + ((value >> shift) & 7));
  }
  return out;
}

}  // namespace

Result<AwkPattern> AwkPattern::Compile(std::string_view source, bool ignore_case, bool is_utf8) {
  AwkPattern pattern;
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
  const bool has_hex = source.find("\\x") != std::string_view::npos;
  PADDOCK_ASSIGN(Regex regex, Regex::Compile(has_hex ? WithoutHex(source) : std::string(source), flags));
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
  PADDOCK_ASSIGN(AwkPattern pattern, AwkPattern::Compile(source, ignore_case_, is_utf8_));
  if (patterns.size() >= kMaxPatterns) {
    ForgetRecent();
    patterns.clear();
  }
  auto& slot = patterns[std::move(key)];
  slot = std::make_unique<AwkPattern>(std::move(pattern));
  return slot.get();
}

}  // namespace paddock::awk
