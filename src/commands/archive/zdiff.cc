// zdiff, zcmp, bzdiff, bzcmp, xzdiff, xzcmp - compare compressed files
//
// usage: zdiff [OPTION]... FILE1 [FILE2]
// Runs diff (zcmp: cmp) on the plain bytes. Without FILE2, FILE1 is compared with the file of its name without the ending.
//
// Exit status: that of diff or cmp; 2 when a file cannot be unpacked.
// Source: GNU gzip 1.12, bzip2 1.0.8, XZ Utils 5.4.1.
// Differs: where both files are packed, the second one is called - and the first /dev/fd/5 by bzdiff, too. A lone - is standard input as it is.

#include <optional>

#include "commands/archive/packed_tools.h"
#include "proc/command.h"
#include "proc/kernel.h"
#include "proc/process.h"
#include "vfs/pipe.h"

namespace paddock {
namespace {

constexpr ExitStatus kTrouble = 2;
constexpr int kFirstDescriptor = 5;

struct Comparison {
  std::vector<std::string> options;
  std::vector<std::string> files;
};

class Comparer {
 public:
  explicit Comparer(Invocation& in) : in_(in), is_cmp_(in.name().ends_with("cmp")) {}

  ExitStatus Run() {
    ExitStatus status = 0;
    if (!Read(status)) return status;
    std::string first = c_.files[0];
    std::string second;
    if (c_.files.size() == 2) {
      second = c_.files[1];
    } else if (HasPackedName(family_, first)) {
      second = WithoutPackedEnding(family_, first);
    } else if (family_ == PackFamily::kBzip2) {
      second = first;
      first += ".bz2";
    } else {
      return Fail(first + (family_ == PackFamily::kXz ? ": Unknown compressed file name suffix" : ": unknown compressed file extension"));
    }
    for (const std::string& name : {first, second}) {
      const auto found = in_.fs.Stat(name);
      if (name == "-" || (found && (family_ != PackFamily::kBzip2 || found->is_file()))) continue;
      if (family_ != PackFamily::kBzip2) return Fail("cannot open " + name + ": No such file");
      in_.out.Write(std::string(in_.name()) + ": " + name + " not found or not a regular file\n");
      return 1;
    }
    auto compared = Compare(first, second);
    return compared ? *compared : in_.Fail(compared.error().Text(), kTrouble);
  }

 private:
  ExitStatus Fail(const std::string& message) {
    // zcmp runs zdiff, which tells its own name.
    in_.err.Write(ScriptName(in_, family_ == PackFamily::kGzip ? "zdiff" : std::string(in_.name())) + ": " + message + "\n");
    return kTrouble;
  }

  // False when all is said, with `status`.
  bool Read(ExitStatus& status) {
    bool has_ended = false;
    for (size_t i = 1; i < in_.args.size(); ++i) {
      in_.budget.Step();
      const std::string& word = in_.args[i];
      const bool is_option = !has_ended && word.size() > 1 && word[0] == '-';
      if (!is_option) {
        c_.files.push_back(word);
      } else if (word == "--") {
        has_ended = true;
      } else if (family_ != PackFamily::kBzip2 && (word == "--help" || word == "--version")) {
        in_.out.Write(word == "--help" ? HelpText(in_.command, in_.name()) : VersionText(in_.command, in_.name()));
        return false;
      } else {
        c_.options.push_back(word);
        // The letters of diff that take the next word along, for cmp, too; the scripts of bzip2 and xz do not look for them.
        const bool wants_word = family_ == PackFamily::kGzip && word.size() == 2 && std::string_view("CDFISUWXx").find(word[1]) != std::string_view::npos;
        if (wants_word && i + 1 < in_.args.size()) c_.options.push_back(in_.args[++i]);
      }
    }
    if (!c_.files.empty() && c_.files.size() <= 2) return true;
    status = kTrouble;
    if (family_ == PackFamily::kXz) Fail("Invalid number of operands; try `" + std::string(in_.name()) + " --help' for help");
    else if (family_ == PackFamily::kGzip) Fail(c_.files.empty() ? "missing operand" : "extra operand '" + c_.files[2] + "'");
    else {
      in_.out.Write("Usage: " + std::string(in_.name()) + (is_cmp_ ? " [cmp_options] file [file]\n" : " [diff_options] file [file]\n"));
      status = 1;
    }
    return false;
  }

  // Starts what unpacks a file; what it writes.
  Result<vfs::OpenFilePtr> Start(const std::string& name) {
    vfs::PipeEnds pipe = vfs::MakePipe(in_.kernel.scheduler());
    PADDOCK_ASSIGN(const int pid, SpawnUnpack(in_, family_, name, std::move(pipe.write)));
    pids_.push_back(pid);
    return std::move(pipe.read);
  }

  Result<ExitStatus> Compare(const std::string& first, const std::string& second) {
    const bool is_first_packed = HasPackedName(family_, first), is_second_packed = HasPackedName(family_, second);
    ChildSpec spec;
    spec.args = {is_cmp_ ? "cmp" : "diff"};
    spec.args.insert(spec.args.end(), c_.options.begin(), c_.options.end());
    spec.args.emplace_back("--");
    spec.environment = &in_.env;
    const bool are_both = is_first_packed && is_second_packed;
    // A file that is standard input itself leaves the other one the descriptor.
    const bool needs_descriptor = are_both || (is_first_packed && second == "-");
    if (is_first_packed) {
      PADDOCK_ASSIGN(vfs::OpenFilePtr input, Start(first));
      if (needs_descriptor) in_.process.descriptors().Set(kFirstDescriptor, std::move(input));
      else spec.in = std::move(input);
    }
    if (is_second_packed) {
      PADDOCK_ASSIGN(vfs::OpenFilePtr input, Start(second));
      if (first == "-") in_.process.descriptors().Set(kFirstDescriptor, std::move(input));
      else spec.in = std::move(input);
    }
    const std::string path = "/dev/fd/" + std::to_string(kFirstDescriptor);
    spec.args.push_back(!is_first_packed ? first : needs_descriptor ? path : "-");
    spec.args.push_back(!is_second_packed ? second : first == "-" ? path : "-");
    in_.out.Flush();
    const Result<ExitStatus> status = in_.launcher.Run(in_.process, spec);
    spec.in.reset();
    in_.process.descriptors().Close(kFirstDescriptor);
    bool has_failed = false;
    for (const int pid : pids_) {
      const auto ended = in_.kernel.Wait(in_.process, pid, Nanoseconds::max(), proc::Kernel::OnSignal::kWaitOn);
      // Nobody reading on is no failure, nor is a warning.
      if (!ended || (ended->signal == 0 && ended->status != 0 && ended->status != 2 && ended->status < 128)) has_failed = true;
    }
    if (!status) return status.error();
    return has_failed && family_ != PackFamily::kBzip2 ? kTrouble : *status;
  }

  Invocation& in_;
  const PackFamily family_ = FamilyOf(in_.name());
  const bool is_cmp_;
  Comparison c_;
  std::vector<int> pids_;
};

ExitStatus Run(Invocation& in) { return Comparer(in).Run(); }

constexpr const char* kAliases[] = {"bzcmp", "bzdiff", "lzcmp", "lzdiff", "xzcmp", "xzdiff", "zcmp"};

}  // namespace

extern const Command kCommand_zdiff;
const Command kCommand_zdiff = {
    .name = "zdiff",
    .aliases = kAliases,
    .summary = "compare compressed files",
    .synopsis = "[OPTION]... FILE1 [FILE2]",
    .details = "The options are those of diff, or of cmp for the names that end in cmp.\n"
               "bzdiff and xzdiff compare what bzip2 and xz have packed.\n",
    .usage_status = kTrouble,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
