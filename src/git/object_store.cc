#include "git/object_store.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <iterator>
#include <memory>

#include "git/pack_files.h"
#include "git/unpack_state.h"
#include "git/zlib_data.h"
#include "text/digest.h"

namespace paddock::git {
namespace {

constexpr uint64_t kMostBytes = 1ull << 30;
constexpr uint64_t kLargestAlternates = 1 << 16;
constexpr size_t kMostAlternates = 50;
constexpr int kDeepestAlternates = 5;
constexpr size_t kLargestRecent = 64 << 10;
constexpr uint64_t kMostRecentBytes = 4 << 20;
constexpr size_t kRecentOverhead = 200;   // of an object, in bytes

// The pack that was read from last stays open: one file, however many packs there are.
struct LastPack {
  std::string path;
  vfs::OpenFilePtr file;
};

// How many hexadecimal digits two ids have in common at their front.
size_t CommonDigits(const Oid& a, const Oid& b) {
  const auto [left, right] = std::mismatch(a.bytes.begin(), a.bytes.end(), b.bytes.begin());
  if (left == a.bytes.end()) return 40;
  const size_t whole = static_cast<size_t>(left - a.bytes.begin());
  return 2 * whole + ((*left ^ *right) < 16 ? 1 : 0);
}

Error Corrupt(const Oid& id) { return {Code::kCorrupt, "loose object " + id.Hex() + " is corrupt"}; }

}  // namespace

std::string ObjectStore::LoosePath(const Oid& id) const {
  const std::string hex = id.Hex();
  return directory_ + "/" + hex.substr(0, 2) + "/" + hex.substr(2);
}

void ObjectStore::AddAlternates(const std::string& directory, int depth) {
  const auto text = vfs::ReadFile(fs_, directory + "/info/alternates", kLargestAlternates);
  if (!text) return;
  std::string_view rest = *text;
  while (!rest.empty()) {
    budget_.Step();
    const size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    while (line.ends_with('/')) line.remove_suffix(1);
    if (line.empty() || line.starts_with('#')) continue;
    const std::string path = vfs::NormalizePath(vfs::JoinPath(directory, line));
    if (directories_.size() >= kMostAlternates || std::find(directories_.begin(), directories_.end(), path) != directories_.end()) continue;
    const auto facts = fs_.Stat(path);
    if (!facts || !facts->is_directory()) continue;
    directories_.push_back(path);
    if (depth > 0) AddAlternates(path, depth - 1);
  }
}

const std::vector<std::string>& ObjectStore::Directories() {
  if (directories_.empty()) {
    directories_.push_back(directory_);
    AddAlternates(directory_, kDeepestAlternates);
  }
  return directories_;
}

std::vector<Pack>& ObjectStore::Packs() {
  if (packs_) return *packs_;
  packs_.emplace();
  own_packs_ = 0;
  const auto last = std::make_shared<LastPack>();
  const auto unpacking = std::make_shared<UnpackState>(budget_);
  for (const std::string& directory : Directories()) {
    const std::string folder = directory + "/pack";
    auto list = fs_.List(folder);
    if (!list) continue;
    for (const vfs::DirectoryEntry& entry : *list) {
      budget_.Step();
      if (!entry.name.ends_with(".idx")) continue;
      const std::string stem = folder + "/" + entry.name.substr(0, entry.name.size() - 4);
      const auto index_facts = fs_.Stat(stem + ".idx"), facts = fs_.Stat(stem + ".pack");
      if (!index_facts || !facts || !facts->is_file()) continue;
      budget_.WillAllocate(index_facts->size);
      auto index = vfs::ReadFile(fs_, stem + ".idx", kMostBytes);
      if (!index) continue;
      const auto open = [this, last, path = stem + ".pack"]() -> Result<vfs::OpenFilePtr> {
        if (last->path != path) {
          last->path.clear();
          PADDOCK_ASSIGN(last->file, fs_.Open(path, vfs::OpenFlags::Read()));
          last->path = path;
        }
        return last->file;
      };
      // A damaged pack is as good as none; what it should have held is then missed by name.
      auto opened = Pack::Open(std::move(*index), PackBytes(open, facts->size));
      if (!opened) continue;
      opened->Join(unpacking);
      packs_->push_back(std::move(*opened));
    }
    if (directory == directory_) own_packs_ = packs_->size();
  }
  return *packs_;
}

Result<Object> ObjectStore::ReadLoose(const Oid& id) {
  std::string path = LoosePath(id);
  for (const std::string& directory : Directories()) {
    const std::string other = directory + path.substr(directory_.size());
    const auto facts = fs_.Stat(other);
    if (!facts) continue;
    budget_.WillAllocate(facts->size);
    path = other;
    break;
  }
  PADDOCK_ASSIGN(const std::string packed, vfs::ReadFile(fs_, path, kMostBytes));
  auto head = Inflate(packed, 32, false, budget_);
  if (!head) return Corrupt(id);
  const size_t blank = head->data.find(' '), end = head->data.find('\0');
  if (blank == std::string::npos || end == std::string::npos || end < blank) return Corrupt(id);
  const auto type = TypeOf(std::string_view(head->data).substr(0, blank));
  uint64_t size = 0;
  const auto read = std::from_chars(head->data.data() + blank + 1, head->data.data() + end, size);
  if (!type || read.ec != std::errc{} || read.ptr != head->data.data() + end || size > kMostBytes || !MayInflateTo(size, packed.size())) return Corrupt(id);
  budget_.WillAllocate(2 * size);
  auto all = Inflate(packed, size + end + 1, true, budget_);
  if (!all) return Corrupt(id);
  return Object{*type, all->data.substr(end + 1)};
}

Result<ObjectPtr> ObjectStore::ReadAt(const Oid& id, int depth) {
  // The empty tree exists everywhere.
  static constexpr std::string_view kEmptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
  for (Pack& pack : Packs()) {
    const auto offset = pack.Find(id);
    if (!offset) continue;
    // A base outside the pack may itself be a difference: the chain goes on, but not for ever.
    const auto find_base = [this, depth](const Oid& base) -> Result<Object> {
      if (depth > 50) return Error(Code::kCorrupt, "chain of deltas is too long");
      budget_.CheckStack();
      PADDOCK_ASSIGN(ObjectPtr object, ReadAt(base, depth + 1));
      return TakeObject(std::move(object));
    };
    PADDOCK_ASSIGN(ObjectPtr object, pack.Share(*offset, find_base, budget_));
    if (HashObject(object->type, object->data) != id) return Error(Code::kCorrupt, "packed object " + id.Hex() + " is corrupt");
    return object;
  }
  auto loose = ReadLoose(id);
  if (!loose && loose.error().code != Code::kCorrupt) {
    if (id.Hex() == kEmptyTree) return ObjectPtr(std::make_shared<Object>(ObjectType::kTree));
    return Error(Code::kNoEntry, "unable to read " + id.Hex());
  }
  if (loose && HashObject(loose->type, loose->data) != id) return Error(Code::kCorrupt, "hash mismatch " + id.Hex());
  if (!loose) return loose.error();
  return ObjectPtr(std::make_shared<Object>(std::move(*loose)));
}

Result<Object> ObjectStore::Read(const Oid& id) {
  PADDOCK_ASSIGN(ObjectPtr object, Share(id));
  return TakeObject(std::move(object));
}

Result<ObjectPtr> ObjectStore::Share(const Oid& id) {
  if (const auto known = recent_.find(id); known != recent_.end()) return known->second;
  ObjectPtr object;
  if (const auto known = older_.find(id); known != older_.end()) {
    object = known->second;
  } else {
    PADDOCK_ASSIGN(object, ReadAt(id, 0));
  }
  const bool comes_back = object->type == ObjectType::kCommit || object->type == ObjectType::kTree;
  if (!comes_back || object->data.size() > kLargestRecent) return object;
  if (recent_bytes_ >= kMostRecentBytes) {
    older_ = std::move(recent_);
    recent_.clear();
    recent_bytes_ = 0;
  }
  recent_bytes_ += object->data.size() + kRecentOverhead;
  recent_.emplace(id, object);
  return object;
}

void ObjectStore::ForgetRecent() {
  recent_.clear();
  older_.clear();
  recent_bytes_ = 0;
}

Result<ObjectPtr> ObjectStore::ShareTyped(const Oid& id, ObjectType type) {
  PADDOCK_ASSIGN(ObjectPtr object, Share(id));
  if (object->type != type) return Error(Code::kInvalid, "object " + id.Hex() + " is a " + std::string(TypeName(object->type)) + ", not a " + std::string(TypeName(type)));
  return object;
}

Result<Object> ObjectStore::ReadTyped(const Oid& id, ObjectType type) {
  PADDOCK_ASSIGN(ObjectPtr object, ShareTyped(id, type));
  return TakeObject(std::move(object));
}

Result<Commit> ObjectStore::ReadCommit(const Oid& id) {
  PADDOCK_ASSIGN(const ObjectPtr object, ShareTyped(id, ObjectType::kCommit));
  return ParseCommit(object->data, budget_);
}
Result<std::vector<TreeEntry>> ObjectStore::ReadTree(const Oid& id) {
  PADDOCK_ASSIGN(const ObjectPtr object, ShareTyped(id, ObjectType::kTree));
  return ParseTree(object->data, budget_);
}
Result<Tag> ObjectStore::ReadTag(const Oid& id) {
  PADDOCK_ASSIGN(const ObjectPtr object, ShareTyped(id, ObjectType::kTag));
  return ParseTag(object->data);
}

Result<Oid> ObjectStore::Peel(const Oid& id, std::optional<ObjectType> wanted) {
  Oid at = id;
  for (int depth = 0; depth < 1000; ++depth) {
    budget_.Step();
    PADDOCK_ASSIGN(const ObjectPtr object, Share(at));
    if (object->type == ObjectType::kTag && wanted != ObjectType::kTag) {
      PADDOCK_ASSIGN(const Tag tag, ParseTag(object->data));
      at = tag.object;
      continue;
    }
    if (!wanted || object->type == *wanted) return at;
    if (object->type == ObjectType::kCommit && *wanted == ObjectType::kTree) {
      PADDOCK_ASSIGN(const Commit commit, ParseCommit(object->data, budget_));
      return commit.tree;
    }
    return Error(Code::kInvalid, "object " + at.Hex() + " is a " + std::string(TypeName(object->type)) + ", not a " + std::string(TypeName(*wanted)));
  }
  return Error(Code::kCorrupt, "tags refer to each other");
}

bool ObjectStore::Has(const Oid& id) {
  for (const Pack& pack : Packs()) {
    if (pack.Find(id)) return true;
  }
  const std::string path = LoosePath(id);
  return std::any_of(Directories().begin(), Directories().end(), [&](const std::string& directory) { return fs_.Stat(directory + path.substr(directory_.size())).has_value(); });
}

Result<Oid> ObjectStore::Write(ObjectType type, std::string_view data) {
  const Oid id = HashObject(type, data);
  if (Has(id)) return id;
  return WriteLoose(type, data);
}

Result<Oid> ObjectStore::WriteLoose(ObjectType type, std::string_view data) {
  const Oid id = HashObject(type, data);
  std::string text(TypeName(type));
  text += ' ' + std::to_string(data.size());
  text.push_back('\0');
  text += data;
  const std::string path = LoosePath(id);
  PADDOCK_TRY(vfs::MakeDirectories(fs_, vfs::DirectoryName(path)));
  PADDOCK_TRY(vfs::WriteFile(fs_, path, Deflate(text, budget_), 0444));
  ForgetLoose();
  return id;
}

const std::vector<Oid>& ObjectStore::LooseIn(uint8_t first) {
  static const std::vector<Oid> kNone;
  const auto byte_of = [](std::string_view name) { return Oid::FromHex(std::string(name) + std::string(38, '0')); };
  if (!has_folder_) {
    has_folder_.emplace();
    for (const std::string& directory : Directories()) {
      auto list = fs_.List(directory);
      if (!list) continue;
      for (const vfs::DirectoryEntry& entry : *list) {
        budget_.Step();
        if (entry.name.size() != 2) continue;
        if (const auto begin = byte_of(entry.name)) has_folder_->set(begin->bytes[0]);
      }
    }
  }
  if (!has_folder_->test(first)) return kNone;
  const auto known = folders_.find(first);
  if (known != folders_.end()) return known->second;
  const std::string folder = HexOf(std::string(1, static_cast<char>(first)));
  std::vector<Oid> ids;
  for (const std::string& directory : Directories()) {
    auto list = fs_.List(directory + "/" + folder);
    if (!list) continue;
    for (const vfs::DirectoryEntry& entry : *list) {
      budget_.Step();
      if (const auto id = Oid::FromHex(folder + entry.name)) ids.push_back(*id);
    }
  }
  std::sort(ids.begin(), ids.end());
  return folders_.emplace(first, std::move(ids)).first->second;
}

std::vector<Oid> ObjectStore::FindPrefix(std::string_view prefix) {
  std::vector<Oid> found;
  if (prefix.size() < 2 || prefix.size() > 40) return found;
  std::string low(prefix);
  for (char& c : low) c = c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
  const auto first = Oid::FromHex(low + std::string(40 - low.size(), '0')), last = Oid::FromHex(low + std::string(40 - low.size(), 'f'));
  if (!first || !last) return found;
  for (const Pack& pack : Packs()) {
    for (size_t number = pack.LowerBound(*first); number < pack.count() && pack.IdAt(number) <= *last; ++number) {
      budget_.Step();
      found.push_back(pack.IdAt(number));
    }
  }
  const std::vector<Oid>& loose = LooseIn(first->bytes[0]);
  for (auto id = std::lower_bound(loose.begin(), loose.end(), *first); id != loose.end() && *id <= *last; ++id) found.push_back(*id);
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::string ObjectStore::Abbreviate(const Oid& id, size_t least) {
  if (least == 0) least = shortest_;
  if (least == 0) {
    uint64_t packed = 0;
    for (const Pack& pack : Packs()) packed += pack.count();
    least = std::max<size_t>(7, (static_cast<size_t>(std::bit_width(packed)) + 2) / 2);
  }
  size_t length = std::min<size_t>(std::max<size_t>(least, 4), 40);
  // Where ids are in order, those beside it have most in common with it.
  const auto differ_from = [&](const Oid& other) {
    if (other != id) length = std::max(length, CommonDigits(id, other) + 1);
  };
  for (const Pack& pack : Packs()) {
    budget_.Step();
    size_t number = pack.LowerBound(id);
    if (number > 0) differ_from(pack.IdAt(number - 1));
    if (number < pack.count() && pack.IdAt(number) == id) ++number;
    if (number < pack.count()) differ_from(pack.IdAt(number));
  }
  const std::vector<Oid>& loose = LooseIn(id.bytes[0]);
  const auto [begin, end] = std::equal_range(loose.begin(), loose.end(), id);
  if (begin != loose.begin()) differ_from(*std::prev(begin));
  if (end != loose.end()) differ_from(*end);
  return id.Hex().substr(0, length);
}

std::vector<Oid> ObjectStore::All(bool with_packs) {
  std::vector<Oid> all;
  if (with_packs) {
    const std::vector<Pack>& packs = Packs();
    for (size_t i = 0; i < own_packs_; ++i) {
      budget_.WillAllocate(packs[i].count() * sizeof(Oid));
      for (size_t number = 0; number < packs[i].count(); ++number) {
        budget_.Step();
        all.push_back(packs[i].IdAt(number));
      }
    }
  }
  if (auto folders = fs_.List(directory_)) {
    for (const vfs::DirectoryEntry& folder : *folders) {
      if (folder.name.size() != 2) continue;
      auto list = fs_.List(directory_ + "/" + folder.name);
      if (!list) continue;
      for (const vfs::DirectoryEntry& entry : *list) {
        budget_.Step();
        if (const auto id = Oid::FromHex(folder.name + entry.name)) all.push_back(*id);
      }
    }
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

Result<std::string> ObjectStore::NewPackPath() {
  const std::string folder = directory_ + "/pack";
  PADDOCK_TRY(vfs::MakeDirectories(fs_, folder));
  for (size_t number = 0;; ++number) {
    budget_.Step();
    std::string path = folder + "/tmp_pack_" + std::to_string(number);
    if (!fs_.Stat(path)) return path;
  }
}

Status ObjectStore::PutPack(const std::string& path, size_t unpack_limit) {
  PADDOCK_ASSIGN(const vfs::Attributes facts, fs_.Stat(path));
  const PackBytes::Opener open = [this, path] { return fs_.Open(path, vfs::OpenFlags::Read()); };
  PADDOCK_ASSIGN(PackIndex index, Pack::MakeIndex(PackBytes(open, facts.size), budget_));
  if (index.count < unpack_limit) {
    PADDOCK_ASSIGN(Pack pack, Pack::Open(std::move(index.bytes), PackBytes(open, facts.size)));
    const auto no_base = [](const Oid&) -> Result<Object> { return Error(Code::kCorrupt, "a base is missing"); };
    for (size_t number = 0; number < pack.count(); ++number) {
      budget_.Step();
      const auto offset = pack.Find(pack.IdAt(number));
      if (!offset) return Error(Code::kCorrupt, "the index of a pack is wrong");
      PADDOCK_ASSIGN(const Object object, pack.Read(*offset, no_base, budget_));
      PADDOCK_TRY(Write(object.type, object.data));
    }
    return {};
  }
  const std::string stem = directory_ + "/pack/pack-" + index.name;
  // A pack of that name has the same objects.
  if (fs_.Stat(stem + ".pack") && fs_.Stat(stem + ".idx")) return {};
  PADDOCK_TRY(fs_.SetMode(path, 0444));
  PADDOCK_TRY(fs_.Rename(path, stem + ".pack"));
  PADDOCK_TRY(vfs::WriteFile(fs_, stem + ".idx", index.bytes, 0444));
  packs_.reset();
  return {};
}

Status ObjectStore::AddPack(const std::string& path, size_t unpack_limit) {
  const Status put = PutPack(path, unpack_limit);
  static_cast<void>(fs_.RemoveFile(path).has_value());
  return put;
}

void ObjectStore::RemoveLoose(const Oid& id) {
  const std::string path = LoosePath(id);
  if (fs_.RemoveFile(path)) static_cast<void>(fs_.RemoveDirectory(vfs::DirectoryName(path)).has_value());
  ForgetLoose();
  ForgetRecent();
}

std::vector<std::string> ObjectStore::PackStems() {
  std::vector<std::string> stems;
  const std::string folder = directory_ + "/pack";
  auto list = fs_.List(folder);
  if (!list) return stems;
  for (const vfs::DirectoryEntry& entry : *list) {
    budget_.Step();
    if (!entry.name.ends_with(".pack")) continue;
    std::string stem = folder + "/" + entry.name.substr(0, entry.name.size() - 5);
    if (fs_.Stat(stem + ".idx")) stems.push_back(std::move(stem));
  }
  std::sort(stems.begin(), stems.end());
  return stems;
}

bool ObjectStore::IsPacked(const Oid& id) {
  const std::vector<Pack>& packs = Packs();
  return std::any_of(packs.begin(), packs.end(), [&id](const Pack& pack) { return pack.Find(id).has_value(); });
}

void ObjectStore::RemovePack(const std::string& stem) {
  for (const char* end : {".idx", ".pack", ".rev", ".bitmap", ".mtimes", ".promisor"}) static_cast<void>(fs_.RemoveFile(stem + end).has_value());
  ForgetPacks();
}

Result<std::string> ObjectStore::WriteOwnPack(const std::vector<Oid>& ids) {
  return WritePackOf(ids, [this](const Oid& id) { return Read(id); });
}

Result<std::string> ObjectStore::WritePackOf(const std::vector<Oid>& ids, const std::function<Result<Object>(const Oid&)>& read) {
  PADDOCK_ASSIGN(const PackIndex made, WriteOwnPackFiles(fs_, *this, [&](const PackSink& sink) { return WritePack(ids, read, sink, budget_); }, budget_));
  return made.name;
}

}  // namespace paddock::git
