// git log -L: the history of some lines of a file, or of a function.
//
// Ranges go from each commit to its parents: what a commit changed in them is shown, and they are where the lines came from
// in the parent. Source: git-log(1) "-L".
#include <algorithm>

#include "commands/git/history/log.h"
#include "commands/git/history/log_filter.h"
#include "commands/git/line_number.h"
#include "commands/git/work/commit_changes.h"
#include "text/diff/unified_diff.h"
#include "text/regex.h"

namespace paddock::git {
namespace {

// Lines from `begin` to before `end`, counted from 0.
struct Range {
  size_t begin = 0, end = 0;
};
using Ranges = std::vector<Range>;   // in order, apart from each other
using FileRanges = std::map<std::string, Ranges>;

Ranges Merged(Ranges ranges) {
  std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
  Ranges merged;
  for (const Range& range : ranges) {
    if (range.begin == range.end) continue;
    if (!merged.empty() && range.begin <= merged.back().end) merged.back().end = std::max(merged.back().end, range.end);
    else merged.push_back(range);
  }
  return merged;
}

Error Malformed(const std::string& argument) { return {Code::kInvalid, "-L argument not 'start,end:file' or ':funcname:file': " + argument}; }

// Reads the places of a range: numbers and patterns.
class RangeParser {
 public:
  RangeParser(Git& git, const std::string& argument, const std::vector<std::string_view>& lines, int64_t anchor, std::string path) : git_(git), argument_(argument), lines_(lines), anchor_(anchor), path_(std::move(path)) {}

  Result<Range> Parse(std::string_view text) {
    if (text.starts_with(':') || text.starts_with("^:")) return Function(text);
    const int64_t count = static_cast<int64_t>(lines_.size());
    int64_t begin = 1, end = count;
    if (!text.starts_with(',') && !text.empty()) {
      PADDOCK_ASSIGN(begin, Place(text, anchor_));
    }
    if (begin < 1) return Error(Code::kInvalid, "-L invalid line number: " + std::to_string(begin));
    if (text.starts_with(',')) {
      text.remove_prefix(1);
      const bool is_forward = text.starts_with('+'), is_back = text.starts_with('-');
      if (is_forward || is_back) {
        text.remove_prefix(1);
        PADDOCK_ASSIGN(const int64_t size, Place(text, begin));
        if (size == 0) return Error(Code::kInvalid, "-L invalid empty range");
        if (size < 0) return Malformed(argument_);
        end = is_forward ? begin + size - 1 : begin;
        if (is_back) begin = std::max<int64_t>(begin - size + 1, 1);
      } else if (!text.empty()) {
        PADDOCK_ASSIGN(end, Place(text, begin + 1));
        if (end < 1) return Error(Code::kInvalid, "-L invalid line number: " + std::to_string(end));
      }
    }
    if (!text.empty()) return Malformed(argument_);
    if (begin > end) std::swap(begin, end);
    if (begin > count) return Error(Code::kInvalid, "file " + path_ + " has only " + std::to_string(count) + (count == 1 ? " line" : " lines"));
    return Range{static_cast<size_t>(begin - 1), static_cast<size_t>(std::min(end, count))};
  }

 private:
  Result<Regex> Compile(const std::string& pattern) {
    auto regex = Regex::Compile(pattern, {.dialect = RegexDialect::kGrepBasic, .multiline = true, .newline_is_text = false});
    if (!regex) return Error(Code::kInvalid, "-L parameter '" + pattern + "': " + std::string(regex.error().Text()));
    return regex;
  }
  static std::string_view Bare(std::string_view line) { return line.ends_with('\n') ? line.substr(0, line.size() - 1) : line; }

  Result<int64_t> Place(std::string_view& text, int64_t from) {
    if (text.starts_with("^/")) {
      from = 1;
      text.remove_prefix(1);
    }
    if (!text.starts_with('/')) {
      const auto number = TakeLineNumber(text);
      if (!number) return Malformed(argument_);
      return *number;
    }
    size_t end = 1;
    while (end < text.size() && text[end] != '/') end += text[end] == '\\' ? 2 : 1;
    if (end >= text.size()) return Malformed(argument_);
    const std::string pattern(text.substr(1, end - 1));
    text.remove_prefix(end + 1);
    PADDOCK_ASSIGN(const Regex regex, Compile(pattern));
    for (size_t i = static_cast<size_t>(std::max<int64_t>(from, 1) - 1); i < lines_.size(); ++i) {
      PADDOCK_ASSIGN(const bool matches, regex.Search(Bare(lines_[i]), 0, nullptr, git_.in.budget));
      if (matches) return static_cast<int64_t>(i + 1);
    }
    return Error(Code::kInvalid, "-L parameter '" + pattern + "' starting at line " + std::to_string(from) + ": No match");
  }

  // From the heading that matches to the next one.
  Result<Range> Function(std::string_view text) {
    int64_t from = anchor_;
    if (text.starts_with('^')) {
      from = 1;
      text.remove_prefix(1);
    }
    const std::string pattern(text.substr(1));
    PADDOCK_ASSIGN(const Regex regex, Compile(pattern));
    const HeadingRule heading = HeadingRuleOf(DiffDriverOf(git_, path_), git_.in.budget);
    const auto is_heading = [&](std::string_view line) {
      git_.in.budget.Step();
      if (heading) return heading(Bare(line)).has_value();
      const char c = line.empty() ? '\0' : line[0];
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
    };
    for (size_t i = static_cast<size_t>(std::max<int64_t>(from, 1) - 1); i < lines_.size(); ++i) {
      if (!is_heading(lines_[i])) continue;
      PADDOCK_ASSIGN(const bool matches, regex.Search(Bare(lines_[i]), 0, nullptr, git_.in.budget));
      if (!matches) continue;
      size_t end = i + 1;
      while (end < lines_.size() && !is_heading(lines_[end])) ++end;
      return Range{i, end};
    }
    return Error(Code::kInvalid, "-L parameter '" + pattern + "' starting at line " + std::to_string(from) + ": no match");
  }

  Git& git_;
  const std::string& argument_;
  const std::vector<std::string_view>& lines_;
  int64_t anchor_;
  std::string path_;
};

// What a commit did to the ranges of one file.
struct Touched {
  std::string old_path, new_path, old_text, new_text;
  bool is_new = false;
  Ranges ranges;
  std::vector<DiffEdit> edits;   // that touch them
  std::string Patch() const;
};

std::string Touched::Patch() const {
  std::string text = "diff --git a/" + old_path + " b/" + new_path + "\n--- " + (is_new ? "/dev/null" : "a/" + old_path) + "\n+++ b/" + new_path + "\n";
  const std::vector<std::string_view> before = SplitLines(old_text), after = SplitLines(new_text);
  const auto add = [&text](char mark, std::string_view line) {
    text += mark + std::string(line);
    if (!line.ends_with('\n')) text += "\n\\ No newline at end of file\n";
  };
  size_t next = 0;   // each edit is shown in one range
  for (const Range& range : ranges) {
    std::vector<const DiffEdit*> inside;
    while (next < edits.size() && edits[next].b_end() < range.begin) ++next;
    for (; next < edits.size() && edits[next].b_begin < range.end; ++next) inside.push_back(&edits[next]);
    if (inside.empty()) continue;
    const DiffEdit &first = *inside.front(), &last = *inside.back();
    int64_t old_begin = static_cast<int64_t>(first.a_begin), old_end = static_cast<int64_t>(last.a_end());
    if (range.begin < first.b_begin) old_begin -= static_cast<int64_t>(first.b_begin - range.begin);
    if (range.end > last.b_end()) old_end += static_cast<int64_t>(range.end - last.b_end());
    if (old_begin == 0 && old_end == 0) old_begin = old_end = -1;
    text += "@@ -" + std::to_string(old_begin + 1) + "," + std::to_string(old_end - old_begin) + " +" + std::to_string(range.begin + 1) + "," + std::to_string(range.end - range.begin) + " @@\n";
    size_t at = range.begin;
    for (const DiffEdit* edit : inside) {
      for (; at < edit->b_begin; ++at) add(' ', after[at]);
      for (size_t i = edit->a_begin; i < edit->a_end(); ++i) add('-', before[i]);
      for (; at < edit->b_end() && at < range.end; ++at) add('+', after[at]);
    }
    for (; at < range.end; ++at) add(' ', after[at]);
  }
  return text;
}

class LineHistory {
 public:
  LineHistory(Git& git, const LogOptions& options) : git_(git), options_(options) {}

  Status Begin(const Oid& tip) {
    FileRanges& files = pending_[tip];
    std::map<std::string, size_t> last;
    for (const std::string& argument : options_.line_ranges) {
      // The range ends at a colon that is not in a pattern.
      size_t colon = argument.starts_with(':') || argument.starts_with("^:") ? argument.find(':', argument.find(':') + 1) : 0;
      if (colon == 0) {
        bool in_pattern = false;
        for (; colon < argument.size() && (in_pattern || argument[colon] != ':'); ++colon) {
          if (argument[colon] == '\\') ++colon;
          else if (argument[colon] == '/') in_pattern = !in_pattern;
        }
      }
      if (colon == std::string::npos || colon + 1 >= argument.size()) return Malformed(argument);
      PADDOCK_ASSIGN(const std::string path, git_.RepositoryPath(argument.substr(colon + 1)));
      const auto id = ResolveObject(git_, tip.Hex() + ":" + path);
      if (!id) return Error(Code::kNoEntry, "There is no path " + path + " in the commit");
      PADDOCK_ASSIGN(const std::string text, git_.ReadBlob(*id));
      const std::vector<std::string_view> lines = SplitLines(text);
      const auto known = last.find(path);
      PADDOCK_ASSIGN(const Range range, RangeParser(git_, argument, lines, known == last.end() ? 1 : static_cast<int64_t>(known->second) + 1, path).Parse(std::string_view(argument).substr(0, colon)));
      last[path] = range.end;
      files[path].push_back(range);
    }
    for (auto& [path, ranges] : files) ranges = Merged(std::move(ranges));
    return {};
  }

  // The patch of the commit, when it touched the ranges.
  Result<std::optional<std::string>> Step(const Oid& id, const Commit& commit) {
    const auto found = pending_.find(id);
    if (found == pending_.end()) return std::optional<std::string>();
    const FileRanges files = std::move(found->second);
    pending_.erase(found);
    std::vector<FileRanges> carried;
    std::optional<std::string> patch;
    const size_t parents = options_.first_parent ? std::min<size_t>(commit.parents.size(), 1) : commit.parents.size();
    for (size_t i = 0; i < std::max<size_t>(parents, 1); ++i) {
      std::string text;
      PADDOCK_ASSIGN(FileRanges mapped, MapToParent(commit, i, files, text));
      if (parents > 1 && text.empty()) {
        // All of it came from here.
        Carry(commit.parents[i], mapped);
        return std::optional<std::string>();
      }
      carried.push_back(std::move(mapped));
      if (!text.empty() && parents <= 1) patch = text;
    }
    for (size_t i = 0; i < parents; ++i) Carry(commit.parents[i], carried[i]);
    return patch;
  }

 private:
  void Carry(const Oid& parent, const FileRanges& files) {
    for (const auto& [path, ranges] : files) {
      if (ranges.empty()) continue;
      Ranges& all = pending_[parent][path];
      all.insert(all.end(), ranges.begin(), ranges.end());
      all = Merged(std::move(all));
    }
  }

  Result<FileRanges> MapToParent(const Commit& commit, size_t parent, const FileRanges& files, std::string& patch) {
    Pathspec everything;
    DiffOptions renames;
    PADDOCK_ASSIGN(const std::vector<FileDiff> changes, ChangesOf(git_, commit, renames, everything, parent));
    FileRanges mapped;
    for (const auto& [path, ranges] : files) {
      git_.in.budget.Step();
      const auto change = std::find_if(changes.begin(), changes.end(), [&name = path](const FileDiff& file) { return file.new_path == name && file.status != 'D'; });
      if (change == changes.end()) {
        mapped[path] = ranges;
        continue;
      }
      Touched touched;
      touched.is_new = change->status == 'A';
      touched.old_path = touched.is_new ? path : change->old_path;
      touched.new_path = path;
      if (!touched.is_new) {
        PADDOCK_ASSIGN(touched.old_text, ContentOf(git_, *change, false));
      }
      PADDOCK_ASSIGN(touched.new_text, ContentOf(git_, *change, true));
      touched.ranges = ranges;
      const std::vector<DiffEdit> edits = FindEdits(SplitLines(touched.old_text), SplitLines(touched.new_text), options_, git_.in.budget);
      mapped[touched.old_path] = MapRanges(ranges, edits, touched.edits);
      if (!touched.edits.empty()) patch += touched.Patch();
    }
    return mapped;
  }

  // Where the lines of the ranges were before; `touched` gets the edits that reach into them.
  Ranges MapRanges(const Ranges& ranges, const std::vector<DiffEdit>& edits, std::vector<DiffEdit>& touched) {
    Ranges before;
    for (const DiffEdit& edit : edits) {
      const bool reaches = std::any_of(ranges.begin(), ranges.end(), [&edit](const Range& range) { return !(edit.b_end() <= range.begin || range.end <= edit.b_begin); });
      if (!reaches) continue;
      touched.push_back(edit);
      before.push_back({edit.a_begin, edit.a_end()});
    }
    // Lines between edits only move.
    const auto move = [&](size_t begin, size_t end) {
      int64_t shift = 0;
      for (const DiffEdit& edit : edits) {
        if (edit.b_end() > begin && edit.b_begin >= begin) break;
        if (edit.b_begin <= begin) shift += static_cast<int64_t>(edit.a_count) - static_cast<int64_t>(edit.b_count);
      }
      before.push_back({static_cast<size_t>(static_cast<int64_t>(begin) + shift), static_cast<size_t>(static_cast<int64_t>(end) + shift)});
    };
    for (const Range& range : ranges) {
      size_t at = range.begin;
      for (const DiffEdit& edit : edits) {
        git_.in.budget.Step();
        if (edit.b_end() < at || (edit.b_end() == at && edit.b_count > 0) || edit.b_begin >= range.end) continue;
        if (edit.b_begin > at) move(at, std::min(edit.b_begin, range.end));
        at = std::max(at, edit.b_end());
      }
      if (at < range.end) move(at, range.end);
    }
    return Merged(std::move(before));
  }

  Git& git_;
  const LogOptions& options_;
  std::map<Oid, FileRanges> pending_;
};

// Lines are coloured with their marks here.
std::string Coloured(const std::string& patch) {
  std::string text = ColouredPatch(patch);
  for (const std::string_view mark : {"+\033[m\033[32m", "-\033[m\033[31m"}) {
    for (size_t at = 0; (at = text.find(mark, at)) != std::string::npos; ++at) text.erase(at + 1, mark.size() - 1);
  }
  return text;
}

}  // namespace

Result<ExitStatus> LogLines(Git& git, History& history, LogOptions& options, const Selection& selection, Pathspec& paths) {
  DiffOptions other = options;
  other.patch = false;
  if (other.HasFormat()) return Error(Code::kInvalid, "-L does not yet support diff formats besides -p and -s");
  if (!selection.paths.empty()) return Error(Code::kInvalid, "-L<range>:<file> cannot be used with pathspec");
  if (selection.included.size() != 1) return Error(Code::kInvalid, selection.included.empty() ? "No commit specified?" : "More than one commit to dig from: " + selection.names.back() + " and " + selection.names[0] + "?");
  if (options.graph) return Error(Code::kNotSupported, "-L with --graph is not supported");
  // The lines pass through commits that are not shown, too.
  LogOptions walk;
  walk.topological = true;
  walk.first_parent = options.first_parent;
  walk.no_walk = options.no_walk;
  PADDOCK_ASSIGN(Filter filter, Filter::Make(git, options));
  LogSides sides;
  PADDOCK_ASSIGN(const Oid tip, git.objects.Peel(selection.included[0], ObjectType::kCommit));
  PADDOCK_ASSIGN(const std::vector<Oid> commits, Select(git, history, walk, selection, paths, sides));
  LineHistory lines(git, options);
  PADDOCK_TRY(lines.Begin(tip));
  std::vector<std::pair<Oid, std::string>> shown;
  int64_t skip = options.skip.value_or(0);
  for (const Oid& id : commits) {
    if (options.count && *options.count >= 0 && static_cast<int64_t>(shown.size()) >= *options.count) break;
    PADDOCK_ASSIGN(const History::Node* node, history.Get(id));
    // git show looks at the one commit as if nothing were before it.
    Commit commit = node->commit;
    if (options.no_walk) commit.parents.clear();
    PADDOCK_ASSIGN(const std::optional<std::string> patch, lines.Step(id, commit));
    if (!patch) continue;
    PADDOCK_ASSIGN(const bool keeps, filter.Keeps(node->commit));
    if (!keeps || skip-- > 0) continue;
    git.in.budget.WillAllocate(patch->size());
    shown.emplace_back(id, *patch);
  }
  if (options.is_reversed) std::reverse(shown.begin(), shown.end());
  PADDOCK_ASSIGN(PrettyOptions pretty, PrettyOf(git, options));
  LogPrinter printer(git, options, std::move(pretty));
  for (const auto& [id, patch] : shown) {
    PADDOCK_ASSIGN(const History::Node* node, history.Get(id));
    printer.PrintWith(id, node->commit, options.no_patch ? "" : options.colours ? Coloured(patch) : patch);
  }
  return 0;
}

}  // namespace paddock::git
