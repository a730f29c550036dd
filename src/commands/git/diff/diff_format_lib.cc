// The forms of a difference: patch, --stat, --name-status and the others.
#include <algorithm>

#include "commands/git/diff/combined_diff.h"
#include "commands/git/diff/diff.h"
#include "git/binary_patch.h"
#include "text/diff/unified_diff.h"

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
        if (file.dissimilarity > 0) {
          text += " rewrite " + git.Quoted(file.new_path) + " (" + std::to_string(file.dissimilarity) + "%)\n";
          if (file.old_mode != file.new_mode) text += " mode change " + ModeText(file.old_mode) + " => " + ModeText(file.new_mode) + "\n";
          break;
        }
        if (file.old_mode != file.new_mode && file.old_mode != 0 && file.new_mode != 0) text += " mode change " + ModeText(file.old_mode) + " => " + ModeText(file.new_mode) + " " + git.Quoted(file.new_path) + "\n";
    }
  }
  return text;
}

class CountSink final : public HunkSink {
 public:
  explicit CountSink(LineCounts& counts) : counts_(counts) {}
  void Fragment(std::string_view, std::string_view) override {}
  void Line(char mark, std::string_view) override {
    if (mark == '+') ++counts_.added;
    if (mark == '-') ++counts_.deleted;
  }

 private:
  LineCounts& counts_;
};

std::string StatusText(const FileDiff& file) {
  if (file.dissimilarity > 0) return "M" + std::string(file.dissimilarity < 100 ? 1 : 0, '0') + std::to_string(file.dissimilarity);
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
    const Oid shown = is_file ? Oid() : id;
    return options.full_index || options.full_raw_ids ? shown.Hex() : git.objects.Abbreviate(shown, options.abbrev.value_or(0));
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
  if (file.dissimilarity > 0) {
    counts.deleted = SplitLines(before).size();
    counts.added = SplitLines(after).size();
    return counts;
  }
  CountSink sink(counts);
  WalkHunks(before, after, options, git.in.budget, {}, sink);
  return counts;
}

namespace {

// Each line with what --line-prefix says in front of it.
std::string Prefixed(std::string text, const std::string& prefix, char end) {
  if (prefix.empty() || text.empty()) return text;
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t next = std::min(text.find(end, at), text.size() - 1) + 1;
    out += prefix;
    out.append(text, at, next - at);
    at = next;
  }
  return out;
}

}  // namespace

Result<std::string> FormatDiff(Git& git, const std::vector<FileDiff>& files, const DiffOptions& options) {
  if (files.empty()) return std::string();
  const char end = options.nul ? '\0' : '\n';
  std::string text;
  if (options.checks) {
    for (const FileDiff& file : files) {
      if (file.new_mode == 0 || file.status == 'U') continue;
      PADDOCK_ASSIGN(const std::string before, ContentOf(git, file, false));
      PADDOCK_ASSIGN(const std::string after, ContentOf(git, file, true));
      if (!LooksBinary(before) && !LooksBinary(after)) text += CheckText(git, file.new_path, before, after, options);
    }
    return Prefixed(std::move(text), options.line_prefix, '\n');
  }
  if (options.raw) {
    for (const FileDiff& file : files) text += Prefixed(RawText(git, file, options), options.line_prefix, '\n');
  }
  if (options.name_only || options.name_status) {
    for (const FileDiff& file : files) text += options.line_prefix + NamesText(git, file, options);
    return text;
  }
  bool needs_separator = !text.empty();
  if (options.numstat || options.stat || options.shortstat) {
    std::vector<StatLine> lines;
    size_t added = 0, deleted = 0;
    std::string part;
    for (const FileDiff& file : files) {
      StatLine line{StatName(git, file, options.compact_summary), {}, 0, 0, file.status == 'U'};
      PADDOCK_ASSIGN(line.counts, CountLines(git, file, options));
      if (line.counts.is_binary) {
        PADDOCK_ASSIGN(const std::string before, ContentOf(git, file, false));
        PADDOCK_ASSIGN(const std::string after, ContentOf(git, file, true));
        line.old_size = before.size();
        line.new_size = after.size();
      } else if (file.status == 'M' && line.counts.added == 0 && line.counts.deleted == 0 && file.old_mode == file.new_mode && file.new_mode != kModeCommit) {
        continue;   // nothing that counts
      }
      added += line.counts.added;
      deleted += line.counts.deleted;
      if (options.numstat) {
        const std::string counts = line.counts.is_binary ? "-\t-" : std::to_string(line.counts.added) + "\t" + std::to_string(line.counts.deleted);
        part += options.line_prefix;
        if (options.nul && (file.status == 'R' || file.status == 'C')) part += counts + "\t" + '\0' + file.old_path + '\0' + file.new_path + '\0';
        else part += counts + "\t" + (options.nul ? file.new_path + '\0' : StatName(git, file, false) + "\n");
      }
      lines.push_back(std::move(line));
    }
    if (options.stat && !lines.empty()) part += Prefixed(StatText(lines, options), options.line_prefix, '\n');
    if (options.shortstat && !lines.empty()) part += options.line_prefix + ShortStat(lines.size(), added, deleted);
    text += part;
    needs_separator = true;
  }
  if (options.dirstat) {
    PADDOCK_ASSIGN(const std::string part, DirstatText(git, files, options));
    text += Prefixed(part, options.line_prefix, '\n');
    needs_separator |= options.dirstat->counts == Dirstat::Counts::kLines;
  }
  if (options.summary) {
    const std::string part = SummaryText(git, files);
    needs_separator |= !part.empty();
    text += Prefixed(part, options.line_prefix, '\n');
  }
  if (!options.patch) return text;
  if (needs_separator) text += options.line_prefix + end;
  PADDOCK_ASSIGN(const std::string patches, PatchesText(git, files, options));
  return text + Prefixed(patches, options.line_prefix, '\n');
}

Result<ExitStatus> ShowDiff(Git& git, const std::vector<FileDiff>& files, const DiffOptions& options) {
  std::string text;
  bool differs = !files.empty();
  const bool counts_content = options.ignores_all_space || options.ignores_space_change || options.ignores_space_at_end || options.ignores_cr || options.ignores_blank_lines || !options.ignored_lines.empty();
  if (!options.no_patch && !options.quiet) {
    PADDOCK_ASSIGN(text, FormatDiff(git, files, options));
  }
  // With what makes lines equal that are not, patches tell whether something differs.
  if (counts_content && differs && (options.exit_code || options.quiet) && (options.patch || options.quiet)) {
    PADDOCK_ASSIGN(const std::string patches, PatchesText(git, files, options));
    differs = !patches.empty();
  }
  if (!options.output.empty()) {
    if (const Status written = vfs::WriteFile(git.in.fs, options.output, text); !written) return Error(written.error().code, "could not open '" + options.output + "' for writing: " + std::string(written.error().Text()));
  } else {
    git.Print(text);
  }
  if (options.checks && !text.empty()) return options.exit_code ? 3 : 2;
  return (options.exit_code || options.quiet) && differs ? 1 : 0;
}

}  // namespace paddock::git
