#include "git/refs.h"

#include <algorithm>

namespace paddock::git {
namespace {

constexpr int kMostLinks = 5;
constexpr uint64_t kMostBytes = 64 << 20;

bool HasBadByte(std::string_view name) {
  return std::any_of(name.begin(), name.end(), [](char c) {
    const unsigned char byte = static_cast<unsigned char>(c);
    return byte <= 32 || byte == 127 || std::string_view("~^:?*[\\").find(c) != std::string_view::npos;
  });
}

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  return text;
}

bool HasLog(std::string_view name) {
  return name == "HEAD" || name.starts_with("refs/heads/") || name.starts_with("refs/remotes/") || name.starts_with("refs/notes/") || name == "refs/stash";
}

}  // namespace

bool IsRefName(std::string_view name, bool allows_one_level) {
  if (name.empty() || name == "@" || HasBadByte(name) || name.find("..") != std::string_view::npos || name.find("@{") != std::string_view::npos) return false;
  if (name.ends_with('.') || name.size() > 1000) return false;
  if (!allows_one_level && name.find('/') == std::string_view::npos) return false;
  while (true) {
    const size_t slash = name.find('/');
    const std::string_view part = name.substr(0, slash);
    if (part.empty() || part.starts_with('.') || part.ends_with(".lock")) return false;
    if (slash == std::string_view::npos) return true;
    name.remove_prefix(slash + 1);
  }
}

bool IsSharedPath(std::string_view path) {
  static constexpr std::string_view kOwn[] = {"info/sparse-checkout", "logs/HEAD", "logs/refs/bisect", "logs/refs/rewritten", "logs/refs/worktree", "refs/bisect", "refs/rewritten", "refs/worktree"};
  static constexpr std::string_view kShared[] = {"branches", "common", "config", "gc.pid", "hooks", "info", "logs", "lost-found", "modules", "objects", "packed-refs", "refs", "remotes", "rr-cache", "shallow", "svn", "worktrees"};
  const auto is_in = [path](std::string_view folder) { return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/'); };
  return std::any_of(std::begin(kShared), std::end(kShared), is_in) && std::none_of(std::begin(kOwn), std::end(kOwn), is_in);
}

std::string Refs::PathOf(std::string_view name) const {
  // The name that a linked working tree has for the main one's.
  if (name.starts_with("main-worktree/")) return directory_ + std::string(name.substr(13));
  return (IsSharedPath(name) ? directory_ : own_) + "/" + std::string(name);
}

std::string Refs::LogPath(std::string_view name) const {
  const std::string path = "logs/" + std::string(name);
  return (IsSharedPath(path) ? directory_ : own_) + "/" + path;
}

std::optional<std::string> Refs::ReadRaw(std::string_view name) {
  budget_.Step();
  if (!IsRefName(name, true)) return std::nullopt;
  auto text = vfs::ReadFile(fs_, PathOf(name), 4096);
  if (!text) return std::nullopt;
  return std::string(Trimmed(*text));
}

std::optional<std::string> Refs::ReadSymbolic(std::string_view name) {
  const auto text = ReadRaw(name);
  if (!text || !text->starts_with("ref:")) return std::nullopt;
  return std::string(Trimmed(std::string_view(*text).substr(4)));
}

std::optional<Oid> Refs::Read(std::string_view name) {
  std::string at(name);
  for (int links = 0; links <= kMostLinks; ++links) {
    const auto text = ReadRaw(at);
    if (!text) {
      const auto packed = Packed();
      const auto found = packed.find(at);
      if (found == packed.end()) return std::nullopt;
      return found->second;
    }
    if (!text->starts_with("ref:")) return Oid::FromHex(std::string_view(*text).substr(0, 40));
    at = Trimmed(std::string_view(*text).substr(4));
  }
  return std::nullopt;
}

std::map<std::string, Oid> Refs::Packed() {
  std::map<std::string, Oid> refs;
  auto text = vfs::ReadFile(fs_, directory_ + "/packed-refs", kMostBytes);
  if (!text) return refs;
  std::string_view rest = *text;
  while (!rest.empty()) {
    budget_.Step();
    const size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.size() < 42 || line[0] == '#' || line[0] == '^' || line[40] != ' ') continue;
    const auto id = Oid::FromHex(line.substr(0, 40));
    const std::string_view name = Trimmed(line.substr(41));
    if (id && IsRefName(name)) refs[std::string(name)] = *id;
  }
  return refs;
}

void Refs::ListLoose(const std::string& folder, std::map<std::string, Oid>& out) {
  budget_.CheckStack();
  auto list = fs_.List(PathOf(folder));
  if (!list) return;
  for (const vfs::DirectoryEntry& entry : *list) {
    budget_.Step();
    const std::string name = folder + "/" + entry.name;
    if (entry.type == vfs::FileType::kDirectory) ListLoose(name, out);
    else if (IsRefName(name)) {
      if (const auto id = Read(name)) out[name] = *id;
    }
  }
}

std::map<std::string, Oid> Refs::List(std::string_view prefix) {
  std::map<std::string, Oid> refs = Packed();
  ListLoose("refs", refs);
  if (own_ != directory_) {
    // Those of the main working tree are not ours.
    std::erase_if(refs, [](const auto& ref) { return !IsSharedPath(ref.first); });
    for (const char* folder : {"refs/bisect", "refs/rewritten", "refs/worktree"}) ListLoose(folder, refs);
  }
  std::erase_if(refs, [prefix](const auto& ref) { return !std::string_view(ref.first).starts_with(prefix); });
  return refs;
}

Status Refs::CheckFree(std::string_view name) {
  for (const auto& [other, id] : List("refs/")) {
    const bool is_below = other.size() > name.size() && other.starts_with(name) && other[name.size()] == '/';
    const bool is_above = name.size() > other.size() && name.starts_with(other) && name[other.size()] == '/';
    if (is_below || is_above) {
      return Error(Code::kExists, "cannot lock ref '" + std::string(name) + "': '" + other + "' exists; cannot create '" + std::string(name) + "'");
    }
  }
  return {};
}

Status Refs::WriteDirect(std::string_view name, const Oid& id) {
  if (!IsRefName(name, true)) return Error(Code::kInvalid, "refusing to update ref with bad name '" + std::string(name) + "'");
  if (name.starts_with("refs/") && !ReadRaw(name)) PADDOCK_TRY(CheckFree(name));
  const std::string path = PathOf(name);
  // Folders that removed branches left behind.
  if (const auto facts = fs_.Stat(path); facts && facts->is_directory()) PADDOCK_TRY(fs_.RemoveDirectory(path));
  PADDOCK_TRY(vfs::MakeDirectories(fs_, vfs::DirectoryName(path)));
  return vfs::WriteFile(fs_, path, id.Hex() + "\n");
}

Status Refs::Write(std::string_view name, const Oid& id, std::string_view who, std::string_view message) {
  const Oid before = Read(name).value_or(Oid{});
  std::string at(name);
  for (int links = 0; links <= kMostLinks; ++links) {
    const auto target = ReadSymbolic(at);
    if (!target) break;
    if (!message.empty()) PADDOCK_TRY(Log(at, before, id, who, message));
    at = *target;
  }
  PADDOCK_TRY(WriteDirect(at, id));
  if (!message.empty()) {
    // What stays where it is gets no line; what leads to it does.
    if (before != id) PADDOCK_TRY(Log(at, before, id, who, message));
    if (at == name && name != "HEAD" && ReadSymbolic("HEAD") == at) PADDOCK_TRY(Log("HEAD", before, id, who, message));
  }
  return {};
}

Status Refs::WriteSymbolic(std::string_view name, std::string_view target) {
  if (!IsRefName(name, true)) return Error(Code::kInvalid, "refusing to update ref with bad name '" + std::string(name) + "'");
  const std::string path = PathOf(name);
  PADDOCK_TRY(vfs::MakeDirectories(fs_, vfs::DirectoryName(path)));
  return vfs::WriteFile(fs_, path, "ref: " + std::string(target) + "\n");
}

Status Refs::Remove(std::string_view name) {
  if (!IsRefName(name, true)) return Error(Code::kInvalid, "refusing to delete ref with bad name '" + std::string(name) + "'");
  auto packed = vfs::ReadFile(fs_, directory_ + "/packed-refs", kMostBytes);
  if (packed) {
    std::string kept;
    bool skips = false;
    for (std::string_view rest = *packed; !rest.empty();) {
      budget_.Step();
      const size_t end = std::min(rest.find('\n'), rest.size() - 1) + 1;
      const std::string_view line = rest.substr(0, end);
      rest.remove_prefix(end);
      if (!line.starts_with('^')) skips = line.size() > 41 && Trimmed(line.substr(41)) == name && line[0] != '#';
      if (!skips) kept += line;
    }
    if (kept.size() != packed->size()) PADDOCK_TRY(vfs::WriteFile(fs_, directory_ + "/packed-refs", kept));
  }
  const auto forget = [this](std::string path, std::string_view root) {
    static_cast<void>(fs_.RemoveFile(path).has_value());
    for (path = vfs::DirectoryName(path); path.size() > root.size() && fs_.RemoveDirectory(path); path = vfs::DirectoryName(path)) budget_.Step();
  };
  forget(PathOf(name), directory_ + "/refs/heads");
  forget(LogPath(name), directory_ + "/logs/refs/heads");
  return {};
}

Status Refs::Log(std::string_view name, const Oid& before, const Oid& after, std::string_view who, std::string_view message) {
  if (!IsRefName(name, true)) return {};
  const std::string path = LogPath(name);
  if (!HasLog(name) && !fs_.Stat(path)) return {};   // others have one when it was made for them
  PADDOCK_TRY(vfs::MakeDirectories(fs_, vfs::DirectoryName(path)));
  PADDOCK_ASSIGN(const vfs::OpenFilePtr file, fs_.Open(path, vfs::OpenFlags::Append()));
  std::string line(message.substr(0, message.find('\n')));
  line.erase(line.find_last_not_of(" \t") + 1);
  return file->Write(before.Hex() + " " + after.Hex() + " " + std::string(who) + (line.empty() ? "" : "\t") + line + "\n");
}

std::vector<ReflogEntry> Refs::ReadLog(std::string_view name) {
  std::vector<ReflogEntry> entries;
  if (!IsRefName(name, true)) return entries;
  auto text = vfs::ReadFile(fs_, LogPath(name), kMostBytes);
  if (!text) return entries;
  for (std::string_view rest = *text; !rest.empty();) {
    budget_.Step();
    const size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.size() < 83) continue;
    const auto before = Oid::FromHex(line.substr(0, 40)), after = Oid::FromHex(line.substr(41, 40));
    if (!before || !after) continue;
    const size_t tab = line.find('\t');
    entries.push_back({*before, *after, std::string(line.substr(82, tab == std::string_view::npos ? tab : tab - 82)),
                       tab == std::string_view::npos ? std::string() : std::string(line.substr(tab + 1))});
  }
  return entries;
}

Status Refs::WriteLog(std::string_view name, const std::vector<ReflogEntry>& entries) {
  std::string text;
  for (const ReflogEntry& entry : entries) text += entry.before.Hex() + " " + entry.after.Hex() + " " + entry.who + "\t" + entry.message + "\n";
  return vfs::WriteFile(fs_, LogPath(name), text);
}

Status Refs::RenameLog(std::string_view from, std::string_view to) {
  const std::vector<ReflogEntry> entries = ReadLog(from);
  if (entries.empty()) return {};
  PADDOCK_TRY(vfs::MakeDirectories(fs_, vfs::DirectoryName(LogPath(to))));
  return WriteLog(to, entries);
}

Status Refs::PackAll(const std::map<std::string, Oid>& peeled, const std::set<std::string>& left_out) {
  std::string text = "# pack-refs with: peeled fully-peeled sorted \n";
  std::vector<std::string> loose;
  const std::map<std::string, Oid> packed = Packed();
  for (const auto& [name, loose_id] : List("refs/")) {
    budget_.Step();
    if (ReadSymbolic(name)) continue;
    Oid id = loose_id;
    if (left_out.contains(name)) {
      // The loose file stays; what was packed before it stays, too.
      const auto before = packed.find(name);
      if (before == packed.end()) continue;
      id = before->second;
    }
    text += id.Hex() + " " + name + "\n";
    if (const auto found = peeled.find(name); found != peeled.end()) text += "^" + found->second.Hex() + "\n";
    if (!left_out.contains(name)) loose.push_back(name);
  }
  PADDOCK_TRY(vfs::WriteFile(fs_, directory_ + "/packed-refs", text));
  for (const std::string& name : loose) {
    static_cast<void>(fs_.RemoveFile(PathOf(name)).has_value());
    for (std::string path = vfs::DirectoryName(PathOf(name)); path.size() > directory_.size() + 11 && fs_.RemoveDirectory(path); path = vfs::DirectoryName(path)) budget_.Step();
  }
  return {};
}

}  // namespace paddock::git
