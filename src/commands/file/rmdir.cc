// rmdir - remove empty directories
//
// usage: rmdir [OPTION]... DIRECTORY...
//
// Exit status: 0, or 1 when one could not be removed.
// Source: POSIX rmdir, GNU coreutils 9.1.
// Differs: nothing known.

#include "proc/command.h"
#include "text/quote.h"

namespace paddock {
namespace {

struct Options {
  bool ignores_non_empty = false;
  bool parents = false;
  bool verbose = false;
};

constexpr Option kOptions[] = {
    Flag<&Options::ignores_non_empty>(0, "ignore-fail-on-non-empty",
                                      "ignore each failure that is solely because a directory is non-empty"),
    Flag<&Options::parents>('p', "parents",
                            "remove DIRECTORY and its ancestors; e.g., 'rmdir -p a/b' is similar to 'rmdir a/b a'"),
    Flag<&Options::verbose>('v', "verbose", "output a diagnostic for every directory processed"),
};

bool IsForgiven(Invocation& in, const Options& options, const std::string& path, const Error& error) {
  if (!options.ignores_non_empty) return false;
  if (error.code == Code::kNotEmpty || error.code == Code::kExists) return true;
  if (error.code != Code::kAccess && error.code != Code::kNotPermitted && error.code != Code::kReadOnly &&
      error.code != Code::kBusy) {
    return false;
  }
  const auto entries = in.fs.List(path);
  return entries && !entries->empty();
}

void Announce(Invocation& in, const Options& options, const std::string& path) {
  if (options.verbose) {
    in.out.WriteLine(std::string(in.name()) + ": removing directory, " + QuoteFile(path, in.locale.is_utf8));
  }
}

// Removes what is above `path`, as far as it names a parent.
bool RemoveParents(Invocation& in, const Options& options, std::string path) {
  while (true) {
    while (path.size() > 1 && path.back() == '/') path.pop_back();
    const size_t slash = path.rfind('/');
    if (slash == std::string::npos) return true;
    path.resize(slash);
    while (!path.empty() && path.back() == '/') path.pop_back();
    if (path.empty()) return true;
    in.budget.Step();
    Announce(in, options, path);
    const Status removed = in.fs.RemoveDirectory(path);
    if (removed) continue;
    if (IsForgiven(in, options, path, removed.error())) return true;
    // A parent that is none is a link in the middle of the path.
    const std::string_view what = removed.error().code == Code::kNotDirectory ? "" : "directory ";
    in.Fail("failed to remove " + std::string(what) + QuoteFile(path, in.locale.is_utf8), removed.error());
    return false;
  }
}

bool Remove(Invocation& in, const Options& options, const std::string& path) {
  Announce(in, options, path);
  const Status removed = in.fs.RemoveDirectory(path);
  if (removed) return !options.parents || RemoveParents(in, options, path);
  if (IsForgiven(in, options, path, removed.error())) return true;
  std::string_view reason = removed.error().Text();
  if (removed.error().code == Code::kNotDirectory && path.ends_with('/')) {
    std::string bare = path;
    while (bare.size() > 1 && bare.back() == '/') bare.pop_back();
    const auto link = in.fs.Stat(bare, vfs::Follow::kNo);
    const auto target = in.fs.Stat(path);
    if (link && link->is_symlink() && (target ? target->is_directory() : target.error().code != Code::kNotDirectory)) {
      reason = "Symbolic link not followed";
    }
  }
  in.Fail("failed to remove " + QuoteFile(path, in.locale.is_utf8) + ": " + std::string(reason));
  return false;
}

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  if (operands.empty()) return in.Usage("missing operand");
  ExitStatus status = 0;
  for (const std::string& path : operands) {
    if (!Remove(in, options, path)) status = 1;
  }
  return status;
}

}  // namespace

extern const Command kCommand_rmdir;
const Command kCommand_rmdir = Define<Options, Run>({
    .name = "rmdir",
    .summary = "remove the DIRECTORY(ies), if they are empty",
    .synopsis = "[OPTION]... DIRECTORY...",
    .options = kOptions,
});

}  // namespace paddock
