// ObjectId: the name of an object of the store, the SHA-256 of its canonical encoding.
//
// The kind of an object is part of what is hashed, so a file whose bytes look like a directory never has
// a directory's name. docs/store-format.md describes the encodings.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/result.h"

namespace paddock::trees {

enum class ObjectKind : uint8_t {
  kChunk = 1,      // bytes of a file
  kMap = 2,        // which chunks make a file
  kDirectory = 3,  // entries, or a part of them
  kTree = 4        // a root: its directory and its hard links
};

struct ObjectId {
  static constexpr size_t kSize = 32;
  std::array<uint8_t, kSize> bytes{};

  auto operator<=>(const ObjectId&) const = default;
  // "sha256:" and 64 lower-case digits.
  std::string ToString() const;
  // Exactly what ToString() makes. Errors: kInvalid.
  static Result<ObjectId> Parse(std::string_view text);
};

// The id of an object with this canonical body.
ObjectId IdOf(ObjectKind kind, std::string_view body);

struct ObjectIdHash {
  size_t operator()(const ObjectId& id) const {
    size_t hash;
    std::memcpy(&hash, id.bytes.data(), sizeof(hash));
    return hash;
  }
};

}  // namespace paddock::trees
