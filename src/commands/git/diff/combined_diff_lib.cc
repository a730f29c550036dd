#include "commands/git/diff/combined_diff.h"

#include <algorithm>

#include "text/diff/unified_diff.h"

namespace paddock::git {
namespace {

using Mask = uint64_t;   // a bit for each parent
constexpr size_t kMostParents = 60;

struct LostLine {
  std::string_view text;
  Mask parents = 0;
};

// One line of the result, or what stands behind the last one.
struct Place {
  std::string_view text;
  Mask added = 0;                 // parents that do not have the line
  std::vector<LostLine> lost;     // lines that stood in front of it
  bool is_shown = false;
  bool hides_lost = false;        // a line of context in front of a hunk: what was lost there belongs to nothing shown
  bool differs() const { return added != 0 || !lost.empty(); }
};

class Combination {
 public:
  Combination(std::string_view result, size_t parents, const DiffOptions& options, Budget& budget)
      : lines_(SplitLines(result)), parents_(parents), context_(static_cast<size_t>(std::min<int64_t>(options.context, 1 << 30))), options_(options), budget_(budget), all_((Mask{1} << parents) - 1) {
    places_.resize(lines_.size() + 1);
    for (size_t i = 0; i < lines_.size(); ++i) places_[i].text = lines_[i];
    first_lines_.resize(parents);
  }

  void Add(size_t parent, std::string_view text) {
    const std::vector<std::string_view> old_lines = SplitLines(text);
    const Mask bit = Mask{1} << parent;
    for (const DiffEdit& edit : FindEdits(old_lines, lines_, options_, budget_)) {
      for (size_t i = edit.b_begin; i < edit.b_end(); ++i) places_[i].added |= bit;
      std::vector<std::string_view> gone(old_lines.begin() + static_cast<std::ptrdiff_t>(edit.a_begin), old_lines.begin() + static_cast<std::ptrdiff_t>(edit.a_end()));
      // What was replaced is shown in front of what came for it.
      MergeLost(places_[edit.b_begin].lost, gone, bit);
    }
    // Where each place is in the parent.
    std::vector<size_t>& at = first_lines_[parent];
    at.resize(places_.size() + 1);
    size_t line = 0;
    for (size_t i = 0; i < places_.size(); ++i) {
      at[i] = line;
      for (const LostLine& lost : places_[i].lost) line += (lost.parents & bit) != 0 ? 1 : 0;
      if (i < lines_.size() && (places_[i].added & bit) == 0) ++line;
    }
    at[places_.size()] = line;
  }

  std::string Hunks(bool is_dense) {
    std::vector<char> counts(places_.size(), 0);
    for (size_t i = 0; i < places_.size(); ++i) counts[i] = places_[i].differs() ? 1 : 0;
    if (is_dense) DropUninteresting(counts);
    ShowContext(counts);
    return Write();
  }

 private:
  // Lines that several parents lost at the same place are one.
  void MergeLost(std::vector<LostLine>& known, const std::vector<std::string_view>& gone, Mask bit) {
    if (gone.empty()) return;
    std::vector<std::string_view> before;
    for (const LostLine& lost : known) before.push_back(lost.text);
    std::vector<LostLine> merged;
    size_t a = 0, b = 0;
    const auto take_same = [&](size_t until) {
      for (; a < until; ++a, ++b) merged.push_back({known[a].text, known[a].parents | bit});
    };
    if (!known.empty()) {
      for (const DiffEdit& edit : FindEdits(before, gone, options_, budget_)) {
        take_same(edit.a_begin);
        for (; a < edit.a_end(); ++a) merged.push_back(known[a]);
        for (; b < edit.b_end(); ++b) merged.push_back({gone[b], bit});
      }
      take_same(known.size());
    }
    for (; b < gone.size(); ++b) merged.push_back({gone[b], bit});
    known = std::move(merged);
  }

  // A place behind which nothing of the hunk follows, when its last lines were only lost.
  size_t NextCounting(const std::vector<char>& counts, size_t from) const {
    while (from < counts.size() && counts[from] == 0) ++from;
    return from;
  }

  // Takes out hunks that have two versions, one of which is the result.
  void DropUninteresting(std::vector<char>& counts) {
    for (size_t begin = NextCounting(counts, 0); begin < counts.size();) {
      size_t end = begin + 1;
      while (end < counts.size()) {
        budget_.Step();
        if (counts[end] != 0) {
          ++end;
          continue;
        }
        // The hunk goes on when the next difference is near. A place that only lost lines has no line of its own.
        const size_t tail = end > begin + 1 || places_[end - 1].added != 0 ? end : end - 1;
        const size_t next = NextCounting(counts, end);
        if (next >= counts.size() || next >= tail + context_) break;
        end = next;
      }
      Mask same = 0;
      bool is_mixed = false;
      const auto see = [&](Mask mask) {
        if (mask == 0) return;
        is_mixed |= same != 0 && same != mask;
        same = mask;
      };
      for (size_t i = begin; i < end; ++i) {
        see(places_[i].added);
        for (const LostLine& lost : places_[i].lost) see(lost.parents);
      }
      if (!is_mixed && same != all_) std::fill(counts.begin() + static_cast<std::ptrdiff_t>(begin), counts.begin() + static_cast<std::ptrdiff_t>(end), 0);
      begin = NextCounting(counts, end);
    }
  }

  void ShowContext(const std::vector<char>& counts) {
    for (size_t begin = NextCounting(counts, 0); begin < counts.size();) {
      budget_.Step();
      size_t end = begin;
      while (end < counts.size() && counts[end] != 0) places_[end++].is_shown = true;
      for (size_t i = begin > context_ ? begin - context_ : 0; i < begin; ++i) {
        if (!places_[i].is_shown) places_[i].hides_lost = true;
        places_[i].is_shown = true;
      }
      // A place that only lost lines is itself a line of context.
      const size_t tail = places_[end - 1].added == 0 && end - 1 < lines_.size() ? end - 1 : end;
      const size_t next = NextCounting(counts, end);
      size_t last = std::min(tail + context_, places_.size() - 1);
      if (next < counts.size() && next < tail + context_) last = next;
      for (size_t i = end; i < last; ++i) places_[i].is_shown = true;
      begin = next;
    }
  }

  std::string Write() {
    std::string out;
    const std::string ats(parents_ + 1, '@');
    for (size_t at = 0; at < places_.size();) {
      std::string_view heading;
      while (at < places_.size() && !places_[at].is_shown) {
        const std::string_view text = places_[at].text;
        if (!text.empty() && (text[0] == '_' || text[0] == '$' || (text[0] >= 'a' && text[0] <= 'z') || (text[0] >= 'A' && text[0] <= 'Z'))) heading = text;
        ++at;
      }
      if (at >= places_.size()) break;
      size_t end = at;
      while (end < places_.size() && places_[end].is_shown) ++end;
      out += ats;
      for (size_t parent = 0; parent < parents_; ++parent) {
        const Mask bit = Mask{1} << parent;
        size_t hidden = 0, first = first_lines_[parent][at];
        for (size_t i = at; i < end; ++i) {
          if (!places_[i].hides_lost) continue;
          for (const LostLine& lost : places_[i].lost) hidden += (lost.parents & bit) != 0 ? 1 : 0;
        }
        const size_t count = first_lines_[parent][end] - first - hidden;
        out += " -" + std::to_string(first + 1) + "," + std::to_string(count);
      }
      const size_t rest = std::min(end, lines_.size()) - std::min(at, lines_.size());
      out += " +" + std::to_string(at + 1) + "," + std::to_string(rest) + " " + ats;
      if (!heading.empty()) {
        // git leaves out the last byte, too.
        heading = heading.substr(0, std::min<size_t>(40, heading.find('\n')));
        while (!heading.empty() && (heading.back() == ' ' || heading.back() == '\t')) heading.remove_suffix(1);
        if (heading.size() > 1) out += " " + std::string(heading.substr(0, heading.size() - 1));
      }
      out += "\n";
      for (; at < end; ++at) WritePlace(out, at);
    }
    return out;
  }

  void WritePlace(std::string& out, size_t at) {
    const auto line = [&](char mark, Mask mask, std::string_view text) {
      budget_.Step();
      for (size_t parent = 0; parent < parents_; ++parent) out += (mask >> parent & 1) != 0 ? mark : ' ';
      out += text;
      if (!text.ends_with('\n')) out += "\n" + std::string(parents_ - 1, ' ') + "\\ No newline at end of file\n";
    };
    if (!places_[at].hides_lost) {
      for (const LostLine& lost : places_[at].lost) line('-', lost.parents, lost.text);
    }
    if (at < lines_.size()) line('+', places_[at].added, places_[at].text);
  }

  std::vector<std::string_view> lines_;
  size_t parents_, context_;
  const DiffOptions& options_;
  Budget& budget_;
  Mask all_;
  std::vector<Place> places_;
  std::vector<std::vector<size_t>> first_lines_;   // by parent: the number of the line there at each place
};

Result<std::string> TextOf(Git& git, const std::string& path, const TreeItem& item, bool is_file) {
  if (item.mode == 0) return std::string();
  if (item.mode == kModeCommit) return "Subproject commit " + item.id.Hex() + "\n";
  if (!is_file) return git.ReadBlob(item.id);
  PADDOCK_ASSIGN(auto content, ReadWorkingFile(git, path));
  return content ? std::move(content->data) : std::string();
}

}  // namespace

Result<std::vector<CombinedFile>> CombinedChanges(Git& git, const Commit& commit, Pathspec& paths) {
  std::vector<CombinedFile> files;
  if (commit.parents.empty() || commit.parents.size() > kMostParents) return files;
  PADDOCK_ASSIGN(const FlatTree result, git.Flatten(commit.tree));
  std::map<std::string, std::vector<TreeItem>> changed;
  for (size_t i = 0; i < commit.parents.size(); ++i) {
    PADDOCK_ASSIGN(const FlatTree before, git.FlattenCommit(commit.parents[i]));
    for (const FileDiff& file : CompareTrees(before, result)) {
      git.in.budget.Step();
      if (!paths.empty() && !paths.Matches(file.new_path, git.in.budget)) continue;
      std::vector<TreeItem>& parents = changed[file.new_path];
      if (parents.size() == i) parents.push_back({file.old_mode, file.old_id});
    }
  }
  for (auto& [path, parents] : changed) {
    if (parents.size() != commit.parents.size()) continue;
    const auto found = result.find(path);
    files.push_back({path, std::move(parents), found == result.end() ? TreeItem{} : found->second, false});
  }
  return files;
}

Result<std::string> CombinedPatch(Git& git, const CombinedFile& file, const DiffOptions& options, bool is_dense) {
  PADDOCK_ASSIGN(const std::string result, TextOf(git, file.path, file.result, file.result_is_file));
  std::vector<std::string> texts;
  bool is_binary = !options.as_text && LooksBinary(result);
  for (const TreeItem& parent : file.parents) {
    PADDOCK_ASSIGN(std::string text, TextOf(git, file.path, parent, false));
    is_binary |= !options.as_text && LooksBinary(text);
    texts.push_back(std::move(text));
  }
  const bool is_new = std::all_of(file.parents.begin(), file.parents.end(), [](const TreeItem& item) { return item.mode == 0; });
  const bool is_gone = file.result.mode == 0;
  const bool has_modes = std::any_of(file.parents.begin(), file.parents.end(), [&](const TreeItem& item) { return item.mode != file.result.mode; });
  std::string hunks;
  if (!is_binary) {
    Combination combination(result, texts.size(), options, git.in.budget);
    for (size_t i = 0; i < texts.size(); ++i) {
      git.in.budget.WillAllocate(texts[i].size() * 4 + result.size() * 8);
      combination.Add(i, texts[i]);
    }
    hunks = combination.Hunks(is_dense);
    if (hunks.empty() && !has_modes && !file.result_is_file) return std::string();
    if (hunks.empty() && !has_modes && is_dense) return std::string();
  }
  const auto short_id = [&](const Oid& id) {
    if (options.full_index) return id.Hex();
    return id.is_null() ? std::string(options.abbrev.value_or(7), '0') : git.objects.Abbreviate(id, options.abbrev.value_or(0));
  };
  std::string text = std::string("diff --") + (is_dense ? "cc " : "combined ") + git.Quoted(file.path) + "\nindex ";
  for (size_t i = 0; i < file.parents.size(); ++i) text += (i == 0 ? "" : ",") + short_id(file.parents[i].id);
  text += ".." + short_id(file.result_is_file ? Oid{} : file.result.id) + "\n";
  if (has_modes) {
    std::string modes;
    for (const TreeItem& item : file.parents) modes += (modes.empty() ? "" : ",") + ModeText(item.mode);
    if (is_new) text += "new file mode " + ModeText(file.result.mode) + "\n";
    else if (is_gone) text += "deleted file mode " + modes + "\n";
    else text += "mode " + modes + ".." + ModeText(file.result.mode) + "\n";
  }
  if (is_binary) return text + "Binary files differ\n";
  if (hunks.empty()) return text;
  const std::string a = options.no_prefix ? "" : options.src_prefix, b = options.no_prefix ? "" : options.dst_prefix;
  text += is_new ? "--- /dev/null\n" : "--- " + git.Quoted(a + file.path) + "\n";
  text += is_gone ? "+++ /dev/null\n" : "+++ " + git.Quoted(b + file.path) + "\n";
  return text + hunks;
}

Result<std::string> FormatCombined(Git& git, const std::vector<CombinedFile>& files, const DiffOptions& options, bool is_dense) {
  std::string text;
  const char end = options.nul ? '\0' : '\n';
  for (const CombinedFile& file : files) {
    git.in.budget.Step();
    std::string letters;
    for (const TreeItem& item : file.parents) letters += item.mode == 0 ? 'A' : file.result.mode == 0 ? 'D' : 'M';
    const std::string name = options.nul ? file.path : git.Quoted(file.path);
    const auto short_id = [&](const Oid& id) { return options.full_raw_ids || options.full_index ? id.Hex() : git.objects.Abbreviate(id); };
    if (options.raw) {
      text += std::string(file.parents.size(), ':');
      for (const TreeItem& item : file.parents) text += ModeText(item.mode) + " ";
      text += ModeText(file.result.mode);
      for (const TreeItem& item : file.parents) text += " " + short_id(item.id);
      text += " " + short_id(file.result.id) + " " + letters + (options.nul ? '\0' : '\t') + name + end;
    } else if (options.name_only) {
      text += name + end;
    } else if (options.name_status) {
      text += letters + (options.nul ? '\0' : '\t') + name + end;
    }
  }
  if (!options.patch) return text;
  if (options.raw && !text.empty()) text += end;
  for (const CombinedFile& file : files) {
    PADDOCK_ASSIGN(const std::string patch, CombinedPatch(git, file, options, is_dense));
    text += patch;
  }
  return text;
}

}  // namespace paddock::git
