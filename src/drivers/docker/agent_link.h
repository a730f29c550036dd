// AgentLink: the way from a guest client to an agent whose stdin and stdout an engine carries: bytes one way, frames the other.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "base/descriptor.h"
#include "net/client.h"

namespace paddock::docker {

class AgentLink {
 public:
  // Takes over the attached stream of a container (AttachContainer()).
  static Result<std::unique_ptr<AgentLink>> Open(std::unique_ptr<net::ByteStream> stream);
  // Ends the link: the agent's client sees the end of its input.
  ~AgentLink();
  AgentLink(const AgentLink&) = delete;

  // The client's end, both ways; to be taken once.
  Descriptor TakeSocket() { return std::move(client_end_); }
  // Nothing comes any more: the agent has ended, or the way to it. Any thread.
  bool HasEnded() const { return has_ended_; }
  // What came on the agent's stderr, at most 4 KiB of its beginning: why it could not begin. Any thread.
  std::string Complaint() const;

 private:
  explicit AgentLink(std::unique_ptr<net::ByteStream> stream) : stream_(std::move(stream)) {}
  void CarryIn();    // from the client to the engine
  void CarryOut();

  const std::unique_ptr<net::ByteStream> stream_;
  Descriptor our_end_, client_end_;
  mutable std::mutex mutex_;
  std::string complaint_;   // guarded by mutex_
  std::atomic<bool> has_ended_{false};
  std::thread in_, out_;
};

}  // namespace paddock::docker
