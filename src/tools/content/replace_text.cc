#include "tools/content/replace_text.h"

#include <string.h>   // memmem: linear, whatever the texts

#include <algorithm>

#include "text/byte_count.h"
#include "text/repair_utf8.h"
#include "text/utf8.h"

namespace paddock::tools {
namespace {

constexpr size_t kMostLines = 100;
constexpr size_t kMostListed = 10;
constexpr size_t kMostShown = 600;   // bytes of the file in a message
// Beyond these nobody looks for what is near.
constexpr size_t kMostSearched = 1 << 20;
constexpr size_t kMostWanted = 64 << 10;
constexpr size_t kMostCompared = 4'000'000;   // pairs of lines

size_t Find(std::string_view text, std::string_view wanted, size_t from = 0) {
  if (from > text.size()) return std::string_view::npos;
  const void* const found = memmem(text.data() + from, text.size() - from, wanted.data(), wanted.size());
  return found == nullptr ? std::string_view::npos : static_cast<size_t>(static_cast<const char*>(found) - text.data());
}

size_t LineOf(std::string_view text, size_t at) { return CountByte(text.substr(0, at), '\n') + 1; }

std::vector<std::string_view> Lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (true) {
    const size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return lines;
    text.remove_prefix(end + 1);
  }
}

std::string_view Trim(std::string_view line) {
  const size_t first = line.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
}

// Without "12|" or "    12\t" in front, if every line has it; else empty.
std::string WithoutNumbers(std::string_view text) {
  std::string out;
  for (std::string_view line : Lines(text)) {
    const size_t first = line.find_first_not_of(' ');
    if (first == std::string_view::npos) return {};
    size_t end = first;
    while (end < line.size() && line[end] >= '0' && line[end] <= '9') ++end;
    if (end == first || end == line.size() || (line[end] != '|' && line[end] != '\t')) return {};
    out.append(line.substr(end + 1)).append("\n");
  }
  out.pop_back();
  return out;
}

std::string Excerpt(const std::vector<std::string_view>& lines, size_t first, size_t count) {
  std::string text;
  for (size_t i = first; i < std::min(lines.size(), first + count) && text.size() < kMostShown; ++i) text.append(lines[i].substr(0, 200)).append("\n");
  return RepairUtf8(text);
}

// Where `wanted` would be if `same` decided what equal lines are; npos if nowhere.
template <class Same>
size_t FindLines(const std::vector<std::string_view>& lines, const std::vector<std::string_view>& wanted, size_t& work, Same same) {
  for (size_t i = 0; i + wanted.size() <= lines.size() && work > 0; ++i) {
    size_t j = 0;
    while (j < wanted.size() && work > 0 && same(lines[i + j], wanted[j])) {
      ++j;
      --work;
    }
    work -= std::min<size_t>(work, 1);
    if (j == wanted.size()) return i;
  }
  return std::string_view::npos;
}

Error NotFound(std::string_view text, std::string_view wanted) {
  const std::string base = "the text to replace does not occur in the file";
  const std::string bare = WithoutNumbers(wanted);
  if (!bare.empty() && Find(text, bare) != std::string_view::npos) {
    return Error(Code::kInvalid, base + "; leave out the line numbers in front of its lines, then it does");
  }
  if (wanted.find('\n') != std::string_view::npos && text.find("\r\n") != std::string_view::npos && wanted.find('\r') == std::string_view::npos) {
    std::string crlf;
    for (const char c : wanted) crlf += c == '\n' ? "\r\n" : std::string(1, c);
    if (Find(text, crlf) != std::string_view::npos) return Error(Code::kInvalid, base + ": its lines end in \\r\\n there; write \\r\\n in both texts");
  }
  const Error plain(Code::kInvalid, base + "; read the file again and copy the text exactly, with its white space");
  if (text.size() > kMostSearched || wanted.size() > kMostWanted) return plain;
  size_t work = kMostCompared;
  const std::vector<std::string_view> lines = Lines(text);
  std::vector<std::string_view> wanted_lines = Lines(wanted);
  while (wanted_lines.size() > 1 && Trim(wanted_lines.back()).empty()) wanted_lines.pop_back();
  while (wanted_lines.size() > 1 && Trim(wanted_lines.front()).empty()) wanted_lines.erase(wanted_lines.begin());
  const auto tell = [&](size_t at, const char* difference) {
    return Error(Code::kInvalid, base + "; line " + std::to_string(at + 1) + " differs only in " + difference + ". There it is:\n" + Excerpt(lines, at, wanted_lines.size()));
  };
  size_t at = FindLines(lines, wanted_lines, work, [](std::string_view a, std::string_view b) { return Trim(a) == Trim(b); });
  if (at != std::string_view::npos) return tell(at, "white space");
  const auto same_letters = [](std::string_view a, std::string_view b) {
    a = Trim(a);
    b = Trim(b);
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) {
             return (x | 0x20) == (y | 0x20) && (x == y || ((x | 0x20) >= 'a' && (x | 0x20) <= 'z'));
           });
  };
  at = FindLines(lines, wanted_lines, work, same_letters);
  if (at != std::string_view::npos) return tell(at, "upper and lower case or white space");
  // The first line that is there: the model remembers the rest otherwise than it is.
  for (const std::string_view line : wanted_lines) {
    if (Trim(line).size() < 4) continue;
    at = FindLines(lines, {line}, work, [](std::string_view a, std::string_view b) { return Trim(a) == Trim(b); });
    if (at == std::string_view::npos) continue;
    const size_t before = static_cast<size_t>(std::find(wanted_lines.begin(), wanted_lines.end(), line) - wanted_lines.begin());
    const size_t from = at - std::min(at, before);
    return Error(Code::kInvalid, base + "; around line " + std::to_string(at + 1) + " it reads:\n" + Excerpt(lines, from, wanted_lines.size() + 2));
  }
  return plain;
}

}  // namespace

Result<Replaced> ReplaceText(std::string_view text, std::string_view wanted, std::string_view with, bool all) {
  if (wanted.empty()) return Error(Code::kInvalid, "the text to replace is empty; to write a whole file use the tool that writes files");
  if (wanted == with) return Error(Code::kInvalid, "the text to replace and the new text are the same; nothing would change");
  std::vector<size_t> found;
  size_t count = 0;
  for (size_t at = Find(text, wanted); at != std::string_view::npos; at = Find(text, wanted, at + wanted.size())) {
    ++count;
    if (all || found.size() < kMostListed) found.push_back(at);
  }
  if (count == 0) return NotFound(text, wanted);
  if (count > 1 && !all) {
    std::string lines;
    for (const size_t at : found) lines += (lines.empty() ? "" : ", ") + std::to_string(LineOf(text, at));
    return Error(Code::kInvalid, "the text to replace occurs " + std::to_string(count) + " times (lines " + lines + (count > found.size() ? " …" : "") +
                                     "); add lines around it until it is unique, or replace all");
  }
  Replaced replaced;
  size_t from = 0;
  size_t line = 1;
  for (const size_t at : found) {
    const std::string_view before = text.substr(from, at - from);
    line += CountByte(before, '\n');
    replaced.text.append(before);
    if (replaced.lines.size() < kMostLines) replaced.lines.push_back(line);
    replaced.text.append(with);
    line += CountByte(with, '\n');
    from = at + wanted.size();
  }
  replaced.text.append(text.substr(from));
  replaced.count = count;
  return replaced;
}

}  // namespace paddock::tools
