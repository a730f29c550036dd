// The forms of a difference: patch, --stat, --name-status and the others.
#include <algorithm>

#include "commands/git/combined_diff.h"
#include "commands/git/diff.h"
#include "git/binary_patch.h"
#include "text/unified_diff.h"

namespace paddock::git {
namespace {

// "dir/{old => new}/file".
std::string RenameText(std::string_view from, std::string_view to) {
  size_t head = 0;
  for (size_t i = 0; i < std::min(from.size(), to.size()) && from[i] == to[i]; ++i) {
    if (from[i] == '/') head = i + 1;
  }
  size_t tail = 0;
  // The slash before the common end may be the one behind the common start.
  const size_t limit = std::min(from.size(), to.size()) - (head > 0 ? head - 1 : 0);
  for (size_t i = 1; i <= limit && from[from.size() - i] == to[to.size() - i]; ++i) {
    if (from[from.size() - i] == '/') tail = i;
  }
  const auto middle = [head, tail](std::string_view path) {
    const size_t end = path.size() - tail;
    return std::string(path.substr(head, end > head ? end - head : 0));
  };
  if (head == 0 && tail == 0) return std::string(from) + " => " + std::string(to);
  return std::string(from.substr(0, head)) + "{" + middle(from) + " => " + middle(to) + "}" + std::string(from.substr(from.size() - tail));
}

std::string StatName(const Git& git, const FileDiff& file, bool is_compact) {
  // Files outside of repositories have two names.
  if (file.old_text || file.new_text) {
    if (file.status == 'A') return "/dev/null => " + git.Quoted(file.new_path);
    if (file.status == 'D') return git.Quoted(file.old_path) + " => /dev/null";
    if (file.old_path != file.new_path) return RenameText(git.Quoted(file.old_path), git.Quoted(file.new_path));
  }
  std::string name = file.status == 'R' || file.status == 'C' ? RenameText(git.Quoted(file.old_path), git.Quoted(file.new_path)) : git.Quoted(file.new_path);
  if (!is_compact) return name;
  // What --summary would tell.
  const auto is_executable = [](uint32_t mode) { return mode == kModeExecutable; };
  if (file.status == 'A') return name + (file.new_mode == kModeLink ? " (new +l)" : is_executable(file.new_mode) ? " (new +x)" : " (new)");
  if (file.status == 'D') return name + " (gone)";
  if (file.old_mode == file.new_mode || file.status == 'U') return name;
  if (file.old_mode == kModeLink) return name + " (mode -l)";
  if (file.new_mode == kModeLink) return name + " (mode +l)";
  return name + (is_executable(file.new_mode) ? " (mode +x)" : " (mode -x)");
}

size_t Digits(size_t number) { return std::to_string(number).size(); }

size_t Scale(size_t value, size_t width, size_t most) { return value == 0 ? 0 : 1 + value * (width - 1) / most; }

struct StatLine {
  std::string name;
  LineCounts counts;
  size_t old_size = 0, new_size = 0;
  bool is_unmerged = false;
};

std::string StatText(const std::vector<StatLine>& lines, const DiffOptions& options) {
  size_t width = options.stat_width;
  const size_t shown = options.stat_count > 0 ? std::min(options.stat_count, lines.size()) : lines.size();
  size_t name_width = 0, most = 0, number_width = 0, binary_width = 0, added = 0, deleted = 0;
  for (const StatLine& line : lines) {
    if (!line.is_unmerged && !line.counts.is_binary) {
      added += line.counts.added;
      deleted += line.counts.deleted;
    }
    if (static_cast<size_t>(&line - lines.data()) >= shown) continue;
    name_width = std::max(name_width, line.name.size());
    if (line.is_unmerged) {
      binary_width = std::max<size_t>(binary_width, 8);
    } else if (line.counts.is_binary) {
      binary_width = std::max(binary_width, 14 + Digits(line.new_size) + Digits(line.old_size));
      number_width = 3;
    } else {
      most = std::max(most, line.counts.added + line.counts.deleted);
    }
  }
  number_width = std::max(number_width, Digits(most));
  size_t graph_width = most + 4 > binary_width ? most : binary_width - 4;
  if (options.stat_graph_width > 0) graph_width = std::min(graph_width, options.stat_graph_width);
  if (options.stat_name_width > 0) name_width = std::min(name_width, options.stat_name_width);
  width = std::max(width, 16 + 6 + number_width);
  if (name_width + number_width + 6 + graph_width > width) {
    if (graph_width > width * 3 / 8 - number_width - 6) graph_width = std::max<size_t>(width * 3 / 8 - number_width - 6, 6);
    if (options.stat_graph_width > 0) graph_width = std::min(graph_width, options.stat_graph_width);
    if (name_width > width - number_width - 6 - graph_width) name_width = width - number_width - 6 - graph_width;
    else graph_width = width - number_width - 6 - name_width;
  }
  std::string text;
  size_t merged = 0;
  for (const StatLine& line : lines) {
    if (static_cast<size_t>(&line - lines.data()) >= shown) {
      if (!line.is_unmerged) ++merged;
      if (static_cast<size_t>(&line - lines.data()) == shown) text += " ...\n";
      continue;
    }
    std::string name = line.name;
    if (name.size() > name_width) {
      std::string end = name.substr(name.size() - (name_width - 3));
      if (const size_t slash = end.find('/'); slash != std::string::npos) end = end.substr(slash);
      name = "..." + end;
    }
    name.resize(std::max(name.size(), name_width), ' ');
    text += " " + name + " | ";
    if (line.is_unmerged) {
      text += "Unmerged";   // git ends this line with the next one
      continue;
    }
    ++merged;
    if (line.counts.is_binary) {
      text += std::string(number_width - 3, ' ') + "Bin";
      if (line.old_size != line.new_size || line.old_size > 0) text += " " + std::to_string(line.old_size) + " -> " + std::to_string(line.new_size) + " bytes";
      text += "\n";
      continue;
    }
    size_t plus = line.counts.added, minus = line.counts.deleted;
    const std::string number = std::to_string(plus + minus);
    text += std::string(number_width - number.size(), ' ') + number;
    if (plus + minus > 0) text += ' ';
    if (graph_width <= most && most > 0) {
      size_t total = Scale(plus + minus, graph_width, most);
      if (total < 2 && plus > 0 && minus > 0) total = 2;
      if (plus < minus) {
        plus = Scale(plus, graph_width, most);
        minus = total - plus;
      } else {
        minus = Scale(minus, graph_width, most);
        plus = total - minus;
      }
    }
    const auto run = [&](size_t count, char mark, const char* colour) { return count == 0 ? std::string() : options.colours ? colour + std::string(count, mark) + "\033[m" : std::string(count, mark); };
    text += run(plus, '+', "\033[32m") + run(minus, '-', "\033[31m") + "\n";
  }
  return text + ShortStat(merged, added, deleted);
}

std::string SummaryText(const Git& git, const std::vector<FileDiff>& files) {
  std::string text;
  for (const FileDiff& file : files) {
    switch (file.status) {
      case 'A': text += " create mode " + ModeText(file.new_mode) + " " + git.Quoted(file.new_path) + "\n"; break;
      case 'D': text += " delete mode " + ModeText(file.old_mode) + " " + git.Quoted(file.old_path) + "\n"; break;
      case 'R': case 'C':
        text += std::string(file.status == 'R' ? " rename " : " copy ") + RenameText(git.Quoted(file.old_path), git.Quoted(file.new_path)) + " (" + std::to_string(file.score) + "%)\n";
        if (file.old_mode != file.new_mode) text += " mode change " + ModeText(file.old_mode) + " => " + ModeText(file.new_mode) + "\n";
        break;
      default:
        if (file.old_mode != file.new_mode && file.old_mode != 0 && file.new_mode != 0) text += " mode change " + ModeText(file.old_mode) + " => " + ModeText(file.new_mode) + " " + git.Quoted(file.new_path) + "\n";
    }
  }
  return text;
}

// A name behind --- or +++: a tab tells where one with a blank ends.
std::string HeaderName(const Git& git, const std::string& prefix, const std::string& path) {
  const std::string name = git.Quoted(prefix + path);
  return name.find(' ') != std::string::npos && !name.starts_with('"') ? name + "\t" : name;
}

Result<std::string> PatchHalf(Git& git, const FileDiff& file, const DiffOptions& options) {
  const std::string a = options.no_prefix ? "" : options.src_prefix, b = options.no_prefix ? "" : options.dst_prefix;
  PADDOCK_ASSIGN(const std::string before, ContentOf(git, file, false));
  PADDOCK_ASSIGN(const std::string after, ContentOf(git, file, true));
  std::string text = "diff --git " + git.Quoted(a + file.old_path) + " " + git.Quoted(b + file.new_path) + "\n";
  if (file.old_mode == 0) text += "new file mode " + ModeText(file.new_mode) + "\n";
  else if (file.new_mode == 0) text += "deleted file mode " + ModeText(file.old_mode) + "\n";
  else if (file.old_mode != file.new_mode) text += "old mode " + ModeText(file.old_mode) + "\nnew mode " + ModeText(file.new_mode) + "\n";
  if (file.status == 'R' || file.status == 'C') {
    const char* verb = file.status == 'R' ? "rename" : "copy";
    text += "similarity index " + std::to_string(file.score) + "%\n" + verb + " from " + git.Quoted(file.old_path) + "\n" + verb + " to " + git.Quoted(file.new_path) + "\n";
  }
  if (file.old_id == file.new_id) return text;
  const std::string driver = DiffDriverOf(git, file.file_path.empty() ? file.new_path : file.file_path);
  const bool is_binary = !options.as_text && driver != "+" && (driver == "-" || LooksBinary(before) || LooksBinary(after));
  const auto short_id = [&](const Oid& id) {
    if (options.full_index || (is_binary && options.binary)) return id.Hex();
    return id.is_null() ? std::string(options.abbrev.value_or(7), '0') : git.objects.Abbreviate(id, options.abbrev.value_or(0));
  };
  const std::string index = "index " + short_id(file.old_id) + ".." + short_id(file.new_id) + (file.old_mode == file.new_mode ? " " + ModeText(file.new_mode) : std::string()) + "\n";
  const std::string old_name = file.old_mode == 0 ? "/dev/null" : HeaderName(git, a, file.old_path);
  const std::string new_name = file.new_mode == 0 ? "/dev/null" : HeaderName(git, b, file.new_path);
  if (is_binary && options.binary) return text + index + "GIT binary patch\n" + BinaryBlockText(after, git.in.budget) + BinaryBlockText(before, git.in.budget);
  if (is_binary) {
    const auto plain = [](std::string name) {
      if (name.ends_with('\t')) name.pop_back();
      return name;
    };
    return text + index + "Binary files " + plain(old_name) + " and " + plain(new_name) + " differ\n";
  }
  if (file.new_mode == 0 && options.deletes_briefly) return text + index;
  const std::string hunks = options.words != DiffOptions::Words::kNo ? WordHunks(before, after, options, git.in.budget) : HunksOf(before, after, options, git.in.budget, HeadingRuleOf(driver, git.in.budget));
  if (hunks.empty()) {
    // Blanks that do not count leave nothing to say.
    const bool is_said = file.old_mode != file.new_mode || file.status == 'R' || file.status == 'C';
    return is_said ? text + (before == after || file.old_mode == 0 || file.new_mode == 0 ? index : std::string()) : std::string();
  }
  const std::string head = text + index + "--- " + old_name + "\n+++ " + new_name + "\n";
  if (options.words != DiffOptions::Words::kNo) return (options.colours ? ColouredPatch(head) : head) + hunks;
  return head + hunks;
}

Result<std::string> PatchText(Git& git, const FileDiff& file, const DiffOptions& options) {
  if (file.is_combined) {
    const CombinedFile combined{file.new_path, {file.ours, file.theirs}, {file.new_mode, Oid{}}, true};
    return CombinedPatch(git, combined, options, options.combine != DiffOptions::Combine::kPlain);
  }
  if (file.status == 'U') return "* Unmerged path " + git.Quoted(file.new_path) + "\n";
  if (file.status != 'T') return PatchHalf(git, file, options);
  // Another kind of file: the one goes, the other comes.
  FileDiff gone = file, come = file;
  gone.status = 'D';
  gone.new_mode = 0;
  gone.new_id = {};
  come.status = 'A';
  come.old_mode = 0;
  come.old_id = {};
  PADDOCK_ASSIGN(const std::string first, PatchHalf(git, gone, options));
  PADDOCK_ASSIGN(const std::string second, PatchHalf(git, come, options));
  return first + second;
}

std::string StatusText(const FileDiff& file) {
  if (file.status != 'R' && file.status != 'C') return std::string(1, file.status);
  std::string score = std::to_string(file.score);
  return file.status + std::string(3 - std::min<size_t>(3, score.size()), '0') + score;
}

std::string NamesText(const Git& git, const FileDiff& file, const DiffOptions& options) {
  const char between = options.nul ? '\0' : '\t', end = options.nul ? '\0' : '\n';
  const auto shown = [&](const std::string& path) { return options.nul ? path : git.Quoted(path); };
  std::string text;
  if (options.name_only) return shown(file.new_path) + end;
  text += StatusText(file) + between;
  if (file.status == 'R' || file.status == 'C') text += shown(file.old_path) + between;
  return text + shown(file.old_text && file.status == 'M' ? file.old_path : file.new_path) + end;
}

std::string RawText(Git& git, const FileDiff& file, const DiffOptions& options) {
  const auto short_id = [&](const Oid& id, bool is_file) {
    const bool is_whole = options.full_index || options.full_raw_ids;
    const size_t length = is_whole ? 40 : options.abbrev.value_or(7);
    if (id.is_null() || is_file) return std::string(length, '0');
    return is_whole ? id.Hex() : git.objects.Abbreviate(id, options.abbrev.value_or(0));
  };
  return ":" + ModeText(file.old_mode) + " " + ModeText(file.new_mode) + " " + short_id(file.old_id, file.old_is_file) + " " + short_id(file.new_id, file.new_is_file) + " " + NamesText(git, file, options);
}

}  // namespace

std::string ModeText(uint32_t mode) {
  std::string text;
  for (int shift = 15; shift >= 0; shift -= 3) text += static_cast<char>('0' + (mode >> shift & 7));
  return text;
}

std::string ShortStat(size_t files, size_t added, size_t deleted) {
  std::string text = " " + std::to_string(files) + (files == 1 ? " file changed" : " files changed");
  if (files == 0) return text + "\n";
  if (added > 0 || deleted == 0) text += ", " + std::to_string(added) + (added == 1 ? " insertion(+)" : " insertions(+)");
  if (deleted > 0 || added == 0) text += ", " + std::to_string(deleted) + (deleted == 1 ? " deletion(-)" : " deletions(-)");
  return text + "\n";
}

Result<LineCounts> CountLines(Git& git, const FileDiff& file, const DiffOptions& options) {
  LineCounts counts;
  if (file.old_id == file.new_id) return counts;
  PADDOCK_ASSIGN(const std::string before, ContentOf(git, file, false));
  PADDOCK_ASSIGN(const std::string after, ContentOf(git, file, true));
  const std::string driver = DiffDriverOf(git, file.file_path.empty() ? file.new_path : file.file_path);
  if (!options.as_text && driver != "+" && (driver == "-" || LooksBinary(before) || LooksBinary(after))) {
    counts.is_binary = true;
    return counts;
  }
  for (const DiffEdit& edit : FindEdits(SplitLines(before), SplitLines(after), options, git.in.budget)) {
    counts.deleted += edit.a_count;
    counts.added += edit.b_count;
  }
  return counts;
}

Result<std::string> FormatDiff(Git& git, const std::vector<FileDiff>& files, const DiffOptions& options) {
  if (files.empty()) return std::string();
  std::string text;
  if (options.checks) {
    for (const FileDiff& file : files) {
      if (file.new_mode == 0 || file.status == 'U') continue;
      PADDOCK_ASSIGN(const std::string before, ContentOf(git, file, false));
      PADDOCK_ASSIGN(const std::string after, ContentOf(git, file, true));
      if (!LooksBinary(before) && !LooksBinary(after)) text += CheckText(file.new_path, before, after, options, git.in.budget);
    }
    return text;
  }
  if (options.raw) {
    for (const FileDiff& file : files) text += RawText(git, file, options);
  }
  if (options.name_only || options.name_status) {
    for (const FileDiff& file : files) text += NamesText(git, file, options);
    return text;
  }
  if (options.numstat || options.stat || options.shortstat) {
    std::vector<StatLine> lines;
    size_t added = 0, deleted = 0;
    for (const FileDiff& file : files) {
      StatLine line{StatName(git, file, options.compact_summary), {}, 0, 0, file.status == 'U'};
      PADDOCK_ASSIGN(line.counts, CountLines(git, file, options));
      if (line.counts.is_binary) {
        PADDOCK_ASSIGN(const std::string before, ContentOf(git, file, false));
        PADDOCK_ASSIGN(const std::string after, ContentOf(git, file, true));
        line.old_size = before.size();
        line.new_size = after.size();
      }
      added += line.counts.added;
      deleted += line.counts.deleted;
      if (options.numstat) {
        const std::string counts = line.counts.is_binary ? "-\t-" : std::to_string(line.counts.added) + "\t" + std::to_string(line.counts.deleted);
        if (options.nul && file.status == 'R') text += counts + "\t" + '\0' + file.old_path + '\0' + file.new_path + '\0';
        else text += counts + "\t" + (options.nul ? file.new_path + '\0' : StatName(git, file, false) + "\n");
      }
      lines.push_back(std::move(line));
    }
    if (options.stat) text += StatText(lines, options);
    if (options.shortstat) text += ShortStat(lines.size(), added, deleted);
  }
  if (options.summary) text += SummaryText(git, files);
  if (!options.patch) return text;
  if (!text.empty()) text += '\n';
  for (const FileDiff& file : files) {
    PADDOCK_ASSIGN(const std::string patch, PatchText(git, file, options));
    text += options.colours && options.words == DiffOptions::Words::kNo ? ColouredPatch(patch) : patch;
  }
  return text;
}

}  // namespace paddock::git
