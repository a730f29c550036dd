#include "commands/git/mail/trailers.h"

#include <strings.h>

#include <algorithm>
#include <charconv>

#include "text/diff/unified_diff.h"

namespace paddock::git {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";
bool IsBlank(std::string_view line) { return line.find_first_not_of(kBlanks) == std::string_view::npos; }
bool BeginsBlank(std::string_view line) { return !line.empty() && kBlanks.find(line[0]) != std::string_view::npos; }
std::string_view Trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  while (!text.empty() && IsBlank(text.substr(text.size() - 1))) text.remove_suffix(1);
  return text;
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

// Where the comments, the empty lines and a list of conflicts at the end begin.
size_t EndOfText(std::string_view text, char comment, Budget& budget) {
  static constexpr std::string_view kCut = " ------------------------ >8 ------------------------\n";
  size_t cut = text.size();
  const std::string line = comment + std::string(kCut);
  if (text.starts_with(line)) cut = 0;
  else if (const size_t at = text.find("\n" + line); at != std::string_view::npos) cut = at + 1;
  size_t begin = 0;   // none: what is there from the start on is the text itself
  bool lists_conflicts = false;
  for (size_t at = 0; at < cut;) {
    budget.Step();
    const std::string_view rest = text.substr(at);
    if (rest[0] == comment || rest[0] == '\n') {
      if (begin == 0) begin = at;
    } else if (rest.starts_with("Conflicts:\n")) {
      lists_conflicts = true;
      if (begin == 0) begin = at;
    } else if (!lists_conflicts || rest[0] != '\t') {
      begin = 0;
      lists_conflicts = false;
    }
    const size_t newline = rest.find('\n');
    at = newline == std::string_view::npos ? text.size() : at + newline + 1;
  }
  return begin == 0 ? cut : begin;
}

// A line "---" and what it leads.
size_t PatchBegin(std::string_view text, Budget& budget) {
  size_t at = 0;
  for (const std::string_view line : SplitLines(text)) {
    budget.Step();
    if (line.starts_with("---") && BeginsBlank(line.substr(3))) break;
    at += line.size();
  }
  return at;
}

// The first line of the last paragraph, when that is made of trailers, or of some and what git itself or the configuration knows.
size_t BlockBegin(const std::vector<std::string_view>& lines, const TrailerRules& rules, Budget& budget) {
  size_t first = 0;   // behind the subject
  while (first < lines.size() && (lines[first][0] == rules.comment || !IsBlank(lines[first]))) ++first;
  size_t trailers = 0, others = 0, folded = 0;
  bool is_recognized = false, only_blank = true;
  for (size_t i = lines.size(); i-- > first;) {
    budget.Step();
    const std::string_view line = lines[i];
    if (line[0] == rules.comment) {
      others += folded;
      folded = 0;
      continue;
    }
    if (IsBlank(line)) {
      if (only_blank) continue;
      others += folded;
      return (is_recognized && trailers * 3 >= others) || (trailers > 0 && others == 0) ? i + 1 : lines.size();
    }
    only_blank = false;
    const size_t separator = rules.SeparatorOf(line);
    const bool is_gits = IsMadeByGit(line);
    if (is_gits || (separator != std::string_view::npos && separator > 0 && !BeginsBlank(line))) {
      ++trailers;
      folded = 0;
      if (!is_recognized) is_recognized = is_gits || rules.Find(line.substr(0, separator), budget) != nullptr;
    } else if (BeginsBlank(line)) {
      ++folded;
    } else {
      others += folded + 1;
      folded = 0;
    }
  }
  return lines.size();
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

TrailerPlace FindTrailers(std::string_view message, const TrailerRules& rules, bool has_patch, Budget& budget) {
  if (has_patch) message = message.substr(0, PatchBegin(message, budget));
  TrailerPlace place;
  place.end = EndOfText(message, rules.comment, budget);
  const std::vector<std::string_view> lines = SplitLines(message.substr(0, place.end));
  budget.WillAllocate(lines.size() * sizeof(std::string_view));
  const size_t begin = BlockBegin(lines, rules, budget);
  place.begin = begin == lines.size() ? place.end : static_cast<size_t>(lines[begin].data() - message.data());
  place.has_gap = begin > 0 && IsBlank(lines[begin - 1]);
  return place;
}

std::vector<std::string_view> TrailerLines(std::string_view block, const TrailerRules& rules, Budget& budget) {
  std::vector<std::string_view> lines;
  bool is_trailer = false;
  for (const std::string_view line : SplitLines(block)) {
    budget.Step();
    if (is_trailer && BeginsBlank(line)) {
      lines.back() = {lines.back().data(), lines.back().size() + line.size()};
      continue;
    }
    lines.push_back(line);
    const size_t separator = rules.SeparatorOf(line);
    is_trailer = separator != std::string_view::npos && separator > 0;
  }
  return lines;
}

Trailer SplitTrailer(std::string_view line, size_t separator, const TrailerRules& rules, const TrailerRule** rule, Budget& budget) {
  std::string token(Trimmed(line.substr(0, separator)));
  const TrailerRule* const kind = rules.Find(token, budget);
  if (rule != nullptr) *rule = kind != nullptr ? kind : &rules.other;
  if (kind != nullptr) token = kind->Token(token);
  return {std::move(token), separator == std::string_view::npos ? std::string() : std::string(Trimmed(line.substr(separator + 1)))};
}

std::string UnfoldedTrailer(std::string_view value) {
  std::string out;
  for (size_t i = 0; i < value.size(); ++i) {
    if (value[i] != '\n') {
      out += value[i];
      continue;
    }
    while (i + 1 < value.size() && BeginsBlank(value.substr(i + 1))) ++i;
    out += ' ';
  }
  return std::string(Trimmed(out));
}

std::string TrailersText(std::string_view message, const TrailerOptions& options, const TrailerRules& rules, Budget& budget) {
  const TrailerPlace place = FindTrailers(message, rules, false, budget);
  const std::string_view block = message.substr(place.begin, place.end - place.begin);
  if (options.is_plain()) return std::string(block);
  std::string text;
  for (const std::string_view line : TrailerLines(block, rules, budget)) {
    budget.Step();
    const size_t separator = rules.SeparatorOf(line);
    if (separator == std::string_view::npos || separator == 0) {
      if (options.only) continue;
      if (options.separator && !text.empty()) text += *options.separator;
      text += line;
      while (options.separator && !text.empty() && IsBlank(std::string_view(text).substr(text.size() - 1))) text.pop_back();
      continue;
    }
    const Trailer one = SplitTrailer(line, separator, rules, nullptr, budget);
    const std::string_view key = *one.token;
    const auto is_key = [key](std::string_view wanted) { return key.size() == wanted.size() && strncasecmp(key.data(), wanted.data(), wanted.size()) == 0; };
    if (!options.keys.empty() && std::none_of(options.keys.begin(), options.keys.end(), is_key)) continue;
    if (options.separator && !text.empty()) text += *options.separator;
    if (!options.value_only) text += key;
    if (!options.value_only && !options.key_only) text += options.key_separator.value_or(": ");
    if (!options.key_only) text += options.unfolds ? UnfoldedTrailer(one.value) : one.value;
    if (!options.separator) text += '\n';
  }
  return text;
}

}  // namespace paddock::git
