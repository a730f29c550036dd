#include "text/diff/unified_diff.h"

#include <algorithm>
#include <unordered_map>

#include "base/budget.h"
#include "text/diff/diff.h"

namespace paddock {

std::vector<std::string_view> SplitLines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const size_t length = end == std::string_view::npos ? text.size() : end + 1;
    lines.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return lines;
}

namespace {

// "12,3" as hunk headers write a range; an empty one names the line before.
std::string Range(size_t begin, size_t count) {
  const size_t first = count == 0 ? begin : begin + 1;
  return std::to_string(first) + (count == 1 ? std::string() : "," + std::to_string(count));
}

void AppendLine(std::vector<DiffLine>& out, DiffLine::Kind kind, std::string_view line) {
  const bool has_newline = line.ends_with('\n');
  if (has_newline) line.remove_suffix(1);
  out.push_back({kind, std::string(line)});
  if (!has_newline) out.push_back({DiffLine::Kind::kNoNewline, {}});
}

}  // namespace

std::vector<DiffLine> UnifiedDiff(std::string_view a_text, std::string_view b_text, size_t context) {
  const std::vector<std::string_view> a = SplitLines(a_text), b = SplitLines(b_text);
  std::unordered_map<std::string_view, uint32_t> classes;
  const auto classify = [&classes](const std::vector<std::string_view>& lines) {
    std::vector<uint32_t> numbers;
    numbers.reserve(lines.size());
    for (const std::string_view line : lines) numbers.push_back(classes.emplace(line, static_cast<uint32_t>(classes.size())).first->second);
    return numbers;
  };
  const std::vector<uint32_t> x = classify(a), y = classify(b);
  Limits limits;
  limits.memory_bytes = kUnlimited;
  Budget budget(limits, SystemClock());
  const std::vector<DiffEdit> edits = FindDiff(x, y, static_cast<uint32_t>(classes.size()), false, budget);
  std::vector<DiffLine> out;
  for (size_t first = 0; first < edits.size();) {
    // Edits whose contexts touch share a hunk.
    size_t last = first;
    while (last + 1 < edits.size() && edits[last + 1].a_begin - edits[last].a_end() <= 2 * context) ++last;
    const size_t before = std::min(context, edits[first].a_begin);
    const size_t after = std::min(context, a.size() - edits[last].a_end());
    const size_t a_begin = edits[first].a_begin - before, a_end = edits[last].a_end() + after;
    const size_t b_begin = edits[first].b_begin - before, b_end = edits[last].b_end() + after;
    out.push_back({DiffLine::Kind::kHunk, "@@ -" + Range(a_begin, a_end - a_begin) + " +" + Range(b_begin, b_end - b_begin) + " @@"});
    size_t at = a_begin;
    for (size_t i = first; i <= last; ++i) {
      for (; at < edits[i].a_begin; ++at) AppendLine(out, DiffLine::Kind::kContext, a[at]);
      for (; at < edits[i].a_end(); ++at) AppendLine(out, DiffLine::Kind::kRemoved, a[at]);
      for (size_t k = edits[i].b_begin; k < edits[i].b_end(); ++k) AppendLine(out, DiffLine::Kind::kAdded, b[k]);
    }
    for (; at < a_end; ++at) AppendLine(out, DiffLine::Kind::kContext, a[at]);
    first = last + 1;
  }
  return out;
}

std::string HunksText(std::string_view a, std::string_view b) {
  std::string text;
  for (const DiffLine& line : UnifiedDiff(a, b, 3)) {
    switch (line.kind) {
      case DiffLine::Kind::kHunk: break;
      case DiffLine::Kind::kContext: text += ' '; break;
      case DiffLine::Kind::kRemoved: text += '-'; break;
      case DiffLine::Kind::kAdded: text += '+'; break;
      case DiffLine::Kind::kNoNewline: text += "\\ No newline at end of file"; break;
    }
    text += line.text + "\n";
  }
  return text;
}

bool LooksBinary(std::string_view beginning) { return beginning.substr(0, 8000).find('\0') != std::string_view::npos; }

}  // namespace paddock
