// How git log prints commits, their differences, and the lines of --graph beside them.
#include <algorithm>

#include "commands/file_facts.h"
#include "commands/git/combined_diff.h"
#include "commands/git/commit_changes.h"
#include "commands/git/log.h"

namespace paddock::git {

Result<PrettyOptions> PrettyOf(Git& git, const LogOptions& options) {
  PrettyOptions pretty;
  if (!options.pretty.empty()) pretty.format = options.pretty;
  else if (options.oneline) pretty.format = "oneline";
  else if (const auto by_config = git.config.Get("format.pretty")) pretty.format = by_config->find('%') != std::string::npos && by_config->find("format:") == std::string::npos ? "tformat:" + *by_config : *by_config;
  pretty.abbreviates = (options.oneline || options.abbrev_commit || git.config.GetBool("log.abbrevcommit", false)) && !options.no_abbrev_commit;
  pretty.date = options.date.empty() ? git.config.Get("log.date", "default") : options.date;
  pretty.decorate = options.decorate;
  pretty.colours = options.colours;
  // A format that was asked for comes without notes that were not.
  if (options.with_notes.value_or(options.pretty.empty() && pretty.format == "medium")) {
    std::string ref = options.notes_ref;
    if (ref.empty()) ref = git.in.env.Get("GIT_NOTES_REF", git.config.Get("core.notesref", "refs/notes/commits"));
    else if (!ref.starts_with("refs/")) ref = ref.starts_with("notes/") ? "refs/" + ref : "refs/notes/" + ref;
    PADDOCK_TRY(FindNotes(git, ref, pretty));
  }
  if (pretty.decorate != PrettyOptions::Decorate::kNo) FindDecorations(git, pretty);
  return pretty;
}

Status LogPrinter::Print(const Oid& id, const Commit& commit, Pathspec& paths, bool diffs_merges, HistoryGraph* graph) {
  if (has_printed_ && IsSeparated(pretty_)) git_.Print(graph != nullptr && ended_line_ ? graph->Padding() + "\n" : "\n");
  has_printed_ = true;
  const bool is_merge = commit.parents.size() > 1;
  if (options_.merge_patch && is_merge && options_.HasFormat() && !options_.no_patch && !options_.first_parent && graph == nullptr) return PrintEach(id, commit, paths);
  std::string head = PrettyCommit(git_, id, commit, pretty_);
  std::string diff;
  bool has_changes = false;
  const bool is_combined = is_merge && !options_.first_parent && !options_.merge_patch && (diffs_merges || options_.combine != DiffOptions::Combine::kDefault);
  const bool shows = (options_.HasFormat() || (is_combined && options_.combine != DiffOptions::Combine::kDefault)) && !options_.no_patch && (!is_merge || is_combined || options_.merge_patch || options_.first_parent);
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

void LogPrinter::PrintDiff(const std::string& diff, bool has_changes, bool is_combined) {
  if (!has_changes) return;
  const bool is_own = pretty_.format.starts_with("format:");
  if (pretty_.format.starts_with("format:") && PrintsNothing()) {
    git_.Print(diff);
    return;
  }
  // --stat with -p has a line between them instead of an empty one.
  if (options_.patch && options_.stat && pretty_.format != "oneline" && !is_combined) git_.Print(is_own ? "\n---\n" : "---\n");
  else if (pretty_.format != "oneline" || (is_combined && diff.empty())) git_.Print("\n");
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
    if (text.empty()) has_changes = options.patch || options.raw;
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

void LogPrinter::PrintBeside(HistoryGraph& graph, const std::string& head, const std::string& diff, bool has_changes) {
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
