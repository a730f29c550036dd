#include "drivers/docker/engine/images.h"

#include <algorithm>
#include <boost/json.hpp>

#include "drivers/docker/engine/containers.h"
#include "drivers/docker/engine/json_fields.h"
#include "drivers/docker/engine/names.h"
#include "drivers/docker/engine/progress_lines.h"

namespace paddock::docker {
namespace {

namespace json = boost::json;

constexpr int kMostLists = 5;   // Podman's list fails when an image goes meanwhile
constexpr size_t kTarBlock = 512;
constexpr std::chrono::minutes kPullSilence{10};   // an engine says nothing while it unpacks a large layer

std::vector<std::string> TextsOf(const json::value* list) {
  std::vector<std::string> texts;
  if (list != nullptr && list->is_array()) {
    for (const json::value& one : list->as_array()) texts.push_back(TextOf(&one));
  }
  return texts;
}

// Podman makes an image of what it has of a request that breaks off, and does so later, when nobody asks for it any more. So an archive
// that breaks off is ended by what is no archive, and `broken` says why.
std::function<Result<size_t>(std::span<char>)> Spoilt(std::function<Result<size_t>(std::span<char>)> tar, Status& broken) {
  return [tar = std::move(tar), &broken](std::span<char> to) -> Result<size_t> {
    if (!broken) return size_t{0};
    const auto read = tar(to);
    if (read) return read;
    broken = read.error();
    const size_t spoilt = std::min(to.size(), kTarBlock);
    std::fill_n(to.begin(), spoilt, '\xff');
    return spoilt;
  };
}

// A reference within a path: its slashes stay, the rest is encoded.
std::string InPath(std::string_view reference) {
  std::string path;
  for (size_t at = 0; at <= reference.size();) {
    const size_t end = std::min(reference.find('/', at), reference.size());
    path += (at == 0 ? "" : "/") + net::EncodePercent(reference.substr(at, end - at));
    at = end + 1;
  }
  return path;
}

}  // namespace

Result<ImageInfo> InspectImage(const Engine& engine, const std::string& reference) {
  PADDOCK_ASSIGN(const EngineAnswer answer, engine.Expect({.path = "/images/" + InPath(reference) + "/json"}, {200}));
  const json::value said = answer.Json();
  ImageInfo info;
  info.id = TextOf(Field(&said, "Id"));
  if (!info.id.starts_with("sha256:")) info.id = "sha256:" + info.id;
  if (!IsFullId(std::string_view(info.id).substr(7))) return Error(Code::kIo, "the engine gave no id for image " + reference);
  info.digests = TextsOf(Field(&said, "RepoDigests"));
  info.environment = TextsOf(FieldAt(said, {"Config", "Env"}));
  info.entrypoint = TextsOf(FieldAt(said, {"Config", "Entrypoint"}));
  info.command = TextsOf(FieldAt(said, {"Config", "Cmd"}));
  info.user = TextOf(FieldAt(said, {"Config", "User"}));
  info.working_directory = TextOf(FieldAt(said, {"Config", "WorkingDir"}));
  info.architecture = TextOf(Field(&said, "Architecture"));
  info.system = TextOf(Field(&said, "Os"));
  info.labels = LabelsOf(FieldAt(said, {"Config", "Labels"}));
  return info;
}

Status PullImage(const Engine& engine, PullRequest request) {
  EngineCall call{.method = "POST", .path = "/images/create", .query = {{"fromImage", request.reference}}, .time = kPullSilence, .cancellation = request.cancellation};
  if (!request.registry_auth.empty()) call.headers.push_back({"X-Registry-Auth", request.registry_auth});
  ProgressLines lines([&](const json::value& line) {
    if (!request.on_progress) return;
    request.on_progress({.layer = TextOf(Field(&line, "id")),
                         .status = TextOf(Field(&line, "status")),
                         .current = CountOf(FieldAt(line, {"progressDetail", "current"})).value_or(0),
                         .total = CountOf(FieldAt(line, {"progressDetail", "total"})).value_or(0)});
  });
  Status status = engine.Stream(std::move(call), [&](std::string_view bytes) { return lines.Feed(bytes); });
  if (status) status = lines.Finish();
  // What a registry cannot do is no failure of ours.
  if (!status) return Error(status.error().code == Code::kIo ? Code::kUnavailable : status.error().code, "pull image " + request.reference + ": " + std::string(status.error().Text()));
  return {};
}

Result<std::string> ImportImage(const Engine& engine, std::function<Result<size_t>(std::span<char>)> tar, const std::string& repository, const std::string& tag,
                                const std::map<std::string, std::string>& labels) {
  std::string id;
  ProgressLines lines([&](const json::value& line) {
    const std::string status = TextOf(Field(&line, "status"));
    const std::string stripped = status.starts_with("sha256:") ? status.substr(7) : status;
    if (IsFullId(stripped)) id = "sha256:" + stripped;
  });
  Status broken;   // why the archive broke off
  EngineCall call{.method = "POST", .path = "/images/create", .query = {{"fromSrc", "-"}}, .source = engine.is_podman() ? Spoilt(std::move(tar), broken) : std::move(tar), .time = kPullSilence};
  // Podman forgets the tag, and takes "latest".
  if (!engine.is_podman()) call.query.insert(call.query.end(), {{"repo", repository}, {"tag", tag}});
  for (const auto& [name, value] : labels) call.query.emplace_back("changes", "LABEL " + name + "=" + value);
  Status sent = engine.Stream(std::move(call), [&](std::string_view bytes) { return lines.Feed(bytes); });
  if (sent) sent = lines.Finish();
  if (!broken) {
    if (sent && !id.empty()) PADDOCK_TRY(RemoveUnusedImage(engine, id));
    return broken.error();
  }
  if (!sent) return sent.error();
  if (id.empty()) return Error(Code::kIo, "import an image: the engine gave no id");
  if (engine.is_podman()) PADDOCK_TRY(TagImage(engine, id, repository, tag));
  return id;
}

Result<std::vector<ListedImage>> ListImages(const Engine& engine, const std::vector<std::string>& labels) {
  // By one alone: of several Podman finds none.
  EngineCall call{.path = "/images/json", .query = {{"all", "1"}}};
  if (!labels.empty()) call.query.emplace_back("filters", LabelFilter({labels.front()}));
  auto answer = engine.Expect(call, {200});
  for (int again = 0; again < kMostLists && !answer && answer.error().code == Code::kIo && engine.is_podman(); ++again) answer = engine.Expect(call, {200});
  if (!answer) return answer.error();
  const json::value said = answer->Json();
  std::vector<ListedImage> found;
  if (!said.is_array()) return Error(Code::kIo, "list images: the engine gave no list");
  for (const json::value& one : said.as_array()) {
    ListedImage info{.id = TextOf(Field(&one, "Id")), .tags = TextsOf(Field(&one, "RepoTags")), .labels = LabelsOf(Field(&one, "Labels"))};
    if (!info.id.starts_with("sha256:")) info.id = "sha256:" + info.id;
    std::erase(info.tags, "<none>:<none>");
    if (IsFullId(std::string_view(info.id).substr(7)) && HasLabels(info.labels, labels)) found.push_back(std::move(info));
  }
  return found;
}

Status TagImage(const Engine& engine, const std::string& id, const std::string& repository, const std::string& tag) {
  auto answer = engine.Expect({.method = "POST", .path = "/images/" + InPath(id) + "/tag", .query = {{"repo", repository}, {"tag", tag}}}, {201, 200});
  return answer ? Status() : Status(answer.error());
}

Status RemoveImage(const Engine& engine, const std::string& reference) {
  auto answer = engine.Expect({.method = "DELETE", .path = "/images/" + InPath(reference), .query = {{"force", "1"}}}, {200, 204, 404});
  return answer ? Status() : Status(answer.error());
}

Status RemoveUnusedImage(const Engine& engine, const std::string& reference) {
  auto answer = engine.Expect({.method = "DELETE", .path = "/images/" + InPath(reference), .query = {{"force", "0"}}}, {200, 204, 404});
  return answer ? Status() : Status(answer.error());
}

Result<std::string> CommitContainer(const Engine& engine, const std::string& container_id, const std::string& repository, const std::string& tag) {
  if (!IsFullId(container_id)) return Error(Code::kInvalid, "not the full id of a container");
  const auto commit = [&](const char* pause) {
    return engine.Expect({.method = "POST", .path = "/commit", .query = {{"container", container_id}, {"repo", repository}, {"tag", tag}, {"pause", pause}}, .body = json::object(), .time = kPullSilence}, {201, 200});
  };
  Result<EngineAnswer> answer = commit("true");
  if (!answer) {   // one that ends meanwhile cannot be paused, and need not be
    const auto info = InspectContainer(engine, container_id);
    if (info && info->state == ContainerState::kExited) answer = commit("false");
  }
  if (!answer) return answer.error();
  const json::value said = answer->Json();
  std::string id = TextOf(Field(&said, "Id"));
  if (!id.starts_with("sha256:")) id = "sha256:" + id;
  if (!IsFullId(std::string_view(id).substr(7))) return Error(Code::kIo, "commit a container: the engine gave no id");
  return id;
}

}  // namespace paddock::docker
