#include "registry/entry/output_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace paddock::registry {
namespace {

constexpr uint64_t kMarkEvery = 64 << 10;   // bytes between the marks
constexpr size_t kMostNewest = 4096;        // pieces
constexpr size_t kMostHeader = 4;           // bytes in front of a piece

// The size with the stream in the lowest bit, seven bits a byte, lowest first.
std::string Header(const OutputLog::Piece& piece) {
  uint64_t number = uint64_t{piece.bytes.size()} << 1 | (piece.stream == sandbox::Stream::kStderr ? 1 : 0);
  std::string text;
  do {
    text += static_cast<char>((number & 127) | (number > 127 ? 128 : 0));
    number >>= 7;
  } while (number != 0);
  return text;
}

}  // namespace

void OutputLog::Append(sandbox::Stream stream, std::string_view bytes) {
  if (bytes.empty()) return;
  {
    const std::lock_guard lock(mutex_);
    while (!bytes.empty()) {
      if (!open_.bytes.empty() && (open_.stream != stream || open_.bytes.size() == kPieceBytes)) Seal();
      if (open_.bytes.empty()) open_ = {.offset = size_, .stream = stream, .bytes = {}};
      const std::string_view taken = bytes.substr(0, kPieceBytes - open_.bytes.size());
      open_.bytes += taken;
      size_ += taken.size();
      bytes.remove_prefix(taken.size());
    }
  }
  changed_.notify_all();
  Notify();
}

void OutputLog::End() {
  {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
  }
  changed_.notify_all();
  Notify();
}

// Puts the open piece to the others.
void OutputLog::Seal() {
  if (!is_full_) {
    if (marks_.empty() || stored_ - marks_.back().position >= kMarkEvery) marks_.push_back({open_.offset, stored_});
    if (Store(Header(open_) + open_.bytes)) {
      stored_end_ = open_.offset + open_.bytes.size();
      open_.bytes.clear();
      return;
    }
    is_full_ = true;
  }
  newest_bytes_ += open_.bytes.size();
  newest_.push_back(std::move(open_));
  open_ = {};
  while (newest_bytes_ > kMemoryBytes || newest_.size() > kMostNewest) {
    newest_bytes_ -= newest_.front().bytes.size();
    newest_.pop_front();
  }
}

// All or nothing, as far as readers see.
bool OutputLog::Store(std::string_view encoded) {
  const size_t in_memory = stored_ < kMemoryBytes ? std::min<size_t>(encoded.size(), kMemoryBytes - static_cast<size_t>(stored_)) : 0;
  std::string_view rest = encoded.substr(in_memory);
  if (!rest.empty() && !file_.is_open()) {
    if (directory_.empty()) return false;
    file_.Reset(open(directory_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    if (!file_.is_open()) return false;
  }
  uint64_t at = stored_ + in_memory - kMemoryBytes;
  while (!rest.empty()) {
    if (at + rest.size() > kFileBytes) return false;
    const ssize_t written = pwrite(file_.get(), rest.data(), rest.size(), static_cast<off_t>(at));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    at += static_cast<uint64_t>(written);
    rest.remove_prefix(static_cast<size_t>(written));
  }
  head_ += encoded.substr(0, in_memory);
  stored_ += encoded.size();
  return true;
}

std::string OutputLog::Load(uint64_t position, size_t most) const {
  std::string bytes;
  most = static_cast<size_t>(std::min<uint64_t>(most, stored_ - position));
  if (position < head_.size()) bytes = head_.substr(static_cast<size_t>(position), most);
  while (bytes.size() < most) {
    const size_t had = bytes.size();
    bytes.resize(most);
    const ssize_t got = pread(file_.get(), bytes.data() + had, most - had, static_cast<off_t>(position + had - kMemoryBytes));
    bytes.resize(had + static_cast<size_t>(std::max<ssize_t>(got, 0)));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
  }
  return bytes;
}

// Adds what of a piece lies at reading.next.
void OutputLog::Take(const Piece& piece, size_t& most, Reading& reading) {
  if (most == 0 || piece.bytes.empty() || piece.offset + piece.bytes.size() <= reading.next) return;
  const size_t skipped = static_cast<size_t>(reading.next - piece.offset);
  Piece taken{.offset = reading.next, .stream = piece.stream, .bytes = piece.bytes.substr(skipped, most)};
  most -= taken.bytes.size();
  reading.next += taken.bytes.size();
  if (!reading.pieces.empty() && reading.pieces.back().stream == taken.stream) {
    reading.pieces.back().bytes += taken.bytes;
  } else {
    reading.pieces.push_back(std::move(taken));
  }
}

void OutputLog::ReadStored(uint64_t until, size_t& most, Reading& reading) const {
  if (reading.next >= until) return;
  auto mark = std::upper_bound(marks_.begin(), marks_.end(), reading.next, [](uint64_t at, const Mark& one) { return at < one.offset; });
  --mark;   // the first one is at offset 0
  uint64_t offset = mark->offset, position = mark->position;
  while (most > 0 && offset < until) {
    const std::string header = Load(position, kMostHeader);
    uint64_t number = 0;
    size_t length = 0;
    do {
      if (length == header.size()) return;   // the file cannot be read
      number |= uint64_t{static_cast<uint8_t>(header[length]) & 127u} << (7 * length);
    } while ((static_cast<uint8_t>(header[length++]) & 128u) != 0);
    const uint64_t size = number >> 1;
    position += length;
    if (offset + size > reading.next) {
      const Piece piece{offset, (number & 1) != 0 ? sandbox::Stream::kStderr : sandbox::Stream::kStdout, Load(position, size)};
      if (piece.bytes.size() != size) return;
      Take(piece, most, reading);
    }
    position += size;
    offset += size;
  }
}

OutputLog::Reading OutputLog::Read(uint64_t offset, size_t most, Time until) {
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, until, [&] { return has_ended_ || size_ > offset; });
  Reading reading{.pieces = {}, .next = std::min(offset, size_), .lost = 0, .has_ended = false};
  ReadStored(stored_end_, most, reading);
  const uint64_t kept_from = !newest_.empty() ? newest_.front().offset : !open_.bytes.empty() ? open_.offset : size_;
  if (most > 0 && reading.pieces.empty() && reading.next < kept_from) {   // the gap is told by a reading of its own
    reading.lost = kept_from - reading.next;
    reading.next = kept_from;
  }
  if (reading.next >= kept_from) {
    for (const Piece& piece : newest_) Take(piece, most, reading);
    Take(open_, most, reading);
  }
  reading.has_ended = has_ended_ && reading.next >= size_;
  return reading;
}

uint64_t OutputLog::size() const {
  const std::lock_guard lock(mutex_);
  return size_;
}

uint64_t OutputLog::AddWatcher(std::function<void()> watcher) {
  const std::lock_guard lock(watchers_mutex_);
  watchers_.emplace(++last_watcher_, std::move(watcher));
  return last_watcher_;
}

void OutputLog::RemoveWatcher(uint64_t number) {
  const std::lock_guard lock(watchers_mutex_);
  watchers_.erase(number);
}

void OutputLog::Notify() {
  const std::lock_guard lock(watchers_mutex_);
  for (const auto& [number, watcher] : watchers_) watcher();
}

}  // namespace paddock::registry
