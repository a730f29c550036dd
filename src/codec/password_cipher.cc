#include "codec/password_cipher.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>

#include "base/budget.h"

namespace paddock::codec {
namespace {

constexpr size_t kBlock = 16;
constexpr size_t kMostAtOnce = 1 << 20;

constexpr CipherKind kKinds[] = {
    {"aes-128-cbc", 16, kBlock, true}, {"aes-192-cbc", 24, kBlock, true}, {"aes-256-cbc", 32, kBlock, true},
    {"aes-128-ctr", 16, kBlock, false}, {"aes-192-ctr", 24, kBlock, false}, {"aes-256-ctr", 32, kBlock, false},
    {"aes-128-ecb", 16, 0, true}, {"aes-192-ecb", 24, 0, true}, {"aes-256-ecb", 32, 0, true},
};

const EVP_CIPHER* CipherOf(std::string_view name) {
  using Maker = const EVP_CIPHER* (*)();
  constexpr Maker kMakers[] = {EVP_aes_128_cbc, EVP_aes_192_cbc, EVP_aes_256_cbc, EVP_aes_128_ctr, EVP_aes_192_ctr, EVP_aes_256_ctr, EVP_aes_128_ecb, EVP_aes_192_ecb, EVP_aes_256_ecb};
  for (size_t i = 0; i < std::size(kKinds); ++i) {
    if (kKinds[i].name == name) return kMakers[i]();
  }
  return nullptr;
}

const EVP_MD* DigestFor(std::string_view name) {
  if (name == "md5") return EVP_md5();
  if (name == "sha1") return EVP_sha1();
  if (name == "sha224") return EVP_sha224();
  if (name == "sha256") return EVP_sha256();
  if (name == "sha384") return EVP_sha384();
  if (name == "sha512") return EVP_sha512();
  return nullptr;
}

class PasswordAes final : public PasswordCipher {
 public:
  PasswordAes() : context_(EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_free) {}

  Status Begin(const CipherKind& kind, std::string_view key, std::string_view start, bool encrypts, bool fills_up) {
    const auto bytes = [](std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); };
    const EVP_CIPHER* const cipher = CipherOf(kind.name);
    if (context_ == nullptr || cipher == nullptr || key.size() != kind.key_size || start.size() != kind.start_size) return Error(Code::kInvalid);
    if (EVP_CipherInit_ex(context_.get(), cipher, nullptr, bytes(key), start.empty() ? nullptr : bytes(start), encrypts ? 1 : 0) != 1) return Error(Code::kNoMemory);
    EVP_CIPHER_CTX_set_padding(context_.get(), fills_up ? 1 : 0);
    return {};
  }

  Status Update(std::string_view bytes, std::string& out) override {
    for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), kMostAtOnce))) {
      const std::string_view part = bytes.substr(0, kMostAtOnce);
      const size_t size = out.size();
      out.resize(size + part.size() + kBlock);
      int made = 0;
      if (EVP_CipherUpdate(context_.get(), reinterpret_cast<unsigned char*>(out.data() + size), &made, reinterpret_cast<const unsigned char*>(part.data()), static_cast<int>(part.size())) != 1) {
        out.resize(size);
        return Error(Code::kInvalid);
      }
      out.resize(size + static_cast<size_t>(made));
    }
    return {};
  }

  Status Finish(std::string& out) override {
    std::array<unsigned char, kBlock> rest;
    int made = 0;
    if (EVP_CipherFinal_ex(context_.get(), rest.data(), &made) != 1) return Error(Code::kInvalid);
    out.append(reinterpret_cast<const char*>(rest.data()), static_cast<size_t>(made));
    return {};
  }

 private:
  std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)> context_;
};

// A digest of pieces. One that has a beginning can be gone on with from there, as HMAC does in every round.
class ResumableDigest {
 public:
  ResumableDigest() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {}
  bool Begin(const EVP_MD* digest) { return context_ != nullptr && EVP_DigestInit_ex(context_.get(), digest, nullptr) == 1; }
  bool Continue(const ResumableDigest& beginning) { return context_ != nullptr && EVP_MD_CTX_copy_ex(context_.get(), beginning.context_.get()) == 1; }
  bool Add(std::string_view text) { return EVP_DigestUpdate(context_.get(), text.data(), text.size()) == 1; }
  bool End(std::string& out) {
    unsigned int size = EVP_MAX_MD_SIZE;
    out.resize(size);
    if (EVP_DigestFinal_ex(context_.get(), reinterpret_cast<unsigned char*>(out.data()), &size) != 1) return false;
    out.resize(size);
    return true;
  }

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

}  // namespace

const CipherKind* FindCipher(std::string_view name) {
  const std::string full = name == "aes128" ? "aes-128-cbc" : name == "aes192" ? "aes-192-cbc" : name == "aes256" ? "aes-256-cbc" : std::string(name);
  const auto found = std::find_if(std::begin(kKinds), std::end(kKinds), [&](const CipherKind& kind) { return kind.name == full; });
  return found == std::end(kKinds) ? nullptr : &*found;
}

std::span<const CipherKind> CipherKinds() { return kKinds; }

Result<std::unique_ptr<PasswordCipher>> MakePasswordCipher(const CipherKind& kind, std::string_view key, std::string_view start, bool encrypts, bool fills_up) {
  auto cipher = std::make_unique<PasswordAes>();
  PADDOCK_TRY(cipher->Begin(kind, key, start, encrypts, fills_up));
  return std::unique_ptr<PasswordCipher>(std::move(cipher));
}

bool IsKeyDigest(std::string_view name) { return DigestFor(name) != nullptr; }

Result<std::string> Pbkdf2(std::string_view digest, std::string_view password, std::string_view salt, uint64_t rounds, size_t size, Budget& budget) {
  const EVP_MD* const kind = DigestFor(digest);
  if (kind == nullptr) return Error(Code::kInvalid);
  const auto block = static_cast<size_t>(EVP_MD_block_size(kind));
  std::string padded(password);
  ResumableDigest inner, outer, work;
  bool is_good = true;
  if (padded.size() > block) is_good = work.Begin(kind) && work.Add(password) && work.End(padded);
  padded.resize(block, '\0');
  const auto masked = [&](unsigned char mask) {
    std::string text = padded;
    for (char& c : text) c = static_cast<char>(static_cast<unsigned char>(c) ^ mask);
    return text;
  };
  is_good = is_good && inner.Begin(kind) && inner.Add(masked(0x36)) && outer.Begin(kind) && outer.Add(masked(0x5c));
  std::string key;
  for (uint32_t number = 1; is_good && key.size() < size; ++number) {
    std::string round(salt);
    for (int shift = 24; shift >= 0; shift -= 8) round += static_cast<char>(number >> shift & 0xff);
    std::string sum;
    for (uint64_t i = 0; is_good && i < rounds; ++i) {
      budget.Step(4);
      is_good = work.Continue(inner) && work.Add(round) && work.End(round) && work.Continue(outer) && work.Add(round) && work.End(round);
      if (sum.empty()) sum.assign(round.size(), '\0');
      for (size_t k = 0; k < sum.size(); ++k) sum[k] = static_cast<char>(sum[k] ^ round[k]);
    }
    key += sum;
  }
  if (!is_good) return Error(Code::kNoMemory);
  key.resize(size);
  return key;
}

Result<std::string> OldPasswordKey(std::string_view digest, std::string_view password, std::string_view salt, size_t size, Budget& budget) {
  const EVP_MD* const kind = DigestFor(digest);
  if (kind == nullptr) return Error(Code::kInvalid);
  std::string key, last;
  ResumableDigest work;
  while (key.size() < size) {
    budget.Step(static_cast<int64_t>(1 + password.size() / 64));
    if (!work.Begin(kind) || !work.Add(last) || !work.Add(password) || !work.Add(salt) || !work.End(last)) return Error(Code::kNoMemory);
    key += last;
  }
  key.resize(size);
  return key;
}

}  // namespace paddock::codec
