// git blame.
#include <algorithm>

#include "commands/git/history/blame.h"
#include "commands/git/history/pretty.h"
#include "commands/git/line_number.h"
#include "commands/input_files.h"
#include "git/tree_reader.h"
#include "text/regex.h"

namespace paddock::git {
namespace {

Status TakeAbbrev(BlameOptions& options, std::string_view value) {
  if (value.empty()) return {};
  int64_t digits = 0;
  if (!ParseOptionValue(value, digits)) return Error(Code::kRange, "option `abbrev' expects a numerical value");
  options.abbrev = static_cast<size_t>(std::clamp<int64_t>(digits, 4, 40));
  return {};
}
// A number alone; anything else stands for the default.
int64_t ScoreOf(std::string_view text, int64_t otherwise) {
  int64_t score = 0;
  return ParseOptionValue(text, score) && score > 0 ? score : otherwise;
}
Status TakeMoves(BlameOptions& options, std::string_view value) {
  options.moves = true;
  if (!value.empty()) options.move_score = ScoreOf(value, 20);
  return {};
}
// Each further -C looks into more files.
Status TakeCopies(BlameOptions& options, std::string_view value) {
  using Copies = BlameOptions::Copies;
  options.moves = true;
  options.copies = options.copies == Copies::kNo ? Copies::kFromChanged : options.copies == Copies::kFromChanged ? Copies::kOfCreation : Copies::kFromAll;
  if (!value.empty()) options.copy_score = ScoreOf(value, 40);
  return {};
}
constexpr Option kOptions[] = {
    Value<&BlameOptions::ranges>('L', nullptr, "FROM,TO", "only these lines"), Flag<&BlameOptions::no_author>('s', nullptr, "without author and date"),
    Flag<&BlameOptions::email>('e', "show-email", "mail addresses instead of names"), Flag<&BlameOptions::porcelain>('p', "porcelain", "for programs"),
    Flag<&BlameOptions::line_porcelain>(0, "line-porcelain", "likewise, with all about each line"), Flag<&BlameOptions::blanks>('w', nullptr, "ignore blanks"),
    Flag<&BlameOptions::names>('f', "show-name", "with the name of the file"), Flag<&BlameOptions::numbers>('n', "show-number", "with the number that the line had"),
    Flag<&BlameOptions::long_ids>('l', nullptr, "with whole ids"), Flag<&BlameOptions::root>(0, "root", "first commits are no boundary"),
    Flag<&BlameOptions::blank_boundary>('b', nullptr, "no ids of boundaries"), Value<&BlameOptions::date>(0, "date", "FORMAT", "how dates are shown"),
    Flag<&BlameOptions::as_annotate>('c', nullptr, "as git annotate shows it"), Flag<&BlameOptions::raw_times>('t', nullptr, "times as seconds and zone"),
    CallOptional<TakeAbbrev>(0, "abbrev", "N", "ids with N digits"), Value<&BlameOptions::contents>(0, "contents", "FILE", "the lines of FILE (-: standard input)"),
    CallOptional<TakeMoves>('M', nullptr, "SCORE", "follow lines that were moved within the file"), CallOptional<TakeCopies>('C', nullptr, "SCORE", "follow lines that came from other files, too; up to three times: from more of them"),
    Value<&BlameOptions::ignored>(0, "ignore-rev", "REV", "pass over that commit"), Value<&BlameOptions::ignored_files>(0, "ignore-revs-file", "FILE", "pass over the commits that FILE lists"),
    Flag<&BlameOptions::incremental>(0, "incremental", "for programs: tell all as it is found"), Value<&BlameOptions::revisions>('S', nullptr, "FILE", "commits have the parents that FILE says"),
    Flag<&BlameOptions::colours_repeated>(0, "color-lines", "paint where the commit is that of the line above"), Flag<&BlameOptions::colours_by_age>(0, "color-by-age", "paint lines by their age"),
    Flag<&BlameOptions::minimal>(0, "minimal", "the smallest differences"), Flag<&BlameOptions::shows_stats>(0, "show-stats", "tell how much work it was"),
    Flag<&BlameOptions::shows_scores>(0, "score-debug", "with the score of the lines, and how often their origin is used"), Flag<&BlameOptions::progress>(0, "progress", "tell on standard error how far it is, when it takes long"),
    Flag<&BlameOptions::first_parent>(0, "first-parent", "follow first parents only"),
};

// The lines that -L asks for.
class Ranges {
 public:
  Ranges(Git& git, const std::vector<std::string_view>& lines, std::string path) : git_(git), lines_(lines), path_(std::move(path)), wanted_(lines.size(), 0) {}
  Status Take(std::string_view text) {
    int64_t begin = 1, end = static_cast<int64_t>(lines_.size());
    if (!text.starts_with(',')) {
      PADDOCK_ASSIGN(begin, Place(text, last_));
      if (begin < 1) return Error(Code::kRange, "-L invalid line number: " + std::to_string(begin));
    }
    if (text.starts_with(',') && text.size() > 1) {
      text.remove_prefix(1);
      const bool is_forward = text.starts_with('+');
      if (is_forward || text.starts_with('-')) {
        text.remove_prefix(1);
        PADDOCK_ASSIGN(const int64_t count, Place(text, begin));
        if (count == 0) return Error(Code::kRange, "-L invalid empty range");
        if (count < 0) return Error(Code::kSyntax, "-L argument not 'start,end:file' or ':funcname:file': " + std::to_string(count));
        end = is_forward ? begin + count - 1 : begin;
        if (!is_forward) begin = std::max<int64_t>(begin - count + 1, 1);
      } else {
        PADDOCK_ASSIGN(end, Place(text, begin));
        if (end < 1) return Error(Code::kRange, "-L invalid line number: " + std::to_string(end));
      }
    }
    if (!text.empty() && text != ",") return Error(Code::kSyntax, "-L argument not 'start,end:file' or ':funcname:file': " + std::string(text));
    if (begin > end) std::swap(begin, end);
    const int64_t count = static_cast<int64_t>(lines_.size());
    if (begin > count) return Error(Code::kRange, "file " + path_ + " has only " + std::to_string(count) + (count == 1 ? " line" : " lines"));
    for (int64_t i = begin; i <= std::min(end, count); ++i) wanted_[static_cast<size_t>(i - 1)] = 1;
    last_ = std::min(end, count) + 1;
    return {};
  }
  // The runs of lines that were taken.
  std::vector<std::pair<size_t, size_t>> Runs() const {
    std::vector<std::pair<size_t, size_t>> runs;
    for (size_t i = 0; i < wanted_.size(); ++i) {
      if (wanted_[i] == 0) continue;
      if (runs.empty() || runs.back().second != i) runs.emplace_back(i, i);
      runs.back().second = i + 1;
    }
    return runs;
  }

 private:
  // A number, or the next line from `from` that matches /PATTERN/.
  Result<int64_t> Place(std::string_view& text, int64_t from) {
    if (!text.starts_with('/')) {
      const auto number = TakeLineNumber(text);
      if (!number) return Error(Code::kSyntax, "-L argument not 'start,end:file' or ':funcname:file': " + std::string(text));
      return *number;
    }
    const size_t end = text.find('/', 1);
    if (end == std::string_view::npos) return Error(Code::kSyntax, "-L argument not 'start,end:file' or ':funcname:file': " + std::string(text));
    const std::string pattern(text.substr(1, end - 1));
    text.remove_prefix(end + 1);
    auto regex = Regex::Compile(pattern, {.dialect = RegexDialect::kGrepBasic});
    if (!regex) return Error(Code::kInvalid, "-L parameter '" + pattern + "': " + std::string(regex.error().Text()));
    for (size_t i = static_cast<size_t>(std::max<int64_t>(from, 1) - 1); i < lines_.size(); ++i) {
      std::string_view line = lines_[i];
      if (line.ends_with('\n')) line.remove_suffix(1);
      PADDOCK_ASSIGN(const bool matches, regex->Search(line, 0, nullptr, git_.in.budget));
      if (matches) return static_cast<int64_t>(i + 1);
    }
    return Error(Code::kNoEntry, "-L parameter '" + pattern + "' starting at line " + std::to_string(from) + ": No match");
  }
  Git& git_;
  const std::vector<std::string_view>& lines_;
  std::string path_;
  std::vector<char> wanted_;
  int64_t last_ = 1;
};

// "Blaming lines:  50% (3/6)", once it takes longer than GIT_PROGRESS_DELAY.
class Meter {
 public:
  Meter(Git& git, const BlameTask& task) : git_(git), begin_(git.in.clock.MonotonicNow()) {
    for (const auto& [begin, end] : task.ranges) total_ += end - begin;
    static_cast<void>(ParseOptionValue(git.in.env.Get("GIT_PROGRESS_DELAY", "2"), delay_).has_value());
  }
  void Add(size_t lines) {
    done_ += lines;
    const size_t percent = done_ * 100 / std::max<size_t>(total_, 1);
    if (percent == percent_ || git_.in.clock.MonotonicNow() - begin_ < std::chrono::seconds(delay_)) return;
    percent_ = percent;
    git_.Say(Text() + "\r");
  }
  void End() {
    if (percent_) git_.Say(Text() + ", done.\n");
  }

 private:
  std::string Text() const {
    std::string percent = std::to_string(*percent_);
    percent.insert(0, 3 - percent.size(), ' ');
    return "Blaming lines: " + percent + "% (" + std::to_string(done_) + "/" + std::to_string(total_) + ")";
  }
  Git& git_;
  const Nanoseconds begin_;
  int64_t delay_ = 2;
  size_t total_ = 0, done_ = 0;
  std::optional<size_t> percent_;
};

Result<ExitStatus> Show(Git& git, const BlameOptions& options, const BlameTask& task) {
  Blame blame(git, options);
  BlameTeller teller(git, options, blame);
  std::optional<Meter> meter;
  if (options.progress) meter.emplace(git, task);
  PADDOCK_ASSIGN(const std::vector<BlameEntry> entries, blame.Run(task, [&](const BlameEntry& entry) -> Status {
    if (meter) meter->Add(entry.count);
    return options.incremental ? teller.Tell(entry) : Status();
  }));
  if (meter) meter->End();
  if (options.incremental) return 0;
  PADDOCK_TRY(PrintBlame(git, options, blame, entries, task.path));
  if (options.shows_stats) {
    git.Print("num read blob: " + std::to_string(blame.counts().blobs) + "\nnum get patch: " + std::to_string(blame.counts().patches) + "\nnum commits: " + std::to_string(blame.counts().commits) + "\n");
  }
  return 0;
}

Result<ExitStatus> RunBlame(Git& git, BlameOptions& options, Args& args) {
  if (!args.has_dashes && !args.operands.empty()) {
    // FILE REVISION is another way to say it.
    if (args.operands.size() == 2 && ResolveObject(git, args.operands[1])) std::swap(args.operands[0], args.operands[1]);
    args.paths = {args.operands.back()};
    args.operands.pop_back();
    args.has_dashes = true;
  }
  if (args.paths.size() != 1) {
    git.Say("usage: git blame [<options>] [<rev-opts>] [<rev>] [--] <file>\n");
    return 129;
  }
  if (options.progress && (options.incremental || options.porcelain || options.line_porcelain)) return Error(Code::kInvalid, "--progress can't be used with --incremental or porcelain formats");
  if (!options.date.empty() && !IsDateMode(options.date)) return Error(Code::kInvalid, "unknown date format " + options.date);
  PADDOCK_ASSIGN(const std::string path, git.RepositoryPath(args.paths[0]));
  args.paths.clear();
  PADDOCK_ASSIGN(Selection selection, ParseSelection(git, args));
  if (selection.included.size() > 1) return Error(Code::kInvalid, "More than one commit to dig from " + selection.names[0] + " and " + selection.names[1] + "?");
  if (options.contents && !selection.included.empty()) return Error(Code::kInvalid, "cannot use --contents with final commit object name");
  const bool from_files = options.contents || (selection.included.empty() && !git.work_tree.empty());
  const auto head = git.Head();
  if (selection.included.empty() && !head) return Error(Code::kNoEntry, "no such ref: HEAD");
  PADDOCK_ASSIGN(const Oid start, git.objects.Peel(selection.included.empty() ? *head : selection.included[0], ObjectType::kCommit));
  PADDOCK_ASSIGN(const Oid tree, git.objects.Peel(start, ObjectType::kTree));
  PADDOCK_ASSIGN(const std::optional<TreeEntry> item, FindPath(git.objects, tree, path, git.in.budget));
  if (!item || item->is_tree()) return Error(Code::kNoEntry, from_files ? "no such path '" + path + "' in HEAD" : "no such path " + path + " in " + (selection.names.empty() ? "HEAD" : selection.names[0]));
  std::string text;
  if (options.contents) {
    auto input = InputFile::Open(git.in, *options.contents);
    if (!input) return Error(input.error().code, "Cannot stat '" + *options.contents + "': " + std::string(input.error().Text()));
    text = input->input().ReadAll();
  } else if (from_files) {
    PADDOCK_ASSIGN(auto content, ReadWorkingFile(git, path));
    if (!content) return Error(Code::kNoEntry, "Cannot lstat '" + path + "': No such file or directory");
    text = std::move(content->data);
  } else {
    PADDOCK_ASSIGN(text, git.ReadBlob(item->id));
  }
  const std::vector<std::string_view> lines = SplitLines(text);
  Ranges ranges(git, lines, path);
  for (const std::string& range : options.ranges) PADDOCK_TRY(ranges.Take(range));
  BlameTask task{std::move(selection), from_files ? Oid{} : start, path, text, ranges.Runs()};
  if (options.ranges.empty() && !lines.empty()) task.ranges = {{0, lines.size()}};
  return Show(git, options, task);
}

Result<ExitStatus> RunAnnotate(Git& git, BlameOptions& options, Args& args) {
  options.as_annotate = true;
  return RunBlame(git, options, args);
}

}  // namespace

extern const Subcommand kAnnotate, kBlame;
const Subcommand kAnnotate = DefineSubcommand<BlameOptions, RunAnnotate>({.name = "annotate", .summary = "blame -c", .synopsis = "[<options>] [<rev>] [--] <file>", .options = kOptions});
const Subcommand kBlame = DefineSubcommand<BlameOptions, RunBlame>({.name = "blame", .summary = "tell where each line of a file comes from", .synopsis = "[<options>] [<rev>] [--] <file>", .options = kOptions});

}  // namespace paddock::git
