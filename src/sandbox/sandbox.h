// The narrow waist: Driver makes a Sandbox, Sandbox starts a Process, Process gives an ExecResult.
//
// The base holds only what every wall can do honestly; everything else is a facet of its own.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sandbox/result.h"
#include "sandbox/spec.h"

namespace paddock::vfs {
class FileSystem;
}

namespace paddock::sandbox {

enum class Stream { kStdout, kStderr };

// Gets the output of a running exec as it is written, in the true order of both streams. Called on the
// thread that runs the exec (in Process::Wait()); while it runs the program waits, other execs and files do not.
using OutputHandler = std::function<void(Stream stream, std::string_view bytes)>;

// Where an exec's stdin comes from.
struct StdinSource {
  enum class Kind { kEmpty, kText, kHostDescriptor };
  Kind kind = Kind::kEmpty;
  std::string text;
  int descriptor = -1;   // of the host; stays the caller's
};

// A running exec.
class Process {
 public:
  virtual ~Process() = default;
  // Runs it to the end on the calling thread (virtual tier), or waits for it. Called once.
  virtual ExecResult Wait() = 0;
  // Asks it to stop; the result then says cancelled. Safe from any thread, before, during and after Wait().
  virtual void Cancel() = 0;
};

// Facet of a Process that is a real one: it gets signals, and its terminal sizes. Safe in signal handlers.
class Controllable {
 public:
  virtual ~Controllable() = default;
  // To its process group; on a terminal to the foreground group.
  virtual void Signal(int signal) = 0;
  virtual void Resize(WindowSize size) = 0;
};

class Sandbox {
 public:
  virtual ~Sandbox() = default;
  virtual const std::string& id() const = 0;
  // Starts an exec. With a null handler the output is collected into the result.
  // Errors: kNoEntry (cwd), kInvalid (neither script nor command), kBusy (an exec is running).
  virtual Result<std::unique_ptr<Process>> Start(ExecSpec spec, StdinSource input, OutputHandler handler) = 0;
  // Ends it, and everything inside. One line for each thing that was taken back: what a policy does not let outlive the
  // sandbox. Idempotent; destroying the sandbox does it, too.
  virtual std::vector<std::string> Close() { return {}; }
  // What this host could not give of what was asked, one line each with the remedy. The sandbox stands all the same.
  virtual std::vector<std::string> Warnings() const { return {}; }
};

// Facet: the sandbox's files, as its user: what code inside would see and be allowed.
class HasFiles {
 public:
  virtual ~HasFiles() = default;
  // Valid as long as the sandbox; after Close() every operation fails.
  virtual vfs::FileSystem& files() = 0;
  // True behind real walls: files may be used from any thread, several at a time, also while execs run on others. False in the
  // virtual tier: one thread at a time uses the files or runs an exec.
  virtual bool has_concurrent_files() const { return false; }
};

// Facet: another sandbox with the same files and shell state, which then goes its own way.
class Forkable {
 public:
  virtual ~Forkable() = default;
  virtual Result<std::unique_ptr<Sandbox>> Fork() = 0;
};

// Facet: a shell whose variables, functions and options pass from one exec with keeps_state to the next.
class KeepsShell {
 public:
  virtual ~KeepsShell() = default;
  // Makes the next exec begin with a fresh shell in the sandbox's first directory; files stay. Not while an exec runs.
  virtual void ForgetShell() = 0;
};

// Facet: ports inside that the host reaches on its loopback, with the host's numbers as they were chosen.
class PublishesPorts {
 public:
  virtual ~PublishesPorts() = default;
  virtual std::vector<policy::PublishedPort> Published() const = 0;
};

// Facet: rules that can change while code runs.
class LivePolicy {
 public:
  virtual ~LivePolicy() = default;
  // Replaces the network rules, also for what is connected already. Ports that programs reach without the proxy variables stay
  // those of the first rules. Errors: kInvalid (and the old rules stay). Safe from any thread.
  virtual Status UpdateNetwork(policy::NetworkRules rules) = 0;
};

// What a sandbox has used since it was stood up; what is not set this wall does not measure.
struct Measured {
  std::optional<std::chrono::nanoseconds> cpu;   // processor time of all that ran in it
  std::optional<uint64_t> memory_bytes;          // held now
  std::optional<uint64_t> disk_bytes;            // of its own files, now
  std::optional<uint64_t> disk_read_bytes, disk_written_bytes;
  std::optional<uint64_t> network_in_bytes, network_out_bytes;
};

// Facet: what it uses is measured, also while execs run. Any thread.
class Metered {
 public:
  virtual ~Metered() = default;
  virtual Measured Measure() const = 0;
};

// Facet: others may use the sandbox's files while an exec runs, at moments when that stands still.
class StandsStill {
 public:
  virtual ~StandsStill() = default;
  // `visit` runs once, on the exec's thread, at its next safe moment: between two steps of its code, or while it waits. Then nothing is
  // half done, and files may be used as when nothing runs. Without a running exec it waits for one. Any thread.
  virtual void WhenStill(std::function<void()> visit) = 0;
};

class Driver {
 public:
  virtual ~Driver() = default;
  virtual const char* name() const = 0;
  // A create is about to come: starts what it will need whatever its spec is, without waiting for it. Errors show when the
  // create comes.
  virtual void GetReady() {}
  // Ends what is kept for further creates. None of the driver's sandboxes may be left.
  virtual void LetGo() {}
  // Errors name the part of the spec that cannot be had.
  virtual Result<std::unique_ptr<Sandbox>> Create(const SandboxSpec& spec) = 0;
};

}  // namespace paddock::sandbox
