// rsync - copy files, and only what is different
//
// usage: rsync [OPTION]... SRC... [DEST]
// Makes DEST like SRC: files that have the same size and time are left alone. A slash behind SRC means its contents. Without DEST it lists.
//
// Exit status: 0; 1 usage; 3 wrong DEST; 10 and 255 no network; 11 cannot write DEST; 23 some files failed; 25 --max-delete was reached.
// Source: rsync(1), and running rsync 3.5.0 of Debian.
// Differs: hosts cannot be reached; files are always copied whole, as rsync does locally; the bytes "sent" and "received" are estimates, rates
// are not measured; names that are deleted are told before those that are copied; per-directory rules are read on the sender's side.
// Judged and taken as the real one takes them, without anything to do in a local copy here: -z and its kin, -W, --numeric-ids, -e, --rsync-path,
// --port, --address, -4, -6, -s, --inc-recursive, --fsync, --fuzzy, --munge-links, -S, --preallocate, -X, --timeout, --protocol (29 to 32),
// --checksum-choice, --block-size, --max-alloc. --info=stats3 shows no heaps.

#include <algorithm>

#include "commands/file/rsync_options.h"
#include "commands/file_facts.h"
#include "proc/process.h"
#include "text/date/time_format.h"

namespace paddock {
namespace {

using namespace rsync;

ExitStatus UsageError(Invocation& in, const std::string& message) {
  in.out.Flush();
  if (!message.empty()) in.err.WriteLine(message);
  in.err.WriteLine("rsync error: syntax or usage error (code 1) at main.c(1886) [client=3.5.0]");
  return 1;
}

ExitStatus Refuse(Invocation& in, const Refusal& refusal) {
  in.out.Flush();
  in.err.WriteLine(refusal.message);
  in.err.WriteLine("rsync error: " + refusal.kind + " (code " + std::to_string(refusal.status) + ") at " + refusal.place);
  return refusal.status;
}

void OpenLog(Session& session) {
  const std::string& path = session.settings.log_file;
  if (path.empty()) return;
  auto log = session.in.fs.Open(path, vfs::OpenFlags::Append());
  if (log) {
    session.log = std::move(*log);
    return session.Log("building file list");
  }
  session.in.err.WriteLine("rsync: [client] failed to open log-file " + path + ": " + std::string(log.error().Text()) + " (" + std::to_string(static_cast<int>(log.error().code)) + ")");
  session.Say("Ignoring \"log file\" setting.");
}

// "--bogus: unknown option" out of getopt's complaint.
std::string Complaint(std::string_view getopt) {
  const size_t open = getopt.find('\''), close = getopt.rfind('\'');
  if (open == std::string_view::npos || close == open) return std::string(getopt);
  std::string name(getopt.substr(open + 1, close - open - 1));
  if (!name.starts_with('-')) name.insert(0, "-");
  if (getopt.find("requires an argument") != std::string_view::npos) return name + ": missing argument";
  if (getopt.find("doesn't allow an argument") != std::string_view::npos) return name + ": option does not take an argument";
  return name + ": unknown option";
}

ExitStatus WrongOption(Invocation& in, const Error& error) {
  const std::string text(error.Text());
  const auto fail = [&](const std::string& message, const char* kind, int code, const char* where) {
    in.out.Flush();
    in.err.WriteLine(message);
    in.err.WriteLine(std::string("rsync error: ") + kind + " (code " + std::to_string(code) + ") at exclude.c(" + where + ") [client=3.5.0]");
    return code;
  };
  if (text.starts_with("failed to open")) return fail("rsync: [client] " + text + " (" + std::to_string(static_cast<int>(error.code)) + ")", "error in file IO", 11, "1719");
  if (text.starts_with("Unknown filter") || text.starts_with("unexpected end")) return fail(text, "syntax or usage error", 1, "136");
  if (text.starts_with("invalid modifier")) return fail(text, "syntax or usage error", 1, "1379");
  const bool is_getopts = text.find("option") != std::string::npos && text.find('\'') != std::string::npos && !text.starts_with("Y");
  return UsageError(in, "rsync: " + (is_getopts ? Complaint(text) : text));
}

// "host:path", "host::module" and "rsync://…": there is no network to reach them by.
std::optional<ExitStatus> RefuseRemote(Invocation& in, const std::string& operand) {
  const size_t colon = operand.find(':');
  const bool is_url = operand.starts_with("rsync://");
  if (!is_url && (colon == std::string::npos || colon == 0 || operand.find('/') < colon)) return std::nullopt;
  std::string host = is_url ? operand.substr(8) : operand.substr(0, colon);
  if (is_url) host = host.substr(0, host.find_first_of("/:"));
  const bool is_daemon = is_url || operand.substr(colon).starts_with("::");
  if (const size_t at = host.rfind('@'); at != std::string::npos) host.erase(0, at + 1);
  in.out.Flush();
  if (is_daemon) {
    in.err.WriteLine("rsync: getaddrinfo: " + host + " 873: Name or service not known");
    in.err.WriteLine("rsync error: error in socket IO (code 10) at clientserver.c(165) [Receiver=3.5.0]");
    return 10;
  }
  in.err.WriteLine("ssh: Could not resolve hostname " + host + ": Name or service not known");
  in.err.WriteLine("rsync: connection unexpectedly closed (0 bytes received so far) [Receiver]");
  in.err.WriteLine("rsync error: unexplained error (code 255) at io.c(285) [Receiver=3.5.0]");
  return 255;
}

Result<std::vector<std::string>> NamesToSend(Invocation& in, const Options& options) {
  std::string content;
  if (options.files_from == "-") {
    content = in.in.ReadAll();
  } else {
    PADDOCK_ASSIGN(content, vfs::ReadFile(in.fs, options.files_from, 64 << 20));
  }
  std::vector<std::string> names;
  for (size_t at = 0; at < content.size();) {
    in.budget.Step();
    const size_t end = std::min(options.from_nul ? content.find('\0', at) : content.find_first_of("\r\n", at), content.size());
    std::string name = content.substr(at, end - at);
    at = end + 1;
    if (name.empty() || (!options.from_nul && (name[0] == '#' || name[0] == ';'))) continue;
    // ".." cannot lead out of SRC.
    names.push_back(name.find("..") == std::string::npos ? name : vfs::NormalizePath("/" + name).substr(1));
  }
  return names;
}

ExitStatus Run(Invocation& in) {
  Options options;
  Session session(in, options);
  options.session = &session;
  // -h alone is --help; with others it is about numbers.
  if (in.args.size() == 2 && in.args[1] == "-h") options.help = true;
  const auto parsed = ParseOptions(in.args, kOptions, &options);
  if (options.refusal) return Refuse(in, *options.refusal);
  if (!parsed) return WrongOption(in, parsed.error());
  if (options.shows_info_help) {
    in.out.Write(InfoHelp());
    return 0;
  }
  if (options.version) {
    in.out.Write(VersionText(in.command, in.name()));
    return 0;
  }
  if (options.help || parsed->operands.empty()) {
    in.out.Write(HelpText(in.command, in.name()));
    return options.help ? 0 : UsageError(in, "");
  }
  for (const std::string& operand : parsed->operands) {
    if (const auto refused = RefuseRemote(in, operand)) return *refused;
  }
  if (!options.files_from.empty()) {
    options.relative = true;
    options.recursive = options.is_named_recursive;   // -a does not count
    options.dirs = !options.recursive;
  }
  if (options.deletes && !options.recursive && !options.dirs) return UsageError(in, "rsync: --delete does not work without --recursive (-r) or --dirs (-d).");
  if (const auto conflict = Conflict(in, options)) return Refuse(in, *conflict);
  if (options.delay_updates && options.partial_dir.empty()) options.partial_dir = ".~tmp~";
  if (!options.partial_dir.empty() && !options.partial_dir.starts_with('/')) session.filter.AddPattern(options.partial_dir + "/", false);
  if (options.leaves_out_cvs) session.filter.AddCvs();
  if (options.delete_excluded) session.filter.LimitToSender();
  if (options.suffix.empty() && options.backup_dir.empty()) options.suffix = "~";
  if (options.quiet) options.progress = false;
  FinishInfo(options);
  OpenLog(session);
  std::vector<std::string> sources = parsed->operands;
  const bool lists = options.list_only || sources.size() == 1;
  std::string destination;
  if (sources.size() > 1) {
    destination = sources.back();
    sources.pop_back();
  }
  if (lists) options.dirs = options.list_only = true;
  std::optional<std::vector<std::string>> files;
  if (!options.files_from.empty()) {
    auto names = NamesToSend(in, options);
    if (!names) return UsageError(in, "rsync: failed to open files-from file " + options.files_from + ": " + std::string(names.error().Text()));
    files = std::move(*names);
  }
  BuildList(session, sources, files ? &*files : nullptr);
  if (!lists) return Transfer(session, destination);
  ShowList(session);
  if (!session.has_failed) return 0;
  in.out.Flush();
  in.err.WriteLine("rsync error: some files/attrs were not transferred (see previous errors) (code 23) at main.c(1394) [sender=3.5.0]");
  return 23;
}

}  // namespace

namespace rsync {

void Session::Complain(std::string_view role, std::string_view what, const std::string& path, const Error& error) {
  in.out.Flush();
  const std::string line = "rsync: [" + std::string(role) + "] " + std::string(what) + " \"" + path + (what.ends_with("failed to open") ? "\": " : "\" failed: ") + std::string(error.Text()) + " (" + std::to_string(static_cast<int>(error.code)) + ")";
  in.err.WriteLine(line);
  Log(line);
}

void Session::Log(const std::string& line) {
  if (!log) return;
  const TimePoint now = Now(in.clock);
  const Status written = log->Write(FormatTime("%Y/%m/%d %H:%M:%S", LocalZone(in.env).ToLocal(now.seconds), now, in.budget) + " [" + std::to_string(in.process.pid()) + "] " + line + "\n");
  if (!written) log.reset();
}

Status ModeRules::Add(std::string_view text) {
  while (!text.empty()) {
    const size_t end = std::min(text.find(','), text.size());
    std::string_view clause = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    char kind = 'a';
    if (clause.starts_with('D') || clause.starts_with('F')) {
      kind = clause[0];
      clause.remove_prefix(1);
    }
    if (clause.empty()) return Code::kInvalid;
    PADDOCK_ASSIGN(ModeChange change, ModeChange::Parse(clause));
    clauses_.push_back({kind, std::move(change)});
  }
  return {};
}
uint32_t ModeRules::Apply(uint32_t mode, bool is_directory) const {
  for (const Clause& clause : clauses_) {
    if (clause.kind == 'a' || (clause.kind == 'D') == is_directory) mode = clause.change.Apply(mode, is_directory, 022);
  }
  return mode;
}

}  // namespace rsync

extern const Command kCommand_rsync;
const Command kCommand_rsync = {
    .name = "rsync",
    .summary = "copy files, and only what is different",
    .synopsis = "[OPTION]... SRC [SRC]... DEST",
    .details = "A slash behind SRC means its contents. Without DEST the files are listed. There is no way to other hosts.\n",
    .options = kOptions,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
