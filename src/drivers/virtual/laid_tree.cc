// A tree from elsewhere gets what virtual sandboxes need.
#include <map>

#include "drivers/virtual/base_tree.h"
#include "shell/exec/program.h"
#include "vfs/namespace.h"
#include "vfs/view.h"

namespace paddock::sandbox {
namespace {

using vfs::Follow;

constexpr uint64_t kMostText = 4 << 20;   // of /etc/passwd and the like
// Where programs are looked for. The first two, which paths in scripts name, get all of them; in the others they stand in
// for what has their name, but for local scripts.
struct ProgramDirectory {
  const char* path;
  bool gets_all, is_local;
};
constexpr ProgramDirectory kProgramDirectories[] = {{"/usr/bin", true, false},  {"/bin", true, false},        {"/usr/sbin", false, false},
                                                    {"/sbin", false, false},    {"/usr/local/bin", false, true}, {"/usr/local/sbin", false, true}};
// Something is mounted there; a link would send it elsewhere.
constexpr const char* kMountPoints[] = {"/dev", "/proc"};

class Layer {
 public:
  Layer(std::shared_ptr<vfs::MemoryVolume> files, const std::vector<std::string>& programs, const SandboxSpec& spec)
      : files_(std::move(files)), names_(files_), root_(names_, SystemClock(), vfs::Credentials{0, 0}, 0), programs_(programs), spec_(spec) {}

  Status Run() {
    PADDOCK_ASSIGN(const vfs::Attributes top, root_.Stat("/"));
    when_ = top.modify_time;
    for (const char* path : kMountPoints) PADDOCK_TRY(At(path, MakeMountPoint(path)));
    for (const BaseDirectory& directory : BaseDirectories()) PADDOCK_TRY(At(directory.path, MakeDirectory(directory.path, directory.mode)));
    for (const BaseLink& link : BaseLinks()) PADDOCK_TRY(At(link.path, MakeLink(link)));
    for (const ProgramDirectory& directory : kProgramDirectories) PADDOCK_TRY(At(directory.path, AddPrograms(directory)));
    PADDOCK_TRY(At("/etc/passwd", AddLine("/etc/passwd", spec_.user + ":", PasswdLine(spec_), "root:x:0:0:root:/root:/bin/bash\n")));
    PADDOCK_TRY(At("/etc/group", AddLine("/etc/group", spec_.user + ":", GroupLine(spec_), "root:x:0:\n")));
    PADDOCK_TRY(At("/etc/hostname", AddLine("/etc/hostname", "", "", spec_.hostname + "\n")));
    PADDOCK_TRY(At("/etc/hosts", AddLine("/etc/hosts", "", "", "127.0.0.1\tlocalhost\n127.0.1.1\t" + spec_.hostname + "\n")));
    PADDOCK_TRY(At(HomeOf(spec_).c_str(), MakeHome()));
    for (const auto& [inode, one] : touched_) PADDOCK_TRY(At(one.path.c_str(), root_.SetTimes(one.path, one.time, one.time)));
    return {};
  }

 private:
  static Status At(const char* path, Status status) {
    if (status || status.error().code == Code::kNoSpace) return status;
    return Error(Code::kInvalid, std::string("no virtual sandbox can begin with these files: ") + path + ": " + std::string(status.error().Text()));
  }

  // What is below changes; its time is not to tell when that was.
  Status Touch(const std::string& directory) {
    PADDOCK_ASSIGN(const vfs::Attributes attributes, root_.Stat(directory));
    touched_.try_emplace(attributes.inode, Touched{directory, attributes.modify_time});
    return {};
  }
  Status Stamp(const std::string& path) { return root_.SetTimes(path, when_, when_, Follow::kNo); }

  Status MakeMountPoint(const std::string& path) {
    const auto found = root_.Stat(path, Follow::kNo);
    if (!found || found->is_directory()) return {};
    PADDOCK_TRY(Touch("/"));
    return root_.RemoveFile(path);
  }

  Status MakeDirectory(const std::string& path, uint32_t mode) {
    if (const auto found = root_.Stat(path)) return found->is_directory() ? Status() : Status(Code::kNotDirectory);
    const auto itself = root_.Stat(path, Follow::kNo);
    PADDOCK_TRY(Touch(vfs::DirectoryName(path)));
    if (itself) PADDOCK_TRY(root_.RemoveFile(path));   // a link to nowhere
    PADDOCK_TRY(root_.MakeDirectory(path, mode));
    return Stamp(path);
  }

  Status MakeLink(const BaseLink& link) {
    if (root_.Stat(link.path, Follow::kNo)) return {};
    PADDOCK_TRY(Touch(vfs::DirectoryName(link.path)));
    PADDOCK_TRY(root_.MakeSymlink(link.target, link.path));
    return Stamp(link.path);
  }

  Status AddPrograms(const ProgramDirectory& directory) {
    PADDOCK_TRY(Touch(directory.path));
    for (const std::string& program : programs_) {
      const std::string path = std::string(directory.path) + "/" + program, marker = shell::ShellHost::ProgramFile(program);
      const auto found = root_.Stat(path, Follow::kNo);
      if (!found && !directory.gets_all) continue;
      if (found && found->is_directory()) continue;
      if (found) {
        const auto content = found->is_file() ? Head(path) : Result<std::string>(Code::kInvalid);
        if (content && *content == marker) continue;   // it was a virtual sandbox's
        if (content && directory.is_local && content->starts_with("#!")) continue;
        PADDOCK_TRY(root_.RemoveFile(path));
      }
      PADDOCK_TRY(vfs::WriteFile(root_, path, marker, 0755));
      PADDOCK_TRY(Stamp(path));
    }
    return {};
  }
  Result<std::string> Head(const std::string& path) {
    PADDOCK_ASSIGN(const vfs::OpenFilePtr file, root_.Open(path, vfs::OpenFlags::Read()));
    PADDOCK_ASSIGN(const Block block, file->ReadBlock(256));
    return std::string(block.bytes);
  }

  // A line that begins with `key` is there afterwards; without the file, `first` stands in front of it.
  Status AddLine(const std::string& path, const std::string& key, const std::string& line, const std::string& first) {
    const auto found = root_.Stat(path);
    std::string text = first;
    if (found) {
      if (!found->is_file()) return Code::kInvalid;
      if (line.empty()) return {};
      PADDOCK_ASSIGN(text, vfs::ReadFile(root_, path, kMostText));
      if (text.starts_with(key) || text.find("\n" + key) != std::string::npos) return {};
      if (!text.empty() && !text.ends_with('\n')) text += '\n';
    } else {
      PADDOCK_TRY(Touch(vfs::DirectoryName(path)));
      if (root_.Stat(path, Follow::kNo)) PADDOCK_TRY(root_.RemoveFile(path));
    }
    PADDOCK_TRY(vfs::WriteFile(root_, path, text + line, 0644));
    return root_.SetTimes(path, when_, when_);
  }

  Status MakeHome() {
    const std::string home = HomeOf(spec_);
    PADDOCK_TRY(MakeDirectory(home, 0755));
    return root_.SetOwner(home, spec_.uid, spec_.gid);
  }

  std::shared_ptr<vfs::MemoryVolume> files_;
  vfs::Namespace names_;
  vfs::View root_;
  const std::vector<std::string>& programs_;
  const SandboxSpec& spec_;
  Nanoseconds when_{0};
  struct Touched {
    std::string path;
    Nanoseconds time;
  };
  std::map<uint64_t, Touched> touched_;   // by inode: links give a directory several paths
};

}  // namespace

Status LayBaseTree(std::shared_ptr<vfs::MemoryVolume> files, const std::vector<std::string>& programs, const SandboxSpec& spec) {
  return Layer(std::move(files), programs, spec).Run();
}

}  // namespace paddock::sandbox
