// Credit: how many bytes one side may still send on a channel of a stream. The receiver grants it (kWindow); a sender that
// has none waits. This is what keeps the memory of both ends bounded whatever the programs write.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/result.h"

namespace paddock::guest {

// The credit of every channel of a new stream, unless its request says otherwise.
inline constexpr uint32_t kInitialWindowBytes = 64 * 1024;
// More credit than this at once is a violation.
inline constexpr uint32_t kMaxWindowBytes = 16 * 1024 * 1024;

// The sender's account.
class SendCredit {
 public:
  explicit SendCredit(uint32_t initial = kInitialWindowBytes) : available_(std::min(initial, kMaxWindowBytes)) {}
  uint32_t available() const { return available_; }
  void Use(uint32_t bytes) {
    PADDOCK_CHECK(bytes <= available_);
    available_ -= bytes;
  }
  // kInvalid when the peer grants more than kMaxWindowBytes in all.
  Status Add(uint32_t bytes) {
    if (bytes > kMaxWindowBytes - available_) return Error(Code::kInvalid, "guest protocol: window over the limit");
    available_ += bytes;
    return {};
  }

 private:
  uint32_t available_;
};

// The receiver's account: checks the peer, and says when to grant more.
class ReceiveWindow {
 public:
  explicit ReceiveWindow(uint32_t size = kInitialWindowBytes) : size_(size), available_(size) {}
  uint32_t available() const { return available_; }
  // kInvalid when the peer sent more than it was granted.
  Status Receive(uint32_t bytes) {
    if (bytes > available_) return Error(Code::kInvalid, "guest protocol: data beyond the window");
    available_ -= bytes;
    return {};
  }
  // Counts received bytes as used up. Returns how much to grant now: 0 until half of the window has been used, so that
  // grants are few.
  uint32_t Consume(uint32_t bytes) {
    consumed_ += bytes;
    if (consumed_ < size_ / 2) return 0;
    const uint32_t grant = consumed_;
    consumed_ = 0;
    available_ += grant;
    return grant;
  }

 private:
  uint32_t size_;
  uint32_t available_;
  uint32_t consumed_ = 0;
};

}  // namespace paddock::guest
