#include "commands/data/jq_host.h"

namespace paddock::data {

using jq::Value;

JqHost::JqHost(Invocation& in, const JqOptions& options, std::string origin)
    : in_(in),
      options_(options),
      origin_(std::move(origin)),
      reader_([this] { return NextBlock(); }, {options.stream, options.seq}, in.budget) {}

// Errors while the last input is worked on name its file, even where that has been read to its end.
bool JqHost::OpenNext() {
  file_.reset();
  if (options_.files.empty()) {
    if (has_begun_) return false;
    has_begun_ = true;
    current_name_ = "<stdin>";
    Result<InputFile> input = InputFile::Open(in_, "-");
    if (!input) return false;
    file_.emplace(std::move(*input));
    return true;
  }
  while (next_file_ < options_.files.size()) {
    const std::string& name = options_.files[next_file_++];
    current_name_ = name == "-" ? "<stdin>" : name;
    lines_before_ = reader_.newlines();
    raw_lines_ = 0;
    Result<InputFile> input = InputFile::Open(in_, name);
    if (input) {
      file_.emplace(std::move(*input));
      return true;
    }
    has_failed_ = true;
    in_.err.Write("jq: error: Could not open file " + name + ": " + std::string(input.error().Text()) + "\n");
  }
  return false;
}

std::string_view JqHost::NextBlock() {
  for (;;) {
    if (file_) {
      file_->input().Consume(pending_);
      pending_ = 0;
      const std::string_view block = file_->input().Peek();
      if (!block.empty()) {
        pending_ = block.size();
        return block;
      }
      if (const Status& status = file_->input().status(); !status) {
        has_failed_ = true;
        in_.err.Write("jq: error: " + std::string(status.error().Text()) + "\n");
      }
    }
    if (!OpenNext()) return {};
  }
}

JqHost::Got JqHost::NextRaw(Value& value) {
  for (;;) {
    if (!file_ && !OpenNext()) return Got::kEnd;
    if (const std::optional<Line> line = file_->input().ReadLine()) {
      if (line->is_terminated) ++raw_lines_;
      value = jq::StringFromBytes(line->text);
      return Got::kValue;
    }
    if (!file_->input().status()) has_failed_ = true;
    file_.reset();
  }
}

JqHost::Got JqHost::NextParsed(Value& value, std::string& error) {
  switch (reader_.Next(value)) {
    case jq::JsonReader::Got::kValue: return Got::kValue;
    case jq::JsonReader::Got::kEnd: return Got::kEnd;
    default: break;
  }
  error = reader_.error();
  if (!options_.stream_errors) return Got::kError;
  is_ended_ = true;
  value = Value::Array(2);
  value.Append(Value::String(error));
  value.Append(reader_.error_path());
  return Got::kValue;
}

JqHost::Got JqHost::Slurp(Value& value, std::string& error) {
  if (is_slurped_) return Got::kEnd;
  is_slurped_ = true;
  if (options_.raw_input) {
    std::string text;
    for (std::string_view block = NextBlock(); !block.empty(); block = NextBlock()) {
      in_.budget.WillAllocate(block.size());
      text += block;
    }
    value = jq::StringFromBytes(text);
    return Got::kValue;
  }
  value = Value::Array();
  for (;;) {
    Value one;
    const Got got = is_ended_ ? Got::kEnd : NextParsed(one, error);
    if (got == Got::kEnd) return Got::kValue;
    if (got == Got::kError) {
      if (!options_.seq) return got;
      continue;
    }
    value.Append(std::move(one));
  }
}

JqHost::Got JqHost::NextInput(Value& value, std::string& error) {
  if (!is_ended_ && options_.slurp) return Slurp(value, error);
  const Got got = is_ended_ ? Got::kEnd : options_.raw_input ? NextRaw(value) : NextParsed(value, error);
  if (got == Got::kEnd) current_name_.reset();
  if (got == Got::kError && !options_.seq) is_ended_ = true;
  return got;
}

Value JqHost::InputName() {
  if (!current_name_ || options_.files.empty()) return Value::Null();
  return jq::StringFromBytes(*current_name_);
}

uint64_t JqHost::InputLine() {
  if (options_.raw_input) return raw_lines_;
  const uint64_t lines = reader_.LinesSeen();
  return lines > lines_before_ ? lines - lines_before_ : 0;
}

std::string JqHost::Position() {
  if (!current_name_) return "<unknown>";
  return *current_name_ + ":" + std::to_string(InputLine());
}

void JqHost::WriteError(std::string_view text) {
  in_.out.Flush();
  in_.err.Write(text);
}

const Value& JqHost::Environment() {
  if (!environment_.is_valid()) {
    environment_ = Value::Object();
    for (const auto& variable : in_.env.variables()) {
      environment_.Set(jq::StringFromBytes(variable.name).text(), jq::StringFromBytes(variable.value));
    }
  }
  return environment_;
}

TimeZone JqHost::LocalZone() { return TimeZone::FromTz(in_.env.Get("TZ")); }

Result<std::string> JqHost::ReadModule(const std::string& path) { return vfs::ReadFile(in_.fs, path); }

}  // namespace paddock::data
