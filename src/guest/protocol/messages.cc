#include "guest/protocol/messages.h"

#include <algorithm>

#include "guest/protocol/wire.h"

namespace paddock::guest {
namespace {

constexpr size_t kMaxTexts = 64 * 1024;
constexpr size_t kMaxTextBytes = 1024 * 1024;
constexpr size_t kMaxPathBytes = 4096;
constexpr size_t kMaxGroups = 1024;
constexpr size_t kMaxLimits = 32;
constexpr size_t kMaxSoftwareBytes = 64;
constexpr size_t kMaxFailureBytes = 1024;
constexpr size_t kMaxProcesses = 64 * 1024;

}  // namespace

std::string Encode(const Hello& message) {
  WireWriter writer;
  writer.U64(kMagic);
  writer.U16(message.version_min);
  writer.U16(message.version_max);
  writer.U64(message.features);
  writer.String(message.software.substr(0, kMaxSoftwareBytes));
  return writer.Take();
}

Result<Hello> DecodeHello(std::string_view bytes) {
  WireReader reader(bytes);
  if (reader.U64() != kMagic) return Error(Code::kInvalid, "the peer does not speak the guest protocol");
  Hello message;
  message.version_min = reader.U16();
  message.version_max = reader.U16();
  message.features = reader.U64();
  message.software = reader.Text(kMaxSoftwareBytes);
  if (message.version_min > message.version_max) reader.Fail();
  PADDOCK_TRY(reader.Finish("hello"));
  return message;
}

Result<uint16_t> CommonVersion(const Hello& one, const Hello& other) {
  const uint16_t version = std::min(one.version_max, other.version_max);
  if (version >= std::max(one.version_min, other.version_min)) return version;
  return Error(Code::kUnavailable, "guest protocol: no version in common (" + std::to_string(one.version_min) + "-" +
                                       std::to_string(one.version_max) + " and " + std::to_string(other.version_min) + "-" +
                                       std::to_string(other.version_max) + "); use a paddock-guest of the same release");
}

const char* StepName(Step step) {
  switch (step) {
    case Step::kNone: return "";
    case Step::kRequest: return "request";
    case Step::kPipe: return "pipe";
    case Step::kTerminal: return "terminal";
    case Step::kFork: return "fork";
    case Step::kSession: return "session";
    case Step::kLimits: return "limits";
    case Step::kUser: return "user";
    case Step::kDirectory: return "directory";
    case Step::kExec: return "exec";
    case Step::kOomScore: return "oom score";
  }
  return "";
}

std::string Encode(const Failure& message) {
  WireWriter writer;
  writer.I32(message.error_number);
  writer.U8(static_cast<uint8_t>(message.step));
  writer.String(message.text.substr(0, kMaxFailureBytes));
  return writer.Take();
}

Result<Failure> DecodeFailure(std::string_view bytes) {
  WireReader reader(bytes);
  Failure message;
  message.error_number = reader.I32();
  const uint8_t step = reader.U8();
  message.text = reader.Text(kMaxFailureBytes);
  if (step >= kStepCount || message.error_number < 0 || message.error_number > 4095) reader.Fail();
  PADDOCK_TRY(reader.Finish("failure"));
  message.step = static_cast<Step>(step);
  return message;
}

std::string Encode(const StartRequest& message) {
  WireWriter writer;
  writer.Strings(message.arguments);
  writer.Strings(message.environment);
  writer.String(message.directory);
  writer.Bool(message.user.has_value());
  if (message.user) {
    writer.U32(message.user->uid);
    writer.U32(message.user->gid);
    writer.U32(static_cast<uint32_t>(message.user->groups.size()));
    for (const uint32_t group : message.user->groups) writer.U32(group);
  }
  writer.U32(static_cast<uint32_t>(message.limits.size()));
  for (const ResourceLimit& limit : message.limits) {
    writer.U8(limit.resource);
    writer.U64(limit.soft);
    writer.U64(limit.hard);
  }
  writer.Bool(message.umask.has_value());
  if (message.umask) writer.U16(*message.umask);
  writer.Bool(message.oom_score_adj.has_value());
  if (message.oom_score_adj) writer.U16(static_cast<uint16_t>(*message.oom_score_adj));
  writer.Bool(message.terminal.has_value());
  if (message.terminal) {
    writer.U16(message.terminal->rows);
    writer.U16(message.terminal->columns);
  }
  writer.Bool(message.has_input);
  writer.Bool(message.merges_output);
  writer.U32(message.output_window);
  writer.U32(message.log_bytes);
  return writer.Take();
}

Result<StartRequest> DecodeStart(std::string_view bytes) {
  WireReader reader(bytes);
  StartRequest message;
  message.arguments = reader.Texts(kMaxTexts, kMaxTextBytes);
  message.environment = reader.Texts(kMaxTexts, kMaxTextBytes);
  message.directory = reader.Text(kMaxPathBytes);
  if (reader.Bool()) {
    ProcessUser& user = message.user.emplace();
    user.uid = reader.U32();
    user.gid = reader.U32();
    const uint32_t count = reader.Count(kMaxGroups, 4);
    for (uint32_t i = 0; i < count; ++i) user.groups.push_back(reader.U32());
  }
  const uint32_t limits = reader.Count(kMaxLimits, 17);
  for (uint32_t i = 0; i < limits; ++i) {
    ResourceLimit& limit = message.limits.emplace_back();
    limit.resource = reader.U8();
    limit.soft = reader.U64();
    limit.hard = reader.U64();
  }
  if (reader.Bool()) message.umask = reader.U16();
  if (reader.Bool()) message.oom_score_adj = static_cast<int16_t>(reader.U16());
  if (reader.Bool()) {
    message.terminal.emplace();
    message.terminal->rows = reader.U16();
    message.terminal->columns = reader.U16();
  }
  message.has_input = reader.Bool();
  message.merges_output = reader.Bool();
  message.output_window = reader.U32();
  message.log_bytes = reader.U32();
  if (message.arguments.empty() || message.arguments[0].empty() || message.directory.empty()) reader.Fail();
  if (message.umask.value_or(0) > 0777) reader.Fail();
  if (std::abs(int{message.oom_score_adj.value_or(0)}) > 1000) reader.Fail();
  PADDOCK_TRY(reader.Finish("start"));
  message.log_bytes = std::clamp(message.log_bytes, kMinLogBytes, kMaxLogBytes);
  return message;
}

std::string Encode(const AttachRequest& message) {
  WireWriter writer;
  writer.U64(message.process);
  writer.U64(message.out_offset);
  writer.U64(message.error_offset);
  writer.U32(message.output_window);
  return writer.Take();
}

Result<AttachRequest> DecodeAttach(std::string_view bytes) {
  WireReader reader(bytes);
  AttachRequest message;
  message.process = reader.U64();
  message.out_offset = reader.U64();
  message.error_offset = reader.U64();
  message.output_window = reader.U32();
  PADDOCK_TRY(reader.Finish("attach"));
  return message;
}

std::string Encode(const Started& message) {
  WireWriter writer;
  writer.U64(message.process);
  writer.I32(message.pid);
  writer.U64(message.out_offset);
  writer.U64(message.error_offset);
  writer.U32(message.input_window);
  return writer.Take();
}

Result<Started> DecodeStarted(std::string_view bytes) {
  WireReader reader(bytes);
  Started message;
  message.process = reader.U64();
  message.pid = reader.I32();
  message.out_offset = reader.U64();
  message.error_offset = reader.U64();
  message.input_window = reader.U32();
  PADDOCK_TRY(reader.Finish("started"));
  return message;
}

std::string Encode(const Exited& message) {
  WireWriter writer;
  writer.Bool(message.by_signal);
  writer.Bool(message.dumped_core);
  writer.U8(message.code);
  writer.U64(message.usage.user_us);
  writer.U64(message.usage.system_us);
  writer.U64(message.usage.max_resident_bytes);
  return writer.Take();
}

Result<Exited> DecodeExited(std::string_view bytes) {
  WireReader reader(bytes);
  Exited message;
  message.by_signal = reader.Bool();
  message.dumped_core = reader.Bool();
  message.code = reader.U8();
  message.usage.user_us = reader.U64();
  message.usage.system_us = reader.U64();
  message.usage.max_resident_bytes = reader.U64();
  if (message.by_signal && (message.code == 0 || message.code > 64)) reader.Fail();
  PADDOCK_TRY(reader.Finish("exited"));
  return message;
}

std::string Encode(const SignalRequest& message) {
  WireWriter writer;
  writer.U8(message.signal);
  writer.U8(static_cast<uint8_t>(message.target));
  return writer.Take();
}

Result<SignalRequest> DecodeSignal(std::string_view bytes) {
  WireReader reader(bytes);
  SignalRequest message;
  message.signal = reader.U8();
  const uint8_t target = reader.U8();
  if (message.signal == 0 || message.signal > 64 || target >= kSignalTargets) reader.Fail();
  PADDOCK_TRY(reader.Finish("signal"));
  message.target = static_cast<SignalTarget>(target);
  return message;
}

std::string Encode(const TerminalSize& message) {
  WireWriter writer;
  writer.U16(message.rows);
  writer.U16(message.columns);
  return writer.Take();
}

Result<TerminalSize> DecodeTerminalSize(std::string_view bytes) {
  WireReader reader(bytes);
  TerminalSize message;
  message.rows = reader.U16();
  message.columns = reader.U16();
  PADDOCK_TRY(reader.Finish("terminal size"));
  return message;
}

std::string EncodeU32(uint32_t value) {
  WireWriter writer;
  writer.U32(value);
  return writer.Take();
}

Result<uint32_t> DecodeU32(std::string_view bytes) {
  WireReader reader(bytes);
  const uint32_t value = reader.U32();
  PADDOCK_TRY(reader.Finish("number"));
  return value;
}

std::string EncodeU64(uint64_t value) {
  WireWriter writer;
  writer.U64(value);
  return writer.Take();
}

Result<uint64_t> DecodeU64(std::string_view bytes) {
  WireReader reader(bytes);
  const uint64_t value = reader.U64();
  PADDOCK_TRY(reader.Finish("number"));
  return value;
}

std::string Encode(const std::vector<ProcessInfo>& message) {
  WireWriter writer;
  writer.U32(static_cast<uint32_t>(message.size()));
  for (const ProcessInfo& process : message) {
    writer.U64(process.process);
    writer.I32(process.pid);
    writer.Bool(process.is_running);
    writer.Bool(process.is_attached);
    writer.String(std::string_view(process.name).substr(0, kMaxPathBytes));
  }
  return writer.Take();
}

Result<std::vector<ProcessInfo>> DecodeProcesses(std::string_view bytes) {
  WireReader reader(bytes);
  std::vector<ProcessInfo> message;
  const uint32_t count = reader.Count(kMaxProcesses, 18);
  for (uint32_t i = 0; i < count && reader.ok(); ++i) {
    ProcessInfo& process = message.emplace_back();
    process.process = reader.U64();
    process.pid = reader.I32();
    process.is_running = reader.Bool();
    process.is_attached = reader.Bool();
    process.name = reader.Text(kMaxPathBytes);
  }
  PADDOCK_TRY(reader.Finish("process list"));
  return message;
}

}  // namespace paddock::guest
