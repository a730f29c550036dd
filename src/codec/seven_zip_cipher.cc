// 7zAES: AES-256-CBC, its key from many rounds of SHA-256 over the password.

#include <openssl/evp.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>

#include "base/budget.h"
#include "codec/coder.h"
#include "codec/seven_zip.h"

namespace paddock::codec {
namespace {

constexpr unsigned kMostPower = 24;   // of the rounds; as 7-Zip
constexpr unsigned kUsualPower = 19;
constexpr size_t kBlock = 16, kKey = 32;

using Key = std::array<uint8_t, kKey>;

// The password in UTF-16, from UTF-8; bytes that are none stand for themselves.
std::string Wide(std::string_view password) {
  std::string wide;
  const auto put = [&wide](uint32_t unit) {
    wide += static_cast<char>(unit & 0xff);
    wide += static_cast<char>(unit >> 8 & 0xff);
  };
  for (size_t i = 0; i < password.size();) {
    const auto lead = static_cast<unsigned char>(password[i]);
    const size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 1;
    uint32_t point = size == 1 ? lead : lead & (0xffu >> (size + 1));
    bool is_good = i + size <= password.size();
    for (size_t k = 1; is_good && k < size; ++k) {
      is_good = (password[i + k] & 0xc0) == 0x80;
      point = point << 6 | (static_cast<unsigned char>(password[i + k]) & 0x3f);
    }
    if (!is_good) point = lead;
    i += is_good ? size : 1;
    if (point >= 0x10000) {
      put(0xd800 + ((point - 0x10000) >> 10));
      put(0xdc00 + ((point - 0x10000) & 0x3ff));
    } else {
      put(point);
    }
  }
  return wide;
}

Result<Key> MakeKey(std::string_view password, std::string_view salt, unsigned power, Budget& budget) {
  Key key{};
  const std::string wide = std::string(salt) + Wide(password);
  if (power == 0x3f) {
    std::copy_n(wide.begin(), std::min(wide.size(), kKey), key.begin());
    return key;
  }
  if (power > kMostPower) return Error(Code::kNotSupported, "Unsupported Method");
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> digest(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  bool is_good = digest != nullptr && EVP_DigestInit_ex(digest.get(), EVP_sha256(), nullptr) == 1;
  std::string round = wide + std::string(8, '\0');
  for (uint64_t i = 0; is_good && i < uint64_t{1} << power; ++i) {
    budget.Step(static_cast<int64_t>(round.size() / 64) + 1);
    for (size_t k = 0; k < 8; ++k) round[wide.size() + k] = static_cast<char>(i >> (8 * k) & 0xff);
    is_good = EVP_DigestUpdate(digest.get(), round.data(), round.size()) == 1;
  }
  if (!is_good || EVP_DigestFinal_ex(digest.get(), key.data(), nullptr) != 1) return Error(Code::kNoMemory);
  return key;
}

class Cipher final : public Coder {
 public:
  explicit Cipher(bool encrypts) : encrypts_(encrypts), cipher_(EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_free) {}

  Status Begin(const Key& key, const std::array<uint8_t, kBlock>& start) {
    if (cipher_ == nullptr || EVP_CipherInit_ex(cipher_.get(), EVP_aes_256_cbc(), nullptr, key.data(), start.data(), encrypts_ ? 1 : 0) != 1) return Error(Code::kNoMemory);
    EVP_CIPHER_CTX_set_padding(cipher_.get(), 0);
    return {};
  }

  // A last piece of a block is filled up with zeros; the other way round they are left to who knows the size.
  Result<Step> Run(std::string_view in, bool ends, char* out, size_t room) override {
    if (room < 2 * kBlock) return Step{0, 0, is_over_};
    const size_t count = std::min(in.size(), room - kBlock);
    int made = 0, more = 0;
    auto* to = reinterpret_cast<unsigned char*>(out);
    if (EVP_CipherUpdate(cipher_.get(), to, &made, reinterpret_cast<const unsigned char*>(in.data()), static_cast<int>(count)) != 1) return Error(Code::kCorrupt, "Data Error");
    taken_ += count;
    if (ends && count == in.size()) {
      if (taken_ % kBlock != 0 && !is_over_) {
        if (!encrypts_) return Error(Code::kCorrupt, "Data Error");
        const std::array<unsigned char, kBlock> zeros{};
        if (EVP_CipherUpdate(cipher_.get(), to + made, &more, zeros.data(), static_cast<int>(kBlock - taken_ % kBlock)) != 1) return Error(Code::kCorrupt, "Data Error");
      }
      is_over_ = true;
    }
    return Step{count, static_cast<size_t>(made + more), is_over_};
  }

 private:
  bool encrypts_;
  std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)> cipher_;
  uint64_t taken_ = 0;
  bool is_over_ = false;
};

}  // namespace

Result<CoderPtr> NewSevenZipDecipherer(const SevenZipCoder& coder, std::string_view password, Budget& budget) {
  const std::string& bytes = coder.properties;
  if (bytes.empty()) return Error(Code::kNotSupported, "Unsupported Method");
  const auto first = static_cast<uint8_t>(bytes[0]);
  size_t salt = first >> 7 & 1, start = first >> 6 & 1;
  size_t at = 1;
  if (salt + start > 0) {
    if (bytes.size() < 2) return Error(Code::kNotSupported, "Unsupported Method");
    salt += static_cast<uint8_t>(bytes[1]) >> 4;
    start += static_cast<uint8_t>(bytes[1]) & 15;
    at = 2;
  }
  if (bytes.size() != at + salt + start || start > kBlock) return Error(Code::kNotSupported, "Unsupported Method");
  std::array<uint8_t, kBlock> vector{};
  std::copy_n(bytes.begin() + static_cast<ptrdiff_t>(at + salt), start, vector.begin());
  PADDOCK_ASSIGN(const Key key, MakeKey(password, std::string_view(bytes).substr(at, salt), first & 63, budget));
  auto cipher = std::make_unique<Cipher>(false);
  PADDOCK_TRY(cipher->Begin(key, vector));
  return CoderPtr(std::move(cipher));
}

Result<SevenZipEncoder> NewSevenZipCipher(std::string_view password, Budget& budget) {
  std::array<uint8_t, kBlock> vector{};
  if (RAND_bytes(vector.data(), static_cast<int>(vector.size())) != 1) return Error(Code::kNoMemory);
  PADDOCK_ASSIGN(const Key key, MakeKey(password, {}, kUsualPower, budget));
  auto cipher = std::make_unique<Cipher>(true);
  PADDOCK_TRY(cipher->Begin(key, vector));
  SevenZipEncoder encoder;
  encoder.coder.id = kSevenZipAes;
  encoder.coder.properties = {static_cast<char>(0x40 | kUsualPower), static_cast<char>(kBlock - 1)};
  encoder.coder.properties.append(reinterpret_cast<const char*>(vector.data()), vector.size());
  encoder.encoder = std::move(cipher);
  return encoder;
}

}  // namespace paddock::codec
