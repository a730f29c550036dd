// The include and exclude rules of rsync. Source: rsync(1), "FILTER RULES"; running rsync 3.5.
#include <algorithm>

#include "commands/file/rsync.h"

namespace paddock::rsync {
namespace {

constexpr int kMostDepth = 20;
constexpr uint64_t kMostRuleBytes = 16 << 20;

// One character of a set [...] at `at`; moves behind the set. False when it does not match; nothing when the set has no end.
std::optional<bool> MatchSet(std::string_view pattern, size_t& at, char c) {
  size_t i = at + 1;
  const bool is_negated = i < pattern.size() && (pattern[i] == '!' || pattern[i] == '^');
  if (is_negated) ++i;
  bool is_in = false;
  for (bool is_first = true;; is_first = false) {
    if (i >= pattern.size()) return std::nullopt;
    if (pattern[i] == ']' && !is_first) break;
    if (pattern.substr(i).starts_with("[:")) {
      const size_t end = pattern.find(":]", i + 2);
      if (end == std::string_view::npos) return std::nullopt;
      const std::string_view name = pattern.substr(i + 2, end - i - 2);
      const bool upper = c >= 'A' && c <= 'Z', lower = c >= 'a' && c <= 'z', digit = c >= '0' && c <= '9';
      is_in = is_in || (name == "alpha" && (upper || lower)) || (name == "digit" && digit) || (name == "alnum" && (upper || lower || digit)) || (name == "upper" && upper) ||
              (name == "lower" && lower) || (name == "space" && std::string_view(" \t\n\r\v\f").find(c) != std::string_view::npos) || (name == "punct" && c > 32 && c < 127 && !upper && !lower && !digit) ||
              (name == "xdigit" && (digit || ((c | 32) >= 'a' && (c | 32) <= 'f')));
      i = end + 2;
      continue;
    }
    if (pattern[i] == '\\' && i + 1 < pattern.size()) ++i;
    const auto low = static_cast<unsigned char>(pattern[i++]);
    unsigned char high = low;
    if (i + 1 < pattern.size() && pattern[i] == '-' && pattern[i + 1] != ']') {
      ++i;
      if (pattern[i] == '\\' && i + 1 < pattern.size()) ++i;
      high = static_cast<unsigned char>(pattern[i++]);
    }
    const auto byte = static_cast<unsigned char>(c);
    is_in = is_in || (byte >= low && byte <= high);
  }
  at = i + 1;
  return is_in != is_negated;
}

// '*' and '?' do not match a slash, "**" does. No recursion: it goes back to the last '*' and to the last "**" only, which is enough, since
// what a later one can do an earlier one of its kind need not.
bool MatchGlob(std::string_view pattern, std::string_view text, Budget& budget) {
  struct Back {
    size_t pattern = std::string_view::npos;
    size_t text = 0;
  } star, stars;
  size_t p = 0, t = 0;
  while (true) {
    budget.Step();
    bool goes_on = false;
    if (p == pattern.size()) {
      if (t == text.size()) return true;
    } else if (pattern[p] == '*') {
      const size_t end = std::min(pattern.find_first_not_of('*', p), pattern.size());
      Back& back = end - p > 1 ? stars : star;
      if (end - p > 1) star = {};
      back = {end, t};
      p = end;
      continue;
    } else if (t < text.size()) {
      const char c = text[t];
      if (pattern[p] == '?') {
        goes_on = c != '/';
        if (goes_on) ++p;
      } else if (pattern[p] == '[') {
        size_t next = p;
        const auto is_in = MatchSet(pattern, next, c);
        if (!is_in) return false;
        goes_on = *is_in && c != '/';
        if (goes_on) p = next;
      } else {
        const size_t literal = pattern[p] == '\\' && p + 1 < pattern.size() ? p + 1 : p;
        goes_on = pattern[literal] == c;
        if (goes_on) p = literal + 1;
      }
      if (goes_on) {
        ++t;
        continue;
      }
    }
    if (star.pattern != std::string_view::npos && star.text < text.size() && text[star.text] != '/') {
      t = ++star.text;
      p = star.pattern;
    } else if (stars.pattern != std::string_view::npos && stars.text < text.size()) {
      star = {};
      t = ++stars.text;
      p = stars.pattern;
    } else {
      return false;
    }
  }
}

bool HasWildcard(std::string_view pattern) { return pattern.find_first_of("*?[") != std::string_view::npos; }

std::string_view Trimmed(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace

void Filter::AddPatternTo(std::vector<Rule>& rules, std::string_view pattern, Rule rule) const {
  if (pattern.starts_with('/')) {
    rule.is_anchored = true;
    pattern.remove_prefix(1);
  }
  if (pattern.size() > 1 && pattern.ends_with('/')) {
    rule.is_directory_only = true;
    pattern.remove_suffix(1);
  }
  rule.pattern = pattern;
  rules.push_back(std::move(rule));
}

void Filter::AddPattern(std::string_view text, bool is_include) {
  // "+ x" and "- x" say their own kind.
  Rule rule;
  rule.is_include = is_include;
  if (text.starts_with("+ ") || text.starts_with("- ")) {
    rule.is_include = text[0] == '+';
    text.remove_prefix(2);
  } else if (text == "!") {
    rules_.clear();
    return;
  }
  AddPatternTo(rules_, text, rule);
}

Status Filter::AddRule(std::string_view text) { return AddTo(rules_, text, "", 0); }

Status Filter::AddTo(std::vector<Rule>& rules, std::string_view text, const std::string& base, int depth) {
  const Error unknown(Code::kSyntax, "Unknown filter rule: " + std::string(text));
  struct Word {
    std::string_view word;
    char letter;
  };
  constexpr Word kWords[] = {{"exclude", '-'}, {"include", '+'}, {"hide", 'H'}, {"show", 'S'}, {"protect", 'P'}, {"risk", 'R'}, {"merge", '.'}, {"dir-merge", ':'}, {"clear", '!'}};
  std::string_view rest = text;
  char kind = 0;
  for (const Word& word : kWords) {
    if (!rest.starts_with(word.word)) continue;
    const char after = rest.size() > word.word.size() ? rest[word.word.size()] : ' ';
    if (after != ' ' && after != ',' && after != '_') continue;
    kind = word.letter;
    rest.remove_prefix(word.word.size());
  }
  if (kind == 0) {
    if (rest.empty() || std::string_view("-+.:HSPR!").find(rest[0]) == std::string_view::npos) return unknown;
    kind = rest[0];
    rest.remove_prefix(1);
  }
  if (kind == '!') {
    rules.clear();
    return {};
  }
  Rule rule;
  rule.base = base;
  rule.is_include = kind == '+' || kind == 'S' || kind == 'R';
  rule.is_merge = kind == ':';
  if (kind == 'H' || kind == 'S') rule.for_receiver = false;
  if (kind == 'P' || kind == 'R') rule.for_sender = false;
  const bool is_file = kind == '.' || kind == ':';
  if (rest.starts_with(',')) rest.remove_prefix(1);
  bool named_side = false;
  for (; !rest.empty() && rest[0] != ' ' && rest[0] != '_'; rest.remove_prefix(1)) {
    const char modifier = rest[0];
    if (modifier == '!' && !is_file) {
      rule.is_negated = true;
    } else if (modifier == 's' || modifier == 'r') {
      if (!named_side) rule.for_sender = rule.for_receiver = false;
      named_side = true;
      (modifier == 's' ? rule.for_sender : rule.for_receiver) = true;
    } else if (is_file && modifier == '-') {
      rule.merge_excludes = true;
    } else if (is_file && modifier == '+') {
      rule.merge_includes = true;
    } else if (is_file && modifier == 'e') {
      rule.excludes_itself = true;
    } else if (is_file && modifier == 'n') {
      rule.is_inherited = false;
    } else {
      return Error(Code::kSyntax, std::string("invalid modifier '") + modifier + "' at position " + std::to_string(rest.data() - text.data()) + " in filter rule: " + std::string(text));
    }
  }
  if (!rest.empty()) rest.remove_prefix(1);
  if (rest.empty()) return Error(Code::kSyntax, "unexpected end of filter rule: " + std::string(text));
  if (kind == '.') {
    if (depth > kMostDepth) return Error(Code::kSyntax, "filter files are nested too deep");
    auto content = vfs::ReadFile(in_.fs, rest, kMostRuleBytes);
    if (!content) return Error(content.error().code, "failed to open exclude file " + std::string(rest) + ": " + std::string(content.error().Text()));
    return ReadInto(rules, *content, '\n', base, rule, depth + 1);
  }
  if (kind == ':') {
    std::string_view name = rest;
    if (name.starts_with('/')) name.remove_prefix(1);
    // A file that is merged already is not merged once more: one that names itself would have no end.
    if (std::any_of(rules_.begin(), rules_.end(), [&](const Rule& known) { return known.is_merge && known.pattern == name; })) return {};
    in_.budget.Step(static_cast<int64_t>(rules_.size() / 16));
    if (rule.excludes_itself) {
      Rule itself;
      itself.base = base;
      AddPatternTo(rules, name, itself);
    }
    rule.pattern = name;
    rules.push_back(std::move(rule));
    return {};
  }
  AddPatternTo(rules, rest, std::move(rule));
  return {};
}

Status Filter::ReadInto(std::vector<Rule>& rules, std::string_view content, char delimiter, const std::string& base, const Rule& how, int depth) {
  while (!content.empty()) {
    in_.budget.Step();
    const size_t end = std::min(how.splits_words ? content.find_first_of(" \t\r\n") : content.find(delimiter), content.size());
    std::string_view line = content.substr(0, end);
    content.remove_prefix(std::min(end + 1, content.size()));
    if (delimiter == '\n') line = Trimmed(line);
    if (line.empty() || ((line[0] == '#' || line[0] == ';') && delimiter == '\n' && !how.splits_words)) continue;
    if (!how.merge_excludes && !how.merge_includes) {
      PADDOCK_TRY(AddTo(rules, line, base, depth));
      continue;
    }
    if (line == "!") {
      rules.clear();
      continue;
    }
    Rule rule;
    rule.base = base;
    rule.is_include = how.merge_includes;
    rule.for_sender = how.for_sender;
    rule.for_receiver = how.for_receiver;
    if (line.starts_with("+ ") || line.starts_with("- ")) {
      rule.is_include = line[0] == '+';
      line.remove_prefix(2);
    }
    AddPatternTo(rules, line, std::move(rule));
  }
  return {};
}

Status Filter::AddFile(const std::string& path, bool is_pattern, bool is_include, bool ends_with_nul) {
  Result<std::string> content = std::string();
  if (path == "-") {
    content = in_.in.ReadAll();
  } else {
    content = vfs::ReadFile(in_.fs, path, kMostRuleBytes);
  }
  if (!content) return Error(content.error().code, std::string("failed to open ") + (is_include ? "include" : "exclude") + " file " + path + ": " + std::string(content.error().Text()));
  Rule how;
  how.merge_excludes = is_pattern && !is_include;
  how.merge_includes = is_pattern && is_include;
  return ReadInto(rules_, *content, ends_with_nul ? '\0' : '\n', "", how, 0);
}

void Filter::AddCvs() {
  constexpr std::string_view kNames =
      "RCS SCCS CVS CVS.adm RCSLOG cvslog.* tags TAGS .make.state .nse_depinfo *~ #* .#* ,* _$* *$ *.old *.bak *.BAK *.orig *.rej .del-* *.a *.olb *.o *.obj *.so *.exe *.Z "
      "*.elc *.ln core .svn/ .git/ .hg/ .bzr/";
  Rule words;
  words.merge_excludes = words.splits_words = true;
  Rule file = words;
  file.is_merge = true;
  file.is_inherited = false;
  file.pattern = ".cvsignore";
  rules_.push_back(file);
  static_cast<void>(ReadInto(rules_, kNames, '\n', "", words, 0));
  if (const auto home = in_.env.Get("HOME")) {
    if (const auto content = vfs::ReadFile(in_.fs, vfs::JoinPath(*home, ".cvsignore"), kMostRuleBytes)) static_cast<void>(ReadInto(rules_, *content, '\n', "", words, 0));
  }
  if (const auto more = in_.env.Get("CVSIGNORE")) static_cast<void>(ReadInto(rules_, *more, '\n', "", words, 0));
}

void Filter::LimitToSender() {
  for (Rule& rule : rules_) {
    if (rule.for_sender && rule.for_receiver) rule.for_receiver = false;
  }
}

void Filter::Enter(const std::string& name, const std::string& path) {
  for (const Rule& rule : rules_) {
    if (!rule.is_merge) continue;
    in_.budget.Step();
    const std::string key = rule.pattern + '\0' + name;
    if (merged_.count(key) != 0) continue;
    auto content = vfs::ReadFile(in_.fs, vfs::JoinPath(path, rule.pattern), kMostRuleBytes);
    if (!content) continue;
    std::vector<Rule> rules;
    if (const Status read = ReadInto(rules, *content, '\n', name, rule, 1); !read) in_.err.WriteLine(read.error().Text());
    merged_.emplace(key, std::move(rules));
  }
}

bool Filter::Matches(const Rule& rule, const std::string& name, bool is_directory) const {
  if (rule.is_directory_only && !is_directory) return false;
  std::string_view path = name;
  if (rule.is_anchored && !rule.base.empty()) {
    if (!path.starts_with(rule.base + "/")) return false;
    path.remove_prefix(rule.base.size() + 1);
  }
  std::string with_slash;
  if (rule.pattern.ends_with("/***") && is_directory) {
    with_slash = std::string(path) + "/";
    path = with_slash;
  }
  const bool is_glob = HasWildcard(rule.pattern);
  const auto matches = [&](std::string_view text) { return is_glob ? MatchGlob(rule.pattern, text, in_.budget) : rule.pattern == text; };
  if (rule.is_anchored) return matches(path);
  const auto slashes = std::count(rule.pattern.begin(), rule.pattern.end(), '/');
  const bool has_stars = rule.pattern.find("**") != std::string::npos;
  if (slashes == 0 && !has_stars) return matches(path.substr(path.rfind('/') == std::string_view::npos ? 0 : path.rfind('/') + 1));
  if (has_stars) {
    if (matches(path) || (rule.pattern.starts_with("**") && matches("/" + std::string(path)))) return true;
    for (size_t at = path.find('/'); at != std::string_view::npos; at = path.find('/', at + 1)) {
      if (matches(path.substr(at + 1))) return true;
    }
    return false;
  }
  size_t start = path.size();
  for (auto left = slashes + 1; left > 0; --left) {
    if (start == 0) return false;
    const size_t slash = path.rfind('/', start - 1);
    if (slash == std::string_view::npos) {
      if (left > 1) return false;
      start = 0;
    } else {
      start = left == 1 ? slash + 1 : slash;
    }
  }
  return matches(path.substr(start));
}

int Filter::MergedVerdict(const Rule& merge, const std::string& name, bool is_directory, Side side) const {
  std::string directory = name;
  while (true) {
    const size_t slash = directory.rfind('/');
    directory = slash == std::string::npos ? std::string() : directory.substr(0, slash);
    if (const auto found = merged_.find(merge.pattern + '\0' + directory); found != merged_.end()) {
      if (const int verdict = Verdict(found->second, name, is_directory, side); verdict != 0) return verdict;
    }
    if (directory.empty() || !merge.is_inherited) return 0;
  }
}

int Filter::Verdict(const std::vector<Rule>& rules, const std::string& name, bool is_directory, Side side) const {
  for (const Rule& rule : rules) {
    in_.budget.Step();
    if (!(side == Side::kSender ? rule.for_sender : rule.for_receiver)) continue;
    if (rule.is_merge) {
      if (const int verdict = MergedVerdict(rule, name, is_directory, side); verdict != 0) return verdict;
    } else if (Matches(rule, name, is_directory) != rule.is_negated) {
      return rule.is_include ? 1 : -1;
    }
  }
  return 0;
}

bool Filter::IsExcluded(const std::string& name, bool is_directory, Side side) const { return Verdict(rules_, name, is_directory, side) < 0; }

}  // namespace paddock::rsync
