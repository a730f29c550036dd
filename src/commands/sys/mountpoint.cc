// mountpoint - see if a directory or file is a mountpoint
//
// usage: mountpoint [-q] [-d] [--nofollow] PATH
//        mountpoint -x DEVICE
//
// Exit status: 0; 1 for an error; 32 when it is no mountpoint.
// Source: util-linux 2.38.
// Differs: nothing known.

#include "proc/command.h"

namespace paddock {
namespace {

struct Options {
  bool is_quiet = false, follows_not = false, shows_device = false, shows_node = false, wants_help = false, wants_version = false;
};
constexpr Option kOptions[] = {
    Flag<&Options::is_quiet>('q', "quiet", "quiet mode - don't print anything"),
    Flag<&Options::follows_not>(0, "nofollow", "do not follow symlink"),
    Flag<&Options::shows_device>('d', "fs-devno", "print maj:min device number of the filesystem"),
    Flag<&Options::shows_node>('x', "devno", "print maj:min device number of the block device"),
    Flag<&Options::wants_help>('h', "help", "display this help"),
    Flag<&Options::wants_version>('V', "version", "display version"),
};

std::string DeviceText(uint64_t device) { return std::to_string(device >> 8) + ":" + std::to_string(device & 0xff); }

// Whether the table of mounts has it.
bool IsMounted(Invocation& in, const std::string& path) {
  const auto table = vfs::ReadFile(in.fs, "/proc/mounts", 1 << 20);
  if (!table) return path == "/";
  for (std::string_view rest = *table; !rest.empty();) {
    in.budget.Step();
    const size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    line.remove_prefix(std::min(line.find(' ') + 1, line.size()));
    if (line.substr(0, line.find(' ')) == path) return true;
  }
  return false;
}

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  constexpr ExitStatus kNone = 32;
  if (options.wants_help) return in.out.Write(HelpText(in.command, in.name())), 0;
  if (options.wants_version) return in.out.Write(VersionText(in.command, in.name())), 0;
  if (operands.size() != 1) {
    in.err.Write("mountpoint: bad usage\n");
    return in.UsageHint();
  }
  const std::string& path = operands[0];
  const auto found = in.fs.Stat(path, options.follows_not ? vfs::Follow::kNo : vfs::Follow::kYes);
  if (!found) return options.is_quiet ? 1 : in.Fail(path, found.error());
  if (options.shows_node) {
    if (found->type != vfs::FileType::kBlockDevice) return options.is_quiet ? kNone : in.Fail(path + ": not a block device", kNone);
    in.out.WriteLine(DeviceText(found->special));
    return 0;
  }
  const auto whole = in.fs.Canonical(path);
  const bool is_mounted = !(options.follows_not && found->is_symlink()) && whole && IsMounted(in, *whole);
  if (is_mounted && options.shows_device) {
    in.out.WriteLine(DeviceText(found->device));
  } else if (!options.is_quiet) {
    in.out.WriteLine(path + (is_mounted ? " is a mountpoint" : " is not a mountpoint"));
  }
  return is_mounted ? 0 : kNone;
}

}  // namespace

extern const Command kCommand_mountpoint;
const Command kCommand_mountpoint = Define<Options, Run>({
    .name = "mountpoint",
    .summary = "see if a directory or file is a mountpoint",
    .synopsis = "[-qd] /path/to/directory\n-x /dev/device",
    .options = kOptions,
    .cuts_own_name = true,
});

}  // namespace paddock
