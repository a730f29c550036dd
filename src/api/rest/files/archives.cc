// Directories as tar archives, streamed out of and into a sandbox.
#include "api/rest/files/foreign_bytes.h"
#include "api/rest/files/held_files.h"
#include "api/rest/files/pack.h"
#include "api/rest/files/unpack.h"
#include "api/rest/groups.h"
#include "text/utf8.h"

namespace paddock::api {
namespace {

constexpr uint64_t kMostArchive = 8ull << 30;

// ---- out

struct PackQuery {
  std::string path;
  std::optional<std::string> ticket;
};
constexpr Field kPackQuery[] = {
    Required<&PackQuery::path>("path", "Absolute path of a directory, or of one file.", {.min_length = 1, .max_length = 4095}),
    Optional<&PackQuery::ticket>("ticket", "In the place of a key; from POST …/terminal/tickets."),
};
std::span<const Field> FieldsOf(const PackQuery*) { return kPackQuery; }

// The exchange's answer, as somewhere to write to.
class AnswerSink final : public ByteSink {
 public:
  AnswerSink(net::Exchange& exchange, const registry::HeldFiles& files) : exchange_(exchange), files_(files) {}
  Status Write(std::string_view bytes) override {
    files_.Transferred(0, bytes.size());
    return exchange_.Write(bytes);
  }

 private:
  net::Exchange& exchange_;
  const registry::HeldFiles& files_;
};

Result<Bytes> GetArchive(Call& call, const PackQuery& query, Nothing&) {
  PADDOCK_TRY(CheckFilePath(query.path));
  PADDOCK_ASSIGN(const registry::HeldFiles files, HoldFrozen(call));
  const auto root = files->Canonical(query.path);
  if (!root) return AboutFile(query.path, root.error());
  const auto facts = files->Stat(*root, vfs::Follow::kNo);
  if (!facts) return AboutFile(query.path, facts.error());
  if (!facts->is_directory() && !facts->is_file()) return Error(Code::kInvalid, "path is neither a directory nor a regular file");
  if (const Status may = files->Access(*root, 4); !may) return AboutFile(query.path, may.error());
  PADDOCK_TRY(call.exchange.StartResponse(200, ForeignBytes("application/x-tar", (*root == "/" ? "root" : vfs::BaseName(*root)) + ".tar")));
  // An answer that is not finished is cut, and the client sees it.
  static constexpr const char* kWithout[] = {"/proc", "/sys", "/dev"};
  AnswerSink answer(call.exchange, files);
  if (Pack(*files, *root, answer, {.name = facts->is_directory() ? "./" : vfs::BaseName(*root), .without = kWithout, .left_out = {}})) (void)call.exchange.Finish();
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

Result<UnpackAnswer> PutArchive(Call& call, const UnpackQuery& query, Bytes&) {
  PADDOCK_TRY(CheckFilePath(query.path));
  Upload body(call.exchange, call.services.scratch_directory);
  PADDOCK_ASSIGN(registry::HeldFiles files, HoldToWrite(call, body, kMostArchive, [](vfs::FileSystem&) { return Status(); }));
  if (query.create_dirs) {
    const Status made = vfs::MakeDirectories(*files, query.path, 0755);
    if (!made && made.error().code != Code::kExists) return AboutFile(query.path, made.error());
  }
  const auto root = files->Canonical(query.path);
  if (!root) return AboutFile(query.path, root.error());
  const auto facts = files->Stat(*root);
  if (!facts) return AboutFile(query.path, facts.error());
  if (!facts->is_directory()) return AboutFile(query.path, Code::kNotDirectory);
  UnpackLimits limits;
  if (body.file() >= 0) {
    if (auto extent = files.TakeExtent(body.file(), body.size(), body.checksum())) limits.extent = std::move(*extent);
    body.ReadFrom(limits.extent);
  }
  auto unpacked = Unpack(body, *files, *root, limits);
  for (bool is_more = unpacked.has_value(); is_more;) {   // what stands behind the archive's end
    PADDOCK_ASSIGN(const Block rest, body.ReadBlock(4096));
    is_more = !rest.bytes.empty();
  }
  if (unpacked) files.Transferred(unpacked->bytes, 0);
  body.ReadFrom(nullptr);
  limits.extent = nullptr;   // without files in it, it goes
  const Status kept = files.Commit();   // what came before a failure is there, too
  if (!unpacked) return Error(unpacked.error().code, std::string(unpacked.error().Text()) + "; what was unpacked before stays");
  PADDOCK_TRY(kept);
  return UnpackAnswer{.path = *root, .files = unpacked->files, .directories = unpacked->directories, .links = unpacked->links,
                      .bytes = unpacked->bytes, .skipped = unpacked->skipped};
}

}  // namespace

std::vector<Operation> ArchiveOperations() {
  std::vector<Operation> list = {
      Define<PackQuery, Nothing, Bytes, GetArchive>("GET", "/v1/sandboxes/{sandbox}/files/archive", "packFiles", "Reads a directory, or a file, as a tar archive.", Access::kRead),
      Define<UnpackQuery, Bytes, UnpackAnswer, PutArchive>("PUT", "/v1/sandboxes/{sandbox}/files/archive", "unpackFiles", "Unpacks a tar archive into a directory.", Access::kUse),
  };
  list[0].takes_ticket = true;
  return list;
}

}  // namespace paddock::api
