// /dev: the devices that scripts rely on.

#include <atomic>
#include <charconv>
#include <utility>

#include "vfs/fixed_volume.h"
#include "vfs/random_stream.h"
#include "vfs/special_volumes.h"

namespace paddock::vfs {
namespace {

constexpr uint64_t kDevDevice = 5;
constexpr size_t kBlockBytes = 64 << 10;
constexpr char kZeros[kBlockBytes] = {};

enum DeviceKind : uint64_t { kNone, kNull, kZero, kFull, kRandom, kTty };

struct Device {
  std::string_view name;
  FileType type;
  uint64_t special;
  DeviceKind kind;
};

// Sorted by name; the node id is the place in the list plus kFirstNode.
constexpr Device kDevices[] = {
    {"fd", FileType::kDirectory, kDescriptorDirectory, kNone},
    {"full", FileType::kCharDevice, 0x107, kFull},
    {"null", FileType::kCharDevice, 0x103, kNull},
    {"random", FileType::kCharDevice, 0x108, kRandom},
    {"stderr", FileType::kSymlink, kDescriptorNode | 2, kNone},
    {"stdin", FileType::kSymlink, kDescriptorNode | 0, kNone},
    {"stdout", FileType::kSymlink, kDescriptorNode | 1, kNone},
    {"tty", FileType::kCharDevice, 0x500, kTty},
    {"urandom", FileType::kCharDevice, 0x109, kRandom},
    {"zero", FileType::kCharDevice, 0x105, kZero},
};
constexpr NodeId kRoot = 1;
constexpr NodeId kFirstNode = 2;
constexpr NodeId kFd = kFirstNode;
constexpr NodeId kFirstDescriptor = 1000;

// An open device.
class OpenDevice final : public OpenFile {
 public:
  OpenDevice(DeviceKind kind, const Attributes& attributes, const OpenFlags& flags,
             RandomStream random)
      : kind_(kind), attributes_(attributes), flags_(flags), random_(random) {}

  Result<Block> ReadBlock(size_t max) override {
    if (!flags_.read) return Code::kBadDescriptor;
    const size_t size = std::min(max, kBlockBytes);
    if (kind_ == kNull) return Block{};
    if (kind_ != kRandom) return Block{nullptr, std::string_view(kZeros, size)};
    auto bytes = std::make_shared<std::string>(size, '\0');
    random_.Fill(bytes->data(), size);
    const std::string_view view = *bytes;
    return Block{std::move(bytes), view};
  }
  void GiveBack(size_t) override {}
  Status Write(std::string_view bytes) override {
    if (!flags_.write) return Code::kBadDescriptor;
    return kind_ == kFull && !bytes.empty() ? Status{Code::kNoSpace} : Status{};
  }
  Result<uint64_t> Seek(int64_t, Whence) override { return uint64_t{0}; }
  Result<Attributes> GetAttributes() const override { return attributes_; }
  bool is_readable() const override { return flags_.read; }
  bool is_writable() const override { return flags_.write; }
  std::string description() const override { return path_; }
  void set_path(std::string path) override { path_ = std::move(path); }

 private:
  const DeviceKind kind_;
  const Attributes attributes_;
  const OpenFlags flags_;
  RandomStream random_;
  std::string path_;
};

class DevVolume final : public FixedVolume {
 public:
  DevVolume(const RandomSeed& seed, Nanoseconds created) : seed_(seed), created_(created) {}

  NodeId root() const override { return kRoot; }

  Result<NodeId> Lookup(NodeId directory, std::string_view name) override {
    if (directory == kFd) {
      const int number = ParseSmallNumber(name);
      if (number < 0) return Code::kNoEntry;
      return kFirstDescriptor + static_cast<NodeId>(number);
    }
    if (directory != kRoot) return Code::kNotDirectory;
    for (NodeId i = 0; i < std::size(kDevices); ++i) {
      if (kDevices[i].name == name) return kFirstNode + i;
    }
    return Code::kNoEntry;
  }

  Result<NodeId> Parent(NodeId directory) override {
    if (directory != kRoot && directory != kFd) return Code::kNotDirectory;
    return kRoot;
  }

  Result<Attributes> GetAttributes(NodeId node) override {
    Attributes result;
    result.inode = node;
    result.device = kDevDevice;
    result.access_time = result.modify_time = result.change_time = created_;
    if (const Device* device = Find(node)) {
      result.type = device->type;
      result.special = device->special;
      result.mode = device->type == FileType::kCharDevice ? 0666 : 0777;
    } else if (node >= kFirstDescriptor) {
      result.type = FileType::kSymlink;
      result.special = kDescriptorNode | (node - kFirstDescriptor);
      result.mode = 0777;
    } else if (node == kRoot) {
      result.type = FileType::kDirectory;
    } else {
      return Code::kNoEntry;
    }
    if (result.is_directory()) {
      result.mode = 0755;
      result.links = node == kRoot ? 3 : 2;
    } else if (result.is_symlink()) {
      result.size = ReadLink(node)->size();
    }
    return result;
  }

  // `touch /dev/null` is allowed to whoever may write it; nothing is kept.
  Status SetAttributes(NodeId, const AttributeChange& change) override {
    const bool only_times = !change.mode && !change.uid && !change.gid && !change.size;
    return only_times ? Status{} : Status{Code::kNotPermitted};
  }

  Result<std::string> ReadLink(NodeId node) override {
    const Device* device = Find(node);
    uint64_t number = node - kFirstDescriptor;
    if (node < kFirstDescriptor) {
      if (device == nullptr || device->type != FileType::kSymlink) return Code::kInvalid;
      number = device->special & kDescriptorMask;
    }
    return "/proc/self/fd/" + std::to_string(number);
  }

  Result<std::vector<DirectoryEntry>> List(NodeId directory) override {
    if (directory != kRoot && directory != kFd) return Code::kNotDirectory;
    std::vector<DirectoryEntry> entries;
    if (directory == kFd) return entries;  // only View knows which are open
    for (NodeId i = 0; i < std::size(kDevices); ++i) {
      entries.push_back({std::string(kDevices[i].name), kDevices[i].type, kFirstNode + i});
    }
    return entries;
  }

  Result<OpenFilePtr> Open(NodeId node, const OpenFlags& flags) override {
    PADDOCK_ASSIGN(const Attributes attributes, GetAttributes(node));
    if (attributes.is_directory()) return Code::kIsDirectory;
    const Device* device = Find(node);
    if (device == nullptr || device->kind == kNone) return Code::kLoop;
    if (device->kind == kTty) return Code::kNoDevice;
    const uint64_t number =
        device->kind == kRandom ? streams_.fetch_add(1, std::memory_order_relaxed) : 0;
    return OpenFilePtr(
        std::make_shared<OpenDevice>(device->kind, attributes, flags, RandomStream(seed_, number)));
  }

  SpaceInfo Space() const override { return {"udev", "devtmpfs", 0, 0, 0, 0}; }
  void set_device(uint64_t) override {}
  uint64_t device() const override { return kDevDevice; }

 private:
  static const Device* Find(NodeId node) {
    const bool is_listed = node >= kFirstNode && node - kFirstNode < std::size(kDevices);
    return is_listed ? &kDevices[node - kFirstNode] : nullptr;
  }

  const RandomSeed seed_;
  const Nanoseconds created_;
  std::atomic<uint64_t> streams_{0};
};

}  // namespace

int ParseSmallNumber(std::string_view name) {
  int number = 0;
  const char* end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data(), end, number);
  const bool is_number = error == std::errc() && stop == end && name[0] >= '0' && name[0] <= '9';
  const bool is_padded = name.size() > 1 && name[0] == '0';
  return is_number && !is_padded && number < (1 << 20) - 1 ? number : -1;
}

VolumePtr MakeDevVolume(const RandomSeed& seed, Nanoseconds created) {
  return std::make_shared<DevVolume>(seed, created);
}

}  // namespace paddock::vfs
