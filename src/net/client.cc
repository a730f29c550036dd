#include "net/client.h"

#include <algorithm>
#include <cstring>

#include "net/socket.h"
#include "net/wire.h"
#include "text/http_chunks.h"

namespace paddock::net {
namespace {

constexpr size_t kPiece = 64 << 10;
constexpr int kMostInterim = 16;
constexpr std::chrono::milliseconds kAskTime(1000);

class WireStream final : public ByteStream {
 public:
  explicit WireStream(std::shared_ptr<Wire> wire) : wire_(std::move(wire)) {}
  ~WireStream() override { wire_->Cut(); }
  Result<size_t> Read(std::span<char> to) override { return wire_->Read(to, time_); }
  Status Write(std::string_view bytes) override { return wire_->Write(bytes); }
  void FinishWriting() override { wire_->FinishWriting(); }
  void SetReadTime(std::chrono::milliseconds time) override { time_ = time; }
  void Cut() override { wire_->Cut(); }

 private:
  const std::shared_ptr<Wire> wire_;
  std::chrono::milliseconds time_{0};
};

bool IsIdempotent(std::string_view method) {
  return method == "GET" || method == "HEAD" || method == "PUT" || method == "DELETE" || method == "OPTIONS";
}

std::string HostFor(const ClientOptions& options) {
  if (!options.host.empty()) return options.host;
  if (options.address.is_unix) return "localhost";
  const uint16_t usual = options.tls ? 443 : 80;
  const std::string text = FormatAddress(options.address);
  return options.address.port == usual ? text.substr(0, text.rfind(':')) : text;
}

bool HasBody(const ClientRequest& request) {
  return request.source || !request.body.empty() || request.method == "POST" || request.method == "PUT" ||
         request.method == "PATCH";
}

// The head as it goes out. Errors: kInvalid for what would be read as something else.
Result<std::string> HeadOf(const ClientRequest& request, const std::string& host) {
  const auto is_bad = [](char c) { return c <= 0x20 || c >= 0x7f || c == '#'; };
  if (!IsHeaderName(request.method)) return Error(Code::kInvalid, "method '" + request.method + "' cannot be sent");
  if (request.target.empty() || std::any_of(request.target.begin(), request.target.end(), is_bad)) {
    return Error(Code::kInvalid, "request target with bytes that must be percent-encoded");
  }
  if (!IsHeaderValue(host)) return Error(Code::kInvalid, "host that cannot be sent");
  std::string head = request.method + " " + request.target + " HTTP/1.1\r\nHost: " + host + "\r\n";
  for (const HeaderField& field : request.headers) {
    if (!IsHeaderName(field.name) || !IsHeaderValue(field.value))
      return Error(Code::kInvalid, "header '" + field.name + "' cannot be sent");
    for (const std::string_view ours : {"host", "content-length", "transfer-encoding", "expect"}) {
      if (EqualsIgnoringCase(field.name, ours))
        return Error(Code::kInvalid, "header '" + field.name + "' is the client's to set");
    }
    head.append(field.name).append(": ").append(field.value).append("\r\n");
  }
  if (request.source && !request.source_length) head += "Transfer-Encoding: chunked\r\n";
  else if (request.source) head += "Content-Length: " + std::to_string(*request.source_length) + "\r\n";
  else if (HasBody(request)) head += "Content-Length: " + std::to_string(request.body.size()) + "\r\n";
  if (request.asks_first && HasBody(request)) head += "Expect: 100-continue\r\n";
  return head + "\r\n";
}

// Heads up to the final one.
Result<ResponseHead> ReadFinalHead(Wire& wire, std::chrono::milliseconds time) {
  for (int i = 0; i < kMostInterim; ++i) {
    PADDOCK_ASSIGN(ResponseHead head, wire.ReadHead(time));
    if (head.status >= 200 || head.status == 101) return head;
  }
  return Error(Code::kInvalid, "more than 16 interim answers");
}

}  // namespace

// --- Response ---

class Response::Body {
 public:
  explicit Body(BodyFraming framing) : framing_(framing), left_(framing.length) {}

  bool is_at_end() const { return is_ended_; }
  const Headers& trailers() const { return chunks_.trailers(); }

  Result<size_t> Read(Wire& wire, std::span<char> to) {
    if (is_ended_) return size_t{0};
    switch (framing_.kind) {
      case BodyFraming::Kind::kNone: is_ended_ = true; return size_t{0};
      case BodyFraming::Kind::kChunked: return ReadChunked(wire, to);
      case BodyFraming::Kind::kLength: to = to.first(static_cast<size_t>(std::min<uint64_t>(to.size(), left_))); break;
      case BodyFraming::Kind::kUntilEnd: break;
    }
    PADDOCK_ASSIGN(const size_t count, wire.Read(to, wire.idle_time()));
    if (framing_.kind == BodyFraming::Kind::kUntilEnd) {
      is_ended_ = count == 0;
      return count;
    }
    if (count == 0) return Error(Code::kBrokenPipe, "the answer ended early");
    left_ -= count;
    is_ended_ = left_ == 0;
    return count;
  }

 private:
  Result<size_t> ReadChunked(Wire& wire, std::span<char> to) {
    while (decoded_.empty() && !chunks_.is_done()) {
      if (wire.input().empty()) {
        PADDOCK_ASSIGN(const bool is_more, wire.Fill(wire.idle_time()));
        if (!is_more) return Error(Code::kBrokenPipe, "the answer ended early");
      }
      PADDOCK_ASSIGN(const size_t used, chunks_.Feed(wire.input(), &decoded_));
      wire.input().erase(0, used);
    }
    const size_t count = std::min(to.size(), decoded_.size() - at_);
    std::memcpy(to.data(), decoded_.data() + at_, count);
    at_ += count;
    if (at_ == decoded_.size()) {
      decoded_.clear();
      at_ = 0;
      is_ended_ = chunks_.is_done();
    }
    return count;
  }

  const BodyFraming framing_;
  uint64_t left_;
  ChunkDecoder chunks_;
  std::string decoded_;
  size_t at_ = 0;            // in decoded_
  bool is_ended_ = false;
};

Response::Response(std::shared_ptr<Wire> wire, ResponseHead head, BodyFraming framing)
    : wire_(std::move(wire)), head_(std::move(head)), body_(std::make_unique<Body>(framing)) {
  if (framing.kind == BodyFraming::Kind::kNone && head_.status != 101) (void)body_->Read(*wire_, {});
  wire_->is_idle = body_->is_at_end() && head_.keep_alive;
}

Response::~Response() {
  if (wire_ != nullptr && !body_->is_at_end()) wire_->Cut();
}

Result<size_t> Response::Read(std::span<char> to) {
  if (wire_ == nullptr) return Error(Code::kInvalid, "the stream was taken");
  if (to.empty()) return Error(Code::kInvalid, "no room to read into");
  if (body_->is_at_end()) return size_t{0};   // the wire may be another request's by now
  auto count = body_->Read(*wire_, to);
  wire_->is_idle = body_->is_at_end() && head_.keep_alive;
  return count;
}

Result<std::string> Response::ReadAll(size_t most) {
  std::string all;
  for (;;) {
    const size_t before = all.size();
    all.resize(before + 4096 + std::min(before, kPiece));
    auto count = Read(std::span(all).subspan(before));
    all.resize(before + (count ? *count : 0));
    if (!count) return count.error();
    if (*count == 0) return all;
    if (all.size() > most) return Error(Code::kLimit, "the answer has more than " + std::to_string(most) + " bytes");
  }
}

const Headers& Response::trailers() const { return body_->trailers(); }

Result<std::unique_ptr<ByteStream>> Response::TakeStream() {
  if (wire_ == nullptr) return Error(Code::kInvalid, "the stream was taken");
  if (head_.status != 101 && head_.body.kind != BodyFraming::Kind::kUntilEnd) {
    return Error(Code::kInvalid, "the answer, with status " + std::to_string(head_.status) + ", does not become a stream");
  }
  return std::unique_ptr<ByteStream>(std::make_unique<WireStream>(std::move(wire_)));
}

// --- Client ---

Client::Client(ClientOptions options) : options_(std::move(options)) {}
Client::~Client() = default;

Result<std::shared_ptr<Wire>> Client::Open() {
  const auto time = options_.connect_time.count() == 0 ? std::chrono::hours(24) : options_.connect_time;
  const auto& cancellation = options_.cancellation;
  PADDOCK_ASSIGN(Descriptor fd, Connect(options_.address, time, cancellation ? cancellation->fd() : -1));
  Channel channel(std::move(fd));
  if (options_.tls) {
    if (tls_ == nullptr) {
      PADDOCK_ASSIGN(tls_, MakeClientTls(*options_.tls));
    }
    const std::string& name = options_.tls->server_name.empty() ? options_.address.host : options_.tls->server_name;
    PADDOCK_ASSIGN(SslHandle ssl, MakeClientSsl(tls_, name, options_.tls->verifies));
    PADDOCK_TRY(channel.SetTls(std::move(ssl)));
  }
  auto wire = std::make_shared<Wire>(std::move(channel), options_.idle_time, cancellation);
  PADDOCK_TRY(wire->Handshake(time));
  return wire;
}

Status Client::SendBody(Wire& wire, const ClientRequest& request, std::optional<ResponseHead>* early) {
  const auto look_for_answer = [&](std::chrono::milliseconds time) -> Status {
    PADDOCK_ASSIGN(const bool is_there, wire.IsReadable(time));
    if (!is_there) return {};
    PADDOCK_ASSIGN(ResponseHead head, wire.ReadHead(options_.idle_time));
    if (head.status >= 200 || head.status == 101) *early = std::move(head);
    return {};
  };
  if (request.asks_first) PADDOCK_TRY(look_for_answer(kAskTime));
  if (!request.source) return *early ? Status() : wire.Write(request.body);
  std::string piece(kPiece, '\0'), chunk;
  uint64_t sent = 0;
  while (!*early) {
    PADDOCK_ASSIGN(const size_t count, request.source(piece));
    const std::string_view bytes = std::string_view(piece).substr(0, count);
    sent += count;
    if (request.source_length && (sent > *request.source_length || (count == 0 && sent < *request.source_length))) {
      return Error(Code::kInvalid, "the body has not the length that was announced");
    }
    if (request.source_length) {
      PADDOCK_TRY(wire.Write(bytes));
      if (sent == *request.source_length) return {};
    } else {
      chunk.clear();
      if (count == 0) chunk = kLastChunk;
      AppendChunk(&chunk, bytes);
      PADDOCK_TRY(wire.Write(chunk));
      if (count == 0) return {};
    }
    PADDOCK_TRY(look_for_answer(std::chrono::milliseconds(0)));   // a refusal makes the rest pointless
  }
  return {};
}

Result<std::unique_ptr<Response>> Client::Send(const ClientRequest& request) {
  PADDOCK_ASSIGN(const std::string head, HeadOf(request, HostFor(options_)));
  for (;;) {
    bool is_kept = wire_ != nullptr && wire_->is_idle;
    if (is_kept) {
      // What a server says between requests is its end.
      const auto is_readable = wire_->IsReadable(std::chrono::milliseconds(0));
      is_kept = is_readable && !*is_readable;
    }
    if (!is_kept) {
      if (wire_ != nullptr) wire_->Cut();
      PADDOCK_ASSIGN(wire_, Open());
    }
    Wire& wire = *wire_;
    wire.is_idle = wire.has_heard = false;

    std::optional<ResponseHead> answer;
    const bool is_small = !request.source && !request.asks_first && request.body.size() <= kPiece;
    Status sent = wire.Write(is_small ? head + request.body : head);
    if (sent && !is_small && HasBody(request)) sent = SendBody(wire, request, &answer);
    const bool is_cut_short = !sent || answer;
    // A server that does not want the body may have said so before it stopped reading.
    if (sent || sent.error().code == Code::kBrokenPipe) {
      if (!answer) {
        auto final_head = ReadFinalHead(wire, options_.head_time);
        if (final_head) {
          answer = std::move(*final_head);
        } else if (sent || final_head.error().code != Code::kBrokenPipe) {
          sent = final_head.error();
        }
      }
    }
    if (answer) {
      if (is_cut_short) answer->keep_alive = false;
      const BodyFraming framing = FramingOf(*answer, request.method);
      return std::make_unique<Response>(wire_, std::move(*answer), framing);
    }
    const bool may_repeat = is_kept && !wire.has_heard && !request.source && IsIdempotent(request.method);
    wire_ = nullptr;
    if (!may_repeat || sent.error().code != Code::kBrokenPipe) return sent.error();
  }
}

}  // namespace paddock::net
