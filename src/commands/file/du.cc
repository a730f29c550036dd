// du - estimate the space that files take
//
// usage: du [OPTION]... [FILE]...
// Adds up, for each FILE (default: the current directory) and for each directory below it, what its files hold.
// A file with several names counts once.
//
// Exit status: 0, or 1 when something could not be looked at.
// Source: POSIX du; GNU coreutils 9.1.
// Differs: nothing known.

#include <set>

#include "commands/file/disk_unit.h"
#include "commands/file_facts.h"
#include "commands/input_files.h"
#include "commands/stat_ahead.h"
#include "commands/text/file_list.h"
#include "text/choice.h"
#include "text/date/time_format.h"
#include "text/numbers.h"
#include "text/pattern.h"
#include "text/quote.h"

namespace paddock {
namespace {

enum class Links { kNever, kOperands, kAlways };
enum class TimeKind { kNone, kModify, kAccess, kChange };

struct Options {
  bool null = false;
  bool all = false;
  bool apparent = false;
  bool total = false;
  bool inodes = false;
  bool count_links = false;
  bool separate = false;
  bool summarize = false;
  bool one_file_system = false;
  Links links = Links::kNever;
  std::optional<std::string> files_from, time_style;
  // What is checked in the order given: the option as it was written, and its text.
  struct Word {
    std::string_view option;
    std::string text;
  };
  std::vector<Word> words;
};

constexpr std::string_view kBytes = "-b", kKibi = "-k", kMebi = "-m", kHuman = "-h", kSi = "--si", kUnit = "-B",
                           kLongUnit = "--block-size", kDepth = "-d", kThreshold = "-t", kLongThreshold = "--threshold",
                           kExclude = "--exclude", kExcludeFrom = "-X", kTime = "--time";

template <auto& kOption>
Status AddWord(Options& options, std::string_view text) {
  options.words.push_back({kOption, std::string(text)});
  return {};
}
Status SetBytes(Options& options, std::string_view text) {
  options.apparent = true;
  return AddWord<kBytes>(options, text);
}

constexpr Option kOptions[] = {
    Flag<&Options::null>('0', "null", "end each output line with NUL, not newline"),
    Flag<&Options::all>('a', "all", "write counts for all files, not just directories"),
    Flag<&Options::apparent>(0, "apparent-size", "print apparent sizes rather than device usage"),
    Call<AddWord<kUnit>>('B', nullptr, "SIZE", nullptr),
    Call<AddWord<kLongUnit>>(0, "block-size", "SIZE", "scale sizes by SIZE before printing them (also -B SIZE)"),
    Call<SetBytes>('b', "bytes", nullptr, "equivalent to '--apparent-size --block-size=1'"),
    Flag<&Options::total>('c', "total", "produce a grand total"),
    Set<&Options::links, Links::kOperands>('D', "dereference-args",
                                           "dereference only symlinks that are listed on the command line"),
    Call<AddWord<kDepth>>('d', "max-depth", "N",
                          "print the total for a directory (or file, with --all) only if it is N or fewer levels "
                          "below the command line argument"),
    Value<&Options::files_from>(0, "files0-from", "F",
                                "summarize device usage of the NUL-terminated file names specified in file F"),
    Set<&Options::links, Links::kOperands>('H', nullptr, "equivalent to --dereference-args (-D)"),
    Call<AddWord<kHuman>>('h', "human-readable", nullptr, "print sizes in human readable format (e.g., 1K 234M 2G)"),
    Flag<&Options::inodes>(0, "inodes", "list inode usage information instead of block usage"),
    Call<AddWord<kKibi>>('k', nullptr, nullptr, "like --block-size=1K"),
    Set<&Options::links, Links::kAlways>('L', "dereference", "dereference all symbolic links"),
    Flag<&Options::count_links>('l', "count-links", "count sizes many times if hard linked"),
    Call<AddWord<kMebi>>('m', nullptr, nullptr, "like --block-size=1M"),
    Set<&Options::links, Links::kNever>('P', "no-dereference", "don't follow any symbolic links (this is the default)"),
    Flag<&Options::separate>('S', "separate-dirs", "for directories do not include size of subdirectories"),
    Call<AddWord<kSi>>(0, "si", nullptr, "like -h, but use powers of 1000 not 1024"),
    Flag<&Options::summarize>('s', "summarize", "display only a total for each argument"),
    Call<AddWord<kThreshold>>('t', nullptr, "SIZE", nullptr),
    Call<AddWord<kLongThreshold>>(0, "threshold", "SIZE",
                                  "exclude entries smaller than SIZE if positive, or entries greater than SIZE if "
                                  "negative (also -t SIZE)"),
    CallOptional<AddWord<kTime>>(0, "time", "WORD",
                                 "show time of the last modification of any file in the directory, or any of its "
                                 "subdirectories; or time as WORD: atime, access, use, ctime or status"),
    Value<&Options::time_style>(0, "time-style", "STYLE",
                                "show times using STYLE: full-iso, long-iso, iso, or +FORMAT"),
    Call<AddWord<kExcludeFrom>>('X', "exclude-from", "FILE", "exclude files that match any pattern in FILE"),
    Call<AddWord<kExclude>>(0, "exclude", "PATTERN", "exclude files that match PATTERN"),
    Flag<&Options::one_file_system>('x', "one-file-system", "skip directories on different file systems"),
};

constexpr Choice kTimes[] = {{"atime", static_cast<int>(TimeKind::kAccess)},
                             {"access", static_cast<int>(TimeKind::kAccess)},
                             {"use", static_cast<int>(TimeKind::kAccess)},
                             {"ctime", static_cast<int>(TimeKind::kChange)},
                             {"status", static_cast<int>(TimeKind::kChange)}};

struct Settings {
  BlockSize unit;
  uint64_t max_depth = std::numeric_limits<uint64_t>::max();
  uint64_t threshold = 0;
  bool threshold_is_most = false;   // entries above it are left out, not those below
  TimeKind time = TimeKind::kNone;
  std::string time_format;
  std::vector<Pattern> excluded;
};

// Makes settings of the options. Its functions answer false once they have complained.
class Resolver {
 public:
  Resolver(Invocation& in, const Options& options, Settings& settings) : in_(in), o_(options), s_(settings) {}

  bool Run() {
    s_.unit = UnitFromEnvironment(in_.env, "DU_BLOCK_SIZE");
    bool is_fine = true;
    std::optional<uint64_t> depth;
    for (const Options::Word& word : o_.words) {
      if (word.option == kDepth) {
        const auto number = ParseCount(word.text);
        if (number) depth = *number;
        else in_.Fail("invalid maximum depth " + Quote(word.text, in_.locale.is_utf8));
        is_fine = is_fine && number;
      } else if (word.option == kExcludeFrom) {
        is_fine = ReadPatterns(word.text) && is_fine;
      } else if (!Take(word)) {
        return false;
      }
    }
    if (!is_fine) return Hint();
    return SetDepth(depth) && SetTimeStyle();
  }

 private:
  bool Hint() {
    in_.UsageHint();
    return false;
  }
  bool Refuse(std::string_view message) {
    in_.Fail(message);
    return false;
  }

  bool Take(const Options::Word& word) {
    if (word.option == kBytes) s_.unit = BlockSize::Of(1);
    else if (word.option == kKibi) s_.unit = BlockSize::Of(1024);
    else if (word.option == kMebi) s_.unit = BlockSize::Of(1 << 20);
    else if (word.option == kHuman) s_.unit = BlockSize::Human();
    else if (word.option == kSi) s_.unit = BlockSize::Si();
    else if (word.option == kExclude) AddPattern(word.text);
    else if (word.option == kThreshold || word.option == kLongThreshold) return SetThreshold(word);
    else if (word.option == kTime) return SetTime(word.text);
    else return SetUnit(word);
    return true;
  }

  bool SetUnit(const Options::Word& word) {
    auto size = ParseBlockSize(word.text);
    if (!size) return Refuse(BlockSizeComplaint(word.option, word.text, size.error()));
    s_.unit = std::move(*size);
    return true;
  }

  bool SetThreshold(const Options::Word& word) {
    std::string_view text = word.text;
    s_.threshold_is_most = text.starts_with('-');
    if (s_.threshold_is_most) text.remove_prefix(1);
    const SizeNumber number = ParseSize(text, "kKmMGTPEZY0");
    const bool is_too_big = number.state == NumberState::kOverflow || number.value > std::numeric_limits<int64_t>::max();
    if (number.state == NumberState::kBadSuffix || number.state == NumberState::kBadSuffixOverflow) {
      return Refuse(BlockSizeComplaint(word.option, word.text, Code::kSyntax));
    }
    if (is_too_big) return Refuse(BlockSizeComplaint(word.option, word.text, Code::kOverflow));
    if (number.state != NumberState::kOk) return Refuse(BlockSizeComplaint(word.option, word.text, Code::kInvalid));
    if (s_.threshold_is_most && number.value == 0) {
      return Refuse(BlockSizeComplaint(kLongThreshold, word.text, Code::kInvalid));
    }
    s_.threshold = number.value;
    return true;
  }

  bool SetTime(const std::string& text) {
    s_.time = TimeKind::kModify;
    if (text.empty()) return true;
    const auto found = FindChoice("--time", text, kTimes, in_.locale.is_utf8);
    if (found) s_.time = static_cast<TimeKind>(*found);
    else in_.Usage(found.error().message);
    return found.has_value();
  }

  void AddPattern(std::string_view pattern) {
    s_.excluded.emplace_back(pattern, PatternFlags{.extglob = false, .is_utf8 = in_.locale.is_utf8});
  }

  bool ReadPatterns(const std::string& name) {
    auto file = InputFile::Open(in_, name);
    if (!file) {
      ReportFile(in_, name, file.error());
      return false;
    }
    while (const auto line = file->input().ReadLine()) {
      const size_t end = line->text.find_last_not_of(" \t\n\v\f\r");
      if (end != std::string_view::npos) AddPattern(line->text.substr(0, end + 1));
    }
    if (file->input().status()) return true;
    ReportFile(in_, name, file->input().status().error());
    return false;
  }

  bool SetDepth(std::optional<uint64_t> depth) {
    if (o_.all && o_.summarize) {
      in_.Usage("cannot both summarize and show all entries");
      return false;
    }
    if (o_.summarize && depth && *depth != 0) {
      in_.Usage("warning: summarizing conflicts with --max-depth=" + std::to_string(*depth));
      return false;
    }
    if (o_.summarize && depth) in_.Fail("warning: summarizing is the same as using --max-depth=0");
    if (o_.inodes && o_.apparent) in_.Fail("warning: options --apparent-size and -b are ineffective with --inodes");
    if (depth) s_.max_depth = *depth;
    if (o_.summarize) s_.max_depth = 0;
    if (o_.inodes && !s_.unit.is_human) s_.unit = BlockSize::Of(1);
    return true;
  }

  bool SetTimeStyle() {
    if (s_.time == TimeKind::kNone) return true;
    std::string style = o_.time_style.value_or("");
    if (!o_.time_style) {
      style = in_.env.Get("TIME_STYLE", "long-iso");
      if (style == "locale") style = "long-iso";
      if (style.starts_with('+')) style.resize(std::min(style.find('\n'), style.size()));
      constexpr std::string_view kPosix = "posix-";
      while (style.starts_with(kPosix)) style.erase(0, kPosix.size());
    }
    if (style.starts_with('+')) {
      s_.time_format = style.substr(1);
      return true;
    }
    constexpr Choice kStyles[] = {{"full-iso", 0}, {"long-iso", 1}, {"iso", 2}};
    constexpr const char* kFormats[] = {"%Y-%m-%d %H:%M:%S.%N %z", "%Y-%m-%d %H:%M", "%Y-%m-%d"};
    const auto found = FindChoice("time style", style, kStyles, in_.locale.is_utf8);
    if (found) s_.time_format = kFormats[*found];
    else in_.Usage(found.error().message);
    return found.has_value();
  }

  Invocation& in_;
  const Options& o_;
  Settings& s_;
};

struct Usage {
  uint64_t bytes = 0;
  uint64_t inodes = 0;
  Nanoseconds newest = Nanoseconds::min();

  void Add(const Usage& other) {
    bytes = SaturatingAdd(bytes, other.bytes);
    inodes = SaturatingAdd(inodes, other.inodes);
    newest = std::max(newest, other.newest);
  }
};

// Walks the trees of the operands. Directories are kept on a stack of its own, as deep as they are nested.
class Walker {
 public:
  Walker(Invocation& in, const Options& options, const Settings& settings, bool remembers_all)
      : in_(in), o_(options), s_(settings), zone_(LocalZone(in.env)),
        remembers_all_(remembers_all || options.links == Links::kAlways) {}

  void Operand(std::string path) {
    while (path.size() > 2 && path.ends_with("//")) path.pop_back();
    Visit(path, 0, nullptr);
    while (!stack_.empty()) {
      in_.budget.Step();
      Directory& top = stack_.back();
      if (top.next < top.entries.size()) {
        const size_t index = top.next++;
        const Result<vfs::Attributes>* seen = nullptr;
        if (o_.links != Links::kAlways) seen = &top.ahead.Of(in_.fs, top.path, top.entries, index);
        Visit(vfs::JoinPath(top.path, top.entries[index].name), stack_.size(), seen);
        continue;
      }
      const Directory done = std::move(top);
      stack_.pop_back();
      Leave(done);
    }
  }

  void PrintTotal() { Print(total_, "total"); }
  ExitStatus status() const { return status_; }

 private:
  struct Directory {
    std::string path;
    vfs::Attributes attributes;
    std::vector<vfs::DirectoryEntry> entries;
    size_t next = 0;
    StatAhead ahead;
    Usage own;     // the directory and what is in it but for directories
    Usage below;   // of its subdirectories
  };

  bool IsExcluded(std::string_view path) {
    for (const Pattern& pattern : s_.excluded) {
      if (pattern.Matches(path, in_.budget)) return true;
      for (size_t i = path.find('/'); i != std::string_view::npos && i + 1 < path.size(); i = path.find('/', i + 1)) {
        if (path[i + 1] != '/' && pattern.Matches(path.substr(i + 1), in_.budget)) return true;
      }
    }
    return false;
  }

  void Report(std::string_view what, const std::string& path, const Error* error) {
    const std::string subject = std::string(what) + " " + QuoteFile(path, in_.locale.is_utf8);
    status_ = error == nullptr ? in_.Fail(subject) : in_.Fail(subject, *error);
  }

  // True when the file has been counted already.
  bool IsRepeated(const vfs::Attributes& a) {
    if (o_.count_links) return false;
    if (!remembers_all_ && (a.is_directory() || a.links < 2)) return false;
    return !seen_.emplace(a.device, a.inode).second;
  }

  bool IsCycle(const vfs::Attributes& a) const {
    for (const Directory& directory : stack_) {
      if (IsSameFile(directory.attributes, a)) return true;
    }
    return false;
  }

  Usage UsageOf(const vfs::Attributes& a) const {
    Usage usage;
    usage.bytes = o_.apparent ? a.size : SaturatingMultiply(a.blocks, 512);
    usage.inodes = 1;
    usage.newest = s_.time == TimeKind::kAccess   ? a.access_time
                   : s_.time == TimeKind::kChange ? a.change_time
                                                  : a.modify_time;
    return usage;
  }

  // Counts a file, or begins with a directory. `seen`: its attributes, where they are known.
  void Visit(std::string path, uint64_t level, const Result<vfs::Attributes>* seen) {
    in_.budget.Step();
    if (IsExcluded(path)) return;
    const bool follows = o_.links == Links::kAlways || (o_.links == Links::kOperands && level == 0);
    const auto found = seen != nullptr ? *seen : in_.fs.Stat(path, follows ? vfs::Follow::kYes : vfs::Follow::kNo);
    if (!found) {
      const bool is_dangling = follows && found.error().code == Code::kNoEntry && in_.fs.Stat(path, vfs::Follow::kNo);
      return Report("cannot access", path, is_dangling ? nullptr : &found.error());
    }
    if (level == 0) device_ = found->device;
    if (o_.one_file_system && found->device != device_) return;
    if (o_.links == Links::kAlways && found->is_directory() && IsCycle(*found)) return;
    if (IsRepeated(*found)) return;
    const Usage usage = UsageOf(*found);
    total_.Add(usage);
    if (!found->is_directory()) {
      if (level > 0) stack_.back().own.Add(usage);
      if (level == 0 || (o_.all && level <= s_.max_depth)) Print(usage, path);
      return;
    }
    Directory directory{.path = std::move(path), .attributes = *found};
    directory.own = usage;
    auto entries = in_.fs.List(directory.path);
    if (entries) directory.entries = std::move(*entries);
    else Report("cannot read directory", directory.path, &entries.error());
    stack_.push_back(std::move(directory));
  }

  void Leave(const Directory& done) {
    Usage whole = done.own;
    whole.Add(done.below);
    if (!stack_.empty()) stack_.back().below.Add(whole);
    if (stack_.size() <= s_.max_depth) Print(o_.separate ? done.own : whole, done.path);
  }

  void Print(const Usage& usage, std::string_view name) {
    const uint64_t value = o_.inodes ? usage.inodes : usage.bytes;
    if (s_.threshold_is_most ? value > s_.threshold : value < s_.threshold) return;
    in_.out.Write(s_.unit.Format(value));
    in_.out.Put('\t');
    if (s_.time != TimeKind::kNone) {
      const TimePoint moment = ToTimePoint(usage.newest);
      in_.out.Write(FormatTime(s_.time_format, zone_.ToLocal(moment.seconds), moment, in_.budget));
      in_.out.Put('\t');
    }
    in_.out.Write(name);
    in_.out.Put(o_.null ? '\0' : '\n');
  }

  Invocation& in_;
  const Options& o_;
  const Settings& s_;
  TimeZone zone_;
  const bool remembers_all_;   // every file, as one may be met again under the same name
  std::vector<Directory> stack_;
  std::set<std::pair<uint64_t, uint64_t>> seen_;   // device and inode
  uint64_t device_ = 0;        // of the operand
  Usage total_;
  ExitStatus status_ = 0;
};

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  Settings settings;
  if (!Resolver(in, options, settings).Run()) return 1;
  std::vector<std::string> names = operands;
  if (options.files_from) {
    if (!operands.empty()) {
      return in.Usage("extra operand " + Quote(operands[0], in.locale.is_utf8) +
                      "\nfile operands cannot be combined with --files0-from");
    }
    auto listed = ReadFileList(in, *options.files_from);
    if (!listed) return in.Fail(listed.error().message);
    names = std::move(*listed);
  } else if (names.empty()) {
    names = {"."};
  }
  Walker walker(in, options, settings, options.files_from || names.size() > 1);
  ExitStatus status = 0;
  for (size_t i = 0; i < names.size(); ++i) {
    const Status usable = CheckListedName(in, names[i], options.files_from.value_or(""), i);
    if (usable) walker.Operand(names[i]);
    else status = in.Fail(usable.error().message);
  }
  if (options.total) walker.PrintTotal();
  return std::max(status, walker.status());
}

}  // namespace

extern const Command kCommand_du;
const Command kCommand_du = Define<Options, Run>({
    .name = "du",
    .summary = "summarize device usage of the set of FILEs, recursively for directories",
    .synopsis = "[OPTION]... [FILE]...\n[OPTION]... --files0-from=F",
    .details = "Display values are in units of the first available SIZE from --block-size,\n"
               "and the DU_BLOCK_SIZE, BLOCK_SIZE and BLOCKSIZE environment variables.\n"
               "Otherwise, units default to 1024 bytes (or 512 if POSIXLY_CORRECT is set).\n",
    .options = kOptions,
});

}  // namespace paddock
