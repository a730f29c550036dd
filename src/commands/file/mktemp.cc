// mktemp - create a temporary file or directory
//
// usage: mktemp [OPTION]... [TEMPLATE]
// Creates a file (or with -d a directory) named by TEMPLATE, whose last component ends in at least three
// X that are replaced, and prints the name. The default is tmp.XXXXXXXXXX below $TMPDIR or /tmp.
//
// Exit status: 0, or 1 on failure.
// Source: GNU coreutils 9.1.
// Differs: nothing known.

#include "commands/random_letters.h"
#include "proc/command.h"
#include "proc/process.h"
#include "text/quote.h"

namespace paddock {
namespace {

struct Options {
  bool directory = false;
  bool dry_run = false;
  bool quiet = false;
  bool uses_tmpdir = false;          // -p, --tmpdir
  std::string tmpdir;                // empty: $TMPDIR or /tmp
  bool prefix_only = false;          // -t
  std::optional<std::string> suffix;
  bool wants_version = false;
};

Status SetTmpdir(Options& o, std::string_view directory) {
  o.uses_tmpdir = true;
  o.tmpdir = directory;
  return {};
}

constexpr Option kOptions[] = {
    Flag<&Options::directory>('d', "directory", "create a directory, not a file"),
    Flag<&Options::dry_run>('u', "dry-run", "do not create anything; merely print a name (unsafe)"),
    Flag<&Options::quiet>('q', "quiet", "suppress diagnostics about file/dir-creation failure"),
    Value<&Options::suffix>(0, "suffix", "SUFF",
                            "append SUFF to TEMPLATE; SUFF must not contain a slash"),
    Call<SetTmpdir>('p', nullptr, "DIR", "interpret TEMPLATE relative to DIR"),
    CallOptional<SetTmpdir>(0, "tmpdir", "DIR",
                            "interpret TEMPLATE relative to DIR; if DIR is not specified, use $TMPDIR if set, else "
                            "/tmp"),
    Flag<&Options::prefix_only>('t', nullptr,
                                "interpret TEMPLATE as a single file name component, relative to a directory: "
                                "$TMPDIR, if set; else the directory specified via -p; else /tmp [deprecated]"),
    Flag<&Options::wants_version>('V', nullptr, nullptr),
};

constexpr int kMostTries = 62 * 62 * 62;

// Replaces the X's at [first, first + count) until the name is free, and makes the file.
Result<std::string> Create(Invocation& in, const Options& options, std::string name, size_t first, size_t count) {
  RandomLetters letters(in);
  for (int tries = 0; tries < kMostTries; ++tries) {
    in.budget.Step();
    for (size_t i = 0; i < count; ++i) name[first + i] = letters.Next();
    Status made;
    if (options.dry_run) {
      const auto found = in.fs.Stat(name, vfs::Follow::kNo);
      made = found ? Status(Code::kExists) : found.error().code == Code::kNoEntry ? Status() : found.error();
    } else if (options.directory) {
      made = in.fs.MakeDirectory(name, 0700);
    } else {
      const auto file = in.fs.Open(name, {.read = true, .write = true, .create = true, .exclusive = true}, 0600);
      if (!file) made = file.error();
    }
    if (made) return name;
    if (made.error().code != Code::kExists) return made.error();
  }
  return Code::kExists;
}

ExitStatus Run(Invocation& in, Options& options, const std::vector<std::string>& operands) {
  if (options.wants_version) return in.out.Write(VersionText(in.command, in.name())), 0;
  const auto quoted = [&](std::string_view text) { return Quote(text, in.locale.is_utf8); };
  if (operands.size() > 1) return in.Usage("too many templates");
  if (operands.empty()) options.uses_tmpdir = true;
  std::string name = operands.empty() ? "tmp.XXXXXXXXXX" : operands[0];
  std::string suffix;
  if (options.suffix) {
    if (name.empty() || name.back() != 'X') return in.Fail("with --suffix, template " + quoted(name) + " must end in X");
    suffix = *options.suffix;
  } else {
    const size_t last = name.rfind('X');
    const size_t end = last == std::string::npos ? name.size() : last + 1;
    suffix = name.substr(end);
    name.resize(end);
  }
  if (suffix.find('/') != std::string::npos) {
    return in.Fail("invalid suffix " + quoted(suffix) + ", contains directory separator");
  }
  size_t count = 0;
  while (count < name.size() && name[name.size() - 1 - count] == 'X') ++count;
  if (count < 3) return in.Fail("too few X's in template " + quoted(name + suffix));

  if (options.prefix_only || options.uses_tmpdir) {
    const std::string_view variable = in.env.Get("TMPDIR", "");
    std::string directory;
    if (options.prefix_only) {
      directory = !variable.empty() ? std::string(variable) : options.tmpdir.empty() ? "/tmp" : options.tmpdir;
      if (name.find('/') != std::string::npos) {
        return in.Fail("invalid template, " + quoted(name + suffix) + ", contains directory separator");
      }
    } else {
      directory = !options.tmpdir.empty() ? options.tmpdir : !variable.empty() ? std::string(variable) : "/tmp";
      if (name.starts_with('/')) {
        return in.Fail("invalid template, " + quoted(name + suffix) + "; with --tmpdir, it may not be absolute");
      }
    }
    name = vfs::JoinPath(directory, name);
  }
  const std::string whole = name + suffix;
  const auto made = Create(in, options, whole, name.size() - count, count);
  if (!made) {
    if (options.quiet) return 1;
    const std::string_view kind = options.directory ? "directory" : "file";
    return in.Fail("failed to create " + std::string(kind) + " via template " + quoted(whole), made.error());
  }
  in.out.WriteLine(*made);
  return 0;
}

}  // namespace

extern const Command kCommand_mktemp;
const Command kCommand_mktemp = Define<Options, Run>({
    .name = "mktemp",
    .summary = "create a temporary file or directory, safely, and print its name",
    .synopsis = "[OPTION]... [TEMPLATE]",
    .options = kOptions,
});

}  // namespace paddock
