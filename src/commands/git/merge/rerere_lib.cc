// git rerere.
#include "commands/git/merge/rerere.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "commands/git/diff/diff.h"
#include "commands/git/merge/merge.h"
#include "commands/git/work/worktree.h"
#include "git/conflict_text.h"

namespace paddock::git {
namespace {

constexpr uint64_t kLargestConflict = 64 << 20;
constexpr size_t kMarkerSize = 7;
constexpr int kMostVariants = 1000;

// Conflicts of the same shape that were resolved in different ways are its variants.
struct NotedConflict {
  std::string id;
  int variant = 0;
  std::string path;
};

class ConflictMemory {
 public:
  explicit ConflictMemory(Git& git) : git_(git) { ReadNoted(); }

  Status Update(bool stages) {
    PADDOCK_ASSIGN(Index index, git_.ReadIndex());
    for (const std::string& path : ConflictPaths(index)) {
      if (Noted(path) != noted_.end()) continue;
      const auto now = ConflictOf(path);
      if (!now || !now->has_conflict) continue;
      PADDOCK_TRY(vfs::MakeDirectories(git_.in.fs, Folder(now->id)));
      noted_.push_back({now->id, -1, path});
    }
    std::sort(noted_.begin(), noted_.end(), [](const NotedConflict& a, const NotedConflict& b) { return a.path < b.path; });
    std::vector<NotedConflict> left;
    std::vector<std::string> resolved;
    for (NotedConflict& conflict : noted_) {
      git_.in.budget.Step(16);
      PADDOCK_ASSIGN(const bool is_open, Look(conflict, stages ? &resolved : nullptr));
      if (is_open) left.push_back(conflict);
    }
    noted_ = std::move(left);
    for (const std::string& path : resolved) {
      PADDOCK_ASSIGN(auto entry, StageFile(git_, path, true));
      if (!entry) continue;
      index.Remove(path);
      index.Put(std::move(*entry));
      git_.Say("Staged '" + path + "' using previous resolution.\n");
    }
    if (!resolved.empty()) PADDOCK_TRY(git_.WriteIndex(index));
    return WriteNoted();
  }

  void Clear() {
    for (const NotedConflict& conflict : noted_) {
      if (!Has(conflict, "postimage")) RemoveVariant(conflict);
    }
    static_cast<void>(git_.in.fs.RemoveFile(git_.GitPath("MERGE_RR")).has_value());
  }

  const std::vector<NotedConflict>& noted() const { return noted_; }

  Result<std::string> DiffText() {
    std::string text;
    for (const NotedConflict& conflict : noted_) {
      const auto before = Read(conflict, "preimage");
      const auto after = vfs::ReadFile(git_.in.fs, git_.FilePath(conflict.path), kLargestConflict);
      if (!before || !after) return Error(Code::kNoEntry, "unable to generate diff for '" + FileOf(conflict, "preimage") + "'");
      text += "--- a/" + conflict.path + "\n+++ b/" + conflict.path + "\n" + HunksOf(*before, *after, DiffOptions(), git_.in.budget);
    }
    return text;
  }

  // What was noted and is not resolved in the index; and what cannot be noted, since one side has no such file.
  Result<std::vector<std::string>> Remaining() {
    PADDOCK_ASSIGN(const Index index, git_.ReadIndex());
    const std::vector<std::string> known = ConflictPaths(index);
    std::set<std::string> paths;
    for (const IndexEntry& entry : index.entries()) {
      if (entry.stage != 0 && std::find(known.begin(), known.end(), entry.path) == known.end()) paths.insert(entry.path);
    }
    for (const NotedConflict& conflict : noted_) {
      if (index.Find(conflict.path) == nullptr) paths.insert(conflict.path);
    }
    return std::vector<std::string>(paths.begin(), paths.end());
  }

  Status Forget(Pathspec& paths) {
    PADDOCK_ASSIGN(const Index index, git_.ReadIndex());
    for (const std::string& path : ConflictPaths(index)) {
      if (!paths.Matches(path, git_.in.budget)) continue;
      PADDOCK_ASSIGN(const std::optional<ConflictText> conflict, ConflictInIndex(index, path));
      if (!conflict || !conflict->has_conflict) {
        git_.Complain("could not parse conflict hunks in '" + path + "'");
        continue;
      }
      NotedConflict forgotten{conflict->id, 0, path};
      const int count = Variants(conflict->id);
      while (forgotten.variant < count && !Has(forgotten, "postimage")) ++forgotten.variant;
      if (forgotten.variant >= count) {
        git_.Complain("no remembered resolution for '" + path + "'");
        continue;
      }
      static_cast<void>(git_.in.fs.RemoveFile(FileOf(forgotten, "postimage")).has_value());
      PADDOCK_TRY(vfs::WriteFile(git_.in.fs, FileOf(forgotten, "preimage"), conflict->text));
      git_.Say("Updated preimage for '" + path + "'\nForgot resolution for '" + path + "'\n");
      noted_.erase(std::remove_if(noted_.begin(), noted_.end(), [&](const NotedConflict& one) { return one.path == path; }), noted_.end());
      noted_.push_back(forgotten);
    }
    return WriteNoted();
  }

  // Removes what is old.
  Status Collect() {
    const auto days = [this](const char* key, int64_t otherwise) {
      const std::string text = git_.config.Get(key, std::to_string(otherwise));
      int64_t value = otherwise;
      std::from_chars(text.data(), text.data() + text.size(), value);
      return value;
    };
    const auto before_days = [this](int64_t count) { return git_.in.clock.RealNow() - std::chrono::hours(24) * std::clamp<int64_t>(count, 0, 20000); };
    const Nanoseconds resolved = before_days(days("gc.rerereresolved", 60)), open = before_days(days("gc.rerereunresolved", 15));
    const std::string top = git_.GitPath("rr-cache");
    const auto list = git_.in.fs.List(top);
    if (!list) return {};
    for (const vfs::DirectoryEntry& entry : *list) {
      if (!Oid::FromHex(entry.name)) continue;
      const int count = Variants(entry.name);
      for (int variant = 0; variant < count; ++variant) {
        const NotedConflict conflict{entry.name, variant, ""};
        const auto after = git_.in.fs.Stat(FileOf(conflict, "postimage")), before = git_.in.fs.Stat(FileOf(conflict, "preimage"));
        const bool is_old = after ? after->modify_time < resolved : before && before->modify_time < open;
        if (is_old) RemoveVariant(conflict);
      }
      static_cast<void>(git_.in.fs.RemoveDirectory(Folder(entry.name)).has_value());
    }
    return {};
  }

 private:
  std::string Folder(const std::string& id) const { return git_.GitPath("rr-cache/" + id); }
  std::string FileOf(const NotedConflict& conflict, std::string_view name) const { return Folder(conflict.id) + "/" + std::string(name) + (conflict.variant > 0 ? "." + std::to_string(conflict.variant) : ""); }
  bool Has(const NotedConflict& conflict, std::string_view name) const { return conflict.variant >= 0 && git_.in.fs.Stat(FileOf(conflict, name)).has_value(); }
  Result<std::string> Read(const NotedConflict& conflict, std::string_view name) const { return vfs::ReadFile(git_.in.fs, FileOf(conflict, name), kLargestConflict); }
  void RemoveVariant(const NotedConflict& conflict) {
    for (const char* name : {"thisimage", "preimage", "postimage"}) static_cast<void>(git_.in.fs.RemoveFile(FileOf(conflict, name)).has_value());
    static_cast<void>(git_.in.fs.RemoveDirectory(Folder(conflict.id)).has_value());
  }
  // One more than the highest that is there.
  int Variants(const std::string& id) const {
    const auto list = git_.in.fs.List(Folder(id));
    int count = 0;
    if (!list) return count;
    for (const vfs::DirectoryEntry& entry : *list) {
      const std::string_view name = entry.name;
      const size_t dot = name.find('.');
      int variant = 0;
      if (dot != std::string_view::npos) std::from_chars(name.data() + dot + 1, name.data() + name.size(), variant);
      if (variant >= 0 && variant < kMostVariants) count = std::max(count, variant + 1);
    }
    return count;
  }

  std::vector<NotedConflict>::iterator Noted(const std::string& path) {
    return std::find_if(noted_.begin(), noted_.end(), [&](const NotedConflict& conflict) { return conflict.path == path; });
  }
  // .git/MERGE_RR: "ID.VARIANT<tab>PATH" and a NUL.
  void ReadNoted() {
    const auto text = vfs::ReadFile(git_.in.fs, git_.GitPath("MERGE_RR"), kLargestConflict);
    for (size_t begin = 0; text && begin < text->size();) {
      git_.in.budget.Step();
      const size_t end = std::min(text->find('\0', begin), text->size());
      const std::string_view line = std::string_view(*text).substr(begin, end - begin);
      begin = end + 1;
      const size_t tab = line.find('\t');
      if (tab == std::string_view::npos || tab < 40 || !Oid::FromHex(line.substr(0, 40)) || !IsSafePath(line.substr(tab + 1))) continue;
      int variant = 0;
      if (line[40] == '.') std::from_chars(line.data() + 41, line.data() + tab, variant);
      noted_.push_back({std::string(line.substr(0, 40)), std::clamp(variant, 0, kMostVariants), std::string(line.substr(tab + 1))});
    }
  }
  Status WriteNoted() {
    std::string text;
    for (const NotedConflict& conflict : noted_) text += conflict.id + (conflict.variant > 0 ? "." + std::to_string(conflict.variant) : "") + "\t" + conflict.path + '\0';
    return vfs::WriteFile(git_.in.fs, git_.GitPath("MERGE_RR"), text);
  }

  // Files that both sides have.
  static std::vector<std::string> ConflictPaths(const Index& index) {
    std::vector<std::string> paths;
    const auto is_file = [](const IndexEntry* entry) { return entry != nullptr && (entry->mode & 0170000) == 0100000; };
    for (const IndexEntry& entry : index.entries()) {
      if (entry.stage == 2 && is_file(&entry) && is_file(index.Find(entry.path, 3))) paths.push_back(entry.path);
    }
    return paths;
  }
  // Of the file in the working tree; nothing when it is none, or its markers are broken.
  std::optional<ConflictText> ConflictOf(const std::string& path) const {
    const auto text = vfs::ReadFile(git_.in.fs, git_.FilePath(path), kLargestConflict);
    return text ? NormalizeConflicts(*text, kMarkerSize, git_.in.budget) : std::nullopt;
  }
  // Of what the index has of the sides.
  Result<std::optional<ConflictText>> ConflictInIndex(const Index& index, const std::string& path) {
    std::string texts[3];
    for (int stage = 1; stage <= 3; ++stage) {
      const IndexEntry* entry = index.Find(path, stage);
      if (entry == nullptr) continue;
      PADDOCK_ASSIGN(texts[stage - 1], git_.ReadBlob(entry->id));
    }
    PADDOCK_ASSIGN(const MergeStyle style, ConfiguredStyle(git_));
    const TextMerge merge = MergeTexts(texts[0], texts[1], texts[2], {"ours", "theirs"}, style, git_.in.budget);
    return NormalizeConflicts(merge.text, kMarkerSize, git_.in.budget);
  }

  // Whether the conflict stays open.
  Result<bool> Look(NotedConflict& conflict, std::vector<std::string>* resolved) {
    const auto now = ConflictOf(conflict.path);
    if (conflict.variant >= 0 && now && !now->has_conflict) {
      PADDOCK_ASSIGN(const std::string text, vfs::ReadFile(git_.in.fs, git_.FilePath(conflict.path), kLargestConflict));
      PADDOCK_TRY(vfs::WriteFile(git_.in.fs, FileOf(conflict, "postimage"), text));
      git_.Say("Recorded resolution for '" + conflict.path + "'.\n");
      return false;
    }
    if (!now || !now->has_conflict) return conflict.variant >= 0;
    const int count = Variants(conflict.id);
    for (int variant = 0; variant < count; ++variant) {
      const NotedConflict known{conflict.id, variant, conflict.path};
      if (!Has(known, "postimage") || !Has(known, "preimage")) continue;
      PADDOCK_ASSIGN(const bool is_done, Replay(known, *now));
      if (!is_done) continue;
      if (conflict.variant >= 0 && conflict.variant != variant) RemoveVariant(conflict);
      if (resolved != nullptr) resolved->push_back(conflict.path);
      else git_.Say("Resolved '" + conflict.path + "' using previous resolution.\n");
      return false;
    }
    if (conflict.variant >= 0) return true;
    conflict.variant = 0;
    while (conflict.variant < kMostVariants && (Has(conflict, "preimage") || Has(conflict, "postimage"))) ++conflict.variant;
    PADDOCK_TRY(vfs::WriteFile(git_.in.fs, FileOf(conflict, "preimage"), now->text));
    git_.Say("Recorded preimage for '" + conflict.path + "'\n");
    return true;
  }

  // What was done then, done to the file as it is now. False: that does not go.
  Result<bool> Replay(const NotedConflict& known, const ConflictText& now) {
    PADDOCK_ASSIGN(const std::string before, Read(known, "preimage"));
    PADDOCK_ASSIGN(const std::string after, Read(known, "postimage"));
    PADDOCK_TRY(vfs::WriteFile(git_.in.fs, FileOf(known, "thisimage"), now.text));
    const TextMerge merge = MergeTexts(before, now.text, after, {"", ""}, MergeStyle(), git_.in.budget);
    if (merge.has_conflict) return false;
    PADDOCK_TRY(vfs::WriteFile(git_.in.fs, FileOf(known, "postimage"), after));   // it was used now
    PADDOCK_TRY(vfs::WriteFile(git_.in.fs, git_.FilePath(known.path), merge.text));
    return true;
  }

  Git& git_;
  std::vector<NotedConflict> noted_;
};

struct RerereOptions {
  bool rerere = false, no_rerere = false;
};
constexpr Option kRerereOptions[] = {
    Flag<&RerereOptions::rerere>(0, "rerere-autoupdate", "put into the index what is resolved as before"),
    Flag<&RerereOptions::no_rerere>(0, "no-rerere-autoupdate", "do not"),
};

Result<ExitStatus> RunRerere(Git& git, RerereOptions& options, Args& args) {
  std::vector<std::string> operands = args.All();
  if (operands.empty()) {
    PADDOCK_TRY(RememberConflicts(git, StagesResolved(options)));
    return 0;
  }
  const std::string verb = operands[0];
  operands.erase(operands.begin());
  const bool is_known = verb == "clear" || verb == "forget" || verb == "diff" || verb == "status" || verb == "remaining" || verb == "gc";
  if (!is_known) {
    git.Say("usage: git rerere [clear | forget <pathspec>... | diff | status | remaining | gc]\n");
    return 129;
  }
  if (verb == "forget" && operands.empty()) git.Warn("'git rerere forget' without paths is deprecated");
  if (!RemembersConflicts(git)) return 0;
  ConflictMemory memory(git);
  if (verb == "forget") {
    PADDOCK_ASSIGN(Pathspec paths, git.ParsePaths(operands));
    PADDOCK_TRY(memory.Forget(paths));
  } else if (verb == "clear") {
    memory.Clear();
  } else if (verb == "gc") {
    PADDOCK_TRY(memory.Collect());
  } else if (verb == "status") {
    for (const NotedConflict& conflict : memory.noted()) git.Print(conflict.path + "\n");
  } else if (verb == "remaining") {
    PADDOCK_ASSIGN(const std::vector<std::string> paths, memory.Remaining());
    for (const std::string& path : paths) git.Print(path + "\n");
  } else {
    PADDOCK_ASSIGN(const std::string text, memory.DiffText());
    git.Print(text);
  }
  return 0;
}

}  // namespace

bool RemembersConflicts(Git& git) { return git.config.GetBool("rerere.enabled", git.in.fs.Stat(git.GitPath("rr-cache")).has_value()); }

Status RememberConflicts(Git& git, std::optional<bool> stages) {
  if (!RemembersConflicts(git)) return {};
  return ConflictMemory(git).Update(stages.value_or(git.config.GetBool("rerere.autoupdate", false)));
}

void ForgetConflicts(Git& git) {
  if (RemembersConflicts(git)) ConflictMemory(git).Clear();
}

extern const Subcommand kRerere;
const Subcommand kRerere = DefineSubcommand<RerereOptions, RunRerere>({.name = "rerere", .summary = "resolve conflicts as they were resolved before", .synopsis = "[clear | forget <pathspec>... | diff | status | remaining | gc]", .options = kRerereOptions, .needs = Subcommand::Needs::kWorkTree});

}  // namespace paddock::git
