// The registry's work with whole states of sandboxes: snapshots, restoring, forks, and the collection of what nothing needs.
#include "registry/registry.h"

#include <algorithm>

namespace paddock::registry {
namespace {

constexpr auto kPatience = std::chrono::seconds(30);   // for what runs to make way
constexpr std::string_view kSnapshotPrefix = "snapshot:", kTemplatePrefix = "template:";

SandboxEntry::Deadline Soon() {
  return std::chrono::steady_clock::now() + kPatience;
}

}  // namespace

Result<Snapshots*> Registry::snapshots() const {
  if (settings_.snapshots == nullptr) return Error(Code::kNotSupported, "this daemon keeps no snapshots");
  return settings_.snapshots.get();
}

Result<Templates*> Registry::templates() const {
  if (settings_.templates == nullptr) return Error(Code::kNotSupported, "this daemon keeps no templates");
  return settings_.templates.get();
}

Result<TemplateInfo> Registry::BuildTemplate(const Caller& caller, const TemplateRequest& request, const ArchiveRequest& archive, ByteSource& in) {
  PADDOCK_ASSIGN(Templates* const kept, templates());
  PADDOCK_ASSIGN(TemplateInfo info, kept->Build(caller, request, archive, in, OnceOf(caller.owner, request.idempotency_key, {})));
  if (!info.is_new) return info;
  events_.Publish({.owner = info.owner, .type = "template.created", .subject = info.id, .detail = "{}"});
  return info;
}

Result<TemplateInfo> Registry::TemplateFromSnapshot(const Caller& caller, std::string_view snapshot, const TemplateRequest& request) {
  PADDOCK_ASSIGN(Templates* const kept, templates());
  PADDOCK_ASSIGN(Snapshots* const states, snapshots());
  PADDOCK_ASSIGN(const SnapshotInfo from, states->Get(caller, snapshot));
  PADDOCK_ASSIGN(TemplateInfo info, kept->FromSnapshot(caller, request, from, OnceOf(caller.owner, request.idempotency_key, {})));
  if (!info.is_new) return info;
  events_.Publish({.owner = info.owner, .type = "template.created", .subject = info.id, .detail = R"({"snapshot":")" + from.id + "\"}"});
  return info;
}

Result<TemplateInfo> Registry::TemplateFromSandbox(const Caller& caller, std::string_view id, const TemplateRequest& request) {
  PADDOCK_ASSIGN(const EntryPtr entry, Find(caller, id));
  PADDOCK_ASSIGN(Templates* const kept, templates());
  PADDOCK_ASSIGN(const Templates::Place place, kept->TakePlace(caller, request));
  trees::Session session = kept->store()->Begin();
  PADDOCK_ASSIGN(std::optional<CapturedRoot> root, entry->CaptureRoot(session, Soon(), place.limits));
  const Once once = OnceOf(caller.owner, request.idempotency_key, {});
  const SandboxRequest made = entry->Info().request;
  Result<TemplateInfo> info = Error(Code::kNoEntry);
  if (root) {
    const auto like = made.base.starts_with("tpl_") ? kept->Get(caller, made.base) : Result<TemplateInfo>(Error(Code::kNoEntry));
    if (!like && root->config.entrypoint.empty() && root->config.command.empty()) {   // a fork knows that much
      root->config.command = made.image.command;
      root->config.working_directory = made.image.working_directory;
    }
    info = kept->FromRoot(caller, request, session, entry->id(), *root, like ? &*like : nullptr, once);
  } else {
    PADDOCK_ASSIGN(const SavedState state, entry->Capture(session, Soon()));
    info = kept->FromState(caller, request, session, entry->id(), state, made.isolation, once);
  }
  if (!info || !info->is_new) return info;
  events_.Publish({.owner = info->owner, .type = "template.created", .subject = info->id, .detail = R"({"sandbox":")" + entry->id() + "\"}"});
  return info;
}

Status Registry::DeleteTemplate(const Caller& caller, std::string_view id) {
  PADDOCK_ASSIGN(Templates* const kept, templates());
  PADDOCK_ASSIGN(const TemplateInfo info, kept->Get(caller, id));
  PADDOCK_TRY(kept->Delete(caller, info.id));
  events_.Publish({.owner = info.owner, .type = "template.deleted", .subject = info.id, .detail = "{}"});
  // Beside the answer: an engine may be slow. What is not done is done at the next start.
  if (settings_.template_gone) (void)Detach([gone = settings_.template_gone, tree = info.state.files] { gone(tree); });
  return {};
}

Result<Registry::Beginning> Registry::FindTemplate(const Caller& caller, std::string_view name, const std::string& isolation) const {
  PADDOCK_ASSIGN(Templates* const kept, templates());
  trees::Session session = kept->store()->Begin();
  PADDOCK_ASSIGN(const TemplateInfo info, kept->Get(caller, name));
  const std::string& own = info.state.isolation;
  const std::string wall = !own.empty() ? own : !isolation.empty() ? isolation : settings_.default_isolation;
  Beginning beginning{.session = std::move(session), .state = {}, .isolation = wall, .id = info.id, .environment = info.environment,
                      .working_directory = info.working_directory, .image = {}};
  if (!own.empty()) {   // a sandbox's state
    PADDOCK_ASSIGN(beginning.state, ReadState(beginning.session, info.state));
    return beginning;
  }
  const auto beginner = settings_.beginners.find(wall);
  if (beginner == settings_.beginners.end()) return Error(Code::kNotSupported, "template: sandboxes of isolation '" + wall.substr(0, 80) + "' begin from none");
  beginning.image.command = info.image.entrypoint;
  beginning.image.command.insert(beginning.image.command.end(), info.image.command.begin(), info.image.command.end());
  if (beginner->second.runs_programs) {
    beginning.working_directory.clear();
    if (info.image.has_working_directory) beginning.image.working_directory = info.working_directory;
    if (beginner->second.takes_user) beginning.image.user = info.image.wall_user;
  }
  PADDOCK_ASSIGN(beginning.state, beginner->second.begin(beginning.session, info));
  return beginning;
}

Result<Registry::Beginning> Registry::FindBeginning(const Caller& caller, const std::string& base, const std::string& isolation) const {
  if (base.starts_with(kTemplatePrefix)) return FindTemplate(caller, std::string_view(base).substr(kTemplatePrefix.size()), isolation);
  PADDOCK_ASSIGN(Snapshots* const kept, snapshots());
  if (!base.starts_with(kSnapshotPrefix)) return Error(Code::kInvalid, "base '" + base.substr(0, 80) + "' is no snapshot");
  // A collection takes nothing from here on that is there now.
  trees::Session session = kept->store()->Begin();
  PADDOCK_ASSIGN(const SnapshotInfo info, kept->Get(caller, std::string_view(base).substr(kSnapshotPrefix.size())));
  PADDOCK_ASSIGN(SavedState state, ReadState(session, info.state));
  return Beginning{.session = std::move(session), .state = std::move(state), .isolation = info.state.isolation, .id = info.id, .environment = {}, .working_directory = {}, .image = {}};
}

Result<SavedState> Registry::CaptureState(const Caller& caller, std::string_view id, trees::Session& session) {
  PADDOCK_ASSIGN(const EntryPtr entry, Find(caller, id));
  return entry->Capture(session, Soon());
}

Result<trees::ObjectId> Registry::CaptureCreation(const Caller& caller, std::string_view id, trees::Session& session) {
  PADDOCK_ASSIGN(const EntryPtr entry, Find(caller, id));
  return entry->CaptureCreation(session);
}

Result<SnapshotInfo> Registry::TakeSnapshot(const Caller& caller, std::string_view id, const SnapshotRequest& request) {
  PADDOCK_ASSIGN(const EntryPtr entry, Find(caller, id));
  PADDOCK_ASSIGN(Snapshots* const kept, snapshots());
  trees::Session session = kept->store()->Begin();
  PADDOCK_ASSIGN(const SavedState state, entry->Capture(session, Soon()));
  std::vector<std::string> texts{"snapshot", entry->id(), request.name, request.belongs_to_sandbox ? "its" : ""};
  for (const auto& [key, value] : request.labels) texts.insert(texts.end(), {key, value});
  const Once once = OnceOf(entry->owner(), request.idempotency_key, DigestOfTexts(texts));
  PADDOCK_ASSIGN(SnapshotInfo info, kept->Add(session, entry->owner(), request, entry->id(), state, entry->Info().request.isolation, once));
  if (!info.is_new) return info;
  events_.Publish({.owner = info.owner, .type = "snapshot.created", .subject = info.id, .detail = R"({"sandbox":")" + entry->id() + "\"}"});
  return info;
}

Status Registry::DeleteSnapshot(const Caller& caller, std::string_view snapshot) {
  PADDOCK_ASSIGN(Snapshots* const kept, snapshots());
  PADDOCK_ASSIGN(const SnapshotInfo info, kept->Get(caller, snapshot));
  PADDOCK_TRY(kept->Delete(caller, info.id));
  events_.Publish({.owner = info.owner, .type = "snapshot.deleted", .subject = info.id, .detail = "{}"});
  return {};
}

Result<SandboxInfo> Registry::Restore(const Caller& caller, std::string_view id, std::string_view snapshot, bool force) {
  PADDOCK_ASSIGN(const EntryPtr entry, Find(caller, id));
  PADDOCK_ASSIGN(const Beginning beginning, FindBeginning(caller, std::string(kSnapshotPrefix) + std::string(snapshot), ""));
  if (beginning.isolation != entry->Info().request.isolation) {
    return Error(Code::kInvalid, beginning.id + " is of isolation '" + beginning.isolation + "', " + entry->id() + " is not");
  }
  PADDOCK_TRY(entry->Become(beginning.state, force, Soon()));
  events_.Publish({.owner = entry->owner(), .type = "sandbox.restored", .subject = entry->id(), .detail = R"({"snapshot":")" + beginning.id + "\"}"});
  return entry->Info();
}

Result<std::vector<Forked>> Registry::Fork(const Caller& caller, std::string_view id, const ForkRequest& request) {
  PADDOCK_ASSIGN(const EntryPtr entry, Find(caller, id));
  if (request.count < 1 || request.count > ForkRequest::kMostForks) {
    return Error(Code::kInvalid, "count must be between 1 and " + std::to_string(ForkRequest::kMostForks));
  }
  const Caller owner{.owner = entry->owner()};
  std::vector<Forked> outcomes(request.count);
  const std::vector<Once> onces = OncesOf(*entry, request);
  PADDOCK_ASSIGN(const auto before, MadeBefore(onces));
  for (size_t i = 0; i < before.size(); ++i) {
    if (!before[i]) continue;
    auto made = Get(owner, *before[i]);
    if (made) outcomes[i].sandbox = std::move(*made);
    else outcomes[i].error = MadeAndGone({.key = request.idempotency_key}, *before[i]);
  }
  const auto is_open = [](const Forked& one) { return !one.sandbox && !one.error; };
  if (std::none_of(outcomes.begin(), outcomes.end(), is_open)) return outcomes;

  PADDOCK_ASSIGN(Snapshots* const kept, snapshots());
  trees::Session session = kept->store()->Begin();
  PADDOCK_ASSIGN(SavedState state, entry->Capture(session, Soon(), SandboxEntry::CaptureFor::kForks));
  PADDOCK_TRY(session.Finish());
  SandboxRequest like = entry->Info().request;
  like.takes_existing = like.is_internal = false;
  like.labels.erase(kOnceLabel);
  for (policy::PublishedPort& port : like.network.publish) port.host = 0;   // those of the host are the original's
  for (const auto& [key, value] : request.labels) like.labels[key] = value;
  const Beginning beginning{.session = std::move(session), .state = std::move(state), .isolation = like.isolation, .id = entry->id(), .environment = {}, .working_directory = {}, .image = {}};
  // In memory once for all of them, while they are made.
  PADDOCK_ASSIGN(const std::shared_ptr<const void> shared, entry->Share(beginning.state));
  size_t made = 0;
  for (size_t i = 0; i < request.count; ++i) {
    if (!is_open(outcomes[i])) continue;
    if (made >= request.room) {
      outcomes[i].error = Error(Code::kQuota, request.no_room);
      continue;
    }
    SandboxRequest one = like;
    one.name = request.name.empty() || request.count == 1 ? request.name : request.name + "-" + std::to_string(i + 1);
    Status good = Check(one);
    auto created = good ? CreateNew(owner, std::move(one), onces.empty() ? Once{} : onces[i], &beginning) : Result<Created>(good.error());
    if (created) ++made;
    if (created) outcomes[i].sandbox = std::move(created->sandbox);
    else outcomes[i].error = created.error();
  }
  return outcomes;
}

// The first has the key itself, so that it is refused for anything else; the others have keys made of it.
std::vector<Once> Registry::OncesOf(const SandboxEntry& original, const ForkRequest& request) const {
  std::vector<Once> onces;
  if (request.idempotency_key.empty()) return onces;
  std::vector<std::string> texts{"fork", original.id(), std::to_string(request.count), request.name};
  for (const auto& [key, value] : request.labels) texts.insert(texts.end(), {key, value});
  const std::string digest = DigestOfTexts(texts), others = "fork:" + DigestOfTexts({request.idempotency_key}) + ":";
  for (size_t i = 0; i < request.count; ++i) {
    onces.push_back(OnceOf(original.owner(), i == 0 ? request.idempotency_key : others + std::to_string(i), digest));
  }
  return onces;
}

Result<std::vector<std::optional<std::string>>> Registry::MadeBefore(const std::vector<Once>& onces) {
  std::vector<std::optional<std::string>> made(onces.size());
  if (onces.empty()) return made;
  const Status looked = records_.Transact([&](records::Transaction& transaction) -> Status {
    for (size_t i = 0; i < onces.size(); ++i) {
      PADDOCK_ASSIGN(made[i], UseOnce(transaction, onces[i], ""));
    }
    return Error(Code::kCancelled);   // nothing of it takes place
  });
  if (looked.error().code != Code::kCancelled) return looked.error();
  return made;
}

// What fails is tried again at the next turn; whoever asks for a collection hears why.
void Registry::RunCleanings() {
  std::unique_lock lock(sweep_mutex_);
  while (!sweep_changed_.wait_for(lock, settings_.clean_every, [&] { return is_ending_; })) {
    lock.unlock();
    (void)Collect();
    (void)records_.Transact([](records::Transaction& transaction) -> Status {
      PADDOCK_TRY(transaction.DropExpiredKeys());
      return {};
    });
    lock.lock();
  }
}

Result<trees::Collected> Registry::Collect(std::optional<Nanoseconds> grace) {
  PADDOCK_ASSIGN(Snapshots* const kept, snapshots());
  const auto roots = [&]() -> Result<std::vector<trees::ObjectId>> {
    std::vector<trees::ObjectId> trees;
    if (settings_.bases != nullptr) trees = settings_.bases->InUse();
    std::vector<EntryPtr> all;
    {
      const std::shared_lock lock(mutex_);
      for (const auto& [id, entry] : entries_) all.push_back(entry);
    }
    for (const EntryPtr& entry : all) {
      const auto needed = entry->Trees();
      if (!needed) return Error(needed.error().code, entry->id() + ": " + std::string(needed.error().Text()));
      trees.insert(trees.end(), needed->begin(), needed->end());
    }
    if (settings_.unpacked != nullptr) PADDOCK_TRY(settings_.unpacked->Sweep(trees));   // what no sandbox needs
    PADDOCK_TRY(kept->AddAllRoots(trees));
    if (settings_.templates != nullptr) PADDOCK_TRY(settings_.templates->AddAllRoots(trees));
    return trees;
  };
  return kept->store()->Collect(roots, {.grace = grace.value_or(settings_.collect_grace)});
}

}  // namespace paddock::registry
