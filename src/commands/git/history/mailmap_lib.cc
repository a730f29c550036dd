#include "commands/git/history/mailmap.h"

#include <algorithm>

#include "commands/git/refs/revision.h"
#include "text/diff/unified_diff.h"

namespace paddock::git {
namespace {

constexpr uint64_t kMostBytes = 8 << 20;

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return lower;
}
std::string_view Trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  return text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
}

// "Name <email>" at the front of a line; false when there is no address.
bool TakePerson(std::string_view& line, std::string& name, std::string& email) {
  const size_t open = line.find('<'), close = open == std::string_view::npos ? open : line.find('>', open);
  if (close == std::string_view::npos) return false;
  name = Trimmed(line.substr(0, open));
  email = line.substr(open + 1, close - open - 1);
  line.remove_prefix(close + 1);
  return true;
}

}  // namespace

void Mailmap::AddLine(std::string_view line) {
  if (line.empty() || line[0] == '#') return;
  std::string name, email, old_name, old_email;
  if (!TakePerson(line, name, email)) return;
  if (!TakePerson(line, old_name, old_email)) {
    old_email = email;
    email.clear();
  }
  Person& person = people_[Lower(old_email)];
  Change& change = old_name.empty() ? person.any : person.names[Lower(old_name)];
  if (!name.empty()) change.name = name;
  if (!email.empty()) change.email = email;
}

void Mailmap::Add(std::string_view text, Budget& budget) {
  for (const std::string_view line : SplitLines(text)) {
    budget.Step();
    AddLine(line);
  }
}

std::shared_ptr<const Mailmap> Mailmap::Load(Git& git) {
  auto map = std::make_shared<Mailmap>();
  if (!git.work_tree.empty()) {
    if (const auto text = vfs::ReadFile(git.in.fs, git.FilePath(".mailmap"), kMostBytes)) map->Add(*text, git.in.budget);
  }
  std::string blob = git.config.Get("mailmap.blob", "");
  if (blob.empty() && git.work_tree.empty()) blob = "HEAD:.mailmap";
  if (!blob.empty()) {
    const auto id = ResolveObject(git, blob);
    const auto text = id ? git.ReadBlob(*id) : Result<std::string>(Code::kNoEntry);
    if (text) map->Add(*text, git.in.budget);
  }
  if (auto path = git.config.Get("mailmap.file")) {
    if (path->starts_with("~/")) path = std::string(git.in.env.Get("HOME", "")) + path->substr(1);
    if (const auto text = vfs::ReadFile(git.in.fs, *path, kMostBytes)) map->Add(*text, git.in.budget);
  }
  return map;
}

Signature Mailmap::Map(Signature who) const {
  const auto person = people_.find(Lower(who.email));
  if (person == people_.end()) return who;
  const auto named = person->second.names.find(Lower(who.name));
  const Change& change = named == person->second.names.end() ? person->second.any : named->second;
  if (!change.name.empty()) who.name = change.name;
  if (!change.email.empty()) who.email = change.email;
  return who;
}

}  // namespace paddock::git
