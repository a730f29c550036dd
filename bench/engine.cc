// engine_bench: what one process full of virtual sandboxes costs; prints one JSON object a line.
//
//   engine_bench echo COUNT     fresh sandboxes one after the other, each running `echo hi`
//   engine_bench idle COUNT     sandboxes that stay alive, after one exec with kept state
//   engine_bench fork COUNT     forks of a sandbox with 10,000 files
//   engine_bench save COUNT     execs that change a variable and a file, each captured and journaled; sandboxes made again
//                               from a journal
//   engine_bench parse BYTES    the parser alone over a script of that size
//
// Times are CPU time of the process. Memory is the growth of the resident set, the share of the driver's
// base tree not counted: it is there once however many sandboxes follow.

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "base/budget.h"
#include "base/memory_meter.h"
#include "commands/table.h"
#include "drivers/virtual/virtual_driver.h"
#include "sandbox/persistent.h"
#include "shell/parser/parser.h"
#include "store/journal/journal.h"
#include "vfs/file_system.h"
#include "vfs/memory_volume.h"

namespace paddock {
namespace {

using sandbox::ExecResult;
using sandbox::ExecSpec;
using sandbox::Sandbox;

double CpuSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

int64_t ResidentBytes() {
  std::ifstream statm("/proc/self/statm");
  int64_t size = 0;
  int64_t resident = 0;
  statm >> size >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

[[noreturn]] void Fail(const std::string& why) {
  std::fprintf(stderr, "engine_bench: %s\n", why.c_str());
  std::exit(1);
}

std::unique_ptr<Sandbox> Make(sandbox::Driver& driver) {
  auto made = driver.Create({});
  if (!made) Fail("create: " + std::string(made.error().Text()));
  return std::move(*made);
}

void RunEcho(Sandbox& box, bool keeps_state) {
  ExecSpec spec;
  spec.script = "echo hi";
  spec.keeps_state = keeps_state;
  auto process = box.Start(std::move(spec), {}, nullptr);
  if (!process) Fail("start: " + std::string(process.error().Text()));
  const ExecResult result = (*process)->Wait();
  if (result.stdout_text != "hi\n" || result.exit_code != 0) Fail("echo gave '" + result.stdout_text + "'");
}

void BenchEcho(sandbox::Driver& driver, int count) {
  RunEcho(*Make(driver), false);
  const double begin = CpuSeconds();
  for (int i = 0; i < count; ++i) RunEcho(*Make(driver), false);
  std::printf("{\"case\":\"echo\",\"count\":%d,\"cpu_us_each\":%.2f}\n", count, (CpuSeconds() - begin) * 1e6 / count);
}

void BenchIdle(sandbox::Driver& driver, int count) {
  RunEcho(*Make(driver), true);
  std::vector<std::unique_ptr<Sandbox>> boxes;
  boxes.reserve(static_cast<size_t>(count));
  const int64_t before = ResidentBytes();
  for (int i = 0; i < count; ++i) boxes.push_back(Make(driver));
  const int64_t created = ResidentBytes();
  for (auto& box : boxes) RunEcho(*box, true);
  const int64_t used = ResidentBytes();
  for (auto& box : boxes) {
    auto& persistent = dynamic_cast<sandbox::Persistent&>(*box);
    if (!persistent.CaptureStep()) Fail("capture");
    persistent.MarkSaved();
  }
  const int64_t saved = ResidentBytes();
  std::printf("{\"case\":\"idle\",\"count\":%d,\"fresh_bytes_each\":%lld,\"used_bytes_each\":%lld,\"saved_bytes_each\":%lld,"
              "\"resident_bytes\":%lld}\n",
              count, static_cast<long long>((created - before) / count), static_cast<long long>((used - before) / count),
              static_cast<long long>((saved - before) / count), static_cast<long long>(saved));
}

double WallSeconds() { return std::chrono::duration<double>(SystemClock().MonotonicNow()).count(); }

void Must(const Status& status) {
  if (!status) Fail(std::string(status.error().Text()));
}

void BenchFork(sandbox::Driver& driver, int count) {
  const auto box = Make(driver);
  vfs::FileSystem& files = dynamic_cast<sandbox::HasFiles&>(*box).files();
  for (int i = 0; i < 10'000; ++i) {
    const std::string folder = "/home/agent/d" + std::to_string(i / 100);
    if (i % 100 == 0) Must(files.MakeDirectory(folder, 0755));
    Must(vfs::WriteFile(files, folder + "/f" + std::to_string(i), std::string(1000, 'x'), 0644));
  }
  RunEcho(*box, true);
  std::vector<std::unique_ptr<Sandbox>> forks;
  const double begin = WallSeconds();
  double longest = 0;
  for (int i = 0; i < count; ++i) {
    const double start = WallSeconds();
    forks.push_back(std::move(*dynamic_cast<sandbox::Forkable&>(*box).Fork()));
    longest = std::max(longest, WallSeconds() - start);
  }
  const double forked = WallSeconds();
  auto& persistent = dynamic_cast<sandbox::Persistent&>(*box);
  for (int i = 0; i < count; ++i) {
    if (!persistent.CaptureFiles()) Fail("capture");
  }
  std::printf("{\"case\":\"fork\",\"count\":%d,\"files\":10000,\"us_each\":%.2f,\"us_longest\":%.2f,"
              "\"capture_us_each\":%.2f}\n",
              count, (forked - begin) * 1e6 / count, longest * 1e6, (WallSeconds() - forked) * 1e6 / count);
}

void BenchSave(sandbox::Driver& driver, int count) {
  std::string folder = "/tmp/engine_bench-XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) Fail("mkdtemp");
  const std::string path = folder + "/journal";
  auto journal = store::Journal::Create(path, {.base = "default"}, {});
  if (!journal) Fail(std::string(journal.error().Text()));
  double exec_seconds = 0;
  double save_seconds = 0;
  {
    const auto box = Make(driver);
    auto& persistent = dynamic_cast<sandbox::Persistent&>(*box);
    for (int i = 0; i < count; ++i) {
      ExecSpec spec{.script = "n=$((n + 1)); echo $n > file", .keeps_state = true};
      const double start = CpuSeconds();
      (*box->Start(std::move(spec), {}, nullptr))->Wait();
      const double ran = CpuSeconds();
      const auto step = persistent.CaptureStep();
      if (!step) Fail(std::string(step.error().Text()));
      Must((*journal)->Append(step->files, step->state));
      persistent.MarkSaved();
      save_seconds += CpuSeconds() - ran;
      exec_seconds += ran - start;
    }
  }
  const double start = CpuSeconds();
  sandbox::SavedSandbox saved;
  auto again = store::Journal::Open(path, {}, [&](const store::Journal::Record& record) {
    saved.steps.push_back({std::string(record.files), std::string(record.state)});
    return Status();
  });
  const auto restored = dynamic_cast<sandbox::Restores&>(driver).Restore({}, saved);
  if (!again || !restored) Fail("restore");
  std::printf("{\"case\":\"save\",\"count\":%d,\"exec_cpu_us_each\":%.2f,\"save_cpu_us_each\":%.2f,\"bytes_each\":%.1f,"
              "\"restore_cpu_ms\":%.2f}\n",
              count, exec_seconds * 1e6 / count, save_seconds * 1e6 / count,
              static_cast<double>((*again)->bytes()) / count, (CpuSeconds() - start) * 1e3);
  ::unlink(path.c_str());
  ::rmdir(folder.c_str());
}

// Functions, loops, pipelines, quoting and here-documents as agents write them.
std::string MakeScript(size_t bytes) {
  std::string script = "#!/bin/bash\n";
  for (int i = 0; script.size() < bytes; ++i) {
    const std::string n = std::to_string(i);
    script += "process_" + n + "() {\n  local file=\"$1\" total=0 line\n"
              "  while IFS= read -r line; do\n    [[ $line == \\#* || -z $line ]] && continue\n"
              "    case \"${line%%=*}\" in\n      name|title) names+=(\"${line#*=}\") ;;\n"
              "      *) ((total += ${#line})) ;;\n    esac\n  done < <(grep -v '^$' \"$file\" | sort -u)\n"
              "  if [ \"$total\" -gt " + n + " ]; then\n    printf '%s: %d\\n' \"$file\" $((total * 2)) >> \"${OUT:-/tmp/out}.log\"\n"
              "  else\n    cat <<EOF | sed -e \"s/@N@/" + n + "/\" >&2\nnothing in $file (@N@)\nEOF\n  fi\n}\n";
  }
  return script;
}

void BenchParse(size_t bytes) {
  const std::string script = MakeScript(bytes);
  Budget budget(Limits{}, SystemClock());
  const double begin = CpuSeconds();
  const shell::ParsedProgram program = shell::ParseProgram(script, {}, budget);
  const double parsed = CpuSeconds();
  if (program.error) Fail("parse: " + program.error->message);
  std::printf("{\"case\":\"parse\",\"bytes\":%zu,\"cpu_ms\":%.2f}\n", script.size(), (parsed - begin) * 1e3);
}

}  // namespace
}  // namespace paddock

int main(int argc, char** argv) {
  paddock::TuneAllocator();
  const std::string what = argc == 3 ? argv[1] : "";
  const int count = argc == 3 ? std::atoi(argv[2]) : 0;
  if (count <= 0 || (what != "echo" && what != "idle" && what != "fork" && what != "save" && what != "parse")) {
    std::fprintf(stderr, "usage: engine_bench echo|idle|fork|save|parse COUNT\n");
    return 2;
  }
  if (what == "parse") {
    paddock::BenchParse(static_cast<size_t>(count));
    return 0;
  }
  const auto driver = paddock::sandbox::MakeVirtualDriver(paddock::AllCommands());
  if (what == "echo") paddock::BenchEcho(*driver, count);
  else if (what == "fork") paddock::BenchFork(*driver, count);
  else if (what == "save") paddock::BenchSave(*driver, count);
  else paddock::BenchIdle(*driver, count);
}
