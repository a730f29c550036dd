// The container driver where the agent cannot be executed, on real engines (real_engine_for_test.h).
#include <filesystem>
#include <fstream>

#include "drivers/docker/foreign_program_for_test.h"
#include "drivers/docker/plain_sandbox.h"
#include "drivers/docker/real_driver_for_test.h"

namespace paddock::docker {
namespace {

using sandbox::Termination;

class RealEngineWithoutAgent : public RealEngineDriver {
 protected:
  void SetUp() override {
    RealEngineDriver::SetUp();
    if (IsSkipped()) return;
    folder_ = std::filesystem::temp_directory_path() / ("paddock-" + NewId("t"));
    std::filesystem::create_directory(folder_);
    settings_.agent_program = folder_ / "paddock-guest";
    WriteProgram(ForeignProgram());
  }
  void TearDown() override {
    RealEngineDriver::TearDown();
    std::error_code ignored;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
  }
  void WriteProgram(const std::string& bytes) { std::ofstream(settings_.agent_program, std::ios::binary) << bytes; }
  static bool Warns(const sandbox::Sandbox& box) {
    for (const std::string& warning : box.Warnings()) {
      if (warning.find("paddock-guest cannot run in this container") != warning.npos) return true;
    }
    return false;
  }
  std::filesystem::path folder_;
};

TEST_F(RealEngineWithoutAgent, RunsCommandsAsConfinedAsWithOneAndSaysSo) {
  for (const Profile profile : {Profile::kStrict, Profile::kDev}) {
    settings_.profile = profile;
    const auto driver = Driver();
    const auto box = Make(*driver);
    ASSERT_NE(box, nullptr);
    EXPECT_TRUE(Warns(*box));
    EXPECT_NE(box->Warnings().back().find("exec format error"), std::string::npos) << box->Warnings().back();
    EXPECT_EQ(Out(*box, "echo $((6 * 7)); pwd"), "42\n/workspace\n");
    EXPECT_EQ(Out(*box, "id -u"), profile == Profile::kStrict ? "1000\n" : "0\n");
    EXPECT_EQ(Out(*box, "grep -E '^(CapEff|CapPrm|CapBnd|NoNewPrivs|Seccomp):' /proc/self/status | tr -d '\\t' | tr '\\n' ' '"),
              "CapPrm:0000000000000000 CapEff:0000000000000000 CapBnd:0000000000000000 NoNewPrivs:1 Seccomp:2 ");
    EXPECT_EQ(Out(*box, "ls /sys/class/net"), "lo\n");
    if (profile == Profile::kStrict) {
      EXPECT_NE(Run(*box, "echo x > /etc/x").exit_code, 0);
    }
    const sandbox::ExecResult failed = Run(*box, "echo to err >&2; exit 7");
    EXPECT_EQ(failed.exit_code, 7);
    EXPECT_EQ(failed.stderr_text, "to err\n");
    const auto* const metered = dynamic_cast<const sandbox::Metered*>(box.get());
    ASSERT_NE(metered, nullptr);
    EXPECT_GT(metered->Measure().cpu.value_or(std::chrono::nanoseconds(0)).count(), 0);
  }
}

TEST_F(RealEngineWithoutAgent, WhatTakesOneIsRefused) {
  const auto driver = Driver();
  sandbox::SandboxSpec spec;
  spec.policy.emplace();
  spec.policy->network.mode = policy::NetworkMode::kRules;
  const auto refused = driver->Create(spec);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kNotSupported);
  EXPECT_NE(refused.error().message.find("exec format error"), std::string::npos) << refused.error().message;
  spec.policy.emplace();
  spec.policy->network.publish.push_back({});
  EXPECT_EQ(driver->Create(spec).error().code, Code::kNotSupported);
  const auto box = Make(*driver);
  ASSERT_NE(box, nullptr);
  EXPECT_EQ(dynamic_cast<sandbox::PublishesPorts*>(box.get()), nullptr);
  EXPECT_EQ(dynamic_cast<sandbox::LivePolicy*>(box.get()), nullptr);
  EXPECT_EQ(dynamic_cast<sandbox::WatchesFiles*>(box.get()), nullptr);
  EXPECT_EQ(dynamic_cast<sandbox::MovesTrees*>(box.get()), nullptr);
}

TEST_F(RealEngineWithoutAgent, AnAgentThatRanAndFailedIsNoReasonToDoWithoutIt) {
  WriteProgram("#!/bin/sh\necho 'paddock-guest: something else: Permission denied' >&2\nexit 1\n");
  const auto refused = Driver()->Create({});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kUnavailable);
  EXPECT_NE(refused.error().message.find("something else"), std::string::npos) << refused.error().message;
  WriteProgram("#!/bin/sh\nexit 3\n");
  EXPECT_EQ(Driver()->Create({}).error().code, Code::kUnavailable);
}

TEST_F(RealEngineWithoutAgent, OneThatIsKilledForACallIsDoneWithout) {
  WriteProgram("#!/bin/sh\ntrap 'exit 159' USR1\nkill -USR1 $$\nexit 1\n");   // an init cannot end itself by a signal
  const auto driver = Driver();
  const auto box = Make(*driver);
  ASSERT_NE(box, nullptr);
  EXPECT_TRUE(Warns(*box));
  EXPECT_EQ(Out(*box, "echo alive"), "alive\n");
}

TEST_F(RealEngineWithoutAgent, LimitsHold) {
  settings_.disk_bytes = 32 << 20;
  const auto driver = Driver();
  const auto box = Make(*driver);
  ASSERT_NE(box, nullptr);
  Limits limits;
  limits.time = std::chrono::milliseconds(300);
  EXPECT_EQ(Run(*box, "sleep 1000 & sleep 1000", limits).termination.reason, Termination::Reason::kTimeout);
  EXPECT_EQ(Out(*box, "ps | grep -c '[s]leep 1000' || true"), "0\n");
  EXPECT_EQ(Run(*box, "exec dd if=/dev/zero of=/dev/null bs=200M count=1").termination.reason, Termination::Reason::kOom);
  EXPECT_NE(Run(*box, "dd if=/dev/zero of=big bs=1M count=40 2>/dev/null").exit_code, 0) << "one file is bounded by the kernel";
  Run(*box, "rm -f big");
  const sandbox::ExecResult result = Run(*box, "i=0; while [ $i -lt 200 ]; do dd if=/dev/zero of=f$i bs=1M count=2 2>/dev/null; i=$((i + 1)); done");
  EXPECT_EQ(result.termination.reason, Termination::Reason::kDisk);
  EXPECT_EQ(Out(*box, "rm -f f*; echo cleaned"), "cleaned\n");
}

TEST_F(RealEngineWithoutAgent, AKeptOneIsBegunAgainAsItWasMade) {
  std::string key;
  const auto remember = [&](const std::string& made) -> Status {
    key = made;
    return {};
  };
  {
    const auto driver = Driver();
    auto* const keeps = dynamic_cast<sandbox::KeepsSandboxes*>(driver.get());
    const auto box = keeps->Make({}, {.sandbox = "sbx_1", .session = {}}, remember);
    ASSERT_TRUE(box) << box.error().message;
    EXPECT_EQ(Out(**box, "echo kept > /workspace/file; sleep 1000 > /dev/null 2>&1 & echo begun"), "begun\n");
  }
  settings_.agent_program = AgentBesideTests();
  const auto driver = Driver();
  auto* const keeps = dynamic_cast<sandbox::KeepsSandboxes*>(driver.get());
  for (int i = 0; i < 2; ++i) {
    const auto again = keeps->Reopen({}, key);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_TRUE(Warns(**again));
    EXPECT_EQ(Out(**again, "cat file; ps | grep -c '[s]leep 1000'; grep Seccomp: /proc/self/status | tr -d '\\t'"), "kept\n0\nSeccomp:2\n");
  }
  EXPECT_TRUE(keeps->Remove({}, key));
}

TEST_F(RealEngineWithoutAgent, AFrozenOneGoesOnWhereItWas) {
  const auto driver = Driver();
  const auto box = Make(*driver);
  ASSERT_NE(box, nullptr);
  auto* const freezable = dynamic_cast<sandbox::Freezable*>(box.get());
  ASSERT_NE(freezable, nullptr);
  EXPECT_EQ(Out(*box, "echo 1 > /tmp/state"), "");
  EXPECT_TRUE(freezable->Freeze());
  EXPECT_TRUE(freezable->Freeze());
  auto& files = dynamic_cast<sandbox::HasFiles&>(*box).files();
  EXPECT_EQ(files.Stat("/tmp/state").error().code, Code::kTimedOut);
  EXPECT_TRUE(freezable->Thaw());
  EXPECT_EQ(Out(*box, "cat /tmp/state"), "1\n");
  EXPECT_TRUE(files.Stat("/tmp/state"));
  EXPECT_TRUE(freezable->Freeze());
}   // what is frozen can be ended

TEST_F(RealEngineWithoutAgent, AnImageWithoutAShellIsRefusedForBothReasons) {
  const auto driver = Driver();
  sandbox::SandboxSpec spec;
  spec.container.image = "localhost/shell-less:1";
  const auto refused = driver->Create(spec);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("exec format error"), std::string::npos) << refused.error().message;
  EXPECT_NE(refused.error().message.find("/bin/sh"), std::string::npos) << refused.error().message;
}

TEST_F(RealEngineWithoutAgent, ClosingLeavesNothing) {
  settings_.has_network = true;
  const auto driver = Driver();
  const auto box = Make(*driver);
  ASSERT_NE(box, nullptr);
  EXPECT_TRUE(box->Close().empty());
  EXPECT_TRUE(box->Close().empty()) << "closed twice";
  sandbox::ExecSpec spec;
  spec.script = "true";
  EXPECT_FALSE(box->Start(std::move(spec), {}, nullptr));
}   // TearDown() looks whether anything is left

}  // namespace
}  // namespace paddock::docker
