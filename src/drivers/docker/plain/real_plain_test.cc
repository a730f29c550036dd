// What is done in a container without an agent, on real engines (real_engine_for_test.h).
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "drivers/docker/engine/real_engine_for_test.h"
#include "drivers/docker/plain/counters.h"
#include "drivers/docker/plain/plain_exec.h"
#include "drivers/docker/plain/plain_files.h"

namespace paddock::docker {
namespace {

using sandbox::Termination;

class RealEnginePlain : public RealEngine {
 protected:
  // A container whose init is the keeper.
  std::shared_ptr<Inside> Begin(size_t which) {
    std::shared_ptr<const Engine> engine(engines_[which].get(), [](const Engine*) {});   // the fixture's
    ContainerSpec spec = Script(*engine, "");
    spec.entrypoint = Keeper::Entrypoint();
    spec.user = "1000:1000";
    spec.memory_bytes = 64 << 20;
    spec.pids = 64;
    const auto created = CreateContainer(*engine, Name(), spec);
    EXPECT_TRUE(created) << created.error().message;
    if (!created) return nullptr;
    auto stream = AttachContainer(*engine, created->id);
    EXPECT_TRUE(stream) << stream.error().message;
    const Status started = StartContainer(*engine, created->id);
    EXPECT_TRUE(started) << started.error().message;
    if (!stream || !started) return nullptr;
    return std::make_shared<Inside>(engine, created->id, std::move(*stream));
  }
  static Result<std::unique_ptr<PlainExec>> Start(const std::shared_ptr<Inside>& inside, std::vector<std::string> command, Limits limits = {}, sandbox::StdinSource input = {},
                                                  std::optional<sandbox::WindowSize> terminal = std::nullopt) {
    PlainExec::Parts parts{.inside = inside, .warden = std::make_unique<CounterWarden>(inside), .input = std::move(input), .handler = nullptr, .limits = limits, .terminal = terminal};
    return PlainExec::Start(std::move(parts), command, "/tmp", {"PATH=/bin:/usr/bin", "HOME=/tmp", "A=b c"});
  }
  static sandbox::ExecResult Run(const std::shared_ptr<Inside>& inside, const std::string& script, Limits limits = {}, sandbox::StdinSource input = {}) {
    auto exec = Start(inside, {"/bin/sh", "-c", script}, limits, std::move(input));
    EXPECT_TRUE(exec) << exec.error().Text();
    return exec ? (*exec)->Wait() : sandbox::ExecResult();
  }
};

TEST_F(RealEnginePlain, ProgramsHaveStreamsAnEnvironmentAndAnExitStatus) {
  for (size_t i = 0; i < engines_.size(); ++i) {
    const auto inside = Begin(i);
    ASSERT_NE(inside, nullptr);
    const sandbox::ExecResult result = Run(inside, "cat; echo \"$A $PWD\"; id -u; echo oops >&2; exit 7", {}, {.kind = sandbox::StdinSource::Kind::kText, .text = "in\n"});
    EXPECT_EQ(result.exit_code, 7) << result.termination.limit;
    EXPECT_EQ(result.termination.reason, Termination::Reason::kExit);
    EXPECT_EQ(result.stdout_text, "in\nb c /tmp\n1000\n");
    EXPECT_EQ(result.stderr_text, "oops\n");
    EXPECT_EQ(Run(inside, "kill -TERM $$").exit_code, 128 + 15);
    EXPECT_EQ(Run(inside, "printf '%s' \"$#\"").stdout_text, "0");
    const std::string much = std::string(3 << 20, 'x');
    const sandbox::ExecResult copied = Run(inside, "cat", {}, {.kind = sandbox::StdinSource::Kind::kText, .text = much});
    EXPECT_TRUE(copied.stdout_text == much);
  }
}

TEST_F(RealEnginePlain, WhatCannotBeginIsAnErrorOfTheStart) {
  for (size_t i = 0; i < engines_.size(); ++i) {
    const auto inside = Begin(i);
    ASSERT_NE(inside, nullptr);
    EXPECT_EQ(Start(inside, {"no-such-program"}).error().code, Code::kNoEntry);
    EXPECT_EQ(Start(inside, {"/bin/sh", "-c", "echo \xff"}).error().code, Code::kInvalid);
    EXPECT_EQ(Start(inside, {"echo", std::string(200 << 10, 'x')}).error().code, Code::kArgumentsTooLong);
    PlainExec::Parts parts{.inside = inside, .warden = std::make_unique<CounterWarden>(inside)};
    EXPECT_EQ(PlainExec::Start(std::move(parts), {"true"}, "/absent", {"PATH=/bin"}).error().code, Code::kNoEntry);
    EXPECT_EQ(Run(inside, "echo alive").stdout_text, "alive\n");
  }
}

TEST_F(RealEnginePlain, ATimeLimitAndTheEndOfAProgramEndWhatItLeftRunning) {
  for (size_t i = 0; i < engines_.size(); ++i) {
    const auto inside = Begin(i);
    ASSERT_NE(inside, nullptr);
    Limits limits;
    limits.time = std::chrono::milliseconds(500);
    const sandbox::ExecResult late = Run(inside, "echo begun; sleep 1000 & /bin/busybox setsid sleep 1000 & sleep 1000", limits);
    EXPECT_EQ(late.termination.reason, Termination::Reason::kTimeout);
    EXPECT_FALSE(late.exit_code);
    EXPECT_EQ(late.stdout_text, "begun\n");
    // One that keeps the output open, and one that left its session.
    const sandbox::ExecResult left = Run(inside, "sleep 1000 & /bin/busybox setsid sleep 1000 >/dev/null 2>&1 & echo gone");
    EXPECT_EQ(left.exit_code, 0) << left.termination.limit;
    EXPECT_EQ(Run(inside, "ps | grep -c '[s]leep 1000'").stdout_text, "0\n");
  }
}

TEST_F(RealEnginePlain, OneEndsAndTheOthersGoOn) {
  for (size_t i = 0; i < engines_.size(); ++i) {
    const auto inside = Begin(i);
    ASSERT_NE(inside, nullptr);
    auto other = Start(inside, {"/bin/sh", "-c", "while [ ! -e /tmp/go ]; do sleep 0.05; done; echo went on"});
    ASSERT_TRUE(other) << other.error().Text();
    auto cancelled = Start(inside, {"sleep", "1000"});
    ASSERT_TRUE(cancelled);
    (*cancelled)->Cancel();
    EXPECT_EQ((*cancelled)->Wait().termination.reason, Termination::Reason::kCancelled);
    EXPECT_EQ(Run(inside, "touch /tmp/go").exit_code, 0);
    const sandbox::ExecResult result = (*other)->Wait();
    EXPECT_EQ(result.stdout_text, "went on\n");
    EXPECT_EQ(result.exit_code, 0);
  }
}

TEST_F(RealEnginePlain, AForkBombIsEndedAndTheInitLives) {
  for (size_t i = 0; i < engines_.size(); ++i) {
    const auto inside = Begin(i);
    ASSERT_NE(inside, nullptr);
    Limits limits;
    limits.time = std::chrono::seconds(3);
    limits.output_bytes = 1 << 20;
    Run(inside, "b() { b | b & }; b; sleep 2", limits);
    EXPECT_FALSE(inside->HasEnded());
    EXPECT_EQ(Run(inside, "echo alive").stdout_text, "alive\n");
  }
}

TEST_F(RealEnginePlain, TerminalsHaveTheirSizeFromTheBeginning) {
  for (size_t i = 0; i < engines_.size(); ++i) {
    const auto inside = Begin(i);
    ASSERT_NE(inside, nullptr);
    auto exec = Start(inside, {"/bin/sh", "-c", "test -t 0 && /bin/busybox stty size; read line; echo \"got $line\"; cat"}, {},
                      {.kind = sandbox::StdinSource::Kind::kText, .text = "typed\n"}, sandbox::WindowSize{.columns = 101, .lines = 33});
    ASSERT_TRUE(exec) << exec.error().Text();
    const sandbox::ExecResult result = (*exec)->Wait();
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_NE(result.stdout_text.find("33 101\r\n"), std::string::npos) << result.stdout_text;
    EXPECT_NE(result.stdout_text.find("got typed\r\n"), std::string::npos) << result.stdout_text;
  }
}

TEST_F(RealEnginePlain, MemoryThatIsNotThereIsToldAsThat) {
  for (size_t i = 0; i < engines_.size(); ++i) {
    const auto inside = Begin(i);
    ASSERT_NE(inside, nullptr);
    const sandbox::ExecResult result = Run(inside, "exec dd if=/dev/zero of=/dev/null bs=200M count=1");
    EXPECT_EQ(result.termination.reason, Termination::Reason::kOom) << result.stderr_text << result.exit_code.value_or(-1);
    EXPECT_EQ(Run(inside, "echo alive").stdout_text, "alive\n");
  }
}

TEST_F(RealEnginePlain, WhatStoodStillWhenItWasToEndEndsWithTheNext) {
  for (size_t i = 0; i < engines_.size(); ++i) {
    const auto inside = Begin(i);
    ASSERT_NE(inside, nullptr);
    auto exec = Start(inside, {"sleep", "1000"});
    ASSERT_TRUE(exec);
    ASSERT_TRUE(inside->Freeze());
    (*exec)->Cancel();
    const sandbox::ExecResult result = (*exec)->Wait();
    EXPECT_EQ(result.termination.reason, Termination::Reason::kCancelled);
    EXPECT_NE(result.termination.limit.find("paused"), std::string::npos) << result.termination.limit;
    EXPECT_EQ(Start(inside, {"true"}).error().code, Code::kTimedOut);
    ASSERT_TRUE(inside->Thaw());
    EXPECT_EQ(Run(inside, "echo alive").stdout_text, "alive\n");
    EXPECT_EQ(Run(inside, "ps | grep -c '[s]leep 1000'").stdout_text, "0\n");
  }
}

TEST_F(RealEnginePlain, TheEndOfTheContainerIsNoExitStatus) {
  for (size_t i = 0; i < engines_.size(); ++i) {
    const auto inside = Begin(i);
    ASSERT_NE(inside, nullptr);
    auto exec = Start(inside, {"sleep", "1000"});
    ASSERT_TRUE(exec);
    std::thread killer([&] { EXPECT_TRUE(KillContainer(inside->engine(), inside->container_id(), "KILL")); });
    const sandbox::ExecResult result = (*exec)->Wait();
    killer.join();
    EXPECT_FALSE(result.exit_code);
    EXPECT_EQ(result.termination.reason, Termination::Reason::kInfra);
  }
}

TEST_F(RealEnginePlain, TheContainerEndsWithItsClient) {
  for (size_t i = 0; i < engines_.size(); ++i) {
    auto inside = Begin(i);
    ASSERT_NE(inside, nullptr);
    EXPECT_EQ(Run(inside, "echo alive").stdout_text, "alive\n");
    const std::string id = inside->container_id();
    const Engine& engine = inside->engine();
    inside.reset();
    // The engine says so as soon as it has.
    const auto waited = engine.Call({.method = "POST", .path = "/containers/" + id + "/wait", .time = std::chrono::seconds(30)});
    ASSERT_TRUE(waited) << waited.error().message;
    EXPECT_NE(InspectContainer(engine, id)->state, ContainerState::kRunning);
  }
}

TEST_F(RealEnginePlain, FilesAreReadAndWritten) {
  for (size_t i = 0; i < engines_.size(); ++i) {
    const auto inside = Begin(i);
    ASSERT_NE(inside, nullptr);
    PlainFileSystem files(inside, "/tmp", {});
    std::string content;
    for (int n = 0; n < 256; ++n) content += static_cast<char>(n);
    ASSERT_TRUE(vfs::WriteFile(files, "small", content));
    EXPECT_EQ(*vfs::ReadFile(files, "small"), content);
    while (content.size() < (3 << 20)) content += content;
    const Status written = vfs::WriteFile(files, "big", content);
    ASSERT_TRUE(written) << written.error().Text();
    EXPECT_TRUE(*vfs::ReadFile(files, "big") == content);
    EXPECT_EQ(Run(inside, "cat /tmp/small | wc -c").stdout_text, "256\n");
    EXPECT_EQ(files.Stat("/absent").error().code, Code::kNoEntry);
    EXPECT_EQ(files.List("/tmp")->size(), 2u);
  }
}

}  // namespace
}  // namespace paddock::docker
