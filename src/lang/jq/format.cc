// @text, @json, @html, @uri, @csv, @tsv, @sh, @base64, @base64d.
#include <algorithm>
#include <array>

#include "base/budget.h"
#include "lang/jq/json_writer.h"
#include "lang/jq/native.h"
#include "lang/jq/number.h"

namespace paddock::jq {
namespace {

std::string TextOf(const Value& value, Budget& budget) {
  return value.is_string() ? std::string(value.view()) : JsonText(value, budget);
}

template <class Escape>
Value EscapeEach(const std::string& text, Budget& budget, Escape escape) {
  budget.Step(static_cast<int64_t>(text.size() / 8));
  std::string out;
  out.reserve(text.size());
  for (const char c : text) escape(c, out);
  return Value::String(out);
}

void EscapeHtml(char c, std::string& out) {
  switch (c) {
    case '<': out += "&lt;"; break;
    case '>': out += "&gt;"; break;
    case '&': out += "&amp;"; break;
    case '\'': out += "&apos;"; break;
    case '"': out += "&quot;"; break;
    default: out += c;
  }
}

void EscapeUri(char c, std::string& out) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                        c == '_' || c == '.' || c == '~';
  if (is_plain) {
    out += c;
    return;
  }
  const auto byte = static_cast<unsigned char>(c);
  out += '%';
  out += kHex[byte >> 4];
  out += kHex[byte & 15];
}

Value FormatRow(const Value& value, bool is_csv, NativeContext& context) {
  if (!value.is_array()) {
    return context.Fail(Describe(value, context.budget) + " cannot be " + (is_csv ? "csv" : "tsv") +
                        "-formatted, only array");
  }
  std::string out;
  bool is_first = true;
  for (const Value& field : value) {
    context.budget.Step();
    if (!is_first) out += is_csv ? ',' : '\t';
    is_first = false;
    if (field.is_number()) {
      char buffer[kNumberBytes];
      out += NumberText(field, buffer);
    } else if (field.is_bool()) {
      out += field.is_truthy() ? "true" : "false";
    } else if (field.is_string()) {
      context.budget.Step(static_cast<int64_t>(field.view().size() / 16));
      if (is_csv) out += '"';
      for (const char c : field.view()) {
        if (is_csv) {
          if (c == '"') out += '"';
          c == '\0' ? out += "\\0" : out += c;
          continue;
        }
        switch (c) {
          case '\t': out += "\\t"; break;
          case '\n': out += "\\n"; break;
          case '\r': out += "\\r"; break;
          case '\\': out += "\\\\"; break;
          case '\0': out += "\\0"; break;
          default: out += c;
        }
      }
      if (is_csv) out += '"';
    } else if (!field.is_null()) {
      return context.Fail(Describe(field, context.budget) + " is not valid in a csv row");
    }
  }
  return Value::String(out);
}

Value FormatShell(const Value& value, NativeContext& context) {
  std::string out;
  bool is_first = true;
  const auto take = [&](const Value& word) {
    if (!is_first) out += ' ';
    is_first = false;
    if (word.is_array() || word.is_object()) {
      context.Fail(Describe(word, context.budget) + " can not be escaped for shell");
      return false;
    }
    if (!word.is_string()) {
      out += JsonText(word, context.budget);
      return true;
    }
    context.budget.Step(static_cast<int64_t>(1 + word.view().size() / 16));
    out += '\'';
    for (const char c : word.view()) {
      if (c == '\'') {
        out += "'\\''";
      } else {
        out += c;
      }
    }
    out += '\'';
    return true;
  };
  if (!value.is_array()) return take(value) ? Value::String(out) : Value();
  for (const Value& word : value) {
    if (!take(word)) return Value();
  }
  return Value::String(out);
}

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

Value EncodeBase64(const std::string& text, Budget& budget) {
  budget.Step(static_cast<int64_t>(text.size() / 8));
  std::string out;
  out.reserve((text.size() + 2) / 3 * 4);
  for (size_t i = 0; i < text.size(); i += 3) {
    uint32_t bits = 0;
    const size_t count = std::min<size_t>(3, text.size() - i);
    for (size_t j = 0; j < 3; ++j) bits = bits << 8 | (j < count ? static_cast<unsigned char>(text[i + j]) : 0u);
    for (size_t j = 0; j < 4; ++j) out += j <= count ? kAlphabet[(bits >> (18 - 6 * j)) & 63] : '=';
  }
  return Value::String(out);
}

// What is not of the alphabet is skipped; everything after the first '=' is ignored.
Value DecodeBase64(const Value& value, NativeContext& context) {
  const std::string text = TextOf(value, context.budget);
  context.budget.Step(static_cast<int64_t>(text.size() / 8));
  std::string out;
  uint32_t bits = 0;
  size_t count = 0;
  bool is_bad = false;
  for (const char c : text) {
    if (c == '=') break;
    const size_t code = kAlphabet.find(c);
    if (code == std::string_view::npos) {
      is_bad = true;
      break;
    }
    bits = bits << 6 | static_cast<uint32_t>(code);
    if (++count % 4 != 0) continue;
    out += static_cast<char>(bits >> 16);
    out += static_cast<char>(bits >> 8);
    out += static_cast<char>(bits);
    bits = 0;
  }
  const Value shown = Value::String(text);
  if (is_bad) return context.Fail(Describe(shown, context.budget) + " is not valid base64 data");
  if (count % 4 == 1) return context.Fail(Describe(shown, context.budget) + " trailing base64 byte found");
  if (count % 4 == 2) out += static_cast<char>(bits >> 4);
  if (count % 4 == 3) {
    out += static_cast<char>(bits >> 10);
    out += static_cast<char>(bits >> 2);
  }
  return StringFromBytes(out);
}

}  // namespace

Value Format(std::string_view name, const Value& value, NativeContext& context) {
  Budget& budget = context.budget;
  if (name == "text") return value.is_string() ? value : Value::String(JsonText(value, budget));
  if (name == "json") return Value::String(JsonText(value, budget));
  if (name == "csv" || name == "tsv") return FormatRow(value, name == "csv", context);
  if (name == "html") return EscapeEach(TextOf(value, budget), budget, EscapeHtml);
  if (name == "uri") return EscapeEach(TextOf(value, budget), budget, EscapeUri);
  if (name == "sh") return FormatShell(value, context);
  if (name == "base64") return EncodeBase64(TextOf(value, budget), budget);
  if (name == "base64d") return DecodeBase64(value, context);
  return context.Fail(std::string(name) + " is not a valid format");
}

}  // namespace paddock::jq
