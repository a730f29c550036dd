// m4 - copy text while macros are expanded
//
// usage: m4 [OPTION]... [FILE]...
//
// Exit status: 0; 1 for errors; what m4exit says.
// Source: GNU m4 1.4.19.
// Differs: no tracing (traceon, -t, debugmode), no frozen state (-F, -R), no changeword, no mkstemp; -i and -d are refused.

#include <charconv>

#include "commands/child_output.h"
#include "commands/input_files.h"
#include "lang/m4/m4.h"
#include "proc/command.h"

namespace paddock {
namespace {

struct Options {
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

constexpr Option kOptions[] = {
    Call<DefineName>('D', "define", "NAME[=VALUE]", "define NAME as VALUE, or as empty"),
    Call<UndefineName>('U', "undefine", "NAME", "undefine NAME"),
    Call<AddDirectory>('I', "include", "DIRECTORY", "search DIRECTORY for files to include"),
    Call<Prefix>('P', "prefix-builtins", nullptr, "put m4_ in front of the names of builtins"),
    Call<Silent>('Q', "quiet", nullptr, "no warnings"),
    Call<Silent>(0, "silent", nullptr, "the same"),
    Call<FatalWarnings>('E', "fatal-warnings", nullptr, "warnings make the exit status 1; twice, they end the run"),
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
};

ExitStatus Run(Invocation& in, Options& options, const std::vector<std::string>& operands) {
  for (const std::string& name : operands) options.steps.push_back({m4::Step::Kind::kFile, name});
  if (operands.empty()) options.steps.push_back({m4::Step::Kind::kFile, "-"});
  M4Host host(in);
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
