// realpath - print the resolved path
//
// usage: realpath [OPTION]... FILE...
// All but the last component of each FILE must exist, unless -e or -m say otherwise.
//
// Exit status: 0, or 1 when a FILE cannot be resolved.
// Source: GNU coreutils 9.1.
// Differs: nothing known.

#include "commands/file/relative_path.h"
#include "proc/command.h"
#include "text/quote.h"

namespace paddock {
namespace {

using MustExist = vfs::FileSystem::MustExist;

struct Options {
  MustExist must_exist = MustExist::kParent;
  bool logical = false;
  bool keeps_links = false;
  bool quiet = false;
  bool zero = false;
  std::optional<std::string> relative_to, relative_base;
};

Status SetLogical(Options& o, std::string_view) {
  o.logical = true;
  o.keeps_links = false;
  return {};
}
Status SetPhysical(Options& o, std::string_view) {
  o.logical = o.keeps_links = false;
  return {};
}
Status SetStrip(Options& o, std::string_view) {
  o.logical = false;
  o.keeps_links = true;
  return {};
}

constexpr Option kOptions[] = {
    Set<&Options::must_exist, MustExist::kAll>('e', "canonicalize-existing",
                                               "all components of the path must exist"),
    Set<&Options::must_exist, MustExist::kNone>('m', "canonicalize-missing",
                                                "no path components need exist or be a directory"),
    Call<SetLogical>('L', "logical", nullptr, "resolve '..' components before symlinks"),
    Call<SetPhysical>('P', "physical", nullptr, "resolve symlinks as encountered (default)"),
    Flag<&Options::quiet>('q', "quiet", "suppress most error messages"),
    Value<&Options::relative_to>(0, "relative-to", "DIR", "print the resolved path relative to DIR"),
    Value<&Options::relative_base>(0, "relative-base", "DIR", "print absolute paths unless paths below DIR"),
    Call<SetStrip>('s', "strip", nullptr, "don't expand symlinks"),
    Call<SetStrip>(0, "no-symlinks", nullptr, "don't expand symlinks"),
    Flag<&Options::zero>('z', "zero", "end each output line with NUL, not newline"),
};

class Resolver {
 public:
  Resolver(Invocation& in, const Options& options) : in_(in), o_(options) {}

  Result<std::string> Resolve(const std::string& path) const {
    if (path.empty()) return Code::kNoEntry;
    if (!o_.logical && !o_.keeps_links) return in_.fs.Canonical(path, o_.must_exist);
    const std::string plain = vfs::NormalizePath(vfs::JoinPath(in_.fs.cwd(), path));
    if (o_.logical) return in_.fs.Canonical(plain, o_.must_exist);
    // Without following links only -e asks whether it is there; a file as a directory never passes.
    const auto found = in_.fs.Stat(path);
    if (!found && (o_.must_exist == MustExist::kAll ||
                   (o_.must_exist == MustExist::kParent && found.error().code == Code::kNotDirectory))) {
      return found.error();
    }
    return plain;
  }

  // The directory that an option names; complains and answers nothing when it cannot be one.
  std::optional<std::string> ResolveDirectory(const std::string& path) const {
    const auto resolved = Resolve(path);
    std::optional<Error> error;
    if (!resolved) {
      error = resolved.error();
    } else if (o_.must_exist == MustExist::kAll) {
      const auto found = in_.fs.Stat(*resolved);
      if (!found) error = found.error();
      else if (!found->is_directory()) error = Code::kNotDirectory;
    }
    if (!error) return *resolved;
    in_.Fail(QuoteSubject(path, in_.locale.is_utf8), *error);
    return std::nullopt;
  }

 private:
  Invocation& in_;
  const Options& o_;
};

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  if (operands.empty()) return in.Usage("missing operand");
  const Resolver resolver(in, options);
  std::optional<std::string> to, base;
  if (options.relative_base) {
    base = resolver.ResolveDirectory(*options.relative_base);
    if (!base) return 1;
  }
  if (options.relative_to) {
    to = resolver.ResolveDirectory(*options.relative_to);
    if (!to) return 1;
  } else {
    to = base;
  }
  // A start outside of the base makes every answer absolute.
  if (to && base && !IsWithin(*to, *base)) to.reset();
  ExitStatus status = 0;
  for (const std::string& path : operands) {
    in.budget.Step();
    const auto resolved = resolver.Resolve(path);
    if (!resolved) {
      status = 1;
      if (!options.quiet) in.Fail(QuoteSubject(path, in.locale.is_utf8), resolved.error());
      continue;
    }
    const bool is_relative = to && (!base || IsWithin(*resolved, *base));
    in.out.Write(is_relative ? RelativePath(*resolved, *to) : *resolved);
    in.out.Put(options.zero ? '\0' : '\n');
  }
  return status;
}

}  // namespace

extern const Command kCommand_realpath;
const Command kCommand_realpath = Define<Options, Run>({
    .name = "realpath",
    .summary = "print the resolved absolute file name",
    .synopsis = "[OPTION]... FILE...",
    .options = kOptions,
});

}  // namespace paddock
