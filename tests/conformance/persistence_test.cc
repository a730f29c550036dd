// Virtual sandboxes that outlive their process: what was captured is there again, whatever became of the sandbox.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "base/clock.h"
#include "commands/table.h"
#include "drivers/virtual/virtual_driver.h"
#include "sandbox/persistent.h"
#include "sandbox/shell_session.h"
#include "store/journal/journal.h"
#include "vfs/file_system.h"
#include "vfs/tree_changes.h"

namespace paddock::sandbox {
namespace {

Driver& TheDriver() {
  static const std::unique_ptr<Driver> kDriver = MakeVirtualDriver(AllCommands());
  return *kDriver;
}

// A sandbox and the journal of it.
class Kept {
 public:
  Kept(std::string path, SandboxSpec spec, const store::Journal::Options& options = {}) : spec_(std::move(spec)) {
    SavedSandbox saved;
    if (std::filesystem::exists(path)) {
      auto journal = store::Journal::Open(path, options, [&](const store::Journal::Record& record) {
        saved.steps.push_back({std::string(record.files), std::string(record.state)});
        return Status();
      });
      Check(journal);
      journal_ = std::move(*journal);
    } else {
      auto journal = store::Journal::Create(path, {.base = "default"}, options);
      Check(journal);
      journal_ = std::move(*journal);
    }
    auto sandbox = dynamic_cast<Restores&>(TheDriver()).Restore(spec_, saved);
    Check(sandbox);
    sandbox_ = std::move(*sandbox);
    journal_->set_compact([this]() -> Result<store::Journal::Start> {
      PADDOCK_ASSIGN(SavedStep all, persistent().CaptureWhole());
      return store::Journal::Start{"default", std::move(all.files), std::move(all.state)};
    });
  }

  Persistent& persistent() { return dynamic_cast<Persistent&>(*sandbox_); }
  vfs::FileSystem& files() { return dynamic_cast<HasFiles&>(*sandbox_).files(); }
  Sandbox& sandbox() { return *sandbox_; }
  store::Journal& journal() { return *journal_; }

  // Output of a script in the shell that is kept, or in one of its own.
  std::string Run(const std::string& script, bool keeps_state = true) {
    ExecSpec spec;
    spec.script = script;
    spec.keeps_state = keeps_state;
    auto process = sandbox_->Start(std::move(spec), {}, nullptr);
    Check(process);
    const ExecResult result = (*process)->Wait();
    return result.stdout_text + result.stderr_text;
  }

  // Makes what has changed outlive the process. How many bytes that took.
  size_t Save() {
    auto step = persistent().CaptureStep();
    Check(step);
    if (step->empty()) return 0;
    const uint64_t before = journal_->bytes();
    Check(journal_->Append(step->files, step->state));
    persistent().MarkSaved();
    return journal_->bytes() - before;
  }

 private:
  template <class T>
  static void Check(const T& result) {
    if (result) return;
    std::fprintf(stderr, "%s\n", std::string(result.error().Text()).c_str());
    std::abort();
  }

  const SandboxSpec spec_;
  std::unique_ptr<store::Journal> journal_;
  std::unique_ptr<Sandbox> sandbox_;
};

class PersistenceTest : public ::testing::Test {
 protected:
  PersistenceTest() {
    std::string name = (std::filesystem::temp_directory_path() / "paddock-persistence-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    path_ = folder_ + "/journal";
  }
  ~PersistenceTest() override { std::filesystem::remove_all(folder_); }

  std::string folder_;
  std::string path_;
  SandboxSpec spec_;
};

// Every file with its attributes, times and number; then contents.
constexpr const char* kLook =
    "find / -xdev -path /proc -prune -o -path /dev -prune -o -printf '%p %M %n %U %G %s %i %T@ %C@ %A@ %l\\n' | sort;"
    "find /home /tmp -type f -exec md5sum {} + | sort";

TEST_F(PersistenceTest, FilesAndShellComeBack) {
  std::string look;
  std::string probe;
  const std::string ask =
      "cd -; echo $PWD $x ${m[k]} $? $# $1; f; alias; umask; ulimit -n; bash -c 'ulimit -n'; trap; echo $RANDOM; set +o; jobs; dirs; wait $p; echo $?";
  {
    Kept kept(path_, spec_);
    kept.Run("mkdir -p a/b; cd a; echo text > b/file; ln b/file hard; ln -s b soft; chmod 4750 hard; mkfifo pipe; umask 027; ulimit -n 77");
    kept.Save();
    kept.Run("x=1; declare -A m=([k]=v); f() { echo f $LINENO; }; alias q=w; trap 'echo bye' EXIT; RANDOM=7; set -- one two");
    kept.Save();
    ASSERT_TRUE(vfs::WriteFile(kept.files(), "/home/agent/by-hand", std::string(200'000, 'h'), 0600).has_value());
    ASSERT_TRUE(kept.files().Rename("/home/agent/a/b", "/home/agent/moved", false).has_value());
    kept.Save();
    kept.Run("touch -d @1000000000.5 hard; rm -r soft; (exit 9) & p=$!; head -c 300000 /dev/zero > zeros; pushd /tmp; false");
    kept.Save();
    look = kept.Run(kLook, false);
    probe = Kept(path_, spec_).Run(ask);
    EXPECT_EQ(kept.Run(ask), probe);
  }
  Kept again(path_, spec_);
  EXPECT_EQ(again.Run(kLook, false), look);
  EXPECT_EQ(again.Run(ask), probe);
  EXPECT_NE(probe.find("f 1\n"), std::string::npos) << probe;
  EXPECT_NE(probe.find("\n77\n77\n"), std::string::npos) << probe;
}

TEST_F(PersistenceTest, GoesOnAfterEachStep) {
  for (int i = 1; i <= 20; ++i) {
    Kept kept(path_, spec_);
    const std::string number = std::to_string(i) + "\n";
    EXPECT_EQ(kept.Run("echo $((++count)); echo $count >> log; wc -l < log"), number + number);
    kept.Save();
  }
}

TEST_F(PersistenceTest, NothingChangedIsNothingWritten) {
  Kept kept(path_, spec_);
  EXPECT_EQ(kept.Save(), 0u);
  kept.Run("echo hi");
  EXPECT_GT(kept.Save(), 0u);
  kept.Run("echo hi");
  EXPECT_EQ(kept.Save(), 0u);
  kept.Run("ls /; cat /etc/passwd | wc -l; x=2", false);
  EXPECT_EQ(kept.Save(), 0u);
  kept.Run("x=1");
  const size_t one_variable = kept.Save();
  EXPECT_GT(one_variable, 0u);
  EXPECT_LT(one_variable, 150u);
}

TEST_F(PersistenceTest, WhatIsNotMarkedIsInTheNextStep) {
  Kept kept(path_, spec_);
  kept.Run("x=1; echo a > a");
  ASSERT_FALSE(kept.persistent().CaptureStep()->empty());   // and the disk was full
  kept.Run("y=2; echo b > b");
  kept.Save();
  EXPECT_EQ(Kept(path_, spec_).Run("echo $x $y; cat a b"), "1 2\na\nb\n");
}

TEST_F(PersistenceTest, CompactionKeepsAll) {
  std::string look;
  {
    Kept kept(path_, spec_, {.compact_bytes = 4000});
    for (int i = 0; i < 300; ++i) {
      kept.Run("v[i]=$i; echo $i > f$((i % 7)); mkdir -p d/$((i % 5)); rm -rf d/$((i % 3)); ((++i))");
      kept.Save();
    }
    ASSERT_TRUE(kept.journal().compaction().has_value());
    EXPECT_LT(kept.journal().bytes(), 30'000u);
    look = kept.Run(std::string(kLook) + "; echo ${v[@]}");
  }
  EXPECT_EQ(Kept(path_, spec_).Run(std::string(kLook) + "; echo ${v[@]}"), look);
}

TEST_F(PersistenceTest, AForkIsSavedOnItsOwn) {
  Kept kept(path_, spec_);
  kept.Run("x=parent; echo file > f");
  kept.Save();
  auto fork = *dynamic_cast<Forkable&>(kept.sandbox()).Fork();
  kept.Run("x=later");
  auto step = dynamic_cast<Persistent&>(*fork).CaptureStep();
  ASSERT_TRUE(step.has_value());
  SavedSandbox saved{.base = dynamic_cast<Persistent&>(*fork).base(), .steps = {*step}};
  auto again = dynamic_cast<Restores&>(TheDriver()).Restore(spec_, saved);
  ASSERT_TRUE(again.has_value());
  ExecSpec exec{.script = "echo $x; cat f", .keeps_state = true};
  EXPECT_EQ((*(*again)->Start(std::move(exec), {}, nullptr))->Wait().stdout_text, "parent\nfile\n");
}

// A new base from the files as they are, another copy of it, and the shell's state: nothing else is needed.
TEST_F(PersistenceTest, ASandboxCanStartAnewFromItsFiles) {
  Kept kept(path_, spec_);
  kept.Run("x=1; mkdir d; echo a > d/a; ln d/a d/b; cd d");
  const auto base = vfs::BaseTree::Make(**kept.persistent().CaptureFiles());
  SavedSandbox saved{.base = base, .steps = {{.files = "", .state = *kept.persistent().CaptureState()}}};
  auto again = dynamic_cast<Restores&>(TheDriver()).Restore(spec_, saved);
  ASSERT_TRUE(again.has_value());
  ExecSpec exec{.script = "echo $x $PWD; cat b; echo more >> a", .keeps_state = true};
  EXPECT_EQ((*(*again)->Start(std::move(exec), {}, nullptr))->Wait().stdout_text, "1 /home/agent/d\na\n");
  // And its steps go onto another copy of that base.
  saved.steps.push_back(*dynamic_cast<Persistent&>(**again).CaptureStep());
  saved.base = vfs::BaseTree::Make(base->volume());
  auto third = dynamic_cast<Restores&>(TheDriver()).Restore(spec_, saved);
  ASSERT_TRUE(third.has_value()) << third.error().Text();
  exec = ExecSpec{.script = "cat b"};
  exec.cwd = "/home/agent/d";
  EXPECT_EQ((*(*third)->Start(std::move(exec), {}, nullptr))->Wait().stdout_text, "a\nmore\n");
}

TEST_F(PersistenceTest, ChangesOverAMountComeBack) {
  std::filesystem::create_directory(folder_ + "/host");
  std::ofstream(folder_ + "/host/old") << "of the host\n";
  std::ofstream(folder_ + "/host/gone") << "of the host\n";
  spec_.mounts = {{.host = folder_ + "/host", .guest = "/work", .mode = MountMode::kOverlay}};
  {
    Kept kept(path_, spec_);
    kept.Run("cd /work; echo new > new; echo more >> old; rm gone; x=1");
    kept.Save();
  }
  Kept again(path_, spec_);
  EXPECT_EQ(again.Run("pwd; ls; cat old new; echo $x"), "/work\nnew\nold\nof the host\nmore\nnew\n1\n");
  const auto fork = *dynamic_cast<Forkable&>(again.sandbox()).Fork();
  again.Run("rm new");
  again.Save();
  EXPECT_EQ((*fork->Start({.script = "ls; rm old", .keeps_state = true}, {}, nullptr))->Wait().stdout_text, "new\nold\n");
  EXPECT_EQ(again.Run("ls"), "old\n");
  EXPECT_EQ(Kept(path_, spec_).Run("ls"), "old\n");
  spec_.mounts.clear();
  SavedSandbox saved{.base = nullptr, .steps = {*again.persistent().CaptureWhole()}};
  EXPECT_EQ(dynamic_cast<Restores&>(TheDriver()).Restore(spec_, saved).error().code, Code::kInvalid);
}

TEST_F(PersistenceTest, BackgroundProcessesAreGoneAndSaidToBeKilled) {
  {
    Kept kept(path_, spec_);
    ExecSpec exec{.script = "sleep 100 & p=$!; echo started", .keeps_state = true, .waits_for_background = false};
    (*kept.sandbox().Start(std::move(exec), {}, nullptr))->Wait();
    kept.Save();
  }
  Kept again(path_, spec_);
  const std::string told = again.Run("wait $p; echo $?; : & echo $(($! > p))");
  EXPECT_TRUE(told.starts_with("137\n1\nbash: line 1: ")) << told;
  EXPECT_TRUE(told.ends_with(" Killed                  sleep 100\n")) << told;
}

TEST_F(PersistenceTest, APromptsStepsAreKept) {
  {
    Kept kept(path_, spec_);
    auto session = dynamic_cast<Interactive&>(kept.sandbox()).OpenShell({.cwd = "/tmp"}, [](Stream, std::string_view) {});
    ASSERT_TRUE(session.has_value());
    (*session)->Run("x=typed; cd /usr\n");
    kept.Save();
  }
  Kept again(path_, spec_);
  EXPECT_EQ(again.Run("echo $x $PWD"), "typed /usr\n");
}

TEST_F(PersistenceTest, ARunningExecIsNotCaptured) {
  Kept kept(path_, spec_);
  Code code = Code::kOk;
  ExecSpec exec{.script = "echo x"};
  auto process = kept.sandbox().Start(std::move(exec), {}, [&](Stream, std::string_view) {
    const auto step = kept.persistent().CaptureStep();
    if (!step) code = step.error().code;
  });
  (*process)->Wait();
  EXPECT_EQ(code, Code::kBusy);
}

TEST_F(PersistenceTest, StepsOfAnotherBaseAreRefused) {
  Kept kept(path_, spec_);
  kept.Run("echo x > f; x=1");
  SavedSandbox saved{.base = nullptr, .steps = {*kept.persistent().CaptureStep()}};
  auto& driver = dynamic_cast<Restores&>(TheDriver());
  ASSERT_TRUE(driver.Restore(spec_, saved).has_value());
  SavedSandbox other = saved;
  other.base = vfs::BaseTree::Make(**kept.persistent().CaptureFiles());
  EXPECT_EQ(driver.Restore(spec_, other).error().code, Code::kInvalid);
  std::mt19937 random(4);
  for (int i = 0; i < 500; ++i) {
    SavedSandbox damaged = saved;
    std::string& bytes = i % 2 == 0 ? damaged.steps[0].files : damaged.steps[0].state;
    bytes[random() % bytes.size()] = static_cast<char>(random());
    if (i % 5 == 0) bytes.resize(random() % bytes.size());
    auto restored = driver.Restore(spec_, damaged);
    if (!restored) continue;
    ExecSpec exec{.script = "ls -lR / >/dev/null; declare -p; cat f", .keeps_state = true};
    (*(*restored)->Start(std::move(exec), {}, nullptr))->Wait();
  }
}

// The process dies at any moment: every exec that was acknowledged is there, wholly, and at most one more.
TEST_F(PersistenceTest, OutlivesKill) {
  std::mt19937 random(8);
  uint64_t acknowledged = 0;
  TheDriver();
  for (int round = 0; round < 30; ++round) {
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      Kept kept(path_, spec_, {.compact_bytes = 20'000});
      while (true) {
        // The parts of an exec: a variable, two files, a directory; all or nothing must be there.
        const std::string said = kept.Run("n=$((n + 1)); echo $n > one; echo $n >> log;"
                                          "mkdir d$((n % 50)) 2>/dev/null || rmdir d$((n % 50)); echo $n > two; echo $n");
        kept.Save();
        const uint64_t number = std::strtoull(said.c_str(), nullptr, 10);
        if (::write(ends[1], &number, sizeof number) != sizeof number) ::_exit(1);
      }
    }
    ::close(ends[1]);
    uint64_t number = 0;
    // From the first exec on, at another moment each time.
    if (::read(ends[0], &number, sizeof number) == sizeof number) acknowledged = number;
    const Nanoseconds until = SystemClock().MonotonicNow() + std::chrono::microseconds(random() % 3000);
    while (SystemClock().MonotonicNow() < until) continue;
    ::kill(child, SIGKILL);
    while (::read(ends[0], &number, sizeof number) == sizeof number) acknowledged = number;
    ::close(ends[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    Kept kept(path_, spec_);
    const std::string n = kept.Run("printf %s $n");
    const uint64_t found = std::strtoull(n.c_str(), nullptr, 10);
    ASSERT_GE(found, acknowledged);
    ASSERT_LE(found, acknowledged + 1);
    if (found == 0) continue;
    // The directory of that number was made or removed once in 50 execs.
    const bool has_directory = (found / 50 + (found % 50 != 0 ? 1 : 0)) % 2 == 1;
    ASSERT_EQ(kept.Run("cat one two; tail -n 1 log; wc -l < log; test -d d$((n % 50)) && echo there"),
              n + "\n" + n + "\n" + n + "\n" + n + "\n" + (has_directory ? "there\n" : ""));
    acknowledged = found;
  }
  EXPECT_GE(acknowledged, 30u);
}

}  // namespace
}  // namespace paddock::sandbox
