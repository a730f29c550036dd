// Directories as tar archives, streamed out of and into a sandbox.
#include <map>

#include "api/rest/groups.h"
#include "api/rest/unpack.h"
#include "store/trees/tar_header.h"
#include "text/utf8.h"

namespace paddock::api {
namespace {

constexpr auto kPatience = std::chrono::seconds(30);   // for the sandbox's turn
constexpr size_t kMostEntries = 1'000'000;
constexpr size_t kMostDepth = 100;
constexpr size_t kMostLinks = 100'000;                 // files of several names whose first one is known
constexpr size_t kPiece = 256 << 10;

Result<registry::HeldFiles> Hold(Call& call) {
  return call.services.registry.Files(call.caller, call["sandbox"], std::chrono::steady_clock::now() + kPatience);
}

Status CheckPath(const std::string& path) {
  if (path[0] == '/' && path.find('\0') == std::string::npos) return {};
  return Error(Code::kInvalid, "path must be an absolute path");
}

Error About(const std::string& path, const Error& error) {
  return Error(error.code, HarmlessLine(path.substr(0, 400)) + ": " + std::string(error.Text()));
}

// ---- out

struct PackQuery {
  std::string path;
};
constexpr Field kPackQuery[] = {
    Required<&PackQuery::path>("path", "Absolute path of a directory, or of one file.", {.min_length = 1, .max_length = 4095}),
};
std::span<const Field> FieldsOf(const PackQuery*) { return kPackQuery; }

class Packer {
 public:
  Packer(vfs::FileSystem& files, net::Exchange& exchange) : files_(files), exchange_(exchange) {}

  // `name` is what the first one is called in the archive: "./" for a directory.
  Status Run(const std::string& root, const std::string& name, const vfs::Attributes& facts) {
    PADDOCK_TRY(Add(root, name, facts));
    struct Level {
      std::string path, name;
      std::vector<vfs::DirectoryEntry> entries;
      size_t next = 0;
    };
    std::vector<Level> open;
    if (facts.is_directory()) {
      PADDOCK_ASSIGN(std::vector<vfs::DirectoryEntry> entries, files_.List(root));
      open.push_back({.path = root, .name = "", .entries = std::move(entries)});
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
      if (path == "/proc" || path == "/sys" || path == "/dev") continue;
      if (++seen > kMostEntries || open.size() > kMostDepth) return Error(Code::kLimit, "more than an archive takes");
      const auto found = files_.Stat(path, vfs::Follow::kNo);
      if (!found) continue;   // gone meanwhile
      std::string below = level.name + entry;
      PADDOCK_TRY(Add(path, found->is_directory() ? below + "/" : below, *found));
      if (!found->is_directory()) continue;
      if (auto entries = files_.List(path)) open.push_back({.path = path, .name = below + "/", .entries = std::move(*entries)});
    }
    return Write(std::string(1024, '\0'));
  }

 private:
  Status Write(std::string_view bytes) { return exchange_.Write(bytes); }

  Status Add(const std::string& path, const std::string& name, const vfs::Attributes& facts) {
    if (facts.type == vfs::FileType::kSocket) return {};
    trees::TarEntry entry{.path = name, .type = facts.type, .mode = facts.mode & 07777u, .uid = facts.uid, .gid = facts.gid,
                          .modify_time = facts.modify_time, .special = facts.special};
    vfs::OpenFilePtr file;
    if (facts.is_symlink()) {
      auto target = files_.ReadLink(path);
      if (!target) return {};
      entry.target = std::move(*target);
    } else if (facts.is_file() && facts.links > 1 && !IsFirst(facts, name, entry)) {
      return Write(trees::EncodeTarHeader(entry));
    } else if (facts.is_file()) {
      auto opened = files_.Open(path, {.read = true, .no_follow = true});
      if (!opened) return {};   // may not be read: left out, as what its user cannot see
      file = std::move(*opened);
      entry.size = facts.size;
    }
    PADDOCK_TRY(Write(trees::EncodeTarHeader(entry)));
    return file == nullptr ? Status() : Copy(*file, facts.size);
  }
  bool IsFirst(const vfs::Attributes& facts, const std::string& name, trees::TarEntry& entry) {
    const auto key = std::make_pair(facts.device, facts.inode);
    if (const auto first = first_.find(key); first != first_.end()) {
      entry.is_hard_link = true;
      entry.target = first->second;
      return false;
    }
    if (first_.size() < kMostLinks) first_[key] = name;
    return true;
  }
  // As many bytes as the header said: a file that shrinks meanwhile ends in zeros.
  Status Copy(vfs::OpenFile& file, uint64_t size) {
    static const std::string kZeros(kPiece, '\0');
    uint64_t left = size;
    while (left > 0) {
      const auto block = file.ReadBlock(static_cast<size_t>(std::min<uint64_t>(left, kPiece)));
      if (!block || block->bytes.empty()) break;
      PADDOCK_TRY(Write(block->bytes));
      left -= block->bytes.size();
    }
    left += (512 - size % 512) % 512;
    for (; left > 0; left -= std::min<uint64_t>(left, kPiece)) PADDOCK_TRY(Write(std::string_view(kZeros).substr(0, static_cast<size_t>(std::min<uint64_t>(left, kPiece)))));
    return {};
  }

  vfs::FileSystem& files_;
  net::Exchange& exchange_;
  std::map<std::pair<uint64_t, uint64_t>, std::string> first_;   // of the names of a file
};

Result<Bytes> Pack(Call& call, const PackQuery& query, Nothing&) {
  PADDOCK_TRY(CheckPath(query.path));
  PADDOCK_ASSIGN(const registry::HeldFiles files, Hold(call));
  const auto root = files->Canonical(query.path);
  if (!root) return About(query.path, root.error());
  const auto facts = files->Stat(*root, vfs::Follow::kNo);
  if (!facts) return About(query.path, facts.error());
  if (!facts->is_directory() && !facts->is_file()) return Error(Code::kInvalid, "path is neither a directory nor a regular file");
  if (const Status may = files->Access(*root, 4); !may) return About(query.path, may.error());
  PADDOCK_TRY(call.exchange.StartResponse(200, {{"Content-Type", "application/x-tar"}, {"X-Content-Type-Options", "nosniff"}}));
  // An answer that is not finished is cut, and the client sees it.
  if (Packer(*files, call.exchange).Run(*root, facts->is_directory() ? "./" : vfs::BaseName(*root), *facts)) (void)call.exchange.Finish();
  return Bytes{};
}

// ---- in

struct UnpackQuery {
  std::string path;
  bool create_dirs = true;
};
constexpr Field kUnpackQuery[] = {
    Required<&UnpackQuery::path>("path", "Absolute path of the directory to unpack into.", {.min_length = 1, .max_length = 4095}),
    Optional<&UnpackQuery::create_dirs>("create_dirs", "Make it, and those on the way, if it is missing."),
};
std::span<const Field> FieldsOf(const UnpackQuery*) { return kUnpackQuery; }

struct UnpackAnswer {
  std::string path;
  uint64_t files = 0, directories = 0, links = 0, bytes = 0, skipped = 0;
};
constexpr Field kUnpackAnswer[] = {
    Shown<&UnpackAnswer::path>("path", "The directory, symlinks resolved."),
    Shown<&UnpackAnswer::files>("files", "Made or replaced."),
    Shown<&UnpackAnswer::directories>("directories", "Made, or merged."),
    Shown<&UnpackAnswer::links>("links", "Symlinks, and further names of files."),
    Shown<&UnpackAnswer::bytes>("bytes", "Of the files."),
    Shown<&UnpackAnswer::skipped>("skipped", "Devices, FIFOs and the like: left out."),
};
std::span<const Field> FieldsOf(const UnpackAnswer*) { return kUnpackAnswer; }

class BodySource final : public ByteSource {
 public:
  explicit BodySource(net::Exchange& exchange) : exchange_(exchange), buffer_(kPiece, '\0') {}
  Result<Block> ReadBlock(size_t max) override {
    PADDOCK_ASSIGN(const size_t size, exchange_.ReadBody(std::span(buffer_).first(std::min(max, buffer_.size()))));
    return Block{nullptr, std::string_view(buffer_).substr(0, size)};
  }
  void GiveBack(size_t) override {}

 private:
  net::Exchange& exchange_;
  std::string buffer_;
};

Result<UnpackAnswer> PutArchive(Call& call, const UnpackQuery& query, Bytes&) {
  PADDOCK_TRY(CheckPath(query.path));
  call.exchange.SetBodyLimit({.bytes = 8ull << 30, .bytes_per_second = 1024});
  PADDOCK_ASSIGN(registry::HeldFiles files, Hold(call));
  if (query.create_dirs) {
    const Status made = vfs::MakeDirectories(*files, query.path, 0755);
    if (!made && made.error().code != Code::kExists) return About(query.path, made.error());
  }
  const auto root = files->Canonical(query.path);
  if (!root) return About(query.path, root.error());
  const auto facts = files->Stat(*root);
  if (!facts) return About(query.path, facts.error());
  if (!facts->is_directory()) return About(query.path, Code::kNotDirectory);
  BodySource body(call.exchange);
  auto unpacked = Unpack(body, *files, *root);
  char rest[4096];   // what stands behind the archive's end
  for (bool is_more = unpacked.has_value(); is_more;) {
    PADDOCK_ASSIGN(const size_t size, call.exchange.ReadBody(rest));
    is_more = size > 0;
  }
  const Status kept = files.Commit();   // what came before a failure is there, too
  if (!unpacked) return Error(unpacked.error().code, std::string(unpacked.error().Text()) + "; what was unpacked before stays");
  PADDOCK_TRY(kept);
  return UnpackAnswer{.path = *root, .files = unpacked->files, .directories = unpacked->directories, .links = unpacked->links,
                      .bytes = unpacked->bytes, .skipped = unpacked->skipped};
}

}  // namespace

std::vector<Operation> ArchiveOperations() {
  return {
      Define<PackQuery, Nothing, Bytes, Pack>("GET", "/v1/sandboxes/{sandbox}/files/archive", "packFiles", "Reads a directory, or a file, as a tar archive.", Access::kRead),
      Define<UnpackQuery, Bytes, UnpackAnswer, PutArchive>("PUT", "/v1/sandboxes/{sandbox}/files/archive", "unpackFiles", "Unpacks a tar archive into a directory.", Access::kUse),
  };
}

}  // namespace paddock::api
