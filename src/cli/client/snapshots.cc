// paddock snapshot, fork: states of a daemon's sandboxes.

#include <unistd.h>

#include <cstdio>

#include "cli/cli.h"
#include "cli/client/host_file.h"
#include "cli/client/progress.h"
#include "cli/client/subcommand.h"
#include "cli/present.h"

namespace paddock::cli {
namespace {

// ---- snapshot

struct SnapshotOptions {
  LinkOptions link;   // first: the table begins with its options
  bool force = false, shows_patch = false, is_quiet = false, is_json = false;
};

constexpr Option kSnapshotOptions[] = {
    kLinkOptions[0], kLinkOptions[1], kLinkOptions[2],
    Flag<&SnapshotOptions::force>('f', "force", "with restore: end what runs in the sandbox, rather than refuse"),
    Flag<&SnapshotOptions::shows_patch>('p', "patch", "with diff: also what changed in text files"),
    Flag<&SnapshotOptions::is_quiet>('q', "quiet", "with export and import: show no progress"),
    Flag<&SnapshotOptions::is_json>('j', "json", "print JSON"),
};

constexpr SubcommandText kSnapshot{
    .name = "snapshot",
    .help = "Usage: paddock snapshot create [OPTION]... SANDBOX [NAME]\n"
            "  or:  paddock snapshot list [OPTION]... [SANDBOX]\n"
            "  or:  paddock snapshot diff [OPTION]... SNAPSHOT OTHER\n"
            "  or:  paddock snapshot restore [OPTION]... SNAPSHOT SANDBOX\n"
            "  or:  paddock snapshot export [OPTION]... SNAPSHOT FILE\n"
            "  or:  paddock snapshot import [OPTION]... FILE [NAME]\n"
            "  or:  paddock snapshot rm [OPTION]... SNAPSHOT...\n"
            "Keeps files and shell of a sandbox of a daemon as they are, and brings them back. A snapshot\n"
            "outlives its sandbox; 'paddock create --snapshot' makes others from it. diff compares it with\n"
            "another snapshot, or with a sandbox as it is now when no snapshot is called OTHER. export writes it as\n"
            "one file, which needs nothing of this daemon, and import reads that, here or elsewhere; '-' is stdout\n"
            "or stdin.\n\n",
    .least = 1, .most = 1000, .operands = "create, list, diff, restore, export, import or rm"};

std::string SnapshotPath(std::string_view snapshot, std::string_view rest = {}) { return "/v1/snapshots/" + EncodePercent(snapshot) + std::string(rest); }

Status CreateSnapshot(Link& link, const SnapshotOptions& options, const std::vector<std::string>& words) {
  json::object body;
  if (words.size() == 3) body["name"] = words[2];
  PADDOCK_ASSIGN(const json::value made, link.Post(SandboxPath(words[1], "/snapshots"), body));
  std::fputs((options.is_json ? Indented(made) : TextOf(made.as_object(), "id") + "\n").c_str(), stdout);
  return {};
}

Status ListSnapshots(Link& link, const SnapshotOptions& options, const std::vector<std::string>& words) {
  const std::string path = words.size() == 2 ? SandboxPath(words[1], "/snapshots") : "/v1/snapshots";
  PADDOCK_ASSIGN(const json::array all, link.GetAll(path + "?limit=1000", "snapshots"));
  std::vector<std::vector<std::string>> rows;
  for (const json::value& value : all) {
    const json::object& snapshot = value.as_object();
    rows.push_back({TextOf(snapshot, "id"), TextOf(snapshot, "name"), TextOf(snapshot, "sandbox_id"), TextOf(snapshot, "entries"), TextOf(snapshot, "content_bytes"),
                    Ago(TextOf(snapshot, "created_at"))});
  }
  std::fputs((options.is_json ? Indented(all) : Table({"ID", "NAME", "SANDBOX", "ENTRIES", "BYTES", "CREATED"}, rows)).c_str(), stdout);
  return {};
}

// Added, removed, modified, of another type.
std::string LetterOf(const std::string& kind) { return kind == "added" ? "A" : kind == "removed" ? "D" : kind == "retyped" ? "T" : "M"; }

Status DiffSnapshot(Link& link, const SnapshotOptions& options, const std::vector<std::string>& words) {
  const std::string target = SnapshotPath(words[1], "/diff?limit=10000") + (options.shows_patch ? "&patch=true" : "");
  // Whether OTHER is a snapshot: a failure of the first one itself comes with the request below.
  const bool is_snapshot = link.Get(SnapshotPath(words[2])).has_value();
  PADDOCK_ASSIGN(const json::value answer, link.Get(target + (is_snapshot ? "&to=" : "&sandbox=") + EncodePercent(words[2])));
  if (options.is_json) {
    std::fputs(Indented(answer).c_str(), stdout);
    return {};
  }
  for (const json::value& value : answer.at("changes").as_array()) {
    const json::object& change = value.as_object();
    std::printf("%s %s\n", LetterOf(TextOf(change, "kind")).c_str(), Harmless(TextOf(change, "path")).c_str());
    std::string_view patch;
    const std::string text = TextOf(change, "patch");
    for (patch = text; !patch.empty();) {
      const size_t end = std::min(patch.find('\n'), patch.size());
      std::printf("%s\n", Harmless(patch.substr(0, end)).c_str());
      patch.remove_prefix(std::min(end + 1, patch.size()));
    }
  }
  if (!answer.at("is_complete").as_bool()) std::fprintf(stderr, "paddock snapshot: there are more than 10000 changes\n");
  return {};
}

Status RestoreSnapshot(Link& link, const SnapshotOptions& options, const std::vector<std::string>& words) {
  PADDOCK_TRY(link.Post(SandboxPath(words[2], "/restore"), {{"snapshot", words[1]}, {"force", options.force}}));
  std::printf("%s\n", words[2].c_str());
  return {};
}

Status ExportSnapshot(Link& link, const SnapshotOptions& options, const std::vector<std::string>& words) {
  const std::string& to = words[2];
  if (to == "-" && isatty(STDOUT_FILENO) == 1) return Error(Code::kInvalid, "a snapshot goes to stdout, and that is a terminal");
  PADDOCK_ASSIGN(const auto response, link.Send({.method = "GET", .target = SnapshotPath(words[1], "/export")}));
  Progress progress(options.is_quiet || to == "-", std::nullopt);
  return ReceiveFile(*response, to, 0666, progress);
}

Status ImportSnapshot(Link& link, const SnapshotOptions& options, const std::vector<std::string>& words) {
  PADDOCK_ASSIGN(HostSource file, HostSource::Open(words[1]));
  if (file.is_directory()) return Error(Code::kIsDirectory, Harmless(words[1]) + ": is a directory, and no snapshot as a file");
  net::ClientRequest request{.method = "POST", .target = "/v1/snapshots/import" + (words.size() == 3 ? "?name=" + EncodePercent(words[2]) : ""), .asks_first = true};
  request.headers.push_back({"Content-Type", "application/octet-stream"});
  request.source_length = file.size();
  Progress progress(options.is_quiet, file.size());
  request.source = [&](std::span<char> buffer) -> Result<size_t> {
    PADDOCK_ASSIGN(const size_t got, file.Read(buffer));
    progress.Add(got);
    return got;
  };
  PADDOCK_ASSIGN(const json::value made, link.SendForAnswer(std::move(request)));
  std::fputs((options.is_json ? Indented(made) : TextOf(made.as_object(), "id") + "\n").c_str(), stdout);
  return {};
}

Status RemoveSnapshots(Link& link, const SnapshotOptions&, const std::vector<std::string>& words) {
  for (size_t i = 1; i < words.size(); ++i) {
    PADDOCK_TRY(link.Delete(SnapshotPath(words[i])));
    std::printf("%s\n", words[i].c_str());
  }
  return {};
}

struct Verb {
  const char* name;
  size_t least, most;   // words, with the verb
  Status (*run)(Link&, const SnapshotOptions&, const std::vector<std::string>&);
};
constexpr Verb kVerbs[] = {
    {"create", 2, 3, CreateSnapshot}, {"list", 1, 2, ListSnapshots}, {"ls", 1, 2, ListSnapshots}, {"diff", 3, 3, DiffSnapshot}, {"restore", 3, 3, RestoreSnapshot},
    {"export", 3, 3, ExportSnapshot}, {"import", 2, 3, ImportSnapshot}, {"rm", 2, 1000, RemoveSnapshots},
};

// ---- fork

struct ForkOptions {
  LinkOptions link;
  uint64_t count = 1;
  bool is_json = false;
};

constexpr Option kForkOptions[] = {
    kLinkOptions[0], kLinkOptions[1], kLinkOptions[2],
    Value<&ForkOptions::count>('n', "count", "NUMBER", "so many, 1 to 100 (default: 1)"),
    Flag<&ForkOptions::is_json>('j', "json", "print JSON"),
};

constexpr SubcommandText kFork{.name = "fork",
                               .help = "Usage: paddock fork [OPTION]... SANDBOX [NAME]\n"
                                       "Makes sandboxes that begin as this one of a daemon is now, and prints their ids. Several are\n"
                                       "called NAME-1, NAME-2 and so on.\n\n",
                               .least = 1, .most = 2, .operands = "the id or the name of a sandbox",
                               .exit_status = "0, 1 when one of them could not be made, 2 for a usage error."};

Status Fork(const ForkOptions& options, const std::vector<std::string>& operands) {
  PADDOCK_ASSIGN(Link link, Link::Open(options.link));
  json::object body{{"count", options.count}};
  if (operands.size() == 2) body["name"] = operands[1];
  PADDOCK_ASSIGN(const json::value answer, link.Post(SandboxPath(operands[0], "/fork"), body));
  if (options.is_json) std::fputs(Indented(answer).c_str(), stdout);
  std::string failure;
  for (const json::value& fork : answer.at("forks").as_array()) {
    if (const json::value& sandbox = fork.at("sandbox"); !sandbox.is_null()) {
      if (!options.is_json) std::printf("%s\n", TextOf(sandbox.as_object(), "id").c_str());
    } else if (failure.empty()) {
      failure = TextOf(fork.at("error").as_object(), "message");
    }
  }
  if (!failure.empty()) return Error(Code::kUnavailable, failure);
  return {};
}

}  // namespace

int RunSnapshot(const sandbox::DriverSet&, std::span<const std::string> args) {
  SnapshotOptions options;
  const BegunSubcommand begun = BeginSubcommand(kSnapshot, args, kSnapshotOptions, &options);
  if (begun.status) return *begun.status;
  for (const Verb& verb : kVerbs) {
    if (begun.operands[0] != verb.name || begun.operands.size() < verb.least || begun.operands.size() > verb.most) continue;
    return EndSubcommand("snapshot", [&]() -> Status {
      PADDOCK_ASSIGN(Link link, Link::Open(options.link));
      return verb.run(link, options, begun.operands);
    });
  }
  return Fail("snapshot", "write 'create SANDBOX [NAME]', 'list [SANDBOX]', 'diff SNAPSHOT OTHER', 'restore SNAPSHOT SANDBOX', 'export SNAPSHOT FILE', 'import FILE [NAME]' or 'rm SNAPSHOT...'");
}

int RunFork(const sandbox::DriverSet&, std::span<const std::string> args) {
  ForkOptions options;
  const BegunSubcommand begun = BeginSubcommand(kFork, args, kForkOptions, &options);
  return begun.status ? *begun.status : EndSubcommand("fork", [&] { return Fork(options, begun.operands); });
}

}  // namespace paddock::cli
