#include "cli/state_check.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace paddock::cli {
namespace {

using sandbox::Check;

constexpr const char* kLost = ": overlay workspaces, quarantined files and a daemon's data have no place";

// Whether a file can be made there, which permissions alone do not say (a full or read-only disk).
bool IsWritable(const std::string& directory) {
  std::string name = directory + "/.doctor-XXXXXX";
  const int file = mkostemp(name.data(), O_CLOEXEC);
  if (file < 0) return false;
  close(file);
  unlink(name.c_str());
  return true;
}

std::string Octal(mode_t mode) {
  std::array<char, 8> text{};
  std::snprintf(text.data(), text.size(), "%04o", mode & 07777);
  return text.data();
}

}  // namespace

Check CheckStateDirectory(const std::string& base, uid_t user) {
  const auto limited = [](std::string detail, std::string remedy) {
    return Check{"state directory", Check::State::kLimited, std::move(detail), std::move(remedy)};
  };
  const auto works = [](std::string detail) { return Check{"state directory", Check::State::kWorks, std::move(detail), {}}; };
  const std::string elsewhere = "set XDG_STATE_HOME to a directory of your own";
  if (base.empty()) return limited(std::string("neither XDG_STATE_HOME nor HOME is set") + kLost, elsewhere);
  const std::string path = base + "/paddock";
  struct stat status{};
  if (stat(path.c_str(), &status) != 0) {
    const int error = errno;
    // The nearest directory that is there will get it.
    std::string parent = path;
    while (error == ENOENT && parent.size() > 1 && access(parent.c_str(), F_OK) != 0) parent.resize(std::max<size_t>(parent.rfind('/'), 1));
    if (error == ENOENT && IsWritable(parent)) return works(path + " is made when it is needed");
    return limited(path + " cannot be made (" + std::strerror(error == ENOENT ? errno : error) + " at " + parent + ")" + kLost,
                   "make it and give it to this user: mkdir -p " + path + "; or " + elsewhere);
  }
  if (!S_ISDIR(status.st_mode)) return limited(path + " is no directory" + kLost, "move it away");
  if (status.st_uid != user) {
    return limited(path + " belongs to user " + std::to_string(status.st_uid) + ", not to " + std::to_string(user) + " (a run with sudo may have made it)",
                   "sudo chown -R " + std::to_string(user) + " " + path + "; or " + elsewhere);
  }
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) return limited(path + " can be written by others (mode " + Octal(status.st_mode) + ")", "chmod go-w " + path);
  if (!IsWritable(path)) {
    return limited(path + " cannot be written (" + std::strerror(errno) + ")" + kLost, "make room there, mount it writable, or chmod u+rwx " + path + "; or " + elsewhere);
  }
  return works(path + " (mode " + Octal(status.st_mode) + ")");
}

}  // namespace paddock::cli
