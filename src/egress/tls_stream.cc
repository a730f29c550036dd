#include "egress/tls_stream.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>

#include "egress/certificate_authority.h"

namespace paddock::egress {
namespace {

// The transport below TLS: a socket that never blocks, behind bytes that were read ahead.
int ReadTransport(BIO* bio, char* to, int size) {
  auto& source = *static_cast<TlsStream::Source*>(BIO_get_data(bio));
  BIO_clear_retry_flags(bio);
  if (source.used < source.prefix.size()) {
    const size_t count = std::min(static_cast<size_t>(size), source.prefix.size() - source.used);
    std::memcpy(to, source.prefix.data() + source.used, count);
    source.used += count;
    if (source.used == source.prefix.size()) {
      source.prefix = {};
      source.used = 0;
    }
    return static_cast<int>(count);
  }
  const ssize_t count = source.socket.TryRead(to, static_cast<size_t>(size));
  if (count < 0 && errno == EAGAIN) BIO_set_retry_read(bio);
  return static_cast<int>(count);
}

int WriteTransport(BIO* bio, const char* from, int size) {
  auto& source = *static_cast<TlsStream::Source*>(BIO_get_data(bio));
  BIO_clear_retry_flags(bio);
  const ssize_t count = source.socket.TryWrite(from, static_cast<size_t>(size));
  if (count < 0 && errno == EAGAIN) BIO_set_retry_write(bio);
  return static_cast<int>(count);
}

long ControlTransport(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

BIO_METHOD* Transport() {
  static BIO_METHOD* const method = [] {
    BIO_METHOD* made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "paddock socket");
    BIO_meth_set_read(made, ReadTransport);
    BIO_meth_set_write(made, WriteTransport);
    BIO_meth_set_ctrl(made, ControlTransport);
    return made;
  }();
  return method;
}

}  // namespace

TlsStream::TlsStream(Socket& socket, std::string prefix) : socket_(socket), source_{socket, std::move(prefix)} {}

TlsStream::~TlsStream() {
  SSL_free(ssl_);
}

Status TlsStream::Attach(SSL_CTX* context) {
  ssl_ = SSL_new(context);
  BIO* const bio = BIO_new(Transport());
  if (ssl_ == nullptr || bio == nullptr) {
    BIO_free(bio);
    return Error(Code::kNoMemory, "no TLS: " + TlsErrorText());
  }
  BIO_set_data(bio, &source_);
  BIO_set_init(bio, 1);
  SSL_set_bio(ssl_, bio, bio);
  return {};
}

Status TlsStream::WaitFor(int result, Deadline deadline) {
  switch (SSL_get_error(ssl_, result)) {
    case SSL_ERROR_WANT_READ: return socket_.WaitReadable(deadline);
    case SSL_ERROR_WANT_WRITE: return socket_.WaitWritable(deadline);
    case SSL_ERROR_ZERO_RETURN: return Code::kBrokenPipe;
    default: {
      const long verdict = SSL_get_verify_result(ssl_);
      if (verdict != X509_V_OK) {
        ERR_clear_error();
        return Error(Code::kAccess, std::string("the server's certificate: ") + X509_verify_cert_error_string(verdict));
      }
      return Error(Code::kInvalid, "TLS: " + TlsErrorText());
    }
  }
}

Result<std::unique_ptr<TlsStream>> TlsStream::Accept(Socket& socket, std::string prefix, SSL_CTX* context, Deadline deadline) {
  std::unique_ptr<TlsStream> stream(new TlsStream(socket, std::move(prefix)));  // allow(raw-new): private constructor
  PADDOCK_TRY(stream->Attach(context));
  for (;;) {
    ERR_clear_error();
    const int result = SSL_accept(stream->ssl_);
    if (result == 1) return stream;
    PADDOCK_TRY(stream->WaitFor(result, deadline));
  }
}

Result<std::unique_ptr<TlsStream>> TlsStream::Connect(Socket& socket, SSL_CTX* context, const policy::Host& host,
                                                      Deadline deadline) {
  std::unique_ptr<TlsStream> stream(new TlsStream(socket, ""));  // allow(raw-new): private constructor
  PADDOCK_TRY(stream->Attach(context));
  X509_VERIFY_PARAM* const parameters = SSL_get0_param(stream->ssl_);
  X509_VERIFY_PARAM_set_hostflags(parameters, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  const bool is_set = host.address ? X509_VERIFY_PARAM_set1_ip_asc(parameters, host.text.c_str()) == 1
                                   : X509_VERIFY_PARAM_set1_host(parameters, host.text.c_str(), host.text.size()) == 1 &&
                                         SSL_set_tlsext_host_name(stream->ssl_, host.text.c_str()) == 1;
  if (!is_set) return Error(Code::kInternal, "TLS: the name was not taken: " + TlsErrorText());
  for (;;) {
    ERR_clear_error();
    const int result = SSL_connect(stream->ssl_);
    if (result == 1) return stream;
    PADDOCK_TRY(stream->WaitFor(result, deadline));
  }
}

Result<size_t> TlsStream::Read(std::span<char> to, Deadline deadline) {
  for (;;) {
    if (socket_.is_aborted() || socket_.reactor().is_stopping()) return Code::kCancelled;
    ERR_clear_error();
    const int count = SSL_read(ssl_, to.data(), static_cast<int>(std::min<size_t>(to.size(), INT_MAX)));
    if (count > 0) {
      socket_.reactor().Breathe();
      return static_cast<size_t>(count);
    }
    if (SSL_get_error(ssl_, count) == SSL_ERROR_ZERO_RETURN) return size_t{0};
    PADDOCK_TRY(WaitFor(count, deadline));
  }
}

Status TlsStream::Write(std::string_view bytes, Deadline deadline) {
  while (!bytes.empty()) {
    if (socket_.is_aborted() || socket_.reactor().is_stopping()) return Code::kCancelled;
    ERR_clear_error();
    const int count = SSL_write(ssl_, bytes.data(), static_cast<int>(std::min<size_t>(bytes.size(), 1 << 20)));
    if (count > 0) {
      bytes.remove_prefix(static_cast<size_t>(count));
      socket_.reactor().Breathe();
    } else {
      PADDOCK_TRY(WaitFor(count, deadline));
    }
  }
  return {};
}

Status TlsStream::FinishWriting(Deadline deadline) {
  for (;;) {
    ERR_clear_error();
    const int result = SSL_shutdown(ssl_);
    if (result >= 0) return socket_.FinishWriting(deadline);
    PADDOCK_TRY(WaitFor(result, deadline));
  }
}

}  // namespace paddock::egress
