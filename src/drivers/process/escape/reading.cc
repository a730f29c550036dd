#include "drivers/process/escape/reading.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cctype>

namespace paddock::escape {

std::string ReadSome(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  if (file < 0) return {};
  std::array<char, 4096> block;
  const ssize_t got = read(file, block.data(), block.size());
  close(file);
  return got > 0 ? std::string(block.data(), static_cast<size_t>(got)) : std::string();
}

Verdict Show(const std::string& what, const std::string& text) {
  std::string shown = text;
  for (char& c : shown) {
    if (std::isprint(static_cast<unsigned char>(c)) == 0) c = ' ';
  }
  return text.empty() ? Held(what + " cannot be read") : Escaped(what + " reads: " + shown);
}

bool AnyProcess(const std::function<bool(const std::string& directory)>& visit) {
  DIR* const list = opendir("/proc");
  if (list == nullptr) return false;
  bool is_found = false;
  while (const dirent* entry = is_found ? nullptr : readdir(list)) {
    if (std::isdigit(static_cast<unsigned char>(entry->d_name[0])) != 0) is_found = visit(std::string("/proc/") + entry->d_name);
  }
  closedir(list);
  return is_found;
}

}  // namespace paddock::escape
