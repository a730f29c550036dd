#include "net/server_exchange.h"

#include <poll.h>
#include <sys/epoll.h>

#include <algorithm>
#include <cstring>

#include "net/event_stream.h"
#include "net/server_core.h"
#include "net/web_socket.h"

namespace paddock::net {
namespace {

constexpr size_t kPiece = 64 << 10;
constexpr size_t kJoined = 32 << 10;         // a body up to here goes out in one piece with its head
constexpr uint64_t kDrained = 256 << 10;     // an unread body up to here is read and thrown away to keep the connection
constexpr std::chrono::seconds kPaceFreely(10);

}  // namespace

Result<std::string> Exchange::ReadWholeBody(uint64_t most) {
  SetBodyLimit({.bytes = most});
  std::string body;
  if (const auto length = request().body_length; length && *length <= most)
    body.reserve(static_cast<size_t>(std::min<uint64_t>(*length, 1 << 20)));
  for (;;) {
    const size_t before = body.size();
    body.resize(before + std::max<size_t>(4096, std::min(body.capacity() - before, kPiece)));
    auto count = ReadBody(std::span(body).subspan(before));
    body.resize(before + (count ? *count : 0));
    if (!count) return count.error();
    if (*count == 0) return body;
  }
}

int StatusOf(const Error& body_error) {
  switch (body_error.code) {
    case Code::kLimit: return 413;
    case Code::kTimedOut: return 408;
    default: return 400;
  }
}

ServerExchange::~ServerExchange() = default;

// --- body ---

Status ServerExchange::CheckPace() {
  if (limit_.bytes_per_second == 0) return {};
  const auto spent = Now() - body_since_;
  if (spent < kPaceFreely) return {};
  const auto seconds = static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::seconds>(spent).count());
  if (body_read_ / seconds >= limit_.bytes_per_second) return {};
  return Error(Code::kTimedOut, "the body comes too slowly");
}

Result<size_t> ServerExchange::Receive(std::span<char> to) {
  for (;;) {
    const IoCount got = connection_.channel_.Read(to);
    switch (got.io) {
      case Io::kDone: return got.count;
      case Io::kEnd:
      case Io::kBroken: return Error(Code::kBrokenPipe, "the client went away before the end of the body");
      case Io::kWantRead:
      case Io::kWantWrite: break;
    }
    PADDOCK_TRY(CheckPace());
    PADDOCK_TRY(WaitFor(connection_.fd(), got.io, limit_.idle));
  }
}

Result<size_t> ServerExchange::ReadLength(std::span<char> to) {
  uint64_t& left = connection_.body_left_;
  if (left == 0) return size_t{0};
  to = to.first(static_cast<size_t>(std::min<uint64_t>(to.size(), left)));
  std::string& input = connection_.input_;
  size_t count = 0;
  if (!input.empty()) {
    count = std::min(to.size(), input.size());
    std::memcpy(to.data(), input.data(), count);
    input.erase(0, count);
  } else {
    PADDOCK_ASSIGN(count, Receive(to));
  }
  left -= count;
  return count;
}

Result<size_t> ServerExchange::ReadChunked(std::span<char> to) {
  std::string& decoded = connection_.decoded_;
  std::string& input = connection_.input_;
  while (decoded.empty() && !connection_.chunks_.is_done()) {
    if (input.empty()) {
      input.resize(kPiece);
      auto count = Receive(input);
      input.resize(count ? *count : 0);
      if (!count) return count.error();
    }
    PADDOCK_ASSIGN(const size_t used, connection_.chunks_.Feed(input, &decoded));
    input.erase(0, used);
  }
  const size_t count = std::min(to.size(), decoded.size());
  std::memcpy(to.data(), decoded.data(), count);
  decoded.erase(0, count);
  return count;
}

Result<size_t> ServerExchange::ReadSome(std::span<char> to) {
  if (body_since_ == Time{}) body_since_ = Now();
  const BodyFraming& framing = connection_.framing_;
  const bool has_length = framing.kind == BodyFraming::Kind::kLength;
  if (has_length && framing.length > limit_.bytes) {
    return Error(Code::kLimit, "the body has " + std::to_string(framing.length) + " bytes, more than the " +
                                   std::to_string(limit_.bytes) + " allowed");
  }
  if (connection_.expects_continue_) {
    connection_.expects_continue_ = false;
    PADDOCK_TRY(SendAll("HTTP/1.1 100 Continue\r\n\r\n"));
  }
  if (has_length) return ReadLength(to);
  if (framing.kind != BodyFraming::Kind::kChunked) return size_t{0};
  PADDOCK_ASSIGN(const size_t count, ReadChunked(to));
  if (count > limit_.bytes - std::min(body_read_, limit_.bytes)) {
    return Error(Code::kLimit, "the body has more than the " + std::to_string(limit_.bytes) + " bytes allowed");
  }
  return count;
}

Result<size_t> ServerExchange::ReadBody(std::span<char> to) {
  if (body_error_) return *body_error_;
  if (to.empty()) return Error(Code::kInvalid, "no room to read into");
  auto count = ReadSome(to);
  if (count) {
    body_read_ += *count;
  } else {
    body_error_ = count.error();
    connection_.is_body_broken_ = connection_.closes_ = true;
  }
  return count;
}

// --- answer ---

Status ServerExchange::FailAnswer(Error error) {
  answer_ = Answer::kFailed;
  answer_error_ = error;
  return error;
}

Status ServerExchange::SendAll(std::string_view bytes) {
  Connection& c = connection_;
  for (;;) {
    Io io = c.WriteOut();
    while (io == Io::kDone && !bytes.empty()) {
      const IoCount put = c.channel_.Write(bytes);
      io = put.io;
      if (io == Io::kDone) bytes.remove_prefix(put.count);
    }
    if (io == Io::kDone) return {};
    if (io == Io::kBroken || io == Io::kEnd) return Error(Code::kBrokenPipe, "the client is gone");
    PADDOCK_TRY(WaitFor(c.fd(), io, c.core_.limits().write_time));
  }
}

ConnectionField ServerExchange::DecideEnd() {
  Connection& c = connection_;
  const uint64_t unread = c.body_left_ - std::min<uint64_t>(c.body_left_, c.input_.size());
  if (!c.keep_alive_ || c.expects_continue_ || unread > kDrained || c.core_.is_stopping()) c.closes_ = true;
  if (c.closes_) return ConnectionField::kClose;
  return c.request_.minor_version == 0 ? ConnectionField::kKeepAlive : ConnectionField::kNone;
}

Status ServerExchange::Respond(int status, const Headers& headers, std::string body) {
  if (answer_ != Answer::kNone) return Error(Code::kInvalid, "the request is answered already");
  const bool has_body = status != 204 && status != 304;
  const AnswerFraming framing{has_body ? AnswerFraming::Kind::kLength : AnswerFraming::Kind::kNone, body.size()};
  Connection& c = connection_;
  const ConnectionField end = status == 426 ? ConnectionField::kUpgrade : DecideEnd();
  if (const Status made = status == 101 ? Status(Code::kInvalid) : AppendAnswerHead(&c.output_, status, headers, framing, end);
      !made) {
    (void)Respond(500, {{"Content-Type", "text/plain; charset=utf-8"}}, "the answer could not be sent\n");
    return made;
  }
  if (has_body && !is_head()) {
    if (body.size() <= kJoined) c.output_ += body;
    else c.output_body_ = std::move(body);
  }
  answer_ = Answer::kWhole;
  const Io io = c.WriteOut();
  if (io == Io::kBroken || io == Io::kEnd) return FailAnswer(Error(Code::kBrokenPipe, "the client is gone"));
  return {};
}

Status ServerExchange::StartResponse(int status, const Headers& headers, std::optional<uint64_t> length) {
  if (answer_ != Answer::kNone) return Error(Code::kInvalid, "the request is answered already");
  if (status == 204 || status == 304 || status == 101)
    return Error(Code::kInvalid, "status " + std::to_string(status) + " has no body");
  using Kind = AnswerFraming::Kind;
  Connection& c = connection_;
  framing_ = length ? AnswerFraming{Kind::kLength, *length}
                    : AnswerFraming{c.request_.minor_version == 0 ? Kind::kUntilEnd : Kind::kChunked};
  if (framing_.kind == Kind::kUntilEnd) c.closes_ = true;
  const ConnectionField end = DecideEnd();
  std::string head;
  PADDOCK_TRY(AppendAnswerHead(&head, status, headers, framing_, end));
  answer_ = Answer::kStreaming;
  if (const Status sent = SendAll(head); !sent) return FailAnswer(sent.error());
  return {};
}

Status ServerExchange::Write(std::string_view bytes) {
  if (answer_error_) return *answer_error_;
  if (answer_ != Answer::kStreaming) return Error(Code::kInvalid, "no answer in pieces was begun");
  if (framing_.kind == AnswerFraming::Kind::kLength && bytes.size() > framing_.length - written_) {
    return Error(Code::kInvalid, "more bytes than the length of the answer");
  }
  written_ += bytes.size();
  if (is_head()) return {};
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, kPiece);
    bytes.remove_prefix(piece.size());
    Status sent;
    if (framing_.kind == AnswerFraming::Kind::kChunked) {
      std::string chunk;
      AppendChunk(&chunk, piece);
      sent = SendAll(chunk);
    } else {
      sent = SendAll(piece);
    }
    if (!sent) return FailAnswer(sent.error());
  }
  return {};
}

Status ServerExchange::Finish() {
  if (answer_error_) return *answer_error_;
  if (answer_ != Answer::kStreaming) return Error(Code::kInvalid, "no answer in pieces was begun");
  if (framing_.kind == AnswerFraming::Kind::kLength && written_ != framing_.length) {
    return FailAnswer(Error(Code::kInvalid, "fewer bytes than the length of the answer"));
  }
  answer_ = Answer::kFinished;
  if (framing_.kind != AnswerFraming::Kind::kChunked || is_head()) return {};
  connection_.output_ += kLastChunk;
  const Io io = connection_.WriteOut();
  if (io == Io::kBroken || io == Io::kEnd) return FailAnswer(Error(Code::kBrokenPipe, "the client is gone"));
  return {};
}

// --- client ---

bool ServerExchange::IsClientGone() {
  if (connection_.is_cut_.load() || answer_ == Answer::kFailed) return true;
  if (answer_ == Answer::kPush) return false;
  pollfd fd{connection_.fd(), POLLRDHUP, 0};
  return poll(&fd, 1, 0) > 0 && fd.revents != 0;
}

void ServerExchange::OnClientGone(std::function<void()> function) {
  Connection& c = connection_;
  bool is_told = false;
  {
    const std::lock_guard lock(c.gone_mutex_);
    is_told = c.is_gone_told_;
    if (!is_told) c.on_gone_ = std::move(function);
  }
  if (is_told) return function();
  const std::lock_guard lock(c.mutex_);
  if (c.channel_.is_open()) c.core_.poller().Rearm(c.fd(), c.id_, EPOLLRDHUP);
}

// --- streams ---

template <class Push>
std::shared_ptr<Push> ServerExchange::Become(std::shared_ptr<Push> push, std::string_view head) {
  Connection& c = connection_;
  Channel channel;
  {
    const std::lock_guard lock(c.mutex_);
    channel = std::move(c.channel_);
  }
  push->Take(std::move(channel), std::exchange(c.input_, {}), head);
  push_ = push;
  answer_ = Answer::kPush;
  return push;
}

Result<std::shared_ptr<EventStream>> ServerExchange::StartEventStream(EventStreamOptions options, const Headers& headers) {
  Connection& c = connection_;
  if (answer_ != Answer::kNone) return Error(Code::kInvalid, "the request is answered already");
  if (is_head()) return Error(Code::kInvalid, "HEAD cannot be answered with events");
  const bool is_chunked = c.request_.minor_version == 1;
  Headers all = {{"Content-Type", "text/event-stream"}, {"Cache-Control", "no-store"}, {"X-Accel-Buffering", "no"}};
  all.insert(all.end(), headers.begin(), headers.end());
  std::string head;
  const auto framing = is_chunked ? AnswerFraming::Kind::kChunked : AnswerFraming::Kind::kUntilEnd;
  PADDOCK_TRY(AppendAnswerHead(&head, 200, all, {framing}, ConnectionField::kClose));
  return HandleOf(Become(std::make_shared<EventPush>(c.core_, c.id_, std::move(options), is_chunked), head));
}

Result<std::shared_ptr<WebSocket>> ServerExchange::AcceptWebSocket(WebSocketOptions options, const Headers& headers) {
  Connection& c = connection_;
  if (answer_ != Answer::kNone) return Error(Code::kInvalid, "the request is answered already");
  PADDOCK_ASSIGN(Headers all, AnswerHandshake(c.request_, options.subprotocol));
  all.insert(all.end(), headers.begin(), headers.end());
  std::string head;
  PADDOCK_TRY(AppendAnswerHead(&head, 101, all, {}, ConnectionField::kUpgrade));
  return HandleOf(Become(std::make_shared<WebSocketPush>(c.core_, c.id_, std::move(options)), head));
}

}  // namespace paddock::net
