// Hashes of passwords as crypt(3) writes them: MD5 ($1$, $apr1$) and SHA ($5$, $6$).
//
// Source: the MD5 scheme of FreeBSD and Apache; Ulrich Drepper's "Unix crypt using SHA-256 and SHA-512".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace paddock {

class Budget;

enum class PasswordScheme { kMd5, kApache, kSha256, kSha512 };

// How many characters of a salt count.
size_t SaltSize(PasswordScheme scheme);

// The whole text: "$6$SALT$HASH". A salt of the SHA schemes may begin with "rounds=N$"; N is held within 1000 … 999999999. What a salt
// has beyond SaltSize() is cut.
std::string HashPassword(PasswordScheme scheme, std::string_view password, std::string_view salt, Budget& budget);

}  // namespace paddock
