#include "commands/text/awk_host.h"

#include <algorithm>
#include <utility>

#include "proc/kernel.h"
#include "proc/process.h"
#include "vfs/pipe.h"

namespace paddock {
namespace {

awk::CommandStatus WaitFor(Invocation& in, int pid) {
  const auto ended = in.kernel.Wait(in.process, pid, Nanoseconds::max(), proc::Kernel::OnSignal::kWaitOn);
  if (!ended) return {127, 0};
  return {ended->status, ended->signal};
}

// An open file as a source or a sink that it keeps open.
class FileSource final : public ByteSource {
 public:
  explicit FileSource(vfs::OpenFilePtr file) : file_(std::move(file)) {}
  Result<Block> ReadBlock(size_t max) override { return file_->ReadBlock(max); }
  void GiveBack(size_t count) override { file_->GiveBack(count); }

 private:
  vfs::OpenFilePtr file_;
};

class FileSink final : public ByteSink {
 public:
  explicit FileSink(vfs::OpenFilePtr file) : file_(std::move(file)) {}
  Status Write(std::string_view bytes) override {
    return file_ == nullptr ? Status(Code::kBrokenPipe) : file_->Write(bytes);
  }
  void Close() { file_.reset(); }

 private:
  vfs::OpenFilePtr file_;
};

class PipeSource final : public awk::CommandOutput {
 public:
  PipeSource(Invocation& in, vfs::OpenFilePtr pipe, int pid) : in_(in), pipe_(std::move(pipe)), pid_(pid) {}
  Result<Block> ReadBlock(size_t max) override { return pipe_->ReadBlock(max); }
  void GiveBack(size_t) override {}
  awk::CommandStatus Wait() override {
    pipe_.reset();
    return WaitFor(in_, pid_);
  }

 private:
  Invocation& in_;
  vfs::OpenFilePtr pipe_;
  int pid_;
};

class PipeSink final : public awk::CommandInput {
 public:
  PipeSink(Invocation& in, vfs::OpenFilePtr pipe, int pid) : in_(in), pipe_(std::move(pipe)), pid_(pid) {}
  Status Write(std::string_view bytes) override { return pipe_->Write(bytes); }
  awk::CommandStatus Wait() override {
    pipe_.reset();
    return WaitFor(in_, pid_);
  }

 private:
  Invocation& in_;
  vfs::OpenFilePtr pipe_;
  int pid_;
};

class Coprocess final : public awk::Coprocess {
 public:
  Coprocess(Invocation& in, vfs::OpenFilePtr output, vfs::OpenFilePtr input, int pid)
      : in_(in), output_(std::move(output)), input_(std::move(input)), pid_(pid) {}
  ByteSource& output() override { return output_; }
  ByteSink& input() override { return input_; }
  void CloseInput() override { input_.Close(); }
  awk::CommandStatus Wait() override {
    input_.Close();
    return WaitFor(in_, pid_);
  }

 private:
  Invocation& in_;
  FileSource output_;
  FileSink input_;
  int pid_;
};

class SandboxHost final : public awk::Host {
 public:
  explicit SandboxHost(Invocation& in)
      : in_(in), input_(in.process, 0), output_(in.process, 1), error_(in.process, 2), environment_(in.env) {}

  ByteSource& standard_input() override { return input_; }
  ByteSink& standard_output() override { return output_; }
  bool is_output_terminal() const override {
    const vfs::OpenFilePtr& file = in_.process.descriptors().Get(1);
    return file && file->is_terminal();
  }
  ByteSink& standard_error() override { return error_; }

  Result<std::unique_ptr<ByteSource>> OpenForReading(std::string_view path) override {
    PADDOCK_ASSIGN(vfs::OpenFilePtr file, in_.fs.Open(path, vfs::OpenFlags::Read()));
    const auto attributes = file->GetAttributes();
    if (attributes && attributes->type == vfs::FileType::kDirectory) return Code::kIsDirectory;
    return std::unique_ptr<ByteSource>(std::make_unique<FileSource>(std::move(file)));
  }
  Result<std::unique_ptr<ByteSink>> OpenForWriting(std::string_view path, bool append) override {
    const vfs::OpenFlags flags = append ? vfs::OpenFlags::Append() : vfs::OpenFlags::Write();
    PADDOCK_ASSIGN(vfs::OpenFilePtr file, in_.fs.Open(path, flags));
    return std::unique_ptr<ByteSink>(std::make_unique<FileSink>(std::move(file)));
  }

  Result<awk::FileStatus> Stat(std::string_view path, bool follows_link) override {
    PADDOCK_ASSIGN(const vfs::Attributes found, in_.fs.Stat(path, follows_link ? vfs::Follow::kYes : vfs::Follow::kNo));
    awk::FileStatus status;
    status.type = TypeLetter(found.type);
    status.permissions = found.mode;
    status.links = found.links;
    status.size = found.size;
    status.inode = found.inode;
    status.device = found.device;
    status.device_number = found.special;
    status.blocks = found.blocks;
    status.uid = found.uid;
    status.gid = found.gid;
    status.access_time = found.access_time;
    status.modify_time = found.modify_time;
    status.change_time = found.change_time;
    return status;
  }
  Result<std::string> ReadLink(std::string_view path) override { return in_.fs.ReadLink(path); }
  Result<std::vector<awk::FileEntry>> ListDirectory(std::string_view path) override {
    PADDOCK_ASSIGN(auto found, in_.fs.List(path));
    std::vector<awk::FileEntry> entries;
    for (vfs::DirectoryEntry& entry : found) entries.push_back({std::move(entry.name), TypeLetter(entry.type), entry.inode});
    return entries;
  }
  Result<awk::FileSpace> Space(std::string_view path) override {
    PADDOCK_ASSIGN(const vfs::SpaceInfo space, in_.fs.Space(path));
    constexpr uint64_t kBlock = 4096;
    return awk::FileSpace{kBlock, space.total_bytes / kBlock, (space.total_bytes - std::min(space.used_bytes, space.total_bytes)) / kBlock,
                          space.total_inodes, space.total_inodes - std::min(space.used_inodes, space.total_inodes)};
  }
  Status ChangeDirectory(std::string_view path) override { return in_.process.files().ChangeDirectory(path); }
  Status Rename(std::string_view from, std::string_view to) override { return in_.fs.Rename(from, to); }
  Status MakeLink(std::string_view existing, std::string_view path) override { return in_.fs.MakeLink(existing, path); }
  Status Remove(std::string_view path) override { return in_.fs.RemoveFile(path); }
  Status DivertOutput(std::string_view path, const awk::FileStatus& like) override {
    vfs::OpenFlags flags = vfs::OpenFlags::Write();
    flags.exclusive = true;
    PADDOCK_ASSIGN(vfs::OpenFilePtr file, in_.fs.Open(path, flags, 0600));
    (void)in_.fs.SetOwner(path, like.uid, like.gid);   // only the superuser can
    (void)in_.fs.SetMode(path, like.permissions);
    diverted_ = in_.process.descriptors().Get(1);
    in_.process.descriptors().Set(1, std::move(file));
    return {};
  }
  void RestoreOutput() override { in_.process.descriptors().Set(1, std::exchange(diverted_, nullptr)); }
  Status Sleep(Nanoseconds time) override {
    const Nanoseconds now = in_.clock.MonotonicNow();
    return in_.kernel.Sleep(in_.process, time > Nanoseconds::max() - now ? Nanoseconds::max() : now + time);
  }

  Result<std::unique_ptr<awk::CommandOutput>> StartReading(std::string_view command) override {
    vfs::PipeEnds pipe = vfs::MakePipe(in_.kernel.scheduler());
    PADDOCK_ASSIGN(const int pid, Start(command, nullptr, std::move(pipe.write)));
    return std::unique_ptr<awk::CommandOutput>(std::make_unique<PipeSource>(in_, std::move(pipe.read), pid));
  }
  Result<std::unique_ptr<awk::CommandInput>> StartWriting(std::string_view command) override {
    vfs::PipeEnds pipe = vfs::MakePipe(in_.kernel.scheduler());
    PADDOCK_ASSIGN(const int pid, Start(command, std::move(pipe.read), nullptr));
    return std::unique_ptr<awk::CommandInput>(std::make_unique<PipeSink>(in_, std::move(pipe.write), pid));
  }
  Result<std::unique_ptr<awk::Coprocess>> StartCoprocess(std::string_view command) override {
    vfs::PipeEnds to = vfs::MakePipe(in_.kernel.scheduler());
    vfs::PipeEnds from = vfs::MakePipe(in_.kernel.scheduler());
    PADDOCK_ASSIGN(const int pid, Start(command, std::move(to.read), std::move(from.write)));
    return std::unique_ptr<awk::Coprocess>(
        std::make_unique<Coprocess>(in_, std::move(from.read), std::move(to.write), pid));
  }
  Result<awk::CommandStatus> RunSystem(std::string_view command) override {
    PADDOCK_ASSIGN(const int pid, Start(command, nullptr, nullptr));
    return WaitFor(in_, pid);
  }

  Variables Environment() override {
    Variables variables;
    for (const auto& variable : in_.env.variables()) variables.emplace_back(variable.name, variable.value);
    return variables;
  }
  void SetEnvironment(const Variables& variables) override {
    environment_ = {};
    for (const auto& [name, value] : variables) environment_.Set(name, value);
  }
  awk::ProcessIds Ids() override {
    const vfs::Credentials& who = in_.fs.credentials();
    awk::ProcessIds ids;
    ids.pid = in_.process.pid();
    ids.ppid = in_.process.parent_pid();
    ids.pgrp = in_.process.group();
    ids.uid = ids.euid = who.uid;
    ids.gid = ids.egid = who.gid;
    return ids;
  }
  const Clock& clock() override { return in_.clock; }
  Budget& budget() override { return in_.budget; }

 private:
  static char TypeLetter(vfs::FileType type) {
    switch (type) {
      case vfs::FileType::kDirectory: return 'd';
      case vfs::FileType::kSymlink: return 'l';
      case vfs::FileType::kFifo: return 'p';
      case vfs::FileType::kCharDevice: return 'c';
      case vfs::FileType::kBlockDevice: return 'b';
      case vfs::FileType::kSocket: return 's';
      default: return 'f';
    }
  }

  Result<int> Start(std::string_view command, vfs::OpenFilePtr in, vfs::OpenFilePtr out) {
    ChildSpec spec;
    spec.args = {"/bin/sh", "-c", std::string(command)};
    spec.environment = &environment_;
    spec.in = std::move(in);
    spec.out = std::move(out);
    return in_.launcher.Spawn(in_.process, spec);
  }

  Invocation& in_;
  proc::DescriptorSource input_;
  proc::DescriptorSink output_, error_;
  paddock::Environment environment_;
  vfs::OpenFilePtr diverted_;   // standard output while it goes to a file that is edited
};

}  // namespace

std::unique_ptr<awk::Host> MakeAwkHost(Invocation& in) { return std::make_unique<SandboxHost>(in); }

}  // namespace paddock
