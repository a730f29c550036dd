// ed, red - the line editor
//
// usage: ed [OPTION]... [FILE]
// Reads commands from standard input; FILE is read first. A FILE that begins with ! is the output of a command.
// red edits files of the working directory only and runs no commands.
//
// Exit status: 0; 1 when a command or an option failed; 2 when text is left unsaved at the end of the commands.
// Source: GNU ed 1.19; POSIX ed.
// Differs: -G (compatibility with older editors) is refused; z takes 22 lines for a screen.

#include "commands/child_output.h"
#include "lang/ed/editor.h"
#include "proc/command.h"
#include "proc/kernel.h"
#include "proc/option_complaint.h"
#include "proc/process.h"
#include "proc/signals.h"
#include "vfs/pipe.h"

namespace paddock {
namespace {

struct Options {
  bool extended = false, loose = false, quiet = false, restricted = false, script = false, verbose = false, strip = false, traditional = false;
  bool wants_help = false, wants_version = false;
  std::optional<std::string> prompt;
};
constexpr Option kOptions[] = {
    Flag<&Options::wants_help>('h', "help", "display this help and exit"),
    Flag<&Options::wants_version>('V', "version", "output version information and exit"),
    Flag<&Options::extended>('E', "extended-regexp", "use extended regular expressions"),
    Flag<&Options::traditional>('G', "traditional", "run in compatibility mode (not supported)"),
    Flag<&Options::loose>('l', "loose-exit-status", "exit with 0 status even if a command fails"),
    Value<&Options::prompt>('p', "prompt", "STRING", "use STRING as an interactive prompt"),
    Flag<&Options::quiet>('q', "quiet", "suppress diagnostics written to stderr"),
    Flag<&Options::quiet>(0, "silent", "likewise"),
    Flag<&Options::restricted>('r', "restricted", "run in restricted mode"),
    Flag<&Options::script>('s', "script", "suppress byte counts and '!' prompt"),
    Flag<&Options::verbose>('v', "verbose", "be verbose; equivalent to the 'H' command"),
    Flag<&Options::strip>(0, "strip-trailing-cr", "strip carriage returns at end of text lines"),
};

class CommandHost final : public ed::Host {
 public:
  explicit CommandHost(Invocation& in) : in_(in) {}
  Input& commands() override { return in_.in; }
  Output& out() override { return in_.out; }
  Output& err() override { return in_.err; }

  Result<std::string> Read(const std::string& name) override { return vfs::ReadFile(in_.fs, name); }
  Status Write(const std::string& name, const std::string& text, bool appends) override {
    PADDOCK_ASSIGN(const vfs::OpenFilePtr file, in_.fs.Open(name, appends ? vfs::OpenFlags::Append() : vfs::OpenFlags::Write()));
    return file->Write(text);
  }
  Result<int> Run(const std::string& command) override {
    ChildSpec spec = Shell(command);
    return in_.launcher.Run(in_.process, spec);
  }
  Result<int> ReadFrom(const std::string& command, std::string& text) override {
    PADDOCK_ASSIGN(ChildOutput output, StandardOutput(in_, {"sh", "-c", command}, in_.env));
    text = std::move(output.text);
    return output.status;
  }
  Result<int> WriteTo(const std::string& command, const std::string& text) override {
    in_.out.Flush();
    vfs::PipeEnds ends = vfs::MakePipe(in_.kernel.scheduler());
    ChildSpec spec = Shell(command);
    spec.in = std::move(ends.read);
    PADDOCK_ASSIGN(const int pid, in_.launcher.Spawn(in_.process, spec));
    spec.in.reset();
    [[maybe_unused]] const Status written = ends.write->Write(text);   // a command need not read it all
    ends.write.reset();
    PADDOCK_ASSIGN(const proc::WaitStatus ended, in_.kernel.Wait(in_.process, pid, Nanoseconds::max(), proc::Kernel::OnSignal::kWaitOn));
    return ended.status;
  }

 private:
  ChildSpec Shell(const std::string& command) const {
    ChildSpec spec;
    spec.args = {"sh", "-c", command};
    spec.environment = &in_.env;
    return spec;
  }
  Invocation& in_;
};

bool HasRegularInput(Invocation& in) {
  const vfs::OpenFilePtr& file = in.process.descriptors().Get(0);
  if (file == nullptr) return false;
  const auto attributes = file->GetAttributes();
  return attributes && attributes->type == vfs::FileType::kFile;
}

ExitStatus Run(Invocation& in) {
  Options options;
  ExitStatus status = 0;
  const auto operands = PrepareWithLetters(in, options, &status);
  if (!operands) return status;
  if (options.traditional) return in.Fail("-G: not supported");
  ed::EditorOptions settings{.is_extended = options.extended,
                             .is_loose = options.loose,
                             .is_restricted = options.restricted || in.name() == "red",
                             .is_quiet = options.quiet,
                             .is_regular_script = HasRegularInput(in),
                             .is_script = options.script,
                             .is_verbose = options.verbose,
                             .strips_returns = options.strip,
                             .is_utf8 = in.locale.is_utf8,
                             .has_prompt = options.prompt.has_value(),
                             .prompt = options.prompt.value_or("*"),
                             .file = {}};
  for (const std::string& operand : *operands) {
    // A lone - is the older -s.
    if (operand == "-") {
      settings.is_script = true;
      continue;
    }
    settings.file = operand;
    break;
  }
  CommandHost host(in);
  return ed::Edit(settings, host, in.budget);
}

constexpr const char* kAliases[] = {"red"};

}  // namespace

extern const Command kCommand_ed;
const Command kCommand_ed = {
    .name = "ed",
    .aliases = kAliases,
    .summary = "line-oriented text editor",
    .synopsis = "[OPTION]... [FILE]",
    .details = "\nStart edit by reading in FILE if given.\nIf FILE begins with a '!', read output of shell command.\n",
    .options = kOptions,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
