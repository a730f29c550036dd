// Definitions: the harnesses and agents that sessions start from: built in, of the configuration, and those that owners keep themselves.
//
// An owner's own are nobody else's. Ids of the other two are taken: everybody sees what they mean.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "registry/registry.h"
#include "tools/capability/harness.h"

namespace paddock::api {

// Any thread.
class Definitions {
 public:
  static constexpr size_t kMostOfOwner = 1000;   // of each kind

  // `records` outlives it.
  Definitions(tools::HarnessSet harnesses, std::vector<tools::AgentDocument> agents, records::Records& records);

  template <class Document>
  struct Known {
    Document document;
    bool is_own = false;   // false: built in, or of the configuration
  };
  using Harness = Known<tools::HarnessDocument>;
  using Agent = Known<tools::AgentDocument>;

  // Errors: kNoEntry.
  Result<Harness> FindHarness(const std::string& owner, const std::string& id) const;
  Result<Agent> FindAgent(const std::string& owner, const std::string& id) const;
  Result<std::vector<Harness>> Harnesses(const std::string& owner) const;   // by id
  Result<std::vector<Agent>> Agents(const std::string& owner) const;        // by id

  // Adds it, or replaces the owner's own. Errors: kExists (the id is one of everybody's), kQuota, kFileTooBig.
  Status Put(const std::string& owner, const tools::HarnessDocument& harness);
  Status Put(const std::string& owner, const tools::AgentDocument& agent);
  // Sessions that start from it cannot be used until there is one again. Errors: kNoEntry, kReadOnly.
  Status DeleteHarness(const std::string& owner, const std::string& id);
  Status DeleteAgent(const std::string& owner, const std::string& id);

  // The levels that a session has of an agent or a harness (of at most one; both may be empty), farthest first, then `session`. `draft`
  // stands for the harness of its id. Errors: kInvalid for one that is not there, or parents in a circle.
  Result<std::vector<tools::Level>> LevelsOf(const std::string& owner, const tools::AgentDocument& agent, tools::Level session,
                                             const tools::HarnessDocument* draft = nullptr) const;

 private:
  Result<records::Record> Own(const char* kind, const std::string& owner, const std::string& id) const;
  Result<std::vector<std::string>> OwnTexts(const char* kind, const std::string& owner) const;
  Status Store(const char* kind, const std::string& owner, const std::string& id, std::string text);
  Status Drop(const char* kind, const std::string& owner, const std::string& id);

  const tools::HarnessSet harnesses_;
  std::map<std::string, tools::AgentDocument> agents_;   // by id
  records::Records& records_;
};

}  // namespace paddock::api
