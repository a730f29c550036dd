// make - bring files up to date by the rules of a makefile
//
// usage: make [OPTION]... [NAME=VALUE]... [TARGET]...
//
// Exit status: 0; 1 if -q finds something to be made; 2 for errors.
// Source: GNU make 4.3.
// Differs: no RCS and SCCS rules, no load and no guile. --debug knows the levels b, v and m (a, i, j and -d are refused); -p lists by name.

#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "commands/archive/ar_parts.h"
#include "commands/child_output.h"
#include "commands/input_files.h"
#include "lang/make/make.h"
#include "lang/make/options.h"
#include "proc/command.h"
#include "proc/kernel.h"
#include "proc/option_complaint.h"
#include "proc/process.h"
#include "proc/signals.h"
#include "vfs/pipe.h"
#include "vfs/stat_each.h"

namespace paddock {
namespace {

Environment EnvironmentOf(const make::NamedValues& values) {
  Environment environment;
  for (const auto& [name, value] : values) environment.Append(name, value);
  return environment;
}

// Times of files that will be asked for in about this order.
class ForeseenFiles {
 public:
  ForeseenFiles() = default;
  explicit ForeseenFiles(make::Words paths) : paths_(std::move(paths)) {
    for (size_t i = 0; i < paths_.size(); ++i) {
      if (!paths_[i].ends_with('/')) places_.emplace(paths_[i], i);
    }
  }

  // Of files and directories; nothing for others and for what is not among the paths.
  std::optional<Nanoseconds> ModifyTime(vfs::FileSystem& fs, const std::string& path) {
    const auto place = places_.find(path);
    if (place == places_.end()) return std::nullopt;
    if (place->second < begin_ || place->second - begin_ >= seen_.size()) LookAhead(fs, place->second);
    const Result<vfs::Attributes>& found = seen_[place->second - begin_];
    if (!found || found->is_symlink()) return std::nullopt;
    return found->modify_time;
  }
  // Files may have changed. What is known ahead is less then, as that may happen again soon.
  void Distrust() {
    seen_.clear();
    at_once_ = 1;
  }

 private:
  void LookAhead(vfs::FileSystem& fs, size_t begin) {
    constexpr size_t kMostAtOnce = 128;
    at_once_ = std::min(2 * at_once_, kMostAtOnce);
    const std::string_view first = paths_[begin];
    const size_t length = first.rfind('/') + 1;   // of the directory; 0 where there is none
    std::vector<std::string_view> names;
    for (size_t i = begin; i < paths_.size() && names.size() < at_once_; ++i) {
      const std::string_view path = paths_[i];
      if (!path.starts_with(first.substr(0, length)) || path.find('/', length) != path.npos || path.size() == length) break;
      names.push_back(path.substr(length));
    }
    begin_ = begin;
    seen_ = vfs::StatEach(fs, vfs::DirectoryName(first), names);
  }

  make::Words paths_;
  std::unordered_map<std::string, size_t> places_;   // of the paths
  size_t at_once_ = 64;
  size_t begin_ = 0;
  std::vector<Result<vfs::Attributes>> seen_;   // of the paths from begin_ on
};

class MakeHost final : public make::Host {
 public:
  MakeHost(Invocation& in, bool checks_symlinks) : in_(in), checks_symlinks_(checks_symlinks) {}

  Budget& budget() override { return in_.budget; }
  void Out(std::string_view text) override {
    BeginOutput();
    in_.out.Write(text);
    in_.out.Flush();
  }
  void Err(std::string_view text) override {
    BeginOutput();
    in_.out.Flush();
    in_.err.Write(text);
  }

  std::optional<Nanoseconds> ModifyTime(const std::string& path) override {
    if (!checks_symlinks_ && pids_.empty()) {
      if (const auto time = foreseen_.ModifyTime(in_.fs, path)) return time;
    }
    const auto attributes = in_.fs.Stat(path);
    auto time = attributes ? std::optional(attributes->modify_time) : std::nullopt;
    return checks_symlinks_ ? std::max(time, NewestLink(path)) : time;
  }
  void Foresee(make::Words paths) override { foreseen_ = ForeseenFiles(std::move(paths)); }
  std::vector<make::DirectoryName> List(const std::string& path) override {
    std::vector<make::DirectoryName> names;
    const auto entries = in_.fs.List(path);
    if (!entries) return names;
    for (const vfs::DirectoryEntry& entry : *entries) names.push_back({entry.name, entry.type == vfs::FileType::kDirectory});
    return names;
  }
  Result<std::string> Read(const std::string& path) override {
    PADDOCK_ASSIGN(InputFile file, InputFile::Open(in_, path));
    std::string text = file.input().ReadAll();
    if (!file.input().status()) return file.input().status().error();
    return text;
  }
  Status Write(const std::string& path, std::string_view text, bool appends) override {
    foreseen_.Distrust();
    PADDOCK_ASSIGN(const vfs::OpenFilePtr file, in_.fs.Open(path, appends ? vfs::OpenFlags::Append() : vfs::OpenFlags::Write()));
    return file->Write(text);
  }
  Status Touch(const std::string& path) override {
    foreseen_.Distrust();
    if (!in_.fs.Stat(path)) {
      PADDOCK_TRY(in_.fs.Open(path, {.write = true, .create = true}));
      return {};
    }
    return in_.fs.SetTimes(path, std::nullopt, vfs::kNow);
  }
  Result<std::vector<make::ArchiveMember>> Members(const std::string& archive) override {
    std::vector<make::ArchiveMember> members;
    PADDOCK_ASSIGN(const std::string text, ReadArchive(archive));
    for (const ArMember& member : ParseAr(text, in_.budget).members) members.push_back({member.name, std::chrono::seconds(DateOf(member))});
    return members;
  }
  Status TouchMember(const std::string& archive, const std::string& member) override {
    if (!in_.fs.Stat(archive)) return Error(Code::kNoEntry, "Archive '" + archive + "' does not exist");
    const auto text = ReadArchive(archive);
    if (!text) return Error(Code::kInvalid, "'" + archive + "' is not a valid archive");
    const ArParts parts = ParseAr(*text, in_.budget);
    const auto found = std::find_if(parts.members.begin(), parts.members.end(), [&](const ArMember& each) { return each.name == member; });
    if (found == parts.members.end()) return Error(Code::kNoEntry, "Member '" + member + "' does not exist in '" + archive + "'");
    foreseen_.Distrust();
    std::string date = std::to_string(std::chrono::duration_cast<std::chrono::seconds>(in_.clock.RealNow()).count());
    date.resize(kArDateBytes, ' ');
    PADDOCK_ASSIGN(const vfs::OpenFilePtr file, in_.fs.Open(archive, {.write = true}));
    PADDOCK_TRY(file->Seek(static_cast<int64_t>(found->header + kArNameBytes), vfs::Whence::kStart));
    return file->Write(date);
  }
  Status Remove(const std::string& path) override {
    foreseen_.Distrust();
    return in_.fs.RemoveFile(path);
  }
  std::optional<std::string> Canonical(const std::string& path) override {
    auto canonical = in_.fs.Canonical(path);
    return canonical ? std::optional(*canonical) : std::nullopt;
  }
  std::string Cwd() override { return in_.fs.cwd(); }
  Nanoseconds Now() override { return in_.clock.RealNow(); }

  Result<int> Start(const make::ChildLine& line) override {
    BeginOutput();
    const Environment environment = EnvironmentOf(line.environment);
    foreseen_.Distrust();
    in_.out.Flush();
    ChildSpec spec;
    spec.args = line.args;
    spec.environment = &environment;
    if (line.out != nullptr) spec.out = TextSink(in_.budget, *line.out);
    if (line.err != nullptr) {
      const proc::DescriptorTable& descriptors = in_.process.descriptors();
      const bool is_one = descriptors.Get(1) == descriptors.Get(2);   // 2>&1: as it comes
      spec.err = is_one ? spec.out : TextSink(in_.budget, *line.err);
    }
    if (line.is_make) PassTokens(true);
    const auto pid = in_.launcher.Spawn(in_.process, spec);
    if (line.is_make) PassTokens(false);
    if (pid) pids_.push_back(*pid);
    return pid;
  }
  std::optional<make::ChildEnd> WaitAny() override {
    if (ended_) return std::exchange(ended_, std::nullopt);
    return WaitUntil(Nanoseconds::max());
  }
  Result<std::pair<std::string, int>> Capture(const make::ChildLine& line) override {
    BeginOutput();
    foreseen_.Distrust();
    PADDOCK_ASSIGN(ChildOutput output, StandardOutput(in_, line.args, EnvironmentOf(line.environment)));
    return std::pair(std::move(output.text), static_cast<int>(output.status));
  }

  std::string MakeTokens(size_t count) override {
    proc::DescriptorTable& descriptors = in_.process.descriptors();
    for (const int number : {tokens_read_, tokens_write_}) descriptors.Close(number);
    const vfs::PipeEnds ends = vfs::MakePipe(in_.kernel.scheduler());
    constexpr int kFirst = 3;
    tokens_read_ = descriptors.LowestFree(kFirst);
    if (tokens_read_ >= 0) descriptors.Set(tokens_read_, ends.read, /*close_on_exec=*/true);
    tokens_write_ = descriptors.LowestFree(kFirst);
    if (tokens_write_ >= 0) descriptors.Set(tokens_write_, ends.write, /*close_on_exec=*/true);
    static_cast<void>(ends.write->Write(std::string(count, '+')));   // there is room for all
    return std::to_string(tokens_read_) + "," + std::to_string(tokens_write_);
  }
  bool JoinTokens(int read, int write) override {
    const proc::DescriptorTable& descriptors = in_.process.descriptors();
    if (descriptors.Get(read) == nullptr || descriptors.Get(write) == nullptr) return false;
    tokens_read_ = read;
    tokens_write_ = write;
    PassTokens(false);
    return true;
  }
  bool TakeToken() override {
    constexpr Nanoseconds kFirstPause = std::chrono::milliseconds(1), kLongestPause = std::chrono::milliseconds(20);
    for (Nanoseconds pause = kFirstPause;; pause = std::min(2 * pause, kLongestPause)) {
      in_.budget.Step();
      if (TryToken()) return true;
      if (pids_.empty()) return false;
      ended_ = WaitUntil(in_.clock.MonotonicNow() + pause);
      if (ended_ || pids_.empty()) return false;
    }
  }
  void ReturnToken() override {
    if (const vfs::OpenFilePtr file = in_.process.descriptors().Get(tokens_write_)) static_cast<void>(file->Write("+"));
  }
  size_t DrainTokens() override {
    size_t count = 0;
    while (TryToken()) ++count;
    return count;
  }

 private:
  static constexpr size_t kArNameBytes = 16, kArDateBytes = 12;

  static int64_t DateOf(const ArMember& member) {
    constexpr int64_t kLatest = int64_t{1} << 33;   // as nanoseconds it still fits
    return std::min(member.date(), kLatest);
  }
  // An error for what is no archive.
  Result<std::string> ReadArchive(const std::string& path) {
    PADDOCK_ASSIGN(std::string text, vfs::ReadFile(in_.fs, path, uint64_t{1} << 40));
    if (!text.starts_with(kArMagic) && !text.starts_with(kArThinMagic)) return Error(Code::kInvalid);
    return text;
  }

  // Whether children get the pipe of tokens.
  void PassTokens(bool passes) {
    proc::DescriptorTable& descriptors = in_.process.descriptors();
    for (const int number : {tokens_read_, tokens_write_}) {
      if (const vfs::OpenFilePtr file = descriptors.Get(number)) descriptors.Set(number, file, !passes);
    }
  }
  bool TryToken() {
    const vfs::OpenFilePtr file = in_.process.descriptors().Get(tokens_read_);
    if (file == nullptr || !file->IsReadReady()) return false;
    const auto token = file->ReadBlock(1);
    return token && !token->bytes.empty();
  }

  std::optional<make::ChildEnd> WaitUntil(Nanoseconds until) {
    foreseen_.Distrust();
    if (pids_.empty()) return std::nullopt;
    const auto ended = in_.kernel.WaitAny(in_.process, pids_, until, proc::Kernel::OnSignal::kWaitOn);
    if (!ended) {
      if (ended.error().code != Code::kTimedOut) pids_.clear();
      return std::nullopt;
    }
    std::erase(pids_, ended->pid);
    return make::ChildEnd{ended->pid, ended->status.status, ended->status.signal,
                          std::string(ended->status.signal == 0 ? "" : proc::SignalDescription(ended->status.signal))};
  }

  // The newest of the symlinks that a path goes through at its end.
  std::optional<Nanoseconds> NewestLink(std::string path) {
    constexpr int kMostLinks = 40;
    std::optional<Nanoseconds> newest;
    for (int i = 0; i < kMostLinks; ++i) {
      const auto link = in_.fs.Stat(path, vfs::Follow::kNo);
      if (!link || !link->is_symlink()) break;
      newest = std::max(newest, std::optional(link->modify_time));
      const auto target = in_.fs.ReadLink(path);
      if (!target) break;
      path = target->starts_with('/') ? *target : std::string(path.substr(0, path.rfind('/') + 1)) + *target;
    }
    return newest;
  }

  Invocation& in_;
  const bool checks_symlinks_;
  std::vector<int> pids_;
  std::optional<make::ChildEnd> ended_;   // seen, not told yet
  int tokens_read_ = -1, tokens_write_ = -1;
  ForeseenFiles foreseen_;
};

// Whether a word ends with an option that takes a number of the next one, unlike getopt's optional arguments: -j, -l and their long names.
bool TakesNumber(std::string_view word) {
  if (word == "--jobs" || word == "--load-average" || word == "--max-load") return true;
  if (word.size() < 2 || word[0] != '-' || word[1] == '-' || (word.back() != 'j' && word.back() != 'l')) return false;
  // Not when the letter is an argument itself.
  return word.substr(1, word.size() - 2).find_first_of("CEfIjloOW") == std::string_view::npos;
}
std::vector<std::string> Joined(std::span<const std::string> args) {
  std::vector<std::string> out;
  for (size_t i = 0; i < args.size(); ++i) {
    out.push_back(args[i]);
    if (args[i] == "--") {
      out.insert(out.end(), args.begin() + static_cast<std::ptrdiff_t>(i) + 1, args.end());
      return out;
    }
    if (!TakesNumber(args[i]) || i + 1 >= args.size() || args[i + 1].empty()) continue;
    const bool is_count = args[i].ends_with('j') || args[i] == "--jobs";
    if (args[i + 1].find_first_not_of(is_count ? "0123456789" : "0123456789.") != std::string::npos) continue;
    if (args[i].starts_with("--")) out.back() += '=';
    out.back() += args[++i];
  }
  return out;
}

// The settings of the environment and of the command line, in this order; nothing after a complaint.
std::optional<make::Settings> ReadSettings(Invocation& in, ExitStatus* status) {
  make::Settings settings;
  settings.program = in.name();
  for (const auto& [name, value] : in.env.variables()) settings.environment.emplace_back(name, value);
  const std::string_view level = in.env.Get("MAKELEVEL", "0");
  if (std::from_chars(level.data(), level.data() + level.size(), settings.level).ec != std::errc() || settings.level < 0) settings.level = 0;
  bool is_typed = false;
  Status read = make::ParseFlags(in.env.Get("GNUMAKEFLAGS", ""), settings);
  for (auto& [name, value] : settings.environment) {
    if (name == "GNUMAKEFLAGS") value.clear();   // it goes on in MAKEFLAGS
  }
  if (read) read = make::ParseFlags(in.env.Get("MAKEFLAGS", ""), settings);
  if (read) {
    const bool has_jobs = std::exchange(settings.has_jobs, false);
    auto parsed = ParseOptions(Joined(in.args), in.command.options, &settings);
    settings.has_typed_jobs = settings.has_jobs;
    settings.has_jobs = settings.has_jobs || has_jobs;
    if (parsed && (parsed->wants_help || settings.shows_help)) {
      in.out.Write(HelpText(in.command, in.name()));
      *status = 0;
      return std::nullopt;
    }
    if (parsed && (parsed->wants_version || settings.shows_version)) {
      in.out.Write(VersionText(in.command, in.name()));
      *status = 0;
      return std::nullopt;
    }
    if (parsed) {
      for (const std::string& operand : parsed->operands) {
        if (operand.empty()) continue;
        (make::ParseAssignment(operand).how != make::Assign::kNone ? settings.assignments : settings.goals).push_back(operand);
      }
      if (settings.has_no_variables) settings.has_no_rules = true;
      if (settings.debugs) in.out.Write(VersionText(in.command, in.name()));
      return settings;
    }
    read = parsed.error();
    is_typed = read.error().code == Code::kSyntax;
  }
  if (is_typed) ComplainOfOption(in, read.error().Text());
  else in.Fail(read.error().Text());
  if (!read.error().Text().starts_with("***")) in.err.Write(HelpText(in.command, in.name()));
  *status = 2;
  return std::nullopt;
}

ExitStatus Make(Invocation& in) {
  ExitStatus status = 0;
  auto settings = ReadSettings(in, &status);
  if (!settings) return status;
  const std::string program = settings->level > 0 ? settings->program + "[" + std::to_string(settings->level) + "]: " : settings->program + ": ";
  for (const std::string& directory : settings->directories) {
    if (const Status changed = in.process.files().ChangeDirectory(directory); !changed) {
      in.out.Flush();
      in.err.Write(program + "*** " + directory + ": " + std::string(changed.error().Text()) + ".  Stop.\n");
      return 2;
    }
  }
  if (!settings->is_silent && (!settings->directories.empty() || settings->level > 0)) settings->prints_directory = true;
  if (settings->never_prints_directory) settings->prints_directory = false;
  MakeHost host(in, settings->checks_symlink_times);
  while (true) {
    bool again = false;
    status = make::Run(*settings, host, &again);
    if (!again) return status;
    in.budget.Step();
    ++settings->restarts;
  }
}

// What make itself could not write is trouble of its own, whatever came of the targets.
ExitStatus Run(Invocation& in) {
  const ExitStatus status = Make(in);
  if (in.out.Flush()) return status;
  in.out.ClearStatus();
  in.err.Write(std::string(in.name()) + ": write error: stdout\n");
  return 1;
}

constexpr const char* kAliases[] = {"gmake"};

}  // namespace

extern const Command kCommand_make;
const Command kCommand_make = {
    .name = "make",
    .aliases = kAliases,
    .summary = "bring TARGETs up to date by the rules of a makefile",
    .synopsis = "[OPTION]... [NAME=VALUE]... [TARGET]...",
    .options = make::kOptions,
    .usage_status = 2,
    .cuts_own_name = true,
    .run = Run,
};

}  // namespace paddock
