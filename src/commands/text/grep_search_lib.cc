#include <algorithm>
#include <cstring>

#include "base/budget.h"
#include "base/stream.h"
#include "commands/text/grep_search.h"
#include "text/byte_count.h"
#include "text/utf8.h"

namespace paddock {

Result<GrepSearch::Outcome> GrepSearch::Run(Input& input, std::string_view name, bool shows_name) {
  name_ = name;
  shows_name_ = shows_name;
  carry_.clear();
  examined_ = printed_ = counted_ = stop_ = 0;
  buffer_offset_ = line_number_ = 0;
  after_left_ = 0;
  left_ = settings_.max_count;
  is_detached_ = true;
  is_binary_ = is_done_ = false;
  outcome_ = {};
  for (;;) {
    const std::string_view bytes = input.Peek();
    if (bytes.empty()) break;
    const size_t last = bytes.rfind(settings_.delimiter);
    if (last == std::string_view::npos) {
      if (carry_.size() + bytes.size() > carry_.capacity()) budget_.WillAllocate(2 * carry_.size() + bytes.size());
      carry_.append(bytes);
      input.Consume(bytes.size());
      continue;
    }
    const size_t carried = carry_.size();
    PADDOCK_ASSIGN(const bool goes_on, TakeBlock(bytes.substr(0, last + 1), bytes.substr(last + 1)));
    if (!goes_on) {
      // After -m the next reader goes on behind the last line that counted.
      const bool gives_back = left_ <= 0 && stop_ >= carried;
      input.Consume(gives_back ? stop_ - carried : bytes.size());
      return outcome_;
    }
    carry_.append(bytes.substr(last + 1));
    input.Consume(bytes.size());
    if (!printer_.can_write()) return outcome_;
  }
  if (carry_.size() > examined_) {
    PADDOCK_ASSIGN(const bool goes_on, TakeBlock({}, {}));
    static_cast<void>(goes_on);
  }
  return outcome_;
}

// A NUL makes a file binary: its lines are not shown, and NUL ends them as newline does.
bool GrepSearch::CheckBinary(std::string_view region, std::string_view behind) {
  if (is_binary_ || settings_.binary == GrepSettings::Binary::kText || settings_.delimiter != '\n') return true;
  const std::string_view waiting = std::string_view(carry_).substr(examined_);
  const auto has_nul = [](std::string_view text) { return text.find('\0') != std::string_view::npos; };
  if (!has_nul(region) && !has_nul(waiting) && !has_nul(behind)) return true;
  is_binary_ = true;
  if (settings_.binary != GrepSettings::Binary::kWithoutMatch) return true;
  outcome_ = {};
  return false;
}

// Searches what was carried and `region`, which ends with a line; of the part of a line behind it only whether
// it makes the file binary. False when nothing more is wanted.
Result<bool> GrepSearch::TakeBlock(std::string_view region, std::string_view behind) {
  if (!CheckBinary(region, behind)) return false;
  if (carry_.empty() && !is_binary_) {
    buffer_ = region;
  } else {
    storage_.assign(carry_).append(region);
    if (is_binary_) std::replace(storage_.begin(), storage_.end(), '\0', '\n');
    buffer_ = storage_;
  }
  PADDOCK_ASSIGN(const bool goes_on, SearchBuffer(IsAscii(buffer_)));
  if (goes_on) KeepContext();
  return goes_on;
}

GrepMatcher::Line GrepSearch::LineFrom(size_t begin) const {
  const size_t end = buffer_.find(settings_.delimiter, begin);
  if (end == std::string_view::npos) return {begin, buffer_.size(), buffer_.size()};
  return {begin, end, end + 1};
}

Result<bool> GrepSearch::SearchBuffer(bool is_ascii) {
  for (size_t at = examined_; at < buffer_.size() && !is_done_;) {
    PADDOCK_ASSIGN(const auto found, matcher_.FindLine(buffer_, at, is_ascii, budget_));
    if (!settings_.invert) {
      if (!found) break;
      PADDOCK_TRY(Select(*found, true));
      at = found->next;
      continue;
    }
    const size_t end = found ? found->begin : buffer_.size();
    for (const size_t first = at; at < end && !is_done_;) {
      budget_.Step();
      const GrepMatcher::Line line = LineFrom(at);
      PADDOCK_TRY(Select(line, at == first));
      at = line.next;
    }
    if (found && !is_done_) at = found->next;
  }
  if (!settings_.is_silent()) PADDOCK_TRY(PrintContextAfter(buffer_.size()));
  return !is_done_ || after_left_ > 0;
}

Status GrepSearch::Select(const GrepMatcher::Line& line, bool is_run_start) {
  budget_.Step();
  ++outcome_.selected;
  --left_;
  stop_ = line.next;
  if (left_ <= 0) is_done_ = true;
  if (settings_.is_silent()) {
    if (!settings_.count || settings_.list != GrepSettings::List::kNone || settings_.quiet) is_done_ = true;
    return {};
  }
  if (is_binary_) {
    outcome_.is_unprintable_match = true;
    is_done_ = has_printed_ = true;  // what comes is set apart as if the line had been shown
    return {};
  }
  if (is_run_start) {
    PADDOCK_TRY(PrintContextAfter(line.begin));
    PADDOCK_TRY(PrintContextBefore(line.begin));
  }
  PADDOCK_TRY(PrintLine(line.begin, line.end, true));
  after_left_ = std::max<int64_t>(settings_.after, 0);
  return {};
}

// The separator and the lines before a selected one.
Status GrepSearch::PrintContextBefore(size_t until) {
  size_t begin = until;
  const size_t low = is_detached_ ? 0 : printed_;
  for (int64_t lines = std::max<int64_t>(settings_.before, 0); lines > 0 && begin > low; --lines) {
    budget_.Step();
    const void* found = begin - low < 2 ? nullptr
                                        : memrchr(buffer_.data() + low, settings_.delimiter, begin - low - 1);
    begin = found == nullptr ? low : static_cast<size_t>(static_cast<const char*>(found) - buffer_.data()) + 1;
  }
  const bool is_adjacent = !is_detached_ && begin == printed_;
  if (settings_.has_context() && has_printed_ && !is_adjacent) printer_.PrintGroupSeparator();
  has_printed_ = true;
  while (begin < until) {
    const GrepMatcher::Line line = LineFrom(begin);
    PADDOCK_TRY(PrintLine(line.begin, line.end, false));
    begin = line.next;
  }
  return {};
}

// What is left of the lines behind a selected one. A line held back stays the next one to print, as in GNU
// grep: it uses up the context.
Status GrepSearch::PrintContextAfter(size_t until) {
  if (after_left_ <= 0) return {};
  if (is_detached_) {
    printed_ = 0;
    is_detached_ = false;
  }
  for (; after_left_ > 0 && printed_ < until; --after_left_) {
    budget_.Step();
    const GrepMatcher::Line line = LineFrom(printed_);
    PADDOCK_TRY(PrintLine(line.begin, line.end, false));
  }
  return {};
}

Status GrepSearch::PrintLine(size_t begin, size_t end, bool is_selected) {
  if (settings_.line_number) {
    line_number_ += CountByte(buffer_.substr(counted_, begin - counted_), settings_.delimiter);
    counted_ = begin;
  }
  PADDOCK_ASSIGN(const bool is_printed,
                 printer_.Print(name_, shows_name_, {buffer_.substr(begin, end - begin), is_selected,
                                                     line_number_ + 1, buffer_offset_ + begin}));
  if (!is_printed) {
    outcome_.is_unprintable_match = true;
    return {};
  }
  printed_ = std::min(end + 1, buffer_.size());
  is_detached_ = false;
  return {};
}

// Leaves in carry_ the lines that may still be context of what comes.
void GrepSearch::KeepContext() {
  size_t keep = buffer_.size();
  const size_t low = is_detached_ ? 0 : printed_;
  for (int64_t lines = std::max<int64_t>(settings_.before, 0); lines > 0 && keep > low; --lines) {
    const void* found = keep - low < 2 ? nullptr : memrchr(buffer_.data() + low, settings_.delimiter, keep - low - 1);
    keep = found == nullptr ? low : static_cast<size_t>(static_cast<const char*>(found) - buffer_.data()) + 1;
  }
  if (settings_.line_number) {
    line_number_ += CountByte(buffer_.substr(counted_, keep - counted_), settings_.delimiter);
  }
  is_detached_ = is_detached_ || printed_ != keep;
  carry_.assign(buffer_.substr(keep));
  examined_ = carry_.size();
  buffer_offset_ += keep;
  printed_ = counted_ = 0;
}

}  // namespace paddock
