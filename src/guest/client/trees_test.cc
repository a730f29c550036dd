// A client and a real agent: whole trees as archives.
#include "guest/client/trees.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <map>

#include "guest/client/agent_for_test.h"
#include "guest/protocol/tar.h"

namespace paddock::guest {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

class Trees : public testing::Test {
 protected:
  Trees() {
    std::string name = std::string(access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp") + "/paddock-trees-XXXXXX";
    root = mkdtemp(name.data());
    fs::create_directory(At("to"));
  }
  ~Trees() override { fs::remove_all(root); }
  std::string At(const std::string& name) const { return root + "/" + name; }
  static void Write(const std::string& path, std::string_view content) { std::ofstream(path) << content; }
  static std::string Content(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static struct stat Stat(const std::string& path) {
    struct stat stat {};
    EXPECT_EQ(lstat(path.c_str(), &stat), 0) << path;
    return stat;
  }
  std::string Pack(const PackRequest& request, TreeReport* report = nullptr) {
    std::string archive;
    const auto packed = trees.Pack(request, [&](std::string_view bytes) -> Status {
      archive += bytes;
      return {};
    }, In(seconds(30)));
    EXPECT_TRUE(packed) << packed.error().Text();
    if (report != nullptr && packed) *report = *packed;
    return archive;
  }
  TreeReport Unpack(const std::string& archive, UnpackRequest request = {}) {
    if (request.path.empty()) request.path = At("to");
    const auto unpacked = trees.Unpack(request, archive, In(seconds(30)));
    EXPECT_TRUE(unpacked) << unpacked.error().Text();
    return unpacked ? *unpacked : TreeReport();
  }
  // Errno by name.
  static std::map<std::string, int> Problems(const TreeReport& report) {
    std::map<std::string, int> problems;
    for (const TreeProblem& problem : report.problems) problems[problem.name] = problem.error_number;
    return problems;
  }

  std::string root;
  AgentForTest agent;
  std::unique_ptr<Client> client = agent.Connect();
  GuestTrees trees = client->trees();
};

std::string Archived(const TarEntry& entry, std::string_view content = {}) {
  return EncodeTarHeader(entry) + std::string(content) + std::string(TarPadding(content.size()), '\0');
}
std::string File(const std::string& name, std::string_view content, uint32_t mode = 0644) {
  return Archived({.name = name, .mode = mode, .size = content.size()}, content);
}
std::string Link(TarEntry::Kind kind, const std::string& name, const std::string& target) {
  return Archived({.kind = kind, .name = name, .target = target});
}
std::string Folder(const std::string& name, uint32_t mode = 0755) {
  return Archived({.kind = TarEntry::Kind::kDirectory, .name = name, .mode = mode, .modified_ns = 5'000'000'000});
}

TEST_F(Trees, ATreeComesOutAsItWentIn) {
  fs::create_directories(At("from/a/deep/er"));
  const std::string big(3 << 20, 'b');
  Write(At("from/big"), big);
  Write(At("from/empty"), "");
  Write(At("from/a/\xff\n"), "odd name");
  Write(At("from/a/" + std::string(200, 'x')), "long name");
  chmod(At("from/big").c_str(), 0751);
  chmod(At("from/a/deep").c_str(), 0500);
  fs::create_symlink("../nowhere", At("from/a/link"));
  fs::create_hard_link(At("from/big"), At("from/a/same"));
  ASSERT_EQ(mkfifo(At("from/fifo").c_str(), 0640), 0);
  const timespec times[2] = {{1, 0}, {1'700'000'000, 123'456'789}};
  utimensat(AT_FDCWD, At("from/empty").c_str(), times, 0);
  utimensat(AT_FDCWD, At("from/a").c_str(), times, 0);

  TreeReport packed;
  const std::string archive = Pack({.path = At("from"), .has_exact_times = true}, &packed);
  EXPECT_EQ(packed.problem_count, 0u);
  const TreeReport report = Unpack(archive);
  EXPECT_EQ(report.problem_count, 0u) << (report.problems.empty() ? "" : report.problems[0].name);
  EXPECT_EQ(report.entries, packed.entries);
  EXPECT_EQ(report.entries, 10u);
  EXPECT_TRUE(Content(At("to/big")) == big);
  EXPECT_EQ(Stat(At("to/big")).st_mode & 07777, 0751u);
  EXPECT_EQ(Stat(At("to/big")).st_ino, Stat(At("to/a/same")).st_ino);
  EXPECT_EQ(Content(At("to/a/\xff\n")), "odd name");
  EXPECT_EQ(Content(At("to/a/" + std::string(200, 'x'))), "long name");
  EXPECT_EQ(fs::read_symlink(At("to/a/link")), "../nowhere");
  EXPECT_TRUE(S_ISFIFO(Stat(At("to/fifo")).st_mode));
  EXPECT_EQ(Stat(At("to/a/deep")).st_mode & 07777, 0500u);
  EXPECT_EQ(Stat(At("to/empty")).st_mtim.tv_nsec, 123'456'789);
  EXPECT_EQ(Stat(At("to/a")).st_mtim.tv_sec, 1'700'000'000);
  chmod(At("to/a/deep").c_str(), 0700);
  chmod(At("from/a/deep").c_str(), 0700);
}

TEST_F(Trees, ASingleFileHasItsOwnName) {
  Write(At("f"), "content");
  EXPECT_EQ(Unpack(Pack({.path = At("f")})).entries, 1u);
  EXPECT_EQ(Content(At("to/f")), "content");
}

TEST_F(Trees, TheSystemsTarReadsAndWritesTheSame) {
  if (std::system("tar --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "there is no tar here";   // allow(system): the other tar
  fs::create_directories(At("from/a"));
  Write(At("from/a/f"), std::string(100'000, 'x'));
  Write(At("from/" + std::string(180, 'n')), "n");
  fs::create_symlink("a/f", At("from/l"));
  Write(At("ours.tar"), Pack({.path = At("from"), .has_exact_times = true}));
  const std::string quiet = " 2>" + At("complaints");
  const std::string take = "tar -xf " + At("ours.tar") + " -C " + At("to") + quiet;
  ASSERT_EQ(std::system(take.c_str()), 0) << Content(At("complaints"));   // allow(system): the other tar
  EXPECT_EQ(Content(At("complaints")), "");
  EXPECT_EQ(Content(At("to/l")), std::string(100'000, 'x'));
  EXPECT_EQ(Content(At("to/" + std::string(180, 'n'))), "n");
  for (const char* format : {"gnu", "pax", "ustar", "v7"}) {
    const std::string to = At(std::string("to-") + format);
    fs::create_directory(to);
    const std::string names = std::string(format).size() == 3 ? " ." : " a l";   // these have no room for the long one
    const std::string make = "tar --format=" + std::string(format) + " -cf " + At("theirs.tar") + " -C " + At("from") + names;
    ASSERT_EQ(std::system(make.c_str()), 0);   // allow(system): the other tar
    const TreeReport report = Unpack(Content(At("theirs.tar")), {.path = to});
    EXPECT_EQ(report.problem_count, 0u) << format;
    EXPECT_EQ(Content(to + "/l"), std::string(100'000, 'x')) << format;
  }
}

TEST_F(Trees, NothingIsMadeOutside) {
  fs::create_directory(At("outside"));
  Write(At("secret"), "secret");
  fs::create_directory_symlink("../outside", At("to/there"));   // made by somebody inside, before
  const std::string archive =
      File("../up", "x") + File("a/../../up", "x") + File("there/through", "x") +
      Link(TarEntry::Kind::kSymlink, "made", "../outside") + File("made/through", "x") + Folder("made/folder") +
      Link(TarEntry::Kind::kHardLink, "hard", "../secret") + Link(TarEntry::Kind::kHardLink, "hard2", root + "/secret") +
      Link(TarEntry::Kind::kHardLink, "hard3", "made/x") + File(At("outside") + "/absolute", "stays inside") +
      Archived({.kind = TarEntry::Kind::kCharacterDevice, .name = "null", .device_major = 1, .device_minor = 3}) +
      Folder("there") + Link(TarEntry::Kind::kHardLink, "..", "made") + File(".", "x") + File(std::string(300, 'n'), "x") +
      File("last", "made all the same") + TarEnd();
  const TreeReport report = Unpack(archive);
  EXPECT_TRUE(fs::is_empty(At("outside")));
  EXPECT_FALSE(fs::exists(At("up")));
  EXPECT_EQ(Content(At("to/" + At("outside").substr(1) + "/absolute")), "stays inside");
  EXPECT_EQ(Content(At("to/last")), "made all the same");
  EXPECT_FALSE(fs::exists(At("to/hard")));
  EXPECT_FALSE(fs::exists(At("to/hard2")));
  EXPECT_TRUE(fs::is_symlink(At("to/there"))) << "a directory does not take a link's place";
  const auto problems = Problems(report);
  EXPECT_EQ(problems.at("../up"), EPERM);
  EXPECT_EQ(problems.at("a/../../up"), EPERM);
  EXPECT_EQ(problems.at("there/through"), ENOTDIR);
  EXPECT_EQ(problems.at("made/through"), ENOTDIR);
  EXPECT_EQ(problems.at("made/folder"), ENOTDIR);
  EXPECT_EQ(problems.at("hard"), EPERM);
  EXPECT_EQ(problems.at("hard2"), ENOENT);
  EXPECT_EQ(problems.at("hard3"), ENOTDIR);
  EXPECT_EQ(problems.at("null"), EPERM);
  EXPECT_EQ(problems.at("there"), EEXIST);
  EXPECT_EQ(problems.at(std::string(300, 'n')), ENAMETOOLONG);
  EXPECT_EQ(report.entries, 3u);
}

TEST_F(Trees, SetIdBitsAreDroppedUnlessTheyAreWanted) {
  const std::string archive = File("f", "x", 06755) + Folder("d", 02755) + TarEnd();
  Unpack(archive);
  EXPECT_EQ(Stat(At("to/f")).st_mode & 07777, 0755u);
  EXPECT_EQ(Stat(At("to/d")).st_mode & 07777, 0755u);
  Unpack(archive, {.path = At("to"), .keeps_set_id = true});
  EXPECT_EQ(Stat(At("to/f")).st_mode & 07777, 06755u);
}

TEST_F(Trees, WhatIsInTheWayIsReplacedUnlessItIsADirectory) {
  Write(At("precious"), "precious");
  Write(At("to/f"), "old");
  fs::create_symlink("../precious", At("to/l"));
  fs::create_directory(At("to/d"));
  const TreeReport report =
      Unpack(File("f", "new") + File("l", "new") + File("d", "new") + Link(TarEntry::Kind::kHardLink, "f", "./f"));
  EXPECT_EQ(Content(At("to/f")), "new");
  EXPECT_EQ(Content(At("to/l")), "new");
  EXPECT_EQ(Content(At("precious")), "precious");
  EXPECT_EQ(Problems(report).at("d"), EISDIR);
  EXPECT_EQ(Problems(report).at("f"), EEXIST) << "a link to itself would remove it";
}

TEST_F(Trees, DirectoriesGetTheirModesWhenAllIsMade) {
  const TreeReport report = Unpack(Folder("shut", 0) + Folder("shut/in", 0555) + File("shut/in/f", "x") + TarEnd());
  EXPECT_EQ(report.problem_count, 0u);
  EXPECT_EQ(Stat(At("to/shut")).st_mode & 07777, 0u);
  EXPECT_EQ(Stat(At("to/shut")).st_mtim.tv_sec, 5);
  chmod(At("to/shut").c_str(), 0700);
  EXPECT_EQ(Stat(At("to/shut/in")).st_mode & 07777, 0555u);
  EXPECT_EQ(Content(At("to/shut/in/f")), "x");
  chmod(At("to/shut/in").c_str(), 0700);
}

TEST_F(Trees, BrokenArchivesEndAndLeaveNoPartOfAFile) {
  const auto unpack = [&](const std::string& archive) { return trees.Unpack({.path = At("to")}, archive, In(seconds(30))); };
  const std::string whole = File("one", "1") + File("two", std::string(100'000, '2'));
  const auto cut = unpack(whole.substr(0, 60'000));
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().code, Code::kInvalid);
  EXPECT_NE(cut.error().message.find("ends within an entry"), std::string::npos);
  EXPECT_EQ(Content(At("to/one")), "1");
  EXPECT_FALSE(fs::exists(At("to/two")));
  EXPECT_EQ(unpack(std::string(100'000, 'x')).error().code, Code::kInvalid);
  EXPECT_EQ(unpack("").value_or(TreeReport{.entries = 9}).entries, 0u);
  EXPECT_EQ(trees.Unpack({.path = At("none")}, whole).error().code, Code::kNoEntry);
  EXPECT_EQ(trees.Unpack({.path = At("to/one")}, whole).error().code, Code::kNotDirectory);
  {
    auto unpacker = trees.OpenUnpacker({.path = At("to")});
    ASSERT_TRUE(unpacker);
    ASSERT_TRUE((*unpacker)->Write(whole.substr(0, 30'000)));
  }
  ASSERT_TRUE(client->ListProcesses());
  EXPECT_FALSE(fs::exists(At("to/two"))) << "an unpacker that is dropped leaves no part either";
}

TEST_F(Trees, OnlyTheFirstProblemsAreToldByName) {
  std::string archive;
  for (int i = 0; i < 500; ++i) archive += File("../" + std::to_string(i), "");
  const TreeReport report = Unpack(archive + TarEnd());
  EXPECT_EQ(report.problem_count, 500u);
  EXPECT_EQ(report.problems.size(), kMaxTreeProblems);
}

TEST_F(Trees, WhatCannotBePackedIsToldByName) {
  fs::create_directories(At("from/shut"));
  Write(At("from/unreadable"), "x");
  Write(At("from/f"), "x");
  chmod(At("from/unreadable").c_str(), 0);
  const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{.sun_family = AF_UNIX};
  At("from/socket").copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  TreeReport report;
  const std::string archive = Pack({.path = At("from")}, &report);
  close(listener);
  auto problems = Problems(report);
  EXPECT_EQ(problems.at("socket"), EOPNOTSUPP);
  if (geteuid() != 0) {
    EXPECT_EQ(problems.at("unreadable"), EACCES);
  }
  Unpack(archive);
  EXPECT_EQ(Content(At("to/f")), "x");
  EXPECT_EQ(trees.Pack({.path = At("none")}, nullptr).error().code, Code::kNoEntry);
  EXPECT_EQ(trees.Pack({.path = "/dev/null"}, nullptr).error().code, Code::kInvalid);
}

TEST_F(Trees, AReaderThatStopsEndsThePacking) {
  Write(At("big"), std::string(5 << 20, 'x'));
  const auto packed = trees.Pack({.path = At("big")}, [](std::string_view) -> Status { return Error(Code::kLimit, "enough"); });
  EXPECT_EQ(packed.error().code, Code::kLimit);
  EXPECT_TRUE(client->ListProcesses()) << "the connection goes on";
}

}  // namespace
}  // namespace paddock::guest
