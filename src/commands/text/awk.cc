// awk - pattern scanning and processing language
//
// usage: awk [OPTION]... [--] 'program' [FILE | VAR=VALUE]...
//        awk [OPTION]... -f PROGFILE [--] [FILE | VAR=VALUE]...
// Runs the program's rules on every record of the files (standard input when there are none).
//
// Exit status: what the program says; 1 for a bad option or a program that does not parse, 2 for a fatal error.
// Source: POSIX awk; GNU awk 5.2.1, also under the names gawk, mawk and nawk.
// Differs: --lint says what is said of whole programs, of variables without a value and of arguments' types; not everything.
// No debugger, tracing, extension libraries or arbitrary precision: the options that ask for them are refused.
// -o keeps comments on lines of their own and behind statements where gawk does, those inside an expression not.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lang/awk/awk.h"
#include "proc/command.h"
#include "proc/kernel.h"
#include "proc/process.h"
#include "vfs/pipe.h"

namespace paddock {
namespace {

// A piece of the program in the order of the command line.
struct Piece {
  enum Kind { kText, kFile, kInclude } kind;
  std::string value;
};

struct Options {
  bool wants_help = false, wants_version = false, wants_licence = false;
  std::vector<Piece> pieces;
  std::vector<std::string> assignments;
  bool lists_translations = false;
  bool lints_for_old_awk = false;
  awk::LintLevel lint = awk::LintLevel::kOff;
  bool is_posix = false, is_traditional = false, is_sandboxed = false;
  bool counts_bytes = false, reads_non_decimal = false, operands_are_files = false;
  std::string refused;       // an option that is not there
  std::optional<std::string> dump_path, pretty_path, profile_path;
  std::string vendor_word;   // -W
};

Status AddText(Options& options, std::string_view text) {
  options.pieces.push_back({Piece::kText, std::string(text)});
  return {};
}
Status AddFile(Options& options, std::string_view path) {
  options.pieces.push_back({Piece::kFile, std::string(path)});
  return {};
}
Status AddLastFile(Options& options, std::string_view path) {
  options.operands_are_files = true;
  return AddFile(options, path);
}
Status SetDump(Options& options, std::string_view path) {
  options.dump_path = path.empty() ? "awkvars.out" : std::string(path);
  return {};
}
Status SetPretty(Options& options, std::string_view path) {
  options.pretty_path = path.empty() ? "awkprof.out" : std::string(path);
  return {};
}
Status SetProfile(Options& options, std::string_view path) {
  options.profile_path = path.empty() ? "awkprof.out" : std::string(path);
  return {};
}
Status SetLint(Options& options, std::string_view kind) {
  options.lint = kind == "fatal"    ? awk::LintLevel::kFatal
                 : kind == "no-ext" ? awk::LintLevel::kNoExtensions
                                    : awk::LintLevel::kWarn;  // "invalid" adds nothing to it
  return {};
}
Status AddInclude(Options& options, std::string_view path) {
  options.pieces.push_back({Piece::kInclude, std::string(path)});
  return {};
}
Status AddAssignment(Options& options, std::string_view text) {
  const size_t equals = text.find('=');
  if (equals == 0 || equals == std::string_view::npos) {
    return Error(Code::kSyntax, "`" + std::string(text) + "' argument to `-v' not in `var=value' form\n");
  }
  options.assignments.emplace_back(text);
  return {};
}
Status SetSeparator(Options& options, std::string_view separator) {
  options.assignments.push_back("FS=" + std::string(separator));
  return {};
}
Status DoNothing(Options&, std::string_view) { return {}; }
template <char kLetter>
Status Refuse(Options& options, std::string_view) {
  if (options.refused.empty()) options.refused = std::string("-") + kLetter;
  return {};
}

constexpr Option kOptions[] = {
    Flag<&Options::wants_help>('h', nullptr, "display this help and exit"),
    Flag<&Options::wants_version>('V', nullptr, "output version information and exit"),
    Flag<&Options::wants_licence>('C', "copyright", "print what licence this awk has"),
    Call<AddFile>('f', "file", "PROGFILE", "read the program from PROGFILE"),
    Call<AddLastFile>('E', "exec", "FILE", "as -f; all that follows are files, none an assignment"),
    Call<SetSeparator>('F', "field-separator", "FS", "separate fields by FS"),
    Call<AddAssignment>('v', "assign", "VAR=VAL", "set a variable before the program starts"),
    Flag<&Options::counts_bytes>('b', "characters-as-bytes", "treat all text as single bytes"),
    Flag<&Options::is_traditional>('c', "traditional", "leave out GNU extensions"),
    Call<AddText>('e', "source", "TEXT", "use TEXT as part of the program"),
    Call<AddInclude>('i', "include", "FILE", "read functions from FILE, as @include"),
    Flag<&Options::reads_non_decimal>('n', "non-decimal-data", "read hexadecimal and octal in the input"),
    Call<DoNothing>('N', "use-lc-numeric", nullptr, "use the locale's decimal point, which is '.'"),
    Call<DoNothing>('O', "optimize", nullptr, "optimize the program, which is always done"),
    Flag<&Options::is_posix>('P', "posix", "be as POSIX asks"),
    Call<DoNothing>('r', "re-interval", nullptr, "allow {n,m} in patterns, which is the default"),
    Call<DoNothing>('s', "no-optimize", nullptr, "same as -O"),
    Flag<&Options::is_sandboxed>('S', "sandbox", "no system(), pipes, redirections"),
    Value<&Options::vendor_word>('W', nullptr, "OPTION", "the long option --OPTION"),
    CallOptional<SetDump>('d', "dump-variables", "FILE", "write the variables to FILE (awkvars.out) at the end"),
    CallOptional<Refuse<'D'>>('D', "debug", "FILE", nullptr),
    Flag<&Options::lists_translations>('g', "gen-pot", "do not run the program, print its texts for translation as a .pot file"),
    Call<Refuse<'I'>>('I', "trace", nullptr, nullptr),
    Call<Refuse<'l'>>('l', "load", "LIBRARY", nullptr),
    CallOptional<SetLint>('L', "lint", "KIND", "warn of what is doubtful; KIND is fatal, invalid or no-ext"),
    Call<Refuse<'M'>>('M', "bignum", nullptr, nullptr),
    CallOptional<SetPretty>('o', "pretty-print", "FILE", "do not run the program, write it neatly to FILE (awkprof.out)"),
    CallOptional<SetProfile>('p', "profile", "FILE", "write the program to FILE (awkprof.out) with how often each part ran"),
    Flag<&Options::lints_for_old_awk>('t', "lint-old", "warn of what the first awk did not have"),
};

// --- what the language asks of the sandbox

awk::CommandStatus WaitFor(Invocation& in, int pid) {
  const auto ended = in.kernel.Wait(in.process, pid, Nanoseconds::max(), proc::Kernel::OnSignal::kWaitOn);
  if (!ended) return {127, 0};
  return {ended->status, ended->signal};
}

// An open file as a source or a sink that it keeps open.
class FileSource final : public ByteSource {
 public:
  explicit FileSource(vfs::OpenFilePtr file) : file_(std::move(file)) {}
  Result<Block> ReadBlock(size_t max) override { return file_->ReadBlock(max); }
  void GiveBack(size_t count) override { file_->GiveBack(count); }

 private:
  vfs::OpenFilePtr file_;
};

class FileSink final : public ByteSink {
 public:
  explicit FileSink(vfs::OpenFilePtr file) : file_(std::move(file)) {}
  Status Write(std::string_view bytes) override {
    return file_ == nullptr ? Status(Code::kBrokenPipe) : file_->Write(bytes);
  }
  void Close() { file_.reset(); }

 private:
  vfs::OpenFilePtr file_;
};

class PipeSource final : public awk::CommandOutput {
 public:
  PipeSource(Invocation& in, vfs::OpenFilePtr pipe, int pid) : in_(in), pipe_(std::move(pipe)), pid_(pid) {}
  Result<Block> ReadBlock(size_t max) override { return pipe_->ReadBlock(max); }
  void GiveBack(size_t) override {}
  awk::CommandStatus Wait() override {
    pipe_.reset();
    return WaitFor(in_, pid_);
  }

 private:
  Invocation& in_;
  vfs::OpenFilePtr pipe_;
  int pid_;
};

class PipeSink final : public awk::CommandInput {
 public:
  PipeSink(Invocation& in, vfs::OpenFilePtr pipe, int pid) : in_(in), pipe_(std::move(pipe)), pid_(pid) {}
  Status Write(std::string_view bytes) override { return pipe_->Write(bytes); }
  awk::CommandStatus Wait() override {
    pipe_.reset();
    return WaitFor(in_, pid_);
  }

 private:
  Invocation& in_;
  vfs::OpenFilePtr pipe_;
  int pid_;
};

class Coprocess final : public awk::Coprocess {
 public:
  Coprocess(Invocation& in, vfs::OpenFilePtr output, vfs::OpenFilePtr input, int pid)
      : in_(in), output_(std::move(output)), input_(std::move(input)), pid_(pid) {}
  ByteSource& output() override { return output_; }
  ByteSink& input() override { return input_; }
  void CloseInput() override { input_.Close(); }
  awk::CommandStatus Wait() override {
    input_.Close();
    return WaitFor(in_, pid_);
  }

 private:
  Invocation& in_;
  FileSource output_;
  FileSink input_;
  int pid_;
};

class SandboxHost final : public awk::Host {
 public:
  explicit SandboxHost(Invocation& in)
      : in_(in), input_(in.process, 0), output_(in.process, 1), error_(in.process, 2), environment_(in.env) {}

  ByteSource& standard_input() override { return input_; }
  ByteSink& standard_output() override { return output_; }
  bool is_output_terminal() const override {
    const vfs::OpenFilePtr& file = in_.process.descriptors().Get(1);
    return file && file->is_terminal();
  }
  ByteSink& standard_error() override { return error_; }

  Result<std::unique_ptr<ByteSource>> OpenForReading(std::string_view path) override {
    PADDOCK_ASSIGN(vfs::OpenFilePtr file, in_.fs.Open(path, vfs::OpenFlags::Read()));
    const auto attributes = file->GetAttributes();
    if (attributes && attributes->type == vfs::FileType::kDirectory) return Code::kIsDirectory;
    return std::unique_ptr<ByteSource>(std::make_unique<FileSource>(std::move(file)));
  }
  Result<std::unique_ptr<ByteSink>> OpenForWriting(std::string_view path, bool append) override {
    const vfs::OpenFlags flags = append ? vfs::OpenFlags::Append() : vfs::OpenFlags::Write();
    PADDOCK_ASSIGN(vfs::OpenFilePtr file, in_.fs.Open(path, flags));
    return std::unique_ptr<ByteSink>(std::make_unique<FileSink>(std::move(file)));
  }

  Result<std::unique_ptr<awk::CommandOutput>> StartReading(std::string_view command) override {
    vfs::PipeEnds pipe = vfs::MakePipe(in_.kernel.scheduler());
    PADDOCK_ASSIGN(const int pid, Start(command, nullptr, std::move(pipe.write)));
    return std::unique_ptr<awk::CommandOutput>(std::make_unique<PipeSource>(in_, std::move(pipe.read), pid));
  }
  Result<std::unique_ptr<awk::CommandInput>> StartWriting(std::string_view command) override {
    vfs::PipeEnds pipe = vfs::MakePipe(in_.kernel.scheduler());
    PADDOCK_ASSIGN(const int pid, Start(command, std::move(pipe.read), nullptr));
    return std::unique_ptr<awk::CommandInput>(std::make_unique<PipeSink>(in_, std::move(pipe.write), pid));
  }
  Result<std::unique_ptr<awk::Coprocess>> StartCoprocess(std::string_view command) override {
    vfs::PipeEnds to = vfs::MakePipe(in_.kernel.scheduler());
    vfs::PipeEnds from = vfs::MakePipe(in_.kernel.scheduler());
    PADDOCK_ASSIGN(const int pid, Start(command, std::move(to.read), std::move(from.write)));
    return std::unique_ptr<awk::Coprocess>(
        std::make_unique<Coprocess>(in_, std::move(from.read), std::move(to.write), pid));
  }
  Result<awk::CommandStatus> RunSystem(std::string_view command) override {
    PADDOCK_ASSIGN(const int pid, Start(command, nullptr, nullptr));
    return WaitFor(in_, pid);
  }

  Variables Environment() override {
    Variables variables;
    for (const auto& variable : in_.env.variables()) variables.emplace_back(variable.name, variable.value);
    return variables;
  }
  void SetEnvironment(const Variables& variables) override {
    environment_ = {};
    for (const auto& [name, value] : variables) environment_.Set(name, value);
  }
  awk::ProcessIds Ids() override {
    const vfs::Credentials& who = in_.fs.credentials();
    awk::ProcessIds ids;
    ids.pid = in_.process.pid();
    ids.ppid = in_.process.parent_pid();
    ids.pgrp = in_.process.group();
    ids.uid = ids.euid = who.uid;
    ids.gid = ids.egid = who.gid;
    return ids;
  }
  const Clock& clock() override { return in_.clock; }
  Budget& budget() override { return in_.budget; }

 private:
  Result<int> Start(std::string_view command, vfs::OpenFilePtr in, vfs::OpenFilePtr out) {
    ChildSpec spec;
    spec.args = {"/bin/sh", "-c", std::string(command)};
    spec.environment = &environment_;
    spec.in = std::move(in);
    spec.out = std::move(out);
    return in_.launcher.Spawn(in_.process, spec);
  }

  Invocation& in_;
  proc::DescriptorSource input_;
  proc::DescriptorSink output_, error_;
  paddock::Environment environment_;
};

// --- the command line

ExitStatus Fatal(Invocation& in, const std::string& message) { return in.Fail("fatal: " + message, 2); }

Result<std::string> ReadProgram(Invocation& in, awk::Host& host, const Piece& piece) {
  if (piece.kind == Piece::kFile && (piece.value == "-" || piece.value == "/dev/stdin")) return in.in.ReadAll();
  return awk::ReadProgramFile(host, piece.value, in.env.Get("AWKPATH", ""));
}

ExitStatus UsageError(Invocation& in, std::string_view message) {
  if (!message.empty()) in.Fail(message);
  const std::string name(in.name());
  in.err.Write("Usage: " + name + " [POSIX or GNU style options] -f progfile [--] file ...\n" + "Usage: " + name +
               " [POSIX or GNU style options] [--] 'program' file ...\n" + OptionHelp(kOptions));
  return 1;
}

void WriteVersion(Invocation& in) {
  in.out.Write("GNU Awk 5.2.1 (as implemented by Paddock)\n");
}

awk::RunOptions ToRunOptions(Invocation& in, Options& options, std::vector<std::string> operands) {
  awk::RunOptions run;
  run.name = in.name();
  run.assignments = std::move(options.assignments);
  run.operands = std::move(operands);
  run.arguments.assign(in.args.begin(), in.args.end());
  run.program_path = in.env.Get("AWKPATH", "");
  run.is_utf8 = in.locale.is_utf8 && !options.counts_bytes;
  run.lint = options.lint;
  run.lints_for_old_awk = options.lints_for_old_awk;
  run.lists_translations = options.lists_translations;
  run.dump_path = options.dump_path;
  run.profile_path = options.profile_path;
  if (!options.profile_path) run.pretty_path = options.pretty_path;
  run.operands_are_files = options.operands_are_files;
  run.is_sandboxed = options.is_sandboxed;
  if (options.is_posix) {
    run.strictness = awk::Strictness::kPosix;
  } else if (options.is_traditional) {
    run.strictness = awk::Strictness::kTraditional;
    for (std::string& assignment : run.assignments) {
      if (assignment == "FS=t") assignment = "FS=\\t";
    }
  }
  run.reads_non_decimal = options.reads_non_decimal && run.strictness == awk::Strictness::kGnu;
  return run;
}

// Whether the option at `arg` takes the next argument too, and whether it is -E, the last one.
struct OptionShape {
  bool takes_next = false;
  bool is_last = false;
};
OptionShape ShapeOf(std::string_view arg) {
  if (arg.starts_with("--")) {
    const std::string_view name = arg.substr(2, arg.find('=') == std::string_view::npos ? arg.npos : arg.find('=') - 2);
    for (const Option& option : kOptions) {
      if (option.long_name == nullptr || !std::string_view(option.long_name).starts_with(name)) continue;
      const bool has_value = name.size() + 2 < arg.size();
      return {option.argument == OptionArgument::kRequired && !has_value, option.short_name == 'E'};
    }
    return {};
  }
  for (size_t i = 1; i < arg.size(); ++i) {
    for (const Option& option : kOptions) {
      if (option.short_name != arg[i] || option.argument == OptionArgument::kNone) continue;
      return {option.argument == OptionArgument::kRequired && i + 1 == arg.size(), arg[i] == 'E'};
    }
  }
  return {};
}

// Whether awk has the option that `arg` begins with. What it has not belongs to the program, which "#!/bin/awk -f" needs.
bool IsKnown(std::string_view arg) {
  const auto has_letter = [](char letter) {
    return std::any_of(std::begin(kOptions), std::end(kOptions), [&](const Option& o) { return o.short_name == letter; });
  };
  if (!arg.starts_with("--")) return has_letter(arg[1]);
  const std::string_view name = arg.substr(2, std::min(arg.find('='), arg.size()) - 2);
  return name == "help" || name == "version" || std::any_of(std::begin(kOptions), std::end(kOptions), [&](const Option& o) {
           return o.long_name != nullptr && std::string_view(o.long_name).starts_with(name);
         });
}

// How many arguments there are up to the value of -E or the first option that awk does not have; all of them without.
size_t CountOptions(std::span<const std::string> args) {
  for (size_t i = 1; i < args.size(); ++i) {
    if (args[i].size() < 2 || args[i][0] != '-' || args[i] == "--") break;
    if (!IsKnown(args[i])) return i;
    const OptionShape shape = ShapeOf(args[i]);
    if (shape.takes_next) ++i;
    if (shape.is_last) return std::min(i + 1, args.size());
  }
  return args.size();
}

ExitStatus Run(Invocation& in) {
  Options options;
  OptionRules rules;
  rules.stop_at_operand = true;
  const size_t option_count = CountOptions(in.args);
  const bool is_cut = option_count < in.args.size() && in.args[option_count].starts_with('-') &&
                      !IsKnown(in.args[option_count]);
  auto parsed = ParseOptions(in.args.first(option_count), kOptions, &options, rules);
  if (parsed && !options.vendor_word.empty()) {
    const std::vector<std::string> vendor = {"awk", "--" + options.vendor_word};
    auto extra = ParseOptions(vendor, kOptions, &options, rules);
    if (!extra) return UsageError(in, extra.error().Text());
    parsed->wants_help |= extra->wants_help;
    parsed->wants_version |= extra->wants_version;
  }
  if (!parsed) return UsageError(in, parsed.error().Text());
  if (options.wants_licence) {
    in.out.Write("awk (Paddock): Copyright the Paddock authors; Apache License, Version 2.0. It comes without any warranty.\n");
    return 0;
  }
  if (parsed->wants_version || options.wants_version) {
    WriteVersion(in);
    return 0;
  }
  if (parsed->wants_help || options.wants_help) {
    in.out.Write(HelpText(in.command, in.name()));
    return 0;
  }
  if (!options.refused.empty()) return Fatal(in, "the option " + options.refused + " is not supported");
  if (options.profile_path && options.pretty_path) in.Fail("warning: `--profile' overrides `--pretty-print'");
  SandboxHost host(in);
  std::vector<awk::Source> sources;
  bool has_program = false;
  for (const Piece& piece : options.pieces) {
    if (piece.kind == Piece::kText) {
      sources.push_back({"cmd. line", piece.value});
      has_program = true;
      continue;
    }
    auto text = ReadProgram(in, host, piece);
    if (!text) {
      return Fatal(in, "cannot open source file `" + piece.value +
                           "' for reading: " + std::string(text.error().Text()));
    }
    has_program |= piece.kind == Piece::kFile;
    sources.push_back({piece.value, std::move(*text)});
  }
  std::vector<std::string> operands = std::move(parsed->operands);
  for (const std::string& rest : in.args.subspan(option_count)) operands.push_back(rest);
  if (!has_program) {
    if (operands.empty() || is_cut) return UsageError(in, "");
    sources.push_back({"cmd. line", operands.front()});
    operands.erase(operands.begin());
  }
  const awk::RunOptions run = ToRunOptions(in, options, std::move(operands));
  return awk::RunAwk(std::move(sources), run, host);
}

constexpr const char* kAliases[] = {"gawk", "mawk", "nawk"};

}  // namespace

extern const Command kCommand_awk;
const Command kCommand_awk = {
    .name = "awk",
    .aliases = kAliases,
    .summary = "pattern scanning and processing language",
    .synopsis = "[OPTION]... [--] 'program' [FILE]...\n[OPTION]... -f PROGFILE [--] [FILE]...",
    .options = kOptions,
    .usage_status = 1,
    .cuts_own_name = true,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
