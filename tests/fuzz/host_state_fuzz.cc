// Fuzz target of states of process sandboxes that come from outside: any tree (out of a tar archive) with any extended attributes is refused,
// or becomes files of the host below one directory which are captured again as the same tree.
#include <fcntl.h>
#include <sys/stat.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/descriptor.h"
#include "overlay/beneath.h"
#include "registry/states/host_tree.h"
#include "store/trees/archive_format.h"
#include "store/trees/restore.h"

using namespace paddock;

namespace {

constexpr const char *kStore = "/store", *kFirst = "first", *kSecond = "second";

class Scratch {
 public:
  Scratch() {
    std::string pattern = std::filesystem::temp_directory_path() / "paddock-fuzz-XXXXXX";
    directory_ = mkdtemp(pattern.data());
    auto store = trees::Store::Open(directory_ + kStore);
    PADDOCK_CHECK(store.has_value());
    store_ = std::move(*store);
    own_.Reset(open(directory_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  ~Scratch() {
    store_ = nullptr;
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }
  trees::Store& store() {
    if (++runs_ % 500 == 0) {
      PADDOCK_CHECK(store_->Collect([] { return std::vector<trees::ObjectId>(); }, {.grace = Nanoseconds(0), .least_garbage = 0}).has_value());
    }
    return *store_;
  }
  Descriptor Make(const char* name) {
    if (std::filesystem::exists(std::filesystem::symlink_status(directory_ + "/" + name))) PADDOCK_CHECK(overlay::RemoveTree(own_.get(), name).has_value());
    PADDOCK_CHECK(mkdirat(own_.get(), name, 0700) == 0);
    return Descriptor(openat(own_.get(), name, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }

 private:
  std::string directory_;
  std::shared_ptr<trees::Store> store_;
  Descriptor own_;
  int runs_ = 0;
};

Result<trees::Captured> Capture(trees::Session& session, int directory, const std::vector<std::string>& parts) {
  std::vector<Descriptor> opened;
  std::vector<registry::HostPart> found;
  for (const std::string& part : parts) {
    opened.emplace_back(openat(directory, part.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    found.push_back({.name = part, .directory = opened.back().get()});
  }
  return registry::CaptureHost(session, found);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static Scratch scratch;
  const std::vector<std::string> parts{"home", "root", "workspace"};
  const registry::HostTreeLimits limits{.max_entries = 500, .max_bytes = 1 << 20, .max_attribute_bytes = 64 << 10};
  StringSource source(std::string_view(reinterpret_cast<const char*>(data), size));
  trees::Store& store = scratch.store();
  trees::Session session = store.Begin();
  const auto imported = trees::ImportArchive(session, source, trees::ArchiveFormat::kAuto, {.limits = {.max_entries = 500, .max_bytes = 1 << 20}});
  if (!imported) return 0;
  const Descriptor first = scratch.Make(kFirst);
  if (!registry::RestoreHost(store, imported->image.files.tree, first.get(), parts, limits)) return 0;
  const auto once = Capture(session, first.get(), parts);
  PADDOCK_CHECK(once.has_value());
  const Descriptor second = scratch.Make(kSecond);
  PADDOCK_CHECK(registry::RestoreHost(store, once->tree, second.get(), parts).has_value());
  const auto twice = Capture(session, second.get(), parts);
  PADDOCK_CHECK(twice.has_value() && twice->tree == once->tree);
  return 0;
}
