#include "vfs/special_volumes.h"

#include <gtest/gtest.h>

#include "vfs/memory_volume.h"
#include "vfs/pipe.h"
#include "vfs/random_stream.h"
#include "vfs/test_clock.h"
#include "vfs/view.h"

namespace paddock::vfs {
namespace {

class SpecialVolumesTest : public ::testing::Test {
 protected:
  SpecialVolumesTest() {
    View root(names, clock, Credentials{0, 0}, 022);
    EXPECT_TRUE(root.MakeDirectory("/dev").has_value());
    EXPECT_TRUE(root.MakeDirectory("/proc").has_value());
    EXPECT_TRUE(names.Mount("/dev", MakeDevVolume()).has_value());
    ProcSource source;
    source.pids = [] { return std::vector<int>{7, 12}; };
    source.self = [] { return 12; };
    source.file = [](int pid, std::string_view name) -> Result<std::string> {
      if (name == "comm") return "bash" + std::to_string(pid) + "\n";
      if (name == "cwd") return std::string("/home");
      return Code::kNoEntry;
    };
    std::vector<GeneratedFile> files;
    files.push_back({"version", [] { return std::string("Linux\n"); }});
    files.push_back({"sys/kernel/ostype", [] { return std::string("Linux\n"); }});
    files.push_back({"sys/kernel/hostname", [] { return std::string("box\n"); }});
    EXPECT_TRUE(names.Mount("/proc", MakeProcVolume(source, std::move(files))).has_value());
    user.set_descriptor_opener([this](int number) -> Result<OpenFilePtr> {
      if (number == 0) return ends.read;
      if (number == 3) return ends.write;
      return Code::kBadDescriptor;
    });
  }
  template <class T>
  static Code Failure(const Result<T>& result) {
    return result.has_value() ? Code::kOk : result.error().code;
  }
  std::string Names(std::string_view path) {
    std::string all;
    const auto entries = user.List(path);
    for (const DirectoryEntry& entry : *entries) all += entry.name + " ";
    return all;
  }

  TestClock clock;
  Scheduler scheduler{clock};
  PipeEnds ends = MakePipe(scheduler);
  Namespace names{std::make_shared<MemoryVolume>(clock, Quota{})};
  View user{names, clock, Credentials{1000, 1000}, 022};
};

TEST_F(SpecialVolumesTest, NullTakesAllAndGivesNothing) {
  EXPECT_TRUE(WriteFile(user, "/dev/null", "x").has_value());
  EXPECT_EQ(*ReadFile(user, "/dev/null"), "");
  EXPECT_TRUE(user.SetTimes("/dev/null", kNow, kNow).has_value());
  EXPECT_EQ(user.Stat("/dev/null")->special, 0x103u);
  EXPECT_EQ(Failure(user.RemoveFile("/dev/null")), Code::kAccess);
  EXPECT_EQ(Failure(WriteFile(user, "/dev/new", "x")), Code::kAccess);
}

TEST_F(SpecialVolumesTest, FullIsFullAndTtyIsAbsent) {
  EXPECT_EQ(Failure(WriteFile(user, "/dev/full", "x")), Code::kNoSpace);
  EXPECT_TRUE(WriteFile(user, "/dev/full", "").has_value());
  EXPECT_EQ(Failure(user.Open("/dev/tty", OpenFlags::ReadWrite())), Code::kNoDevice);
}

TEST_F(SpecialVolumesTest, ZeroAndRandomGiveBigBlocks) {
  auto zero = *user.Open("/dev/zero", OpenFlags::Read());
  EXPECT_EQ(zero->ReadBlock(1 << 20)->bytes, std::string(64 << 10, '\0'));
  auto one = *user.Open("/dev/urandom", OpenFlags::Read());
  auto two = *user.Open("/dev/random", OpenFlags::Read());
  const std::string first(one->ReadBlock(64)->bytes);
  EXPECT_NE(first, two->ReadBlock(64)->bytes);
  EXPECT_NE(first, one->ReadBlock(64)->bytes);
}

TEST(RandomStream, IsChaCha20) {
  // RFC 8439, appendix A.1, test vectors 1 and 2 (key and nonce zero; blocks 0 and 1).
  RandomStream stream({}, 0);
  char bytes[68];
  stream.Fill(bytes, 60);
  stream.Fill(bytes + 60, 8);
  EXPECT_EQ(std::string_view(bytes, 8), "\x76\xb8\xe0\xad\xa0\xf1\x3d\x90");
  EXPECT_EQ(std::string_view(bytes + 64, 4), "\x9f\x07\xe7\xbe");
}

TEST_F(SpecialVolumesTest, DescriptorsAnswerForThemselves) {
  EXPECT_EQ(user.Stat("/dev/stdin")->type, FileType::kFifo);
  EXPECT_EQ(user.Stat("/proc/self/fd/3")->type, FileType::kFifo);
  EXPECT_TRUE(user.Stat("/dev/stdin", Follow::kNo)->is_symlink());
  EXPECT_EQ(Failure(user.Stat("/dev/stdout")), Code::kNoEntry);
  EXPECT_EQ(Failure(user.Stat("/dev/fd/9")), Code::kNoEntry);
  EXPECT_EQ(Failure(user.Stat("/dev/fd/09")), Code::kNoEntry);
  EXPECT_EQ(Failure(user.Stat("/dev/fd/x")), Code::kNoEntry);
  EXPECT_TRUE(WriteFile(user, "/dev/fd/3", "hello").has_value());
  EXPECT_EQ((*user.Open("/dev/stdin", OpenFlags::Read()))->ReadBlock(9)->bytes, "hello");
  EXPECT_EQ(Names("/dev/fd"), "0 3 ");
  EXPECT_EQ(Names("/proc/self/fd"), "0 3 ");
  EXPECT_EQ(Names("/proc/7/fd"), "");
  EXPECT_EQ(*user.ReadLink("/dev/stdin"), "/proc/self/fd/0");
  EXPECT_EQ(*user.ReadLink("/proc/self/fd/0"), "pipe:[1]");
  EXPECT_TRUE(user.Access("/dev/fd/0", 4).has_value());
}

TEST_F(SpecialVolumesTest, ProcShowsProcessesAndFiles) {
  EXPECT_EQ(Names("/proc"), "12 7 self sys version ");
  EXPECT_EQ(Names("/proc/self"), "cmdline comm cwd environ fd mounts stat status ");
  EXPECT_EQ(Names("/proc/sys/kernel"), "hostname ostype ");
  EXPECT_EQ(*ReadFile(user, "/proc/self/comm"), "bash12\n");
  EXPECT_EQ(*ReadFile(user, "/proc/7/comm"), "bash7\n");
  EXPECT_EQ(*ReadFile(user, "/proc/sys/kernel/../../version"), "Linux\n");
  EXPECT_EQ(Failure(user.Stat("/proc/8")), Code::kNoEntry);
  EXPECT_EQ(Failure(user.Stat("/proc/version/x")), Code::kNotDirectory);
  EXPECT_EQ(Failure(user.Stat("/proc/self/comm/x")), Code::kNotDirectory);
  EXPECT_EQ(*user.ReadLink("/proc/self"), "12");
  EXPECT_EQ(*user.ReadLink("/proc/7/cwd"), "/home");
  EXPECT_EQ(Failure(WriteFile(user, "/proc/version", "x")), Code::kAccess);
  EXPECT_EQ(Failure(ReadFile(user, "/proc/self/environ")), Code::kNoEntry);
  EXPECT_EQ(*user.Canonical("/proc/self/fd"), "/proc/12/fd");
  auto file = *user.Open("/proc/version", OpenFlags::Read());
  EXPECT_EQ(file->ReadBlock(3)->bytes, "Lin");
  file->GiveBack(1);
  EXPECT_EQ(file->ReadBlock(9)->bytes, "nux\n");
}

}  // namespace
}  // namespace paddock::vfs
