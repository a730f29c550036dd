// RegistrySession: a session of the registry as its tools see it.
#pragma once

#include <memory>
#include <string>

#include "api/session/registry_sandbox.h"

namespace paddock::api {

// Made for a call, or a few: Settle() tells what went wrong since the last one. Any thread.
class RegistrySession final : public tools::SessionAccess {
 public:
  // `registry` outlives it. `configured` are the limits that the session's configuration sets: those may lie above what the daemon gives to
  // who does not ask, and only be lowered.
  RegistrySession(registry::Registry& registry, std::shared_ptr<registry::Session> session, tools::SandboxLimits configured);

  const std::string& id() const override { return context_.session->info().id; }
  Result<std::shared_ptr<tools::SandboxAccess>> Create(const tools::CreateRequest& request) override;
  Result<std::vector<tools::SandboxInfo>> List() override;
  Result<std::shared_ptr<tools::SandboxAccess>> Find(const std::string& id) override;
  Result<tools::FileLease> Files() override;
  tools::KeyValueStore& keys() override { return keys_; }
  Result<std::shared_ptr<void>> Watch(const tools::WatchRequest& request, tools::WatchListener listener) override;
  Status Settle() override { return context_.unkept->Take(); }

 private:
  class Keys final : public tools::KeyValueStore {
   public:
    explicit Keys(registry::Session& session) : session_(session) {}
    Result<std::optional<std::string>> Get(const std::string& key) override { return session_.Get(key); }
    Status Set(const std::string& key, const std::string& value) override { return session_.Set(key, value); }
    Result<bool> Delete(const std::string& key) override { return session_.Erase(key); }
    Result<std::vector<std::string>> List(const std::string& prefix) override { return session_.Keys(prefix); }

   private:
    registry::Session& session_;
  };

  std::shared_ptr<tools::SandboxAccess> Access(const registry::SandboxInfo& info) const { return std::make_shared<RegistrySandbox>(context_, info); }

  const SandboxContext context_;
  const tools::SandboxLimits configured_;
  Keys keys_;
};

}  // namespace paddock::api
