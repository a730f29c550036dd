// Client: blocking HTTP/1.1 over TCP, TLS and unix sockets, one request at a time on a connection that is kept.
//
// Threads: a client, its response and its stream belong to one thread, but for Cancellation, and for a ByteStream, which one
// thread may read while another one writes. Several requests at once need several clients. Nothing throws.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/descriptor.h"
#include "net/address.h"
#include "net/request.h"
#include "net/tls.h"

namespace paddock::net {

// Ends everything that waits with it, now and later, with kCancelled. Any thread.
class Cancellation {
 public:
  Cancellation();
  void Cancel();
  bool is_cancelled() const;
  int fd() const { return event_.get(); }   // readable when cancelled

 private:
  Descriptor event_;
};

struct ClientOptions {
  Address address;
  std::optional<ClientTls> tls;
  std::string host;                                  // for the Host header; empty: made of the address
  // 0 is no limit.
  std::chrono::milliseconds connect_time{10'000};    // TLS handshake included
  std::chrono::milliseconds head_time{0};            // from the end of the request to the head of the answer
  std::chrono::milliseconds idle_time{60'000};       // for the next bytes of a body, and for the server to take some
  std::shared_ptr<Cancellation> cancellation;        // may be null
};

struct ClientRequest {
  std::string method = "GET";
  std::string target = "/";
  Headers headers;                // without Host, Content-Length, Transfer-Encoding and Connection (but for upgrades)
  std::string body;
  // Instead of `body`: fills a span, 0 is the end; an error ends the request with it. Sent in chunks without `source_length`.
  std::function<Result<size_t>(std::span<char>)> source;
  std::optional<uint64_t> source_length;
  // Asks before the body is sent, so that a refusal comes before it. Waits for at most a second.
  bool asks_first = false;
};

// Bytes both ways, in time limits of ClientOptions::idle_time for writing and of its own for reading.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  // 0 is the end. Errors: kTimedOut, kCancelled, kBrokenPipe.
  virtual Result<size_t> Read(std::span<char> to) = 0;
  virtual Status Write(std::string_view bytes) = 0;
  virtual void FinishWriting() = 0;
  // For Read(); 0, no limit, at first.
  virtual void SetReadTime(std::chrono::milliseconds time) = 0;
  // Ends it for both sides. Any thread.
  virtual void Cut() = 0;
};

class Wire;

// An answer whose body has not been read. Dropping it unread closes the connection.
class Response {
 public:
  Response(std::shared_ptr<Wire> wire, ResponseHead head, BodyFraming framing);
  ~Response();
  Response(const Response&) = delete;
  Response& operator=(const Response&) = delete;

  int status() const { return head_.status; }
  const Headers& headers() const { return head_.headers; }
  const std::string* Header(std::string_view name) const { return FindHeader(head_.headers, name); }
  // Reads some of the body; 0 is the end of a complete one. Errors: kBrokenPipe (it ended early), kTimedOut, kCancelled,
  // kInvalid.
  Result<size_t> Read(std::span<char> to);
  // The whole rest. Errors: kLimit above `most` bytes; those of Read().
  Result<std::string> ReadAll(size_t most);
  // The fields behind a chunked body, after its end.
  const Headers& trailers() const;
  // The connection as it is, with what was received behind the head: after a 101, or where a server sends raw bytes up to the
  // end. Errors: kInvalid for any other answer.
  Result<std::unique_ptr<ByteStream>> TakeStream();

 private:
  class Body;
  std::shared_ptr<Wire> wire_;
  const ResponseHead head_;
  std::unique_ptr<Body> body_;
};

class Client {
 public:
  explicit Client(ClientOptions options);
  ~Client();

  // Sends a request and reads the head of the answer, whatever its status; interim answers (1xx but 101) are skipped. A kept
  // connection that the server closed meanwhile is replaced, once, when nothing of an answer came and the request has no source
  // and an idempotent method. The response of an earlier call that was not read to its end is cut. Errors: those of Connect();
  // kInvalid for a request that cannot be sent or an answer that is none, or TLS that does not verify; kLimit for a head above 64
  // KiB; kTimedOut; kCancelled; kBrokenPipe.
  Result<std::unique_ptr<Response>> Send(const ClientRequest& request);
  const ClientOptions& options() const { return options_; }

 private:
  Result<std::shared_ptr<Wire>> Open();
  Status SendBody(Wire& wire, const ClientRequest& request, std::optional<ResponseHead>* early);

  const ClientOptions options_;
  SslContext tls_;
  std::shared_ptr<Wire> wire_;   // of the last request
};

}  // namespace paddock::net
