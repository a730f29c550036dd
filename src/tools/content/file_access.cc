#include "tools/content/file_access.h"

#include <vector>

#include "text/nearest.h"
#include "text/utf8.h"

namespace paddock::tools {
namespace {

using vfs::Attributes;
using vfs::FileSystem;
using vfs::FileType;

constexpr uint32_t kNewFileMode = 0644;
constexpr std::string_view kTemporary = ".paddock-writing-";

std::string Shown(std::string_view path) { return HarmlessLine(path.substr(0, 400)); }

// Of what is beside it, or of the first directory on the way that is not there.
std::string WhatIsThere(FileSystem& files, const std::string& path) {
  std::string missing = vfs::NormalizePath(path);
  std::string parent = vfs::DirectoryName(missing);
  while (missing != "/" && !files.Stat(parent)) {
    missing = parent;
    parent = vfs::DirectoryName(parent);
  }
  const std::string name = vfs::BaseName(missing);
  const auto listed = files.List(parent);
  std::string text = missing == vfs::NormalizePath(path) ? "" : "; " + Shown(missing) + " does not exist";
  if (!listed) return text;
  std::vector<std::string_view> names;
  for (const vfs::DirectoryEntry& entry : *listed) names.push_back(entry.name);
  if (const std::string_view nearest = NearestWord(name, names); !nearest.empty()) {
    return text + "; did you mean " + Shown(vfs::JoinPath(parent, nearest)) + "?";
  }
  return text;
}

}  // namespace

Error FileError(FileSystem& files, const Error& error, std::string_view verb, const std::string& path) {
  std::string text = "cannot " + std::string(verb) + " " + Shown(path) + ": ";
  switch (error.code) {
    case Code::kNoEntry: return Error(Code::kNoEntry, text + "there is no such file or directory" + WhatIsThere(files, path));
    case Code::kIsDirectory: return Error(error.code, text + "it is a directory");
    case Code::kNotDirectory: return Error(error.code, text + "a part of the path is a file, not a directory");
    case Code::kAccess:
    case Code::kNotPermitted: return Error(error.code, text + "the sandbox's user may not; files below its working directory and /tmp are its own");
    case Code::kReadOnly: return Error(error.code, text + "it lies on a read-only file system; write below the working directory or /tmp");
    case Code::kNoSpace:
    case Code::kQuota: return Error(error.code, text + "no space is left; remove files first");
    case Code::kFileTooBig:
      return Error(error.code, text + "it is larger than " + std::to_string(kMaxFileBytes) + " bytes; look at parts of it with a shell command");
    case Code::kLoop: return Error(error.code, text + "its symlinks lead in a circle");
    default: return Error(error.code, text + std::string(error.Text()));
  }
}

const char* TypeName(FileType type) {
  switch (type) {
    case FileType::kFile: return "file";
    case FileType::kDirectory: return "directory";
    case FileType::kSymlink: return "symlink";
    case FileType::kFifo: return "fifo";
    case FileType::kCharDevice:
    case FileType::kBlockDevice: return "device";
    case FileType::kSocket: return "socket";
  }
  return "file";
}

Result<std::string> ReadRegularFile(FileSystem& files, const std::string& path) {
  const auto found = files.Stat(path);
  if (!found) {
    const auto link = files.Stat(path, vfs::Follow::kNo);
    if (link && link->is_symlink() && found.error().code == Code::kNoEntry) {
      return Error(Code::kNoEntry, "cannot read " + Shown(path) + ": it is a symlink to " + Shown(files.ReadLink(path).value_or("?")) + ", which does not exist");
    }
    return FileError(files, found.error(), "read", path);
  }
  if (found->is_directory()) return FileError(files, Code::kIsDirectory, "read", path);
  if (!found->is_file()) return Error(Code::kInvalid, "cannot read " + Shown(path) + ": it is a " + TypeName(found->type) + ", not a regular file");
  if (found->size > kMaxFileBytes) return FileError(files, Code::kFileTooBig, "read", path);
  auto content = vfs::ReadFile(files, path, kMaxFileBytes);
  if (!content) return FileError(files, content.error(), "read", path);
  return content;
}

namespace {

Status WriteWhole(FileSystem& files, const std::string& path, std::string_view content, uint32_t mode) {
  // The name is as long as the file's, which may be as long as names get.
  const std::string temporary = vfs::JoinPath(vfs::DirectoryName(path), std::string(kTemporary) + std::to_string(content.size()) + "-" +
                                                                            vfs::BaseName(path).substr(0, 100));
  PADDOCK_ASSIGN(const vfs::OpenFilePtr file, files.Open(temporary, {.write = true, .create = true, .exclusive = true, .no_follow = true}, mode));
  Status written = file->Write(content);
  if (written) written = files.SetMode(temporary, mode);   // past the umask
  if (written) written = files.Rename(temporary, path);
  if (!written) {
    [[maybe_unused]] const Status ignored = files.RemoveFile(temporary);
  }
  return written;
}

}  // namespace

Result<WriteOutcome> WriteRegularFile(FileSystem& files, const std::string& path, std::string_view content, const WriteOptions& options) {
  if (path.ends_with('/')) return Error(Code::kInvalid, "cannot write " + Shown(path) + ": the file name is empty; leave out the slash at the end");
  const std::string name = vfs::BaseName(path);
  if (name == ".." || name == ".") return Error(Code::kInvalid, "cannot write " + Shown(path) + ": '" + name + "' is not a file name");
  const auto fail = [&](const Error& error) { return FileError(files, error, "write", path); };
  if (options.create_directories) {
    if (const Status made = vfs::MakeDirectories(files, vfs::DirectoryName(path)); !made) return fail(made.error());
  }
  WriteOutcome outcome;
  std::string target = path;
  const auto found = files.Stat(path);
  if (!found && found.error().code != Code::kNoEntry) return fail(found.error());
  if (found) {
    if (found->is_directory()) return fail(Code::kIsDirectory);
    if (!found->is_file()) return Error(Code::kInvalid, "cannot write " + Shown(path) + ": it is a " + TypeName(found->type));
    if (!options.overwrite && !options.append) return Error(Code::kExists, "cannot write " + Shown(path) + ": it exists already and overwrite is false");
    if (const Status may = files.Access(path, 2); !may) return fail(may.error());
  } else if (!files.Stat(vfs::DirectoryName(path))) {
    return fail(Code::kNoEntry);
  }
  // Where a symlink leads, there or not.
  if (const auto canonical = files.Canonical(path, FileSystem::MustExist::kParent)) target = *canonical;
  outcome.is_new = !found;
  const uint32_t mode = options.mode ? *options.mode : found ? found->mode & 0777 : kNewFileMode;
  if (options.append && found) {
    if (found->size + content.size() > kMaxFileBytes * 16) return fail(Code::kFileTooBig);
    auto before = files.Open(target, vfs::OpenFlags::Append());
    if (!before) return fail(before.error());
    if (const Status written = (*before)->Write(content); !written) {
      [[maybe_unused]] const Status back = files.Truncate(target, found->size);
      return fail(written.error());
    }
    if (options.mode) {
      if (const Status set = files.SetMode(target, mode); !set) return fail(set.error());
    }
    outcome.size = found->size + content.size();
    return outcome;
  }
  if (const Status written = WriteWhole(files, target, content, mode); !written) return fail(written.error());
  outcome.size = content.size();
  return outcome;
}

Status RemoveTree(FileSystem& files, const std::string& path, size_t& budget) {
  // Each directory is met twice: to list it, and to remove it when it is empty.
  std::vector<std::pair<std::string, bool>> pending = {{path, false}};
  while (!pending.empty()) {
    const auto [at, is_listed] = pending.back();
    if (budget == 0) return Error(Code::kLimit, "cannot remove " + Shown(path) + ": it holds too many entries; remove parts of it first");
    const auto found = files.Stat(at, vfs::Follow::kNo);
    if (!found) return FileError(files, found.error(), "remove", at);
    if (!found->is_directory() || is_listed) {
      const Status removed = found->is_directory() ? files.RemoveDirectory(at) : files.RemoveFile(at);
      if (!removed) return FileError(files, removed.error(), "remove", at);
      --budget;
      pending.pop_back();
      continue;
    }
    pending.back().second = true;
    const auto listed = files.List(at);
    if (!listed) return FileError(files, listed.error(), "remove", at);
    if (listed->size() > budget) return Error(Code::kLimit, "cannot remove " + Shown(path) + ": it holds too many entries; remove parts of it first");
    for (const vfs::DirectoryEntry& entry : *listed) pending.emplace_back(vfs::JoinPath(at, entry.name), false);
  }
  return {};
}

Result<std::string> SessionPath(std::string_view path, std::string_view argument) {
  const auto refuse = [&](const char* what) {
    return Error(Code::kInvalid, std::string(argument) + ": " + what + ", not '" + Shown(path.substr(0, 100)) + "'");
  };
  if (!path.starts_with('/')) return refuse("must be an absolute path of session storage, such as /notes.txt");
  if (path.size() > 1024) return refuse("must have at most 1024 bytes");
  if (path.find('\0') != std::string_view::npos) return refuse("must not hold a NUL character");
  if (path.find("//") != std::string_view::npos) return refuse("must not hold two slashes in a row");
  const std::string closed = std::string(path) + "/";
  if (closed.find("/../") != std::string::npos || closed.find("/./") != std::string::npos) return refuse("must not hold '.' or '..'");
  if (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  if (path == "/workspace") return std::string("/");
  if (path.starts_with("/workspace/")) path.remove_prefix(std::string_view("/workspace").size());
  return std::string(path);
}

}  // namespace paddock::tools
