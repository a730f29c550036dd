#include "commands/data/xml_writer.h"

#include <array>

#include "commands/data/toml_writer.h"
#include "lang/jq/number.h"

namespace paddock::data {
namespace {

using jq::Value;

std::string NumberText(const Value& value) {
  std::array<char, jq::kNumberBytes> buffer{};
  const std::string text(jq::NumberText(value, buffer.data()));
  return text.find_first_of(".eE") == std::string::npos ? text : PythonFloat(value.number());
}

// Python's repr() of a string.
void AppendQuoted(std::string_view text, std::string& out) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const char quote = text.find('\'') != std::string_view::npos && text.find('"') == std::string_view::npos ? '"' : '\'';
  out += quote;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == quote || c == '\\') (out += '\\') += c;
    else if (c == '\n') out += "\\n";
    else if (c == '\r') out += "\\r";
    else if (c == '\t') out += "\\t";
    else if (byte < 0x20 || byte == 0x7f) ((out += "\\x") += kDigits[byte >> 4]) += kDigits[byte & 15];
    else out += c;
  }
  out += quote;
}

class Writer {
 public:
  Writer(bool is_full_document, std::string& out, Budget& budget) : is_full_document_(is_full_document), out_(out), budget_(budget) {}

  Status Element(std::string_view key, const Value& value, size_t depth) {
    if (!value.is_array()) return One(key, value, depth);
    bool is_first = true;
    for (const Value& item : value) {
      if (is_full_document_ && depth == 0 && !is_first) return Error(Code::kSyntax, "ValueError: document with multiple roots");
      is_first = false;
      PADDOCK_TRY(One(key, item, depth));
    }
    return {};
  }

 private:
  Status One(std::string_view key, const Value& value, size_t depth) {
    budget_.Step(static_cast<int64_t>(depth / 16 + 1));
    budget_.CheckStack();
    out_.append(depth * 2, ' ');
    (out_ += '<') += key;
    if (!value.is_object()) {
      out_ += '>';
      if (value.is_bool()) out_ += value.is_truthy() ? "true" : "false";
      else if (!value.is_null()) Escape(Shown(value));
    } else {
      PADDOCK_TRY(Members(value, depth));
    }
    ((out_ += "</") += key) += '>';
    if (depth > 0) out_ += '\n';
    return {};
  }

  Status Members(const Value& object, size_t depth) {
    const Value* text = nullptr;
    bool has_children = false;
    ForEach(object, [&](std::string_view key, const Value& member) {
      if (key == "#text") text = &member;
      else if (key.starts_with('@')) Attribute(key.substr(1), member);
      else has_children = true;
    });
    out_ += has_children ? ">\n" : ">";
    Status status;
    ForEach(object, [&](std::string_view key, const Value& member) {
      if (status && key != "#text" && !key.starts_with('@')) status = Element(key, member, depth + 1);
    });
    PADDOCK_TRY(status);
    if (text != nullptr) PADDOCK_TRY(Text(*text));
    if (has_children) out_.append(depth * 2, ' ');
    return {};
  }

  template <class F>
  void ForEach(const Value& object, F body) {
    size_t cursor = 0;
    jq::Text* key = nullptr;
    const Value* member = nullptr;
    while (object.Next(cursor, key, member)) {
      budget_.Step();
      body(key->view(), *member);
    }
  }

  Status Text(const Value& text) {
    const char* type = text.is_object() ? "dict" : text.is_array() ? "list" : text.is_bool() ? "bool" : !text.is_number() ? nullptr : NumberText(text).find_first_not_of("-0123456789") == std::string::npos ? "int" : "float";
    if (text.is_string()) {
      Escape(text.view());
      return {};
    }
    const bool is_empty = text.is_object() ? text.object_size() == 0 : text.is_array() ? text.begin() == text.end() : text.is_number() ? text.number() == 0 : !text.is_truthy();
    if (is_empty) return {};
    return Error(Code::kSyntax, "TypeError: decoding to str: need a bytes-like object, " + std::string(type) + " found");
  }

  void Attribute(std::string_view name, const Value& value) {
    if (name == "xmlns" && value.is_object()) {
      ForEach(value, [&](std::string_view prefix, const Value& uri) { PutAttribute(prefix.empty() ? "xmlns" : "xmlns:" + std::string(prefix), Shown(uri)); });
      return;
    }
    PutAttribute(std::string(name), Shown(value));
  }
  void PutAttribute(const std::string& name, const std::string& value) {
    const bool has_double = value.find('"') != std::string::npos;
    const char quote = has_double && value.find('\'') == std::string::npos ? '\'' : '"';
    ((out_ += ' ') += name) += '=';
    out_ += quote;
    for (const char c : value) {
      if (c == '\n') out_ += "&#10;";
      else if (c == '\r') out_ += "&#13;";
      else if (c == '\t') out_ += "&#9;";
      else if (c == '"' && quote == '"') out_ += "&quot;";
      else Escape(std::string_view(&c, 1));
    }
    out_ += quote;
  }

  void Escape(std::string_view text) {
    budget_.Step(static_cast<int64_t>(text.size() / 32));
    for (const char c : text) {
      if (c == '&') out_ += "&amp;";
      else if (c == '<') out_ += "&lt;";
      else if (c == '>') out_ += "&gt;";
      else out_ += c;
    }
  }

  // Python's str().
  std::string Shown(const Value& value) {
    std::string text;
    if (value.is_string()) text = value.view();
    else AppendShown(value, text);
    return text;
  }
  void AppendShown(const Value& value, std::string& text) {
    budget_.Step();
    budget_.CheckStack();
    if (value.is_string()) {
      AppendQuoted(value.view(), text);
    } else if (value.is_null()) {
      text += "None";
    } else if (value.is_bool()) {
      text += value.is_truthy() ? "True" : "False";
    } else if (value.is_number()) {
      text += NumberText(value);
    } else if (value.is_array()) {
      text += '[';
      const char* comma = "";
      for (const Value& item : value) {
        text += std::exchange(comma, ", ");
        AppendShown(item, text);
      }
      text += ']';
    } else {
      text += '{';
      const char* comma = "";
      ForEach(value, [&](std::string_view key, const Value& member) {
        text += std::exchange(comma, ", ");
        AppendQuoted(key, text);
        text += ": ";
        AppendShown(member, text);
      });
      text += '}';
    }
  }

  const bool is_full_document_;
  std::string& out_;
  Budget& budget_;
};

}  // namespace

Status WriteXml(const Value& value, const XmlSettings& settings, std::string& out, Budget& budget) {
  Writer writer(settings.is_full_document, out, budget);
  if (!settings.root.empty()) {
    if (settings.is_full_document) out += "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n";
    PADDOCK_TRY(writer.Element(settings.root, value, 0));
    out += '\n';
    return {};
  }
  const std::string hint = "se --xml-root=name to envelope your output with a root element";
  if (!value.is_object()) return Error(Code::kInvalid, "Error converting JSON to XML: cannot represent non-object types at top level. U" + hint + ".");
  if (settings.is_full_document && value.object_size() != 1) return Error(Code::kSyntax, "Exception: Document must have exactly one root. U" + hint);
  if (settings.is_full_document) out += "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n";
  size_t cursor = 0;
  jq::Text* key = nullptr;
  const Value* member = nullptr;
  while (value.Next(cursor, key, member)) PADDOCK_TRY(writer.Element(key->view(), *member, 0));
  out += '\n';
  return {};
}

}  // namespace paddock::data
