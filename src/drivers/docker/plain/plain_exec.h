// PlainExec: one program in a container without an agent, as the waist sees it: an exec of the engine's, which is ended by the container's init.
//
// Its two streams come in the order in which the engine gives them, which is not always the true one. Of a program that a signal ended the engine
// knows only 128 and the signal's number.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/descriptor.h"
#include "drivers/docker/engine/stream_frames.h"
#include "drivers/docker/plain/inside.h"
#include "guest/sandbox/exec_warden.h"
#include "sandbox/sandbox.h"

namespace paddock::docker {

class PlainExec final : public sandbox::Process, public sandbox::Controllable {
 public:
  struct Parts {
    std::shared_ptr<Inside> inside;
    std::unique_ptr<guest::ExecWarden> warden;
    sandbox::StdinSource input;
    sandbox::OutputHandler handler;
    Limits limits;
    std::optional<sandbox::WindowSize> terminal;
  };
  // `arguments`: what to run, in `directory`. Errors: kNoEntry for the directory or the program, kInvalid for what JSON cannot carry, kUnavailable
  // when the engine or the image's shell does not start it.
  static Result<std::unique_ptr<PlainExec>> Start(Parts parts, const std::vector<std::string>& arguments, const std::string& directory,
                                                  const std::vector<std::string>& environment);
  ~PlainExec() override;

  sandbox::ExecResult Wait() override;
  void Cancel() override;
  void Signal(int signal) override;
  void Resize(sandbox::WindowSize size) override;

 private:
  explicit PlainExec(Parts parts) : parts_(std::move(parts)) {}
  // Reads up to the line that says that it runs.
  Status AwaitStart(const std::string& token);
  Status ReadStart(const std::string& token, std::string_view line);
  Status Arrange();   // its terminal

  // Threads of their own.
  void CarryOut();
  void CarryIn();
  Status Arrive(sandbox::Stream stream, std::string_view bytes);   // waits for room

  // On the thread that runs the exec.
  void Run();
  void Deliver();
  void Take(sandbox::Stream stream, std::string_view bytes);
  std::chrono::steady_clock::time_point Watch(std::chrono::steady_clock::time_point due);
  std::optional<sandbox::Termination> Exceeded(std::chrono::steady_clock::time_point deadline) const;
  void WaitUntil(std::chrono::steady_clock::time_point when);
  void TakeRequests();
  // Asks the engine whether it has ended.
  void Look();
  void Stop(sandbox::Termination why);
  void Drain();
  void Judge();
  void Wake();

  Parts parts_;
  std::string id_;        // the engine's
  int session_ = 0;       // process id inside
  std::unique_ptr<net::ByteStream> stream_;
  StreamFrames frames_;
  Descriptor wake_;       // an eventfd
  Descriptor input_end_;  // another one: no more input is wanted
  std::mutex mutex_;
  std::condition_variable taken_;
  struct Piece {
    sandbox::Stream stream;
    std::string bytes;
  };
  std::vector<Piece> arrived_;      // guarded by mutex_
  size_t arrived_bytes_ = 0;        // likewise
  bool is_cut_ = false;             // likewise
  std::string early_, early_errors_;   // up to the line that says that it runs; what the engine says when it does not
  bool has_started_ = false;
  std::atomic<bool> has_stream_ended_{false}, is_cancelled_{false};
  std::atomic<uint64_t> signals_{0};       // a bit each
  std::atomic<uint32_t> new_size_{0};      // columns << 16 | lines; 0 is none
  std::chrono::steady_clock::time_point started_;
  bool has_waited_ = false;
  // Once it has ended: what the engine said.
  bool is_over_ = false;
  std::optional<int> exit_code_;
  std::string failure_;             // why the end is not known
  int failures_ = 0;                // of asking, in a row
  int looks_without_code_ = 0;
  bool is_stopped_ = false, over_output_ = false;
  sandbox::ExecResult result_;
  std::thread out_, in_;
};

}  // namespace paddock::docker
