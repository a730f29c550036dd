#include "tools/content/output_budget.h"

#include <algorithm>

#include "text/utf8.h"

namespace paddock::tools {
namespace {

constexpr const char* kModes[] = {"auto", "silent", "concise", "normal", "verbose", "full"};
constexpr size_t kSilent = 200;
constexpr size_t kSucceeded = 384;
constexpr size_t kConcise = 2 << 10;
constexpr size_t kNormal = 8 << 10;
constexpr size_t kVerbose = 16 << 10;
constexpr size_t kFull = 64 << 10;

constexpr char kEscape = '\x1b';
constexpr char kBell = '\x07';

bool IsContinuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

// The number of bytes of the escape sequence at the beginning of `text`. What is not finished ends at the line's end, so that a
// program cannot hide the rest of its output.
size_t SequenceLength(std::string_view text) {
  if (text.size() < 2) return text.size();
  const char kind = text[1];
  size_t i = 2;
  if (kind == '[') {
    while (i < text.size() && text[i] >= 0x20 && text[i] <= 0x3F) ++i;
    return i < text.size() && text[i] >= 0x40 && text[i] <= 0x7E ? i + 1 : i;
  }
  if (kind == ']' || kind == 'P' || kind == 'X' || kind == '^' || kind == '_') {
    for (; i < text.size(); ++i) {
      if (text[i] == '\n') return i;
      if (text[i] == kBell) return i + 1;
      if (text[i] == kEscape) return i + 1 < text.size() && text[i + 1] == '\\' ? i + 2 : i;
    }
    return i;
  }
  if (kind >= 0x20 && kind <= 0x2F) {   // a character set: ESC ( B
    while (i < text.size() && text[i] >= 0x20 && text[i] <= 0x2F) ++i;
    return i < text.size() && text[i] >= 0x30 && text[i] <= 0x7E ? i + 1 : i;
  }
  return kind >= 0x30 && kind <= 0x7E ? 2 : 1;
}

// The largest cut at or below `at` that is between two characters.
size_t FloorBoundary(std::string_view text, size_t at) {
  if (at >= text.size()) return text.size();
  while (at > 0 && IsContinuation(text[at])) --at;
  return at;
}

size_t CeilBoundary(std::string_view text, size_t at) {
  while (at < text.size() && IsContinuation(text[at])) ++at;
  return std::min(at, text.size());
}

std::string MissingLine(uint64_t bytes, std::string_view where) {
  std::string line = "[… " + std::to_string(bytes) + " bytes are not shown here";
  if (!where.empty()) line += "; all: " + std::string(where);
  return line + "]\n";
}

}  // namespace

std::span<const char* const> NamesOf(OutputMode) { return kModes; }

size_t OutputBudget(OutputMode mode, bool has_succeeded) {
  switch (mode) {
    case OutputMode::kAuto: return has_succeeded ? kSucceeded : kNormal;
    case OutputMode::kSilent: return kSilent;
    case OutputMode::kConcise: return kConcise;
    case OutputMode::kNormal: return kNormal;
    case OutputMode::kVerbose: return kVerbose;
    case OutputMode::kFull: return kFull;
  }
  return kNormal;
}

void HeadAndTail::Append(std::string_view bytes) {
  const uint64_t before = total_;
  total_ += bytes.size();
  if (is_complete()) {
    head_ += bytes;
    return;
  }
  if (before <= capacity_) {
    // The first byte too many: what was all becomes a head and the beginning of a tail.
    head_ += bytes.substr(0, capacity_ - static_cast<size_t>(before));
    bytes.remove_prefix(capacity_ - static_cast<size_t>(before));
    tail_ = head_.substr(head_capacity());
    head_.resize(head_capacity());
  }
  const size_t keep = tail_capacity();
  if (bytes.size() > keep) bytes.remove_prefix(bytes.size() - keep);
  tail_ += bytes;
  if (tail_.size() > 2 * keep) tail_.erase(0, tail_.size() - keep);
}

std::string HeadAndTail::Text() const {
  if (is_complete()) return head_;
  const std::string_view tail = std::string_view(tail_).substr(tail_.size() - std::min(tail_.size(), tail_capacity()));
  const uint64_t missing = total_ - head_.size() - tail.size();
  std::string text = head_;
  if (!text.empty() && text.back() != '\n') text += '\n';
  text += "[… " + std::to_string(missing) + " bytes were not kept]\n";
  return text.append(tail);
}

std::string CleanOutput(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  size_t line = 0;            // where the current line begins in `out`
  bool starts_over = false;   // a carriage return: the next character begins the line anew
  for (size_t i = 0; i < text.size();) {
    const char byte = text[i];
    if (byte == kEscape) {
      i += SequenceLength(text.substr(i));
      continue;
    }
    if (byte == '\n') {
      out += '\n';
      line = out.size();
      starts_over = false;
      ++i;
      continue;
    }
    if (byte == '\r') {
      starts_over = true;
      ++i;
      continue;
    }
    if (byte == '\b') {
      if (!starts_over && out.size() > line) {
        size_t last = out.size() - 1;
        while (last > line && IsContinuation(out[last])) --last;
        out.resize(last);
      }
      ++i;
      continue;
    }
    const DecodedChar c = DecodeUtf8(text.substr(i));
    const bool is_control = c.is_valid && (c.code < 0x20 || c.code == 0x7F || (c.code >= 0x80 && c.code < 0xA0)) && byte != '\t';
    if (!is_control) {
      if (starts_over) {
        out.resize(line);
        starts_over = false;
      }
      if (c.is_valid) out += text.substr(i, c.length);
      else AppendUtf8(out, 0xFFFD);
    }
    i += c.length;
  }
  return out;
}

std::string CutMiddle(std::string_view text, size_t budget, std::string_view where) {
  if (text.size() <= budget) return std::string(text);
  // The line's length depends on the number in it, which is at most that of all bytes.
  const size_t line = MissingLine(text.size(), where).size() + 1;
  if (line + 2 > budget) return std::string(text.substr(CeilBoundary(text, text.size() - budget)));
  const size_t room = budget - line;
  const size_t head = FloorBoundary(text, room / 5);
  const size_t tail = CeilBoundary(text, text.size() - (room - room / 5));
  std::string cut(text.substr(0, head));
  if (!cut.empty() && cut.back() != '\n') cut += '\n';
  cut += MissingLine(tail - head, where);
  return cut.append(text.substr(tail));
}

CutStreams CutBoth(std::string_view out, std::string_view err, size_t budget, std::string_view where_out, std::string_view where_err) {
  const size_t half = budget / 2;
  size_t for_out = std::min(out.size(), std::max(half, budget - std::min(budget, err.size())));
  const size_t for_err = std::min(err.size(), budget - for_out);
  for_out = std::min(out.size(), budget - for_err);
  CutStreams cut;
  cut.out = CutMiddle(out, for_out, where_out);
  cut.err = CutMiddle(err, for_err, where_err);
  cut.is_out_cut = for_out < out.size();
  cut.is_err_cut = for_err < err.size();
  return cut;
}

}  // namespace paddock::tools
