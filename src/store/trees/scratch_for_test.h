// For tests: a store in a temporary directory.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "store/trees/store.h"

namespace paddock::trees {

// A directory of the host that a test may fill; removed with the object.
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

  std::string Path(const std::string& name) const { return path_ + "/" + name; }
  void Put(const std::string& name, const std::string& text) const { std::ofstream(Path(name), std::ios::binary) << text; }
  std::string Get(const std::string& name) const {
    std::ifstream file(Path(name), std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }

 private:
  std::string path_;
};

inline std::shared_ptr<Store> OpenStore(const TemporaryDirectory& scratch, const StoreOptions& options = {}) {
  auto store = Store::Open(scratch.Path("store"), options);
  if (!store) {
    ADD_FAILURE() << store.error().Text();
    std::abort();
  }
  return std::move(*store);
}

// Collects what these trees, known beforehand, do not lead to.
inline Result<Collected> CollectBut(Store& store, const std::vector<ObjectId>& roots, const CollectOptions& options) {
  return store.Collect([&roots] { return roots; }, options);
}

}  // namespace paddock::trees
