#include "cli/srt_control.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>

namespace paddock::cli {
namespace {

constexpr size_t kMostLine = 1 << 20;

void Tell(int descriptor, const std::string& text) { std::fprintf(stderr, "paddock srt: control fd %d: %s\n", descriptor, text.c_str()); }

}  // namespace

Result<int> SrtControl::ParseDescriptor(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size() && number >= 3) return number;
  return Error(Code::kInvalid, "must be a descriptor from 3 (0 to 2 are stdin, stdout and stderr)");
}

Status SrtControl::Check(int descriptor) {
  const int flags = fcntl(descriptor, F_GETFL);
  struct stat status {};
  if (flags < 0 || fstat(descriptor, &status) != 0) return static_cast<Code>(errno);
  if ((flags & O_ACCMODE) == O_WRONLY) return Error(Code::kBadDescriptor, "it is open for writing only");
  if (S_ISDIR(status.st_mode)) return Code::kIsDirectory;
  if (!S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode) && !S_ISSOCK(status.st_mode) && !S_ISCHR(status.st_mode)) {
    return Error(Code::kInvalid, "it is no pipe, socket or file");
  }
  if (fcntl(descriptor, F_SETFD, FD_CLOEXEC) != 0) return static_cast<Code>(errno);
  return {};
}

SrtControl::SrtControl(int descriptor, Apply apply, Lost lost)
    : descriptor_(descriptor), apply_(std::move(apply)), lost_(std::move(lost)), stop_(eventfd(0, EFD_CLOEXEC)), reader_([this] { Read(); }) {}

SrtControl::~SrtControl() {
  const uint64_t one = 1;
  if (write(stop_, &one, sizeof one) != sizeof one) Tell(descriptor_, "cannot stop reading");
  reader_.join();
  close(stop_);
}

void SrtControl::Read() {
  std::array<char, 64 << 10> block{};
  while (true) {
    std::array<pollfd, 2> waits{{{stop_, POLLIN, 0}, {descriptor_, POLLIN, 0}}};
    if (poll(waits.data(), waits.size(), -1) < 0 && errno != EINTR) return;
    if (waits[0].revents != 0) return;
    if (waits[1].revents == 0) continue;
    const ssize_t got = read(descriptor_, block.data(), block.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got > 0) {
      text_.append(block.data(), static_cast<size_t>(got));
      TakeLines();
      continue;
    }
    if (got == 0) {   // no error: the command goes on under the last settings
      if (!text_.empty()) {
        text_ += '\n';
        TakeLines();
      }
      return;
    }
    Tell(descriptor_, "reading failed: " + std::string(std::strerror(errno)) +
                          (has_applied_ ? "; the last settings stay" : "; it never delivered settings, so the command is ended"));
    if (!has_applied_) lost_();
    return;
  }
}

void SrtControl::TakeLines() {
  size_t begin = 0;
  for (size_t end; (end = text_.find('\n', begin)) != std::string::npos; begin = end + 1) {
    const std::string_view line = std::string_view(text_).substr(begin, end - begin);
    if (is_skipping_) {
      is_skipping_ = false;
      continue;
    }
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    if (const Status applied = apply_(line); applied) has_applied_ = true;
    else Tell(descriptor_, "a line was ignored, the settings before it hold: it " + std::string(applied.error().Text()));
  }
  text_.erase(0, begin);
  if (text_.size() <= kMostLine) return;
  if (!is_skipping_) Tell(descriptor_, "a line of more than 1 MiB was ignored");
  is_skipping_ = true;
  text_.clear();
}

}  // namespace paddock::cli
