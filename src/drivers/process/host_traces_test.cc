#include "drivers/process/host_traces.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace paddock::process_wall {
namespace {

TEST(HostTraces, TheTopHasTheSystemAndNothingOfTheKernels) {
  const auto paths = TopDirectories();
  const auto has = [&](const char* path) { return std::find(paths.begin(), paths.end(), path) != paths.end(); };
  EXPECT_TRUE(has("/usr"));
  EXPECT_TRUE(has("/etc"));
  for (const char* path : {"/proc", "/sys", "/dev", "/run", "/tmp"}) EXPECT_FALSE(has(path)) << path;
}

TEST(HostTraces, MountsBelowAreOfOtherFileSystemsThanTheKernels) {
  const auto below = MountsBelow(HostMounts(), "/");
  EXPECT_EQ(std::count(below.begin(), below.end(), "/"), 0);
  EXPECT_EQ(std::count(below.begin(), below.end(), "/proc"), 0);
  const auto kernels = KernelMounts(HostMounts());
  EXPECT_EQ(std::count(kernels.begin(), kernels.end(), "/proc"), 0);   // every wall has its own there
}

TEST(HostTraces, NumbersHaveTheirForm) {
  EXPECT_EQ(RandomMachineId().size(), 32u);
  EXPECT_NE(RandomMachineId(), RandomMachineId());
  const std::string number = RandomUuid();
  ASSERT_EQ(number.size(), 36u);
  for (const size_t at : {8, 13, 18, 23}) EXPECT_EQ(number[at], '-');
}

TEST(GitCredentials, AreTakenOutAndTheRestStays) {
  EXPECT_EQ(WithoutCredentials("[user]\n\tname = Ann\n[url \"https://ann:t0ken@git.example/\"]\n\tinsteadOf = https://git.example/\n"),
            "[user]\n\tname = Ann\n[url \"https://git.example/\"]\n\tinsteadOf = https://git.example/\n");
  EXPECT_EQ(WithoutCredentials("[http \"https://x\"]\n\textraHeader = Authorization: Basic abc\n[github]\n\toauth-token = abc\n\tuser = ann\n"),
            "[http \"https://x\"]\n[github]\n\tuser = ann\n");
  EXPECT_EQ(WithoutCredentials("[http]\n\tproxy = http://u:p@proxy:3128\n[sendemail] smtpPass = abc\n[core]\n\tpager = less\n"),
            "[http]\n\tproxy = http://proxy:3128\n[core]\n\tpager = less\n");
  EXPECT_EQ(WithoutCredentials("[remote \"o\"]\n\turl = git@github.com:a/b\n\temail = a@b\n"), "[remote \"o\"]\n\turl = git@github.com:a/b\n\temail = a@b\n");
  EXPECT_EQ(WithoutCredentials("[http]\n\textraHeader = \"Authorization: \\\nBasic abc\"\n\tx = y\n"), "[http]\n\tx = y\n");
  EXPECT_EQ(WithoutCredentials(""), "");
}

}  // namespace
}  // namespace paddock::process_wall
