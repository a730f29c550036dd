// Random file system calls that tests run on two implementations, to compare the answers.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "vfs/file_system.h"

namespace paddock::vfs {

struct Operation {
  enum Kind {
    kStat,
    kOpen,
    kList,
    kReadLink,
    kMakeDirectory,
    kMakeFifo,
    kMakeSymlink,
    kMakeLink,
    kRemoveFile,
    kRemoveDirectory,
    kRename,
    kSetMode,
    kTruncate,
    kAccess,
    kKinds
  };
  Kind kind = kStat;
  std::string path;
  std::string other;  // the second path or a target
  uint32_t mode = 0;
  uint64_t size = 0;
  OpenFlags flags;
  Follow follow = Follow::kYes;
  bool exclusive = false;
};

class RandomOperations {
 public:
  explicit RandomOperations(uint32_t seed) : random_(seed) {}

  Operation Next() {
    Operation operation;
    operation.kind = static_cast<Operation::Kind>(Below(Operation::kKinds));
    // More of what builds the tree than of what takes it apart.
    if (operation.kind == Operation::kReadLink && Below(2) == 0) operation.kind = Operation::kOpen;
    if (operation.kind == Operation::kAccess && Below(2) == 0)
      operation.kind = Operation::kMakeDirectory;
    operation.path = Path(true);
    operation.other = Path(operation.kind != Operation::kMakeSymlink);
    static constexpr uint32_t kModes[] = {0777, 0755, 0700, 0500, 0300, 0644, 0400, 0, 02755};
    operation.mode = kModes[Below(Below(3) == 0 ? 9 : 2)];
    operation.size = Below(3) == 0 ? Below(200'000) : Below(20);
    operation.follow = Below(2) == 0 ? Follow::kNo : Follow::kYes;
    operation.exclusive = Below(4) == 0;
    operation.flags.write = Below(2) == 0;
    operation.flags.read = !operation.flags.write || Below(3) == 0;
    operation.flags.create = Below(2) == 0;
    operation.flags.exclusive = operation.flags.create && Below(5) == 0;
    operation.flags.truncate = Below(3) == 0 && operation.flags.write;
    operation.flags.append = operation.flags.write && Below(3) == 0;
    operation.flags.directory = !operation.flags.create && Below(8) == 0;
    operation.flags.no_follow = Below(8) == 0;
    operation.flags.nonblocking = true;
    return operation;
  }
  uint32_t Below(uint32_t limit) { return static_cast<uint32_t>(random_() % limit); }

 private:
  std::string Path(bool with_parents) {
    static constexpr const char* kNames[] = {"a", "b", "c", "dd"};
    std::string path;
    const uint32_t depth = 1 + Below(4);
    for (uint32_t i = 0; i < depth; ++i) {
      if (i > 0) path += Below(20) == 0 ? "//" : "/";
      const uint32_t kind = Below(30);
      path += kind == 0 ? "." : kind == 1 && with_parents && i > 0 ? ".." : kNames[Below(4)];
    }
    if (Below(15) == 0) path += "/";
    return path;
  }
  std::mt19937 random_;
};

inline std::string Describe(const Attributes& found) {
  std::string text = std::to_string(static_cast<int>(found.type)) + " mode " +
                     std::to_string(found.mode) + " owner " + std::to_string(found.uid) + ":" +
                     std::to_string(found.gid) + " links " + std::to_string(found.links);
  if (!found.is_directory()) text += " size " + std::to_string(found.size);
  return text;
}

inline std::string Describe(const Status& status) {
  return status ? "ok" : std::string(CodeText(status.error().code));
}

// Reads or writes what the flags allow and tells what came of it.
inline std::string UseFile(OpenFile& file, const Operation& operation) {
  const auto found = file.GetAttributes();
  std::string text = found ? Describe(*found) : "no attributes";
  if (found && !found->is_file()) return text;
  if (operation.flags.write) {
    if (operation.size % 3 == 0 && !operation.flags.append) {
      static_cast<void>(file.Seek(static_cast<int64_t>(operation.size), Whence::kStart));
    }
    const Status written =
        file.Write(std::string(operation.size, static_cast<char>('a' + operation.mode % 26)));
    text += " write " + Describe(written);
    static_cast<void>(file.Seek(0, Whence::kStart));
  }
  uint64_t sum = 0;
  while (operation.flags.read) {
    const auto block = file.ReadBlock(1000);
    if (!block) return text + " " + std::string(CodeText(block.error().code));
    if (block->bytes.empty()) break;
    for (const char byte : block->bytes) sum = sum * 31 + static_cast<unsigned char>(byte);
  }
  return text + " sum " + std::to_string(sum);
}

// Runs an operation and tells its answer.
inline std::string Perform(FileSystem& fs, const Operation& operation) {
  switch (operation.kind) {
    case Operation::kStat: {
      const auto found = fs.Stat(operation.path, operation.follow);
      return found ? Describe(*found) : std::string(CodeText(found.error().code));
    }
    case Operation::kOpen: {
      const auto file = fs.Open(operation.path, operation.flags, operation.mode);
      return file ? UseFile(**file, operation) : std::string(CodeText(file.error().code));
    }
    case Operation::kList: {
      const auto entries = fs.List(operation.path);
      if (!entries) return std::string(CodeText(entries.error().code));
      std::string text;
      for (const DirectoryEntry& entry : *entries) {
        text += entry.name + ":" + std::to_string(static_cast<int>(entry.type)) + " ";
      }
      return text;
    }
    case Operation::kReadLink: {
      const auto target = fs.ReadLink(operation.path);
      return target ? *target : std::string(CodeText(target.error().code));
    }
    case Operation::kMakeDirectory:
      return Describe(fs.MakeDirectory(operation.path, operation.mode));
    case Operation::kMakeFifo:
      return Describe(fs.MakeNode(operation.path, FileType::kFifo, operation.mode));
    case Operation::kMakeSymlink:
      return Describe(fs.MakeSymlink(operation.other, operation.path));
    case Operation::kMakeLink:
      return Describe(fs.MakeLink(operation.other, operation.path, operation.follow));
    case Operation::kRemoveFile:
      return Describe(fs.RemoveFile(operation.path));
    case Operation::kRemoveDirectory:
      return Describe(fs.RemoveDirectory(operation.path));
    case Operation::kRename:
      return Describe(fs.Rename(operation.path, operation.other, operation.exclusive));
    case Operation::kSetMode:
      return Describe(fs.SetMode(operation.path, operation.mode));
    case Operation::kTruncate:
      return Describe(fs.Truncate(operation.path, operation.size));
    case Operation::kAccess:
      return Describe(fs.Access(operation.path, operation.mode & 7));
    case Operation::kKinds:
      break;
  }
  return {};
}

inline std::string Describe(const Operation& operation) {
  static constexpr const char* kNames[] = {"stat",   "open",    "list",     "readlink", "mkdir",
                                           "mkfifo", "symlink", "link",     "unlink",   "rmdir",
                                           "rename", "chmod",   "truncate", "access"};
  const OpenFlags& flags = operation.flags;
  std::string letters;
  for (const auto& [is_set, letter] : {std::pair(flags.read, 'r'),
                                       {flags.write, 'w'},
                                       {flags.append, 'a'},
                                       {flags.create, 'c'},
                                       {flags.exclusive, 'x'},
                                       {flags.truncate, 't'},
                                       {flags.directory, 'd'},
                                       {flags.no_follow, 'n'}}) {
    if (is_set) letters += letter;
  }
  return std::string(kNames[operation.kind]) + " " + operation.path + " " + operation.other +
         " mode " + std::to_string(operation.mode) + " size " + std::to_string(operation.size) +
         " " + letters + (operation.follow == Follow::kYes ? " follow" : "") +
         (operation.exclusive ? " exclusive" : "");
}

// The whole tree as text: names, attributes, contents. `fs` must be allowed to see everything.
inline std::string Dump(FileSystem& fs, const std::string& directory, int depth = 0) {
  std::string text;
  const auto entries = fs.List(directory);
  if (!entries) return "unreadable\n";
  for (const DirectoryEntry& entry : *entries) {
    const std::string path = JoinPath(directory, entry.name);
    const auto found = fs.Stat(path, Follow::kNo);
    text += path + " " + (found ? Describe(*found) : "gone");
    if (entry.type == FileType::kSymlink) text += " -> " + fs.ReadLink(path).value_or("?");
    if (entry.type == FileType::kFile) {
      text += " #" + std::to_string(std::hash<std::string>()(ReadFile(fs, path).value_or("?")));
    }
    text += "\n";
    if (entry.type == FileType::kDirectory && depth < 50) text += Dump(fs, path, depth + 1);
  }
  return text;
}

}  // namespace paddock::vfs
