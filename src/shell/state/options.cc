#include "shell/state/options.h"

namespace paddock::shell {
namespace {

constexpr SetOptionInfo kSetOptions[] = {
    {SetOption::kAllexport, "allexport", 'a'},
    {SetOption::kBraceexpand, "braceexpand", 'B'},
    {SetOption::kEmacs, "emacs", 0},
    {SetOption::kErrexit, "errexit", 'e'},
    {SetOption::kErrtrace, "errtrace", 'E'},
    {SetOption::kFunctrace, "functrace", 'T'},
    {SetOption::kHashall, "hashall", 'h'},
    {SetOption::kHistexpand, "histexpand", 'H'},
    {SetOption::kHistory, "history", 0},
    {SetOption::kIgnoreeof, "ignoreeof", 0},
    {SetOption::kInteractiveComments, "interactive-comments", 0},
    {SetOption::kKeyword, "keyword", 'k'},
    {SetOption::kMonitor, "monitor", 'm'},
    {SetOption::kNoclobber, "noclobber", 'C'},
    {SetOption::kNoexec, "noexec", 'n'},
    {SetOption::kNoglob, "noglob", 'f'},
    {SetOption::kNolog, "nolog", 0},
    {SetOption::kNotify, "notify", 'b'},
    {SetOption::kNounset, "nounset", 'u'},
    {SetOption::kOnecmd, "onecmd", 't'},
    {SetOption::kPhysical, "physical", 'P'},
    {SetOption::kPipefail, "pipefail", 0},
    {SetOption::kPosix, "posix", 0},
    {SetOption::kPrivileged, "privileged", 'p'},
    {SetOption::kVerbose, "verbose", 'v'},
    {SetOption::kVi, "vi", 0},
    {SetOption::kXtrace, "xtrace", 'x'},
};

constexpr ShoptOptionInfo kShoptOptions[] = {
    {ShoptOption::kAutocd, "autocd"},
    {ShoptOption::kAssocExpandOnce, "assoc_expand_once"},
    {ShoptOption::kCdableVars, "cdable_vars"},
    {ShoptOption::kCdspell, "cdspell"},
    {ShoptOption::kCheckhash, "checkhash"},
    {ShoptOption::kCheckjobs, "checkjobs"},
    {ShoptOption::kCheckwinsize, "checkwinsize"},
    {ShoptOption::kCmdhist, "cmdhist"},
    {ShoptOption::kCompat31, "compat31"},
    {ShoptOption::kCompat32, "compat32"},
    {ShoptOption::kCompat40, "compat40"},
    {ShoptOption::kCompat41, "compat41"},
    {ShoptOption::kCompat42, "compat42"},
    {ShoptOption::kCompat43, "compat43"},
    {ShoptOption::kCompat44, "compat44"},
    {ShoptOption::kCompleteFullquote, "complete_fullquote"},
    {ShoptOption::kDirexpand, "direxpand"},
    {ShoptOption::kDirspell, "dirspell"},
    {ShoptOption::kDotglob, "dotglob"},
    {ShoptOption::kExecfail, "execfail"},
    {ShoptOption::kExpandAliases, "expand_aliases"},
    {ShoptOption::kExtdebug, "extdebug"},
    {ShoptOption::kExtglob, "extglob"},
    {ShoptOption::kExtquote, "extquote"},
    {ShoptOption::kFailglob, "failglob"},
    {ShoptOption::kForceFignore, "force_fignore"},
    {ShoptOption::kGlobasciiranges, "globasciiranges"},
    {ShoptOption::kGlobskipdots, "globskipdots"},
    {ShoptOption::kGlobstar, "globstar"},
    {ShoptOption::kGnuErrfmt, "gnu_errfmt"},
    {ShoptOption::kHistappend, "histappend"},
    {ShoptOption::kHistreedit, "histreedit"},
    {ShoptOption::kHistverify, "histverify"},
    {ShoptOption::kHostcomplete, "hostcomplete"},
    {ShoptOption::kHuponexit, "huponexit"},
    {ShoptOption::kInheritErrexit, "inherit_errexit"},
    {ShoptOption::kInteractiveComments, "interactive_comments"},
    {ShoptOption::kLastpipe, "lastpipe"},
    {ShoptOption::kLithist, "lithist"},
    {ShoptOption::kLocalvarInherit, "localvar_inherit"},
    {ShoptOption::kLocalvarUnset, "localvar_unset"},
    {ShoptOption::kLoginShell, "login_shell"},
    {ShoptOption::kMailwarn, "mailwarn"},
    {ShoptOption::kNoEmptyCmdCompletion, "no_empty_cmd_completion"},
    {ShoptOption::kNocaseglob, "nocaseglob"},
    {ShoptOption::kNocasematch, "nocasematch"},
    {ShoptOption::kNoexpandTranslation, "noexpand_translation"},
    {ShoptOption::kNullglob, "nullglob"},
    {ShoptOption::kPatsubReplacement, "patsub_replacement"},
    {ShoptOption::kProgcomp, "progcomp"},
    {ShoptOption::kProgcompAlias, "progcomp_alias"},
    {ShoptOption::kPromptvars, "promptvars"},
    {ShoptOption::kRestrictedShell, "restricted_shell"},
    {ShoptOption::kShiftVerbose, "shift_verbose"},
    {ShoptOption::kSourcepath, "sourcepath"},
    {ShoptOption::kVarredirClose, "varredir_close"},
    {ShoptOption::kXpgEcho, "xpg_echo"},
};

}  // namespace

std::span<const SetOptionInfo> SetOptions() { return kSetOptions; }
std::span<const ShoptOptionInfo> ShoptOptions() { return kShoptOptions; }

std::optional<SetOption> FindSetOption(std::string_view name) {
  for (const SetOptionInfo& info : kSetOptions) {
    if (info.name == name) return info.option;
  }
  return std::nullopt;
}

std::optional<SetOption> FindSetOption(char letter) {
  for (const SetOptionInfo& info : kSetOptions) {
    if (info.letter == letter && letter != 0) return info.option;
  }
  return std::nullopt;
}

std::optional<ShoptOption> FindShoptOption(std::string_view name) {
  for (const ShoptOptionInfo& info : kShoptOptions) {
    if (info.name == name) return info.option;
  }
  return std::nullopt;
}

std::string_view CompatibilityLevel(ShoptOption option) {
  constexpr std::string_view kPrefix = "compat";
  for (const ShoptOptionInfo& info : kShoptOptions) {
    const std::string_view name = info.name;
    if (info.option == option && name.starts_with(kPrefix)) return name.substr(kPrefix.size());
  }
  return {};
}

Options::Options() {
  for (const SetOption option :
       {SetOption::kBraceexpand, SetOption::kHashall, SetOption::kInteractiveComments}) {
    Put(option, true);
  }
  for (const ShoptOption option :
       {ShoptOption::kCheckwinsize, ShoptOption::kCmdhist, ShoptOption::kCompleteFullquote,
        ShoptOption::kExtquote, ShoptOption::kForceFignore, ShoptOption::kGlobasciiranges,
        ShoptOption::kGlobskipdots, ShoptOption::kHostcomplete, ShoptOption::kInteractiveComments,
        ShoptOption::kPatsubReplacement, ShoptOption::kProgcomp, ShoptOption::kPromptvars,
        ShoptOption::kSourcepath}) {
    Put(option, true);
  }
}

std::string Options::SetLetters() const {
  // The order in which bash puts them in $-.
  std::string letters;
  for (const char letter : std::string_view("abefhkmnptuvxBCEHPT")) {
    if (const auto option = FindSetOption(letter); option && Get(*option)) letters += letter;
  }
  return letters;
}

std::string Options::ShellOpts() const {
  std::string names;
  for (const SetOptionInfo& info : kSetOptions) {
    if (!Get(info.option)) continue;
    if (!names.empty()) names += ':';
    names += info.name;
  }
  return names;
}

std::string Options::BashOpts() const {
  std::string names;
  for (const ShoptOptionInfo& info : kShoptOptions) {
    if (!Get(info.option)) continue;
    if (!names.empty()) names += ':';
    names += info.name;
  }
  return names;
}

}  // namespace paddock::shell
