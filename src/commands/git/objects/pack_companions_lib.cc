// Cruft packs, bitmaps and the multi-pack-index: what they hold of a repository.
#include "git/pack_companions.h"

#include <algorithm>

#include "commands/git/history/reach.h"
#include "commands/git/objects/repack.h"
#include "commands/git/refs/revision.h"

namespace paddock::git {
namespace {

constexpr size_t kMostBitmaps = 64;   // of commits

int64_t SecondsOf(const vfs::Attributes& facts) { return facts.modify_time.count() / 1000000000; }

// The objects of a pack by their places in it.
class PackOrder {
 public:
  static Result<PackOrder> Read(Git& git, const std::string& stem) {
    PADDOCK_ASSIGN(const Pack pack, OpenPack(git.in.fs, stem));
    PackOrder order;
    git.in.budget.WillAllocate(pack.count() * 64);
    std::vector<std::pair<uint64_t, uint32_t>> places;
    for (size_t i = 0; i < pack.count(); ++i) {
      git.in.budget.Step();
      order.ids_.push_back(pack.IdAt(i));
      places.emplace_back(pack.Find(order.ids_.back()).value_or(0), static_cast<uint32_t>(i));
    }
    std::sort(places.begin(), places.end());
    order.places_.resize(places.size());
    for (size_t i = 0; i < places.size(); ++i) order.places_[places[i].second] = static_cast<uint32_t>(i);
    return order;
  }
  const std::vector<Oid>& ids() const { return ids_; }
  std::optional<uint32_t> NumberOf(const Oid& id) const {
    const auto found = std::lower_bound(ids_.begin(), ids_.end(), id);
    if (found == ids_.end() || *found != id) return std::nullopt;
    return static_cast<uint32_t>(found - ids_.begin());
  }
  uint32_t PlaceOf(uint32_t number) const { return places_[number]; }

 private:
  std::vector<Oid> ids_;
  std::vector<uint32_t> places_;   // by number
};

class BitmapMaking {
 public:
  BitmapMaking(Git& git, const PackOrder& order) : git_(git), order_(order) {}

  // Everything that a commit leads to; those of commits that were asked for before are taken over.
  Result<BitWords> Reach(const Oid& commit) {
    BitWords bits;
    std::vector<Oid> todo = {commit};
    while (!todo.empty()) {
      git_.in.budget.Step(4);
      const Oid id = todo.back();
      todo.pop_back();
      const auto number = order_.NumberOf(id);
      if (!number) return Error(Code::kNoEntry, "Failed to write bitmap index. Packfile doesn't have full closure (object " + id.Hex() + " is missing)");
      const uint32_t place = order_.PlaceOf(*number);
      if (HasBit(bits, place)) continue;
      if (const auto known = known_.find(id); known != known_.end()) {
        git_.in.budget.Step(static_cast<int64_t>(known->second.size() / 16));
        bits.resize(std::max(bits.size(), known->second.size()), 0);
        for (size_t i = 0; i < known->second.size(); ++i) bits[i] |= known->second[i];
        continue;
      }
      SetBit(bits, place);
      if (!blobs_.contains(id)) PADDOCK_TRY(Follow(id, todo));
    }
    git_.in.budget.WillAllocate(bits.size() * 8);
    known_[commit] = bits;
    return bits;
  }

 private:
  Status Follow(const Oid& id, std::vector<Oid>& todo) {
    PADDOCK_ASSIGN(const Object object, git_.objects.Read(id));
    if (object.type == ObjectType::kBlob) {
      git_.in.budget.WillAllocate(64);
      blobs_.insert(id);
    } else if (object.type == ObjectType::kCommit) {
      PADDOCK_ASSIGN(const Commit commit, ParseCommit(object.data, git_.in.budget));
      todo.push_back(commit.tree);
      todo.insert(todo.end(), commit.parents.begin(), commit.parents.end());
    } else if (object.type == ObjectType::kTree) {
      PADDOCK_ASSIGN(const std::vector<TreeEntry> entries, ParseTree(object.data, git_.in.budget));
      for (const TreeEntry& entry : entries) {
        if (entry.mode != kModeCommit) todo.push_back(entry.id);
      }
    }
    return {};
  }

  Git& git_;
  const PackOrder& order_;
  std::map<Oid, BitWords> known_;
  std::set<Oid> blobs_;   // that were read: they lead nowhere
};

}  // namespace

Status WriteBitmap(Git& git, const std::string& stem) {
  PADDOCK_ASSIGN(const PackOrder order, PackOrder::Read(git, stem));
  std::array<BitWords, 4> types;
  for (uint32_t i = 0; i < order.ids().size(); ++i) {
    git.in.budget.Step();
    PADDOCK_ASSIGN(const Object object, git.objects.Read(order.ids()[i]));
    SetBit(types[static_cast<size_t>(object.type) - 1], order.PlaceOf(i));
  }
  // The newest tips; older ones first, as younger ones take their bits over.
  std::map<std::pair<int64_t, Oid>, uint32_t> tips;
  std::vector<Oid> starts;
  for (const auto& [name, id] : git.refs.List("refs/")) starts.push_back(id);
  if (const auto head = git.Head()) starts.push_back(*head);
  History history(git);
  for (const Oid& start : starts) {
    git.in.budget.Step(4);
    const auto commit = git.objects.Peel(start, ObjectType::kCommit);
    const auto number = commit ? order.NumberOf(*commit) : std::nullopt;
    if (!number) continue;
    PADDOCK_ASSIGN(const History::Node* node, history.Get(*commit));
    tips.emplace(std::pair(node->time, *commit), *number);
    if (tips.size() > kMostBitmaps) tips.erase(tips.begin());
  }
  BitmapMaking making(git, order);
  std::vector<ReachBits> commits;
  for (const auto& [key, number] : tips) {
    PADDOCK_ASSIGN(BitWords bits, making.Reach(key.second));
    commits.push_back({number, std::move(bits)});
  }
  PADDOCK_ASSIGN(const std::string index, vfs::ReadFile(git.in.fs, stem + ".idx"));
  static_cast<void>(git.in.fs.RemoveFile(stem + ".bitmap").has_value());
  return vfs::WriteFile(git.in.fs, stem + ".bitmap", BitmapIndexText(std::string_view(index).substr(index.size() - 40, 20), types, commits), 0444);
}

Result<std::map<Oid, int64_t>> FindCruft(Git& git, const std::set<Oid>& left_out, const std::set<std::string>& kept_stems) {
  std::map<Oid, int64_t> cruft;
  const auto take = [&](const Oid& id, int64_t time) {
    git.in.budget.Step();
    if (left_out.contains(id)) return;
    const auto [known, is_new] = cruft.emplace(id, time);
    if (!is_new) known->second = std::max(known->second, time);
  };
  for (const std::string& stem : git.objects.PackStems()) {
    const auto facts = git.in.fs.Stat(stem + ".pack");
    if (!facts || kept_stems.contains(stem)) continue;
    PADDOCK_ASSIGN(const std::vector<Oid> ids, PackedIds(git.in.fs, stem, git.in.budget));
    std::vector<uint32_t> times;
    if (const auto text = vfs::ReadFile(git.in.fs, stem + ".mtimes")) times = ParseMtimes(*text, ids.size());
    for (size_t i = 0; i < ids.size(); ++i) take(ids[i], times.empty() ? SecondsOf(*facts) : times[i]);
  }
  for (const Oid& id : git.objects.All(false)) {
    if (const auto facts = git.in.fs.Stat(git.objects.LoosePath(id))) take(id, SecondsOf(*facts));
  }
  return cruft;
}

Result<std::map<Oid, int64_t>> RecentCruft(Git& git, const std::map<Oid, int64_t>& cruft, int64_t before) {
  std::vector<Oid> recent;
  for (const auto& [id, time] : cruft) {
    if (time > before) recent.push_back(id);
  }
  PADDOCK_ASSIGN(const Reached reached, ReachObjects(git, recent, {}, [](const Oid&, const Oid&, ObjectType) {}));
  std::map<Oid, int64_t> stays;
  for (const auto& [id, time] : cruft) {
    if (reached.all.contains(id)) stays.emplace(id, time);
  }
  return stays;
}

Result<std::string> WriteCruft(Git& git, const std::map<Oid, int64_t>& cruft, const std::string& start, const PackPlan& plan) {
  std::vector<Oid> ids;
  std::vector<uint32_t> times;
  for (const auto& [id, time] : cruft) {
    ids.push_back(id);
    times.push_back(static_cast<uint32_t>(std::clamp<int64_t>(time, 0, UINT32_MAX)));
  }
  const auto write = [&](const PackSink& sink) { return WriteDeltaPack(ids, [&git](const Oid& id) { return git.objects.Read(id); }, sink, plan, git.in.budget); };
  PADDOCK_ASSIGN(const PackIndex made, start.empty() ? WriteOwnPackFiles(git.in.fs, git.objects, write, git.in.budget) : WritePackFiles(git.in.fs, start + "-tmp.pack", start, write, false, git.in.budget));
  const std::string stem = (start.empty() ? git.objects.directory() + "/pack/pack" : start) + "-" + made.name;
  static_cast<void>(git.in.fs.RemoveFile(stem + ".mtimes").has_value());
  PADDOCK_TRY(vfs::WriteFile(git.in.fs, stem + ".mtimes", MtimesText(times, std::string_view(made.bytes).substr(made.bytes.size() - 40, 20)), 0444));
  return made.name;
}

Status WriteMultiIndex(Git& git, const std::string& directory, const std::vector<std::string>& stems, const std::string& preferred) {
  const std::string path = directory + "/pack/multi-pack-index";
  struct Copy {
    MultiPackEntry entry;
    bool is_preferred;
    int64_t time;
  };
  std::vector<std::string> names;
  std::vector<Copy> copies;
  for (const std::string& stem : stems) {
    names.push_back(vfs::BaseName(stem) + ".idx");
    PADDOCK_ASSIGN(const Pack pack, OpenPack(git.in.fs, stem));
    PADDOCK_ASSIGN(const vfs::Attributes facts, git.in.fs.Stat(stem + ".pack"));
    git.in.budget.WillAllocate(pack.count() * sizeof(Copy));
    for (size_t i = 0; i < pack.count(); ++i) {
      git.in.budget.Step();
      const Oid id = pack.IdAt(i);
      copies.push_back({{id, static_cast<uint32_t>(names.size() - 1), pack.Find(id).value_or(0)}, vfs::BaseName(stem) == preferred, facts.modify_time.count()});
    }
  }
  static_cast<void>(git.in.fs.RemoveFile(path).has_value());
  if (names.empty()) return {};
  // Of several copies: the one of the preferred pack, else of the newest.
  std::sort(copies.begin(), copies.end(), [](const Copy& a, const Copy& b) {
    if (a.entry.id != b.entry.id) return a.entry.id < b.entry.id;
    if (a.is_preferred != b.is_preferred) return a.is_preferred;
    return a.time != b.time ? a.time > b.time : a.entry.pack < b.entry.pack;
  });
  std::vector<MultiPackEntry> entries;
  for (const Copy& copy : copies) {
    if (entries.empty() || entries.back().id != copy.entry.id) entries.push_back(copy.entry);
  }
  return vfs::WriteFile(git.in.fs, path, MultiPackIndexText(names, entries, git.in.budget), 0444);
}

}  // namespace paddock::git
