// chcon - change the security context of files
//
// usage: chcon [OPTION]... CONTEXT FILE...
//        chcon [OPTION]... [-u USER] [-r ROLE] [-l RANGE] [-t TYPE] FILE...
//        chcon [OPTION]... --reference=RFILE FILE...
//
// Exit status: 1.
// Source: GNU coreutils 9.1, on a kernel without SELinux and for a user who may not label files.
// Differs: nobody may label files, not even root.

#include "proc/command.h"
#include "text/quote.h"

namespace paddock {
namespace {

enum class WalkKind { kPhysical, kOperands, kLogical };

struct Options {
  std::optional<bool> dereferences;
  std::optional<std::string> user, role, type, range, reference;
  bool preserves_root = false, recursive = false, verbose = false;
  WalkKind walk = WalkKind::kPhysical;
  bool is_partial() const { return user || role || type || range; }
};

constexpr Option kOptions[] = {
    Set<&Options::dereferences, true>(0, "dereference", "affect what a symbolic link leads to (the default), not the link"),
    Set<&Options::dereferences, false>('h', "no-dereference", "affect symbolic links, not what they lead to"),
    Value<&Options::user>('u', "user", "USER", "set user USER in the target security context"),
    Value<&Options::role>('r', "role", "ROLE", "set role ROLE in the target security context"),
    Value<&Options::type>('t', "type", "TYPE", "set type TYPE in the target security context"),
    Value<&Options::range>('l', "range", "RANGE", "set range RANGE in the target security context"),
    Set<&Options::preserves_root, false>(0, "no-preserve-root", "do not treat '/' specially (the default)"),
    Set<&Options::preserves_root, true>(0, "preserve-root", "fail to operate recursively on '/'"),
    Value<&Options::reference>(0, "reference", "RFILE", "use the security context of RFILE"),
    Flag<&Options::recursive>('R', "recursive", "operate on files and directories recursively"),
    Flag<&Options::verbose>('v', "verbose", "output a diagnostic for every file processed"),
    Set<&Options::walk, WalkKind::kOperands>('H', nullptr, "with -R: traverse an operand that is a symbolic link to a directory"),
    Set<&Options::walk, WalkKind::kLogical>('L', nullptr, "with -R: traverse every symbolic link to a directory"),
    Set<&Options::walk, WalkKind::kPhysical>('P', nullptr, "with -R: traverse no symbolic links (the default)"),
};

class Changer {
 public:
  Changer(Invocation& in, const Options& options, std::string context) : in_(in), options_(options), context_(std::move(context)) {}

  // `name`: how a complaint about the label calls it: below an operand by its last component.
  void Change(const std::string& path, const std::string& name, bool is_operand) {
    in_.budget.CheckStack();
    in_.budget.Step();
    const bool follows = options_.recursive ? options_.walk == WalkKind::kLogical || (is_operand && options_.walk == WalkKind::kOperands)
                                            : options_.dereferences.value_or(true);
    auto found = in_.fs.Stat(path, follows ? vfs::Follow::kYes : vfs::Follow::kNo);
    Error reason(Code::kNotPermitted);
    if (!found && follows && !options_.recursive) {
      reason = found.error();
      found = in_.fs.Stat(path, vfs::Follow::kNo);   // a link that leads nowhere
    }
    const std::string quoted = QuoteFile(path, in_.locale.is_utf8);
    if (!found) {
      in_.Fail("cannot access " + quoted, found.error());
      return;
    }
    if (options_.recursive && found->is_directory()) {
      const auto entries = in_.fs.List(path);
      if (!entries) in_.Fail("cannot read directory " + quoted, entries.error());
      else for (const auto& entry : *entries) Change(vfs::JoinPath(path, entry.name), entry.name, false);
    }
    if (options_.verbose) in_.out.WriteLine("changing security context of " + quoted);
    const std::string label = QuoteFile(name, in_.locale.is_utf8);
    if (!options_.is_partial()) in_.Fail("failed to change context of " + label + " to " + Quote(context_, in_.locale.is_utf8), reason);
    else if (reason.code != Code::kNotPermitted) in_.Fail("failed to get security context of " + label, reason);
    else in_.Fail("can't apply partial context to unlabeled file " + label);
  }

 private:
  Invocation& in_;
  const Options& options_;
  std::string context_;
};

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  if (options.recursive && options.walk == WalkKind::kPhysical && options.dereferences.value_or(false)) return in.Fail("-R --dereference requires either -H or -L");
  if (options.recursive && options.walk != WalkKind::kPhysical && !options.dereferences.value_or(true)) return in.Fail("-R -h requires -P");
  const bool has_context = !options.is_partial() && !options.reference;
  if (operands.empty()) return in.Usage("missing operand");
  if (has_context && operands.size() == 1) return in.Usage("missing operand after " + Quote(operands[0], in.locale.is_utf8));
  if (options.reference) {
    const auto found = in.fs.Stat(*options.reference);
    const std::string what = "failed to get security context of " + QuoteFile(*options.reference, in.locale.is_utf8);
    return found ? in.Fail(what + ": No data available") : in.Fail(what, found.error());
  }
  Changer changer(in, options, has_context ? operands[0] : "");
  for (size_t i = has_context ? 1 : 0; i < operands.size(); ++i) {
    const auto canonical = in.fs.Canonical(operands[i]);
    if (options.recursive && options.preserves_root && canonical && *canonical == "/") {
      in.Fail("it is dangerous to operate recursively on '/'");
      in.Fail("use --no-preserve-root to override this failsafe");
      continue;
    }
    changer.Change(operands[i], operands[i], true);
  }
  return 1;
}

}  // namespace

extern const Command kCommand_chcon;
const Command kCommand_chcon = Define<Options, Run>({
    .name = "chcon",
    .summary = "change the SELinux security context of each FILE",
    .synopsis = "[OPTION]... CONTEXT FILE...\n[OPTION]... [-u USER] [-r ROLE] [-l RANGE] [-t TYPE] FILE...\n[OPTION]... --reference=RFILE FILE...",
    .options = kOptions,
});

}  // namespace paddock
