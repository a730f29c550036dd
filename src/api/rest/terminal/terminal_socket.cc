#include "api/rest/terminal/terminal_socket.h"

#include "api/rest/shapes.h"
#include "tools/schema/parse_json.h"

namespace paddock::api {
namespace {

constexpr Field kResize[] = {
    Required<&ResizeShape::columns>("columns", "Of the terminal.", {.min = 1, .max = 1000}),
    Required<&ResizeShape::rows>("rows", "Of the terminal.", {.min = 1, .max = 1000}),
};
constexpr Field kRequest[] = {
    Optional<&TerminalRequest::resize>("resize", "The terminal's new size."),
    Optional<&TerminalRequest::signal>("signal", "To what runs in the foreground.", {.min = 1, .max = 64}),
    Optional<&TerminalRequest::close_input>("close_input", "Ends stdin, of a process without a terminal."),
};

}  // namespace

std::span<const Field> FieldsOf(const ResizeShape*) { return kResize; }

void TerminalSocket::Open(std::shared_ptr<net::WebSocket> socket) {
  const std::lock_guard lock(mutex_);
  if (!is_closed_) socket_ = std::move(socket);
}

std::shared_ptr<net::WebSocket> TerminalSocket::Socket() const {
  const std::lock_guard lock(mutex_);
  return is_closed_ ? nullptr : socket_;
}

void TerminalSocket::Show(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, kPieceBytes);
    std::unique_lock lock(mutex_);
    const uint64_t drained = drained_;
    const std::shared_ptr<net::WebSocket> socket = is_closed_ ? nullptr : socket_;
    lock.unlock();
    if (socket == nullptr) return;
    const Status sent = socket->SendBinary(piece);
    if (sent) {
      bytes.remove_prefix(piece.size());
      continue;
    }
    if (sent.error().code != Code::kLimit) return;
    lock.lock();
    changed_.wait(lock, [&] { return is_closed_ || drained_ != drained; });
  }
}

void TerminalSocket::Echo(std::string_view bytes) {
  const std::shared_ptr<net::WebSocket> socket = Socket();
  if (socket == nullptr || bytes.empty()) return;
  const Status sent = socket->SendBinary(bytes);
  if (!sent && sent.error().code == Code::kLimit) socket->Close(net::kClosePolicy, "the client does not read");
}

bool TerminalSocket::Offer(std::string_view bytes) {
  const std::shared_ptr<net::WebSocket> socket = Socket();
  return socket != nullptr && socket->SendBinary(bytes);
}

void TerminalSocket::Tell(const json::object& message) {
  const std::shared_ptr<net::WebSocket> socket = Socket();
  if (socket == nullptr) return;
  const Status sent = socket->SendText(json::serialize(message));
  if (!sent && sent.error().code == Code::kLimit) socket->Close(net::kClosePolicy, "the client does not read");
}

void TerminalSocket::Close(uint16_t code, std::string_view reason) {
  if (const std::shared_ptr<net::WebSocket> socket = Socket()) socket->Close(code, reason);
}

void TerminalSocket::OnDrained() {
  const std::lock_guard lock(mutex_);
  ++drained_;
  changed_.notify_all();
}

void TerminalSocket::OnClosed() {
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
  socket_ = nullptr;
  changed_.notify_all();
}

bool TerminalSocket::is_closed() const {
  const std::lock_guard lock(mutex_);
  return is_closed_;
}

Result<TerminalRequest> ReadTerminalRequest(std::string_view text) {
  PADDOCK_ASSIGN(const json::value value, tools::ParseJson(text, {.max_bytes = 4096}));
  TerminalRequest request;
  PADDOCK_TRY(tools::ReadObject(value, kRequest, "", &request));
  return request;
}

void TellExit(TerminalSocket& socket, const registry::ProcessInfo& info) {
  const ProcessShape shape = ShapeOf(info);
  socket.Tell({{"exit", tools::WriteObject(FieldsOf(&shape), &shape)}});
  socket.Close(net::kCloseNormal, "the process has ended");
}

}  // namespace paddock::api
