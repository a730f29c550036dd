// Fuzz target of tree changes: whatever bytes come, they are refused or leave a sound tree; and what they did to it is
// found again as changes that do the same.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/clock.h"
#include "vfs/tree_changes.h"
#include "vfs/tree_dump_for_test.h"

namespace paddock::vfs {
namespace {

constexpr Quota kQuota{.bytes = 1 << 20, .inodes = 1000, .file_bytes = 1 << 30};

// /d (11), /d/e (12), /d/f (13) with a second name /g, /link (14).
std::shared_ptr<MemoryVolume> MakeTree() {
  class StoppedClock final : public Clock {
   public:
    Nanoseconds RealNow() const override { return Nanoseconds(1); }
    Nanoseconds MonotonicNow() const override { return Nanoseconds(1); }
  };
  static const StoppedClock kClock;
  MemoryVolume volume(kClock, kQuota);
  const NodeId d = *volume.Create(volume.root(), "d", {.type = FileType::kDirectory});
  PADDOCK_CHECK(volume.Create(d, "e", {.type = FileType::kDirectory}).has_value());
  const NodeId f = *volume.CreateFile(d, "f", 0644, "some text");
  PADDOCK_CHECK(volume.Link(volume.root(), "g", f).has_value());
  PADDOCK_CHECK(volume.Create(volume.root(), "link", {.type = FileType::kSymlink, .target = "d"}).has_value());
  return volume.Fork();
}

// Two extents, "a" and "b", of 100,000 bytes.
class Extents final : public ExtentSource {
 public:
  Result<ExtentPtr> Find(const ExtentName& name) override {
    for (const ExtentPtr& one : {a_, b_}) {
      if (one->name == name) return one;
    }
    return Error(Code::kIo, "no such extent");
  }
  bool Has(const Extent&) const override { return true; }

 private:
  const std::string bytes_ = std::string(100'000, 'x');
  const ExtentPtr a_ = std::make_shared<const Extent>(Extent{.name = {"a", 100'000, 1}, .bytes = bytes_, .keep = nullptr});
  const ExtentPtr b_ = std::make_shared<const Extent>(Extent{.name = {"b", 100'000, 1}, .bytes = bytes_, .keep = nullptr});
};

void Check(std::string_view bytes) {
  static const std::shared_ptr<MemoryVolume> kTree = MakeTree();
  static Extents extents;
  auto changes = DecodeChanges(bytes, &extents);
  if (!changes || changes->empty()) return;
  PADDOCK_CHECK(EncodeChanges(*changes, &extents) == bytes);
  // Most inputs would fail here for nothing.
  changes->start = {.next = 15, .nodes = kTree->Space().used_inodes, .bytes = kTree->Space().used_bytes};
  const auto changed = kTree->Fork();
  if (!ApplyChanges(*changes, *changed)) return;
  PADDOCK_CHECK(CheckTree(*changed).empty());
  const auto found = ChangesBetween(*kTree, *changed);
  PADDOCK_CHECK(found.has_value());
  const auto again = kTree->Fork();
  PADDOCK_CHECK(ApplyChanges(*found, *again).has_value());
  PADDOCK_CHECK(DumpTree(*again) == DumpTree(*changed));
}

}  // namespace
}  // namespace paddock::vfs

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  paddock::vfs::Check({reinterpret_cast<const char*>(data), size});
  return 0;
}
