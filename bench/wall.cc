// wall_bench: what a process wall costs over a plain fork and exec; prints one JSON object a line.
//
//   wall_bench create ROUNDS    create + /bin/true + destroy, beside posix_spawn + wait of /bin/true, in turn
//   wall_bench claim ROUNDS     the same from a warm pool
//   wall_bench exec ROUNDS      /bin/true in one live sandbox, beside the same
//   wall_bench unlike ROUNDS    as create, but no two sandboxes in a row alike: none is begun ahead
//   wall_bench alive COUNT      sandboxes alive at once: time to make them, memory of each, one exec in every one
//   wall_bench floor ROUNDS     what the kernel alone takes: the same namespaces, nothing in them, /bin/true, its end; and with a root of its own
//
// Times are wall clock: median and best of the rounds, in microseconds. Needs paddock-guest beside this program.

#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "drivers/process/process_driver.h"
#include "policy/preset.h"
#include "sandbox/sandbox.h"
#include "sandbox/warm_pool.h"

namespace paddock {
namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void Fail(const std::string& why) {
  std::fprintf(stderr, "wall_bench: %s\n", why.c_str());
  std::exit(1);
}

double Microseconds(Clock::time_point since) { return std::chrono::duration<double, std::micro>(Clock::now() - since).count(); }

double Median(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

double Best(const std::vector<double>& times) { return *std::min_element(times.begin(), times.end()); }

double SpawnPlain() {
  const auto begin = Clock::now();
  char* const arguments[] = {const_cast<char*>("true"), nullptr};
  char* const environment[] = {nullptr};
  pid_t child = 0;
  if (posix_spawn(&child, "/bin/true", nullptr, nullptr, arguments, environment) != 0) Fail("posix_spawn");
  waitpid(child, nullptr, 0);
  return Microseconds(begin);
}

sandbox::SandboxSpec Spec() {
  policy::HostContext context;
  context.home = "/nonexistent";
  context.user = "bench";
  auto policy = policy::MakePreset("read-only", context);
  if (!policy) Fail(std::string(policy.error().Text()));
  sandbox::SandboxSpec spec;
  spec.policy = std::move(*policy);
  return spec;
}

void RunTrue(sandbox::Sandbox& box) {
  sandbox::ExecSpec exec;
  exec.command = {"/bin/true"};
  auto process = box.Start(std::move(exec), {}, nullptr);
  if (!process) Fail("start: " + std::string(process.error().Text()));
  const sandbox::ExecResult result = (*process)->Wait();
  if (result.exit_code != 0) Fail("/bin/true did not exit with 0");
}

std::unique_ptr<sandbox::Sandbox> Create(sandbox::Driver& driver, const sandbox::SandboxSpec& spec) {
  auto made = driver.Create(spec);
  if (!made) Fail("create: " + std::string(made.error().Text()));
  return std::move(*made);
}

// A whole life, and how long each part of it takes.
struct Parts {
  std::vector<double> create, exec, destroy;

  double Run(sandbox::Driver& driver, const sandbox::SandboxSpec& spec) {
    const auto begin = Clock::now();
    auto box = Create(driver, spec);
    const double created = Microseconds(begin);
    RunTrue(*box);
    const double ran = Microseconds(begin);
    box.reset();
    const double destroyed = Microseconds(begin);
    create.push_back(created);
    exec.push_back(ran - created);
    destroy.push_back(destroyed - ran);
    return destroyed;
  }
};

void Report(const char* name, const std::vector<double>& ours, const std::vector<double>& plain, const Parts* parts = nullptr) {
  std::printf("{\"case\":\"%s\",\"rounds\":%zu,\"median_us\":%.0f,\"best_us\":%.0f,\"plain_median_us\":%.0f,\"plain_best_us\":%.0f,"
              "\"median_ratio\":%.2f,\"best_ratio\":%.2f",
              name, ours.size(), Median(ours), Best(ours), Median(plain), Best(plain), Median(ours) / Median(plain), Best(ours) / Best(plain));
  if (parts != nullptr) {
    std::printf(",\"best_parts_us\":[%.0f,%.0f,%.0f],\"median_parts_us\":[%.0f,%.0f,%.0f]", Best(parts->create), Best(parts->exec), Best(parts->destroy),
                Median(parts->create), Median(parts->exec), Median(parts->destroy));
  }
  std::printf("}\n");
}

void BenchCreate(sandbox::Driver& driver, int rounds) {
  const sandbox::SandboxSpec spec = Spec();
  Parts parts;
  std::vector<double> ours, plain;
  for (int i = 0; i < rounds; ++i) {
    plain.push_back(SpawnPlain());
    ours.push_back(parts.Run(driver, spec));
  }
  Report("create", ours, plain, &parts);
}

void BenchUnlike(sandbox::Driver& driver, int rounds) {
  std::array<sandbox::SandboxSpec, 2> specs{Spec(), Spec()};
  specs[1].policy->limits.memory_bytes = uint64_t{300} << 20;
  Parts parts;
  std::vector<double> ours, plain;
  for (int i = 0; i < rounds; ++i) {
    plain.push_back(SpawnPlain());
    ours.push_back(parts.Run(driver, specs[static_cast<size_t>(i % 2)]));
  }
  Report("unlike", ours, plain, &parts);
}

bool WriteText(const char* path, const std::string& text) {
  const Descriptor file(open(path, O_WRONLY | O_CLOEXEC));
  return file.is_open() && write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

// A root of its own: a tmpfs, the host's tree in it, pivot_root, the old tree gone. As little as a wall could do.
bool EnterOwnRoot(const std::string& user, const std::string& group) {
  return WriteText("/proc/self/setgroups", "deny") && WriteText("/proc/self/uid_map", user) && WriteText("/proc/self/gid_map", group) &&
         mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 && mount("bench", "/tmp", "tmpfs", 0, "mode=755") == 0 &&
         mkdir("/tmp/root", 0755) == 0 && mount("/", "/tmp/root", nullptr, MS_BIND | MS_REC, nullptr) == 0 && chdir("/tmp/root") == 0 &&
         syscall(SYS_pivot_root, ".", ".") == 0 && umount2(".", MNT_DETACH) == 0;
}

struct Child {
  bool has_root;
  std::string user, group;   // maps of the ids
};

int ExecuteTrue(void* argument) {
  const Child& child = *static_cast<const Child*>(argument);
  char* const arguments[] = {const_cast<char*>("true"), nullptr};
  char* const environment[] = {nullptr};
  if (child.has_root && !EnterOwnRoot(child.user, child.group)) return 1;
  execve("/bin/true", arguments, environment);
  return 1;
}

double SpawnInNamespaces(bool has_root) {
  constexpr int kNamespaces = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;
  alignas(16) static std::array<char, 64 << 10> stack;
  Child made{has_root, "0 " + std::to_string(geteuid()) + " 1\n", "0 " + std::to_string(getegid()) + " 1\n"};
  const auto begin = Clock::now();
  const pid_t child = clone(ExecuteTrue, stack.data() + stack.size(), kNamespaces | CLONE_VM | CLONE_VFORK | SIGCHLD, &made);
  int status = 1;
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0) Fail("namespaces: this host does not allow them, or mounts in them");
  return Microseconds(begin);
}

void BenchFloor(int rounds) {
  std::vector<double> plain, namespaces, rooted;
  for (int i = 0; i < rounds; ++i) {
    plain.push_back(SpawnPlain());
    namespaces.push_back(SpawnInNamespaces(false));
    rooted.push_back(SpawnInNamespaces(true));
  }
  Report("floor: namespaces", namespaces, plain);
  Report("floor: and a root", rooted, plain);
}

void BenchClaim(int rounds) {
  const sandbox::SandboxSpec spec = Spec();
  sandbox::WarmPool pool(sandbox::MakeProcessDriver(), 2);
  Parts parts;
  std::vector<double> ours, plain;
  for (int i = 0; i < rounds; ++i) {
    if (const Status prepared = pool.Prepare(spec); !prepared) Fail("prepare: " + std::string(prepared.error().Text()));
    plain.push_back(SpawnPlain());
    ours.push_back(parts.Run(pool, spec));
  }
  Report("claim", ours, plain, &parts);
}

void BenchExec(sandbox::Driver& driver, int rounds) {
  auto box = Create(driver, Spec());
  std::vector<double> ours, plain;
  for (int i = 0; i < rounds; ++i) {
    plain.push_back(SpawnPlain());
    const auto begin = Clock::now();
    RunTrue(*box);
    ours.push_back(Microseconds(begin));
  }
  Report("exec", ours, plain);
}

int64_t AvailableKilobytes() {
  std::ifstream file("/proc/meminfo");
  for (std::string name, rest; file >> name;) {
    int64_t value = 0;
    if (name == "MemAvailable:" && file >> value) return value;
    std::getline(file, rest);
  }
  return 0;
}

void BenchAlive(sandbox::Driver& driver, int count) {
  const sandbox::SandboxSpec spec = Spec();
  std::vector<std::unique_ptr<sandbox::Sandbox>> boxes;
  const int64_t before = AvailableKilobytes();
  const auto begin = Clock::now();
  for (int i = 0; i < count; ++i) boxes.push_back(Create(driver, spec));
  const double made = Microseconds(begin);
  const int64_t after = AvailableKilobytes();
  const auto second = Clock::now();
  for (auto& box : boxes) RunTrue(*box);
  const double ran = Microseconds(second);
  std::printf("{\"case\":\"alive\",\"count\":%d,\"create_us\":%.0f,\"exec_us\":%.0f,\"kilobytes_each\":%lld}\n", count, made / count,
              ran / count, static_cast<long long>((before - after) / count));
}

}  // namespace
}  // namespace paddock

int main(int argc, char** argv) {
  const std::string what = argc == 3 ? argv[1] : "";
  const int count = argc == 3 ? std::atoi(argv[2]) : 0;
  if (count <= 0 || (what != "create" && what != "unlike" && what != "floor" && what != "claim" && what != "exec" && what != "alive")) {
    std::fprintf(stderr, "usage: wall_bench create|unlike|claim|exec|alive|floor COUNT\n");
    return 2;
  }
  const auto driver = paddock::sandbox::MakeProcessDriver();
  if (what == "create") paddock::BenchCreate(*driver, count);
  else if (what == "unlike") paddock::BenchUnlike(*driver, count);
  else if (what == "floor") paddock::BenchFloor(count);
  else if (what == "claim") paddock::BenchClaim(count);
  else if (what == "exec") paddock::BenchExec(*driver, count);
  else paddock::BenchAlive(*driver, count);
  return 0;
}
