#include "api/session/configured.h"

#include "tools/schema/parse_json.h"

namespace paddock::api {
namespace {

// The table as an object, with its name as id.
Result<boost::json::value> DocumentOf(const Definition& definition) {
  PADDOCK_ASSIGN(boost::json::value document, tools::ParseJson(definition.json));
  boost::json::object& members = document.as_object();   // it was a table
  if (members.contains("id")) return Error(Code::kInvalid, "id: is the table's name; leave it out");
  members["id"] = definition.name;
  return document;
}

Error At(const Definition& definition, const char* kind, const Error& error) {
  return Error(error.code, definition.origin + ": " + kind + "." + definition.name + ": " + std::string(error.Text()));
}

}  // namespace

Result<Configured> ReadConfigured(const std::vector<Definition>& harnesses, const std::vector<Definition>& agents) {
  Configured configured;
  for (const Definition& one : harnesses) {
    const auto document = DocumentOf(one);
    if (!document) return At(one, "harness", document.error());
    auto harness = tools::ParseHarness(*document);
    if (!harness) return At(one, "harness", harness.error());
    configured.harnesses.Set(std::move(*harness));
  }
  for (const Definition& one : agents) {
    const auto document = DocumentOf(one);
    if (!document) return At(one, "agent", document.error());
    auto agent = tools::ParseAgent(*document);
    if (!agent) return At(one, "agent", agent.error());
    configured.agents.push_back(std::move(*agent));
  }
  return configured;
}

}  // namespace paddock::api
