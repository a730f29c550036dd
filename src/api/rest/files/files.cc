// The files of a sandbox: look, read, write, move, remove.
#include <algorithm>

#include "api/rest/files/foreign_bytes.h"
#include "api/rest/files/held_files.h"
#include "api/rest/groups.h"
#include "api/rest/shapes.h"
#include "base/id.h"
#include "tools/content/file_access.h"

namespace paddock::vfs {

std::span<const char* const> NamesOf(FileType) {
  static constexpr const char* kNames[] = {"file", "directory", "symlink", "fifo", "char_device", "block_device", "socket"};
  return kNames;
}

}  // namespace paddock::vfs

namespace paddock::api {
namespace {

constexpr uint64_t kMostUpload = 4ull << 30;
constexpr size_t kMostEntries = 100'000;

struct PathQuery {
  std::string path;
};
constexpr Field kPathQuery[] = {
    Required<&PathQuery::path>("path", "Absolute path."),
};
std::span<const Field> FieldsOf(const PathQuery*) { return kPathQuery; }

// ---- stat and list

struct FileShape {
  std::string name;
  vfs::FileType type = vfs::FileType::kFile;
  std::string mode;
  int64_t uid = 0, gid = 0;
  uint64_t size = 0;
  std::string modified_at;
  std::optional<std::string> target;
};
constexpr Field kFile[] = {
    Shown<&FileShape::name>("name", "In its directory; for bytes that are no UTF-8, U+FFFD."),
    Shown<&FileShape::type>("type", "What it is."),
    Shown<&FileShape::mode>("mode", "Permissions, octal: \"0644\"."),
    Shown<&FileShape::uid>("uid", "Its user."),
    Shown<&FileShape::gid>("gid", "Its group."),
    Shown<&FileShape::size>("size", "Bytes."),
    Shown<&FileShape::modified_at>("modified_at", "When its content last changed."),
    Shown<&FileShape::target>("target", "Of a symlink."),
};
std::span<const Field> FieldsOf(const FileShape*) { return kFile; }

FileShape ShapeOf(vfs::FileSystem& files, const std::string& path, std::string name, const vfs::Attributes& facts) {
  char mode[16];
  std::snprintf(mode, sizeof mode, "%04o", facts.mode & 07777u);
  FileShape shape{.name = std::move(name), .type = facts.type, .mode = mode, .uid = facts.uid, .gid = facts.gid, .size = facts.size};
  shape.modified_at = TimeText(registry::Time(std::chrono::duration_cast<registry::Duration>(facts.modify_time)));
  if (facts.is_symlink()) {
    if (auto target = files.ReadLink(path)) shape.target = std::move(*target);
  }
  return shape;
}

Result<FileShape> Stat(Call& call, const PathQuery& query, Nothing&) {
  PADDOCK_TRY(CheckFilePath(query.path));
  PADDOCK_ASSIGN(const registry::HeldFiles files, HoldFiles(call));
  const auto facts = files->Stat(query.path, vfs::Follow::kNo);
  if (!facts) return AboutFile(query.path, facts.error());
  return ShapeOf(*files, query.path, vfs::BaseName(query.path), *facts);
}

struct ListAnswer {
  std::vector<FileShape> entries;
};
constexpr Field kListAnswer[] = {
    Shown<&ListAnswer::entries>("entries", "By name."),
};
std::span<const Field> FieldsOf(const ListAnswer*) { return kListAnswer; }

Result<ListAnswer> List(Call& call, const PathQuery& query, Nothing&) {
  PADDOCK_TRY(CheckFilePath(query.path));
  PADDOCK_ASSIGN(const registry::HeldFiles files, HoldFiles(call));
  const auto names = files->List(query.path);
  if (!names) return AboutFile(query.path, names.error());
  if (names->size() > kMostEntries) return Error(Code::kLimit, query.path + " has more than " + std::to_string(kMostEntries) + " entries");
  ListAnswer answer;
  for (const vfs::DirectoryEntry& entry : *names) {
    const std::string path = vfs::JoinPath(query.path, entry.name);
    if (const auto facts = files->Stat(path, vfs::Follow::kNo)) answer.entries.push_back(ShapeOf(*files, path, entry.name, *facts));
  }
  return answer;
}

// ---- content

struct ReadQuery {
  std::string path;
  std::optional<std::string> ticket;
};
constexpr Field kReadQuery[] = {
    Required<&ReadQuery::path>("path", "Absolute path."),
    Optional<&ReadQuery::ticket>("ticket", "In the place of a key; from POST …/terminal/tickets."),
};
std::span<const Field> FieldsOf(const ReadQuery*) { return kReadQuery; }

Result<Bytes> Read(Call& call, const ReadQuery& query, Nothing&) {
  PADDOCK_TRY(CheckFilePath(query.path));
  PADDOCK_ASSIGN(const registry::HeldFiles files, HoldFrozen(call));
  const auto facts = files->Stat(query.path);
  if (!facts) return AboutFile(query.path, facts.error());
  if (facts->is_directory()) return AboutFile(query.path, Code::kIsDirectory);
  if (!facts->is_file()) return Error(Code::kInvalid, query.path + " is no regular file");
  const auto file = files->Open(query.path, vfs::OpenFlags::Read());
  if (!file) return AboutFile(query.path, file.error());

  const std::string* asked = call.exchange.request().Header("Range");
  const net::ByteRange range = asked != nullptr ? net::ParseRange(*asked, facts->size) : net::ByteRange{};
  net::Headers headers = ForeignBytes("application/octet-stream", vfs::BaseName(query.path));
  headers.push_back({"Accept-Ranges", "bytes"});
  uint64_t left = facts->size;
  int status = 200;
  if (range.kind == net::ByteRange::Kind::kUnsatisfiable) {
    headers.push_back({"Content-Range", net::ContentRange(range, facts->size)});
    PADDOCK_TRY(call.exchange.Respond(416, headers, ""));
    return Bytes{};
  }
  if (range.kind == net::ByteRange::Kind::kPart) {
    headers.push_back({"Content-Range", net::ContentRange(range, facts->size)});
    status = 206;
    left = range.length;
    if (const auto sought = (*file)->Seek(static_cast<int64_t>(range.first), vfs::Whence::kStart); !sought) return AboutFile(query.path, sought.error());
  }
  PADDOCK_TRY(call.exchange.StartResponse(status, headers, left));
  while (left > 0) {
    const auto block = (*file)->ReadBlock(static_cast<size_t>(std::min<uint64_t>(left, 256 << 10)));
    if (!block || block->bytes.empty()) return Bytes{};   // it shrank, or cannot be read: the answer is cut, and the client sees it
    files.Transferred(0, block->bytes.size());
    if (!call.exchange.Write(block->bytes)) return Bytes{};
    left -= block->bytes.size();
  }
  (void)call.exchange.Finish();
  return Bytes{};
}

struct WriteQuery {
  std::string path, mode;
  bool create_dirs = true;
  bool append = false;
};
constexpr Field kWriteQuery[] = {
    Required<&WriteQuery::path>("path", "Absolute path; a symlink is followed."),
    Optional<&WriteQuery::mode>("mode", "Permissions, octal; empty: 0644, or what it has."),
    Optional<&WriteQuery::create_dirs>("create_dirs", "Make missing directories on the way."),
    Optional<&WriteQuery::append>("append", "Behind what it holds, not in its place."),
};
std::span<const Field> FieldsOf(const WriteQuery*) { return kWriteQuery; }

Result<std::optional<uint32_t>> ModeOf(const std::string& text) {
  if (text.empty()) return std::optional<uint32_t>();
  uint32_t mode = 0;
  for (const char c : text) {
    if (c < '0' || c > '7' || text.size() > 4) return Error(Code::kInvalid, "mode must be octal, at most 0777: \"0644\"");
    mode = mode * 8 + static_cast<uint32_t>(c - '0');
  }
  if (mode > 0777) return Error(Code::kInvalid, "mode must be octal, at most 0777: \"0644\"");
  return std::optional(mode);
}

struct WriteAnswer {
  std::string path;
  uint64_t bytes_written = 0;
  bool created = false;
};
constexpr Field kWriteAnswer[] = {
    Shown<&WriteAnswer::path>("path", "Where it is, symlinks resolved."),
    Shown<&WriteAnswer::bytes_written>("bytes_written", "Of the body."),
    Shown<&WriteAnswer::created>("created", "Whether it was not there before."),
};
std::span<const Field> FieldsOf(const WriteAnswer*) { return kWriteAnswer; }

// Removes the unfinished file unless it took its place.
class Draft {
 public:
  Draft(vfs::FileSystem& files, std::string path) : files_(files), path_(std::move(path)) {}
  ~Draft() {
    if (!path_.empty()) (void)files_.RemoveFile(path_);
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
  const std::string& path() const { return path_; }
  void Keep() { path_.clear(); }

 private:
  vfs::FileSystem& files_;
  std::string path_;
};

Status CopyBody(Upload& body, vfs::OpenFile& file, uint64_t& written) {
  while (true) {
    PADDOCK_ASSIGN(const Block block, body.ReadBlock(256 << 10));
    if (block.bytes.empty()) return {};
    PADDOCK_TRY(file.Write(block.bytes));
    written += block.bytes.size();
  }
}

// As CopyBody() to an empty file, without a copy where what was received may become the sandbox's as it is.
Status PlaceBody(registry::HeldFiles& files, Upload& body, vfs::OpenFile& file, uint64_t& written) {
  auto* const takes = dynamic_cast<vfs::TakesExtents*>(&file);
  if (takes == nullptr || body.file() < 0) return CopyBody(body, file, written);
  const auto extent = files.TakeExtent(body.file(), body.size(), body.checksum());
  if (!extent) return CopyBody(body, file, written);
  PADDOCK_TRY(takes->WriteExtent(*extent, 0, body.size()));
  written = body.size();
  return {};
}

// What is there to be written: nothing, or a regular file.
Result<std::optional<vfs::Attributes>> FileToWrite(vfs::FileSystem& files, const std::string& path) {
  const auto facts = files.Stat(path);
  if (!facts) return std::optional<vfs::Attributes>();
  if (facts->is_directory()) return AboutFile(path, Code::kIsDirectory);
  if (!facts->is_file()) return Error(Code::kInvalid, path + " is no regular file");
  return std::optional(*facts);
}

Result<WriteAnswer> Write(Call& call, const WriteQuery& query, Bytes&) {
  PADDOCK_TRY(CheckFilePath(query.path));
  PADDOCK_ASSIGN(const std::optional<uint32_t> mode, ModeOf(query.mode));
  Upload body(call.exchange, call.services.scratch_directory);
  PADDOCK_ASSIGN(registry::HeldFiles files, HoldToWrite(call, body, kMostUpload, [&](vfs::FileSystem& system) -> Status {
                   PADDOCK_TRY(FileToWrite(system, query.path));
                   return {};
                 }));
  WriteAnswer answer{.path = query.path};
  PADDOCK_ASSIGN(const auto facts, FileToWrite(*files, query.path));
  answer.created = !facts;
  if (facts) {
    const auto real = files->Canonical(query.path);
    if (!real) return AboutFile(query.path, real.error());
    answer.path = *real;
  } else if (query.create_dirs) {
    const std::string directory = vfs::DirectoryName(query.path);
    const Status made = vfs::MakeDirectories(*files, directory, 0755);
    if (!made && made.error().code != Code::kExists) return AboutFile(directory, made.error());
  }
  if (query.append) {
    const auto file = files->Open(answer.path, vfs::OpenFlags::Append(), mode.value_or(0644));
    if (!file) return AboutFile(query.path, file.error());
    const Status copied = CopyBody(body, **file, answer.bytes_written);
    files.Transferred(answer.bytes_written, 0);
    const Status kept = files.Commit();   // what came before a failure is there, too
    if (!copied) return AboutFile(query.path, copied.error());
    PADDOCK_TRY(kept);
    if (mode) PADDOCK_TRY(files->SetMode(answer.path, *mode));
    return answer;
  }
  Draft draft(*files, vfs::JoinPath(vfs::DirectoryName(answer.path), NewId(".paddock-upload-")));
  const auto file = files->Open(draft.path(), {.write = true, .create = true, .exclusive = true, .no_follow = true}, 0600);
  if (!file) return AboutFile(query.path, file.error());
  if (const Status placed = PlaceBody(files, body, **file, answer.bytes_written); !placed) return AboutFile(query.path, placed.error());
  files.Transferred(answer.bytes_written, 0);
  const uint32_t right = mode ? *mode : facts ? facts->mode & 07777u : 0644u;
  if (const Status set = files->SetMode(draft.path(), right); !set) return AboutFile(query.path, set.error());
  if (const Status moved = files->Rename(draft.path(), answer.path); !moved) return AboutFile(query.path, moved.error());
  draft.Keep();
  PADDOCK_TRY(files.Commit());
  return answer;
}

// ---- changes

struct MakeDirectoryBody {
  std::string path;
  bool parents = true;
  std::string mode;
};
constexpr Field kMakeDirectoryBody[] = {
    Required<&MakeDirectoryBody::path>("path", "Absolute path."),
    Optional<&MakeDirectoryBody::parents>("parents", "Make missing ones on the way; no error if it is there."),
    Optional<&MakeDirectoryBody::mode>("mode", "Permissions, octal; empty: 0755."),
};
std::span<const Field> FieldsOf(const MakeDirectoryBody*) { return kMakeDirectoryBody; }

Result<Nothing> MakeDirectory(Call& call, const Nothing&, MakeDirectoryBody& body) {
  PADDOCK_TRY(CheckFilePath(body.path));
  PADDOCK_ASSIGN(const std::optional<uint32_t> mode, ModeOf(body.mode));
  PADDOCK_ASSIGN(registry::HeldFiles files, HoldFiles(call));
  const Status made = body.parents ? vfs::MakeDirectories(*files, body.path, mode.value_or(0755)) : files->MakeDirectory(body.path, mode.value_or(0755));
  if (!made) return AboutFile(body.path, made.error());
  PADDOCK_TRY(files.Commit());
  return Nothing{};
}

struct MoveBody {
  std::string from, to;
  bool overwrite = false;
};
constexpr Field kMoveBody[] = {
    Required<&MoveBody::from>("from", "Absolute path."),
    Required<&MoveBody::to>("to", "Absolute path; its directory must be there."),
    Optional<&MoveBody::overwrite>("overwrite", "Take the place of what is there."),
};
std::span<const Field> FieldsOf(const MoveBody*) { return kMoveBody; }

Result<Nothing> Move(Call& call, const Nothing&, MoveBody& body) {
  PADDOCK_TRY(CheckFilePath(body.from, "from"));
  PADDOCK_TRY(CheckFilePath(body.to, "to"));
  PADDOCK_ASSIGN(registry::HeldFiles files, HoldFiles(call));
  if (const Status moved = files->Rename(body.from, body.to, !body.overwrite); !moved) return AboutFile(body.from + " to " + body.to, moved.error());
  PADDOCK_TRY(files.Commit());
  return Nothing{};
}

struct RemoveQuery {
  std::string path;
  bool recursive = false;
};
constexpr Field kRemoveQuery[] = {
    Required<&RemoveQuery::path>("path", "Absolute path; of a symlink, the link."),
    Optional<&RemoveQuery::recursive>("recursive", "A directory with all that is in it."),
};
std::span<const Field> FieldsOf(const RemoveQuery*) { return kRemoveQuery; }

Result<Nothing> Remove(Call& call, const RemoveQuery& query, Nothing&) {
  PADDOCK_TRY(CheckFilePath(query.path));
  if (vfs::NormalizePath(query.path) == "/") return Error(Code::kInvalid, "path: the root stays; delete the sandbox instead");
  PADDOCK_ASSIGN(registry::HeldFiles files, HoldFiles(call));
  const auto facts = files->Stat(query.path, vfs::Follow::kNo);
  if (!facts) return AboutFile(query.path, facts.error());
  size_t budget = 10'000'000;
  const Status removed = !facts->is_directory() ? files->RemoveFile(query.path)
                         : query.recursive      ? tools::RemoveTree(*files, query.path, budget)
                                                : files->RemoveDirectory(query.path);
  const Status kept = files.Commit();   // also what went before a failure
  if (!removed) return AboutFile(query.path, removed.error());
  PADDOCK_TRY(kept);
  return Nothing{};
}

struct ModeBody {
  std::string path, mode;
};
constexpr Field kModeBody[] = {
    Required<&ModeBody::path>("path", "Absolute path; a symlink is followed."),
    Required<&ModeBody::mode>("mode", "Permissions, octal: \"0755\"."),
};
std::span<const Field> FieldsOf(const ModeBody*) { return kModeBody; }

Result<Nothing> SetMode(Call& call, const Nothing&, ModeBody& body) {
  PADDOCK_TRY(CheckFilePath(body.path));
  PADDOCK_ASSIGN(const std::optional<uint32_t> mode, ModeOf(body.mode));
  if (!mode) return Error(Code::kInvalid, "mode must be octal, at most 0777: \"0644\"");
  PADDOCK_ASSIGN(registry::HeldFiles files, HoldFiles(call));
  if (const Status set = files->SetMode(body.path, *mode); !set) return AboutFile(body.path, set.error());
  PADDOCK_TRY(files.Commit());
  return Nothing{};
}

}  // namespace

std::vector<Operation> FileOperations() {
  std::vector<Operation> list = {
      Define<PathQuery, Nothing, ListAnswer, List>("GET", "/v1/sandboxes/{sandbox}/files", "listFiles", "Lists a directory.", Access::kRead),
      Define<RemoveQuery, Nothing, Nothing, Remove>("DELETE", "/v1/sandboxes/{sandbox}/files", "removeFile", "Removes a file or directory.", Access::kUse),
      Define<PathQuery, Nothing, FileShape, Stat>("GET", "/v1/sandboxes/{sandbox}/files/stat", "statFile", "Shows what is at a path.", Access::kRead),
      Define<ReadQuery, Nothing, Bytes, Read>("GET", "/v1/sandboxes/{sandbox}/files/content", "readFile", "Reads a file, or a range of it.", Access::kRead),
      Define<WriteQuery, Bytes, WriteAnswer, Write>("PUT", "/v1/sandboxes/{sandbox}/files/content", "writeFile", "Writes a file: all of the body takes its place at once, or nothing.", Access::kUse),
      Define<Nothing, MakeDirectoryBody, Nothing, MakeDirectory>("POST", "/v1/sandboxes/{sandbox}/files/mkdir", "makeDirectory", "Makes a directory.", Access::kUse),
      Define<Nothing, MoveBody, Nothing, Move>("POST", "/v1/sandboxes/{sandbox}/files/move", "moveFile", "Moves or renames a file or directory.", Access::kUse),
      Define<Nothing, ModeBody, Nothing, SetMode>("POST", "/v1/sandboxes/{sandbox}/files/chmod", "setFileMode", "Changes permissions.", Access::kUse),
  };
  for (Operation& operation : list) operation.takes_ticket = operation.id == std::string_view("readFile");
  return list;
}

}  // namespace paddock::api
