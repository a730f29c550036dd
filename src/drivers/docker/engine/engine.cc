#include "drivers/docker/engine/engine.h"

#include <boost/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>

#include "drivers/docker/engine/json_fields.h"

namespace paddock::docker {
namespace {

namespace json = boost::json;

constexpr std::chrono::milliseconds kGreetingTime{5'000};

std::string OneLine(std::string_view text) {
  std::string line;
  for (const char c : text.substr(0, 500)) line += static_cast<unsigned char>(c) < ' ' || c == 127 ? ' ' : c;
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

// "Docker/20.10.24+dfsg1 (linux)", "Libpod/4.3.1 (linux)": what stands between.
std::string VersionOf(std::string_view server) {
  const size_t slash = server.find('/');
  if (slash == server.npos) return {};
  server.remove_prefix(slash + 1);
  return OneLine(server.substr(0, std::min<size_t>(server.find(' '), 100)));
}

std::string VersionText(std::pair<int, int> version) { return std::to_string(version.first) + "." + std::to_string(version.second); }

// The target of a request.
std::string Target(const std::string& prefix, const EngineCall& call) {
  std::string target = prefix + call.path;
  char separator = '?';
  for (const auto& [name, value] : call.query) {
    target += separator + net::EncodePercent(name) + "=" + net::EncodePercent(value);
    separator = '&';
  }
  return target;
}

Result<std::string> ReadBody(net::Response& response, std::chrono::milliseconds time) {
  const auto until = std::chrono::steady_clock::now() + time;
  std::string body;
  std::array<char, 16 << 10> piece;
  for (;;) {
    PADDOCK_ASSIGN(const size_t count, response.Read(piece));
    if (count == 0) return body;
    if (body.size() + count > Engine::kMostAnswer) return Error(Code::kLimit, "the engine's answer is above " + std::to_string(Engine::kMostAnswer >> 20) + " MiB");
    body.append(piece.data(), count);
    if (std::chrono::steady_clock::now() > until) return Error(Code::kTimedOut, "the engine's answer took too long");
  }
}

bool IsAccepted(int status, std::initializer_list<int> accepted) { return std::find(accepted.begin(), accepted.end(), status) != accepted.end(); }

}  // namespace

Result<std::pair<int, int>> ParseApiVersion(std::string_view text) {
  std::pair<int, int> version;
  const char* end = text.data() + text.size();
  const auto major = std::from_chars(text.data(), end, version.first);
  if (major.ec == std::errc() && major.ptr != end && *major.ptr == '.') {
    const auto minor = std::from_chars(major.ptr + 1, end, version.second);
    if (minor.ec == std::errc() && minor.ptr == end && version.first >= 0 && version.second >= 0) return version;
  }
  return Error(Code::kInvalid, "'" + OneLine(text.substr(0, 40)) + "' is no version of the Docker Engine API");
}

json::value EngineAnswer::Json() const {
  json::parse_options options;
  options.max_depth = 32;
  boost::system::error_code failure;
  json::value value = json::parse(body, failure, {}, options);
  return failure ? json::value() : value;
}

std::string EngineMessage(const EngineAnswer& answer) {
  const json::value body = answer.Json();
  const std::string said = TextOf(Field(&body, "message"));
  const std::string line = OneLine(said.empty() ? answer.body : said);
  return line.empty() ? "status " + std::to_string(answer.status) : line;
}

Error EngineError(const std::string& what, const EngineAnswer& answer) {
  Code code = Code::kIo;
  switch (answer.status) {
    case 400: code = Code::kInvalid; break;
    case 401:
    case 403: code = Code::kAccess; break;
    case 404: code = Code::kNoEntry; break;
    case 409: code = Code::kConflict; break;
    default: break;
  }
  return Error(code, what + ": " + EngineMessage(answer));
}

Error Engine::Unreachable(const Error& error) const {
  if (error.code == Code::kTimedOut || error.code == Code::kCancelled || error.code == Code::kLimit) return Error(error.code, endpoint_.text + ": " + std::string(error.Text()));
  std::string remedy;
  if (error.code == Code::kAccess) remedy = "; the user of this process may not use the socket: add it to the socket's group";
  if (error.code == Code::kNoEntry) remedy = "; there is no socket: is the engine started?";
  return Error(Code::kUnavailable, "container engine " + endpoint_.text + ": " + std::string(error.Text()) + remedy);
}

Result<std::unique_ptr<net::Response>> Engine::Send(EngineCall& call) const {
  call.time = std::min(call.time, endpoint_.longest_call.value_or(call.time));
  net::ClientOptions options{.address = endpoint_.address, .tls = endpoint_.tls};
  if (endpoint_.address.is_unix) options.host = "docker";
  options.connect_time = kGreetingTime;
  options.head_time = call.time;
  options.idle_time = call.time;
  options.cancellation = call.cancellation;
  net::ClientRequest request{.method = call.method, .target = Target(prefix_, call), .headers = std::move(call.headers)};
  if (call.source) {
    request.source = std::move(call.source);
    request.headers.push_back({"Content-Type", "application/x-tar"});
  } else if (!call.body.is_null()) {
    request.body = json::serialize(call.body);
    request.headers.push_back({"Content-Type", "application/json"});
  }
  net::Client client(std::move(options));
  auto response = client.Send(request);
  if (!response) return Unreachable(response.error());
  return response;
}

Result<EngineAnswer> Engine::Call(EngineCall call) const {
  PADDOCK_ASSIGN(const std::unique_ptr<net::Response> response, Send(call));
  auto body = ReadBody(*response, call.time);
  if (!body) return Unreachable(body.error());
  return EngineAnswer{response->status(), std::move(*body)};
}

Result<EngineAnswer> Engine::Expect(EngineCall call, std::initializer_list<int> accepted) const {
  const std::string what = call.method + " " + call.path;
  PADDOCK_ASSIGN(EngineAnswer answer, Call(std::move(call)));
  if (!IsAccepted(answer.status, accepted)) return EngineError(what, answer);
  return answer;
}

Result<std::unique_ptr<net::Response>> Engine::Open(EngineCall call, std::initializer_list<int> accepted) const {
  const std::string what = call.method + " " + call.path;
  PADDOCK_ASSIGN(std::unique_ptr<net::Response> response, Send(call));
  if (IsAccepted(response->status(), accepted)) return response;
  auto body = ReadBody(*response, call.time);
  return EngineError(what, {response->status(), body.value_or("")});
}

Status Engine::Stream(EngineCall call, const std::function<Status(std::string_view)>& take) const {
  PADDOCK_ASSIGN(const std::unique_ptr<net::Response> response, Open(std::move(call), {200, 201}));
  std::vector<char> piece(64 << 10);
  for (;;) {
    auto count = response->Read(piece);
    if (!count) return Unreachable(count.error());
    if (*count == 0) return {};
    PADDOCK_TRY(take({piece.data(), *count}));
  }
}

Result<std::unique_ptr<net::ByteStream>> Engine::Hijack(EngineCall call) const {
  call.headers.push_back({"Connection", "Upgrade"});
  call.headers.push_back({"Upgrade", "tcp"});
  PADDOCK_ASSIGN(const std::unique_ptr<net::Response> response, Open(std::move(call), {101, 200}));
  auto stream = response->TakeStream();
  if (!stream) return Unreachable(stream.error());
  return stream;
}

Status Engine::Greet() {
  // /version would say more, and takes Podman a second: it looks up the packages of its helpers.
  EngineCall ping{.path = "/_ping", .time = kGreetingTime};
  PADDOCK_ASSIGN(const std::unique_ptr<net::Response> answer, Send(ping));
  const std::string* const newest = answer->Header("Api-Version");
  if (answer->status() != 200 || newest == nullptr) {
    auto body = ReadBody(*answer, kGreetingTime);
    return Error(Code::kUnavailable, "container engine " + endpoint_.text + ": what answers there is no container engine (" + EngineMessage({answer->status(), body.value_or("")}) + ")");
  }
  PADDOCK_ASSIGN(const auto server_newest, ParseApiVersion(*newest));
  facts_.api = std::min(server_newest, kNewestApi);
  if (facts_.api < kOldestApi) {
    return Error(Code::kNotSupported, "container engine " + endpoint_.text + " speaks API " + VersionText(server_newest) + " at most, this program " + VersionText(kOldestApi) +
                                          " to " + VersionText(kNewestApi) + "; use a newer engine");
  }
  const std::string* const podman = answer->Header("Libpod-Api-Version");
  if (podman != nullptr) facts_.kind = EngineKind::kPodman;
  if (const std::string* const server = answer->Header("Server")) facts_.version = VersionOf(*server);
  if (server_newest > kNewestApi) PADDOCK_TRY(CheckOldest(server_newest));
  prefix_ = "/v" + VersionText(facts_.api);
  return {};
}

// One that is newer than this program may speak nothing so old.
Status Engine::CheckOldest(std::pair<int, int> newest) const {
  PADDOCK_ASSIGN(const EngineAnswer version, Expect({.path = "/version", .time = kGreetingTime}, {200}));
  const json::value said = version.Json();
  const std::string oldest = TextOf(Field(&said, "MinAPIVersion"));
  if (oldest.empty()) return {};
  PADDOCK_ASSIGN(const auto server_oldest, ParseApiVersion(oldest));
  if (facts_.api >= server_oldest) return {};
  return Error(Code::kNotSupported, "container engine " + endpoint_.text + " speaks API " + VersionText(server_oldest) + " to " + VersionText(newest) + ", this program " +
                                        VersionText(kOldestApi) + " to " + VersionText(kNewestApi) + "; use a newer version of this program");
}

Result<std::shared_ptr<const EngineMachine>> Engine::Machine() const {
  const std::lock_guard lock(machine_mutex_);
  if (machine_ != nullptr) return machine_;
  PADDOCK_ASSIGN(const EngineAnswer info, Expect({.path = "/info", .time = kGreetingTime * 4}, {200}));
  const json::value told = info.Json();
  auto machine = std::make_shared<EngineMachine>();
  if (const json::value* runtimes = Field(&told, "Runtimes"); runtimes != nullptr && runtimes->is_object()) {
    for (const auto& [name, details] : runtimes->as_object()) machine->runtimes.emplace_back(name);
  }
  if (const json::value* options = Field(&told, "SecurityOptions"); options != nullptr && options->is_array()) {
    for (const json::value& option : options->as_array()) machine->security.push_back(TextOf(&option));
  }
  machine->default_runtime = TextOf(Field(&told, "DefaultRuntime"));
  machine->architecture = TextOf(Field(&told, "Architecture"));
  machine->storage_driver = TextOf(Field(&told, "Driver"));
  machine->cgroup_version = TextOf(Field(&told, "CgroupVersion")) == "2" ? 2 : 1;
  machine->memory_bytes = CountOf(Field(&told, "MemTotal")).value_or(0);
  machine->cpus = static_cast<int>(std::clamp<int64_t>(NumberOf(Field(&told, "NCPU")).value_or(0), 0, 1 << 20));
  machine_ = std::move(machine);
  return machine_;
}

Result<std::unique_ptr<Engine>> Engine::Connect(Endpoint endpoint) {
  std::unique_ptr<Engine> engine(new Engine(std::move(endpoint)));   // allow(raw-new): private constructor
  PADDOCK_TRY(engine->Greet());
  return engine;
}

Result<std::unique_ptr<Engine>> Engine::ConnectFirst(const std::vector<Endpoint>& endpoints) {
  std::string failures;
  for (const Endpoint& endpoint : endpoints) {
    auto engine = Connect(endpoint);
    if (engine || endpoints.size() == 1) return engine;
    failures += (failures.empty() ? "" : "; ") + engine.error().message;
  }
  return Error(Code::kUnavailable, failures.empty() ? "no container engine to try" : failures);
}

}  // namespace paddock::docker
