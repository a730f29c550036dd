// What a run reads and writes: the main input, getline, print, and the run as a whole.
#include <algorithm>

#include "lang/awk/format.h"
#include "lang/awk/interpreter.h"
#include "lang/awk/lexer.h"

namespace paddock::awk {
namespace {

// True when an operand is an assignment and no file.
bool IsAssignment(std::string_view operand) {
  const size_t equals = operand.find('=');
  if (equals == 0 || equals == std::string_view::npos) return false;
  return IsVariableName(operand.substr(0, equals));
}

const char* OperatorOf(Redirect how) {
  switch (how) {
    case Redirect::kFile: return ">";
    case Redirect::kAppend: return ">>";
    case Redirect::kPipe: return "|";
    default: return "|&";
  }
}

}  // namespace

Interpreter::Interpreter(const Program& program, const RunOptions& options, Host& host, BigMath* math)
    : program_(program),
      options_(options),
      host_(host),
      budget_(host.budget()),
      math_(math),
      streams_(host, [this] { ShareEnvironment(); }),
      patterns_(options.is_utf8, host.budget()),
      record_(patterns_, options.is_utf8, host.budget()),
      globals_(program.globals.size()),
      stack_(host.budget()),
      range_active_(static_cast<size_t>(program.range_count)),
      counts_(static_cast<size_t>(program.counter_count)),
      // No stretch of code without a call or a jump back pushes more values than it has instructions.
      stack_margin_(program.code.size() + 64) {
  if (options.strictness == Strictness::kTraditional) patterns_.set_literal_escapes();
  if (options.reads_non_decimal) record_.set_reads_non_decimal();
  patterns_.WarnOfEscapes(program.escapes, [this](const std::string& message) { Warn(message); });
}

std::string Interpreter::Prefix() const {
  std::string prefix = options_.name + ": ";
  const int pc = pc_ < 0 ? last_pc_ : pc_;
  if (pc < 0) return prefix;
  prefix += PlaceName(program_.sources, program_.places[static_cast<size_t>(pc)]) + ": ";
  if (fnr_ > 0) {
    const Value& file = globals_[kSlotFilename];
    prefix += "(FILENAME=" + std::string(TextOf(file, convfmt_).view()) +
              " FNR=" + std::string(TextOf(Value::Number(fnr_), convfmt_).view()) + ") ";
  }
  return prefix;
}

bool Interpreter::Fatal(const std::string& message) {
  streams_.standard_output().Flush();
  streams_.standard_error().Write(Prefix() + "fatal: " + message + "\n");
  flow_ = Flow::kFatal;
  return false;
}

bool Interpreter::BadPattern(const Error& error, std::string_view source) {
  return Fatal("invalid regexp: " + std::string(error.Text()) + ": /" + std::string(source) + "/");
}

void Interpreter::Warn(const std::string& message) {
  streams_.standard_output().Flush();
  streams_.standard_error().Write(Prefix() + "warning: " + message + "\n");
}

void Interpreter::SetErrno(const Error& error) {
  // kOk with a message is a failure of awk's own, which has no number.
  global(kSlotErrno) = Value::String(error.code == Code::kOk ? std::string_view(error.message) : error.Text());
  Array* const procinfo = global(kSlotProcinfo).array();
  if (procinfo == nullptr) return;
  const int number = static_cast<int>(error.code) < static_cast<int>(Code::kSyntax) ? static_cast<int>(error.code) : 0;
  procinfo->Set("errno", Value::Number(number), budget_);
}

// True when PROCINFO says that the program looks after failures of `name` itself.
bool Interpreter::IsNonfatal(std::string_view name) {
  Array* const procinfo = global(kSlotProcinfo).array();
  if (procinfo == nullptr) return false;
  return procinfo->Find(ArrayKey("NONFATAL")) != nullptr ||
         procinfo->Find(ArrayKey(std::string(name) + subsep_ + "NONFATAL")) != nullptr;
}

void Interpreter::ShareEnvironment() {
  Array* const environment = global(kSlotEnviron).array();
  if (!program_.uses_environ || environment == nullptr) return;
  Host::Variables variables;
  for (const Array::Element& element : environment->Elements(budget_)) {
    const TextOf name(element.key, convfmt_), value(element.value, convfmt_);
    variables.emplace_back(name.view(), value.view());
  }
  host_.SetEnvironment(variables);
}

// --- output

std::optional<Error> Interpreter::NetworkError(std::string_view name) {
  std::string_view rest = name;
  if (!rest.starts_with("/inet/") && !rest.starts_with("/inet4/") && !rest.starts_with("/inet6/")) return std::nullopt;
  std::vector<std::string> parts;   // "", the family, the protocol, the local port, the host, its port
  for (size_t slash = 0; slash != rest.npos && parts.size() < 6;) {
    slash = parts.size() == 5 ? rest.npos : rest.find('/');
    parts.emplace_back(rest.substr(0, slash));
    rest.remove_prefix(slash == rest.npos ? rest.size() : slash + 1);
  }
  if (parts.size() < 6) return Error(Code::kInvalid);
  if (parts[4] != "localhost" && parts[4] != "127.0.0.1" && parts[4] != "::1") {
    Warn("remote host and port information (" + parts[4] + ", " + parts[5] + ") invalid");
    return Error(Code::kInvalid);
  }
  return Error(Code::kUnavailable, "Connection refused");
}

Output* Interpreter::OutputFor(Redirect how, const Value& destination, const char* verb) {
  const TextOf name(destination, convfmt_);
  if (name.view().empty()) {
    Fatal(std::string("expression for `") + OperatorOf(how) + "' redirection has null string value");
    return nullptr;
  }
  if (options_.is_sandboxed) {
    Fatal("redirection not allowed in sandbox mode");
    return nullptr;
  }
  if (lint_ != LintLevel::kOff && !LintStream(how, true, name.view())) return nullptr;
  const auto unreachable = how == Redirect::kCoprocess ? NetworkError(name.view()) : std::nullopt;
  auto output = unreachable ? Result<Output*>(*unreachable) : streams_.ForOutput(how, name.view());
  if (output) return *output;
  if (IsNonfatal(name.view())) {
    SetErrno(output.error());
  } else if (how == Redirect::kCoprocess && output.error().code == Code::kBadDescriptor) {
    (void)streams_.Close(name.view(), "");   // which waits for the command
    Fatal(std::string(verb) + ": attempt to write to closed write end of two-way pipe");
  } else if (how == Redirect::kPipe || how == Redirect::kCoprocess) {
    Fatal(std::string("cannot open ") + (how == Redirect::kPipe ? "pipe" : "two way pipe") + " `" +
          std::string(name.view()) + "' for output: " + std::string(output.error().Text()));
  } else {
    Fatal("cannot redirect to `" + std::string(name.view()) +
          "': " + std::string(output.error().Text()));
  }
  return nullptr;
}

bool Interpreter::CheckWritten(Output& output, std::string_view name, std::string_view verb) {
  if (output.status()) return true;
  const Error failure = output.status().error();
  const std::string reason(failure.Text());
  output.ClearStatus();
  if (IsNonfatal(name)) {
    SetErrno(failure);
    return true;
  }
  return Fatal(std::string(verb) + " to \"" + std::string(name) + "\" failed: " + reason);
}

bool Interpreter::Print(Redirect how, size_t count) {
  Value destination;
  if (how != Redirect::kNone) destination = stack_.Take();
  Output* output = &streams_.standard_output();
  if (how != Redirect::kNone) output = OutputFor(how, destination, "print");
  if (output == nullptr) {
    stack_.Pop(count);
    return flow_ != Flow::kFatal;
  }
  const bool is_unbuffered = output == &streams_.standard_error();
  std::string line;
  for (size_t i = count; i-- > 0;) {
    const Value& value = stack_.At(i);
    if (value.array() != nullptr) return Fatal("attempt to use array in a scalar context");
    const TextOf text(value, ofmt_);
    if (is_unbuffered) {
      line += text.view();
      line += i > 0 ? ofs_ : ors_;
    } else {
      output->Write(text.view());
      output->Write(i > 0 ? ofs_ : ors_);
    }
  }
  if (is_unbuffered) output->Write(line);
  budget_.Step(static_cast<int64_t>(count));
  stack_.Pop(count);
  if (output->status()) [[likely]] return true;
  return CheckWritten(*output,
                      how == Redirect::kNone ? "standard output" : TextOf(destination, convfmt_).view(),
                      "print");
}

FormatContext Interpreter::MakeFormatContext() {
  FormatContext context = {convfmt_, options_.is_utf8, &budget_, math_};
  context.is_posix = options_.strictness == Strictness::kPosix;
  if (lint_ != LintLevel::kOff) context.lint = [this](const std::string& message) { return Lint(message); };
  return context;
}

bool Interpreter::Printf(Redirect how, size_t count) {
  Value destination;
  if (how != Redirect::kNone) destination = stack_.Take();
  if (count == 0) return options_.strictness == Strictness::kPosix || Fatal("printf: no arguments");
  std::string text;
  {
    const TextOf format(stack_.At(count - 1), convfmt_);
    const FormatContext context = MakeFormatContext();
    const std::span<const Value> arguments(&stack_.At(0) - (count - 1) + 1, count - 1);
    if (Status status = Format(text, format.view(), arguments, context); !status) {
      return flow_ != Flow::kFatal && FatalError(status.error());   // unless a warning was fatal
    }
  }
  stack_.Pop(count);
  Output* output = &streams_.standard_output();
  if (how != Redirect::kNone) output = OutputFor(how, destination, "printf");
  if (output == nullptr) return flow_ != Flow::kFatal;
  output->Write(text);
  if (output->status()) [[likely]] return true;
  return CheckWritten(*output,
                      how == Redirect::kNone ? "standard output" : TextOf(destination, convfmt_).view(),
                      "printf");
}

// --- input

void Interpreter::SetRecord(std::string_view record, std::string_view terminator) {
  record_.Set(record);
  if (program_.uses_rt) global(kSlotRt) = Value::String(terminator);
}

bool Interpreter::OpenFile(const std::string& path) {
  global(kSlotFilename) = Value::Input(path);
  global(kSlotArgind) = Value::Number(argument_);
  global(kSlotErrno) = Value::String("");
  fnr_ = 0;
  if (math_ != nullptr) fnr_base_ = Value::Number(0);
  Error failure;
  failure.code = Code::kOk;
  if (path == "-" || path == "/dev/stdin") {
    reader_ = &streams_.standard_input();
  } else if (auto file = OpenInput(host_, streams_.libraries(), path); file) {
    file_ = std::move(file->source);
    file_reader_ = std::make_unique<RecordReader>(*file_, budget_);
    if (file->rule) file_reader_->set_own_rule(*file->rule);
    reader_ = file_reader_.get();
  } else {
    failure = file.error();
  }
  if (failure.code != Code::kOk) SetErrno(failure);
  skips_file_ = false;
  if (program_.begin_file >= 0) {
    const Flow flow = RunRules(Rule::When::kBeginFile);
    if (flow == Flow::kNextFile) {
      skips_file_ = true;
    } else if (flow != Flow::kDone) {
      flow_ = flow;
      return false;
    }
    if (skips_file_) return failure.code != Code::kOk || EndFile();
    if (failure.code != Code::kOk) pc_ = last_pc_;   // gawk names the line where that rule ended
  }
  if (failure.code == Code::kOk) return true;
  if (failure.code == Code::kIsDirectory) {
    Warn("command line argument `" + path + "' is a directory: skipped");
    return true;
  }
  return Fatal("cannot open file `" + path + "' for reading: " + std::string(failure.Text()));
}

// Opens the next operand that is a file; false at the end of the operands or when flow_ says why.
// Afterwards reader_ is null if that file is to be skipped.
bool Interpreter::OpenNextFile() {
  for (;;) {
    budget_.Step();
    if (++argument_ >= static_cast<int>(std::min(global(kSlotArgc).ToNumber(), 2147483646.0))) {
      --argument_;   // a program may add operands later, and read on
      break;
    }
    Array* const arguments = global(kSlotArgv).array();
    const Value* const found =
        arguments == nullptr ? nullptr : arguments->Find(ArrayKey(static_cast<int32_t>(argument_)));
    if (found == nullptr) continue;
    const std::string operand(TextOf(*found, convfmt_).view());
    if (operand.empty()) continue;
    if (!options_.operands_are_files && IsAssignment(operand)) {
      if (!AssignOperand(operand, false)) return false;
      last_pc_ = -1;
      continue;
    }
    const auto& given = options_.operands;
    if (options_.is_sandboxed && std::find(given.begin(), given.end(), operand) == given.end()) {
      return Fatal("cannot add a new file (" + operand + ") to ARGV in sandbox mode");
    }
    has_read_a_file_ = true;
    return OpenFile(operand);
  }
  if (!has_read_a_file_) {
    has_read_a_file_ = true;
    argument_ = 0;
    const bool is_open = OpenFile("-");
    argument_ = 1;   // standard input stood for the first operand
    return is_open;
  }
  return false;
}

bool Interpreter::EndFile() {
  reader_ = nullptr;
  file_reader_.reset();
  file_.reset();
  if (program_.end_file < 0) return true;
  const Flow flow = RunRules(Rule::When::kEndFile);
  if (flow == Flow::kExit || flow == Flow::kFatal) {
    flow_ = flow;
    return false;
  }
  return true;
}

bool Interpreter::ReadRecord(std::string_view& record, std::string_view& terminator) {
  for (;;) {
    if (reader_ == nullptr) [[unlikely]] {
      if (!OpenNextFile()) return false;
      continue;
    }
    auto has_record = reader_->Next(record_rule_, record, terminator);
    if (!has_record) [[unlikely]] {
      const std::string name(TextOf(global(kSlotFilename), convfmt_).view());
      if (has_record.error().code == Code::kIsDirectory) {
        Warn("command line argument `" + name + "' is a directory: skipped");
        reader_ = nullptr;
        continue;
      }
      return Fatal("error reading input file `" + name + "': " + std::string(has_record.error().Text()));
    }
    if (*has_record) [[likely]] {
      ++nr_;
      ++fnr_;
      return true;
    }
    if (!EndFile()) return false;
  }
}

bool Interpreter::Getline(Redirect how, bool has_variable) {
  std::string_view record, terminator;
  has_aside_ = false;
  if (how == Redirect::kNone) {
    if (when_ == Rule::When::kBeginFile || when_ == Rule::When::kEndFile) {   // by way of a function
      return Fatal(std::string("non-redirected `getline' invalid inside `") +
                   (when_ == Rule::When::kBeginFile ? "BEGINFILE" : "ENDFILE") + "' rule");
    }
    if (!ReadRecord(record, terminator)) {
      if (flow_ != Flow::kDone) return false;
      stack_.PushNumber(0);
      return true;
    }
  } else {
    const Value source = stack_.Take();
    const TextOf name(source, convfmt_);
    if (name.view().empty()) {
      return Fatal(std::string("expression for `") + (how == Redirect::kFile ? "<" : OperatorOf(how)) +
                   "' redirection has null string value");
    }
    if (options_.is_sandboxed) return Fatal("redirection not allowed in sandbox mode");
    if (lint_ != LintLevel::kOff && !LintStream(how, false, name.view())) return false;
    const auto unreachable = how == Redirect::kCoprocess ? NetworkError(name.view()) : std::nullopt;
    auto reader = unreachable ? Result<RecordReader*>(*unreachable) : streams_.ForInput(how, name.view());
    if (!reader) {
      const bool is_fatal = how != Redirect::kFile && !IsNonfatal(name.view());
      if (is_fatal && how == Redirect::kCoprocess && reader.error().code == Code::kBadDescriptor) {
        return Fatal("getline: attempt to read from closed read end of two-way pipe");
      }
      if (is_fatal) {
        return Fatal("cannot open pipe `" + std::string(name.view()) +
                     "' for input: " + std::string(reader.error().Text()));
      }
      SetErrno(reader.error());
      stack_.PushNumber(-1);
      return true;
    }
    auto has_record = (*reader)->Next(record_rule_, record, terminator);
    if (!has_record) SetErrno(has_record.error());
    if (!has_record || !*has_record) {
      stack_.PushNumber(has_record ? 0 : -1);
      return true;
    }
  }
  if (has_variable) {
    aside_ = Value::Input(record);
    has_aside_ = true;
    if (program_.uses_rt) global(kSlotRt) = Value::String(terminator);
  } else {
    SetRecord(record, terminator);
  }
  stack_.PushNumber(1);
  return true;
}

// --- the run

int Interpreter::Run() {
  SetUpVariables();
  bool is_ready = true;
  for (const std::string& assignment : options_.assignments) {
    is_ready = is_ready && AssignOperand(assignment, true);
  }
  Flow flow = is_ready && flow_ != Flow::kFatal ? RunRules(Rule::When::kBegin) : Flow::kFatal;
  const bool needs_input = program_.record >= 0 || program_.end >= 0 || program_.begin_file >= 0 ||
                           program_.end_file >= 0;
  if (flow == Flow::kDone && needs_input) {
    std::string_view record, terminator;
    while (ReadRecord(record, terminator)) {
      SetRecord(record, terminator);
      if (program_.record < 0) continue;
      flow = RunRules(Rule::When::kRecord);
      if (record_.has_failed()) {
        if (const Status status = record_.TakeStatus(); !status) FatalError(status.error());
        flow = flow_;
      }
      if (flow == Flow::kExit || flow == Flow::kFatal) break;
      flow_ = Flow::kDone;
      if (flow == Flow::kNextFile && !EndFile()) break;
    }
    if (flow_ != Flow::kDone) flow = flow_;
  }
  if (flow != Flow::kFatal && program_.end >= 0) {
    flow_ = Flow::kDone;
    flow = RunRules(Rule::When::kEnd);
  }
  if (flow == Flow::kFatal) exit_status_ = fatal_status_;
  DropInplace();
  pc_ = last_pc_ = -1;
  file_reader_.reset();
  if (flow != Flow::kFatal && options_.dump_path) DumpVariables();
  if (const Status status = streams_.CloseAll(); !status) {
    streams_.standard_error().Write(options_.name + ": warning: error writing standard output: " +
                                    std::string(status.error().Text()) + "\n");
    if (exit_status_ == 0) exit_status_ = 1;
  }
  return exit_status_;
}

}  // namespace paddock::awk
