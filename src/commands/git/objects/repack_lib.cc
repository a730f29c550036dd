// Which objects go into new packs, and which packs go.
#include "commands/git/objects/repack.h"

#include <algorithm>

#include "commands/git/history/reach.h"
#include "commands/git/refs/revision.h"

namespace paddock::git {
namespace {

class Repacking {
 public:
  Repacking(Git& git, const RepackPlan& plan) : git_(git), plan_(plan) {}

  Result<bool> Run() {
    PADDOCK_TRY(SortPacks());
    if (plan_.factor > 0) PADDOCK_TRY(ChooseByGeometry());
    else PADDOCK_TRY(ChooseReachable());
    if (!packed_.empty()) PADDOCK_TRY(WriteAll());
    if (plan_.makes_cruft) PADDOCK_TRY(WriteCrufts());
    const bool has_written = !names_.empty();
    if (plan_.removes) {
      if (has_written && (plan_.all || plan_.factor > 0)) PADDOCK_TRY(RemoveOld());
      PrunePacked(git_, false);
    }
    PADDOCK_TRY(RefreshMultiIndex());
    if (has_written && plan_.writes_bitmap) PADDOCK_TRY(WriteBitmaps());
    if (has_written && plan_.updates_server_info) PADDOCK_TRY(UpdateServerInfo(git_));
    return has_written;
  }

 private:
  Status SortPacks() {
    for (std::string& stem : git_.objects.PackStems()) {
      const bool is_named = std::find(plan_.kept_packs.begin(), plan_.kept_packs.end(), vfs::BaseName(stem) + ".pack") != plan_.kept_packs.end();
      const bool is_kept = is_named || git_.in.fs.Stat(stem + ".keep");
      (is_kept ? kept_packs_ : old_packs_).push_back(std::move(stem));
    }
    // What packs that stay have need not be packed again.
    for (const std::string& stem : plan_.takes_kept ? std::vector<std::string>() : kept_packs_) {
      if (const auto ids = PackedIds(git_.in.fs, stem, git_.in.budget)) kept_.insert(ids->begin(), ids->end());
    }
    return {};
  }

  Status ChooseReachable() {
    PADDOCK_ASSIGN(const std::vector<Oid> roots, KeptRoots(git_, true));
    PADDOCK_ASSIGN(Reached needed, ReachObjects(git_, roots));
    std::set<Oid> own;
    if (plan_.is_local) {
      for (const Oid& id : git_.objects.All(true)) own.insert(id);
    }
    for (const Oid& id : needed.order) {
      git_.in.budget.Step();
      if (!kept_.contains(id) && (plan_.all || !git_.objects.IsPacked(id)) && (!plan_.is_local || own.contains(id))) packed_.push_back(id);
    }
    if (plan_.keeps_unreachable) {
      for (const Oid& id : git_.objects.All(true)) {
        if (!needed.all.contains(id)) packed_.push_back(id);
      }
    }
    needed_ = std::move(needed.all);
    paths_ = std::move(needed.names);
    return {};
  }

  // The packs from the smallest on are joined until each that is left holds `factor` times more than what is below it.
  Status ChooseByGeometry() {
    struct Sized {
      std::string stem;
      std::vector<Oid> ids;
    };
    std::vector<Sized> packs;
    for (const std::string& stem : old_packs_) {
      if (git_.in.fs.Stat(stem + ".mtimes")) continue;
      PADDOCK_ASSIGN(std::vector<Oid> ids, PackedIds(git_.in.fs, stem, git_.in.budget));
      packs.push_back({stem, std::move(ids)});
    }
    std::stable_sort(packs.begin(), packs.end(), [](const Sized& a, const Sized& b) { return a.ids.size() < b.ids.size(); });
    const auto factor = static_cast<size_t>(std::min<int64_t>(plan_.factor, INT32_MAX));
    size_t split = packs.empty() ? 0 : packs.size() - 1, total = 0;
    while (split > 0 && packs[split].ids.size() >= factor * packs[split - 1].ids.size()) --split;
    if (split > 0) ++split;
    if (packs.size() == 1) split = 1;
    for (size_t i = 0; i < split; ++i) total += packs[i].ids.size();
    for (; split < packs.size() && packs[split].ids.size() < factor * total; ++split) total += packs[split].ids.size();
    std::set<Oid> heavy = kept_, chosen;
    old_packs_.clear();
    for (size_t i = split; i < packs.size(); ++i) heavy.insert(packs[i].ids.begin(), packs[i].ids.end());
    for (size_t i = 0; i < split; ++i) {
      old_packs_.push_back(packs[i].stem);
      chosen.insert(packs[i].ids.begin(), packs[i].ids.end());
    }
    const bool has_packs = !chosen.empty();
    bool has_loose = false;
    for (const Oid& id : git_.objects.All(false)) {
      git_.in.budget.Step();
      if (!git_.objects.IsPacked(id)) has_loose = chosen.insert(id).second || has_loose;
    }
    // One pack alone is not made again.
    if (has_packs && split == 1 && !has_loose) {
      old_packs_.clear();
      return {};
    }
    for (const Oid& id : chosen) {
      if (!heavy.contains(id)) packed_.push_back(id);
    }
    return {};
  }

  PackPlan Plan() const {
    PackPlan pack = plan_.pack;
    pack.names = &paths_;
    pack.by_offset = git_.config.GetBool("repack.usedeltabaseoffset", true);
    return pack;
  }

  Status WriteAll() {
    PADDOCK_ASSIGN(const std::vector<std::vector<Oid>> parts, InParts(git_, packed_, plan_.most));
    const PackPlan pack = Plan();
    for (const std::vector<Oid>& part : parts) {
      const auto write = [&](const PackSink& sink) { return WriteDeltaPack(part, [this](const Oid& id) { return git_.objects.Read(id); }, sink, pack, git_.in.budget); };
      PADDOCK_ASSIGN(const PackIndex made, WriteOwnPackFiles(git_.in.fs, git_.objects, write, git_.in.budget));
      names_.push_back(made.name);
    }
    return {};
  }

  Status WriteCrufts() {
    std::set<Oid> left_out = needed_;
    left_out.insert(kept_.begin(), kept_.end());
    PADDOCK_ASSIGN(const auto cruft, FindCruft(git_, left_out, {kept_packs_.begin(), kept_packs_.end()}));
    std::map<Oid, int64_t> stays = cruft;
    if (plan_.expiry) {
      PADDOCK_ASSIGN(stays, RecentCruft(git_, cruft, *plan_.expiry));
    }
    const PackPlan pack = Plan();
    if (!stays.empty()) {
      PADDOCK_ASSIGN(const std::string name, WriteCruft(git_, stays, "", pack));
      names_.push_back(name);
    }
    std::map<Oid, int64_t> gone;
    for (const auto& [id, time] : cruft) {
      if (!stays.contains(id)) gone.emplace(id, time);
    }
    if (!plan_.expire_to.empty() && !gone.empty()) PADDOCK_TRY(WriteCruft(git_, gone, plan_.expire_to, pack));
    return {};
  }

  Status RemoveOld() {
    const std::set<Oid> in_new(packed_.begin(), packed_.end());
    for (const Oid& id : plan_.loosens ? git_.objects.All(true) : std::vector<Oid>()) {
      git_.in.budget.Step();
      if (in_new.contains(id) || kept_.contains(id) || git_.in.fs.Stat(git_.objects.LoosePath(id))) continue;
      if (plan_.expiry && *plan_.expiry == INT64_MAX) continue;
      PADDOCK_ASSIGN(const Object object, git_.objects.Read(id));
      PADDOCK_TRY(git_.objects.WriteLoose(object.type, object.data));
    }
    for (const std::string& stem : old_packs_) {
      const bool is_new = std::any_of(names_.begin(), names_.end(), [&stem](const std::string& name) { return stem.ends_with("/pack-" + name); });
      if (!is_new) git_.objects.RemovePack(stem);
    }
    return {};
  }

  // What it says of packs that are gone is not true any more.
  Status RefreshMultiIndex() {
    const std::string& directory = git_.objects.directory();
    if (plan_.writes_multi_index) return WriteMultiIndex(git_, directory, git_.objects.PackStems(), "");
    const bool has_removed = std::any_of(old_packs_.begin(), old_packs_.end(), [this](const std::string& stem) { return !git_.in.fs.Stat(stem + ".pack"); });
    return has_removed ? WriteMultiIndex(git_, directory, {}, "") : Status();
  }

  Status WriteBitmaps() {
    if (packed_.empty()) return {};
    if (names_.size() > 1 + static_cast<size_t>(plan_.makes_cruft)) {
      git_.Warn("disabling bitmap writing, packs are split due to pack.packSizeLimit");
      return {};
    }
    return WriteBitmap(git_, git_.objects.directory() + "/pack/pack-" + names_[0]);
  }

  Git& git_;
  const RepackPlan& plan_;
  std::vector<std::string> old_packs_, kept_packs_, names_;   // paths without an ending; the names of what was written
  std::set<Oid> kept_, needed_;
  std::vector<Oid> packed_;
  std::map<Oid, std::string> paths_;
};

}  // namespace

Result<bool> Repack(Git& git, const RepackPlan& plan) { return Repacking(git, plan).Run(); }

Status CheckIslands(Git& git) { return git.config.GetAll("pack.island").empty() ? Status() : Error(Code::kNotSupported, "--delta-islands is not supported where pack.island names some"); }

Result<std::vector<std::vector<Oid>>> InParts(Git& git, const std::vector<Oid>& ids, uint64_t most) {
  std::vector<std::vector<Oid>> parts(1);
  uint64_t size = 0;
  for (const Oid& id : ids) {
    git.in.budget.Step();
    if (most > 0) {
      PADDOCK_ASSIGN(const Object object, git.objects.Read(id));
      // Compressed it takes no more than that, with its head.
      const uint64_t bytes = object.data.size() + object.data.size() / 1000 + 64;
      if (size + bytes > most && !parts.back().empty()) {
        parts.emplace_back();
        size = 0;
      }
      size += bytes;
    }
    parts.back().push_back(id);
  }
  return parts;
}

}  // namespace paddock::git
