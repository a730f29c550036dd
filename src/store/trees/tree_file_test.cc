#include "store/trees/tree_file.h"

#include <gtest/gtest.h>
#include <zstd.h>

#include <map>

#include "store/trees/content.h"
#include "store/trees/directory.h"
#include "store/trees/memory_capture.h"
#include "store/trees/random_tree_for_test.h"
#include "store/trees/restore.h"
#include "store/trees/scratch_for_test.h"
#include "store/trees/tree_check.h"
#include "store/trees/tree_diff.h"
#include "store/trees/wire.h"

namespace paddock::trees {
namespace {

using vfs::MemoryVolume;

ObjectId RandomTree(Store& store, unsigned seed, int steps, MemoryVolume& volume) {
  std::mt19937 random(seed);
  Disturb(volume, random, steps);
  Session session = store.Begin();
  MemoryCapture memory;
  return memory.Capture(session, volume)->tree;
}

std::string Exported(Store& store, const ObjectId& tree) {
  StringSink sink;
  const Status status = ExportTree(store, tree, sink);
  EXPECT_TRUE(status) << status.error().Text();
  return sink.text;
}

Result<Captured> Imported(Store& store, const std::string& file, const ImportLimits& limits = {}) {
  Session session = store.Begin();
  StringSource source(file);
  return ImportTree(session, source, limits);
}

// A file of these objects, whatever they are.
std::string FileOf(const std::vector<std::pair<ObjectKind, std::string>>& objects, const ObjectId& root) {
  WireWriter body;
  for (const auto& [kind, bytes] : objects) {
    body.Byte(static_cast<uint8_t>(kind));
    body.Bytes(bytes);
  }
  body.Byte(0);
  body.Id(root);
  std::string packed(ZSTD_compressBound(body.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), body.text().data(), body.size(), 1));
  return "paddock tree 1\n" + packed;
}

TEST(TreeFileTest, TreesComeBackInAnotherStore) {
  const TemporaryDirectory one, other;
  auto from = OpenStore(one);
  auto to = OpenStore(other);
  for (unsigned seed = 0; seed < 6; ++seed) {
    MemoryVolume volume(SystemClock(), {});
    const ObjectId tree = RandomTree(*from, seed, 150, volume);
    const std::string file = Exported(*from, tree);
    EXPECT_EQ(Exported(*from, tree), file);
    const auto imported = Imported(*to, file);
    ASSERT_TRUE(imported) << imported.error().Text();
    EXPECT_EQ(imported->tree, tree);
    EXPECT_EQ(Describe(**RestoreMemory(*to, tree, SystemClock(), {})), Describe(volume));
  }
}

TEST(TreeFileTest, NoFlippedByteAndNoCutPassesUnnoticed) {
  const TemporaryDirectory one, other;
  auto from = OpenStore(one);
  MemoryVolume volume(SystemClock(), {});
  ASSERT_TRUE(volume.CreateFile(volume.root(), "file", 0644, "some content that is not long"));
  const ObjectId tree = RandomTree(*from, 3, 3, volume);
  const std::string file = Exported(*from, tree);
  auto to = OpenStore(other);
  for (size_t at = 0; at < file.size(); ++at) {
    EXPECT_FALSE(Imported(*to, file.substr(0, at))) << "cut at " << at;
    for (int bit = 0; bit < 8; ++bit) {
      std::string bad = file;
      bad[at] = static_cast<char>(bad[at] ^ (1 << bit));
      const auto imported = Imported(*to, bad);
      if (imported) {
        EXPECT_EQ(imported->tree, tree) << "byte " << at;
      }
    }
  }
  EXPECT_FALSE(Imported(*to, file + "x"));
  EXPECT_TRUE(Imported(*to, file));
}

TEST(TreeFileTest, WhatTheStoreHasFromOthersDoesNotCount) {
  const TemporaryDirectory scratch;
  auto store = OpenStore(scratch);
  MemoryVolume volume(SystemClock(), {});
  ASSERT_TRUE(volume.CreateFile(volume.root(), "secret", 0600, "of somebody else"));
  const ObjectId tree = RandomTree(*store, 1, 0, volume);
  const TreeNode root = *ReadTree(*store, tree);
  const auto imported = Imported(*store, FileOf({{ObjectKind::kTree, Encode(root)}}, tree));
  ASSERT_FALSE(imported);
  EXPECT_EQ(imported.error().code, Code::kSyntax);
}

TEST(TreeFileTest, DirectoriesThatMultiplyAreStopped) {
  const TemporaryDirectory scratch;
  auto store = OpenStore(scratch);
  std::vector<std::pair<ObjectKind, std::string>> objects;
  DirectoryNode node;
  objects.emplace_back(ObjectKind::kDirectory, Encode(node));
  for (int level = 0; level < 60; ++level) {
    Entry entry;
    entry.type = vfs::FileType::kDirectory;
    entry.directory = IdOf(ObjectKind::kDirectory, objects.back().second);
    node.entries.clear();
    for (const char* name : {"a", "b"}) {
      entry.name = name;
      node.entries.push_back(entry);
    }
    objects.emplace_back(ObjectKind::kDirectory, Encode(node));
  }
  TreeNode tree;
  tree.directory = IdOf(ObjectKind::kDirectory, objects.back().second);
  objects.emplace_back(ObjectKind::kTree, Encode(tree));
  const auto imported = Imported(*store, FileOf(objects, IdOf(ObjectKind::kTree, objects.back().second)));
  ASSERT_FALSE(imported);
  EXPECT_EQ(imported.error().code, Code::kLimit);
}

TEST(TreeFileTest, LiesAboutLengthsNamesAndLinksAreFound) {
  const TemporaryDirectory scratch;
  auto store = OpenStore(scratch);
  const std::string chunk = "five!";
  const auto tree_with = [&](std::vector<Entry> entries, const LinkGroups& links) {
    std::vector<std::pair<ObjectKind, std::string>> objects{{ObjectKind::kChunk, chunk}};
    DirectoryNode node;
    node.entries = std::move(entries);
    objects.emplace_back(ObjectKind::kDirectory, Encode(node));
    TreeNode tree;
    tree.directory = IdOf(ObjectKind::kDirectory, objects.back().second);
    const std::string table = EncodeLinks(links);
    if (!table.empty()) {
      objects.emplace_back(ObjectKind::kChunk, table);
      tree.links = {table.size(), Content::Form::kChunk, IdOf(ObjectKind::kChunk, table)};
    }
    objects.emplace_back(ObjectKind::kTree, Encode(tree));
    return Imported(*store, FileOf(objects, IdOf(ObjectKind::kTree, objects.back().second)));
  };
  const auto file = [&](const std::string& name, uint64_t size) {
    Entry entry;
    entry.name = name;
    entry.content = {size, Content::Form::kChunk, IdOf(ObjectKind::kChunk, chunk)};
    return entry;
  };
  EXPECT_TRUE(tree_with({file("a", 5), file("b", 5)}, {}));
  EXPECT_TRUE(tree_with({file("a", 5), file("b", 5)}, {{"a", "b"}}));
  EXPECT_FALSE(tree_with({file("a", 6)}, {}));
  EXPECT_FALSE(tree_with({file("b", 5), file("a", 5)}, {}));
  EXPECT_FALSE(tree_with({file("a", 5), file("a", 5)}, {}));
  EXPECT_FALSE(tree_with({file("..", 5)}, {}));
  EXPECT_FALSE(tree_with({file("a/b", 5)}, {}));
  EXPECT_FALSE(tree_with({file("a", 5), file("b", 5)}, {{"a", "c"}}));
  EXPECT_FALSE(tree_with({file("a", 5), file("b", 5)}, {{"a"}}));
}

TEST(TreeFileTest, LimitsHold) {
  const TemporaryDirectory scratch;
  auto store = OpenStore(scratch);
  MemoryVolume volume(SystemClock(), {});
  const std::string file = Exported(*store, RandomTree(*store, 5, 100, volume));
  EXPECT_EQ(Imported(*store, file, {.max_bytes = 5'000}).error().code, Code::kLimit);
  EXPECT_EQ(Imported(*store, file, {.max_objects = 5}).error().code, Code::kLimit);
  EXPECT_EQ(Imported(*store, file, {.max_entries = 5}).error().code, Code::kLimit);
}

// All entries by path, the slow way.
std::map<std::string, Entry> EntriesOf(Store& store, const ObjectId& id) {
  std::map<std::string, Entry> entries;
  std::vector<std::pair<std::string, ObjectId>> pending{{"", ReadTree(store, id)->directory}};
  while (!pending.empty()) {
    const auto [prefix, directory] = pending.back();
    pending.pop_back();
    DirectoryReader reader(store, directory);
    while (auto entry = *reader.Next()) {
      if (entry->type == vfs::FileType::kDirectory) pending.emplace_back(prefix + entry->name + "/", entry->directory);
      entry->directory = {};
      entries[prefix + entry->name] = *entry;
    }
  }
  return entries;
}

TEST(TreeDiffTest, FindsExactlyWhatDiffers) {
  const TemporaryDirectory scratch;
  auto store = OpenStore(scratch);
  for (unsigned seed = 0; seed < 10; ++seed) {
    std::mt19937 random(seed);
    MemoryVolume volume(SystemClock(), {});
    const ObjectId before = RandomTree(*store, seed, 200, volume);
    const ObjectId after = RandomTree(*store, seed + 100, 1 + static_cast<int>(seed) * 8, volume);
    std::map<std::string, Entry> state = EntriesOf(*store, before);
    const Status status = DiffTrees(*store, before, after, {}, [&](const TreeChange& change) {
      if (change.path.empty()) return Status();
      EXPECT_EQ(state.count(change.path), change.before ? 1u : 0u) << change.path;
      if (change.after) {
        state[change.path] = *change.after;
        state[change.path].directory = {};
      } else {
        state.erase(change.path);
      }
      if (change.before && change.after) {
        EXPECT_NE(change.parts, 0u);
      }
      return Status();
    });
    ASSERT_TRUE(status) << status.error().Text();
    EXPECT_EQ(state, EntriesOf(*store, after)) << "seed " << seed;
  }
}

TEST(TreeDiffTest, TellsWhatKindOfDifference) {
  const TemporaryDirectory scratch;
  auto store = OpenStore(scratch);
  MemoryVolume volume(SystemClock(), {});
  const auto root = volume.root();
  const auto mode = *volume.CreateFile(root, "mode", 0644, "x");
  const auto owner = *volume.CreateFile(root, "owner", 0644, "x");
  const auto time = *volume.CreateFile(root, "time", 0644, "x");
  const auto content = *volume.CreateFile(root, "content", 0644, "x");
  ASSERT_TRUE(volume.CreateFile(root, "type", 0644, "x"));
  const ObjectId before = RandomTree(*store, 0, 0, volume);
  const auto time_of = [&](vfs::NodeId node) { return volume.GetAttributes(node)->modify_time; };
  ASSERT_TRUE(volume.SetAttributes(mode, {.mode = 0600}));
  ASSERT_TRUE(volume.SetAttributes(owner, {.uid = 7}));
  ASSERT_TRUE(volume.SetAttributes(time, {.modify_time = Nanoseconds(5)}));
  const Nanoseconds old = time_of(content);
  ASSERT_TRUE((*volume.Open(content, {.write = true}))->Write("y"));
  ASSERT_TRUE(volume.SetAttributes(content, {.modify_time = old}));
  ASSERT_TRUE(volume.Remove(root, "type", false));
  ASSERT_TRUE(volume.Create(root, "type", {.type = vfs::FileType::kFifo, .mode = 0644}));
  const ObjectId after = RandomTree(*store, 0, 0, volume);
  std::map<std::string, uint32_t> parts;
  ASSERT_TRUE(DiffTrees(*store, before, after, {.reports_times = false}, [&](const TreeChange& change) {
    parts[change.path] = change.parts;
    return Status();
  }));
  EXPECT_EQ(parts.size(), 4u);
  EXPECT_EQ(parts["mode"], TreeChange::kMode);
  EXPECT_EQ(parts["owner"], TreeChange::kOwner);
  EXPECT_EQ(parts["content"], TreeChange::kContent);
  EXPECT_NE(parts["type"] & TreeChange::kType, 0u);
  parts.clear();
  ASSERT_TRUE(DiffTrees(*store, before, after, {}, [&](const TreeChange& change) {
    parts[change.path] = change.parts;
    return Status();
  }));
  EXPECT_EQ(parts["time"], TreeChange::kTime);
}

TEST(TreeCheckTest, DamageIsFoundAndNamed) {
  const TemporaryDirectory scratch;
  ObjectId tree;
  {
    auto store = OpenStore(scratch);
    MemoryVolume volume(SystemClock(), {});
    tree = RandomTree(*store, 5, 60, volume);
  }
  const std::string pack = "store/packs/" + PackFile::NameOf(1);
  std::string bytes = scratch.Get(pack);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  scratch.Put(pack, bytes);
  auto store = OpenStore(scratch);
  const CheckReport report = CheckStore(*store, {tree});
  EXPECT_GT(report.problem_count, 0u);
  EXPECT_NE(report.problems.at(0).text.find("sha256:"), std::string::npos);
  EXPECT_FALSE(CollectBut(*store, {tree}, {.grace = Nanoseconds(0), .least_garbage = 0}));
}

}  // namespace
}  // namespace paddock::trees
