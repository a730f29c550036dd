#include "drivers/docker/plain/plain_files.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "drivers/docker/plain/file_script.h"
#include "drivers/docker/plain/plain_open_file.h"
#include "drivers/docker/plain/shell_text.h"

namespace paddock::docker {
namespace {

constexpr size_t kMostListed = 64 << 20;   // bytes
constexpr size_t kMostEntries = 1'000'000;
constexpr int kMostLinks = 40;

bool Follows(vfs::Follow follow) { return follow == vfs::Follow::kYes; }

std::string Octal(uint32_t value) {
  std::string text;
  do text.insert(text.begin(), static_cast<char>('0' + (value & 7)));
  while ((value >>= 3) != 0);
  return "0" + text;
}

// What is there at all: a dangling link is something, too.
std::string IsThere(const std::string& quoted) { return "[ -e " + quoted + " ] || [ -L " + quoted + " ]"; }

// "[-]SECONDS" and "[-]SECONDS.FRACTION" as touch takes them.
std::string TouchTime(Nanoseconds time) {
  auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  std::string fraction = std::to_string((time - seconds).count());
  return std::to_string(seconds.count()) + "." + std::string(9 - fraction.size(), '0') + fraction;
}

std::vector<std::string_view> Words(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const size_t end = std::min(text.find_first_of(" \n"), text.size());
    if (end > 0) words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

std::optional<uint64_t> Count(std::string_view text, int base = 10) {
  uint64_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return parsed.ec == std::errc() && parsed.ptr == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

}  // namespace

Result<std::string> PlainFileSystem::Inner(std::string_view path) const {
  if (path.empty()) return Code::kNoEntry;
  if (path.find('\0') != path.npos) return Code::kInvalid;
  if (path.size() >= vfs::kMaxPath) return Code::kNameTooLong;
  std::string inner = vfs::JoinPath(cwd_, path);
  if (inner.size() >= vfs::kMaxPath) return Code::kNameTooLong;
  return inner;
}

Result<vfs::Attributes> PlainFileSystem::Stat(std::string_view path, vfs::Follow follow) {
  PADDOCK_ASSIGN(const std::string inner, Inner(path));
  PADDOCK_ASSIGN(const std::string said, RunFileScript(*inside_, StatCommand(Quoted(inner), Follows(follow))));
  return ParseAttributes(said);
}

Result<vfs::OpenFilePtr> PlainFileSystem::Open(std::string_view path, const vfs::OpenFlags& flags, uint32_t mode) {
  PADDOCK_ASSIGN(const std::string inner, Inner(path));
  const std::string p = Quoted(inner);
  const uint32_t permissions = mode & 07777 & ~umask();
  // A shell makes files that nobody can execute.
  const std::string make = "( umask " + Octal(~permissions & 0777) + "; set -C; : > " + p + " ) || exit 1\n" +
                           ((permissions & ~0666u) != 0 ? "chmod " + Octal(permissions) + " " + p + " || exit 1\n" : "");
  std::string script;
  if (flags.no_follow) script += "[ -L " + p + " ] && " + ExitWith(Code::kLoop) + "\n";
  if (flags.create && flags.exclusive) {
    script += "{ " + IsThere(p) + "; } && " + ExitWith(Code::kExists) + "\n" + make;
  } else {
    script += "m=$(stat -L -c %f " + p + " 2>/dev/null) || { ";
    if (flags.create) script += "[ -L " + p + " ] && { : > " + p + " || exit 1; } || {\n" + make + "}\nm=$(stat -L -c %f " + p + ") || exit 1\n}\n";
    else script += "stat -L -c %f " + p + "; exit 1; }\n";
    script += "case $m in\n4*)";
    if (flags.write || flags.create) script += " " + ExitWith(Code::kIsDirectory);
    script += " ;;\n8*)";
    if (flags.directory) script += " " + ExitWith(Code::kNotDirectory) + "\n";
    if (flags.read) script += " ( : < " + p + " ) || exit 1\n";
    if (flags.write) script += " ( : >" + std::string(flags.truncate ? " " : "> ") + p + " ) || exit 1\n";
    script += " ;;\n2*)";
    if (flags.directory) script += " " + ExitWith(Code::kNotDirectory) + "\n";
    script += " case $(stat -L -c %t:%T " + p + ") in 1:3 | 1:5 | 1:7 | 1:8 | 1:9) ;; *) " + ExitWith(Code::kNoDevice) + " ;; esac ;;\n";
    script += "*) " + ExitWith(flags.directory ? Code::kNotDirectory : Code::kNoDevice) + " ;;\nesac\n";
  }
  PADDOCK_ASSIGN(const std::string said, RunFileScript(*inside_, script + StatCommand(p, true)));
  PADDOCK_ASSIGN(const vfs::Attributes attributes, ParseAttributes(said));
  return vfs::OpenFilePtr(std::make_shared<PlainOpenFile>(inside_, inner, flags, attributes));
}

Result<std::vector<vfs::DirectoryEntry>> PlainFileSystem::List(std::string_view path) {
  PADDOCK_ASSIGN(const std::string inner, Inner(path));
  const std::string p = Quoted(inner);
  // "MODE INODE ./NAME/": no name holds a slash.
  const std::string script = "m=$(stat -L -c %f " + p + ") || { printf %s \"$m\"; exit 1; }\ncase $m in 4*) ;; *) " + ExitWith(Code::kNotDirectory) + " ;; esac\n" +
                             "cd " + p + " 2>/dev/null || " + ExitWith(Code::kAccess) + "\nfind . -mindepth 1 -maxdepth 1 -exec stat -c '%f %i %n/' {} +";
  PADDOCK_ASSIGN(const std::string said, RunFileScript(*inside_, script, kMostListed));
  std::vector<vfs::DirectoryEntry> entries;
  for (std::string_view rest = said; !rest.empty();) {
    const size_t name_at = rest.find(" ./");
    const size_t end = name_at == rest.npos ? rest.npos : rest.find("/\n", name_at + 3);
    if (end == rest.npos) return Error(Code::kIo, "the image's find and stat print what is not understood");
    const std::vector<std::string_view> numbers = Words(rest.substr(0, name_at));
    const auto mode = numbers.size() == 2 ? Count(numbers[0], 16) : std::nullopt;
    const auto inode = numbers.size() == 2 ? Count(numbers[1]) : std::nullopt;
    std::string name(rest.substr(name_at + 3, end - name_at - 3));
    if (!mode || !inode || name.empty() || name.find('/') != name.npos || name.find('\0') != name.npos || name == "." || name == "..") {
      return Error(Code::kIo, "the image's find and stat print what is not understood");
    }
    if (entries.size() == kMostEntries) return Error(Code::kLimit, "the directory has more than a million entries");
    entries.push_back({std::move(name), TypeOfMode(static_cast<uint32_t>(*mode)), *inode});
    rest.remove_prefix(end + 2);
  }
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return entries;
}

Result<std::string> PlainFileSystem::ReadLink(std::string_view path) {
  PADDOCK_ASSIGN(const std::string inner, Inner(path));
  const std::string p = Quoted(inner);
  PADDOCK_ASSIGN(std::string target, RunFileScript(*inside_, "m=$(stat -c %f " + p + ") || { printf %s \"$m\"; exit 1; }\ncase $m in a*) readlink " + p + " ;; *) " +
                                                                 ExitWith(Code::kInvalid) + " ;; esac"));
  if (target.ends_with('\n')) target.pop_back();
  if (target.empty() || target.size() >= vfs::kMaxPath || target.find('\0') != target.npos) return Code::kIo;
  return target;
}

Status PlainFileSystem::MakeDirectory(std::string_view path, uint32_t mode) {
  PADDOCK_ASSIGN(const std::string inner, Inner(path));
  PADDOCK_TRY(RunFileScript(*inside_, "mkdir -m " + Octal(mode & 01777 & ~umask()) + " " + Quoted(inner)));
  return {};
}

Status PlainFileSystem::MakeNode(std::string_view path, vfs::FileType type, uint32_t mode, uint64_t) {
  PADDOCK_ASSIGN(const std::string inner, Inner(path));
  if (type == vfs::FileType::kDirectory) return Code::kNotPermitted;
  if (type == vfs::FileType::kSymlink) return Code::kInvalid;
  if (type == vfs::FileType::kFile) {
    PADDOCK_TRY(Open(path, {.write = true, .create = true, .exclusive = true}, mode));
    return {};
  }
  if (type != vfs::FileType::kFifo) return Code::kNotPermitted;
  PADDOCK_TRY(RunFileScript(*inside_, "mkfifo -m " + Octal(mode & 0777 & ~umask()) + " " + Quoted(inner)));
  return {};
}

Status PlainFileSystem::MakeSymlink(std::string_view target, std::string_view path) {
  if (target.empty()) return Code::kNoEntry;
  if (target.size() >= vfs::kMaxPath) return Code::kNameTooLong;
  if (target.find('\0') != target.npos) return Code::kInvalid;
  PADDOCK_ASSIGN(const std::string inner, Inner(path));
  const std::string p = Quoted(inner);
  PADDOCK_TRY(RunFileScript(*inside_, "{ " + IsThere(p) + "; } && " + ExitWith(Code::kExists) + "\nln -s -- " + Quoted(target) + " " + p));
  return {};
}

Status PlainFileSystem::MakeLink(std::string_view existing, std::string_view path, vfs::Follow follow) {
  PADDOCK_ASSIGN(std::string from, Inner(existing));
  PADDOCK_ASSIGN(const std::string to, Inner(path));
  if (Follows(follow)) {
    PADDOCK_ASSIGN(from, Canonical(from));
  }
  const std::string f = Quoted(from), p = Quoted(to);
  // link(1) is exactly the system call; ln of some images follows links.
  PADDOCK_TRY(RunFileScript(*inside_, "m=$(stat -c %f " + f + ") || { printf %s \"$m\"; exit 1; }\n{ " + IsThere(p) + "; } && " + ExitWith(Code::kExists) +
                                          "\ncase $m in 4*) " + ExitWith(Code::kNotPermitted) + " ;; esac\nlink " + f + " " + p));
  return {};
}

Status PlainFileSystem::RemoveFile(std::string_view path) {
  PADDOCK_ASSIGN(const std::string inner, Inner(path));
  PADDOCK_TRY(RunFileScript(*inside_, "unlink " + Quoted(inner)));
  return {};
}

Status PlainFileSystem::RemoveDirectory(std::string_view path) {
  PADDOCK_ASSIGN(const std::string inner, Inner(path));
  PADDOCK_TRY(RunFileScript(*inside_, "rmdir " + Quoted(inner)));
  return {};
}

Status PlainFileSystem::Rename(std::string_view from, std::string_view to, bool exclusive) {
  PADDOCK_ASSIGN(const std::string old_path, Inner(from));
  PADDOCK_ASSIGN(const std::string new_path, Inner(to));
  const std::string f = Quoted(old_path), p = Quoted(new_path);
  std::string script = "m=$(stat -c '%f %d:%i' " + f + ") || { printf %s \"$m\"; exit 1; }\n";
  script += "if " + IsThere(p) + "; then\n" + (exclusive ? ExitWith(Code::kExists) + "\n" : "");
  script += "n=$(stat -c '%f %d:%i' " + p + ") || exit 1\n[ \"$m\" = \"$n\" ] && exit 0\n";
  script += "case $m/$n in\n4*/4*) rmdir " + p + " || exit 1 ;;\n4*) " + ExitWith(Code::kNotDirectory) + " ;;\n*/4*) " + ExitWith(Code::kIsDirectory) + " ;;\nesac\nfi\n";
  // Both tools say it, in words of their own.
  script += "o=$(mv -f " + f + " " + p + " 2>&1) && exit 0\ncase $o in *'subdirectory of itself'*) " + ExitWith(Code::kInvalid) + " ;; esac\nprintf %s \"$o\"\nexit 1";
  PADDOCK_TRY(RunFileScript(*inside_, script));
  return {};
}

Status PlainFileSystem::SetMode(std::string_view path, uint32_t mode, vfs::Follow follow) {
  PADDOCK_ASSIGN(const std::string inner, Inner(path));
  const std::string p = Quoted(inner);
  PADDOCK_TRY(RunFileScript(*inside_, (Follows(follow) ? "" : "[ -L " + p + " ] && " + ExitWith(Code::kNotSupported) + "\n") + "chmod " + Octal(mode & 07777) + " " + p));
  return {};
}

Status PlainFileSystem::SetOwner(std::string_view path, std::optional<uint32_t> uid, std::optional<uint32_t> gid, vfs::Follow follow) {
  if (uid == ~uint32_t{0} || gid == ~uint32_t{0}) return Code::kInvalid;
  if (!uid && !gid) {
    PADDOCK_TRY(Stat(path, follow));
    return {};
  }
  PADDOCK_ASSIGN(const std::string inner, Inner(path));
  const std::string owner = (uid ? std::to_string(*uid) : "") + (gid ? ":" + std::to_string(*gid) : "");
  PADDOCK_TRY(RunFileScript(*inside_, std::string("chown ") + (Follows(follow) ? "" : "-h ") + owner + " " + Quoted(inner)));
  return {};
}

Status PlainFileSystem::SetTimes(std::string_view path, std::optional<Nanoseconds> access, std::optional<Nanoseconds> modify, vfs::Follow follow) {
  if (!access && !modify) return {};
  PADDOCK_ASSIGN(const std::string inner, Inner(path));
  const std::string p = Quoted(inner);
  const std::string flags = std::string("-c ") + (Follows(follow) ? "" : "-h ");
  std::string script = std::string("m=$(stat ") + (Follows(follow) ? "-L " : "") + "-c %f " + p + ") || { printf %s \"$m\"; exit 1; }\n";
  const auto set = [&](const std::string& which, Nanoseconds time) {
    if (time == vfs::kNow) {
      script += "touch " + flags + which + " " + p + " || exit 1\n";
      return;
    }
    // BusyBox takes no fraction.
    const std::string fine = TouchTime(time);
    script += "touch " + flags + which + " -d @" + fine + " " + p + " 2>/dev/null || touch " + flags + which + " -d @" + fine.substr(0, fine.find('.')) + " " + p + " || exit 1\n";
  };
  if (access && modify && *access == *modify) {
    set("", *access);
  } else {
    if (access) set("-a", *access);
    if (modify) set("-m", *modify);
  }
  PADDOCK_TRY(RunFileScript(*inside_, script));
  return {};
}

Status PlainFileSystem::Truncate(std::string_view path, uint64_t size) {
  if (size > INT64_MAX) return Code::kFileTooBig;
  PADDOCK_ASSIGN(const std::string inner, Inner(path));
  const std::string p = Quoted(inner);
  PADDOCK_TRY(RunFileScript(*inside_, "m=$(stat -L -c %f " + p + ") || { printf %s \"$m\"; exit 1; }\ncase $m in 8*) ;; 4*) " + ExitWith(Code::kIsDirectory) + " ;; *) " +
                                          ExitWith(Code::kInvalid) + " ;; esac\ntruncate -c -s " + std::to_string(size) + " " + p));
  return {};
}

Status PlainFileSystem::Access(std::string_view path, uint32_t bits) {
  PADDOCK_ASSIGN(const std::string inner, Inner(path));
  const std::string p = Quoted(inner);
  std::string script = "m=$(stat -L -c %f " + p + ") || { printf %s \"$m\"; exit 1; }\n";
  for (const auto& [bit, test] : {std::pair(4u, "-r"), std::pair(2u, "-w"), std::pair(1u, "-x")}) {
    if ((bits & bit) != 0) script += std::string("[ ") + test + " " + p + " ] || " + ExitWith(Code::kAccess) + "\n";
  }
  PADDOCK_TRY(RunFileScript(*inside_, script + "exit 0"));
  return {};
}

Result<std::string> PlainFileSystem::Canonical(std::string_view path, MustExist must_exist) {
  PADDOCK_ASSIGN(std::string rest, Inner(path));
  const bool takes_missing = must_exist == MustExist::kNone;
  std::string done;          // "" for the root
  size_t beyond = 0;         // the last components of `done` that are missing, or lie below what is no directory
  Code failure = Code::kOk;  // why
  const auto append = [&](std::string_view name, Code why) {
    if (why != Code::kOk && beyond++ == 0) failure = why;
    done += '/';
    done += name;
  };
  int links_left = kMostLinks;
  for (size_t begin = 0; begin < rest.size();) {
    const size_t end = std::min(rest.find('/', begin), rest.size());
    const std::string name = rest.substr(begin, end - begin);
    begin = end + 1;
    if (name.empty()) continue;
    if (beyond > 0 && !takes_missing) return failure;
    if (name == ".") continue;
    if (name == "..") {
      done.resize(done.empty() ? 0 : done.rfind('/'));
      if (beyond > 0) --beyond;
      continue;
    }
    if (beyond > 0) {
      append(name, Code::kNoEntry);
      continue;
    }
    const std::string here = done + "/" + name;
    if (here.size() >= vfs::kMaxPath) return Code::kNameTooLong;
    const std::string p = Quoted(here);
    const auto found = RunFileScript(*inside_, "m=$(stat -c %f " + p + ") || { printf %s \"$m\"; exit 1; }\ncase $m in a*) readlink " + p + " ;; 4*) printf / ;; esac");
    if (!found) {
      if (!found.error().message.empty()) return found.error();
      const Code why = found.error().code;
      if (!takes_missing && (must_exist == MustExist::kAll || why != Code::kNoEntry)) return why;
      append(name, why);
      continue;
    }
    if (found->ends_with('\n')) {
      if (links_left-- > 0) {
        std::string target = found->substr(0, found->size() - 1);
        if (target.empty() || target.size() >= vfs::kMaxPath || target.find('\0') != target.npos) return Code::kIo;
        if (end < rest.size()) target += rest.substr(end);
        rest = std::move(target);
        begin = 0;
        if (rest.starts_with('/')) done.clear();
        continue;
      }
      if (!takes_missing) return Code::kLoop;
    }
    append(name, *found == "/" ? Code::kOk : Code::kNotDirectory);
  }
  if (rest.ends_with('/') && beyond > 0 && failure == Code::kNotDirectory && !takes_missing) return Code::kNotDirectory;
  return done.empty() ? std::string("/") : done;
}

Result<vfs::SpaceInfo> PlainFileSystem::Space(std::string_view path) {
  PADDOCK_ASSIGN(const std::string inner, Inner(path));
  PADDOCK_ASSIGN(const std::string said, RunFileScript(*inside_, "stat -f -c '%T %S %b %f %c %d' " + Quoted(inner)));
  const std::vector<std::string_view> words = Words(said);
  std::optional<uint64_t> numbers[5];
  for (size_t i = 0; i < 5 && words.size() == 6; ++i) numbers[i] = Count(words[i + 1]);
  for (const auto& one : numbers) {
    if (!one) return Error(Code::kIo, "the image's stat prints what is not understood");
  }
  const uint64_t block = *numbers[0];
  vfs::SpaceInfo info;
  info.type = std::string(words[0].substr(0, 40));
  info.source = info.type;
  if (__builtin_mul_overflow(*numbers[1], block, &info.total_bytes)) return Code::kOverflow;
  info.used_bytes = info.total_bytes - std::min(info.total_bytes, std::min(*numbers[2], *numbers[1]) * block);
  info.total_inodes = *numbers[3];
  info.used_inodes = *numbers[3] - std::min(*numbers[3], *numbers[4]);
  return info;
}

}  // namespace paddock::docker
