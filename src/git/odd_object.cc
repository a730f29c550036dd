#include "git/odd_object.h"

#include <charconv>

#include "git/zlib_data.h"
#include "text/digest.h"

namespace paddock::git {
namespace {

constexpr uint64_t kMostBytes = 256 << 20;
constexpr size_t kLongestHead = 64;

std::string WithHead(std::string_view type, std::string_view data) {
  std::string text(type);
  text += ' ' + std::to_string(data.size());
  text.push_back('\0');
  text += data;
  return text;
}

}  // namespace

Oid HashOddObject(std::string_view type, std::string_view data) { return Oid::FromBytes(DigestOf(DigestAlgorithm::kSha1, WithHead(type, data))); }

Status WriteOddObject(vfs::FileSystem& fs, ObjectStore& objects, std::string_view type, std::string_view data, Budget& budget) {
  budget.WillAllocate(2 * data.size());
  const std::string path = objects.LoosePath(HashOddObject(type, data));
  PADDOCK_TRY(vfs::MakeDirectories(fs, vfs::DirectoryName(path)));
  PADDOCK_TRY(vfs::WriteFile(fs, path, Deflate(WithHead(type, data), budget), 0444));
  objects.ForgetAll();
  return {};
}

Result<ObjectHead> ReadObjectHead(vfs::FileSystem& fs, const ObjectStore& objects, const Oid& id, Budget& budget) {
  const std::string path = objects.LoosePath(id);
  if (const auto facts = fs.Stat(path)) budget.WillAllocate(facts->size);
  PADDOCK_ASSIGN(const std::string packed, vfs::ReadFile(fs, path, kMostBytes));
  const auto head = Inflate(packed, kLongestHead, false, budget);
  const Error corrupt(Code::kCorrupt, "object " + id.Hex() + " is corrupt");
  if (!head) return corrupt;
  const size_t blank = head->data.find(' '), end = head->data.find('\0');
  if (blank == std::string::npos || end == std::string::npos || end < blank) return corrupt;
  ObjectHead found{head->data.substr(0, blank), 0};
  const auto read = std::from_chars(head->data.data() + blank + 1, head->data.data() + end, found.size);
  if (read.ec != std::errc{} || read.ptr != head->data.data() + end) return corrupt;
  return found;
}

}  // namespace paddock::git
