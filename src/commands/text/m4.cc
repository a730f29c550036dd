// m4 - copy text while macros are expanded
//
// usage: m4 [OPTION]... [FILE]...
//
// Exit status: 0; 1 for errors; what m4exit says.
// Source: GNU m4 1.4.19.
// Differs: no changeword, no mkstemp; frozen state lists macros by name.

#include <charconv>

#include "commands/child_output.h"
#include "commands/input_files.h"
#include "lang/m4/m4.h"
#include "proc/command.h"

namespace paddock {
namespace {

struct Options {
  bool is_interactive = false, has_debug_file = false;
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
  o.has_debug_file = true;
  o.debug_file = text.data() == nullptr ? std::nullopt : std::optional(std::string(text));
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

ExitStatus Run(Invocation& in, Options& options, const std::vector<std::string>& operands) {
  for (const std::string& name : operands) options.steps.push_back({m4::Step::Kind::kFile, name});
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
    .cuts_own_name = true,
});

}  // namespace paddock
