// paddock cp: files between this machine and a sandbox of a daemon.

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "base/descriptor.h"
#include "cli/cli.h"
#include "cli/client/copy_tree.h"
#include "cli/client/interrupts.h"
#include "cli/client/progress.h"
#include "cli/client/subcommand.h"
#include "cli/present.h"

namespace paddock::cli {
namespace {

struct CpOptions {
  LinkOptions link;   // first: the table begins with its options
  bool is_quiet = false;
};
constexpr Option kOptions[] = {
    kLinkOptions[0], kLinkOptions[1], kLinkOptions[2],
    Flag<&CpOptions::is_quiet>('q', "quiet", "show no progress"),
};
constexpr SubcommandText kText{.name = "cp",
                               .help = "Usage: paddock cp [OPTION]... SOURCE SANDBOX:PATH\n"
                                       "  or:  paddock cp [OPTION]... SANDBOX:PATH TARGET\n"
                                       "Copies a file, or a directory with all that is in it, into a sandbox of a daemon or out of one.\n"
                                       "A target that is a directory gets the source under its own name; one that is not there becomes the\n"
                                       "copy. SOURCE/. means what is in the directory. A slash behind a directory changes nothing; a TARGET/\n"
                                       "for a file is a directory. '-' is our stdin or stdout; a directory is written there as a tar archive.\n"
                                       "\n"
                                       "A file, or a directory that was not there, is there as a whole in the end or not at all, also after\n"
                                       "Ctrl-C. In a directory that is there, directories are merged and files replaced. A symlink is\n"
                                       "followed where it is named here, and copied as a symlink within a directory. Permissions are kept, on\n"
                                       "the way out less the umask; owners are not.\n\n",
                               .least = 2, .most = 2, .operands = "what to copy, and where to",
                               .exit_status = "0, 1 when it could not be done or not all could be read, 2 for a usage error, 130 after Ctrl-C."};

// What errno says about a file of this machine.
Error HostError(const std::string& path) { return {static_cast<Code>(errno), path + ": " + std::strerror(errno)}; }

// "dev:/a" is in a sandbox; "./a:b" and "/a:b" are not.
Place PlaceOf(const std::string& text) {
  const size_t colon = text.find(':');
  if (colon == std::string::npos || colon == 0 || text.find('/') < colon || text[0] == '.') return {{}, text};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

// The last name of a path; empty where that is none ("..", "/"): then its content is meant.
std::string NameIn(std::string path) {
  while (path.ends_with('/')) path.pop_back();
  const size_t slash = path.find_last_of('/');
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  return name == "." || name == ".." ? "" : name;
}

// "dir/." and what has no name of its own.
bool IsContentMeant(const std::string& path) { return path.ends_with("/.") || NameIn(path).empty(); }

// What `source` becomes in the directory `target`.
std::string PathIn(const std::string& target, const std::string& source) {
  const std::string name = NameIn(source);
  return name.empty() || target.ends_with('/') ? target + name : target + "/" + name;
}

std::string ContentPath(const Place& place) { return SandboxPath(place.sandbox, "/files/content?path=") + EncodePercent(place.path); }

struct Inside {
  bool exists = false, is_directory = false;
  std::string mode;   // "0644", of a file
};

Result<Inside> LookInside(Link& link, const Place& place) {
  const std::string target = SandboxPath(place.sandbox, "/files/stat?path=") + EncodePercent(place.path);
  auto stat = link.Get(target);
  if (!stat) {
    if (stat.error().code != Code::kNoEntry) return stat.error();
    PADDOCK_TRY(link.Get(SandboxPath(place.sandbox)));   // is it the sandbox that is absent?
    return Inside();
  }
  std::string type = TextOf(stat->as_object(), "type");
  if (type == "symlink") {
    const auto behind = link.Get(target + "%2F");
    return Inside{.exists = true, .is_directory = behind.has_value(), .mode = {}};
  }
  return Inside{.exists = true, .is_directory = type == "directory", .mode = type == "file" ? TextOf(stat->as_object(), "mode") : ""};
}

// Waits for stdin or a FIFO, which may be silent, and reads. 0 is the end.
Result<size_t> ReadSome(int file, std::span<char> buffer, const std::string& name, const net::Cancellation& cancellation) {
  while (true) {
    pollfd waits[2] = {{file, POLLIN, 0}, {cancellation.fd(), POLLIN, 0}};
    if (poll(waits, 2, -1) < 0 && errno != EINTR) return HostError(name);
    if (waits[1].revents != 0) return Code::kCancelled;
    if (waits[0].revents == 0) continue;
    const ssize_t got = read(file, buffer.data(), buffer.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got < 0) return HostError(name);
    return static_cast<size_t>(got);
  }
}

Status CopyFileIn(Link& link, int file, const struct stat& facts, const std::string& from, Place to, const TreeCopy& copy) {
  PADDOCK_ASSIGN(const Inside inside, LookInside(link, to));
  if (inside.is_directory || to.path.ends_with('/')) {
    if (from == "-") return Error(Code::kInvalid, to.path + " is a directory: name the file that stdin becomes");
    to.path = PathIn(to.path, from);
  }
  net::ClientRequest request{.method = "PUT", .target = ContentPath(to), .asks_first = true};
  if (S_ISREG(facts.st_mode)) {
    request.source_length = static_cast<uint64_t>(facts.st_size);
    char mode[16];
    std::snprintf(mode, sizeof mode, "&mode=%04o", facts.st_mode & 0777u);
    request.target += mode;
  }
  Progress progress(copy.is_quiet, request.source_length);
  uint64_t left = request.source_length.value_or(UINT64_MAX);
  request.source = [&](std::span<char> buffer) -> Result<size_t> {
    PADDOCK_ASSIGN(const size_t got, ReadSome(file, buffer.first(std::min<uint64_t>(buffer.size(), left)), from, *copy.interrupts.cancellation()));
    left -= got;
    progress.Add(got);
    return got;
  };
  PADDOCK_ASSIGN(const auto response, link.Send(std::move(request)));
  PADDOCK_TRY(response->ReadAll(1 << 20));
  return {};
}

}  // namespace

Status CopyIn(Link& link, const std::string& from, Place to, const TreeCopy& copy) {
  const bool is_stdin = from == "-";
  const Descriptor opened(is_stdin ? -1 : open(from.c_str(), O_RDONLY | O_CLOEXEC));
  if (!is_stdin && !opened) return HostError(from);
  const int file = is_stdin ? STDIN_FILENO : opened.get();
  struct stat facts{};
  if (fstat(file, &facts) != 0) return HostError(from);
  if (is_stdin || !S_ISDIR(facts.st_mode)) return CopyFileIn(link, file, facts, from, to, copy);
  PADDOCK_ASSIGN(const Inside inside, LookInside(link, to));
  if (inside.exists && !inside.is_directory) return Error(Code::kNotDirectory, to.path + " is no directory, " + from + " is one");
  if (inside.is_directory && !IsContentMeant(from)) to.path = PathIn(to.path, from);
  return CopyTreeIn(link, from, to, copy);
}

namespace {

// Writes, leaving out what is zero where the file can have holes.
class FileWriter {
 public:
  FileWriter(int file, bool may_have_holes) : file_(file), may_have_holes_(may_have_holes) {}

  bool Write(std::string_view bytes) {
    for (; !bytes.empty(); bytes.remove_prefix(std::min(kHole, bytes.size()))) {
      const std::string_view piece = bytes.substr(0, kHole);
      if (may_have_holes_ && piece[0] == '\0' && std::memcmp(piece.data(), piece.data() + 1, piece.size() - 1) == 0) {
        if (!Flush()) return false;
        hole_ += piece.size();
        continue;
      }
      if (hole_ > 0 && lseek(file_, static_cast<off_t>(std::exchange(hole_, 0)), SEEK_CUR) < 0) return false;
      if (waiting_.empty()) waiting_ = piece;
      else waiting_ = std::string_view(waiting_.data(), waiting_.size() + piece.size());   // they lie behind one another
    }
    return Flush();
  }
  // After all of it.
  bool Finish(uint64_t size) { return hole_ == 0 || ftruncate(file_, static_cast<off_t>(size)) == 0; }

 private:
  static constexpr size_t kHole = 4096;

  bool Flush() {
    for (; !waiting_.empty();) {
      const ssize_t wrote = write(file_, waiting_.data(), waiting_.size());
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote < 0) return false;
      waiting_.remove_prefix(static_cast<size_t>(wrote));
    }
    waiting_ = {};
    return true;
  }

  const int file_;
  const bool may_have_holes_;
  std::string_view waiting_;
  uint64_t hole_ = 0;
};

Status CopyFileOut(Link& link, const Place& from, std::string to, const std::string& mode, const TreeCopy& copy) {
  PADDOCK_ASSIGN(const auto response, link.Send({.method = "GET", .target = ContentPath(from)}));
  const bool is_stdout = to == "-";
  std::error_code ignored;
  if (!is_stdout && (to.ends_with('/') || std::filesystem::is_directory(to, ignored))) to = PathIn(to, from.path);
  // Beside the target under another name, which it takes over at the end: nobody sees half a file.
  const std::string draft = to + ".paddock-" + std::to_string(getpid());
  const Descriptor made(is_stdout ? -1 : open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode.empty() ? 0666 : std::strtoul(mode.c_str(), nullptr, 8) & 0777));
  if (!is_stdout && !made) return HostError(to);
  std::optional<uint64_t> length;
  if (const std::string* text = response->Header("Content-Length")) length = std::strtoull(text->c_str(), nullptr, 10);
  Progress progress(copy.is_quiet || is_stdout, length);
  FileWriter writer(is_stdout ? STDOUT_FILENO : made.get(), !is_stdout);
  const auto receive = [&]() -> Status {
    std::vector<char> buffer(256 << 10);
    uint64_t size = 0;
    while (true) {
      PADDOCK_ASSIGN(const size_t got, response->Read(buffer));
      if (got == 0) break;
      if (!writer.Write(std::string_view(buffer.data(), got))) return HostError(to);
      size += got;
      progress.Add(got);
    }
    if (!writer.Finish(size)) return HostError(to);
    if (!is_stdout && rename(draft.c_str(), to.c_str()) != 0) return HostError(to);
    return {};
  };
  const Status status = receive();
  if (!status && !is_stdout) unlink(draft.c_str());
  return status;
}

}  // namespace

Status CopyOut(Link& link, const Place& from, std::string to, const TreeCopy& copy) {
  PADDOCK_ASSIGN(const Inside inside, LookInside(link, from));
  if (!inside.is_directory) return CopyFileOut(link, from, to, inside.mode, copy);
  if (to == "-") return WriteArchive(link, from);
  std::error_code ignored;
  if (!IsContentMeant(from.path) && std::filesystem::is_directory(to, ignored)) to = PathIn(to, from.path);
  return CopyTreeOut(link, from, to, copy);
}

namespace {

Status Copy(const CpOptions& options, const std::vector<std::string>& operands, const Interrupts& interrupts) {
  const Place from = PlaceOf(operands[0]), to = PlaceOf(operands[1]);
  if (from.sandbox.empty() == to.sandbox.empty()) {
    return Error(Code::kInvalid, from.sandbox.empty() ? "one of the two must be in a sandbox: write SANDBOX:PATH" : "one of the two must be on this machine; '-' is a pipe's end");
  }
  PADDOCK_ASSIGN(Link link, Link::Open(options.link, interrupts.cancellation()));
  const TreeCopy copy{.link = options.link, .interrupts = interrupts, .is_quiet = options.is_quiet};
  return from.sandbox.empty() ? CopyIn(link, from.path, to, copy) : CopyOut(link, from, to.path, copy);
}

}  // namespace

int RunCp(const sandbox::DriverSet&, std::span<const std::string> args) {
  CpOptions options;
  const BegunSubcommand begun = BeginSubcommand(kText, args, kOptions, &options);
  if (begun.status) return *begun.status;
  const Interrupts interrupts;
  const int status = EndSubcommand("cp", [&]() -> Status {
    Status done = Copy(options, begun.operands, interrupts);
    if (!done && interrupts.signal() != 0) return Error(Code::kCancelled, "interrupted");
    return done;
  });
  return status != 0 && interrupts.signal() != 0 ? 128 + interrupts.signal() : status;
}

}  // namespace paddock::cli
