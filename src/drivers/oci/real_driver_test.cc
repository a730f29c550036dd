// Containers without an engine on a real runtime: PADDOCK_TEST_OCI names it (crun, runc, runsc), PADDOCK_TEST_OCI_FOLDER a directory of the
// test's own with a root file system in root/ (the suite `oci` makes both); without them these tests are skipped.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <thread>

#include "base/id.h"
#include "drivers/oci/cgroups.h"
#include "drivers/oci/deployment.h"
#include "drivers/oci/oci_driver.h"
#include "drivers/oci/oci_sandbox.h"
#include "egress/egress_for_test.h"
#include "sandbox/keeps_root.h"
#include "vfs/file_system.h"

namespace paddock::oci {
namespace {

using sandbox::Termination;

std::string AgentBesideTests() {
  std::array<char, 4096> self{};
  const ssize_t length = readlink("/proc/self/exe", self.data(), self.size());
  const std::string path(self.data(), static_cast<size_t>(std::max<ssize_t>(length, 0)));
  return path.substr(0, path.rfind('/')) + "/paddock-guest";
}

class RealRuntime : public testing::Test {
 protected:
  void SetUp() override {
    const char* runtime = std::getenv("PADDOCK_TEST_OCI");         // allow(getenv): the suite says what there is
    const char* folder = std::getenv("PADDOCK_TEST_OCI_FOLDER");   // allow(getenv): likewise
    if (runtime == nullptr || folder == nullptr) GTEST_SKIP() << "no container runtime; PADDOCK_TEST_OCI names one to test against";
    settings_.runtime = runtime;
    settings_.root = std::string(folder) + "/root";
    settings_.state_directory = std::string(folder) + "/state";
    settings_.memory_bytes = 64 << 20;
    settings_.private_bytes = 32 << 20;
    settings_.pids = 64;
    settings_.deployment = NewId("t");
    settings_.agent_program = AgentBesideTests();
    if (const std::string& why = WhyNot(settings_); !why.empty()) {
      settings_.runtime.clear();
      GTEST_SKIP() << why;
    }
  }
  // gVisor works on few machines; why it does not on this one.
  static const std::string& WhyNot(const OciSettings& settings) {
    static const std::string reason = [&]() -> std::string {
      if (!settings.runtime.ends_with("runsc")) return "";
      const auto made = MakeOciDriver(settings)->Create({});
      static_cast<void>(SweepDeployment(settings, [](const std::string&) { return false; }));
      std::filesystem::remove_all(DeploymentDirectory(settings));
      return !made && made.error().message.starts_with("gVisor works on this machine with none") ? made.error().message : "";
    }();
    return reason;
  }
  bool IsGvisor() const { return settings_.runtime.ends_with("runsc"); }
  void TearDown() override {
    if (settings_.runtime.empty()) return;
    const auto left = SweepDeployment(settings_, [](const std::string&) { return false; });
    ASSERT_TRUE(left) << left.error().message;
    EXPECT_TRUE(left->empty()) << left->front();
    std::filesystem::remove_all(DeploymentDirectory(settings_));
  }
  std::unique_ptr<sandbox::Sandbox> Make(sandbox::Driver& driver, const sandbox::SandboxSpec& spec = {}) {
    auto sandbox = driver.Create(spec);
    EXPECT_TRUE(sandbox) << sandbox.error().message;
    return sandbox ? std::move(*sandbox) : nullptr;
  }
  static sandbox::ExecResult Run(sandbox::Sandbox& sandbox, const std::string& script, Limits limits = {}) {
    sandbox::ExecSpec spec;
    spec.script = script;
    spec.limits = limits;
    auto process = sandbox.Start(std::move(spec), {}, nullptr);
    if (!process) {
      ADD_FAILURE() << process.error().message;
      return {};
    }
    return (*process)->Wait();
  }
  static std::string Out(sandbox::Sandbox& sandbox, const std::string& script) {
    const sandbox::ExecResult result = Run(sandbox, script);
    return result.stdout_text + (result.exit_code == 0 ? "" : "exit " + std::to_string(result.exit_code.value_or(-1)) + ": " + result.stderr_text);
  }

  OciSettings settings_;
};

TEST_F(RealRuntime, RunsCommandsAsAnOrdinaryUserWithoutRights) {
  const auto driver = MakeOciDriver(settings_);
  const auto box = Make(*driver);
  ASSERT_NE(box, nullptr);
  EXPECT_EQ(Out(*box, "echo $((6 * 7)); pwd; id -u; id -g"), "42\n/workspace\n1000\n1000\n");
  EXPECT_EQ(Out(*box, "grep -E '^(CapEff|CapPrm|CapBnd|NoNewPrivs|Seccomp):' /proc/self/status | tr -d '\\t' | tr '\\n' ' '"),
            "CapPrm:0000000000000000 CapEff:0000000000000000 CapBnd:0000000000000000 NoNewPrivs:1 Seccomp:2 ");
  const sandbox::ExecResult failed = Run(*box, "echo to err >&2; exit 7");
  EXPECT_EQ(failed.exit_code, 7);
  EXPECT_EQ(failed.stderr_text, "to err\n");
}

TEST_F(RealRuntime, TheRootIsReadOnlyAndTheWorkspaceIsNot) {
  const auto driver = MakeOciDriver(settings_);
  const auto box = Make(*driver);
  ASSERT_NE(box, nullptr);
  for (const char* path : {"/etc/x", "/usr/x", "/x", "/.paddock/x", "/.paddock/paddock-guest", "/root/x", "/sys/x", "/dev/x", "/sys/fs/cgroup/pids/pids.max", "/sys/fs/cgroup/pids.max"}) {
    EXPECT_NE(Run(*box, std::string("echo x > ") + path).exit_code, 0) << path;
  }
  EXPECT_EQ(Out(*box, "echo a > file; cat /workspace/file; for d in /tmp /var/tmp /dev/shm /run; do echo b > $d/b; cat $d/b; done"), "a\nb\nb\nb\nb\n");
  EXPECT_EQ(Out(*box, "cat /etc/hostname; grep -c localhost /etc/hosts; ls -A /root"), "paddock\n2\n");
}

TEST_F(RealRuntime, TheDevProfileIsRootOfARootThatCanBeChanged) {
  settings_.profile = Profile::kDev;
  const auto driver = MakeOciDriver(settings_);
  {
    const auto box = Make(*driver);
    ASSERT_NE(box, nullptr);
    EXPECT_EQ(Out(*box, "id -u; echo x > /etc/x; cat /etc/x; rm /bin/yes; ls /bin/yes 2>&1 | wc -l; stat -c %u /bin/busybox; mkdir /opt; echo $HOME"), "0\nx\n1\n0\n/root\n");
    EXPECT_EQ(Out(*box, "grep -E '^(CapEff|CapPrm|CapBnd|NoNewPrivs):' /proc/self/status | tr -d '\\t' | tr '\\n' ' '"),
              "CapPrm:0000000000000000 CapEff:0000000000000000 CapBnd:0000000000000000 NoNewPrivs:1 ");
  }
  const auto next = Make(*driver);
  ASSERT_NE(next, nullptr);
  EXPECT_EQ(Out(*next, "ls /bin/yes; ls /etc/x 2>/dev/null || echo fresh"), "/bin/yes\nfresh\n");
}

TEST_F(RealRuntime, ReachesNoCallThatIsClosed) {
  if (IsGvisor()) GTEST_SKIP() << "gVisor's own kernel answers";
  const auto driver = MakeOciDriver(settings_);
  const auto box = Make(*driver);
  ASSERT_NE(box, nullptr);
  std::istringstream lines(Out(*box, "/bin/refused_calls"));
  size_t refused = 0, working = 0;
  for (std::string name, answer; lines >> name && std::getline(lines >> std::ws, answer);) {
    if (name.starts_with("works-")) {
      EXPECT_EQ(answer, "done") << name;
      ++working;
    } else {
      EXPECT_TRUE(answer == "EPERM" || answer == "ENOSYS") << name << " " << answer;
      ++refused;
    }
  }
  EXPECT_EQ(refused, 40u);
  EXPECT_EQ(working, 7u);
}

TEST_F(RealRuntime, IsNobodyOnTheHost) {
  if (IsGvisor()) GTEST_SKIP() << "gVisor maps ids itself";
  const auto driver = MakeOciDriver(settings_);
  const auto box = Make(*driver), other = Make(*driver);
  ASSERT_TRUE(box != nullptr && other != nullptr);
  uint32_t inside = 0, outside = 0, count = 0;
  std::istringstream map(Out(*box, "cat /proc/self/uid_map"));
  for (int lines = 0; map >> inside >> outside >> count; ++lines) {
    EXPECT_GE(outside, 0x71000000u);
    EXPECT_EQ(count, 1u);
    EXPECT_EQ(inside, lines == 0 ? 0u : 1000u);
  }
  EXPECT_EQ(inside, 1000u);
  EXPECT_NE(Out(*box, "cat /proc/self/uid_map"), Out(*other, "cat /proc/self/uid_map"));
}

TEST_F(RealRuntime, TellsNothingOfTheHost) {
  const auto driver = MakeOciDriver(settings_);
  const auto box = Make(*driver);
  ASSERT_NE(box, nullptr);
  const std::string table = Out(*box, "cat /proc/self/mountinfo");
  EXPECT_NE(table.find(" /workspace "), std::string::npos) << table;
  for (const std::string& telling : {settings_.root, settings_.state_directory, settings_.deployment, settings_.agent_program, box->id(), std::string("/mnt")}) {
    EXPECT_EQ(table.find(telling), std::string::npos) << telling << "\n" << table;
  }
  EXPECT_EQ(Out(*box, "cat /proc/self/cgroup").find(box->id()), std::string::npos);
  if (!IsGvisor()) {
    EXPECT_EQ(Out(*box, "cat /proc/cmdline /proc/interrupts /proc/kallsyms /proc/modules /proc/kmsg /proc/keys /proc/partitions 2>/dev/null | wc -c"), "0\n");
  }
  EXPECT_EQ(Out(*box, "ls /proc/bus /proc/fs /proc/irq /proc/driver 2>/dev/null | grep -v '^$' | grep -v ':$' | wc -l"), "0\n");
  EXPECT_NE(Run(*box, "echo 1 > /proc/sys/kernel/panic").exit_code, 0);
  EXPECT_NE(Run(*box, "echo b > /proc/sysrq-trigger").exit_code, 0);
  EXPECT_EQ(Out(*box, "ls /dev | grep -vE '^(console|core|fd|full|mqueue|null|ptmx|pts|random|shm|stderr|stdin|stdout|tty|urandom|zero)$' | wc -l"), "0\n");
  EXPECT_EQ(Out(*box, "cut -d: -f1 /proc/net/dev | tail -n +3 | tr -d ' \\n'"), "lo");
  EXPECT_EQ(Out(*box, "/bin/busybox find / -xdev -type s 2>/dev/null; ls /proc | grep -E '^[0-9]+$' | head -1"), "1\n");
}

TEST_F(RealRuntime, ATimeLimitEndsTheWholeTree) {
  const auto driver = MakeOciDriver(settings_);
  const auto box = Make(*driver);
  ASSERT_NE(box, nullptr);
  Limits limits;
  limits.time = std::chrono::milliseconds(300);
  const sandbox::ExecResult result = Run(*box, "sleep 1000 & sleep 1000", limits);
  EXPECT_EQ(result.termination.reason, Termination::Reason::kTimeout);
  EXPECT_FALSE(result.exit_code);
  EXPECT_EQ(Out(*box, "ps | grep -c '[s]leep 1000' || true"), "0\n");
}

TEST_F(RealRuntime, APolicysTimeIsALimitOfEveryExec) {
  const auto driver = MakeOciDriver(settings_);
  sandbox::SandboxSpec spec;
  spec.policy.emplace();
  spec.policy->limits.time = std::chrono::milliseconds(300);
  spec.policy->limits.output_bytes = 1000;
  const auto box = Make(*driver, spec);
  ASSERT_NE(box, nullptr);
  EXPECT_EQ(Run(*box, "sleep 1000").termination.reason, Termination::Reason::kTimeout);
  EXPECT_EQ(Run(*box, "yes").termination.reason, Termination::Reason::kOutputCap);
}

TEST_F(RealRuntime, MemoryThatIsNotThereIsToldAsThat) {
  const auto driver = MakeOciDriver(settings_);
  const auto box = Make(*driver);
  ASSERT_NE(box, nullptr);
  const sandbox::ExecResult result = Run(*box, "exec dd if=/dev/zero of=/dev/null bs=200M count=1");
  EXPECT_EQ(result.termination.reason, Termination::Reason::kOom) << result.stderr_text;
  EXPECT_EQ(result.termination.limit, "memory");
  EXPECT_EQ(Out(*box, "echo alive"), "alive\n");
}

TEST_F(RealRuntime, PrivatePlacesHaveOneBound) {
  settings_.private_bytes = 4 << 20;
  const auto driver = MakeOciDriver(settings_);
  const auto box = Make(*driver);
  ASSERT_NE(box, nullptr);
  EXPECT_NE(Run(*box, "dd if=/dev/zero of=/tmp/a bs=1M count=3 && dd if=/dev/zero of=/dev/shm/b bs=1M count=3").exit_code, 0);
  EXPECT_EQ(Out(*box, "rm -f /tmp/a /dev/shm/b; echo x > c; cat c"), "x\n");
}

TEST_F(RealRuntime, AForkBombIsHeldAndCleanedUp) {
  const auto driver = MakeOciDriver(settings_);
  const auto box = Make(*driver);
  ASSERT_NE(box, nullptr);
  Limits limits;
  limits.time = std::chrono::seconds(3);
  limits.output_bytes = 1 << 20;
  Run(*box, "b() { b | b & }; b; sleep 2", limits);
  EXPECT_EQ(Out(*box, "echo alive"), "alive\n");
}

TEST_F(RealRuntime, ProcessorTimeIsShared) {
  settings_.nano_cpus = 200'000'000;
  const auto driver = MakeOciDriver(settings_);
  const auto box = Make(*driver);
  ASSERT_NE(box, nullptr);
  const auto* meter = dynamic_cast<sandbox::Metered*>(box.get());
  const auto started = std::chrono::steady_clock::now();
  const auto before = meter->Measure().cpu.value_or(std::chrono::nanoseconds(0));
  Limits limits;
  limits.time = std::chrono::seconds(2);
  Run(*box, "while :; do :; done & while :; do :; done", limits);
  const double used = std::chrono::duration<double>(meter->Measure().cpu.value_or(std::chrono::nanoseconds(0)) - before).count();
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  EXPECT_GT(used, 0);
  EXPECT_LE(used, 0.2 * wall * 1.2 + 0.15) << "in " << wall << " s";   // and a period that had begun
}

TEST_F(RealRuntime, APolicyCanOnlyLowerTheLimits) {
  settings_.memory_bytes = 32 << 20;
  const auto driver = MakeOciDriver(settings_);
  sandbox::SandboxSpec spec;
  spec.policy.emplace();
  spec.policy->limits.memory_bytes = 1ull << 40;
  spec.policy->limits.processes = 17;
  spec.policy->limits.open_files = 99;
  spec.policy->limits.file_bytes = 1 << 20;
  const auto box = Make(*driver, spec);
  ASSERT_NE(box, nullptr);
  EXPECT_EQ(Out(*box, "cat /sys/fs/cgroup/pids/pids.max /sys/fs/cgroup/pids.max 2>/dev/null; cat /sys/fs/cgroup/memory/memory.limit_in_bytes /sys/fs/cgroup/memory.max 2>/dev/null; ulimit -Hn; ulimit -c"),
            "17\n" + std::to_string(32 << 20) + "\n99\n0\n");
  EXPECT_NE(Run(*box, "dd if=/dev/zero of=big bs=1M count=2").exit_code, 0);
}

TEST_F(RealRuntime, RefusesWhatItCannotKeep) {
  const auto driver = MakeOciDriver(settings_);
  sandbox::SandboxSpec spec;
  spec.policy.emplace();
  spec.policy->files.paths = {{.path = "/etc", .access = policy::Access::kRead, .origin = "test"}};
  EXPECT_EQ(driver->Create(spec).error().code, Code::kNotSupported);
  sandbox::SandboxSpec mounted;
  mounted.mounts = {{.host = "/etc", .guest = "/host"}};
  EXPECT_EQ(driver->Create(mounted).error().code, Code::kInvalid);
  settings_.root.clear();
  const auto bare = MakeOciDriver(settings_)->Create({});
  ASSERT_FALSE(bare);
  EXPECT_NE(bare.error().message.find("set 'root'"), std::string::npos) << bare.error().message;
  settings_.root = "/absent/root";
  EXPECT_EQ(MakeOciDriver(settings_)->Create({}).error().code, Code::kNoEntry);
}

TEST_F(RealRuntime, FilesAreReadAndWrittenThroughTheAgent) {
  const auto driver = MakeOciDriver(settings_);
  const auto box = Make(*driver);
  ASSERT_NE(box, nullptr);
  auto* facet = dynamic_cast<sandbox::HasFiles*>(box.get());
  ASSERT_NE(facet, nullptr);
  EXPECT_TRUE(facet->files().MakeDirectory("/workspace/d"));
  EXPECT_EQ(Out(*box, "ls; echo hi > d/f"), "d\n");
  const auto stat = facet->files().Stat("/workspace/d/f");
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->size, 3u);
  EXPECT_EQ(facet->files().Stat("/workspace/absent").error().code, Code::kNoEntry);
  EXPECT_FALSE(facet->files().MakeDirectory("/etc/d"));
}

TEST_F(RealRuntime, FilesAreWatched) {
  const auto driver = MakeOciDriver(settings_);
  const auto box = Make(*driver);
  ASSERT_NE(box, nullptr);
  auto* facet = dynamic_cast<sandbox::WatchesFiles*>(box.get());
  ASSERT_NE(facet, nullptr);
  auto watch = facet->Watch("/workspace", true);
  ASSERT_TRUE(watch) << watch.error().message;
  EXPECT_EQ(Out(*box, "echo x > seen"), "");
  bool is_seen = false;
  for (int tries = 0; tries < 1000 && !is_seen; ++tries) {
    const auto events = (*watch)->Take();
    ASSERT_TRUE(events);
    for (const sandbox::FileEvent& one : *events) is_seen |= one.path == "/workspace/seen";
    if (!is_seen) Run(*box, "true");   // a round trip: what was seen has come
  }
  EXPECT_TRUE(is_seen);
}

TEST_F(RealRuntime, HasTerminals) {
  const auto driver = MakeOciDriver(settings_);
  const auto box = Make(*driver);
  ASSERT_NE(box, nullptr);
  sandbox::ExecSpec spec;
  spec.script = "test -t 0 && test -t 1 && /bin/busybox stty size";
  spec.terminal = sandbox::WindowSize{.columns = 111, .lines = 33};
  auto process = box->Start(std::move(spec), {}, nullptr);
  ASSERT_TRUE(process) << process.error().message;
  const sandbox::ExecResult result = (*process)->Wait();
  EXPECT_EQ(result.exit_code, 0) << result.stdout_text;
  EXPECT_EQ(result.stdout_text, "33 111\r\n");
}

TEST_F(RealRuntime, WhatIsFrozenStandsStillAndCanBeClosed) {
  const auto driver = MakeOciDriver(settings_);
  const auto box = Make(*driver);
  ASSERT_NE(box, nullptr);
  auto* facet = dynamic_cast<sandbox::Freezable*>(box.get());
  const auto* meter = dynamic_cast<sandbox::Metered*>(box.get());
  ASSERT_TRUE(facet != nullptr && meter != nullptr);
  Run(*box, "(while :; do :; done) > /dev/null 2>&1 &");
  ASSERT_TRUE(facet->Freeze());
  ASSERT_TRUE(facet->Freeze()) << "twice";
  const auto before = meter->Measure().cpu;
  std::this_thread::sleep_for(std::chrono::milliseconds(50));   // in which it would have used some
  EXPECT_LT((*meter->Measure().cpu - *before).count(), 10'000'000);
  ASSERT_TRUE(facet->Thaw());
  EXPECT_EQ(Out(*box, "echo alive"), "alive\n");
  ASSERT_TRUE(facet->Freeze());
  EXPECT_TRUE(box->Close().empty());
}

TEST_F(RealRuntime, TheNetworkIsWhatThePolicyAllowsThroughTheAgent) {
  egress::TestServer server(egress::TestServer::Http("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\ntoken\n"));
  const std::string port = std::to_string(server.port()), get = "/bin/busybox timeout 10 /bin/busybox wget -q -O - http://localhost:";
  const auto driver = MakeOciDriver(settings_);
  sandbox::SandboxSpec spec;
  spec.policy.emplace();
  const auto none = Make(*driver, spec);
  ASSERT_NE(none, nullptr);
  EXPECT_EQ(Run(*none, get + port + "/").stdout_text, "");
  EXPECT_EQ(Run(*none, "/bin/busybox timeout 2 /bin/busybox nc 127.0.0.1 " + port + " < /dev/null").stdout_text, "") << "another loopback";
  spec.policy->network.mode = policy::NetworkMode::kRules;
  spec.policy->network.rules = {egress::AllowRule("localhost", server.port())};
  spec.policy->network.publish = {{.host = 0, .guest = 8080}};
  const auto box = Make(*driver, spec);
  ASSERT_NE(box, nullptr);
  EXPECT_EQ(Run(*box, get + port + "/").stdout_text, "token\n");
  EXPECT_GT(dynamic_cast<sandbox::Metered&>(*box).Measure().network_in_bytes.value_or(0), 6u);
  const sandbox::ExecResult refused = Run(*box, get + "1/");
  EXPECT_NE(refused.exit_code, 0);
  EXPECT_FALSE(refused.denials.empty());
  const auto published = dynamic_cast<sandbox::PublishesPorts&>(*box).Published();
  ASSERT_EQ(published.size(), 1u);
  EXPECT_NE(published[0].host, 0);
  policy::NetworkRules closed;
  closed.mode = policy::NetworkMode::kRules;
  EXPECT_TRUE(dynamic_cast<sandbox::LivePolicy&>(*box).UpdateNetwork(closed));
  EXPECT_EQ(Run(*box, get + port + "/").stdout_text, "");
}

TEST_F(RealRuntime, DebuggersWorkWhereThePolicySaysSo) {
  if (IsGvisor()) GTEST_SKIP() << "gVisor's own kernel answers";
  const auto driver = MakeOciDriver(settings_);
  sandbox::SandboxSpec spec;
  spec.policy.emplace();
  spec.policy->kernel.ptrace = true;
  const auto box = Make(*driver, spec);
  ASSERT_NE(box, nullptr);
  const std::string lines = Out(*box, "/bin/refused_calls; true");
  EXPECT_NE(lines.find("ptrace-parent done"), std::string::npos) << lines;
  EXPECT_EQ(lines.find("ptrace-init done"), std::string::npos) << "the agent stays out of reach";
  EXPECT_NE(lines.find("mount EPERM"), std::string::npos) << lines;
  spec.policy->kernel = {.ptrace = false, .nested = true};
  EXPECT_EQ(driver->Create(spec).error().code, Code::kNotSupported);
}

TEST_F(RealRuntime, AWorkingDirectoryIsMade) {
  const auto driver = MakeOciDriver(settings_);
  sandbox::SandboxSpec spec;
  spec.working_directory = "/workspace/a/b";
  const auto box = Make(*driver, spec);
  ASSERT_NE(box, nullptr);
  EXPECT_EQ(Out(*box, "pwd; echo x > c"), "/workspace/a/b\n");
  spec.working_directory = "/usr/there";
  const auto refused = driver->Create(spec);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("/usr/there"), std::string::npos) << refused.error().message;
}

TEST_F(RealRuntime, ChangesOfARootAreKeptWhereTheyAreAskedToBe) {
  if (IsGvisor()) GTEST_SKIP() << "not tried with gVisor";
  const std::string own = std::string(DeploymentDirectory(settings_)) + "-kept";
  for (const char* below : {"/upper", "/work", "/space", "/home"}) std::filesystem::create_directories(own + below);
  for (const char* below : {"/space", "/home"}) std::filesystem::permissions(own + below, std::filesystem::perms::owner_all);
  const auto driver = MakeOciDriver(settings_);
  auto* keeps = dynamic_cast<sandbox::KeepsRoot*>(driver.get());
  ASSERT_NE(keeps, nullptr);
  sandbox::SandboxSpec spec;
  spec.policy.emplace();
  spec.policy->files.root = settings_.root;
  spec.policy->files.workspace = own + "/space";
  spec.policy->files.home = "/home/agent";
  spec.policy->files.home_store = own + "/home";
  for (int round = 0; round < 2; ++round) {
    const auto box = keeps->CreateOn(spec, own);
    ASSERT_TRUE(box) << box.error().message;
    if (round == 0) {
      EXPECT_EQ(Out(**box, "echo x > /etc/kept; rm /bin/yes; echo y > kept; echo z > ~/kept; pwd; echo $HOME"), "/workspace\n/home/agent\n");
    } else {
      EXPECT_EQ(Out(**box, "cat /etc/kept kept ~/kept; ls /bin/yes 2>/dev/null || echo gone; stat -c %u kept /etc/kept"), "x\ny\nz\ngone\n1000\n1000\n");
    }
  }
  struct stat facts{};
  ASSERT_EQ(stat((own + "/space/kept").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_uid, geteuid()) << "of whom the directory is";
  ASSERT_EQ(stat((own + "/upper/etc/kept").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_uid, geteuid());
  std::filesystem::remove_all(own);
}

TEST_F(RealRuntime, ARootThatLeadsMountsElsewhereIsRefused) {
  if (IsGvisor()) GTEST_SKIP() << "not tried with gVisor";
  const std::string own = std::string(DeploymentDirectory(settings_)) + "-planted";
  for (const char* below : {"/upper", "/work"}) std::filesystem::create_directories(own + below);
  std::filesystem::create_symlink("/etc", own + "/upper/workspace");
  const auto driver = MakeOciDriver(settings_);
  sandbox::SandboxSpec spec;
  spec.policy.emplace();
  spec.policy->files.root = settings_.root;
  const auto refused = dynamic_cast<sandbox::KeepsRoot&>(*driver).CreateOn(spec, own);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("workspace"), std::string::npos) << refused.error().message;
  std::filesystem::remove_all(own);
}

TEST_F(RealRuntime, ClosingLeavesNothing) {
  const auto driver = MakeOciDriver(settings_);
  const auto box = Make(*driver);
  ASSERT_NE(box, nullptr);
  const pid_t init = dynamic_cast<OciSandbox&>(*box).init();
  const std::string group = CgroupPath(settings_.deployment, box->id());
  EXPECT_EQ(kill(init, 0), 0);
  EXPECT_TRUE(box->Close().empty());
  EXPECT_TRUE(box->Close().empty()) << "closed twice";
  sandbox::ExecSpec spec;
  spec.script = "true";
  EXPECT_FALSE(box->Start(std::move(spec), {}, nullptr));
  EXPECT_TRUE(std::filesystem::is_empty(SandboxesDirectory(settings_)));
  EXPECT_TRUE(RemoveGroup(group)->empty());
  std::ifstream mounts("/proc/self/mountinfo");
  const std::string table(std::istreambuf_iterator<char>(mounts), {});
  EXPECT_EQ(table.find(settings_.state_directory), std::string::npos);
}

TEST_F(RealRuntime, WhatAKilledProcessLeftIsSwept) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {   // a daemon that is killed
    const auto driver = MakeOciDriver(settings_);
    const auto box = driver->Create({});
    if (box) {
      sandbox::ExecSpec spec;
      spec.script = "sleep 1000 & sleep 1000";
      const auto process = (*box)->Start(std::move(spec), {}, nullptr);
      const pid_t init = dynamic_cast<OciSandbox&>(**box).init();
      if (process) (void)!write(ready[1], &init, sizeof init);
      for (;;) pause();
    }
    _exit(1);
  }
  close(ready[1]);
  pid_t init = 0;
  ASSERT_EQ(read(ready[0], &init, sizeof init), static_cast<ssize_t>(sizeof init));
  close(ready[0]);
  const auto early = SweepDeployment(settings_, [](const std::string&) { return false; });
  ASSERT_TRUE(early) << early.error().message;
  EXPECT_TRUE(early->empty()) << "it is another process's: " << early->front();
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  OciSettings other = settings_;
  other.deployment = NewId("t");
  EXPECT_TRUE(SweepDeployment(other, [](const std::string&) { return false; })->empty()) << "another deployment's";
  const auto kept = SweepDeployment(settings_, [](const std::string&) { return true; });
  ASSERT_TRUE(kept);
  EXPECT_TRUE(kept->empty());
  const auto removed = SweepDeployment(settings_, [](const std::string&) { return false; });
  ASSERT_TRUE(removed) << removed.error().message;
  EXPECT_FALSE(removed->empty());
  EXPECT_TRUE(std::filesystem::is_empty(SandboxesDirectory(settings_)));
  EXPECT_TRUE(std::filesystem::is_empty(RuntimeDirectory(settings_)));
  std::ifstream status("/proc/" + std::to_string(init) + "/status");   // gone, or waiting for who adopted it
  const std::string text(std::istreambuf_iterator<char>(status), {});
  EXPECT_TRUE(text.empty() || text.find("State:\tZ") != std::string::npos) << text;
}

TEST_F(RealRuntime, KilledAtAnyMomentNothingIsLeftAfterASweep) {
  std::mt19937 lots(7);
  size_t swept = 0;
  for (int round = 0; round < 12; ++round) {
    int ready[2];
    ASSERT_EQ(pipe(ready), 0);
    const pid_t child = fork();
    if (child == 0) {   // a daemon that makes and ends sandboxes
      const auto driver = MakeOciDriver(settings_);
      for (bool is_first = true;; is_first = false) {
        const auto box = driver->Create({});
        if (is_first) (void)!write(ready[1], "x", 1);
        if (!box) _exit(1);
      }
    }
    close(ready[1]);
    char byte = 0;
    ASSERT_EQ(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    std::this_thread::sleep_for(std::chrono::microseconds(lots() % 150'000));   // the moment is what is drawn
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    // The runtime's own call dies with it, a moment later at most: what it did meanwhile the second one finds.
    for (int sweep = 0; sweep < 2; ++sweep) {
      const auto removed = SweepDeployment(settings_, [](const std::string&) { return false; });
      ASSERT_TRUE(removed) << removed.error().message;
      swept += removed->size();
    }
    EXPECT_TRUE(std::filesystem::is_empty(SandboxesDirectory(settings_)));
    EXPECT_TRUE(std::filesystem::is_empty(RuntimeDirectory(settings_)));
    EXPECT_TRUE(GroupsOf(settings_.deployment).empty());
  }
  EXPECT_GT(swept, 0u);
}

TEST_F(RealRuntime, TwentyAtOnce) {
  const auto driver = MakeOciDriver(settings_);
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 20; ++i) {
    threads.emplace_back([&, i] {
      const auto box = driver->Create({});
      if (!box) return (void)(ADD_FAILURE() << box.error().message);
      right += Out(**box, "echo " + std::to_string(i)) == std::to_string(i) + "\n" ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 20);
}

}  // namespace
}  // namespace paddock::oci
