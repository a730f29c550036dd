// Process: one exec of a client. Holds the agent's ends of its pipes or its terminal, its output log and how it ended.
#pragma once

#include <sys/resource.h>

#include <memory>
#include <optional>
#include <string>

#include "guest/agent/event_loop.h"
#include "guest/agent/outbox.h"
#include "guest/agent/output_log.h"
#include "guest/agent/stdio.h"
#include "guest/protocol/flow.h"

namespace paddock::guest {

class Process final : public Outbox::Source {
 public:
  Process(EventLoop& loop, Outbox& outbox, uint64_t number, pid_t pid, std::string name, Stdio stdio, size_t log_bytes);
  ~Process() override;
  Process(const Process&) = delete;

  uint64_t number() const { return number_; }
  pid_t pid() const { return pid_; }
  const std::string& name() const { return name_; }
  uint32_t stream() const { return stream_; }              // 0 when no client is attached
  bool IsRunning() const { return !exited_.has_value(); }
  bool HasTerminal() const { return static_cast<bool>(terminal_); }
  int terminal() const { return terminal_.get(); }

  // Binds it to a stream: sends kStarted, then the output from these offsets on, and how it ended if it has.
  void Attach(uint32_t stream, uint64_t out_offset, uint64_t error_offset, uint32_t output_window);
  // The output waits in the log, and in the program when that is full.
  void Detach();

  // Bytes for its input; kInvalid when they are more than was granted.
  Status Receive(std::string_view bytes);
  void EndInput();
  Status AddCredit(uint16_t channel, uint32_t bytes);
  bool Resize(TerminalSize size);

  // It has ended: takes what is still in its pipes and tells the client.
  void OnExit(int status, const rusage& usage);
  // Nothing more will ever come out of it.
  bool IsOver() const { return exited_ && channels_[0].has_ended && channels_[1].has_ended; }

  bool Produce(Outbox& outbox) override;

 private:
  struct Channel {
    explicit Channel(size_t log_bytes) : log(log_bytes) {}
    Descriptor fd;
    uint64_t watch = 0;
    OutputLog log;
    SendCredit credit;
    bool has_ended = true;   // nothing more to read
    bool end_is_sent = false;
  };

  bool MayRead(const Channel& channel) const;
  void ReadOnce(Channel& channel);
  void UpdateInterest(Channel& channel);
  // Sends the end of a channel once all of its output has been sent.
  void MaybeSendEnd(Channel& channel);
  bool HasDataFor(const Channel& channel) const;
  uint16_t ChannelNumber(const Channel& channel) const;
  void SendExit();
  void WriteInput();
  void CloseInput();

  EventLoop& loop_;
  Outbox& outbox_;
  const uint64_t number_;
  const pid_t pid_;
  const std::string name_;
  uint32_t stream_ = 0;
  Channel channels_[2];   // stdout (or the terminal), stderr
  bool error_first_ = false;
  std::optional<Exited> exited_;
  Descriptor terminal_;

  Descriptor input_;
  uint64_t input_watch_ = 0;
  std::string input_pending_;
  ReceiveWindow input_window_;
  bool input_ends_ = false;   // the client has no more
};

}  // namespace paddock::guest
