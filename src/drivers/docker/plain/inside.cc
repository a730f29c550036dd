#include "drivers/docker/plain/inside.h"

#include <charconv>

#include "drivers/docker/engine/containers.h"

namespace paddock::docker {
namespace {

constexpr std::chrono::seconds kStartTime{60};
constexpr std::chrono::minutes kFeedTime{10};
constexpr size_t kMostSaid = 64 << 10;

const std::vector<std::string>& HelperEnvironment() {
  static const std::vector<std::string> environment{"LC_ALL=C", "TZ=UTC0", "HOME=/", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"};
  return environment;
}

// The script in a shell of its own, whose end is told with `token`.
std::string Told(std::string_view script, const std::string& token, const char* input) {
  return "( " + std::string(script) + "\n) " + input + " 2>&1\nprintf '\\n%s %d\\n' " + token + " \"$?\"\n";
}

Error Closed() { return {Code::kUnavailable, "the sandbox is closed"}; }

constexpr std::chrono::seconds kStopTime{30};

}  // namespace

Result<std::shared_lock<std::shared_mutex>> Inside::Enter() {
  std::shared_lock<std::shared_mutex> use(use_);
  if (is_cut_) return Closed();
  if (is_frozen_) return Error(Code::kTimedOut, "the sandbox is paused");
  return use;
}

Result<std::string> Inside::Show(const std::string& path, std::chrono::milliseconds time) {
  PADDOCK_ASSIGN(const auto use, Enter());
  return keeper_.Show(path, time);
}

Status Inside::Signal(int signal, int process, bool to_foreground) {
  PADDOCK_ASSIGN(const auto use, Enter());
  return keeper_.Signal(signal, process, to_foreground);
}

Status Inside::Wake(int process) {
  const auto until = std::chrono::steady_clock::now() + kStopTime;
  for (;;) {
    PADDOCK_ASSIGN(const auto use, Enter());
    PADDOCK_ASSIGN(const bool is_awake, keeper_.Wake(process));
    if (is_awake) return {};
    if (std::chrono::steady_clock::now() > until) return Error(Code::kTimedOut, "the program does not get ready for its terminal");
  }
}

Result<Inside::Starting> Inside::BeginStart() {
  PADDOCK_ASSIGN(auto use, Enter());
  return Starting{std::move(use), std::shared_lock<std::shared_mutex>(starting_)};
}

Status Inside::Freeze() {
  const std::unique_lock alone(use_);
  if (is_frozen_) return {};
  PADDOCK_TRY(PauseContainer(*engine_, container_id_));
  is_frozen_ = true;
  return {};
}

Status Inside::Thaw() {
  const std::unique_lock alone(use_);
  if (!is_frozen_) return {};
  PADDOCK_TRY(UnpauseContainer(*engine_, container_id_));
  is_frozen_ = false;
  return {};
}

Result<std::unique_ptr<ShellChannel>> Inside::StartShell(const std::string& script) {
  EngineExecSpec spec{.command = {"/bin/sh"}, .environment = HelperEnvironment(), .directory = "/", .has_input = true};
  if (!script.empty()) spec.command = {"/bin/sh", "-c", script};
  PADDOCK_ASSIGN(const std::string id, CreateExec(*engine_, container_id_, spec));
  PADDOCK_ASSIGN(auto stream, StartExec(*engine_, id, false));
  return std::make_unique<ShellChannel>(std::move(stream));
}

Result<std::shared_ptr<ShellChannel>> Inside::Helper() {
  const std::lock_guard one_at_a_time(opening_);
  {
    const std::lock_guard lock(mutex_);
    if (helper_ != nullptr && !helper_->HasEnded()) return helper_;
    helper_.reset();
  }
  const std::shared_lock starting(starting_);
  PADDOCK_ASSIGN(std::shared_ptr<ShellChannel> helper, StartShell(""));
  const std::string token = ShellChannel::NewToken();
  PADDOCK_ASSIGN(const ShellChannel::Answer answer, helper->Ask(Told("printf %d \"$$\"", token, "</dev/null"), token, 100, kStartTime));
  int session = 0;
  const auto parsed = std::from_chars(answer.bytes.data(), answer.bytes.data() + answer.bytes.size(), session);
  if (parsed.ec != std::errc() || parsed.ptr != answer.bytes.data() + answer.bytes.size() || session < 2) return Error(Code::kIo, "the shell in the container does not know its process id");
  PADDOCK_ASSIGN(const bool leads, keeper_.LeadsSession(session));
  if (!leads) return Error(Code::kUnavailable, "the engine starts programs without a session of their own: they could not be ended");
  const std::lock_guard lock(mutex_);
  helper_ = helper;
  helper_session_ = session;
  return helper;
}

Result<ShellChannel::Answer> Inside::Ask(std::string_view script, size_t most, std::chrono::milliseconds time) {
  PADDOCK_ASSIGN(const auto use, Enter());
  PADDOCK_ASSIGN(const std::shared_ptr<ShellChannel> helper, Helper());
  const std::string token = ShellChannel::NewToken();
  auto answer = helper->Ask(Told(script, token, "</dev/null"), token, most, time);
  if (answer) return answer;
  if (is_cut_) return Closed();
  // What it was doing may still wait, for the other end of a FIFO, say.
  int session = 0;
  {
    const std::lock_guard lock(mutex_);
    if (helper_ == helper) {
      helper_.reset();
      session = helper_session_;
      helper_session_ = 0;
    }
  }
  if (session != 0) (void)keeper_.EndSession(session);
  return answer.error();
}

Result<ShellChannel::Answer> Inside::Feed(const std::string& script, std::string_view input) {
  PADDOCK_ASSIGN(const Starting starting, BeginStart());
  const std::string token = ShellChannel::NewToken();
  PADDOCK_ASSIGN(const std::unique_ptr<ShellChannel> shell, StartShell(Told(script, token, "")));
  auto answer = shell->Ask(input, token, kMostSaid, kFeedTime, true);
  if (!answer && is_cut_) return Closed();
  return answer;
}

void Inside::Add(const Starting&, int session) {
  const std::lock_guard lock(mutex_);
  sessions_.insert(session);
}

Status Inside::End(int session) {
  {
    // Whatever hinders its end now, the next one's takes it along.
    const std::lock_guard lock(mutex_);
    if (const auto found = sessions_.find(session); found != sessions_.end()) sessions_.erase(found);
  }
  PADDOCK_ASSIGN(const auto use, Enter());
  const std::unique_lock alone(starting_);
  std::vector<int> kept;
  bool is_last = false;
  {
    const std::lock_guard lock(mutex_);
    is_last = sessions_.empty();
    if (helper_ != nullptr && !helper_->HasEnded()) kept.push_back(helper_session_);   // nobody inherits its place
  }
  return is_last ? keeper_.EndAllBut(kept) : keeper_.EndSession(session);
}

void Inside::Cut() {
  is_cut_ = true;
  keeper_.Cut();
  const std::lock_guard lock(mutex_);
  if (helper_ != nullptr) helper_->Cut();
}

}  // namespace paddock::docker
