#include "store/trees/tar_export.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "store/trees/content.h"
#include "store/trees/directory.h"
#include "store/trees/restore.h"

namespace paddock::trees {
namespace {

using vfs::FileType;

constexpr size_t kRecord = 512;
constexpr uint64_t kMaxOctal = (uint64_t{1} << 33) - 1;  // eleven digits

// "length key=value\n", whose length counts itself.
void AddRecord(std::string& text, std::string_view key, std::string_view value) {
  const size_t rest = key.size() + value.size() + 3;
  size_t length = rest + 1;
  while (std::to_string(length).size() + rest != length) ++length;
  text += std::to_string(length) + " " + std::string(key) + "=" + std::string(value) + "\n";
}

void PutOctal(char* field, size_t size, uint64_t value) {
  for (size_t i = size - 1; i > 0; --i, value >>= 3) field[i - 1] = static_cast<char>('0' + (value & 7));
  field[size - 1] = '\0';
}

char KindOf(FileType type) {
  switch (type) {
    case FileType::kFile: return '0';
    case FileType::kSymlink: return '2';
    case FileType::kCharDevice: return '3';
    case FileType::kBlockDevice: return '4';
    case FileType::kDirectory: return '5';
    case FileType::kFifo: return '6';
    case FileType::kSocket: break;
  }
  return '\0';
}

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

  Status WriteHeader(char kind, std::string_view path, std::string_view target, const Entry& entry, uint64_t size) {
    char record[kRecord] = {};
    path.substr(0, 100).copy(record, 100);
    PutOctal(record + 100, 8, entry.mode);
    PutOctal(record + 108, 8, std::min<uint64_t>(entry.uid, 07777777));
    PutOctal(record + 116, 8, std::min<uint64_t>(entry.gid, 07777777));
    PutOctal(record + 124, 12, std::min(size, kMaxOctal));
    const int64_t seconds = std::chrono::floor<std::chrono::seconds>(entry.modify_time).count();
    PutOctal(record + 136, 12, static_cast<uint64_t>(std::clamp<int64_t>(seconds, 0, static_cast<int64_t>(kMaxOctal))));
    record[156] = kind;
    target.substr(0, 100).copy(record + 157, 100);
    std::string_view("ustar\00000", 8).copy(record + 257, 8);
    if (kind == '3' || kind == '4') {
      PutOctal(record + 329, 8, std::min<uint64_t>(entry.special >> 8, 07777777));
      PutOctal(record + 337, 8, entry.special & 0xff);
    }
    std::fill_n(record + 148, 8, ' ');
    uint64_t sum = 0;
    for (const char c : record) sum += static_cast<unsigned char>(c);
    PutOctal(record + 148, 7, sum);
    return Write(std::string_view(record, kRecord));
  }

  Status WriteEntry(const std::string& path, const Entry& entry) {
    if (entry.type == FileType::kSocket) return {};
    const auto first = first_.find(path);
    const bool is_link = first != first_.end() && first->second != path;
    const std::string& target = is_link ? first->second : entry.target;
    const bool has_content = entry.type == FileType::kFile && !is_link;
    const uint64_t size = has_content ? entry.content.size : 0;
    std::string records;
    if (path.size() > 100) AddRecord(records, "path", path);
    if (target.size() > 100) AddRecord(records, "linkpath", target);
    if (size > kMaxOctal) AddRecord(records, "size", std::to_string(size));
    if (entry.uid > 07777777) AddRecord(records, "uid", std::to_string(entry.uid));
    if (entry.gid > 07777777) AddRecord(records, "gid", std::to_string(entry.gid));
    const int64_t time = entry.modify_time.count();
    if (time % 1'000'000'000 != 0 || time < 0 || time / 1'000'000'000 > static_cast<int64_t>(kMaxOctal)) {
      const uint64_t magnitude = time < 0 ? uint64_t{0} - static_cast<uint64_t>(time) : static_cast<uint64_t>(time);
      std::string fraction = std::to_string(magnitude % 1'000'000'000);
      fraction.insert(0, 9 - fraction.size(), '0');
      AddRecord(records, "mtime", (time < 0 ? "-" : "") + std::to_string(magnitude / 1'000'000'000) + "." + fraction);
    }
    if (!records.empty()) {
      Entry plain;
      plain.mode = 0644;
      PADDOCK_TRY(WriteHeader('x', "PaxHeaders/" + path.substr(0, 80), {}, plain, records.size()));
      PADDOCK_TRY(Write(records));
      PADDOCK_TRY(Pad(records.size()));
    }
    PADDOCK_TRY(WriteHeader(is_link ? '1' : KindOf(entry.type), path, target, entry, size));
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
