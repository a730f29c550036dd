// Sandboxes: create, look, change their state, delete.
#include "api/rest/groups.h"
#include "api/rest/shapes.h"

namespace paddock::api {
namespace {

// ---- list

struct ListQuery {
  std::vector<registry::SandboxState> state;
  std::string isolation, name, owner;
  std::vector<std::string> label;
  int64_t limit = 100;
  std::string cursor;
};
constexpr Field kListQuery[] = {
    Optional<&ListQuery::state>("state", "Only those in one of these states.", {.max_items = 8}),
    Optional<&ListQuery::isolation>("isolation", "Only those behind this wall."),
    Optional<&ListQuery::name>("name", "Only the one of this name."),
    Optional<&ListQuery::owner>("owner", "Only this owner's; for admins."),
    Optional<&ListQuery::label>("label", "Only those with this label, KEY=VALUE.", {.max_items = 16}),
    Optional<&ListQuery::limit>("limit", "At most so many.", {.min = 1, .max = 1000}),
    Optional<&ListQuery::cursor>("cursor", "What the page before gave as next."),
};
std::span<const Field> FieldsOf(const ListQuery*) { return kListQuery; }

struct ListAnswer {
  std::vector<SandboxShape> sandboxes;
  std::optional<std::string> next;
};
constexpr Field kListAnswer[] = {
    Shown<&ListAnswer::sandboxes>("sandboxes", "Oldest first."),
    Shown<&ListAnswer::next>("next", "The cursor of the next page; null: there is none."),
};
std::span<const Field> FieldsOf(const ListAnswer*) { return kListAnswer; }

Result<ListAnswer> List(Call& call, const ListQuery& query, Nothing&) {
  registry::ListRequest request;
  request.states = query.state;
  request.isolation = query.isolation;
  request.name = query.name;
  request.owner = query.owner;
  for (const std::string& label : query.label) {
    const size_t equals = label.find('=');
    if (equals == std::string::npos) return Error(Code::kInvalid, "label: '" + label + "' must be KEY=VALUE");
    request.labels[label.substr(0, equals)] = label.substr(equals + 1);
  }
  request.limit = static_cast<size_t>(query.limit);
  request.cursor = query.cursor;
  PADDOCK_ASSIGN(const registry::SandboxPage page, call.services.registry.List(call.caller, request));
  ListAnswer answer;
  for (const registry::SandboxInfo& info : page.sandboxes) answer.sandboxes.push_back(ShapeOf(info));
  if (!page.next.empty()) answer.next = page.next;
  return answer;
}

// ---- create

Result<SandboxShape> Create(Call& call, const Nothing&, CreateBody& body) {
  PADDOCK_ASSIGN(registry::SandboxRequest request, RequestOf(body));
  PADDOCK_ASSIGN(const std::string key, IdempotencyKeyOf(call));
  PADDOCK_ASSIGN(const registry::Created created, call.services.registry.Create(call.caller, std::move(request), key));
  return MadeShape(call, ShapeOf(created.sandbox), created.is_new);
}

// ---- one

Result<SandboxShape> Get(Call& call, const Nothing&, Nothing&) {
  PADDOCK_ASSIGN(const registry::SandboxInfo info, call.services.registry.Get(call.caller, call["sandbox"]));
  return ShapeOf(info);
}

Result<Nothing> Delete(Call& call, const Nothing&, Nothing&) {
  PADDOCK_TRY(call.services.registry.Delete(call.caller, call["sandbox"]));
  return Nothing{};
}

struct RestBody {
  bool force = false;
};
constexpr Field kRestBody[] = {
    Optional<&RestBody::force>("force", "End what runs, rather than wait for it."),
};
std::span<const Field> FieldsOf(const RestBody*) { return kRestBody; }

Result<SandboxShape> Pause(Call& call, const Nothing&, RestBody& body) {
  PADDOCK_ASSIGN(const registry::SandboxInfo info, call.services.registry.Pause(call.caller, call["sandbox"], body.force));
  return ShapeOf(info);
}
Result<SandboxShape> Stop(Call& call, const Nothing&, RestBody& body) {
  PADDOCK_ASSIGN(const registry::SandboxInfo info, call.services.registry.Stop(call.caller, call["sandbox"], body.force));
  return ShapeOf(info);
}
Result<SandboxShape> Start(Call& call, const Nothing&, Nothing&) {
  PADDOCK_ASSIGN(const registry::SandboxInfo info, call.services.registry.Start(call.caller, call["sandbox"]));
  return ShapeOf(info);
}

struct ExtendBody {
  std::optional<LeaseShape> lease;
};
constexpr Field kExtendBody[] = {
    Optional<&ExtendBody::lease>("lease", "What of the lease holds from now on; what is not named stays."),
};
std::span<const Field> FieldsOf(const ExtendBody*) { return kExtendBody; }

Result<SandboxShape> Extend(Call& call, const Nothing&, ExtendBody& body) {
  std::optional<registry::Lease> lease;
  if (body.lease) {
    PADDOCK_ASSIGN(const registry::SandboxInfo now, call.services.registry.Get(call.caller, call["sandbox"]));
    PADDOCK_ASSIGN(lease, LeaseOf(*body.lease, now.request.lease));
  }
  PADDOCK_ASSIGN(const registry::SandboxInfo info, call.services.registry.Extend(call.caller, call["sandbox"], lease));
  return ShapeOf(info);
}

struct LabelsBody {
  Texts labels;
};
constexpr Field kLabelsBody[] = {
    Required<&LabelsBody::labels>("labels", "All of them: others go."),
};
std::span<const Field> FieldsOf(const LabelsBody*) { return kLabelsBody; }

Result<SandboxShape> SetLabels(Call& call, const Nothing&, LabelsBody& body) {
  PADDOCK_ASSIGN(const registry::SandboxInfo info, call.services.registry.SetLabels(call.caller, call["sandbox"], body.labels));
  return ShapeOf(info);
}

}  // namespace

std::vector<Operation> SandboxOperations() {
  return {
      TakesKey(Define<Nothing, CreateBody, SandboxShape, Create, 201>("POST", "/v1/sandboxes", "createSandbox", "Makes a sandbox.", Access::kUse)),
      Define<ListQuery, Nothing, ListAnswer, List>("GET", "/v1/sandboxes", "listSandboxes", "Lists sandboxes, page by page.", Access::kRead),
      Define<Nothing, Nothing, SandboxShape, Get>("GET", "/v1/sandboxes/{sandbox}", "getSandbox", "Shows a sandbox, by its id or name.", Access::kRead),
      Define<Nothing, Nothing, Nothing, Delete>("DELETE", "/v1/sandboxes/{sandbox}", "deleteSandbox", "Deletes a sandbox with all that is in it.", Access::kUse),
      Define<Nothing, RestBody, SandboxShape, Pause>("POST", "/v1/sandboxes/{sandbox}/pause", "pauseSandbox", "Puts a sandbox to rest; files and shell are kept.", Access::kUse),
      Define<Nothing, Nothing, SandboxShape, Start>("POST", "/v1/sandboxes/{sandbox}/resume", "resumeSandbox", "Wakes a paused or stopped sandbox.", Access::kUse),
      Define<Nothing, RestBody, SandboxShape, Stop>("POST", "/v1/sandboxes/{sandbox}/stop", "stopSandbox", "Stops a sandbox; its files are kept.", Access::kUse),
      Define<Nothing, Nothing, SandboxShape, Start>("POST", "/v1/sandboxes/{sandbox}/start", "startSandbox", "Starts a stopped or paused sandbox.", Access::kUse),
      Define<Nothing, ExtendBody, SandboxShape, Extend>("POST", "/v1/sandboxes/{sandbox}/extend", "extendSandbox", "Lets the ttl of a sandbox begin anew, or changes its lease.", Access::kUse),
      Define<Nothing, LabelsBody, SandboxShape, SetLabels>("PUT", "/v1/sandboxes/{sandbox}/labels", "setSandboxLabels", "Replaces the labels of a sandbox.", Access::kUse),
  };
}

}  // namespace paddock::api
