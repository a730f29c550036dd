#include "lang/jq/json_reader.h"

#include <algorithm>
#include <limits>

#include "base/budget.h"
#include "lang/jq/number.h"
#include "text/utf8.h"

namespace paddock::jq {
namespace {

enum class Class : uint8_t { kLiteral, kSpace, kStructure, kQuote, kRecord };

constexpr std::array<Class, 256> kClasses = [] {
  std::array<Class, 256> classes{};
  for (const char c : {' ', '\t', '\r', '\n'}) classes[static_cast<unsigned char>(c)] = Class::kSpace;
  for (const char c : {'[', ']', '{', '}', ',', ':'}) classes[static_cast<unsigned char>(c)] = Class::kStructure;
  classes['"'] = Class::kQuote;
  classes[0x1e] = Class::kRecord;
  return classes;
}();

Class ClassOf(char c) { return kClasses[static_cast<unsigned char>(c)]; }

constexpr uint64_t kOnes = 0x0101010101010101ull;
constexpr uint64_t kHighs = 0x8080808080808080ull;

constexpr uint64_t ZeroBytes(uint64_t word) { return (word - kOnes) & ~word & kHighs; }

// The next quote, backslash or byte above 127.
const char* FindSpecial(const char* at, const char* end) {
  while (end - at >= 8) {
    uint64_t word = 0;
    std::memcpy(&word, at, 8);
    const uint64_t found = ZeroBytes(word ^ (kOnes * '"')) | ZeroBytes(word ^ (kOnes * '\\')) | (word & kHighs);
    if (found != 0) return at + __builtin_ctzll(found) / 8;
    at += 8;
  }
  while (at < end && *at != '"' && *at != '\\' && (*at & 0x80) == 0) ++at;
  return at;
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// Four hex digits, or -1.
int HexCode(std::string_view text) {
  if (text.size() < 4) return -1;
  int code = 0;
  for (size_t i = 0; i < 4; ++i) {
    const int digit = HexDigit(text[i]);
    if (digit < 0) return -1;
    code = code * 16 + digit;
  }
  return code;
}

}  // namespace

JsonReader::JsonReader(Source source, Mode mode, Budget& budget)
    : source_(std::move(source)), mode_(mode), budget_(budget), path_(Value::Array()) {}

JsonReader::~JsonReader() = default;

bool JsonReader::Refill() {
  CountLines();
  if (is_at_end_) return false;
  const std::string_view block = source_();
  begin_ = at_ = counted_ = block.data();
  end_ = begin_ + block.size();
  is_at_end_ = block.empty();
  if (is_first_block_ && block.substr(0, 3) == "\xef\xbb\xbf") at_ = counted_ = begin_ + 3;
  is_first_block_ = false;
  budget_.Step(static_cast<int64_t>(block.size() / 64));
  if (at_ == end_ && !is_at_end_) return Refill();   // the mark alone
  return !is_at_end_;
}

void JsonReader::CountLines() {
  while (counted_ < at_) {
    const auto* newline = static_cast<const char*>(std::memchr(counted_, '\n', static_cast<size_t>(at_ - counted_)));
    if (newline == nullptr) {
      column_ += static_cast<uint64_t>(at_ - counted_);
      counted_ = at_;
    } else {
      ++line_;
      column_ = 0;
      counted_ = newline + 1;
    }
  }
}

bool JsonReader::Fail(std::string_view message) {
  CountLines();
  error_path_ = path_;
  error_ = message;
  error_ += is_at_end_ ? " at EOF at line " : " at line ";
  error_ += std::to_string(line_) + ", column " + std::to_string(column_);
  return false;
}

uint64_t JsonReader::LinesSeen() {
  CountLines();
  if (column_ == 0 || at_ == end_) return line_ - 1;
  const bool has_more = std::memchr(at_, '\n', static_cast<size_t>(end_ - at_)) != nullptr;
  return has_more ? line_ : line_ - 1;
}

void JsonReader::Reset() {
  next_ = Value();
  values_.clear();
  levels_.clear();
  depth_ = 0;
  literal_.clear();
  path_ = Value::Array();
}

JsonReader::Got JsonReader::Next(Value& value) {
  budget_.Step();
  for (;;) {
    if (!events_.empty()) {
      value = std::move(events_.front());
      events_.pop_front();
      return Got::kValue;
    }
    if (!mode_.is_stream && IsDone()) {
      value = std::move(next_);
      return Got::kValue;
    }
    if (at_ == end_ && !Refill()) {
      if (!FinishInput()) {
        Reset();
        return Got::kError;
      }
      if (IsDone() || !events_.empty()) continue;
      return Got::kEnd;
    }
    const char c = *at_++;
    bool is_ok = true;
    switch (ClassOf(c)) {
      case Class::kLiteral: {
        const char* const start = at_ - 1;
        while (at_ < end_ && ClassOf(*at_) == Class::kLiteral) ++at_;
        literal_.append(start, at_);
        break;
      }
      case Class::kSpace: is_ok = FinishLiteral(); break;
      case Class::kStructure: is_ok = FinishLiteral() && (mode_.is_stream ? StreamToken(c) : Token(c)); break;
      case Class::kQuote:
        is_ok = FinishLiteral();
        if (is_ok && !mode_.is_stream && IsDone()) {
          --at_;   // the string is the next value
          break;
        }
        is_ok = is_ok && ReadString();
        break;
      case Class::kRecord: is_ok = StartRecord(); break;
    }
    ends_in_space_ = ClassOf(c) == Class::kSpace;
    if (is_ok) continue;
    if (mode_.is_seq) {  // what is left of the broken text is skipped
      Reset();
      while (at_ != end_ || Refill()) {
        const auto* record = static_cast<const char*>(std::memchr(at_, 0x1e, static_cast<size_t>(end_ - at_)));
        at_ = record == nullptr ? end_ : record;
        if (record != nullptr) break;
      }
    }
    return Got::kError;
  }
}

// A record separator where no text may be unfinished.
bool JsonReader::StartRecord() {
  if (!mode_.is_seq) {
    literal_ += '\x1e';
    return true;
  }
  if (!literal_.empty() && levels_.empty() && !ends_in_space_) {
    literal_.clear();
    return Fail("Potentially truncated top-level numeric value");
  }
  if (!FinishLiteral()) return false;
  if (!levels_.empty()) return Fail("Unfinished abandoned text");
  saw_record_ = true;
  return true;
}

bool JsonReader::FinishInput() {
  if (mode_.is_seq && !literal_.empty() && levels_.empty()) {
    literal_.clear();
    return Fail("Potentially truncated top-level numeric value");
  }
  if (!FinishLiteral()) return false;
  if (levels_.empty()) return true;
  return Fail(mode_.is_seq ? "Unfinished abandoned text" : "Unfinished JSON term");
}

bool JsonReader::FinishLiteral() {
  if (literal_.empty()) return true;
  Value value;
  switch (literal_[0]) {
    case 't': value = literal_ == "true" ? Value::Bool(true) : Value(); break;
    case 'f': value = literal_ == "false" ? Value::Bool(false) : Value(); break;
    case 'n':
      if (literal_ == "null") {
        value = Value::Null();
      } else if (literal_.substr(0, 3) == "nan" && literal_.find_first_not_of("0123456789", 3) == std::string::npos) {
        value = Value::Number(std::numeric_limits<double>::quiet_NaN());
      }
      break;
    default:
      value = ParseNumber(literal_);
      if (!value.is_valid()) {
        literal_.clear();
        return Fail("Invalid numeric literal");
      }
  }
  literal_.clear();
  if (!value.is_valid()) return Fail("Invalid literal");
  return Accept(std::move(value));
}

bool JsonReader::Accept(Value value) {
  if (next_.is_valid()) return Fail("Expected separator between values");
  next_ = std::move(value);
  if (mode_.is_stream && !IsKeyNext()) return StreamLeaf();
  return true;
}

bool JsonReader::ReadString() {
  const char* const start = at_;
  bool has_escape = false, has_high = false, is_split = false;
  for (;;) {
    const char* const from = at_;
    at_ = FindSpecial(at_, end_);
    if (is_split) text_.append(from, at_);
    if (at_ == end_) {
      if (!is_split) text_.assign(start, end_);
      is_split = true;
      if (!Refill()) return Fail("Unfinished string");
      continue;
    }
    const char c = *at_++;
    if (c == '"') break;
    if (is_split) text_ += c;
    if (c != '\\') {
      has_high = true;
      continue;
    }
    has_escape = true;
    if (at_ == end_) {
      if (!is_split) text_.assign(start, end_);
      is_split = true;
      if (!Refill()) return Fail("Unfinished string");
    }
    if (is_split) text_ += *at_;
    if ((*at_ & 0x80) != 0) has_high = true;
    ++at_;
  }
  if (is_split) {
    const std::string raw = std::move(text_);
    text_.clear();
    return AcceptString(raw, has_escape, has_high);
  }
  return AcceptString({start, static_cast<size_t>(at_ - 1 - start)}, has_escape, has_high);
}

bool JsonReader::AcceptString(std::string_view raw, bool has_escape, bool has_high) {
  budget_.Step(static_cast<int64_t>(raw.size() / 64));
  if (has_escape) {
    if (!Unescape(raw)) return false;
    raw = text_;
  }
  if (next_.is_valid()) return Fail("Expected separator between values");
  if (has_high && !IsValidUtf8(raw)) return Accept(StringFromBytes(raw));
  return Accept(IsKeyNext() ? KeyText(raw) : Value::String(raw));
}

Value JsonReader::KeyText(std::string_view bytes) {
  if (bytes.size() > 32) return Value::String(bytes);
  size_t slot = bytes.size() * 31;
  if (!bytes.empty()) {
    slot += static_cast<unsigned char>(bytes.front()) * 7u + static_cast<unsigned char>(bytes.back()) +
            static_cast<unsigned char>(bytes[bytes.size() / 2]) * 13u;
  }
  Value& cached = keys_[slot % kKeyCache];
  if (!cached.is_valid() || cached.view() != bytes) cached = Value::String(bytes);
  return cached;
}

bool JsonReader::Unescape(std::string_view raw) {
  std::string out;
  out.reserve(raw.size());
  for (size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] != '\\') {
      out += raw[i];
      continue;
    }
    switch (raw[++i]) {
      case '"': case '\\': case '/': out += raw[i]; break;
      case 'b': out += '\b'; break;
      case 'f': out += '\f'; break;
      case 'n': out += '\n'; break;
      case 'r': out += '\r'; break;
      case 't': out += '\t'; break;
      case 'u': {
        int code = HexCode(raw.substr(i + 1));
        if (raw.size() - i - 1 < 4) return Fail("Invalid \\uXXXX escape");
        if (code < 0) return Fail("Invalid characters in \\uXXXX escape");
        i += 4;
        if (code >= 0xd800 && code < 0xe000) {
          const bool has_second = code < 0xdc00 && raw.substr(i + 1, 2) == "\\u";
          const int second = has_second ? HexCode(raw.substr(i + 3)) : -1;
          if (second < 0xdc00 || second >= 0xe000) return Fail("Invalid \\uXXXX\\uXXXX surrogate pair escape");
          code = 0x10000 + ((code & 0x3ff) << 10) + (second & 0x3ff);
          i += 6;
        }
        AppendUtf8(out, static_cast<char32_t>(code));
        break;
      }
      default: return Fail("Invalid escape");
    }
  }
  text_ = std::move(out);
  return true;
}

bool JsonReader::Token(char c) {
  switch (c) {
    case '[': return Open(false);
    case '{': return Open(true);
    case ':': return Colon();
    case ',': return Comma();
    case ']': return Close(false);
    default: return Close(true);
  }
}

bool JsonReader::Open(bool is_object) {
  if (depth_ >= kMaxDepth) return Fail("Exceeds depth limit for parsing");
  if (next_.is_valid()) return Fail("Expected separator between values");
  levels_.push_back({static_cast<uint32_t>(values_.size()), is_object});
  ++depth_;
  return true;
}

bool JsonReader::Colon() {
  if (!next_.is_valid()) return Fail("Expected string key before ':'");
  if (!IsKeyNext()) return Fail("':' not as part of an object");
  if (!next_.is_string()) return Fail("Object keys must be strings");
  values_.push_back(std::move(next_));
  levels_.back().has_key = true;
  ++depth_;
  return true;
}

bool JsonReader::Comma() {
  if (!next_.is_valid()) return Fail("Expected value before ','");
  if (levels_.empty()) return Fail("Expected value before ','");
  Level& level = levels_.back();
  if (level.is_object) {
    if (!level.has_key) return Fail("Objects must consist of key:value pairs");
    level.has_key = false;
    --depth_;
  }
  values_.push_back(std::move(next_));
  return true;
}

bool JsonReader::Close(bool is_object) {
  const char* const unmatched = is_object ? "Unmatched '}'" : "Unmatched ']'";
  if (levels_.empty()) return Fail(unmatched);
  Level& level = levels_.back();
  if (!is_object) {
    if (level.is_object) return Fail(unmatched);
    if (!next_.is_valid() && values_.size() > level.start) return Fail("Expected another array element");
  } else if (next_.is_valid()) {
    if (!level.has_key) return Fail("Objects must consist of key:value pairs");
    --depth_;
  } else {
    if (!level.is_object || level.has_key) return Fail(unmatched);
    if (values_.size() > level.start) return Fail("Expected another key-value pair");
  }
  if (next_.is_valid()) values_.push_back(std::move(next_));
  next_ = TakeContainer();
  --depth_;
  return true;
}

Value JsonReader::TakeContainer() {
  const Level level = levels_.back();
  const size_t count = values_.size() - level.start;
  Value* const first = values_.data() + level.start;
  budget_.Step(static_cast<int64_t>(count));
  Value container;
  if (level.is_object) {
    container = Value::Object(count / 2);
    for (size_t i = 0; i < count; i += 2) container.Set(first[i].text(), std::move(first[i + 1]));
  } else {
    container = Value::Array(first, count);
  }
  values_.resize(level.start);
  levels_.pop_back();
  return container;
}

bool ParseJson(std::string_view text, Budget& budget, Value& value, std::string& error) {
  bool is_given = false;
  JsonReader reader(
      [&] {
        const std::string_view block = is_given ? std::string_view() : text;
        is_given = true;
        return block;
      },
      {}, budget);
  value = Value();
  JsonReader::Got got = reader.Next(value);
  if (got == JsonReader::Got::kValue) {
    Value extra;
    got = reader.Next(extra);
    if (got == JsonReader::Got::kValue) {
      error = "Unexpected extra JSON values";
      return false;
    }
  }
  if (got == JsonReader::Got::kError) error = reader.error();
  return got != JsonReader::Got::kError && value.is_valid();
}

}  // namespace paddock::jq
