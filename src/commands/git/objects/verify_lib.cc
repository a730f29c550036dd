// git verify-commit and git verify-tag.
#include "commands/git/objects/signature_check.h"
#include "commands/git/refs/ref_field.h"
#include "commands/git/refs/revision.h"

namespace paddock::git {
namespace {

struct VerifyOptions {
  bool verbose = false, raw = false;
  std::string format;
};
constexpr Option kCommitOptions[] = {
    Flag<&VerifyOptions::verbose>('v', "verbose", "show what was signed"),
    Flag<&VerifyOptions::raw>(0, "raw", "show what the program tells programs"),
};
constexpr Option kTagOptions[] = {
    Flag<&VerifyOptions::verbose>('v', "verbose", "show what was signed"),
    Flag<&VerifyOptions::raw>(0, "raw", "show what the program tells programs"),
    Value<&VerifyOptions::format>(0, "format", "FORMAT", "show good ones in this form, and nothing else"),
};

Result<bool> VerifyCommit(Git& git, const VerifyOptions& options, const std::string& name) {
  const auto id = ResolveObject(git, name);
  if (!id) {
    git.Complain("commit '" + name + "' not found.");
    return false;
  }
  const auto object = git.objects.Read(*id);
  if (!object) {
    git.Complain(name + ": unable to read file.");
    return false;
  }
  if (object->type != ObjectType::kCommit) {
    git.Complain(name + ": cannot verify a non-commit object of type " + std::string(TypeName(object->type)) + ".");
    return false;
  }
  const auto text = SplitSignedCommit(object->data);
  if (!text) return false;
  const SignatureVerdict verdict = CheckSignature(git, *text);
  git.in.err.Write(options.raw ? verdict.report : verdict.output);
  if (options.verbose) git.Print(text->payload);   // it comes when all is told
  return verdict.is_good;
}

ExitStatus RefuseNone(Git& git, std::string_view usage) {
  git.Say("usage: git " + std::string(usage) + "\n");
  return 129;
}

Result<ExitStatus> RunVerifyCommit(Git& git, VerifyOptions& options, Args& args) {
  if (args.All().empty()) return RefuseNone(git, "verify-commit [-v | --verbose] [--raw] <commit>...");
  ExitStatus status = 0;
  for (const std::string& name : args.All()) {
    git.in.budget.Step();
    PADDOCK_ASSIGN(const bool is_good, VerifyCommit(git, options, name));
    if (!is_good) status = 1;
  }
  return status;
}

Result<ExitStatus> RunVerifyTag(Git& git, VerifyOptions& options, Args& args) {
  if (args.All().empty()) return RefuseNone(git, "verify-tag [-v | --verbose] [--format=<format>] [--raw] <tag>...");
  ExitStatus status = 0;
  for (const std::string& name : args.All()) {
    git.in.budget.Step();
    const auto id = ResolveObject(git, name);
    if (!id) {
      status = git.Complain("tag '" + name + "' not found.");
      continue;
    }
    PADDOCK_ASSIGN(const bool is_good, VerifyTag(git, *id, name, options.verbose, options.raw, !options.format.empty()));
    if (!is_good) {
      status = 1;
      continue;
    }
    if (options.format.empty()) continue;
    PADDOCK_ASSIGN(const std::string text, ExpandRefFormat(git, {name, *id}, options.format));
    git.Print(text + "\n");
  }
  return status;
}

}  // namespace

extern const Subcommand kVerifyCommit, kVerifyTag;
const Subcommand kVerifyCommit = DefineSubcommand<VerifyOptions, RunVerifyCommit>({.name = "verify-commit", .summary = "check the signatures of commits", .synopsis = "[-v | --verbose] [--raw] <commit>...", .options = kCommitOptions});
const Subcommand kVerifyTag = DefineSubcommand<VerifyOptions, RunVerifyTag>({.name = "verify-tag", .summary = "check the signatures of tags", .synopsis = "[-v | --verbose] [--format=<format>] [--raw] <tag>...", .options = kTagOptions});

}  // namespace paddock::git
