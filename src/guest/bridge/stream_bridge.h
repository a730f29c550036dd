// StreamBridge: joins streams of an agent to sockets of the host, byte for byte, with the end of each half.
//
// One thread serves all of them. A side that does not read stops the other: of each stream no more is held than its window.
// The agent is not trusted: connections are bounded, and its streams by the client.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "base/descriptor.h"
#include "base/result.h"
#include "guest/client/client.h"

namespace paddock::guest {

class StreamBridge {
 public:
  static constexpr size_t kMostConnections = 512;   // at once, of both kinds; more are closed

  // Has the client read for itself from now on (Client::StartReader()). Errors: kTooManyFiles and the like.
  static Result<std::unique_ptr<StreamBridge>> Start(std::shared_ptr<Client> client);
  ~StreamBridge();
  StreamBridge(const StreamBridge&) = delete;
  StreamBridge& operator=(const StreamBridge&) = delete;

  // A server inside, on the agent's loopback; gives its port, which 0 leaves to chance. `meet` is called on the bridge's thread for each connection to it and gives the socket to join it
  // to; it is closed when that is none. Errors: the agent's, naming the port.
  Result<uint16_t> ListenInside(uint16_t port, std::function<Descriptor()> meet);
  // A listening socket of the host, each connection to which is dialled to a port inside.
  Status DialInside(Descriptor listener, uint16_t port);

  // Closes listeners and connections. Idempotent.
  void Stop();

 private:
  class Joint;
  struct Waker;
  struct Inside {
    std::unique_ptr<GuestListener> listener;
    std::function<Descriptor()> meet;
  };
  struct Outside {
    Descriptor socket;
    uint16_t port = 0;
  };

  explicit StreamBridge(std::shared_ptr<Client> client);
  uint64_t NextNumber();
  Status Watch(int fd, uint64_t number, uint32_t events);
  // On the thread:
  void Run();
  void Serve(uint64_t number, uint32_t events);
  void TakeNew(uint64_t listener);
  void TakeFromInside(Inside& inside);
  void TakeFromOutside(const Outside& outside);
  void TakeFromAllOutside();
  uint64_t Join(std::unique_ptr<GuestConnection> stream, Descriptor socket);
  void Drop(uint64_t number);
  void DropLateDials();

  const std::shared_ptr<Client> client_;
  Descriptor epoll_;
  std::shared_ptr<Waker> waker_;   // outlives the bridge in handlers of the client's
  std::mutex mutex_;
  std::map<uint64_t, Inside> inside_;     // guarded by mutex_
  std::map<uint64_t, Outside> outside_;   // likewise
  uint64_t last_number_ = 0;              // likewise
  // Of the thread:
  std::map<uint64_t, std::unique_ptr<Joint>> joints_;
  std::set<uint64_t> dialled_;   // joints that do not stand yet
  bool is_starved_ = false;      // of descriptors: what waits outside is looked at again soon
  std::thread thread_;
};

}  // namespace paddock::guest
