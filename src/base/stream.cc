#include "base/stream.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "base/budget.h"

namespace paddock {

bool Input::Fill() {
  if (is_at_end_ || !status_) return false;
  block_ = {};
  rest_ = {};
  auto block = source_->ReadBlock(block_size_);
  if (!block) {
    status_ = block.error();
    return false;
  }
  block_ = std::move(*block);
  rest_ = block_.bytes;
  if (rest_.empty()) {
    is_at_end_ = true;
    return false;
  }
  budget_->Step(static_cast<int64_t>(rest_.size() / 64));
  return true;
}

std::optional<Line> Input::ReadLine(char delimiter) {
  budget_->Step();
  if (rest_.empty() && !Fill()) return std::nullopt;
  const void* found = std::memchr(rest_.data(), delimiter, rest_.size());
  if (found != nullptr) [[likely]] {
    const size_t length = static_cast<size_t>(static_cast<const char*>(found) - rest_.data());
    const std::string_view text = rest_.substr(0, length);
    rest_.remove_prefix(length + 1);
    return Line{text, true};
  }
  spill_.assign(rest_);
  rest_ = {};
  while (Fill()) {
    found = std::memchr(rest_.data(), delimiter, rest_.size());
    if (found != nullptr) {
      const size_t length = static_cast<size_t>(static_cast<const char*>(found) - rest_.data());
      spill_.append(rest_.substr(0, length));
      rest_.remove_prefix(length + 1);
      return Line{spill_, true};
    }
    spill_.append(rest_);
    rest_ = {};
  }
  if (!status_) return std::nullopt;
  return Line{spill_, false};
}

std::string_view Input::Peek() {
  if (rest_.empty()) Fill();
  return rest_;
}

void Input::Consume(size_t count) { rest_.remove_prefix(count); }

int Input::Get() {
  if (rest_.empty() && !Fill()) return -1;
  const int byte = static_cast<unsigned char>(rest_.front());
  rest_.remove_prefix(1);
  return byte;
}

size_t Input::Read(char* buffer, size_t size) {
  size_t done = 0;
  while (done < size) {
    const std::string_view bytes = Peek().substr(0, size - done);
    if (bytes.empty()) break;
    std::memcpy(buffer + done, bytes.data(), bytes.size());
    Consume(bytes.size());
    done += bytes.size();
  }
  return done;
}

std::string Input::ReadAll() {
  std::string all;
  for (std::string_view bytes = Peek(); !bytes.empty(); bytes = Peek()) {
    all.append(bytes);
    Consume(bytes.size());
  }
  return all;
}

void Input::Finish() {
  if (rest_.empty()) return;
  source_->GiveBack(rest_.size());
  rest_ = {};
}

Output::~Output() = default;

void Output::WriteInt(int64_t value) {
  char digits[24];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value);
  Write(std::string_view(digits, static_cast<size_t>(end - digits)));
}

const Status& Output::Flush() {
  if (size_ == 0) return status_;
  const size_t size = size_;
  size_ = 0;
  if (status_) {
    if (auto status = sink_->Write(std::string_view(buffer_.get(), size)); !status) {
      status_ = status.error();
    }
  }
  return status_;
}

void Output::ReleaseBuffer() {
  Flush();
  buffer_.reset();
  size_ = capacity_ = 0;
}

void Output::WriteSlow(std::string_view bytes) {
  if (!status_) return;
  if (is_unbuffered_ || bytes.size() >= kFullCapacity) {
    Flush();
    if (!status_) return;
    if (auto status = sink_->Write(bytes); !status) status_ = status.error();
    return;
  }
  if (capacity_ < kFullCapacity) {
    const size_t wanted = std::clamp((size_ + bytes.size()) * 2, kFirstCapacity, kFullCapacity);
    if (wanted > capacity_ && size_ + bytes.size() <= wanted) {
      std::unique_ptr<char[]> bigger(new char[wanted]);  // allow(raw-new): uninitialised buffer
      if (size_ > 0) std::memcpy(bigger.get(), buffer_.get(), size_);
      buffer_ = std::move(bigger);
      capacity_ = wanted;
      Write(bytes);
      return;
    }
  }
  Flush();
  if (status_) Write(bytes);
}

}  // namespace paddock
