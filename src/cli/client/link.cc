#include "cli/client/link.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>

#include "cli/host_context.h"
#include "cli/present.h"
#include "net/address.h"
#include "net/request.h"
#include "text/utf8.h"
#include "tools/schema/parse_json.h"

namespace paddock::cli {
namespace {

constexpr size_t kMostAnswer = 64 << 20;

std::string Variable(const char* name) {
  const char* value = std::getenv(name);   // allow(getenv): the caller's own settings
  return value != nullptr ? value : "";
}

// The socket of the daemon that this user runs without any configuration.
Result<std::string> OwnSocket() {
  const std::string state = StateDirectory();
  if (state.empty()) return Error(Code::kNoEntry, "no daemon is named: give --server URL or set PADDOCK_SERVER");
  const std::string path = state + "/paddock/paddock.sock";
  if (access(path.c_str(), F_OK) != 0) {
    return Error(Code::kNoEntry, "no daemon of yours listens at " + path + "; start one with 'paddock serve', or name one with --server or PADDOCK_SERVER");
  }
  return "unix:" + path;
}

Result<net::ClientOptions> ParseServer(std::string_view server, const std::string& ca_file) {
  net::ClientOptions options;
  options.idle_time = std::chrono::milliseconds(0);   // an exec may be silent for hours
  std::string_view rest = server;
  const bool has_tls = rest.starts_with("https://");
  if (has_tls || rest.starts_with("http://")) {
    rest.remove_prefix(has_tls ? 8 : 7);
    while (rest.ends_with('/')) rest.remove_suffix(1);
    const size_t colon = rest.rfind(':');
    const bool has_port = colon != std::string_view::npos && rest.find(']', colon) == std::string_view::npos;
    auto address = net::ParseAddress(has_port ? std::string(rest) : std::string(rest) + (has_tls ? ":443" : ":7420"));
    if (!address || address->is_unix) return Error(Code::kInvalid, "'" + std::string(server) + "' is no address of a daemon: write http://HOST:PORT");
    options.address = std::move(*address);
    if (has_tls) options.tls = net::ClientTls{.ca_file = ca_file, .certificate_file = {}, .key_file = {}, .server_name = {}};
    return options;
  }
  if (!server.starts_with("unix:")) {
    return Error(Code::kInvalid, "'" + std::string(server) + "' is no address of a daemon: write http://HOST:PORT, https://HOST:PORT or unix:PATH");
  }
  PADDOCK_ASSIGN(options.address, net::ParseAddress(server));
  return options;
}

Result<std::string> ReadKey(const std::string& file) {
  if (file.empty()) return Variable("PADDOCK_KEY");
  std::ifstream stream(file);
  std::string key;
  if (!stream || !std::getline(stream, key)) return Error(Code::kInvalid, "--key-file " + file + ": cannot be read, or is empty");
  return key;
}

Error CannotReach(const std::string& server, const Error& why) {
  if (why.code == Code::kCancelled || why.code == Code::kInvalid || why.code == Code::kLimit) return why;
  return {Code::kUnavailable, "no daemon answers at " + server + " (" + std::string(why.Text()) + "); start one with 'paddock serve'"};
}

// What an error answer says, in its own words where they are there.
Error ErrorOf(int status, const std::string& body) {
  if (status == 401) {
    return {Code::kInvalid, "the daemon wants a key, or another one: name a file that holds it by --key-file, or put it into PADDOCK_KEY; "
                            "'paddock key create' makes one, and the first start of a daemon left one in admin.key of its data directory"};
  }
  const auto answer = tools::ParseJson(body);
  if (answer && answer->is_object()) {
    if (const json::value* error = answer->as_object().if_contains("error"); error != nullptr && error->is_object()) {
      if (const json::value* message = error->as_object().if_contains("message"); message != nullptr && message->is_string()) {
        const Code code = status == 404 ? Code::kNoEntry : status == 501 ? Code::kNotSupported : status == 409 ? Code::kConflict : Code::kInvalid;
        return {code, std::string(message->as_string())};
      }
    }
  }
  return {Code::kUnavailable, "the daemon answered with status " + std::to_string(status) + " and no reason"};
}

// The texts of a body come from the command line, where they may be any bytes.
Status CheckTexts(const json::value& value) {
  if (const json::string* text = value.if_string(); text != nullptr && !IsValidUtf8(*text)) {
    return Error(Code::kInvalid, "'" + Harmless(std::string_view(*text).substr(0, 200)) + "' is no UTF-8, which a request has to be");
  }
  if (const json::array* list = value.if_array()) {
    for (const json::value& item : *list) PADDOCK_TRY(CheckTexts(item));
  }
  if (const json::object* object = value.if_object()) {
    for (const auto& member : *object) {
      PADDOCK_TRY(CheckTexts(json::value(member.key())));
      PADDOCK_TRY(CheckTexts(member.value()));
    }
  }
  return {};
}

}  // namespace

std::string SandboxPath(std::string_view sandbox, std::string_view rest) { return "/v1/sandboxes/" + EncodePercent(sandbox) + std::string(rest); }

Result<Link> Link::Open(const LinkOptions& options, std::shared_ptr<net::Cancellation> cancellation) {
  std::string server = !options.server.empty() ? options.server : Variable("PADDOCK_SERVER");
  if (server.empty()) {
    PADDOCK_ASSIGN(server, OwnSocket());
  }
  PADDOCK_ASSIGN(net::ClientOptions client, ParseServer(server, options.ca_file));
  client.cancellation = std::move(cancellation);
  Link link(std::move(client));
  link.server_ = std::move(server);
  PADDOCK_ASSIGN(link.key_, ReadKey(options.key_file));
  return link;
}

Result<std::unique_ptr<net::Response>> Link::Send(net::ClientRequest request) {
  if (!key_.empty()) request.headers.push_back({"Authorization", "Bearer " + key_});
  auto response = client_->Send(request);
  if (!response) return CannotReach(server_, response.error());
  if ((*response)->status() < 400) return std::move(*response);
  const auto body = (*response)->ReadAll(1 << 20);
  return ErrorOf((*response)->status(), body ? *body : std::string());
}

Result<std::unique_ptr<net::WebSocketClient>> Link::OpenWebSocket(const std::string& target, std::shared_ptr<net::Cancellation> cancellation) {
  net::ClientOptions options = client_->options();
  options.cancellation = std::move(cancellation);
  options.idle_time = std::chrono::seconds(30);   // for the server to take what is sent
  net::Headers headers;
  if (!key_.empty()) headers.push_back({"Authorization", "Bearer " + key_});
  auto opened = net::WebSocketClient::Open(std::move(options), target, std::move(headers));
  if (opened) return opened;
  // "no WebSocket: status 404: {…}"
  const std::string_view text = opened.error().Text();
  const size_t status = text.find(": status ");
  if (status == std::string_view::npos) return CannotReach(server_, opened.error());
  const size_t body = text.find(": ", status + 9);
  return ErrorOf(std::atoi(std::string(text.substr(status + 9)).c_str()), body == std::string_view::npos ? "" : std::string(text.substr(body + 2)));
}

Result<json::value> Link::Call(net::ClientRequest request) {
  PADDOCK_ASSIGN(const auto response, Send(std::move(request)));
  const auto body = response->ReadAll(kMostAnswer);
  if (!body) return CannotReach(server_, body.error());
  if (body->empty()) return json::value();
  auto parsed = tools::ParseJson(*body, {.max_bytes = kMostAnswer, .max_depth = 64});
  if (!parsed) return Error(Code::kInvalid, server_ + " is no daemon of Paddock: its answer is not JSON");
  return std::move(*parsed);
}

Result<json::value> Link::Get(const std::string& target) { return Call({.method = "GET", .target = target}); }
Result<json::array> Link::GetAll(const std::string& target, const char* member) {
  json::array all;
  std::string cursor;
  do {
    PADDOCK_ASSIGN(json::value page, Get(target + (cursor.empty() ? "" : "&cursor=" + EncodePercent(cursor))));
    for (json::value& one : page.at(member).as_array()) all.push_back(std::move(one));
    cursor = TextOf(page.as_object(), "next");
  } while (!cursor.empty());
  return all;
}
Result<json::value> Link::Delete(const std::string& target) { return Call({.method = "DELETE", .target = target}); }
Result<json::value> Link::Post(const std::string& target, const json::value& body) { return Send("POST", target, body); }
Result<json::value> Link::Put(const std::string& target, const json::value& body) { return Send("PUT", target, body); }

Result<json::value> Link::Send(const char* method, const std::string& target, const json::value& body) {
  net::ClientRequest request{.method = method, .target = target};
  if (!body.is_null()) {
    PADDOCK_TRY(CheckTexts(body));
    request.headers.push_back({"Content-Type", "application/json"});
    request.body = json::serialize(body);
  }
  return Call(std::move(request));
}

}  // namespace paddock::cli
