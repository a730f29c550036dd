#include "registry/registry.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <cerrno>
#include <charconv>
#include <tuple>

#include "base/id.h"
#include "overlay/beneath.h"
#include "registry/entry/description_json.h"
#include "registry/host_error.h"
#include "registry/request_check.h"
#include "text/digest.h"

namespace paddock::registry {
namespace {

constexpr const char* kKind = "sandbox";
constexpr auto kPatience = std::chrono::seconds(30);   // for what runs to make way
constexpr auto kSweepEvery = std::chrono::seconds(1);
constexpr size_t kMostEnders = 16;   // threads

Error None(std::string_view id) {
  return Error(Code::kNoEntry, "no sandbox '" + std::string(id.substr(0, 100)) + "'");
}

std::string NameKey(std::string_view owner, std::string_view parent, std::string_view name) {
  std::string key(owner);
  key += '\0';
  key += parent;
  key += '\0';
  key += name;
  return key;
}

records::Record RecordOf(const SandboxInfo& info) {
  records::Record record;
  record.kind = kKind;
  record.id = info.id;
  record.owner = info.owner;
  record.parent = info.request.parent;
  record.name = info.request.name;
  record.state = SandboxStateName(info.state);
  record.labels = info.request.labels;
  record.body = DescriptionText(info);
  return record;
}

Result<SandboxInfo> InfoOf(records::Record& record) {
  SandboxInfo info;
  PADDOCK_TRY(ReadDescription(record.body, info));
  info.id = std::move(record.id);
  info.owner = std::move(record.owner);
  info.request.parent = std::move(record.parent);
  info.request.name = std::move(record.name);
  info.request.labels = std::move(record.labels);
  PADDOCK_ASSIGN(info.state, ParseSandboxState(record.state));
  info.updated = record.updated;
  return info;
}

bool Matches(const SandboxInfo& info, const ListRequest& wanted) {
  const SandboxRequest& request = info.request;
  return !request.is_internal && (wanted.states.empty() || std::find(wanted.states.begin(), wanted.states.end(), info.state) != wanted.states.end()) &&
         (wanted.isolation.empty() || wanted.isolation == request.isolation) && (wanted.name.empty() || wanted.name == request.name) &&
         (wanted.parent.empty() || wanted.parent == request.parent) && (wanted.owner.empty() || wanted.owner == info.owner) &&
         std::all_of(wanted.labels.begin(), wanted.labels.end(), [&](const auto& label) {
           const auto found = request.labels.find(label.first);
           return found != request.labels.end() && found->second == label.second;
         });
}

// "TIME.ID" of the last one of a page.
using Age = std::pair<Time, std::string>;
Result<Age> ReadCursor(std::string_view text) {
  int64_t time = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), time);
  const auto length = static_cast<size_t>(end - text.data());
  if (failure != std::errc() || length >= text.size() || text[length] != '.' || !IsId(text.substr(length + 1), "sbx_")) {
    return Error(Code::kInvalid, "cursor: not one that a list gave out");
  }
  return Age(Time(Duration(time)), text.substr(length + 1));
}

std::string Digest(const SandboxRequest& request) {
  SandboxInfo info;
  info.request = request;
  std::string text = DescriptionText(info) + '\0' + request.name + '\0' + request.parent + (request.takes_existing ? "+" : "-");
  for (const auto& [key, value] : request.labels) text += '\0' + key + '\0' + value;
  return HexOf(DigestOf(DigestAlgorithm::kSha256, text));
}

}  // namespace

Registry::Registry(RegistrySettings settings, records::Records& records)
    : settings_(std::move(settings)), records_(records), events_(records) {}

Result<std::unique_ptr<Registry>> Registry::Open(RegistrySettings settings, records::Records& records) {
  std::unique_ptr<Registry> registry(new Registry(std::move(settings), records));   // allow(raw-new): private constructor
  const std::string& directory = registry->settings_.directory;
  for (const char* below : {"", "/sandboxes", "/output", "/logs"}) {
    if (mkdir((directory + below).c_str(), 0700) != 0 && errno != EEXIST) return HostError("cannot make " + directory + below);
  }
  registry->lock_.Reset(open((directory + "/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!registry->lock_.is_open()) return HostError("cannot open " + directory + "/lock");
  if (flock(registry->lock_.get(), LOCK_EX | LOCK_NB) != 0) {
    return Error(Code::kBusy, "another daemon uses " + directory + "; stop it, or choose another data directory");
  }
  struct stat seen{};
  if (fstat(registry->lock_.get(), &seen) != 0) return HostError("cannot look at " + directory + "/lock");
  registry->began_ = Now();
  registry->last_seen_ = std::min(Time(std::chrono::duration_cast<Duration>(std::chrono::seconds(seen.st_mtim.tv_sec) + std::chrono::nanoseconds(seen.st_mtim.tv_nsec))), registry->began_);
  futimens(registry->lock_.get(), nullptr);
  PADDOCK_TRY(registry->Load());
  registry->sweeper_ = std::thread([one = registry.get()] { one->RunSweeps(); });
  registry->bookkeeper_ = std::thread([one = registry.get()] { one->RunBooks(); });
  if (registry->settings_.clean_every > Duration(0)) registry->cleaner_ = std::thread([one = registry.get()] { one->RunCleanings(); });
  return registry;
}

Registry::~Registry() {
  watches_.reset();
  {
    const std::lock_guard lock(sweep_mutex_);
    is_ending_ = true;
  }
  sweep_changed_.notify_all();
  if (sweeper_.joinable()) sweeper_.join();
  if (cleaner_.joinable()) cleaner_.join();
  if (bookkeeper_.joinable()) bookkeeper_.join();
  std::vector<EntryPtr> all;
  {
    const std::shared_lock lock(mutex_);
    for (const auto& [id, entry] : entries_) all.push_back(entry);
  }
  for (const EntryPtr& entry : all) entry->EndProcesses();
  {
    std::unique_lock lock(threads_mutex_);
    threads_changed_.wait(lock, [&] { return threads_ == 0; });
  }
  NoteUsage(Now(), true);
  FlushLogs(Now());
  futimens(lock_.get(), nullptr);
  std::erase_if(all, [](const EntryPtr& entry) { return entry->Park() || !entry->is_in_memory(); });
  // The rest waits for others, an engine for one: all of it together.
  std::atomic<size_t> next{0};
  std::vector<std::jthread> helpers;
  for (size_t i = 0; i < std::min(all.size(), kMostEnders); ++i) {
    helpers.emplace_back([&] {
      for (size_t at = next++; at < all.size(); at = next++) all[at]->LetGo();
    });
  }
}

// What the database knows becomes entries; what a crash left half-made or half-deleted goes.
Status Registry::Load() {
  PADDOCK_TRY(FindLogs());
  records::ListQuery query{.filter = {.kind = kKind}, .limit = records::kMaxPage};
  std::vector<EntryPtr> deleting;
  do {
    PADDOCK_ASSIGN(records::Page page, records_.List(query));
    for (records::Record& record : page.records) {
      const std::string id = record.id;
      auto info = InfoOf(record);
      if (!info) return Error(info.error().code, id + ": " + std::string(info.error().Text()));
      // Nobody knows when it was used last: not before the crash, then.
      if (info->state == SandboxState::kRunning) info->last_active = Now();
      const bool is_deleting = info->state == SandboxState::kDeleting;
      PADDOCK_ASSIGN(std::unique_ptr<Keeper> keeper, MakeKeeper(*info));
      {
        const std::unique_lock lock(mutex_);
        CountIn(*info);
      }
      const EntryPtr entry = MakeEntry(std::move(*info), std::move(keeper), PastOf(id));
      if (is_deleting) deleting.push_back(entry);
    }
    query.cursor = page.next;
  } while (!query.cursor.empty());
  for (const EntryPtr& entry : deleting) PADDOCK_TRY(Remove(entry, "finished after a crash"));
  for (const auto& [id, files] : log_files_) {
    if (entries_.contains(id)) continue;
    for (const auto& [start, size] : files) unlink((settings_.directory + "/logs/" + id + "." + std::to_string(start)).c_str());
  }
  log_files_.clear();

  const Descriptor sandboxes(open((settings_.directory + "/sandboxes").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!sandboxes.is_open()) return HostError("cannot open " + settings_.directory + "/sandboxes");
  PADDOCK_ASSIGN(const std::vector<std::string> names, overlay::NamesIn(sandboxes.get(), "", 1'000'000));
  for (const std::string& name : names) {
    if (!entries_.contains(name) && IsId(name, "sbx_")) PADDOCK_TRY(overlay::RemoveTree(sandboxes.get(), name));
  }
  return {};
}

Status Registry::FindLogs() {
  const std::string directory = settings_.directory + "/logs";
  const Descriptor logs(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!logs.is_open()) return HostError("cannot open " + directory);
  PADDOCK_ASSIGN(const std::vector<std::string> names, overlay::NamesIn(logs.get(), "", 10'000'000));
  for (const std::string& name : names) {
    const auto parsed = SandboxLog::ParseName(name);
    struct stat found{};
    if (!parsed || fstatat(logs.get(), name.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(found.st_mode)) continue;
    log_files_[parsed->first][parsed->second] = static_cast<uint64_t>(found.st_size);
  }
  return {};
}

Result<uint64_t> Registry::WatchFiles(const Caller& caller, std::string_view id, const std::string& path, bool is_recursive, FileWatches::Listener listener) {
  PADDOCK_ASSIGN(const EntryPtr entry, Find(caller, id));
  return watches_->Add(entry, path, is_recursive, std::move(listener));
}

Result<std::shared_ptr<SandboxLog>> Registry::Log(const Caller& caller, std::string_view id) const {
  PADDOCK_ASSIGN(const EntryPtr entry, Find(caller, id));
  return std::shared_ptr<SandboxLog>(entry, &entry->log());
}

Result<std::unique_ptr<Keeper>> Registry::MakeKeeper(const SandboxInfo& info) const {
  const auto maker = settings_.isolations.find(info.request.isolation);
  if (maker == settings_.isolations.end()) {
    return Error(Code::kUnavailable, info.id + ": isolation '" + info.request.isolation + "' is not there in this daemon");
  }
  return maker->second(info, DirectoryOf(info.id));
}

Registry::EntryPtr Registry::MakeEntry(SandboxInfo info, std::unique_ptr<Keeper> keeper, std::optional<Ledger::Past> past) {
  auto entry_settings = std::make_shared<SandboxEntry::Settings>();
  entry_settings->most_processes = settings_.most_processes;
  entry_settings->output_directory = settings_.directory + "/output";
  entry_settings->log = {.directory = settings_.directory + "/logs", .most_bytes = settings_.most_log_bytes, .most_age = settings_.keep_output};
  if (const auto found = log_files_.find(info.id); found != log_files_.end()) entry_settings->log_files = found->second;
  entry_settings->on_state = [this](const SandboxInfo& changed) { StateChanged(changed); };
  entry_settings->on_denial = [this, owner = info.owner, id = info.id](const std::string& text, uint64_t left_out) { PublishDenial(owner, id, text, left_out); };
  auto entry = std::make_shared<SandboxEntry>(std::move(info), std::move(keeper), std::move(entry_settings), std::move(past));
  const SandboxInfo made = entry->Info();
  const std::unique_lock lock(mutex_);
  entries_[made.id] = entry;
  if (!made.request.name.empty()) names_[NameKey(made.owner, made.request.parent, made.request.name)] = made.id;
  if (!made.request.parent.empty()) children_[made.request.parent].insert(made.id);
  return entry;
}

// ---- what an owner has

void Registry::CountIn(const SandboxInfo& info) {
  if (info.request.is_internal) return;
  Owned& owned = owners_[info.owner];
  ++owned.sandboxes;
  if (IsContainer(info)) ++owned.containers;
}

void Registry::CountOut(const SandboxInfo& info) {
  const auto found = owners_.find(info.owner);
  if (info.request.is_internal || found == owners_.end()) return;
  if (IsContainer(info)) --found->second.containers;
  if (--found->second.sandboxes == 0) owners_.erase(found);
}

class Registry::Claim {
 public:
  Claim(Registry& registry, const SandboxInfo& info) : registry_(&registry), info_(&info) {}
  Claim(Claim&& other) noexcept : registry_(std::exchange(other.registry_, nullptr)), info_(other.info_) {}
  Claim& operator=(Claim&&) = delete;
  ~Claim() {
    if (registry_ == nullptr) return;
    const std::unique_lock lock(registry_->mutex_);
    registry_->CountOut(*info_);
  }
  void Keep() { registry_ = nullptr; }

 private:
  Registry* registry_;
  const SandboxInfo* info_;   // of the caller's
};

Result<Registry::Claim> Registry::ClaimPlace(const SandboxInfo& info) {
  const OwnerLimits most = settings_.LimitsOf(info.owner);
  const std::unique_lock lock(mutex_);
  if (entries_.size() >= settings_.most_sandboxes) return Error(Code::kQuota, "there are " + std::to_string(entries_.size()) + " sandboxes, the most this daemon takes");
  const auto found = owners_.find(info.owner);
  const Owned owned = found != owners_.end() ? found->second : Owned{};
  if (!info.request.is_internal && owned.sandboxes >= most.sandboxes) {
    return Error(Code::kQuota, "you have " + std::to_string(owned.sandboxes) + " sandboxes, the most you may have (quota.sandboxes); delete some");
  }
  if (!info.request.is_internal && IsContainer(info) && owned.containers >= most.containers) {
    return Error(Code::kQuota, "you have " + std::to_string(owned.containers) + " containers, the most you may have (quota.containers); delete some");
  }
  if (!info.request.name.empty() && names_.contains(NameKey(info.owner, info.request.parent, info.request.name))) {
    return Error(Code::kExists, "you have a sandbox named '" + info.request.name + "'; choose another name, or ask for it");
  }
  CountIn(info);
  return Claim(*this, info);
}

Result<Registry::EntryPtr> Registry::Find(const Caller& caller, std::string_view id) const {
  const std::shared_lock lock(mutex_);
  auto found = entries_.find(id);
  if (found == entries_.end()) {
    const auto named = names_.find(NameKey(caller.owner, "", id));
    if (named == names_.end()) return None(id);
    found = entries_.find(named->second);
  }
  if (found == entries_.end() || (found->second->owner() != caller.owner && !caller.is_admin)) return None(id);
  return found->second;
}

// ---- creating

Status Registry::Check(const SandboxRequest& request) const {
  PADDOCK_TRY(CheckRequest(request));
  if (settings_.isolations.contains(request.isolation)) return {};
  std::string names;
  for (const auto& [name, maker] : settings_.isolations) names += (names.empty() ? "" : ", ") + name;
  return Error(Code::kInvalid, "isolation '" + request.isolation.substr(0, 80) + "' is none of " + names);
}

void RegistrySettings::Complete(SandboxRequest& request) const {
  const Lease lease = request.is_internal ? Lease{} : UsualLease(request.isolation);
  if (!request.lease.ttl) request.lease.ttl = lease.ttl;
  if (!request.lease.idle_ttl) request.lease.idle_ttl = lease.idle_ttl;
  if (!request.lease.max_lifetime) request.lease.max_lifetime = lease.max_lifetime;
  if (!request.lease.remove_after) request.lease.remove_after = lease.remove_after;
  if (!request.has_on_expiry) request.lease.on_expiry = lease.on_expiry;
  const SandboxLimits& limits = UsualLimits(request.isolation);
  const auto take = [](auto& to, const auto& usual_limit) {
    if (!to) to = usual_limit;
  };
  take(request.limits.memory_bytes, limits.memory_bytes);
  take(request.limits.processes, limits.processes);
  take(request.limits.cpus, limits.cpus);
  request.limits.is_disk_usual = !request.limits.disk_bytes;
  take(request.limits.disk_bytes, limits.disk_bytes);
  take(request.limits.files, limits.files);
  take(request.limits.exec_time, limits.exec_time);
  take(request.limits.cpu_time, limits.cpu_time);
  take(request.limits.output_bytes, limits.output_bytes);
}

Result<Created> Registry::Create(const Caller& caller, SandboxRequest request, const std::string& idempotency_key) {
  std::optional<Beginning> beginning;
  if (!request.base.empty()) {
    auto found = FindBeginning(caller, request.base, request.isolation);
    if (!found && request.takes_existing) {
      if (auto existing = Get(caller, request.name)) return Created{.sandbox = std::move(*existing), .is_new = false};
    }
    if (!found) return found.error();
    beginning.emplace(std::move(*found));
    if (request.isolation.empty()) request.isolation = beginning->isolation;
    request.environment.insert(beginning->environment.begin(), beginning->environment.end());
    if (request.working_directory.empty()) request.working_directory = beginning->working_directory;
    request.image = beginning->image;
    if (beginning->state.base && !request.container.image.empty()) return Error(Code::kInvalid, "image: " + beginning->id + " says what the sandbox stands on; leave the image out");
    if (request.isolation != beginning->isolation) {
      return Error(Code::kInvalid, beginning->id + " is of isolation '" + beginning->isolation + "', which cannot begin one of '" + request.isolation.substr(0, 80) + "'");
    }
  }
  if (request.isolation.empty()) request.isolation = settings_.default_isolation;
  settings_.Complete(request);
  PADDOCK_TRY(Check(request));
  const auto& published = request.network.publish;
  if (!caller.is_admin && std::any_of(published.begin(), published.end(), [](const policy::PublishedPort& port) { return port.host != 0; })) {
    return Error(Code::kNotPermitted, "network.publish: only an administrator chooses the host's port; write ':PORT' for any free one");
  }
  if (request.takes_existing) {
    if (auto existing = Get(caller, request.name)) return Created{.sandbox = std::move(*existing), .is_new = false};
  }
  const std::string name = request.name;
  const bool takes_existing = request.takes_existing;
  const Once once = OnceOf(caller.owner, idempotency_key, idempotency_key.empty() ? "" : Digest(request));
  auto created = CreateNew(caller, std::move(request), once, beginning ? &*beginning : nullptr);
  if (!created && created.error().code == Code::kExists && takes_existing) {   // somebody was faster
    if (auto existing = Get(caller, name)) return Created{.sandbox = std::move(*existing), .is_new = false};
  }
  return created;
}

Once Registry::OnceOf(const std::string& owner, const std::string& key, std::string digest) const {
  return {.owner = owner, .key = key, .digest = std::move(digest), .expires = Now() + settings_.key_lifetime};
}

Result<Created> Registry::CreateNew(const Caller& caller, SandboxRequest request, const Once& once, const Beginning* beginning) {
  if (beginning != nullptr) request.base = beginning->id;
  SandboxInfo info;
  info.id = NewId("sbx_");
  info.owner = caller.owner;
  info.request = std::move(request);
  info.created = info.updated = info.extended = info.last_active = Now();
  const std::string id = info.id;
  auto claimed = ClaimPlace(info);
  if (!claimed && claimed.error().code == Code::kQuota && once.has_key()) {   // a repetition takes no place
    PADDOCK_ASSIGN(const auto made, MadeBefore({once}));
    if (made[0]) {
      PADDOCK_ASSIGN(SandboxInfo known, Get(caller, *made[0]));
      return Created{.sandbox = std::move(known), .is_new = false};
    }
  }
  if (!claimed) return claimed.error();
  Claim claim = std::move(*claimed);
  PADDOCK_ASSIGN(std::unique_ptr<Keeper> keeper, MakeKeeper(info));
  // What it begins as first: a crash leaves a directory of no sandbox then, which a start takes away, and never a sandbox that begins as
  // another. Of the rest the record is first: what a crash leaves beside it is found by it.
  if (beginning != nullptr) {
    auto* states = dynamic_cast<KeepsStates*>(keeper.get());
    if (states == nullptr) return Error(Code::kNotSupported, "base: sandboxes of isolation " + info.request.isolation + " begin empty");
    if (const Status begun = states->Become(beginning->state); !begun) {
      (void)keeper->Remove();
      return begun.error();
    }
  }
  const auto give_up = [&](Error error) -> Error {
    if (beginning != nullptr) (void)keeper->Remove();
    return error;
  };
  std::optional<std::string> before;
  const Status stored = records_.Transact([&](records::Transaction& transaction) -> Status {
    before.reset();
    if (once.has_key()) {
      PADDOCK_ASSIGN(before, UseOnce(transaction, once, info.id));
      if (before) return {};
    }
    PADDOCK_TRY(transaction.Insert(RecordOf(info)));
    return {};
  });
  if (!stored) return give_up(stored.error());
  if (before) {
    auto made = Get(caller, *before);
    const Error gone = give_up(MadeAndGone(once, *before));
    if (!made) return gone;
    return Created{.sandbox = std::move(*made), .is_new = false};
  }
  const EntryPtr entry = MakeEntry(info, std::move(keeper));
  claim.Keep();
  if (const Status woken = entry->Wake(); !woken) {
    (void)Remove(entry, "could not be made");
    if (once.has_key()) {   // the next one tries anew
      (void)records_.Transact([&](records::Transaction& transaction) { return transaction.DropKey(once.owner, once.key); });
    }
    return woken.error();
  }
  events_.Publish({.owner = info.owner, .type = "sandbox.created", .subject = id,
                   .detail = info.request.base.empty() ? "{}" : R"({"base":")" + info.request.base + "\"}"});
  return Created{.sandbox = entry->Info(), .is_new = true};
}

// ---- looking

Result<SandboxInfo> Registry::Get(const Caller& caller, std::string_view id) const {
  PADDOCK_ASSIGN(const EntryPtr entry, Find(caller, id));
  return entry->Info();
}

size_t Registry::count() const {
  const std::shared_lock lock(mutex_);
  return entries_.size();
}

std::vector<std::string> Registry::isolations() const {
  std::vector<std::string> names;
  for (const auto& [name, maker] : settings_.isolations) names.push_back(name);
  return names;
}

Result<SandboxPage> Registry::List(const Caller& caller, const ListRequest& request) const {
  if (request.limit < 1 || request.limit > 1000) return Error(Code::kInvalid, "limit must be between 1 and 1000");
  ListRequest wanted = request;
  if (!caller.is_admin) {
    if (!wanted.owner.empty() && wanted.owner != caller.owner) return SandboxPage{};
    wanted.owner = caller.owner;
  }
  Age after(Time::min(), "");
  if (!wanted.cursor.empty()) {
    PADDOCK_ASSIGN(after, ReadCursor(wanted.cursor));
  }
  // The first `limit` of those that match, and whether there is another one.
  std::map<Age, EntryPtr> chosen;
  {
    const std::shared_lock lock(mutex_);
    for (const auto& [id, entry] : entries_) {
      entry->Read([&](const SandboxInfo& info) {
        if (!Matches(info, wanted)) return;
        Age age(info.created, id);
        if (age <= after || (chosen.size() > wanted.limit && age > chosen.rbegin()->first)) return;
        chosen.emplace(std::move(age), entry);
        if (chosen.size() > wanted.limit + 1) chosen.erase(std::prev(chosen.end()));
      });
    }
  }
  SandboxPage page;
  for (const auto& [age, entry] : chosen) {
    if (page.sandboxes.size() == wanted.limit) {
      const SandboxInfo& last = page.sandboxes.back();
      page.next = std::to_string(last.created.time_since_epoch().count()) + "." + last.id;
      break;
    }
    page.sandboxes.push_back(entry->Info());
  }
  return page;
}

std::vector<SandboxInfo> Registry::Children(const Caller& caller, const std::string& parent) const {
  std::vector<EntryPtr> entries;
  {
    const std::shared_lock lock(mutex_);
    const auto found = children_.find(parent);
    if (found == children_.end()) return {};
    for (const std::string& id : found->second) {
      const EntryPtr& entry = entries_.at(id);
      if (entry->owner() == caller.owner || caller.is_admin) entries.push_back(entry);
    }
  }
  std::vector<SandboxInfo> children;
  for (const EntryPtr& entry : entries) children.push_back(entry->Info());
  std::sort(children.begin(), children.end(), [](const SandboxInfo& a, const SandboxInfo& b) { return std::tie(a.created, a.id) < std::tie(b.created, b.id); });
  return children;
}

// ---- states

Status Registry::Save(const SandboxInfo& info, const std::function<Status(records::Transaction&)>& more) {
  return records_.Transact([&](records::Transaction& transaction) -> Status {
    PADDOCK_ASSIGN(const records::Record stored, transaction.Get(kKind, info.id));
    records::Record record = RecordOf(info);
    record.version = stored.version;
    PADDOCK_TRY(transaction.Update(std::move(record)));
    return more ? more(transaction) : Status();
  });
}

Result<SandboxInfo> Registry::Rest(const Caller& caller, std::string_view id, SandboxState state, bool force) {
  PADDOCK_ASSIGN(const EntryPtr entry, Find(caller, id));
  PADDOCK_TRY(entry->Rest(state, false, force, std::chrono::steady_clock::now() + kPatience));
  return entry->Info();
}

Result<SandboxInfo> Registry::Pause(const Caller& caller, std::string_view id, bool force) {
  return Rest(caller, id, SandboxState::kPaused, force);
}

Result<SandboxInfo> Registry::Stop(const Caller& caller, std::string_view id, bool force) {
  return Rest(caller, id, SandboxState::kStopped, force);
}

Result<SandboxInfo> Registry::Start(const Caller& caller, std::string_view id) {
  PADDOCK_ASSIGN(const EntryPtr entry, Find(caller, id));
  PADDOCK_TRY(entry->Wake());
  return entry->Info();
}

Result<SandboxInfo> Registry::Extend(const Caller& caller, std::string_view id, std::optional<Lease> lease) {
  PADDOCK_ASSIGN(const EntryPtr entry, Find(caller, id));
  if (lease) PADDOCK_TRY(CheckLease(*lease));
  entry->SetLease(lease ? *lease : entry->Info().request.lease, Now());
  const SandboxInfo info = entry->Info();
  PADDOCK_TRY(Save(info));
  return info;
}

Result<SandboxInfo> Registry::SetLabels(const Caller& caller, std::string_view id, Labels labels) {
  PADDOCK_ASSIGN(const EntryPtr entry, Find(caller, id));
  PADDOCK_TRY(CheckLabels(labels));
  entry->SetLabels(std::move(labels));
  const SandboxInfo info = entry->Info();
  PADDOCK_TRY(Save(info));
  return info;
}

Status Registry::Delete(const Caller& caller, std::string_view id) {
  PADDOCK_ASSIGN(const EntryPtr entry, Find(caller, id));
  return Remove(entry, "asked for");
}

// The record says so first, and goes last.
Status Registry::Remove(const EntryPtr& entry, const std::string& reason) {
  SandboxInfo info = entry->Info();
  info.state = SandboxState::kDeleting;
  if (const Status saved = Save(info); !saved && saved.error().code != Code::kNoEntry) return saved;
  PADDOCK_TRY(entry->Remove());
  if (settings_.snapshots != nullptr) {
    PADDOCK_ASSIGN(const std::vector<std::string> gone, settings_.snapshots->DeleteOf(info.id));
    for (const std::string& snapshot : gone) events_.Publish({.owner = info.owner, .type = "snapshot.deleted", .subject = snapshot, .detail = "{}"});
  }
  if (const Status deleted = DeleteRecord(entry); !deleted && deleted.error().code != Code::kNoEntry) return deleted;
  entry->log().Remove();
  bool is_first = false;
  {
    const std::unique_lock lock(mutex_);
    is_first = entries_.erase(entry->id()) == 1;
    if (is_first) {
      const auto named = names_.find(NameKey(info.owner, info.request.parent, info.request.name));
      if (named != names_.end() && named->second == info.id) names_.erase(named);
      if (const auto siblings = children_.find(info.request.parent); siblings != children_.end()) {
        siblings->second.erase(info.id);
        if (siblings->second.empty()) children_.erase(siblings);
      }
      CountOut(info);
    }
  }
  if (is_first) events_.Publish({.owner = info.owner, .type = "sandbox.deleted", .subject = info.id, .detail = R"({"reason":")" + reason + "\"}"});
  return {};
}

// ---- use

Result<HeldFiles> Registry::Files(const Caller& caller, std::string_view id, SandboxEntry::Deadline until) {
  PADDOCK_ASSIGN(const EntryPtr entry, Find(caller, id));
  return entry->Files(until);
}

Result<HeldFiles> Registry::FrozenFiles(const Caller& caller, std::string_view id, SandboxEntry::Deadline until) {
  PADDOCK_ASSIGN(const EntryPtr entry, Find(caller, id));
  return entry->FrozenFiles(until);
}

Result<bool> Registry::HasLineShell(const Caller& caller, std::string_view id) {
  PADDOCK_ASSIGN(const EntryPtr entry, Find(caller, id));
  return entry->HasLineShell();
}

Status Registry::With(const Caller& caller, std::string_view id, SandboxEntry::Deadline until, const std::function<Status(sandbox::Sandbox&)>& body) {
  PADDOCK_ASSIGN(const EntryPtr entry, Find(caller, id));
  return entry->With(until, body);
}

// ---- leases

void Registry::RunSweeps() {
  std::unique_lock lock(sweep_mutex_);
  while (!sweep_changed_.wait_for(lock, kSweepEvery, [&] { return is_ending_; })) {
    lock.unlock();
    Sweep(Now());
    lock.lock();
  }
}

void Registry::PublishDenial(const std::string& owner, const std::string& id, const std::string& text, uint64_t left_out) {
  const boost::json::object detail{{"text", text}, {"left_out", left_out}};
  events_.Publish({.owner = owner, .type = "denial", .subject = id, .detail = boost::json::serialize(detail)});
}

void Registry::Sweep(Time now) {
  std::vector<std::pair<EntryPtr, Expiry>> due;
  std::vector<EntryPtr> idle, denied;
  {
    const std::shared_lock lock(mutex_);
    for (const auto& [id, entry] : entries_) {
      if (const auto expiry = entry->Due(now)) due.emplace_back(entry, *expiry);
      else if (entry->IsIdleSince(now - settings_.park_after)) idle.push_back(entry);
      if (entry->denials().owes()) denied.push_back(entry);
    }
  }
  for (const auto& [entry, expiry] : due) {
    if (expiry.action == OnExpiry::kDelete) {
      (void)Remove(entry, CauseName(expiry.cause));   // tried again at the next sweep
      continue;
    }
    const SandboxState state = expiry.action == OnExpiry::kStop ? SandboxState::kStopped : SandboxState::kPaused;
    const bool is_idle = expiry.cause == Expiry::Cause::kIdle;   // a ttl ends also what is in use
    (void)entry->Rest(state, is_idle, !is_idle, std::chrono::steady_clock::now() + (is_idle ? std::chrono::seconds(0) : kPatience));
  }
  for (const EntryPtr& entry : idle) entry->Park();
  for (const EntryPtr& entry : denied) entry->denials().TellLeftOut();
}

}  // namespace paddock::registry
