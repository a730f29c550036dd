// TOML documents: the only file that sees toml++.
//
// toml++ recurses into values and dotted keys, so a look at the raw text bounds both before it gets to see it.

// Its assertions are about input in places ("[^x]" fails one), so here a failed one is an error of the document.

namespace paddock::policy {
struct FailedTomlAssertion {};
}  // namespace paddock::policy

#undef NDEBUG   // with it toml++ takes the conditions for granted
#define TOML_ASSERT(condition) ((condition) ? void() : throw ::paddock::policy::FailedTomlAssertion())
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#define TOML_ENABLE_WINDOWS_COMPAT 0
#if !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wterminate"   // in accessors that do not throw, whose conditions are about our own calls
#endif
#include <toml++/toml.h>
#if !defined(__clang__)
#pragma GCC diagnostic pop
#endif

#include <algorithm>

#include "policy/document.h"

namespace paddock::policy {
namespace {

Error At(size_t line, std::string_view what, Code code = Code::kSyntax) {
  return Error(code, std::to_string(line) + ": " + std::string(what));
}

// Where the string that begins at `at` ends: the offset behind its closing quotes, or the text's end.
size_t SkipString(std::string_view text, size_t at) {
  const char quote = text[at];
  const std::string_view rest = text.substr(at);
  const bool is_long = rest.size() >= 3 && rest[1] == quote && rest[2] == quote;
  size_t i = is_long ? 3 : 1;
  for (; i < rest.size(); ++i) {
    if (rest[i] == '\\' && quote == '"') {
      ++i;
    } else if (!is_long && rest[i] == '\n') {
      return at + i;   // an error for the parser to name
    } else if (rest[i] == quote && (!is_long || rest.substr(i, 3) == std::string_view(rest.data(), 3))) {
      return at + i + (is_long ? 3 : 1);
    }
  }
  return text.size();
}

// Bounds open brackets and the dots of one line outside strings, and refuses what may stand in strings only. Brackets that do not match are the parser's to name.
Status CheckNesting(std::string_view text) {
  size_t line = 1;
  int depth = 0;
  int dots = 0;
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '"' || c == '\'') {
      const size_t end = SkipString(text, i);
      line += static_cast<size_t>(std::count(text.begin() + static_cast<ptrdiff_t>(i),
                                             text.begin() + static_cast<ptrdiff_t>(std::min(end, text.size())), '\n'));
      i = std::max(end, i + 1);
      continue;
    }
    if (c == '#') {
      i = std::min(text.find('\n', i), text.size());
      continue;
    }
    // Outside strings and comments TOML is plain ASCII; toml++ takes other characters for granted in places.
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r') || static_cast<unsigned char>(c) >= 0x7f) {
      return At(line, "not valid TOML: a character that may only stand in strings");
    }
    if (c == '\n') {
      ++line;
      dots = 0;
    } else if (c == '[' || c == '{') {
      if (++depth > kMaxDocumentDepth) return At(line, "nested more than 32 deep", Code::kLimit);
    } else if (c == ']' || c == '}') {
      depth = std::max(depth - 1, 0);
    } else if (c == ',') {
      dots = 0;
    } else if (c == '.') {
      if (++dots > kMaxDocumentDepth) return At(line, "a key with more than 32 parts", Code::kLimit);
    }
    ++i;
  }
  return {};
}

// Copies toml++'s tree. Its depth is bounded by CheckNesting(): brackets times the parts of a key.
Status Copy(const toml::node& node, Value& value, int depth) {
  const size_t line = node.source().begin.line;
  value.line = static_cast<int>(line);
  if (depth > kMaxDocumentDepth) return At(line, "nested more than 32 deep", Code::kLimit);
  if (const auto* table = node.as_table()) {
    value.kind = Value::Kind::kTable;
    if (table->size() > kMaxTableKeys) return At(line, "more than 1024 keys in one table", Code::kLimit);
    for (const auto& [key, child] : *table) {
      if (key.str().find('\0') != std::string_view::npos) return At(line, "a key holds a NUL character");
      auto& member = value.members.emplace_back(std::string(key.str()), Value{});
      PADDOCK_TRY(Copy(child, member.value, depth + 1));
    }
  } else if (const auto* array = node.as_array()) {
    value.kind = Value::Kind::kList;
    for (const auto& child : *array) PADDOCK_TRY(Copy(child, value.items.emplace_back(), depth + 1));
  } else if (const auto* text = node.as_string()) {
    value.kind = Value::Kind::kString;
    value.text = text->get();
    if (value.text.find('\0') != std::string::npos) return At(line, "a string holds a NUL character");
  } else if (const auto* integer = node.as_integer()) {
    value.kind = Value::Kind::kInteger;
    value.integer = integer->get();
  } else if (const auto* number = node.as_floating_point()) {
    value.kind = Value::Kind::kNumber;
    value.number = number->get();
  } else if (const auto* boolean = node.as_boolean()) {
    value.kind = Value::Kind::kBool;
    value.boolean = boolean->get();
  } else {
    return At(line, "dates and times have no use in a policy; write durations as \"30s\"");
  }
  return {};
}

}  // namespace

Result<Value> ParseTomlDocument(std::string_view text) {
  if (text.size() > kMaxDocumentBytes) return At(1, "document is longer than 1 MiB", Code::kLimit);
  PADDOCK_TRY(CheckNesting(text));
  try {
    const toml::parse_result parsed = toml::parse(text);
    if (!parsed) {
      return At(parsed.error().source().begin.line, "not valid TOML: " + std::string(parsed.error().description()));
    }
    Value root;
    PADDOCK_TRY(Copy(parsed.table(), root, 0));
    root.line = 1;
    return root;
  } catch (const FailedTomlAssertion&) {
    return At(1, "not valid TOML: there is a key or value of no known form; 'paddock policy show' writes an example");
  }
}

}  // namespace paddock::policy
