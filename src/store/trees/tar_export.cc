#include "store/trees/tar_export.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "store/trees/content.h"
#include "store/trees/directory.h"
#include "store/trees/restore.h"
#include "store/trees/tar_header.h"

namespace paddock::trees {
namespace {

using vfs::FileType;

constexpr size_t kRecord = 512;

class TarWriter {
 public:
  TarWriter(Store& store, ByteSink& out, const TarExportOptions& options) : store_(store), out_(out), options_(options) {}

  Status Run(const ObjectId& id) {
    PADDOCK_ASSIGN(const TreeNode tree, ReadTree(store_, id));
    PADDOCK_ASSIGN(const LinkGroups groups, ReadLinks(store_, tree));
    for (const auto& group : groups) {
      for (const std::string& path : group) first_[path] = group.front();
    }
    Entry root;
    root.type = FileType::kDirectory;
    root.mode = tree.mode;
    root.uid = tree.uid;
    root.gid = tree.gid;
    root.modify_time = tree.modify_time;
    PADDOCK_TRY(WriteEntry("./", root));
    struct Open {
      DirectoryReader reader;
      size_t path_size;
    };
    std::vector<Open> open;
    std::string path;
    open.push_back({DirectoryReader(store_, tree.directory), 0});
    while (!open.empty()) {
      PADDOCK_ASSIGN(const std::optional<Entry> entry, open.back().reader.Next());
      if (!entry) {
        path.resize(open.back().path_size);
        open.pop_back();
        continue;
      }
      PADDOCK_TRY(WriteEntry(path + entry->name + (entry->type == FileType::kDirectory ? "/" : ""), *entry));
      if (entry->type == FileType::kDirectory) {
        open.push_back({DirectoryReader(store_, entry->directory), path.size()});
        path += entry->name + "/";
      }
    }
    return Write(std::string(2 * kRecord, '\0'));
  }

 private:
  Status Write(std::string_view bytes) {
    if (bytes.size() > options_.max_bytes - written_) {
      return Error(Code::kLimit, "the archive would be larger than " + std::to_string(options_.max_bytes) + " bytes");
    }
    written_ += bytes.size();
    return out_.Write(bytes);
  }
  Status WriteZeros(uint64_t count) {
    static const std::string kZeros(kChunkBytes, '\0');
    for (; count > 0; count -= std::min<uint64_t>(count, kZeros.size())) {
      PADDOCK_TRY(Write(std::string_view(kZeros).substr(0, static_cast<size_t>(std::min<uint64_t>(count, kZeros.size())))));
    }
    return {};
  }
  Status Pad(uint64_t size) { return WriteZeros((kRecord - size % kRecord) % kRecord); }

  Status WriteEntry(const std::string& path, const Entry& entry) {
    if (entry.type == FileType::kSocket) return {};
    const auto first = first_.find(path);
    const bool is_link = first != first_.end() && first->second != path;
    const bool has_content = entry.type == FileType::kFile && !is_link;
    PADDOCK_TRY(Write(EncodeTarHeader({.path = path,
                                       .type = entry.type,
                                       .is_hard_link = is_link,
                                       .target = is_link ? first->second : entry.target,
                                       .mode = entry.mode,
                                       .uid = entry.uid,
                                       .gid = entry.gid,
                                       .modify_time = entry.modify_time,
                                       .size = has_content ? entry.content.size : 0,
                                       .special = entry.special})));
    return has_content ? WriteContent(entry.content) : Status();
  }

  Status WriteContent(const Content& content) {
    uint64_t at = 0;
    const Status written = ForEachChunk(store_, content, [&](const ChunkPlace& place) -> Status {
      const auto chunk = ReadChunk(store_, place);
      if (!chunk) return chunk.error();
      if (auto zeros = WriteZeros(place.index * kChunkBytes - at); !zeros) return zeros;
      at = place.index * kChunkBytes + place.length;
      return Write(chunk->bytes);
    });
    if (!written) return written;
    PADDOCK_TRY(WriteZeros(content.size - at));
    return Pad(content.size);
  }

  Store& store_;
  ByteSink& out_;
  const TarExportOptions& options_;
  std::unordered_map<std::string, std::string> first_;  // path of a hard link -> the first of its group
  uint64_t written_ = 0;
};

}  // namespace

Status ExportTar(Store& store, const ObjectId& tree, ByteSink& out, const TarExportOptions& options) {
  return TarWriter(store, out, options).Run(tree);
}

}  // namespace paddock::trees
