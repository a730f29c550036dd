#include "registry/once.h"

#include "text/digest.h"
#include "text/utf8.h"

namespace paddock::registry {

Result<std::optional<std::string>> UseOnce(records::Transaction& transaction, const Once& once, const std::string& id) {
  PADDOCK_ASSIGN(const records::KeyState key, transaction.UseKey(once.owner, once.key, once.digest, once.expires));
  if (key.use == records::KeyUse::kDifferent) return Error(Code::kConflict, "idempotency key '" + HarmlessLine(once.key) + "' was used for another request");
  if (key.use == records::KeyUse::kSame && key.result) return key.result;
  PADDOCK_TRY(transaction.SetKeyResult(once.owner, once.key, id));
  return std::optional<std::string>();
}

Error MadeAndGone(const Once& once, const std::string& id) {
  return Error(Code::kConflict, "idempotency key '" + HarmlessLine(once.key) + "' made " + id + ", which is gone");
}

std::string DigestOfTexts(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += std::to_string(text.size()) + ":" + text;
  return HexOf(DigestOf(DigestAlgorithm::kSha256, all));
}

}  // namespace paddock::registry
