// git pack-objects.
#include <algorithm>

#include "commands/git/history/reach.h"
#include "commands/git/objects/repack.h"
#include "commands/git/refs/revision.h"
#include "commands/git/remote/fetch.h"
#include "commands/git/remote/remote.h"

namespace paddock::git {
namespace {

constexpr size_t kDeepest = 4095;
constexpr uint64_t kLeastPack = 1 << 20;

struct PackOptions {
  bool to_stdout = false, revs = false, all = false, quiet = false, non_empty = false, unpacked = false, progress = false, all_progress = false, implies_all = false, incremental = false, local = false, honors_keep = false, thin = false;
  bool reflog = false, indexed = false, stdin_packs = false, includes_tags = false, keeps_unreachable = false, packs_loose = false, by_offset = false, shallow = false;
  bool reuses_delta = true, reuses_object = true, sparse = true, true_parents = false, no_promisor = false, islands = false, bitmaps = true, cruft = false, writes_bitmap = false;
  std::optional<std::string> unpack_unreachable, filter, cruft_expiration;
  std::string missing = "error";
  std::vector<std::string> kept_packs;
  int64_t window = 10, depth = 50, threads = 0, level = -1, index_version = 2;
  uint64_t window_memory = 0, most = 0;
};
template <auto kMember, const char* kName>
Status TakeNumber(PackOptions& options, std::string_view text) {
  PADDOCK_ASSIGN(options.*kMember, ParseGitNumber(text, kName));
  return {};
}
template <auto kMember, const char* kName>
Status TakeSize(PackOptions& options, std::string_view text) {
  PADDOCK_ASSIGN(const int64_t size, ParseGitNumber(text, kName));
  options.*kMember = static_cast<uint64_t>(std::max<int64_t>(size, 0));
  return {};
}
constexpr char kWindow[] = "window", kDepth[] = "depth", kThreads[] = "threads", kLevel[] = "compression", kMemory[] = "window-memory", kMost[] = "max-pack-size";
Status TakeIndexVersion(PackOptions& options, std::string_view text) {
  const std::string number(text.substr(0, text.find(',')));
  PADDOCK_ASSIGN(options.index_version, ParseGitNumber(number, "index-version"));
  if (options.index_version < 1 || options.index_version > 2) return Error(Code::kInvalid, "unsupported index version " + number);
  return {};
}
Status TakeMissing(PackOptions& options, std::string_view text) {
  options.missing = text;
  if (text != "error" && text != "allow-any" && text != "allow-promisor") return Error(Code::kInvalid, "invalid value for '--missing': '" + std::string(text) + "'");
  return {};
}
Status TakeUnpacking(PackOptions& options, std::string_view text) {
  options.unpack_unreachable = std::string(text);
  return {};
}
constexpr Option kPackOptions[] = {
    Flag<&PackOptions::quiet>('q', "quiet", "show no progress"),
    Flag<&PackOptions::progress>(0, "progress", "show progress"),
    Flag<&PackOptions::all_progress>(0, "all-progress", "also while writing"),
    Flag<&PackOptions::implies_all>(0, "all-progress-implied", "the same, with --progress"),
    Call<TakeIndexVersion>(0, "index-version", "N", "of the index, 1 or 2"),
    Call<TakeSize<&PackOptions::most, kMost>>(0, "max-pack-size", "BYTES", "begin another pack behind so many"),
    Flag<&PackOptions::local>(0, "local", "not what alternates have"),
    Flag<&PackOptions::incremental>(0, "incremental", "not what is in a pack"),
    Call<TakeNumber<&PackOptions::window, kWindow>>(0, "window", "N", "bases that are tried for each object (10)"),
    Call<TakeSize<&PackOptions::window_memory, kMemory>>(0, "window-memory", "BYTES", "of all of them"),
    Call<TakeNumber<&PackOptions::depth, kDepth>>(0, "depth", "N", "of chains of differences (50)"),
    Flag<&PackOptions::reuses_delta>(0, "reuse-delta", "what packs have may be taken over (it is made anew)"),
    Set<&PackOptions::reuses_delta, false>(0, "no-reuse-delta", "differences are made anew (always)"),
    Flag<&PackOptions::reuses_object>(0, "reuse-object", "what packs have may be taken over (it is made anew)"),
    Set<&PackOptions::reuses_object, false>(0, "no-reuse-object", "everything is made anew (always)"),
    Flag<&PackOptions::by_offset>(0, "delta-base-offset", "name bases by their offsets"),
    Call<TakeNumber<&PackOptions::threads, kThreads>>(0, "threads", "N", "at most so many (there is one)"),
    Flag<&PackOptions::non_empty>(0, "non-empty", "make no empty pack"),
    Flag<&PackOptions::revs>(0, "revs", "standard input names revisions, and all that they lead to is packed"),
    Flag<&PackOptions::unpacked>(0, "unpacked", "only what is in no pack"),
    Flag<&PackOptions::all>(0, "all", "all that references lead to"),
    Flag<&PackOptions::reflog>(0, "reflog", "and what their logs name"),
    Flag<&PackOptions::indexed>(0, "indexed-objects", "and what the index names"),
    Flag<&PackOptions::stdin_packs>(0, "stdin-packs", "standard input names packs: their objects, without those of packs with ^"),
    Flag<&PackOptions::to_stdout>(0, "stdout", "write the pack to standard output"),
    Flag<&PackOptions::includes_tags>(0, "include-tag", "with annotated tags of what is packed"),
    Flag<&PackOptions::keeps_unreachable>(0, "keep-unreachable", "with what packs have and nothing leads to"),
    Flag<&PackOptions::packs_loose>(0, "pack-loose-unreachable", "with loose objects that nothing leads to"),
    CallOptional<TakeUnpacking>(0, "unpack-unreachable", "DATE", "make loose what packs have and nothing leads to, if it is newer"),
    Flag<&PackOptions::sparse>(0, "sparse", "walk only trees that may matter (the result is the same)"),
    Flag<&PackOptions::thin>(0, "thin", "bases may be elsewhere (ours never are)"),
    Flag<&PackOptions::shallow>(0, "shallow", "for one whose history ends early"),
    Flag<&PackOptions::honors_keep>(0, "honor-pack-keep", "not what packs with .keep have"),
    Value<&PackOptions::kept_packs>(0, "keep-pack", "NAME", "nor what this pack has"),
    Call<TakeNumber<&PackOptions::level, kLevel>>(0, "compression", "N", "0 to 9"),
    Flag<&PackOptions::true_parents>(0, "keep-true-parents", "also parents that grafts hide (there are no grafts)"),
    Flag<&PackOptions::bitmaps>(0, "use-bitmap-index", "use bitmaps if there are any (the result is the same)"),
    Flag<&PackOptions::writes_bitmap>(0, "write-bitmap-index", "with --all: write what commits lead to beside the pack"),
    Flag<&PackOptions::cruft>(0, "cruft", "standard input names packs that stay, and with - those that go: what only the latter have, and loose objects"),
    Value<&PackOptions::cruft_expiration>(0, "cruft-expiration", "DATE", "with --cruft: but not what is older"),
    Value<&PackOptions::filter>(0, "filter", "SPEC", "with --stdout: leave objects out"),
    Call<TakeMissing>(0, "missing", "HOW", "what to do with objects that are not there: error, allow-any, allow-promisor"),
    Flag<&PackOptions::no_promisor>(0, "exclude-promisor-objects", "not what packs of partial clones have (there are none)"),
    Flag<&PackOptions::islands>(0, "delta-islands", "keep differences inside of islands (pack.island says none)"),
};

// Whether --filter leaves an object out. `path`: empty for the tree of a commit.
Result<bool> IsLeftOut(Git& git, const std::string& filter, const Oid& id, const std::string* path) {
  if (path == nullptr) return false;
  PADDOCK_ASSIGN(const Object object, git.objects.Read(id));
  const bool is_blob = object.type == ObjectType::kBlob;
  if (filter == "blob:none") return is_blob;
  if (filter.starts_with("blob:limit=")) {
    PADDOCK_ASSIGN(const int64_t limit, ParseGitNumber(std::string_view(filter).substr(11), "filter"));
    return is_blob && static_cast<int64_t>(object.data.size()) >= limit;
  }
  if (filter.starts_with("tree:")) {
    PADDOCK_ASSIGN(const int64_t limit, ParseGitNumber(std::string_view(filter).substr(5), "filter"));
    const int64_t depth = path->empty() ? 0 : 1 + std::count(path->begin(), path->end(), '/');
    return depth >= limit;
  }
  return Error(Code::kNotSupported, "filter '" + filter + "' is not supported");
}

class Packing {
 public:
  Packing(Git& git, const PackOptions& options, std::string base) : git_(git), options_(options), base_(std::move(base)) {}

  Result<ExitStatus> Run() {
    Plan();
    if (options_.cruft) return WriteLost();
    PADDOCK_TRY(options_.stdin_packs ? ReadPacks() : ReadNames());
    PADDOCK_TRY(LeaveOut());
    if (ids_.empty() && options_.non_empty) return 0;
    const bool shows = (options_.progress || options_.all_progress) && !options_.quiet;
    if (shows) {
      git_.Say("Enumerating objects: " + std::to_string(ids_.size()) + ", done.\n");
      if (!ids_.empty()) ShowProgress(git_.in, "", "Counting objects", ids_.size());
    }
    if (options_.to_stdout) {
      const auto made = WriteDeltaPack(ids_, Reader(), Printer(), plan_, git_.in.budget, &statistics_);
      if (!made) return made.error();
    } else {
      PADDOCK_TRY(WriteFiles());
    }
    if (shows) {
      const bool shows_writing = options_.all_progress || !options_.to_stdout || options_.implies_all;
      if (shows_writing && !ids_.empty()) ShowProgress(git_.in, "", "Writing objects", ids_.size());
      git_.in.out.Flush();
      git_.Say("Total " + std::to_string(ids_.size()) + " (delta " + std::to_string(statistics_.differences) + "), reused 0 (delta 0), pack-reused 0\n");
    }
    return UnpackLost();
  }

 private:
  void Plan() {
    plan_.window = static_cast<size_t>(std::max<int64_t>(options_.window, 0));
    plan_.depth = static_cast<size_t>(std::clamp<int64_t>(options_.depth, 0, kDeepest));
    if (options_.window_memory > 0) plan_.window_bytes = std::min(options_.window_memory, plan_.window_bytes);
    plan_.by_offset = options_.by_offset;
    plan_.level = static_cast<int>(options_.level);
    plan_.names = &names_;
  }

  // --cruft.
  Result<ExitStatus> WriteLost() {
    std::set<Oid> left_out;
    std::set<std::string> kept;
    while (const auto line = git_.in.in.ReadLine()) {
      git_.in.budget.Step();
      std::string name(line->text);
      if (name.empty() || name.starts_with('-')) continue;
      PADDOCK_ASSIGN(const std::vector<Oid> ids, ObjectsOf(name));
      left_out.insert(ids.begin(), ids.end());
      if (name.ends_with(".pack")) name.resize(name.size() - 5);
      kept.insert(git_.objects.directory() + "/pack/" + name);
    }
    PADDOCK_ASSIGN(auto cruft, FindCruft(git_, left_out, kept));
    if (options_.cruft_expiration) {
      PADDOCK_ASSIGN(const auto expiry, ParseExpiry(git_, *options_.cruft_expiration));
      if (expiry) {
        PADDOCK_ASSIGN(cruft, RecentCruft(git_, cruft, *expiry));
      }
    }
    if (cruft.empty() && options_.non_empty) return 0;
    if (options_.to_stdout) {
      for (const auto& [id, time] : cruft) ids_.push_back(id);
      const auto made = WriteDeltaPack(ids_, Reader(), Printer(), plan_, git_.in.budget);
      return made ? Result<ExitStatus>(0) : made.error();
    }
    PADDOCK_ASSIGN(const std::string name, WriteCruft(git_, cruft, base_, plan_));
    git_.Print(name + "\n");
    return 0;
  }

  PackSink Printer() {
    return [this](std::string_view bytes) -> Status {
      git_.Print(bytes);
      return {};
    };
  }

  ReadObject Reader() {
    return [this](const Oid& id) { return git_.objects.Read(id); };
  }

  Status ReadNames() {
    Selection selection;
    const bool walks = options_.revs || options_.all || options_.reflog || options_.indexed;
    bool is_not = false;
    while (const auto line = git_.in.in.ReadLine()) {
      git_.in.budget.Step();
      git_.in.budget.WillAllocate(64);
      std::string text(line->text);
      if (text.empty()) continue;
      if (walks) {
        if (text == "--not") {
          is_not = !is_not;
          continue;
        }
        if (text.starts_with("--shallow ")) continue;
        if (is_not) text = text.starts_with('^') ? text.substr(1) : "^" + text;
        PADDOCK_ASSIGN(const bool taken, TakeRevision(git_, text, selection));
        if (!taken) return Error(Code::kNoEntry, "bad revision '" + text + "'");
        continue;
      }
      const auto id = Oid::FromHex(std::string_view(text).substr(0, 40));
      if (!id) return Error(Code::kSyntax, "expected object ID, got garbage:\n " + text + "\n");
      if (text.size() > 41) names_.emplace(*id, text.substr(41));
      if (!git_.objects.Has(*id)) {
        return Error(Code::kNoEntry, "unable to read " + id->Hex());
      }
      ids_.push_back(*id);
    }
    if (!walks) return {};
    if (options_.all) {
      for (const auto& [name, id] : git_.refs.List("refs/")) selection.included.push_back(id);
      if (const auto head = git_.Head()) selection.included.push_back(*head);
    }
    if (options_.reflog || options_.indexed) PADDOCK_TRY(AddRoots(selection));
    const OnMissing ignores = options_.missing == "error" ? OnMissing() : [](const Oid&, const Oid&, ObjectType) {};
    PADDOCK_ASSIGN(const Reached known, ReachObjects(git_, selection.excluded, {}, ignores));
    PADDOCK_ASSIGN(Reached reached, ReachObjects(git_, selection.included, known.all, ignores));
    names_ = std::move(reached.names);
    for (const Oid& id : reached.order) {
      if (options_.missing != "error" && !git_.objects.Has(id)) continue;
      const auto path = names_.find(id);
      bool is_left_out = false;
      if (options_.filter) {
        PADDOCK_ASSIGN(is_left_out, IsLeftOut(git_, *options_.filter, id, path == names_.end() ? nullptr : &path->second));
      }
      if (!is_left_out) ids_.push_back(id);
    }
    reached_ = std::move(reached.all);
    if (options_.unpacked) PADDOCK_TRY(KeepUnpacked());
    if (!options_.includes_tags) return {};
    for (const auto& [name, id] : git_.refs.List("refs/tags/")) {
      const auto object = git_.objects.Peel(id, std::nullopt);
      if (object && *object != id && reached_.contains(*object)) ids_.push_back(id);
    }
    return {};
  }

  // Commits that are in no pack, with all of their files; tags stay.
  Status KeepUnpacked() {
    std::vector<Oid> trees;
    std::set<Oid> kept;
    for (const Oid& id : ids_) {
      git_.in.budget.Step();
      if (names_.contains(id)) continue;
      PADDOCK_ASSIGN(const Object object, git_.objects.Read(id));
      if (object.type == ObjectType::kTag) kept.insert(id);
      if (object.type != ObjectType::kCommit || git_.objects.IsPacked(id)) continue;
      kept.insert(id);
      PADDOCK_ASSIGN(const Commit commit, ParseCommit(object.data, git_.in.budget));
      trees.push_back(commit.tree);
    }
    PADDOCK_ASSIGN(const Reached files, ReachObjects(git_, trees));
    std::erase_if(ids_, [&](const Oid& id) { return !kept.contains(id) && !files.all.contains(id); });
    return {};
  }

  Status AddRoots(Selection& selection) {
    if (options_.reflog) {
      std::vector<std::string> logs = {"HEAD"};
      for (const auto& [name, id] : git_.refs.List("refs/")) logs.push_back(name);
      for (const std::string& name : logs) {
        for (const ReflogEntry& entry : git_.refs.ReadLog(name)) {
          git_.in.budget.Step();
          for (const Oid& id : {entry.before, entry.after}) {
            if (!id.is_null() && git_.objects.Has(id)) selection.included.push_back(id);
          }
        }
      }
    }
    if (!options_.indexed) return {};
    PADDOCK_ASSIGN(const Index index, git_.ReadIndex());
    for (const IndexEntry& entry : index.entries()) {
      if (entry.mode != kModeCommit) selection.included.push_back(entry.id);
    }
    return {};
  }

  // The objects of a pack of this repository, by its file name.
  Result<std::vector<Oid>> ObjectsOf(const std::string& name) {
    std::string stem = git_.objects.directory() + "/pack/" + name;
    for (const char* end : {".pack", ".idx"}) {
      if (stem.ends_with(end)) stem.resize(stem.size() - std::string_view(end).size());
    }
    auto ids = PackedIds(git_.in.fs, stem, git_.in.budget);
    if (!ids) return Error(Code::kNoEntry, "could not find pack '" + name + "'");
    return ids;
  }

  Status ReadPacks() {
    std::set<Oid> left_out;
    std::vector<std::string> packs;
    while (const auto line = git_.in.in.ReadLine()) {
      git_.in.budget.Step();
      const std::string name(line->text);
      if (name.empty()) continue;
      if (!name.starts_with('^')) {
        packs.push_back(name);
        continue;
      }
      PADDOCK_ASSIGN(const std::vector<Oid> ids, ObjectsOf(name.substr(1)));
      left_out.insert(ids.begin(), ids.end());
    }
    for (const std::string& name : packs) {
      PADDOCK_ASSIGN(const std::vector<Oid> ids, ObjectsOf(name));
      for (const Oid& id : ids) {
        if (!left_out.contains(id)) ids_.push_back(id);
      }
    }
    if (!options_.unpacked) return {};
    for (const Oid& id : git_.objects.All(false)) {
      if (!git_.objects.IsPacked(id)) ids_.push_back(id);
    }
    return {};
  }

  Status LeaveOut() {
    std::set<Oid> left_out, own;
    for (const std::string& stem : git_.objects.PackStems()) {
      const std::string name = vfs::BaseName(stem);
      const bool is_kept = (options_.honors_keep && git_.in.fs.Stat(stem + ".keep")) || std::find(options_.kept_packs.begin(), options_.kept_packs.end(), name + ".pack") != options_.kept_packs.end();
      if (!is_kept) continue;
      PADDOCK_ASSIGN(const std::vector<Oid> ids, ObjectsOf(name));
      left_out.insert(ids.begin(), ids.end());
    }
    if (options_.keeps_unreachable || options_.packs_loose) {
      const std::vector<Oid> loose = git_.objects.All(false);
      const std::set<Oid> is_loose(loose.begin(), loose.end());
      std::set<Oid> stays;
      for (const std::string& stem : git_.objects.PackStems()) {
        if (!git_.in.fs.Stat(stem + ".keep")) continue;
        PADDOCK_ASSIGN(const std::vector<Oid> ids, ObjectsOf(vfs::BaseName(stem)));
        stays.insert(ids.begin(), ids.end());
      }
      for (const Oid& id : git_.objects.All(true)) {
        const bool is_packed = git_.objects.IsPacked(id);
        if (!reached_.contains(id) && !stays.contains(id) && ((options_.keeps_unreachable && is_packed) || (options_.packs_loose && !is_packed && is_loose.contains(id)))) ids_.push_back(id);
      }
    }
    if (options_.local) {
      for (const Oid& id : git_.objects.All(true)) own.insert(id);
    }
    std::set<Oid> seen;
    std::erase_if(ids_, [&](const Oid& id) {
      git_.in.budget.Step();
      if (!seen.insert(id).second || left_out.contains(id) || (options_.local && !own.contains(id))) return true;
      return options_.incremental && git_.objects.IsPacked(id);
    });
    return {};
  }

  Status WriteFiles() {
    PADDOCK_ASSIGN(const std::vector<std::vector<Oid>> parts, InParts(git_, ids_, options_.most));
    for (const std::vector<Oid>& part : parts) {
      const auto write = [&](const PackSink& sink) { return WriteDeltaPack(part, Reader(), sink, plan_, git_.in.budget, &statistics_); };
      PADDOCK_ASSIGN(const PackIndex made, WritePackFiles(git_.in.fs, base_ + "-tmp.pack", base_, write, options_.index_version == 1, git_.in.budget));
      if (options_.writes_bitmap && options_.all && parts.size() == 1) PADDOCK_TRY(WriteBitmap(git_, base_ + "-" + made.name));
      git_.Print(made.name + "\n");
    }
    return {};
  }

  // --unpack-unreachable: what only packs have and nothing leads to becomes loose.
  Result<ExitStatus> UnpackLost() {
    if (!options_.unpack_unreachable) return 0;
    std::optional<int64_t> after;
    if (!options_.unpack_unreachable->empty()) after = git_.ReadDate(*options_.unpack_unreachable).seconds;
    for (const std::string& stem : git_.objects.PackStems()) {
      const auto facts = git_.in.fs.Stat(stem + ".pack");
      if (git_.in.fs.Stat(stem + ".keep") || !facts || (after && facts->modify_time.count() / 1000000000 < *after)) continue;
      PADDOCK_ASSIGN(const std::vector<Oid> ids, ObjectsOf(vfs::BaseName(stem)));
      for (const Oid& id : ids) {
        git_.in.budget.Step();
        if (reached_.contains(id) || git_.in.fs.Stat(git_.objects.LoosePath(id))) continue;
        PADDOCK_ASSIGN(const Object object, git_.objects.Read(id));
        PADDOCK_TRY(git_.objects.WriteLoose(object.type, object.data));
      }
    }
    return 0;
  }

  Git& git_;
  const PackOptions& options_;
  std::string base_;
  PackPlan plan_;
  PackStatistics statistics_;
  std::vector<Oid> ids_;
  std::set<Oid> reached_;
  std::map<Oid, std::string> names_;
};

Result<ExitStatus> RunPackObjects(Git& git, PackOptions& options, Args& args) {
  if (options.islands) PADDOCK_TRY(CheckIslands(git));
  const std::vector<std::string> names = args.All();
  if (names.size() != (options.to_stdout ? 0u : 1u)) {
    git.Say("usage: git pack-objects --stdout [<options>] [< <ref-list> | < <object-list>]\n   or: git pack-objects [<options>] <base-name> [< <ref-list> | < <object-list>]\n");
    return 129;
  }
  if (options.depth > static_cast<int64_t>(kDeepest)) git.Warn("delta chain depth " + std::to_string(options.depth) + " is too deep, forcing 4095");
  if (options.level < -1 || options.level > 9) return Error(Code::kInvalid, "bad pack compression level " + std::to_string(options.level));
  if (options.to_stdout && options.most > 0) return Error(Code::kInvalid, "--max-pack-size cannot be used to build a pack for transfer");
  if (options.most > 0 && options.most < kLeastPack) {
    git.Warn("minimum pack size limit is 1 MiB");
    options.most = kLeastPack;
  }
  if (!options.to_stdout && options.thin) return Error(Code::kInvalid, "--thin cannot be used to build an indexable pack");
  if (options.keeps_unreachable && options.unpack_unreachable) return Error(Code::kInvalid, "options '--keep-unreachable' and '--unpack-unreachable' cannot be used together");
  if (options.filter && !options.to_stdout) return Error(Code::kInvalid, "cannot use --filter without --stdout");
  if (options.filter && !IsFilter(*options.filter)) return Error(Code::kInvalid, "invalid filter-spec '" + *options.filter + "'");
  const bool walks = options.revs || options.all || options.reflog || options.indexed;
  if (options.cruft_expiration) options.cruft = true;
  if (options.cruft && walks) return Error(Code::kInvalid, "cannot use internal rev list with --cruft");
  if (options.cruft && options.stdin_packs) return Error(Code::kInvalid, "cannot use --stdin-packs with --cruft");
  if (options.stdin_packs && walks) return Error(Code::kInvalid, "cannot use internal rev list with --stdin-packs");
  return Packing(git, options, options.to_stdout ? "" : names[0]).Run();
}

}  // namespace

extern const Subcommand kPackObjects;
const Subcommand kPackObjects = DefineSubcommand<PackOptions, RunPackObjects>({.name = "pack-objects", .summary = "make a pack", .synopsis = "--stdout [<options>]\n[<options>] <base-name>", .options = kPackOptions});

}  // namespace paddock::git
