// Connection: one HTTP/1.1 connection of a server, from its first byte to its end or to the push stream that it becomes.
//
// At any time one party owns it: the epoll (state kArmed), or the thread that claimed it (kBusy), which reads, runs the handler,
// writes, and arms it again or closes it. Only the owner touches what is not atomic or guarded. Nothing here waits but what the
// handler asks for.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>

#include "net/channel.h"
#include "net/poller.h"
#include "net/request.h"
#include "text/http_chunks.h"

namespace paddock::net {

class ServerCore;
class ServerExchange;

class Connection : public Pollable, public std::enable_shared_from_this<Connection> {
 public:
  Connection(ServerCore& core, Channel channel, Peer peer, uint64_t id);
  ~Connection() override;

  void OnEvents(uint32_t events) override;
  void OnTick(Time now) override;
  void OnStopping() override;
  void Cut() override;
  Time idle_since() const override { return is_idle_.load() ? idle_since_.load() : Time::max(); }
  bool TryEvict() override;

  // For whoever took it out of the queue for handlers: with a place for its handler, or without one.
  void MarkAdmitted() { is_admitted_ = true; }
  void RefuseQueued();
  int fd() const { return channel_.fd(); }

 private:
  friend class ServerExchange;
  enum class State { kArmed, kBusy, kClosed };
  enum class Phase { kHandshake, kHead, kBody, kHandler, kFlush, kLinger };

  bool Claim();
  // For the owner: goes on until the connection waits or ends; then on with those whose handlers found a place meanwhile.
  void Run();
  bool Step(std::shared_ptr<Connection>* next);
  // Steps of Run(); false when it must return, because the connection was armed, queued, given away or closed.
  bool Handshake();
  bool ReadHead();
  bool ReadBodyAhead();
  bool Flush();
  bool Linger();
  // Reads once into input_. False after arming or closing.
  bool Fill();

  bool BeginRequest(RequestHead head);
  // `next` is set to a connection whose handler this thread must run next.
  bool RunHandler(std::shared_ptr<Connection>* next);
  bool AfterHandler(ServerExchange& exchange);
  bool AfterAnswer();
  bool DrainBody();
  // Sends an answer of ours and closes behind it. False as the steps.
  bool Refuse(int status, std::string_view reason);
  std::string RefusalBody(int status, std::string_view reason) const;

  void SetPhase(Phase phase, std::chrono::milliseconds time);
  bool Arm(Io want);
  bool Close(bool reset = false);
  void NotifyGone();
  // Writes what it can of output_ and output_body_. kDone when all is out.
  Io WriteOut();

  ServerCore& core_;
  const uint64_t id_;
  const Peer peer_;
  std::mutex mutex_;                    // guards the descriptor of channel_ against the end: Arm(), Cut(), Close()
  Channel channel_;
  std::atomic<State> state_{State::kArmed};
  std::atomic<Time> deadline_, idle_since_;
  std::atomic<bool> is_idle_{false}, is_cut_{false};

  Phase phase_ = Phase::kHead;
  Io want_ = Io::kWantRead;             // what it was armed for
  std::string input_;                   // received, not used
  size_t searched_ = 0;                 // of input_: no end of a head before
  std::string output_, output_body_;    // to be sent, in this order
  size_t written_ = 0;                  // of the first of them that is not empty
  bool closes_ = false;                 // after this answer
  uint64_t lingered_ = 0;

  Request request_;
  BodyFraming framing_;
  uint64_t body_left_ = 0;              // of a body with a length
  ChunkDecoder chunks_;
  std::string decoded_;                 // out of chunks, not read
  bool expects_continue_ = false, keep_alive_ = false, is_body_broken_ = false, is_admitted_ = false;

  std::mutex gone_mutex_;               // held while the function runs
  bool is_in_handler_ = false;          // guarded by gone_mutex_
  bool is_gone_told_ = false;           // guarded by gone_mutex_
  std::function<void()> on_gone_;       // guarded by gone_mutex_
};

}  // namespace paddock::net
