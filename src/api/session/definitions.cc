#include "api/session/definitions.h"

#include <algorithm>
#include <set>

#include "base/id.h"
#include "text/utf8.h"
#include "tools/schema/parse_json.h"

namespace paddock::api {
namespace {

constexpr const char* kHarness = "harness";
constexpr const char* kAgent = "agent";
constexpr size_t kMostParents = 32;

Error None(const char* kind, const std::string& id) {
  return Error(Code::kNoEntry, std::string("no ") + kind + " '" + HarmlessLine(id.substr(0, 100)) + "'");
}

Error Everybodys(Code code, const char* kind, const std::string& id) {
  return Error(code, std::string(kind) + " '" + id + "' is built in or of the daemon's configuration; choose another id");
}

bool IsDefinitionId(const std::string& id) { return !id.empty() && id.size() <= 64 && IsValidUtf8(id) && id.find('\0') == std::string::npos; }

}  // namespace

Definitions::Definitions(tools::HarnessSet harnesses, std::vector<tools::AgentDocument> agents, records::Records& records)
    : harnesses_(std::move(harnesses)), records_(records) {
  for (tools::AgentDocument& agent : agents) agents_[agent.id] = std::move(agent);
}

Result<records::Record> Definitions::Own(const char* kind, const std::string& owner, const std::string& id) const {
  if (!IsDefinitionId(id)) return None(kind, id);
  auto record = records_.GetByName(kind, owner, "", id);
  if (!record && record.error().code == Code::kNoEntry) return None(kind, id);
  return record;
}

Result<Definitions::Harness> Definitions::FindHarness(const std::string& owner, const std::string& id) const {
  if (const tools::HarnessDocument* known = harnesses_.Find(id)) return Harness{*known, false};
  PADDOCK_ASSIGN(const records::Record record, Own(kHarness, owner, id));
  PADDOCK_ASSIGN(const boost::json::value document, tools::ParseJson(record.body, {.max_bytes = records::kMaxBody}));
  PADDOCK_ASSIGN(tools::HarnessDocument harness, tools::ParseHarness(document));
  return Harness{std::move(harness), true};
}

Result<Definitions::Agent> Definitions::FindAgent(const std::string& owner, const std::string& id) const {
  if (const auto known = agents_.find(id); known != agents_.end()) return Agent{known->second, false};
  PADDOCK_ASSIGN(const records::Record record, Own(kAgent, owner, id));
  PADDOCK_ASSIGN(const boost::json::value document, tools::ParseJson(record.body, {.max_bytes = records::kMaxBody}));
  PADDOCK_ASSIGN(tools::AgentDocument agent, tools::ParseAgent(document));
  return Agent{std::move(agent), true};
}

Result<std::vector<std::string>> Definitions::OwnTexts(const char* kind, const std::string& owner) const {
  std::vector<std::string> texts;
  records::ListQuery query{.filter = {.kind = kind, .owner = owner}, .limit = records::kMaxPage};
  do {
    PADDOCK_ASSIGN(records::Page page, records_.List(query));
    for (records::Record& record : page.records) texts.push_back(std::move(record.body));
    query.cursor = page.next;
  } while (!query.cursor.empty());
  return texts;
}

namespace {

template <class Known>
void SortById(std::vector<Known>& list) {
  std::sort(list.begin(), list.end(), [](const Known& a, const Known& b) { return a.document.id < b.document.id; });
}

}  // namespace

Result<std::vector<Definitions::Harness>> Definitions::Harnesses(const std::string& owner) const {
  std::vector<Harness> list;
  for (const tools::HarnessDocument* known : harnesses_.All()) list.push_back({*known, false});
  PADDOCK_ASSIGN(const std::vector<std::string> texts, OwnTexts(kHarness, owner));
  for (const std::string& text : texts) {
    PADDOCK_ASSIGN(const boost::json::value document, tools::ParseJson(text, {.max_bytes = records::kMaxBody}));
    PADDOCK_ASSIGN(tools::HarnessDocument harness, tools::ParseHarness(document));
    list.push_back({std::move(harness), true});
  }
  SortById(list);
  return list;
}

Result<std::vector<Definitions::Agent>> Definitions::Agents(const std::string& owner) const {
  std::vector<Agent> list;
  for (const auto& [id, known] : agents_) list.push_back({known, false});
  PADDOCK_ASSIGN(const std::vector<std::string> texts, OwnTexts(kAgent, owner));
  for (const std::string& text : texts) {
    PADDOCK_ASSIGN(const boost::json::value document, tools::ParseJson(text, {.max_bytes = records::kMaxBody}));
    PADDOCK_ASSIGN(tools::AgentDocument agent, tools::ParseAgent(document));
    list.push_back({std::move(agent), true});
  }
  SortById(list);
  return list;
}

Status Definitions::Store(const char* kind, const std::string& owner, const std::string& id, std::string text) {
  if (text.size() > records::kMaxBody) return Error(Code::kFileTooBig, std::string(kind) + " '" + id + "' has more than 1 MiB");
  return records_.Transact([&](records::Transaction& transaction) -> Status {
    auto stored = transaction.GetByName(kind, owner, "", id);
    if (!stored && stored.error().code != Code::kNoEntry) return stored.error();
    if (stored) {
      stored->body = text;
      PADDOCK_TRY(transaction.Update(std::move(*stored)));
      return {};
    }
    PADDOCK_ASSIGN(const size_t count, transaction.Count({.kind = kind, .owner = owner}, kMostOfOwner));
    if (count >= kMostOfOwner) return Error(Code::kQuota, "you have " + std::to_string(count) + " of them, the most you may have; delete some");
    records::Record record;
    record.kind = kind;
    record.id = NewId("def_");
    record.owner = owner;
    record.name = id;
    record.body = text;
    PADDOCK_TRY(transaction.Insert(std::move(record)));
    return {};
  });
}

Status Definitions::Put(const std::string& owner, const tools::HarnessDocument& harness) {
  if (harnesses_.Find(harness.id) != nullptr) return Everybodys(Code::kExists, kHarness, harness.id);
  return Store(kHarness, owner, harness.id, boost::json::serialize(tools::WriteHarness(harness)));
}

Status Definitions::Put(const std::string& owner, const tools::AgentDocument& agent) {
  if (agents_.contains(agent.id)) return Everybodys(Code::kExists, kAgent, agent.id);
  return Store(kAgent, owner, agent.id, boost::json::serialize(tools::WriteAgent(agent)));
}

Status Definitions::Drop(const char* kind, const std::string& owner, const std::string& id) {
  PADDOCK_ASSIGN(const records::Record record, Own(kind, owner, id));
  return records_.Delete(kind, record.id);
}

Status Definitions::DeleteHarness(const std::string& owner, const std::string& id) {
  if (harnesses_.Find(id) != nullptr) return Everybodys(Code::kReadOnly, kHarness, id);
  return Drop(kHarness, owner, id);
}

Status Definitions::DeleteAgent(const std::string& owner, const std::string& id) {
  if (agents_.contains(id)) return Everybodys(Code::kReadOnly, kAgent, id);
  return Drop(kAgent, owner, id);
}

Result<std::vector<tools::Level>> Definitions::LevelsOf(const std::string& owner, const tools::AgentDocument& agent, tools::Level session,
                                                        const tools::HarnessDocument* draft) const {
  tools::HarnessSet all = harnesses_;
  if (draft != nullptr) all.Set(*draft);
  std::set<std::string> seen;   // of a circle: LevelsOf() says so
  for (std::string id = agent.harness; !id.empty() && seen.insert(id).second && seen.size() <= kMostParents;) {
    if (all.Find(id) == nullptr) {
      auto own = FindHarness(owner, id);
      if (!own && own.error().code == Code::kNoEntry) break;   // LevelsOf() says who named it
      if (!own) return own.error();
      all.Set(std::move(own->document));
    }
    id = all.Find(id)->parent;
  }
  auto levels = all.LevelsOf(agent, std::move(session));
  if (!levels) return Error(Code::kInvalid, std::string(levels.error().Text()));
  if (agent.id.empty()) std::erase_if(*levels, [](const tools::Level& level) { return level.name == "agent "; });
  return levels;
}

}  // namespace paddock::api
