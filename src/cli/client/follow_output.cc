#include "cli/client/follow_output.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
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

// Reads until the end of the stream; the process when it ended.
Result<std::optional<json::object>> FollowOnce(Link& link, const std::string& path, std::string& last_id) {
  net::ClientRequest request{.method = "GET", .target = path + "/output", .headers = {{"Accept", "text/event-stream"}}};
  if (!last_id.empty()) request.headers.push_back({"Last-Event-ID", last_id});
  PADDOCK_ASSIGN(auto response, link.Send(std::move(request)));
  PADDOCK_TRY(net::EventReader::Check(*response));
  net::EventReader reader(std::move(response));
  while (true) {
    PADDOCK_ASSIGN(const std::optional<net::Event> event, reader.Next());
    if (!event) return std::optional<json::object>();
    PADDOCK_ASSIGN(const json::value data, tools::ParseJson(event->data, {.max_bytes = 16 << 20, .max_depth = 32}));
    if (event->name == "output") {
      PADDOCK_TRY(WritePiece(data.as_object()));
      last_id = event->id;
    } else if (event->name == "lost") {
      TellLost(event->data);
      last_id = event->id;
    } else if (event->name == "exit") {
      return std::optional(data.as_object());
    }
  }
}

}  // namespace

Result<json::object> FollowOutput(Link& link, const std::string& path) {
  std::string last_id;
  auto until = std::chrono::steady_clock::now() + kPatience;
  while (true) {
    const std::string before = last_id;
    auto ended = FollowOnce(link, path, last_id);
    if (ended && *ended) return std::move(**ended);
    const auto now = std::chrono::steady_clock::now();
    if (last_id != before) until = now + kPatience;
    const bool may_come_back = ended || ended.error().code == Code::kUnavailable || ended.error().code == Code::kBrokenPipe || ended.error().code == Code::kTimedOut;
    if (!may_come_back || now > until) {
      return ended ? Error(Code::kUnavailable, "the daemon ended the stream of the output again and again") : ended.error();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
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

// True: the sandbox was deleted.
Result<bool> FollowLogOnce(Link& link, const std::string& target, bool has_times, std::string& last_id) {
  net::ClientRequest request{.method = "GET", .target = target, .headers = {{"Accept", "text/event-stream"}}};
  if (!last_id.empty()) request.headers.push_back({"Last-Event-ID", last_id});
  PADDOCK_ASSIGN(auto response, link.Send(std::move(request)));
  PADDOCK_TRY(net::EventReader::Check(*response));
  net::EventReader reader(std::move(response));
  while (true) {
    PADDOCK_ASSIGN(const std::optional<net::Event> event, reader.Next());
    if (!event) return false;
    if (event->name == "deleted") return true;
    if (event->name == "lost") TellGone();
    if (event->name != "output") continue;
    PADDOCK_ASSIGN(const json::value data, tools::ParseJson(event->data, {.max_bytes = 16 << 20, .max_depth = 32}));
    PADDOCK_TRY(WritePiece(data.as_object(), has_times));
    last_id = event->id;
  }
}

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
  std::string last_id;
  auto until = std::chrono::steady_clock::now() + kPatience;
  while (true) {
    const std::string before = last_id;
    const auto ended = FollowLogOnce(link, path + "?offset=0" + query, view.has_times, last_id);
    if (ended && *ended) return {};
    const auto now = std::chrono::steady_clock::now();
    if (last_id != before || ended) until = now + kPatience;
    const bool may_come_back = ended || ended.error().code == Code::kUnavailable || ended.error().code == Code::kBrokenPipe || ended.error().code == Code::kTimedOut;
    if (!may_come_back || now > until) return ended ? Error(Code::kUnavailable, "the daemon ended the stream again and again") : ended.error();
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
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
