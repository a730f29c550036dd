#include "tools/content/numbered_lines.h"

#include <algorithm>
#include <cstdio>

#include "text/byte_count.h"
#include "text/utf8.h"

namespace paddock::tools {
namespace {

constexpr std::string_view kLineCut = " [… the rest of this line is not shown]";

}  // namespace

NumberedLines NumberLines(std::string_view text, size_t offset, size_t limit, size_t most_bytes) {
  NumberedLines shown;
  shown.total_lines = CountByte(text, '\n') + (text.empty() || text.back() == '\n' ? 0 : 1);
  std::string_view rest = text;
  size_t number = 0;
  while (!rest.empty() && number < offset) {
    const size_t end = rest.find('\n');
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    ++number;
  }
  while (!rest.empty()) {
    if (shown.last != 0 && shown.last - shown.first + 1 >= limit) {
      shown.is_truncated = true;
      break;
    }
    const size_t end = rest.find('\n');
    std::string_view line = rest.substr(0, end);
    const std::string prefix = std::to_string(number + 1) + "|";
    const size_t room = most_bytes - std::min(most_bytes, shown.text.size() + prefix.size() + 1);
    bool is_cut = false;
    if (line.size() > room) {
      shown.is_truncated = true;
      if (shown.last != 0) break;   // it may be shown whole by the next call
      size_t kept = room - std::min(room, kLineCut.size());
      while (kept > 0 && (static_cast<unsigned char>(line[kept]) & 0xC0) == 0x80) --kept;
      line = line.substr(0, kept);
      is_cut = true;
    }
    ++number;
    if (shown.first == 0) shown.first = number;
    shown.last = number;
    shown.text.append(prefix).append(line).append(is_cut ? kLineCut : "").append("\n");
    if (is_cut) break;
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  return shown;
}

std::string CatLines(std::string_view text, size_t first_number) {
  std::string out;
  size_t number = first_number;
  while (true) {
    const size_t end = text.find('\n');
    char prefix[32];
    std::snprintf(prefix, sizeof prefix, "%6zu\t", number++);
    out.append(prefix).append(text.substr(0, end));
    out += '\n';
    if (end == std::string_view::npos || end + 1 == text.size()) return out;
    text.remove_prefix(end + 1);
  }
}

bool IsBinary(std::string_view content) {
  return content.substr(0, 8 << 10).find('\0') != std::string_view::npos || !IsValidUtf8(content);
}

}  // namespace paddock::tools
