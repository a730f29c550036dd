// Letters for the names of files that nobody else has.
#pragma once

#include <string_view>

#include "proc/command.h"
#include "proc/process.h"

namespace paddock {

// Random letters and digits, from the sandbox's own /dev/urandom where there is one.
class RandomLetters {
 public:
  explicit RandomLetters(Invocation& in) : state_(static_cast<uint64_t>(in.clock.RealNow().count())) {
    state_ ^= static_cast<uint64_t>(in.process.pid()) << 40;
    const auto random = in.fs.Open("/dev/urandom", vfs::OpenFlags::Read());
    if (!random) return;
    const auto block = (*random)->ReadBlock(sizeof state_);
    if (!block) return;
    for (const char byte : block->bytes) state_ = state_ * 257 + static_cast<unsigned char>(byte);
  }

  char Next() {
    constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    state_ += 0x9e3779b97f4a7c15;
    uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
    return kLetters[(mixed ^ (mixed >> 31)) % kLetters.size()];
  }

 private:
  uint64_t state_;
};

}  // namespace paddock
