// git format-patch: its options and its configuration, and which commits it writes.
#include <algorithm>
#include <charconv>

#include "commands/git/diff/commit_patch_id.h"
#include "commands/git/diff/range_diff.h"
#include "commands/git/mail/patch_series.h"
#include "commands/git/work/attributes.h"

namespace paddock::git {
namespace {

using SeriesOptions = PatchSeriesOptions;

constexpr uint64_t kMostSignatureBytes = 1 << 20;

Status TakeThread(SeriesOptions& options, std::string_view value) {
  if (!value.empty() && value != "shallow" && value != "deep") return Error(Code::kInvalid, "invalid argument to thread");
  options.thread = value.empty() ? "shallow" : value;
  return {};
}
Status TakeNoThread(SeriesOptions& options, std::string_view) {
  options.thread = "";
  return {};
}
Status TakeFrom(SeriesOptions& options, std::string_view value) {
  options.from = value;
  options.no_from = false;
  return {};
}
Status TakeNoFrom(SeriesOptions& options, std::string_view) {
  options.from.reset();
  options.no_from = true;
  return {};
}
template <bool kIsInline>
Status TakeAttach(SeriesOptions& options, std::string_view value) {
  options.boundary = value.data() == nullptr ? "2.39.5" : value;
  options.is_inline = kIsInline;
  options.no_attach = false;
  return {};
}
Status TakeNoAttach(SeriesOptions& options, std::string_view) {
  options.boundary.reset();
  options.no_attach = true;
  return {};
}
Status TakeBase(SeriesOptions& options, std::string_view value) {
  options.base = value;
  options.no_base = options.may_lack_base = false;
  return {};
}
Status TakeNoBase(SeriesOptions& options, std::string_view) {
  options.base.reset();
  options.no_base = true;
  return {};
}
Status TakeNoHeaders(SeriesOptions& options, std::string_view) {
  options.headers.clear();
  options.to.clear();
  options.cc.clear();
  options.no_headers = options.no_to = options.no_cc = true;
  return {};
}
template <auto kList, auto kFlag>
Status TakeNone(SeriesOptions& options, std::string_view) {
  (options.*kList).clear();
  options.*kFlag = true;
  return {};
}
template <auto kMember, bool kValue>
Status TakeSwitch(SeriesOptions& options, std::string_view) {
  options.*kMember = kValue;
  return {};
}
Status TakeNoSignature(SeriesOptions& options, std::string_view) {
  options.signature = "";
  return {};
}
// A header of one's own; To: and Cc: go where the others of their kind are.
void AddHeader(SeriesOptions& options, std::string_view value) {
  while (value.ends_with('\n')) value.remove_suffix(1);
  const auto is_field = [value](std::string_view name) {
    return value.size() >= name.size() && std::equal(name.begin(), name.end(), value.begin(), [](char a, char b) { return a == std::tolower(static_cast<unsigned char>(b)); });
  };
  if (is_field("to: ")) options.to.emplace_back(value.substr(4));
  else if (is_field("cc: ")) options.cc.emplace_back(value.substr(4));
  else options.headers.emplace_back(value);
}
Status TakeHeader(SeriesOptions& options, std::string_view value) {
  AddHeader(options, value);
  return {};
}
Status TakeCoverMode(SeriesOptions& options, std::string_view value) {
  for (const std::string_view known : {"message", "default", "none", "subject", "auto"}) {
    if (value != known) continue;
    options.cover_mode = value;
    return {};
  }
  return Error(Code::kInvalid, std::string(value) + ": invalid cover from description mode");
}
bool TakeCount(void* options, std::string_view argument) {
  if (argument[0] != '-' || argument.find_first_not_of("0123456789", 1) != std::string_view::npos || argument.size() > 18) return false;
  int64_t count = 0;
  if (!ParseOptionValue(argument.substr(1), count)) return false;
  static_cast<SeriesOptions*>(options)->count = count;
  return true;
}

constexpr Option kOptions[] = {
    Value<&SeriesOptions::directory>('o', "output-directory", "DIR", "write the files there"), Flag<&SeriesOptions::to_stdout>(0, "stdout", "write all to standard output"),
    Call<TakeSwitch<&SeriesOptions::numbered, true>>('n', "numbered", nullptr, "[PATCH n/m], for a single one, too"), Call<TakeSwitch<&SeriesOptions::numbered, false>>('N', "no-numbered", nullptr, "[PATCH]"),
    Value<&SeriesOptions::start>(0, "start-number", "N", "begin with number N"), Flag<&SeriesOptions::numbered_files>(0, "numbered-files", "files are called by their numbers alone"),
    Value<&SeriesOptions::suffix>(0, "suffix", "TEXT", "instead of .patch"), Flag<&SeriesOptions::keeps_subject>('k', "keep-subject", "no [PATCH]"),
    Value<&SeriesOptions::name_length>(0, "filename-max-length", "N", "names of files end there"),
    Value<&SeriesOptions::prefix>(0, "subject-prefix", "TEXT", "instead of PATCH"), Flag<&SeriesOptions::rfc>(0, "rfc", "RFC PATCH"),
    Value<&SeriesOptions::version>('v', "reroll-count", "N", "PATCH vN"), Call<TakeSwitch<&SeriesOptions::cover_letter, true>>(0, "cover-letter", nullptr, "a letter before the patches"),
    Call<TakeSwitch<&SeriesOptions::cover_letter, false>>(0, "no-cover-letter", nullptr, "no letter"),
    Call<TakeCoverMode>(0, "cover-from-description", "MODE", "what of it the branch's description is: message, subject, auto, none"),
    Call<TakeSwitch<&SeriesOptions::signoff, true>>('s', "signoff", nullptr, "add Signed-off-by lines"), Call<TakeSwitch<&SeriesOptions::signoff, false>>(0, "no-signoff", nullptr, "do not"),
    CallOptional<TakeThread>(0, "thread", "STYLE", "shallow or deep: mails answer each other"),
    Call<TakeNoThread>(0, "no-thread", nullptr, "mails answer nothing"), Value<&SeriesOptions::in_reply_to>(0, "in-reply-to", "ID", "the first mail answers ID"),
    Value<&SeriesOptions::to>(0, "to", "ADDRESS", "a line To:"), Value<&SeriesOptions::cc>(0, "cc", "ADDRESS", "a line Cc:"), Call<TakeHeader>(0, "add-header", "HEADER", "another line"),
    Call<TakeNone<&SeriesOptions::to, &SeriesOptions::no_to>>(0, "no-to", nullptr, "none of those so far"), Call<TakeNone<&SeriesOptions::cc, &SeriesOptions::no_cc>>(0, "no-cc", nullptr, "likewise"),
    Call<TakeNoHeaders>(0, "no-add-header", nullptr, "none of all these"),
    CallOptional<TakeFrom>(0, "from", "IDENT", "mails are from IDENT; the message names the author"), Call<TakeNoFrom>(0, "no-from", nullptr, "they are from the author"),
    Call<TakeSwitch<&SeriesOptions::body_from, true>>(0, "force-in-body-from", nullptr, "with --from: name the author in any case"), Call<TakeSwitch<&SeriesOptions::body_from, false>>(0, "no-force-in-body-from", nullptr, "only another one (the default)"),
    CallOptional<TakeAttach<false>>(0, "attach", "BOUNDARY", "the patch is an attachment"), CallOptional<TakeAttach<true>>(0, "inline", "BOUNDARY", "the patch is a part that is shown"), Call<TakeNoAttach>(0, "no-attach", nullptr, "no parts"),
    Value<&SeriesOptions::signature>(0, "signature", "TEXT", "what the mail ends with"), Value<&SeriesOptions::signature_file>(0, "signature-file", "FILE", "what the mail ends with is in FILE"),
    Call<TakeNoSignature>(0, "no-signature", nullptr, "no signature"), Call<TakeBase>(0, "base", "COMMIT", "tell what the series is made for (auto: by the upstream)"), Call<TakeNoBase>(0, "no-base", nullptr, "do not"),
    Value<&SeriesOptions::interdiff>(0, "interdiff", "COMMIT", "show what changed since the last version"), Value<&SeriesOptions::range_diff>(0, "range-diff", "RANGE", "show what became of each commit of it"),
    Value<&SeriesOptions::creation_factor>(0, "creation-factor", "PERCENT", "what a new commit costs in it"), Flag<&SeriesOptions::ignores_upstream>(0, "ignore-if-in-upstream", "without what the upstream has as another commit"),
    Flag<&SeriesOptions::root>(0, "root", "a single revision means all up to it"), Flag<&SeriesOptions::has_progress>(0, "progress", "tell how far it is, when it takes long"),
    Flag<&SeriesOptions::zero_commit>(0, "zero-commit", "no ids in the lines From"), Flag<&SeriesOptions::with_empty>(0, "always", "commits that change nothing, too"),
    Flag<&SeriesOptions::quiet_names>('q', "quiet", "do not list the files"), Flag<&SeriesOptions::patch_alone>('p', "no-stat", "patches without --stat"),
    CallOptional<TakeStatOption>(0, "stat", "WIDTH", "with --stat (the default)"), Call<TakeContextOption>('U', "unified", "N", "with N lines of context"),
    Flag<&SeriesOptions::no_binary>(0, "no-binary", "only tell that binary files differ"), Flag<&SeriesOptions::full_index>(0, "full-index", "show whole ids"),
    Flag<&SeriesOptions::no_renames>(0, "no-renames", "show renames as what was deleted and created"), CallOptional<TakeRenameOption>('M', "find-renames", "PERCENT", "find renames"),
    Call<TakeMinimalOption>(0, "minimal", nullptr, "look for the fewest changes"), Flag<&SeriesOptions::no_prefix>(0, "no-prefix", "no a/ and b/ before names"),
    Value<&SeriesOptions::src_prefix>(0, "src-prefix", "TEXT", "instead of a/"), Value<&SeriesOptions::dst_prefix>(0, "dst-prefix", "TEXT", "instead of b/"),
    Flag<&SeriesOptions::as_text>('a', "text", "take all files for text"),
};

// What the configuration says where the options do not.
class Configured {
 public:
  Configured(Git& git, SeriesOptions& options) : git_(git), options_(options) {}

  Status Take() {
    TakeMailParts();
    const auto text = [this](std::optional<std::string>& option, const char* key, const char* otherwise) {
      if (!option) option = git_.config.Get(key, otherwise);
    };
    const auto flag = [this](std::optional<bool>& option, const char* key) {
      if (!option) option = git_.config.GetBool(key, false);
    };
    text(options_.suffix, "format.suffix", ".patch");
    text(options_.prefix, "format.subjectprefix", "PATCH");
    flag(options_.signoff, "format.signoff");
    flag(options_.body_from, "format.forceinbodyfrom");
    if (!options_.cover_mode) PADDOCK_TRY(TakeCoverMode(options_, git_.config.Get("format.coverfromdescription", "message")));
    if (!options_.directory) options_.directory = options_.to_stdout ? "" : git_.config.Get("format.outputdirectory", "");
    if (!options_.name_length) {
      int64_t length = 64;
      if (const auto set = git_.config.Get("format.filenamemaxlength")) PADDOCK_TRY(ParseOptionValue(*set, length));
      options_.name_length = length;
    }
    if (!options_.thread) PADDOCK_TRY(TakeThreads());
    if (!options_.numbered) {
      const std::string value = git_.config.Get("format.numbered", "auto");
      if (value != "auto") options_.numbered = ParseConfigBool(value).value_or(false);
    }
    if (options_.keeps_subject) options_.numbered = false;
    PADDOCK_TRY(TakeSignature());
    if (!options_.base && !options_.no_base) {
      const std::string value = git_.config.Get("format.useautobase", "false");
      options_.may_lack_base = value == "whenAble" || value == "whenable";
      if (options_.may_lack_base || ParseConfigBool(value).value_or(false)) options_.base = "auto";
    }
    return {};
  }
  // Once it is known how many there are.
  void TakeCover(size_t commits) {
    if (options_.cover_letter) return;
    const std::string value = git_.config.Get("format.coverletter", "false");
    options_.cover_letter = value == "auto" ? commits > 1 : ParseConfigBool(value).value_or(false);
  }

 private:
  void TakeMailParts() {
    SeriesOptions all;
    if (!options_.no_headers) {
      for (const std::string& header : git_.config.GetAll("format.headers")) AddHeader(all, header);
    }
    for (const auto& [list, key] : {std::pair(&all.to, "format.to"), std::pair(&all.cc, "format.cc")}) {
      const std::vector<std::string> set = git_.config.GetAll(key);
      list->insert(list->end(), set.begin(), set.end());
    }
    if (options_.no_to) all.to.clear();
    if (options_.no_cc) all.cc.clear();
    options_.headers.insert(options_.headers.begin(), all.headers.begin(), all.headers.end());
    options_.to.insert(options_.to.begin(), all.to.begin(), all.to.end());
    options_.cc.insert(options_.cc.begin(), all.cc.begin(), all.cc.end());
    const auto attach = git_.config.Get("format.attach");
    if (attach && !options_.boundary && !options_.no_attach) options_.boundary = attach->empty() ? "2.39.5" : *attach;
    const auto from = git_.config.Get("format.from");
    if (!from || options_.from || options_.no_from) return;
    const auto is_committer = ParseConfigBool(*from);
    if (!is_committer) options_.from = *from;
    else if (*is_committer) options_.from = "";
  }
  Status TakeThreads() {
    const std::string value = git_.config.Get("format.thread", "false");
    const auto is_on = ParseConfigBool(value);
    options_.thread = value == "deep" || value == "shallow" ? value : is_on.value_or(false) ? "shallow" : "";
    return {};
  }
  Status TakeSignature() {
    std::string file = options_.signature_file.value_or("");
    if (options_.signature && !options_.signature_file) return {};
    if (!options_.signature_file) {
      if (const auto set = git_.config.Get("format.signature")) {
        options_.signature = *set;
        return {};
      }
      file = git_.config.Get("format.signaturefile", "");
    }
    if (options_.signature && options_.signature->empty()) return {};
    if (file.empty()) {
      options_.signature = "2.39.5";
      return {};
    }
    auto text = vfs::ReadFile(git_.in.fs, file, kMostSignatureBytes);
    if (!text) return Error(text.error().code, "unable to read signature file '" + file + "': " + std::string(text.error().Text()));
    options_.signature = std::move(*text);
    return {};
  }

  Git& git_;
  SeriesOptions& options_;
};

// "Range-diff against v1:", when this is version 2.
std::string TitleOf(const SeriesOptions& options, const std::string& what) {
  int64_t version = 0;
  const auto read = std::from_chars(options.version.data(), options.version.data() + options.version.size(), version);
  const bool is_number = read.ec == std::errc{} && read.ptr == options.version.data() + options.version.size() && version >= 1;
  return what + (is_number ? " against v" + std::to_string(version - 1) : "") + ":";
}

// The branch whose commits these are, by the way they were named.
std::string BranchOf(Git& git, const Selection& selection) {
  if (selection.names.size() > 1) return "";
  std::string name = selection.names.empty() ? "HEAD" : selection.names[0];
  if (const size_t dots = name.find(".."); dots != std::string::npos) name = name.substr(name.find_first_not_of('.', dots) == std::string::npos ? name.size() : name.find_first_not_of('.', dots));
  if (name.empty()) return "";
  const auto ref = name == "HEAD" ? git.HeadBranch() : FindRef(git, name);
  return ref && ref->starts_with("refs/heads/") ? ShortRef(*ref) : "";
}

// The commits that the upstream does not have as others.
Status DropKnown(Git& git, History& history, const Selection& selection, std::vector<Oid>& commits) {
  if (selection.included.size() != 1 || selection.excluded.size() != 1) return Error(Code::kInvalid, "need exactly one range");
  Selection theirs;
  theirs.included = selection.excluded;
  theirs.excluded = selection.included;
  PADDOCK_ASSIGN(const std::vector<Oid> others, WalkHistory(git, history, theirs, {}));
  PADDOCK_ASSIGN(const std::set<Oid> known, WithSamePatch(git, history, commits, others));
  std::erase_if(commits, [&](const Oid& id) { return known.contains(id); });
  return {};
}

// What is shown of the last version.
Status Compare(Git& git, const SeriesOptions& options, PatchSeries& series) {
  if (options.creation_factor && !options.range_diff) return Error(Code::kInvalid, "the option '--creation-factor' requires '--range-diff'");
  const bool is_alone = *options.cover_letter || series.commits.size() == 1;
  if (options.interdiff) {
    if (!is_alone) return Error(Code::kInvalid, "--interdiff requires --cover-letter or single patch");
    PADDOCK_ASSIGN(const Oid id, ResolveCommit(git, *options.interdiff));
    series.interdiff = id;
    series.interdiff_title = TitleOf(options, "Interdiff");
  }
  if (!options.range_diff) return {};
  if (!is_alone) return Error(Code::kInvalid, "--range-diff requires --cover-letter or single patch");
  const std::string& last = *options.range_diff;
  const std::string head = series.commits.back().Hex();
  const bool is_range = IsRange(last);
  if (!is_range && !ResolveCommit(git, last)) return Error(Code::kNoEntry, "bad revision '" + last + "'");
  if (!series.origin && is_range) return Error(Code::kInvalid, "failed to infer range-diff origin of current series");
  if (!series.origin) git.Warn("using '" + last + "' as range-diff origin of current series");
  RangeDiffOptions plain;
  plain.creation_factor = options.creation_factor.value_or(60);
  PADDOCK_ASSIGN(series.range_diff, RangeDiffText(git, is_range ? last : head + ".." + last, (series.origin ? series.origin->Hex() : last) + ".." + head, plain));
  series.range_diff_title = TitleOf(options, "Range-diff");
  return {};
}

// The one commit below the series; nothing when there are several, or none.
Result<std::optional<Oid>> OriginOf(History& history, const std::vector<Oid>& commits) {
  std::set<Oid> below;
  for (const Oid& id : commits) {
    PADDOCK_ASSIGN(const History::Node* node, history.Get(id));
    for (const Oid& parent : node->commit.parents) below.insert(parent);
  }
  for (const Oid& id : commits) below.erase(id);
  return below.size() == 1 ? std::optional(*below.begin()) : std::nullopt;
}

Result<std::vector<Oid>> CommitsOf(Git& git, History& history, const SeriesOptions& options, const Selection& selection, Pathspec& paths) {
  PADDOCK_ASSIGN(const std::vector<Oid> walk, WalkHistory(git, history, selection, {}));
  std::vector<Oid> commits;
  for (const Oid& id : walk) {
    PADDOCK_ASSIGN(const History::Node* node, history.Get(id));
    if (options.count && static_cast<int64_t>(commits.size()) >= *options.count) break;
    if (node->commit.parents.size() > 1) continue;
    if (!paths.empty()) {
      FlatTree before;
      if (!node->commit.parents.empty()) {
        PADDOCK_ASSIGN(before, git.FlattenCommit(node->commit.parents[0]));
      }
      PADDOCK_ASSIGN(const FlatTree after, git.Flatten(node->commit.tree));
      const std::vector<FileDiff> files = CompareTrees(before, after);
      const bool touches = std::any_of(files.begin(), files.end(), [&](const FileDiff& file) { return paths.Matches(file.new_path, git.in.budget); });
      if (!touches) continue;
    }
    commits.push_back(id);
  }
  std::reverse(commits.begin(), commits.end());
  return commits;
}

Result<ExitStatus> RunFormatPatch(Git& git, SeriesOptions& options, Args& args) {
  if (options.numbered == true && options.keeps_subject) return Error(Code::kInvalid, "options '-n' and '-k' cannot be used together");
  if (options.to_stdout && options.directory) return Error(Code::kInvalid, "options '--stdout' and '--output-directory' cannot be used together");
  if (options.interdiff && !ResolveCommit(git, *options.interdiff)) return git.Complain("malformed object name '" + *options.interdiff + "'", 129);
  Configured configured(git, options);
  PADDOCK_TRY(configured.Take());
  if (options.rfc) options.prefix = "RFC PATCH";
  if (!options.version.empty()) *options.prefix += " v" + options.version;
  SkipIndexAttributes(git);
  PADDOCK_ASSIGN(Selection selection, ParseSelection(git, args));
  std::string branch = BranchOf(git, selection);
  if (selection.included.empty()) {
    PADDOCK_ASSIGN(const Oid head, git.RequireHead());
    selection.included.push_back(head);
    if (!options.count) return 0;
  } else if (selection.included.size() == 1 && selection.excluded.empty() && !options.count && !options.root) {
    PADDOCK_ASSIGN(const Oid head, git.RequireHead());
    selection.excluded = selection.included;
    selection.included = {head};
    selection.names = {"HEAD"};
    branch = BranchOf(git, selection);
  }
  PADDOCK_ASSIGN(Pathspec paths, git.ParsePaths(selection.paths));
  History history(git);
  PatchSeries series;
  series.branch = std::move(branch);
  PADDOCK_ASSIGN(series.commits, CommitsOf(git, history, options, selection, paths));
  if (options.ignores_upstream) PADDOCK_TRY(DropKnown(git, history, selection, series.commits));
  configured.TakeCover(series.commits.size());
  if (series.commits.empty()) return 0;
  PADDOCK_ASSIGN(series.origin, OriginOf(history, series.commits));
  PADDOCK_TRY(Compare(git, options, series));
  PADDOCK_ASSIGN(series.base, SeriesBaseText(git, history, options, series.commits));
  return WritePatchSeries(git, options, series, paths);
}

}  // namespace

extern const Subcommand kFormatPatch;
const Subcommand kFormatPatch = DefineSubcommand<SeriesOptions, RunFormatPatch>({.name = "format-patch", .summary = "write commits as mails", .synopsis = "[<options>] [<since> | <revision-range>]", .options = kOptions, .rules = {.numeric_shorthand = TakeCount}});

}  // namespace paddock::git
