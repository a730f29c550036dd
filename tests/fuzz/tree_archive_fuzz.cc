// Fuzz target of what comes into the store from outside: tar archives, images and exported trees. What is taken is a
// tree that passes every check.
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/check.h"
#include "store/trees/image_archive.h"
#include "store/trees/layer_builder.h"
#include "store/trees/tree_check.h"
#include "store/trees/tree_file.h"

using namespace paddock;
using namespace paddock::trees;

namespace {

// A store that is emptied now and then; removed at the end.
class Scratch {
 public:
  Scratch() {
    std::string pattern = std::filesystem::temp_directory_path() / "paddock-fuzz-XXXXXX";
    directory_ = mkdtemp(pattern.data());
    auto store = Store::Open(directory_ + "/store");
    PADDOCK_CHECK(store.has_value());
    store_ = std::move(*store);
  }
  ~Scratch() {
    store_ = nullptr;
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }
  Store& store() {
    if (++runs_ % 500 == 0) {
      PADDOCK_CHECK(store_->Collect([] { return std::vector<ObjectId>(); }, {.grace = Nanoseconds(0), .least_garbage = 0}).has_value());
    }
    return *store_;
  }

 private:
  std::string directory_;
  std::shared_ptr<Store> store_;
  int runs_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static Scratch scratch;
  if (size == 0) return 0;
  StringSource source(std::string_view(reinterpret_cast<const char*>(data) + 1, size - 1));
  Store& store = scratch.store();
  Session session = store.Begin();
  const ArchiveLimits limits{.max_entries = 2'000, .max_bytes = 4 << 20};
  Result<Captured> captured = Code::kInvalid;
  switch (data[0] % 3) {
    case 0: captured = ImportTar(session, source, limits); break;
    case 1: {
      auto image = ImportImage(session, source, {.limits = limits});
      if (image) captured = image->files;
      break;
    }
    default: captured = ImportTree(session, source, {.max_bytes = 4 << 20, .max_objects = 2'000, .max_entries = 2'000});
  }
  if (!captured) return 0;
  const auto totals = CheckTree(store, captured->tree, {.reads_contents = false});
  PADDOCK_CHECK(totals.has_value() && totals->entries == captured->totals.entries);
  return 0;
}
