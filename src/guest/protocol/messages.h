// The messages of the protocol as plain values, each with its encoding. A decoder takes a whole message and gives kInvalid
// unless every field is within its bound and nothing is left over.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace paddock::guest {

inline constexpr uint64_t kMagic = 0x54534555474b4450;   // "PDKGUEST" on the wire
inline constexpr uint16_t kVersionMin = 1;
inline constexpr uint16_t kVersionMax = 2;

// What an agent may have; a client asks only for what both ends have.
enum Feature : uint64_t {
  kFeatureExec = 1 << 0,
  kFeatureFiles = 1 << 1,
  kFeaturePorts = 1 << 2,
  kFeatureSystem = 1 << 3,    // time, entropy, shutdown
  kFeatureInit = 1 << 4,      // the agent is PID 1: killing all leaves nothing
  kFeatureTakesTreeEnd = 1 << 16,   // of a client: kTreeKilled may come unasked
};

// The first frame of either side; both send it without waiting for the other's.
struct Hello {
  uint16_t version_min = kVersionMin;
  uint16_t version_max = kVersionMax;
  uint64_t features = 0;
  std::string software;   // for people
};
std::string Encode(const Hello& message);
Result<Hello> DecodeHello(std::string_view bytes);
// The highest version that both know. kUnavailable when there is none.
Result<uint16_t> CommonVersion(const Hello& one, const Hello& other);

// Where a failed request failed.
enum class Step : uint8_t {
  kNone = 0,        // the operation itself
  kRequest = 1,     // malformed, out of bounds, or not possible here
  kPipe = 2,
  kTerminal = 3,
  kFork = 4,
  kSession = 5,
  kLimits = 6,
  kUser = 7,
  kDirectory = 8,   // chdir
  kExec = 9,
  kOomScore = 10,
};
inline constexpr uint8_t kStepCount = 11;
const char* StepName(Step step);

// An operation failed: `error_number` is Linux's errno.
struct Failure {
  int32_t error_number = 0;
  Step step = Step::kNone;
  std::string text;        // what failed, for people; may be empty
};
std::string Encode(const Failure& message);
Result<Failure> DecodeFailure(std::string_view bytes);

struct TerminalSize {
  uint16_t rows = 24;
  uint16_t columns = 80;
};

struct ProcessUser {
  uint32_t uid = 0;
  uint32_t gid = 0;
  std::vector<uint32_t> groups;   // supplementary
};

// One setrlimit(2).
struct ResourceLimit {
  uint8_t resource = 0;           // RLIMIT_…
  uint64_t soft = 0;
  uint64_t hard = 0;
};

// Starts a program. Answered by kStarted, or kError with the step that failed.
struct StartRequest {
  std::vector<std::string> arguments;     // at least one; the first is looked up in PATH of `environment` if it has no slash
  std::vector<std::string> environment;   // NAME=value: the whole environment
  std::string directory = "/";
  std::optional<ProcessUser> user;        // the agent's own if absent
  std::vector<ResourceLimit> limits;
  std::optional<uint16_t> umask;
  std::optional<int16_t> oom_score_adj;
  std::optional<TerminalSize> terminal;   // a pty as 0, 1 and 2 instead of pipes
  bool has_input = false;                 // without: 0 is at its end at once
  bool merges_output = false;             // 2 is the same pipe as 1
  uint32_t output_window = kDefaultOutputWindow;   // first credit of each output channel
  uint32_t log_bytes = kDefaultLogBytes;           // output kept for Attach, each channel

  static constexpr uint32_t kDefaultOutputWindow = 256 * 1024;
  static constexpr uint32_t kDefaultLogBytes = 64 * 1024;
};
inline constexpr uint32_t kMinLogBytes = 4 * 1024;
inline constexpr uint32_t kMaxLogBytes = 1024 * 1024;
std::string Encode(const StartRequest& message);
Result<StartRequest> DecodeStart(std::string_view bytes);

// Binds this stream to a process that runs or has run, and sends its output again from these offsets, or from the first
// that are still kept. Another stream that it was bound to ends with kReset.
struct AttachRequest {
  uint64_t process = 0;
  uint64_t out_offset = 0;
  uint64_t error_offset = 0;
  uint32_t output_window = StartRequest::kDefaultOutputWindow;
};
std::string Encode(const AttachRequest& message);
Result<AttachRequest> DecodeAttach(std::string_view bytes);

struct Started {
  uint64_t process = 0;      // the agent's number, never used again
  int32_t pid = 0;           // inside
  uint64_t out_offset = 0;   // of the first byte that will come
  uint64_t error_offset = 0;
  uint32_t input_window = 0; // how much input may be sent; of a new process with input kInitialWindowBytes
};
std::string Encode(const Started& message);
Result<Started> DecodeStarted(std::string_view bytes);

struct ProcessUsage {
  uint64_t user_us = 0;
  uint64_t system_us = 0;
  uint64_t max_resident_bytes = 0;
};

// The program has ended; output may still follow.
struct Exited {
  bool by_signal = false;
  bool dumped_core = false;
  uint8_t code = 0;          // exit status, or number of the signal
  ProcessUsage usage;        // of the program and the children that it waited for
};
std::string Encode(const Exited& message);
Result<Exited> DecodeExited(std::string_view bytes);

enum class SignalTarget : uint8_t { kProcess = 0, kGroup = 1, kTree = 2, kForeground = 3 };
inline constexpr uint8_t kSignalTargets = 4;

struct SignalRequest {
  uint8_t signal = 0;        // 1 … 64
  SignalTarget target = SignalTarget::kGroup;
};
std::string Encode(const SignalRequest& message);
Result<SignalRequest> DecodeSignal(std::string_view bytes);

std::string Encode(const TerminalSize& message);
Result<TerminalSize> DecodeTerminalSize(std::string_view bytes);

// A single number: kWindow, kPing, kPong.
std::string EncodeU32(uint32_t value);
Result<uint32_t> DecodeU32(std::string_view bytes);
std::string EncodeU64(uint64_t value);
Result<uint64_t> DecodeU64(std::string_view bytes);

struct ProcessInfo {
  uint64_t process = 0;
  int32_t pid = 0;
  bool is_running = false;
  bool is_attached = false;
  std::string name;          // the first argument
};
std::string Encode(const std::vector<ProcessInfo>& message);
Result<std::vector<ProcessInfo>> DecodeProcesses(std::string_view bytes);

}  // namespace paddock::guest
