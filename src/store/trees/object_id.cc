#include "store/trees/object_id.h"

#define OPENSSL_SUPPRESS_DEPRECATED  // text/digest.h says why not EVP
#include <openssl/sha.h>

#include "text/digest.h"

namespace paddock::trees {
namespace {

constexpr std::string_view kPrefix = "sha256:";

int DigitOf(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

std::string ObjectId::ToString() const {
  return std::string(kPrefix) + HexOf({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

Result<ObjectId> ObjectId::Parse(std::string_view text) {
  const Error bad(Code::kInvalid, "an object id is sha256: and 64 lower-case hexadecimal digits");
  if (text.substr(0, kPrefix.size()) != kPrefix || text.size() != kPrefix.size() + 2 * kSize) return bad;
  text.remove_prefix(kPrefix.size());
  ObjectId id;
  for (size_t i = 0; i < kSize; ++i) {
    const int high = DigitOf(text[2 * i]);
    const int low = DigitOf(text[2 * i + 1]);
    if (high < 0 || low < 0) return bad;
    id.bytes[i] = static_cast<uint8_t>(high << 4 | low);
  }
  return id;
}

ObjectId IdOf(ObjectKind kind, std::string_view body) {
  const unsigned char head[4] = {'p', 't', '1', static_cast<unsigned char>(kind)};
  SHA256_CTX context;
  SHA256_Init(&context);
  SHA256_Update(&context, head, sizeof(head));
  SHA256_Update(&context, body.data(), body.size());
  ObjectId id;
  SHA256_Final(id.bytes.data(), &context);
  return id;
}

}  // namespace paddock::trees
