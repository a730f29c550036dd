// Engine: the Docker Engine API over one endpoint: version, calls, streams. What is called stands in the other headers of this folder.
//
// Each call has a connection of its own, so that calls from many threads do not wait for each other and none gets another one's answer.
// Every call has a deadline. What an engine answers is bounded and checked; it is trusted with the machine, not with ours.
//
// Source: docs.docker.com/reference/api/engine, versions 1.41 to 1.51, and what Docker 20.10 and Podman 4.3 do.
#pragma once

#include <boost/json/value.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "drivers/docker/engine/endpoint.h"
#include "net/client.h"

namespace paddock::docker {

enum class EngineKind { kDocker, kPodman };

// What the engine says of itself when it is greeted.
struct EngineFacts {
  EngineKind kind = EngineKind::kDocker;
  std::string version;                  // "20.10.24+dfsg1"
  std::pair<int, int> api{1, 41};       // that is spoken
};

// What it says of itself and its machine when it is asked for that, which takes Podman half a second.
struct EngineMachine {
  std::vector<std::string> runtimes;    // registered names
  std::string default_runtime;
  std::vector<std::string> security;    // "name=seccomp,profile=default", "name=userns", "name=rootless"
  std::string storage_driver;
  std::string architecture;             // "x86_64", "aarch64"
  int cgroup_version = 1;
  uint64_t memory_bytes = 0;
  int cpus = 0;
};

// Files "a=b" of a query, encoded when sent.
using Query = std::vector<std::pair<std::string, std::string>>;

struct EngineCall {
  std::string method = "GET";
  std::string path;                     // behind the version: "/containers/json"; segments that are not ours already encoded
  Query query;
  boost::json::value body;              // null: none
  std::function<Result<size_t>(std::span<char>)> source;   // instead of `body`: a tar archive
  net::Headers headers;
  std::chrono::milliseconds time{60'000};      // to the head of the answer and for the next bytes of its body
  std::shared_ptr<net::Cancellation> cancellation;   // may be null
};

struct EngineAnswer {
  int status = 0;
  std::string body;
  // The body as JSON; null when it is none.
  boost::json::value Json() const;
};

class Engine {
 public:
  // Greets the engine. Errors: kUnavailable with what went wrong and the remedy (nobody listens, no permission, TLS, not an
  // engine), kNotSupported when no version is spoken by both.
  static Result<std::unique_ptr<Engine>> Connect(Endpoint endpoint);
  // The first of them that answers. Errors: kUnavailable naming all that were tried and why each failed.
  static Result<std::unique_ptr<Engine>> ConnectFirst(const std::vector<Endpoint>& endpoints);

  const Endpoint& endpoint() const { return endpoint_; }
  const EngineFacts& facts() const { return facts_; }
  // Asked when it is first wanted. Errors: as Expect().
  Result<std::shared_ptr<const EngineMachine>> Machine() const;
  bool is_podman() const { return facts_.kind == EngineKind::kPodman; }

  // Sends a call and reads the whole answer, whatever its status. Errors: kUnavailable (no connection, or it ended early), kTimedOut,
  // kCancelled, kLimit (an answer above kMostAnswer).
  Result<EngineAnswer> Call(EngineCall call) const;
  // As Call(); an answer that is not one of `accepted` is an error, with what the engine says: kNoEntry (404), kConflict (409), kInvalid (400),
  // kAccess (401, 403), kIo (others).
  Result<EngineAnswer> Expect(EngineCall call, std::initializer_list<int> accepted) const;
  // Gives the answer's body as it comes; an error of `take` ends it. Errors: as Expect().
  Status Stream(EngineCall call, const std::function<Status(std::string_view)>& take) const;
  // Turns the connection into a stream of bytes both ways. Errors: as Expect().
  Result<std::unique_ptr<net::ByteStream>> Hijack(EngineCall call) const;
  // The answer with its body unread, for those who look at its headers. Errors: as Expect().
  Result<std::unique_ptr<net::Response>> Open(EngineCall call, std::initializer_list<int> accepted) const;

  static constexpr size_t kMostAnswer = 8 << 20;
  static constexpr std::pair<int, int> kOldestApi{1, 41}, kNewestApi{1, 51};

 private:
  explicit Engine(Endpoint endpoint) : endpoint_(std::move(endpoint)) {}
  Status Greet();
  Status CheckOldest(std::pair<int, int> newest) const;
  Result<std::unique_ptr<net::Response>> Send(EngineCall& call) const;
  Error Unreachable(const Error& error) const;

  const Endpoint endpoint_;
  EngineFacts facts_;
  std::string prefix_;   // "/v1.41"; empty before the greeting
  mutable std::mutex machine_mutex_;
  mutable std::shared_ptr<const EngineMachine> machine_;
};

// What an engine's error answer says, at most 500 bytes of it, one line.
std::string EngineMessage(const EngineAnswer& answer);
// The error that stands for an answer that was not accepted.
Error EngineError(const std::string& what, const EngineAnswer& answer);

// "1.41" to {1, 41}. Errors: kInvalid.
Result<std::pair<int, int>> ParseApiVersion(std::string_view text);

}  // namespace paddock::docker
