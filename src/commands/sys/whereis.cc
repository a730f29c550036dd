// whereis - locate the binary, source and manual page files for a command
//
// usage: whereis [options] [-BMS <dir>... -f] <name>
//
// Exit status: 0, or 1 for a usage error.
// Source: util-linux 2.38.
// Differs: files of a directory come in the order of names; an empty name finds nothing.

#include <algorithm>
#include <array>

#include "proc/command.h"

namespace paddock {
namespace {

enum Type : unsigned { kBinary = 1, kManual = 2, kSource = 4, kAll = 7 };

struct Directory {
  Type type;
  std::string path;   // canonical
  uint64_t device, inode;
};

constexpr std::array<const char*, 14> kBinaryDirectories = {
    "/usr/bin", "/usr/sbin", "/usr/lib/x86_64-linux-gnu", "/usr/lib", "/usr/lib32", "/usr/lib64", "/bin",
    "/sbin",    "/etc",      "/lib",                      "/usr/games", "/usr/local/bin", "/usr/local/sbin", "/usr/local/games"};
// Their directories are looked at.
constexpr std::array<const char*, 3> kManualTrees = {"/usr/share/man", "/usr/man", "/usr/local/man"};
constexpr std::array<const char*, 1> kSourceTrees = {"/usr/src"};

constexpr const char* kUsage =
    "\nUsage:\n whereis [options] [-BMS <dir>... -f] <name>\n\nLocate the binary, source, and manual-page files for a command.\n\nOptions:\n"
    " -b         search only for binaries\n -B <dirs>  define binaries lookup path\n -m         search only for manuals and infos\n"
    " -M <dirs>  define man and info lookup path\n -s         search only for sources\n -S <dirs>  define sources lookup path\n"
    " -f         terminate <dirs> argument list\n -u         search for unusual entries\n -l         output effective lookup paths\n\n"
    " -h, --help     display this help\n -V, --version  display version\n\nFor more details see whereis(1).\n";

bool HasOneExtension(std::string_view file, std::string_view name) {
  return file.size() > name.size() && file.starts_with(name) && file[name.size()] == '.' && file.find('.', name.size() + 1) == std::string_view::npos;
}

bool Matches(Type type, std::string_view file, std::string_view name) {
  if (type == kBinary || file == name) return file == name;
  if (type == kSource && file.starts_with("s.") && Matches(kManual, file.substr(2), name)) return true;
  if (type == kManual) {
    for (const std::string_view packed : {".Z", ".gz", ".xz", ".bz2", ".zst"}) {
      if (!file.ends_with(packed)) continue;
      const std::string_view bare = file.substr(0, file.size() - packed.size());
      if (bare == name || HasOneExtension(bare, name)) return true;
    }
  }
  return HasOneExtension(file, name);
}

class Finder {
 public:
  explicit Finder(Invocation& in) : in_(in) {}

  ExitStatus Run() {
    if (in_.args.size() == 1) {
      in_.Fail("not enough arguments");
      return in_.UsageHint();
    }
    for (const std::string_view word : {in_.args[1]}) {
      if (word == "-h" || word == "--help") {
        in_.out.Write(kUsage);
        return 0;
      }
      if (word == "-V" || word == "--version") {
        in_.out.Write(VersionText(in_.command, in_.name()));
        return 0;
      }
    }
    AddDefaults();
    for (at_ = 1; at_ < in_.args.size(); ++at_) {
      in_.budget.Step();
      const std::string& word = in_.args[at_];
      if (!word.starts_with('-') || word == "-") {
        Show(word);
        is_after_name_ = true;
      } else if (const ExitStatus status = Options(word)) {
        return status;
      }
    }
    return 0;
  }

 private:
  ExitStatus BadUsage() {
    in_.Fail("bad usage");
    return in_.UsageHint();
  }

  ExitStatus Options(const std::string& word) {
    for (size_t i = 1; i < word.size(); ++i) {
      switch (word[i]) {
        case 'b': Want(kBinary); break;
        case 'm': Want(kManual); break;
        case 's': Want(kSource); break;
        case 'u': is_unusual_ = true; break;
        case 'f': break;
        case 'l': ListDirectories(); break;
        case 'B': case 'M': case 'S':
          if (i + 1 < word.size()) return BadUsage();
          return TakeDirectories(word[i] == 'B' ? kBinary : word[i] == 'M' ? kManual : kSource);
        default: return BadUsage();
      }
    }
    return 0;
  }
  // The first one, and the first one after a name, narrows what is looked for; more of them add to it.
  void Want(Type type) {
    if (is_after_name_ || !has_wish_) wanted_ = 0;
    is_after_name_ = false;
    has_wish_ = true;
    wanted_ |= type;
  }

  ExitStatus TakeDirectories(Type type) {
    std::erase_if(directories_, [type](const Directory& directory) { return directory.type == type; });
    while (++at_ < in_.args.size() && !in_.args[at_].starts_with('-')) AddDirectory(type, in_.args[at_]);
    if (at_ == in_.args.size()) return in_.Fail("option -f is missing");
    --at_;
    return 0;
  }

  void AddDefaults() {
    for (const char* path : kBinaryDirectories) AddDirectory(kBinary, path);
    std::string_view path = in_.env.Get("PATH", "");
    while (!path.empty()) {
      const size_t end = std::min(path.find(':'), path.size());
      if (end > 0) AddDirectory(kBinary, std::string(path.substr(0, end)));
      path.remove_prefix(std::min(end + 1, path.size()));
    }
    for (const char* tree : kManualTrees) AddTree(kManual, tree);
    for (const char* tree : kSourceTrees) AddTree(kSource, tree);
  }
  void AddTree(Type type, const std::string& tree) {
    const auto entries = in_.fs.List(tree);
    if (!entries) return;
    for (const auto& entry : *entries) AddDirectory(type, vfs::JoinPath(tree, entry.name));
  }
  void AddDirectory(Type type, const std::string& path) {
    in_.budget.Step();
    const auto found = in_.fs.Stat(path);
    if (!found || !found->is_directory()) return;
    const auto is_same = [&](const Directory& one) { return one.type == type && one.device == found->device && one.inode == found->inode; };
    if (std::any_of(directories_.begin(), directories_.end(), is_same)) return;
    auto canonical = in_.fs.Canonical(path);
    if (canonical) directories_.push_back({type, std::move(*canonical), found->device, found->inode});
  }

  void ListDirectories() {
    for (const Directory& directory : directories_) {
      in_.out.WriteLine((directory.type == kBinary ? "bin: " : directory.type == kManual ? "man: " : "src: ") + directory.path);
    }
  }

  void Show(const std::string& operand) {
    const std::string name = operand.empty() ? "" : vfs::BaseName(operand);
    std::string line = name + ":";
    size_t count = 0;
    for (const Directory& directory : directories_) {
      if ((wanted_ & directory.type) == 0 || name.empty()) continue;
      const auto entries = in_.fs.List(directory.path);
      if (!entries) continue;
      for (const auto& entry : *entries) {
        in_.budget.Step();
        if (!Matches(directory.type, entry.name, name)) continue;
        line += " " + vfs::JoinPath(directory.path, entry.name);
        ++count;
      }
    }
    if (!is_unusual_ || count > 1) in_.out.WriteLine(line);
  }

  Invocation& in_;
  std::vector<Directory> directories_;
  size_t at_ = 1;
  unsigned wanted_ = kAll;
  bool has_wish_ = false, is_after_name_ = false, is_unusual_ = false;
};

ExitStatus Run(Invocation& in) { return Finder(in).Run(); }

constexpr Option kOptions[] = {
    {'b', nullptr, OptionArgument::kNone, nullptr, "search only for binaries", nullptr},
    {'B', nullptr, OptionArgument::kRequired, "dirs", "define binaries lookup path", nullptr},
    {'m', nullptr, OptionArgument::kNone, nullptr, "search only for manuals and infos", nullptr},
    {'M', nullptr, OptionArgument::kRequired, "dirs", "define man and info lookup path", nullptr},
    {'s', nullptr, OptionArgument::kNone, nullptr, "search only for sources", nullptr},
    {'S', nullptr, OptionArgument::kRequired, "dirs", "define sources lookup path", nullptr},
    {'f', nullptr, OptionArgument::kNone, nullptr, "terminate <dirs> argument list", nullptr},
    {'u', nullptr, OptionArgument::kNone, nullptr, "search for unusual entries", nullptr},
    {'l', nullptr, OptionArgument::kNone, nullptr, "output effective lookup paths", nullptr},
    {'h', nullptr, OptionArgument::kNone, nullptr, nullptr, nullptr},
    {'V', nullptr, OptionArgument::kNone, nullptr, nullptr, nullptr},
};

}  // namespace

extern const Command kCommand_whereis;
const Command kCommand_whereis = {
    .name = "whereis",
    .summary = "locate the binary, source and manual page files for a command",
    .synopsis = "[options] [-BMS <dir>... -f] <name>",
    .options = kOptions,
    .cuts_own_name = true,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
