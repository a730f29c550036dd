// m4 - copy text while macros are expanded
//
// usage: m4 [OPTION]... [FILE]...
//
// Exit status: 0; 1 for errors; what m4exit says.
// Source: GNU m4 1.4.19.
// Differs: no changeword, as Debian's; frozen state lists macros by name.

#include <algorithm>
#include <charconv>

#include "commands/child_output.h"
#include "commands/input_files.h"
#include "commands/random_letters.h"
#include "lang/m4/m4.h"
#include "proc/command.h"

namespace paddock {
namespace {

struct Options {
  bool is_interactive = false, has_debug_file = false;
  bool wants_help = false, wants_version = false;   // met behind a file
  std::optional<std::string> debug_file, bad_debug_flags;
  m4::Settings settings;
  std::vector<m4::Step> steps;
};

Status DefineName(Options& o, std::string_view text) {
  o.steps.push_back({m4::Step::Kind::kDefine, std::string(text)});
  return {};
}
Status UndefineName(Options& o, std::string_view text) {
  o.steps.push_back({m4::Step::Kind::kUndefine, std::string(text)});
  return {};
}
Status AddDirectory(Options& o, std::string_view text) {
  o.settings.include_directories.emplace_back(text);
  return {};
}
Status Prefix(Options& o, std::string_view) {
  o.settings.prefixes_builtins = true;
  return {};
}
Status Silent(Options& o, std::string_view) {
  o.settings.is_silent = true;
  return {};
}
Status FatalWarnings(Options& o, std::string_view) {
  ++o.settings.fatal_warnings;
  return {};
}
Status Nesting(Options& o, std::string_view text) {
  uint64_t limit = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), limit);
  if (error != std::errc() || end != text.data() + text.size()) return Error(Code::kInvalid, "bad nesting limit: " + std::string(text));
  o.settings.nesting_limit = limit;
  return {};
}

Status Trace(Options& o, std::string_view text) {
  o.steps.push_back({m4::Step::Kind::kTrace, std::string(text)});
  return {};
}
Status Debug(Options& o, std::string_view text) {
  if (text.find_first_not_of("acefilpqtxV") != std::string_view::npos) {
    o.bad_debug_flags = text;   // told, and then nothing is shown
    return {};
  }
  o.settings.debug_flags = text.find('V') != std::string_view::npos ? "acefilpqtx" : text.empty() ? "aeq" : std::string(text);
  return {};
}
Status DebugTo(Options& o, std::string_view text) {
  const bool has_name = text.data() != nullptr;
  o.steps.push_back({m4::Step::Kind::kDebugFile, has_name ? std::string(text) : std::string(), has_name});
  if (o.has_debug_file) return {};
  o.has_debug_file = true;   // the first one holds from the start
  o.debug_file = has_name ? std::optional(std::string(text)) : std::nullopt;
  return {};
}
Status ArgumentLength(Options& o, std::string_view text) {
  o.settings.argument_length = 0;
  std::from_chars(text.data(), text.data() + text.size(), o.settings.argument_length);   // what is no number is 0, as for the real one
  return {};
}
Status Traditional(Options& o, std::string_view) {
  o.settings.is_traditional = true;
  return {};
}
Status Gnu(Options& o, std::string_view) {
  o.settings.is_traditional = false;
  return {};
}
Status WarnSequence(Options& o, std::string_view text) {
  o.settings.warned_sequence = text.data() == nullptr ? "\\$\\({[^}]*}\\|[0-9][0-9]+\\)" : std::string(text);
  return {};
}
Status HashSize(Options&, std::string_view) { return {}; }

Status Synchronize(Options& o, std::string_view) {
  o.settings.synchronizes = true;
  return {};
}
Status FreezeTo(Options& o, std::string_view text) {
  o.settings.frozen_to = text;
  return {};
}
Status ReloadFrom(Options& o, std::string_view text) {
  o.settings.frozen_from = text;
  return {};
}

constexpr Option kOptions[] = {
    Call<DefineName>('D', "define", "NAME[=VALUE]", "define NAME as VALUE, or as empty"),
    Call<UndefineName>('U', "undefine", "NAME", "undefine NAME"),
    Call<AddDirectory>('I', "include", "DIRECTORY", "search DIRECTORY for files to include"),
    Call<Prefix>('P', "prefix-builtins", nullptr, "put m4_ in front of the names of builtins"),
    Call<FreezeTo>('F', "freeze-state", "FILE", "write what is defined and diverted to FILE at the end"),
    Call<ReloadFrom>('R', "reload-state", "FILE", "begin with what -F wrote to FILE"),
    Call<Synchronize>('s', "synclines", nullptr, "write #line NUM \"FILE\" where output lines and input lines go apart"),
    Call<Silent>('Q', "quiet", nullptr, "no warnings"),
    Call<Silent>(0, "silent", nullptr, "the same"),
    Call<FatalWarnings>('E', "fatal-warnings", nullptr, "warnings make the exit status 1; twice, they end the run"),
    Flag<&Options::is_interactive>('i', "interactive", "write output at once"),
    Call<Gnu>('g', "gnu", nullptr, "take back -G"),
    Call<Traditional>('G', "traditional", nullptr, "without GNU's builtins; $10 is $1 and a zero"),
    Call<HashSize>('H', "hashsize", "PRIME", "the size of a table of the real one"),
    CallOptional<WarnSequence>(0, "warn-macro-sequence", "REGEXP", "warn of definitions that match REGEXP (${...} and $10)"),
    CallOptional<Debug>('d', "debug", "FLAGS", "what traces show (aeq): a c e f i l p q t x V"),
    CallOptional<DebugTo>(0, "debugfile", "FILE", "write traces to FILE; nowhere for an empty name"),
    Call<ArgumentLength>('l', "arglength", "NUM", "cut what traces show behind NUM bytes"),
    Call<Trace>('t', "trace", "NAME", "trace NAME"),
    Call<Nesting>('L', "nesting-limit", "NUMBER", "stop when macros nest deeper than NUMBER"),
};

class M4Host final : public m4::Host {
 public:
  explicit M4Host(Invocation& in) : in_(in) {}
  Budget& budget() override { return in_.budget; }
  void Out(std::string_view text) override { in_.out.Write(text); }
  void Err(std::string_view text) override {
    in_.out.Flush();
    in_.err.Write(text);
  }
  Result<std::string> Read(const std::string& name) override {
    PADDOCK_ASSIGN(InputFile file, InputFile::Open(in_, name));
    std::string text = file.input().ReadAll();
    if (!file.input().status()) return file.input().status().error();
    return text;
  }
  Status Write(const std::string& name, std::string_view text) override { return vfs::WriteFile(in_.fs, name, text); }
  Status SetDebugFile(const std::optional<std::string>& name) override {
    has_debug_ = !name || !name->empty();
    debug_.reset();
    if (name && !name->empty()) {
      PADDOCK_ASSIGN(debug_, in_.fs.Open(*name, vfs::OpenFlags::Append()));
    }
    return {};
  }
  void Debug(std::string_view text) override {
    if (!has_debug_) return;
    if (!debug_) return Err(text);
    if (!debug_->Write(text)) debug_.reset();
  }
  Result<std::string> MakeTemporaryFile(const std::string& name_template) override {
    constexpr size_t kLetters = 6;
    constexpr int kMostTries = 62 * 62 * 62;
    std::string name = name_template;
    for (size_t count = 0; count < kLetters; ++count) {
      if (name.size() > count && name[name.size() - 1 - count] == 'X') continue;
      name.append(kLetters - count, 'X');
      break;
    }
    RandomLetters letters(in_);
    for (int tries = 0; tries < kMostTries; ++tries) {
      in_.budget.Step();
      for (size_t i = name.size() - kLetters; i < name.size(); ++i) name[i] = letters.Next();
      const auto file = in_.fs.Open(name, {.read = true, .write = true, .create = true, .exclusive = true}, 0600);
      if (file) return name;
      if (file.error().code != Code::kExists) return file.error();
    }
    return Code::kExists;
  }
  int64_t ProcessId() override { return in_.process.pid(); }
  std::pair<std::string, int> RunShell(const std::string& command, bool captures) override {
    in_.out.Flush();
    if (captures) {
      auto output = StandardOutput(in_, {"sh", "-c", command}, in_.env);
      return output ? std::pair(std::move(output->text), static_cast<int>(output->status)) : std::pair(std::string(), 127);
    }
    ChildSpec spec;
    spec.args = {"sh", "-c", command};
    spec.environment = &in_.env;
    const auto status = in_.launcher.Run(in_.process, spec);
    return {"", status ? *status : 127};
  }

 private:
  Invocation& in_;
  vfs::OpenFilePtr debug_;
  bool has_debug_ = true;
};

// The directories of $M4PATH, searched behind those of -I.
void AddPath(std::string_view path, std::vector<std::string>& directories) {
  while (!path.empty()) {
    const size_t end = std::min(path.find(':'), path.size());
    directories.emplace_back(end == 0 ? "." : path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
}

// What options say holds for the files behind them, so they are taken in turn.
Status TakeFiles(Invocation& in, Options& options, std::vector<std::string> operands) {
  bool is_rest = in.args.size() > operands.size() + 1 && in.args[in.args.size() - operands.size() - 1] == "--";
  while (!operands.empty()) {
    in.budget.Step(static_cast<int64_t>(operands.size()));
    options.steps.push_back({m4::Step::Kind::kFile, operands.front()});
    if (is_rest) {
      operands.erase(operands.begin());
      continue;
    }
    PADDOCK_ASSIGN(ParsedOptions parsed, ParseOptions(operands, kOptions, &options, {.stop_at_operand = true}));
    options.wants_help |= parsed.wants_help;
    options.wants_version |= parsed.wants_version;
    const size_t left = parsed.operands.size();
    is_rest = operands.size() > left + 1 && operands[operands.size() - left - 1] == "--";
    operands = std::move(parsed.operands);
  }
  return {};
}

ExitStatus Run(Invocation& in, Options& options, const std::vector<std::string>& operands) {
  AddPath(in.env.Get("M4PATH", ""), options.settings.include_directories);
  if (const Status taken = TakeFiles(in, options, operands); !taken) return taken.error().code == Code::kSyntax ? in.Usage(taken.error().Text()) : in.Fail(taken.error().Text());
  if (options.wants_help || options.wants_version) {
    in.out.Write(options.wants_help ? HelpText(in.command, in.name_in_messages()) : VersionText(in.command, in.name()));
    return 0;
  }
  if (operands.empty()) options.steps.push_back({m4::Step::Kind::kFile, "-"});
  M4Host host(in);
  if (options.is_interactive) in.out.set_unbuffered(true);
  if (options.bad_debug_flags) in.err.WriteLine("m4: bad debug flags: `" + *options.bad_debug_flags + "'");
  if (options.has_debug_file) {
    if (const Status set = host.SetDebugFile(options.debug_file); !set) in.err.WriteLine("m4: cannot set debug file `" + *options.debug_file + "': " + std::string(set.error().Text()));
  }
  return m4::Run(options.settings, options.steps, host);
}

}  // namespace

extern const Command kCommand_m4;
const Command kCommand_m4 = Define<Options, Run>({
    .name = "m4",
    .summary = "copy FILEs while macros are expanded; - is standard input",
    .synopsis = "[OPTION]... [FILE]...",
    .options = kOptions,
    .rules = {.stop_at_operand = true},
    .cuts_own_name = true,
});

}  // namespace paddock
