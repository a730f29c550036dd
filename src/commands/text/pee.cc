// pee - tee standard input to commands
//
// usage: pee [--[no-]ignore-sigpipe] [--[no-]ignore-write-errors] [COMMAND]...
// Each COMMAND is a line for sh and reads a copy of the input; their output is not put in order.
//
// Exit status: the statuses of all commands joined bit by bit; one that was killed counts as 1.
// Source: moreutils 0.67.
// Differs: a command that ends without reading is no error of its own.

#include "proc/command.h"
#include "proc/kernel.h"
#include "proc/process.h"
#include "proc/signals.h"
#include "vfs/pipe.h"

namespace paddock {
namespace {

constexpr Option kOptions[] = {
    {0, "ignore-sigpipe", OptionArgument::kNone, nullptr, "go on when a command no longer reads (the default)", nullptr},
    {0, "no-ignore-sigpipe", OptionArgument::kNone, nullptr, "end when a command no longer reads", nullptr},
    {0, "ignore-write-errors", OptionArgument::kNone, nullptr, "go on when writing to a command fails (the default)", nullptr},
    {0, "no-ignore-write-errors", OptionArgument::kNone, nullptr, "end when writing to a command fails", nullptr},
};

struct Reader {
  std::string command;
  int pid;
  vfs::OpenFilePtr pipe;   // null once it no longer reads
};

struct Settings {
  bool ignores_signal = true, ignores_errors = true;
  // False when the word is none of them.
  bool Take(std::string_view word) {
    if (word == "--ignore-sigpipe") ignores_signal = true;
    else if (word == "--no-ignore-sigpipe") ignores_signal = false;
    else if (word == "--ignore-write-errors") ignores_errors = true;
    else if (word == "--no-ignore-write-errors") ignores_errors = false;
    else return false;
    return true;
  }
};

// False when a command that no longer reads is to end it all.
bool Copy(Invocation& in, const Settings& settings, std::vector<Reader>& readers) {
  for (std::string_view bytes = in.in.Peek(); !bytes.empty(); bytes = in.in.Peek()) {
    for (Reader& reader : readers) {
      in.budget.Step();
      if (reader.pipe == nullptr || reader.pipe->Write(bytes)) continue;
      if (!settings.ignores_errors) {
        in.err.Write("Write error to `" + reader.command + "'\n");
        return false;
      }
      if (!settings.ignores_signal) in.process.Raise(proc::kSigPipe);
      in.process.Poll();
      reader.pipe.reset();
    }
    in.in.Consume(bytes.size());
  }
  return true;
}

ExitStatus Run(Invocation& in) {
  Settings settings;
  std::vector<Reader> readers;
  size_t first = 1;
  while (first < in.args.size() && settings.Take(in.args[first])) ++first;
  if (settings.ignores_signal) in.process.set_disposition(proc::kSigPipe, proc::Process::Disposition::kIgnore);
  for (const std::string& command : in.args.subspan(first)) {
    vfs::PipeEnds ends = vfs::MakePipe(in.kernel.scheduler());
    ChildSpec spec;
    spec.args = {"sh", "-c", command};
    spec.environment = &in.env;
    spec.in = std::move(ends.read);
    const auto pid = in.launcher.Spawn(in.process, spec);
    if (!pid) return in.Fail("sh", pid.error());
    readers.push_back({command, *pid, std::move(ends.write)});
  }
  const bool is_whole = Copy(in, settings, readers);
  for (Reader& reader : readers) reader.pipe.reset();
  ExitStatus status = is_whole ? 0 : 1;
  for (const Reader& reader : readers) {
    const auto ended = in.kernel.Wait(in.process, reader.pid, Nanoseconds::max(), proc::Kernel::OnSignal::kWaitOn);
    if (is_whole) status |= !ended || ended->signal != 0 ? 1 : ended->status;
  }
  return status;
}

}  // namespace

extern const Command kCommand_pee;
const Command kCommand_pee = {
    .name = "pee",
    .summary = "tee standard input to commands",
    .synopsis = "[OPTION]... [COMMAND]...",
    .options = kOptions,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
