// Changes between states of a memory tree: whatever was done to it, doing the changes again gives the same tree; they cost
// what changed; and no bytes make an unsound tree.

#include "vfs/tree_changes.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "vfs/base_mirror.h"
#include "vfs/random_operations.h"
#include "vfs/test_clock.h"
#include "vfs/tree_dump_for_test.h"
#include "vfs/view.h"

namespace paddock::vfs {
namespace {

struct Tree {
  explicit Tree(std::shared_ptr<MemoryVolume> root) : volume(std::move(root)), names(volume), view(names, clock, {0, 0}, 022) {}
  Tree() : Tree(std::make_shared<MemoryVolume>(Now(), Quota{})) {}
  static TestClock& Now() {
    static TestClock now;
    return now;
  }
  const TestClock& clock = Now();
  std::shared_ptr<MemoryVolume> volume;
  Namespace names;
  View view;
};

std::string ChangesOf(const MemoryVolume& before, const MemoryVolume& after) {
  const auto changes = ChangesBetween(before, after);
  return changes ? EncodeChanges(*changes) : "none: " + std::string(changes.error().Text());
}

Status ApplyBytes(std::string_view bytes, MemoryVolume& volume) {
  PADDOCK_ASSIGN(const TreeChanges changes, DecodeChanges(bytes));
  return ApplyChanges(changes, volume);
}

// What `step` does to `tree`, applied to a fork from before, gives the same. Returns the size of the changes.
size_t CheckStep(Tree& tree, const std::function<void()>& step) {
  const auto before = tree.volume->Fork();
  Tree::Now().Advance(Nanoseconds(1'000'003));
  step();
  const std::string bytes = ChangesOf(*before, *tree.volume);
  const auto again = before->Fork();
  const Status status = ApplyBytes(bytes, *again);
  EXPECT_TRUE(status.has_value()) << status.error().Text();
  EXPECT_EQ(DumpTree(*again), DumpTree(*tree.volume));
  EXPECT_EQ(ChangesOf(*again, *again->Fork()), "");
  EXPECT_EQ(ChangesOf(*before, *again), bytes);
  return bytes.size();
}

void Must(const Status& status) { ASSERT_TRUE(status.has_value()) << status.error().Text(); }

TEST(TreeChanges, NothingGivesNoBytes) {
  Tree tree;
  Must(WriteFile(tree.view, "/a", "text", 0644));
  EXPECT_EQ(ChangesOf(*tree.volume->Fork(), *tree.volume), "");
  EXPECT_TRUE(DecodeChanges("")->empty());
}

TEST(TreeChanges, HoldEveryKindOfNode) {
  Tree tree;
  CheckStep(tree, [&] {
    Must(tree.view.MakeDirectory("/d", 01777));
    Must(WriteFile(tree.view, "/d/file", "text", 0640));
    Must(tree.view.MakeSymlink("../d/file", "/d/link"));
    Must(tree.view.MakeNode("/d/fifo", FileType::kFifo, 0600));
    Must(tree.view.MakeLink("/d/file", "/d/second", Follow::kNo));
    Must(tree.view.SetOwner("/d/file", 1000, 1001));
    Must(tree.volume->Create(tree.volume->root(), "null", {.type = FileType::kCharDevice, .mode = 0666, .special = 0x103}).has_value() ? Status() : Code::kIo);
  });
  CheckStep(tree, [&] {
    Must(tree.view.RemoveFile("/d/file"));
    Must(tree.view.SetMode("/d/second", 04755));
    Must(tree.view.RemoveFile("/d/fifo"));
    Must(tree.view.RemoveFile("/null"));
  });
  CheckStep(tree, [&] {
    Must(tree.view.Rename("/d", "/e", false));
    Must(tree.view.MakeDirectory("/d", 0700));
    Must(tree.view.Rename("/e/second", "/d/third", false));
  });
}

TEST(TreeChanges, DirectoriesMayChangePlaces) {
  Tree tree;
  Must(tree.view.MakeDirectory("/a", 0755));
  Must(tree.view.MakeDirectory("/a/b", 0755));
  Must(tree.view.MakeDirectory("/a/b/c", 0755));
  CheckStep(tree, [&] {
    Must(tree.view.Rename("/a/b/c", "/c", false));
    Must(tree.view.Rename("/a/b", "/c/b", false));
    Must(tree.view.Rename("/a", "/c/b/a", false));
  });
  CheckStep(tree, [&] {
    Must(tree.view.RemoveDirectory("/c/b/a"));
    Must(tree.view.RemoveDirectory("/c/b"));
    Must(tree.view.RemoveDirectory("/c"));
  });
}

TEST(TreeChanges, AreAsLargeAsWhatChanged) {
  Tree tree;
  for (int i = 0; i < 3000; ++i) Must(WriteFile(tree.view, "/file" + std::to_string(i), std::string(500, 'x'), 0644));
  Must(tree.view.MakeDirectory("/big", 0755));
  Must(WriteFile(tree.view, "/big/log", std::string(5'000'000, 'l'), 0644));
  EXPECT_LT(CheckStep(tree, [&] { Must(tree.view.SetMode("/file77", 0600)); }), 60u);
  EXPECT_LT(CheckStep(tree, [&] { Must(tree.view.Rename("/big", "/huge", false)); }), 120u);
  EXPECT_LT(CheckStep(tree, [&] { Must(tree.view.Rename("/file5", "/huge/file5", false)); }), 120u);
  EXPECT_LT(CheckStep(tree, [&] {
              const auto file = tree.view.Open("/huge/log", OpenFlags{.write = true, .append = true}, 0);
              Must((*file)->Write("one more line\n"));
            }), 100u);
  EXPECT_LT(CheckStep(tree, [&] {
              const auto file = tree.view.Open("/huge/log", OpenFlags{.write = true}, 0);
              Must((*file)->Seek(3'000'000, Whence::kStart).has_value() ? Status() : Code::kIo);
              Must((*file)->Write("in the middle"));
            }), 100u);
  EXPECT_LT(CheckStep(tree, [&] { Must(tree.view.Truncate("/huge/log", 100)); }), 100u);
  EXPECT_LT(CheckStep(tree, [&] { Must(tree.view.Truncate("/huge/log", 4'000'000'000)); }), 100u);
  EXPECT_LT(CheckStep(tree, [&] {
              const auto file = tree.view.Open("/huge/log", OpenFlags{.write = true}, 0);
              Must((*file)->Seek(3'999'999'000, Whence::kStart).has_value() ? Status() : Code::kIo);
              Must((*file)->Write("far behind a hole"));
            }), 120u);
}

TEST(TreeChanges, OpenFilesWithoutANameAreLeftOut) {
  Tree tree;
  Must(WriteFile(tree.view, "/keep", "k", 0644));
  OpenFilePtr open;
  CheckStep(tree, [&] {
    Must(WriteFile(tree.view, "/gone", "secret", 0644));
    open = *tree.view.Open("/gone", OpenFlags::Read(), 0);
    Must(tree.view.RemoveFile("/gone"));
  });
  CheckStep(tree, [&] { Must(WriteFile(tree.view, "/keep", "kept", 0644)); });
  EXPECT_EQ(ChangesOf(*tree.volume->Fork(), *tree.volume), "");
}

TEST(TreeChanges, RandomStepsCanBeDoneAgain) {
  RandomOperations operations(5);
  Tree tree;
  std::mt19937 random(17);
  const auto origin = tree.volume->Fork();
  const auto follower = origin->Fork();
  for (int round = 0; round < 400; ++round) {
    CheckStep(tree, [&] {
      for (uint32_t i = 0; i < 1 + random() % 40; ++i) Perform(tree.view, operations.Next());
    });
    if (HasFailure()) FAIL() << round;
  }
  // One change set for all of it.
  Must(ApplyBytes(ChangesOf(*origin, *tree.volume), *follower));
  EXPECT_EQ(DumpTree(*follower), DumpTree(*tree.volume));
}

TEST(BaseMirror, FollowsWhateverHappens) {
  RandomOperations operations(9);
  Tree tree;
  std::mt19937 random(29);
  for (int i = 0; i < 300; ++i) Perform(tree.view, operations.Next());
  BaseMirror mirror(*tree.volume);
  for (int round = 0; round < 300; ++round) {
    Tree::Now().Advance(Nanoseconds(1'000'003));
    for (uint32_t i = 0; i < random() % 30; ++i) Perform(tree.view, operations.Next());
    Must(mirror.Follow(*tree.volume));
    const auto changes = mirror.Changes();
    ASSERT_TRUE(changes.has_value()) << changes.error().Text();
    const auto again = mirror.base()->Fork();
    Must(ApplyBytes(*changes, *again));
    ASSERT_EQ(CheckTree(*again), "") << round;
    // Numbered anew, both are the same.
    ASSERT_EQ(DumpTree(BaseTree::Make(*again)->volume()), DumpTree(BaseTree::Make(*tree.volume)->volume())) << round;
  }
}

TEST(BaseMirror, CostsWhatHasChanged) {
  Tree tree;
  for (int i = 0; i < 2000; ++i) Must(WriteFile(tree.view, "/f" + std::to_string(i), "content", 0644));
  BaseMirror mirror(*tree.volume);
  EXPECT_EQ(mirror.Changes().value(), "");
  Must(WriteFile(tree.view, "/f7", "other", 0644));
  Must(tree.view.RemoveFile("/f8"));
  Must(mirror.Follow(*tree.volume));
  EXPECT_LT(mirror.Changes()->size(), 200u);
}

TEST(BaseMirror, FollowsNoOtherTree) {
  Tree tree, other;
  Must(WriteFile(tree.view, "/x", "1", 0644));
  BaseMirror mirror(*tree.volume);
  EXPECT_EQ(mirror.Follow(*other.volume).error().code, Code::kInvalid);
}

TEST(TreeChanges, BooksBalanceAfterwards) {
  RandomOperations operations(6);
  Tree tree;
  const auto origin = tree.volume->Fork();
  for (int i = 0; i < 5000; ++i) Perform(tree.view, operations.Next());
  const auto again = origin->Fork();
  Must(ApplyBytes(ChangesOf(*origin, *tree.volume), *again));
  EXPECT_EQ(again->Space().used_bytes, tree.volume->Space().used_bytes);
  EXPECT_EQ(again->Space().used_inodes, tree.volume->Space().used_inodes);
}

// Both go on from changes as the original does: the next new file has the same number.
TEST(TreeChanges, LifeGoesOnTheSame) {
  Tree tree;
  const auto before = tree.volume->Fork();
  Must(WriteFile(tree.view, "/x", "1", 0644));
  Must(tree.view.RemoveFile("/x"));
  Must(WriteFile(tree.view, "/y", "2", 0644));
  const auto applied = before->Fork();
  Must(ApplyBytes(ChangesOf(*before, *tree.volume), *applied));
  Tree again(applied);
  Must(WriteFile(tree.view, "/z", "3", 0644));
  Must(WriteFile(again.view, "/z", "3", 0644));
  EXPECT_EQ(DumpTree(*again.volume), DumpTree(*tree.volume));
}

TEST(TreeChanges, OnAnotherTreeAreRefused) {
  Tree tree;
  const auto before = tree.volume->Fork();
  Must(WriteFile(tree.view, "/x", "1", 0644));
  const std::string first = ChangesOf(*before, *tree.volume);
  const auto middle = tree.volume->Fork();
  Must(WriteFile(tree.view, "/x", "longer", 0644));
  const std::string second = ChangesOf(*middle, *tree.volume);
  const auto target = before->Fork();
  EXPECT_EQ(ApplyBytes(second, *target->Fork()).error().code, Code::kInvalid);
  Must(ApplyBytes(first, *target));
  EXPECT_EQ(ApplyBytes(first, *target->Fork()).error().code, Code::kInvalid);
  Must(ApplyBytes(second, *target));
  EXPECT_EQ(DumpTree(*target), DumpTree(*tree.volume));
  EXPECT_EQ(ChangesBetween(*tree.volume, *before).error().code, Code::kInvalid);
}

TEST(TreeChanges, TheQuotaHolds) {
  Tree tree;
  const auto before = tree.volume->Fork();
  Must(WriteFile(tree.view, "/x", std::string(100'000, 'x'), 0644));
  const std::string bytes = ChangesOf(*before, *tree.volume);
  const auto small = before->Fork();
  small->set_quota({.bytes = 50'000});
  EXPECT_EQ(ApplyBytes(bytes, *small).error().code, Code::kNoSpace);
  const auto few = before->Fork();
  few->set_quota({.inodes = 1});
  EXPECT_EQ(ApplyBytes(bytes, *few).error().code, Code::kNoSpace);
}

// No file is worth more memory than its quota, however few bytes ask for it.
TEST(TreeChanges, AFewBytesCannotFillTheMemory) {
  const auto target = std::make_shared<MemoryVolume>(Tree::Now(), Quota{.bytes = 1 << 20});
  TreeChanges changes{.start = {.next = 11, .nodes = 1, .bytes = 0}, .next = 12};
  TreeChanges::Node file{.node = 11, .created = FileType::kFile, .size = 1 << 30};
  for (uint64_t i = 0; i < 10'000; ++i) file.chunks.push_back({.index = i, .size = FileContent::kChunkBytes});
  changes.nodes = {{.node = 2, .entries = {{"f", 11}}}, std::move(file)};
  EXPECT_EQ(ApplyChanges(changes, *target).error().code, Code::kNoSpace);
}

struct Wrong {
  const char* what;
  std::vector<NodeId> removed;
  std::vector<TreeChanges::Node> nodes;
};

// A tree with /d (11), /d/e (12), /d/f (13), a second name /g of f.
std::shared_ptr<MemoryVolume> SmallTree() {
  Tree tree;
  Must(tree.view.MakeDirectory("/d", 0755));
  Must(tree.view.MakeDirectory("/d/e", 0755));
  Must(WriteFile(tree.view, "/d/f", "text", 0644));
  Must(tree.view.MakeLink("/d/f", "/g", Follow::kNo));
  return tree.volume->Fork();
}

TEST(TreeChanges, ThatMakeNoSoundTreeAreRefused) {
  const auto base = SmallTree();
  const auto node = [](NodeId id, std::vector<TreeChanges::Entry> entries) {
    return TreeChanges::Node{.node = id, .entries = std::move(entries)};
  };
  const auto made = [](NodeId id, FileType type) { return TreeChanges::Node{.node = id, .created = type}; };
  const std::string long_name(256, 'n');
  const Wrong kCases[] = {
      {"the root goes", {2}, {}},
      {"a node goes that is not there", {99}, {}},
      {"a file goes and keeps its names", {13}, {}},
      {"a file goes and keeps one of its names", {13}, {node(2, {{"g", 0}})}},
      {"a directory goes and keeps its name", {12}, {}},
      {"a directory goes and leaves its children", {11}, {node(2, {{"d", 0}})}},
      {"a name goes that is not there", {}, {node(2, {{"x", 0}})}},
      {"a node changes that is not there", {}, {node(99, {{"x", 13}})}},
      {"a file has entries", {}, {node(13, {{"x", 12}})}},
      {"a name leads nowhere", {}, {node(2, {{"x", 99}})}},
      {"a name leads to the root", {}, {node(11, {{"x", 2}})}},
      {"a directory has two names", {}, {node(2, {{"e", 12}})}},
      {"a directory is inside itself", {}, {node(2, {{"d", 0}}), node(12, {{"d", 11}})}},
      {"a directory loses its name", {}, {node(11, {{"e", 0}})}},
      {"a new node has no name", {}, {made(14, FileType::kFile)}},
      {"new directories name each other", {}, {node(2, {}), made(14, FileType::kDirectory), made(15, FileType::kDirectory)}},
      {"a new node has an old number", {}, {node(2, {{"x", 13}}), made(13, FileType::kFile)}},
      {"a new node has a number that comes later", {}, {node(2, {{"x", 20}}), made(20, FileType::kFile)}},
      {"a directory has a size", {}, {TreeChanges::Node{.node = 11, .size = 5}}},
      {"a symlink has a size", {}, {node(2, {{"x", 14}}), TreeChanges::Node{.node = 14, .created = FileType::kSymlink, .target = "t", .size = 5}}},
      {"content lies behind the end", {}, {TreeChanges::Node{.node = 13, .chunks = {{.index = 1, .size = 1}}}}},
      {"a chunk goes that is not there", {}, {TreeChanges::Node{.node = 13, .size = 1 << 20, .chunks = {{.index = 3}}}}},
      {"a name is too long", {}, {node(2, {{long_name, 13}})}},
      {"a name has a slash", {}, {node(2, {{"a/b", 13}})}},
      {"a name is two dots", {}, {node(2, {{"..", 13}})}},
      {"a name is empty", {}, {node(2, {{"", 13}})}},
      {"names are out of order", {}, {node(2, {{"y", 13}, {"x", 13}})}},
      {"nodes are out of order", {}, {node(11, {{"x", 13}}), node(2, {{"x", 13}})}},
      {"a node goes and changes", {12}, {node(11, {{"e", 0}}), TreeChanges::Node{.node = 12, .mode = 0}}},
  };
  for (const Wrong& wrong : kCases) {
    TreeChanges changes{.start = {.next = 14, .nodes = base->Space().used_inodes, .bytes = base->Space().used_bytes},
                        .next = 16,
                        .removed = wrong.removed,
                        .nodes = wrong.nodes};
    if (std::string_view(wrong.what) == "new directories name each other") {
      changes.nodes = {changes.nodes[1], changes.nodes[2]};
      changes.nodes[0].entries = {{"x", 15}};
      changes.nodes[1].entries = {{"x", 14}};
    }
    const Status status = ApplyChanges(changes, *base->Fork());
    ASSERT_FALSE(status.has_value()) << wrong.what;
    EXPECT_EQ(status.error().code, Code::kInvalid) << wrong.what;
  }
}

// Extents in memory. `is_kept` false: it has none that are asked for.
class Extents final : public ExtentSource {
 public:
  Result<ExtentPtr> Find(const ExtentName& name) override {
    for (const ExtentPtr& one : all) {
      if (one->name == name) return one;
    }
    return Error(Code::kIo, "no such extent");
  }
  bool Has(const Extent& extent) const override { return is_kept && all[0].get() == &extent; }
  void Add(std::string name, std::string bytes) {
    auto kept = std::make_shared<const std::string>(std::move(bytes));
    all.push_back(std::make_shared<const Extent>(Extent{.name = {std::move(name), kept->size(), 7}, .bytes = *kept, .keep = kept}));
  }
  std::vector<ExtentPtr> all;
  bool is_kept = true;
};

void WriteFrom(Tree& tree, const std::string& path, const ExtentPtr& extent) {
  auto file = tree.view.Open(path, {.write = true, .create = true}, 0644);
  Must(dynamic_cast<TakesExtents&>(**file).WriteExtent(extent, 0, extent->bytes.size()));
}

TEST(TreeChanges, ExtentsAreNamedWhereTheyAreKept) {
  Extents extents;
  extents.Add("own", std::string(300'000, 'o'));
  extents.Add("other", std::string(100'000, 't'));
  Tree tree;
  const auto before = tree.volume->Fork();
  WriteFrom(tree, "/a", extents.all[0]);
  WriteFrom(tree, "/b", extents.all[1]);
  WriteFrom(tree, "/c", extents.all[0]);
  Must(WriteFile(tree.view, "/d", "text", 0644));
  auto changed = tree.view.Open("/c", {.read = true, .write = true}, 0644);
  Must((*changed)->Write("CC"));
  changed->reset();
  const auto changes = ChangesBetween(*before, *tree.volume);
  const std::string bytes = EncodeChanges(*changes, &extents);
  EXPECT_GT(bytes.size(), 165'000u);   // the other one, and a piece of /c
  EXPECT_LT(bytes.size(), 167'000u);
  EXPECT_EQ(ExtentsOf(bytes).value(), std::vector{extents.all[0]->name});
  EXPECT_EQ(DecodeChanges(bytes).error().code, Code::kInvalid);
  extents.is_kept = false;
  const std::string plain = EncodeChanges(*changes, &extents);
  EXPECT_EQ(plain, EncodeChanges(*changes));
  EXPECT_EQ(ContentBytes(*changes), 700'004u);
  EXPECT_TRUE(ExtentsOf(plain)->empty());
  for (const std::string& each : {bytes, plain}) {
    const auto again = before->Fork();
    const auto decoded = DecodeChanges(each, &extents);
    ASSERT_TRUE(decoded.has_value()) << decoded.error().Text();
    Must(ApplyChanges(*decoded, *again));
    EXPECT_EQ(DumpTree(*again), DumpTree(*tree.volume));
    EXPECT_EQ(CheckTree(*again), "");
  }
  extents.all.clear();
  EXPECT_EQ(DecodeChanges(bytes, &extents).error().code, Code::kIo);
}

TEST(TreeChanges, DamagedNamesOfExtentsAreRefusedOrGiveASoundTree) {
  Extents extents;
  extents.Add("own", std::string(200'000, 'o'));
  Tree tree;
  const auto before = tree.volume->Fork();
  WriteFrom(tree, "/a", extents.all[0]);
  const auto changes = ChangesBetween(*before, *tree.volume);
  const std::string bytes = EncodeChanges(*changes, &extents);
  std::mt19937 random(31);
  for (int i = 0; i < 20'000; ++i) {
    std::string damaged = bytes;
    for (uint32_t k = 0; k <= random() % 3; ++k) damaged[random() % damaged.size()] = static_cast<char>(random() % 2 == 0 ? random() % 20 : random());
    const auto decoded = DecodeChanges(damaged, &extents);
    const auto again = before->Fork();
    if (decoded && ApplyChanges(*decoded, *again)) {
      ASSERT_EQ(CheckTree(*again), "");
    }
  }
}

TEST(TreeChanges, AnExtentFillsAnEmptyFileWithinTheQuota) {
  Extents extents;
  extents.Add("own", std::string(200'000, 'o'));
  Tree tree;
  Must(WriteFile(tree.view, "/full", "text", 0644));
  const auto write = [&](const std::string& path) {
    auto file = tree.view.Open(path, {.write = true, .create = true}, 0644);
    return dynamic_cast<TakesExtents&>(**file).WriteExtent(extents.all[0], 0, 200'000);
  };
  EXPECT_EQ(write("/full").error().code, Code::kInvalid);
  tree.volume->set_quota({.bytes = 200'000});
  EXPECT_EQ(write("/a").error().code, Code::kNoSpace);
  tree.volume->set_quota({.bytes = 1 << 20, .inodes = 100, .file_bytes = 199'999});
  EXPECT_EQ(write("/a").error().code, Code::kFileTooBig);
  tree.volume->set_quota({.bytes = 1 << 20});
  Must(write("/a"));
  EXPECT_EQ(tree.view.Stat("/a")->size, 200'000u);
  EXPECT_EQ(CheckTree(*tree.volume), "");
}

TEST(TreeChanges, DamagedBytesAreRefusedOrGiveASoundTree) {
  const auto base = SmallTree();
  Tree tree(base->Fork());
  Must(tree.view.Rename("/d/e", "/e", false));
  Must(WriteFile(tree.view, "/d/f", std::string(300, 'q'), 0600));
  Must(WriteFile(tree.view, "/new", "n", 0600));
  Must(tree.view.MakeSymlink("target", "/link"));
  const std::string bytes = ChangesOf(*base, *tree.volume);
  std::mt19937 random(23);
  for (int i = 0; i < 30'000; ++i) {
    std::string damaged = bytes;
    for (uint32_t k = 0; k <= random() % 3; ++k) {
      if (random() % 4 == 0) damaged.resize(random() % (damaged.size() + 1));
      else if (!damaged.empty()) damaged[random() % damaged.size()] = static_cast<char>(random() % 2 == 0 ? random() % 20 : random());
    }
    const auto target = base->Fork();
    if (ApplyBytes(damaged, *target)) {
      ASSERT_EQ(CheckTree(*target), "");
    }
  }
}

TEST(TreeChanges, AnotherVersionIsNamed) {
  const auto status = DecodeChanges("\x07\x01");
  ASSERT_FALSE(status.has_value());
  EXPECT_NE(status.error().message.find("version 7"), std::string::npos);
}

// The same files made in another order: changes against one go onto the other.
TEST(BaseTree, ChangesApplyToAnotherCopyOfTheFiles) {
  Tree one;
  Must(one.view.MakeDirectory("/b", 0755));
  Must(WriteFile(one.view, "/b/x", "1", 0644));
  Must(WriteFile(one.view, "/a", "2", 0644));
  Must(one.view.MakeLink("/a", "/c", Follow::kNo));
  Tree two;
  Must(WriteFile(two.view, "/junk", "2", 0644));
  Must(two.view.RemoveFile("/junk"));
  Must(WriteFile(two.view, "/c", "2", 0644));
  Must(two.view.MakeLink("/c", "/a", Follow::kNo));
  Must(two.view.MakeDirectory("/b", 0755));
  Must(WriteFile(two.view, "/b/x", "1", 0644));
  const auto base_one = BaseTree::Make(*one.volume);
  const auto base_two = BaseTree::Make(*two.volume);
  EXPECT_EQ(DumpTree(base_one->volume()), DumpTree(base_two->volume()));

  Tree work(base_one->Fork());
  Must(work.view.Rename("/b/x", "/x", false));
  Must(WriteFile(work.view, "/c", "twice", 0644));
  const auto again = base_two->Fork();
  Must(ApplyBytes(ChangesOf(base_one->volume(), *work.volume), *again));
  EXPECT_EQ(DumpTree(*again), DumpTree(*work.volume));
}

TEST(BaseTree, HoldsWhatTheVolumeHolds) {
  RandomOperations operations(9);
  Tree tree;
  for (int i = 0; i < 3000; ++i) Perform(tree.view, operations.Next());
  const auto open = tree.view.Open("/open", OpenFlags{.write = true, .create = true}, 0600);
  Must((*open)->Write("without a name"));
  Must(tree.view.RemoveFile("/open"));
  const auto base = BaseTree::Make(*tree.volume);
  Tree copy(base->Fork());
  EXPECT_EQ(Dump(copy.view, "/"), Dump(tree.view, "/"));
  EXPECT_EQ(CheckTree(*copy.volume), "");
  EXPECT_EQ(base->volume().Space().used_bytes, tree.volume->Fork()->Space().used_bytes);
}

}  // namespace
}  // namespace paddock::vfs
