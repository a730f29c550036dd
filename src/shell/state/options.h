// The options of `set` and `shopt`, each with its name and letter in one table.
#pragma once

#include <bitset>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace paddock::shell {

enum class SetOption : uint8_t {
  kAllexport, kBraceexpand, kEmacs, kErrexit, kErrtrace, kFunctrace, kHashall, kHistexpand, kHistory,
  kIgnoreeof, kInteractiveComments, kKeyword, kMonitor, kNoclobber, kNoexec, kNoglob, kNolog, kNotify,
  kNounset, kOnecmd, kPhysical, kPipefail, kPosix, kPrivileged, kVerbose, kVi, kXtrace, kCount,
};

enum class ShoptOption : uint8_t {
  kAutocd, kAssocExpandOnce, kCdableVars, kCdspell, kCheckhash, kCheckjobs, kCheckwinsize, kCmdhist,
  kCompat31, kCompat32, kCompat40, kCompat41, kCompat42, kCompat43, kCompat44, kCompleteFullquote,
  kDirexpand, kDirspell, kDotglob, kExecfail, kExpandAliases, kExtdebug, kExtglob, kExtquote,
  kFailglob, kForceFignore, kGlobasciiranges, kGlobskipdots, kGlobstar, kGnuErrfmt, kHistappend,
  kHistreedit, kHistverify, kHostcomplete, kHuponexit, kInheritErrexit, kInteractiveComments, kLastpipe,
  kLithist, kLocalvarInherit, kLocalvarUnset, kLoginShell, kMailwarn, kNoEmptyCmdCompletion,
  kNocaseglob, kNocasematch, kNoexpandTranslation, kNullglob, kPatsubReplacement, kProgcomp,
  kProgcompAlias, kPromptvars, kRestrictedShell, kShiftVerbose, kSourcepath, kVarredirClose, kXpgEcho,
  kCount,
};

struct SetOptionInfo {
  SetOption option;
  const char* name;   // "errexit"
  char letter;        // 'e', or 0
};
struct ShoptOptionInfo {
  ShoptOption option;
  const char* name;
};
// In the order in which `set -o` and `shopt` list them (by name).
std::span<const SetOptionInfo> SetOptions();
std::span<const ShoptOptionInfo> ShoptOptions();
std::optional<SetOption> FindSetOption(std::string_view name);
std::optional<SetOption> FindSetOption(char letter);
std::optional<ShoptOption> FindShoptOption(std::string_view name);
// "42" for compat42; empty for what is no compatibility level.
std::string_view CompatibilityLevel(ShoptOption option);

class Options {
 public:
  Options();   // bash's defaults for a non-interactive shell
  bool Get(SetOption option) const { return set_[static_cast<size_t>(option)]; }
  bool Get(ShoptOption option) const { return shopt_[static_cast<size_t>(option)]; }
  void Put(SetOption option, bool on) { set_[static_cast<size_t>(option)] = on; }
  void Put(ShoptOption option, bool on) { shopt_[static_cast<size_t>(option)] = on; }
  bool operator==(const Options&) const = default;
  std::string SetLetters() const;   // $- without i, c, s
  std::string ShellOpts() const;    // $SHELLOPTS
  std::string BashOpts() const;     // $BASHOPTS

 private:
  std::bitset<static_cast<size_t>(SetOption::kCount)> set_;
  std::bitset<static_cast<size_t>(ShoptOption::kCount)> shopt_;
};

}  // namespace paddock::shell
