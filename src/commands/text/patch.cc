// patch - apply a diff file to an original
//
// usage: patch [OPTION]... [ORIGFILE [PATCHFILE]]
// Takes unified, context and normal diffs and ed scripts, with text around them, and git's extended headers. Hunks are found
// where lines have moved (offset) and, with fuzz, where the outer lines of their context differ. What cannot be
// applied goes to a reject file. Files named by a patch have to be below the working directory.
//
// Exit status: 0, 1 when some hunks could not be applied, 2 for trouble.
// Source: POSIX patch, the GNU patch manual, GNU patch 2.7.6.
// Differs: --merge is refused; -g gets nothing, as there is no RCS, ClearCase, Perforce or SCCS to get it from; questions are asked only where there is a terminal, as without one.
// An ed script may hold what diff -e writes (a c d i, s/.//, w, q), nothing else.

#include "commands/file_facts.h"
#include "commands/input_files.h"
#include "commands/text/patch_session.h"
#include "proc/process.h"
#include "text/choice.h"

namespace paddock {
namespace {

constexpr ExitStatus kTrouble = 2;

struct Options {
  PatchSettings settings;
  std::string strip, fuzz, input, directory, version_control, quoting, get;
  std::vector<std::string> prefix, base_prefix, suffix;
  std::vector<std::string> merges;
  bool backs_up_mismatch = false, leaves_mismatch = false;
  bool prints_version = false;
};

template <auto kMember, auto kValue>
Status SetMember(Options& options, std::string_view) {
  options.settings.*kMember = kValue;
  return {};
}
template <auto kMember>
Status SetText(Options& options, std::string_view text) {
  options.settings.*kMember = std::string(text);
  return {};
}
Status SetRejectFormat(Options& options, std::string_view text) {
  if (text == "context") options.settings.unified_rejects = false;
  else if (text == "unified") options.settings.unified_rejects = true;
  else return Error(Code::kInvalid, "usage");
  return {};
}
Status SetReadOnly(Options& options, std::string_view text) {
  using ReadOnly = PatchSettings::ReadOnly;
  if (text == "ignore") options.settings.read_only = ReadOnly::kIgnore;
  else if (text == "warn") options.settings.read_only = ReadOnly::kWarn;
  else if (text == "fail") options.settings.read_only = ReadOnly::kFail;
  else return Error(Code::kInvalid, "usage");
  return {};
}
Status AddMerge(Options& options, std::string_view text) {
  if (!text.empty() && text != "merge" && text != "diff3") return Error(Code::kInvalid, "usage");
  options.merges.emplace_back(text);
  return {};
}

using S = PatchSettings;
constexpr Option kOptions[] = {
    Value<&Options::strip>('p', "strip", "NUM", "strip NUM leading components from file names"),
    Value<&Options::fuzz>('F', "fuzz", "LINES", "set the fuzz factor to LINES for inexact matching"),
    Call<SetMember<&S::ignores_blanks, true>>('l', "ignore-whitespace", nullptr, "ignore white space changes between patch and input"),
    Call<SetMember<&S::kind, PatchKind::kContext>>('c', "context", nullptr, "interpret the patch as a context difference"),
    Call<SetMember<&S::kind, PatchKind::kEd>>('e', "ed", nullptr, "interpret the patch as an ed script"),
    Call<SetMember<&S::kind, PatchKind::kNormal>>('n', "normal", nullptr, "interpret the patch as a normal difference"),
    Call<SetMember<&S::kind, PatchKind::kUnified>>('u', "unified", nullptr, "interpret the patch as a unified difference"),
    Call<SetMember<&S::forward, true>>('N', "forward", nullptr, "ignore patches that appear to be reversed or already applied"),
    Call<SetMember<&S::reverse, true>>('R', "reverse", nullptr, "assume patches were created with old and new files swapped"),
    Value<&Options::input>('i', "input", "PATCHFILE", "read patch from PATCHFILE instead of stdin"),
    Call<SetText<&S::output>>('o', "output", "FILE", "output patched files to FILE"),
    Call<SetText<&S::reject>>('r', "reject-file", "FILE", "output rejects to FILE"),
    Call<SetText<&S::ifdef>>('D', "ifdef", "NAME", "make merged if-then-else output using NAME"),
    CallOptional<AddMerge>(0, "merge", "STYLE", nullptr),
    Call<SetMember<&S::removes_empty, true>>('E', "remove-empty-files", nullptr, "remove output files that are empty after patching"),
    Call<SetMember<&S::sets_utc, true>>('Z', "set-utc", nullptr, "set times of patched files, assuming diff uses UTC (GMT)"),
    Call<SetMember<&S::sets_local_time, true>>('T', "set-time", nullptr, "likewise, assuming local time"),
    Value<&Options::quoting>(0, "quoting-style", "WORD", "output file names using quoting style WORD: literal, shell, shell-always, c, escape"),
    Call<SetMember<&S::backs_up, true>>('b', "backup", nullptr, "back up the original contents of each file"),
    Flag<&Options::backs_up_mismatch>(0, "backup-if-mismatch", "back up if the patch does not match exactly"),
    Flag<&Options::leaves_mismatch>(0, "no-backup-if-mismatch", "back up mismatches only if otherwise requested"),
    Value<&Options::version_control>('V', "version-control", "STYLE", "use STYLE version control: simple, numbered or existing"),
    Value<&Options::prefix>('B', "prefix", "PREFIX", "prepend PREFIX to backup file names"),
    Value<&Options::base_prefix>('Y', "basename-prefix", "PREFIX", "prepend PREFIX to backup file basenames"),
    Value<&Options::suffix>('z', "suffix", "SUFFIX", "append SUFFIX to backup file names"),
    Value<&Options::get>('g', "get", "NUM", "get files from RCS etc. if positive (there is none)"),
    Call<SetMember<&S::batch, true>>('t', "batch", nullptr, "ask no questions; skip bad-Prereq patches; assume reversed"),
    Call<SetMember<&S::force, true>>('f', "force", nullptr, "like -t, but ignore bad-Prereq patches, and assume unreversed"),
    Call<SetMember<&S::silent, true>>('s', "quiet", nullptr, "work silently unless an error occurs"),
    Call<SetMember<&S::silent, true>>(0, "silent", nullptr, "likewise"),
    Call<SetMember<&S::verbose, true>>(0, "verbose", nullptr, "output extra information about the work being done"),
    Call<SetMember<&S::dry_run, true>>(0, "dry-run", nullptr, "do not change any files; print what would happen"),
    Call<SetMember<&S::posix, true>>(0, "posix", nullptr, "conform to the POSIX standard"),
    Value<&Options::directory>('d', "directory", "DIR", "change the working directory to DIR first"),
    Call<SetRejectFormat>(0, "reject-format", "FORMAT", "create 'context' or 'unified' rejects"),
    Call<SetMember<&S::binary, true>>(0, "binary", nullptr, "read and write data in binary mode"),
    Call<SetReadOnly>(0, "read-only", "BEHAVIOR", "how to handle read-only input files: ignore, warn (default) or fail"),
    Call<SetMember<&S::follows_symlinks, true>>(0, "follow-symlinks", nullptr, "read what the name of a symbolic link refers to"),
    Flag<&Options::prints_version>('v', "version", "output version info"),
};

ExitStatus Fatal(Invocation& in, std::string_view message) { return in.Fail("**** " + std::string(message), kTrouble); }

Result<int64_t> Number(std::string_view text, std::string_view what) {
  const std::string start = std::string(what) + " " + std::string(text);
  std::string_view digits = text;
  const bool is_negative = digits.starts_with('-');
  if (is_negative) digits.remove_prefix(1);
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) return Error(Code::kInvalid, start + " is not a number");
  if (is_negative) return Error(Code::kInvalid, start + " is negative");
  constexpr size_t kMostDigits = 9;
  while (digits.size() > 1 && digits.front() == '0') digits.remove_prefix(1);
  if (digits.size() > kMostDigits) return int64_t{1'000'000'000};
  return std::stoll(std::string(digits));
}

Status CompleteBackups(const Options& options, S& settings, const Environment& env) {
  settings.backs_up_mismatch = !env.Get("POSIXLY_CORRECT");
  if (options.backs_up_mismatch) settings.backs_up_mismatch = true;
  if (options.leaves_mismatch) settings.backs_up_mismatch = false;
  std::string style(env.Get("PATCH_VERSION_CONTROL", env.Get("VERSION_CONTROL", "")));
  if (!options.version_control.empty()) style = options.version_control;
  if (style == "numbered" || style == "t") settings.backup = PatchBackup::kNumbered;
  else if (style == "simple" || style == "never") settings.backup = PatchBackup::kSimple;
  const auto take = [&settings](const std::vector<std::string>& values, const char* what, std::string& to) -> Status {
    if (values.empty()) return {};
    if (values.back().empty()) return Error(Code::kInvalid, std::string("backup ") + what + " is empty");
    to = values.back();
    settings.has_simple_name = true;
    return {};
  };
  if (const std::string_view suffix = env.Get("SIMPLE_BACKUP_SUFFIX", ""); !suffix.empty()) settings.suffix = suffix;
  settings.has_suffix = !options.suffix.empty() || settings.suffix != ".orig";
  PADDOCK_TRY(take(options.prefix, "prefix", settings.prefix));
  PADDOCK_TRY(take(options.base_prefix, "basename prefix", settings.base_prefix));
  return take(options.suffix, "suffix", settings.suffix);
}

constexpr Choice kBackupStyles[] = {{"none", 0}, {"off", 0}, {"simple", 1}, {"never", 1}, {"existing", 2}, {"nil", 2}, {"numbered", 3}, {"t", 3}};
constexpr Choice kQuotingStyles[] = {{"literal", static_cast<int>(QuotingStyle::kLiteral)}, {"shell", static_cast<int>(QuotingStyle::kShell)},
                                     {"shell-always", static_cast<int>(QuotingStyle::kShellAlways)}, {"c", static_cast<int>(QuotingStyle::kC)},
                                     {"escape", static_cast<int>(QuotingStyle::kEscape)}};

ExitStatus UsageHint(Invocation& in) {
  in.Fail("Try '" + std::string(in.name_in_messages()) + " --help' for more information.", kTrouble);
  return kTrouble;
}

Result<std::string> ReadPatch(Invocation& in, const std::string& name) {
  auto file = InputFile::Open(in, name.empty() ? "-" : name);
  if (!file) return Error(file.error().code, "Can't open patch file " + QuoteText(name, QuotingStyle::kShell, in.locale.is_utf8) + " : " + std::string(file.error().Text()));
  std::string text = file->input().ReadAll();
  if (!file->input().status()) return Error(Code::kIo, "read error : " + std::string(file->input().status().error().Text()));
  return text;
}

ExitStatus Apply(Invocation& in, const Options& options, const S& settings, const std::vector<std::string>& operands) {
  const std::string patch_name = operands.size() > 1 ? operands[1] : options.input;
  auto text = ReadPatch(in, patch_name);
  if (!text) return Fatal(in, text.error().Text());
  std::optional<std::string> file;
  if (!operands.empty()) file = operands[0];
  PatchSession session(in, settings, file);
  const auto status = session.Run(std::move(*text));
  if (!status) return Fatal(in, status.error().Text());
  return *status;
}

ExitStatus RunParsed(Invocation& in, Options& options, const std::vector<std::string>& operands) {
  S& settings = options.settings;
  if (options.prints_version) {
    in.out.Write(VersionText(in.command, in.name()));
    return 0;
  }
  if (!options.strip.empty()) {
    const auto strip = Number(options.strip, "strip count");
    if (!strip) return Fatal(in, strip.error().Text());
    settings.strip = *strip;
  }
  if (!options.fuzz.empty()) {
    const auto fuzz = Number(options.fuzz, "fuzz factor");
    if (!fuzz) return Fatal(in, fuzz.error().Text());
    settings.fuzz = *fuzz;
  }
  if (!options.version_control.empty()) {
    const auto style = FindChoice("--version-control or -V option", options.version_control, kBackupStyles, false);
    if (!style) {
      return in.Fail(style.error().Text(), kTrouble);
    }
  }
  const std::string quoting(options.quoting.empty() ? in.env.Get("QUOTING_STYLE", "shell") : options.quoting);
  const auto style = FindChoice("quoting style", quoting, kQuotingStyles, false);
  if (!style && !options.quoting.empty()) {
    in.Fail("invalid argument '" + quoting + "' for 'quoting style'", kTrouble);
    return UsageHint(in);
  }
  settings.quoting = style ? static_cast<QuotingStyle>(*style) : QuotingStyle::kShell;
  settings.posix |= in.env.Get("POSIXLY_CORRECT").has_value();
  if (const Status backups = CompleteBackups(options, settings, in.env); !backups) return Fatal(in, backups.error().Text());
  if (operands.size() > 2) {
    in.Fail(QuoteText(operands[2], settings.quoting, in.locale.is_utf8) + ": extra operand", kTrouble);
    return UsageHint(in);
  }
  if (!options.merges.empty()) return Fatal(in, "--merge is not supported here; without it, failed hunks go to a reject file");
  if (int64_t number = 0; !options.get.empty() && !ParseOptionValue(options.get, number)) return Fatal(in, "get option value " + options.get + " is not a number");
  return Apply(in, options, settings, operands);
}

ExitStatus Run(Invocation& in) {
  Options options;
  auto parsed = ParseOptions(in.args, in.command.options, &options, in.command.rules);
  if (!parsed) {
    if (parsed.error().code == Code::kSyntax) in.Fail(parsed.error().Text());
    return UsageHint(in);
  }
  if (parsed->wants_help) {
    in.out.Write(HelpText(in.command, in.name_in_messages()));
    return 0;
  }
  // The process is this command's own: where it works ends with it.
  if (!options.directory.empty()) {
    if (const Status changed = in.process.files().ChangeDirectory(options.directory); !changed) {
      const std::string name = QuoteText(options.directory, QuotingStyle::kShell, in.locale.is_utf8);
      return Fatal(in, "Can't change to directory " + name + " : " + std::string(changed.error().Text()));
    }
  }
  return RunParsed(in, options, parsed->operands);
}

}  // namespace

extern const Command kCommand_patch;
const Command kCommand_patch = {
    .name = "patch",
    .summary = "apply a diff file to an original",
    .synopsis = "[OPTION]... [ORIGFILE [PATCHFILE]]",
    .options = kOptions,
    .usage_status = kTrouble,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
