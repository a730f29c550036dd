// Harnesses and agents: documents that name capabilities and a prompt. A harness may have one parent; an agent names a harness.
#pragma once

#include <map>

#include "tools/capability/capability.h"

namespace paddock::tools {

// {"id", "name", "description", "parent" (a harness) or "harness" (an agent), "prompt", "capabilities": [ID | {"ref", "config"}, …]}
struct HarnessDocument {
  std::string id, name, description;
  std::string parent;   // empty: none
  std::string prompt;
  std::vector<Attachment> capabilities;
};
struct AgentDocument {
  std::string id, name, description;
  std::string harness;  // empty: none
  std::string prompt;
  std::vector<Attachment> capabilities;
};

// Errors: kInvalid with the key that is unknown, missing or of the wrong type.
Result<HarnessDocument> ParseHarness(const json::value& document);
Result<AgentDocument> ParseAgent(const json::value& document);
json::object WriteHarness(const HarnessDocument& harness);
json::object WriteAgent(const AgentDocument& agent);

// A list of attachments as a member of a document.
struct AttachmentList {
  std::vector<Attachment> list;
};
inline constexpr const char* kAttachmentsWords = "Capabilities, each an id or {\"ref\", \"config\"}.";
template <>
struct Json<AttachmentList> {
  static json::object Schema(const Rules&) { return {{"type", "array"}, {"items", {{"type", json::array{"string", "object"}}}}}; }
  static Status Read(const json::value& value, const Rules&, const std::string& where, AttachmentList& into) {
    PADDOCK_ASSIGN(into.list, ParseAttachments(value, where));
    return {};
  }
  static json::value Write(const AttachmentList& value) { return WriteAttachments(value.list); }
};

class HarnessSet {
 public:
  // Has the built-in ones: `generic` (session storage) and `coding-container` (that and containers).
  HarnessSet();
  // Adds it, or replaces the one with its id; a built-in one can be replaced too.
  void Set(HarnessDocument harness);
  const HarnessDocument* Find(std::string_view id) const;
  std::vector<const HarnessDocument*> All() const;   // by id
  // The levels of an agent, farthest first: its harness's oldest ancestor … its harness, the agent, then the session's own. Errors:
  // kNoEntry for a harness that is not there, kInvalid for parents in a circle.
  Result<std::vector<Level>> LevelsOf(const AgentDocument& agent, Level session) const;

 private:
  std::map<std::string, HarnessDocument, std::less<>> harnesses_;
};

}  // namespace paddock::tools
