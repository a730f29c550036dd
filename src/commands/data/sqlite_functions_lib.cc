#include <algorithm>
#include <cstring>

#include "commands/data/sqlite_values.h"
#include "text/regex.h"
#include "text/utf8.h"

namespace paddock::data {
namespace {

using Values = sqlite3_value**;

Budget& BudgetOf(sqlite3_context* context) { return DatabaseOf(context).files().in().budget; }

bool IsNull(sqlite3_value* value) { return sqlite3_value_type(value) == SQLITE_NULL; }

void ReturnText(sqlite3_context* context, std::string_view text) {
  sqlite3_result_text64(context, text.data() == nullptr ? "" : text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

void ReturnError(sqlite3_context* context, const std::string& message) {
  sqlite3_result_error(context, message.data(), static_cast<int>(message.size()));
}

bool IsTooLong(sqlite3_context* context, size_t size) {
  const int limit = sqlite3_limit(sqlite3_context_db_handle(context), SQLITE_LIMIT_LENGTH, -1);
  if (size <= static_cast<size_t>(limit)) return false;
  sqlite3_result_error_toobig(context);
  return true;
}

// LIKE and GLOB. One character of a pattern or a text; the end is 0, which no pattern matches.
struct PatternRules {
  char32_t many;      // % or *
  char32_t one;       // _ or ?
  char32_t escape;    // 0: none
  bool has_sets;      // GLOB's [...]
  bool folds_case;    // of ASCII
};

char32_t Fold(char32_t c) { return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c; }

class PatternMatch {
 public:
  PatternMatch(const PatternRules& rules, std::string_view pattern, std::string_view text, Budget& budget)
      : rules_(rules), pattern_(pattern), text_(text), budget_(budget) {}

  // Goes on from the last `many` with one character more whenever the rest does not fit.
  bool Matches() {
    size_t p = 0, t = 0, retry_pattern = std::string_view::npos, retry_text = 0;
    for (;;) {
      budget_.Step();
      if (p < pattern_.size() && IsMany(p)) {
        retry_pattern = ++p;
        retry_text = t;
        continue;
      }
      if (p == pattern_.size() && t == text_.size()) return true;
      if (p < pattern_.size() && t < text_.size() && MatchOne(p, t)) continue;
      if (retry_pattern == std::string_view::npos || retry_text >= text_.size()) return false;
      retry_text += DecodeUtf8(text_.substr(retry_text)).length;
      p = retry_pattern;
      t = retry_text;
    }
  }

 private:
  bool IsMany(size_t p) const { return static_cast<unsigned char>(pattern_[p]) == rules_.many; }

  static char32_t Take(std::string_view text, size_t& at) {
    const DecodedChar c = DecodeUtf8(text.substr(at));
    at += c.length;
    return c.code;
  }

  // Advances both when the next of the pattern fits the next of the text.
  bool MatchOne(size_t& p, size_t& t) {
    size_t at_pattern = p, at_text = t;
    char32_t wanted = Take(pattern_, at_pattern);
    const char32_t found = Take(text_, at_text);
    bool fits = false;
    if (rules_.escape != 0 && wanted == rules_.escape) {
      if (at_pattern == pattern_.size()) return false;
      wanted = Take(pattern_, at_pattern);
      fits = IsSame(wanted, found);
    } else if (wanted == rules_.one) {
      fits = true;
    } else if (rules_.has_sets && wanted == '[') {
      fits = MatchSet(at_pattern, found);
    } else {
      fits = IsSame(wanted, found);
    }
    if (!fits) return false;
    p = at_pattern;
    t = at_text;
    return true;
  }

  bool IsSame(char32_t a, char32_t b) const { return a == b || (rules_.folds_case && Fold(a) == Fold(b)); }

  // `p` is behind the [ and comes to stand behind the ].
  bool MatchSet(size_t& p, char32_t found) {
    bool is_inverted = false, is_in = false;
    if (p < pattern_.size() && pattern_[p] == '^') {
      is_inverted = true;
      ++p;
    }
    char32_t before = 0;
    for (bool is_first = true;; is_first = false) {
      budget_.Step();
      if (p == pattern_.size()) return false;   // a set without an end
      const char32_t c = Take(pattern_, p);
      if (c == ']' && !is_first) return is_in != is_inverted;
      if (c == '-' && before != 0 && p < pattern_.size() && pattern_[p] != ']') {
        const char32_t last = Take(pattern_, p);
        if (found >= before && found <= last) is_in = true;
        before = 0;
        continue;
      }
      if (c == found) is_in = true;
      before = c;
    }
  }

  const PatternRules& rules_;
  std::string_view pattern_, text_;
  Budget& budget_;
};

void MatchPattern(sqlite3_context* context, Values values, const PatternRules& rules) {
  if (sqlite3_value_type(values[0]) == SQLITE_BLOB || sqlite3_value_type(values[1]) == SQLITE_BLOB) {
    sqlite3_result_int(context, 0);
    return;
  }
  const std::string_view pattern = TextOf(values[0]);
  const int limit = sqlite3_limit(sqlite3_context_db_handle(context), SQLITE_LIMIT_LIKE_PATTERN_LENGTH, -1);
  if (pattern.size() > static_cast<size_t>(limit)) return ReturnError(context, "LIKE or GLOB pattern too complex");
  if (IsNull(values[0]) || IsNull(values[1])) return;
  sqlite3_result_int(context, PatternMatch(rules, pattern, TextOf(values[1]), BudgetOf(context)).Matches() ? 1 : 0);
}

void Like(sqlite3_context* context, int count, Values values) {
  PatternRules rules = {'%', '_', 0, false, !DatabaseOf(context).is_case_sensitive()};
  if (count == 3) {
    if (IsNull(values[2])) return;
    const std::string_view escape = TextOf(values[2]);
    if (CountUtf8(escape) != 1) return ReturnError(context, "ESCAPE expression must be a single character");
    rules.escape = DecodeUtf8(escape).code;
    if (rules.escape == rules.many) rules.many = 0;
    if (rules.escape == rules.one) rules.one = 0;
  }
  MatchPattern(context, values, rules);
}

void Glob(sqlite3_context* context, int, Values values) { MatchPattern(context, values, {'*', '?', 0, true, false}); }

// memmem() is linear, SQLite's own search is not.
size_t Find(std::string_view text, std::string_view what, size_t from) {
  if (from > text.size()) return std::string_view::npos;
  const void* found = memmem(text.data() + from, text.size() - from, what.data(), what.size());
  return found == nullptr ? std::string_view::npos : static_cast<size_t>(static_cast<const char*>(found) - text.data());
}

void Instr(sqlite3_context* context, int, Values values) {
  if (IsNull(values[0]) || IsNull(values[1])) return;
  const bool is_blob = sqlite3_value_type(values[0]) == SQLITE_BLOB && sqlite3_value_type(values[1]) == SQLITE_BLOB;
  const std::string_view text = is_blob ? BytesOf(values[0]) : TextOf(values[0]);
  const std::string_view what = is_blob ? BytesOf(values[1]) : TextOf(values[1]);
  BudgetOf(context).Step(static_cast<int64_t>((text.size() + what.size()) / 16));
  const size_t at = what.empty() ? 0 : Find(text, what, 0);
  if (at == std::string_view::npos) return sqlite3_result_int(context, 0);
  const size_t before = is_blob ? at : CountUtf8(text.substr(0, at));
  sqlite3_result_int64(context, static_cast<sqlite3_int64>(before) + 1);
}

void Replace(sqlite3_context* context, int, Values values) {
  if (IsNull(values[0]) || IsNull(values[1])) return;
  const std::string_view text = TextOf(values[0]), what = TextOf(values[1]);
  if (what.empty()) return sqlite3_result_value(context, values[0]);
  if (IsNull(values[2])) return;
  const std::string_view by = TextOf(values[2]);
  Budget& budget = BudgetOf(context);
  budget.Step(static_cast<int64_t>((text.size() + what.size()) / 16));
  std::string result;
  for (size_t from = 0;;) {
    budget.Step();
    const size_t at = Find(text, what, from);
    result += text.substr(from, at == std::string_view::npos ? at : at - from);
    if (at == std::string_view::npos) break;
    result += by;
    if (IsTooLong(context, result.size())) return;
    from = at + what.size();
  }
  if (!IsTooLong(context, result.size())) ReturnText(context, result);
}

// trim() and its kin: the characters to take away are a list without order, so it is sorted first.
template <bool kLeft, bool kRight>
void Trim(sqlite3_context* context, int count, Values values) {
  if (IsNull(values[0]) || (count == 2 && IsNull(values[1]))) return;
  std::string_view text = TextOf(values[0]);
  const std::string_view listed = count == 2 ? TextOf(values[1]) : std::string_view(" ");
  Budget& budget = BudgetOf(context);
  budget.WillAllocate(listed.size() * sizeof(std::string_view));
  // Characters as SQLite cuts them: a lead byte and what continues it.
  const auto length_at = [](std::string_view from, size_t at) {
    size_t length = 1;
    if (static_cast<unsigned char>(from[at]) < 0xc0) return length;
    while (at + length < from.size() && (static_cast<unsigned char>(from[at + length]) & 0xc0) == 0x80) ++length;
    return length;
  };
  std::vector<std::string_view> set;
  for (size_t at = 0; at < listed.size();) {
    budget.Step();
    set.push_back(listed.substr(at, length_at(listed, at)));
    at += set.back().size();
  }
  std::sort(set.begin(), set.end());
  set.erase(std::unique(set.begin(), set.end()), set.end());
  const auto is_listed = [&](std::string_view c) {
    budget.Step();
    return std::binary_search(set.begin(), set.end(), c);
  };
  if constexpr (kLeft) {
    while (!text.empty() && is_listed(text.substr(0, length_at(text, 0)))) text.remove_prefix(length_at(text, 0));
  }
  if constexpr (kRight) {
    while (!text.empty()) {
      size_t length = 1;
      while (length < 4 && length < text.size() && (static_cast<unsigned char>(text[text.size() - length]) & 0xc0) == 0x80) ++length;
      while (length > 0 && !is_listed(text.substr(text.size() - length))) --length;
      if (length == 0) break;
      text.remove_suffix(length);
    }
  }
  ReturnText(context, text);
}

void Regexp(sqlite3_context* context, int, Values values) {
  if (IsNull(values[0]) || IsNull(values[1])) return;
  const auto regex = Regex::Compile(TextOf(values[0]), {.dialect = RegexDialect::kPerl});
  if (!regex) return ReturnError(context, std::string(regex.error().Text()));
  Budget& budget = BudgetOf(context);
  const std::string_view text = TextOf(values[1]);
  budget.Step(static_cast<int64_t>(text.size() / 16 + TextOf(values[0]).size()));
  const auto found = regex->Search(text, 0, nullptr, budget);
  if (!found) return ReturnError(context, std::string(found.error().Text()));
  sqlite3_result_int(context, *found ? 1 : 0);
}

void ReadWhole(sqlite3_context* context, int, Values values) {
  if (IsNull(values[0])) return;
  vfs::FileSystem& fs = DatabaseOf(context).files().in().fs;
  const std::string path(TextOf(values[0]));
  const auto found = fs.Stat(path);
  if (!found || !found->is_file() || IsTooLong(context, found->size)) return;
  BudgetOf(context).WillAllocate(found->size * 2);
  const auto bytes = vfs::ReadFile(fs, path);
  if (bytes) sqlite3_result_blob64(context, bytes->data(), bytes->size(), SQLITE_TRANSIENT);
}

// writefile(FILE, DATA): the bytes written. With a mode, links and directories too, as fsdir shows them, there is more in
// the real one.
void WriteWhole(sqlite3_context* context, int count, Values values) {
  if (count < 2 || count > 3) return ReturnError(context, "wrong number of arguments to function writefile()");
  if (IsNull(values[0])) return;
  constexpr uint32_t kUsualMode = 0666, kFormat = 0170000, kRegular = 0100000;
  uint32_t mode = count == 3 ? static_cast<uint32_t>(sqlite3_value_int(values[2])) : 0;
  const std::string path(TextOf(values[0]));
  const std::string_view bytes = BytesOf(values[1]);
  vfs::FileSystem& fs = DatabaseOf(context).files().in().fs;
  const bool is_file = (mode & kFormat) == 0 || (mode & kFormat) == kRegular;
  Status status = is_file ? vfs::WriteFile(fs, path, bytes, kUsualMode) : Status(Code::kInvalid);
  if (!status && status.error().code == Code::kNoEntry && vfs::MakeDirectories(fs, vfs::DirectoryName(path))) {
    status = vfs::WriteFile(fs, path, bytes, kUsualMode);
  }
  if (!status || (mode != 0 && !fs.SetMode(path, mode & 07777))) {
    return ReturnError(context, "failed to write file: " + path);
  }
  sqlite3_result_int64(context, static_cast<sqlite3_int64>(bytes.size()));
}

}  // namespace

void AddSqliteFunctions(SqliteDatabase& database) {
  constexpr int kPure = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, kDirect = SQLITE_UTF8 | SQLITE_DIRECTONLY;
  struct Entry {
    const char* name;
    int arguments;
    int flags;
    void (*body)(sqlite3_context*, int, Values);
  };
  constexpr Entry kEntries[] = {
      {"like", 2, kPure, Guarded<Like>},
      {"like", 3, kPure, Guarded<Like>},
      {"glob", 2, kPure, Guarded<Glob>},
      {"instr", 2, kPure, Guarded<Instr>},
      {"replace", 3, kPure, Guarded<Replace>},
      {"trim", 1, kPure, Guarded<Trim<true, true>>},
      {"trim", 2, kPure, Guarded<Trim<true, true>>},
      {"ltrim", 1, kPure, Guarded<Trim<true, false>>},
      {"ltrim", 2, kPure, Guarded<Trim<true, false>>},
      {"rtrim", 1, kPure, Guarded<Trim<false, true>>},
      {"rtrim", 2, kPure, Guarded<Trim<false, true>>},
      {"regexp", 2, kPure, Guarded<Regexp>},
      {"readfile", 1, kDirect, Guarded<ReadWhole>},
      {"writefile", -1, kDirect, Guarded<WriteWhole>},
  };
  for (const Entry& entry : kEntries) {
    sqlite3_create_function_v2(database.get(), entry.name, entry.arguments, entry.flags, &database, entry.body, nullptr, nullptr,
                               nullptr);
  }
}

}  // namespace paddock::data
