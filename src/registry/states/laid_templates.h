// LaidTemplates: files from elsewhere with what a driver's sandboxes need among them, as bases of those sandboxes. Each template is laid
// once, whoever begins from it, and lies in the store beside the template itself; what both have in common is stored once.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "registry/states/bases.h"
#include "registry/states/saved_state.h"
#include "registry/states/templates.h"
#include "sandbox/persistent.h"

namespace paddock::registry {

// Any thread.
class LaidTemplates {
 public:
  // `driver` outlives it.
  LaidTemplates(sandbox::LaysBases& driver, std::shared_ptr<Bases> bases) : driver_(driver), bases_(std::move(bases)) {}

  // What a sandbox of that template begins as, held by the session. Errors: kInvalid for files that none can begin with; kQuota for more
  // than kMostBytes, which all would have in memory; those of the store.
  Result<SavedState> Begin(trees::Session& session, const TemplateInfo& info);

  static constexpr uint64_t kMostBytes = 4ull << 30;
  static constexpr uint64_t kMostEntries = 1'000'000;

 private:
  sandbox::LaysBases& driver_;
  const std::shared_ptr<Bases> bases_;
  std::mutex mutex_;   // held while one is laid: the second who wants it waits for the first
  std::map<trees::ObjectId, SavedState> laid_;   // by the template's tree
};

}  // namespace paddock::registry
