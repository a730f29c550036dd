#include "cli/client/follow_output.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <functional>
#include <thread>

#include "cli/base64.h"
#include "cli/present.h"
#include "cli/foreground.h"
#include "net/event_reader.h"
#include "tools/schema/parse_json.h"

namespace paddock::cli {
namespace {

constexpr auto kPatience = std::chrono::seconds(30);

Status WritePiece(const json::object& piece, bool has_times = false) {
  const bool is_stderr = TextOf(piece, "stream") == "stderr";
  std::string bytes = TextOf(piece, "data");
  if (const json::value* encoded = piece.if_contains("is_base64"); encoded != nullptr && encoded->is_bool() && encoded->as_bool()) {
    PADDOCK_ASSIGN(bytes, DecodeBase64(bytes));
  }
  if (has_times) {
    const std::string front = TextOf(piece, "at") + " " + TextOf(piece, "process_id") + " ";
    std::string lines;
    for (size_t at = 0; at < bytes.size();) {
      const size_t end = std::min(bytes.find('\n', at), bytes.size() - 1);
      lines += front + bytes.substr(at, end - at + 1);
      at = end + 1;
    }
    if (!lines.ends_with('\n')) lines += '\n';
    bytes = std::move(lines);
  }
  if (!WriteAll(is_stderr ? STDERR_FILENO : STDOUT_FILENO, bytes)) return Error(Code::kIo, "nobody reads our output");   // not kBrokenPipe: that is the connection's
  return {};
}

void TellLost(const std::string& bytes) { std::fprintf(stderr, "paddock: %s bytes of output are kept no longer\n", bytes.c_str()); }

// Reads a stream of events until its end; true when `take` said that it is over.
using TakeEvent = std::function<Result<bool>(const net::Event& event)>;
Result<bool> ReadStream(Link& link, const std::string& target, std::string& last_id, const TakeEvent& take) {
  net::ClientRequest request{.method = "GET", .target = target, .headers = {{"Accept", "text/event-stream"}}};
  if (!last_id.empty()) request.headers.push_back({"Last-Event-ID", last_id});
  PADDOCK_ASSIGN(auto response, link.Send(std::move(request)));
  PADDOCK_TRY(net::EventReader::Check(*response));
  net::EventReader reader(std::move(response));
  while (true) {
    PADDOCK_ASSIGN(const std::optional<net::Event> event, reader.Next());
    if (!event) return false;
    PADDOCK_ASSIGN(const bool is_over, take(*event));
    if (is_over) return true;
    if ((event->name == "output" || event->name == "lost") && !event->id.empty()) last_id = event->id;
  }
}

// The same until it is over: a connection that breaks is made anew, as long as something comes within kPatience. `may_be_quiet`: of a stream that the
// daemon ends from time to time.
Status FollowStream(Link& link, const std::string& target, bool may_be_quiet, const TakeEvent& take) {
  std::string last_id;
  auto until = std::chrono::steady_clock::now() + kPatience;
  while (true) {
    const std::string before = last_id;
    const auto is_over = ReadStream(link, target, last_id, take);
    if (is_over && *is_over) return {};
    const auto now = std::chrono::steady_clock::now();
    if (last_id != before || (may_be_quiet && is_over)) until = now + kPatience;
    const bool may_come_back = is_over || is_over.error().code == Code::kUnavailable || is_over.error().code == Code::kBrokenPipe || is_over.error().code == Code::kTimedOut;
    if (!may_come_back || now > until) return is_over ? Error(Code::kUnavailable, "the daemon ended the stream again and again") : is_over.error();
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
}

Result<json::value> DataOf(const net::Event& event) { return tools::ParseJson(event.data, {.max_bytes = 16 << 20, .max_depth = 32}); }

}  // namespace

Result<json::object> FollowOutput(Link& link, const std::string& path) {
  json::object process;
  const Status followed = FollowStream(link, path + "/output", false, [&](const net::Event& event) -> Result<bool> {
    if (event.name == "lost") TellLost(event.data);
    if (event.name != "output" && event.name != "exit") return false;
    PADDOCK_ASSIGN(const json::value data, DataOf(event));
    if (event.name == "output") PADDOCK_TRY(WritePiece(data.as_object()));
    else process = data.as_object();
    return event.name == "exit";
  });
  if (!followed) return followed.error();
  return process;
}

Status CopyOutput(Link& link, const std::string& path) {
  uint64_t offset = 0;
  while (true) {
    PADDOCK_ASSIGN(const json::value answer, link.Get(path + "/output?limit=1048576&offset=" + std::to_string(offset)));
    const json::object& part = answer.as_object();
    if (const std::string lost = TextOf(part, "lost_bytes"); lost != "0") TellLost(lost);
    for (const json::value& piece : part.at("pieces").as_array()) PADDOCK_TRY(WritePiece(piece.as_object()));
    const uint64_t next = part.at("next").to_number<uint64_t>();
    if (next == offset) return {};
    offset = next;
  }
}

namespace {

void TellGone() { std::fprintf(stderr, "paddock: some of the log is kept no longer\n"); }

}  // namespace

Status CopyLog(Link& link, const std::string& path, const std::string& query, const LogView& view) {
  uint64_t offset = 0;
  while (!view.follows) {
    PADDOCK_ASSIGN(const json::value answer, link.Get(path + "?limit=1048576&offset=" + std::to_string(offset) + query));
    if (!answer.at("is_complete").as_bool() && offset > 0) TellGone();
    for (const json::value& piece : answer.at("pieces").as_array()) PADDOCK_TRY(WritePiece(piece.as_object(), view.has_times));
    const uint64_t next = answer.at("next").to_number<uint64_t>();
    if (next == offset) return {};
    offset = next;
  }
  return FollowStream(link, path + "?offset=0" + query, true, [&](const net::Event& event) -> Result<bool> {
    if (event.name == "lost") TellGone();
    if (event.name != "output") return event.name == "deleted";
    PADDOCK_ASSIGN(const json::value data, DataOf(event));
    PADDOCK_TRY(WritePiece(data.as_object(), view.has_times));
    return false;
  });
}

int StatusOfProcess(const json::object& process) {
  if (const std::string failure = TextOf(process, "failure"); !failure.empty()) {
    std::fprintf(stderr, "paddock: %s\n", Harmless(failure).c_str());
    return 125;
  }
  if (const json::value* code = process.if_contains("exit_code"); code != nullptr && code->is_int64()) return static_cast<int>(code->as_int64());
  const json::value* termination = process.if_contains("termination");
  if (termination == nullptr || !termination->is_object()) return 125;
  const json::object& how = termination->as_object();
  const std::string reason = TextOf(how, "reason");
  if (reason == "signal") return 128 + static_cast<int>(how.at("signal").to_number<int64_t>());
  if (reason == "timeout") {
    std::fprintf(stderr, "paddock: stopped: the time given was over\n");
    return 124;
  }
  if (reason == "cancelled") return 130;
  const std::string limit = TextOf(how, "limit");
  std::fprintf(stderr, "paddock: stopped: %s\n", limit.empty() ? reason.c_str() : (limit + " limit reached (" + TextOf(how, "peak") + ")").c_str());
  return 125;
}

}  // namespace paddock::cli
