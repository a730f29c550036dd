#include "api/keys/key_text.h"

#include <openssl/crypto.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/crc32c.h"
#include "base/id.h"
#include "base/random.h"
#include "text/digest.h"

namespace paddock::api {
namespace {

constexpr std::string_view kAlphabet = "abcdefghijklmnopqrstuvwxyz234567";
constexpr std::string_view kPrefix = "pdk_";
constexpr std::string_view kIdPrefix = "key_";
constexpr size_t kNameCharacters = 20;
constexpr size_t kSecretBytes = 32;
constexpr size_t kSecretCharacters = 52;
constexpr size_t kCheckCharacters = 6;
constexpr size_t kLength = kPrefix.size() + kNameCharacters + kSecretCharacters + kCheckCharacters;

// RFC 4648's base 32, small letters, without padding.
std::string Base32(std::span<const uint8_t> bytes) {
  std::string text;
  uint32_t bits = 0;
  int count = 0;
  for (const uint8_t byte : bytes) {
    bits = (bits << 8) | byte;
    for (count += 8; count >= 5; count -= 5) text += kAlphabet[(bits >> (count - 5)) & 31];
  }
  if (count > 0) text += kAlphabet[(bits << (5 - count)) & 31];
  return text;
}

std::string CheckOf(std::string_view text) {
  uint32_t sum = Crc32c(text);
  std::string check;
  for (size_t i = 0; i < kCheckCharacters; ++i, sum >>= 5) check += kAlphabet[sum & 31];
  return check;
}

}  // namespace

KeyText MakeKeyText() {
  std::array<uint8_t, kSecretBytes> secret;
  FillRandom(secret);
  const std::string id = NewId(kIdPrefix);
  std::string text = std::string(kPrefix) + id.substr(kIdPrefix.size()) + Base32(secret);
  OPENSSL_cleanse(secret.data(), secret.size());
  text += CheckOf(text);
  return {std::move(text), id};
}

Result<std::string> ReadKeyText(std::string_view text) {
  const bool is_formed = text.size() == kLength && text.starts_with(kPrefix) &&
                         std::all_of(text.begin() + kPrefix.size(), text.end(),
                                     [](char c) { return kAlphabet.find(c) != std::string_view::npos; }) &&
                         text.substr(kLength - kCheckCharacters) == CheckOf(text.substr(0, kLength - kCheckCharacters));
  if (!is_formed) return Error(Code::kInvalid, "not an API key: copy the whole of it, from pdk_ on");
  return std::string(kIdPrefix) + std::string(text.substr(kPrefix.size(), kNameCharacters));
}

std::string KeyDigest(std::string_view text) {
  return HexOf(DigestOf(DigestAlgorithm::kSha256, text));
}

bool IsSameDigest(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace paddock::api
