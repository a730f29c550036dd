// GuestAccess: what is done in a sandbox by way of its agent, for walls whose agent can do all of it: execs, files, watches.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "guest/client/client.h"
#include "guest/files/guest_file_system.h"
#include "guest/sandbox/exec_warden.h"
#include "sandbox/file_watch.h"
#include "sandbox/sandbox.h"

namespace paddock::guest {

class GuestAccess {
 public:
  struct Options {
    std::string working_directory;   // of execs and relative paths that say nothing else; absolute
    uint32_t uid = 0, gid = 0;       // who the agent is inside
    std::string home;                // $HOME where nobody says otherwise
    std::vector<std::pair<std::string, std::string>> variables;     // of every exec, whatever that says itself
    std::function<std::vector<std::string>()> take_denials;         // as ExecWarden::TakeDenials(); may be empty
    // Puts what the wall watches itself around what the agent knows; may be null. Called for each exec.
    std::function<std::unique_ptr<ExecWarden>(std::unique_ptr<ExecWarden> agent)> watch;
  };
  GuestAccess(std::shared_ptr<Client> client, Options options);

  // Errors: those of MakeExecRequest() and GuestExec::Start(). `/bin/sh` takes scripts.
  Result<std::unique_ptr<sandbox::Process>> Start(sandbox::ExecSpec spec, sandbox::StdinSource input, sandbox::OutputHandler handler);
  vfs::FileSystem& files() { return files_; }
  Result<std::unique_ptr<sandbox::FileWatch>> Watch(const std::string& path, bool is_recursive);
  Client& client() { return *client_; }

 private:
  const std::shared_ptr<Client> client_;
  const Options options_;
  GuestFileSystem files_;
};

}  // namespace paddock::guest
