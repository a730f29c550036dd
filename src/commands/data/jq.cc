// jq - transform, filter and query JSON
//
// usage: jq [OPTION]... FILTER [FILE]...
//
// The language is lang/jq; this file reads the inputs, runs the filter on each and writes what comes out.
//
// exit: 0 success; with -e 1 when the last output was false or null, 4 when there was none; 2 usage or a file
//       that cannot be read; 3 a filter that does not compile; 5 an error in the filter or the input; or what
//       halt_error says.
//
// Source: the jq 1.7 manual; jq 1.7.1.
// Differs: regular expressions are Perl's (PCRE2) and not Oniguruma's: the flag l (longest match) is refused, and \h is a
//          blank and no hexadecimal digit. What is unexpected
//          in a filter is named, but not what would have been expected.
#include "commands/data/jq_host.h"
#include "commands/data/jq_options.h"
#include "lang/jq/jq.h"
#include "proc/process.h"

namespace paddock {
namespace {

using data::JqHost;
using data::JqOptions;
using jq::Value;

constexpr ExitStatus kFalse = 1, kUsage = 2, kCompile = 3, kNoOutput = 4, kError = 5;

// Runs a compiled filter and writes its outputs.
class Session {
 public:
  Session(Invocation& in, const JqOptions& options, JqHost& host, jq::Runner& runner)
      : in_(in), options_(options), host_(host), runner_(runner) {}

  // True when colours were asked for wrongly or rightly; the style is set either way.
  void ChooseStyle() {
    style_.indent = options_.indent;
    style_.uses_tabs = options_.uses_tabs;
    style_.sorts_keys = options_.sorts_keys;
    style_.is_ascii = options_.is_ascii;
    const vfs::OpenFilePtr& file = in_.process.descriptors().Get(1);
    const bool is_terminal = file != nullptr && file->is_terminal();
    const bool is_unwanted = !in_.env.Get("NO_COLOR", "").empty();
    if (options_.refuses_color || !(options_.forces_color || (is_terminal && !is_unwanted))) return;
    style_.colors = &colors_;
    if (const auto spec = in_.env.Get("JQ_COLORS"); spec && !colors_.Set(*spec)) {
      in_.err.Write("Failed to set $JQ_COLORS\n");
    }
  }

  ExitStatus Run() {
    if (options_.null_input) {
      Process(Value::Null());
    } else {
      while (!has_halted_) {
        Value input;
        std::string error;
        const auto got = host_.NextInput(input, error);
        if (got == jq::Host::Got::kEnd) break;
        if (got == jq::Host::Got::kValue) {
          Process(std::move(input));
          continue;
        }
        in_.out.Flush();
        if (options_.seq) {
          in_.err.Write("jq: ignoring parse error: " + error + "\n");
          continue;
        }
        in_.err.Write("jq: parse error: " + error + "\n");
        status_ = kError;
        break;
      }
    }
    if (has_halted_) return status_;
    if (host_.has_failed()) return kUsage;
    if (status_ != 0 || !options_.exit_status) return status_;
    if (!has_output_) return kNoOutput;
    return is_last_true_ ? 0 : kFalse;
  }

 private:
  void Process(Value input) {
    status_ = 0;
    has_output_ = false;
    runner_.Start(std::move(input));
    for (;;) {
      Value output;
      switch (runner_.Next(output)) {
        case jq::Machine::Got::kOutput:
          if (!Write(output)) return;
          continue;
        case jq::Machine::Got::kEnd: return;
        case jq::Machine::Got::kError: return Report(output);
        case jq::Machine::Got::kHalt: return Halt();
      }
    }
  }

  bool Write(const Value& output) {
    text_.clear();
    if (options_.seq) text_ += '\x1e';
    if (options_.raw_output && output.is_string()) {
      if (options_.nul_output && output.view().find('\0') != std::string_view::npos) {
        Report(Value::String("Cannot dump a string containing NUL with --raw-output0 option"));
        return false;
      }
      if (options_.is_ascii) {
        jq::WriteJson(output, style_, text_, in_.budget);
      } else {
        text_ += output.view();
      }
    } else {
      jq::WriteJson(output, style_, text_, in_.budget);
    }
    if (options_.nul_output) {
      text_ += '\0';
    } else if (!options_.join_output) {
      text_ += '\n';
    }
    in_.out.Write(text_);
    if (options_.unbuffered) in_.out.Flush();
    has_output_ = true;
    is_last_true_ = output.is_truthy();
    return true;
  }

  void Report(const Value& error) {
    std::string message = "jq: error (at " + host_.Position() + ")";
    if (error.is_string()) {
      message += ": " + std::string(error.view());
    } else {
      message += " (not a string): " + jq::JsonText(error, in_.budget);
    }
    host_.WriteError(message + "\n");
    status_ = kError;
  }

  void Halt() {
    has_halted_ = true;
    status_ = runner_.halt_status();
    const Value& message = runner_.halt_message();
    if (message.is_string()) {
      host_.WriteError(message.view());
    } else if (message.is_valid()) {
      host_.WriteError(jq::JsonText(message, in_.budget) + "\n");
    }
  }

  Invocation& in_;
  const JqOptions& options_;
  JqHost& host_;
  jq::Runner& runner_;
  jq::Colors colors_;
  jq::WriteStyle style_;
  std::string text_;
  ExitStatus status_ = 0;
  bool has_output_ = false;
  bool is_last_true_ = false;
  bool has_halted_ = false;
};

std::vector<std::pair<std::string, Value>> Variables(const JqOptions& options) {
  std::vector<std::pair<std::string, Value>> variables;
  Value named = Value::Object();
  for (const auto& [name, value] : options.variables) named.Set(name, value);
  Value arguments = Value::Object();
  arguments.Set("positional", options.positional);
  arguments.Set("named", std::move(named));
  variables.emplace_back("ARGS", std::move(arguments));
  for (const auto& variable : options.variables) variables.push_back(variable);
  return variables;
}

bool ReadProgram(Invocation& in, const std::string& path, std::string& program) {
  Result<InputFile> file = InputFile::OpenPath(in, path);
  std::string_view why;
  if (file) {
    program = file->input().ReadAll();
    if (file->input().status()) return true;
    const Error& error = file->input().status().error();
    why = error.code == Code::kIsDirectory ? "It's a directory" : error.Text();
  } else {
    why = file.error().Text();
  }
  in.err.Write("jq: Could not open " + path + ": " + std::string(why) + "\n");
  return false;
}

}  // namespace

ExitStatus data::RunJq(Invocation& in) {
  JqOptions options;
  if (!data::ParseJqOptions(in, options)) return kUsage;
  if (options.wants_help) {
    in.out.Write(data::JqUsage(in.name()));
    return 0;
  }
  if (options.wants_version) {
    in.out.Write("jq-1.7.1\n");
    return 0;
  }
  if (options.wants_configuration) {
    in.out.Write("paddock\n");
    return 0;
  }
  if (!options.has_program) {
    const auto is_terminal = [&](int number) {
      const vfs::OpenFilePtr& file = in.process.descriptors().Get(number);
      return file != nullptr && file->is_terminal();
    };
    if (is_terminal(0) && is_terminal(1)) {
      in.err.Write(data::JqUsage(in.name()));
      return kUsage;
    }
    options.program = ".";
  }
  std::string origin = ".";
  if (options.from_file) {
    const std::string path = options.program;
    if (!ReadProgram(in, path, options.program)) return kUsage;
    origin = vfs::DirectoryName(path);
  }
  JqHost host(in, options, origin);
  jq::Runner runner(host);
  std::vector<std::string> complaints;
  if (!runner.Compile(options.program, Variables(options), complaints)) {
    for (const std::string& complaint : complaints) in.err.Write(complaint + "\n");
    in.err.Write("jq: " + std::to_string(complaints.size()) +
                 (complaints.size() == 1 ? " compile error\n" : " compile errors\n"));
    return kCompile;
  }
  Session session(in, options, host, runner);
  session.ChooseStyle();
  return session.Run();
}

extern const Command kCommand_jq;
const Command kCommand_jq = {
    .name = "jq",
    .summary = "transform, filter and query JSON",
    .synopsis = "[OPTION]... FILTER [FILE]...",
    .usage_status = 2,
    .cuts_own_name = true,
    .parses_options = false,
    .run = data::RunJq,
};

}  // namespace paddock
