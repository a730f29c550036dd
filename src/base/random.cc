#include "base/random.h"

#include <sys/random.h>

#include <cerrno>

#include "base/check.h"

namespace paddock {

void FillRandom(std::span<uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t got = getrandom(bytes.data(), bytes.size(), 0);
    PADDOCK_CHECK(got > 0 || errno == EINTR);
    if (got > 0) bytes = bytes.subspan(static_cast<size_t>(got));
  }
}

}  // namespace paddock
