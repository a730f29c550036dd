#include "lang/awk/streams.h"

#include "base/budget.h"
#include "base/output_sink.h"

namespace paddock::awk {

int ToStatus(const CommandStatus& status) {
  return status.signal != 0 ? 256 + status.signal : status.exit_status;
}

Streams::Streams(Host& host, std::function<void()> before_command)
    : host_(host),
      before_command_(std::move(before_command)),
      standard_output_(host.standard_output()),
      standard_error_(host.standard_error()),
      standard_input_(host.standard_input(), host.budget()) {
  standard_error_.set_unbuffered(true);
  standard_output_.set_unbuffered(host.is_output_terminal());
}

Streams::Stream* Streams::Find(Redirect how, bool is_output, std::string_view name) {
  const bool is_file = how == Redirect::kFile || how == Redirect::kAppend;
  for (Stream& stream : streams_) {
    if (stream.name != name) continue;
    if (how == Redirect::kCoprocess && stream.how == how) return &stream;
    if (stream.is_output != is_output) continue;
    const bool stream_is_file = stream.how == Redirect::kFile || stream.how == Redirect::kAppend;
    if (stream.how == how || (is_file && stream_is_file)) return &stream;
  }
  return nullptr;
}

Status Streams::OpenOutput(Stream& stream) {
  const bool reverses = libraries_.reverses_output && libraries_.reverses_output();
  ByteSink* sink = nullptr;
  if (stream.how == Redirect::kPipe) {
    standard_output_.Flush();
    before_command_();
    PADDOCK_ASSIGN(stream.command_input, host_.StartWriting(stream.name));
    sink = stream.command_input.get();
  } else if (stream.name == "/dev/stdout" || stream.name == "-") {
    if (reverses) {
      stream.file_sink = MakeReversingSink(std::make_unique<OutputSink>(standard_output_), host_.budget());
      stream.output = std::make_unique<Output>(*stream.file_sink);
      stream.output->set_unbuffered(true);
      return {};
    }
    stream.shared_output = &standard_output_;
    return {};
  } else if (stream.name == "/dev/stderr") {
    stream.shared_output = &standard_error_;
    return {};
  } else {
    // What stands in the buffers may be meant for the same place.
    if (stream.name.starts_with("/dev/")) standard_output_.Flush();
    PADDOCK_ASSIGN(stream.file_sink,
                   host_.OpenForWriting(stream.name, stream.how == Redirect::kAppend));
    if (reverses) stream.file_sink = MakeReversingSink(std::move(stream.file_sink), host_.budget());
    sink = stream.file_sink.get();
  }
  stream.output = std::make_unique<Output>(*sink);
  if (reverses || stream.name.starts_with("/dev/fd/")) stream.output->set_unbuffered(true);
  return {};
}

Status Streams::OpenInput(Stream& stream) {
  ByteSource* source = nullptr;
  if (stream.how == Redirect::kPipe) {
    FlushAll();
    before_command_();
    PADDOCK_ASSIGN(stream.command_output, host_.StartReading(stream.name));
    source = stream.command_output.get();
  } else if (stream.name == "-" || stream.name == "/dev/stdin") {
    stream.shared_reader = &standard_input_;
    return {};
  } else {
    PADDOCK_ASSIGN(OpenedInput opened, awk::OpenInput(host_, libraries_, stream.name));
    stream.file_source = std::move(opened.source);
    stream.reader = std::make_unique<RecordReader>(*stream.file_source, host_.budget());
    if (opened.rule) stream.reader->set_own_rule(*opened.rule);
    return {};
  }
  stream.reader = std::make_unique<RecordReader>(*source, host_.budget());
  return {};
}

Result<Output*> Streams::ForOutput(Redirect how, std::string_view name) {
  if (how == Redirect::kNone) return &standard_output_;
  if (!streams_.empty() && streams_.front().how == how && streams_.front().is_output &&
      streams_.front().name == name) [[likely]] {
    if (streams_.front().is_to_closed) return Code::kBadDescriptor;
    return streams_.front().out();
  }
  if (const Stream* const found = Find(how, true, name)) {
    if (found->is_to_closed) return Code::kBadDescriptor;
    return found->out();
  }
  Stream stream;
  stream.how = how;
  stream.is_output = true;
  stream.name = name;
  if (how == Redirect::kCoprocess) {
    FlushAll();
    before_command_();
    if (libraries_.has_mirror && name == kMirrorName) {
      stream.coprocess = MakeMirror(host_.budget());
    } else {
      PADDOCK_ASSIGN(stream.coprocess, host_.StartCoprocess(name));
    }
    stream.output = std::make_unique<Output>(stream.coprocess->input());
    stream.output->set_unbuffered(libraries_.has_mirror && name == kMirrorName);
    stream.reader = std::make_unique<RecordReader>(stream.coprocess->output(), host_.budget());
  } else {
    PADDOCK_TRY(OpenOutput(stream));
  }
  streams_.push_front(std::move(stream));
  return streams_.front().out();
}

Result<RecordReader*> Streams::ForInput(Redirect how, std::string_view name) {
  if (how == Redirect::kCoprocess) {
    Stream* stream = Find(how, true, name);
    if (stream == nullptr) {
      PADDOCK_TRY(ForOutput(how, name));
      stream = Find(how, true, name);
    }
    if (stream->is_from_closed) return Code::kBadDescriptor;
    if (!stream->is_to_closed) stream->output->Flush();
    return stream->in();
  }
  if (const Stream* const found = Find(how, false, name)) return found->in();
  Stream stream;
  stream.how = how;
  stream.is_output = false;
  stream.name = name;
  PADDOCK_TRY(OpenInput(stream));
  streams_.push_front(std::move(stream));
  return streams_.front().in();
}

Result<int> Streams::CloseStream(std::list<Stream>::iterator at) {
  Stream stream = std::move(*at);
  streams_.erase(at);
  Status written;
  if (stream.output != nullptr && !stream.is_to_closed) written = stream.output->Flush();
  stream.output.reset();
  stream.reader.reset();
  CommandStatus status;
  if (stream.command_input != nullptr) status = stream.command_input->Wait();
  if (stream.command_output != nullptr) status = stream.command_output->Wait();
  if (stream.coprocess != nullptr) {
    stream.coprocess->CloseInput();
    status = stream.is_from_closed ? stream.status : stream.coprocess->Wait();
  }
  if (!written && stream.command_input == nullptr) return written.error();
  return ToStatus(status);
}

// One end of a coprocess. With its output goes the command, which is waited for; with both ends all of it.
Result<int> Streams::CloseEnd(std::list<Stream>::iterator at, bool is_to) {
  if (is_to) {
    if (!at->is_to_closed) at->output->Flush();
    at->coprocess->CloseInput();
    at->is_to_closed = true;
  } else if (!at->is_from_closed) {
    if (!at->is_to_closed) at->output->Flush();
    at->status = at->coprocess->Wait();
    at->is_from_closed = true;
  }
  const int status = is_to ? 0 : ToStatus(at->status);
  if (at->is_to_closed && at->is_from_closed) streams_.erase(at);
  return status;
}

Result<int> Streams::Close(std::string_view name, std::string_view end) {
  for (auto at = streams_.begin(); at != streams_.end(); ++at) {
    if (at->name != name) continue;
    if (at->coprocess != nullptr && !end.empty()) return CloseEnd(at, end == "to");
    if (at->is_output) standard_output_.Flush();
    return CloseStream(at);
  }
  return -1;
}

std::optional<Status> Streams::Flush(std::string_view name) {
  std::optional<Status> result;
  for (Stream& stream : streams_) {
    if (stream.name != name || stream.out() == nullptr) continue;
    result = stream.is_to_closed ? Status(Code::kBadDescriptor) : stream.out()->Flush();
  }
  if (!result && name == "/dev/stdout") result = standard_output_.Flush();
  if (!result && name == "/dev/stderr") result = standard_error_.Flush();
  return result;
}

void Streams::FlushAll() {
  for (Stream& stream : streams_) {
    if (stream.output != nullptr && !stream.is_to_closed) stream.output->Flush();
  }
  standard_output_.Flush();
}

Status Streams::CloseAll() {
  Status first;
  while (!streams_.empty()) {
    auto closed = CloseStream(streams_.begin());
    if (!closed && first) first = closed.error();
  }
  Status written = standard_output_.Flush();
  return written ? first : written;
}

std::vector<StreamUse> Streams::UsesOf(std::string_view name) const {
  std::vector<StreamUse> uses;
  for (const Stream& stream : streams_) {
    if (stream.name == name) uses.push_back({stream.how, stream.is_output});
  }
  return uses;
}

Result<CommandStatus> Streams::System(std::string_view command) {
  FlushAll();
  before_command_();
  return host_.RunSystem(command);
}

}  // namespace paddock::awk
