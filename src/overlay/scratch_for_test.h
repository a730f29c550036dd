// A directory of the host for one test, gone at its end.
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace paddock::overlay {

class Scratch {
 public:
  Scratch() {
    std::string pattern = (std::filesystem::temp_directory_path() / "paddock-overlay-XXXXXX").string();
    path_ = mkdtemp(pattern.data()) == nullptr ? std::string() : pattern;
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const std::string& path() const { return path_; }
  std::string At(const std::string& name) const { return path_ + "/" + name; }
  std::string MakeDirectory(const std::string& name) const {
    std::filesystem::create_directories(At(name));
    return At(name);
  }
  void Write(const std::string& name, const std::string& content, mode_t mode = 0644) const {
    std::filesystem::create_directories(std::filesystem::path(At(name)).parent_path());
    std::ofstream(At(name), std::ios::binary) << content;
    chmod(At(name).c_str(), mode);
  }
  std::string Read(const std::string& name) const {
    std::ifstream file(At(name), std::ios::binary);
    return file ? std::string(std::istreambuf_iterator<char>(file), {}) : "(absent)";
  }
  // False where the file system has no user attributes.
  bool SetAttribute(const std::string& name, const char* attribute, const std::string& value) const {
    return setxattr(At(name).c_str(), attribute, value.data(), value.size(), 0) == 0;
  }

 private:
  std::string path_;
};

}  // namespace paddock::overlay
