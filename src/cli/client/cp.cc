// paddock cp: files between this machine and a sandbox of a daemon, or between two of them.

#include <cstdio>
#include <filesystem>

#include "cli/cli.h"
#include "cli/client/copy_tree.h"
#include "cli/client/host_file.h"
#include "cli/client/interrupts.h"
#include "cli/client/progress.h"
#include "cli/client/subcommand.h"
#include "cli/present.h"
#include "vfs/file_system.h"

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
                                       "  or:  paddock cp [OPTION]... SANDBOX:PATH SANDBOX:PATH\n"
                                       "Copies a file, or a directory with all that is in it, into a sandbox of a daemon, out of one, or from\n"
                                       "one to another.\n"
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

Status CopyFileIn(Link& link, HostSource& file, const std::string& from, Place to, const TreeCopy& copy) {
  PADDOCK_ASSIGN(const Inside inside, LookInside(link, to));
  if (inside.is_directory || to.path.ends_with('/')) {
    if (from == "-") return Error(Code::kInvalid, to.path + " is a directory: name the file that stdin becomes");
    to.path = PathIn(to.path, from);
  }
  net::ClientRequest request{.method = "PUT", .target = ContentPath(to), .asks_first = true};
  request.source_length = file.size();
  if (file.size()) {
    char mode[16];
    std::snprintf(mode, sizeof mode, "&mode=%04o", file.mode() & 0777u);
    request.target += mode;
  }
  Progress progress(copy.is_quiet, request.source_length);
  request.source = [&](std::span<char> buffer) -> Result<size_t> {
    PADDOCK_ASSIGN(const size_t got, file.Read(buffer, copy.interrupts.cancellation().get()));
    progress.Add(got);
    return got;
  };
  PADDOCK_ASSIGN(const auto response, link.Send(std::move(request)));
  PADDOCK_TRY(response->ReadAll(1 << 20));
  return {};
}

}  // namespace

Status CopyIn(Link& link, const std::string& from, Place to, const TreeCopy& copy) {
  PADDOCK_ASSIGN(HostSource file, HostSource::Open(from));
  if (!file.is_directory()) return CopyFileIn(link, file, from, to, copy);
  PADDOCK_ASSIGN(const Inside inside, LookInside(link, to));
  if (inside.exists && !inside.is_directory) return Error(Code::kNotDirectory, to.path + " is no directory, " + from + " is one");
  if (inside.is_directory && !IsContentMeant(from)) to.path = PathIn(to.path, from);
  return CopyTreeIn(link, from, to, copy);
}

namespace {

Status CopyFileOut(Link& link, const Place& from, std::string to, const std::string& mode, const TreeCopy& copy) {
  PADDOCK_ASSIGN(const auto response, link.Send({.method = "GET", .target = ContentPath(from)}));
  const bool is_stdout = to == "-";
  std::error_code ignored;
  if (!is_stdout && (to.ends_with('/') || std::filesystem::is_directory(to, ignored))) to = PathIn(to, from.path);
  std::optional<uint64_t> length;
  if (const std::string* text = response->Header("Content-Length")) length = std::strtoull(text->c_str(), nullptr, 10);
  Progress progress(copy.is_quiet || is_stdout, length);
  return ReceiveFile(*response, to, mode.empty() ? 0666 : std::strtoul(mode.c_str(), nullptr, 8) & 0777, progress);
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

// "SANDBOX:PATH: " in front of what the daemon says of one of two.
Error About(const Place& place, const Error& error) {
  const std::string text(error.Text());
  const std::string path = place.path + ": ";   // the daemon's own way to name it
  return Error(error.code, Harmless(place.sandbox + ":" + place.path) + ": " + (text.starts_with(path) ? text.substr(path.size()) : text));
}

Status CopyFileBetween(Link& source, const Place& from, Link& target, const Place& to, const std::string& mode, const TreeCopy& copy) {
  auto answer = source.Send({.method = "GET", .target = ContentPath(from)});
  if (!answer) return About(from, answer.error());
  net::ClientRequest request{.method = "PUT", .target = ContentPath(to) + (mode.empty() ? "" : "&mode=" + mode), .asks_first = true};
  if (const std::string* length = (*answer)->Header("Content-Length")) request.source_length = std::strtoull(length->c_str(), nullptr, 10);
  Progress progress(copy.is_quiet, request.source_length);
  Status reading;   // what the one connection said, rather than what the other makes of it
  request.source = [&](std::span<char> buffer) -> Result<size_t> {
    const auto got = (*answer)->Read(buffer);
    if (!got) reading = got.error();
    else progress.Add(*got);
    return got;
  };
  const auto response = target.Send(std::move(request));
  if (!reading) return About(from, reading.error());
  if (!response) return About(to, response.error());
  PADDOCK_TRY((*response)->ReadAll(1 << 20));
  return {};
}

Status CopyBetween(const Place& from, Place to, const TreeCopy& copy) {
  PADDOCK_ASSIGN(Link source, Link::Open(copy.link, copy.interrupts.cancellation()));
  PADDOCK_ASSIGN(Link target, Link::Open(copy.link, copy.interrupts.cancellation()));
  const auto one = LookInside(source, from), other = LookInside(target, to);
  if (!one) return About(from, one.error());
  if (!other) return About(to, other.error());
  if (!one->exists) return About(from, Code::kNoEntry);
  if (one->is_directory && other->exists && !other->is_directory) return About(to, Error(Code::kNotDirectory, "is no directory, " + Harmless(from.sandbox + ":" + from.path) + " is one"));
  if (one->is_directory ? other->is_directory && !IsContentMeant(from.path) : other->is_directory || to.path.ends_with('/')) to.path = PathIn(to.path, from.path);
  PADDOCK_ASSIGN(const json::value here, source.Get(SandboxPath(from.sandbox)));
  PADDOCK_ASSIGN(const json::value there, target.Get(SandboxPath(to.sandbox)));
  if (TextOf(here.as_object(), "id") == TextOf(there.as_object(), "id")) {
    const std::string above = vfs::NormalizePath(from.path), below = vfs::NormalizePath(to.path);
    if (above == below || (one->is_directory && (above == "/" || below.starts_with(above + "/")))) {
      return About(to, Error(Code::kInvalid, above == below ? "is the same as what is copied" : "lies within " + Harmless(from.path)));
    }
  }
  if (!one->is_directory) return CopyFileBetween(source, from, target, to, one->mode, copy);
  const Status copied = CopyTreeBetween(source, from, target, to, copy);
  return copied ? copied : Status(About(to, copied.error()));
}

Status Copy(const CpOptions& options, const std::vector<std::string>& operands, const Interrupts& interrupts) {
  const Place from = PlaceOf(operands[0]), to = PlaceOf(operands[1]);
  if (from.sandbox.empty() && to.sandbox.empty()) return Error(Code::kInvalid, "one of the two must be in a sandbox: write SANDBOX:PATH");
  const TreeCopy copy{.link = options.link, .interrupts = interrupts, .is_quiet = options.is_quiet};
  if (!from.sandbox.empty() && !to.sandbox.empty()) return CopyBetween(from, to, copy);
  PADDOCK_ASSIGN(Link link, Link::Open(options.link, interrupts.cancellation()));
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
