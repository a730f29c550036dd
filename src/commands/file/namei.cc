// namei - follow a pathname until a terminal point is found
//
// usage: namei [OPTION]... PATH...
// Shows each component of a path with its type, and those of the links on the way, further in.
//
// Exit status: 0, or 1 when a path leads nowhere or an option is wrong.
// Source: util-linux 2.38.
// Differs: --nosymlinks is there, as the original's help says, and not only --nolinks.

#include "commands/file_facts.h"
#include "commands/user_names.h"
#include "proc/command.h"
#include "text/mode.h"

namespace paddock {
namespace {

struct Options {
  bool shows_mounts = false, shows_modes = false, shows_owners = false, is_long = false, stops_at_links = false, is_vertical = false;
  bool wants_help = false, wants_version = false;
};

constexpr Option kOptions[] = {
    Flag<&Options::shows_mounts>('x', "mountpoints", "show mount point directories with a 'D'"),
    Flag<&Options::shows_modes>('m', "modes", "show the mode bits of each file"),
    Flag<&Options::shows_owners>('o', "owners", "show owner and group name of each file"),
    Flag<&Options::is_long>('l', "long", "use a long listing format (-m -o -v)"),
    Flag<&Options::stops_at_links>('n', "nosymlinks", "don't follow symlinks"),
    Flag<&Options::stops_at_links>(0, "nolinks", "the same"),
    Flag<&Options::is_vertical>('v', "vertical", "vertical align of modes and owners"),
    Flag<&Options::wants_help>('h', "help", "display this help"),
    Flag<&Options::wants_version>('V', "version", "display version"),
};

constexpr int kMostLinks = 20;
constexpr size_t kTypeWidth = 1, kModeWidth = 10;

// One component on the way.
struct Step {
  std::string name, target;
  size_t level = 0;
  Result<vfs::Attributes> facts = Error(Code::kNoEntry);
  bool is_mount = false;
};

class Follower {
 public:
  Follower(Invocation& in, const Options& options) : in_(in), o_(options), names_(in.fs, in.budget) {}

  bool Show(const std::string& path) {
    if (path.empty()) return false;
    steps_.clear();
    links_ = 0;
    is_over_ = false;
    Follow(path, "", 0);
    in_.out.WriteLine("f: " + path);
    bool is_good = true;
    for (const Step& step : steps_) is_good = Write(step) && is_good;
    if (is_over_) in_.Fail(path + ": exceeded limit of symlinks");
    return is_good && !is_over_;
  }

 private:
  static std::string Joined(const std::string& directory, std::string_view name) {
    return directory.empty() ? std::string(name) : directory + (directory.ends_with('/') ? "" : "/") + std::string(name);
  }

  // Adds the components of `path`, which is meant from `base`; false when the way ends.
  bool Follow(const std::string& path, std::string base, size_t level) {
    if (path.starts_with('/')) {
      base = "/";
      if (!Add("/", base, level)) return false;
    }
    for (size_t at = 0; at < path.size();) {
      const size_t end = std::min(path.find('/', at), path.size());
      const std::string name = path.substr(at, end - at);
      at = end + 1;
      if (name.empty()) continue;
      const std::string whole = Joined(base, name);
      if (!Add(name, whole, level)) return false;
      const Step& step = steps_.back();
      if (step.facts->is_symlink() && !o_.stops_at_links) {
        if (++links_ > kMostLinks) {
          is_over_ = true;
          return false;
        }
        const std::string target = step.target;
        if (!Follow(target, base, level + 1)) return false;
      }
      base = whole;
    }
    return true;
  }

  bool Add(const std::string& name, const std::string& path, size_t level) {
    in_.budget.Step(4);
    Step& step = steps_.emplace_back();
    step.name = name;
    step.level = level;
    step.facts = in_.fs.Stat(path, vfs::Follow::kNo);
    if (!step.facts) return false;
    user_width_ = std::max(user_width_, names_.UserText(step.facts->uid).size());
    group_width_ = std::max(group_width_, names_.GroupText(step.facts->gid).size());
    if (step.facts->is_symlink()) step.target = in_.fs.ReadLink(path).value_or("");
    if (o_.shows_mounts && step.facts->is_directory()) {
      const auto above = in_.fs.Stat(Joined(path, ".."));
      step.is_mount = above && (above->device != step.facts->device || above->inode == step.facts->inode);
    }
    return true;
  }

  static std::string Padded(std::string text, size_t width) {
    text.resize(std::max(width, text.size()), ' ');
    return text;
  }

  bool Write(const Step& step) {
    const bool is_vertical = o_.is_vertical || o_.is_long, has_modes = o_.shows_modes || o_.is_long, has_owners = o_.shows_owners || o_.is_long;
    const std::string indent(step.level * 2, ' ');
    if (!step.facts) {
      const size_t blanks = (has_modes ? kModeWidth : kTypeWidth) + (has_owners ? user_width_ + group_width_ + 2 : 0) + (is_vertical ? 0 : 1);
      in_.out.WriteLine(std::string(blanks, ' ') + indent + " " + step.name + " - " + std::string(step.facts.error().Text()));
      return false;
    }
    std::string line = is_vertical ? "" : indent + " ";
    std::string mode = ModeString(TypeLetter(step.facts->type), step.facts->mode);
    if (step.is_mount) mode[0] = 'D';
    line += has_modes ? mode : mode.substr(0, kTypeWidth);
    if (has_owners) line += " " + Padded(names_.UserText(step.facts->uid), user_width_) + " " + Padded(names_.GroupText(step.facts->gid), group_width_);
    if (is_vertical) line += indent;
    line += " " + step.name;
    if (step.facts->is_symlink()) line += " -> " + step.target;
    in_.out.WriteLine(line);
    return true;
  }

  Invocation& in_;
  const Options& o_;
  UserNames names_;
  std::vector<Step> steps_;
  size_t user_width_ = 0, group_width_ = 0;
  int links_ = 0;
  bool is_over_ = false;
};

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  if (options.wants_help || options.wants_version) {
    in.out.Write(options.wants_help ? HelpText(in.command, in.name()) : VersionText(in.command, in.name()));
    return 0;
  }
  if (operands.empty()) return in.Usage("pathname argument is missing");
  Follower follower(in, options);
  ExitStatus status = 0;
  for (const std::string& path : operands) {
    if (!follower.Show(path)) status = 1;
  }
  return status;
}

}  // namespace

extern const Command kCommand_namei;
const Command kCommand_namei = Define<Options, Run>({
    .name = "namei",
    .summary = "follow a pathname until a terminal point is found",
    .synopsis = "[options] <pathname>...",
    .options = kOptions,
    .cuts_own_name = true,
});

}  // namespace paddock
