// sandbox_upload and sandbox_download: files between session storage and a sandbox.

#include "tools/content/file_access.h"
#include "tools/content/numbered_lines.h"
#include "tools/content/search_files.h"
#include "tools/offer/offer.h"
#include "tools/offer/sandbox_choice.h"

namespace paddock::tools {
namespace {

constexpr size_t kMostEntries = 1000;
constexpr uint64_t kMostBytes = 64u << 20;

// A tree in memory: nothing is held in one place while it is read in the other.
struct Entry {
  std::string below;   // path below the tree's root; empty for the root itself
  bool is_directory = false;
  uint32_t mode = 0644;
  std::string content;
};

// Reads a file, or a directory with what is below. Other things than files and directories are passed over and counted.
Result<std::vector<Entry>> ReadTree(vfs::FileSystem& files, const std::string& path, bool recursive, uint64_t& skipped) {
  const auto found = files.Stat(path);
  if (!found) return FileError(files, found.error(), "copy", path);
  std::vector<Entry> tree;
  if (!found->is_directory()) {
    PADDOCK_ASSIGN(std::string content, ReadRegularFile(files, path));
    tree.push_back({.below = {}, .mode = found->mode & 0777, .content = std::move(content)});
    return tree;
  }
  if (!recursive) return Error(Code::kIsDirectory, "cannot copy " + path + ": it is a directory; set recursive to copy all of it");
  PADDOCK_ASSIGN(const ListOutcome listed, ListFiles(files, {.root = path, .depth = kMaxDepth, .glob = {}, .most = kMostEntries}));
  if (listed.is_truncated) return Error(Code::kLimit, "cannot copy " + path + ": it holds more than " + std::to_string(kMostEntries) + " entries; copy parts of it, or pack it with tar first");
  uint64_t total = 0;
  tree.push_back({.below = {}, .is_directory = true, .mode = 0755, .content = {}});
  for (const ListedFile& file : listed.entries) {
    Entry entry{.below = file.path.substr(path == "/" ? 0 : path.size()), .is_directory = file.attributes.is_directory(), .mode = file.attributes.mode & 0777, .content = {}};
    if (!entry.is_directory && !file.attributes.is_file()) {
      ++skipped;
      continue;
    }
    total += entry.is_directory ? 0 : file.attributes.size;
    if (total > kMostBytes) return Error(Code::kFileTooBig, "cannot copy " + path + ": it holds more than 64 MiB; copy parts of it");
    if (!entry.is_directory) {
      PADDOCK_ASSIGN(entry.content, ReadRegularFile(files, file.path));
    }
    tree.push_back(std::move(entry));
  }
  return tree;
}

struct Counts {
  uint64_t files = 0, bytes = 0;
};

Result<Counts> WriteTree(vfs::FileSystem& files, const std::string& path, const std::vector<Entry>& tree, bool overwrite) {
  Counts counts;
  for (const Entry& entry : tree) {
    const std::string target = entry.below.empty() ? path : (path == "/" ? "" : path) + entry.below;
    if (entry.is_directory) {
      if (const Status made = vfs::MakeDirectories(files, target); !made) return FileError(files, made.error(), "create", target);
      continue;
    }
    PADDOCK_TRY(WriteRegularFile(files, target, entry.content, {.mode = entry.mode, .overwrite = overwrite}));
    ++counts.files;
    counts.bytes += entry.content.size();
  }
  return counts;
}

struct Output {
  std::string from, to;
  uint64_t files = 0, bytes = 0, skipped = 0;
  std::optional<std::string> encoding;
};
constexpr Field kOutput[] = {
    Shown<&Output::from>("from", "What was copied."),
    Shown<&Output::to>("to", "Where it is now."),
    Shown<&Output::files>("files", "Files copied."),
    Shown<&Output::bytes>("bytes", "Their bytes."),
    Shown<&Output::skipped>("skipped", "Symlinks, devices and the like, which are not copied."),
    Shown<&Output::encoding>("encoding", "Of a single file in session storage: text when it is UTF-8, else base64; null for a directory."),
};
std::span<const Field> FieldsOf(const Output*) { return kOutput; }

Answer<Output> Tell(std::string from, std::string to, const Counts& counts, uint64_t skipped, const std::vector<Entry>& tree) {
  Answer<Output> answer;
  answer.text = "copied " + from + " to " + to + ": " + std::to_string(counts.files) + (counts.files == 1 ? " file, " : " files, ") + std::to_string(counts.bytes) + " bytes" +
                (skipped > 0 ? "; " + std::to_string(skipped) + " symlinks or special files were left out" : "");
  answer.data = {.from = std::move(from), .to = std::move(to), .files = counts.files, .bytes = counts.bytes, .skipped = skipped, .encoding = {}};
  if (tree.size() == 1 && !tree.front().is_directory) answer.data.encoding = IsBinary(tree.front().content) ? "base64" : "text";
  return answer;
}

// ---- upload

struct UploadArguments {
  std::string session_path, container_path;
  std::optional<std::string> sandbox_id;
  bool recursive = false;
};
constexpr Field kUploadArguments[] = {
    Required<&UploadArguments::session_path>("session_path", "Absolute path in session storage.", kPathRules),
    Required<&UploadArguments::container_path>("container_path", "Absolute path in the sandbox: of the copy itself, not of the directory it goes to.", kPathRules),
    Optional<&UploadArguments::sandbox_id>("sandbox_id", kSandboxIdWords, kSandboxIdRules),
    Optional<&UploadArguments::recursive>("recursive", "Copy a directory with all below it: at most 1000 entries and 64 MiB."),
};
std::span<const Field> FieldsOf(const UploadArguments*) { return kUploadArguments; }

Result<Answer<Output>> Upload(CallContext& context, const UploadArguments& arguments) {
  PADDOCK_ASSIGN(const std::string from, SessionPath(arguments.session_path, "session_path"));
  PADDOCK_ASSIGN(const std::shared_ptr<SandboxAccess> sandbox, ChooseSandbox(context, arguments.sandbox_id));
  uint64_t skipped = 0;
  std::vector<Entry> tree;
  {
    PADDOCK_ASSIGN(const FileLease files, context.session.Files());
    auto read = ReadTree(*files, from, arguments.recursive, skipped);
    if (!read && read.error().code == Code::kNoEntry) return Error(Code::kNoEntry, "session_path: " + read.error().message + " in session storage; list_directory shows what is there");
    if (!read) return read.error();
    tree = std::move(*read);
  }
  PADDOCK_ASSIGN(const FileLease files, sandbox->Files());
  const std::string to = arguments.container_path;
  if (to.ends_with('/') && !tree.front().is_directory) return Error(Code::kInvalid, "container_path: the file name is empty; write the path of the copy itself");
  PADDOCK_ASSIGN(const Counts counts, WriteTree(*files, to == "/" ? to : vfs::NormalizePath(to), tree, true));
  return Tell(from, to, counts, skipped, tree);
}

// ---- download

struct DownloadArguments {
  std::string container_path, session_path;
  std::optional<std::string> sandbox_id;
  bool overwrite = true, recursive = false;
};
constexpr Field kDownloadArguments[] = {
    Required<&DownloadArguments::container_path>("container_path", "Absolute path in the sandbox.", kPathRules),
    Required<&DownloadArguments::session_path>("session_path", "Absolute path in session storage: of the copy itself.", kPathRules),
    Optional<&DownloadArguments::sandbox_id>("sandbox_id", kSandboxIdWords, kSandboxIdRules),
    Optional<&DownloadArguments::overwrite>("overwrite", "Replace a file that is there already."),
    Optional<&DownloadArguments::recursive>("recursive", "Copy a directory with all below it: at most 1000 entries and 64 MiB."),
};
std::span<const Field> FieldsOf(const DownloadArguments*) { return kDownloadArguments; }

Result<Answer<Output>> Download(CallContext& context, const DownloadArguments& arguments) {
  PADDOCK_ASSIGN(const std::string to, SessionPath(arguments.session_path, "session_path"));
  PADDOCK_ASSIGN(const std::shared_ptr<SandboxAccess> sandbox, ChooseSandbox(context, arguments.sandbox_id));
  const std::string from = vfs::NormalizePath(arguments.container_path);
  uint64_t skipped = 0;
  std::vector<Entry> tree;
  {
    PADDOCK_ASSIGN(const FileLease files, sandbox->Files());
    PADDOCK_ASSIGN(tree, ReadTree(*files, from, arguments.recursive, skipped));
  }
  if (to == "/" && !tree.front().is_directory) return Error(Code::kInvalid, "session_path: the file name is empty; write the path of the copy itself");
  PADDOCK_ASSIGN(const FileLease files, context.session.Files());
  PADDOCK_ASSIGN(const Counts counts, WriteTree(*files, to, tree, arguments.overwrite));
  return Tell(from, to, counts, skipped, tree);
}

}  // namespace

const Tool kSandboxUpload = DefineTool<UploadArguments, Output, Upload>({
    .name = "sandbox_upload",
    .title = "Copy into a sandbox",
    .description = "Copies a file or a directory from session storage into a sandbox.",
    .hints = {.is_destructive = true, .is_idempotent = true},
});
const Tool kSandboxDownload = DefineTool<DownloadArguments, Output, Download>({
    .name = "sandbox_download",
    .title = "Copy out of a sandbox",
    .description = "Copies a file or a directory from a sandbox into session storage, where it outlives the sandbox.",
    .hints = {.is_destructive = true, .is_idempotent = true},
});

}  // namespace paddock::tools
