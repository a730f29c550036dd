// zgrep, bzgrep, xzgrep, zstdgrep - search compressed files
//
// usage: zgrep [OPTION]... [-e] PATTERN [FILE]...
// For every FILE, grep reads what gzip unpacks; a file that is not compressed is searched as it is. bzgrep and zstdgrep do so with bzip2 and
// zstd, xzgrep and lzgrep with the program that the ending of the name asks for; egrep and fgrep in the name stand for -E and -F.
//
// Exit status: as grep's: 0 when a line was selected, 1 when none was, 2 on an error of grep or of what unpacks (of gzip and xz only).
// Source: GNU gzip 1.12, bzip2 1.0.8, XZ Utils 5.4.1, zstd 1.5.4.
// Differs: what GREP names is taken for a grep that knows -H and --label; a missing argument is told without a line number of the script. All names
// take the options of zgrep: the scripts of bzip2 and zstd know fewer.

#include <algorithm>
#include <optional>

#include "commands/archive/packed_tools.h"
#include "proc/command.h"
#include "proc/kernel.h"
#include "proc/process.h"
#include "proc/signals.h"
#include "vfs/pipe.h"

namespace paddock {
namespace {

constexpr ExitStatus kTrouble = 2;
constexpr std::string_view kDigits = "0123456789";

bool StartsWithAny(std::string_view text, std::initializer_list<std::string_view> heads) {
  return std::any_of(heads.begin(), heads.end(), [&](std::string_view head) { return text.starts_with(head); });
}
// "--h" to "--help".
bool Abbreviates(std::string_view text, std::string_view whole, size_t shortest) { return text.size() >= shortest && whole.starts_with(text); }

// What the command line came to.
struct Search {
  std::vector<std::string> grep_args;
  std::vector<std::string> names;
  std::string pattern_text;                  // of all -f that are no plain file
  std::optional<size_t> pattern_text_place;  // in grep_args: where it goes
  bool has_pattern = false, lists_matching = false, lists_others = false, hides_names = false, shows_names = false;
};

class LineReader {
 public:
  LineReader(Invocation& in, std::string name) : in_(in), name_(std::move(name)) {
    for (size_t i = in.args.size(); i > 1; --i) waiting_.push_back(in.args[i - 1]);
    if (in.name().ends_with("egrep")) waiting_.emplace_back("-E");
    if (in.name().ends_with("fgrep")) waiting_.emplace_back("-F");
  }

  // Nothing when the answer is given already, with this status.
  std::optional<Search> Read(ExitStatus& status) {
    const bool is_posix = in_.env.Get("POSIXLY_CORRECT").has_value();
    while (!waiting_.empty() && !answer_) {
      in_.budget.Step();
      std::string word = Next();
      if (word == "--") break;
      if (word.size() > 1 && word[0] == '-') {
        TakeOption(std::move(word));
        continue;
      }
      search_.names.push_back(std::move(word));
      if (is_posix) break;
    }
    if (!answer_) TakeRest();
    if (!answer_) return std::move(search_);
    status = *answer_;
    return std::nullopt;
  }

 private:
  std::string Next() {
    std::string word = std::move(waiting_.back());
    waiting_.pop_back();
    return word;
  }
  void Fail(const std::string& message) {
    in_.err.Write(name_ + ": " + message + "\n");
    answer_ = kTrouble;
  }

  void FailWithoutPattern() {
    if (family_ == PackFamily::kBzip2) {
      in_.out.Write("grep through bzip2 files\nusage: " + std::string(in_.name()) + " [grep_options] pattern [files]\n");
      answer_ = kTrouble;
    } else if (family_ == PackFamily::kZstd) {
      in_.err.Write("zstdgrep: missing pattern\n");
      answer_ = 1;
    } else {
      Fail(std::string(family_ == PackFamily::kXz ? "1: Missing" : "1: missing") + " pattern; try `" + name_ + " --help' for help");
    }
  }

  // Of letters in one word the first, with the digits behind it; the others come next.
  void SplitCluster(std::string& option) {
    constexpr std::string_view kPlain = "0123456789EFGHIKLPRTUVZabchilnoqrsuvwxyz";
    const size_t end = option.find_first_not_of(kDigits, 2);
    if (kPlain.find(option[1]) == std::string_view::npos || end == std::string::npos) return;
    waiting_.push_back("-" + option.substr(end));
    option.resize(end);
  }
  static bool WantsArgument(std::string_view option) {
    if (option.size() == 2) return std::string_view("ABCDXdefm").find(option[1]) != std::string_view::npos;
    const bool is_of_grep = StartsWithAny(option, {"--binary-", "--la", "--ma", "--reg"});
    return option == "--file" || (is_of_grep && option.find('=') == std::string_view::npos);
  }

  void TakeOption(std::string option) {
    SplitCluster(option);
    std::optional<std::string> argument;
    if (WantsArgument(option)) {
      if (waiting_.empty()) return Fail("1: " + option + " option requires an argument");
      argument = Next();
    } else if (option.starts_with("-f") || option.starts_with("--file=")) {
      const size_t head = option[1] == 'f' ? 2 : 7;
      argument = option.substr(head);
      option.resize(option[1] == 'f' ? 2 : 6);
    }
    if (IsRefused(option)) return Fail(option + (family_ == PackFamily::kXz ? ": Option not supported" : ": option not supported"));
    if (option == "-f" || option == "--file") return TakePatternFile(option, *argument);
    if (Abbreviates(option, "--help", 3)) return Answer(HelpText(in_.command, name_));
    if (option == "-V" || Abbreviates(option, "--version", 3)) return Answer(VersionText(in_.command, in_.name()));
    if (option == "-H" || Abbreviates(option, "--with-filename", 4)) {
      search_.shows_names = true;
      return;
    }
    Note(option);
    search_.grep_args.push_back(std::move(option));
    if (argument) search_.grep_args.push_back(std::move(*argument));
  }
  void Answer(const std::string& text) {
    in_.out.Write(text);
    answer_ = 0;
  }
  void Note(std::string_view option) {
    if (StartsWithAny(option, {"-e", "--reg"})) search_.has_pattern = true;
    if (option == "-l" || option.starts_with("--files-with-")) search_.lists_matching = true;
    if (option == "-L" || option.starts_with("--files-witho")) search_.lists_others = true;
    if (option == "-h" || option.starts_with("--no-f")) search_.hides_names = true;
  }
  static bool IsRefused(std::string_view option) {
    if (option.size() == 2) return std::string_view("drRzZ").find(option[1]) != std::string_view::npos;
    return StartsWithAny(option, {"--di", "--exc", "--inc", "--rec", "--nu"});
  }

  // grep's standard input is taken, and it starts once for every file: what can be read only once is read here.
  void TakePatternFile(const std::string& option, const std::string& file) {
    search_.has_pattern = true;
    const auto found = in_.fs.Stat(file);
    if (file != "-" && found && found->is_file()) {
      search_.grep_args.insert(search_.grep_args.end(), {option, file});
      return;
    }
    auto text = file == "-" ? Result<std::string>(in_.in.ReadAll()) : ReadOnce(file);
    if (!text) {
      in_.err.Write("cat: " + file + ": " + std::string(text.error().Text()) + "\n");
      answer_ = kTrouble;
      return;
    }
    search_.pattern_text += *text;
    if (search_.pattern_text_place) return;
    search_.pattern_text_place = search_.grep_args.size();
    search_.grep_args.insert(search_.grep_args.end(), 2, "");
  }
  Result<std::string> ReadOnce(const std::string& name) {
    PADDOCK_ASSIGN(const vfs::OpenFilePtr file, in_.fs.Open(name, vfs::OpenFlags::Read()));
    Input input(*file, in_.budget);
    std::string text = input.ReadAll();
    PADDOCK_TRY(input.status());
    return text;
  }

  void TakeRest() {
    while (!waiting_.empty()) search_.names.push_back(Next());
    if (search_.pattern_text_place) PutPatternText();
    if (!search_.has_pattern) {
      if (search_.names.empty()) return FailWithoutPattern();
      search_.grep_args.insert(search_.grep_args.end(), {"--", search_.names.front()});
      search_.names.erase(search_.names.begin());
    }
    if (search_.names.empty()) search_.names.emplace_back("-");
    else if (search_.names.size() > 1 && !search_.hides_names) search_.shows_names = true;
  }
  // An empty file of patterns selects nothing, while an empty pattern selects all.
  void PutPatternText() {
    std::string& text = search_.pattern_text;
    const bool is_empty = text.empty();
    if (text.ends_with('\n')) text.pop_back();
    search_.grep_args[*search_.pattern_text_place] = is_empty ? "-f" : "-e";
    search_.grep_args[*search_.pattern_text_place + 1] = is_empty ? "/dev/null" : text;
  }

  Invocation& in_;
  const PackFamily family_ = FamilyOf(in_.name());
  std::string name_;
  std::vector<std::string> waiting_;   // the last one comes next
  Search search_;
  std::optional<ExitStatus> answer_;
};

std::vector<std::string> GrepProgram(Invocation& in) {
  constexpr std::string_view kBlanks = " \t\n";
  std::string_view text = in.env.Get("GREP", "grep");
  std::vector<std::string> words;
  for (size_t at = text.find_first_not_of(kBlanks); at != std::string_view::npos; at = text.find_first_not_of(kBlanks)) {
    text.remove_prefix(at);
    const size_t end = std::min(text.find_first_of(kBlanks), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return words;
}

class FileSearch {
 public:
  FileSearch(Invocation& in, const Search& search) : in_(in), search_(search), grep_(GrepProgram(in)) {
    if (search.shows_names) grep_.emplace_back("-H");
  }

  ExitStatus Run() {
    // The scripts of bzip2 and zstd answer with the gravest status, those of gzip and xz with the best of 0 and 1.
    const bool takes_gravest = family_ == PackFamily::kBzip2 || family_ == PackFamily::kZstd;
    ExitStatus status = takes_gravest ? 0 : 1;
    for (const std::string& name : search_.names) {
      in_.budget.Step();
      const auto found = SearchOne(name);
      if (!found) return in_.Fail(found.error().Text(), kTrouble);
      const bool is_graver = !takes_gravest && *found <= 1 && status <= 1 ? *found < status : status < *found;
      if (is_graver) status = *found;
      if (status >= 126) break;
    }
    return status;
  }

 private:
  bool lists() const { return search_.lists_matching || search_.lists_others; }

  Result<ExitStatus> SearchOne(const std::string& name) {
    vfs::PipeEnds pipe = vfs::MakePipe(in_.kernel.scheduler());
    PADDOCK_ASSIGN(const int pid, SpawnUnpack(in_, family_, name, std::move(pipe.write)));
    const auto found = Grep(name, std::move(pipe.read));
    PADDOCK_ASSIGN(const proc::WaitStatus unpacked, in_.kernel.Wait(in_.process, pid, Nanoseconds::max(), proc::Kernel::OnSignal::kWaitOn));
    if (!found) return found.error();
    return std::max(*found, StatusOf(unpacked));
  }
  // gzip's warnings count as nothing; that nobody read on is one.
  ExitStatus StatusOf(const proc::WaitStatus& unpacked) const {
    // The last stage of a pipeline is all that those scripts look at.
    if (family_ == PackFamily::kBzip2 || family_ == PackFamily::kZstd) return 0;
    if (unpacked.status == 2 || unpacked.signal == proc::kSigPipe) return 0;
    return unpacked.status == 1 ? kTrouble : unpacked.status;
  }

  Result<ExitStatus> Grep(const std::string& name, vfs::OpenFilePtr input) {
    ChildSpec grep;
    grep.args = grep_;
    if (!lists() && name != "-") grep.args.insert(grep.args.end(), {"--label", name});
    grep.args.insert(grep.args.end(), search_.grep_args.begin(), search_.grep_args.end());
    grep.environment = &in_.env;
    grep.in = std::move(input);
    if (lists()) {
      PADDOCK_ASSIGN(grep.out, in_.fs.Open("/dev/null", vfs::OpenFlags::Write()));
    }
    const Result<ExitStatus> ran = in_.launcher.Run(in_.process, grep);
    if (!ran) return in_.Fail(grep.args[0], ran.error(), ran.error().code == Code::kNoEntry ? 127 : 126);
    const ExitStatus status = *ran;
    if (lists() && status == (search_.lists_matching ? 0 : 1)) in_.out.Write(name + "\n");
    return status;
  }

  Invocation& in_;
  const PackFamily family_ = FamilyOf(in_.name());
  const Search& search_;
  std::vector<std::string> grep_;
};

// The real one is a script, which calls itself by its path; those with egrep and fgrep in their names run it.
std::string OwnName(Invocation& in) {
  std::string name(in.name());
  if (const size_t at = name.find("egrep"); at != std::string::npos) name.erase(at, 1);
  if (const size_t at = name.find("fgrep"); at != std::string::npos) name.erase(at, 1);
  return ScriptName(in, name);
}

ExitStatus Run(Invocation& in) {
  ExitStatus status = 0;
  const std::optional<Search> search = LineReader(in, OwnName(in)).Read(status);
  return search ? FileSearch(in, *search).Run() : status;
}

constexpr const char* kAliases[] = {"bzegrep", "bzfgrep", "bzgrep", "lzegrep", "lzfgrep", "lzgrep", "xzegrep", "xzfgrep", "xzgrep", "zegrep", "zfgrep", "zstdgrep"};

}  // namespace

extern const Command kCommand_zgrep;
const Command kCommand_zgrep = {
    .name = "zgrep",
    .aliases = kAliases,
    .summary = "search for PATTERN in FILEs, which may be compressed",
    .synopsis = "[OPTION]... [-e] PATTERN [FILE]...",
    .details = "The options are those of grep, without -d, -r, -R, -z, -Z, --exclude, --exclude-dir,\n"
               "--exclude-from and --include.  zegrep is zgrep -E, zfgrep is zgrep -F.\n"
               "bzgrep, xzgrep, lzgrep and zstdgrep search what bzip2, xz and zstd have packed.\n"
               "With no FILE, or when FILE is -, read standard input.\n",
    .usage_status = kTrouble,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
