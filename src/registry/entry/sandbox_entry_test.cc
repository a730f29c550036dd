#include "registry/entry/sandbox_entry.h"

#include <gtest/gtest.h>

#include <csignal>
#include <thread>

#include "commands/table.h"                 // allow(layers): a real driver under test
#include "drivers/virtual/virtual_driver.h"   // allow(layers): a real driver under test

namespace paddock::registry {
namespace {

using namespace std::chrono_literals;
using Reason = sandbox::Termination::Reason;

// Keeps in memory, and counts.
class KeeperForTest final : public Keeper {
 public:
  struct Counts {
    int loaded = 0, kept = 0, settled = 0, removed = 0;
    Status next_keep;
    std::function<void()> on_keep;
  };

  KeeperForTest(sandbox::Driver& driver, std::shared_ptr<Counts> counts) : driver_(driver), counts_(std::move(counts)) {}

  Result<std::unique_ptr<sandbox::Sandbox>> Load() override {
    ++counts_->loaded;
    if (saved_ != nullptr) return dynamic_cast<sandbox::Forkable&>(*saved_).Fork();
    return driver_.Create(sandbox::SandboxSpec{});
  }
  Status Keep(sandbox::Sandbox&) override {
    ++counts_->kept;
    if (counts_->on_keep) counts_->on_keep();
    return counts_->next_keep;
  }
  Status Settle(sandbox::Sandbox& live) override {
    ++counts_->settled;
    PADDOCK_ASSIGN(saved_, dynamic_cast<sandbox::Forkable&>(live).Fork());
    return {};
  }
  Status Remove() override {
    ++counts_->removed;
    return {};
  }

 private:
  sandbox::Driver& driver_;
  std::shared_ptr<Counts> counts_;
  std::unique_ptr<sandbox::Sandbox> saved_;
};

class SandboxEntryTest : public testing::Test {
 protected:
  SandboxEntryTest() {
    auto settings = std::make_shared<SandboxEntry::Settings>();
    settings->most_processes = 3;
    settings->most_ended = 2;
    settings->on_state = [this](const SandboxInfo& info) { states_.push_back(info.state); };
    settings_ = settings;
    SandboxInfo info;
    info.id = "sbx_test";
    info.owner = "o";
    info.created = info.extended = info.last_active = Now();
    entry_ = std::make_shared<SandboxEntry>(info, std::make_unique<KeeperForTest>(*driver_, counts_), settings_);
  }

  static SandboxEntry::Deadline Soon() { return std::chrono::steady_clock::now() + 60s; }

  sandbox::ExecResult Run(ExecRequest request, std::string* output = nullptr) {
    auto process = entry_->Admit(request);
    EXPECT_TRUE(process);
    auto result = entry_->Run(*process, std::move(request), [&](sandbox::Stream, std::string_view bytes) {
      if (output != nullptr) *output += bytes;
    });
    EXPECT_TRUE(result) << result.error().Text();
    return result ? *result : sandbox::ExecResult();
  }
  std::string Out(const std::string& script) {
    std::string output;
    Run({.script = script, .keeps_shell = true}, &output);
    return output;
  }
  // One that runs until it is ended.
  std::pair<std::shared_ptr<RunningProcess>, std::thread> Endless() {
    ExecRequest request{.script = "echo on; while :; do :; done"};
    auto process = *entry_->Admit(request);
    std::thread thread([this, process, request] { (void)entry_->Run(process, request); });
    EXPECT_FALSE(process->output().Read(0, 10, Soon()).pieces.empty());
    return {process, std::move(thread)};
  }

  std::unique_ptr<sandbox::Driver> driver_ = sandbox::MakeVirtualDriver(AllCommands());
  std::shared_ptr<KeeperForTest::Counts> counts_ = std::make_shared<KeeperForTest::Counts>();
  std::shared_ptr<const SandboxEntry::Settings> settings_;
  std::vector<SandboxState> states_;
  std::shared_ptr<SandboxEntry> entry_;
};

TEST_F(SandboxEntryTest, WhatIsOverTakesNoSignalWhileItsChangesAreKept) {
  ExecRequest request{.script = "echo changed > f"};
  const auto process = *entry_->Admit(request);
  int asked = 0;
  counts_->on_keep = [&] {
    ++asked;
    EXPECT_EQ(process->Info().state, ProcessState::kRunning);   // not acknowledged yet
    for (const int signal : {SIGHUP, SIGINT, SIGKILL}) EXPECT_EQ(process->Signal(signal).error().code, Code::kNoProcess);
    EXPECT_FALSE(process->Resize({}));
    process->Cancel();
  };
  const auto result = entry_->Run(process, request);
  ASSERT_TRUE(result) << result.error().Text();
  EXPECT_EQ(result->termination.reason, Reason::kExit);
  EXPECT_EQ(asked, 1);
}

TEST_F(SandboxEntryTest, FrozenFilesAreAsTheyWereAndHoldNobodyUp) {
  Out("echo before > ~/f");
  auto frozen = entry_->FrozenFiles(Soon());
  ASSERT_TRUE(frozen) << frozen.error().Text();
  EXPECT_FALSE(frozen->is_exclusive());
  EXPECT_EQ(Out("echo after > ~/f; mkdir ~/new; cat ~/f"), "after\n");   // would wait for its turn for good
  EXPECT_EQ(*vfs::ReadFile(**frozen, "/home/agent/f"), "before\n");
  EXPECT_FALSE((*frozen)->Stat("/home/agent/new"));
  EXPECT_EQ(Out("cat ~/f"), "after\n");
  const auto held = entry_->Files(Soon());
  ASSERT_TRUE(held);
  EXPECT_TRUE(held->is_exclusive());
  EXPECT_EQ(*vfs::ReadFile(**held, "/home/agent/f"), "after\n");
}

TEST_F(SandboxEntryTest, KeepsShellAndFilesFromExecToExec) {
  EXPECT_EQ(Out("x=5; echo $x > f; cd /tmp"), "");
  EXPECT_EQ(Out("echo $x $(cat ~/f) $PWD"), "5 5 /tmp\n");
  EXPECT_EQ(counts_->loaded, 1);
  EXPECT_EQ(counts_->kept, 2);
  const auto list = entry_->Processes();
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[1].state, ProcessState::kExited);
  EXPECT_EQ(list[1].result->exit_code, 0);
  EXPECT_EQ(list[1].output_bytes, 9u);
}

TEST_F(SandboxEntryTest, ExecsWaitForTheirTurn) {
  auto [endless, thread] = Endless();
  ExecRequest request{.script = "echo second"};
  auto second = *entry_->Admit(request);
  std::thread other([&] { EXPECT_TRUE(entry_->Run(second, request)); });
  EXPECT_EQ(second->Info().state, ProcessState::kQueued);
  EXPECT_TRUE(endless->Signal(SIGKILL));
  thread.join();
  other.join();
  EXPECT_EQ(endless->Info().result->termination.reason, Reason::kCancelled);
  EXPECT_FALSE(endless->Info().result->exit_code);
  EXPECT_EQ(second->Info().result->exit_code, 0);
}

TEST_F(SandboxEntryTest, TimeCountsWhileWaitingForTheTurn) {
  auto [endless, thread] = Endless();
  const auto result = Run({.script = "echo never", .timeout = 20ms});
  EXPECT_EQ(result.termination.reason, Reason::kTimeout);
  EXPECT_FALSE(result.exit_code);
  ExecRequest request{.script = "echo never"};
  auto waiting = *entry_->Admit(request);
  std::thread other([&] { EXPECT_EQ(entry_->Run(waiting, request)->termination.reason, Reason::kCancelled); });
  waiting->Cancel();
  other.join();
  endless->Cancel();
  thread.join();
}

TEST_F(SandboxEntryTest, ProcessesAreBoundedAndEndedOnesForgotten) {
  ExecRequest request{.script = ":"};
  std::vector<std::shared_ptr<RunningProcess>> waiting;
  for (int i = 0; i < 3; ++i) waiting.push_back(*entry_->Admit(request));
  const auto refused = entry_->Admit(request);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kLimit);
  for (const auto& process : waiting) EXPECT_TRUE(entry_->Run(process, request));
  Run(request);
  EXPECT_EQ(entry_->Processes().size(), 3u);   // the new one, and two that had ended
  EXPECT_EQ(entry_->FindProcess(waiting[0]->id()), nullptr);
  EXPECT_EQ(entry_->FindProcess(waiting[2]->id()), waiting[2]);
}

TEST_F(SandboxEntryTest, InputFlowsUntilItIsClosed) {
  ExecRequest request{.script = "read a; echo got $a; cat", .has_open_input = true};
  auto process = *entry_->Admit(request);
  std::thread thread([&] { EXPECT_TRUE(entry_->Run(process, request)); });
  EXPECT_TRUE(process->Write("one\n", Soon()));
  const auto reading = process->output().Read(0, 100, Soon());
  ASSERT_FALSE(reading.pieces.empty());
  EXPECT_EQ(reading.pieces[0].bytes, "got one\n");
  EXPECT_TRUE(process->Write("two", Soon()));
  EXPECT_TRUE(process->CloseInput());
  EXPECT_TRUE(process->WaitUntil(Soon()));
  thread.join();
  EXPECT_EQ(process->output().Read(8, 100, Soon()).pieces.at(0).bytes, "two");
  EXPECT_EQ(process->Write("x", Soon()).error().code, Code::kBrokenPipe);
  EXPECT_EQ(process->Signal(SIGKILL).error().code, Code::kNoProcess);
}

TEST_F(SandboxEntryTest, ExecsWaitForFilesWhichAreKept) {
  {
    auto files = entry_->Files(Soon());
    ASSERT_TRUE(files);
    EXPECT_TRUE(vfs::WriteFile(**files, "/home/agent/x", "text"));
    EXPECT_TRUE(files->Commit());
    EXPECT_EQ(counts_->kept, 1);
    EXPECT_EQ(Run({.script = "cat x", .timeout = 10ms}).termination.reason, Reason::kTimeout);
  }
  EXPECT_EQ(Out("cat x"), "text");
  auto [endless, thread] = Endless();
  {
    auto files = entry_->Files(Soon());   // the exec stands still meanwhile
    ASSERT_TRUE(files) << files.error().Text();
    EXPECT_TRUE(files->is_exclusive());
    EXPECT_TRUE(vfs::WriteFile(**files, "/home/agent/x", "changed"));
    EXPECT_TRUE(files->Commit());
    EXPECT_EQ(endless->Info().state, ProcessState::kRunning);
  }
  EXPECT_EQ(*vfs::ReadFile(**entry_->FrozenFiles(Soon()), "/home/agent/x"), "changed");
  endless->Cancel();
  thread.join();
  EXPECT_EQ(Out("cat x"), "changed");
}

TEST_F(SandboxEntryTest, WhatSomebodyPausedStaysPaused) {
  Out("x=7");
  EXPECT_TRUE(entry_->Rest(SandboxState::kPaused, false, false, Soon()));
  EXPECT_FALSE(entry_->is_in_memory());
  EXPECT_EQ(counts_->settled, 1);
  ExecRequest request{.script = ":"};
  auto process = *entry_->Admit(request);
  EXPECT_EQ(entry_->Run(process, request).error().code, Code::kUnavailable);
  EXPECT_EQ(process->Info().result->termination.reason, Reason::kInfra);
  EXPECT_NE(process->Info().failure.find("is paused; resume it first"), std::string::npos) << process->Info().failure;
  EXPECT_TRUE(entry_->Rest(SandboxState::kPaused, false, false, Soon()));   // again: nothing more to do
  EXPECT_TRUE(entry_->Wake());
  EXPECT_EQ(Out("echo $x"), "7\n");
  EXPECT_EQ(states_, (std::vector{SandboxState::kPaused, SandboxState::kRunning}));
}

TEST_F(SandboxEntryTest, WhatItsLeasePausedWakesWhenUsed) {
  Out("x=7");
  EXPECT_TRUE(entry_->Rest(SandboxState::kPaused, true, false, Soon()));
  EXPECT_EQ(entry_->Info().state, SandboxState::kPaused);
  EXPECT_EQ(Out("echo $x"), "7\n");
  EXPECT_EQ(entry_->Info().state, SandboxState::kRunning);
}

TEST_F(SandboxEntryTest, ABusyOneRestsOnlyByForce) {
  auto [endless, thread] = Endless();
  EXPECT_EQ(entry_->Rest(SandboxState::kPaused, true, false, Soon()).error().code, Code::kBusy);
  EXPECT_EQ(entry_->Rest(SandboxState::kStopped, false, false, std::chrono::steady_clock::now() + 10ms).error().code, Code::kBusy);
  EXPECT_FALSE(entry_->Park());
  EXPECT_TRUE(entry_->Rest(SandboxState::kStopped, false, true, Soon()));
  thread.join();
  EXPECT_EQ(endless->Info().result->termination.reason, Reason::kCancelled);
}

TEST_F(SandboxEntryTest, AParkedOneIsStillRunning) {
  Out(":");
  EXPECT_TRUE(entry_->Park());
  EXPECT_FALSE(entry_->is_in_memory());
  EXPECT_EQ(entry_->Info().state, SandboxState::kRunning);
  Out(":");
  EXPECT_EQ(counts_->loaded, 2);
  EXPECT_TRUE(states_.empty());
}

TEST_F(SandboxEntryTest, WhatCannotBeKeptIsAnError) {
  counts_->next_keep = Error(Code::kNoSpace, "the disk is full");
  ExecRequest request{.script = "exit 3"};
  auto process = *entry_->Admit(request);
  const auto result = entry_->Run(process, request);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::kNoSpace);
  EXPECT_EQ(process->Info().result->exit_code, 3);   // that much is true
}

TEST_F(SandboxEntryTest, RemovingEndsWhatRuns) {
  auto [endless, thread] = Endless();
  EXPECT_TRUE(entry_->Remove());
  thread.join();
  EXPECT_EQ(counts_->removed, 1);
  EXPECT_EQ(entry_->Files(Soon()).error().code, Code::kNoEntry);
  EXPECT_EQ(entry_->Wake().error().code, Code::kNoEntry);
}

TEST_F(SandboxEntryTest, ManyThreadsSeeOneOrder) {
  std::vector<std::thread> threads;
  std::atomic<int> done = 0;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 50; ++k) {
        ExecRequest request{.script = "n=$((${n:-0} + 1))", .keeps_shell = true};
        auto process = entry_->Admit(request);
        ASSERT_TRUE(process) << process.error().Text();
        if (entry_->Run(*process, request)) ++done;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(done, 150);
  EXPECT_EQ(Out("echo $n"), "150\n");
}

}  // namespace
}  // namespace paddock::registry
