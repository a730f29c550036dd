#include "text/digest.h"

#define OPENSSL_SUPPRESS_DEPRECATED   // see digest.h for why not EVP
#include <blake2.h>
#include <openssl/md5.h>
#include <openssl/sha.h>

#include "base/check.h"
#include "text/sm3.h"

namespace paddock {
namespace {

template <class Context, auto kInit, auto kUpdate, auto kFinal, size_t kSize>
class OpensslDigester final : public Digester {
 public:
  OpensslDigester() { kInit(&context_); }
  void Update(std::string_view bytes) override { kUpdate(&context_, bytes.data(), bytes.size()); }
  std::string Finish() override {
    std::string digest(kSize, '\0');
    kFinal(reinterpret_cast<unsigned char*>(digest.data()), &context_);
    return digest;
  }

 private:
  Context context_;
};

class Blake2bDigester final : public Digester {
 public:
  explicit Blake2bDigester(size_t size) : size_(size) { PADDOCK_CHECK(blake2b_init(&state_, size) == 0); }
  void Update(std::string_view bytes) override {
    blake2b_update(&state_, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  }
  std::string Finish() override {
    std::string digest(size_, '\0');
    blake2b_final(&state_, reinterpret_cast<uint8_t*>(digest.data()), size_);
    return digest;
  }

 private:
  size_t size_;
  blake2b_state state_;
};

class Sm3Digester final : public Digester {
 public:
  void Update(std::string_view bytes) override { sm3_.Update(bytes); }
  std::string Finish() override { return sm3_.Finish(); }

 private:
  Sm3 sm3_;
};

}  // namespace

size_t DigestSize(DigestAlgorithm algorithm) {
  switch (algorithm) {
    case DigestAlgorithm::kMd5: return MD5_DIGEST_LENGTH;
    case DigestAlgorithm::kSha1: return SHA_DIGEST_LENGTH;
    case DigestAlgorithm::kSha224: return SHA224_DIGEST_LENGTH;
    case DigestAlgorithm::kSha256: return SHA256_DIGEST_LENGTH;
    case DigestAlgorithm::kSha384: return SHA384_DIGEST_LENGTH;
    case DigestAlgorithm::kSha512: return SHA512_DIGEST_LENGTH;
    case DigestAlgorithm::kBlake2b: return BLAKE2B_OUTBYTES;
    case DigestAlgorithm::kSm3: return Sm3::kSize;
  }
  __builtin_unreachable();
}

std::unique_ptr<Digester> MakeDigester(DigestAlgorithm algorithm, size_t size) {
  switch (algorithm) {
    case DigestAlgorithm::kMd5:
      return std::make_unique<OpensslDigester<MD5_CTX, MD5_Init, MD5_Update, MD5_Final, MD5_DIGEST_LENGTH>>();
    case DigestAlgorithm::kSha1:
      return std::make_unique<OpensslDigester<SHA_CTX, SHA1_Init, SHA1_Update, SHA1_Final, SHA_DIGEST_LENGTH>>();
    case DigestAlgorithm::kSha224:
      return std::make_unique<
          OpensslDigester<SHA256_CTX, SHA224_Init, SHA224_Update, SHA224_Final, SHA224_DIGEST_LENGTH>>();
    case DigestAlgorithm::kSha256:
      return std::make_unique<
          OpensslDigester<SHA256_CTX, SHA256_Init, SHA256_Update, SHA256_Final, SHA256_DIGEST_LENGTH>>();
    case DigestAlgorithm::kSha384:
      return std::make_unique<
          OpensslDigester<SHA512_CTX, SHA384_Init, SHA384_Update, SHA384_Final, SHA384_DIGEST_LENGTH>>();
    case DigestAlgorithm::kSha512:
      return std::make_unique<
          OpensslDigester<SHA512_CTX, SHA512_Init, SHA512_Update, SHA512_Final, SHA512_DIGEST_LENGTH>>();
    case DigestAlgorithm::kBlake2b:
      return std::make_unique<Blake2bDigester>(size == 0 ? DigestSize(algorithm) : size);
    case DigestAlgorithm::kSm3: return std::make_unique<Sm3Digester>();
  }
  __builtin_unreachable();
}

std::string DigestOf(DigestAlgorithm algorithm, std::string_view text) {
  const auto digester = MakeDigester(algorithm);
  digester->Update(text);
  return digester->Finish();
}

std::string HexOf(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex(2 * bytes.size(), '\0');
  char* out = hex.data();
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    *out++ = kDigits[byte >> 4];
    *out++ = kDigits[byte & 15];
  }
  return hex;
}

}  // namespace paddock
