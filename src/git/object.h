// Git's objects as bytes: ids, and the parsing and writing of trees, commits and tags. Nothing here touches a file, and nothing
// trusts what it reads: a name in a tree is bytes without '/' and NUL, and whoever makes a file of it asks IsSafePath() first.
//
// Source: gitformat-* manuals, "Git Internals" of the Git book; git 2.39.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "base/result.h"

namespace paddock::git {

struct Oid {
  std::array<uint8_t, 20> bytes{};

  auto operator<=>(const Oid&) const = default;
  bool is_null() const { return *this == Oid{}; }
  std::string Hex() const;
  std::string_view View() const { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
  // From 40 hexadecimal digits.
  static std::optional<Oid> FromHex(std::string_view hex);
  // From the first 20 bytes.
  static Oid FromBytes(std::string_view raw);
};

// They are as good as random already.
struct OidHash {
  size_t operator()(const Oid& id) const {
    size_t hash;
    std::memcpy(&hash, id.bytes.data(), sizeof hash);
    return hash;
  }
};

enum class ObjectType : uint8_t { kCommit = 1, kTree = 2, kBlob = 3, kTag = 4 };
std::string_view TypeName(ObjectType type);
std::optional<ObjectType> TypeOf(std::string_view name);

struct Object {
  ObjectType type = ObjectType::kBlob;
  std::string data;
};
using ObjectPtr = std::shared_ptr<const Object>;   // of one that was made without const
// The object itself, without a copy where nobody else has it.
Object TakeObject(ObjectPtr object);
Oid HashObject(ObjectType type, std::string_view data);

inline constexpr uint32_t kModeTree = 040000, kModeFile = 0100644, kModeExecutable = 0100755, kModeLink = 0120000, kModeCommit = 0160000;

struct TreeEntry {
  uint32_t mode = 0;
  std::string name;
  Oid id;
  bool is_tree() const { return mode == kModeTree; }
};
Result<std::vector<TreeEntry>> ParseTree(std::string_view data, Budget& budget);
// Sorts the entries as git does, then writes them.
std::string TreeText(std::vector<TreeEntry> entries);

// "Name <email> 1700000000 +0100" in its parts.
struct Signature {
  std::string name, email;
  int64_t time = 0;      // seconds since 1970
  int offset = 0;        // minutes east of UTC
  std::string Text() const;
};
// What is malformed is left empty, as git shows it.
Signature ParseSignature(std::string_view text);
// Its time alone.
int64_t SignatureTime(std::string_view text);
// "+0130".
std::string OffsetText(int minutes);

struct Commit {
  Oid tree;
  std::vector<Oid> parents;
  std::string author, committer;   // as Signature::Text()
  std::vector<std::string> extra;  // other header lines, continuation lines included
  std::string message;
  std::string Text() const;
};
Result<Commit> ParseCommit(std::string_view data, Budget& budget);

struct Tag {
  Oid object;
  ObjectType type = ObjectType::kCommit;
  std::string name, tagger, message;
  std::string Text() const;
};
Result<Tag> ParseTag(std::string_view data);

// Whether a path of a tree or an index may become a file: no empty part, no "." or "..", nothing that any file system takes for .git.
bool IsSafePath(std::string_view path);

}  // namespace paddock::git
