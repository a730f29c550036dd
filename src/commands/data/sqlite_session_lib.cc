// The library has these functions; its header shows them only when it is asked to.
#ifndef SQLITE_ENABLE_SESSION
#define SQLITE_ENABLE_SESSION
#endif
#ifndef SQLITE_ENABLE_PREUPDATE_HOOK
#define SQLITE_ENABLE_PREUPDATE_HOOK
#endif
#include <sqlite3.h>

#include "commands/data/sqlite_session.h"

#include "commands/data/sqlite_dot.h"

namespace paddock::data {

SqliteSession::SqliteSession(SqliteDatabase& database, const std::string& schema, std::string name, int* code) : database_(database), name_(std::move(name)) {
  *code = sqlite3session_create(database.get(), schema.c_str(), &session_);
  if (*code == SQLITE_OK) sqlite3session_table_filter(session_, Filter, this);
}

SqliteSession::~SqliteSession() {
  if (session_ != nullptr) sqlite3session_delete(session_);
}

int SqliteSession::Filter(void* self, const char* table) {
  for (const std::string& glob : static_cast<SqliteSession*>(self)->globs_) {
    if (sqlite3_strglob(glob.c_str(), table) == 0) return 0;
  }
  return 1;
}

int SqliteSession::Attach(const std::string& table) { return sqlite3session_attach(session_, table == "*" ? nullptr : table.c_str()); }
int SqliteSession::Enable(int value) { return sqlite3session_enable(session_, value); }
int SqliteSession::SetIndirect(int value) { return sqlite3session_indirect(session_, value); }
bool SqliteSession::IsEmpty() { return sqlite3session_isempty(session_) != 0; }

int SqliteSession::Write(bool is_patchset, std::string* bytes) {
  int size = 0;
  void* made = nullptr;
  const int code = is_patchset ? sqlite3session_patchset(session_, &size, &made) : sqlite3session_changeset(session_, &size, &made);
  if (code == SQLITE_OK && made != nullptr) bytes->assign(static_cast<const char*>(made), static_cast<size_t>(size));
  sqlite3_free(made);
  database_.guard().Check();
  return code;
}

SqliteDotCommands::Then SqliteDotCommands::Session(const SqliteWords& words) {
  constexpr size_t kMost = 4;
  if (!shell_.Open()) return Then::kFailed;
  auto& sessions = shell_.sessions_;
  // The session that is named, or the first one.
  size_t chosen = 0, at = 1;
  for (size_t i = 0; words.size() >= 3 && i < sessions.size(); ++i) {
    if (sessions[i]->name() != words[1]) continue;
    chosen = i;
    at = 2;
    break;
  }
  const auto syntax = [this] { return Help({"help", "session"}); };
  if (at >= words.size()) return syntax();
  const std::string& what = words[at];
  const SqliteWords rest(words.begin() + static_cast<std::ptrdiff_t>(at) + 1, words.end());
  SqliteSession* const session = sessions.empty() ? nullptr : sessions[chosen].get();
  if (what == "attach" || what == "changeset" || what == "patchset") {
    if (rest.size() != 1) return syntax();
    if (session == nullptr) return Fail("ERROR: No sessions are open\n");
    if (what == "attach") {
      if (const int code = session->Attach(rest[0]); code != SQLITE_OK) shell_.Complain("ERROR: sqlite3session_attach() returns " + std::to_string(code) + "\n");
      return Then::kGoOn;
    }
    std::string bytes;
    const auto file = shell_.in_.fs.Open(rest[0], vfs::OpenFlags::Write());
    if (!file) return Fail("ERROR: cannot open \"" + rest[0] + "\" for writing\n"), Then::kGoOn;
    if (const int code = session->Write(what == "patchset", &bytes); code != SQLITE_OK) shell_.out().WriteLine("Error: error code " + std::to_string(code));
    if (!(*file)->Write(bytes)) shell_.Complain("ERROR: Failed to write entire " + std::to_string(bytes.size()) + "-byte output\n");
    return Then::kGoOn;
  }
  if (what == "close") {
    if (!rest.empty()) return syntax();
    if (session == nullptr) return Then::kGoOn;
    std::swap(sessions[chosen], sessions.back());
    sessions.pop_back();
    return Then::kGoOn;
  }
  if (what == "enable" || what == "indirect") {
    if (rest.size() > 1) return syntax();
    const int value = rest.empty() ? -1 : Boolean(rest[0]) ? 1 : 0;
    if (session == nullptr) return Then::kGoOn;
    const int is_on = what == "enable" ? session->Enable(value) : session->SetIndirect(value);
    shell_.out().WriteLine("session " + session->name() + " " + what + " flag = " + std::to_string(is_on));
    return Then::kGoOn;
  }
  if (what == "filter") {
    if (rest.empty()) return syntax();
    if (session != nullptr) session->set_filter(rest);
    return Then::kGoOn;
  }
  if (what == "isempty") {
    if (!rest.empty()) return syntax();
    if (session != nullptr) shell_.out().WriteLine("session " + session->name() + " isempty flag = " + (session->IsEmpty() ? "1" : "0"));
    return Then::kGoOn;
  }
  if (what == "list") {
    for (size_t i = 0; i < sessions.size(); ++i) shell_.out().WriteLine(std::to_string(i) + " " + sessions[i]->name());
    return Then::kGoOn;
  }
  if (what != "open" || rest.size() != 2 || rest[1].empty()) return syntax();
  for (const auto& one : sessions) {
    if (one->name() == rest[1]) return Fail("Session \"" + rest[1] + "\" already exists\n"), Then::kGoOn;
  }
  if (sessions.size() >= kMost) return Fail("Maximum of " + std::to_string(kMost) + " sessions\n"), Then::kGoOn;
  int code = SQLITE_OK;
  auto opened = std::make_unique<SqliteSession>(*shell_.database_, rest[0], rest[1], &code);
  shell_.guard_.Check();
  if (code != SQLITE_OK) return Fail("Cannot open session: error code=" + std::to_string(code) + "\n"), Then::kGoOn;
  sessions.push_back(std::move(opened));
  return Then::kGoOn;
}

}  // namespace paddock::data
