// git fsck: whether all objects are what they should be, and lead somewhere.
#include <algorithm>

#include "commands/git/history/reach.h"
#include "commands/git/refs/revision.h"
#include "git/check.h"

namespace paddock::git {
namespace {

struct Options {
  bool unreachable = false, dangling = true, tags = false, root = false, cache = false, no_reflogs = false, full = true, strict = false, connectivity = false, lost_found = false, progress = false, verbose = false, names_objects = false;
};
constexpr Option kOptions[] = {
    Flag<&Options::unreachable>(0, "unreachable", "show what nothing leads to"),
    Flag<&Options::dangling>(0, "dangling", "show what nothing at all names (the default)"),
    Set<&Options::dangling, false>(0, "no-dangling", "do not show it"),
    Flag<&Options::tags>(0, "tags", "show tags"),
    Flag<&Options::root>(0, "root", "show commits without parents"),
    Flag<&Options::cache>(0, "cache", "what the index names is needed (always)"),
    Set<&Options::no_reflogs, false>(0, "reflogs", "what logs name is needed (the default)"),
    Flag<&Options::no_reflogs>(0, "no-reflogs", "what only logs name is not needed"),
    Flag<&Options::full>(0, "full", "packs, too (the default)"),
    Set<&Options::full, false>(0, "no-full", "only loose objects"),
    Flag<&Options::connectivity>(0, "connectivity-only", "do not look into objects"),
    Flag<&Options::strict>(0, "strict", "warnings are errors"),
    Flag<&Options::lost_found>(0, "lost-found", "write what dangles to .git/lost-found"),
    Flag<&Options::names_objects>(0, "name-objects", "tell by which way what is missing was found"),
    Flag<&Options::verbose>('v', "verbose", "tell what is checked"),
    Flag<&Options::progress>(0, "progress", "show progress (on a terminal)"),
    Set<&Options::progress, false>(0, "no-progress", "show none"),
};

constexpr ExitStatus kBad = 1, kMissing = 2, kUnreadable = 8;

class Fsck {
 public:
  Fsck(Git& git, const Options& options) : git_(git), options_(options), with_logs_(!options.no_reflogs && !options.lost_found) {}

  Result<ExitStatus> Run(const std::vector<std::string>& heads) {
    if (!options_.connectivity) Tell("object directory");
    const std::vector<Oid> loose = git_.objects.All(false);
    for (const Oid& id : loose) PADDOCK_TRY(CheckOne(id));
    for (const Oid& id : options_.full ? git_.objects.All(true) : std::vector<Oid>()) {
      if (!std::binary_search(loose.begin(), loose.end(), id)) PADDOCK_TRY(CheckOne(id));
    }
    std::vector<Oid> roots;
    if (heads.empty()) {
      PADDOCK_ASSIGN(roots, FindRoots());
    }
    for (const std::string& name : heads) {
      const auto id = ResolveObject(git_, name);
      if (id) {
        names_.emplace(*id, name);
        roots.push_back(*id);
        continue;
      }
      git_.Complain("invalid parameter: expected sha1, got '" + name + "'");
      status_ |= kBad;
    }
    if (options_.names_objects) NameAll(roots);
    std::string broken;
    PADDOCK_ASSIGN(const Reached reached, ReachObjects(git_, Present(roots), {}, [&](const Oid& from, const Oid& id, ObjectType type) { Miss(from, id, type, broken); }));
    git_.Print(broken);
    for (const auto& [id, type] : missing_) git_.Print("missing " + std::string(TypeName(type)) + " " + Named(id) + "\n");
    return ShowLost(reached);
  }

 private:
  void Tell(const std::string& what) {
    if (options_.verbose) git_.Say("Checking " + what + "\n");
  }

  // The id, and behind it the way that leads there.
  std::string Named(const Oid& id) const {
    const auto name = options_.names_objects ? names_.find(id) : names_.end();
    return id.Hex() + (name == names_.end() ? "" : " (" + name->second + ")");
  }

  // Names what the roots lead to, the last root first, each object by the first way to it: "refs/heads/x~3:dir/file".
  void NameAll(const std::vector<Oid>& roots) {
    std::set<Oid> seen;
    std::vector<Oid> todo;
    const auto visit = [&](const Oid& id, const std::string& name) {
      if (!name.empty()) names_.emplace(id, name);
      if (seen.insert(id).second) todo.push_back(id);
    };
    for (const Oid& id : roots) visit(id, "");
    while (!todo.empty()) {
      git_.in.budget.Step(4);
      git_.in.budget.WillAllocate(128);
      const Oid id = todo.back();
      todo.pop_back();
      const auto known = names_.find(id);
      const std::string name = known == names_.end() ? "" : known->second;
      const auto object = name.size() < 4096 ? git_.objects.Read(id) : Result<Object>(Error(Code::kNoEntry));
      if (!object || name.empty()) continue;
      if (object->type == ObjectType::kTree) {
        const auto entries = ParseTree(object->data, git_.in.budget);
        for (const TreeEntry& entry : entries ? *entries : std::vector<TreeEntry>()) {
          if (entry.mode != kModeCommit) visit(entry.id, name + entry.name + (entry.is_tree() ? "/" : ""));
        }
      } else if (object->type == ObjectType::kCommit) {
        const auto commit = ParseCommit(object->data, git_.in.budget);
        if (!commit) continue;
        visit(commit->tree, name + ":");
        for (size_t i = 0; i < commit->parents.size(); ++i) visit(commit->parents[i], name + "^" + (i == 0 ? "" : std::to_string(i + 1)));
      } else if (object->type == ObjectType::kTag) {
        if (const auto tag = ParseTag(object->data)) visit(tag->object, name);
      }
    }
  }

  Status CheckOne(const Oid& id) {
    git_.in.budget.Step(8);
    git_.in.budget.WillAllocate(128);
    auto object = git_.objects.Read(id);
    if (!object) {
      git_.Complain(id.Hex() + ": object corrupt or missing: " + ".git" + git_.objects.LoosePath(id).substr(git_.git_dir.size()));
      status_ |= kBad;
      return {};
    }
    types_[id] = object->type;
    if (!options_.connectivity) {
      Tell(std::string(TypeName(object->type)) + " " + id.Hex());
      for (const ObjectProblem& problem : CheckObject(object->type, object->data, options_.strict, git_.in.budget)) {
        git_.Say(std::string(problem.is_error ? "error" : "warning") + " in " + std::string(TypeName(object->type)) + " " + id.Hex() + ": " + problem.id + ": " + problem.text + "\n");
        if (problem.is_error) status_ |= kBad;
      }
    }
    const auto use = [this](const Oid& other) { used_.insert(other); };
    if (object->type == ObjectType::kTree) {
      const auto entries = ParseTree(object->data, git_.in.budget);
      if (!entries) return {};
      for (const TreeEntry& entry : *entries) use(entry.id);
    } else if (object->type == ObjectType::kCommit) {
      const auto commit = ParseCommit(object->data, git_.in.budget);
      if (!commit) return {};
      use(commit->tree);
      for (const Oid& parent : commit->parents) use(parent);
      if (options_.root && commit->parents.empty()) git_.Print("root " + id.Hex() + "\n");
    } else if (object->type == ObjectType::kTag) {
      const auto tag = ParseTag(object->data);
      if (!tag) return {};
      use(tag->object);
      if (options_.tags) git_.Print("tagged " + std::string(TypeName(tag->type)) + " " + tag->object.Hex() + " (" + tag->name + ") in " + id.Hex() + "\n");
    }
    return {};
  }

  void CheckPointer(const std::string& name, const Oid& id) {
    if (git_.objects.Has(id)) return;
    git_.Complain(name + ": invalid sha1 pointer " + id.Hex());
    status_ |= kMissing;
  }

  Result<std::vector<Oid>> FindRoots() {
    std::vector<Oid> roots;
    std::vector<std::string> names;
    const auto add = [&](const std::string& name, const Oid& id) {
      CheckPointer(name, id);
      used_.insert(id);
      roots.push_back(id);
      names.push_back(name);
      names_.emplace(id, name);
    };
    for (const auto& [name, id] : git_.refs.List("refs/")) add(name, id);
    const size_t refs = roots.size();
    Tell("HEAD link");
    if (const auto head = git_.Head()) add("HEAD", *head);
    else if (const auto branch = git_.HeadBranch()) git_.Say("notice: HEAD points to an unborn branch (" + ShortRef(*branch) + ")\n");
    if (refs == 0 && !git_.Head()) git_.Say("notice: No default references\n");
    if (with_logs_) {
      for (const std::string& name : names) {
        for (const ReflogEntry& entry : git_.refs.ReadLog(name)) {
          git_.in.budget.Step();
          Tell("reflog " + entry.before.Hex() + "->" + entry.after.Hex());
          for (const Oid& id : {entry.before, entry.after}) {
            if (id.is_null()) continue;
            if (!git_.objects.Has(id)) {
              git_.Complain(name + ": invalid reflog entry " + id.Hex());
              status_ |= kMissing;
              continue;
            }
            used_.insert(id);
            if (const int64_t time = ParseSignature(entry.who).time; id == entry.after && time != 0) names_.emplace(id, name + "@{" + std::to_string(time) + "}");
            roots.push_back(id);
          }
        }
      }
    }
    PADDOCK_ASSIGN(const Index index, git_.ReadIndex());
    std::set<std::string> folders;
    for (const IndexEntry& entry : index.entries()) {
      git_.in.budget.Step();
      for (size_t slash = entry.path.rfind('/'); options_.verbose && slash != std::string::npos && slash > 0; slash = entry.path.rfind('/', slash - 1)) folders.insert(entry.path.substr(0, slash));
      if (entry.mode == kModeCommit) continue;
      used_.insert(entry.id);
      names_.emplace(entry.id, ":" + entry.path);
      if (git_.objects.Has(entry.id)) roots.push_back(entry.id);
      else if (missing_.emplace(entry.id, ObjectType::kBlob).second) status_ |= kMissing;
    }
    for (size_t i = 0; i < folders.size() + !index.entries().empty(); ++i) Tell("cache tree");
    return roots;
  }

  std::vector<Oid> Present(const std::vector<Oid>& roots) {
    std::vector<Oid> present;
    for (const Oid& id : roots) {
      if (git_.objects.Has(id)) present.push_back(id);
      else missing_.emplace(id, ObjectType::kCommit);
    }
    return present;
  }

  void Miss(const Oid& from, const Oid& id, ObjectType type, std::string& broken) {
    status_ |= kMissing;
    const bool is_root = !missing_.emplace(id, type).second;   // known to be missing before anything led to it
    if (is_root || from.is_null() || from == id) return;
    if (type != ObjectType::kBlob) status_ |= kUnreadable;
    const auto known = types_.find(from);
    const auto padded = [](ObjectType kind) {
      const std::string name(TypeName(kind));
      return std::string(7 - name.size(), ' ') + name;
    };
    broken += "broken link from " + padded(known == types_.end() ? ObjectType::kCommit : known->second) + " " + Named(from) + "\n              to " + padded(type) + " " + Named(id) + "\n";
  }

  Result<ExitStatus> ShowLost(const Reached& reached) {
    // In git's order: by the first bytes of the id in a table that grows with the number of objects.
    size_t slots = 32;
    for (size_t count = types_.size() + missing_.size(); slots - 1 <= count * 2;) slots *= 2;
    Tell("connectivity (" + std::to_string(slots) + " objects)");
    for (const auto& [id, type] : types_) Tell(id.Hex());
    std::vector<std::pair<size_t, Oid>> lost;
    for (const auto& [id, type] : types_) {
      if (reached.all.contains(id)) continue;
      const size_t first = id.bytes[0] | static_cast<size_t>(id.bytes[1]) << 8 | static_cast<size_t>(id.bytes[2]) << 16 | static_cast<size_t>(id.bytes[3]) << 24;
      lost.emplace_back(first & (slots - 1), id);
    }
    std::sort(lost.begin(), lost.end());
    for (const auto& [slot, id] : lost) {
      git_.in.budget.Step();
      const ObjectType type = types_[id];
      if (options_.unreachable) {
        git_.Print("unreachable " + std::string(TypeName(type)) + " " + id.Hex() + "\n");
        continue;
      }
      if (used_.contains(id)) continue;
      if (options_.dangling) git_.Print("dangling " + std::string(TypeName(type)) + " " + id.Hex() + "\n");
      if (!options_.lost_found) continue;
      const std::string folder = git_.GitPath(type == ObjectType::kCommit ? "lost-found/commit" : "lost-found/other");
      PADDOCK_TRY(vfs::MakeDirectories(git_.in.fs, folder));
      std::string text = id.Hex() + "\n";
      if (type == ObjectType::kBlob) {
        PADDOCK_ASSIGN(text, git_.ReadBlob(id));
      }
      PADDOCK_TRY(vfs::WriteFile(git_.in.fs, folder + "/" + id.Hex(), text));
    }
    return status_;
  }

  Git& git_;
  const Options& options_;
  bool with_logs_;
  ExitStatus status_ = 0;
  std::map<Oid, ObjectType> types_, missing_;
  std::set<Oid> used_;   // what something names
  std::map<Oid, std::string> names_;
};

Result<ExitStatus> Run(Git& git, Options& options, Args& args) { return Fsck(git, options).Run(args.All()); }

}  // namespace

extern const Subcommand kFsck;
const Subcommand kFsck = DefineSubcommand<Options, Run>({.name = "fsck", .summary = "check the objects of the repository", .synopsis = "[<options>] [<object>...]", .options = kOptions});

}  // namespace paddock::git
