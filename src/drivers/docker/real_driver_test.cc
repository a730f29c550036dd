// The container driver on real engines (real_engine_for_test.h).
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <thread>

#include "drivers/docker/agent_volume.h"
#include "drivers/docker/engine/volumes.h"
#include "drivers/docker/real_driver_for_test.h"

namespace paddock::docker {
namespace {

using sandbox::Termination;

TEST_F(RealEngineDriver, RunsCommandsAsAnOrdinaryUserWithoutRights) {
  const auto driver = Driver();
  const auto box = Make(*driver);
  ASSERT_NE(box, nullptr);
  EXPECT_EQ(Out(*box, "echo $((6 * 7)); pwd; id -u; id -g"), "42\n/workspace\n1000\n1000\n");
  EXPECT_EQ(Out(*box, "grep -E '^(CapEff|CapPrm|CapBnd|NoNewPrivs|Seccomp):' /proc/self/status | tr -d '\\t' | tr '\\n' ' '"),
            "CapPrm:0000000000000000 CapEff:0000000000000000 CapBnd:0000000000000000 NoNewPrivs:1 Seccomp:2 ");
  const sandbox::ExecResult failed = Run(*box, "echo to err >&2; exit 7");
  EXPECT_EQ(failed.exit_code, 7);
  EXPECT_EQ(failed.stderr_text, "to err\n");
}

TEST_F(RealEngineDriver, TheRootIsReadOnlyAndTheWorkspaceIsNot) {
  const auto driver = Driver();
  const auto box = Make(*driver);
  ASSERT_NE(box, nullptr);
  for (const char* path : {"/etc/x", "/usr/x", "/x", "/.paddock/paddock-guest", "/root/x"}) EXPECT_NE(Run(*box, std::string("echo x > ") + path).exit_code, 0) << path;
  EXPECT_EQ(Out(*box, "echo a > file; cat /workspace/file; echo b > /tmp/b; cat /tmp/b"), "a\nb\n");
}

TEST_F(RealEngineDriver, ATimeLimitEndsTheWholeTree) {
  const auto driver = Driver();
  const auto box = Make(*driver);
  ASSERT_NE(box, nullptr);
  Limits limits;
  limits.time = std::chrono::milliseconds(300);
  const sandbox::ExecResult result = Run(*box, "sleep 1000 & sleep 1000", limits);
  EXPECT_EQ(result.termination.reason, Termination::Reason::kTimeout);
  EXPECT_FALSE(result.exit_code);
  EXPECT_EQ(Out(*box, "ps | grep -c '[s]leep 1000' || true"), "0\n");
}

TEST_F(RealEngineDriver, MemoryThatIsNotThereIsToldAsThat) {
  const auto driver = Driver();
  const auto box = Make(*driver);
  ASSERT_NE(box, nullptr);
  const sandbox::ExecResult result = Run(*box, "exec dd if=/dev/zero of=/dev/null bs=200M count=1");
  EXPECT_EQ(result.termination.reason, Termination::Reason::kOom) << result.stderr_text;
  EXPECT_EQ(result.termination.limit, "memory");
  EXPECT_EQ(Out(*box, "echo alive"), "alive\n");
}

TEST_F(RealEngineDriver, AForkBombIsHeldAndCleanedUp) {
  const auto driver = Driver();
  const auto box = Make(*driver);
  ASSERT_NE(box, nullptr);
  Limits limits;
  limits.time = std::chrono::seconds(3);
  limits.output_bytes = 1 << 20;
  Run(*box, "b() { b | b & }; b; sleep 2", limits);
  EXPECT_EQ(Out(*box, "echo alive"), "alive\n");
}

TEST_F(RealEngineDriver, APolicyCanOnlyLowerTheLimits) {
  settings_.memory_bytes = 32 << 20;
  const auto driver = Driver();
  sandbox::SandboxSpec spec;
  spec.policy.emplace();
  spec.policy->network.mode = policy::NetworkMode::kNone;
  spec.policy->limits.memory_bytes = 1ull << 40;
  spec.policy->limits.processes = 17;
  const auto box = Make(*driver, spec);
  ASSERT_NE(box, nullptr);
  EXPECT_EQ(Out(*box, "cat /sys/fs/cgroup/pids/pids.max /sys/fs/cgroup/pids.max 2>/dev/null; cat /sys/fs/cgroup/memory/memory.limit_in_bytes /sys/fs/cgroup/memory.max 2>/dev/null; true"),
            "17\n" + std::to_string(32 << 20) + "\n");
}

TEST_F(RealEngineDriver, WritingBeyondTheDiskLimitIsEndedAndToldAsThat) {
  for (const Profile profile : {Profile::kStrict, Profile::kDev}) {
    settings_.profile = profile;
    settings_.disk_bytes = 1ull << 30;
    const auto driver = Driver();
    sandbox::SandboxSpec spec;
    spec.policy.emplace();
    spec.policy->limits.disk_bytes = 32 << 20;
    const auto box = Make(*driver, spec);
    ASSERT_NE(box, nullptr);
    EXPECT_EQ(Out(*box, "dd if=/dev/zero of=a bs=1M count=20 2>/dev/null; echo fits"), "fits\n");
    EXPECT_NE(Run(*box, "dd if=/dev/zero of=big bs=1M count=40 2>/dev/null").exit_code, 0) << "one file is bounded by the kernel";
    Run(*box, "rm -f big");
    const sandbox::ExecResult result = Run(*box, "i=0; while [ $i -lt 200 ]; do dd if=/dev/zero of=f$i bs=1M count=2 2>/dev/null; i=$((i + 1)); done");
    EXPECT_EQ(result.termination.reason, Termination::Reason::kDisk);
    EXPECT_EQ(result.termination.limit, "disk");
    EXPECT_GT(result.termination.peak, 32u << 20);
    EXPECT_EQ(Out(*box, "rm -f a f*; echo cleaned"), "cleaned\n");
    EXPECT_EQ(Out(*box, "echo alive"), "alive\n");
  }
}

TEST_F(RealEngineDriver, RefusesWhatAContainerCannotKeep) {
  const auto driver = Driver();
  sandbox::SandboxSpec spec;
  spec.policy.emplace();
  spec.policy->files.workspace = "/home/me/project";
  EXPECT_EQ(driver->Create(spec).error().code, Code::kNotSupported);
  for (const auto set : {+[](policy::Policy& p) { p.limits.files = 100; }, +[](policy::Policy& p) { p.kernel.nested = true; }}) {
    spec.policy.emplace();
    set(*spec.policy);
    EXPECT_EQ(driver->Create(spec).error().code, Code::kNotSupported);
  }
  sandbox::SandboxSpec mounted;
  mounted.mounts = {{.host = "/etc", .guest = "/host"}};
  EXPECT_EQ(driver->Create(mounted).error().code, Code::kInvalid);
}

TEST_F(RealEngineDriver, AnAbsentImageAndRuntimeAreNamed) {
  settings_.image = "localhost/absent:9";
  EXPECT_FALSE(Driver()->Create({}));
  settings_.image = "localhost/base:1";
  settings_.runtime = "gvisor";
  const auto refused = Driver()->Create({});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kUnavailable);
  EXPECT_NE(refused.error().message.find("gvisor"), std::string::npos) << refused.error().message;
  settings_.runtime.clear();
  settings_.allowed_images = {"ubuntu"};
  EXPECT_EQ(Driver()->Create({}).error().code, Code::kAccess);
}

TEST_F(RealEngineDriver, NothingOfTheHostIsReached) {
  settings_.has_network = true;
  // A listener of this test's on every address of the host, which answers with a token.
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{.sin_family = AF_INET, .sin_port = 0, .sin_addr = {.s_addr = htonl(INADDR_ANY)}, .sin_zero = {}};
  ASSERT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(listen(listener, 16), 0);
  socklen_t size = sizeof address;
  ASSERT_EQ(getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size), 0);
  std::atomic<bool> is_over = false;
  std::thread server([&] {
    while (!is_over) {
      const int connection = accept(listener, nullptr, nullptr);
      if (connection < 0) continue;
      (void)!write(connection, "secret-token\n", 13);
      close(connection);
    }
  });
  const auto driver = Driver();
  const auto box = Make(*driver);
  ASSERT_NE(box, nullptr);
  std::string hosts = "172.17.0.1 169.254.169.254";
  ifaddrs* interfaces = nullptr;
  ASSERT_EQ(getifaddrs(&interfaces), 0);
  for (const ifaddrs* one = interfaces; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET) continue;
    std::array<char, INET_ADDRSTRLEN> text{};
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(one->ifa_addr)->sin_addr, text.data(), text.size());
    if (std::string_view(text.data()).starts_with("127.")) continue;
    hosts += " " + std::string(text.data());
  }
  freeifaddrs(interfaces);
  const std::string port = std::to_string(ntohs(address.sin_port));
  EXPECT_EQ(Out(*box, "for h in " + hosts + "; do /bin/busybox timeout 2 /bin/busybox nc $h " + port + " < /dev/null 2>/dev/null; done; echo end"), "end\n");
  is_over = true;
  const int wake = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(connect(wake, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  server.join();
  close(wake);
  close(listener);
}

TEST_F(RealEngineDriver, FilesAreReadAndWrittenThroughTheAgent) {
  const auto driver = Driver();
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

TEST_F(RealEngineDriver, IsMeasured) {
  const auto driver = Driver();
  const auto box = Make(*driver);
  ASSERT_NE(box, nullptr);
  Run(*box, "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done");
  const auto* facet = dynamic_cast<sandbox::Metered*>(box.get());
  ASSERT_NE(facet, nullptr);
  const sandbox::Measured measured = facet->Measure();
  EXPECT_GT(measured.cpu.value_or(std::chrono::nanoseconds(0)).count(), 0);
  EXPECT_GT(measured.memory_bytes.value_or(0), 0u);
}

TEST_F(RealEngineDriver, ClosingLeavesNothing) {
  settings_.has_network = true;
  const auto driver = Driver();
  const auto box = Make(*driver);
  ASSERT_NE(box, nullptr);
  EXPECT_TRUE(box->Close().empty());
  EXPECT_TRUE(box->Close().empty()) << "closed twice";
  sandbox::ExecSpec spec;
  spec.script = "true";
  EXPECT_FALSE(box->Start(std::move(spec), {}, nullptr));
  const auto engine = Connected();
  EXPECT_TRUE(ListContainers(*engine, {std::string(kDeploymentLabel) + "=" + settings_.deployment})->empty());
  EXPECT_TRUE(ListNetworks(*engine, {std::string(kDeploymentLabel) + "=" + settings_.deployment})->empty());
  EXPECT_TRUE(ListVolumes(*engine, {std::string(kDeploymentLabel) + "=" + settings_.deployment})->empty());
}

TEST_F(RealEngineDriver, ASweepTakesWhatIsLeftAndNothingElse) {
  settings_.has_network = true;
  const auto engine = Connected();
  const auto network = CreateNetwork(*engine, "theirs-" + NewId("n"), "", {{"org.example", settings_.deployment}});
  ASSERT_TRUE(network);
  const auto driver = Driver();
  const auto box = Make(*driver);
  ASSERT_NE(box, nullptr);
  const auto kept = SweepDeployment(*engine, settings_.deployment, [&](const std::string& id) { return id == box->id(); });
  ASSERT_TRUE(kept);
  EXPECT_TRUE(kept->empty());
  const auto others = SweepDeployment(*engine, "another", [](const std::string&) { return false; });
  ASSERT_TRUE(others) << others.error().message;
  EXPECT_TRUE(others->empty());
  EXPECT_EQ(Out(*box, "echo alive"), "alive\n");
  const auto removed = SweepDeployment(*engine, settings_.deployment, [](const std::string&) { return false; });
  ASSERT_TRUE(removed) << removed.error().message;
  EXPECT_EQ(removed->size(), 2u);   // container and network; its volume goes with it
  const auto networks = ListNetworks(*engine, {"org.example=" + settings_.deployment});
  ASSERT_TRUE(networks) << networks.error().message;
  EXPECT_EQ(networks->size(), 1u);
  EXPECT_TRUE(RemoveNetwork(*engine, *network));
}

TEST_F(RealEngineDriver, AKeptSandboxOutlivesItsMaker) {
  std::string key;
  const auto remember = [&](const std::string& made) -> Status {
    key = made;
    return {};
  };
  sandbox::SandboxSpec spec;
  {
    const auto driver = Driver();
    auto* const keeps = dynamic_cast<sandbox::KeepsSandboxes*>(driver.get());
    ASSERT_NE(keeps, nullptr);
    const auto box = keeps->Make(spec, {.sandbox = "sbx_1", .session = "ses_1"}, remember);
    ASSERT_TRUE(box) << box.error().message;
    EXPECT_EQ(Out(**box, "echo kept > /workspace/file; sleep 1000 > /dev/null 2>&1 & echo begun"), "begun\n");
  }
  ASSERT_FALSE(key.empty());
  const auto engine = Connected();
  const auto left = ListContainers(*engine, {std::string(kSandboxLabel) + "=" + key});
  ASSERT_EQ(left->size(), 1u);
  EXPECT_EQ(left->front().state, ContainerState::kExited) << "it stands still when nobody has it";
  EXPECT_EQ(left->front().name.find("ses_1"), std::string::npos);
  for (const auto& [name, value] : left->front().labels) EXPECT_EQ(value.find("ses_1"), std::string::npos) << name;

  const auto driver = Driver();
  auto* const keeps = dynamic_cast<sandbox::KeepsSandboxes*>(driver.get());
  for (int i = 0; i < 2; ++i) {   // the second finds it running, with an agent that somebody else talks to
    const auto again = keeps->Reopen(spec, key);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(Out(**again, "cat file; ps | grep -c '[s]leep 1000'; grep Seccomp: /proc/self/status | tr -d '\\t'"), "kept\n0\nSeccomp:2\n");
    const auto other = keeps->Reopen(spec, key);
    ASSERT_TRUE(other) << other.error().message;
    EXPECT_EQ(Out(**other, "cat file"), "kept\n");
  }
  const auto swept = keeps->Sweep([&](const std::string& one) { return one == key; });
  ASSERT_TRUE(swept) << swept.error().message;
  EXPECT_TRUE(swept->empty());
  EXPECT_TRUE(keeps->Remove(spec, key));
  EXPECT_TRUE(keeps->Remove(spec, key)) << "removed twice";
  EXPECT_EQ(keeps->Reopen(spec, key).error().code, Code::kNoEntry);
}

TEST_F(RealEngineDriver, AFrozenSandboxGoesOnWhereItWas) {
  const auto driver = Driver();
  const auto box = Make(*driver);
  ASSERT_NE(box, nullptr);
  auto* const freezable = dynamic_cast<sandbox::Freezable*>(box.get());
  ASSERT_NE(freezable, nullptr);
  EXPECT_EQ(Out(*box, "echo 1 > /tmp/state; cat /proc/1/stat | cut -d ' ' -f 22 > /tmp/began"), "");
  EXPECT_TRUE(freezable->Freeze());
  EXPECT_TRUE(freezable->Freeze());
  EXPECT_TRUE(freezable->Thaw());
  EXPECT_TRUE(freezable->Thaw());
  EXPECT_EQ(Out(*box, "cat /tmp/state; test $(cut -d ' ' -f 22 /proc/1/stat) = $(cat /tmp/began) && echo same"), "1\nsame\n");
  EXPECT_TRUE(freezable->Freeze());
}   // what is frozen can be ended

TEST_F(RealEngineDriver, NothingRemembersWhatWasNotMade) {
  const auto driver = Driver();
  auto* const keeps = dynamic_cast<sandbox::KeepsSandboxes*>(driver.get());
  const auto refused = keeps->Make({}, {.sandbox = "sbx_1", .session = {}}, [](const std::string&) { return Status(Error(Code::kNoSpace, "full")); });
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kNoSpace);
  sandbox::SandboxSpec spec;
  spec.container.image = "localhost/absent:9";
  std::string key;
  EXPECT_FALSE(keeps->Make(spec, {.sandbox = "sbx_1", .session = {}}, [&](const std::string& made) -> Status {
    key = made;
    return {};
  }));
  EXPECT_FALSE(key.empty());
}   // TearDown() looks whether anything is left

TEST_F(RealEngineDriver, ASandboxGetsWhatTheOperatorAllows) {
  settings_.allowed_images = {"localhost/base"};
  const auto driver = Driver();
  sandbox::SandboxSpec spec;
  spec.container.image = "ubuntu:24.04";
  EXPECT_EQ(driver->Create(spec).error().code, Code::kAccess);
  spec.container = {.engine = "tcp://127.0.0.1:1", .image = {}, .runtime = {}};
  EXPECT_EQ(driver->Create(spec).error().code, Code::kAccess);
  spec.container = {.engine = settings_.engine.host, .image = "localhost/base:1", .runtime = "io.containerd.other.v1"};
  EXPECT_EQ(driver->Create(spec).error().code, Code::kAccess);
  spec.container.runtime.clear();
  EXPECT_TRUE(driver->Create(spec));
}

TEST_F(RealEngineDriver, TwentyAtOnce) {
  settings_.has_network = false;   // Docker's pools have room for about 31
  const auto driver = Driver();
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
}  // namespace paddock::docker
