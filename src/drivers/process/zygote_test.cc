// What holds for a driver's zygote and the walls that are forked from it, on this host.
#include <gtest/gtest.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <thread>

#include "base/descriptor.h"
#include "drivers/process/process_driver.h"
#include "policy/preset.h"
#include "sandbox/diagnosis.h"
#include "sandbox/sandbox.h"

namespace paddock::process_wall {
namespace {

namespace fs = std::filesystem;

using Sandbox = std::unique_ptr<sandbox::Sandbox>;

std::string ReadText(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// The line of /proc/PID/status behind `key`.
std::string StatusLine(pid_t process, const std::string& key) {
  std::istringstream lines(ReadText("/proc/" + std::to_string(process) + "/status"));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(key + ":")) return line.substr(key.size() + 2);
  }
  return "";
}

struct Family {
  std::vector<pid_t> zygotes, inits;   // living children that are paddock-guest, outside and inside
  std::vector<pid_t> begun;            // of walls that are begun ahead: no filter yet
};

Family FindFamily() {
  Family found;
  for (const auto& thread : fs::directory_iterator("/proc/self/task")) {
    std::istringstream children(ReadText(thread.path() / "children"));
    for (pid_t child = 0; children >> child;) {
      if (StatusLine(child, "Name") != "paddock-guest" || StatusLine(child, "State").starts_with("Z")) continue;
      const std::string ids = StatusLine(child, "NSpid");
      const bool is_zygote = ids.find('\t') == std::string::npos;
      (is_zygote ? found.zygotes : StatusLine(child, "Seccomp") == "0" ? found.begun : found.inits).push_back(child);
    }
  }
  std::sort(found.inits.begin(), found.inits.end());
  return found;
}

// Where each open descriptor leads.
std::map<int, std::string> DescriptorsOf(pid_t process) {
  std::map<int, std::string> found;
  std::error_code error;
  for (fs::directory_iterator at("/proc/" + std::to_string(process) + "/fd", error), end; !error && at != end; at.increment(error)) {
    found[std::stoi(at->path().filename())] = fs::read_symlink(at->path(), error);
  }
  return found;
}

std::string MountOf(pid_t process, int descriptor) {
  const std::string text = ReadText("/proc/" + std::to_string(process) + "/fdinfo/" + std::to_string(descriptor));
  return text.substr(std::min(text.find("mnt_id:"), text.size()));
}

// How often a process has the text in the memory that it may write to; -1 if that cannot be read.
int CountInMemory(pid_t process, const std::string& text) {
  const std::string place = "/proc/" + std::to_string(process);
  std::ifstream memory(place + "/mem", std::ios::binary);
  if (!memory) return -1;
  int count = 0;
  std::istringstream maps(ReadText(place + "/maps"));
  for (std::string line; std::getline(maps, line);) {
    unsigned long first = 0, last = 0;
    char mode[5] = "";
    if (std::sscanf(line.c_str(), "%lx-%lx %4s", &first, &last, mode) != 3 || mode[1] != 'w') continue;
    std::string bytes(last - first, '\0');
    memory.clear();
    memory.seekg(static_cast<std::streamoff>(first));
    memory.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    bytes.resize(static_cast<size_t>(memory.gcount()));
    for (size_t at = 0; (at = bytes.find(text, at)) != std::string::npos; ++at) ++count;
  }
  return count;
}

Descriptor OpenProcess(pid_t process) { return Descriptor(static_cast<int>(syscall(SYS_pidfd_open, process, 0))); }

bool WaitForEnd(const Descriptor& process) {
  constexpr int kLongMs = 60'000;
  pollfd end{process.get(), POLLIN, 0};
  return poll(&end, 1, kLongMs) == 1;
}

// A zygote does what it is told a moment later.
bool ComesTo(const std::function<bool()>& test) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!test()) {
    if (std::chrono::steady_clock::now() > until) return false;
    sched_yield();
  }
  return true;
}

constexpr size_t kOwnDescriptors = 4;   // of a zygote without walls: 0 to 2 and its socket; each wall is one more, and so is one that is begun ahead

sandbox::SandboxSpec Spec() {
  policy::HostContext context;
  context.home = "/nonexistent";
  context.user = "test";
  auto policy = policy::MakePreset("read-only", context);
  EXPECT_TRUE(policy);
  sandbox::SandboxSpec spec;
  spec.policy = std::move(*policy);
  return spec;
}

std::string Output(sandbox::Sandbox& box, const std::string& script) {
  sandbox::ExecSpec exec;
  exec.script = script;
  auto process = box.Start(std::move(exec), {}, nullptr);
  return process ? (*process)->Wait().stdout_text : std::string(process.error().Text());
}

class ZygoteTest : public testing::Test {
 protected:
  void SetUp() override {
    static const std::string missing = [] {
      const auto driver = sandbox::MakeProcessDriver();
      for (const sandbox::Check& check : dynamic_cast<sandbox::Diagnosable&>(*driver).Diagnose()) {
        if (check.state == sandbox::Check::State::kMissing) return check.name + ": " + check.detail;
      }
      return std::string();
    }();
    if (!missing.empty()) GTEST_SKIP() << missing;
  }

  Sandbox Create() {
    auto made = driver_->Create(Spec());
    EXPECT_TRUE(made) << made.error().Text();
    return made ? std::move(*made) : nullptr;
  }
  pid_t Zygote() {
    const Family family = FindFamily();
    EXPECT_EQ(family.zygotes.size(), 1u);
    return family.zygotes.empty() ? -1 : family.zygotes.front();
  }

  // The init of the wall that is begun ahead; after two creates that were alike.
  pid_t BegunAhead() {
    EXPECT_TRUE(ComesTo([] { return FindFamily().begun.size() == 1; }));
    const Family family = FindFamily();
    return family.begun.empty() ? -1 : family.begun.front();
  }
  void ExpectNobodyAfterLetGo() {
    driver_->LetGo();
    const Family family = FindFamily();
    EXPECT_TRUE(family.inits.empty());
    EXPECT_TRUE(family.begun.empty());
  }

  std::unique_ptr<sandbox::Driver> driver_ = sandbox::MakeProcessDriver();
};

TEST_F(ZygoteTest, KeepsNothingOfWallsThatHaveEnded) {
  Create().reset();
  const pid_t zygote = Zygote();
  const auto maps = [&] {
    const std::string text = ReadText("/proc/" + std::to_string(zygote) + "/maps");
    return std::count(text.begin(), text.end(), '\n');
  };
  const auto maps_before = maps();
  for (int i = 0; i < 60; ++i) Create().reset();
  EXPECT_TRUE(ComesTo([&] { return DescriptorsOf(zygote).size() == kOwnDescriptors + 1; })) << DescriptorsOf(zygote).size();
  EXPECT_LE(maps(), maps_before + 1);
  const Sandbox last = Create();
  EXPECT_EQ(Output(*last, "echo up"), "up\n");
  EXPECT_EQ(Zygote(), zygote);
}

TEST_F(ZygoteTest, AWallHoldsNoDescriptorOfAnother) {
  if (geteuid() != 0) GTEST_SKIP() << "takes root: a wall's descriptors are hidden from its user";
  const Sandbox one = Create(), two = Create();
  const Family family = FindFamily();
  ASSERT_EQ(family.inits.size(), 2u);
  std::map<std::string, pid_t> sockets;
  for (const pid_t init : family.inits) {
    for (const auto& [number, place] : DescriptorsOf(init)) {
      if (place.starts_with("socket:")) {
        EXPECT_EQ(sockets.emplace(place, init).first->second, init) << "shared: " << place;
      } else {
        EXPECT_TRUE(number <= 2 ? place == "/dev/null" : place.starts_with("anon_inode:")) << number << " is " << place;
      }
    }
  }
  EXPECT_EQ(sockets.size(), 2u);
  for (int number = 0; number < 3; ++number) EXPECT_NE(MountOf(family.inits[0], number), MountOf(family.inits[1], number));
}

TEST_F(ZygoteTest, AWallsMemoryDoesNotNameAnother) {
  const Sandbox one = Create();
  const Sandbox two = Create();
  const Sandbox three = Create();
  const Family family = FindFamily();
  ASSERT_EQ(family.inits.size(), 3u);
  // Control: the zygote itself knows their groups.
  const int known = CountInMemory(Zygote(), one->id());
  if (known < 0) GTEST_SKIP() << "the memory of other processes cannot be read here";
  if (known == 0) GTEST_SKIP() << "no cgroup can be made here, so the zygote is told of none";
  for (const pid_t init : family.inits) {
    int named = 0;
    for (const Sandbox* box : {&one, &two, &three}) {
      const int count = CountInMemory(init, (*box)->id());
      if (count < 0) GTEST_SKIP() << "takes root: a wall's memory is hidden from its user";
      named += count > 0;
    }
    EXPECT_LE(named, 1);
  }
}

TEST_F(ZygoteTest, StandsApartFromTheDriver) {
  const Sandbox box = Create();
  const pid_t zygote = Zygote();
  EXPECT_EQ(getsid(zygote), zygote);
  EXPECT_EQ(getpgid(zygote), zygote);
  const std::string place = "/proc/" + std::to_string(zygote);
  EXPECT_EQ(fs::read_symlink(place + "/cwd"), "/");
  EXPECT_EQ(ReadText(place + "/environ"), "");
  EXPECT_EQ(ReadText(place + "/cmdline"), std::string("paddock-guest\0walls\0", 20));
  for (const auto& [number, target] : DescriptorsOf(zygote)) {
    EXPECT_TRUE(number > 2 || target == "/dev/null") << number << " is " << target;
  }
}

TEST_F(ZygoteTest, SignalsForWholeGroupsLeaveItToItsWalls) {
  const Sandbox box = Create();
  const pid_t zygote = Zygote();
  for (const int signal : {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE}) EXPECT_EQ(kill(zygote, signal), 0);
  const Sandbox next = Create();
  EXPECT_EQ(Zygote(), zygote);
  // What it ignores its walls do not.
  EXPECT_EQ(Output(*next, "grep SigIgn /proc/self/status | cut -f2"), "0000000000000000\n");
}

TEST_F(ZygoteTest, CreatesThatFailLeaveItAndNoProcess) {
  const Sandbox box = Create();
  const pid_t zygote = Zygote();
  sandbox::SandboxSpec spec = Spec();
  spec.mounts.push_back({.host = "/nonexistent/directory", .guest = "/data"});
  for (int i = 0; i < 100; ++i) {
    const auto failed = driver_->Create(spec);
    ASSERT_FALSE(failed);
    ASSERT_NE(failed.error().Text().find("/nonexistent/directory"), std::string_view::npos) << failed.error().Text();
  }
  const Family family = FindFamily();
  EXPECT_EQ(family.zygotes, std::vector<pid_t>{zygote});
  EXPECT_EQ(family.inits.size(), 1u);
  EXPECT_TRUE(ComesTo([&] { return DescriptorsOf(zygote).size() == kOwnDescriptors + 1; })) << DescriptorsOf(zygote).size();
}

TEST_F(ZygoteTest, OneThatWasKilledIsReplacedAndItsWallsStand) {
  const Sandbox old = Create();
  const pid_t killed = Zygote();
  const Descriptor process = OpenProcess(killed);
  ASSERT_EQ(kill(killed, SIGKILL), 0);
  ASSERT_TRUE(WaitForEnd(process));
  EXPECT_EQ(Output(*old, "echo still here"), "still here\n");
  const Sandbox fresh = Create();
  ASSERT_TRUE(fresh);
  EXPECT_EQ(Output(*fresh, "echo here"), "here\n");
  EXPECT_NE(Zygote(), killed);
  old->Close();
  EXPECT_EQ(FindFamily().inits.size(), 1u);
}

TEST_F(ZygoteTest, ACreateOutlivesItsZygote) {
  for (int round = 0; round < 30; ++round) {
    Create().reset();
    const pid_t doomed = Zygote();
    std::thread killer([&] {
      // At many moments of the create: which one it is does not matter to what is expected.
      const auto until = std::chrono::steady_clock::now() + round * std::chrono::microseconds(150);
      while (std::chrono::steady_clock::now() < until) {
      }
      kill(doomed, SIGKILL);
    });
    const Sandbox box = Create();
    killer.join();
    ASSERT_TRUE(box);
    EXPECT_EQ(Output(*box, "echo here"), "here\n");
  }
  ExpectNobodyAfterLetGo();
}

TEST_F(ZygoteTest, ManyThreadsCreateAtOnce) {
  constexpr int kThreads = 50;
  std::vector<std::string> results(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      auto box = driver_->Create(Spec());
      results[static_cast<size_t>(i)] = box ? Output(**box, "echo " + std::to_string(i)) : std::string(box.error().Text());
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int i = 0; i < kThreads; ++i) EXPECT_EQ(results[static_cast<size_t>(i)], std::to_string(i) + "\n");
  ExpectNobodyAfterLetGo();
}

TEST_F(ZygoteTest, TwoDriversHaveOneEach) {
  const Sandbox one = Create();
  const auto other_driver = sandbox::MakeProcessDriver();
  auto other = other_driver->Create(Spec());
  ASSERT_TRUE(other);
  const Family both = FindFamily();
  ASSERT_EQ(both.zygotes.size(), 2u);
  other->reset();
  other_driver->LetGo();
  EXPECT_EQ(FindFamily().zygotes.size(), 1u);
  EXPECT_EQ(Output(*one, "echo up"), "up\n");
}

TEST_F(ZygoteTest, LetGoEndsIt) {
  Create().reset();
  driver_->LetGo();
  EXPECT_TRUE(FindFamily().zygotes.empty());
  EXPECT_EQ(Output(*Create(), "echo again"), "again\n");
}

TEST_F(ZygoteTest, AnotherOfAKindWasBegunAhead) {
  Create().reset();
  EXPECT_TRUE(FindFamily().begun.empty());
  // Not the third when that comes while the one ahead is just being begun, nor when the host has mounted something.
  bool was_used = false;
  for (int i = 0; i < 100 && !was_used; ++i) {
    Create().reset();
    const pid_t begun = BegunAhead();
    const Sandbox box = Create();
    was_used = FindFamily().inits == std::vector<pid_t>{begun};
    EXPECT_EQ(Output(*box, "echo up"), "up\n");
  }
  EXPECT_TRUE(was_used);
}

TEST_F(ZygoteTest, OneThatIsBegunAheadFitsItsOwnKindOnly) {
  Create().reset();
  Create().reset();
  const pid_t begun = BegunAhead();
  sandbox::SandboxSpec other = Spec();
  other.policy->limits.memory_bytes = 123 << 20;
  const auto small = driver_->Create(other);
  ASSERT_TRUE(small);
  sandbox::SandboxSpec nested = Spec();
  nested.policy->kernel.nested = true;
  const auto free = driver_->Create(nested);
  ASSERT_TRUE(free);
  EXPECT_EQ(BegunAhead(), begun);
}

TEST_F(ZygoteTest, OneThatIsBegunAheadKnowsNoSandbox) {
  sandbox::SandboxSpec spec = Spec();
  spec.hostname = "HostOfOneOnly";
  spec.policy->files.paths.push_back({.path = "/opt/PathOfOneOnly", .access = policy::Access::kRead, .optional = true, .origin = "test"});
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(driver_->Create(spec));
  const pid_t begun = BegunAhead();
  for (const char* name : {"HostOfOneOnly", "PathOfOneOnly"}) {
    const int count = CountInMemory(begun, name);
    if (count < 0) GTEST_SKIP() << "takes root: a wall's memory is hidden from its user";
    EXPECT_EQ(count, 0) << name;
  }
}

TEST_F(ZygoteTest, OneThatIsBegunAheadAndKilledIsNotUsed) {
  Create().reset();
  Create().reset();
  const pid_t begun = BegunAhead();
  const Descriptor process = OpenProcess(begun);
  ASSERT_EQ(kill(begun, SIGKILL), 0);
  ASSERT_TRUE(WaitForEnd(process));
  EXPECT_EQ(Output(*Create(), "echo up"), "up\n");
}

TEST_F(ZygoteTest, OneThatIsBegunAheadIsNotUsedWhenTheHostHasMountedSomething) {
  if (geteuid() != 0) GTEST_SKIP() << "takes root: mounts";
  constexpr int kCannotMount = 77;
  const pid_t child = fork();
  if (child == 0) {
    if (unshare(CLONE_NEWNS) != 0 || mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) _exit(kCannotMount);
    const auto driver = sandbox::MakeProcessDriver();
    for (int i = 0; i < 2; ++i) {
      if (!driver->Create(Spec())) _exit(1);
    }
    if (!ComesTo([] { return FindFamily().begun.size() == 1; })) _exit(2);
    const pid_t begun = FindFamily().begun.front();
    if (mount("test", "/opt", "tmpfs", 0, nullptr) != 0) _exit(kCannotMount);
    const auto box = driver->Create(Spec());
    if (!box) _exit(3);
    _exit(FindFamily().inits.front() == begun ? 4 : Output(**box, "stat -f -c %T /opt") == "tmpfs\n" ? 0 : 5);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == kCannotMount) GTEST_SKIP() << "nothing can be mounted here";
  EXPECT_EQ(status, 0) << WEXITSTATUS(status);
}

// A driver with three walls, and one that is begun, in a process of its own, which is killed; and its zygote with it if `and_zygote`.
void KillDriver(bool and_zygote) {
  constexpr size_t kProcesses = 5;
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    const auto driver = sandbox::MakeProcessDriver();
    std::vector<Sandbox> boxes;
    for (int i = 0; i < 3; ++i) {
      auto box = driver->Create(Spec());
      if (!box) _exit(1);
      boxes.push_back(std::move(*box));
    }
    if (!ComesTo([] { return FindFamily().begun.size() == 1; })) _exit(1);
    const Family family = FindFamily();
    std::vector<pid_t> pids = family.zygotes;
    pids.insert(pids.end(), family.inits.begin(), family.inits.end());
    pids.insert(pids.end(), family.begun.begin(), family.begun.end());
    if (pids.size() != kProcesses || write(ends[1], pids.data(), sizeof(pid_t) * kProcesses) != sizeof(pid_t) * kProcesses) _exit(1);
    while (true) pause();
  }
  close(ends[1]);
  pid_t pids[kProcesses] = {};
  EXPECT_EQ(read(ends[0], pids, sizeof pids), static_cast<ssize_t>(sizeof pids));
  close(ends[0]);
  std::vector<Descriptor> processes;
  for (const pid_t process : pids) processes.push_back(OpenProcess(process));
  if (and_zygote && pids[0] > 1) kill(pids[0], SIGKILL);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  for (const Descriptor& process : processes) {
    ASSERT_TRUE(process.is_open());
    EXPECT_TRUE(WaitForEnd(process));
  }
}

TEST_F(ZygoteTest, AKilledDriverTakesAllItsWallsAlong) { KillDriver(false); }

TEST_F(ZygoteTest, ADriverKilledWithItsZygoteTakesAllItsWallsAlong) { KillDriver(true); }

}  // namespace
}  // namespace paddock::process_wall
