#include "tools/content/v4a.h"

#include <algorithm>

#include "text/utf8.h"

namespace paddock::tools {
namespace {

constexpr std::string_view kBegin = "*** Begin Patch";
constexpr std::string_view kEnd = "*** End Patch";
constexpr std::string_view kAdd = "*** Add File: ";
constexpr std::string_view kUpdate = "*** Update File: ";
constexpr std::string_view kDelete = "*** Delete File: ";
constexpr std::string_view kMove = "*** Move to: ";
constexpr std::string_view kEndOfFile = "*** End of File";
constexpr size_t kMostBytes = 4u << 20;
constexpr size_t kMostOperations = 1000;
constexpr size_t kMostCompared = 20'000'000;   // lines, by one diff

std::vector<std::string_view> SplitLines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

std::string_view TrimRight(std::string_view line) {
  const size_t last = line.find_last_not_of(" \t");
  return last == std::string_view::npos ? std::string_view() : line.substr(0, last + 1);
}

std::string_view Trim(std::string_view line) {
  line = TrimRight(line);
  const size_t first = line.find_first_not_of(" \t");
  return first == std::string_view::npos ? std::string_view() : line.substr(first);
}

std::string Shown(std::string_view line) { return HarmlessLine(line.substr(0, 200)); }

Error Bad(size_t line, const std::string& what) { return Error(Code::kSyntax, "line " + std::to_string(line + 1) + " of the patch: " + what); }

// One place of a diff: lines that must be there (kept or removed), and what becomes of them.
struct Section {
  std::vector<std::string_view> anchors;
  std::vector<std::string_view> before;        // kept and removed
  std::vector<std::string_view> after;         // kept and added
  bool is_at_end = false;
  size_t line = 0;                             // in the diff
};

Result<std::vector<Section>> ParseSections(std::string_view diff) {
  const std::vector<std::string_view> lines = SplitLines(diff);
  std::vector<Section> sections;
  size_t i = 0;
  while (i < lines.size()) {
    Section section{.anchors = {}, .before = {}, .after = {}, .line = i};
    bool has_head = false;
    for (; i < lines.size() && lines[i].starts_with("@@"); ++i) {
      has_head = true;
      std::string_view anchor = lines[i].substr(2);
      if (anchor.starts_with(' ')) anchor.remove_prefix(1);
      if (Trim(anchor).ends_with("@@")) anchor = TrimRight(anchor).substr(0, TrimRight(anchor).size() - 2);   // "@@ def f(): @@"
      // "@@ -1,3 +1,4 @@" of other diffs says nothing here.
      const bool is_range = anchor.size() > 1 && anchor[0] == '-' && anchor[1] >= '0' && anchor[1] <= '9' && anchor.find(" +") != std::string_view::npos;
      if (!Trim(anchor).empty() && !is_range) section.anchors.push_back(anchor);
    }
    if (!has_head && !sections.empty()) return Bad(i, "expected @@ before another place in the file, not '" + Shown(lines[i]) + "'");
    const size_t begin = i;
    for (; i < lines.size() && !lines[i].starts_with("@@"); ++i) {
      const std::string_view line = lines[i];
      if (line == kEndOfFile) {
        section.is_at_end = true;
        ++i;
        break;
      }
      if (line.empty()) {   // a context line that lost its blank
        section.before.push_back(line);
        section.after.push_back(line);
      } else if (line[0] == ' ') {
        section.before.push_back(line.substr(1));
        section.after.push_back(line.substr(1));
      } else if (line[0] == '-') {
        section.before.push_back(line.substr(1));
      } else if (line[0] == '+') {
        section.after.push_back(line.substr(1));
      } else {
        return Bad(i, "must begin with ' ', '-', '+' or '@@', not '" + Shown(line) + "'");
      }
    }
    if (i == begin) return Bad(section.line, "no lines follow this @@");
    sections.push_back(std::move(section));
  }
  return sections;
}

class Applier {
 public:
  explicit Applier(std::string_view text) : lines_(SplitLines(text)), end_(text.data() + text.size()), has_last_newline_(text.empty() || text.ends_with('\n')) {}

  Result<std::string> Run(const std::vector<Section>& sections, std::string_view newline) {
    std::string out;
    const auto keep = [&](size_t line) { out.append(lines_[line]).append(HasCarriageReturn(line) ? "\r\n" : "\n"); };
    const auto add = [&](std::string_view line) { out.append(line).append(newline); };
    size_t copied = 0;   // lines of the text that are in `out` or replaced
    for (const Section& section : sections) {
      PADDOCK_ASSIGN(const size_t at, Place(section, copied));
      for (; copied < at; ++copied) keep(copied);
      // Kept lines stay as they are in the file, also where white space differs.
      size_t from_file = at;
      size_t b = 0;
      for (const std::string_view line : section.after) {
        while (b < section.before.size() && !IsKept(section.before[b], line)) {
          ++b;
          ++from_file;
        }
        if (b < section.before.size()) {
          keep(from_file);
          ++b;
          ++from_file;
        } else {
          add(line);
        }
      }
      copied = at + section.before.size();
    }
    for (; copied < lines_.size(); ++copied) keep(copied);
    if (!has_last_newline_ && !out.empty()) out.resize(out.size() - (out.ends_with("\r\n") ? 2 : 1));
    return out;
  }

 private:
  static bool IsKept(std::string_view before, std::string_view after) { return before.data() == after.data() && before.size() == after.size(); }

  bool HasCarriageReturn(size_t line) const {
    const char* const behind = lines_[line].data() + lines_[line].size();
    return behind < end_ && *behind == '\r';
  }

  // Where the section's lines begin, at or behind `from`.
  Result<size_t> Place(const Section& section, size_t from) {
    for (const std::string_view anchor : section.anchors) {
      const size_t found = FindAnchor(anchor, from);
      if (found == lines_.size()) return Error(Code::kInvalid, "the line '" + Shown(anchor) + "' behind @@ is not in the file" + (from > 0 ? " below the last change" : ""));
      from = found + 1;
    }
    if (section.before.empty()) {
      // Nothing but new lines: behind the anchor, or at the end.
      return section.is_at_end || section.anchors.empty() ? lines_.size() : from;
    }
    if (section.before.size() <= lines_.size()) {
      const size_t last = lines_.size() - section.before.size();
      for (int leniency = 0; leniency < 3; ++leniency) {
        if (section.is_at_end && last >= from && Fits(section.before, last, leniency)) return last;
        for (size_t at = from; at <= last && !section.is_at_end; ++at) {
          if (Fits(section.before, at, leniency)) return at;
          if (compared_ > kMostCompared) return Error(Code::kInvalid, "the patch and the file are too large to fit together; make smaller patches");
        }
      }
    }
    std::string wanted;
    for (size_t i = 0; i < std::min<size_t>(section.before.size(), 10); ++i) wanted += "\n" + Shown(section.before[i]);
    return Error(Code::kInvalid, std::string("these lines of the patch are not in the file") + (section.is_at_end ? " at its end" : from > 0 ? " below the place before them" : "") + ":" + wanted);
  }

  // The line that the anchor names, or that it is the beginning of.
  size_t FindAnchor(std::string_view anchor, size_t from) {
    for (int leniency = 0; leniency < 3; ++leniency) {
      for (size_t i = from; i < lines_.size(); ++i) {
        ++compared_;
        if (leniency == 0 ? lines_[i] == anchor : leniency == 1 ? Trim(lines_[i]) == Trim(anchor) : Trim(lines_[i]).starts_with(Trim(anchor))) return i;
      }
    }
    return lines_.size();
  }

  bool Fits(const std::vector<std::string_view>& wanted, size_t at, int leniency) {
    for (size_t i = 0; i < wanted.size(); ++i) {
      ++compared_;
      const std::string_view a = lines_[at + i];
      const std::string_view b = wanted[i];
      if (!(leniency == 0 ? a == b : leniency == 1 ? TrimRight(a) == TrimRight(b) : Trim(a) == Trim(b))) return false;
      if (compared_ > kMostCompared) return false;
    }
    return true;
  }

  const std::vector<std::string_view> lines_;
  const char* const end_;
  const bool has_last_newline_;
  size_t compared_ = 0;
};

Result<std::string> PathOf(std::string_view text, size_t line) {
  const std::string_view path = Trim(text);
  if (path.empty() || path.size() > 4096) return Bad(line, "the path is empty or too long");
  if (path.find('\0') != std::string_view::npos) return Bad(line, "the path holds a NUL character");
  return std::string(path);
}

}  // namespace

Result<std::vector<PatchOperation>> ParsePatch(std::string_view text) {
  if (text.size() > kMostBytes) return Error(Code::kSyntax, "the patch has more than 4 MiB; make smaller ones");
  const std::vector<std::string_view> lines = SplitLines(text);
  size_t i = 0;
  while (i < lines.size() && Trim(lines[i]).empty()) ++i;
  if (i == lines.size() || Trim(lines[i]) != kBegin) return Bad(i, "a patch begins with '" + std::string(kBegin) + "'");
  ++i;
  std::vector<PatchOperation> operations;
  bool has_end = false;
  while (i < lines.size()) {
    const std::string_view line = lines[i];
    if (Trim(line) == kEnd) {
      has_end = true;
      ++i;
      break;
    }
    PatchOperation operation;
    std::string_view path;
    if (line.starts_with(kAdd)) {
      operation.kind = PatchOperation::Kind::kAdd;
      path = line.substr(kAdd.size());
    } else if (line.starts_with(kUpdate)) {
      path = line.substr(kUpdate.size());
    } else if (line.starts_with(kDelete)) {
      operation.kind = PatchOperation::Kind::kDelete;
      path = line.substr(kDelete.size());
    } else {
      return Bad(i, "expected '*** Add File: ', '*** Update File: ', '*** Delete File: ' or '" + std::string(kEnd) + "', not '" + Shown(line) + "'");
    }
    if (operations.size() >= kMostOperations) return Bad(i, "more than 1000 files in one patch");
    PADDOCK_ASSIGN(operation.path, PathOf(path, i));
    ++i;
    if (operation.kind == PatchOperation::Kind::kUpdate && i < lines.size() && lines[i].starts_with(kMove)) {
      PADDOCK_ASSIGN(operation.move_to, PathOf(lines[i].substr(kMove.size()), i));
      ++i;
    }
    for (; i < lines.size(); ++i) {
      const bool ends = lines[i].starts_with("***") && lines[i] != kEndOfFile;
      if (ends) break;
      operation.diff.append(lines[i]).append("\n");
    }
    if (operation.kind == PatchOperation::Kind::kDelete && !Trim(operation.diff).empty() && operation.diff.find_first_not_of(" \t\n") != std::string::npos) {
      return Bad(i - 1, "lines follow the deletion of " + Shown(operation.path));
    }
    operations.push_back(std::move(operation));
  }
  if (!has_end) return Bad(lines.size() - 1, "the patch ends without '" + std::string(kEnd) + "'");
  for (; i < lines.size(); ++i) {
    if (!Trim(lines[i]).empty()) return Bad(i, "text follows '" + std::string(kEnd) + "'");
  }
  if (operations.empty()) return Error(Code::kSyntax, "the patch changes no file");
  return operations;
}

Result<std::string> ApplyDiff(std::string_view text, std::string_view diff) {
  if (diff.size() > kMostBytes || text.size() > 4 * kMostBytes) return Error(Code::kSyntax, "the diff has more than 4 MiB; make smaller ones");
  PADDOCK_ASSIGN(const std::vector<Section> sections, ParseSections(diff));
  if (sections.empty()) return Error(Code::kSyntax, "the diff is empty; there is nothing to change");
  const size_t first_end = text.find('\n');
  const std::string_view newline = first_end != std::string_view::npos && first_end > 0 && text[first_end - 1] == '\r' ? "\r\n" : "\n";
  return Applier(text).Run(sections, newline);
}

Result<std::string> CreateFromDiff(std::string_view diff) {
  if (diff.size() > kMostBytes) return Error(Code::kSyntax, "the diff has more than 4 MiB");
  std::string content;
  const std::vector<std::string_view> lines = SplitLines(diff);
  for (size_t i = 0; i < lines.size(); ++i) {
    if (!lines[i].starts_with('+')) return Bad(i, "every line of a new file begins with '+', not '" + Shown(lines[i]) + "'");
    content.append(lines[i].substr(1)).append("\n");
  }
  return content;
}

}  // namespace paddock::tools
