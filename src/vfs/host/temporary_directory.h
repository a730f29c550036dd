// A directory of the host that a test may fill; removed with the object.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace paddock::vfs {

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string pattern = std::filesystem::temp_directory_path() / "paddock-test-XXXXXX";
    path_ = mkdtemp(pattern.data());
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  std::string Path(const std::string& name = {}) const {
    return name.empty() ? path_ : path_ + "/" + name;
  }
  void Put(const std::string& name, const std::string& text) const {
    std::ofstream(Path(name)) << text;
  }
  std::string Get(const std::string& name) const {
    std::ifstream file(Path(name));
    return std::string(std::istreambuf_iterator<char>(file), {});
  }

 private:
  std::string path_;
};

}  // namespace paddock::vfs
