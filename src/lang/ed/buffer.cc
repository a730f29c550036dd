#include "lang/ed/buffer.h"

#include <algorithm>
#include <iterator>

#include "base/budget.h"

namespace paddock::ed {

size_t Buffer::Find(const Line& line, size_t hint) const {
  if (!line.is_in_buffer || lines_.empty()) return 0;
  const size_t start = std::clamp<size_t>(hint, 1, size()) - 1;
  for (size_t i = 0; i < size(); ++i) {
    if (i % 16 == 0) budget_.Step();
    const size_t at = start + i < size() ? start + i : start + i - size();
    if (lines_[at].get() == &line) return at + 1;
  }
  return 0;
}

std::vector<LinePtr> Buffer::Splice(size_t after, size_t count, std::vector<LinePtr> lines) {
  const auto begin = lines_.begin() + static_cast<std::ptrdiff_t>(after);
  const auto end = begin + static_cast<std::ptrdiff_t>(count);
  budget_.Step(static_cast<int64_t>(1 + count + lines.size() + (count == lines.size() ? 0 : (size() - after) / 32)));
  if (lines_.size() + lines.size() > lines_.capacity()) budget_.WillAllocate(2 * (lines_.size() + lines.size()) * sizeof(LinePtr));
  std::vector<LinePtr> removed(std::make_move_iterator(begin), std::make_move_iterator(end));
  for (const LinePtr& line : removed) line->is_in_buffer = false;
  for (const LinePtr& line : lines) line->is_in_buffer = true;
  const size_t shared = std::min(count, lines.size());
  std::move(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(shared), begin);
  if (count > shared) lines_.erase(begin + static_cast<std::ptrdiff_t>(shared), end);
  else lines_.insert(end, std::make_move_iterator(lines.begin() + static_cast<std::ptrdiff_t>(shared)), std::make_move_iterator(lines.end()));
  return removed;
}

void Buffer::Replace(size_t after, size_t count, std::vector<LinePtr> lines) {
  if (count == 0 && lines.empty()) return;
  if (begins_step_) {
    step_.clear();
    step_current_ = current_;
    step_modified_ = is_modified_;
    begins_step_ = false;
  }
  const size_t inserted = lines.size();
  step_.push_back({after, Splice(after, count, std::move(lines)), inserted});
  is_modified_ = true;
}

void Buffer::Clear() {
  for (const LinePtr& line : lines_) line->is_in_buffer = false;
  lines_.clear();
  current_ = 0;
  is_modified_ = false;
  DropStep();
}

void Buffer::DropStep() {
  step_.clear();
  begins_step_ = true;
}

bool Buffer::Undo() {
  if (step_.empty()) return false;
  std::vector<Change> back;
  for (auto change = step_.rbegin(); change != step_.rend(); ++change) {
    const size_t inserted = change->removed.size();
    back.push_back({change->after, Splice(change->after, change->inserted, std::move(change->removed)), inserted});
  }
  step_ = std::move(back);
  begins_step_ = false;
  std::swap(step_current_, current_);
  std::swap(step_modified_, is_modified_);
  return true;
}

}  // namespace paddock::ed
