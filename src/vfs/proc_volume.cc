// /proc: what scripts look up about processes and the machine, made at each open.

#include <map>
#include <utility>

#include "vfs/fixed_volume.h"
#include "vfs/special_volumes.h"

namespace paddock::vfs {
namespace {

// Node ids: small numbers for the fixed part; above kProcessBase one range of 2^22 for each pid, in
// which the low numbers are the entries of kEntries and those from kDescriptorBase descriptors.
constexpr NodeId kRoot = 1;
constexpr NodeId kSelf = 2;
constexpr NodeId kFirstFixed = 3;
constexpr unsigned kProcessShift = 22;
constexpr NodeId kProcessBase = NodeId{1} << 40;
constexpr NodeId kDescriptorBase = NodeId{1} << 20;

struct ProcessEntry {
  std::string_view name;
  FileType type;
};
// Sorted by name; 0 stands for the process's directory itself.
constexpr ProcessEntry kEntries[] = {
    {"", FileType::kDirectory},   {"cmdline", FileType::kFile}, {"comm", FileType::kFile},
    {"cwd", FileType::kSymlink},  {"environ", FileType::kFile}, {"exe", FileType::kSymlink},
    {"fd", FileType::kDirectory}, {"mounts", FileType::kFile},  {"stat", FileType::kFile},
    {"status", FileType::kFile},
};
constexpr NodeId kFdEntry = 6;

class ProcVolume final : public FixedVolume {
 public:
  ProcVolume(ProcSource source, std::vector<GeneratedFile> files) : source_(std::move(source)) {
    fixed_.emplace_back();  // the root
    for (GeneratedFile& file : files) AddFixed(std::move(file));
  }

  NodeId root() const override { return kRoot; }

  Result<NodeId> Lookup(NodeId directory, std::string_view name) override {
    if (const Fixed* fixed = FindFixed(directory)) {
      if (fixed->content) return Code::kNotDirectory;
      if (const auto it = fixed->children.find(name); it != fixed->children.end())
        return it->second;
      if (directory != kRoot) return Code::kNoEntry;
      if (name == "self") return kSelf;
      const int pid = ParseSmallNumber(name);
      if (pid <= 0 || !IsAlive(pid)) return Code::kNoEntry;
      return NodeOf(pid, 0);
    }
    if (directory < kProcessBase) return Code::kNotDirectory;
    const int pid = PidOf(directory);
    const NodeId entry = EntryOf(directory);
    if (!IsAlive(pid)) return Code::kNoEntry;
    if (entry == kFdEntry) {
      const int number = ParseSmallNumber(name);
      if (number < 0 || pid != source_.self()) return Code::kNoEntry;
      return NodeOf(pid, kDescriptorBase + static_cast<NodeId>(number));
    }
    if (entry != 0) return Code::kNotDirectory;
    for (NodeId i = 1; i < std::size(kEntries); ++i) {
      if (kEntries[i].name == name && Exists(pid, i)) return NodeOf(pid, i);
    }
    return Code::kNoEntry;
  }

  Result<NodeId> Parent(NodeId directory) override {
    if (const Fixed* fixed = FindFixed(directory)) return fixed->parent;
    if (directory < kProcessBase) return Code::kNotDirectory;
    if (EntryOf(directory) == 0) return kRoot;
    return NodeOf(PidOf(directory), 0);
  }

  Result<Attributes> GetAttributes(NodeId node) override {
    Attributes result;
    result.inode = node;
    result.device = device_;
    if (source_.now) result.access_time = result.modify_time = result.change_time = source_.now();
    if (const Fixed* fixed = FindFixed(node)) {
      result.type = fixed->content ? FileType::kFile : FileType::kDirectory;
    } else if (node == kSelf) {
      result.type = FileType::kSymlink;
    } else if (node >= kProcessBase && IsAlive(PidOf(node))) {
      const NodeId entry = EntryOf(node);
      result.type = entry >= kDescriptorBase ? FileType::kSymlink : kEntries[entry].type;
      if (entry >= kDescriptorBase) result.special = kDescriptorNode | (entry - kDescriptorBase);
      if (entry == kFdEntry && PidOf(node) == source_.self()) result.special = kDescriptorDirectory;
    } else {
      return Code::kNoEntry;
    }
    result.mode = result.is_file() ? 0444 : result.is_directory() ? 0555 : 0777;
    if (result.is_directory()) result.links = 2;
    return result;
  }

  // Descriptors answer with nothing: View asks the descriptor itself.
  Result<std::string> ReadLink(NodeId node) override {
    if (node == kSelf) return std::to_string(source_.self());
    if (node < kProcessBase) return Code::kInvalid;
    const NodeId entry = EntryOf(node);
    if (entry >= kDescriptorBase) return std::string();
    if (kEntries[entry].type != FileType::kSymlink) return Code::kInvalid;
    return source_.file(PidOf(node), kEntries[entry].name);
  }

  Result<std::vector<DirectoryEntry>> List(NodeId directory) override {
    std::vector<DirectoryEntry> entries;
    if (const Fixed* fixed = FindFixed(directory)) {
      if (fixed->content) return Code::kNotDirectory;
      for (const auto& [name, node] : fixed->children) {
        entries.push_back(
            {name, FindFixed(node)->content ? FileType::kFile : FileType::kDirectory, node});
      }
      if (directory == kRoot) AddProcesses(entries);
      return entries;
    }
    if (directory < kProcessBase) return Code::kNotDirectory;
    const int pid = PidOf(directory);
    if (!IsAlive(pid)) return Code::kNoEntry;
    if (EntryOf(directory) == kFdEntry) return entries;  // only View knows which are open
    if (EntryOf(directory) != 0) return Code::kNotDirectory;
    for (NodeId i = 1; i < std::size(kEntries); ++i) {
      if (!Exists(pid, i)) continue;
      entries.push_back({std::string(kEntries[i].name), kEntries[i].type, NodeOf(pid, i)});
    }
    return entries;
  }

  Result<OpenFilePtr> Open(NodeId node, const OpenFlags& flags) override {
    PADDOCK_ASSIGN(const Attributes attributes, GetAttributes(node));
    if (attributes.is_directory()) return Code::kIsDirectory;
    if (attributes.is_symlink()) return Code::kLoop;
    if (flags.write || flags.truncate) return Code::kAccess;
    std::string text;
    if (const Fixed* fixed = FindFixed(node)) {
      text = fixed->content();
    } else {
      PADDOCK_ASSIGN(text, source_.file(PidOf(node), kEntries[EntryOf(node)].name));
    }
    return OpenFilePtr(std::make_shared<GeneratedText>(std::move(text), attributes));
  }

  SpaceInfo Space() const override { return {"proc", "proc", 0, 0, 0, 0}; }
  void set_device(uint64_t device) override { device_ = device; }
  uint64_t device() const override { return device_; }

 private:
  // A file that does not depend on a process, or a directory of such.
  struct Fixed {
    NodeId parent = kRoot;
    std::map<std::string, NodeId, std::less<>> children;
    std::function<std::string()> content;  // absent: a directory
  };

  static NodeId IdOfFixed(size_t index) { return index == 0 ? kRoot : kFirstFixed + index; }
  const Fixed* FindFixed(NodeId node) const {
    if (node == kRoot) return &fixed_[0];
    if (node <= kFirstFixed || node - kFirstFixed >= fixed_.size()) return nullptr;
    return &fixed_[node - kFirstFixed];
  }

  void AddFixed(GeneratedFile file) {
    size_t directory = 0;
    std::string_view rest = file.path;
    while (true) {
      const size_t slash = rest.find('/');
      const std::string name(rest.substr(0, slash));
      const auto it = fixed_[directory].children.find(name);
      size_t child = fixed_.size();
      if (it == fixed_[directory].children.end()) {
        fixed_[directory].children.emplace(name, IdOfFixed(child));
        fixed_.emplace_back();
        fixed_[child].parent = IdOfFixed(directory);
      } else {
        child = static_cast<size_t>(it->second - kFirstFixed);
      }
      if (slash == std::string_view::npos) {
        fixed_[child].content = std::move(file.content);
        return;
      }
      directory = child;
      rest.remove_prefix(slash + 1);
    }
  }

  static NodeId NodeOf(int pid, NodeId entry) {
    return kProcessBase + (static_cast<NodeId>(pid) << kProcessShift) + entry;
  }
  static int PidOf(NodeId node) { return static_cast<int>((node - kProcessBase) >> kProcessShift); }
  static NodeId EntryOf(NodeId node) { return node & ((NodeId{1} << kProcessShift) - 1); }

  bool IsAlive(int pid) const {
    const std::vector<int> pids = source_.pids();
    return std::binary_search(pids.begin(), pids.end(), pid);
  }
  // Reading asks the source; only symlinks may be absent.
  bool Exists(int pid, NodeId entry) const {
    if (kEntries[entry].type != FileType::kSymlink) return true;
    return source_.file(pid, kEntries[entry].name).has_value();
  }

  void AddProcesses(std::vector<DirectoryEntry>& entries) const {
    for (const int pid : source_.pids()) {
      entries.push_back({std::to_string(pid), FileType::kDirectory, NodeOf(pid, 0)});
    }
    entries.push_back({"self", FileType::kSymlink, kSelf});
    std::sort(entries.begin(), entries.end(),
              [](const DirectoryEntry& a, const DirectoryEntry& b) { return a.name < b.name; });
  }

  ProcSource source_;
  std::vector<Fixed> fixed_;  // the root first
  uint64_t device_ = 0;
};

}  // namespace

VolumePtr MakeProcVolume(ProcSource source, std::vector<GeneratedFile> files) {
  return std::make_shared<ProcVolume>(std::move(source), std::move(files));
}

}  // namespace paddock::vfs
