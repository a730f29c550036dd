#include "commands/git/objects/pack_repair.h"

#include <algorithm>
#include <functional>
#include <set>

#include "git/big_endian.h"
#include "git/delta_pack.h"
#include "git/zlib_data.h"
#include "text/digest.h"

namespace paddock::git {
namespace {

constexpr size_t kChecksum = 20, kHeader = 12;

// Hands the entries of a pack on, in their order.
using OnEntry = std::function<Status(uint64_t offset, const EntryHead& head, std::string data)>;
Status ScanPack(Git& git, const std::string& path, const OnEntry& take) {
  PADDOCK_ASSIGN(const vfs::Attributes facts, git.in.fs.Stat(path));
  if (facts.size < kHeader + kChecksum) return Error(Code::kCorrupt, "early EOF");
  PackBytes bytes([&git, path] { return git.in.fs.Open(path, vfs::OpenFlags::Read()); }, facts.size);
  const uint64_t end = facts.size - kChecksum;
  PADDOCK_ASSIGN(const std::string_view start, bytes.From(0, kHeader));
  const uint32_t count = Read32(start, 8);
  uint64_t offset = kHeader;
  for (uint32_t i = 0; i < count && offset < end; ++i) {
    git.in.budget.Step();
    PADDOCK_ASSIGN(const std::string_view front, bytes.From(offset, kMostEntryHead));
    PADDOCK_ASSIGN(const EntryHead head, ReadEntryHead(front, offset));
    const uint64_t begin = offset + head.length;
    const auto pieces = [&bytes, begin, end](size_t taken) -> Result<std::string_view> {
      if (begin + taken >= end) return std::string_view();
      PADDOCK_ASSIGN(const std::string_view rest, bytes.From(begin + taken, 4));
      return rest.substr(0, end - begin - taken);
    };
    if (begin > end || !MayInflateTo(head.size, end - begin)) return Error(Code::kCorrupt, "early EOF");
    git.in.budget.WillAllocate(head.size);
    PADDOCK_ASSIGN(Inflated data, InflatePieces(pieces, head.size, true, git.in.budget));
    PADDOCK_TRY(take(offset, head, std::move(data.data)));
    offset = begin + data.taken;
  }
  return {};
}

}  // namespace

Status CompleteThinPack(Git& git, const std::string& path) {
  PADDOCK_ASSIGN(const vfs::Attributes facts, git.in.fs.Stat(path));
  const auto open = [&git, path] { return git.in.fs.Open(path, vfs::OpenFlags::Read()); };
  if (Pack::MakeIndex(PackBytes(open, facts.size), git.in.budget)) return {};
  std::set<Oid> bases;
  PADDOCK_TRY(ScanPack(git, path, [&](uint64_t, const EntryHead& head, std::string) -> Status {
    if (head.kind == 7 && git.objects.Has(head.base_id)) bases.insert(head.base_id);
    return {};
  }));
  if (bases.empty()) return {};
  PADDOCK_ASSIGN(const std::string old, vfs::ReadFile(git.in.fs, path, uint64_t{1} << 30));
  git.in.budget.WillAllocate(2 * old.size());
  std::string text = old.substr(0, old.size() - kChecksum);
  std::string count;
  Append32(count, Read32(text, 8) + static_cast<uint32_t>(bases.size()));
  text.replace(8, 4, count);
  for (const Oid& id : bases) {
    PADDOCK_ASSIGN(const Object object, git.objects.Read(id));
    AppendEntryHead(text, static_cast<unsigned>(object.type), object.data.size());
    text += Deflate(object.data, git.in.budget);
  }
  text += DigestOf(DigestAlgorithm::kSha1, text);
  static_cast<void>(git.in.fs.RemoveFile(path).has_value());
  return vfs::WriteFile(git.in.fs, path, text, 0600);
}

Status RecoverPack(Git& git, const std::string& path) {
  std::map<uint64_t, Oid> ids;
  const Status scanned = ScanPack(git, path, [&](uint64_t offset, const EntryHead& head, std::string data) -> Status {
    git.in.budget.WillAllocate(64);
    if (!head.is_difference()) {
      PADDOCK_ASSIGN(ids[offset], git.objects.Write(static_cast<ObjectType>(head.kind), data));
      return {};
    }
    const auto base = ids.find(head.base_offset);
    if (head.kind == 6 && base == ids.end()) return {};
    const auto from = git.objects.Read(head.kind == 6 ? base->second : head.base_id);
    if (!from) return {};
    PADDOCK_ASSIGN(const std::string whole, ApplyDelta(from->data, data, git.in.budget));
    PADDOCK_ASSIGN(ids[offset], git.objects.Write(from->type, whole));
    return {};
  });
  static_cast<void>(scanned.has_value());   // where it ends was told before
  return {};
}

}  // namespace paddock::git
