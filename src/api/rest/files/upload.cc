#include "api/rest/files/upload.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <span>
#include <utility>

#include "base/crc32c.h"

namespace paddock::api {
namespace {

constexpr size_t kPiece = 64 << 10;   // a thousand uploads may wait at once
constexpr size_t kLargePiece = 256 << 10;   // of one that has shown that it is large, and fast
constexpr uint64_t kLarge = 2 << 20;

Error DiskError(int number) {
  const auto code = static_cast<Code>(number);
  return Error(code, "the upload could not be put aside: " + std::string(CodeText(code)));
}

}  // namespace

Upload::Upload(net::Exchange& exchange, std::string directory) : exchange_(exchange), directory_(std::move(directory)), buffer_(kPiece, '\0') {}

Result<size_t> Upload::Next(std::span<char> to) {
  auto size = exchange_.ReadBody(to);
  if (!size && size.error().code == Code::kLimit) return Error(Code::kFileTooBig, std::string(size.error().Text()));
  return size;
}

Status Upload::Receive() {
  while (true) {
    PADDOCK_ASSIGN(const size_t size, Next(buffer_));
    if (size == 0) break;
    if (stored_ >= kLarge && size == kPiece && buffer_.size() == kPiece) {
      PADDOCK_TRY(Store(buffer_));
      buffer_.resize(kLargePiece);
      continue;
    }
    PADDOCK_TRY(Store(std::string_view(buffer_).substr(0, size)));
  }
  is_received_ = true;
  return {};
}

Status Upload::Store(std::string_view bytes) {
  if (!file_.is_open() && head_.size() + bytes.size() <= kMemoryBytes) {
    head_ += bytes;
    stored_ += bytes.size();
    return {};
  }
  if (!file_.is_open()) {
    file_.Reset(open(directory_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    if (!file_.is_open()) return DiskError(errno);
    stored_ = 0;
    PADDOCK_TRY(Append(std::exchange(head_, {})));
  }
  return Append(bytes);
}

Status Upload::Append(std::string_view bytes) {
  checksum_ = Crc32c(bytes, checksum_);
  while (!bytes.empty()) {
    const ssize_t written = pwrite(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(stored_));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return DiskError(written == 0 ? ENOSPC : errno);
    stored_ += static_cast<uint64_t>(written);
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return {};
}

Result<Block> Upload::ReadBlock(size_t max) {
  const auto room = std::span(buffer_).first(std::min(max, buffer_.size()));
  if (!is_received_) {
    PADDOCK_ASSIGN(const size_t size, Next(room));
    return Block{nullptr, std::string_view(buffer_).substr(0, size)};
  }
  if (taken_ < head_.size()) {
    const std::string_view piece = std::string_view(head_).substr(static_cast<size_t>(taken_), max);
    taken_ += piece.size();
    return Block{nullptr, piece};
  }
  if (taken_ == stored_) return Block{nullptr, {}};
  if (extent_ != nullptr) {
    const std::string_view piece = extent_->bytes.substr(static_cast<size_t>(taken_), max);
    taken_ += piece.size();
    return Block{extent_, piece};
  }
  while (true) {
    const ssize_t got = pread(file_.get(), room.data(), room.size(), static_cast<off_t>(taken_));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return DiskError(got == 0 ? EIO : errno);
    taken_ += static_cast<uint64_t>(got);
    return Block{nullptr, std::string_view(buffer_).substr(0, static_cast<size_t>(got))};
  }
}

}  // namespace paddock::api
