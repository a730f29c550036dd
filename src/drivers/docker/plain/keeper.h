// Keeper: the init of a container without an agent: the image's shell, which reads requests up to the end of its input and forks for none of them,
// so that it also works when nothing can be forked any more.
//
// It ends with its input, and the container with it: what attached to it first is gone then (StdinOnce).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "drivers/docker/plain/shell_channel.h"

namespace paddock::docker {

class Keeper {
 public:
  // What a container has to begin with. Nothing but /bin/sh is needed in the image.
  static std::vector<std::string> Entrypoint();

  // Takes over the attached stream of the container.
  explicit Keeper(std::unique_ptr<net::ByteStream> stream) : channel_(std::move(stream)) {}

  // All of these: any thread; errors: those of ShellChannel::Ask(). Process ids are those inside.
  //
  // Lines of a file that has no NUL. Errors: kNoEntry when it cannot be read.
  Result<std::string> Show(const std::string& path, std::chrono::milliseconds time);
  // Whether a process leads a session of its own.
  Result<bool> LeadsSession(int process);
  // To its group; `to_foreground`: to the foreground group of its terminal.
  Status Signal(int signal, int process, bool to_foreground);
  // Lets one go on that has stopped itself; false when it has not, yet.
  Result<bool> Wake(int process);
  // Kills all processes of a session, or of all sessions but these, until there are none; only what is in an uninterruptible wait may be left. When new
  // ones keep coming, everything inside is killed. Its own is never.
  Status EndSession(int session);
  Status EndAllBut(const std::vector<int>& sessions);

  bool HasEnded() const { return channel_.HasEnded(); }
  void Cut() { channel_.Cut(); }

 private:
  Result<ShellChannel::Answer> Ask(const std::string& verb, const std::string& words);
  ShellChannel channel_;
};

}  // namespace paddock::docker
