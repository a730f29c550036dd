// wall_bench: what a process wall costs over a plain fork and exec; prints one JSON object a line.
//
//   wall_bench create ROUNDS    create + /bin/true + destroy, beside posix_spawn + wait of /bin/true, in turn
//   wall_bench claim ROUNDS     the same from a warm pool
//   wall_bench exec ROUNDS      /bin/true in one live sandbox, beside the same
//   wall_bench alive COUNT      sandboxes alive at once: time to make them, memory of each, one exec in every one
//
// Times are wall clock: median and best of the rounds, in microseconds. Needs paddock-guest beside this program.

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

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

void Report(const char* name, const std::vector<double>& ours, const std::vector<double>& plain) {
  std::printf("{\"case\":\"%s\",\"rounds\":%zu,\"median_us\":%.0f,\"best_us\":%.0f,\"plain_median_us\":%.0f,\"plain_best_us\":%.0f,"
              "\"median_ratio\":%.2f,\"best_ratio\":%.2f}\n",
              name, ours.size(), Median(ours), Best(ours), Median(plain), Best(plain), Median(ours) / Median(plain), Best(ours) / Best(plain));
}

void BenchCreate(sandbox::Driver& driver, int rounds) {
  const sandbox::SandboxSpec spec = Spec();
  std::vector<double> ours, plain;
  for (int i = 0; i < rounds; ++i) {
    plain.push_back(SpawnPlain());
    const auto begin = Clock::now();
    auto box = Create(driver, spec);
    RunTrue(*box);
    box.reset();
    ours.push_back(Microseconds(begin));
  }
  Report("create", ours, plain);
}

void BenchClaim(int rounds) {
  const sandbox::SandboxSpec spec = Spec();
  sandbox::WarmPool pool(sandbox::MakeProcessDriver(), 2);
  std::vector<double> ours, plain;
  for (int i = 0; i < rounds; ++i) {
    if (const Status prepared = pool.Prepare(spec); !prepared) Fail("prepare: " + std::string(prepared.error().Text()));
    plain.push_back(SpawnPlain());
    const auto begin = Clock::now();
    auto box = Create(pool, spec);
    RunTrue(*box);
    box.reset();
    ours.push_back(Microseconds(begin));
  }
  Report("claim", ours, plain);
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
  if (count <= 0 || (what != "create" && what != "claim" && what != "exec" && what != "alive")) {
    std::fprintf(stderr, "usage: wall_bench create|claim|exec|alive COUNT\n");
    return 2;
  }
  const auto driver = paddock::sandbox::MakeProcessDriver();
  if (what == "create") paddock::BenchCreate(*driver, count);
  else if (what == "claim") paddock::BenchClaim(count);
  else if (what == "exec") paddock::BenchExec(*driver, count);
  else paddock::BenchAlive(*driver, count);
  return 0;
}
