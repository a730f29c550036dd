#include "drivers/virtual/http_client.h"

#include <sys/epoll.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "drivers/virtual/curl_library.h"
#include "drivers/virtual/curl_request.h"
#include "policy/host_name.h"

namespace paddock::sandbox {
namespace {

using proc::HttpObserver;
using proc::HttpOutcome;
using proc::HttpRequest;

constexpr size_t kMostHeld = 256 << 10;          // bytes that wait for the observer; then the connection does
constexpr size_t kMostHeadBytes = 1 << 20;       // of all heads of a transfer
constexpr size_t kUploadPiece = 64 << 10;
constexpr Nanoseconds kBeat = std::chrono::milliseconds(200);   // between two calls of OnProgress()

// libcurl's failures have no "denied": as what cannot be connected to.
constexpr int kCannotResolve = CURLE_COULDNT_RESOLVE_HOST;
constexpr int kCannotConnect = CURLE_COULDNT_CONNECT;

// One transfer: what libcurl has given and not yet been taken. Its callbacks only store; who takes may suspend the fiber or
// end it, which must not happen with libcurl's frames below.
struct Transfer {
  enum class Kind { kHeader, kBody, kText, kHeadIn, kHeadOut, kDataIn, kDataOut };
  struct Item {
    Kind kind;
    std::string bytes;
  };
  NetworkDoor& door;
  bool traces_data = false;
  std::vector<Item> items;
  size_t held = 0;             // bytes of bodies in `items`
  size_t head_bytes = 0;
  size_t head_begins = 0;      // in `items`: where the head that is being read began
  bool is_engine_refusal = false;   // the head names the engine as its author
  bool is_head_open = false;
  std::vector<Descriptor> listeners;   // of ways that libcurl has just taken
  std::string failure;         // of MakeWay()
  bool is_paused = false;
  bool wants_upload = false, is_upload_over = false;
  std::string upload;
  std::string connected;       // the text of the debug line
};

size_t OnHeader(char* data, size_t, size_t size, void* context) {
  auto& transfer = *static_cast<Transfer*>(context);
  transfer.head_bytes += size;
  if (transfer.head_bytes > kMostHeadBytes) return 0;
  const std::string_view line(data, size);
  if (!transfer.is_head_open) {
    transfer.is_head_open = true;
    transfer.is_engine_refusal = false;
    transfer.head_begins = transfer.items.size();
  }
  if (line == "X-Paddock: egress\r\n") transfer.is_engine_refusal = true;
  transfer.items.push_back({Transfer::Kind::kHeader, std::string(line)});
  if (line == "\r\n" || line == "\n") transfer.is_head_open = false;
  return size;
}

size_t OnBody(char* data, size_t, size_t size, void* context) {
  auto& transfer = *static_cast<Transfer*>(context);
  if (transfer.held >= kMostHeld) {
    transfer.is_paused = true;
    return CURL_WRITEFUNC_PAUSE;
  }
  transfer.held += size;
  transfer.items.push_back({Transfer::Kind::kBody, std::string(data, size)});
  return size;
}

size_t OnUpload(char* buffer, size_t, size_t size, void* context) {
  auto& transfer = *static_cast<Transfer*>(context);
  if (transfer.upload.empty() && !transfer.is_upload_over) {
    transfer.wants_upload = true;
    return CURL_READFUNC_PAUSE;
  }
  const size_t count = std::min(size, transfer.upload.size());
  transfer.upload.copy(buffer, count);
  transfer.upload.erase(0, count);
  return count;
}

// The stream to the engine is libcurl's affair with us: what the user sees is the connection behind it.
bool IsAboutTheDoor(std::string_view text) {
  for (const std::string_view start : {"  Trying ", "SOCKS", "Connected to ", "Opened SOCKS", "Could not set TCP_NODELAY", "Can't complete SOCKS"}) {
    if (text.starts_with(start)) return true;
  }
  return false;
}

int OnDebug(CURL*, curl_infotype type, char* data, size_t size, void* context) {
  auto& transfer = *static_cast<Transfer*>(context);
  std::string bytes(data, size);
  switch (type) {
    case CURLINFO_TEXT:
      while (bytes.ends_with('\n')) bytes.pop_back();
      if (bytes.starts_with("SOCKS5 request granted")) bytes = transfer.connected;
      else if (IsAboutTheDoor(bytes)) break;
      transfer.items.push_back({Transfer::Kind::kText, std::move(bytes)});
      break;
    case CURLINFO_HEADER_IN: transfer.items.push_back({Transfer::Kind::kHeadIn, std::move(bytes)}); break;
    case CURLINFO_HEADER_OUT: transfer.items.push_back({Transfer::Kind::kHeadOut, std::move(bytes)}); break;
    case CURLINFO_DATA_IN:
    case CURLINFO_DATA_OUT:
      if (transfer.traces_data) transfer.items.push_back({type == CURLINFO_DATA_IN ? Transfer::Kind::kDataIn : Transfer::Kind::kDataOut, std::move(bytes)});
      break;
    default: break;
  }
  return 0;
}

egress::AddressFamily FamilyOf(const HttpRequest& request) {
  switch (request.family) {
    case proc::AddressFamily::kV4: return egress::AddressFamily::kV4;
    case proc::AddressFamily::kV6: return egress::AddressFamily::kV6;
    case proc::AddressFamily::kV4First: return egress::AddressFamily::kV4First;
    case proc::AddressFamily::kV6First: return egress::AddressFamily::kV6First;
    case proc::AddressFamily::kAny: break;
  }
  return egress::AddressFamily::kAny;
}

// HSTS: what libcurl is given to begin with, one entry a call, and what it knows in the end.
CURLSTScode GiveHsts(CURL*, curl_hstsentry* entry, void* context) {
  auto& left = *static_cast<std::vector<proc::HstsEntry>*>(context);
  if (left.empty()) return CURLSTS_DONE;
  const proc::HstsEntry& next = left.back();
  if (next.host.size() >= entry->namelen || next.expires.size() >= sizeof entry->expire) return CURLSTS_FAIL;
  std::memcpy(entry->name, next.host.c_str(), next.host.size() + 1);
  std::memcpy(entry->expire, next.expires.c_str(), next.expires.size() + 1);
  entry->includeSubDomains = next.has_subdomains;
  left.pop_back();
  return CURLSTS_OK;
}
CURLSTScode TakeEntry(CURL*, curl_hstsentry* entry, curl_index*, void* context) {
  constexpr size_t kMost = 10000;
  auto& hosts = *static_cast<std::vector<proc::HstsEntry>*>(context);
  if (hosts.size() < kMost) hosts.push_back({entry->name, entry->includeSubDomains != 0, entry->expire});
  return CURLSTS_OK;
}

// libcurl connects to the address that stands there afterwards.
curl_socket_t OpenSocket(void* context, curlsocktype, curl_sockaddr* address) {
  auto& transfer = *static_cast<Transfer*>(context);
  auto way = transfer.door.MakeWay();
  if (!way) {
    transfer.failure = way.error().Text();
    return CURL_SOCKET_BAD;
  }
  static_assert(sizeof way->address <= sizeof(sockaddr_storage));
  address->family = AF_UNIX;
  address->socktype = SOCK_STREAM;
  address->protocol = 0;
  address->addrlen = way->length;
  std::memcpy(&address->addr, &way->address, way->length);   // room for every kind of address is there
  transfer.listeners.push_back(std::move(way->listener));
  return way->client.Release();
}

class Client final : public proc::HttpClient {
 public:
  Client(const CurlLibrary& curl, NetworkDoor& door, proc::Kernel& kernel, io::PollWaiter& waiter, Descriptor epoll)
      : curl_(curl), door_(door), kernel_(kernel), waiter_(waiter), epoll_(std::move(epoll)), easy_(curl.easy_init()), multi_(curl.multi_init()) {
    curl_.multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, &Client::OnSocket);
    curl_.multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
    curl_.multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, &Client::OnTimer);
    curl_.multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
  }
  ~Client() override {
    curl_.easy_cleanup(easy_);
    curl_.multi_cleanup(multi_);
  }

  HttpOutcome Perform(const HttpRequest& request, HttpObserver& observer) override;
  std::vector<std::string> Cookies() override { return ReadCookies(curl_, easy_); }
  std::vector<proc::HstsEntry> TakeHsts() override;

 private:
  static int OnSocket(CURL*, curl_socket_t socket, int what, void* context, void*);
  static int OnTimer(CURLM*, long milliseconds, void* context);
  void Prepare(const HttpRequest& request, Transfer& transfer);
  // Until libcurl is done: its result, or the observer's refusal.
  CURLcode Drive(Transfer& transfer, HttpObserver& observer);
  void Turn();
  Status Deliver(Transfer& transfer, HttpObserver& observer);
  Status Feed(Transfer& transfer, HttpObserver& observer);
  std::optional<HttpOutcome> RefusalOf(const HttpOutcome& outcome, uint64_t mark);
  // Where the connection for a URL goes: its own host and port, or what connect_to_ says.
  std::pair<std::string, std::string> PlaceOf(const std::string& url) const;
  Nanoseconds Now() const { return kernel_.clock().MonotonicNow(); }

  const CurlLibrary& curl_;
  NetworkDoor& door_;
  proc::Kernel& kernel_;
  io::PollWaiter& waiter_;
  Descriptor epoll_;   // all sockets of libcurl's in one that can be waited for
  CURL* easy_;
  CURLM* const multi_;
  Nanoseconds timer_ = Nanoseconds::max();
  std::string error_text_ = std::string(CURL_ERROR_SIZE, '\0');
  uint64_t mark_ = 0;
  std::vector<std::string> connect_to_;   // of the request
  std::vector<proc::HstsEntry> hsts_;     // what libcurl has yet to read
  bool has_hsts_ = false;
  bool is_refused_ = false;
  egress::AddressFamily family_ = egress::AddressFamily::kAny;   // of the request
};

int Client::OnSocket(CURL*, curl_socket_t socket, int what, void* context, void*) {
  const int epoll = static_cast<Client*>(context)->epoll_.get();
  epoll_event event{};
  event.data.fd = socket;
  if ((what & CURL_POLL_IN) != 0 && what != CURL_POLL_REMOVE) event.events |= EPOLLIN;
  if ((what & CURL_POLL_OUT) != 0 && what != CURL_POLL_REMOVE) event.events |= EPOLLOUT;
  if (what == CURL_POLL_REMOVE) return epoll_ctl(epoll, EPOLL_CTL_DEL, socket, nullptr), 0;   // gone already if it was closed
  if (epoll_ctl(epoll, EPOLL_CTL_MOD, socket, &event) == 0) return 0;
  return epoll_ctl(epoll, EPOLL_CTL_ADD, socket, &event) == 0 ? 0 : -1;
}

int Client::OnTimer(CURLM*, long milliseconds, void* context) {
  auto& client = *static_cast<Client*>(context);
  client.timer_ = milliseconds < 0 ? Nanoseconds::max() : client.Now() + std::chrono::milliseconds(milliseconds);
  return 0;
}

void Client::Prepare(const HttpRequest& request, Transfer& transfer) {
  const auto set = [this](CURLoption option, auto value) { curl_.easy_setopt(easy_, option, value); };
  std::fill(error_text_.begin(), error_text_.end(), '\0');
  set(CURLOPT_ERRORBUFFER, error_text_.data());
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
  // Nothing of the host's: no proxy and no list of exceptions from its environment, no netrc, no resolver, no socket.
  set(CURLOPT_PROXY, "socks5h://127.0.0.1:1");
  set(CURLOPT_NOPROXY, "");
  set(CURLOPT_SOCKS5_AUTH, static_cast<long>(CURLAUTH_BASIC));
  set(CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
  set(CURLOPT_OPENSOCKETFUNCTION, &OpenSocket);
  set(CURLOPT_OPENSOCKETDATA, &transfer);
  set(CURLOPT_HEADERFUNCTION, &OnHeader);
  set(CURLOPT_HEADERDATA, &transfer);
  set(CURLOPT_WRITEFUNCTION, &OnBody);
  set(CURLOPT_WRITEDATA, &transfer);
  set(CURLOPT_READFUNCTION, &OnUpload);
  set(CURLOPT_READDATA, &transfer);
  if (request.uses_hsts) {
    if (!has_hsts_) hsts_.assign(request.hsts.rbegin(), request.hsts.rend());
    has_hsts_ = true;
    set(CURLOPT_HSTS_CTRL, CURLHSTS_ENABLE);
    set(CURLOPT_HSTSREADFUNCTION, &GiveHsts);
    set(CURLOPT_HSTSREADDATA, &hsts_);
  }
  if (request.is_verbose) {
    set(CURLOPT_VERBOSE, 1L);
    set(CURLOPT_DEBUGFUNCTION, &OnDebug);
    set(CURLOPT_DEBUGDATA, &transfer);
    transfer.traces_data = request.traces_data;
  }
}

Status Client::Deliver(Transfer& transfer, HttpObserver& observer) {
  // A head is held back until it is whole: it may be the engine's word, which is not the server's answer.
  const size_t ready = transfer.is_head_open ? transfer.head_begins : transfer.items.size();
  std::vector<Transfer::Item> items(std::make_move_iterator(transfer.items.begin()), std::make_move_iterator(transfer.items.begin() + static_cast<std::ptrdiff_t>(ready)));
  transfer.items.erase(transfer.items.begin(), transfer.items.begin() + static_cast<std::ptrdiff_t>(ready));
  transfer.head_begins = 0;
  for (const Transfer::Item& item : items) {
    kernel_.budget().Step(static_cast<int64_t>(1 + item.bytes.size() / 32));
    switch (item.kind) {
      case Transfer::Kind::kHeader: PADDOCK_TRY(observer.OnHeader(item.bytes)); break;
      case Transfer::Kind::kBody:
        transfer.held -= std::min(transfer.held, item.bytes.size());
        PADDOCK_TRY(observer.OnBody(item.bytes));
        break;
      case Transfer::Kind::kText: observer.OnDebug(HttpObserver::Debug::kText, item.bytes); break;
      case Transfer::Kind::kHeadIn: observer.OnDebug(HttpObserver::Debug::kHeadIn, item.bytes); break;
      case Transfer::Kind::kHeadOut: observer.OnDebug(HttpObserver::Debug::kHeadOut, item.bytes); break;
      case Transfer::Kind::kDataIn: observer.OnDebug(HttpObserver::Debug::kDataIn, item.bytes); break;
      case Transfer::Kind::kDataOut: observer.OnDebug(HttpObserver::Debug::kDataOut, item.bytes); break;
    }
  }
  return {};
}

Status Client::Feed(Transfer& transfer, HttpObserver& observer) {
  if (!transfer.wants_upload) return {};
  PADDOCK_ASSIGN(transfer.upload, observer.ReadUpload(kUploadPiece));
  transfer.is_upload_over = transfer.upload.empty();
  transfer.wants_upload = false;
  curl_.easy_pause(easy_, CURLPAUSE_CONT);
  return {};
}

void Client::Turn() {
  int running = 0;
  epoll_event events[16];
  const int count = epoll_wait(epoll_.get(), events, 16, 0);
  for (int i = 0; i < count; ++i) {
    const uint32_t what = events[i].events;
    const int mask = ((what & EPOLLIN) != 0 ? CURL_CSELECT_IN : 0) | ((what & EPOLLOUT) != 0 ? CURL_CSELECT_OUT : 0) |
                     ((what & (EPOLLERR | EPOLLHUP)) != 0 ? CURL_CSELECT_ERR : 0);
    curl_.multi_socket_action(multi_, events[i].data.fd, mask, &running);
  }
  if (Now() >= timer_) {
    timer_ = Nanoseconds::max();
    curl_.multi_socket_action(multi_, CURL_SOCKET_TIMEOUT, 0, &running);
  }
}

CURLcode Client::Drive(Transfer& transfer, HttpObserver& observer) {
  Nanoseconds next_beat = Now() + kBeat;
  for (;;) {
    Turn();
    for (Descriptor& listener : transfer.listeners) door_.Serve(std::move(listener), family_);
    transfer.listeners.clear();
    if (transfer.is_engine_refusal && !transfer.is_head_open) {
      // A server can write the same field; what the engine refused it has also told.
      transfer.is_engine_refusal = false;
      if (RefusalOf(ReadFacts(curl_, easy_), mark_)) {
        is_refused_ = true;
        return CURLE_COULDNT_CONNECT;
      }
    }
    if (!Deliver(transfer, observer)) return CURLE_WRITE_ERROR;
    if (!Feed(transfer, observer)) return CURLE_READ_ERROR;
    int left = 0;
    if (const CURLMsg* const message = curl_.multi_info_read(multi_, &left); message != nullptr && message->msg == CURLMSG_DONE) {
      const CURLcode result = message->data.result;
      transfer.is_head_open = false;
      return Deliver(transfer, observer) ? result : CURLE_WRITE_ERROR;
    }
    if (transfer.is_paused) {
      transfer.is_paused = false;
      curl_.easy_pause(easy_, CURLPAUSE_CONT);
      continue;
    }
    if (Now() >= next_beat) {
      observer.OnProgress(ReadProgress(curl_, easy_));
      next_beat = Now() + kBeat;
    }
    if (transfer.items.empty() || transfer.is_head_open) waiter_.WaitReadable(kernel_.scheduler(), epoll_.get(), std::min(timer_, next_beat));
  }
}

std::vector<proc::HstsEntry> Client::TakeHsts() {
  std::vector<proc::HstsEntry> hosts;
  if (!has_hsts_) return hosts;
  // libcurl tells when a handle ends.
  curl_.easy_setopt(easy_, CURLOPT_HSTS_CTRL, CURLHSTS_ENABLE);
  curl_.easy_setopt(easy_, CURLOPT_HSTSWRITEFUNCTION, &TakeEntry);
  curl_.easy_setopt(easy_, CURLOPT_HSTSWRITEDATA, &hosts);
  curl_.easy_cleanup(easy_);
  easy_ = curl_.easy_init();
  has_hsts_ = false;
  return hosts;
}

std::pair<std::string, std::string> Client::PlaceOf(const std::string& url) const {
  std::pair<std::string, std::string> place(UrlPart(curl_, url, CURLUPART_HOST), UrlPart(curl_, url, CURLUPART_PORT));
  // A part ends at a colon outside of brackets.
  const auto take = [](std::string_view& rest) {
    const size_t end = std::min(rest.find(':', rest.starts_with('[') ? rest.find(']') : 0), rest.size());
    std::string_view part = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (part.starts_with('[') && part.ends_with(']')) part = part.substr(1, part.size() - 2);
    return std::string(part);
  };
  for (const std::string& entry : connect_to_) {
    std::string_view rest = entry;
    const std::string host = take(rest), port = take(rest), to_host = take(rest), to_port = take(rest);
    if ((!host.empty() && host != place.first) || (!port.empty() && port != place.second)) continue;
    return {to_host.empty() ? place.first : to_host, to_port.empty() ? place.second : to_port};
  }
  return place;
}

std::optional<HttpOutcome> Client::RefusalOf(const HttpOutcome& outcome, uint64_t mark) {
  using Kind = egress::Event::Kind;
  const auto [place, port_text] = PlaceOf(outcome.effective_url);
  const auto host = policy::ParseHost(place);
  if (!host) return std::nullopt;
  const auto port = static_cast<uint16_t>(std::atoi(port_text.c_str()));
  HttpOutcome refused = outcome;
  if (const auto denied = door_.LastEvent(mark, Kind::kDenied, host->text, port)) {
    refused.error = kCannotConnect;
    refused.is_denied = true;
    refused.message = "Failed to connect to " + host->text + " port " + std::to_string(port) + ": denied by the sandbox's policy: " + denied->reason +
                      (denied->rule.empty() ? "" : " (rule: " + denied->rule + ")") + "; to ask, have the user allow host " + host->text + " (--allow-host " +
                      host->text + ":" + std::to_string(port) + ")";
    return refused;
  }
  const auto failed = door_.LastEvent(mark, Kind::kFailed, host->text, port);
  if (!failed) return std::nullopt;
  refused.error = kCannotConnect;
  if (failed->reason.starts_with("could not resolve ")) {
    refused.error = kCannotResolve;
    refused.message = "Could not resolve host: " + host->text;
    if (failed->reason.ends_with("no address of that family") && host->text == "localhost") {   // it has both, whatever the host's table says
      refused.error = kCannotConnect;
      refused.message = "Failed to connect to localhost port " + port_text + " after " + std::to_string(outcome.time_total / 1000) + " ms: Couldn't connect to server";
    }
  } else if (failed->reason.starts_with("could not connect ")) {
    refused.message = "Failed to connect to " + host->text + " port " + std::to_string(port) + " after " + std::to_string(outcome.time_total / 1000) +
                      " ms: Couldn't connect to server";
  } else {
    refused.message = "Failed to connect to " + host->text + " port " + std::to_string(port) + ": " + failed->reason;
  }
  return refused;
}

HttpOutcome Client::Perform(const HttpRequest& request, HttpObserver& observer) {
  Transfer transfer{.door = door_};
  mark_ = door_.Mark();
  is_refused_ = false;
  timer_ = Nanoseconds::max();
  connect_to_ = request.connect_to;
  family_ = FamilyOf(request);
  curl_.easy_reset(easy_);
  std::string trust = request.ca_pem;
  if (trust.empty()) {
    if (const auto pem = door_.TrustedPem()) trust = *pem;
  }
  const auto [host, port] = PlaceOf(request.url);
  const auto literal = policy::ParseHost(host);
  if (literal && literal->address && (request.family == proc::AddressFamily::kV4 || request.family == proc::AddressFamily::kV6) &&
      literal->address->is_v6 != (request.family == proc::AddressFamily::kV6)) {
    HttpOutcome outcome;
    outcome.error = kCannotConnect;
    outcome.message = "Couldn't connect to server";
    outcome.effective_url = request.url;
    return outcome;
  }
  transfer.connected = "Connected to " + host + " (through the policy) port " + port + " (#0)";
  Prepare(request, transfer);
  const CurlRequest options(curl_, easy_, request, trust);
  // Also when the process is ended meanwhile: nothing may call back into `transfer` afterwards.
  struct Added {
    Client& client;
    explicit Added(Client& of) : client(of) { client.curl_.multi_add_handle(client.multi_, client.easy_); }
    ~Added() {
      client.curl_.multi_remove_handle(client.multi_, client.easy_);
      client.curl_.easy_reset(client.easy_);
    }
  };
  CURLcode result = CURLE_OK;
  HttpOutcome outcome;
  {
    const Added added(*this);
    result = Drive(transfer, observer);
    outcome = ReadFacts(curl_, easy_);
  }
  outcome.error = result;
  if (result != CURLE_OK) outcome.message = error_text_[0] != '\0' ? error_text_.c_str() : curl_.easy_strerror(result);
  if (result != CURLE_OK && !transfer.failure.empty()) outcome.message = transfer.failure;
  const bool may_be_refusal = is_refused_ || (result != CURLE_OK && result != CURLE_WRITE_ERROR && result != CURLE_HTTP_RETURNED_ERROR);
  if (may_be_refusal) {
    if (const auto refused = RefusalOf(outcome, mark_)) outcome = *refused;
  }
  if (outcome.error == CURLE_OK) {
    const auto [place, port_text] = PlaceOf(outcome.effective_url);
    if (const auto to = policy::ParseHost(place)) {
      outcome.remote_port = std::atoi(port_text.c_str());
      if (const auto allowed = door_.LastEvent(0, egress::Event::Kind::kAllowed, to->text, static_cast<uint16_t>(outcome.remote_port))) outcome.remote_ip = allowed->address;
    }
  }
  return outcome;
}

}  // namespace

Result<std::unique_ptr<proc::HttpClient>> MakeHttpClient(NetworkDoor& door, proc::Kernel& kernel, io::PollWaiter& waiter) {
  PADDOCK_ASSIGN(const CurlLibrary* const curl, CurlLibrary::Load());
  Descriptor epoll(epoll_create1(EPOLL_CLOEXEC));
  if (!epoll) return Code::kTooManyFiles;
  return std::unique_ptr<proc::HttpClient>(std::make_unique<Client>(*curl, door, kernel, waiter, std::move(epoll)));
}

}  // namespace paddock::sandbox
