#include "text/password_hash.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include "base/budget.h"
#include "text/digest.h"

namespace paddock {
namespace {

constexpr uint64_t kMd5Rounds = 1000, kShaRounds = 5000, kLeastRounds = 1000, kMostRounds = 999'999'999;

std::string Digest(DigestAlgorithm algorithm, std::initializer_list<std::string_view> parts) {
  const auto digester = MakeDigester(algorithm);
  for (const std::string_view part : parts) digester->Update(part);
  return digester->Finish();
}
// The text over and over, up to `size` bytes.
std::string Repeated(std::string_view text, size_t size) {
  std::string whole;
  while (whole.size() < size) whole += text.substr(0, size - whole.size());
  return whole;
}

// Three bytes as four characters of crypt's alphabet, lowest bits first.
void AppendCoded(std::string& to, uint32_t bits, size_t characters) {
  constexpr std::string_view kAlphabet = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  for (size_t i = 0; i < characters; ++i, bits >>= 6) to += kAlphabet[bits & 63];
}
// Triples of a digest's bytes by these places, then what is left over.
std::string Coded(const std::string& digest, const std::vector<int>& places) {
  const auto byte = [&](size_t i) { return places[i] < 0 ? 0u : static_cast<uint32_t>(static_cast<unsigned char>(digest[static_cast<size_t>(places[i])])); };
  std::string text;
  size_t left = digest.size();
  for (size_t i = 0; i < places.size(); i += 3) {
    const size_t taken = std::min<size_t>(left, 3);
    AppendCoded(text, byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2), taken + 1);
    left -= taken;
  }
  return text;
}

std::string HashMd5(std::string_view magic, std::string_view password, std::string_view salt, Budget& budget) {
  const auto md5 = DigestAlgorithm::kMd5;
  const std::string inner = Digest(md5, {password, salt, password});
  std::string start = std::string(password) + std::string(magic) + std::string(salt) + Repeated(inner, password.size());
  for (size_t length = password.size(); length > 0; length >>= 1) start += (length & 1) != 0 ? '\0' : password[0];
  std::string hash = DigestOf(md5, start);
  for (uint64_t i = 0; i < kMd5Rounds; ++i) {
    budget.Step(static_cast<int64_t>(8 + password.size() / 16));
    const bool is_odd = i % 2 == 1;
    hash = Digest(md5, {is_odd ? password : std::string_view(hash), i % 3 != 0 ? salt : std::string_view(), i % 7 != 0 ? password : std::string_view(),
                        is_odd ? std::string_view(hash) : password});
  }
  return std::string(magic) + std::string(salt) + "$" + Coded(hash, {0, 6, 12, 1, 7, 13, 2, 8, 14, 3, 9, 15, 4, 10, 5, -1, -1, 11});
}

// The bytes of a digest go out in triples of places a third apart, each turned against the one before.
std::vector<int> ShaPlaces(size_t size) {
  std::vector<int> places;
  const bool is_long = size == 64;
  const int third = is_long ? 21 : 10;
  int triple[3] = {0, third, 2 * third};
  for (int i = 0; i < third; ++i) {
    places.insert(places.end(), triple, triple + 3);
    if (is_long) std::rotate(triple, triple + 1, triple + 3);
    else std::rotate(triple, triple + 2, triple + 3);
    for (int& place : triple) ++place;
  }
  if (is_long) places.insert(places.end(), {-1, -1, 63});
  else places.insert(places.end(), {-1, 31, 30});
  return places;
}

std::string HashSha(PasswordScheme scheme, std::string_view password, std::string_view salt, Budget& budget) {
  const bool is_long = scheme == PasswordScheme::kSha512;
  const auto sha = is_long ? DigestAlgorithm::kSha512 : DigestAlgorithm::kSha256;
  uint64_t rounds = kShaRounds;
  std::string head = is_long ? "$6$" : "$5$";
  constexpr std::string_view kRounds = "rounds=";
  if (salt.starts_with(kRounds)) {
    const std::string_view rest = salt.substr(kRounds.size());
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), rounds);
    if (end != rest.data() + rest.size() && *end == '$') {
      rounds = error == std::errc() ? std::clamp(rounds, kLeastRounds, kMostRounds) : kMostRounds;
      salt.remove_prefix(static_cast<size_t>(end - salt.data()) + 1);
      head += std::string(kRounds) + std::to_string(rounds) + "$";
    }
  }
  salt = salt.substr(0, SaltSize(scheme));
  budget.WillAllocate(4 * password.size());
  const std::string inner = Digest(sha, {password, salt, password});
  std::string start = std::string(password) + std::string(salt) + Repeated(inner, password.size());
  for (size_t length = password.size(); length > 0; length >>= 1) start += (length & 1) != 0 ? std::string_view(inner) : password;
  std::string hash = DigestOf(sha, start);
  const auto password_digest = MakeDigester(sha), salt_digest = MakeDigester(sha);
  for (size_t i = 0; i < password.size(); ++i) {
    budget.Step(static_cast<int64_t>(1 + password.size() / 16));
    password_digest->Update(password);
  }
  for (int i = 0; i < 16 + static_cast<unsigned char>(hash[0]); ++i) salt_digest->Update(salt);
  const std::string p = Repeated(password_digest->Finish(), password.size());
  const std::string s = Repeated(salt_digest->Finish(), salt.size());
  for (uint64_t i = 0; i < rounds; ++i) {
    budget.Step(static_cast<int64_t>(16 + password.size() / 16));
    const bool is_odd = i % 2 == 1;
    const std::string_view empty;
    hash = Digest(sha, {is_odd ? p : hash, i % 3 != 0 ? std::string_view(s) : empty, i % 7 != 0 ? std::string_view(p) : empty, is_odd ? hash : p});
  }
  return head + std::string(salt) + "$" + Coded(hash, ShaPlaces(hash.size()));
}

}  // namespace

size_t SaltSize(PasswordScheme scheme) { return scheme == PasswordScheme::kMd5 || scheme == PasswordScheme::kApache ? 8 : 16; }

std::string HashPassword(PasswordScheme scheme, std::string_view password, std::string_view salt, Budget& budget) {
  if (scheme == PasswordScheme::kSha256 || scheme == PasswordScheme::kSha512) return HashSha(scheme, password, salt, budget);
  return HashMd5(scheme == PasswordScheme::kMd5 ? "$1$" : "$apr1$", password, salt.substr(0, SaltSize(scheme)), budget);
}

}  // namespace paddock
