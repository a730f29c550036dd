#include "git/check.h"

#include <algorithm>
#include <set>

#include "git/refs.h"

namespace paddock::git {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

class Checker {
 public:
  Checker(std::string_view data, bool is_strict, Budget& budget) : data_(data), is_strict_(is_strict), budget_(budget) {}

  void CheckTree() {
    std::string_view rest = data_;
    bool has_null = false, has_path = false, has_empty = false, has_dot = false, has_dotdot = false, has_dotgit = false, has_zeros = false, has_bad_mode = false, is_unsorted = false, has_duplicates = false;
    std::string last;
    std::set<std::string> names;
    bool is_first = true;
    while (!rest.empty()) {
      budget_.Step(4);
      const size_t blank = rest.find(' '), end = rest.find('\0');
      if (blank == std::string_view::npos || end == std::string_view::npos || blank > end || rest.size() - end < 21) return Fail("badTree", "cannot be parsed as a tree");
      const std::string_view mode_text = rest.substr(0, blank), name = rest.substr(blank + 1, end - blank - 1);
      uint32_t mode = 0;
      if (mode_text.empty() || mode_text.size() > 7) return Fail("badTree", "cannot be parsed as a tree");
      for (const char c : mode_text) {
        if (c < '0' || c > '7') return Fail("badTree", "cannot be parsed as a tree");
        mode = mode << 3 | static_cast<uint32_t>(c - '0');
      }
      const Oid id = Oid::FromBytes(rest.substr(end + 1));
      rest.remove_prefix(end + 21);
      has_null |= id.is_null();
      has_path |= name.find('/') != std::string_view::npos;
      has_empty |= name.empty();
      has_dot |= name == ".";
      has_dotdot |= name == "..";
      has_dotgit |= !name.empty() && name != "." && name != ".." && name.find('/') == std::string_view::npos && !IsSafePath(name);
      has_zeros |= mode_text[0] == '0';
      static constexpr uint32_t kGood[] = {kModeTree, kModeFile, kModeExecutable, kModeLink, kModeCommit};
      const bool is_good = std::find(std::begin(kGood), std::end(kGood), mode) != std::end(kGood) || (mode == 0100664 && !is_strict_);
      has_bad_mode |= !is_good;
      // Trees are sorted as if their names ended with a slash.
      const std::string key = std::string(name) + (mode == kModeTree ? "/" : "");
      if (!is_first && key < last) is_unsorted = true;
      budget_.WillAllocate(name.size() + 64);
      if (!names.insert(std::string(name)).second) has_duplicates = true;
      last = key;
      is_first = false;
    }
    if (has_null) Warn("nullSha1", "contains entries pointing to null sha1");
    if (has_path) Warn("fullPathname", "contains full pathnames");
    if (has_empty) Warn("emptyName", "contains empty pathname");
    if (has_dot) Warn("hasDot", "contains '.'");
    if (has_dotdot) Warn("hasDotdot", "contains '..'");
    if (has_dotgit) Warn("hasDotgit", "contains '.git'");
    if (has_zeros) Warn("zeroPaddedFilemode", "contains zero-padded file modes");
    if (has_bad_mode) problems_.push_back({false, "badFilemode", "contains bad file modes"});
    if (has_duplicates) Fail("duplicateEntries", "contains duplicate file entries");
    if (is_unsorted) Fail("treeNotSorted", "not properly sorted");
  }

  void CheckCommit() {
    if (!CheckHeader()) return;
    std::string_view rest = data_;
    const auto tree = Take(rest, "tree ");
    if (!tree) return Fail("missingTree", "invalid format - expected 'tree' line");
    if (!Oid::FromHex(*tree)) return Fail("badTreeSha1", "invalid 'tree' line format - bad sha1");
    while (const auto parent = Take(rest, "parent ")) {
      budget_.Step();
      if (!Oid::FromHex(*parent)) return Fail("badParentSha1", "invalid 'parent' line format - bad sha1");
    }
    size_t authors = 0;
    while (const auto author = Take(rest, "author ")) {
      budget_.Step();
      ++authors;
      if (!CheckPerson(*author)) return;
    }
    if (authors == 0) return Fail("missingAuthor", "invalid format - expected 'author' line");
    if (authors > 1) return Fail("multipleAuthors", "invalid format - multiple 'author' lines");
    const auto committer = Take(rest, "committer ");
    if (!committer) return Fail("missingCommitter", "invalid format - expected 'committer' line");
    if (!CheckPerson(*committer)) return;
    if (data_.find('\0') != std::string_view::npos) Warn("nulInCommit", "NUL byte in the commit object body");
  }

  void CheckTag() {
    if (!CheckHeader()) return;
    std::string_view rest = data_;
    const auto object = Take(rest, "object ");
    if (!object) return Fail("missingObject", "invalid format - expected 'object' line");
    if (!Oid::FromHex(*object)) return Fail("badObjectSha1", "invalid 'object' line format - bad sha1");
    const auto type = Take(rest, "type ");
    if (!type) return Fail("missingTypeEntry", "invalid format - expected 'type' line");
    if (!TypeOf(*type)) return Fail("badType", "invalid 'type' value");
    const auto name = Take(rest, "tag ");
    if (!name) return Fail("missingTagEntry", "invalid format - expected 'tag' line");
    if (!IsRefName("refs/tags/" + std::string(*name))) problems_.push_back({false, "badTagName", "invalid 'tag' name: " + std::string(*name)});
    const auto tagger = Take(rest, "tagger ");
    if (!tagger) problems_.push_back({false, "missingTaggerEntry", "invalid format - expected 'tagger' line"});
    else if (!CheckPerson(*tagger)) return;
    if (!rest.empty() && !rest.starts_with('\n')) Warn("extraHeaderEntry", "invalid format - extra header(s) after 'tagger'");
  }

  std::vector<ObjectProblem> Take() { return std::move(problems_); }

 private:
  void Fail(const char* id, const char* text) { problems_.push_back({true, id, text}); }
  void Warn(const char* id, const char* text) { problems_.push_back({is_strict_, id, text}); }

  // Whether the header ends: with an empty line, or with the text.
  bool CheckHeader() {
    const size_t end = data_.find("\n\n");
    const size_t nul = data_.substr(0, end).find('\0');
    if (nul != std::string_view::npos) {
      Fail("nulInHeader", "unterminated header: NUL in the header");
      return false;
    }
    if (end != std::string_view::npos || data_.ends_with('\n')) return true;
    Fail("unterminatedHeader", "unterminated header");
    return false;
  }

  static std::optional<std::string_view> Take(std::string_view& rest, std::string_view word) {
    if (!rest.starts_with(word)) return std::nullopt;
    const size_t end = rest.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view value = rest.substr(word.size(), end - word.size());
    rest.remove_prefix(end + 1);
    return value;
  }

  // "Name <email> time zone".
  bool CheckPerson(std::string_view text) {
    static constexpr std::string_view kLead = "invalid author/committer line - ";
    const auto fail = [this](const char* id, std::string_view why) {
      problems_.push_back({true, id, std::string(kLead) + std::string(why)});
      return false;
    };
    if (text.starts_with('<')) return fail("missingNameBeforeEmail", "missing space before email");
    const size_t open = text.find_first_of("<>");
    if (open == std::string_view::npos) return fail("missingEmail", "missing email");
    if (text[open] == '>') return fail("badName", "bad name");
    if (text[open - 1] != ' ') return fail("missingSpaceBeforeEmail", "missing space before email");
    const size_t close = text.find_first_of("<>", open + 1);
    if (close == std::string_view::npos || text[close] != '>') return fail("badEmail", "bad email");
    std::string_view rest = text.substr(close + 1);
    if (!rest.starts_with(' ')) return fail("missingSpaceBeforeDate", "missing space before date");
    rest.remove_prefix(1);
    if (rest.size() > 1 && rest[0] == '0' && rest[1] != ' ') return fail("zeroPaddedDate", "zero-padded date");
    const size_t digits = std::min(rest.size(), static_cast<size_t>(std::find_if_not(rest.begin(), rest.end(), IsDigit) - rest.begin()));
    if (digits == 0 || digits >= rest.size() || rest[digits] != ' ') return fail("badDate", "bad date");
    if (digits > 18) return fail("badDateOverflow", "date causes integer overflow");
    rest.remove_prefix(digits + 1);
    if (rest.size() != 5 || (rest[0] != '+' && rest[0] != '-') || !std::all_of(rest.begin() + 1, rest.end(), IsDigit)) return fail("badTimezone", "bad time zone");
    return true;
  }

  std::string_view data_;
  bool is_strict_;
  Budget& budget_;
  std::vector<ObjectProblem> problems_;
};

}  // namespace

std::vector<ObjectProblem> CheckObject(ObjectType type, std::string_view data, bool is_strict, Budget& budget) {
  Checker checker(data, is_strict, budget);
  if (type == ObjectType::kTree) checker.CheckTree();
  if (type == ObjectType::kCommit) checker.CheckCommit();
  if (type == ObjectType::kTag) checker.CheckTag();
  return checker.Take();
}

}  // namespace paddock::git
