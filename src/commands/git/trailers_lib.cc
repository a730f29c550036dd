#include "commands/git/trailers.h"

#include <strings.h>

#include <algorithm>
#include <charconv>

#include "text/unified_diff.h"

namespace paddock::git {
namespace {

bool IsBlank(std::string_view line) { return line.find_first_not_of(" \t\r\n\f\v") == std::string_view::npos; }
std::string_view Trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  while (!text.empty() && IsBlank(text.substr(text.size() - 1))) text.remove_suffix(1);
  return text;
}

// Where the separator of "Key: value" is; npos for a line that is no trailer.
size_t SeparatorOf(std::string_view line) {
  bool has_blank = false;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == ':') return i;
    const bool is_word = c == '-' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!has_blank && is_word) continue;
    if (i == 0 || (c != ' ' && c != '\t')) return std::string_view::npos;
    has_blank = true;
  }
  return std::string_view::npos;
}
bool IsTrailer(std::string_view line) {
  const size_t at = SeparatorOf(line);
  return at != std::string_view::npos && at > 0 && line[0] != ' ' && line[0] != '\t';
}
bool IsMadeByGit(std::string_view line) { return line.starts_with("Signed-off-by: ") || line.starts_with("(cherry picked from commit "); }

// %x0A and %n in a separator.
std::string Unescaped(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    int byte = 0;
    if (text[i] == '%' && i + 1 < text.size() && text[i + 1] == 'n') {
      out += '\n';
      ++i;
    } else if (text[i] == '%' && i + 1 < text.size() && text[i + 1] == '%') {
      out += '%';
      ++i;
    } else if (text[i] == '%' && i + 3 < text.size() && text[i + 1] == 'x' && std::from_chars(text.data() + i + 2, text.data() + i + 4, byte, 16).ptr == text.data() + i + 4) {
      out += static_cast<char>(byte);
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::string Unfolded(std::string_view value) {
  std::string out;
  for (size_t i = 0; i < value.size(); ++i) {
    if (value[i] != '\n') {
      out += value[i];
      continue;
    }
    while (i + 1 < value.size() && IsBlank(value.substr(i + 1, 1))) ++i;
    out += ' ';
  }
  return std::string(Trimmed(out));
}

}  // namespace

std::optional<TrailerOptions> ParseTrailerOptions(std::string_view text, std::string* unknown) {
  TrailerOptions options;
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), one.size() + 1));
    const size_t equals = one.find('=');
    const std::string_view name = one.substr(0, equals);
    const std::string_view value = equals == std::string_view::npos ? std::string_view() : one.substr(equals + 1);
    bool* flag = name == "only" ? &options.only : name == "unfold" ? &options.unfolds : name == "keyonly" ? &options.key_only : name == "valueonly" ? &options.value_only : nullptr;
    if (flag != nullptr) {
      const bool is_no = value == "no" || value == "false" || value == "off" || value == "0";
      const bool is_yes = equals == std::string_view::npos || value == "yes" || value == "true" || value == "on" || value == "1";
      if (is_no || is_yes) {
        *flag = is_yes;
        continue;
      }
    } else if (name == "key" && equals != std::string_view::npos) {
      options.keys.emplace_back(value.ends_with(':') ? value.substr(0, value.size() - 1) : value);
      options.only = true;
      continue;
    } else if (name == "separator" && equals != std::string_view::npos) {
      options.separator = Unescaped(value);
      continue;
    } else if (name == "key_value_separator" && equals != std::string_view::npos) {
      options.key_separator = Unescaped(value);
      continue;
    }
    if (unknown != nullptr) *unknown = one;
    return std::nullopt;
  }
  return options;
}

std::string_view TrailerBlock(std::string_view message, Budget& budget) {
  // The block ends where the message does, but for empty lines, and before what "---" begins.
  if (const size_t patch = message.find("\n---"); patch != std::string_view::npos && (patch + 4 == message.size() || IsBlank(message.substr(patch + 4, 1)))) message = message.substr(0, patch + 1);
  std::vector<std::string_view> lines;
  for (const std::string_view line : SplitLines(message)) {
    budget.Step();
    lines.push_back(line);
  }
  while (!lines.empty() && IsBlank(lines.back())) lines.pop_back();
  // The first paragraph is the subject.
  size_t first = 0;
  while (first < lines.size() && !IsBlank(lines[first])) ++first;
  size_t trailers = 0, others = 0, folded = 0;
  bool is_recognized = false, only_blank = true;
  for (size_t i = lines.size(); i-- > first;) {
    const std::string_view line = lines[i];
    if (line.starts_with('#')) continue;
    if (IsBlank(line)) {
      if (only_blank) continue;
      others += folded;
      if ((is_recognized && trailers * 3 >= others) || (trailers > 0 && others == 0)) {
        const char* begin = lines[i + 1].data();
        return {begin, static_cast<size_t>(lines.back().data() + lines.back().size() - begin)};
      }
      return {};
    }
    only_blank = false;
    if (IsMadeByGit(line)) {
      ++trailers;
      folded = 0;
      is_recognized = true;
    } else if (IsTrailer(line)) {
      ++trailers;
      folded = 0;
    } else if (line[0] == ' ' || line[0] == '\t') {
      ++folded;
    } else {
      others += folded + 1;
      folded = 0;
    }
  }
  return {};
}

std::string TrailersText(std::string_view message, const TrailerOptions& options, Budget& budget) {
  const std::string_view block = TrailerBlock(message, budget);
  if (options.is_plain()) return std::string(block) + (block.empty() || block.ends_with('\n') ? "" : "\n");
  std::string text;
  const std::vector<std::string_view> lines = SplitLines(block);
  for (size_t i = 0; i < lines.size(); ++i) {
    budget.Step();
    std::string one(lines[i]);
    while (i + 1 < lines.size() && (lines[i + 1][0] == ' ' || lines[i + 1][0] == '\t')) one += lines[++i];
    const size_t at = IsTrailer(one) ? SeparatorOf(one) : std::string::npos;
    std::string shown;
    if (at == std::string::npos) {
      if (options.only) continue;
      shown = Trimmed(one);
    } else {
      const std::string key(Trimmed(std::string_view(one).substr(0, at)));
      std::string value(Trimmed(std::string_view(one).substr(at + 1)));
      const bool is_wanted = options.keys.empty() || std::any_of(options.keys.begin(), options.keys.end(), [&key](const std::string& wanted) { return strcasecmp(wanted.c_str(), key.c_str()) == 0; });
      if (!is_wanted) continue;
      if (options.unfolds) value = Unfolded(value);
      if (!options.value_only) shown += key;
      if (!options.key_only && !options.value_only) shown += options.key_separator.value_or(": ");
      if (!options.key_only) shown += value;
    }
    if (options.separator) text += (text.empty() ? "" : *options.separator) + shown;
    else text += shown + "\n";
  }
  return text;
}

}  // namespace paddock::git
