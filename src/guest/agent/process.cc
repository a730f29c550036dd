#include "guest/agent/process.h"

#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace paddock::guest {

Process::Process(EventLoop& loop, Outbox& outbox, uint64_t number, pid_t pid, std::string name, Stdio stdio, size_t log_bytes)
    : loop_(loop), outbox_(outbox), number_(number), pid_(pid), name_(std::move(name)),
      channels_{Channel(log_bytes), Channel(log_bytes)}, terminal_(std::move(stdio.terminal)), input_(std::move(stdio.input)) {
  channels_[0].fd = std::move(stdio.output);
  channels_[1].fd = std::move(stdio.error);
  for (Channel& channel : channels_) {
    if (!channel.fd) continue;
    channel.has_ended = false;
    channel.watch = loop_.Watch(channel.fd.get(), 0, [this, &channel](uint32_t) {
      ReadOnce(channel);
      UpdateInterest(channel);
    });
    UpdateInterest(channel);
  }
  if (input_) input_watch_ = loop_.Watch(input_.get(), 0, [this](uint32_t) { WriteInput(); });
}

Process::~Process() {
  outbox_.Unschedule(*this);
  for (Channel& channel : channels_) loop_.Forget(channel.watch);
  loop_.Forget(input_watch_);
}

void Process::Attach(uint32_t stream, uint64_t out_offset, uint64_t error_offset, uint32_t output_window) {
  stream_ = stream;
  Started started{number_, pid_};
  started.input_window = input_ && !input_ends_ ? input_window_.available() : 0;
  started.out_offset = channels_[0].log.Rewind(out_offset);
  started.error_offset = channels_[1].log.Rewind(error_offset);
  outbox_.Frame(stream_, FrameType::kStarted, 0, Encode(started));
  if (!input_ || input_ends_) outbox_.Frame(stream_, FrameType::kInputClosed);
  if (exited_) SendExit();
  for (Channel& channel : channels_) {
    channel.credit = SendCredit(output_window);
    channel.end_is_sent = false;
    MaybeSendEnd(channel);
    UpdateInterest(channel);
  }
  if (HasDataFor(channels_[0]) || HasDataFor(channels_[1])) outbox_.Schedule(*this);
}

void Process::Detach() {
  stream_ = 0;
  outbox_.Unschedule(*this);
  for (Channel& channel : channels_) UpdateInterest(channel);
}

bool Process::MayRead(const Channel& channel) const {
  return channel.fd && channel.log.HasRoom() && (stream_ == 0 || channel.credit.available() > 0);
}

void Process::UpdateInterest(Channel& channel) { loop_.Change(channel.watch, MayRead(channel) ? EPOLLIN : 0u); }

void Process::ReadOnce(Channel& channel) {
  const std::span<char> space = channel.log.Space();
  const ssize_t got = read(channel.fd.get(), space.data(), space.size());
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got > 0) {
    channel.log.Commit(static_cast<size_t>(got));
    if (HasDataFor(channel)) outbox_.Schedule(*this);
    return;
  }
  // The end; a terminal whose last program has gone says EIO.
  loop_.Forget(channel.watch);
  channel.watch = 0;
  channel.fd.Reset();
  channel.has_ended = true;
  MaybeSendEnd(channel);
}

uint16_t Process::ChannelNumber(const Channel& channel) const {
  return &channel == &channels_[0] ? kChannelOut : kChannelError;
}

bool Process::HasDataFor(const Channel& channel) const {
  return stream_ != 0 && channel.log.unsent() > 0 && channel.credit.available() > 0;
}

void Process::MaybeSendEnd(Channel& channel) {
  if (stream_ == 0 || !channel.has_ended || channel.end_is_sent || channel.log.unsent() > 0) return;
  channel.end_is_sent = true;
  outbox_.Frame(stream_, FrameType::kEnd, ChannelNumber(channel));
}

bool Process::Produce(Outbox& outbox) {
  error_first_ = !error_first_;
  Channel* channel = &channels_[error_first_ ? 1 : 0];
  if (!HasDataFor(*channel)) channel = &channels_[error_first_ ? 0 : 1];
  if (!HasDataFor(*channel)) return false;
  const size_t max = std::min<size_t>(channel->credit.available(), Outbox::kMaxOutputBytes);
  const OutputLog::Pieces pieces = channel->log.Next(max);
  const size_t count = pieces.one.size() + pieces.two.size();
  outbox.Output(stream_, ChannelNumber(*channel), channel->log.sent(), pieces.one, pieces.two);
  channel->log.MarkSent(count);
  channel->credit.Use(static_cast<uint32_t>(count));
  UpdateInterest(*channel);
  MaybeSendEnd(*channel);
  return HasDataFor(channels_[0]) || HasDataFor(channels_[1]);
}

Status Process::AddCredit(uint16_t channel, uint32_t bytes) {
  if (channel != kChannelOut && channel != kChannelError) return Error(Code::kInvalid, "guest protocol: no such channel");
  Channel& grown = channels_[channel - kChannelOut];
  PADDOCK_TRY(grown.credit.Add(bytes));
  UpdateInterest(grown);
  if (HasDataFor(grown)) outbox_.Schedule(*this);
  return {};
}

Status Process::Receive(std::string_view bytes) {
  PADDOCK_TRY(input_window_.Receive(static_cast<uint32_t>(bytes.size())));
  if (input_ends_) return Error(Code::kInvalid, "guest protocol: input behind its end");
  if (!input_) return {};   // it has closed its input; the client will hear, or has heard
  input_pending_.append(bytes);
  WriteInput();
  return {};
}

void Process::EndInput() {
  input_ends_ = true;
  if (!input_) return;
  if (terminal_) {
    // A terminal has no end: what a person would type is the character for it.
    termios settings{};
    const bool is_known = tcgetattr(terminal_.get(), &settings) == 0;
    input_pending_.push_back(is_known ? static_cast<char>(settings.c_cc[VEOF]) : '\x04');
  }
  WriteInput();
}

void Process::WriteInput() {
  size_t done = 0;
  while (done < input_pending_.size()) {
    const ssize_t written = write(input_.get(), input_pending_.data() + done, input_pending_.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno != EAGAIN) {
      CloseInput();
      if (stream_ != 0) outbox_.Frame(stream_, FrameType::kInputClosed);
      return;
    }
    if (written < 0) break;
    done += static_cast<size_t>(written);
  }
  input_pending_.erase(0, done);
  if (!input_ends_) {
    const uint32_t grant = input_window_.Consume(static_cast<uint32_t>(done));
    if (grant > 0 && stream_ != 0) outbox_.Frame(stream_, FrameType::kWindow, kChannelIn, EncodeU32(grant));
  }
  if (input_pending_.empty() && input_ends_) {
    CloseInput();
    return;
  }
  loop_.Change(input_watch_, input_pending_.empty() ? 0u : EPOLLOUT);
}

void Process::CloseInput() {
  loop_.Forget(input_watch_);
  input_watch_ = 0;
  input_.Reset();
  input_pending_ = {};
}

bool Process::Resize(TerminalSize size) { return terminal_ && SetTerminalSize(terminal_.get(), size); }

void Process::OnExit(int status, const rusage& usage) {
  // What it wrote comes before its end where it fits.
  for (Channel& channel : channels_) {
    for (size_t before = ~size_t{0}; channel.fd && MayRead(channel) && channel.log.unsent() != before;) {
      before = channel.log.unsent();
      ReadOnce(channel);
    }
    if (channel.fd) UpdateInterest(channel);
  }
  Exited exited;
  exited.by_signal = WIFSIGNALED(status);
  exited.dumped_core = exited.by_signal && WCOREDUMP(status);
  exited.code = static_cast<uint8_t>(exited.by_signal ? WTERMSIG(status) : WEXITSTATUS(status));
  const auto microseconds = [](const timeval& time) {
    return static_cast<uint64_t>(time.tv_sec) * 1'000'000 + static_cast<uint64_t>(time.tv_usec);
  };
  exited.usage = {microseconds(usage.ru_utime), microseconds(usage.ru_stime), static_cast<uint64_t>(usage.ru_maxrss) * 1024};
  exited_ = exited;
  if (stream_ == 0) return;
  while (HasDataFor(channels_[0]) || HasDataFor(channels_[1])) Produce(outbox_);
  SendExit();
}

void Process::SendExit() { outbox_.Frame(stream_, FrameType::kExited, 0, Encode(*exited_)); }

}  // namespace paddock::guest
