#include "api/rest/files/pack.h"

#include <algorithm>
#include <map>
#include <vector>

#include "store/trees/tar_header.h"

namespace paddock::api {
namespace {

constexpr size_t kMostEntries = 1'000'000;
constexpr size_t kMostDepth = 100;
constexpr size_t kMostLinks = 100'000;   // files of several names whose first one is known
constexpr size_t kPiece = 256 << 10;

class Packer {
 public:
  Packer(vfs::FileSystem& files, ByteSink& out, const PackOptions& options) : files_(files), out_(out), options_(options) {}

  Status Run(const std::string& root) {
    PADDOCK_ASSIGN(const vfs::Attributes facts, files_.Stat(root, vfs::Follow::kNo));
    PADDOCK_TRY(Add(root, options_.name, facts));
    struct Level {
      std::string path, name;
      std::vector<vfs::DirectoryEntry> entries;
      size_t next = 0;
    };
    std::vector<Level> open;
    if (facts.is_directory()) {
      PADDOCK_ASSIGN(std::vector<vfs::DirectoryEntry> entries, files_.List(root));
      open.push_back({.path = root, .name = options_.name == "./" ? "" : options_.name, .entries = std::move(entries)});
    }
    size_t seen = 0;
    while (!open.empty()) {
      Level& level = open.back();
      if (level.next == level.entries.size()) {
        open.pop_back();
        continue;
      }
      const std::string entry = level.entries[level.next++].name;
      const std::string path = vfs::JoinPath(level.path, entry);
      if (std::any_of(options_.without.begin(), options_.without.end(), [&](const char* one) { return path == one; })) continue;
      if (++seen > kMostEntries || open.size() > kMostDepth) return Error(Code::kLimit, "more than an archive takes");
      const auto found = files_.Stat(path, vfs::Follow::kNo);
      if (!found) {
        LeaveOut(path, found.error());
        continue;
      }
      std::string below = level.name + entry;
      PADDOCK_TRY(Add(path, found->is_directory() ? below + "/" : below, *found));
      if (!found->is_directory()) continue;
      auto entries = files_.List(path);
      if (entries) open.push_back({.path = path, .name = below + "/", .entries = std::move(*entries)});
      else LeaveOut(path, entries.error());
    }
    return Write(std::string(1024, '\0'));
  }

 private:
  Status Write(std::string_view bytes) { return out_.Write(bytes); }

  void LeaveOut(const std::string& path, const Error& why) {
    if (options_.left_out) options_.left_out(path, why);
  }

  Status Add(const std::string& path, const std::string& name, const vfs::Attributes& facts) {
    if (facts.type == vfs::FileType::kSocket) {
      LeaveOut(path, Error(Code::kNotSupported, "a socket"));
      return {};
    }
    trees::TarEntry entry{.path = name, .type = facts.type, .mode = facts.mode & 07777u, .uid = facts.uid, .gid = facts.gid,
                          .modify_time = facts.modify_time, .special = facts.special};
    vfs::OpenFilePtr file;
    if (facts.is_symlink()) {
      auto target = files_.ReadLink(path);
      if (!target) {
        LeaveOut(path, target.error());
        return {};
      }
      entry.target = std::move(*target);
    } else if (facts.is_file()) {
      const auto key = std::make_pair(facts.device, facts.inode);
      if (const auto first = facts.links > 1 ? first_.find(key) : first_.end(); first != first_.end()) {
        entry.is_hard_link = true;
        entry.target = first->second;
        return Write(trees::EncodeTarHeader(entry));
      }
      auto opened = files_.Open(path, {.read = true, .no_follow = true});
      if (!opened) {
        LeaveOut(path, opened.error());
        return {};
      }
      file = std::move(*opened);
      entry.size = facts.size;
      if (facts.links > 1 && first_.size() < kMostLinks) first_[key] = name;
    }
    PADDOCK_TRY(Write(trees::EncodeTarHeader(entry)));
    return file == nullptr ? Status() : Copy(*file, facts.size);
  }
  // As many bytes as the header said: a file that shrinks meanwhile ends in zeros.
  Status Copy(vfs::OpenFile& file, uint64_t size) {
    static const std::string kZeros(kPiece, '\0');
    uint64_t left = size;
    while (left > 0) {
      PADDOCK_ASSIGN(const Block block, file.ReadBlock(static_cast<size_t>(std::min<uint64_t>(left, kPiece))));
      if (block.bytes.empty()) break;
      PADDOCK_TRY(Write(block.bytes));
      left -= block.bytes.size();
    }
    left += (512 - size % 512) % 512;
    while (left > 0) {
      const size_t piece = static_cast<size_t>(std::min<uint64_t>(left, kPiece));
      PADDOCK_TRY(Write(std::string_view(kZeros).substr(0, piece)));
      left -= piece;
    }
    return {};
  }

  vfs::FileSystem& files_;
  ByteSink& out_;
  const PackOptions& options_;
  std::map<std::pair<uint64_t, uint64_t>, std::string> first_;   // of the names of a file
};

}  // namespace

Status Pack(vfs::FileSystem& files, const std::string& root, ByteSink& out, const PackOptions& options) { return Packer(files, out, options).Run(root); }

}  // namespace paddock::api
