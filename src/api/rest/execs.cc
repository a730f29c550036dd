// Execs that a client waits for, and processes that run on their own.
#include <csignal>

#include "api/rest/groups.h"
#include "api/rest/output_pieces.h"
#include "api/rest/shapes.h"
#include "api/rest/terminal/terminal_socket.h"
#include "policy/amount.h"

namespace paddock::api {
namespace {

using Clock = std::chrono::steady_clock;
constexpr size_t kMostAnswer = 1 << 20;   // bytes of each stream in one answer

// ---- what is run

struct ExecBody {
  std::optional<std::string> script;
  std::vector<std::string> command;
  std::string cwd;
  Texts environment;
  std::string input;
  bool keep_shell = false;
  std::optional<std::string> timeout;
  std::optional<tools::ByteAmount> output_limit;
};
constexpr Field kExecBody[] = {
    Optional<&ExecBody::script>("script", "For the sandbox's shell.", {.max_length = 1 << 20}),
    Optional<&ExecBody::command>("command", "Instead: a program and its arguments, without a shell. Neither: what the sandbox's image names.", {.max_length = 128 << 10, .max_items = 4096}),
    Optional<&ExecBody::cwd>("cwd", "Absolute path; empty: where the sandbox's shell is.", {.max_length = 4095}),
    Optional<&ExecBody::environment>("environment", "Variables besides the sandbox's.", {.max_items = 256}),
    Optional<&ExecBody::input>("input", "What stdin holds.", {.max_length = 1 << 20}),
    Optional<&ExecBody::keep_shell>("keep_shell", "Go on with the shell of the last such exec: its variables, functions, directory."),
    Optional<&ExecBody::timeout>("timeout", "\"30s\", \"5m\"; then it is ended."),
    Optional<&ExecBody::output_limit>("output_limit", "Bytes that it may write; then it is ended."),
};
std::span<const Field> FieldsOf(const ExecBody*) { return kExecBody; }

Result<registry::ExecRequest> RequestOf(ExecBody& body) {
  registry::ExecRequest request;
  request.script = std::move(body.script);
  request.command = std::move(body.command);
  request.cwd = std::move(body.cwd);
  request.environment = std::move(body.environment);
  request.input = std::move(body.input);
  request.keeps_shell = body.keep_shell;
  if (body.timeout) {
    const auto time = policy::ParseTimeSpan(*body.timeout);
    if (!time) return Error(Code::kInvalid, "timeout: " + std::string(time.error().Text()));
    request.timeout = std::chrono::duration_cast<registry::Duration>(*time);
  }
  if (body.output_limit) request.output_bytes = body.output_limit->bytes;
  return request;
}

// ---- exec

struct ExecAnswer {
  std::string process_id;
  std::optional<int64_t> exit_code;
  TerminationShape termination;
  std::string out, err;
  bool is_out_base64 = false, is_err_base64 = false;
  uint64_t out_dropped = 0, err_dropped = 0;
  double duration_ms = 0;
  std::vector<std::string> denials;
};
constexpr Field kExecAnswer[] = {
    Shown<&ExecAnswer::process_id>("process_id", "Its whole output: GET …/processes/{process}/output."),
    Shown<&ExecAnswer::exit_code>("exit_code", "Null when something else than itself ended it."),
    Shown<&ExecAnswer::termination>("termination", "How it ended."),
    Shown<&ExecAnswer::out>("stdout", "What it wrote there: text, or base64 where that is no UTF-8."),
    Shown<&ExecAnswer::err>("stderr", "The same."),
    Shown<&ExecAnswer::is_out_base64>("stdout_is_base64", "Whether stdout is given so."),
    Shown<&ExecAnswer::is_err_base64>("stderr_is_base64", "Whether stderr is given so."),
    Shown<&ExecAnswer::out_dropped>("stdout_dropped_bytes", "Left out of the middle of stdout here; the process's output has them."),
    Shown<&ExecAnswer::err_dropped>("stderr_dropped_bytes", "Left out of the middle of stderr here."),
    Shown<&ExecAnswer::duration_ms>("duration_ms", "How long it ran."),
    Shown<&ExecAnswer::denials>("denials", "What the policy refused, one line each."),
};
std::span<const Field> FieldsOf(const ExecAnswer*) { return kExecAnswer; }

// The beginning and the end of a stream.
class HeadAndTail {
 public:
  void Add(std::string_view bytes) {
    const std::string_view first = bytes.substr(0, kHead - std::min(kHead, head_.size()));
    head_ += first;
    bytes.remove_prefix(first.size());
    tail_ += bytes;
    if (tail_.size() > 2 * kTail) {
      dropped_ += tail_.size() - kTail;
      tail_.erase(0, tail_.size() - kTail);
    }
  }
  std::string Take(uint64_t& dropped) {
    if (tail_.size() > kTail) {
      dropped_ += tail_.size() - kTail;
      tail_.erase(0, tail_.size() - kTail);
    }
    dropped = dropped_;
    return std::move(head_) + tail_;
  }

 private:
  static constexpr size_t kHead = kMostAnswer / 5, kTail = kMostAnswer - kHead;
  std::string head_, tail_;
  uint64_t dropped_ = 0;
};

ExecAnswer AnswerOf(const registry::Registry::Ended& ended) {
  ExecAnswer answer;
  answer.process_id = ended.process->id();
  if (ended.result.exit_code) answer.exit_code = *ended.result.exit_code;
  answer.termination = ShapeOf(ended.result.termination);
  answer.duration_ms = std::chrono::duration<double, std::milli>(ended.result.duration).count();
  answer.denials = ended.result.denials;
  return answer;
}

// Events as they come, on the exec's own thread: a client that reads slowly slows the exec down, one that is gone does not end it.
Status Stream(Call& call, registry::ExecRequest request) {
  bool is_begun = false, is_gone = false;
  const auto send = [&](const net::Event& event) {
    if (is_gone) return;
    if (!is_begun) {
      is_begun = true;
      is_gone = !call.exchange.StartResponse(200, {{"Content-Type", "text/event-stream"}, {"Cache-Control", "no-store"}});
    }
    const auto encoded = net::EncodeEvent(event);
    is_gone = is_gone || !encoded || !call.exchange.Write(*encoded);
  };
  uint64_t offset = 0;
  const auto ended = call.services.registry.Exec(call.caller, call["sandbox"], std::move(request), [&](sandbox::Stream stream, std::string_view bytes) {
    const std::string data = PieceText({.offset = offset, .stream = stream, .bytes = std::string(bytes)});
    offset += bytes.size();
    send({.id = std::to_string(offset), .name = "output", .data = data});
  });
  if (!ended && !is_begun) return ended.error();
  if (!ended) {
    send({.id = "", .name = "error", .data = ErrorText(ended.error())});
  } else {
    ExecAnswer answer = AnswerOf(*ended);
    json::object data = tools::WriteObject(kExecAnswer, &answer);
    for (const char* name : {"stdout", "stderr", "stdout_is_base64", "stderr_is_base64", "stdout_dropped_bytes", "stderr_dropped_bytes"}) data.erase(name);
    send({.id = "", .name = "exit", .data = json::serialize(data)});
  }
  if (!is_gone) (void)call.exchange.Finish();
  return {};
}

Result<ExecAnswer> Exec(Call& call, const Nothing&, ExecBody& body) {
  PADDOCK_ASSIGN(registry::ExecRequest request, RequestOf(body));
  if (WantsEvents(call.exchange.request())) {
    PADDOCK_TRY(Stream(call, std::move(request)));
    return ExecAnswer{};
  }
  HeadAndTail out, err;
  PADDOCK_ASSIGN(const registry::Registry::Ended ended,
                 call.services.registry.Exec(call.caller, call["sandbox"], std::move(request), [&](sandbox::Stream stream, std::string_view bytes) {
                   (stream == sandbox::Stream::kStdout ? out : err).Add(bytes);
                 }));
  ExecAnswer answer = AnswerOf(ended);
  OutputShape text = TextOf(out.Take(answer.out_dropped));
  answer.out = std::move(text.text);
  answer.is_out_base64 = text.is_base64;
  text = TextOf(err.Take(answer.err_dropped));
  answer.err = std::move(text.text);
  answer.is_err_base64 = text.is_base64;
  return answer;
}

// ---- processes

struct ProcessBody {
  ExecBody exec;
  bool open_input = false;
  std::optional<ResizeShape> terminal;
};
constexpr Field kProcessBody[] = {
    Required<&ProcessBody::exec>("exec", "What to run."),
    Optional<&ProcessBody::open_input>("open_input", "Keep stdin open, for POST …/input."),
    Optional<&ProcessBody::terminal>("terminal", "Give it a pseudo-terminal of this size, for GET …/attach. In isolation 'virtual' lines are typed there, and the size is what COLUMNS and LINES hold at the start."),
};
std::span<const Field> FieldsOf(const ProcessBody*) { return kProcessBody; }

Result<ProcessShape> StartProcess(Call& call, const Nothing&, ProcessBody& body) {
  PADDOCK_ASSIGN(registry::ExecRequest request, RequestOf(body.exec));
  request.has_open_input = body.open_input;
  if (body.terminal) {
    PADDOCK_ASSIGN(const bool is_line_shell, call.services.registry.HasLineShell(call.caller, call["sandbox"]));
    request.reads_lines = is_line_shell;
    request.terminal = {static_cast<uint32_t>(body.terminal->columns), static_cast<uint32_t>(body.terminal->rows)};
    request.has_open_input = true;
    request.environment.try_emplace("TERM", "xterm-256color");
  }
  PADDOCK_ASSIGN(const std::string key, IdempotencyKeyOf(call));
  PADDOCK_ASSIGN(const auto started, call.services.registry.StartProcessOnce(call.caller, call["sandbox"], std::move(request), key));
  return MadeShape(call, ShapeOf(started.process->Info()), started.is_new);
}

struct ProcessList {
  std::vector<ProcessShape> processes;
};
constexpr Field kProcessList[] = {
    Shown<&ProcessList::processes>("processes", "Oldest first; those that ended long ago are forgotten."),
};
std::span<const Field> FieldsOf(const ProcessList*) { return kProcessList; }

Result<ProcessList> ListProcesses(Call& call, const Nothing&, Nothing&) {
  PADDOCK_ASSIGN(const std::vector<registry::ProcessInfo> processes, call.services.registry.Processes(call.caller, call["sandbox"]));
  ProcessList list;
  for (const registry::ProcessInfo& info : processes) list.processes.push_back(ShapeOf(info));
  return list;
}

Result<std::shared_ptr<registry::RunningProcess>> Find(Call& call) {
  return call.services.registry.FindProcess(call.caller, call["sandbox"], call["process"]);
}

Result<ProcessShape> GetProcess(Call& call, const Nothing&, Nothing&) {
  PADDOCK_ASSIGN(const auto process, Find(call));
  return ShapeOf(process->Info());
}

struct WaitQuery {
  int64_t wait_ms = 30'000;
};
constexpr Field kWaitQuery[] = {
    Optional<&WaitQuery::wait_ms>("wait_ms", "At most so long.", {.min = 0, .max = 300'000}),
};
std::span<const Field> FieldsOf(const WaitQuery*) { return kWaitQuery; }

Result<ProcessShape> WaitProcess(Call& call, const WaitQuery& query, Nothing&) {
  PADDOCK_ASSIGN(const auto process, Find(call));
  process->WaitUntil(Clock::now() + std::chrono::milliseconds(query.wait_ms));
  return ShapeOf(process->Info());
}

struct SignalBody {
  int64_t signal = SIGTERM;
};
constexpr Field kSignalBody[] = {
    Required<&SignalBody::signal>("signal", "Its number: 15 asks to end, 9 ends.", {.min = 1, .max = 64}),
};
std::span<const Field> FieldsOf(const SignalBody*) { return kSignalBody; }

Result<ProcessShape> SignalProcess(Call& call, const Nothing&, SignalBody& body) {
  PADDOCK_ASSIGN(const auto process, Find(call));
  PADDOCK_TRY(process->Signal(static_cast<int>(body.signal)));
  return ShapeOf(process->Info());
}

struct InputQuery {
  bool close = false;
};
constexpr Field kInputQuery[] = {
    Optional<&InputQuery::close>("close", "End stdin behind it."),
};
std::span<const Field> FieldsOf(const InputQuery*) { return kInputQuery; }

Result<Nothing> WriteInput(Call& call, const InputQuery& query, Bytes&) {
  PADDOCK_ASSIGN(const auto process, Find(call));
  call.exchange.SetBodyLimit({.bytes = 64 << 20});
  char buffer[64 << 10];
  while (true) {
    PADDOCK_ASSIGN(const size_t size, call.exchange.ReadBody(buffer));
    if (size == 0) break;
    PADDOCK_TRY(process->Write(std::string_view(buffer, size), Clock::now() + std::chrono::seconds(30)));
  }
  if (query.close) PADDOCK_TRY(process->CloseInput());
  return Nothing{};
}

// ---- output

struct OutputQuery {
  int64_t offset = 0;
  int64_t limit = 1 << 20;
  int64_t wait_ms = 0;
};
constexpr Field kOutputQuery[] = {
    Optional<&OutputQuery::offset>("offset", "From this byte of both streams together on.", {.min = 0}),
    Optional<&OutputQuery::limit>("limit", "At most so many bytes.", {.min = 1, .max = 8 << 20}),
    Optional<&OutputQuery::wait_ms>("wait_ms", "Wait so long for the first.", {.min = 0, .max = 300'000}),
};
std::span<const Field> FieldsOf(const OutputQuery*) { return kOutputQuery; }

struct OutputAnswer {
  std::vector<PieceShape> pieces;
  uint64_t next = 0, lost_bytes = 0;
  bool has_ended = false;
};
constexpr Field kOutputAnswer[] = {
    Shown<&OutputAnswer::pieces>("pieces", "In the order in which they were written."),
    Shown<&OutputAnswer::next>("next", "The offset to go on with."),
    Shown<&OutputAnswer::lost_bytes>("lost_bytes", "Asked for, and kept no longer."),
    Shown<&OutputAnswer::has_ended>("has_ended", "Nothing comes after this."),
};
std::span<const Field> FieldsOf(const OutputAnswer*) { return kOutputAnswer; }

Result<OutputAnswer> ReadOutput(Call& call, const OutputQuery& query, Nothing&) {
  PADDOCK_ASSIGN(const auto process, Find(call));
  if (WantsEvents(call.exchange.request())) {
    uint64_t offset = static_cast<uint64_t>(query.offset);
    if (const std::string* last = call.exchange.request().Header("Last-Event-ID")) {
      PADDOCK_ASSIGN(offset, OffsetOf(*last));
    }
    PADDOCK_TRY(FollowOutput(call, process, offset));
    return OutputAnswer{};
  }
  auto reading = process->output().Read(static_cast<uint64_t>(query.offset), static_cast<size_t>(query.limit),
                                        Clock::now() + std::chrono::milliseconds(query.wait_ms));
  OutputAnswer answer;
  for (auto& piece : reading.pieces) answer.pieces.push_back(ShapeOf(std::move(piece)));
  answer.next = reading.next;
  answer.lost_bytes = reading.lost;
  answer.has_ended = reading.has_ended;
  return answer;
}

}  // namespace

std::vector<Operation> ExecOperations() {
  return {
      Define<Nothing, ExecBody, ExecAnswer, Exec>("POST", "/v1/sandboxes/{sandbox}/exec", "exec", "Runs something and waits for its end; as events while it runs for who accepts text/event-stream.", Access::kUse, true),
      TakesKey(Define<Nothing, ProcessBody, ProcessShape, StartProcess, 201>("POST", "/v1/sandboxes/{sandbox}/processes", "startProcess", "Runs something without waiting.", Access::kUse)),
      Define<Nothing, Nothing, ProcessList, ListProcesses>("GET", "/v1/sandboxes/{sandbox}/processes", "listProcesses", "Lists the processes of a sandbox.", Access::kRead),
      Define<Nothing, Nothing, ProcessShape, GetProcess>("GET", "/v1/sandboxes/{sandbox}/processes/{process}", "getProcess", "Shows a process.", Access::kRead),
      Define<WaitQuery, Nothing, ProcessShape, WaitProcess>("GET", "/v1/sandboxes/{sandbox}/processes/{process}/wait", "waitProcess", "Shows a process once it has ended.", Access::kRead),
      Define<OutputQuery, Nothing, OutputAnswer, ReadOutput>("GET", "/v1/sandboxes/{sandbox}/processes/{process}/output", "readOutput", "Reads what a process wrote, from any offset; as events, also what it will write, for who accepts text/event-stream.", Access::kRead, true),
      Define<InputQuery, Bytes, Nothing, WriteInput>("POST", "/v1/sandboxes/{sandbox}/processes/{process}/input", "writeInput", "Writes to the stdin of a process.", Access::kUse),
      Define<Nothing, SignalBody, ProcessShape, SignalProcess>("POST", "/v1/sandboxes/{sandbox}/processes/{process}/signal", "signalProcess", "Sends a signal to a process.", Access::kUse),
  };
}

}  // namespace paddock::api
