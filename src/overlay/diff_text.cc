#include "overlay/diff_text.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>

#include "text/diff/unified_diff.h"
#include "text/utf8.h"

namespace paddock::overlay {
namespace {

constexpr const char* kReset = "\x1b[m";
constexpr const char* kBold = "\x1b[1m";
constexpr const char* kCyan = "\x1b[36m";
constexpr const char* kRed = "\x1b[31m";
constexpr const char* kGreen = "\x1b[32m";
constexpr const char* kYellow = "\x1b[33m";

// One side of a change.
struct Side {
  std::string text;
  bool is_text = true;   // shown line by line
  bool is_large = false;
};

Side ReadSide(int directory, const std::string& path, const FileFacts& facts) {
  Side side;
  if (facts.is_symlink()) {
    auto target = LinkTarget(directory, path);
    if (target) side.text = std::move(*target);
    else side.is_text = false;
    return side;
  }
  if (!facts.is_file()) return side;
  if (facts.size > kLargestShown) {
    side.is_text = false;
    side.is_large = true;
    return side;
  }
  const auto file = OpenBeneath(directory, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (!file) {
    side.is_text = false;
    return side;
  }
  std::array<char, 64 << 10> block;
  while (side.text.size() <= kLargestShown) {
    const ssize_t got = read(file->get(), block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    side.text.append(block.data(), static_cast<size_t>(got));
  }
  side.is_text = side.text.size() <= kLargestShown && !LooksBinary(side.text);
  return side;
}

// A line of content for a terminal, which it must not be able to steer.
std::string Visible(std::string_view line) {
  std::string text;
  for (size_t i = 0; i < line.size();) {
    const auto byte = static_cast<unsigned char>(line[i]);
    const DecodedChar decoded = DecodeUtf8(line.substr(i));
    if (byte == '\t' || (decoded.is_valid && IsHarmless(decoded.code))) {
      text += line.substr(i, decoded.length);
      i += decoded.length;
      continue;
    }
    if (byte < 0x20 || byte == 0x7f) {
      text += '^';
      text += static_cast<char>(byte ^ 0x40);
    } else {
      std::array<char, 8> hex{};
      std::snprintf(hex.data(), hex.size(), "<%02X>", byte);
      text += hex.data();
    }
    ++i;
  }
  return text;
}

class Patch {
 public:
  Patch(int workspace, int upper, const Change& change, const DiffStyle& style)
      : workspace_(workspace), upper_(upper), change_(change), style_(style) {}

  std::string Write(bool has_children) {
    WriteNotes();
    if (!change_.refusal.empty()) return std::move(text_);
    const FileFacts none;
    switch (change_.kind) {
      case Change::Kind::kDeleted:
        if (change_.renamed.empty()) WriteFile(change_.before, none, has_children);
        break;
      case Change::Kind::kType:
        WriteFile(change_.before, none, has_children);
        WriteFile(none, change_.after, has_children);
        break;
      default: WriteFile(change_.before, change_.after, has_children);
    }
    return std::move(text_);
  }

 private:
  void Line(const char* color, const std::string& line) {
    if (style_.has_color && color != nullptr) text_ += color + line + kReset + "\n";
    else text_ += line + "\n";
  }

  void WriteNotes() {
    const std::string path = Shown(change_.path);
    if (!change_.refusal.empty()) Line(kYellow, "# refused: " + path + ": " + change_.refusal);
    if (!change_.protected_name.empty()) Line(kYellow, "# protected: " + path + " (" + change_.protected_name + "): only --include-protected applies it");
    if (!change_.conflict.empty()) Line(kYellow, "# conflict: " + path + ": " + change_.conflict);
  }

  static std::string Octal(const FileFacts& facts) {
    std::array<char, 16> text{};
    const unsigned type = facts.is_symlink() ? 0120000 : facts.is_directory() ? 0040000 : 0100000;
    std::snprintf(text.data(), text.size(), "%06o", type | (facts.is_symlink() ? 0u : facts.mode & 07777));
    return text.data();
  }

  // "--- a/x": a name with a blank ends with a tab, so that patch(1) finds its end.
  static std::string FileLine(const char* mark, const std::string& name) {
    return mark + name + (name.find(' ') != std::string::npos && !name.starts_with('"') ? "\t" : "");
  }

  void WriteDirectory(const FileFacts& before, const FileFacts& after, bool has_children) {
    const std::string path = Shown(change_.path + "/");
    if (before.exists() && after.exists()) Line(kBold, "# directory " + path + ": mode " + Octal(before) + " becomes " + Octal(after));
    else if (!has_children) Line(kBold, (after.exists() ? "# new directory: " : "# deleted directory: ") + path);
  }

  void WriteFile(const FileFacts& before, const FileFacts& after, bool has_children) {
    if (before.is_directory() || after.is_directory()) return WriteDirectory(before, after, has_children);
    const std::string old_path = change_.renamed.empty() || !after.exists() ? change_.path : change_.renamed;
    const std::string a = Shown("a/" + old_path), b = Shown("b/" + change_.path);
    Line(kBold, "diff --git " + a + " " + b);
    if (!before.exists() && !change_.renamed.empty()) {
      FileFacts renamed = after;
      renamed.mode = change_.renamed_mode;
      if (renamed.mode != after.mode) {
        Line(kBold, "old mode " + Octal(renamed));
        Line(kBold, "new mode " + Octal(after));
      }
      Line(kBold, "similarity index 100%");
      Line(kBold, "rename from " + Shown(old_path));
      Line(kBold, "rename to " + Shown(change_.path));
      return;
    }
    if (!before.exists()) Line(kBold, "new file mode " + Octal(after));
    else if (!after.exists()) Line(kBold, "deleted file mode " + Octal(before));
    else if (before.mode != after.mode && !after.is_symlink()) {
      Line(kBold, "old mode " + Octal(before));
      Line(kBold, "new mode " + Octal(after));
    }
    if (change_.kind == Change::Kind::kMode) return;
    const Side x = ReadSide(workspace_, change_.path, before), y = ReadSide(upper_, change_.path, after);
    const std::string from = before.exists() ? a : "/dev/null", to = after.exists() ? b : "/dev/null";
    if (!x.is_text || !y.is_text) {
      if (x.is_large || y.is_large) Line(nullptr, "Files " + from + " and " + to + " differ: too large to show");
      else Line(nullptr, "Binary files " + from + " and " + to + " differ");
      return;
    }
    const std::vector<DiffLine> lines = UnifiedDiff(x.text, y.text, 3);
    if (lines.empty()) return;
    Line(kBold, FileLine("--- ", from));
    Line(kBold, FileLine("+++ ", to));
    for (const DiffLine& line : lines) WriteLine(line);
  }

  void WriteLine(const DiffLine& line) {
    const std::string text = style_.is_terminal ? Visible(line.text) : line.text;
    switch (line.kind) {
      case DiffLine::Kind::kHunk: return Line(kCyan, line.text);
      case DiffLine::Kind::kContext: return Line(nullptr, " " + text);
      case DiffLine::Kind::kRemoved: return Line(kRed, "-" + text);
      case DiffLine::Kind::kAdded: return Line(kGreen, "+" + text);
      case DiffLine::Kind::kNoNewline: return Line(nullptr, "\\ No newline at end of file");
    }
  }

  const int workspace_;
  const int upper_;
  const Change& change_;
  const DiffStyle style_;
  std::string text_;
};

}  // namespace

std::string PatchOf(int workspace, int upper, const Change& change, bool has_children, const DiffStyle& style) {
  return Patch(workspace, upper, change, style).Write(has_children);
}

std::optional<LineCounts> CountLines(int workspace, int upper, const Change& change) {
  LineCounts counts;
  if (!change.refusal.empty()) return std::nullopt;
  if (!change.renamed.empty() || change.kind == Change::Kind::kMode) return counts;
  const Side x = ReadSide(workspace, change.path, change.before), y = ReadSide(upper, change.path, change.after);
  if (!x.is_text || !y.is_text) return std::nullopt;
  for (const DiffLine& line : UnifiedDiff(x.text, y.text, 0)) {
    counts.added += line.kind == DiffLine::Kind::kAdded;
    counts.removed += line.kind == DiffLine::Kind::kRemoved;
  }
  return counts;
}

std::string NotesOf(const Change& change) {
  std::string notes;
  const auto add = [&notes](const char* what, const std::string& text) {
    if (!text.empty()) notes += (notes.empty() ? "" : "; ") + std::string(what) + text;
  };
  add("refused: ", change.refusal);
  add("conflict: ", change.conflict);
  add("protected: ", change.protected_name);
  return notes;
}

}  // namespace paddock::overlay
