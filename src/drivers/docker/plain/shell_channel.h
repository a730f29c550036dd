// ShellChannel: a shell in a container that is asked, and answers, on its stdin and stdout as an engine carries them.
//
// An answer ends with a line that nobody can know before it was asked for. What comes is bounded and believed in nothing: code inside that has the
// shell's user can write to its stdout, too, and then only deceives who asked about the inside.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "base/result.h"
#include "net/client.h"

namespace paddock::docker {

class ShellChannel {
 public:
  // Takes over a stream of frames.
  explicit ShellChannel(std::unique_ptr<net::ByteStream> stream);
  ~ShellChannel();
  ShellChannel(const ShellChannel&) = delete;

  struct Answer {
    int status = 0;      // exit status, 0 to 255
    std::string bytes;
  };
  // A word that ends one answer.
  static std::string NewToken();
  // Sends `request`, whose answer ends with "\nTOKEN STATUS\n"; `is_last`: and nothing behind it. One at a time; others wait. Any thread. After an
  // error the channel is of no use. Errors: kTimedOut, kBrokenPipe (with what was said on stderr), kLimit above `most` bytes.
  Result<Answer> Ask(std::string_view request, const std::string& token, size_t most, std::chrono::milliseconds time, bool is_last = false);

  // Nothing comes any more, or what comes is not understood. Any thread.
  bool HasEnded() const { return has_ended_ || is_broken_; }
  // Ends it for both sides. Any thread.
  void Cut();

 private:
  void CarryOut();
  Error Break(Code code, const std::string& what);

  const std::unique_ptr<net::ByteStream> stream_;
  std::mutex turn_;   // of asking
  std::mutex mutex_;
  std::condition_variable came_, taken_;
  std::string arrived_;     // guarded by mutex_
  std::string complaint_;   // likewise
  bool is_cut_ = false;     // likewise
  std::atomic<bool> has_ended_{false}, is_broken_{false};
  std::thread out_;
};

}  // namespace paddock::docker
