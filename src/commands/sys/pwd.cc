// pwd - print the working directory
//
// usage: pwd [OPTION]...
// The program behind `env pwd`; the shell has its own.
//
// Exit status: 0, or 1 if the directory is gone.
// Source: GNU coreutils 9.1.
// Differs: nothing known.

#include "proc/command.h"
#include "vfs/file_system.h"

namespace paddock {
namespace {

struct Options {
  bool logical = false;
};
constexpr Option kOptions[] = {
    Flag<&Options::logical>('L', "logical", "use PWD from environment, even if it contains symlinks"),
    Set<&Options::logical, false>('P', "physical", "avoid all symlinks"),
};

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>&) {
  if (options.logical || in.env.Get("POSIXLY_CORRECT")) {
    const std::string named(in.env.Get("PWD", ""));
    auto there = in.fs.Stat(named);
    auto here = in.fs.Stat(".");
    if (named.starts_with('/') && vfs::NormalizePath(named) == named && there && here && there->inode == here->inode &&
        there->device == here->device) {
      in.out.WriteLine(named);
      return 0;
    }
  }
  auto path = in.fs.Canonical(".");
  if (!path) return in.Fail("couldn't find directory entry in '..' with matching i-node");
  in.out.WriteLine(*path);
  return 0;
}

}  // namespace

extern const Command kCommand_pwd;
const Command kCommand_pwd = Define<Options, Run>({
    .name = "pwd",
    .summary = "print the full filename of the current working directory",
    .synopsis = "[OPTION]...",
    .options = kOptions,
});

}  // namespace paddock
