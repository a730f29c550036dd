// Message digests: MD5, SHA-1, SHA-2, BLAKE2b and SM3, streamed.
//
// OpenSSL's single-algorithm functions and libb2, not OpenSSL's EVP layer: that one links the whole of
// libcrypto, whose tables cost every start of the program more than the start itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace paddock {

enum class DigestAlgorithm { kMd5, kSha1, kSha224, kSha256, kSha384, kSha512, kBlake2b, kSm3 };

// Bytes of a digest (of BLAKE2b: the longest).
size_t DigestSize(DigestAlgorithm algorithm);

class Digester {
 public:
  virtual ~Digester() = default;
  virtual void Update(std::string_view bytes) = 0;
  // The digest as bytes. Called once, last.
  virtual std::string Finish() = 0;
};

// `size` is for BLAKE2b, 1 … 64 bytes; 0 means DigestSize().
std::unique_ptr<Digester> MakeDigester(DigestAlgorithm algorithm, size_t size = 0);

// The digest of one text, as bytes.
std::string DigestOf(DigestAlgorithm algorithm, std::string_view text);

// Two lower-case digits a byte.
std::string HexOf(std::string_view bytes);

}  // namespace paddock
