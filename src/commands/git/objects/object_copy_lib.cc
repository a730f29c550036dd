#include "commands/git/objects/object_copy.h"

#include <algorithm>
#include <set>

#include "commands/git/refs/revision.h"

namespace paddock::git {
namespace {

constexpr uint64_t kMostFile = 1ull << 30;

// Copies all that the ids need and `to` lacks.
class ObjectCopy {
 public:
  ObjectCopy(Invocation& in, ObjectStore& from, ObjectStore& to) : in_(in), from_(from), to_(to) {}

  // Commits of `ends` are taken without their parents. `visits_all`: history that is here is walked, too; `is_again`: and written.
  Status Find(const std::vector<Oid>& wanted, const std::set<Oid>& ends, bool visits_all, bool is_again) {
    for (const Oid& id : wanted) Add(id, {});
    for (size_t next = 0; next < todo_.size(); ++next) {
      in_.budget.Step(4);
      const Oid id = todo_[next];
      const bool is_here = !is_again && to_.Has(id);
      if (is_here && !visits_all) continue;
      PADDOCK_TRY(Take(id, ends, is_here, is_again));
    }
    return {};
  }

  Status Write(size_t unpack_limit) {
    if (found_.empty()) return {};
    const auto read = [this](const Oid& id) { return from_.Read(id); };
    if (found_.size() >= unpack_limit) {
      const auto name = to_.WritePackOf(found_, read);
      return name ? Status() : Status(name.error());
    }
    // Leaves first: an object that is there has all that it needs.
    for (auto id = found_.rbegin(); id != found_.rend(); ++id) {
      in_.budget.Step(4);
      PADDOCK_ASSIGN(const Object object, from_.Read(*id));
      PADDOCK_ASSIGN(const Oid written, to_.Write(object.type, object.data));
      if (written != *id) return Error(Code::kCorrupt, "object " + id->Hex() + " is corrupt");
    }
    return {};
  }

  const std::vector<Oid>& found() const { return found_; }
  const std::set<Oid>& commits() const { return commits_; }   // those that were visited

 private:
  // `type`: what a tree says of it; blobs are not read.
  void Add(const Oid& id, std::optional<ObjectType> type) {
    if (!seen_.insert(id).second) return;
    in_.budget.WillAllocate(120);
    if (type == ObjectType::kBlob) {
      if (!to_.Has(id) || is_again_) found_.push_back(id);
      return;
    }
    todo_.push_back(id);
  }
  Status Take(const Oid& id, const std::set<Oid>& ends, bool is_here, bool is_again) {
    is_again_ = is_again;
    auto read = from_.Read(id);
    // What the other side lacks may still be here.
    if (!read && is_here) read = to_.Read(id);
    if (!read) return read.error();
    const Object& object = *read;
    if (object.type == ObjectType::kCommit) {
      commits_.insert(id);
      PADDOCK_ASSIGN(const Commit commit, ParseCommit(object.data, in_.budget));
      if (!is_here) Add(commit.tree, ObjectType::kTree);
      for (const Oid& parent : commit.parents) {
        if (!ends.contains(id)) Add(parent, ObjectType::kCommit);
      }
    } else if (object.type == ObjectType::kTree) {
      if (is_here) return {};
      PADDOCK_ASSIGN(const std::vector<TreeEntry> entries, ParseTree(object.data, in_.budget));
      for (const TreeEntry& entry : entries) {
        if (entry.mode != kModeCommit) Add(entry.id, entry.is_tree() ? ObjectType::kTree : ObjectType::kBlob);
      }
    } else if (object.type == ObjectType::kTag) {
      PADDOCK_ASSIGN(const Tag tag, ParseTag(object.data));
      Add(tag.object, tag.type);
    }
    if (!is_here) found_.push_back(id);
    return {};
  }

  Invocation& in_;
  ObjectStore& from_;
  ObjectStore& to_;
  bool is_again_ = false;
  std::vector<Oid> todo_;
  std::set<Oid> seen_, commits_;
  std::vector<Oid> found_;
};

// The commits at which the history is to end.
class Boundary {
 public:
  Boundary(Git& there, const std::vector<Oid>& ours, const std::vector<Oid>& theirs) : there_(there), ours_(ours.begin(), ours.end()), theirs_(theirs.begin(), theirs.end()) {}

  Result<std::set<Oid>> Find(const std::vector<Oid>& wanted, const Deepening& deepening) {
    std::vector<Oid> tips;
    for (const Oid& id : wanted) {
      if (const auto commit = there_.objects.Peel(id, ObjectType::kCommit)) tips.push_back(*commit);
    }
    if (deepening.since || !deepening.excluded.empty()) return Selected(tips, deepening);
    if (!deepening.is_relative) return Generations(tips, *deepening.depth);
    PADDOCK_ASSIGN(const std::set<Oid> reached, History(there_).Ancestors(tips));
    std::vector<Oid> starts;
    for (const Oid& id : ours_) {
      if (reached.contains(id)) starts.push_back(id);
    }
    return Generations(starts, *deepening.depth + 1);
  }

 private:
  Result<std::vector<Oid>> ParentsOf(const Oid& id) {
    PADDOCK_ASSIGN(const Commit commit, there_.objects.ReadCommit(id));
    return commit.parents;
  }

  Result<std::set<Oid>> Generations(std::vector<Oid> generation, uint32_t depth) {
    std::set<Oid> seen(generation.begin(), generation.end()), ends;
    for (uint32_t at = 1; !generation.empty(); ++at) {
      std::vector<Oid> next;
      for (const Oid& id : generation) {
        there_.in.budget.Step(4);
        PADDOCK_ASSIGN(const std::vector<Oid> parents, ParentsOf(id));
        if (at >= depth && depth < kWholeDepth) {
          if (!parents.empty()) ends.insert(id);
          continue;
        }
        if (theirs_.contains(id)) continue;
        for (const Oid& parent : parents) {
          if (seen.insert(parent).second) next.push_back(parent);
        }
      }
      generation = std::move(next);
    }
    return ends;
  }

  Result<std::set<Oid>> Selected(const std::vector<Oid>& tips, const Deepening& deepening) {
    std::vector<Oid> not_meant;
    for (const std::string& name : deepening.excluded) {
      std::optional<Oid> id;
      for (const char* const rule : {"", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/"}) {
        if (!id) id = there_.refs.Read(rule + name);
      }
      if (!id) return Error(Code::kInvalid, "git upload-pack: ambiguous deepen-not: deepen-not " + name + "\nfatal: the remote end hung up unexpectedly");
      PADDOCK_ASSIGN(const Oid commit, there_.objects.Peel(*id, ObjectType::kCommit));
      not_meant.push_back(commit);
    }
    History history(there_);
    std::vector<Oid> todo = tips;
    std::set<Oid> seen(tips.begin(), tips.end());
    while (!todo.empty()) {
      there_.in.budget.Step(4);
      const Oid id = todo.back();
      todo.pop_back();
      PADDOCK_ASSIGN(const History::Node* node, history.Get(id));
      if (deepening.since && node->time < *deepening.since) {
        not_meant.push_back(id);
        continue;
      }
      for (const Oid& parent : node->commit.parents) {
        if (seen.insert(parent).second) todo.push_back(parent);
      }
    }
    PADDOCK_ASSIGN(const std::set<Oid> outside, history.Ancestors(not_meant));
    std::set<Oid> ends;
    bool has_any = false;
    for (const Oid& id : seen) {
      if (outside.contains(id)) continue;
      has_any = true;
      PADDOCK_ASSIGN(const History::Node* node, history.Get(id));
      const auto& parents = node->commit.parents;
      if (std::any_of(parents.begin(), parents.end(), [&outside](const Oid& parent) { return outside.contains(parent); })) ends.insert(id);
    }
    if (!has_any) return Error(Code::kInvalid, "no commits selected for shallow requests\nfatal: the remote end hung up unexpectedly");
    return ends;
  }

  Git& there_;
  std::set<Oid> ours_, theirs_;   // where the history ends
};

Status CopyFile(Git& git, const std::string& from, const std::string& to, bool links) {
  if (git.in.fs.Stat(to)) return {};
  if (links && git.in.fs.MakeLink(from, to)) return {};
  PADDOCK_ASSIGN(const vfs::OpenFilePtr source, git.in.fs.Open(from, vfs::OpenFlags::Read()));
  PADDOCK_ASSIGN(const vfs::OpenFilePtr target, git.in.fs.Open(to, vfs::OpenFlags{.write = true, .create = true, .exclusive = true, .no_follow = true}, 0444));
  while (true) {
    git.in.budget.Step();
    PADDOCK_ASSIGN(const Block block, source->ReadBlock(1 << 16));
    if (block.bytes.empty()) return {};
    PADDOCK_TRY(target->Write(block.bytes));
  }
}

}  // namespace

Status FetchObjects(Git& there, Git& git, const FetchRequest& request) {
  const std::vector<Oid> before = ReadShallow(git), theirs = ReadShallow(there);
  std::set<Oid> ends(theirs.begin(), theirs.end());
  std::set<Oid> shallow(before.begin(), before.end());
  const bool deepens = request.deepening.is_any();
  std::set<Oid> wanted_ends;
  if (deepens) {
    PADDOCK_ASSIGN(wanted_ends, Boundary(there, before, theirs).Find(request.wanted, request.deepening));
    ends.insert(wanted_ends.begin(), wanted_ends.end());
  }
  ObjectCopy copy(git.in, there.objects, git.objects);
  PADDOCK_TRY(copy.Find(request.wanted, ends, deepens, request.is_again));
  if (request.shows_progress && !copy.found().empty()) {
    const size_t count = copy.found().size();
    git.in.err.Write("remote: Enumerating objects: " + std::to_string(count) + ", done.        \n");
    ShowProgress(git.in, "remote: ", "Counting objects", count);
    git.in.err.Write("remote: Total " + std::to_string(count) + " (delta 0), reused 0 (delta 0), pack-reused 0        \n");
    if (!request.is_quiet) ShowProgress(git.in, "", count < request.unpack_limit ? "Unpacking objects" : "Receiving objects", count);
  }
  PADDOCK_TRY(copy.Write(request.unpack_limit));
  for (const Oid& id : copy.commits()) {
    if (ends.contains(id)) shallow.insert(id);
    else if (deepens) shallow.erase(id);
  }
  if (shallow.size() == before.size() && std::equal(before.begin(), before.end(), shallow.begin())) return {};
  return WriteShallow(git, {shallow.begin(), shallow.end()});
}

Result<std::vector<Oid>> CopyObjects(Invocation& in, ObjectStore& from, ObjectStore& to, const std::vector<Oid>& wanted, size_t unpack_limit) {
  ObjectCopy copy(in, from, to);
  PADDOCK_TRY(copy.Find(wanted, {}, false, false));
  PADDOCK_TRY(copy.Write(unpack_limit));
  return copy.found();
}

Status CopyObjectFiles(Git& there, Git& git, bool links) {
  const std::string from = there.objects.directory(), to = git.objects.directory();
  PADDOCK_ASSIGN(const std::vector<vfs::DirectoryEntry> folders, git.in.fs.List(from));
  for (const vfs::DirectoryEntry& folder : folders) {
    git.in.budget.Step();
    const bool is_loose = folder.name.size() == 2;
    if (folder.type != vfs::FileType::kDirectory || (!is_loose && folder.name != "pack" && folder.name != "info")) continue;
    auto files = git.in.fs.List(from + "/" + folder.name);
    if (!files || files->empty()) continue;
    PADDOCK_TRY(vfs::MakeDirectories(git.in.fs, to + "/" + folder.name));
    for (const vfs::DirectoryEntry& file : *files) {
      git.in.budget.Step();
      const std::string name = "/" + folder.name + "/" + file.name;
      if (file.type == vfs::FileType::kDirectory || file.name == "alternates" || file.name.starts_with("tmp_")) continue;
      PADDOCK_TRY(CopyFile(git, from + name, to + name, links));
    }
  }
  // Relative places hold for the other directory.
  if (const auto alternates = vfs::ReadFile(git.in.fs, from + "/info/alternates", kMostFile)) {
    std::string text;
    for (std::string_view rest = *alternates; !rest.empty();) {
      git.in.budget.Step();
      const size_t end = std::min(rest.find('\n'), rest.size());
      if (const std::string_view line = rest.substr(0, end); !line.empty()) text += vfs::NormalizePath(vfs::JoinPath(from, line)) + "\n";
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    PADDOCK_TRY(vfs::MakeDirectories(git.in.fs, to + "/info"));
    PADDOCK_TRY(vfs::WriteFile(git.in.fs, to + "/info/alternates", text));
  }
  git.objects.ForgetAll();
  return {};
}

void ShowProgress(Invocation& in, const std::string& lead, const std::string& title, size_t count) {
  const std::string fill = lead.empty() ? "" : "        ", total = std::to_string(count);
  size_t last = SIZE_MAX;
  std::string line;
  for (size_t at = 1; at <= count; ++at) {
    in.budget.Step();
    const size_t percent = at * 100 / count;
    if (percent == last) continue;
    last = percent;
    std::string shown = std::to_string(percent);
    shown.insert(0, 3 - std::min<size_t>(shown.size(), 3), ' ');
    line = lead + title + ": " + shown + "% (" + std::to_string(at) + "/" + total + ")";
    in.err.Write(line + fill + "\r");
  }
  in.err.Write(lead + title + ": 100% (" + total + "/" + total + "), done." + fill + "\n");
}

}  // namespace paddock::git
