// sed - stream editor for filtering and transforming text
//
// usage: sed [OPTION]... {script-only-if-no-other-script} [input-file]...
// Runs the script on every line of the inputs; lang/sed reads and runs scripts, this file gives it the
// files of the sandbox.
//
// Exit status: 0, 1 for a bad script or usage, 2 when an input was missing, 4 for other errors, or what q and
// Q say.
// Source: POSIX sed; GNU sed 4.9.
// Differs: nothing known.

#include <algorithm>

#include "commands/child_output.h"
#include "lang/sed/executor.h"
#include "lang/sed/parser.h"
#include "proc/command.h"

namespace paddock {
namespace {

struct Options {
  struct Script {
    bool is_file;
    std::string text;  // or the name
  };
  std::vector<Script> scripts;
  sed::ParseOptions parse;
  sed::RunOptions run;
  bool follow_symlinks = false;
  bool debug = false;
};

Status AddExpression(Options& options, std::string_view text) {
  options.scripts.push_back({false, std::string(text)});
  return {};
}
Status AddFile(Options& options, std::string_view name) {
  options.scripts.push_back({true, std::string(name)});
  return {};
}
Status SetInPlace(Options& options, std::string_view suffix) {
  options.run.in_place = options.run.is_separate = true;
  if (suffix.data() != nullptr) options.run.backup_suffix = suffix;
  return {};
}
// As atoi() reads it.
Status SetWidth(Options& options, std::string_view text) {
  int64_t width = 0;
  for (size_t i = 0; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i) {
    width = std::min<int64_t>(width * 10 + (text[i] - '0'), 1 << 30);
  }
  options.run.line_width = width;
  return {};
}
Status SetQuiet(Options& options, std::string_view) {
  options.run.is_quiet = true;
  return {};
}
Status SetExtended(Options& options, std::string_view) {
  options.parse.is_extended = true;
  return {};
}
Status SetSeparate(Options& options, std::string_view) {
  options.run.is_separate = true;
  return {};
}
Status SetSandboxed(Options& options, std::string_view) {
  options.parse.is_sandboxed = true;
  return {};
}
Status SetUnbuffered(Options& options, std::string_view) {
  options.run.is_unbuffered = true;
  return {};
}
Status SetPosix(Options& options, std::string_view) {
  options.parse.is_posix = options.run.is_posix = true;
  return {};
}
Status SetZeroTerminated(Options& options, std::string_view) {
  options.parse.is_zero_terminated = true;
  options.run.delimiter = '\0';
  return {};
}
Status Ignore(Options&, std::string_view) { return {}; }

constexpr Option kOptions[] = {
    Call<SetQuiet>('n', "quiet", nullptr, "suppress automatic printing of pattern space"),
    Call<SetQuiet>(0, "silent", nullptr, nullptr),
    Flag<&Options::debug>(0, "debug", "show the program in one form, and each step"),
    Call<AddExpression>('e', "expression", "script", "add the script to the commands to be executed"),
    Call<AddFile>('f', "file", "script-file", "add the contents of script-file to the commands to be executed"),
    Flag<&Options::follow_symlinks>(0, "follow-symlinks", "follow symlinks when processing in place"),
    CallOptional<SetInPlace>('i', "in-place", "SUFFIX", "edit files in place (makes backup if SUFFIX supplied)"),
    Call<SetWidth>('l', "line-length", "N", "specify the desired line-wrap length for the `l' command"),
    Call<SetPosix>(0, "posix", nullptr, "disable all GNU extensions."),
    Call<SetExtended>('E', "regexp-extended", nullptr, "use extended regular expressions in the script"),
    Call<SetExtended>('r', nullptr, nullptr, "the same as -E"),
    Call<SetSeparate>('s', "separate", nullptr, "consider files as separate rather than as one long stream"),
    Call<SetSandboxed>(0, "sandbox", nullptr, "operate in sandbox mode (disable e/r/w commands)."),
    Call<SetUnbuffered>('u', "unbuffered", nullptr, "flush the output buffers more often"),
    Call<SetZeroTerminated>('z', "null-data", nullptr, "separate lines by NUL characters"),
    Call<SetZeroTerminated>(0, "zero-terminated", nullptr, nullptr),
    Call<Ignore>('b', "binary", nullptr, nullptr),
};

class SedHost final : public sed::Host {
 public:
  SedHost(Invocation& in, const Options& options) : in_(in), options_(options) {}

  // What was begun and not finished.
  ~SedHost() override {
    if (!draft_.empty()) static_cast<void>(in_.fs.RemoveFile(draft_).has_value());
  }

  Output& out() override { return in_.out; }
  Output& err() override { return in_.err; }

  Result<std::string> Follow(const std::string& name) override {
    constexpr int kMostLinks = 40;
    std::string place = name;
    if (!options_.follow_symlinks || name == "-") return place;
    for (int i = 0; i < kMostLinks; ++i) {
      const auto facts = in_.fs.Stat(place, vfs::Follow::kNo);
      if (!facts) return Error(Code::kIo, "couldn't readlink " + name + ": " + std::string(facts.error().Text()));
      if (!facts->is_symlink()) return place;
      PADDOCK_ASSIGN(const std::string target, in_.fs.ReadLink(place));
      place = place.find('/') == std::string::npos ? target : vfs::JoinPath(vfs::DirectoryName(place), target);
    }
    return Error(Code::kIo, "couldn't follow symlink " + name + ": " + std::string(Error(Code::kLoop).Text()));
  }

  Result<sed::SourceFile> Open(const std::string& name) override {
    PADDOCK_ASSIGN(vfs::OpenFilePtr file, in_.fs.Open(name, vfs::OpenFlags::Read()));
    sed::SourceFile source;
    source.own = std::make_unique<Input>(*file, in_.budget);
    source.input = source.own.get();
    source.keep = std::move(file);
    return source;
  }

  sed::SourceFile OpenStandardInput() override {
    sed::SourceFile source;
    source.input = &in_.in;
    return source;
  }

  Result<std::shared_ptr<ByteSink>> Create(const std::string& name) override {
    PADDOCK_ASSIGN(vfs::OpenFilePtr file, in_.fs.Open(name, vfs::OpenFlags::Write()));
    return std::shared_ptr<ByteSink>(std::move(file));
  }

  // The new content is written beside the old file, which it replaces at the end.
  Result<std::shared_ptr<ByteSink>> BeginReplace(const std::string& name) override {
    target_ = name;
    PADDOCK_ASSIGN(attributes_, in_.fs.Stat(target_));
    if (attributes_.type != vfs::FileType::kFile) {
      return Error(Code::kInvalid, "couldn't edit " + name + ": not a regular file");
    }
    const std::string directory = vfs::DirectoryName(target_);
    for (int attempt = 0;; ++attempt) {
      draft_ = vfs::JoinPath(directory, "sed" + std::to_string(in_.clock.RealNow().count() % 1000000 + attempt));
      vfs::OpenFlags flags = vfs::OpenFlags::Write();
      flags.exclusive = true;
      auto file = in_.fs.Open(draft_, flags, 0600);
      if (file) return std::shared_ptr<ByteSink>(std::move(*file));
      if (file.error().code != Code::kExists || attempt > 100) {
        return Error(file.error().code,
                     "couldn't open temporary file " + vfs::JoinPath(directory, "sedXXXXXX") + ": " +
                         std::string(file.error().Text()));
      }
    }
  }

  Status CommitReplace(const std::string& name, const std::string& suffix) override {
    in_.fs.SetOwner(draft_, attributes_.uid, attributes_.gid).has_value();  // only root may
    PADDOCK_TRY(in_.fs.SetMode(draft_, attributes_.mode));
    if (!suffix.empty()) {
      if (const Status kept = in_.fs.Rename(target_, BackupName(suffix)); !kept) {
        return Error(kept.error().code, "cannot rename " + name + ": " + std::string(kept.error().Text()));
      }
    }
    if (const Status moved = in_.fs.Rename(draft_, target_); !moved) {
      return Error(moved.error().code, "cannot rename " + draft_ + ": " + std::string(moved.error().Text()));
    }
    draft_.clear();
    return {};
  }

  Result<std::string> RunShell(const std::string& command) override { return ShellOutput(in_, command); }

 private:
  // A suffix with * is a pattern for the name as it was given.
  std::string BackupName(const std::string& suffix) const {
    if (suffix.find('*') == std::string::npos) return target_ + suffix;
    std::string name;
    for (const char c : suffix) name += c == '*' ? target_ : std::string(1, c);
    return name;
  }

  Invocation& in_;
  const Options& options_;
  std::string target_;
  std::string draft_;
  vfs::Attributes attributes_;
};

constexpr ExitStatus kBadUsage = 1;
constexpr ExitStatus kPanic = 4;

ExitStatus Usage(Invocation& in, std::string_view complaint) {
  if (!complaint.empty()) in.Fail(complaint);
  in.err.Write(HelpText(in.command, in.name_in_messages()));
  return kBadUsage;
}

Result<std::string> ReadScript(Invocation& in, const std::string& name) {
  if (name == "-" || name == "/dev/stdin") return in.in.ReadAll();
  auto file = in.fs.Open(name, vfs::OpenFlags::Read());
  if (!file) {
    return Error(file.error().code, "couldn't open file " + name + ": " + std::string(file.error().Text()));
  }
  return Input(**file, in.budget).ReadAll();
}

// For what is written before any script runs.
ExitStatus FlushOrFail(Invocation& in) {
  const Status flushed = in.out.Flush();
  if (flushed) return 0;
  in.out.ClearStatus();
  return in.Fail("couldn't flush stdout", flushed.error(), kPanic);
}

ExitStatus RunSed(Invocation& in, Options& options, std::vector<std::string> files) {
  if (options.scripts.empty()) {
    if (files.empty()) return Usage(in, {});
    options.scripts.push_back({false, files.front()});
    files.erase(files.begin());
  }
  std::vector<sed::ScriptChunk> chunks;
  for (const Options::Script& script : options.scripts) {
    if (!script.is_file) {
      chunks.push_back({false, {}, script.text});
      continue;
    }
    auto text = ReadScript(in, script.text);
    if (!text) return in.Fail(text.error().Text(), kPanic);
    chunks.push_back({true, script.text, std::move(*text)});
  }
  const auto fail = [&in](const Error& error) {
    return in.Fail(error.Text(), error.code == Code::kSyntax ? kBadUsage : kPanic);
  };
  const auto program = sed::ParseScript(chunks, options.parse, in.budget);
  if (!program) return fail(program.error());
  if (program->is_quiet) options.run.is_quiet = true;
  if (files.empty() && options.run.in_place) return in.Fail("no input files", kPanic);
  if (files.empty()) files.push_back("-");
  SedHost host(in, options);
  const auto status = sed::RunScript(*program, files, options.run, host, in.budget);
  return status ? *status : fail(status.error());
}

ExitStatus Run(Invocation& in) {
  Options options;
  options.parse.is_utf8 = options.run.is_utf8 = in.locale.is_utf8;
  if (in.env.Get("POSIXLY_CORRECT")) options.parse.is_correct = options.run.is_posix = true;
  if (const auto columns = in.env.Get("COLS")) {
    SetWidth(options, *columns).has_value();
    options.run.line_width = options.run.line_width > 1 ? options.run.line_width - 1 : sed::kDefaultLineWidth;
  }
  auto parsed = ParseOptions(in.args, kOptions, &options);
  if (!parsed) return Usage(in, parsed.error().Text());
  if (parsed->wants_help) {
    in.out.Write(HelpText(in.command, in.name_in_messages()));
    return FlushOrFail(in);
  }
  if (parsed->wants_version) {
    in.out.Write(VersionText(in.command, in.name()));
    return FlushOrFail(in);
  }
  options.run.debugs = options.debug;
  return RunSed(in, options, std::move(parsed->operands));
}

}  // namespace

extern const Command kCommand_sed;
const Command kCommand_sed = {
    .name = "sed",
    .summary = "stream editor for filtering and transforming text",
    .synopsis = "[OPTION]... {script-only-if-no-other-script} [input-file]...",
    .details = "If no -e, --expression, -f, or --file option is given, then the first\n"
               "non-option argument is taken as the sed script to interpret.  All\n"
               "remaining arguments are names of input files; if no input files are\n"
               "specified, then the standard input is read.\n",
    .options = kOptions,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
