// KeptState: a sandbox's state in the store, as the record of a snapshot or template names it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "registry/states/saved_state.h"
#include "store/records/record.h"

namespace paddock::registry {

struct KeptState {
  trees::ObjectId files;
  std::optional<trees::ObjectId> base = std::nullopt;   // SavedState::base
  std::optional<trees::ObjectId> shell;   // a tree with the one file "shell"
  trees::TreeTotals totals;
  std::string isolation;
  std::string origin;                     // id of what it was made from; empty: it came from outside
};

// Puts what is not in the store yet there, durable. Errors: those of the store.
Result<KeptState> KeepState(trees::Session& session, const SavedState& state, std::string isolation, std::string origin);
// Back, and held by the session. Errors: those of the store; kIo with the id of what is lost.
Result<SavedState> ReadState(trees::Session& session, const KeptState& kept);
void AddRoots(const KeptState& kept, std::vector<trees::ObjectId>& roots);

// As a record's body. Errors of reading: kIo.
std::string TextOf(const KeptState& kept);
Result<KeptState> ReadKeptState(std::string_view text);

}  // namespace paddock::registry
