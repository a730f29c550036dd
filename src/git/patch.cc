// The patches that git apply reads: git's own headers, and those of diff -u.
#include "git/patch.h"

#include <algorithm>
#include <charconv>

#include "git/binary_patch.h"
#include "text/diff/patch_names.h"
#include "text/diff/unified_diff.h"

namespace paddock::git {
namespace {

constexpr std::string_view kNull = "/dev/null";

std::string_view Chomp(std::string_view line) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  return line;
}

bool TakeNumber(std::string_view& text, size_t& out) {
  const auto read = std::from_chars(text.data(), text.data() + text.size(), out);
  if (read.ec != std::errc{} || out > (size_t{1} << 40)) return false;
  text.remove_prefix(static_cast<size_t>(read.ptr - text.data()));
  return true;
}

struct HunkHead {
  size_t old_begin = 0, old_count = 1, new_begin = 0, new_count = 1;
};
bool ReadHunkHead(std::string_view line, HunkHead& head) {
  if (!line.starts_with("@@ -")) return false;
  line.remove_prefix(4);
  if (!TakeNumber(line, head.old_begin)) return false;
  if (line.starts_with(',') && (line.remove_prefix(1), !TakeNumber(line, head.old_count))) return false;
  if (!line.starts_with(" +")) return false;
  line.remove_prefix(2);
  if (!TakeNumber(line, head.new_begin)) return false;
  if (line.starts_with(',') && (line.remove_prefix(1), !TakeNumber(line, head.new_count))) return false;
  return line.starts_with(" @@");
}

Error AtLine(std::string_view text, size_t line) { return {Code::kSyntax, std::string(text) + " " + std::to_string(line)}; }

class Reader {
 public:
  Reader(std::string_view text, PatchReading& reading, Budget& budget) : text_(text), lines_(SplitLines(text)), reading_(reading), budget_(budget) {}

  Result<std::vector<FilePatch>> Run() {
    std::vector<FilePatch> patches;
    while (true) {
      FilePatch patch;
      PADDOCK_ASSIGN(const bool found, FindHeader(patch));
      if (!found) return patches;
      PADDOCK_TRY(ReadHunks(patch));
      if (!patch.is_from_top && !reading_.prefix.empty()) {
        if (!patch.old_name.empty()) patch.old_name = reading_.prefix + patch.old_name;
        if (!patch.new_name.empty()) patch.new_name = reading_.prefix + patch.new_name;
      }
      patches.push_back(std::move(patch));
    }
  }

 private:
  // The name at the start of a header line, without its first directories; empty if there is none.
  std::string Name(std::string_view text, int64_t strip, bool ends_at_tab) {
    text = Chomp(text);
    std::string name;
    if (text.starts_with('"')) {
      auto quoted = TakeQuotedName(text);
      if (!quoted) return "";
      name = std::move(*quoted);
    } else {
      name = text.substr(0, ends_at_tab ? text.find('\t') : text.size());
    }
    return Stripped(name, strip);
  }
  std::string Stripped(const std::string& name, int64_t strip) const {
    size_t at = 0;
    for (; strip > 0; --strip) {
      at = name.find('/', at);
      if (at == std::string::npos) return "";
      ++at;
    }
    std::string rest = name.substr(at);
    // Slashes in a row are one.
    rest.erase(std::unique(rest.begin(), rest.end(), [](char a, char b) { return a == '/' && b == '/'; }), rest.end());
    return rest.empty() ? rest : reading_.directory + rest;
  }
  // A name of diff -u may have a date behind it without a tab.
  std::string TraditionalName(std::string_view text, int64_t strip) {
    text = Chomp(text);
    if (!text.starts_with('"') && text.find('\t') == std::string_view::npos) {
      const size_t date = text.find(" 19") != std::string_view::npos ? text.find(" 19") : text.find(" 20");
      if (date != std::string_view::npos && date + 11 < text.size() && text[date + 5] == '-' && text[date + 8] == '-') text = text.substr(0, date);
    }
    return Name(text, strip, true);
  }
  static bool IsNull(std::string_view text) { return text.starts_with(kNull) && (text.size() == kNull.size() || text[9] == '\n' || text[9] == '\t' || text[9] == ' '); }
  static bool HasEpoch(std::string_view text) {
    const size_t tab = text.find('\t');
    return tab != std::string_view::npos && (text.substr(tab + 1).starts_with("1970-01-01 ") || text.substr(tab + 1).starts_with("1969-12-31 "));
  }

  Result<bool> FindHeader(FilePatch& patch) {
    for (; at_ < lines_.size(); ++at_) {
      budget_.Step();
      const std::string_view line = lines_[at_];
      HunkHead head;
      if (ReadHunkHead(line, head)) return Error(Code::kSyntax, "patch fragment without header at line " + std::to_string(at_ + 1) + ": " + std::string(Chomp(line)));
      if (line.starts_with("diff --git ")) {
        const size_t begin = at_;
        PADDOCK_TRY(ReadGitHeader(patch));
        if (at_ > begin + 1) return true;
        at_ = begin;
        patch = {};
        continue;
      }
      const bool is_header = line.starts_with("--- ") && at_ + 2 < lines_.size() && lines_[at_ + 1].starts_with("+++ ") && ReadHunkHead(lines_[at_ + 2], head);
      if (!is_header) continue;
      PADDOCK_TRY(ReadTraditionalHeader(patch));
      return true;
    }
    return false;
  }

  int64_t GuessStrip(std::string_view text) {
    if (IsNull(text)) return -1;
    const std::string name = TraditionalName(text, 0);
    if (name.find('/') == std::string::npos) return name.empty() ? -1 : 0;
    if (reading_.prefix.empty()) return -1;
    const int64_t depth = std::count(reading_.prefix.begin(), reading_.prefix.end(), '/');
    if (name.starts_with(reading_.prefix)) return depth;
    return name.substr(name.find('/') + 1).starts_with(reading_.prefix) ? depth + 1 : -1;
  }

  Status ReadTraditionalHeader(FilePatch& patch) {
    const std::string_view first = lines_[at_].substr(4), second = lines_[at_ + 1].substr(4);
    if (!reading_.is_strip_known) {
      int64_t p = GuessStrip(first);
      const int64_t q = GuessStrip(second);
      if (p < 0) p = q;
      if (p >= 0 && p == q) {
        reading_.strip = p;
        reading_.is_strip_known = true;
      }
    }
    std::string name;
    if (IsNull(first)) {
      patch.is_new = true;
      patch.new_name = name = TraditionalName(second, reading_.strip);
    } else if (IsNull(second)) {
      patch.is_deleted = true;
      patch.old_name = name = TraditionalName(first, reading_.strip);
    } else {
      const std::string old_name = TraditionalName(first, reading_.strip);
      name = TraditionalName(second, reading_.strip);
      if (name.empty() || (!old_name.empty() && old_name.size() < name.size() && name.starts_with(old_name))) name = old_name;
      if (HasEpoch(first)) {
        patch.is_new = true;
        patch.new_name = name;
      } else if (HasEpoch(second)) {
        patch.is_deleted = true;
        patch.old_name = name;
      } else {
        patch.old_name = patch.new_name = name;
      }
    }
    if (name.empty()) return AtLine("unable to find filename in patch at line", at_ + 1);
    at_ += 2;
    return {};
  }

  // "a/x b/x": the name, if both are the same.
  std::string CommonName(std::string_view text) {
    text = Chomp(text);
    const auto same = [this](std::string_view a, std::string_view b) {
      std::string x = Name(a, reading_.strip, false);
      return !x.empty() && x == Name(b, reading_.strip, false) ? x : std::string();
    };
    if (text.starts_with('"')) {
      std::string_view rest = text;
      if (!TakeQuotedName(rest) || !rest.starts_with(' ')) return "";
      return same(text.substr(0, text.size() - rest.size()), rest.substr(1));
    }
    if (text.ends_with('"')) {
      const size_t quote = text.find(" \"");
      return quote == std::string_view::npos ? std::string() : same(text.substr(0, quote), text.substr(quote + 1));
    }
    for (size_t blank = text.find(' '); blank != std::string_view::npos; blank = text.find(' ', blank + 1)) {
      budget_.Step(1 + static_cast<int64_t>(text.size() / 64));
      if (std::string name = same(text.substr(0, blank), text.substr(blank + 1)); !name.empty()) return name;
    }
    return "";
  }

  Status VerifyName(std::string& name, std::string_view text, bool wants_null, const char* side) {
    if (IsNull(text)) {
      if (!wants_null && !name.empty()) return Error(Code::kSyntax, "git apply: bad git-diff - inconsistent " + std::string(side) + " filename on line " + std::to_string(header_line_));
      return {};
    }
    const std::string found = Name(text, reading_.strip, true);
    if (wants_null) return AtLine("git apply: bad git-diff - expected /dev/null on line", header_line_);
    if (!name.empty() && name != found) return Error(Code::kSyntax, "git apply: bad git-diff - inconsistent " + std::string(side) + " filename on line " + std::to_string(header_line_));
    name = found;
    return {};
  }

  Status ReadMode(std::string_view text, uint32_t& mode) {
    const auto read = std::from_chars(text.data(), text.data() + text.size(), mode, 8);
    if (read.ec != std::errc{} || !(read.ptr == text.data() + text.size() || *read.ptr == '\n' || *read.ptr == ' ')) return Error(Code::kSyntax, "invalid mode on line " + std::to_string(header_line_) + ": " + std::string(text.data(), text_.data() + text_.size()));
    return {};
  }

  // One line of git's header; false when it is none.
  Result<bool> ReadGitLine(FilePatch& patch, std::string_view line, const std::string& name) {
    const auto take = [&line](std::string_view word) {
      if (!line.starts_with(word)) return false;
      line.remove_prefix(word.size());
      return true;
    };
    const int64_t less = std::max<int64_t>(reading_.strip - 1, 0);
    if (take("--- ")) PADDOCK_TRY(VerifyName(patch.old_name, line, patch.is_new, "old"));
    else if (take("+++ ")) PADDOCK_TRY(VerifyName(patch.new_name, line, patch.is_deleted, "new"));
    else if (take("old mode ")) PADDOCK_TRY(ReadMode(line, patch.old_mode));
    else if (take("new mode ")) PADDOCK_TRY(ReadMode(line, patch.new_mode));
    else if (take("deleted file mode ")) {
      patch.is_deleted = true;
      patch.old_name = name;
      PADDOCK_TRY(ReadMode(line, patch.old_mode));
    } else if (take("new file mode ")) {
      patch.is_new = true;
      patch.new_name = name;
      PADDOCK_TRY(ReadMode(line, patch.new_mode));
    } else if (take("copy from ")) {
      patch.is_copy = true;
      patch.old_name = Name(line, less, false);
    } else if (take("copy to ")) {
      patch.is_copy = true;
      patch.new_name = Name(line, less, false);
    } else if (take("rename from ") || take("rename old ")) {
      patch.is_rename = true;
      patch.old_name = Name(line, less, false);
    } else if (take("rename to ") || take("rename new ")) {
      patch.is_rename = true;
      patch.new_name = Name(line, less, false);
    } else if (take("similarity index ") || take("dissimilarity index ")) {
      size_t score = 0;
      if (TakeNumber(line, score) && score <= 100) patch.score = static_cast<int>(score);
    } else if (take("index ")) {
      ReadIds(patch, Chomp(line));
      const size_t blank = line.find(' ');
      if (blank != std::string_view::npos) PADDOCK_TRY(ReadMode(line.substr(blank + 1), patch.old_mode));
    } else {
      return false;
    }
    return true;
  }

  // "0123abc..4567def".
  static void ReadIds(FilePatch& patch, std::string_view text) {
    text = text.substr(0, text.find(' '));
    const auto is_id = [](std::string_view id) { return !id.empty() && id.size() <= 40 && id.find_first_not_of("0123456789abcdef") == std::string_view::npos; };
    const size_t dots = text.find("..");
    if (dots == std::string_view::npos || !is_id(text.substr(0, dots)) || !is_id(text.substr(dots + 2))) return;
    patch.old_id = text.substr(0, dots);
    patch.new_id = text.substr(dots + 2);
  }

  Status ReadGitHeader(FilePatch& patch) {
    const std::string name = CommonName(lines_[at_].substr(11));
    const size_t begin = at_++;
    header_line_ = at_ + 1;
    patch.is_from_top = true;
    for (; at_ < lines_.size(); ++at_) {
      budget_.Step();
      PADDOCK_ASSIGN(const bool is_header, ReadGitLine(patch, lines_[at_], name));
      if (!is_header) break;
    }
    if (at_ == begin + 1) return {};
    if (patch.old_name.empty() && patch.new_name.empty()) {
      if (name.empty()) {
        return Error(Code::kSyntax, "git diff header lacks filename information when removing " + std::to_string(reading_.strip) + " leading pathname component" + (reading_.strip == 1 ? "" : "s") + " (line " + std::to_string(at_ + 1) + ")");
      }
      if (!patch.is_new) patch.old_name = name;
      if (!patch.is_deleted) patch.new_name = name;
    }
    if ((patch.new_name.empty() && !patch.is_deleted) || (patch.old_name.empty() && !patch.is_new)) {
      return Error(Code::kSyntax, "git diff header lacks filename information (line " + std::to_string(at_ + 1) + ")");
    }
    return {};
  }

  size_t Offset(size_t line) const { return line < lines_.size() ? static_cast<size_t>(lines_[line].data() - text_.data()) : text_.size(); }
  void Recount(HunkHead& head) {
    size_t old_count = 0, new_count = 0;
    for (size_t at = at_ + 1; at < lines_.size(); ++at) {
      budget_.Step();
      const std::string_view line = lines_[at];
      if (line[0] == '\\') continue;
      if (line[0] == ' ' || line[0] == '\n' || line[0] == '-') ++old_count;
      if (line[0] == ' ' || line[0] == '\n' || line[0] == '+') ++new_count;
      if (std::string_view(" \n-+").find(line[0]) != std::string_view::npos) continue;
      if (line.starts_with("@@ ") || line.starts_with("diff ")) break;
      reading_.warnings.push_back("recount: unexpected line: " + std::string(line));
      return;
    }
    head.old_count = old_count;
    head.new_count = new_count;
  }

  Status ReadHunk(FilePatch& patch, const HunkHead& head) {
    PatchHunk hunk{.old_begin = head.old_begin, .new_begin = head.new_begin};
    hunk.text_begin = Offset(at_);
    size_t added = 0, deleted = 0;
    ++at_;
    const auto broken = [this]() { return AtLine("corrupt patch at line", at_ + 1); };
    // Of the two, one may go below zero on its way: then the hunk is broken where it ends.
    auto old_count = static_cast<int64_t>(head.old_count), new_count = static_cast<int64_t>(head.new_count);
    while (old_count != 0 || new_count != 0) {
      budget_.Step();
      if (at_ >= lines_.size()) return broken();
      const std::string_view line = lines_[at_];
      const char mark = line == "\n" ? ' ' : line[0];
      if (mark == '\\') {
        if (line.size() < 12 || !line.starts_with("\\ ") || hunk.lines.empty()) return broken();
        Unend(hunk);
        ++at_;
        continue;
      }
      if (mark != ' ' && mark != '-' && mark != '+') return broken();
      hunk.trailing = mark == ' ' ? hunk.trailing + 1 : 0;
      if (mark == ' ' && added == 0 && deleted == 0) ++hunk.leading;
      if (mark != '+') --old_count;
      if (mark != '-') --new_count;
      added += mark == '+' ? 1 : 0;
      deleted += mark == '-' ? 1 : 0;
      hunk.lines.push_back({mark, line == "\n" ? "\n" : std::string(line.substr(1)), at_ + 1});
      ++at_;
    }
    if (!reading_.recounts && added == 0 && deleted == 0) return broken();
    if (at_ < lines_.size() && lines_[at_].starts_with("\\ ") && lines_[at_].size() > 11) {
      Unend(hunk);
      ++at_;
    }
    hunk.text_size = Offset(at_) - hunk.text_begin;
    patch.added += added;
    patch.deleted += deleted;
    patch.hunks.push_back(std::move(hunk));
    return {};
  }
  // The last line has no newline.
  static void Unend(PatchHunk& hunk) {
    if (std::string& text = hunk.lines.back().text; text.ends_with('\n')) text.pop_back();
  }

  Status ReadHunks(FilePatch& patch) {
    size_t old_lines = 0, new_lines = 0;
    HunkHead head;
    while (at_ < lines_.size() && lines_[at_].starts_with("@@ -")) {
      head = {};
      if (!ReadHunkHead(lines_[at_], head)) return AtLine("corrupt patch at line", at_ + 1);
      if (reading_.recounts) Recount(head);
      old_lines += head.old_count;
      new_lines += head.new_count;
      PADDOCK_TRY(ReadHunk(patch, head));
    }
    if (patch.is_new && old_lines > 0) return Error(Code::kSyntax, "new file " + patch.new_name + " depends on old contents");
    if (patch.is_deleted && new_lines > 0) return Error(Code::kSyntax, "deleted file " + patch.old_name + " still has contents");
    if (!patch.hunks.empty()) return {};
    if (at_ < lines_.size()) {
      const std::string_view line = Chomp(lines_[at_]);
      patch.is_binary = line == "GIT binary patch" || ((line.starts_with("Binary files ") || line.starts_with("Files ")) && line.ends_with(" differ"));
      if (line == "GIT binary patch") PADDOCK_TRY(ReadBinary(patch));
    }
    const bool says_something = patch.is_binary || patch.is_new || patch.is_deleted || patch.is_rename || patch.is_copy || (patch.new_mode != 0 && patch.old_mode != patch.new_mode);
    if (!says_something) return AtLine("patch with only garbage at line", at_ + 1);
    return {};
  }

  // The change, and mostly the way back.
  Status ReadBinary(FilePatch& patch) {
    const size_t begin = ++at_;
    PADDOCK_ASSIGN(patch.forward, ReadBinaryBlock(lines_, at_, budget_));
    if (!patch.forward) return AtLine("unrecognized binary patch at line", begin);
    PADDOCK_ASSIGN(patch.backward, ReadBinaryBlock(lines_, at_, budget_));
    return {};
  }

  std::string_view text_;
  std::vector<std::string_view> lines_;
  PatchReading& reading_;
  Budget& budget_;
  size_t at_ = 0;
  size_t header_line_ = 0;   // the one behind "diff --git", which errors in the header name
};

}  // namespace

Result<std::vector<FilePatch>> ReadPatches(std::string_view text, PatchReading& reading, Budget& budget) { return Reader(text, reading, budget).Run(); }

void ReversePatch(FilePatch& patch) {
  std::swap(patch.old_name, patch.new_name);
  // A mode that stays is named once.
  if (patch.new_mode != 0 || patch.is_new || patch.is_deleted) std::swap(patch.old_mode, patch.new_mode);
  std::swap(patch.is_new, patch.is_deleted);
  std::swap(patch.added, patch.deleted);
  std::swap(patch.old_id, patch.new_id);
  std::swap(patch.forward, patch.backward);
  for (PatchHunk& hunk : patch.hunks) {
    std::swap(hunk.old_begin, hunk.new_begin);
    for (PatchHunk::Line& line : hunk.lines) line.mark = line.mark == '+' ? '-' : line.mark == '-' ? '+' : ' ';
  }
}

}  // namespace paddock::git
