// zless, zmore, bzless, bzmore, xzless, xzmore, zstdless - show compressed files
//
// usage: zless [OPTION]... [FILE]...
// The plain bytes of all files go to less, or below headings to standard output, as the real ones do away from a terminal.
//
// Exit status: 0; of names that end in less, that of less; 1 for an option that is none.
// Source: GNU gzip 1.12, bzip2 1.0.8, XZ Utils 5.4.1, zstd 1.5.4.
// Differs: a terminal gets no paging.

#include "commands/archive/packed_tools.h"
#include "proc/command.h"
#include "proc/kernel.h"
#include "proc/process.h"
#include "vfs/pipe.h"

namespace paddock {
namespace {

class Viewer {
 public:
  explicit Viewer(Invocation& in) : in_(in) {}

  ExitStatus Run() {
    const bool is_less = in_.name().ends_with("less");
    const bool has_headings = family_ == PackFamily::kBzip2 || (family_ == PackFamily::kXz && !is_less);
    for (const std::string& word : in_.args.subspan(1)) {
      in_.budget.Step();
      if (family_ != PackFamily::kBzip2 && (word == "--help" || word == "--version") && files_.empty()) {
        in_.out.Write(word == "--help" ? HelpText(in_.command, in_.name()) : VersionText(in_.command, in_.name()));
        return 0;
      }
      const bool is_option = word.size() > 1 && (word[0] == '-' || word[0] == '+');
      if (!is_option) {
        files_.push_back(word);
      } else if (is_less && !has_headings) {
        options_.push_back(word);
      } else if (family_ == PackFamily::kGzip) {
        in_.err.Write(ScriptName(in_, "zmore") + ": " + word + ": unknown option; try '" + ScriptName(in_, "zmore") + " --help' for help\n");
        return 1;
      } else {
        return in_.Fail(word + ": not supported");
      }
    }
    if (files_.empty()) files_.emplace_back("-");
    if (has_headings) return ShowBelowHeadings(family_ == PackFamily::kBzip2);
    return is_less ? PipeToLess() : ShowAll();
  }

 private:
  bool Show(const std::string& file, vfs::OpenFilePtr out) {
    const auto status = Unpack(in_, family_, file, std::move(out));
    return status && (*status == 0 || *status == 2);
  }

  // zmore: more's headings when there are several.
  ExitStatus ShowAll() {
    for (const std::string& file : files_) {
      in_.budget.Step();
      if (files_.size() > 1) in_.out.Write("::::::::::::::\n" + file + "\n::::::::::::::\n");
      Show(file, nullptr);
    }
    return 0;
  }
  ExitStatus ShowBelowHeadings(bool asks) {
    bool is_first = true;
    for (const std::string& file : files_) {
      in_.budget.Step();
      if (!is_first && asks) in_.out.Write("--More--(Next file: " + file + ") \n");
      is_first = false;
      if (file != "-") in_.out.Write("------> " + file + " <------\n");
      Show(file, nullptr);
    }
    return 0;
  }
  ExitStatus PipeToLess() {
    vfs::PipeEnds pipe = vfs::MakePipe(in_.kernel.scheduler());
    ChildSpec less;
    less.args = {"less"};
    less.args.insert(less.args.end(), options_.begin(), options_.end());
    less.environment = &in_.env;
    less.in = std::move(pipe.read);
    in_.out.Flush();
    const auto pid = in_.launcher.Spawn(in_.process, less);
    if (!pid) return in_.Fail("less", pid.error());
    less.in.reset();
    for (const std::string& file : files_) {
      in_.budget.Step();
      if (Show(file, pipe.write)) continue;
      // less looks for the file itself when nothing came of it; away from a terminal it tells where the text goes.
      const auto found = in_.fs.Stat(file);
      if (!found) in_.out.Write(file + ": " + std::string(found.error().Text()) + "\n");
    }
    pipe.write.reset();
    const auto ended = in_.kernel.Wait(in_.process, *pid, Nanoseconds::max(), proc::Kernel::OnSignal::kWaitOn);
    return ended ? ended->status : 1;
  }

  Invocation& in_;
  const PackFamily family_ = FamilyOf(in_.name());
  std::vector<std::string> options_, files_;
};

ExitStatus Run(Invocation& in) { return Viewer(in).Run(); }

constexpr const char* kAliases[] = {"bzless", "bzmore", "lzless", "lzmore", "xzless", "xzmore", "zmore", "zstdless"};

}  // namespace

extern const Command kCommand_zless;
const Command kCommand_zless = {
    .name = "zless",
    .aliases = kAliases,
    .summary = "show compressed files a screen at a time",
    .synopsis = "[OPTION]... [FILE]...",
    .details = "The options are those of less; the names that end in more, bzless among them, take none.\n",
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
