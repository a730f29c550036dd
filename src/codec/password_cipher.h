// AES under a key that is made of a password, as `openssl enc` has it: the ciphers, and both ways from a password to a key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace paddock {
class Budget;
}

namespace paddock::codec {

struct CipherKind {
  std::string_view name;   // "aes-256-cbc"
  size_t key_size;
  size_t start_size;       // of the start value (IV); 0: it has none
  bool has_blocks;         // whole blocks only: the last one is filled up
};
// "aes256" and the like stand for CBC. Null: there is none of that name.
const CipherKind* FindCipher(std::string_view name);
std::span<const CipherKind> CipherKinds();

class PasswordCipher {
 public:
  virtual ~PasswordCipher() = default;
  // Adds to `out`. At most 1 MiB at once.
  virtual Status Update(std::string_view bytes, std::string& out) = 0;
  // kInvalid: the text does not end as a filled-up block does (a wrong key, as a rule), or where a block does.
  virtual Status Finish(std::string& out) = 0;
};
// `key` and `start` have the sizes of the kind. Without `fills_up` the text has to have whole blocks.
Result<std::unique_ptr<PasswordCipher>> MakePasswordCipher(const CipherKind& kind, std::string_view key, std::string_view start, bool encrypts, bool fills_up);

// Whether there is a digest of this name for the two below: md5, sha1, sha224, sha256, sha384, sha512.
bool IsKeyDigest(std::string_view name);
// PBKDF2 with HMAC (RFC 8018). `size` bytes; every round is charged.
Result<std::string> Pbkdf2(std::string_view digest, std::string_view password, std::string_view salt, uint64_t rounds, size_t size, Budget& budget);
// OpenSSL's older way, EVP_BytesToKey with one round.
Result<std::string> OldPasswordKey(std::string_view digest, std::string_view password, std::string_view salt, size_t size, Budget& budget);

}  // namespace paddock::codec
