// GuestExec: one program that runs behind a real wall, through its agent, as the waist sees it.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/descriptor.h"
#include "guest/client/client.h"
#include "guest/sandbox/exec_warden.h"
#include "sandbox/sandbox.h"

namespace paddock::guest {

// What an exec asks for as the agent takes it: its arguments (a script is for `shell`), its terminal, and whether it has input; environment,
// directory and limits are the wall's. What it takes of `spec` is moved. Errors: kInvalid with neither a script nor a command.
Result<ExecRequest> MakeExecRequest(sandbox::ExecSpec& spec, const sandbox::StdinSource& input, const char* shell);

class GuestExec final : public sandbox::Process, public sandbox::Controllable {
 public:
  struct Parts {
    std::shared_ptr<Client> client;
    std::unique_ptr<ExecWarden> warden;
    sandbox::StdinSource input;
    sandbox::OutputHandler handler;
    Limits limits;
    bool waits_for_background = false;
    bool has_terminal = false;
  };
  // Errors: kTooManyFiles and the like.
  static Result<std::unique_ptr<GuestExec>> Start(Parts parts, const ExecRequest& request);

  sandbox::ExecResult Wait() override;
  void Cancel() override;
  void Signal(int signal) override;
  void Resize(sandbox::WindowSize size) override;

 private:
  explicit GuestExec(Parts parts) : parts_(std::move(parts)) {}
  // Any thread: whoever reads the connection. What comes waits for Deliver(), at most the windows of both channels.
  void OnOutput(Channel channel, std::string_view bytes);
  // On the thread that runs the exec: hands over what has come, and lets more come.
  void Deliver();
  void Take(Channel channel, std::string_view bytes);
  // Waits until the guest has something to say, `wake_` is written to, or `input` can be read (-1: none); -1 waits for ever.
  enum class Event { kInput, kOther };
  Result<Event> WaitForEvent(int input, int milliseconds);
  std::optional<ExitStatus> Ended();
  // Feeds input and output until the program has ended or must be stopped.
  Status Run();
  bool PumpInput();
  // Looks at the watched limits when it is time to, and gives the next time.
  std::chrono::steady_clock::time_point Watch(std::chrono::steady_clock::time_point due);
  void Wake();
  // Passes on what Signal() and Resize() left.
  void TakeRequests();
  void Stop(sandbox::Termination::Reason reason, std::string limit, uint64_t peak);
  void Drain();
  void Judge(const ExitStatus& status);

  Parts parts_;
  std::unique_ptr<GuestProcess> process_;
  Descriptor wake_;                   // an eventfd: Cancel() from anywhere
  // Handlers of the guest's run on whichever thread reads the connection.
  std::mutex mutex_;
  struct Piece {
    Channel channel;
    std::string bytes;
  };
  std::vector<Piece> arrived_;             // guarded by mutex_
  std::optional<ExitStatus> ended_; // likewise
  std::thread::id runner_;                 // likewise: who is in Wait()
  std::atomic<bool> has_ended_{false};
  std::atomic<int> open_channels_{2};
  std::atomic<bool> is_cancelled_{false};
  std::atomic<uint64_t> signals_{0};       // a bit each
  std::atomic<uint32_t> new_size_{0};      // columns << 16 | lines; 0 is none
  std::chrono::steady_clock::time_point started_;
  sandbox::ExecResult result_;
  bool over_output_ = false;
  size_t input_offset_ = 0;
  bool input_is_open_ = false;
  bool is_stopped_ = false;
};

}  // namespace paddock::guest
