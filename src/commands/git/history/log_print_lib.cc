// How git log prints commits, their differences, and the lines of --graph beside them.
#include <algorithm>
#include <iterator>

#include "commands/file_facts.h"
#include "commands/git/diff/combined_diff.h"
#include "commands/git/history/log.h"
#include "commands/git/objects/signature_check.h"
#include "commands/git/work/commit_changes.h"

namespace paddock::git {

namespace {

// The name or the format that is meant; pretty.NAME may be another word for one.
Result<std::string> FormatOf(Git& git, const std::string& value, int depth = 0) {
  static constexpr std::string_view kNames[] = {"oneline", "short", "medium", "full", "fuller", "reference", "raw", "email", "mboxrd"};
  if (value.starts_with("format:") || value.starts_with("tformat:") || std::find(std::begin(kNames), std::end(kNames), value) != std::end(kNames)) return value;
  if (value.find('%') != std::string::npos) return "tformat:" + value;
  if (const auto alias = git.config.Get("pretty." + value); alias && depth < 10) return FormatOf(git, *alias, depth + 1);
  for (const std::string_view name : kNames) {
    if (!value.empty() && name.starts_with(value)) return std::string(name);
  }
  return Error(Code::kInvalid, "invalid --pretty format: " + value);
}

}  // namespace

Result<PrettyOptions> PrettyOf(Git& git, const LogOptions& options) {
  PrettyOptions pretty;
  std::string format = options.pretty;
  if (options.has_empty_format) format = "tformat:";
  else if (format.empty()) format = options.oneline ? "oneline" : git.config.Get("format.pretty", "medium");
  PADDOCK_ASSIGN(pretty.format, FormatOf(git, format));
  if (pretty.format.find("format:") != std::string::npos) PADDOCK_TRY(CheckFormat(git, pretty.format, options.colours));
  pretty.abbreviates = (options.oneline || options.abbrev_commit || git.config.GetBool("log.abbrevcommit", false)) && !options.no_abbrev_commit;
  pretty.digits = options.abbrev.value_or(0);
  pretty.date = options.date.empty() ? git.config.Get("log.date", "default") : options.date;
  pretty.decorate = options.decorate;
  if (pretty.decorate == PrettyOptions::Decorate::kNo && !options.no_decorate) {
    const std::string configured = git.config.Get("log.decorate", "");
    if (configured == "full") pretty.decorate = PrettyOptions::Decorate::kFull;
    else if (configured == "short" || configured == "true" || configured == "yes" || configured == "1") pretty.decorate = PrettyOptions::Decorate::kShort;
  }
  pretty.decoration_filter = options.decorations;
  pretty.colours = options.colours;
  pretty.has_log_size = options.has_log_size;
  pretty.shows_source = options.shows_source;
  pretty.tab_width = static_cast<size_t>(options.tab_width.value_or(pretty.format == "medium" || pretty.format == "full" || pretty.format == "fuller" ? 8 : 0));
  pretty.encoding = options.encoding.empty() ? git.config.Get("i18n.logoutputencoding", "") : options.encoding;
  pretty.format_mailmap = Mailmap::Load(git);
  if (options.use_mailmap.value_or(git.config.GetBool("log.mailmap", true)) && !pretty.format_mailmap->empty()) pretty.mailmap = pretty.format_mailmap;
  pretty.hides_notes = options.with_notes == false;
  // A format that was asked for comes without notes that were not.
  if (options.with_notes.value_or((options.pretty.empty() && !options.oneline) || pretty.format.find("%N") != std::string::npos)) {
    std::string ref = options.notes_ref;
    if (ref.empty()) ref = git.in.env.Get("GIT_NOTES_REF", git.config.Get("core.notesref", "refs/notes/commits"));
    else if (!ref.starts_with("refs/")) ref = ref.starts_with("notes/") ? "refs/" + ref : "refs/notes/" + ref;
    PADDOCK_TRY(FindNotes(git, ref, pretty));
  }
  if (pretty.decorate != PrettyOptions::Decorate::kNo) FindDecorations(git, pretty);
  return pretty;
}

Status LogPrinter::Print(const Oid& id, const Commit& commit, Pathspec& paths, bool diffs_merges, HistoryGraph* graph) {
  if (has_printed_ && IsSeparated(pretty_) && options_.nul) git_.Print(std::string_view("\0", 1));
  else if (has_printed_ && IsSeparated(pretty_)) git_.Print(graph != nullptr && ended_line_ ? graph->Padding() + "\n" : "\n");
  has_printed_ = true;
  const bool is_merge = commit.parents.size() > 1;
  if (options_.merge_patch && is_merge && options_.HasFormat() && !options_.no_patch && !options_.first_parent && !options_.merges_by_first && graph == nullptr) return PrintEach(id, commit, paths);
  std::string head = pretty_.format == "tformat:" ? std::string() : PrettyCommit(git_, id, commit, pretty_);
  if (options_.shows_signatures) {
    const bool is_form = pretty_.format.find(':') != std::string::npos;
    size_t at = is_form ? 0 : head.find(pretty_.format == "oneline" ? ' ' : '\n') + 1;
    if (graph == nullptr) {
      git_.Print(std::string_view(head).substr(0, at));   // it stands there before the check begins
      head.erase(0, at);
      at = 0;
    }
    if (const auto verdict = CheckCommitSignature(git_, id)) head.insert(at, verdict->output);
  }
  if (options_.nul && !IsSeparated(pretty_) && head.ends_with('\n')) head.back() = '\0';
  std::string diff;
  bool has_changes = false;
  const bool by_first = options_.first_parent || options_.merges_by_first;
  const bool is_combined = is_merge && !by_first && !options_.merge_patch && !options_.no_merge_diffs && (diffs_merges || options_.combine != DiffOptions::Combine::kDefault);
  const bool shows = (options_.HasFormat() || (is_combined && options_.combine != DiffOptions::Combine::kDefault)) && !options_.no_patch && (!is_merge || ((is_combined || options_.merge_patch || by_first) && !options_.no_merge_diffs));
  if (shows) {
    DiffOptions diff_options = options_;
    if (!diff_options.HasFormat()) diff_options.patch = true;
    PADDOCK_ASSIGN(diff, DiffOf(id, commit, paths, is_combined, diff_options, has_changes));
  }
  if (graph != nullptr) {
    PrintBeside(*graph, head, diff, has_changes);
    return {};
  }
  git_.Print(head);
  PrintDiff(diff, has_changes, is_combined);
  return {};
}

void LogPrinter::PrintWith(const Oid& id, const Commit& commit, const std::string& patch) {
  if (has_printed_ && IsSeparated(pretty_)) git_.Print("\n");
  has_printed_ = true;
  if (!PrintsNothing()) git_.Print(PrettyCommit(git_, id, commit, pretty_));
  if (!patch.empty() && pretty_.format == "oneline") git_.Print("\n");
  PrintDiff(patch, !patch.empty(), false);
}

void LogPrinter::PrintDiff(const std::string& diff, bool has_changes, bool is_combined) {
  if (!has_changes) return;
  const bool is_own = pretty_.format.starts_with("format:");
  if (PrintsNothing()) {
    git_.Print(diff);
    return;
  }
  // --stat with -p has a line between them instead of an empty one.
  if (options_.patch && options_.stat && pretty_.format != "oneline" && !is_combined) git_.Print(is_own ? "\n---\n" : "---\n");
  else if (pretty_.format != "oneline" || is_combined) git_.Print("\n");
  git_.Print(diff);
}

Result<std::string> LogPrinter::DiffOf(const Oid& id, const Commit& commit, Pathspec& paths, bool is_combined, const DiffOptions& options, bool& has_changes) {
  if (is_combined) {
    PADDOCK_ASSIGN(const std::vector<CombinedFile> files, CombinedChanges(git_, commit, paths));
    std::string text;
    DiffOptions counts = options;
    counts.patch = counts.raw = counts.name_only = counts.name_status = false;
    if (counts.HasFormat()) {
      PADDOCK_ASSIGN(const std::vector<FileDiff> first, ChangesOf(git_, commit, counts, paths));
      PADDOCK_ASSIGN(text, FormatDiff(git_, first, counts));
    }
    PADDOCK_ASSIGN(const std::string combined, FormatCombined(git_, files, options, options.combine != DiffOptions::Combine::kPlain));
    if (!text.empty() && !combined.empty()) text += "\n";
    has_changes = !files.empty() || !text.empty();
    text += options.colours ? ColouredPatch(combined) : combined;
    // A merge that did nothing of its own ends with an empty line.
    if (text.empty() && files.empty()) has_changes = options.patch || options.raw || options.name_only || options.name_status;
    return text;
  }
  const auto name = followed_.find(id);
  Pathspec everything;
  PADDOCK_ASSIGN(std::vector<FileDiff> files, ChangesOf(git_, commit, options, options_.follow ? everything : paths));
  if (options_.follow && name != followed_.end()) std::erase_if(files, [&](const FileDiff& file) { return file.new_path != name->second; });
  has_changes = !files.empty();
  return FormatDiff(git_, files, options);
}

Status LogPrinter::PrintEach(const Oid& id, const Commit& commit, Pathspec& paths) {
  bool is_first = true;
  const std::string mark = pretty_.mark;
  for (size_t i = 0; i < commit.parents.size(); ++i) {
    PADDOCK_ASSIGN(const std::vector<FileDiff> files, ChangesOf(git_, commit, options_, paths, i));
    if (files.empty()) continue;
    if (!is_first && IsSeparated(pretty_)) git_.Print("\n");
    is_first = false;
    pretty_.from_parent = commit.parents[i].Hex();
    git_.Print(PrettyCommit(git_, id, commit, pretty_));
    PADDOCK_ASSIGN(const std::string diff, FormatDiff(git_, files, options_));
    PrintDiff(diff, true, false);
  }
  pretty_.from_parent.clear();
  if (is_first) git_.Print(PrettyCommit(git_, id, commit, pretty_));
  return {};
}

void LogPrinter::PrintBeside(HistoryGraph& graph, const std::string& text, const std::string& diff, bool has_changes) {
  std::string_view head = text;
  // An empty line at the end of a format of one's own comes below the lines that lead on from the commit.
  const bool ends_empty = pretty_.format.starts_with("tformat:") && head.ends_with("\n\n");
  if (ends_empty) head.remove_suffix(1);
  const auto next = [&]() {
    git_.in.budget.Step(1 + static_cast<int64_t>(graph.breadth() / 16));
    git_.Print(graph.Next());
  };
  next();
  while (!graph.is_at_commit()) {
    git_.Print("\n");
    next();
  }
  bool is_first = true;
  for (const std::string_view line : SplitLines(head)) {
    if (!is_first) next();
    git_.Print(line);
    is_first = false;
  }
  ended_line_ = head.ends_with('\n');
  while (!graph.is_finished()) {
    if (!ended_line_) git_.Print("\n");
    next();
    if (ended_line_) git_.Print("\n");
  }
  if (ends_empty) git_.Print(graph.Padding() + "\n");
  if (!has_changes) return;
  if (!ended_line_) git_.Print("\n");
  if (pretty_.format != "oneline") {
    next();
    git_.Print(options_.patch && options_.stat ? "---\n" : "\n");
  }
  for (const std::string_view line : SplitLines(diff)) {
    next();
    git_.Print(line);
  }
  ended_line_ = diff.ends_with('\n');
}

}  // namespace paddock::git
