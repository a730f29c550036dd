#include "commands/data/toml_writer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <vector>

#include "lang/jq/number.h"

namespace paddock::data {
namespace {

using jq::Value;

bool IsBareKey(std::string_view key) {
  return !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
  });
}

std::string Quoted(std::string_view text) {
  constexpr char kHexDigits[] = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\b': out += "\\b"; break;
      case '\t': out += "\\t"; break;
      case '\n': out += "\\n"; break;
      case '\f': out += "\\f"; break;
      case '\r': out += "\\r"; break;
      default:
        if (byte >= 0x20 && byte != 0x7f) {
          out += c;
        } else {
          out += "\\u00";
          out += kHexDigits[byte >> 4];
          out += kHexDigits[byte & 15];
        }
    }
  }
  return out + "\"";
}

std::string KeyText(std::string_view key) { return IsBareKey(key) ? std::string(key) : Quoted(key); }

bool IsTableArray(const Value& value) {
  if (!value.is_array() || value.array_size() == 0) return false;
  return std::all_of(value.begin(), value.end(), [](const Value& item) { return item.is_object(); });
}

class Writer {
 public:
  Writer(std::string& out, Budget& budget) : out_(out), budget_(budget) {}

  // Level by level: the values of each table, its arrays of tables behind them, and the tables below it on the next level.
  void Document(const Value& root) {
    std::vector<Section> level, next;
    Table(root, "", level);
    for (; !level.empty(); level = std::move(next)) {
      next.clear();
      for (const Section& section : level) {
        budget_.Step();
        const size_t at = out_.size(), known = next.size();
        Table(section.table, section.path, next);
        if (out_.size() == at && next.size() > known) continue;
        const bool is_apart = at == 0 || std::string_view(out_).substr(0, at).ends_with("\n\n");
        out_.insert(at, (is_apart ? "[" : "\n[") + section.path + "]\n");
      }
    }
  }

 private:
  struct Section {
    std::string path;
    Value table;
  };

  // Writes what stands in a table itself; the tables below it go to `below`.
  void Table(const Value& table, const std::string& path, std::vector<Section>& below) {
    budget_.CheckStack();
    const auto path_of = [&](jq::Text* key) { return path + (path.empty() ? "" : ".") + KeyText(key->view()); };
    size_t cursor = 0;
    jq::Text* key = nullptr;
    const Value* member = nullptr;
    while (table.Next(cursor, key, member)) {
      budget_.Step();
      if (member->is_object()) below.push_back({path_of(key), *member});
      if (member->is_null() || member->is_object() || IsTableArray(*member)) continue;
      out_ += KeyText(key->view()) + " = ";
      Put(*member);
      out_ += '\n';
    }
    cursor = 0;
    while (table.Next(cursor, key, member)) {
      if (!IsTableArray(*member)) continue;
      for (const Value& item : *member) TableOfArray(item, path_of(key));
    }
  }

  void TableOfArray(const Value& item, const std::string& path) {
    out_ += "[[" + path + "]]\n";
    std::vector<Section> level, next;
    Table(item, path, level);
    out_ += '\n';
    for (; !level.empty(); level = std::move(next)) {
      next.clear();
      for (const Section& section : level) {
        budget_.Step();
        out_ += "[" + section.path + "]\n";
        Table(section.table, section.path, next);
      }
    }
  }

  void Put(const Value& value) {
    budget_.Step();
    budget_.CheckStack();
    if (value.is_string()) {
      out_ += Quoted(value.view());
    } else if (value.is_bool()) {
      out_ += value.is_truthy() ? "true" : "false";
    } else if (value.is_number()) {
      PutNumber(value);
    } else if (value.is_array()) {
      out_ += '[';
      for (const Value& item : value) {
        if (item.is_null()) continue;
        out_ += ' ';
        Put(item);
        out_ += ',';
      }
      out_ += ']';
    } else {
      PutInlineTable(value);
    }
  }

  void PutNumber(const Value& value) {
    std::array<char, jq::kNumberBytes> buffer{};
    const std::string_view text = jq::NumberText(value, buffer.data());
    if (text == "null") {
      out_ += "nan";
    } else if (text.find_first_of(".eE") == std::string_view::npos) {
      out_ += text;
    } else {
      out_ += PythonFloat(value.number());
    }
  }

  void PutInlineTable(const Value& table) {
    out_ += "{ ";
    size_t cursor = 0;
    jq::Text* key = nullptr;
    const Value* member = nullptr;
    const char* separator = "";
    while (table.Next(cursor, key, member)) {
      if (member->is_null()) continue;
      out_ += separator + KeyText(key->view()) + " = ";
      separator = ", ";
      Put(*member);
    }
    out_ += *separator == '\0' ? "}" : " }";
  }

  std::string& out_;
  Budget& budget_;
};

}  // namespace

std::string PythonFloat(double number) {
  std::array<char, 400> text{};
  const double size = std::fabs(number);
  const bool is_plain = number == 0 || (size >= 1e-4 && size < 1e16);
  const auto form = is_plain ? std::chars_format::fixed : std::chars_format::scientific;
  std::string out(text.data(), std::to_chars(text.data(), text.data() + text.size(), number, form).ptr);
  if (is_plain && out.find('.') == std::string::npos) out += ".0";
  return out;
}

void WriteToml(const Value& object, std::string& out, Budget& budget) {
  std::string text;
  Writer(text, budget).Document(object);
  out += text;
}

}  // namespace paddock::data
