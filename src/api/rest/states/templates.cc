// Templates: make, look, export, delete.
#include <optional>

#include "api/rest/groups.h"
#include "api/rest/states/snapshot_shape.h"
#include "store/trees/tar_export.h"

namespace paddock::trees {

std::span<const char* const> NamesOf(ArchiveFormat) {
  static constexpr const char* kNames[] = {"auto", "tar", "image"};
  return kNames;
}

}  // namespace paddock::trees

namespace paddock::api {
namespace {

constexpr uint64_t kMostUpload = 16ull << 30;

struct TemplateShape {
  std::string id, name;
  int64_t version = 0;
  std::string owner;
  bool shared = false;
  std::string source;
  std::optional<std::string> isolation, snapshot_id, image_digest;
  Texts labels, environment;
  std::string working_directory, user;
  std::vector<std::string> entrypoint, command, notes;
  uint64_t entries = 0, content_bytes = 0;
  std::string tree, created_at;
};
constexpr Field kTemplate[] = {
    Shown<&TemplateShape::id>("id", "tpl_ and 20 characters."),
    Shown<&TemplateShape::name>("name", "With @ and the version: this one; alone: the newest."),
    Shown<&TemplateShape::version>("version", "Counted from 1; never given twice."),
    Shown<&TemplateShape::owner>("owner", "Whose it is."),
    Shown<&TemplateShape::shared>("shared", "Whether everybody may begin from it."),
    Shown<&TemplateShape::source>("source", "What it was made from: tar, image, snapshot or sandbox."),
    Shown<&TemplateShape::isolation>("isolation", "Of the sandboxes that may begin from it; null: of any that begins from templates."),
    Shown<&TemplateShape::snapshot_id>("snapshot_id", "The snapshot that it was made from, which may be gone; null: none."),
    Shown<&TemplateShape::image_digest>("image_digest", "Digest of the image's config; null: it was no image."),
    Shown<&TemplateShape::labels>("labels", "For filters."),
    Shown<&TemplateShape::environment>("environment", "Variables that the image gives to what is started."),
    Shown<&TemplateShape::working_directory>("working_directory", "Where the image starts it; empty: the isolation's own."),
    Shown<&TemplateShape::user>("user", "Whom the image starts it as; empty: it does not say. What becomes of that: notes."),
    Shown<&TemplateShape::entrypoint>("entrypoint", "Of the image: with command, what an exec without one runs."),
    Shown<&TemplateShape::command>("command", "Of the image: what stands behind entrypoint."),
    Shown<&TemplateShape::notes>("notes", "What of the image's config is not honoured, and what is done instead."),
    Shown<&TemplateShape::entries>("entries", "Files, directories and the like."),
    Shown<&TemplateShape::content_bytes>("content_bytes", "Sizes of the files together."),
    Shown<&TemplateShape::tree>("tree", "Digest of the files: equal files have equal ones."),
    Shown<&TemplateShape::created_at>("created_at", "RFC 3339."),
};
std::span<const Field> FieldsOf(const TemplateShape*) { return kTemplate; }

std::optional<std::string> Unless(const std::string& text) { return text.empty() ? std::nullopt : std::optional(text); }

TemplateShape ShapeOf(const registry::TemplateInfo& info) {
  return {.id = info.id, .name = info.name, .version = info.version, .owner = info.owner, .shared = info.is_shared, .source = info.source,
          .isolation = Unless(info.state.isolation), .snapshot_id = Unless(info.state.origin), .image_digest = Unless(info.image_digest), .labels = info.labels,
          .environment = info.environment, .working_directory = info.working_directory, .user = info.image.user,
          .entrypoint = info.image.entrypoint, .command = info.image.command, .notes = info.image.notes, .entries = info.state.totals.entries,
          .content_bytes = info.state.totals.content_bytes, .tree = info.state.files.ToString(), .created_at = TimeText(info.created)};
}

// ---- make

struct BuildQuery {
  std::string name;
  trees::ArchiveFormat format = trees::ArchiveFormat::kAuto;
  std::string architecture = "amd64", tag;
  bool shared = false;
  std::vector<std::string> label;
};
constexpr Field kBuildQuery[] = {
    Required<&BuildQuery::name>("name", "Of the template; one of that name becomes older.", {.max_length = 63}),
    Optional<&BuildQuery::format>("format", "What the body is: a root file system as tar, an image (docker save, OCI layout); both plain or compressed."),
    Optional<&BuildQuery::architecture>("architecture", "Which image of several.", {.max_length = 63}),
    Optional<&BuildQuery::tag>("tag", "Which image of several; empty: the first.", {.max_length = 255}),
    Optional<&BuildQuery::shared>("shared", "Everybody may begin from it; for admins."),
    Optional<&BuildQuery::label>("label", "For filters, KEY=VALUE.", {.max_items = 62}),
};
std::span<const Field> FieldsOf(const BuildQuery*) { return kBuildQuery; }

Result<TemplateShape> Build(Call& call, const BuildQuery& query, Bytes&) {
  registry::TemplateRequest request{.name = query.name, .labels = {}, .is_shared = query.shared};
  PADDOCK_ASSIGN(request.labels, LabelsOf(query.label));
  PADDOCK_ASSIGN(request.idempotency_key, IdempotencyKeyOf(call));
  call.exchange.SetBodyLimit({.bytes = kMostUpload, .bytes_per_second = 1024});
  BodySource body(call.exchange);
  PADDOCK_ASSIGN(const registry::TemplateInfo info,
                 call.services.registry.BuildTemplate(call.caller, request, {.format = query.format, .architecture = query.architecture, .tag = query.tag}, body));
  return MadeShape(call, ShapeOf(info), info.is_new);
}

struct MakeBody {
  std::string name;
  Texts labels;
  bool shared = false;
};
constexpr Field kMakeBody[] = {
    Required<&MakeBody::name>("name", "Of the template; one of that name becomes older.", {.max_length = 63}),
    Optional<&MakeBody::labels>("labels", "For filters.", {.max_items = 62}),
    Optional<&MakeBody::shared>("shared", "Everybody may begin from it; for admins."),
};
std::span<const Field> FieldsOf(const MakeBody*) { return kMakeBody; }

Result<TemplateShape> Make(Call& call, const Nothing&, MakeBody& body) {
  PADDOCK_ASSIGN(std::string key, IdempotencyKeyOf(call));
  PADDOCK_ASSIGN(const registry::TemplateInfo info,
                 call.services.registry.TemplateFromSnapshot(
                     call.caller, call["snapshot"], {.name = body.name, .labels = body.labels, .is_shared = body.shared, .idempotency_key = std::move(key)}));
  return MadeShape(call, ShapeOf(info), info.is_new);
}

Result<TemplateShape> MakeOfSandbox(Call& call, const Nothing&, MakeBody& body) {
  PADDOCK_ASSIGN(std::string key, IdempotencyKeyOf(call));
  PADDOCK_ASSIGN(const registry::TemplateInfo info,
                 call.services.registry.TemplateFromSandbox(
                     call.caller, call["sandbox"], {.name = body.name, .labels = body.labels, .is_shared = body.shared, .idempotency_key = std::move(key)}));
  return MadeShape(call, ShapeOf(info), info.is_new);
}

// ---- look

struct ListQuery {
  std::string name, owner;
  bool shared = false;
  std::vector<std::string> label;
  int64_t limit = 100;
  std::string cursor;
};
constexpr Field kListQuery[] = {
    Optional<&ListQuery::name>("name", "Only the versions of this one."),
    Optional<&ListQuery::owner>("owner", "Only this owner's; for admins, and for shared ones."),
    Optional<&ListQuery::shared>("shared", "Those that administrators share, rather than your own."),
    Optional<&ListQuery::label>("label", "Only those with this label, KEY=VALUE.", {.max_items = 14}),
    Optional<&ListQuery::limit>("limit", "At most so many.", {.min = 1, .max = 1000}),
    Optional<&ListQuery::cursor>("cursor", "What the page before gave as next."),
};
std::span<const Field> FieldsOf(const ListQuery*) { return kListQuery; }

struct ListAnswer {
  std::vector<TemplateShape> templates;
  std::optional<std::string> next;
};
constexpr Field kListAnswer[] = {
    Shown<&ListAnswer::templates>("templates", "Oldest first."),
    Shown<&ListAnswer::next>("next", "The cursor of the next page; null: there is none."),
};
std::span<const Field> FieldsOf(const ListAnswer*) { return kListAnswer; }

Result<ListAnswer> List(Call& call, const ListQuery& query, Nothing&) {
  registry::TemplateListRequest request{.name = query.name, .owner = query.owner, .labels = {}, .is_shared = query.shared, .limit = static_cast<size_t>(query.limit),
                                        .cursor = query.cursor};
  PADDOCK_ASSIGN(request.labels, LabelsOf(query.label));
  PADDOCK_ASSIGN(registry::Templates* const kept, call.services.registry.templates());
  PADDOCK_ASSIGN(registry::TemplatePage page, kept->List(call.caller, request));
  ListAnswer answer;
  for (const registry::TemplateInfo& info : page.templates) answer.templates.push_back(ShapeOf(info));
  answer.next = Unless(page.next);
  return answer;
}

Result<TemplateShape> Get(Call& call, const Nothing&, Nothing&) {
  PADDOCK_ASSIGN(registry::Templates* const kept, call.services.registry.templates());
  PADDOCK_ASSIGN(const registry::TemplateInfo info, kept->Get(call.caller, call["template"]));
  return ShapeOf(info);
}

Result<Nothing> Delete(Call& call, const Nothing&, Nothing&) {
  PADDOCK_TRY(call.services.registry.DeleteTemplate(call.caller, call["template"]));
  return Nothing{};
}

Result<Bytes> Export(Call& call, const Nothing&, Nothing&) {
  PADDOCK_ASSIGN(registry::Templates* const kept, call.services.registry.templates());
  trees::Session session = kept->store()->Begin();
  PADDOCK_ASSIGN(const registry::TemplateInfo info, kept->Get(call.caller, call["template"]));
  if (!session.Touch(info.state.files)) return Error(Code::kIo, "tree " + info.state.files.ToString() + " is not in the store");
  AnswerSink sink(call.exchange, {{"Content-Type", "application/x-tar"},
                                  {"Content-Disposition", "attachment; filename=\"" + info.id + ".tar\""},
                                  {"X-Content-Type-Options", "nosniff"}});
  const Status written = trees::ExportTar(*kept->store(), info.state.files, sink);
  if (!written && !call.exchange.has_answered()) return written.error();
  if (written) (void)call.exchange.Finish();   // else the answer is cut, and the client sees it
  return Bytes{};
}

}  // namespace

std::vector<Operation> TemplateOperations() {
  return {
      TakesKey(Define<BuildQuery, Bytes, TemplateShape, Build, 201>("POST", "/v1/templates", "buildTemplate", "Makes a template of a root file system or an image.", Access::kUse)),
      TakesKey(Define<Nothing, MakeBody, TemplateShape, Make, 201>("POST", "/v1/snapshots/{snapshot}/template", "makeTemplate", "Makes a template of a snapshot.", Access::kUse)),
      TakesKey(Define<Nothing, MakeBody, TemplateShape, MakeOfSandbox, 201>("POST", "/v1/sandboxes/{sandbox}/template", "makeTemplateOfSandbox",
                                                                            "Makes a template of a sandbox as it is now.", Access::kUse)),
      Define<ListQuery, Nothing, ListAnswer, List>("GET", "/v1/templates", "listTemplates", "Lists templates, page by page.", Access::kRead),
      Define<Nothing, Nothing, TemplateShape, Get>("GET", "/v1/templates/{template}", "getTemplate", "Shows a template, by its id or name.", Access::kRead),
      Define<Nothing, Nothing, Bytes, Export>("GET", "/v1/templates/{template}/export", "exportTemplate", "The files of a template as a tar archive.", Access::kRead),
      Define<Nothing, Nothing, Nothing, Delete>("DELETE", "/v1/templates/{template}", "deleteTemplate", "Deletes a template; what began from it stays.", Access::kUse),
  };
}

}  // namespace paddock::api
