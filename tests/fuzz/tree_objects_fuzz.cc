// Fuzz target of the store's objects: what decodes encodes to the same bytes, and following its references is safe.
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "store/trees/nodes.h"
#include "store/trees/references.h"

using namespace paddock::trees;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view body(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 5) {
    case 0:
      if (const auto node = DecodeDirectory(body)) PADDOCK_CHECK(Encode(*node) == body);
      break;
    case 1:
      if (const auto node = DecodeMap(body)) PADDOCK_CHECK(Encode(*node) == body);
      break;
    case 2:
      if (const auto node = DecodeTree(body)) PADDOCK_CHECK(Encode(*node) == body);
      break;
    case 3:
      if (const auto groups = DecodeLinks(body)) PADDOCK_CHECK(EncodeLinks(*groups) == body);
      break;
    default:
      static_cast<void>(ForEachReference(static_cast<ObjectKind>(data[0] / 5), body,
                                         [](ObjectKind, const ObjectId&) { return paddock::Status(); }));
  }
  return 0;
}
