#include "registry/states/templates.h"

#include <algorithm>
#include <boost/json.hpp>
#include <charconv>

#include "base/id.h"
#include "registry/request_check.h"

namespace paddock::registry {
namespace {

namespace json = boost::json;

constexpr const char* kKind = "template";
// No label of a user's has a colon.
constexpr const char* kNameLabel = ":name";
constexpr const char* kSharedLabel = ":shared";
constexpr size_t kOwnLabels = 2;
constexpr size_t kMostAtOnce = 4;   // archives that are read; each may need some hundred MiB
constexpr uint64_t kMostEntries = 1'000'000;
constexpr uint64_t kMostBytes = 32ull << 30;

Error None(std::string_view text) { return Error(Code::kNoEntry, "no template '" + std::string(text.substr(0, 100)) + "'"); }

std::string RecordName(std::string_view name, int64_t version) { return std::string(name) + "@" + std::to_string(version); }

// 0: none stands there.
Result<std::pair<std::string, int64_t>> SplitName(std::string_view text) {
  const size_t at = text.find('@');
  if (at == std::string_view::npos) return std::pair(std::string(text), int64_t{0});
  int64_t version = 0;
  const std::string_view digits = text.substr(at + 1);
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), version);
  if (failure != std::errc() || end != digits.data() + digits.size() || version < 1) return None(text);
  return std::pair(std::string(text.substr(0, at)), version);
}

json::object Members(const TemplateInfo& info) {
  json::object variables;
  for (const auto& [name, value] : info.environment) variables[name] = value;
  return {{"source", info.source}, {"environment", variables}, {"working_directory", info.working_directory}, {"image_digest", info.image_digest},
          {"image", JsonOf(info.image)}};
}

Result<TemplateInfo> InfoOf(records::Record& record) {
  TemplateInfo info;
  PADDOCK_ASSIGN(info.state, ReadKeptState(record.body));
  const Error damaged(Code::kIo, "the description of a template is damaged");
  boost::system::error_code failure;
  const json::value parsed = json::parse(record.body, failure);
  if (failure || !parsed.is_object()) return damaged;
  const auto text_of = [&](const char* name) -> const json::string* {
    const json::value* value = parsed.get_object().if_contains(name);
    return value != nullptr ? value->if_string() : nullptr;
  };
  const json::string *source = text_of("source"), *directory = text_of("working_directory"), *digest = text_of("image_digest");
  const json::value* variables = parsed.get_object().if_contains("environment");
  if (source == nullptr || directory == nullptr || digest == nullptr || variables == nullptr || !variables->is_object()) return damaged;
  info.source = *source;
  info.working_directory = *directory;
  info.image_digest = *digest;
  for (const auto& [name, value] : variables->get_object()) {
    if (!value.is_string()) return damaged;
    info.environment[std::string(name)] = std::string(value.get_string());
  }
  if (const json::value* image = parsed.get_object().if_contains("image")) {
    if (!image->is_object()) return damaged;
    PADDOCK_ASSIGN(info.image, ReadTemplateImage(image->get_object()));
  }
  const auto split = SplitName(record.name);
  if (!split || split->second == 0) return damaged;
  info.name = split->first;
  info.version = split->second;
  info.id = std::move(record.id);
  info.owner = std::move(record.owner);
  info.labels = std::move(record.labels);
  info.labels.erase(kNameLabel);
  info.is_shared = info.labels.erase(kSharedLabel) > 0;
  info.created = record.created;
  return info;
}

bool IsShared(const records::Record& record) { return record.labels.contains(kSharedLabel); }

Status CheckTemplate(const Caller& caller, const TemplateRequest& request) {
  PADDOCK_TRY(CheckName(request.name));
  if (request.name.starts_with("tpl_")) return Error(Code::kInvalid, "name '" + request.name + "' looks like an id; choose one without 'tpl_' in front");
  PADDOCK_TRY(CheckLabels(request.labels));
  if (request.labels.size() + kOwnLabels > records::kMaxLabels) return Error(Code::kInvalid, "labels: a template takes 62, not more");
  if (request.is_shared && !caller.is_admin) return Error(Code::kAccess, "shared: only administrators share templates");
  return {};
}

}  // namespace

Result<uint64_t> Templates::BytesLeft(const std::string& owner) const {
  PADDOCK_ASSIGN(const int64_t kept, records_.Counter(owner, kept_internal::kBytesCounter));
  const auto used = static_cast<uint64_t>(std::max<int64_t>(kept, 0));
  return std::min(kMostBytes, limits_.most_bytes > used ? limits_.most_bytes - used : 0);
}

Result<Templates::Place> Templates::TakePlace(const Caller& caller, const TemplateRequest& request) {
  PADDOCK_TRY(CheckTemplate(caller, request));
  PADDOCK_ASSIGN(const uint64_t left, BytesLeft(caller.owner));
  if (left == 0) return Error(Code::kQuota, "your snapshots and templates hold " + std::to_string(limits_.most_bytes) + " bytes, the most you may have; delete some");
  {
    const std::lock_guard lock(building_mutex_);
    if (building_ == kMostAtOnce) return Error(Code::kBusy, std::to_string(kMostAtOnce) + " templates are being made; try again when one is done");
    ++building_;
  }
  std::shared_ptr<void> hold(nullptr, [this](void*) {
    const std::lock_guard lock(building_mutex_);
    --building_;
  });
  return Place{.hold = std::move(hold), .limits = {.max_entries = kMostEntries, .max_bytes = left}};
}

Result<TemplateInfo> Templates::Build(const Caller& caller, const TemplateRequest& request, const ArchiveRequest& archive, ByteSource& in, const Once& once) {
  PADDOCK_ASSIGN(const Place place, TakePlace(caller, request));
  trees::ImageOptions options{.architecture = archive.architecture, .tag = archive.tag, .limits = place.limits};
  trees::Session session = store_->Begin();
  PADDOCK_ASSIGN(trees::ImportedArchive imported, trees::ImportArchive(session, in, archive.format, options));
  TemplateInfo info{.id = {}, .owner = caller.owner, .name = request.name, .is_shared = request.is_shared, .labels = request.labels};
  info.source = imported.is_image ? "image" : "tar";
  info.image_digest = imported.image.config_digest;
  if (imported.is_image) {
    PADDOCK_ASSIGN(ImageSettings settings, SettingsOf(*store_, imported.image));
    info.environment = std::move(settings.environment);
    info.working_directory = std::move(settings.working_directory);
    info.image = std::move(settings.image);
  }
  return Add(session, std::move(info), {.files = imported.image.files.tree, .totals = imported.image.files.totals, .shell = {}}, "", once);
}

Result<TemplateInfo> Templates::FromSnapshot(const Caller& caller, const TemplateRequest& request, const SnapshotInfo& snapshot, const Once& once) {
  PADDOCK_TRY(CheckTemplate(caller, request));
  trees::Session session = store_->Begin();
  PADDOCK_ASSIGN(const SavedState state, ReadState(session, snapshot.state));
  TemplateInfo info{.id = {}, .owner = caller.owner, .name = request.name, .is_shared = request.is_shared, .labels = request.labels};
  info.source = "snapshot";
  info.state.isolation = snapshot.state.isolation;
  return Add(session, std::move(info), state, snapshot.id, once);
}

Result<TemplateInfo> Templates::FromRoot(const Caller& caller, const TemplateRequest& request, trees::Session& session, const std::string& sandbox, const CapturedRoot& root,
                                         const TemplateInfo* like, const Once& once) {
  TemplateInfo info{.id = {}, .owner = caller.owner, .name = request.name, .is_shared = request.is_shared, .labels = request.labels};
  info.source = "sandbox";
  if (like != nullptr) {
    info.environment = like->environment;
    info.working_directory = like->working_directory;
    info.image = like->image;
  } else {
    trees::ImportedImage image;
    image.files = root.files;
    image.config = root.config;
    PADDOCK_ASSIGN(ImageSettings settings, SettingsOf(*store_, image));
    info.environment = std::move(settings.environment);
    info.working_directory = std::move(settings.working_directory);
    info.image = std::move(settings.image);
  }
  return Add(session, std::move(info), {.files = root.files.tree, .totals = root.files.totals, .shell = {}}, sandbox, once);
}

Result<TemplateInfo> Templates::FromState(const Caller& caller, const TemplateRequest& request, trees::Session& session, const std::string& sandbox, const SavedState& state,
                                          const std::string& isolation, const Once& once) {
  TemplateInfo info{.id = {}, .owner = caller.owner, .name = request.name, .is_shared = request.is_shared, .labels = request.labels};
  info.source = "sandbox";
  info.state.isolation = isolation;
  return Add(session, std::move(info), state, sandbox, once);
}

Result<TemplateInfo> Templates::Add(trees::Session& session, TemplateInfo info, const SavedState& state, const std::string& origin, Once once) {
  const bool is_of_sandbox = info.source == "sandbox";   // which may be another one when the request is repeated
  PADDOCK_ASSIGN(const KeptState kept, KeepState(session, state, info.state.isolation, is_of_sandbox ? "" : origin));
  records::Record record;
  record.kind = kKind;
  record.id = NewId("tpl_");
  record.owner = info.owner;
  record.state = "ready";
  record.labels = info.labels;
  record.labels[kNameLabel] = info.name;
  if (info.is_shared) record.labels[kSharedLabel] = "yes";
  json::object body = json::parse(TextOf(kept)).as_object();
  for (const auto& member : Members(info)) body[member.key()] = member.value();
  record.body = json::serialize(body);
  const auto number = [&info](records::Transaction& transaction, records::Record& one) -> Status {
    PADDOCK_ASSIGN(const int64_t version, transaction.AddToCounter(info.owner, std::string("template:") + info.name, 1));
    one.name = RecordName(info.name, version);
    return {};
  };
  std::vector<std::string> texts{"template", info.name, info.is_shared ? "shared" : "", info.source, info.image_digest, info.state.isolation, origin,
                                 is_of_sandbox ? "" : state.files.ToString()};
  for (const auto& [key, value] : info.labels) texts.insert(texts.end(), {key, value});
  once.digest = DigestOfTexts(texts);
  const auto own = owners_.find(info.owner);
  const std::string id = record.id;
  PADDOCK_ASSIGN(records::Record stored,
                 kept_internal::InsertState(records_, std::move(record), kept, own != owners_.end() ? own->second : limits_, "templates", number, once));
  if (stored.id == id) return registry::InfoOf(stored);
  auto before = Get({.owner = info.owner}, stored.id);
  if (!before && before.error().code == Code::kNoEntry) return MadeAndGone(once, stored.id);
  if (before) before->is_new = false;
  return before;
}

Result<records::Record> Templates::Find(const Caller& caller, std::string_view text) const {
  if (IsId(text, "tpl_")) {
    auto record = records_.Get(kKind, text);
    if (!record && record.error().code == Code::kNoEntry) return None(text);
    if (record && record->owner != caller.owner && !caller.is_admin && !IsShared(*record)) return None(text);
    return record;
  }
  PADDOCK_ASSIGN(const auto wanted, SplitName(text));
  if (!CheckName(wanted.first)) return None(text);
  // The caller's own, then the shared ones. Several may have been made in one millisecond.
  for (const bool is_own : {true, false}) {
    records::ListQuery query{.filter = {.kind = kKind, .labels = {{kNameLabel, wanted.first}}}, .is_newest_first = true, .limit = 16};
    if (is_own) query.filter.owner = caller.owner;
    else query.filter.labels[kSharedLabel] = "yes";
    if (wanted.second != 0) query.filter.name = RecordName(wanted.first, wanted.second);
    PADDOCK_ASSIGN(records::Page page, records_.List(query));
    records::Record* newest = nullptr;
    int64_t best = 0;
    for (records::Record& record : page.records) {
      const auto split = SplitName(record.name);
      if (!split || (newest != nullptr && (record.owner != newest->owner || split->second <= best))) continue;
      newest = &record;
      best = split->second;
    }
    if (newest != nullptr) return std::move(*newest);
  }
  return None(text);
}

Result<TemplateInfo> Templates::Get(const Caller& caller, std::string_view text) const {
  PADDOCK_ASSIGN(records::Record record, Find(caller, text));
  return registry::InfoOf(record);
}

Result<TemplatePage> Templates::List(const Caller& caller, const TemplateListRequest& request) const {
  if (request.limit < 1 || request.limit > records::kMaxPage) return Error(Code::kInvalid, "limit must be between 1 and 1000");
  records::ListQuery query{.filter = {.kind = kKind, .labels = request.labels}, .limit = request.limit, .cursor = request.cursor};
  if (request.is_shared) {
    query.filter.labels[kSharedLabel] = "yes";
    if (!request.owner.empty()) query.filter.owner = request.owner;
  } else if (!caller.is_admin) {
    if (!request.owner.empty() && request.owner != caller.owner) return TemplatePage{};
    query.filter.owner = caller.owner;
  } else if (!request.owner.empty()) {
    query.filter.owner = request.owner;
  }
  if (!request.name.empty()) query.filter.labels[kNameLabel] = request.name;
  PADDOCK_ASSIGN(records::Page page, records_.List(query));
  TemplatePage answer;
  for (records::Record& record : page.records) {
    PADDOCK_ASSIGN(TemplateInfo info, registry::InfoOf(record));
    answer.templates.push_back(std::move(info));
  }
  answer.next = std::move(page.next);
  return answer;
}

Status Templates::Delete(const Caller& caller, std::string_view id) {
  PADDOCK_ASSIGN(const records::Record record, Find(caller, id));
  if (record.owner != caller.owner && !caller.is_admin) return Error(Code::kAccess, "template '" + std::string(id) + "' is shared with you; its owner deletes it");
  PADDOCK_ASSIGN(const KeptState state, ReadKeptState(record.body));
  const Status deleted = kept_internal::DeleteState(records_, record, state);
  if (!deleted && deleted.error().code == Code::kNoEntry) return None(id);   // somebody was faster
  return deleted;
}

Status Templates::AddAllRoots(std::vector<trees::ObjectId>& roots) const { return kept_internal::AddRootsOfKind(records_, kKind, roots); }

bool Templates::HasTree(std::string_view digits) const {
  std::vector<trees::ObjectId> trees;
  if (!AddAllRoots(trees)) return true;
  return std::any_of(trees.begin(), trees.end(), [&](const trees::ObjectId& tree) { return tree.ToString().ends_with(digits); });
}

}  // namespace paddock::registry
