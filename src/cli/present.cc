#include "cli/present.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>

namespace paddock::cli {
namespace {

// How many columns a UTF-8 text takes, as far as one for each character is right.
size_t WidthOf(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

void Indent(const json::value& value, std::string& out, size_t level) {
  const std::string margin(2 * (level + 1), ' ');
  const auto list = [&](char open, char close, size_t count, const auto& print) {
    out += open;
    for (size_t i = 0; i < count; ++i) {
      out += (i == 0 ? "\n" : ",\n") + margin;
      print(i);
    }
    out += count == 0 ? std::string() : "\n" + std::string(2 * level, ' ');
    out += close;
  };
  if (value.is_object()) {
    const json::object& object = value.get_object();
    list('{', '}', object.size(), [&](size_t i) {
      const auto& member = *(object.begin() + static_cast<std::ptrdiff_t>(i));
      out += json::serialize(json::string(member.key())) + ": ";
      Indent(member.value(), out, level + 1);
    });
  } else if (value.is_array()) {
    const json::array& array = value.get_array();
    list('[', ']', array.size(), [&](size_t i) { Indent(array[i], out, level + 1); });
  } else {
    out += json::serialize(value);
  }
}

}  // namespace

std::string TextOf(const json::object& object, std::string_view member) {
  const json::value* value = object.if_contains(member);
  if (value == nullptr || value->is_null()) return {};
  return value->is_string() ? std::string(value->as_string()) : json::serialize(*value);
}

std::string Ago(const std::string& time) {
  std::tm parts{};
  const char* end = strptime(time.c_str(), "%Y-%m-%dT%H:%M:%S", &parts);
  if (end == nullptr) return time;
  const int64_t then = timegm(&parts);
  const int64_t now = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  const int64_t seconds = std::max<int64_t>(now - then, 0);
  if (seconds < 90) return std::to_string(seconds) + " s ago";
  if (seconds < 90 * 60) return std::to_string(seconds / 60) + " min ago";
  if (seconds < 36 * 3600) return std::to_string(seconds / 3600) + " h ago";
  return std::to_string(seconds / 86400) + " days ago";
}

std::string Table(const std::vector<std::string>& columns, const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::vector<std::string>> lines = {columns};
  for (const auto& row : rows) {
    lines.emplace_back();
    for (const std::string& cell : row) lines.back().push_back(Harmless(cell));
  }
  std::vector<size_t> widths(columns.size());
  for (const auto& line : lines) {
    for (size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], WidthOf(line[i]));
  }
  std::string out;
  for (const auto& line : lines) {
    for (size_t i = 0; i < line.size(); ++i) {
      out += line[i];
      if (i + 1 < line.size()) out += std::string(widths[i] - WidthOf(line[i]) + 2, ' ');
    }
    while (out.ends_with(' ')) out.pop_back();
    out += '\n';
  }
  return out;
}

std::string Harmless(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const unsigned char c = static_cast<unsigned char>(text[i]);
    // C1 controls are two bytes in UTF-8: C2 80 to C2 9F.
    const bool is_c1 = c == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    if (c >= 0x20 && c != 0x7F && !is_c1) {
      out += text[i];
      continue;
    }
    char escaped[8];
    std::snprintf(escaped, sizeof escaped, "\\x%02x", is_c1 ? static_cast<unsigned char>(text[++i]) : c);
    out += escaped;
  }
  return out;
}

std::string Indented(const json::value& value) {
  std::string out;
  Indent(value, out, 0);
  return out + "\n";
}

}  // namespace paddock::cli
