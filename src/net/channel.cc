#include "net/channel.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>

namespace paddock::net {
namespace {

// OpenSSL's own socket writes with write(), which may raise SIGPIPE.
int ReadSocket(BIO* bio, char* to, int size) {
  BIO_clear_retry_flags(bio);
  ssize_t count;
  do count = recv(static_cast<int>(reinterpret_cast<intptr_t>(BIO_get_data(bio))), to, static_cast<size_t>(size), 0);
  while (count < 0 && errno == EINTR);
  if (count < 0 && errno == EAGAIN) BIO_set_retry_read(bio);
  return static_cast<int>(count);
}

int WriteSocket(BIO* bio, const char* from, int size) {
  BIO_clear_retry_flags(bio);
  ssize_t count;
  do count = send(static_cast<int>(reinterpret_cast<intptr_t>(BIO_get_data(bio))), from, static_cast<size_t>(size), MSG_NOSIGNAL);
  while (count < 0 && errno == EINTR);
  if (count < 0 && errno == EAGAIN) BIO_set_retry_write(bio);
  return static_cast<int>(count);
}

long ControlSocket(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

BIO_METHOD* SocketMethod() {
  static BIO_METHOD* const method = [] {
    BIO_METHOD* made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "paddock net socket");
    BIO_meth_set_read(made, ReadSocket);
    BIO_meth_set_write(made, WriteSocket);
    BIO_meth_set_ctrl(made, ControlSocket);
    return made;
  }();
  return method;
}

}  // namespace

Channel& Channel::operator=(Channel&& other) noexcept {
  if (this != &other) {
    Close();
    socket_ = std::move(other.socket_);
    ssl_ = std::move(other.ssl_);
    is_broken_ = other.is_broken_;
    failure_ = std::move(other.failure_);
  }
  return *this;
}

Status Channel::SetTls(SslHandle ssl) {
  BIO* const bio = BIO_new(SocketMethod());
  if (bio == nullptr) return Error(Code::kNoMemory, "no TLS: " + TlsErrorText());
  BIO_set_data(bio, reinterpret_cast<void*>(static_cast<intptr_t>(socket_.get())));
  BIO_set_init(bio, 1);
  SSL_set_bio(ssl.get(), bio, bio);
  ssl_ = std::move(ssl);
  return {};
}

IoCount Channel::Failure(int result) {
  switch (SSL_get_error(ssl_.get(), result)) {
    case SSL_ERROR_WANT_READ: return {Io::kWantRead};
    case SSL_ERROR_WANT_WRITE: return {Io::kWantWrite};
    case SSL_ERROR_ZERO_RETURN: return {Io::kEnd};
    default:
      if (const unsigned long code = ERR_peek_error(); code != 0)
        failure_ = ERR_reason_error_string(code) != nullptr ? ERR_reason_error_string(code) : "";
      is_broken_ = true;   // no SSL_shutdown() after a fatal error
      return {Io::kBroken};
  }
}

Io Channel::Handshake() {
  if (ssl_ == nullptr) return Io::kDone;
  ERR_clear_error();
  const int result = SSL_do_handshake(ssl_.get());
  return result == 1 ? Io::kDone : Failure(result).io;
}

std::string Channel::TlsFailure() const {
  const long verdict = ssl_ != nullptr ? SSL_get_verify_result(ssl_.get()) : X509_V_OK;
  if (verdict != X509_V_OK) return std::string("certificate not accepted: ") + X509_verify_cert_error_string(verdict);
  return failure_.empty() ? "the other end closed the connection" : failure_;
}

std::string Channel::Breakage() const { return "the connection broke" + (failure_.empty() ? "" : ": TLS: " + failure_); }

IoCount Channel::Read(std::span<char> to) {
  if (ssl_ != nullptr) {
    if (is_broken_) return {Io::kBroken};
    ERR_clear_error();
    const int result = SSL_read(ssl_.get(), to.data(), static_cast<int>(std::min<size_t>(to.size(), INT_MAX)));
    return result > 0 ? IoCount{Io::kDone, static_cast<size_t>(result)} : Failure(result);
  }
  ssize_t count;
  do count = recv(socket_.get(), to.data(), to.size(), 0);
  while (count < 0 && errno == EINTR);
  if (count > 0) return {Io::kDone, static_cast<size_t>(count)};
  if (count == 0) return {Io::kEnd};
  return {errno == EAGAIN ? Io::kWantRead : Io::kBroken};
}

IoCount Channel::Write(std::string_view bytes, bool more) {
  if (bytes.empty()) return {Io::kDone, 0};
  if (ssl_ != nullptr) {
    if (is_broken_) return {Io::kBroken};
    ERR_clear_error();
    const int result = SSL_write(ssl_.get(), bytes.data(), static_cast<int>(std::min<size_t>(bytes.size(), 1 << 20)));
    return result > 0 ? IoCount{Io::kDone, static_cast<size_t>(result)} : Failure(result);
  }
  ssize_t count;
  do count = send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | (more ? MSG_MORE : 0));
  while (count < 0 && errno == EINTR);
  if (count >= 0) return {Io::kDone, static_cast<size_t>(count)};
  return {errno == EAGAIN ? Io::kWantWrite : Io::kBroken};
}

bool Channel::HasBuffered() const { return ssl_ != nullptr && SSL_has_pending(ssl_.get()) != 0; }

void Channel::FinishWriting() {
  if (ssl_ != nullptr && !is_broken_ && SSL_is_init_finished(ssl_.get())) {
    ERR_clear_error();
    (void)SSL_shutdown(ssl_.get());
  }
  if (is_open()) shutdown(socket_.get(), SHUT_WR);
}

void Channel::Cut() {
  if (is_open()) shutdown(socket_.get(), SHUT_RDWR);
}

void Channel::Close(bool reset) {
  if (reset && is_open()) {
    const linger now{1, 0};
    setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
  } else if (ssl_ != nullptr) {
    FinishWriting();
  }
  ssl_.reset();
  socket_.Reset();
}

short PollEventsOf(Io want) { return want == Io::kWantWrite ? POLLOUT : POLLIN; }

Status WaitFor(int fd, Io want, std::chrono::milliseconds time, int cancel_fd) {
  const auto until = std::chrono::steady_clock::now() + time;
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now()).count();
    pollfd fds[] = {{fd, PollEventsOf(want), 0}, {cancel_fd, POLLIN, 0}};
    const int count = poll(fds, cancel_fd < 0 ? 1 : 2, static_cast<int>(std::clamp<int64_t>(left, 0, INT_MAX)));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return SystemError("poll", errno);
    if (cancel_fd >= 0 && fds[1].revents != 0) return Error(Code::kCancelled, "cancelled");
    if (count > 0) return {};
    if (left <= 0) return Error(Code::kTimedOut, "the other end took too long");
  }
}

Error SystemError(const std::string& what, int number) {
  return Error(static_cast<Code>(number), what + ": " + std::strerror(number));
}

}  // namespace paddock::net
