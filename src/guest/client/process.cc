#include "guest/client/process.h"

#include <algorithm>
#include <cstring>

#include "guest/client/failure.h"
#include "guest/client/process_state.h"

namespace paddock::guest {

GuestProcess::GuestProcess(std::shared_ptr<Connection> connection, std::shared_ptr<State> state)
    : connection_(std::move(connection)), state_(std::move(state)) {}

GuestProcess::~GuestProcess() {
  auto lock = connection_->Acquire();
  if (!state_->is_detached && !state_->failure) {
    if (!state_->exit) connection_->Send(state_->stream, FrameType::kKillTree);
    connection_->Send(state_->stream, FrameType::kForget);
    connection_->Forget(state_->stream);
  }
  // No handler starts behind this point; what one uses may go with the owner of this object.
  connection_->WaitForHandler(lock, [this] { return !state_->is_calling; });
}

Status GuestProcess::WaitStarted(Deadline deadline) {
  auto lock = connection_->Acquire();
  PADDOCK_TRY(connection_->Wait(lock, deadline, [this] { return state_->started || state_->failure; }));
  if (state_->failure) return ErrorOf(*state_->failure, "cannot start '" + state_->name + "'");
  return {};
}

std::optional<Failure> GuestProcess::start_failure() const {
  const auto lock = connection_->Acquire();
  return state_->failure;
}

uint64_t GuestProcess::number() const {
  const auto lock = connection_->Acquire();
  return state_->started ? state_->started->process : 0;
}

int GuestProcess::pid() const {
  const auto lock = connection_->Acquire();
  return state_->started ? state_->started->pid : 0;
}

uint64_t GuestProcess::FirstOffset(Channel channel) const {
  const auto lock = connection_->Acquire();
  return state_->output(channel).first;
}

Status GuestProcess::WriteInput(std::string_view bytes, Deadline deadline) {
  auto lock = connection_->Acquire();
  if (state_->input_has_ended) return Error(Code::kInvalid, "the input of '" + state_->name + "' has been closed");
  if (!state_->has_input && !state_->is_attached) return Error(Code::kInvalid, "'" + state_->name + "' was started without input");
  const auto is_closed = [this] { return state_->input_is_closed || state_->exit || state_->failure || state_->was_taken_over; };
  while (!bytes.empty()) {
    PADDOCK_TRY(connection_->Wait(lock, deadline, [&] { return InputRoomNow() > 0 || is_closed(); }));
    if (is_closed()) return Code::kBrokenPipe;
    const std::string_view piece = bytes.substr(0, std::min<size_t>(InputRoomNow(), kMaxPayloadBytes));
    state_->input_credit.Use(static_cast<uint32_t>(piece.size()));
    connection_->Send(state_->stream, FrameType::kData, kChannelIn, piece);
    bytes.remove_prefix(piece.size());
  }
  return {};
}

size_t GuestProcess::InputRoom() const {
  const auto lock = connection_->Acquire();
  return InputRoomNow();
}

size_t GuestProcess::InputRoomNow() const { return connection_->IsCrowded() ? 0 : state_->input_credit.available(); }

void GuestProcess::CloseInput() {
  const auto lock = connection_->Acquire();
  if (std::exchange(state_->input_has_ended, true) || state_->failure) return;
  connection_->Send(state_->stream, FrameType::kEnd, kChannelIn);
}

Result<size_t> GuestProcess::Read(Channel channel, std::span<char> buffer, Deadline deadline) {
  auto lock = connection_->Acquire();
  State::Output& out = state_->output(channel);
  PADDOCK_TRY(connection_->Wait(lock, deadline, [&] {
    return !out.buffered.empty() || out.has_ended || state_->failure || state_->was_taken_over;
  }));
  if (state_->failure) return ErrorOf(*state_->failure, "cannot start '" + state_->name + "'");
  const size_t count = std::min(buffer.size(), out.buffered.size() - out.buffer_begin);
  std::memcpy(buffer.data(), out.buffered.data() + out.buffer_begin, count);
  out.buffer_begin += count;
  if (out.buffer_begin == out.buffered.size()) {
    out.buffered.clear();
    out.buffer_begin = 0;
  } else if (out.buffer_begin >= kMaxPayloadBytes) {
    // A reader that never catches up: what it has read must not stay.
    out.buffered.erase(0, out.buffer_begin);
    out.buffer_begin = 0;
  }
  state_->Consume(channel, count);
  return count;
}

Result<std::string> GuestProcess::ReadAll(Channel channel, size_t max_bytes, Deadline deadline) {
  std::string all;
  while (true) {
    char buffer[16 * 1024];
    PADDOCK_ASSIGN(const size_t count, Read(channel, buffer, deadline));
    if (count == 0) return all;
    if (count > max_bytes - all.size()) return Error(Code::kLimit, "output of '" + state_->name + "' is over the limit");
    all.append(buffer, count);
  }
}

void GuestProcess::Grant(Channel channel, size_t bytes) {
  const auto lock = connection_->Acquire();
  if (state_->handlers.grants_later) state_->Consume(channel, bytes);
}

Result<ExitStatus> GuestProcess::Wait(Deadline deadline) {
  auto lock = connection_->Acquire();
  PADDOCK_TRY(connection_->Wait(lock, deadline, [this] { return state_->exit || state_->failure || state_->was_taken_over; }));
  if (state_->failure) return ErrorOf(*state_->failure, "cannot start '" + state_->name + "'");
  if (!state_->exit) return Error(Code::kCancelled, "'" + state_->name + "' was taken over by another client");
  return *state_->exit;
}

Status GuestProcess::WaitOutput(Deadline deadline) {
  auto lock = connection_->Acquire();
  const auto is_over = [this] {
    return state_->output(Channel::kOut).has_ended && state_->output(Channel::kError).has_ended;
  };
  PADDOCK_TRY(connection_->Wait(lock, deadline, [&] { return is_over() || state_->failure || state_->was_taken_over; }));
  if (state_->failure) return ErrorOf(*state_->failure, "cannot start '" + state_->name + "'");
  if (!is_over()) return Error(Code::kCancelled, "'" + state_->name + "' was taken over by another client");
  return {};
}

void GuestProcess::Signal(int signal, SignalTarget target) {
  const auto lock = connection_->Acquire();
  if (state_->failure || signal < 1 || signal > 64) return;
  connection_->Send(state_->stream, FrameType::kSignal, 0, Encode(SignalRequest{static_cast<uint8_t>(signal), target}));
}

void GuestProcess::Resize(TerminalSize size) {
  const auto lock = connection_->Acquire();
  if (!state_->failure) connection_->Send(state_->stream, FrameType::kResize, 0, Encode(size));
}

Status GuestProcess::KillTree(Deadline deadline) {
  auto lock = connection_->Acquire();
  if (state_->failure || state_->tree_has_ended) return {};
  state_->tree_kill_left.reset();
  state_->tree_kill_is_under_way = true;
  connection_->Send(state_->stream, FrameType::kKillTree);
  PADDOCK_TRY(connection_->Wait(lock, deadline, [this] { return state_->tree_kill_left || state_->failure || state_->was_taken_over; }));
  if (state_->tree_kill_left.value_or(0) == 0) return {};
  return Error(Code::kBusy, std::to_string(*state_->tree_kill_left) + " processes of '" + state_->name + "' cannot be killed");
}

void GuestProcess::Detach() {
  const auto lock = connection_->Acquire();
  if (std::exchange(state_->is_detached, true) || state_->failure) return;
  connection_->Send(state_->stream, FrameType::kReset);
  connection_->Forget(state_->stream);
}

}  // namespace paddock::guest
