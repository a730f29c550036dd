// tee - read from standard input and write to standard output and files
//
// usage: tee [OPTION]... [FILE]...
// Copies each piece of input to all outputs as soon as it is there.
//
// Exit status: 0, or 1 when an output could not be opened or written.
// Source: POSIX tee; GNU coreutils 9.1.
// Differs: nothing known.

#include <memory>

#include "proc/command.h"
#include "proc/process.h"
#include "text/choice.h"
#include "text/quote.h"

namespace paddock {
namespace {

// What --output-error asks for; the values name what happens on an error.
enum class OnError { kSignal, kWarn, kWarnNoPipe, kExit, kExitNoPipe };

struct Options {
  bool append = false;
  bool ignore_interrupts = false;
  bool has_error_mode = false;
  std::string error_mode;
};

Status SetErrorMode(Options& options, std::string_view mode) {
  options.has_error_mode = true;
  options.error_mode = mode.data() == nullptr ? "warn-nopipe" : mode;
  return {};
}

constexpr Option kOptions[] = {
    Flag<&Options::append>('a', "append", "append to the given FILEs, do not overwrite"),
    Flag<&Options::ignore_interrupts>('i', "ignore-interrupts", "ignore interrupt signals"),
    Call<SetErrorMode>('p', nullptr, nullptr, "diagnose errors writing to non pipes"),
    CallOptional<SetErrorMode>(0, "output-error", "MODE", "set behavior on write error"),
};

constexpr Choice kModes[] = {
    {"warn", static_cast<int>(OnError::kWarn)},
    {"warn-nopipe", static_cast<int>(OnError::kWarnNoPipe)},
    {"exit", static_cast<int>(OnError::kExit)},
    {"exit-nopipe", static_cast<int>(OnError::kExitNoPipe)},
};

struct Target {
  std::string name;
  vfs::OpenFilePtr file;   // null: standard output
};

class Splitter {
 public:
  Splitter(Invocation& in, OnError on_error) : in_(in), on_error_(on_error) {
    targets_.push_back({"standard output", nullptr});
  }

  void Open(const Options& options, const std::vector<std::string>& operands) {
    const vfs::OpenFlags flags = options.append ? vfs::OpenFlags::Append() : vfs::OpenFlags::Write();
    for (const std::string& name : operands) {
      auto file = in_.fs.Open(name, flags);
      if (!file) {
        Report(QuoteSubject(name, in_.locale.is_utf8), file.error());
        if (on_error_ == OnError::kExit || on_error_ == OnError::kExitNoPipe) must_stop_ = true;
        if (must_stop_) return;
        continue;
      }
      targets_.push_back({name, *file});
    }
  }

  void Copy() {
    while (!must_stop_ && !targets_.empty()) {
      const std::string_view bytes = in_.in.Peek();
      if (bytes.empty()) break;
      for (size_t i = 0; i < targets_.size() && !must_stop_;) {
        const Status status = WriteTo(targets_[i], bytes);
        if (status || !Drop(i, status.error())) ++i;
      }
      in_.in.Consume(bytes.size());
    }
    if (!in_.in.status()) Report("read error", in_.in.status().error());
  }

  ExitStatus status() const { return status_; }

 private:
  Status WriteTo(const Target& target, std::string_view bytes) {
    if (target.file != nullptr) return target.file->Write(bytes);
    in_.out.Write(bytes);
    Status status = in_.out.Flush();
    if (!status) in_.out.ClearStatus();
    return status;
  }

  // Reports a write error as the mode says and forgets the output; true when it is forgotten.
  bool Drop(size_t index, const Error& error) {
    const bool is_pipe = error.code == Code::kBrokenPipe;
    const bool skips_pipes = on_error_ == OnError::kWarnNoPipe || on_error_ == OnError::kExitNoPipe;
    if (!is_pipe || !skips_pipes) {
      const std::string& name = targets_[index].name;
      Report(targets_[index].file == nullptr ? "'" + name + "'" : QuoteSubject(name, in_.locale.is_utf8),
             error);
      if (on_error_ == OnError::kExit || on_error_ == OnError::kExitNoPipe) must_stop_ = true;
    }
    targets_.erase(targets_.begin() + static_cast<std::ptrdiff_t>(index));
    return true;
  }

  void Report(std::string_view subject, const Error& error) { status_ = in_.Fail(subject, error); }

  Invocation& in_;
  OnError on_error_;
  std::vector<Target> targets_;
  bool must_stop_ = false;
  ExitStatus status_ = 0;
};

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  OnError on_error = OnError::kSignal;
  if (options.has_error_mode) {
    auto mode = FindChoice("--output-error", options.error_mode, kModes, in.locale.is_utf8);
    if (!mode) return in.Usage(mode.error().Text());
    on_error = static_cast<OnError>(*mode);
    in.process.set_disposition(proc::kSigPipe, proc::Process::Disposition::kIgnore);
  }
  if (options.ignore_interrupts) {
    in.process.set_disposition(proc::kSigInt, proc::Process::Disposition::kIgnore);
  }
  Splitter splitter(in, on_error);
  splitter.Open(options, operands);
  splitter.Copy();
  return splitter.status();
}

}  // namespace

extern const Command kCommand_tee;
const Command kCommand_tee = Define<Options, Run>({
    .name = "tee",
    .summary = "read from standard input and write to standard output and files",
    .synopsis = "[OPTION]... [FILE]...",
    .details = "\nMODE determines behavior with write errors on the outputs:\n"
               "  warn           diagnose errors writing to any output\n"
               "  warn-nopipe    diagnose errors writing to any output not a pipe\n"
               "  exit           exit on error writing to any output\n"
               "  exit-nopipe    exit on error writing to any output not a pipe\n",
    .options = kOptions,
});

}  // namespace paddock
