// tempfile - create a temporary file in a safe manner
//
// usage: tempfile [OPTION]
//
// Exit status: 0; 1 when no file could be made, and for a usage error.
// Source: debianutils 5.7.
// Differs: nothing known.

#include <charconv>

#include "base/random.h"
#include "proc/command.h"
#include "proc/process.h"

namespace paddock {
namespace {

struct Options {
  std::string directory, prefix = "file", suffix;
  std::optional<std::string> name;
  uint32_t mode = 0600;
  bool wants_help = false, wants_version = false;
};
Status SetMode(Options& options, std::string_view text) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), options.mode, 8);
  if (error == std::errc() && end == text.data() + text.size() && options.mode <= 07777) return {};
  return Error(Code::kInvalid, "Invalid mode `" + std::string(text) + "'.  Mode must be octal.");
}
constexpr Option kOptions[] = {
    Value<&Options::directory>('d', "directory", "DIR", "place temporary file in DIR"),
    Call<SetMode>('m', "mode", "MODE", "open with MODE instead of 0600"),
    Value<&Options::name>('n', "name", "FILE", "use FILE instead of a name of its own"),
    Value<&Options::prefix>('p', "prefix", "STRING", "set temporary file's prefix to STRING"),
    Value<&Options::suffix>('s', "suffix", "STRING", "set temporary file's suffix to STRING"),
    Flag<&Options::wants_help>(0, "help", "display this help and exit"),
    Flag<&Options::wants_version>(0, "version", "output version information and exit"),
};

std::string FreshName(const Options& options, const std::string& directory) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  uint8_t bytes[6];
  FillRandom(bytes);
  std::string name = options.prefix;
  for (const uint8_t byte : bytes) name += kLetters[byte % kLetters.size()];
  return vfs::JoinPath(directory, name + options.suffix);
}

ExitStatus Run(Invocation& in) {
  in.err.Write("WARNING: tempfile is deprecated; consider using mktemp instead.\n");
  Options options;
  const auto parsed = ParseOptions(in.args, in.command.options, &options, in.command.rules);
  if (!parsed) {
    const bool is_own = parsed.error().code == Code::kInvalid;
    in.err.Write((is_own ? "" : "tempfile: ") + std::string(parsed.error().Text()) + "\nTry `tempfile --help' for more information.\n");
    return 1;
  }
  if (options.wants_help) return in.out.Write(HelpText(in.command, in.name())), 0;
  if (options.wants_version) return in.out.Write(VersionText(in.command, in.name())), 0;
  const vfs::OpenFlags flags = {.read = true, .write = true, .create = true, .exclusive = true};
  in.process.files().set_umask(0);
  if (options.name) {
    if (const auto made = in.fs.Open(*options.name, flags, options.mode); !made) {
      in.err.Write("open: " + std::string(made.error().Text()) + "\n");
      return 1;
    }
    in.out.WriteLine(*options.name);
    return 0;
  }
  std::string directory(in.env.Get("TMPDIR", ""));
  if (directory.empty()) directory = options.directory.empty() ? "/tmp" : options.directory;
  for (int tries = 0; tries < 100; ++tries) {
    in.budget.Step();
    const std::string path = FreshName(options, directory);
    const auto made = in.fs.Open(path, flags, options.mode);
    if (!made && made.error().code == Code::kExists) continue;
    if (!made) {
      in.err.Write("mkstemps: " + std::string(made.error().Text()) + "\n");
      return 1;
    }
    in.out.WriteLine(path);
    return 0;
  }
  return 1;
}

}  // namespace

extern const Command kCommand_tempfile;
const Command kCommand_tempfile = {
    .name = "tempfile",
    .summary = "create a temporary file in a safe manner",
    .synopsis = "[OPTION]",
    .options = kOptions,
    .cuts_own_name = true,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
