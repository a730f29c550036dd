#include "api/mcp/http_clients.h"

#include <vector>

#include "base/id.h"

namespace paddock::mcp {

using Clock = std::chrono::steady_clock;

namespace {

void Forget(const HttpClient& client) {
  client.calls->CancelAll();
  client.subscriber->Close();
}

}  // namespace

std::shared_ptr<HttpClient> HttpClients::Add(const std::string& owner, Revision revision) {
  auto client = std::make_shared<HttpClient>();
  client->id = NewId("mcp_");
  client->owner = owner;
  client->revision = revision;
  client->used = Clock::now();
  std::shared_ptr<HttpClient> forgotten;
  std::vector<std::shared_ptr<HttpClient>> idle;
  {
    const std::lock_guard lock(mutex_);
    size_t count = 0;
    auto oldest = clients_.end();
    for (auto each = clients_.begin(); each != clients_.end();) {
      if (client->used - each->second->used > kClientIdle) {
        idle.push_back(std::move(each->second));
        each = clients_.erase(each);
        continue;
      }
      if (each->second->owner == owner) {
        ++count;
        if (oldest == clients_.end() || each->second->used < oldest->second->used) oldest = each;
      }
      ++each;
    }
    if (count >= kMostClientsOfOwner) {
      forgotten = std::move(oldest->second);
      clients_.erase(oldest);
    }
    clients_.emplace(client->id, client);
  }
  if (forgotten) idle.push_back(std::move(forgotten));
  for (const auto& gone : idle) Forget(*gone);
  return client;
}

std::shared_ptr<HttpClient> HttpClients::Find(const std::string& owner, const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto found = clients_.find(id);
  if (found == clients_.end() || found->second->owner != owner) return nullptr;
  found->second->used = Clock::now();
  return found->second;
}

bool HttpClients::Remove(const std::string& owner, const std::string& id) {
  std::shared_ptr<HttpClient> removed;
  {
    const std::lock_guard lock(mutex_);
    const auto found = clients_.find(id);
    if (found == clients_.end() || found->second->owner != owner) return false;
    removed = std::move(found->second);
    clients_.erase(found);
  }
  Forget(*removed);
  return true;
}

void HttpClients::CancelAll() {
  std::vector<std::shared_ptr<HttpClient>> all;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, client] : clients_) all.push_back(client);
  }
  for (const auto& client : all) Forget(*client);
}

}  // namespace paddock::mcp
