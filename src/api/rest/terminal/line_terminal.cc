#include "api/rest/terminal/line_terminal.h"

#include <atomic>
#include <csignal>

#include "api/rest/shapes.h"
#include "text/quote.h"

namespace paddock::api {
namespace {

constexpr auto kPatience = std::chrono::seconds(10);          // for the sandbox's turn, of a completion
constexpr auto kCompletionTime = std::chrono::seconds(2);
constexpr size_t kMostTyped = 1 << 20;                        // keys that wait

bool IsCommandLine(std::string_view text) {
  return text.find_first_not_of(" \t\n") != std::string_view::npos;
}

}  // namespace

// One step of the shell: a line with the prompt behind it.
class LineTerminal::Step final : public sandbox::Process, public sandbox::Controllable {
 public:
  Step(std::unique_ptr<sandbox::ShellSession> session, std::string text, bool is_end, std::shared_ptr<Outcome> outcome)
      : session_(std::move(session)), text_(std::move(text)), is_end_(is_end), outcome_(std::move(outcome)) {}

  sandbox::ExecResult Wait() override {
    outcome_->has_run = true;
    outcome_->result.exit_code = 0;
    if (!is_cancelled_) RunText();
    if (is_cancelled_ && outcome_->result.exit_code) {
      outcome_->result = {};
      outcome_->result.termination.reason = sandbox::Termination::Reason::kCancelled;
    }
    if (!session_->ended() && !outcome_->is_incomplete) outcome_->prompt = session_->PrimaryPrompt().text;
    outcome_->ended = session_->ended();
    if (outcome_->ended && outcome_->result.exit_code) outcome_->result.exit_code = *outcome_->ended;
    return outcome_->result;
  }
  void Cancel() override {
    is_cancelled_ = true;
    session_->Kill();
  }
  void Signal(int signal) override { session_->Signal(signal); }
  void Resize(sandbox::WindowSize) override {}   // known at the next step

 private:
  void RunText() {
    if (is_end_ && text_.empty()) {
      session_->EndInput();
      return;
    }
    if (!IsCommandLine(text_)) return;
    if (!is_end_ && session_->IsIncomplete(text_)) {
      outcome_->is_incomplete = true;
      outcome_->prompt = session_->SecondaryPrompt().text;
      return;
    }
    if (outcome_->is_typed) outcome_->history = session_->HistoryEntry(text_);
    if (!is_cancelled_) outcome_->result = session_->Run(text_);
  }

  const std::unique_ptr<sandbox::ShellSession> session_;
  const std::string text_;
  const bool is_end_;
  const std::shared_ptr<Outcome> outcome_;
  std::atomic<bool> is_cancelled_{false};
};

Result<std::shared_ptr<LineTerminal>> LineTerminal::Make(TerminalSpec spec, std::shared_ptr<TerminalSocket> socket) {
  std::shared_ptr<LineTerminal> terminal(new LineTerminal(std::move(spec), std::move(socket)));   // allow(raw-new): private constructor
  terminal->size_ = terminal->spec_.size;
  PADDOCK_ASSIGN(terminal->input_, registry::LineInput::Make());
  return terminal;
}

void LineTerminal::Begin() {
  const std::lock_guard lock(mutex_);
  // A shell that is kept is somewhere already.
  Run(spec_.cwd.empty() ? std::string() : "cd -- " + QuoteText(spec_.cwd, QuotingStyle::kShellAlways, true) + "\n", false);
}

void LineTerminal::Fail(const std::string& why) {
  json::object error{{"code", "unavailable"}, {"message", why}};
  socket_->Tell({{"error", std::move(error)}});
  socket_->Close(net::kCloseInternal, why);
}

void LineTerminal::OnBytes(std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  if (is_busy_) return Feed(bytes);
  if (keys_.size() + bytes.size() > kMostTyped) return socket_->Close(net::kCloseTooBig, "too much is typed at once");
  keys_ += bytes;
  TakeKeys();
}

void LineTerminal::OnRequest(const TerminalRequest& request) {
  std::shared_ptr<registry::RunningProcess> running;
  {
    const std::lock_guard lock(mutex_);
    if (request.resize) {
      size_ = {.columns = static_cast<uint32_t>(request.resize->columns), .lines = static_cast<uint32_t>(request.resize->rows)};
      line_.Resize(size_.columns);
    }
    running = running_;
  }
  if (request.signal && running != nullptr) (void)running->Signal(static_cast<int>(*request.signal));   // one that has ended needs none
}

void LineTerminal::OnGone() {
  std::shared_ptr<registry::RunningProcess> running;
  {
    const std::lock_guard lock(mutex_);
    is_gone_ = true;
    running = running_;
  }
  if (running != nullptr) HangUp(spec_.registry, running);
}

void LineTerminal::TakeKeys() {
  while (!is_busy_) {
    std::string shown;
    const TypedLine::Key key = line_.Take(keys_, shown);
    socket_->Echo(shown);
    switch (key) {
      case TypedLine::Key::kNone: return;
      case TypedLine::Key::kComplete: Complete(); break;
      case TypedLine::Key::kInterrupt:
        command_.clear();
        socket_->Echo(line_.Begin(prompt_));
        break;
      case TypedLine::Key::kEnd: Run(std::move(command_), true); break;
      case TypedLine::Key::kLine:
        command_ += line_.text() + '\n';
        if (command_.size() > kMostTyped) return socket_->Close(net::kCloseTooBig, "the command is too long");
        Run(command_, false);
        break;
    }
  }
}

void LineTerminal::Run(std::string text, bool is_end) {
  is_busy_ = true;
  input_->Begin();
  auto outcome = std::make_shared<Outcome>();
  outcome->is_typed = has_begun_;
  has_begun_ = true;
  registry::ExecRequest request;
  request.script = IsCommandLine(text) ? text : "# terminal";
  request.terminal = size_;
  request.environment["TERM"] = "xterm-256color";
  request.starter = [text, is_end, outcome, size = size_, far = input_->far(), self = shared_from_this()](
                        sandbox::Sandbox& sandbox, sandbox::ExecSpec spec, const sandbox::StdinSource&,
                        sandbox::OutputHandler output) -> Result<std::unique_ptr<sandbox::Process>> {
    auto* interactive = dynamic_cast<sandbox::Interactive*>(&sandbox);
    if (interactive == nullptr) return Error(Code::kNotSupported, "this isolation has no shell that runs line by line");
    PADDOCK_ASSIGN(auto session, interactive->OpenShell({.environment = std::move(spec.environment), .cwd = std::move(spec.cwd), .limits = spec.limits, .input = far}, std::move(output)));
    session->Resize(size);
    return std::unique_ptr<sandbox::Process>(std::make_unique<Step>(std::move(session), text, is_end, outcome));
  };
  auto started = spec_.registry.StartProcess(spec_.caller, spec_.sandbox, std::move(request),
                                             [socket = socket_](sandbox::Stream, std::string_view bytes) { socket->Show(registry::ForTerminal(bytes)); });
  if (!started) return Fail(std::string(started.error().Text()));
  running_ = *started;
  // On another thread, or on this one if it has ended already: then later, without the lock.
  const Status detached = spec_.registry.Detach([self = shared_from_this(), process = *started, outcome] {
    process->WaitUntil(std::chrono::steady_clock::time_point::max());
    self->EndStep(process->Info(), outcome);
  });
  if (!detached) Fail(std::string(detached.error().Text()));
}

void LineTerminal::EndStep(const registry::ProcessInfo& info, const std::shared_ptr<Outcome>& outcome) {
  using Reason = sandbox::Termination::Reason;
  const sandbox::Termination& end = info.result->termination;
  if (!outcome->has_run && end.reason != Reason::kCancelled) return Fail(info.failure.empty() ? std::string("it did not run: ") + sandbox::ReasonName(end.reason) : info.failure);
  if (outcome->ended) return TellExit(*socket_, info);
  std::string shown;
  if (!info.failure.empty()) shown = "\r\n[" + info.failure + "]\r\n";
  else if (!info.result->exit_code) {
    shown = std::string("\r\n[ended: ") + sandbox::ReasonName(end.reason) + (end.limit.empty() ? "" : ", " + end.limit) + "]\r\n";
  }
  socket_->Show(shown);
  const std::lock_guard lock(mutex_);
  running_ = nullptr;
  if (is_gone_) return;
  if (!outcome->is_incomplete) command_.clear();
  if (outcome->history) line_.Remember(*outcome->history);
  prompt_ = outcome->has_run ? outcome->prompt : "$ ";
  socket_->Echo(line_.Begin(prompt_));
  TakeBack();
  is_busy_ = false;
  TakeKeys();
}

void LineTerminal::Complete() {
  is_busy_ = true;
  const Status detached = spec_.registry.Detach([self = shared_from_this(), text = line_.text(), cursor = line_.cursor(), size = size_] {
    sandbox::Completions found{.from = cursor, .replacement = {}, .shown = {}};
    (void)self->spec_.registry.With(self->spec_.caller, self->spec_.sandbox, std::chrono::steady_clock::now() + kPatience, [&](sandbox::Sandbox& sandbox) -> Status {
      auto* interactive = dynamic_cast<sandbox::Interactive*>(&sandbox);
      if (interactive == nullptr) return {};
      Limits limits;
      limits.time = kCompletionTime;
      PADDOCK_ASSIGN(const auto session, interactive->OpenShell({.environment = {}, .cwd = {}, .limits = limits, .input = self->input_->far()}, [](sandbox::Stream, std::string_view) {}));
      session->Resize(size);
      found = session->Complete(text, cursor);
      return {};
    });   // a completion that fails finds nothing
    const std::lock_guard lock(self->mutex_);
    if (self->is_gone_) return;
    const bool is_choice = found.shown.size() > 1;
    if (found.shown.size() > 200) found.shown.resize(200);
    if (found.replacement.empty() && !is_choice) self->socket_->Echo("\a");
    else self->socket_->Echo(self->line_.Complete(found.from, found.replacement, is_choice && text.substr(found.from, cursor - found.from) == found.replacement ? found.shown : std::vector<std::string>{}));
    self->TakeBack();
    self->is_busy_ = false;
    self->TakeKeys();
  });
  if (!detached) is_busy_ = false;
}

void LineTerminal::Feed(std::string_view bytes) {
  socket_->Echo(input_->Type(bytes, [this](int signal) {
    if (running_ == nullptr) return;
    if (signal == SIGKILL) running_->Cancel();
    else (void)running_->Signal(signal);   // it may have ended
  }));
}

void LineTerminal::TakeBack() {
  if (keys_.size() < kMostTyped) keys_ += input_->TakeBack(kMostTyped - keys_.size());
}

}  // namespace paddock::api
