// The objects of a repository: loose files and packs below .git/objects and where info/alternates leads, on the virtual tree.
#pragma once

#include <bitset>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "git/object.h"
#include "git/pack.h"
#include "vfs/file_system.h"

namespace paddock::git {

class ObjectStore {
 public:
  // `directory` is absolute. All outlive it.
  ObjectStore(vfs::FileSystem& fs, std::string directory, Budget& budget) : fs_(fs), directory_(std::move(directory)), budget_(budget) {}

  // Errors: kNoEntry ("unable to read HEX"), kCorrupt when the bytes are not those that the id names.
  Result<Object> Read(const Oid& id);
  // The same without a copy of what was read before.
  Result<ObjectPtr> Share(const Oid& id);
  Result<ObjectPtr> ShareTyped(const Oid& id, ObjectType type);
  // The same, of that type; the error names both.
  Result<Object> ReadTyped(const Oid& id, ObjectType type);
  Result<Commit> ReadCommit(const Oid& id);
  Result<std::vector<TreeEntry>> ReadTree(const Oid& id);
  Result<Tag> ReadTag(const Oid& id);
  // The commit or tree or other thing behind tags; `wanted` empty: whatever is no tag.
  Result<Oid> Peel(const Oid& id, std::optional<ObjectType> wanted);

  bool Has(const Oid& id);
  Result<Oid> Write(ObjectType type, std::string_view data);
  // As a loose file, even when a pack has it.
  Result<Oid> WriteLoose(ObjectType type, std::string_view data);
  // The ids that begin with these hexadecimal digits (4 or more), sorted.
  std::vector<Oid> FindPrefix(std::string_view prefix);
  // The shortest prefix of at least `least` digits that names only this object.
  std::string Abbreviate(const Oid& id, size_t least = 0);
  // What `least` is where nothing is said (core.abbrev); 0: by the number of objects.
  void SetShortest(size_t digits) { shortest_ = digits; }
  // Every object of its own, sorted; with or without those of packs.
  std::vector<Oid> All(bool with_packs);
  // Writes a pack of these objects where packs are, with its index; its name (a checksum).
  Result<std::string> WriteOwnPack(const std::vector<Oid>& ids);
  // The same with objects that come from elsewhere.
  Result<std::string> WritePackOf(const std::vector<Oid>& ids, const std::function<Result<Object>(const Oid&)>& read);
  // Where a pack may be written before AddPack(): a new file each time.
  Result<std::string> NewPackPath();
  // Reads the pack in the file at `path` (of NewPackPath()), and puts it in place with an index; a pack of fewer than
  // `unpack_limit` objects becomes loose objects. The file is gone afterwards in every case.
  Status AddPack(const std::string& path, size_t unpack_limit = 0);
  // Removes a loose object; its packed copy stays.
  void RemoveLoose(const Oid& id);
  // The own packs, as paths without ".pack".
  std::vector<std::string> PackStems();
  // Whether a pack has it, too.
  bool IsPacked(const Oid& id);
  // Removes a pack and all that belongs to it.
  void RemovePack(const std::string& stem);
  // Where the object's loose file is.
  std::string LoosePath(const Oid& id) const;
  const std::string& directory() const { return directory_; }
  // Follows .git/objects/pack anew.
  void ForgetPacks() {
    packs_.reset();
    ForgetRecent();
  }
  // The same for loose objects and alternates.
  void ForgetAll() {
    ForgetPacks();
    directories_.clear();
    ForgetLoose();
  }

 private:
  std::vector<Pack>& Packs();
  // Where objects are looked for: its own directory, then those of info/alternates.
  const std::vector<std::string>& Directories();
  void AddAlternates(const std::string& directory, int depth);
  Status PutPack(const std::string& path, size_t unpack_limit);
  Result<Object> ReadLoose(const Oid& id);
  Result<ObjectPtr> ReadAt(const Oid& id, int depth);
  void ForgetRecent();
  // The loose objects whose ids begin with this byte, sorted.
  const std::vector<Oid>& LooseIn(uint8_t first);
  void ForgetLoose() {
    has_folder_.reset();
    folders_.clear();
  }

  vfs::FileSystem& fs_;
  std::string directory_;
  Budget& budget_;
  std::vector<std::string> directories_;
  std::optional<std::vector<Pack>> packs_;
  size_t shortest_ = 0;
  size_t own_packs_ = 0;                              // how many of them come first
  std::optional<std::bitset<256>> has_folder_;        // for loose objects, by first byte
  std::map<uint8_t, std::vector<Oid>> folders_;       // loose ids, of folders that were listed
  // Small commits and trees that were read: walks come back to them. When there are too many, they become the older ones, and those go.
  std::unordered_map<Oid, ObjectPtr, OidHash> recent_, older_;
  uint64_t recent_bytes_ = 0;
};

}  // namespace paddock::git
