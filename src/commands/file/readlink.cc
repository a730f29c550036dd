// readlink - print resolved symbolic links or canonical file names
//
// usage: readlink [OPTION]... FILE...
//
// Exit status: 0, or 1 when a FILE is no symbolic link or cannot be resolved.
// Source: GNU coreutils 9.1.
// Differs: nothing known.

#include "proc/command.h"
#include "text/quote.h"

namespace paddock {
namespace {

using MustExist = vfs::FileSystem::MustExist;

struct Options {
  std::optional<MustExist> canonical;
  bool no_newline = false;
  bool verbose = false;
  bool zero = false;
};

constexpr Option kOptions[] = {
    Set<&Options::canonical, MustExist::kParent>(
        'f', "canonicalize",
        "canonicalize by following every symlink in every component of the given name recursively; all but the "
        "last component must exist"),
    Set<&Options::canonical, MustExist::kAll>('e', "canonicalize-existing",
                                              "likewise, all components must exist"),
    Set<&Options::canonical, MustExist::kNone>('m', "canonicalize-missing",
                                               "likewise, without requirements on components existence"),
    Flag<&Options::no_newline>('n', "no-newline", "do not output the trailing delimiter"),
    Set<&Options::verbose, false>('q', "quiet", "suppress most error messages (on by default)"),
    Set<&Options::verbose, false>('s', "silent", "likewise"),
    Set<&Options::verbose, true>('v', "verbose", "report error messages"),
    Flag<&Options::zero>('z', "zero", "end each output line with NUL, not newline"),
};

ExitStatus Run(Invocation& in, Options& options, const std::vector<std::string>& operands) {
  if (operands.empty()) return in.Usage("missing operand");
  if (options.no_newline && operands.size() > 1) {
    in.Fail("ignoring --no-newline with multiple arguments");
    options.no_newline = false;
  }
  ExitStatus status = 0;
  for (const std::string& path : operands) {
    in.budget.Step();
    const auto result = options.canonical ? in.fs.Canonical(path, *options.canonical) : in.fs.ReadLink(path);
    if (!result) {
      status = 1;
      if (options.verbose) in.Fail(QuoteSubject(path, in.locale.is_utf8), result.error());
      continue;
    }
    in.out.Write(*result);
    if (!options.no_newline) in.out.Put(options.zero ? '\0' : '\n');
  }
  return status;
}

}  // namespace

extern const Command kCommand_readlink;
const Command kCommand_readlink = Define<Options, Run>({
    .name = "readlink",
    .summary = "print value of a symbolic link or canonical file name",
    .synopsis = "[OPTION]... FILE...",
    .options = kOptions,
});

}  // namespace paddock
