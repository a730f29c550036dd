#include "commands/text/rg_colors.h"

#include <array>
#include <optional>
#include <vector>

namespace paddock {
namespace {

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::vector<std::string> Split(std::string_view text, char mark) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == mark) parts.emplace_back();
    else parts.back() += c;
  }
  return parts;
}

// A number up to 255, decimal or as 0xff.
std::optional<int> Byte(std::string_view text) {
  const bool is_hex = text.starts_with("0x");
  if (is_hex) text.remove_prefix(2);
  if (text.empty() || text.size() > 20) return std::nullopt;
  int value = 0;
  for (const char c : text) {
    const size_t digit = std::string_view("0123456789abcdef").find(Lower(std::string_view(&c, 1)));
    if (digit >= (is_hex ? 16U : 10U)) return std::nullopt;
    value = value * (is_hex ? 16 : 10) + static_cast<int>(digit);
    if (value > 255) return std::nullopt;
  }
  return value;
}

Result<std::string> ParseColor(const std::string& text) {
  constexpr std::array<std::string_view, 8> kNames = {"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"};
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (Lower(text) == kNames[i]) return std::to_string(i);
  }
  const std::vector<std::string> parts = Split(text, ',');
  if (parts.size() == 1) {
    if (const auto number = Byte(text)) return "5;" + std::to_string(*number);
    if (text.find_first_not_of("0123456789") == std::string::npos) {
      return Error(Code::kInvalid, "unrecognized ansi256 color number, should be '[0-255]' (or a hex number), but is '" + text + "'");
    }
    return Error(Code::kInvalid, "unrecognized color name '" + text + "'. Choose from: black, blue, green, red, cyan, magenta, yellow, white");
  }
  std::string code = "2";
  for (const std::string& part : parts) {
    const auto number = Byte(part);
    if (!number || parts.size() != 3) return Error(Code::kInvalid, "unrecognized RGB color triple, should be '[0-255],[0-255],[0-255]' (or a hex triple), but is '" + text + "'");
    code += ";" + std::to_string(*number);
  }
  return code;
}

Status ApplyStyle(RgColor& color, const std::string& text) {
  const std::string name = Lower(text);
  const bool is_on = !name.starts_with("no");
  const std::string_view attribute = std::string_view(name).substr(is_on ? 0 : 2);
  if (attribute == "bold") color.is_bold = is_on;
  else if (attribute == "intense") color.is_intense = is_on;
  else if (attribute == "underline") color.is_underlined = is_on;
  else return Error(Code::kInvalid, "unrecognized style attribute '" + text + "'. Choose from: nobold, bold, nointense, intense, nounderline, underline.");
  return {};
}

// One of the eight may be the bright one of its name.
std::string ColorCode(const std::string& color, bool is_background, bool is_intense) {
  if (color.empty()) return {};
  const std::string kind = is_background ? "4" : "3";
  if (color.size() > 1) return "\x1b[" + kind + "8;" + color + "m";
  if (is_intense) return "\x1b[" + kind + "8;5;" + std::to_string(color[0] - '0' + 8) + "m";
  return "\x1b[" + kind + color + "m";
}

}  // namespace

std::string RgColor::Begin() const {
  return std::string("\x1b[0m") + (is_bold ? "\x1b[1m" : "") + (is_underlined ? "\x1b[4m" : "") + ColorCode(foreground, false, is_intense) +
         ColorCode(background, true, is_intense);
}

Status RgColors::Change(std::string_view spec) {
  const std::vector<std::string> parts = Split(spec, ':');
  const Error bad(Code::kInvalid, "invalid color spec format: '" + std::string(spec) + "'. Valid format is '(path|line|column|match):(fg|bg|style):(value)'.");
  if (parts.size() < 2 || parts.size() > 3) return bad;
  const std::string kind = Lower(parts[0]), attribute = Lower(parts[1]);
  RgColor* color = kind == "path" ? &path : kind == "line" ? &line : kind == "column" ? &column : kind == "match" ? &match : nullptr;
  if (color == nullptr) return Error(Code::kInvalid, "unrecognized output type '" + parts[0] + "'. Choose from: path, line, column, match.");
  if (attribute == "none") {
    *color = {};
    return {};
  }
  if (attribute != "fg" && attribute != "bg" && attribute != "style") return Error(Code::kInvalid, "unrecognized spec type '" + parts[1] + "'. Choose from: fg, bg, style, none.");
  if (parts.size() < 3) return bad;
  if (attribute == "style") return ApplyStyle(*color, parts[2]);
  PADDOCK_ASSIGN((attribute == "fg" ? color->foreground : color->background), ParseColor(parts[2]));
  return {};
}

}  // namespace paddock
