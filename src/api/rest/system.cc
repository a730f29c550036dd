// The daemon itself: whether it is well, what it offers.
#include "api/rest/groups.h"
#include "api/rest/openapi.h"

namespace paddock::api {
namespace {

struct Health {
  std::string status = "ok";
  std::string version;
  uint64_t sandboxes = 0;
};
constexpr Field kHealth[] = {
    Shown<&Health::status>("status", "\"ok\"."),
    Shown<&Health::version>("version", "Of the program."),
    Shown<&Health::sandboxes>("sandboxes", "How many there are."),
};
std::span<const Field> FieldsOf(const Health*) { return kHealth; }

Result<Health> GetHealth(Call& call, const Nothing&, Nothing&) {
  return Health{.version = call.services.version, .sandboxes = call.services.registry.count()};
}

struct Isolations {
  std::vector<std::string> isolations;
};
constexpr Field kIsolations[] = {
    Shown<&Isolations::isolations>("isolations", "Names for POST /v1/sandboxes."),
};
std::span<const Field> FieldsOf(const Isolations*) { return kIsolations; }

Result<Isolations> ListIsolations(Call& call, const Nothing&, Nothing&) {
  return Isolations{.isolations = call.services.registry.isolations()};
}

Status RunDocument(Call& call, const json::object&, const json::value&) {
  return Answer(call, 200, OpenApi(AllOperations(), call.services.version));
}

}  // namespace

std::vector<Operation> SystemOperations() {
  Operation document = Define<Nothing, Nothing, Health, GetHealth>("GET", "/v1/openapi.json", "getOpenApi", "This API as an OpenAPI 3.1 document.", Access::kAnyone);
  document.answer_schema = [] { return json::object{{"type", "object"}}; };
  document.run = RunDocument;
  return {
      Define<Nothing, Nothing, Health, GetHealth>("GET", "/v1/health", "getHealth", "Whether the daemon is well.", Access::kAnyone),
      document,
      Define<Nothing, Nothing, Isolations, ListIsolations>("GET", "/v1/isolations", "listIsolations", "Lists the walls that there are here.", Access::kRead),
  };
}

}  // namespace paddock::api
