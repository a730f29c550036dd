#include "net/connection.h"

#include <sys/epoll.h>

#include <algorithm>

#include "net/push_stream.h"
#include "net/server_core.h"
#include "net/server_exchange.h"

namespace paddock::net {
namespace {

constexpr size_t kScratch = 16 << 10;
constexpr uint64_t kMostDrained = 256 << 10, kMostLingered = 16 << 20;
constexpr std::chrono::milliseconds kLingerTime(2000);

}  // namespace

Connection::Connection(ServerCore& core, Channel channel, Peer peer, uint64_t id)
    : core_(core), id_(id), peer_(std::move(peer)), channel_(std::move(channel)) {
  idle_since_.store(Now());
  phase_ = channel_.is_tls() ? Phase::kHandshake : Phase::kHead;
  deadline_.store(Now() + core.limits().head_time);
  is_idle_.store(phase_ == Phase::kHead);
}

Connection::~Connection() = default;

// --- ownership ---

bool Connection::Claim() {
  State armed = State::kArmed;
  return state_.compare_exchange_strong(armed, State::kBusy);
}

bool Connection::Arm(Io want) {
  const std::lock_guard lock(mutex_);
  want_ = want;
  state_.store(State::kArmed);
  core_.poller().Rearm(fd(), id_, want == Io::kWantWrite ? EPOLLOUT : EPOLLIN);
  return false;
}

bool Connection::Close(bool reset) {
  {
    const std::lock_guard lock(mutex_);
    if (state_.exchange(State::kClosed) == State::kClosed) return false;
    channel_.Close(reset);
  }
  core_.connections().fetch_sub(1);
  core_.poller().Remove(id_);
  return false;
}

void Connection::OnEvents(uint32_t events) {
  if (Claim()) {
    Run();
  } else if ((events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) {
    NotifyGone();
  }
}

void Connection::NotifyGone() {
  const std::lock_guard lock(gone_mutex_);
  if (!is_in_handler_ || is_gone_told_) return;
  is_gone_told_ = true;
  if (on_gone_) std::exchange(on_gone_, nullptr)();
}

void Connection::OnTick(Time now) {
  if (state_.load() != State::kArmed || deadline_.load() > now || !Claim()) return;
  if (deadline_.load() > now) {
    Arm(want_);
  } else if ((phase_ == Phase::kHead && !input_.empty()) || phase_ == Phase::kBody) {
    if (Refuse(408, "the request took too long to arrive")) Run();
  } else {
    Close(phase_ != Phase::kHead);
  }
}

void Connection::OnStopping() { (void)TryEvict(); }

bool Connection::TryEvict() {
  if (!is_idle_.load() || !Claim()) return false;
  if (is_idle_.load()) {
    Close();
    return true;
  }
  Arm(want_);
  return false;
}

void Connection::Cut() {
  is_cut_.store(true);
  {
    const std::lock_guard lock(mutex_);
    channel_.Cut();
  }
  NotifyGone();
}

void Connection::SetPhase(Phase phase, std::chrono::milliseconds time) {
  phase_ = phase;
  deadline_.store(Now() + time);
}

// --- the way of a request ---

void Connection::Run() {
  std::shared_ptr<Connection> current = shared_from_this(), next;
  while (current != nullptr) {
    while (current->Step(&next)) {
      if (next == nullptr) continue;
      current->Arm(Io::kWantWrite);   // at once, on another thread
      break;
    }
    current = std::exchange(next, nullptr);
  }
}

bool Connection::Step(std::shared_ptr<Connection>* next) {
  switch (phase_) {
    case Phase::kHandshake: return Handshake();
    case Phase::kHead: return ReadHead();
    case Phase::kBody: return ReadBodyAhead();
    case Phase::kHandler: return RunHandler(next);
    case Phase::kFlush: return Flush();
    case Phase::kLinger: return Linger();
  }
  return false;
}

bool Connection::Handshake() {
  const Io io = channel_.Handshake();
  if (io == Io::kWantRead || io == Io::kWantWrite) return Arm(io);
  if (io != Io::kDone) return Close();
  phase_ = Phase::kHead;
  return true;
}

bool Connection::Fill() {
  char scratch[kScratch];
  const IoCount got = channel_.Read(scratch);
  if (got.io == Io::kWantRead || got.io == Io::kWantWrite) return Arm(got.io);
  if (got.io != Io::kDone) return Close();
  input_.append(scratch, got.count);
  return true;
}

bool Connection::ReadHead() {
  const ServerLimits& limits = core_.limits();
  // Without the end of a line there is nothing new to find.
  const bool is_worth_it = input_.size() >= limits.head_bytes || input_.find('\n', searched_) != std::string::npos;
  if (is_worth_it) {
    size_t size = 0;
    auto head = ParseRequestHead(input_, &size, {limits.head_bytes, limits.headers});
    if (!head) {
      const bool is_target = input_.find("\r\n") > limits.head_bytes / 2;
      return Refuse(head.error().code != Code::kLimit ? 400 : is_target ? 414 : 431, head.error().Text());
    }
    if (*head) {
      input_.erase(0, size);
      searched_ = 0;
      return BeginRequest(std::move(**head));
    }
  }
  if (!input_.empty() && static_cast<unsigned char>(input_[0] - 'A') > 'Z' - 'A') return Refuse(400, "not an HTTP request");
  searched_ = input_.size();
  const bool was_idle = is_idle_.exchange(false);
  const size_t before = input_.size();
  char scratch[kScratch];
  const IoCount got = channel_.Read(scratch);
  if (got.io == Io::kWantRead || got.io == Io::kWantWrite) {
    is_idle_.store(was_idle && before == 0);
    return Arm(got.io);
  }
  if (got.io != Io::kDone) return Close();
  if (was_idle) deadline_.store(Now() + limits.head_time);
  input_.append(scratch, got.count);
  return true;
}

bool Connection::BeginRequest(RequestHead head) {
  core_.requests().fetch_add(1, std::memory_order_relaxed);
  request_ = Request();
  request_.method = std::move(head.method);
  request_.target = std::move(head.target);
  request_.headers = std::move(head.headers);
  request_.minor_version = head.minor_version;
  request_.peer = peer_;
  framing_ = head.body;
  keep_alive_ = head.keep_alive;
  closes_ = expects_continue_ = is_body_broken_ = false;
  body_left_ = framing_.kind == BodyFraming::Kind::kLength ? framing_.length : 0;
  if (framing_.kind != BodyFraming::Kind::kChunked) request_.body_length = body_left_;
  chunks_ = ChunkDecoder();
  decoded_.clear();

  if (request_.method == "CONNECT") return Refuse(501, "no tunnels here");
  if (const Status target = ParseTarget(&request_); !target) {
    return Refuse(target.error().code == Code::kLimit ? 414 : 400, target.error().Text());
  }
  if (const std::string* host = request_.Header("host")) {
    auto name = HostWithoutPort(*host);
    if (!name) return Refuse(400, name.error().Text());
    request_.host = std::move(*name);
  }
  if (core_.options().allows_host && !peer_.is_unix && !core_.options().allows_host(request_.host)) {
    return Refuse(421, "this server does not answer for host '" + request_.host + "'");
  }
  if (const std::string* expectation = request_.Header("expect")) {
    if (!EqualsIgnoringCase(*expectation, "100-continue")) return Refuse(417, "expectation that is not 100-continue");
    expects_continue_ = request_.minor_version == 1 && framing_.kind != BodyFraming::Kind::kNone;
  }
  if (body_left_ > input_.size() && body_left_ <= core_.limits().prefetch_bytes && !expects_continue_) {
    SetPhase(Phase::kBody, core_.limits().body_time);
  } else {
    phase_ = Phase::kHandler;
  }
  return true;
}

bool Connection::ReadBodyAhead() {
  if (input_.size() < body_left_) return Fill();
  phase_ = Phase::kHandler;
  return true;
}

bool Connection::RunHandler(std::shared_ptr<Connection>* next) {
  if (!is_admitted_) {
    switch (core_.Admit(shared_from_this())) {
      case ServerCore::Admission::kRun: break;
      case ServerCore::Admission::kQueued: return false;   // another thread's from here on
      case ServerCore::Admission::kRefused: return Refuse(503, "the server is busy");
    }
  }
  is_admitted_ = false;
  core_.Cover();
  {
    const std::lock_guard lock(gone_mutex_);
    is_in_handler_ = true;
    is_gone_told_ = is_cut_.load();
  }
  ServerExchange exchange(*this);
  bool has_thrown = false;
  try {
    core_.handler()(exchange);
  } catch (const std::exception&) {
    has_thrown = true;
  }
  {
    const std::lock_guard lock(gone_mutex_);
    is_in_handler_ = false;
    on_gone_ = nullptr;
  }
  if (!exchange.has_answered()) {
    if (has_thrown) closes_ = true;
    (void)exchange.Respond(500, {{"Content-Type", core_.options().refusal_type}},
                           RefusalBody(500, has_thrown ? "internal error" : "no answer"));
  }
  *next = core_.Release();
  return AfterHandler(exchange);
}

bool Connection::AfterHandler(ServerExchange& exchange) {
  using Answer = ServerExchange::Answer;
  switch (exchange.answer()) {
    case Answer::kPush: {
      {
        const std::lock_guard lock(mutex_);
        state_.store(State::kClosed);
      }
      const auto push = exchange.TakePush();
      core_.poller().Replace(id_, push);
      push->Begin();
      return false;
    }
    case Answer::kNone:
    case Answer::kStreaming:
    case Answer::kFailed: return Close(true);
    case Answer::kWhole:
    case Answer::kFinished: break;
  }
  SetPhase(Phase::kFlush, core_.limits().write_time);
  return true;
}

Io Connection::WriteOut() {
  for (;;) {
    std::string& current = output_.empty() ? output_body_ : output_;
    if (current.empty()) return Io::kDone;
    const bool more = &current == &output_ && !output_body_.empty();
    const IoCount put = channel_.Write(std::string_view(current).substr(written_), more);
    if (put.io != Io::kDone) return put.io;
    written_ += put.count;
    deadline_.store(Now() + core_.limits().write_time);
    if (written_ < current.size()) continue;
    written_ = 0;
    if (current.capacity() > kScratch) current = std::string();
    else current.clear();
  }
}

bool Connection::Flush() {
  const Io io = WriteOut();
  if (io == Io::kWantRead || io == Io::kWantWrite) return Arm(io);
  if (io != Io::kDone) return Close();
  return AfterAnswer();
}

bool Connection::DrainBody() {
  uint64_t drained = 0;
  const bool is_chunked = framing_.kind == BodyFraming::Kind::kChunked;
  decoded_.clear();
  while (is_chunked ? !chunks_.is_done() : body_left_ > 0) {
    if (input_.empty()) {
      char scratch[kScratch];
      const IoCount got = channel_.Read(scratch);
      if (got.io != Io::kDone || (drained += got.count) > kMostDrained) return false;
      input_.assign(scratch, got.count);
    }
    if (is_chunked) {
      const auto used = chunks_.Feed(input_, &decoded_);
      if (!used) return false;
      decoded_.clear();
      input_.erase(0, *used);
    } else {
      const size_t used = static_cast<size_t>(std::min<uint64_t>(body_left_, input_.size()));
      body_left_ -= used;
      input_.erase(0, used);
    }
  }
  return true;
}

bool Connection::AfterAnswer() {
  const bool is_drained = !is_body_broken_ && !expects_continue_ && DrainBody();
  if (closes_ || !is_drained || core_.is_stopping()) {
    // Closing with bytes unread would reset the connection and could take the answer away from the client.
    channel_.FinishWriting();
    if (is_drained && input_.empty()) return Close();
    SetPhase(Phase::kLinger, kLingerTime);
    lingered_ = 0;
    return true;
  }
  request_ = Request();
  const bool is_idle = input_.empty();
  if (is_idle && input_.capacity() > 64) input_ = std::string();
  SetPhase(Phase::kHead, is_idle ? core_.limits().idle_time : core_.limits().head_time);
  if (!is_idle || channel_.HasBuffered()) return true;
  idle_since_.store(Now());
  is_idle_.store(true);
  return Arm(Io::kWantRead);
}

bool Connection::Linger() {
  char scratch[kScratch];
  input_ = std::string();
  const IoCount got = channel_.Read(scratch);
  if (got.io == Io::kWantRead || got.io == Io::kWantWrite) return Arm(got.io);
  lingered_ += got.count;
  return got.io == Io::kDone && lingered_ <= kMostLingered ? true : Close();
}

std::string Connection::RefusalBody(int status, std::string_view reason) const {
  if (core_.options().refusal_body) return core_.options().refusal_body(status, reason);
  return std::string(reason) + "\n";
}

bool Connection::Refuse(int status, std::string_view reason) {
  core_.refused().fetch_add(1, std::memory_order_relaxed);
  const std::string body = RefusalBody(status, reason);
  Headers headers = {{"Content-Type", core_.options().refusal_type}};
  if (status == 503) headers.push_back({"Retry-After", "1"});
  output_.clear();
  if (!AppendAnswerHead(&output_, status, headers, {AnswerFraming::Kind::kLength, body.size()}, ConnectionField::kClose))
    return Close();
  if (request_.method != "HEAD") output_ += body;
  closes_ = is_body_broken_ = true;
  SetPhase(Phase::kFlush, core_.limits().write_time);
  return true;
}

void Connection::RefuseQueued() {
  if (Refuse(503, "the server is busy")) Run();
}

}  // namespace paddock::net
