#include "registry/entry/sandbox_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "base/descriptor.h"
#include "base/id.h"

namespace paddock::registry {
namespace {

constexpr size_t kMostProcess = 64;
constexpr uint32_t kMark = 0x676f4c50;   // "PLog": a piece begins here

// In front of each piece, little-endian as this machine is; files do not travel.
struct Header {
  uint32_t mark = kMark;
  uint32_t bytes = 0;
  int64_t at = 0;
  uint16_t stream = 0;
  uint16_t process_bytes = 0;
  uint32_t check = 0;    // of what stands before it

  uint32_t Check() const { return (bytes * 2654435761u) ^ static_cast<uint32_t>(at) ^ (uint32_t{stream} << 16 | process_bytes) ^ 0x5bd1e995u; }
  bool is_good() const { return mark == kMark && check == Check() && bytes <= SandboxLog::kPieceBytes && process_bytes <= kMostProcess && stream <= 1; }
  uint64_t size() const { return sizeof(Header) + process_bytes + bytes; }
};
static_assert(sizeof(Header) == 24);

std::string Encode(const SandboxLog::Piece& piece) {
  Header header;
  header.bytes = static_cast<uint32_t>(piece.bytes.size());
  header.at = piece.at.time_since_epoch().count();
  header.stream = piece.stream == sandbox::Stream::kStderr ? 1 : 0;
  header.process_bytes = static_cast<uint16_t>(piece.process.size());
  header.check = header.Check();
  std::string text(reinterpret_cast<const char*>(&header), sizeof header);
  return text + piece.process + piece.bytes;
}

// Reads pieces out of encoded ones that begin at `start`.
class Decoder {
 public:
  using Fetch = std::function<std::string(uint64_t position, size_t most)>;   // may give less
  Decoder(uint64_t start, uint64_t size, Fetch fetch) : start_(start), size_(size), fetch_(std::move(fetch)) {}

  // The piece at `position`, without its bytes unless `is_whole`; none at the end or where there is none.
  std::optional<SandboxLog::Piece> At(uint64_t position, bool is_whole) {
    const std::string_view first = Bytes(position, sizeof(Header));
    if (first.size() < sizeof(Header)) return std::nullopt;
    Header header;
    std::memcpy(&header, first.data(), sizeof header);
    if (!header.is_good() || position + header.size() > size_) return std::nullopt;
    SandboxLog::Piece piece{.offset = start_ + position, .next = start_ + position + header.size(), .at = Time(Duration(header.at)),
                            .stream = header.stream == 1 ? sandbox::Stream::kStderr : sandbox::Stream::kStdout, .process = {}, .bytes = {}};
    if (!is_whole) return piece;
    const std::string_view rest = Bytes(position + sizeof(Header), header.process_bytes + header.bytes);
    if (rest.size() < header.process_bytes + header.bytes) return std::nullopt;
    piece.process = rest.substr(0, header.process_bytes);
    piece.bytes = rest.substr(header.process_bytes, header.bytes);
    return piece;
  }

 private:
  std::string_view Bytes(uint64_t position, size_t count) {
    if (position < window_start_ || position + count > window_start_ + window_.size()) {
      window_start_ = position;
      window_ = fetch_(position, std::max<size_t>(count, 64 << 10));
    }
    return std::string_view(window_).substr(static_cast<size_t>(position - window_start_), count);
  }

  const uint64_t start_, size_;
  const Fetch fetch_;
  std::string window_;
  uint64_t window_start_ = 0;
};

std::string ReadAt(int file, uint64_t position, size_t most) {
  std::string bytes(most, '\0');
  size_t got = 0;
  while (got < most) {
    const ssize_t size = pread(file, bytes.data() + got, most - got, static_cast<off_t>(position + got));
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    got += static_cast<size_t>(size);
  }
  bytes.resize(got);
  return bytes;
}

}  // namespace

std::optional<std::pair<std::string, uint64_t>> SandboxLog::ParseName(std::string_view name) {
  const size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || !IsId(name.substr(0, dot), "sbx_")) return std::nullopt;
  uint64_t start = 0;
  const auto [end, failure] = std::from_chars(name.data() + dot + 1, name.data() + name.size(), start);
  if (failure != std::errc() || end != name.data() + name.size() || start > uint64_t{1} << 60) return std::nullopt;
  return std::pair(std::string(name.substr(0, dot)), start);
}

SandboxLog::SandboxLog(std::string sandbox, Settings settings, const Files& files)
    : sandbox_(std::move(sandbox)), settings_(std::move(settings)), files_(files) {
  if (!files_.empty()) memory_start_ = files_.rbegin()->first + files_.rbegin()->second;
}

std::string SandboxLog::PathOf(uint64_t start) const { return settings_.directory + "/" + sandbox_ + "." + std::to_string(start); }

void SandboxLog::Append(std::string_view process, sandbox::Stream stream, Time at, std::string_view bytes) {
  constexpr auto kTogether = std::chrono::milliseconds(100);   // pieces so close are one
  if (bytes.empty() || process.size() > kMostProcess) return;
  {
    const std::lock_guard lock(mutex_);
    if (has_ended_) return;
    while (!bytes.empty()) {
      const bool goes_on = open_.process == process && open_.stream == stream && open_.bytes.size() < kPieceBytes && at - open_.at < kTogether;
      if (!open_.bytes.empty() && !goes_on) Seal();
      if (open_.bytes.empty()) open_ = {.offset = 0, .next = 0, .at = at, .stream = stream, .process = std::string(process), .bytes = {}};
      const std::string_view taken = bytes.substr(0, kPieceBytes - open_.bytes.size());
      open_.bytes += taken;
      bytes.remove_prefix(taken.size());
    }
    if (memory_.size() > kMemoryBytes) Write(at);
  }
  Notify();
}

void SandboxLog::Seal() {
  if (open_.bytes.empty()) return;
  memory_ += Encode(open_);
  open_ = {};
}

void SandboxLog::Write(Time now) {
  if (memory_.empty()) return;
  const auto keep_some = [&] {   // what does not fit in memory is lost, oldest first
    Decoder decoder(memory_start_, memory_.size(), [&](uint64_t position, size_t most) { return memory_.substr(static_cast<size_t>(position), most); });
    uint64_t position = 0;
    while (memory_.size() - position > kMemoryBytes) {
      const auto piece = decoder.At(position, false);
      if (!piece) break;
      position = piece->next - memory_start_;
    }
    memory_.erase(0, static_cast<size_t>(position));
    memory_start_ += position;
  };
  if (settings_.directory.empty()) return keep_some();
  const bool is_stale = settings_.most_age && now - began_ > *settings_.most_age / 4;
  if (is_open_ && (files_.rbegin()->second >= settings_.most_bytes / 4 || is_stale || files_.rbegin()->first + files_.rbegin()->second != memory_start_)) is_open_ = false;
  const uint64_t start = is_open_ ? files_.rbegin()->first : memory_start_;
  const Descriptor file(open(PathOf(start).c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | (is_open_ ? 0 : O_TRUNC), 0600));
  if (!file.is_open()) return keep_some();
  if (!is_open_) {
    files_[start] = 0;
    began_ = now;
    is_open_ = true;
  }
  uint64_t& size = files_.rbegin()->second;
  std::string_view rest = memory_;
  while (!rest.empty()) {
    const ssize_t written = write(file.get(), rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) break;
    rest.remove_prefix(static_cast<size_t>(written));
  }
  if (!rest.empty()) {   // as if nothing had been written
    if (ftruncate(file.get(), static_cast<off_t>(size)) != 0) is_open_ = false;
    return keep_some();
  }
  size += memory_.size();
  memory_start_ += memory_.size();
  memory_.clear();
  memory_.shrink_to_fit();
  uint64_t sum = 0;
  for (const auto& [offset, bytes] : files_) sum += bytes;
  while (sum > settings_.most_bytes && files_.size() > 1) {
    sum -= files_.begin()->second;
    DropOldest();
  }
}

void SandboxLog::DropOldest() {
  unlink(PathOf(files_.begin()->first).c_str());
  files_.erase(files_.begin());
  if (files_.empty()) is_open_ = false;
}

void SandboxLog::Flush(Time now) {
  const std::lock_guard lock(mutex_);
  if (has_ended_) return;
  Seal();
  Write(now);
}

bool SandboxLog::has_unwritten() const {
  const std::lock_guard lock(mutex_);
  return !memory_.empty() || !open_.bytes.empty();
}

void SandboxLog::Trim(Time now) {
  if (!settings_.most_age) return;
  const std::lock_guard lock(mutex_);
  while (!files_.empty() && !settings_.directory.empty()) {
    const auto [start, size] = *files_.begin();
    const Descriptor file(open(PathOf(start).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    // The newest of it; every piece is looked at, as pieces have no way back.
    Decoder decoder(start, size, [&](uint64_t position, size_t most) { return ReadAt(file.get(), position, most); });
    Time newest{};
    uint64_t position = 0;
    while (file.is_open()) {
      const auto piece = decoder.At(position, false);
      if (!piece) break;
      newest = std::max(newest, piece->at);
      position = piece->next - start;
      if (now - newest <= *settings_.most_age) return;   // and all behind it
    }
    DropOldest();
  }
}

void SandboxLog::Remove() {
  {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
    while (!files_.empty()) DropOldest();
    memory_start_ += memory_.size();
    memory_.clear();
    open_ = {};
  }
  Notify();
}

SandboxLog::Reading SandboxLog::Read(uint64_t offset, std::optional<Time> since, size_t most, Time now) {
  const std::lock_guard lock(mutex_);
  Seal();
  if (settings_.most_age) since = std::max(since.value_or(Time{}), now - *settings_.most_age);
  const uint64_t end = memory_start_ + memory_.size();
  const uint64_t first = files_.empty() ? memory_start_ : files_.begin()->first;
  Reading reading{.pieces = {}, .next = std::min(offset, end), .is_complete = offset >= first, .has_ended = false};
  size_t taken = 0;
  bool is_full = false;
  const auto take_from = [&](uint64_t start, uint64_t size, const Decoder::Fetch& fetch) {
    if (is_full || start + size <= reading.next) return;
    Decoder decoder(start, size, fetch);
    uint64_t position = reading.next > start ? reading.next - start : 0;
    if (position > 0 && !decoder.At(position, false)) {   // not where a piece begins: the next one
      uint64_t from = 0;
      while (from < position) {
        const auto piece = decoder.At(from, false);
        if (!piece) break;
        from = piece->next - start;
      }
      position = std::max(from, position);
    }
    while (true) {
      const auto head = decoder.At(position, false);
      if (!head) break;
      if (!since || head->at >= *since) {
        if (taken >= most) {
          is_full = true;
          return;
        }
        auto piece = decoder.At(position, true);
        if (!piece) break;
        if (taken > 0 && taken + piece->bytes.size() > most) {
          is_full = true;
          return;
        }
        taken += piece->bytes.size();
        reading.pieces.push_back(std::move(*piece));
      }
      position = head->next - start;
      reading.next = head->next;
    }
    reading.next = start + size;   // a torn end of a file is passed over
  };
  for (const auto& [start, size] : files_) {
    if (start + size <= reading.next || is_full) continue;
    const Descriptor file(open(PathOf(start).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (!file.is_open()) {
      reading.is_complete = false;
      continue;
    }
    take_from(start, size, [&](uint64_t position, size_t want) { return ReadAt(file.get(), position, want); });
  }
  take_from(memory_start_, memory_.size(), [&](uint64_t position, size_t want) { return memory_.substr(static_cast<size_t>(position), want); });
  if (!is_full) reading.next = std::max(reading.next, end);
  reading.has_ended = has_ended_ && !is_full;
  return reading;
}

uint64_t SandboxLog::AddWatcher(std::function<void()> watcher) {
  const std::lock_guard lock(watchers_mutex_);
  watchers_.emplace(++last_watcher_, std::move(watcher));
  return last_watcher_;
}

void SandboxLog::RemoveWatcher(uint64_t number) {
  const std::lock_guard lock(watchers_mutex_);
  watchers_.erase(number);
}

void SandboxLog::Notify() {
  const std::lock_guard lock(watchers_mutex_);
  for (const auto& [number, watcher] : watchers_) watcher();
}

}  // namespace paddock::registry
