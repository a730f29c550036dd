// TlsStream: TLS over a socket, as a stream for fibers. One fiber may read while another writes.
#pragma once

#include <memory>
#include <string>

#include "egress/socket.h"
#include "policy/host_name.h"

typedef struct ssl_st SSL;
typedef struct ssl_ctx_st SSL_CTX;

namespace paddock::egress {

class TlsStream : public Stream {
 public:
  // Takes the part of the server towards a client; `prefix` is what was already read of its first bytes. `socket` outlives the
  // stream. Errors: kInvalid for the handshake's.
  static Result<std::unique_ptr<TlsStream>> Accept(Socket& socket, std::string prefix, SSL_CTX* context, Deadline deadline);
  // Takes the part of the client towards `host`, whose certificate has to be for it. Errors: kAccess when it is not trusted.
  static Result<std::unique_ptr<TlsStream>> Connect(Socket& socket, SSL_CTX* context, const policy::Host& host,
                                                    Deadline deadline);
  ~TlsStream() override;

  Result<size_t> Read(std::span<char> to, Deadline deadline) override;
  Status Write(std::string_view bytes, Deadline deadline) override;
  Status FinishWriting(Deadline deadline) override;
  void Abort() override { socket_.Abort(); }

  // Socket and bytes that were read ahead, for the transport.
  struct Source {
    Socket& socket;
    std::string prefix;
    size_t used = 0;
  };

 private:
  TlsStream(Socket& socket, std::string prefix);
  Status Attach(SSL_CTX* context);
  // Waits for what OpenSSL wants after `result`; the failure if it wants nothing.
  Status WaitFor(int result, Deadline deadline);

  Socket& socket_;
  Source source_;
  SSL* ssl_ = nullptr;
};

}  // namespace paddock::egress
