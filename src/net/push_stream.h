// PushStream: what a connection becomes when its exchange turns into a stream that outlives the handler: a queue towards the
// client that any thread feeds, and one strand on which everything is read and every callback runs.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "net/channel.h"
#include "net/poller.h"

namespace paddock::net {

class ServerCore;

class PushStream : public Pollable, public std::enable_shared_from_this<PushStream> {
 public:
  struct Bounds {
    size_t queue_bytes;
    std::chrono::milliseconds heartbeat;
  };
  PushStream(ServerCore& core, uint64_t id, Bounds bounds) : core_(core), id_(id), bounds_(bounds) {}

  // Takes the connection, and the bytes that were received behind the request. Sends `head`.
  void Take(Channel channel, std::string received, std::string_view head);
  // The handler has returned: reading and callbacks begin.
  void Begin();

  void OnEvents(uint32_t events) override;
  void OnTick(Time now) override;
  void OnStopping() override = 0;
  void Cut() override;

  bool is_closed() const;
  size_t queued_bytes() const;

 protected:
  using Lock = std::unique_lock<std::mutex>;

  // --- for the kinds of streams; `lock` holds mutex_ ---
  // Queues, or sends at once. Errors: kBrokenPipe, kLimit.
  Status Enqueue(std::string_view bytes, Lock& lock);
  // Nothing more is sent behind the queue: then the sending side ends, and the client has a while to end its own.
  void FinishAfterQueue(Lock& lock);
  bool is_open(const Lock&) const { return state_ == State::kOpen; }
  // On the strand: bytes from the client, without the lock. False ends the stream.
  virtual bool OnBytes(std::string_view bytes) = 0;
  // Every now and then, with the lock: whether a heartbeat is due, and sending it; whether the client must be dead.
  virtual bool IsHeartbeatDue(Time now, const Lock& lock) const;
  virtual void SendHeartbeat(Lock& lock) = 0;
  virtual bool IsDead(Time) const { return false; }
  std::chrono::milliseconds heartbeat() const { return bounds_.heartbeat; }
  // Before a callback that may wait.
  void Cover();
  // On the strand, without the lock; OnClosed() is the last and drops the callbacks.
  virtual void OnDrained() = 0;
  virtual void OnClosed() = 0;

  mutable std::mutex mutex_;

 private:
  enum class State { kOpen, kFinishing, kClosed };
  // Reads, and calls back, until nothing is left to do. The caller must have found the strand free and taken it.
  void RunStrand(Lock& lock);
  bool ReadOnce(Lock& lock);
  void Flush(Lock& lock);
  void Rearm(Lock& lock);
  void End(Lock& lock);
  size_t pending(const Lock&) const { return queue_.size() - sent_; }

  ServerCore& core_;
  const uint64_t id_;
  const Bounds bounds_;
  // Guarded by mutex_.
  Channel channel_;
  State state_ = State::kOpen;
  std::string received_;            // before Begin()
  std::string queue_;
  size_t sent_ = 0;                 // of queue_
  bool has_begun_ = false, is_in_strand_ = false, is_broken_ = false;
  bool is_finished_ = false;        // FinishWriting() was called
  bool was_refused_ = false, must_tell_drained_ = false;
  Time last_sent_{}, progress_{}, finish_by_ = Time::max();
};

}  // namespace paddock::net
