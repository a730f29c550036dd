#include "lang/awk/record_reader.h"

#include <cstring>

#include "base/budget.h"
#include "lang/awk/pattern_cache.h"

namespace paddock::awk {
namespace {

constexpr size_t kBlockSize = 128 << 10;

}  // namespace

Result<bool> RecordReader::Next(const RecordRule& rule, std::string_view& record,
                                std::string_view& terminator) {
  budget_.Step();
  if (own_rule_) [[unlikely]] {
    if (own_rule_->kind == RecordRule::Kind::kWhole) return NextWhole(record, terminator);
    PADDOCK_ASSIGN(const bool has_record, NextByByte(own_rule_->byte, record, terminator));
    terminator = {};
    return has_record;
  }
  switch (rule.kind) {
    case RecordRule::Kind::kByte: return NextByByte(rule.byte, record, terminator);
    case RecordRule::Kind::kParagraph: return NextParagraph(record, terminator);
    case RecordRule::Kind::kPattern: return NextByPattern(*rule.pattern, record, terminator);
    case RecordRule::Kind::kWhole: return NextWhole(record, terminator);
  }
  return false;
}

Result<bool> RecordReader::Fill() {
  if (!rest_.empty()) return true;
  if (at_end_) return false;
  block_ = {};
  PADDOCK_ASSIGN(block_, source_.ReadBlock(kBlockSize));
  rest_ = block_.bytes;
  budget_.Step(static_cast<int64_t>(rest_.size() / 64));
  at_end_ = rest_.empty();
  return !at_end_;
}

Result<bool> RecordReader::Extend() {
  if (at_end_) return false;
  PADDOCK_ASSIGN(Block next, source_.ReadBlock(kBlockSize));
  budget_.Step(static_cast<int64_t>(1 + next.bytes.size() / 64));
  if (next.bytes.empty()) {
    at_end_ = true;
    return false;
  }
  // rest_ lies in joined_ or in block_; either way it is copied down once for each block.
  if (!joined_.empty() && rest_.data() >= joined_.data() &&
      rest_.data() <= joined_.data() + joined_.size()) {
    joined_.erase(0, static_cast<size_t>(rest_.data() - joined_.data()));
  } else {
    joined_.assign(rest_);
  }
  joined_.append(next.bytes);
  rest_ = joined_;
  return true;
}

void RecordReader::Take(size_t length, size_t terminator_length, std::string_view& record,
                        std::string_view& terminator) {
  record = rest_.substr(0, length);
  terminator = rest_.substr(length, terminator_length);
  rest_.remove_prefix(length + terminator_length);
  is_behind_start_ = true;
}

void RecordReader::PutByteInFront() {
  const bool is_joined = !joined_.empty() && rest_.data() >= joined_.data() &&
                         rest_.data() <= joined_.data() + joined_.size();
  const char* const start = is_joined ? joined_.data() : block_.bytes.data();
  if (rest_.data() > start && rest_.data() <= start + (is_joined ? joined_.size() : block_.bytes.size())) return;
  std::string longer = "\n";
  longer += rest_;
  joined_.swap(longer);
  rest_ = std::string_view(joined_).substr(1);
}

Result<bool> RecordReader::NextByByte(char byte, std::string_view& record,
                                      std::string_view& terminator) {
  if (rest_.empty()) {
    PADDOCK_ASSIGN(const bool has_more, Fill());
    if (!has_more) return false;
  }
  size_t searched = 0;
  for (;;) {
    const void* const found =
        std::memchr(rest_.data() + searched, byte, rest_.size() - searched);
    if (found != nullptr) [[likely]] {
      const auto length = static_cast<size_t>(static_cast<const char*>(found) - rest_.data());
      Take(length, 1, record, terminator);
      return true;
    }
    searched = rest_.size();
    PADDOCK_ASSIGN(const bool has_more, Extend());
    if (has_more) continue;
    Take(rest_.size(), 0, record, terminator);
    return true;
  }
}

Result<bool> RecordReader::NextWhole(std::string_view& record, std::string_view& terminator) {
  PADDOCK_ASSIGN(bool has_more, Fill());
  if (!has_more) return false;
  while (has_more) {
    budget_.WillAllocate(rest_.size() * 2);
    PADDOCK_ASSIGN(has_more, Extend());
  }
  Take(rest_.size(), 0, record, terminator);
  return true;
}

Result<bool> RecordReader::NextParagraph(std::string_view& record, std::string_view& terminator) {
  for (;;) {
    PADDOCK_ASSIGN(const bool has_more, Fill());
    if (!has_more) return false;
    const size_t start = rest_.find_first_not_of('\n');
    rest_.remove_prefix(start == std::string_view::npos ? rest_.size() : start);
    if (!rest_.empty()) break;
  }
  size_t searched = 0;
  for (;;) {
    const size_t end = rest_.find("\n\n", searched);
    if (end != std::string_view::npos) {
      const size_t next = rest_.find_first_not_of('\n', end);
      if (next != std::string_view::npos) {
        Take(end, next - end, record, terminator);
        return true;
      }
    }
    searched = end != std::string_view::npos ? end : rest_.size() - 1;
    PADDOCK_ASSIGN(const bool has_more, Extend());
    if (has_more) continue;
    const size_t last = rest_.find_last_not_of('\n');
    const size_t length = end != std::string_view::npos ? end : last + 1;
    Take(length, rest_.size() - length, record, terminator);
    return true;
  }
}

Result<bool> RecordReader::NextByPattern(const AwkPattern& pattern, std::string_view& record,
                                         std::string_view& terminator) {
  PADDOCK_ASSIGN(bool has_more, Fill());
  if (!has_more) return false;
  size_t from = 0;
  // ^ is the start of the file, not that of each record.
  const size_t shift = is_behind_start_ && pattern.has_caret() ? 1 : 0;
  for (;;) {
    if (shift > 0) PutByteInFront();
    const std::string_view subject(rest_.data() - shift, rest_.size() + shift);
    PADDOCK_ASSIGN(bool is_found, pattern.Search(subject, from + shift, &groups_, budget_));
    if (is_found) {
      groups_[0].begin -= shift;
      groups_[0].end -= shift;
    }
    if (is_found && groups_[0].begin == groups_[0].end) {
      // Nothing can't end a record.
      from = groups_[0].end + 1;
      if (from <= rest_.size()) continue;
      is_found = false;
    }
    // A match that reaches the end of what is here might go on in the next block.
    const bool may_grow = is_found && groups_[0].end == rest_.size() && !pattern.is_plain();
    if (is_found && (!may_grow || at_end_)) {
      Take(groups_[0].begin, groups_[0].end - groups_[0].begin, record, terminator);
      return true;
    }
    if (!at_end_) {
      PADDOCK_ASSIGN(has_more, Extend());
      from = 0;
      continue;
    }
    Take(rest_.size(), 0, record, terminator);
    return true;
  }
}

}  // namespace paddock::awk
