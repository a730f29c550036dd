// paddock cp: files between this machine and a sandbox of a daemon.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "base/descriptor.h"
#include "cli/cli.h"
#include "cli/present.h"
#include "cli/client/progress.h"
#include "cli/client/subcommand.h"

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
                               .help = "Usage: paddock cp [OPTION]... FILE SANDBOX:PATH\n"
                                       "  or:  paddock cp [OPTION]... SANDBOX:PATH FILE\n"
                                       "Copies a file into a sandbox of a daemon, or out of one; what was there is replaced at once,\n"
                                       "by all of it. '-' is our stdin or stdout. A PATH or FILE that is a directory, or ends with a\n"
                                       "slash, gets the file under its own name.\n\n",
                               .least = 2, .most = 2, .operands = "what to copy, and where to"};

// What errno says about a file of this machine.
Error HostError(const std::string& path) { return {static_cast<Code>(errno), path + ": " + std::strerror(errno)}; }

struct Place {
  std::string sandbox;   // empty: this machine
  std::string path;
};

// "dev:/a" is in a sandbox; "./a:b" and "/a:b" are not.
Place PlaceOf(const std::string& text) {
  const size_t colon = text.find(':');
  if (colon == std::string::npos || colon == 0 || text.find('/') < colon || text[0] == '.') return {{}, text};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

std::string NameIn(const std::string& path) {
  const size_t slash = path.find_last_of('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

std::string ContentPath(const Place& place) { return SandboxPath(place.sandbox, "/files/content?path=") + EncodePercent(place.path); }

Result<bool> IsDirectoryInside(Link& link, const Place& place) {
  const auto stat = link.Get(SandboxPath(place.sandbox, "/files/stat?path=") + EncodePercent(place.path));
  if (!stat) {
    if (stat.error().code != Code::kNoEntry) return stat.error();
    PADDOCK_TRY(link.Get(SandboxPath(place.sandbox)));   // is it the sandbox that is absent?
    return false;
  }
  return TextOf(stat->as_object(), "type") == "directory";
}

Status CopyIn(Link& link, const std::string& from, Place to, bool is_quiet) {
  const bool is_stdin = from == "-";
  Descriptor opened(is_stdin ? -1 : open(from.c_str(), O_RDONLY | O_CLOEXEC));
  if (!is_stdin && !opened) return HostError(from);
  const int file = is_stdin ? STDIN_FILENO : opened.get();
  struct stat facts{};
  if (fstat(file, &facts) != 0) return HostError(from);
  if (S_ISDIR(facts.st_mode)) return Error(Code::kNotSupported, from + " is a directory; this version copies files");
  PADDOCK_ASSIGN(const bool is_directory, IsDirectoryInside(link, to));
  if (is_directory || to.path.ends_with('/')) {
    if (is_stdin) return Error(Code::kInvalid, to.path + " is a directory: name the file that stdin becomes");
    to.path += (to.path.ends_with('/') ? "" : "/") + NameIn(from);
  }
  net::ClientRequest request{.method = "PUT", .target = ContentPath(to), .asks_first = true};
  if (S_ISREG(facts.st_mode)) {
    request.source_length = static_cast<uint64_t>(facts.st_size);
    char mode[16];
    std::snprintf(mode, sizeof mode, "&mode=%04o", facts.st_mode & 0777u);
    request.target += mode;
  }
  Progress progress(is_quiet, request.source_length);
  uint64_t left = request.source_length.value_or(UINT64_MAX);
  request.source = [&](std::span<char> buffer) -> Result<size_t> {
    while (true) {
      const ssize_t got = read(file, buffer.data(), std::min<uint64_t>(buffer.size(), left));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return HostError(from);
      left -= static_cast<uint64_t>(got);
      progress.Add(static_cast<uint64_t>(got));
      return static_cast<size_t>(got);
    }
  };
  PADDOCK_ASSIGN(const auto response, link.Send(std::move(request)));
  PADDOCK_TRY(response->ReadAll(1 << 20));
  return {};
}

Status CopyOut(Link& link, const Place& from, std::string to, bool is_quiet) {
  PADDOCK_ASSIGN(const bool is_directory, IsDirectoryInside(link, from));
  if (is_directory) return Error(Code::kNotSupported, from.path + " is a directory; this version copies files");
  PADDOCK_ASSIGN(const auto response, link.Send({.method = "GET", .target = ContentPath(from)}));
  std::error_code ignored;
  if (to.ends_with('/') || std::filesystem::is_directory(to, ignored)) to += (to.ends_with('/') ? "" : "/") + NameIn(from.path);
  const bool is_stdout = to == "-";
  // Beside the target under another name, which it takes over at the end: nobody sees half a file.
  const std::string draft = to + ".paddock-" + std::to_string(getpid());
  Descriptor made(is_stdout ? -1 : open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666));
  if (!is_stdout && !made) return HostError(to);
  const int file = is_stdout ? STDOUT_FILENO : made.get();
  std::optional<uint64_t> length;
  if (const std::string* text = response->Header("Content-Length")) length = std::strtoull(text->c_str(), nullptr, 10);
  Progress progress(is_quiet || is_stdout, length);
  const auto copy = [&]() -> Status {
    std::vector<char> buffer(256 << 10);
    while (true) {
      PADDOCK_ASSIGN(const size_t got, response->Read(buffer));
      if (got == 0) break;
      for (size_t done = 0; done < got;) {
        const ssize_t wrote = write(file, buffer.data() + done, got - done);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote < 0) return HostError(to);
        done += static_cast<size_t>(wrote);
      }
      progress.Add(got);
    }
    if (!is_stdout && rename(draft.c_str(), to.c_str()) != 0) return HostError(to);
    return {};
  };
  const Status status = copy();
  if (!status && !is_stdout) unlink(draft.c_str());
  return status;
}

Status Copy(const CpOptions& options, const std::vector<std::string>& operands) {
  const Place from = PlaceOf(operands[0]), to = PlaceOf(operands[1]);
  if (from.sandbox.empty() == to.sandbox.empty()) {
    return Error(Code::kInvalid, from.sandbox.empty() ? "one of the two must be in a sandbox: write SANDBOX:PATH" : "one of the two must be on this machine; '-' is a pipe's end");
  }
  PADDOCK_ASSIGN(Link link, Link::Open(options.link));
  return from.sandbox.empty() ? CopyIn(link, from.path, to, options.is_quiet) : CopyOut(link, from, to.path, options.is_quiet);
}

}  // namespace

int RunCp(const sandbox::DriverSet&, std::span<const std::string> args) {
  CpOptions options;
  const BegunSubcommand begun = BeginSubcommand(kText, args, kOptions, &options);
  return begun.status ? *begun.status : EndSubcommand("cp", [&] { return Copy(options, begun.operands); });
}

}  // namespace paddock::cli
