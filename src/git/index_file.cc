#include "git/index_file.h"

#include <algorithm>
#include <charconv>

#include "git/big_endian.h"
#include "text/digest.h"

namespace paddock::git {
namespace {

Error Bad(std::string_view what) { return {Code::kCorrupt, std::string(what)}; }

constexpr size_t kFixed = 62;   // bytes of an entry before its name

}  // namespace

void IndexEntry::TakeStat(const vfs::Attributes& attributes) {
  const auto split = [](Nanoseconds time, uint32_t& seconds, uint32_t& nanos) {
    seconds = static_cast<uint32_t>(time.count() / 1'000'000'000);
    nanos = static_cast<uint32_t>(time.count() % 1'000'000'000);
  };
  split(attributes.change_time, change_seconds, change_nanos);
  split(attributes.modify_time, modify_seconds, modify_nanos);
  device = static_cast<uint32_t>(attributes.device);
  inode = static_cast<uint32_t>(attributes.inode);
  uid = attributes.uid;
  gid = attributes.gid;
  size = static_cast<uint32_t>(attributes.size);
}

bool IndexEntry::HasStatOf(const vfs::Attributes& attributes) const {
  IndexEntry other;
  other.TakeStat(attributes);
  return size == other.size && modify_seconds == other.modify_seconds && modify_nanos == other.modify_nanos && inode == other.inode &&
         change_seconds == other.change_seconds && change_nanos == other.change_nanos;
}

Result<Index> Index::Parse(std::string_view bytes, Budget& budget) {
  Index index;
  if (bytes.empty()) return index;
  if (bytes.size() < 32 || !bytes.starts_with("DIRC")) return Bad("bad signature");
  const uint32_t version = Read32(bytes, 4);
  if (version < 2 || version > 3) return Bad("index file version " + std::to_string(version) + " is not supported");
  const std::string_view body = bytes.substr(0, bytes.size() - 20);
  if (DigestOf(DigestAlgorithm::kSha1, body) != bytes.substr(body.size()) && bytes.substr(body.size()) != std::string_view(Oid{}.View())) return Bad("bad index file sha1 signature");
  const size_t count = Read32(bytes, 8);
  if (count > body.size() / kFixed) return Bad("index file is too small");
  size_t at = 12;
  for (size_t i = 0; i < count; ++i) {
    budget.Step(4);
    if (body.size() - at < kFixed + 2) return Bad("index file is truncated");
    IndexEntry entry;
    uint32_t* const fields[] = {&entry.change_seconds, &entry.change_nanos, &entry.modify_seconds, &entry.modify_nanos, &entry.device,
                                &entry.inode, &entry.mode, &entry.uid, &entry.gid, &entry.size};
    for (size_t field = 0; field < 10; ++field) *fields[field] = Read32(body, at + 4 * field);
    entry.id = Oid::FromBytes(body.substr(at + 40));
    const uint32_t flags = Read32(body, at + 58) & 0xffff;
    entry.stage = static_cast<int>(flags >> 12 & 3);
    entry.is_assumed = (flags & 0x8000) != 0;
    size_t name = at + kFixed;
    if ((flags & 0x4000) != 0) {
      if (version < 3) return Bad("index file has flags of a later version");
      const uint32_t more = Read32(body, at + 60) & 0xffff;
      entry.is_intended = (more & 0x2000) != 0;
      entry.is_skipped = (more & 0x4000) != 0;
      name += 2;
    }
    const size_t end = body.find('\0', name);
    if (end == std::string_view::npos) return Bad("index file is truncated");
    entry.path = body.substr(name, end - name);
    const bool is_directory = entry.mode == kModeTree && entry.path.ends_with('/') && entry.is_skipped && entry.stage == 0;
    if (!IsSafePath(is_directory ? std::string_view(entry.path).substr(0, entry.path.size() - 1) : std::string_view(entry.path))) return Bad("invalid path '" + entry.path + "' in index");
    const size_t length = (name - at + entry.path.size() + 8) & ~size_t{7};
    if (length > body.size() - at) return Bad("index file is truncated");
    at += length;
    if (!index.entries_.empty()) {
      const IndexEntry& last = index.entries_.back();
      const int order = last.path.compare(entry.path);
      if (order > 0 || (order == 0 && last.stage >= entry.stage)) return Bad("unordered entries in index");
    }
    index.entries_.push_back(std::move(entry));
  }
  // Extensions: the ones in capitals may be dropped. A sparse index has directories that a sparse checkout leaves out as one entry.
  bool is_sparse = false;
  while (body.size() - at >= 8) {
    budget.Step();
    if (body.substr(at, 4) == "sdir") is_sparse = true;
    else if (body[at] < 'A' || body[at] > 'Z') return Bad("index uses " + std::string(body.substr(at, 4)) + " extension, which we do not understand");
    const size_t length = Read32(body, at + 4);
    if (length > body.size() - at - 8) return Bad("index file is truncated");
    if (body.substr(at, 4) == "REUC") PADDOCK_TRY(index.ParseResolved(body.substr(at + 8, length), budget));
    at += 8 + length;
  }
  if (!is_sparse && std::any_of(index.entries_.begin(), index.entries_.end(), [](const IndexEntry& entry) { return entry.mode == kModeTree; })) return Bad("index has directories, and is not sparse");
  return index;
}

Status Index::ParseResolved(std::string_view bytes, Budget& budget) {
  const auto word = [&bytes]() -> std::optional<std::string_view> {
    const size_t end = bytes.find('\0');
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view found = bytes.substr(0, end);
    bytes.remove_prefix(end + 1);
    return found;
  };
  while (!bytes.empty()) {
    budget.Step(4);
    const auto path = word();
    if (!path || !IsSafePath(*path)) return Bad("Index records invalid resolve-undo information");
    ResolvedConflict conflict;
    for (uint32_t& mode : conflict.modes) {
      const auto digits = word();
      if (!digits || digits->empty() || std::from_chars(digits->data(), digits->data() + digits->size(), mode, 8).ptr != digits->data() + digits->size()) return Bad("Index records invalid resolve-undo information");
    }
    for (size_t i = 0; i < 3; ++i) {
      if (conflict.modes[i] == 0) continue;
      if (bytes.size() < 20) return Bad("Index records invalid resolve-undo information");
      conflict.ids[i] = Oid::FromBytes(bytes);
      bytes.remove_prefix(20);
    }
    resolved_[std::string(*path)] = conflict;
  }
  return {};
}

std::string Index::Text() const {
  const bool is_extended = std::any_of(entries_.begin(), entries_.end(), [](const IndexEntry& entry) { return entry.is_intended || entry.is_skipped; });
  std::string text = "DIRC";
  Append32(text, is_extended ? 3 : 2);
  Append32(text, static_cast<uint32_t>(entries_.size()));
  for (const IndexEntry& entry : entries_) {
    const size_t begin = text.size();
    for (const uint32_t field : {entry.change_seconds, entry.change_nanos, entry.modify_seconds, entry.modify_nanos, entry.device, entry.inode,
                                 entry.mode, entry.uid, entry.gid, entry.size}) {
      Append32(text, field);
    }
    text += entry.id.View();
    const bool has_more = entry.is_intended || entry.is_skipped;
    const uint32_t flags = static_cast<uint32_t>(std::min<size_t>(entry.path.size(), 0xfff)) | static_cast<uint32_t>(entry.stage) << 12 |
                           (entry.is_assumed ? 0x8000u : 0u) | (has_more ? 0x4000u : 0u);
    text.push_back(static_cast<char>(flags >> 8));
    text.push_back(static_cast<char>(flags & 0xff));
    if (has_more) {
      text.push_back(static_cast<char>((entry.is_intended ? 0x20 : 0) | (entry.is_skipped ? 0x40 : 0)));
      text.push_back('\0');
    }
    text += entry.path;
    text.append(8 - (text.size() - begin) % 8, '\0');
  }
  if (!resolved_.empty()) {
    std::string part;
    for (const auto& [path, conflict] : resolved_) {
      part += path + '\0';
      for (const uint32_t mode : conflict.modes) {
        std::array<char, 12> digits{};
        part.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), mode, 8).ptr);
        part += '\0';
      }
      for (size_t i = 0; i < 3; ++i) {
        if (conflict.modes[i] != 0) part += conflict.ids[i].View();
      }
    }
    text += "REUC";
    Append32(text, static_cast<uint32_t>(part.size()));
    text += part;
  }
  if (std::any_of(entries_.begin(), entries_.end(), [](const IndexEntry& entry) { return entry.mode == kModeTree; })) text.append("sdir\0\0\0\0", 8);
  return text + DigestOf(DigestAlgorithm::kSha1, text);
}

size_t Index::LowerBound(std::string_view path, int stage) const {
  const auto found = std::lower_bound(entries_.begin(), entries_.end(), path, [stage](const IndexEntry& entry, std::string_view wanted) {
    const int order = std::string_view(entry.path).compare(wanted);
    return order < 0 || (order == 0 && entry.stage < stage);
  });
  return static_cast<size_t>(found - entries_.begin());
}

const IndexEntry* Index::Find(std::string_view path, int stage) const {
  const size_t at = LowerBound(path, stage);
  return at < entries_.size() && entries_[at].path == path && entries_[at].stage == stage ? &entries_[at] : nullptr;
}
IndexEntry* Index::Find(std::string_view path, int stage) { return const_cast<IndexEntry*>(std::as_const(*this).Find(path, stage)); }

bool Index::HasBelow(std::string_view directory) const {
  const std::string prefix = std::string(directory) + "/";
  const size_t at = LowerBound(prefix, 0);
  return at < entries_.size() && entries_[at].path.starts_with(prefix);
}

bool Index::HasConflicts() const {
  return std::any_of(entries_.begin(), entries_.end(), [](const IndexEntry& entry) { return entry.stage != 0; });
}

void Index::Put(IndexEntry entry) {
  if (entry.stage == 0) {
    for (const int stage : {1, 2, 3}) {
      const size_t at = LowerBound(entry.path, stage);
      if (at < entries_.size() && entries_[at].path == entry.path && entries_[at].stage == stage) {
        Remember(entries_[at]);
        entries_.erase(entries_.begin() + static_cast<ptrdiff_t>(at));
      }
    }
    RemoveBelow(entry.path);
    for (size_t slash = entry.path.find('/'); slash != std::string::npos; slash = entry.path.find('/', slash + 1)) Remove(entry.path.substr(0, slash));
  }
  const size_t at = LowerBound(entry.path, entry.stage);
  if (at < entries_.size() && entries_[at].path == entry.path && entries_[at].stage == entry.stage) entries_[at] = std::move(entry);
  else entries_.insert(entries_.begin() + static_cast<ptrdiff_t>(at), std::move(entry));
}

bool Index::Remove(std::string_view path) {
  const size_t begin = LowerBound(path, 0);
  size_t end = begin;
  while (end < entries_.size() && entries_[end].path == path) Remember(entries_[end++]);
  entries_.erase(entries_.begin() + static_cast<ptrdiff_t>(begin), entries_.begin() + static_cast<ptrdiff_t>(end));
  return end > begin;
}

void Index::Remember(const IndexEntry& entry) {
  if (entry.stage == 0) return;
  ResolvedConflict& conflict = resolved_[entry.path];
  conflict.modes[static_cast<size_t>(entry.stage - 1)] = entry.mode;
  conflict.ids[static_cast<size_t>(entry.stage - 1)] = entry.id;
}

bool Index::Unmerge(std::string_view path) {
  const auto found = resolved_.find(path);
  if (found == resolved_.end()) return false;
  const ResolvedConflict conflict = found->second;
  Remove(path);
  for (size_t i = 0; i < 3; ++i) {
    if (conflict.modes[i] == 0) continue;
    IndexEntry entry;
    entry.path = path;
    entry.mode = conflict.modes[i];
    entry.id = conflict.ids[i];
    entry.stage = static_cast<int>(i) + 1;
    Put(std::move(entry));
  }
  resolved_.erase(std::string(path));
  return true;
}

void Index::RemoveBelow(std::string_view directory) {
  const std::string prefix = std::string(directory) + "/";
  const size_t begin = LowerBound(prefix, 0);
  size_t end = begin;
  while (end < entries_.size() && entries_[end].path.starts_with(prefix)) ++end;
  entries_.erase(entries_.begin() + static_cast<ptrdiff_t>(begin), entries_.begin() + static_cast<ptrdiff_t>(end));
}

}  // namespace paddock::git
