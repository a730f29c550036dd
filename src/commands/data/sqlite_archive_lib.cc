#include "commands/data/sqlite_archive.h"

#include <algorithm>
#include <cctype>

#include "commands/data/sqlite_dot.h"
#include "commands/data/sqlite_printer.h"
#include "commands/data/sqlite_values.h"
#include "commands/file_facts.h"
#include "git/zlib_data.h"

namespace paddock::data {
namespace {

constexpr uint32_t kFormat = 0170000, kRegular = 0100000, kDirectory = 0040000, kLink = 0120000;

constexpr const char* kSchema =
    "CREATE TABLE IF NOT EXISTS sqlar(\n"
    "  name TEXT PRIMARY KEY,  -- name of the file\n"
    "  mode INT,               -- access permissions\n"
    "  mtime INT,              -- last modification time\n"
    "  sz INT,                 -- original file size\n"
    "  data BLOB               -- compressed content\n"
    ")";

// An option by its letter and its word; those of commands stand first.
struct Switch {
  char letter;
  const char* word;
  bool takes_value;
};
constexpr Switch kSwitches[] = {{'c', "create", false},  {'x', "extract", false},  {'i', "insert", false},   {'t', "list", false},
                                {'r', "remove", false},  {'u', "update", false},   {'h', "help", false},     {'v', "verbose", false},
                                {'f', "file", true},     {'a', "append", true},    {'C', "directory", true}, {'n', "dryrun", false},
                                {'g', "glob", false}};

const Switch* FindLetter(char letter) {
  const auto found = std::find_if(std::begin(kSwitches), std::end(kSwitches), [letter](const Switch& one) { return one.letter == letter; });
  return found == std::end(kSwitches) ? nullptr : found;
}

// "-rw-r--r--" of a mode.
std::string ModeWord(uint32_t mode) {
  std::string text = (mode & kFormat) == kLink ? "l" : (mode & kFormat) == kRegular ? "-" : (mode & kFormat) == kDirectory ? "d" : "?";
  for (int shift = 6; shift >= 0; shift -= 3) {
    const uint32_t bits = mode >> shift & 7;
    text += (bits & 4) != 0 ? 'r' : '-';
    text += (bits & 2) != 0 ? 'w' : '-';
    text += (bits & 1) != 0 ? 'x' : '-';
  }
  return text;
}

std::string Compressed(std::string_view plain, Budget& budget) {
  std::string packed = git::Deflate(plain, budget, 6);
  packed[1] = '\x9c';   // tells that level
  return packed.size() < plain.size() ? packed : std::string(plain);
}

// As what it was; false when it cannot be made.
bool WriteMember(vfs::FileSystem& fs, const std::string& path, uint32_t mode, int64_t seconds, std::string_view bytes) {
  const auto make = [&]() -> Status {
    if ((mode & kFormat) == kLink) return fs.MakeSymlink(bytes, path);
    if ((mode & kFormat) != kDirectory) return vfs::WriteFile(fs, path, bytes, 0666);
    const Status made = fs.MakeDirectory(path, mode & 07777);
    const auto found = made ? Result<vfs::Attributes>(Code::kNoEntry) : fs.Stat(path);
    return found && found->is_directory() ? fs.SetMode(path, mode & 07777) : made;
  };
  Status made = make();
  if (!made && made.error().code == Code::kNoEntry && vfs::MakeDirectories(fs, vfs::DirectoryName(path))) made = make();
  if (!made) return false;
  if ((mode & kFormat) == kLink) return true;
  if ((mode & kFormat) != kDirectory && !fs.SetMode(path, mode & 07777)) return false;
  return fs.SetTimes(path, std::chrono::seconds(seconds), std::chrono::seconds(seconds)).has_value();
}

void Compress(sqlite3_context* context, int, sqlite3_value** values) {
  if (sqlite3_value_type(values[0]) != SQLITE_BLOB) return sqlite3_result_value(context, values[0]);
  const std::string packed = Compressed(BytesOf(values[0]), DatabaseOf(context).files().in().budget);
  sqlite3_result_blob64(context, packed.data(), packed.size(), SQLITE_TRANSIENT);
}

void Uncompress(sqlite3_context* context, int, sqlite3_value** values) {
  const int64_t size = sqlite3_value_int64(values[1]);
  const std::string_view packed = BytesOf(values[0]);
  if (size <= 0 || static_cast<uint64_t>(size) == packed.size()) return sqlite3_result_value(context, values[0]);
  if (size > sqlite3_limit(sqlite3_context_db_handle(context), SQLITE_LIMIT_LENGTH, -1)) return sqlite3_result_error_toobig(context);
  const auto plain = git::Inflate(packed, static_cast<uint64_t>(size), true, DatabaseOf(context).files().in().budget);
  if (!plain) return sqlite3_result_error(context, "error in uncompress()", -1);
  sqlite3_result_blob64(context, plain->data.data(), plain->data.size(), SQLITE_TRANSIENT);
}

void Mode(sqlite3_context* context, int, sqlite3_value** values) {
  const std::string text = ModeWord(static_cast<uint32_t>(sqlite3_value_int(values[0])));
  sqlite3_result_text64(context, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

}  // namespace

void AddSqliteArchiveFunctions(SqliteDatabase& database) {
  constexpr int kPure = SQLITE_UTF8 | SQLITE_INNOCUOUS;
  sqlite3_create_function_v2(database.get(), "sqlar_compress", 1, kPure, &database, Guarded<Compress>, nullptr, nullptr, nullptr);
  sqlite3_create_function_v2(database.get(), "sqlar_uncompress", 2, kPure, &database, Guarded<Uncompress>, nullptr, nullptr, nullptr);
  sqlite3_create_function_v2(database.get(), "lsmode", 1, SQLITE_UTF8, &database, Guarded<Mode>, nullptr, nullptr, nullptr);
}

bool SqliteArchive::Complain(const std::string& what) {
  shell_.Complain("Error: " + what + "\nUse \"" + (is_option_ ? "-A" : ".archive --help") + "\" for more help\n");
  return false;
}

bool SqliteArchive::Usage(const std::string& what) {
  shell_.Complain(what + "  Usage:\n.archive OPTION... ?NAME...?\n  one of -c, -u, -i, -r, -t and -x: create, update, insert, remove, list, extract\n"
                  "  -v, -f FILE, -C DIR, -g, -n: verbose, archive, directory, globs, dry run\n");
  return false;
}

bool SqliteArchive::Apply(char letter, const std::string& value) {
  switch (letter) {
    case 'v': is_verbose_ = true; return true;
    case 'n': is_dry_ = true; return true;
    case 'g': has_globs_ = true; return true;
    case 'f': file_ = value; return true;
    case 'C': directory_ = value; return true;
    case 'a': return Complain("databases behind other files are not read here: -a");
    default: break;
  }
  if (command_ != 0) return Complain("multiple command options");
  command_ = letter;
  return true;
}

// "xvf", whose values are the words behind; joined to a dash, "-fFILE" has its own.
bool SqliteArchive::ParseLetters(const std::string& letters, const std::vector<std::string>& words, size_t* at, bool may_be_joined) {
  for (size_t i = 0; i < letters.size(); ++i) {
    const Switch* const found = FindLetter(letters[i]);
    if (found == nullptr) return Complain("unrecognized option: " + letters.substr(i, 1));
    std::string value;
    const bool is_joined = may_be_joined && found->takes_value && i + 1 < letters.size();
    if (is_joined) value = letters.substr(i + 1);
    else if (found->takes_value && *at == words.size()) return Complain("option requires an argument: " + letters.substr(i, 1));
    else if (found->takes_value) value = words[(*at)++];
    if (!Apply(found->letter, value)) return false;
    if (is_joined) break;
  }
  return true;
}

bool SqliteArchive::ParseName(const std::string& word, const std::vector<std::string>& words, size_t* at) {
  const Switch* match = nullptr;
  for (const Switch& one : kSwitches) {
    if (!std::string_view(one.word).starts_with(word.substr(2))) continue;
    if (match != nullptr) return Complain("ambiguous option: " + word);
    match = &one;
  }
  if (match == nullptr) return Complain("unrecognized option: " + word);
  if (!match->takes_value) return Apply(match->letter, "");
  if (*at == words.size()) return Complain("option requires an argument: " + word);
  return Apply(match->letter, words[(*at)++]);
}

bool SqliteArchive::Parse(const std::vector<std::string>& words) {
  if (words.empty()) return Usage("Wrong number of arguments.");
  size_t at = 0;
  if (!words[0].starts_with('-')) {
    at = 1;
    if (!ParseLetters(words[0], words, &at, false)) return false;
  } else {
    while (at < words.size() && words[at].starts_with('-')) {
      const std::string& word = words[at++];
      if (word == "--") break;
      if (!(word.starts_with("--") ? ParseName(word, words, &at) : ParseLetters(word.substr(1), words, &at, true))) return false;
    }
  }
  names_.assign(words.begin() + static_cast<std::ptrdiff_t>(at), words.end());
  return command_ != 0 || Usage("Required argument missing.");
}

bool SqliteArchive::Execute(const std::string& sql) {
  if (is_dry_) {
    shell_.out().WriteLine(sql);
    return true;
  }
  SqliteStatement statement(*database_, sql);
  if (statement) statement.Step();
  if (statement && statement.Finalize() == SQLITE_OK) return true;
  shell_.Complain("ERROR: " + std::string(sqlite3_errmsg(database_->get())) + "\n");
  return false;
}

bool SqliteArchive::HasTable() {
  SqliteStatement look(*database_, "SELECT 1 FROM sqlite_schema WHERE name='sqlar'");
  return look && look.Step() == SQLITE_ROW;
}

// Entries of the names that were given, and what is below them.
std::string SqliteArchive::Where() const {
  if (names_.empty()) return "1";
  std::string where;
  for (const std::string& name : names_) {
    where += where.empty() ? " " : " OR ";
    if (has_globs_) where += "name GLOB " + SqlString(name);
    else where += "name = " + SqlString(name) + " OR substr(name,1," + std::to_string(name.size() + 1) + ") = " + SqlString(name + "/");
  }
  return where;
}

bool SqliteArchive::HasAllEntries() {
  bool has_all = true;
  for (std::string& name : names_) {
    while (name.size() > 1 && name.ends_with('/')) name.pop_back();
    SqliteStatement look(*database_, std::string("SELECT name FROM sqlar WHERE name ") + (has_globs_ ? "GLOB" : "=") + " ?1");
    look.Bind(1, name);
    if (look.Step() == SQLITE_ROW) continue;
    shell_.Complain("not found in archive: " + name + "\n");
    has_all = false;
  }
  return has_all;
}

bool SqliteArchive::List() {
  const std::string sql = std::string("SELECT ") + (is_verbose_ ? "lsmode(mode), sz, datetime(mtime, 'unixepoch'), name" : "name") + " FROM sqlar WHERE " + Where();
  if (is_dry_) return Execute(sql);
  SqliteStatement list(*database_, sql);
  while (list && list.Step() == SQLITE_ROW) {
    if (!is_verbose_) {
      shell_.out().WriteLine(list.Text(0));
      continue;
    }
    const std::string size = std::to_string(sqlite3_column_int64(list.get(), 1));
    shell_.out().WriteLine(list.Text(0) + " " + std::string(10 - std::min<size_t>(size.size(), 10), ' ') + size + "  " + list.Text(2) + "  " + list.Text(3));
  }
  return true;
}

bool SqliteArchive::Extract() {
  const std::string rest = " FROM sqlar WHERE (" + Where() + ") AND (data IS NULL OR $dirOnly = 0) AND name NOT GLOB '*..[/\\]*'";
  // Directories once more in the end, whose times the files have changed.
  for (const bool is_second : {false, true}) {
    if (is_dry_) {
      shell_.out().WriteLine("SELECT  ($dir || name), writefile(($dir || name), sqlar_uncompress(data, sz), mode, mtime)" + rest);
      continue;
    }
    SqliteStatement members(*database_, "SELECT name, mode, mtime, sz, data" + rest);
    if (!members) return false;
    sqlite3_bind_int(members.get(), sqlite3_bind_parameter_index(members.get(), "$dirOnly"), is_second ? 1 : 0);
    Budget& budget = shell_.in_.budget;
    while (members.Step() == SQLITE_ROW) {
      const std::string path = (directory_ ? *directory_ + "/" : "") + members.Text(0);
      const auto* const bytes = static_cast<const char*>(sqlite3_column_blob(members.get(), 4));
      std::string_view content(bytes == nullptr ? "" : bytes, static_cast<size_t>(sqlite3_column_bytes(members.get(), 4)));
      const int64_t size = sqlite3_column_int64(members.get(), 3);
      Result<git::Inflated> plain = git::Inflated();
      if (size > 0 && static_cast<uint64_t>(size) != content.size()) {
        plain = git::Inflate(content, static_cast<uint64_t>(size), true, budget);
        if (!plain) {
          shell_.Complain("ERROR: error in uncompress()\n");
          return false;
        }
        content = plain->data;
      }
      if (!WriteMember(shell_.in_.fs, path, static_cast<uint32_t>(sqlite3_column_int(members.get(), 1)), sqlite3_column_int64(members.get(), 2), content)) {
        shell_.Complain("ERROR: failed to write file: " + path + "\n");
        return false;
      }
      if (is_verbose_ && !is_second) shell_.out().WriteLine(path);
    }
  }
  return true;
}

bool SqliteArchive::Remove() {
  return Execute("DELETE FROM sqlar WHERE " + Where() + ";");
}

void SqliteArchive::ShowInsertions() const {
  for (const std::string& name : names_) {
    shell_.out().WriteLine("REPLACE INTO sqlar(name,mode,mtime,sz,data)\n  SELECT\n    " + std::string(is_verbose_ ? "shell_putsnl(name)" : "name") +
                           ",\n    mode,\n    mtime,\n    CASE substr(lsmode(mode),1,1)\n      WHEN '-' THEN length(data)\n      WHEN 'd' THEN 0\n      ELSE -1 END,\n"
                           "    sqlar_compress(data)\n  FROM fsdir(" + SqlString(name) + "," + (directory_ ? SqlString(*directory_) : "NULL") +
                           ") AS disk\n  WHERE lsmode(mode) NOT LIKE '?%'" +
                           (command_ == 'u' ? " AND NOT EXISTS(SELECT 1 FROM sqlar AS mem WHERE mem.name=disk.name AND mem.mtime=disk.mtime AND mem.mode=disk.mode)" : "") + ";");
  }
}

// The entry of one file, a link or a directory.
bool SqliteArchive::AddFile(SqliteStatement& insert, const std::string& name) {
  vfs::FileSystem& fs = shell_.in_.fs;
  const std::string path = directory_ ? *directory_ + "/" + name : name;
  const auto facts = fs.Stat(path, vfs::Follow::kNo);
  if (!facts) {
    shell_.Complain("ERROR: cannot stat file: " + path + "\n");
    return false;
  }
  const uint32_t mode = RawMode(*facts), format = mode & kFormat;
  if (format != kRegular && format != kDirectory && format != kLink) return true;
  const int64_t seconds = std::chrono::duration_cast<std::chrono::seconds>(facts->modify_time).count();
  std::string data;
  if (format == kRegular) {
    auto bytes = vfs::ReadFile(fs, path, static_cast<uint64_t>(sqlite3_limit(database_->get(), SQLITE_LIMIT_LENGTH, -1)));
    if (!bytes) {
      shell_.Complain("ERROR: cannot read file: " + path + "\n");
      return false;
    }
    data = std::move(*bytes);
  } else if (format == kLink) {
    data = fs.ReadLink(path).value_or("");
  }
  if (command_ == 'u') {
    SqliteStatement same(*database_, "SELECT 1 FROM sqlar WHERE name=?1 AND mtime=?2 AND mode=?3");
    same.Bind(1, name);
    sqlite3_bind_int64(same.get(), 2, seconds);
    sqlite3_bind_int64(same.get(), 3, mode);
    if (same.Step() == SQLITE_ROW) return true;
  }
  const std::string packed = Compressed(data, shell_.in_.budget);
  sqlite3_reset(insert.get());
  insert.Bind(1, name);
  sqlite3_bind_int64(insert.get(), 2, mode);
  sqlite3_bind_int64(insert.get(), 3, seconds);
  sqlite3_bind_int64(insert.get(), 4, format == kRegular ? static_cast<int64_t>(data.size()) : format == kDirectory ? 0 : -1);
  if (format == kDirectory) sqlite3_bind_null(insert.get(), 5);
  else sqlite3_bind_blob64(insert.get(), 5, packed.data(), packed.size(), SQLITE_TRANSIENT);
  if (insert.Step() != SQLITE_DONE) {
    shell_.Complain("ERROR: " + std::string(sqlite3_errmsg(database_->get())) + "\n");
    return false;
  }
  if (is_verbose_) shell_.out().WriteLine(name);
  return true;
}

bool SqliteArchive::AddTree(SqliteStatement& insert, const std::string& name, int depth) {
  constexpr int kDeepest = 1000;
  shell_.in_.budget.Step();
  shell_.in_.budget.CheckStack();
  if (depth > kDeepest || !AddFile(insert, name)) return false;
  const std::string path = directory_ ? *directory_ + "/" + name : name;
  const auto facts = shell_.in_.fs.Stat(path, vfs::Follow::kNo);
  if (!facts || !facts->is_directory()) return true;
  const auto entries = shell_.in_.fs.List(path);
  for (const vfs::DirectoryEntry& entry : entries ? *entries : std::vector<vfs::DirectoryEntry>()) {
    if (!AddTree(insert, name + "/" + entry.name, depth + 1)) return false;
  }
  return true;
}

bool SqliteArchive::Add() {
  bool is_good = Execute("PRAGMA page_size=512") && Execute("SAVEPOINT ar;") && (command_ != 'c' || Execute("DROP TABLE IF EXISTS sqlar")) && Execute(kSchema);
  if (is_dry_) {
    ShowInsertions();
  } else if (is_good) {
    SqliteStatement insert(*database_, "REPLACE INTO sqlar(name,mode,mtime,sz,data) VALUES(?1,?2,?3,?4,?5)");
    for (const std::string& name : names_) is_good = is_good && insert && AddTree(insert, name, 0);
  }
  if (is_good) return Execute("RELEASE ar;");
  Execute("ROLLBACK TO ar;");
  Execute("RELEASE ar;");
  return false;
}

bool SqliteArchive::Run(const std::vector<std::string>& words) {
  if (!Parse(words)) return false;
  if (command_ == 'h') {
    shell_.out().WriteLine(".archive OPTION... ?NAME...?   keep files in a table: -c, -u, -i, -r, -t or -x, with -v, -f FILE, -C DIR, -g and -n");
    return true;
  }
  if (file_) {
    const bool is_written = command_ != 'x' && command_ != 't';
    if (is_dry_) shell_.out().WriteLine("-- open database '" + *file_ + "'");
    own_ = std::make_unique<SqliteDatabase>(shell_.files_, *file_, SqliteDatabase::Settings{.read_only = !is_written});
    if (own_->get() == nullptr || !own_->error().empty()) {
      shell_.Complain("cannot open file: " + *file_ + " (" + own_->error() + ")\n");
      shell_.failure_ = SQLITE_CANTOPEN;
      return false;
    }
    database_ = own_.get();
  } else {
    if (!shell_.Open()) return false;
    database_ = shell_.database_.get();
  }
  if (command_ != 'c' && !HasTable()) {
    shell_.Complain("database does not contain an 'sqlar' table\n");
    return false;
  }
  if (command_ == 'c' || command_ == 'u' || command_ == 'i') return Add();
  if (!HasAllEntries()) return false;
  return command_ == 't' ? List() : command_ == 'x' ? Extract() : Remove();
}

void SqliteShell::RunArchive(const std::vector<std::string>& words) { SqliteArchive(*this, true).Run(words); }

SqliteDotCommands::Then SqliteDotCommands::Archive(const SqliteWords& words) {
  return SqliteArchive(shell_, false).Run(SqliteWords(words.begin() + 1, words.end())) ? Then::kGoOn : Then::kFailed;
}

}  // namespace paddock::data
