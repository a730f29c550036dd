// znew - recompress files from .Z to .gz
//
// usage: znew [-ftv9PK] FILE[.Z]...
//
// Exit status: 0, or 1 for a usage error and when a file could not be recompressed.
// Source: GNU gzip 1.12.
// Differs: what pack made is refused, as gzip does here.

#include <cstdint>

#include "commands/archive/packed_tools.h"
#include "commands/file_facts.h"
#include "proc/kernel.h"
#include "proc/process.h"
#include "vfs/pipe.h"

namespace paddock {
namespace {

constexpr uint64_t kBlock = 1024;   // files are compared by the blocks that they take

struct Options {
  bool tests = false, keeps_smaller = false, pipes = false;
  std::string letters;   // for gzip
};

class Renewal {
 public:
  Renewal(Invocation& in, const Options& options) : in_(in), o_(options) {}

  // False when the file is left as it was.
  bool Take(const std::string& file) {
    const std::string plain = file.size() >= 2 && file.ends_with('Z') ? file.substr(0, file.size() - 2) : file;
    const std::string old = plain + ".Z", renewed = plain + ".gz", backup = plain + "." + std::to_string(in_.process.pid());
    const auto before = in_.fs.Stat(old);
    if (!before || !before->is_file()) return Say(old + " not found");
    if (o_.pipes ? !Pipe(old, renewed, *before) : !Replace(plain, old, backup)) return false;
    const auto after = in_.fs.Stat(renewed);
    if (o_.keeps_smaller && after && (before->size + kBlock - 1) / kBlock < (after->size + kBlock - 1) / kBlock) {
      if (!o_.pipes) static_cast<void>(in_.fs.Rename(backup, old));
      static_cast<void>(in_.fs.RemoveFile(renewed));
      Say(old + " smaller than " + renewed + " -- unchanged");
      return true;
    }
    if (o_.tests) {
      if (!Runs({"gzip", "-t", "--", renewed})) {
        if (!o_.pipes) static_cast<void>(in_.fs.Rename(backup, old));
        static_cast<void>(in_.fs.RemoveFile(renewed));
        return Say("error while testing " + renewed + ", " + old + " unchanged");
      }
      static_cast<void>(in_.fs.RemoveFile(backup));
    }
    if (o_.tests || o_.pipes) static_cast<void>(in_.fs.RemoveFile(old));
    return true;
  }

 private:
  bool Say(const std::string& text) {
    in_.out.WriteLine(text);
    return false;
  }
  bool Runs(std::vector<std::string> args, vfs::OpenFilePtr input = nullptr, vfs::OpenFilePtr output = nullptr) {
    in_.out.Flush();
    ChildSpec spec;
    spec.args = std::move(args);
    spec.environment = &in_.env;
    spec.in = std::move(input);
    spec.out = std::move(output);
    const auto status = in_.launcher.Run(in_.process, spec);
    return status && *status == 0;
  }
  std::vector<std::string> Gzip(std::vector<std::string> rest) const {
    std::vector<std::string> args{"gzip"};
    if (!o_.letters.empty()) args.push_back("-" + o_.letters);
    args.insert(args.end(), rest.begin(), rest.end());
    return args;
  }

  // The plain bytes go from one gzip to the other, and never to a file.
  bool Pipe(const std::string& old, const std::string& renewed, const vfs::Attributes& before) {
    bool is_done = false;
    auto target = in_.fs.Open(renewed, vfs::OpenFlags::Write());
    auto source = in_.fs.Open(old, vfs::OpenFlags::Read());
    if (target && source) {
      in_.out.Flush();
      vfs::PipeEnds pipe = vfs::MakePipe(in_.kernel.scheduler());
      ChildSpec unpack;
      unpack.args = {"gzip", "-d"};
      unpack.environment = &in_.env;
      unpack.in = *source;
      unpack.out = std::move(pipe.write);
      const auto pid = in_.launcher.Spawn(in_.process, unpack);
      unpack.out.reset();
      is_done = Runs(Gzip({}), std::move(pipe.read), *target);
      const auto ended = pid ? in_.kernel.Wait(in_.process, *pid, Nanoseconds::max(), proc::Kernel::OnSignal::kWaitOn) : Result<proc::WaitStatus>(pid.error());
      is_done = is_done && ended.has_value();   // the status is the last one's, as in a shell
    }
    if (!is_done) return Say("error while recompressing " + old);
    static_cast<void>(in_.fs.SetMode(renewed, before.mode));
    static_cast<void>(in_.fs.SetTimes(renewed, before.access_time, before.modify_time));
    return true;
  }
  bool Replace(const std::string& plain, const std::string& old, const std::string& backup) {
    if (o_.tests && !Runs({"cp", "-p", "--", old, backup})) return Say("cannot backup " + old);
    if (!Runs({"gzip", "-d", "--", old})) {
      if (o_.tests) static_cast<void>(in_.fs.Rename(backup, old));
      return Say("error while uncompressing " + old);
    }
    if (Runs(Gzip({"--", plain}))) return true;
    if (!o_.tests) return Say("error while recompressing " + plain + ", left uncompressed");
    if (in_.fs.Rename(backup, old)) static_cast<void>(in_.fs.RemoveFile(plain));
    return Say("error while recompressing " + plain);
  }

  Invocation& in_;
  const Options& o_;
};

ExitStatus Run(Invocation& in) {
  Options options;
  size_t i = 1;
  for (; i < in.args.size() && in.args[i].starts_with('-'); ++i) {
    const std::string& word = in.args[i];
    if (word == "--help") return in.out.Write(HelpText(in.command, in.name())), 0;
    if (word == "--version") return in.out.Write(VersionText(in.command, in.name())), 0;
    for (const char letter : word) {
      if (letter == 't') options.tests = true;
      else if (letter == 'K') options.keeps_smaller = options.tests = true;
      else if (letter == 'P') options.pipes = true;
      else if (letter != '-' && letter != ' ') options.letters += letter;
    }
  }
  if (i >= in.args.size()) {
    const std::string name = ScriptName(in, "znew");
    in.err.Write(name + ": invalid number of operands; try `" + name + " --help' for help\n");
    return 1;
  }
  Renewal renewal(in, options);
  ExitStatus status = 0;
  for (; i < in.args.size(); ++i) {
    in.budget.Step();
    if (!renewal.Take(in.args[i])) status = 1;
  }
  return status;
}

}  // namespace

extern const Command kCommand_znew;
const Command kCommand_znew = {
    .name = "znew",
    .summary = "recompress files from .Z to .gz",
    .synopsis = "[OPTION]... FILE[.Z]...",
    .details =
        "  -f   recompress even if there is a .gz file already\n"
        "  -t   test the new files before the old ones are removed\n"
        "  -v   tell the name and the ratio of each file\n"
        "  -9   compress as well as possible\n"
        "  -P   use pipes, so that the plain bytes take no room\n"
        "  -K   keep a .Z file that is smaller than its .gz file; implies -t\n",
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
