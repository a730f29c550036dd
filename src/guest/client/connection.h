// Connection: the client's end of the byte stream, shared by the client and its processes, files and ports.
//
// It has no thread of its own. Whoever waits for something reads for all: it takes the part of the driver, hands what comes
// to the streams, and when its own wish has come true leaves the part to another that waits. A client that wants to be
// served while nobody waits gives it a thread (Client::StartReader) or calls Poll() from its event loop.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "guest/client/time.h"
#include "guest/protocol/frame.h"
#include "guest/protocol/messages.h"
#include "guest/protocol/port_messages.h"

namespace paddock::guest {

class Connection {
 public:
  using Lock = std::unique_lock<std::mutex>;

  // What the client knows of one stream.
  class Stream {
   public:
    virtual ~Stream() = default;
    // Takes a frame or message of this stream. An error is a violation: the connection ends with it. May release the lock
    // while it calls a handler of the user's.
    virtual Status Receive(const Frame& frame, Lock& lock) = 0;
    // A listener's: a connection came and has this number. Null: there is no room for it, and it is closed.
    virtual std::shared_ptr<Stream> Accept(uint32_t /*number*/, const Accepted&) { return nullptr; }
    // With the lock held: the connection has ended, or takes data again after IsCrowded().
    virtual void ConnectionChanged() {}
  };

  // Takes both descriptors, which may be the same.
  Connection(int input_fd, int output_fd);
  ~Connection();
  Connection(const Connection&) = delete;

  Lock Acquire() { return Lock(mutex_); }
  // All of these with the lock held.
  // Sends a request on a new stream, whose frames go to `stream` from now on. Returns its number.
  Result<uint32_t> Open(std::shared_ptr<Stream> stream, FrameType type, std::string_view request);
  void Send(uint32_t stream, FrameType type, uint16_t flags = 0, std::string_view payload = {});
  // A message on a stream that is open. Errors as Open().
  Status SendMessage(uint32_t stream, FrameType type, std::string_view message);
  // Something that another thread may wait for has come true without a frame.
  void Notify() { if (waiting_ > 0) changed_.notify_all(); }
  // Frames of the stream are ignored from now on.
  void Forget(uint32_t stream);
  // Waits until `is_true()`, driving if nobody else does. kTimedOut; kBusy from within a handler; the connection's error when it
  // has ended without it becoming true.
  Status Wait(Lock& lock, Deadline deadline, const std::function<bool()>& is_true);
  // Waits for a handler to return, unless it is the caller itself that runs within it.
  void WaitForHandler(Lock& lock, const std::function<bool()>& has_returned);
  const std::optional<Error>& error() const { return error_; }
  const std::optional<Hello>& hello() const { return hello_; }
  bool HasOutgoing() const { return !outgoing_.empty(); }
  // So much waits to be written that no data should be added: whatever credit an agent grants that does not read.
  bool IsCrowded() const { return is_crowded_; }

  // Without the lock:
  // Reads and handles what there is, waiting for it at most until `deadline`. Does nothing when another thread drives.
  Status Poll(Deadline deadline);
  void StartReader();
  // Ends the connection: every wait ends with an error, the agent sees the end of its input.
  void Close(Error reason);
  int input_fd() const { return input_fd_; }
  int output_fd() const { return output_fd_; }

 private:
  // As the driver, without the lock.
  void Drive(Deadline deadline);
  void ReadAvailable();
  Status Dispatch(const Frame& frame, Lock& lock);
  Status Accept(uint32_t number, std::string_view payload);
  void Fail(Error error);   // with the lock
  void Flush();   // with the lock
  void Wake();

  std::mutex mutex_;
  std::condition_variable changed_;
  int input_fd_;
  int output_fd_;
  int wake_fd_;
  bool is_driven_ = false;
  std::thread::id driver_;
  int waiting_ = 0;
  std::optional<Error> error_;
  std::optional<Hello> hello_;
  std::string outgoing_;
  bool is_crowded_ = false;
  uint32_t last_stream_ = 0;
  uint32_t last_accepted_ = 0;
  std::map<uint32_t, std::shared_ptr<Stream>> streams_;
  std::thread reader_;
  FrameDecoder decoder_;          // the driver's
  MessageAssembler assembler_;    // the driver's
};

}  // namespace paddock::guest
