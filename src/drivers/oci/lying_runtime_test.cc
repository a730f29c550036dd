// Runtimes that do not do what they say: shell scripts in the place of crun. Takes root, as the driver does.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "drivers/oci/cgroups.h"
#include "drivers/oci/deployment.h"
#include "drivers/oci/oci_driver.h"

namespace paddock::oci {
namespace {

class LyingRuntime : public testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "the driver takes root";
    char name[] = "/tmp/paddock-oci-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder_ = name;
    std::filesystem::create_directory(folder_ + "/root");
    std::array<char, 4096> self{};
    const ssize_t length = readlink("/proc/self/exe", self.data(), self.size() - 1);
    ASSERT_GT(length, 0);
    const std::string tests(self.data());
    settings_.agent_program = tests.substr(0, tests.rfind('/')) + "/paddock-guest";
    settings_.runtime = folder_ + "/crun";
    settings_.root = folder_ + "/root";
    settings_.state_directory = folder_ + "/state";
    settings_.deployment = "lies";
    settings_.patience = std::chrono::seconds(30);
  }
  void TearDown() override {
    if (folder_.empty()) return;
    std::error_code failure;
    EXPECT_TRUE(std::filesystem::is_empty(SandboxesDirectory(settings_), failure) || failure);
    std::filesystem::remove_all(folder_, failure);
  }
  // A runtime whose calls are these scripts; $id is the container, $stream of `run` its stdin and stdout.
  void Write(const std::string& run, const std::string& state, const std::string& remove = "exit 1", const std::string& version = "echo crun version 1.8") {
    std::ofstream file(settings_.runtime);
    file << "#!/bin/sh\n[ \"$1\" = --version ] && { " << version << "; exit; }\nfor id; do :; done\nagent=" << settings_.agent_program << "\nfolder=" << folder_
         << "\ncase $3 in\nrun) " << run << " ;;\nstate) " << state << " ;;\ndelete) " << remove << " ;;\nesac\n";
    file.close();
    chmod(settings_.runtime.c_str(), 0755);
  }
  Error Refused() {
    const auto made = MakeOciDriver(settings_)->Create({});
    EXPECT_FALSE(made);
    return made ? Error() : made.error();
  }

  static constexpr const char* kRunsUnconfined = "exec 3<&0; $agent <&3 3<&- & echo $! > $folder/pid";
  std::string folder_;
  OciSettings settings_;
};

TEST_F(LyingRuntime, StartsNothing) {
  Write("exit 0", "exit 1");
  const Error error = Refused();
  EXPECT_EQ(error.code, Code::kUnavailable);
  EXPECT_TRUE(error.message.starts_with("the agent in the container does not answer: ")) << error.message;
}

TEST_F(LyingRuntime, Fails) {
  Write("echo something broke >&2; exit 3", "exit 1");
  EXPECT_EQ(Refused().message, settings_.runtime + " run: status 3: something broke");
}

TEST_F(LyingRuntime, Hangs) {
  settings_.patience = std::chrono::seconds(1);
  Write("echo thinking >&2; sleep 1000", "exit 1");
  const Error error = Refused();
  EXPECT_EQ(error.code, Code::kTimedOut);
  EXPECT_NE(error.message.find("thinking"), std::string::npos) << error.message;
}

TEST_F(LyingRuntime, SpeaksAnotherProtocolOnTheStream) {
  Write("yes", "exit 1");
  settings_.patience = std::chrono::seconds(2);
  EXPECT_FALSE(Refused().message.empty());
  Write("yes & exit 0", "exit 1");
  const Error error = Refused();
  EXPECT_TRUE(error.message.starts_with("the agent in the container does not answer: ")) << error.message;
}

TEST_F(LyingRuntime, ConfinesNothing) {
  Write(kRunsUnconfined, "echo '{\"id\":\"'$id'\",\"status\":\"running\",\"pid\":'$(cat $folder/pid)',\"bundle\":\"\"}'");
  const Error error = Refused();
  EXPECT_EQ(error.code, Code::kUnavailable);
  EXPECT_NE(error.message.find("the runtime did not do what it was asked for: capabilities are left"), std::string::npos) << error.message;
}

TEST_F(LyingRuntime, NamesAnotherProcess) {
  Write(kRunsUnconfined, "echo '{\"id\":\"'$id'\",\"status\":\"running\",\"pid\":'$$',\"bundle\":\"\"}'");
  EXPECT_NE(Refused().message.find("the process that it names is not the container's"), std::string::npos);
  Write(kRunsUnconfined, "echo '{\"id\":\"'$id'\",\"status\":\"running\",\"pid\":1}'");
  EXPECT_NE(Refused().message.find("it names no process of the container"), std::string::npos);
}

TEST_F(LyingRuntime, PrintsWhatIsNoState) {
  for (const char* state : {"echo garbage", "echo '[1]'", "echo '{}'", "echo '{\"id\":\"other\",\"status\":\"running\"}'", "echo '{\"id\":7}'", "head -c 10000000 /dev/zero",
                            "head -c 60000 /dev/zero | tr '\\0' '['", "exit 9"}) {
    Write(kRunsUnconfined, state);
    EXPECT_NE(Refused().message.find(" state: "), std::string::npos) << state;
  }
  Write(kRunsUnconfined, "echo '{\"id\":\"'$id'\",\"status\":\"stopped\"}'");
  EXPECT_NE(Refused().message.find("the container ended at once"), std::string::npos);
}

TEST_F(LyingRuntime, IsNone) {
  Write("", "", "", "echo something else");
  EXPECT_NE(Refused().message.find("does not say that it is crun, runc or runsc"), std::string::npos);
  settings_.runtime = "no-such-runtime";
  EXPECT_EQ(Refused().message, "runtime 'no-such-runtime' is not a program; install it, or name its absolute path");
  settings_.runtime = "relative/crun";
  EXPECT_EQ(Refused().code, Code::kUnavailable);
}

TEST_F(LyingRuntime, WhatItDoesNotRemoveIsToldAndSweptLater) {
  Write("mkdir -p $2/$id; exit 5", "exit 1", "echo no >&2; exit 7");
  EXPECT_EQ(Refused().message, settings_.runtime + " run: status 5");
  EXPECT_FALSE(std::filesystem::is_empty(SandboxesDirectory(settings_))) << "it is still known";
  const auto removed = SweepDeployment(settings_, [](const std::string&) { return false; });
  ASSERT_TRUE(removed) << removed.error().message;
  EXPECT_TRUE(std::filesystem::is_empty(RuntimeDirectory(settings_)));
}

TEST_F(LyingRuntime, SettingsThatCannotBeAreNamed) {
  Write("", "");
  const auto refused = [this](auto change) {
    OciSettings settings = settings_;
    change(settings);
    const auto made = MakeOciDriver(settings)->Create({});
    EXPECT_FALSE(made);
    return made ? std::string() : made.error().message;
  };
  EXPECT_TRUE(refused([](OciSettings& s) { s.state_directory = "here"; }).starts_with("state_directory: "));
  EXPECT_TRUE(refused([](OciSettings& s) { s.deployment = "../x"; }).starts_with("deployment: "));
  EXPECT_TRUE(refused([](OciSettings& s) { s.memory_bytes = 1; }).starts_with("memory: "));
  EXPECT_TRUE(refused([](OciSettings& s) { s.agent_program = "/absent"; }).starts_with("/absent cannot be read"));
  EXPECT_TRUE(refused([](OciSettings& s) { s.root = "/proc/self/root"; }).find("host's own root") != std::string::npos);
  EXPECT_TRUE(refused([](OciSettings& s) { s.root = ""; }).find("set 'root'") != std::string::npos);
}

}  // namespace
}  // namespace paddock::oci
