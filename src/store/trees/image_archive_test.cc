#include "store/trees/image_archive.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "store/trees/content.h"
#include "store/trees/directory.h"
#include "store/trees/random_tree_for_test.h"
#include "store/trees/restore.h"
#include "store/trees/scratch_for_test.h"
#include "store/trees/tar_export.h"
#include "store/trees/tree_check.h"

namespace paddock::trees {
namespace {

namespace fs = std::filesystem;

// Runs a program of the host; true if it ended well.
bool RunHost(const std::vector<std::string>& words) {
  const pid_t child = fork();
  if (child == 0) {
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// A tar archive by hand, so that it can say what no program would write.
class Tar {
 public:
  Tar& Add(char kind, const std::string& path, const std::string& content = {}, const std::string& target = {}, unsigned mode = 0644) {
    std::string record(512, '\0');
    const auto put = [&record](size_t at, const std::string& text) { record.replace(at, text.size(), text); };
    const auto octal = [](uint64_t value, size_t digits) {
      std::string text(digits, '0');
      for (size_t i = digits; i > 0; --i, value >>= 3) text[i - 1] = static_cast<char>('0' + (value & 7));
      return text;
    };
    put(0, path);
    put(100, octal(mode, 7));
    put(108, octal(1000, 7));
    put(116, octal(1000, 7));
    put(124, octal(content.size(), 11));
    put(136, octal(1'600'000'000, 11));
    put(148, "        ");
    record[156] = kind;
    put(157, target);
    put(257, std::string("ustar\00000", 8));
    if (kind == '3' || kind == '4') {
      put(329, octal(8, 7));
      put(337, octal(1, 7));
    }
    uint64_t sum = 0;
    for (const char c : record) sum += static_cast<unsigned char>(c);
    put(148, octal(sum, 6) + '\0');
    text_ += record + content;
    text_.resize((text_.size() + 511) / 512 * 512, '\0');
    return *this;
  }
  std::string Text() const { return text_ + std::string(1024, '\0'); }

 private:
  std::string text_;
};

std::string Sha(const std::string& text) { return HexOf(DigestOf(DigestAlgorithm::kSha256, text)); }

Result<Captured> ImportText(Store& store, const std::string& tar, const ArchiveLimits& limits = {}) {
  Session session = store.Begin();
  StringSource source(tar);
  return ImportTar(session, source, limits);
}

Result<ImportedImage> ImportImageText(Store& store, const std::string& tar, const ImageOptions& options = {}) {
  Session session = store.Begin();
  StringSource source(tar);
  return ImportImage(session, source, options);
}

// "path type content-or-target" of everything in a tree.
std::string ListOf(Store& store, const ObjectId& tree) {
  std::string text;
  std::vector<std::pair<std::string, ObjectId>> pending{{"", ReadTree(store, tree)->directory}};
  while (!pending.empty()) {
    const auto [prefix, directory] = pending.back();
    pending.pop_back();
    DirectoryReader reader(store, directory);
    while (auto entry = *reader.Next()) {
      if (entry->type == vfs::FileType::kDirectory) pending.emplace_back(prefix + entry->name + "/", entry->directory);
      text += prefix + entry->name;
      if (entry->type == vfs::FileType::kFile) text += "=" + *ReadWhole(store, entry->content, 1000);
      if (entry->type == vfs::FileType::kSymlink) text += "->" + entry->target;
      text += " ";
    }
  }
  return text;
}

class TreeArchiveTest : public testing::Test {
 protected:
  TemporaryDirectory scratch_;
  std::shared_ptr<Store> store_ = OpenStore(scratch_);
};

// What the host has below a directory, compared with what its tar became.
void ExpectSameFiles(Store& store, const ObjectId& tree, const fs::path& host) {
  size_t count = 0;
  for (const auto& item : fs::recursive_directory_iterator(host)) {
    ++count;
    std::string path = fs::relative(item.path(), host);
    ObjectId directory = ReadTree(store, tree)->directory;
    for (size_t slash; (slash = path.find('/')) != std::string::npos; path.erase(0, slash + 1)) {
      directory = (*FindEntry(store, directory, path.substr(0, slash)))->directory;
    }
    const auto entry = *FindEntry(store, directory, path);
    ASSERT_TRUE(entry) << item.path();
    struct stat facts {};
    ASSERT_EQ(lstat(item.path().c_str(), &facts), 0);
    EXPECT_EQ(entry->mode, facts.st_mode & 07777) << item.path();
    EXPECT_EQ(entry->uid, facts.st_uid);
    EXPECT_EQ(std::chrono::floor<std::chrono::seconds>(entry->modify_time).count(), facts.st_mtim.tv_sec) << item.path();
    if (item.is_symlink()) {
      EXPECT_EQ(entry->target, fs::read_symlink(item.path()));
    } else if (item.is_regular_file()) {
      std::ifstream file(item.path(), std::ios::binary);
      const std::string text(std::istreambuf_iterator<char>(file), {});
      EXPECT_EQ(*ReadWhole(store, entry->content, 100 << 20), text) << item.path();
    }
  }
  const auto totals = CheckTree(store, tree, {.reads_contents = true});
  ASSERT_TRUE(totals) << totals.error().Text();
  EXPECT_EQ(totals->entries, count);
}

TEST_F(TreeArchiveTest, WhatGnuTarWritesInItsFormatsIsRead) {
  const fs::path host = scratch_.Path("host");
  fs::create_directories(host / "deep" / std::string(120, 'd') / std::string(120, 'e'));
  std::ofstream(host / "plain") << "content";
  std::ofstream(host / "deep" / std::string(120, 'd') / std::string(120, 'e') / "far") << "away";
  std::ofstream(host / "large") << std::string(300'000, 'x') << "end";
  std::ofstream(host / "empty");
  fs::create_hard_link(host / "plain", host / "second name");
  fs::create_symlink("../somewhere", host / "link");
  fs::permissions(host / "plain", fs::perms::owner_all | fs::perms::set_uid);
  {
    std::ofstream sparse(host / "sparse");
    for (int i = 0; i < 30; ++i) {
      sparse.seekp(i * 50'000);
      sparse << "island";
    }
  }
  fs::resize_file(host / "sparse", 2'000'000);
  const std::vector<std::vector<std::string>> formats{
      {"--format=gnu"},          {"--format=pax"}, {"--format=gnu", "--sparse"}, {"--format=pax", "--sparse", "--sparse-version=0.0"},
      {"--format=pax", "--sparse", "--sparse-version=0.1"}, {"--format=pax", "--sparse", "--sparse-version=1.0"}, {"-z"}, {"-J"}, {"--zstd"}};
  for (const auto& format : formats) {
    std::vector<std::string> words{"tar", "-C", host, "-cf", scratch_.Path("out.tar")};
    words.insert(words.begin() + 1, format.begin(), format.end());
    words.push_back(".");
    if (!RunHost(words)) {
      // gzip is part of every Debian; the other two may be missing.
      ASSERT_TRUE(format[0] == "--zstd" || format[0] == "-J") << format[0];
      continue;
    }
    const auto captured = ImportText(*store_, scratch_.Get("out.tar"));
    ASSERT_TRUE(captured) << format.back() << ": " << captured.error().Text();
    ExpectSameFiles(*store_, captured->tree, host);
    const LinkGroups links = *ReadLinks(*store_, *ReadTree(*store_, captured->tree));
    EXPECT_EQ(links, (LinkGroups{{"plain", "second name"}}));
  }
}

TEST_F(TreeArchiveTest, GnuTarReadsWhatIsExported) {
  vfs::MemoryVolume volume(SystemClock(), {});
  const auto root = volume.root();
  const auto directory = *volume.Create(root, std::string(200, 'd'), {.type = vfs::FileType::kDirectory, .mode = 0755, .uid = getuid(), .gid = getgid()});
  const auto file = *volume.CreateFile(directory, std::string(200, 'f'), 0640, std::string(70'000, 'x'));
  ASSERT_TRUE(volume.Link(root, "hard", file));
  ASSERT_TRUE(volume.Create(root, "soft", {.type = vfs::FileType::kSymlink, .mode = 0777, .target = std::string(150, 't')}));
  const auto early = *volume.CreateFile(root, "early", 0600, "x");
  ASSERT_TRUE(volume.SetAttributes(early, {.modify_time = Nanoseconds(1'234'567'890'123'456'789)}));
  for (const char* name : {"hard", "early"}) {
    ASSERT_TRUE(volume.SetAttributes(*volume.Lookup(root, name), {.uid = getuid(), .gid = getgid()}));
  }
  Session session = store_->Begin();
  const ObjectId tree = Capture(session, volume)->tree;
  StringSink tar;
  ASSERT_TRUE(ExportTar(*store_, tree, tar));
  scratch_.Put("out.tar", tar.text);
  fs::create_directory(scratch_.Path("host"));
  ASSERT_TRUE(RunHost({"tar", "-C", scratch_.Path("host"), "-xf", scratch_.Path("out.tar")}));
  EXPECT_EQ(fs::hard_link_count(scratch_.Path("host/hard")), 2u);
  struct stat facts {};
  ASSERT_EQ(lstat(scratch_.Path("host/early").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mtim.tv_sec, 1'234'567'890);
  EXPECT_EQ(facts.st_mtim.tv_nsec, 123'456'789);
  EXPECT_EQ(fs::read_symlink(scratch_.Path("host/soft")).string(), std::string(150, 't'));
  EXPECT_EQ(scratch_.Get("host/hard"), std::string(70'000, 'x'));
}

TEST_F(TreeArchiveTest, ExportedTreesComeBackTheSame) {
  for (unsigned seed = 0; seed < 5; ++seed) {
    std::mt19937 random(seed);
    vfs::MemoryVolume volume(SystemClock(), {});
    Disturb(volume, random, 120);
    Session session = store_->Begin();
    const ObjectId tree = Capture(session, volume)->tree;
    StringSink tar;
    ASSERT_TRUE(ExportTar(*store_, tree, tar));
    const auto back = ImportText(*store_, tar.text);
    ASSERT_TRUE(back) << back.error().Text();
    StringSink again;
    ASSERT_TRUE(ExportTar(*store_, back->tree, again));
    EXPECT_EQ(again.text, tar.text);
  }
}

TEST_F(TreeArchiveTest, HostileNamesAndLinksAreErrorsThatNameThem) {
  const auto fails = [&](const Tar& tar) {
    const auto captured = ImportText(*store_, tar.Text());
    if (captured) ADD_FAILURE() << ListOf(*store_, captured->tree);
    return captured ? std::string() : std::string(captured.error().Text());
  };
  EXPECT_NE(fails(Tar().Add('0', "../x", "y")).find("../x"), std::string::npos);
  EXPECT_NE(fails(Tar().Add('0', "a/../../x", "y")), "");
  EXPECT_NE(fails(Tar().Add('1', "x", "", "../../etc/passwd")), "");
  EXPECT_NE(fails(Tar().Add('1', "x", "", "/etc/passwd")), "");
  EXPECT_NE(fails(Tar().Add('0', "a", "y").Add('0', "a/b", "y")), "");
  EXPECT_NE(fails(Tar().Add('2', "a", "", "b").Add('2', "b", "", "a").Add('0', "a/x", "y")), "");
  EXPECT_NE(fails(Tar().Add('5', "d").Add('0', "d/f", "y").Add('1', "d", "", "d/f")), "");
}

TEST_F(TreeArchiveTest, NothingLeadsOutOfTheTree) {
  const auto captured = ImportText(*store_, Tar()
                                                .Add('0', "/absolute", "1")
                                                .Add('2', "up", "", "../../../..")
                                                .Add('0', "up/etc/passwd", "2")
                                                .Add('2', "root", "", "/etc")
                                                .Add('0', "root/shadow", "3")
                                                .Add('3', "dev")
                                                .Text());
  ASSERT_TRUE(captured) << captured.error().Text();
  EXPECT_EQ(ListOf(*store_, captured->tree), "absolute=1 dev etc root->/etc up->../../../.. etc/passwd=2 etc/shadow=3 ");
}

TEST_F(TreeArchiveTest, CutAndDamagedArchivesAreErrors) {
  const std::string good = Tar().Add('0', "a", std::string(1000, 'x')).Add('5', "d").Text();
  for (const size_t size : {size_t{100}, size_t{512}, size_t{700}, size_t{1600}}) {
    EXPECT_FALSE(ImportText(*store_, good.substr(0, size))) << size;
  }
  std::string bad = good;
  bad[3] = 'x';
  EXPECT_FALSE(ImportText(*store_, bad));
  EXPECT_EQ(ImportText(*store_, good, {.max_entries = 1}).error().code, Code::kLimit);
  EXPECT_EQ(ImportText(*store_, good, {.max_bytes = 1000}).error().code, Code::kLimit);
}

TEST_F(TreeArchiveTest, CompressionBombsAreStopped) {
  {
    std::ofstream zeros(scratch_.Path("zeros"));
    zeros.seekp((100 << 20) - 1);
    zeros.put('\0');
  }
  ASSERT_TRUE(RunHost({"tar", "-C", scratch_.Path(""), "-czf", scratch_.Path("bomb.tgz"), "zeros"}));
  const auto captured = ImportText(*store_, scratch_.Get("bomb.tgz"), {.max_ratio = 200});
  ASSERT_FALSE(captured);
  EXPECT_EQ(captured.error().code, Code::kLimit);
}

// An OCI layout of these layers, as a tar archive whose order is the worst.
std::string OciArchive(const std::vector<std::string>& layers, const std::vector<std::string>& plain, const std::string& spoil = {}) {
  std::string diff_ids, descriptors;
  Tar tar;
  const auto blob = [&tar, &spoil](const std::string& text) {
    tar.Add('0', "blobs/sha256/" + Sha(text), spoil == Sha(text) ? text + "x" : text);
    return R"("digest":"sha256:)" + Sha(text) + R"(","size":)" + std::to_string(text.size());
  };
  for (size_t i = 0; i < layers.size(); ++i) {
    diff_ids += (i > 0 ? "," : "") + std::string("\"sha256:") + Sha(plain[i]) + "\"";
    descriptors += (i > 0 ? "," : "") + std::string("{") + blob(layers[i]) + "}";
  }
  const std::string config = R"({"architecture":"amd64","os":"linux","config":{"Env":["A=b"],"Cmd":["sh","-c","x"],"WorkingDir":"/w",)"
                             R"("User":"1:2","Entrypoint":null},"rootfs":{"type":"layers","diff_ids":[)" + diff_ids + "]}}";
  const std::string manifest = R"({"schemaVersion":2,"config":{)" + blob(config) + R"(},"layers":[)" + descriptors + "]}";
  const std::string index = R"({"schemaVersion":2,"manifests":[{)" + blob(manifest) +
                            R"(,"platform":{"architecture":"amd64","os":"linux"},"annotations":{"org.opencontainers.image.ref.name":"t:1"}}]})";
  tar.Add('0', "index.json", index).Add('0', "oci-layout", R"({"imageLayoutVersion":"1.0.0"})");
  return tar.Text();
}

const std::string kBelow = Tar()
                               .Add('5', "etc/", "", "", 0755)
                               .Add('0', "etc/a", "1")
                               .Add('0', "etc/b", "2")
                               .Add('5', "opaque")
                               .Add('0', "opaque/old", "3")
                               .Add('5', "opaque/dir")
                               .Add('0', "opaque/dir/old", "3")
                               .Add('0', "whole/f", "4")
                               .Text();
const std::string kAbove = Tar()
                               .Add('0', "etc/.wh.a")
                               .Add('0', "etc/c", "5")
                               .Add('0', "opaque/dir/new", "6")
                               .Add('0', "opaque/.wh..wh..opq")
                               .Add('0', "opaque/young", "7")
                               .Add('0', ".wh.whole")
                               .Text();
const std::string kMerged = "etc opaque opaque/dir opaque/young=7 opaque/dir/new=6 etc/b=2 etc/c=5 ";

TEST_F(TreeArchiveTest, OciLayersAreLaidOverEachOtherWithTheirWhiteouts) {
  scratch_.Put("above.tar", kAbove);
  ASSERT_TRUE(RunHost({"gzip", "-n", scratch_.Path("above.tar")}));
  const std::string above = scratch_.Get("above.tar.gz");
  const auto image = ImportImageText(*store_, OciArchive({kBelow, above}, {kBelow, kAbove}));
  ASSERT_TRUE(image) << image.error().Text();
  EXPECT_EQ(ListOf(*store_, image->files.tree), kMerged);
  EXPECT_EQ(image->layers, 2u);
  EXPECT_EQ(image->config.environment, std::vector<std::string>{"A=b"});
  EXPECT_EQ(image->config.command, (std::vector<std::string>{"sh", "-c", "x"}));
  EXPECT_EQ(image->config.working_directory, "/w");
  EXPECT_EQ(image->config.user, "1:2");
  EXPECT_EQ(image->tags, std::vector<std::string>{"t:1"});
  EXPECT_EQ(ImportImageText(*store_, OciArchive({kBelow}, {kBelow}), {.architecture = "arm64"}).error().code, Code::kNoEntry);
}

TEST_F(TreeArchiveTest, DigestsThatDoNotMatchAreErrors) {
  EXPECT_TRUE(ImportImageText(*store_, OciArchive({kBelow}, {kBelow})));
  const auto spoilt = ImportImageText(*store_, OciArchive({kBelow}, {kBelow}, Sha(kBelow)));
  ASSERT_FALSE(spoilt);
  EXPECT_NE(spoilt.error().Text().find(Sha(kBelow)), std::string_view::npos);
  EXPECT_FALSE(ImportImageText(*store_, OciArchive({kBelow}, {kAbove})));
  EXPECT_FALSE(ImportImageText(*store_, OciArchive({kBelow, kAbove}, {kAbove, kBelow})));
}

TEST_F(TreeArchiveTest, DockerArchivesAreRead) {
  const std::string config = R"({"architecture":"amd64","os":"linux","config":{"Env":["X=1"]},"rootfs":{"diff_ids":["sha256:)" + Sha(kBelow) +
                             R"(","sha256:)" + Sha(kAbove) + R"("]}})";
  const auto archive = [&](const std::string& name) {
    return Tar()
        .Add('0', "one/layer.tar", kBelow)
        .Add('2', "two/layer.tar", "", "../three/layer.tar")
        .Add('0', "three/layer.tar", kAbove)
        .Add('0', name, config)
        .Add('0', "manifest.json", R"([{"Config":")" + name + R"(","RepoTags":["repo:tag"],"Layers":["one/layer.tar","two/layer.tar"]}])")
        .Text();
  };
  const auto image = ImportImageText(*store_, archive(Sha(config) + ".json"), {.tag = "repo:tag"});
  ASSERT_TRUE(image) << image.error().Text();
  EXPECT_EQ(ListOf(*store_, image->files.tree), kMerged);
  EXPECT_EQ(image->config_digest, "sha256:" + Sha(config));
  EXPECT_FALSE(ImportImageText(*store_, archive(Sha("other") + ".json")));
  EXPECT_EQ(ImportImageText(*store_, archive(Sha(config) + ".json"), {.tag = "no:such"}).error().code, Code::kNoEntry);
}

TEST_F(TreeArchiveTest, HostileDocumentsAreErrors) {
  const auto fails = [&](const std::string& index) {
    return ImportImageText(*store_, Tar().Add('0', "index.json", index).Text()).error().code == Code::kSyntax;
  };
  EXPECT_TRUE(fails(""));
  EXPECT_TRUE(fails("[]"));
  EXPECT_TRUE(fails("{}"));
  EXPECT_TRUE(fails(std::string(100'000, '[')));
  EXPECT_TRUE(fails(R"({"manifests":[{"digest":"sha256:../../etc/passwd","size":1}]})"));
  EXPECT_TRUE(fails(R"({"manifests":[{"digest":"md5:00","size":1}]})"));
  EXPECT_TRUE(fails(R"({"manifests":7})"));
  EXPECT_TRUE(fails(R"({"config":{"digest":"sha256:)" + Sha("x") + R"(","size":-1},"layers":[]})"));
}

}  // namespace
}  // namespace paddock::trees
