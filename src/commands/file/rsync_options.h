// The options of rsync. Those of the wire and of daemons are judged as the real one judges them, though a local copy needs none of them.
#pragma once

#include "commands/file/rsync.h"

namespace paddock::rsync {

// Text of an option with the status and place that rsync names when it is wrong.
struct Refusal {
  std::string message;
  int status = 1;
  std::string kind = "syntax or usage error", place = "main.c(1886) [client=3.5.0]";
};

struct Options : Settings {
  Session* session = nullptr;
  int f_count = 0;
  bool is_named_recursive = false, has_delete_when = false, leaves_out_cvs = false, copies_whole = false, shows_info_help = false;
  int depth = 0;                                // of --remote-option
  std::string protocol, password_file, connect_timeout, stop_at, copy_as;
  bool has_chown = false, has_map = false;
  std::optional<Refusal> refusal;               // instead of the text of the error
  bool help = false, version = false;
};

Status AsItIs(Options& options, std::string_view text);
Status Archive(Options& options, std::string_view text);
Status Recursive(Options& options, std::string_view text);
Status NotRecursive(Options& options, std::string_view text);
Status BothSpecial(Options& options, std::string_view text);
Status NeitherSpecial(Options& options, std::string_view text);
Status Verbose(Options& options, std::string_view text);
Status NotVerbose(Options& options, std::string_view text);
Status Itemize(Options& options, std::string_view text);
Status Human(Options& options, std::string_view text);
Status NotHuman(Options& options, std::string_view text);
Status PartialProgress(Options& options, std::string_view text);
Status DeleteExcluded(Options& options, std::string_view text);
Status Exclude(Options& options, std::string_view text);
Status Include(Options& options, std::string_view text);
Status AddFilter(Options& options, std::string_view text);
Status ExcludeFrom(Options& options, std::string_view text);
Status IncludeFrom(Options& options, std::string_view text);
Status PerDirectory(Options& options, std::string_view text);
Status MaxSize(Options& options, std::string_view text);
Status MaxDelete(Options& options, std::string_view text);
Status MinSize(Options& options, std::string_view text);
Status Chmod(Options& options, std::string_view text);
Status AppendVerify(Options& options, std::string_view text);
Status CreateTimes(Options& options, std::string_view text);
Status UserMap(Options& options, std::string_view text);
Status GroupMap(Options& options, std::string_view text);
Status ChangeOwner(Options& options, std::string_view text);
Status Info(Options& options, std::string_view text);
Status StandardError(Options& options, std::string_view text);
Status OutputBuffer(Options& options, std::string_view text);
Status Bandwidth(Options& options, std::string_view text);
Status StopAfter(Options& options, std::string_view text);
Status Checksum(Options& options, std::string_view text);
Status Compression(Options& options, std::string_view text);
Status BlockSize(Options& options, std::string_view text);
Status MostMemory(Options& options, std::string_view text);
Status Remote(Options& options, std::string_view text);
Status SetNumber(Options& options, std::string_view name, std::string_view text);

template <auto kMember>
Status Off(Options& options, std::string_view) {
  options.*kMember = false;
  return {};
}
template <Settings::When kWhen>
Status DeleteWhen(Options& o, std::string_view) {
  if (o.has_delete_when && o.delete_when != kWhen) return Error(Code::kSyntax, "You may not combine multiple --delete-WHEN options.");
  o.has_delete_when = o.deletes = true;
  o.delete_when = kWhen;
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
inline constexpr char kTimeout[] = "timeout", kProtocol[] = "protocol", kSeed[] = "checksum-seed", kLevel[] = "compress-level", kShortLevel[] = "zl",
                      kThreads[] = "compress-threads", kShortThreads[] = "zt";
template <auto& kName>
Status NumberOf(Options& options, std::string_view text) { return SetNumber(options, kName, text); }

inline constexpr Option kOptions[] = {
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
    Flag<&Options::copies_whole>('W', "whole-file", "copy files whole, as is always done"),
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
    Flag<&Options::appends>(0, "append", "send what is missing at the end of shorter files"),
    Call<AppendVerify>(0, "append-verify", nullptr, "likewise, and compare what is there"),
    Call<Off<&Options::appends>>(0, "no-append", nullptr, "take back --append"),
    Value<&Options::partial_dir>(0, "partial-dir", "DIR", "keep what was written of a file in DIR when writing fails"),
    Flag<&Options::delay_updates>(0, "delay-updates", "put all files in their places at the end"),
    Call<AsItIs>('y', "fuzzy", nullptr, "take similar files as a basis, which nothing tells from a copy here"),
    Flag<&Options::keep_dirlinks>('K', "keep-dirlinks", "take links to directories at DEST for directories"),
    Call<AsItIs>(0, "munge-links", nullptr, "change links for the wire, and back"),
    Flag<&Options::copy_devices>(0, "copy-devices", "copy devices as files"),
    Flag<&Options::drops_special>(0, "drop-D", "make no devices and FIFOs"),
    Flag<&Options::super>(0, "super", "try what only root may"),
    Call<Off<&Options::super>>(0, "no-super", nullptr, "take back --super"),
    Flag<&Options::perms>('A', "acls", "keep access control lists, of which there are none: the same as -p"),
    Call<AsItIs>('X', "xattrs", nullptr, "keep extended attributes, of which there are none"),
    Call<CreateTimes>('N', "crtimes", nullptr, "refused, as by any rsync on Linux"),
    Call<AsItIs>('S', "sparse", nullptr, "write blocks of zeros as holes; files have no blocks"),
    Call<AsItIs>(0, "preallocate", nullptr, "likewise"),
    Call<AsItIs>(0, "open-noatime", nullptr, "keep the access times of what is read, as is always done"),
    Call<UserMap>(0, "usermap", "STRING", "map owners: FROM:TO,..."),
    Call<GroupMap>(0, "groupmap", "STRING", "map groups"),
    Call<ChangeOwner>(0, "chown", "USER:GROUP", "give all files to USER and GROUP"),
    Flag<&Options::delete_missing>(0, "delete-missing-args", "delete at DEST the SRCs that are not there"),
    Call<Info>(0, "info", "FLAGS", "what to tell; help lists the FLAGS"),
    Value<&Options::log_file>(0, "log-file", "FILE", "write what is done to FILE, too"),
    Value<&Options::log_format>(0, "log-file-format", "FORMAT", "in this form (%i %n%L)"),
    Call<StandardError>(0, "stderr", "e|a|c", "a: write all messages to standard error"),
    Call<OutputBuffer>(0, "outbuf", "N|L|B", "buffer the output: not, by lines, by blocks"),
    Call<Bandwidth>(0, "bwlimit", "RATE", "copy no more than RATE KiB a second"),
    Call<Off<&Options::is_slowed>>(0, "no-bwlimit", nullptr, "take back --bwlimit"),
    Call<StopAfter>(0, "stop-after", "MINS", "stop after MINS minutes"),
    Value<&Options::stop_at>(0, "stop-at", "y-m-dTh:m", "stop at that time"),
    Call<NumberOf<kTimeout>>(0, "timeout", "SECONDS", "give up when nothing comes over the wire for so long"),
    Call<AsItIs>(0, "no-timeout", nullptr, "take back --timeout"),
    Value<&Options::connect_timeout>(0, "contimeout", "SECONDS", "likewise for connections to daemons; refused without one"),
    Value<&Options::password_file>(0, "password-file", "FILE", "the password for a daemon; refused without one"),
    Call<AsItIs>(0, "early-input", "FILE", "what a daemon's program reads, of which there is none"),
    Call<NumberOf<kProtocol>>(0, "protocol", "NUM", "the protocol of the wire (28 to 32)"),
    Call<Checksum>(0, "checksum-choice", "STR", "the checksum; -c compares the contents"),
    Call<Checksum>(0, "cc", "STR", nullptr),
    Call<NumberOf<kSeed>>(0, "checksum-seed", "NUM", "a number for the checksums"),
    Call<Compression>(0, "compress-choice", "STR", "the compression on the wire"),
    Call<Compression>(0, "zc", "STR", nullptr),
    Call<NumberOf<kLevel>>(0, "compress-level", "NUM", "its level"),
    Call<NumberOf<kShortLevel>>(0, "zl", "NUM", nullptr),
    Call<NumberOf<kThreads>>(0, "compress-threads", "NUM", "its threads"),
    Call<NumberOf<kShortThreads>>(0, "zt", "NUM", nullptr),
    Call<BlockSize>('B', "block-size", "SIZE", "the blocks that are compared on the wire"),
    Call<MostMemory>(0, "max-alloc", "SIZE", "the most memory at once; the sandbox bounds it"),
    Call<Remote>('M', "remote-option", "OPT", "an option for the other side, which is the same here"),
    Value<&Options::copy_as>(0, "copy-as", "USER[:GROUP]", "copy as USER, which only root may"),
    Flag<&Options::version>('V', "version", "show the version"),
    Flag<&Options::help>(0, "help", "show this help"),
};

// Gives every flag of --info that was not named the level that the other options ask for.
void FinishInfo(Options& options);
std::string InfoHelp();
// What is wrong with the options taken together.
std::optional<Refusal> Conflict(const Invocation& in, Options& options);

}  // namespace paddock::rsync
