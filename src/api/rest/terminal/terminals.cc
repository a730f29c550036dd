// Terminals: a WebSocket to a shell in a sandbox, or to a process that runs already.
//
// Binary frames are bytes: what is typed, what is shown. Text frames are JSON. From the client: {"resize": {"columns": 80, "rows": 24}},
// {"signal": 2}, {"close_input": true}. To it: {"exit": PROCESS} at the end, {"error": {"code", "message"}}, and of a process without a
// terminal {"stream": "stderr", "offset": 5} before bytes of another stream and {"lost_bytes": N} before a gap.
#include "api/rest/groups.h"
#include "api/rest/shapes.h"
#include "api/rest/terminal/line_terminal.h"

namespace paddock::api {
namespace {

constexpr size_t kMostMessage = 256 << 10;

struct TerminalQuery {
  int64_t columns = 80, rows = 24;
  std::string cwd;
  std::vector<std::string> command;
  std::optional<std::string> ticket;
};
constexpr Field kTerminalQuery[] = {
    Optional<&TerminalQuery::columns>("columns", "Of the terminal.", {.min = 1, .max = 1000}),
    Optional<&TerminalQuery::rows>("rows", "Of the terminal.", {.min = 1, .max = 1000}),
    Optional<&TerminalQuery::cwd>("cwd", "Absolute path; empty: where the sandbox's shell is.", {.max_length = 4095}),
    Optional<&TerminalQuery::command>("command", "A program and its arguments, one each, in the place of bash. Isolation 'virtual' has its shell only.", {.max_length = 8192, .max_items = 64}),
    Optional<&TerminalQuery::ticket>("ticket", "In the place of a key; from POST …/terminal/tickets."),
};
std::span<const Field> FieldsOf(const TerminalQuery*) { return kTerminalQuery; }

bool WantsWebSocket(Call& call) {
  if (call.exchange.request().Header("Upgrade") != nullptr) return true;
  (void)call.exchange.Respond(426, {{"Content-Type", "application/json"}, {"Upgrade", "websocket"}},
                              ErrorText(Error(Code::kInvalid, "this is a WebSocket: upgrade the connection")));
  return false;
}

// The client's end of a socket, which keeps `terminal` until it is gone.
struct Ends {
  std::shared_ptr<TerminalSocket> socket = std::make_shared<TerminalSocket>();
  std::shared_ptr<Terminal> terminal;   // set before the first callback
};

Status Accept(Call& call, const std::shared_ptr<Ends>& ends) {
  net::WebSocketOptions options;
  options.message_bytes = kMostMessage;
  options.on_message = [ends](bool is_text, std::string_view message) {
    if (!is_text) return ends->terminal->OnBytes(message);
    const auto request = ReadTerminalRequest(message);
    if (request) return ends->terminal->OnRequest(*request);
    ends->socket->Tell({{"error", {{"code", "invalid"}, {"message", tools::Json<std::string>::Write(std::string(request.error().Text()))}}}});
  };
  options.on_closed = [ends](uint16_t, std::string_view) {
    ends->socket->OnClosed();
    ends->terminal->OnGone();
  };
  options.on_drained = [ends] {
    ends->socket->OnDrained();
    ends->terminal->OnDrained();
  };
  auto socket = call.exchange.AcceptWebSocket(std::move(options));
  if (!socket) {
    ends->socket->OnClosed();
    ends->terminal->OnGone();
    return socket.error();
  }
  ends->socket->Open(std::move(*socket));
  ends->terminal->Begin();
  return {};
}

Result<Nothing> OpenTerminal(Call& call, const TerminalQuery& query, Nothing&) {
  registry::Registry& registry = call.services.registry;
  PADDOCK_ASSIGN(const registry::SandboxInfo info, registry.Get(call.caller, call["sandbox"]));
  if (!WantsWebSocket(call)) return Nothing{};
  if (!query.cwd.empty() && (query.cwd[0] != '/' || query.cwd.find('\0') != std::string::npos)) return Error(Code::kInvalid, "cwd must be an absolute path");
  PADDOCK_ASSIGN(const bool is_line_shell, registry.HasLineShell(call.caller, info.id));
  TerminalSpec spec{.registry = registry, .caller = call.caller, .sandbox = info.id, .size = {static_cast<uint32_t>(query.columns), static_cast<uint32_t>(query.rows)},
                    .cwd = query.cwd, .command = query.command};
  auto ends = std::make_shared<Ends>();
  if (is_line_shell) {
    if (!query.command.empty()) return Error(Code::kNotSupported, "command: terminals of isolation '" + info.request.isolation + "' have its shell only");
    PADDOCK_ASSIGN(ends->terminal, LineTerminal::Make(std::move(spec), ends->socket));
  } else {
    PADDOCK_ASSIGN(ends->terminal, MakeProcessTerminal(spec, ends->socket));
  }
  PADDOCK_TRY(Accept(call, ends));
  return Nothing{};
}

struct AttachQuery {
  int64_t offset = 0;
  std::optional<std::string> ticket;
};
constexpr Field kAttachQuery[] = {
    Optional<&AttachQuery::offset>("offset", "From this byte of its output on.", {.min = 0}),
    Optional<&AttachQuery::ticket>("ticket", "In the place of a key; from POST …/terminal/tickets."),
};
std::span<const Field> FieldsOf(const AttachQuery*) { return kAttachQuery; }

Result<Nothing> AttachProcess(Call& call, const AttachQuery& query, Nothing&) {
  PADDOCK_ASSIGN(auto process, call.services.registry.FindProcess(call.caller, call["sandbox"], call["process"]));
  if (!WantsWebSocket(call)) return Nothing{};
  auto ends = std::make_shared<Ends>();
  ends->terminal = MakeAttachment(call.services.registry, std::move(process), static_cast<uint64_t>(query.offset), ends->socket);
  PADDOCK_TRY(Accept(call, ends));
  return Nothing{};
}

struct TicketAnswer {
  std::string ticket;
  int64_t expires_in_ms = 0;
};
constexpr Field kTicketAnswer[] = {
    Shown<&TicketAnswer::ticket>("ticket", "For the query of one WebSocket to this sandbox, or one download from it, named as it was here."),
    Shown<&TicketAnswer::expires_in_ms>("expires_in_ms", "How long it is good."),
};
std::span<const Field> FieldsOf(const TicketAnswer*) { return kTicketAnswer; }

Result<TicketAnswer> MakeTicket(Call& call, const Nothing&, Nothing&) {
  PADDOCK_ASSIGN(const registry::SandboxInfo info, call.services.registry.Get(call.caller, call["sandbox"]));
  PADDOCK_ASSIGN(std::string ticket, call.services.tickets->Issue({.caller = call.caller, .most = call.access}, call["sandbox"], std::chrono::steady_clock::now()));
  return TicketAnswer{.ticket = std::move(ticket), .expires_in_ms = std::chrono::milliseconds(Tickets::kLifetime).count()};
}

}  // namespace

std::vector<Operation> TerminalOperations() {
  std::vector<Operation> list = {
      Define<TerminalQuery, Nothing, Nothing, OpenTerminal>("GET", "/v1/sandboxes/{sandbox}/terminal", "openTerminal", "A terminal in the sandbox, as a WebSocket.", Access::kUse),
      Define<AttachQuery, Nothing, Nothing, AttachProcess>("GET", "/v1/sandboxes/{sandbox}/processes/{process}/attach", "attachProcess", "The output and the stdin of a process, as a WebSocket.", Access::kUse),
      Define<Nothing, Nothing, TicketAnswer, MakeTicket, 201>("POST", "/v1/sandboxes/{sandbox}/terminal/tickets", "createTerminalTicket", "Makes a ticket, with which a page in a browser opens one WebSocket to this sandbox, or downloads a file.", Access::kRead),
  };
  for (Operation& operation : list) operation.takes_ticket = operation.method == std::string_view("GET");
  return list;
}

}  // namespace paddock::api
