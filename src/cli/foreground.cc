#include "cli/foreground.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>

#include "vfs/file_system.h"

namespace paddock::cli {
namespace {

// The exec that Ctrl-C cancels.
std::atomic<sandbox::Process*> running{nullptr};

void OnInterrupt(int) {
  if (sandbox::Process* process = running.load()) process->Cancel();
}

}  // namespace

void WriteAll(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
}

void WriteOutput(sandbox::Stream stream, std::string_view bytes) {
  WriteAll(stream == sandbox::Stream::kStdout ? 1 : 2, bytes);
}

Status CheckDirectory(sandbox::Sandbox& sandbox, const std::string& cwd) {
  if (cwd.empty()) return {};
  auto* const files = dynamic_cast<sandbox::HasFiles*>(&sandbox);
  if (files == nullptr) return {};   // the exec says it
  const auto stat = files->files().Stat(cwd);
  if (stat && stat->is_directory()) return {};
  return Error(Code::kNoEntry, "--cwd " + cwd + ": no such directory inside the sandbox");
}

Result<sandbox::ExecResult> RunForeground(sandbox::Sandbox& sandbox, sandbox::ExecSpec exec,
                                          sandbox::StdinSource input, sandbox::OutputHandler handler) {
  PADDOCK_TRY(CheckDirectory(sandbox, exec.cwd));
  PADDOCK_ASSIGN(auto process, sandbox.Start(std::move(exec), std::move(input), std::move(handler)));
  running.store(process.get());
  std::signal(SIGINT, OnInterrupt);
  std::signal(SIGTERM, OnInterrupt);
  sandbox::ExecResult result = process->Wait();
  running.store(nullptr);
  return result;
}

}  // namespace paddock::cli
