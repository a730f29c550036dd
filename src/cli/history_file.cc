#include "cli/history_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/descriptor.h"

namespace paddock::cli {
namespace {

Error SystemError(const std::string& path) { return Error(Code::kIo, path + ": " + std::strerror(errno)); }

std::string Escape(std::string_view entry) {
  std::string text;
  for (const char c : entry) {
    if (c == '\n') text += "\\n";
    else if (c == '\\') text += "\\\\";
    else text += c;
  }
  return text;
}

std::string Unescape(std::string_view text) {
  std::string entry;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) entry += text[i];
    else entry += text[++i] == 'n' ? '\n' : text[i];
  }
  return entry;
}

bool WriteAll(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

Result<std::string> ReadAll(int descriptor, const std::string& path) {
  std::string text;
  char buffer[64 << 10];
  while (true) {
    const ssize_t count = read(descriptor, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return SystemError(path);
    if (count == 0) return text;
    text.append(buffer, static_cast<size_t>(count));
  }
}

// Opens and locks the file. The one that has the name by the time the lock is ours: another session may have
// replaced it by a shorter one meanwhile.
int OpenLocked(const std::string& path, int flags) {
  while (true) {
    const int descriptor = open(path.c_str(), flags | O_CLOEXEC, 0600);
    if (descriptor < 0) return -1;
    int locked = 0;
    do {
      locked = flock(descriptor, LOCK_EX);
    } while (locked != 0 && errno == EINTR);
    struct stat ours {};
    struct stat named {};
    if (locked != 0 || (fstat(descriptor, &ours) == 0 && stat(path.c_str(), &named) == 0 &&
                        ours.st_ino == named.st_ino && ours.st_dev == named.st_dev)) {
      return descriptor;   // a file system without locks is used without
    }
    close(descriptor);
  }
}

}  // namespace

Result<std::vector<std::string>> HistoryFile::Load() {
  const Descriptor file(OpenLocked(path_, O_RDWR));
  if (file.get() < 0) {
    if (errno == ENOENT) return std::vector<std::string>();
    return SystemError(path_);
  }
  PADDOCK_ASSIGN(const std::string text, ReadAll(file.get(), path_));
  std::vector<std::string> entries;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    if (end > at) entries.push_back(Unescape(std::string_view(text).substr(at, end - at)));
    at = end + 1;
  }
  size_t first = entries.size();
  for (size_t bytes = 0; first > 0 && entries.size() - first < kMaxEntries; --first) {
    bytes += entries[first - 1].size() + 1;
    if (bytes > kMaxBytes) break;
  }
  const bool is_too_long = entries.size() > 2 * kMaxEntries || text.size() > 2 * kMaxBytes;
  entries.erase(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(first));
  if (is_too_long) PADDOCK_TRY(Rewrite(entries));
  return entries;
}

Status HistoryFile::Rewrite(const std::vector<std::string>& entries) const {
  const std::string temporary = path_ + ".new";
  std::string text;
  for (const std::string& entry : entries) text += Escape(entry) + "\n";
  {
    const Descriptor file(open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    if (file.get() < 0 || !WriteAll(file.get(), text)) return SystemError(temporary);
  }
  if (rename(temporary.c_str(), path_.c_str()) != 0) return SystemError(path_);
  return {};
}

Status HistoryFile::Append(std::string_view entry) {
  int descriptor = OpenLocked(path_, O_WRONLY | O_APPEND | O_CREAT);
  if (descriptor < 0 && errno == ENOENT) {
    const mode_t mask = umask(077);
    std::error_code ignored;
    std::filesystem::create_directories(std::filesystem::path(path_).parent_path(), ignored);
    umask(mask);
    descriptor = OpenLocked(path_, O_WRONLY | O_APPEND | O_CREAT);
  }
  const Descriptor file(descriptor);
  if (file.get() < 0) return SystemError(path_);
  if (!WriteAll(file.get(), Escape(entry) + "\n")) return SystemError(path_);
  return {};
}

}  // namespace paddock::cli
