// rsync - copy files, and only what is different
//
// usage: rsync [OPTION]... SRC... [DEST]
// Makes DEST like SRC: files that have the same size and time are left alone. A slash behind SRC means its contents. Without DEST it lists.
//
// Exit status: 0; 1 usage; 3 wrong DEST; 10 and 255 no network; 11 cannot write DEST; 23 some files failed; 25 --max-delete was reached.
// Source: rsync(1), and running rsync 3.5.0 of Debian.
// Differs: hosts cannot be reached; files are always copied whole, as rsync does locally; the bytes "sent" and "received" are estimates, rates
// are not measured; names that are deleted are told before those that are copied; per-directory rules are read on the sender's side.
// Taken as the real one takes them, without anything to do in a local copy here: -z and its kin, -W, --numeric-ids, -e, --rsync-path, --port,
// --address, -4, -6, -s, --inc-recursive, --fsync.

#include <algorithm>

#include "commands/file/rsync.h"

namespace paddock {
namespace {

using namespace rsync;

struct Options : Settings {
  Session* session = nullptr;
  int f_count = 0;
  bool is_named_recursive = false, has_delete_when = false, leaves_out_cvs = false;
  bool help = false, version = false;
};

template <auto kMember>
Status Off(Options& options, std::string_view) {
  options.*kMember = false;
  return {};
}
template <auto kMember>
Status On(Options& options, std::string_view) {
  options.*kMember = true;
  return {};
}
// Options that ask for what holds anyway when nothing goes over a wire.
Status AsItIs(Options&, std::string_view) { return {}; }

Status Archive(Options& o, std::string_view) {
  o.recursive = o.links = o.perms = o.times = o.group = o.owner = o.devices = o.specials = true;
  return {};
}
Status Recursive(Options& o, std::string_view) {
  o.recursive = o.is_named_recursive = true;
  return {};
}
Status NotRecursive(Options& o, std::string_view) {
  o.recursive = o.is_named_recursive = false;
  return {};
}
Status BothSpecial(Options& o, std::string_view) {
  o.devices = o.specials = true;
  return {};
}
Status NeitherSpecial(Options& o, std::string_view) {
  o.devices = o.specials = false;
  return {};
}
Status Verbose(Options& o, std::string_view) {
  ++o.verbose;
  return {};
}
Status NotVerbose(Options& o, std::string_view) {
  o.verbose = 0;
  return {};
}
Status Itemize(Options& o, std::string_view) {
  ++o.itemize;
  return {};
}
Status Human(Options& o, std::string_view) {
  ++o.human;
  return {};
}
Status NotHuman(Options& o, std::string_view) {
  o.human = 0;
  return {};
}
Status PartialProgress(Options& o, std::string_view) {
  o.partial = o.progress = true;
  return {};
}
template <Settings::When kWhen>
Status DeleteWhen(Options& o, std::string_view) {
  if (o.has_delete_when && o.delete_when != kWhen) return Error(Code::kSyntax, "You may not combine multiple --delete-WHEN options.");
  o.has_delete_when = o.deletes = true;
  o.delete_when = kWhen;
  return {};
}
Status DeleteExcluded(Options& o, std::string_view) {
  o.deletes = o.delete_excluded = true;
  return {};
}
Status Exclude(Options& o, std::string_view text) {
  o.session->filter.AddPattern(text, false);
  return {};
}
Status Include(Options& o, std::string_view text) {
  o.session->filter.AddPattern(text, true);
  return {};
}
Status AddFilter(Options& o, std::string_view text) { return o.session->filter.AddRule(text); }
Status ExcludeFrom(Options& o, std::string_view path) { return o.session->filter.AddFile(std::string(path), true, false, o.from_nul); }
Status IncludeFrom(Options& o, std::string_view path) { return o.session->filter.AddFile(std::string(path), true, true, o.from_nul); }
Status PerDirectory(Options& o, std::string_view) {
  return o.session->filter.AddRule(o.f_count++ == 0 ? ": /.rsync-filter" : "- .rsync-filter");
}
Result<uint64_t> Size(std::string_view text, std::string_view name) {
  double value = 0;
  size_t at = 0;
  while (at < text.size() && ((text[at] >= '0' && text[at] <= '9') || text[at] == '.')) ++at;
  const Error wrong(Code::kSyntax, "--" + std::string(name) + "=" + std::string(text) + " is invalid");
  if (at == 0 || at > 18) return wrong;
  PADDOCK_TRY(ParseOptionValue(text.substr(0, at), value));
  std::string_view unit = text.substr(at);
  if (!unit.empty() && unit[0] != '+' && unit[0] != '-') {
    const size_t power = std::string_view("bkmgtp").find(static_cast<char>(unit[0] | 32));
    if (power == std::string_view::npos) return wrong;
    unit.remove_prefix(1);
    double base = 1024;
    if (unit.starts_with("B") || unit.starts_with("b")) {
      base = 1000;
      unit.remove_prefix(1);
    } else if (unit.starts_with("iB") || unit.starts_with("ib")) {
      unit.remove_prefix(2);
    }
    for (size_t i = 0; i < power; ++i) value *= base;
  }
  if (unit == "+1") value += 1;
  else if (unit == "-1") value -= 1;
  else if (!unit.empty()) return wrong;
  return static_cast<uint64_t>(std::min(value, 9e18));
}
Status MaxSize(Options& o, std::string_view text) {
  PADDOCK_ASSIGN(o.max_size, Size(text, "max-size"));
  return {};
}
Status MaxDelete(Options& o, std::string_view text) {
  int64_t number = 0;
  if (!ParseOptionValue(text, number)) return Error(Code::kSyntax, "--max-delete=" + std::string(text) + ": invalid numeric value");
  o.max_delete = number;
  return {};
}
Status MinSize(Options& o, std::string_view text) {
  PADDOCK_ASSIGN(o.min_size, Size(text, "min-size"));
  return {};
}
Status Chmod(Options& o, std::string_view text) {
  if (const Status added = o.session->modes.Add(text); !added) return Error(Code::kSyntax, "Invalid argument passed to --chmod (" + std::string(text) + ")");
  return {};
}
template <Settings::Alternative kKind>
Status Alternative(Options& o, std::string_view text) {
  constexpr const char* kNames[] = {"", "compare", "copy", "link"};
  if (o.alternative != Settings::Alternative::kNone && o.alternative != kKind) {
    return Error(Code::kSyntax, std::string("ERROR: the --") + kNames[static_cast<int>(kKind)] + "-dest option conflicts with the --" + kNames[static_cast<int>(o.alternative)] + "-dest option");
  }
  o.alternative = kKind;
  o.alternatives.emplace_back(text);
  return {};
}

constexpr Option kOptions[] = {
    Call<Verbose>('v', "verbose", nullptr, "tell more"),
    Call<NotVerbose>(0, "no-verbose", nullptr, "take back -v"),
    Flag<&Options::quiet>('q', "quiet", "say nothing but errors"),
    Flag<&Options::checksum>('c', "checksum", "compare contents instead of sizes and times"),
    Call<Archive>('a', "archive", nullptr, "the same as -rlptgoD"),
    Call<Recursive>('r', "recursive", nullptr, "go into directories"),
    Call<NotRecursive>(0, "no-recursive", nullptr, "take back -r"),
    Call<NotRecursive>(0, "no-r", nullptr, "likewise"),
    Flag<&Options::relative>('R', "relative", "keep the directories of SRC"),
    Call<Off<&Options::relative>>(0, "no-relative", nullptr, "take back -R"),
    Call<Off<&Options::implied_dirs>>(0, "no-implied-dirs", nullptr, "with -R: give implied directories no attributes of SRC's"),
    Flag<&Options::backup>('b', "backup", "keep what is replaced or deleted"),
    Value<&Options::backup_dir>(0, "backup-dir", "DIR", "keep it in DIR"),
    Value<&Options::suffix>(0, "suffix", "SUFFIX", "keep it under this suffix (~)"),
    Flag<&Options::update>('u', "update", "leave files alone that are newer at DEST"),
    Flag<&Options::inplace>(0, "inplace", "write into the files that are there"),
    Flag<&Options::dirs>('d', "dirs", "send directories without their contents"),
    Flag<&Options::dirs>(0, "old-dirs", "likewise"),
    Call<Off<&Options::dirs>>(0, "no-dirs", nullptr, "take back -d"),
    Flag<&Options::makes_path>(0, "mkpath", "make the directories above DEST"),
    Flag<&Options::links>('l', "links", "copy symbolic links as such"),
    Call<Off<&Options::links>>(0, "no-links", nullptr, "take back -l"),
    Call<Off<&Options::links>>(0, "no-l", nullptr, "likewise"),
    Flag<&Options::copy_links>('L', "copy-links", "copy what symbolic links refer to"),
    Flag<&Options::copy_unsafe_links>(0, "copy-unsafe-links", "likewise for those that lead out of the tree"),
    Flag<&Options::safe_links>(0, "safe-links", "leave those out"),
    Flag<&Options::copy_dirlinks>('k', "copy-dirlinks", "copy the directories that links refer to"),
    Flag<&Options::hard_links>('H', "hard-links", "keep hard links"),
    Call<Off<&Options::hard_links>>(0, "no-hard-links", nullptr, "take back -H"),
    Flag<&Options::perms>('p', "perms", "keep permissions"),
    Call<Off<&Options::perms>>(0, "no-perms", nullptr, "take back -p"),
    Call<Off<&Options::perms>>(0, "no-p", nullptr, "likewise"),
    Flag<&Options::executability>('E', "executability", "keep whether files are executable"),
    Call<Chmod>(0, "chmod", "CHMOD", "change the permissions that are sent"),
    Flag<&Options::owner>('o', "owner", "keep the owner (root only)"),
    Call<Off<&Options::owner>>(0, "no-owner", nullptr, "take back -o"),
    Call<Off<&Options::owner>>(0, "no-o", nullptr, "likewise"),
    Flag<&Options::group>('g', "group", "keep the group"),
    Call<Off<&Options::group>>(0, "no-group", nullptr, "take back -g"),
    Call<Off<&Options::group>>(0, "no-g", nullptr, "likewise"),
    Flag<&Options::devices>(0, "devices", "keep device files (root only)"),
    Flag<&Options::specials>(0, "specials", "keep FIFOs and sockets"),
    Call<BothSpecial>('D', nullptr, nullptr, "the same as --devices --specials"),
    Call<NeitherSpecial>(0, "no-D", nullptr, "take back -D"),
    Flag<&Options::times>('t', "times", "keep modification times"),
    Call<Off<&Options::times>>(0, "no-times", nullptr, "take back -t"),
    Call<Off<&Options::times>>(0, "no-t", nullptr, "likewise"),
    Flag<&Options::atimes>('U', "atimes", "keep access times"),
    Flag<&Options::omit_dir_times>('O', "omit-dir-times", "not those of directories"),
    Flag<&Options::omit_link_times>('J', "omit-link-times", "not those of symbolic links"),
    Flag<&Options::dry_run>('n', "dry-run", "change nothing"),
    Call<AsItIs>('W', "whole-file", nullptr, "copy files whole, as is always done"),
    Flag<&Options::one_file_system>('x', "one-file-system", "stay in one file system"),
    Flag<&Options::existing>(0, "existing", "make no new files"),
    Flag<&Options::existing>(0, "ignore-non-existing", "likewise"),
    Flag<&Options::ignore_existing>(0, "ignore-existing", "leave files alone that exist"),
    Flag<&Options::remove_source>(0, "remove-source-files", "remove the files that were sent"),
    Call<DeleteWhen<Settings::When::kDuring>>(0, "del", nullptr, "delete what SRC does not have"),
    Flag<&Options::deletes>(0, "delete", "likewise"),
    Call<DeleteWhen<Settings::When::kBefore>>(0, "delete-before", nullptr, "likewise, before copying"),
    Call<DeleteWhen<Settings::When::kDuring>>(0, "delete-during", nullptr, "likewise, while copying"),
    Call<DeleteWhen<Settings::When::kDelay>>(0, "delete-delay", nullptr, "likewise, after copying"),
    Call<DeleteWhen<Settings::When::kAfter>>(0, "delete-after", nullptr, "likewise, after copying"),
    Call<DeleteExcluded>(0, "delete-excluded", nullptr, "delete what is excluded, too"),
    Flag<&Options::ignore_missing>(0, "ignore-missing-args", "say nothing of a SRC that is not there"),
    Flag<&Options::ignore_errors>(0, "ignore-errors", "delete even after errors of reading"),
    Flag<&Options::force>(0, "force", "replace directories that are not empty by files"),
    Call<MaxDelete>(0, "max-delete", "NUM", "delete no more than NUM files"),
    Call<MaxSize>(0, "max-size", "SIZE", "send no file larger than SIZE"),
    Call<MinSize>(0, "min-size", "SIZE", "send no file smaller than SIZE"),
    Flag<&Options::partial>(0, "partial", "keep what was written of a file when writing fails"),
    Flag<&Options::prune_empty>('m', "prune-empty-dirs", "send no directories without files"),
    Call<AsItIs>(0, "numeric-ids", nullptr, "keep numbers of users, as is always done"),
    Flag<&Options::ignore_times>('I', "ignore-times", "send files with the same size and time, too"),
    Flag<&Options::size_only>(0, "size-only", "compare sizes only"),
    Value<&Options::modify_window>('@', "modify-window", "NUM", "take times as the same within NUM seconds"),
    Value<&Options::temp_dir>('T', "temp-dir", "DIR", "write new files in DIR first"),
    Call<Alternative<Settings::Alternative::kCompare>>(0, "compare-dest", "DIR", "leave files out that are the same in DIR"),
    Call<Alternative<Settings::Alternative::kCopy>>(0, "copy-dest", "DIR", "copy them from DIR"),
    Call<Alternative<Settings::Alternative::kLink>>(0, "link-dest", "DIR", "make them hard links to those of DIR"),
    Call<AsItIs>('z', "compress", nullptr, "compress on the wire, of which there is none"),
    Flag<&Options::leaves_out_cvs>('C', "cvs-exclude", "leave out what CVS does"),
    Call<AddFilter>('f', "filter", "RULE", "add a rule"),
    Call<PerDirectory>('F', nullptr, nullptr, "the same as --filter='dir-merge /.rsync-filter'"),
    Call<Exclude>(0, "exclude", "PATTERN", "leave out what matches PATTERN"),
    Call<ExcludeFrom>(0, "exclude-from", "FILE", "read such patterns from FILE"),
    Call<Include>(0, "include", "PATTERN", "do not leave out what matches PATTERN"),
    Call<IncludeFrom>(0, "include-from", "FILE", "read such patterns from FILE"),
    Value<&Options::files_from>(0, "files-from", "FILE", "read the names to send from FILE"),
    Flag<&Options::from_nul>('0', "from0", "names and rules in files end with NUL"),
    Flag<&Options::stats>(0, "stats", "show what was done in numbers"),
    Flag<&Options::eight_bit>('8', "8-bit-output", "show bytes above 127 as they are, as is always done"),
    Call<Human>('h', "human-readable", nullptr, "show numbers in units"),
    Call<NotHuman>(0, "no-human-readable", nullptr, "show numbers without commas"),
    Call<NotHuman>(0, "no-h", nullptr, "likewise"),
    Flag<&Options::progress>(0, "progress", "show each file's progress"),
    Call<Off<&Options::progress>>(0, "no-progress", nullptr, "take back --progress"),
    Call<PartialProgress>('P', nullptr, nullptr, "the same as --partial --progress"),
    Call<Itemize>('i', "itemize-changes", nullptr, "show what differed of each file"),
    Value<&Options::out_format>(0, "out-format", "FORMAT", "show each file in this form"),
    Flag<&Options::list_only>(0, "list-only", "list instead of copying"),
    Call<AsItIs>(0, "no-whole-file", nullptr, "send differences only, which nothing tells from a copy here"),
    Call<AsItIs>(0, "no-W", nullptr, "likewise"),
    Call<AsItIs>(0, "inc-recursive", nullptr, "list while sending, which nothing tells from listing first"),
    Call<AsItIs>(0, "i-r", nullptr, "likewise"),
    Call<AsItIs>(0, "no-inc-recursive", nullptr, "list before sending"),
    Call<AsItIs>(0, "no-i-r", nullptr, "likewise"),
    Flag<&Options::dirs>(0, "old-d", "the same as --old-dirs"),
    Call<AsItIs>(0, "fsync", nullptr, "write to the disk at once; files are in memory"),
    Call<AsItIs>('e', "rsh", "COMMAND", "the remote shell, for other hosts only"),
    Call<AsItIs>(0, "rsync-path", "PROGRAM", "the program there"),
    Call<AsItIs>('4', "ipv4", nullptr, "of connections, of which there are none"),
    Call<AsItIs>('6', "ipv6", nullptr, "likewise"),
    Call<AsItIs>(0, "port", "PORT", "likewise"),
    Call<AsItIs>(0, "address", "ADDRESS", "likewise"),
    Call<AsItIs>(0, "sockopts", "OPTIONS", "likewise"),
    Call<AsItIs>(0, "blocking-io", nullptr, "likewise"),
    Call<AsItIs>(0, "no-motd", nullptr, "likewise"),
    Call<AsItIs>(0, "trust-sender", nullptr, "likewise"),
    Call<AsItIs>(0, "old-args", nullptr, "likewise"),
    Call<AsItIs>('s', "secluded-args", nullptr, "likewise"),
    Call<AsItIs>(0, "skip-compress", "LIST", "of compression on the wire, likewise"),
    Flag<&Options::version>('V', "version", "show the version"),
    Flag<&Options::help>(0, "help", "show this help"),
};

ExitStatus UsageError(Invocation& in, const std::string& message) {
  in.out.Flush();
  if (!message.empty()) in.err.WriteLine(message);
  in.err.WriteLine("rsync error: syntax or usage error (code 1) at main.c(1886) [client=3.5.0]");
  return 1;
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
  if (!parsed) return WrongOption(in, parsed.error());
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
  if (options.leaves_out_cvs) session.filter.AddCvs();
  if (options.delete_excluded) session.filter.LimitToSender();
  if (options.suffix.empty() && options.backup_dir.empty()) options.suffix = "~";
  if (options.quiet) options.progress = false;
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
  in.err.WriteLine("rsync: [" + std::string(role) + "] " + std::string(what) + " \"" + path + "\" failed: " + std::string(error.Text()) + " (" + std::to_string(static_cast<int>(error.code)) + ")");
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
