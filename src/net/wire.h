// Wire: the connection of a client, with the bytes that were received and not used.
#pragma once

#include <mutex>

#include "net/channel.h"
#include "net/client.h"

namespace paddock::net {

class Wire {
 public:
  Wire(Channel channel, std::chrono::milliseconds idle_time, std::shared_ptr<Cancellation> cancellation)
      : channel_(std::move(channel)), idle_time_(idle_time), cancellation_(std::move(cancellation)) {}

  Status Handshake(std::chrono::milliseconds time);
  // Reads what there is, first of input(); 0 is the end. `time` 0: no limit.
  Result<size_t> Read(std::span<char> to, std::chrono::milliseconds time);
  // Reads more behind input(). False at the end.
  Result<bool> Fill(std::chrono::milliseconds time);
  Status Write(std::string_view bytes);
  // Waits for something to read, or the end, at most `time`. False when nothing came; what only TLS itself says is nothing.
  Result<bool> IsReadable(std::chrono::milliseconds time);
  // Reads a head, with the limit of the parser. Errors: kBrokenPipe when none came.
  Result<ResponseHead> ReadHead(std::chrono::milliseconds time);
  void FinishWriting();
  void Cut();

  std::string& input() { return input_; }
  std::chrono::milliseconds idle_time() const { return idle_time_; }
  // True between requests.
  bool is_idle = false;
  // True when anything of an answer came.
  bool has_heard = false;

 private:
  Status Wait(Io want, std::chrono::milliseconds time);

  std::mutex mutex_;      // held during one attempt: TLS cannot read and write at once
  Channel channel_;
  std::string input_;     // the reader's
  const std::chrono::milliseconds idle_time_;
  const std::shared_ptr<Cancellation> cancellation_;
};

}  // namespace paddock::net
