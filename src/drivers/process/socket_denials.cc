#include "drivers/process/socket_denials.h"

#include <array>

namespace paddock::process_wall {
namespace {

constexpr size_t kMostPath = 108;      // sun_path
constexpr size_t kMostBytes = 1 << 20;  // at once; a pipe holds less

std::string Line(std::string path) {
  path.resize(std::min(path.size(), kMostPath));
  for (char& c : path) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return "socket " + path + ": denied, a program of the host made it; to allow it name it in network.unix_sockets";
}

}  // namespace

void SocketDenials::MoveTo(sandbox::DenialLog& log) {
  const std::lock_guard lock(mutex_);
  std::array<char, 4096> block;
  for (size_t total = 0; total < kMostBytes;) {
    const ssize_t got = read(pipe_.get(), block.data(), block.size());
    if (got <= 0) return;
    total += static_cast<size_t>(got);
    for (const char c : std::string_view(block.data(), static_cast<size_t>(got))) {
      if (c != '\0') {
        if (rest_.size() <= kMostPath) rest_ += c;
        continue;
      }
      log.Add(Line(std::exchange(rest_, {})));
    }
  }
}

}  // namespace paddock::process_wall
