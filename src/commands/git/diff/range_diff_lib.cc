// git range-diff: two versions of a series of commits.
#include "commands/git/diff/range_diff.h"

#include <algorithm>
#include <map>
#include <set>

#include "commands/git/diff/diff_paint.h"
#include "commands/git/history/log.h"
#include "commands/git/refs/abbrev.h"
#include "commands/git/work/commit.h"
#include "git/assignment.h"

namespace paddock::git {
namespace {

constexpr size_t kMostCommits = 4000;      // of both sides
constexpr int64_t kNever = 1 << 16;        // the price of what must not be
constexpr size_t kUnmatched = SIZE_MAX;

// A commit as a text that is compared with another one.
struct SeriesCommit {
  Oid id;
  std::string subject, text;
  size_t diff_begin = 0;   // in the text
  int64_t diff_lines = 0;
  size_t match = kUnmatched;
  bool is_shown = false;
  std::string_view diff() const { return std::string_view(text).substr(diff_begin); }
};

void TrimEnd(std::string_view& line) {
  while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back()))) line.remove_suffix(1);
}

// The heads of the sections of such a text, which stand behind @@.
std::optional<std::string> SectionOf(std::string_view line) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  if (line.starts_with(" ## ") && line.ends_with(" ##") && line.size() >= 7) return std::string(line.substr(4, line.size() - 7));
  if (line.starts_with("@@ ")) return std::string(line.substr(3));
  if (line.size() >= 4 && line.substr(1, 3) == "@@ ") return std::string(line.substr(4));
  return std::nullopt;
}

class SeriesReader {
 public:
  SeriesReader(Git& git, const RangeDiffOptions& options) : git_(git) {
    log_.pretty = "medium";
    if (options.no_notes) log_.with_notes = false;
    if (options.notes) {
      log_.with_notes = true;
      log_.notes_ref = *options.notes;
    }
    TakeDiffConfig(git, diff_);
    diff_.patch = diff_.no_prefix = true;
    diff_.textconv = true;
    diff_.new_mark = '>';
    diff_.old_mark = '<';
    diff_.context_mark = '#';
  }

  Result<std::vector<SeriesCommit>> Read(const std::string& range) {
    Selection selection;
    PADDOCK_ASSIGN(const bool is_known, TakeRevision(git_, range, selection));
    if (!is_known) return Error(Code::kNoEntry, "bad revision '" + range + "'");
    PADDOCK_ASSIGN(PrettyOptions pretty, PrettyOf(git_, log_));
    History history(git_);
    PADDOCK_ASSIGN(std::vector<Oid> walk, WalkHistory(git_, history, selection, {.is_topological = true, .is_by_date = true}));
    std::reverse(walk.begin(), walk.end());
    std::vector<SeriesCommit> commits;
    for (const Oid& id : walk) {
      git_.in.budget.Step();
      PADDOCK_ASSIGN(const History::Node* node, history.Get(id));
      if (node->commit.parents.size() > 1) continue;
      SeriesCommit commit{.id = id, .subject = SubjectOf(node->commit.message), .text = HeadText(PrettyCommit(git_, id, node->commit, pretty))};
      PADDOCK_TRY(AddChanges(node->commit, commit));
      git_.in.budget.WillAllocate(commit.text.size());
      commits.push_back(std::move(commit));
    }
    return commits;
  }

 private:
  // The author, the message and the notes of what log shows.
  static std::string HeadText(const std::string& shown) {
    std::string text;
    for (std::string_view line : SplitLines(shown)) {
      if (line.ends_with('\n')) line.remove_suffix(1);
      if (line.starts_with("Author: ")) {
        text += " ## Metadata ##\n" + std::string(line) + "\n\n ## Commit message ##\n";
      } else if (line.starts_with("Notes") && line.ends_with(':')) {
        line.remove_suffix(1);
        text += "\n\n ## " + std::string(line) + " ##\n";
      } else if (line.starts_with("    ")) {
        TrimEnd(line);
        text += std::string(line) + "\n";
      }
    }
    return text;
  }

  Status AddChanges(const Commit& parsed, SeriesCommit& commit) {
    FlatTree before;
    if (!parsed.parents.empty()) {
      PADDOCK_ASSIGN(before, git_.FlattenCommit(parsed.parents[0]));
    }
    PADDOCK_ASSIGN(const FlatTree after, git_.Flatten(parsed.tree));
    std::vector<FileDiff> files = CompareTrees(before, after);
    Pathspec all;
    PADDOCK_TRY(Arrange(git_, files, diff_, all));
    commit.diff_begin = commit.text.size();
    for (const FileDiff& file : files) {
      commit.text += '\n';
      if (commit.diff_lines++ == 0) commit.diff_begin = commit.text.size();
      const std::string name = file.new_mode == 0 ? file.old_path : file.new_path;
      commit.text += " ## ";
      if (file.old_mode == 0) commit.text += name + " (new)";
      else if (file.new_mode == 0) commit.text += name + " (deleted)";
      else if (file.status == 'R') commit.text += file.old_path + " => " + name;
      else commit.text += name;
      if (file.old_mode != 0 && file.new_mode != 0 && file.old_mode != file.new_mode) commit.text += " (mode change " + ModeText(file.old_mode) + " => " + ModeText(file.new_mode) + ")";
      commit.text += " ##\n";
      PADDOCK_ASSIGN(const std::string patch, FormatDiff(git_, {file}, diff_));
      AddPatch(patch, name, commit);
    }
    return {};
  }

  // The lines behind the names, without the places of hunks.
  static void AddPatch(const std::string& patch, const std::string& name, SeriesCommit& commit) {
    bool is_head = true;
    for (std::string_view line : SplitLines(patch)) {
      if (line.ends_with('\n')) line.remove_suffix(1);
      const bool is_hunk = line.starts_with("@@ ");
      is_head = is_head && !is_hunk && !line.starts_with("Binary files ") && !line.starts_with("GIT binary ");
      if (is_head || line.empty()) continue;
      if (is_hunk) {
        const size_t end = line.find("@@", 3);
        const std::string_view heading = end == std::string_view::npos ? std::string_view() : line.substr(end + 2);
        commit.text += "@@" + (heading.empty() ? "" : " " + name + ":" + std::string(heading));
      } else {
        const char mark = line[0] == '>' ? '+' : line[0] == '<' ? '-' : ' ';
        commit.text += mark + std::string(line[0] == '>' || line[0] == '<' || line[0] == '#' ? line.substr(1) : line);
      }
      commit.text += '\n';
      ++commit.diff_lines;
    }
  }

  Git& git_;
  LogOptions log_;
  DiffOptions diff_;
};

// How many lines it takes to show the difference of two texts.
class LineCount final : public HunkSink {
 public:
  void Fragment(std::string_view, std::string_view) override { ++count; }
  void Line(char, std::string_view line) override { count += line.ends_with('\n') ? 1 : 2; }
  int64_t count = 0;
};

class RangeComparison {
 public:
  RangeComparison(Git& git, std::vector<SeriesCommit> a, std::vector<SeriesCommit> b, const RangeDiffOptions& options) : git_(git), options_(options), a_(std::move(a)), b_(std::move(b)) {
    if (options_.colours) palette_ = PaletteOf(git);
    options_.line_prefix = "    ";
    options_.reverse = false;   // git does not turn it round, either
    options_.patch = options_.patch || (!options_.HasFormat() && !options_.no_patch);
  }

  Result<std::string> Text() {
    MatchTwins();
    PADDOCK_TRY(MatchOthers());
    number_width_ = std::to_string(std::max(a_.size(), b_.size())).size();
    size_t i = 0, j = 0;
    while (i < a_.size() || j < b_.size()) {
      git_.in.budget.Step();
      while (i < a_.size() && a_[i].is_shown) ++i;
      if (i < a_.size() && a_[i].match == kUnmatched) {
        if (!options_.right_only) PutHead(&a_[i], i, nullptr, 0);
        ++i;
        continue;
      }
      for (; j < b_.size() && b_[j].match == kUnmatched; ++j) {
        if (!options_.left_only) PutHead(nullptr, 0, &b_[j], j);
      }
      if (j >= b_.size()) continue;
      SeriesCommit& old = a_[b_[j].match];
      PutHead(&old, b_[j].match, &b_[j], j);
      if (!options_.no_patch) PADDOCK_TRY(PutChanges(old, b_[j]));
      old.is_shown = true;
      ++j;
    }
    return std::move(text_);
  }

 private:
  // Those with the same changes belong together, in their order.
  void MatchTwins() {
    std::map<std::string_view, std::vector<size_t>> places;
    for (size_t i = 0; i < a_.size(); ++i) places[a_[i].diff()].push_back(i);
    for (size_t j = 0; j < b_.size(); ++j) {
      const auto same = places.find(b_[j].diff());
      if (same == places.end() || same->second.empty()) continue;
      Match(same->second.front(), j);
      same->second.erase(same->second.begin());
    }
  }
  void Match(size_t i, size_t j) {
    a_[i].match = j;
    b_[j].match = i;
  }

  // The rest is matched so that the differences are the smallest in all. A commit that has no mate costs something, too.
  Status MatchOthers() {
    // Those that have a mate take part as well, at a price that keeps them together: among equals they decide who comes first.
    const size_t n = a_.size() + b_.size();
    if (n > kMostCommits) return Error(Code::kRange, "too many commits to compare: " + std::to_string(n));
    if (std::none_of(a_.begin(), a_.end(), IsAlone) || std::none_of(b_.begin(), b_.end(), IsAlone)) return {};
    git_.in.budget.WillAllocate(n * n * sizeof(int64_t));
    std::vector<int64_t> costs(n * n, 0);
    const auto price = [this](const SeriesCommit& commit) { return IsAlone(commit) ? std::min(commit.diff_lines * std::clamp<int64_t>(options_.creation_factor, -kNever, kNever) / 100, kNever) : kNever; };
    for (size_t i = 0; i < a_.size(); ++i) {
      for (size_t j = 0; j < b_.size(); ++j) costs[i * n + j] = IsAlone(a_[i]) && IsAlone(b_[j]) ? Distance(a_[i].diff(), b_[j].diff()) : a_[i].match == j ? 0 : kNever;
      for (size_t j = b_.size(); j < n; ++j) costs[i * n + j] = price(a_[i]);
    }
    for (size_t j = 0; j < b_.size(); ++j) {
      for (size_t i = a_.size(); i < n; ++i) costs[i * n + j] = price(b_[j]);
    }
    const std::vector<size_t> columns = CheapestAssignment(costs, n, git_.in.budget);
    for (size_t i = 0; i < a_.size(); ++i) {
      if (IsAlone(a_[i]) && columns[i] < b_.size() && IsAlone(b_[columns[i]])) Match(i, columns[i]);
    }
    return {};
  }
  static bool IsAlone(const SeriesCommit& commit) { return commit.match == kUnmatched; }
  int64_t Distance(std::string_view a, std::string_view b) {
    LineCount lines;
    WalkHunks(a, b, DiffOptions(), git_.in.budget, {}, lines);
    return lines.count;
  }

  void PutHead(const SeriesCommit* old, size_t i, const SeriesCommit* now, size_t j) {
    const char sign = old == nullptr ? '>' : now == nullptr ? '<' : old->text == now->text ? '=' : '!';
    const std::string none(git_.objects.Abbreviate((old != nullptr ? old : now)->id).size(), '-');
    const auto side = [&](const SeriesCommit* commit, size_t place) {
      const std::string number = commit == nullptr ? "-" : std::to_string(place + 1);
      return std::string(number_width_ - std::min(number_width_, number.size()), ' ') + number + ":  " + (commit == nullptr ? none : git_.objects.Abbreviate(commit->id));
    };
    const std::string first = side(old, i) + " ", second = " " + side(now, j), subject = " " + (old != nullptr ? old : now)->subject;
    if (!options_.colours) {
      text_ += first + sign + second + subject + "\n";
    } else if (sign == '!') {
      text_ += palette_.old_line + first + palette_.reset + palette_.commit + "!" + palette_.reset + palette_.new_line + second + palette_.reset + palette_.commit + subject + palette_.reset + "\n";
    } else {
      text_ += (sign == '<' ? palette_.old_line : sign == '>' ? palette_.new_line : palette_.commit) + first + sign + second + subject + palette_.reset + "\n";
    }
  }

  Status PutChanges(const SeriesCommit& old, const SeriesCommit& now) {
    if (old.text == now.text) return {};
    FileDiff file;
    file.old_path = file.new_path = "a";
    file.old_mode = file.new_mode = kModeFile;
    file.old_text = std::make_shared<const std::string>(old.text);
    file.new_text = std::make_shared<const std::string>(now.text);
    DiffOptions names = options_, counts = options_;
    names.patch = names.stat = names.numstat = names.shortstat = false;
    counts.patch = counts.raw = counts.name_only = counts.name_status = false;
    if (names.name_only) file.new_path = "b";
    if (names.raw || names.name_only || names.name_status) {
      PADDOCK_ASSIGN(const std::string part, FormatDiff(git_, {file}, names));
      text_ += part;
    }
    bool has_other_part = names.raw || names.name_only || names.name_status;
    file.new_path = "b";
    file.old_id = HashObject(ObjectType::kBlob, old.text);
    file.new_id = HashObject(ObjectType::kBlob, now.text);
    if (counts.HasFormat()) {
      PADDOCK_ASSIGN(const std::string part, FormatDiff(git_, {file}, counts));
      text_ += part;
      has_other_part |= !part.empty();
    }
    if (!options_.patch) return {};
    if (has_other_part) text_ += options_.line_prefix + "\n";
    PatchSink sink(*this);
    WalkHunks(old.text, now.text, options_, git_.in.budget, SectionOf, sink);
    return {};
  }

  // Hunks without the places of their lines.
  class PatchSink final : public HunkSink {
   public:
    explicit PatchSink(RangeComparison& owner) : owner_(owner) {}
    void Fragment(std::string_view, std::string_view heading) override { owner_.PutFragment(heading); }
    void Line(char mark, std::string_view line) override { owner_.PutLine(mark, line); }

   private:
    RangeComparison& owner_;
  };
  void PutFragment(std::string_view heading) {
    text_ += options_.line_prefix;
    if (!options_.colours) {
      text_ += "@@" + std::string(heading) + "\n";
      return;
    }
    text_ += (options_.no_dual_colour ? "" : "\033[7m") + palette_.fragment + "@@" + palette_.reset;
    if (!heading.empty()) text_ += palette_.plain + std::string(heading.substr(0, 1)) + palette_.reset + palette_.function + std::string(heading.substr(1)) + palette_.reset;
    text_ += "\n";
  }
  void PutLine(char mark, std::string_view line) {
    if (line.ends_with('\n')) line.remove_suffix(1);
    const char sign = mark == '+' ? options_.new_mark : mark == '-' ? options_.old_mark : options_.context_mark;
    text_ += options_.line_prefix;
    if (!options_.colours) {
      text_ += sign + std::string(line) + "\n";
      return;
    }
    const std::string& outer = mark == '+' ? palette_.new_line : mark == '-' ? palette_.old_line : palette_.plain;
    if (options_.no_dual_colour) {
      if (mark == '+') text_ += outer + sign + palette_.reset + (line.empty() ? "" : outer + std::string(line) + palette_.reset) + "\n";
      else text_ += outer + sign + std::string(line) + palette_.reset + "\n";
      return;
    }
    // The colour tells what the line does in its patch: what came with it is bold, what went is dim.
    const char inner = line.empty() ? ' ' : line[0];
    const std::string colour = inner == '+' ? palette_.new_line : inner == '-' ? palette_.old_line : inner == '@' ? palette_.fragment : palette_.plain;
    if (mark == ' ') {
      text_ += colour + sign + std::string(line) + palette_.reset + "\n";
      return;
    }
    const char* strength = mark == '+' ? "1" : "2";
    text_ += "\033[7m" + outer + sign + palette_.reset + "\033[" + strength + (colour.starts_with("\033[") ? ";" + colour.substr(2) : "m") + std::string(line) + palette_.reset + "\n";
  }

  Git& git_;
  RangeDiffOptions options_;
  std::vector<SeriesCommit> a_, b_;
  Palette palette_;
  size_t number_width_ = 1;
  std::string text_;
};

Status TakeNotes(RangeDiffOptions& options, std::string_view value) {
  options.notes = value;
  options.no_notes = false;
  return {};
}
Status TakeNoNotes(RangeDiffOptions& options, std::string_view) {
  options.notes.reset();
  options.no_notes = true;
  return {};
}

// What of the options of diff is not done here, for it is about files, of which there are none: refused, and not in the help.
constexpr std::string_view kRefused[] = {"word-diff", "word-diff-regex", "color-words", "color-moved", "color-moved-ws", "S", "G", "diff-filter", "find-object", "O", "skip-to",
                                         "rotate-to", "relative", "dirstat", "cumulative", "dirstat-by-file", "check", "break-rewrites", "ws-error-highlight"};
template <size_t kCount>
constexpr std::array<Option, kCount> WithoutRefused(std::array<Option, kCount> table) {
  for (Option& option : table) {
    for (const std::string_view name : kRefused) {
      if (option.long_name != nullptr ? name == option.long_name : name.size() == 1 && name[0] == option.short_name) option.help = nullptr;
    }
  }
  return table;
}

constexpr auto kRangeDiffOptions = JoinTables(WithoutRefused(DiffOptionTable()), std::array{
    Value<&RangeDiffOptions::creation_factor>(0, "creation-factor", "PERCENT", "what a commit without a mate costs"),
    Flag<&RangeDiffOptions::no_dual_colour>(0, "no-dual-color", "colours tell only what came and went"),
    CallOptional<TakeNotes>(0, "notes", "REF", "compare notes, too (the default)"),
    Call<TakeNoNotes>(0, "no-notes", nullptr, "do not"),
    Flag<&RangeDiffOptions::left_only>(0, "left-only", "nothing that is new"),
    Flag<&RangeDiffOptions::right_only>(0, "right-only", "nothing that went"),
    Flag<&RangeDiffOptions::exit_code>(0, "exit-code", "makes no difference"),
    Flag<&RangeDiffOptions::quiet>(0, "quiet", "no differences, only what became of each commit"),
    Flag<&RangeDiffOptions::follows>(0, "follow", "an error, as there is no path to follow"),
    CallOptional<TakeDiffAbbrev<&RangeDiffOptions::abbrev>>(0, "abbrev", "N", "with --raw: ids of N digits"),
    Value<&RangeDiffOptions::output>(0, "output", "FILE", "write to FILE"),
});

Status RefuseOthers(const RangeDiffOptions& options) {
  const std::pair<bool, const char*> unknown[] = {{options.words != DiffOptions::Words::kNo, "--word-diff"}, {options.moved.has_value() || options.moved_blanks.has_value(), "--color-moved"},
                                                  {!options.pickaxe.empty(), "-S"}, {!options.pickaxe_regex.empty(), "-G"}, {!options.filter.empty(), "--diff-filter"}, {!options.find_object.empty(), "--find-object"},
                                                  {!options.order_file.empty(), "-O"}, {!options.skip_to.empty(), "--skip-to"}, {!options.rotate_to.empty(), "--rotate-to"}, {options.is_relative, "--relative"},
                                                  {options.dirstat.has_value(), "--dirstat"}, {options.checks, "--check"}, {options.break_score >= 0, "--break-rewrites"}, {options.highlight.has_value(), "--ws-error-highlight"}};
  for (const auto& [is_asked, name] : unknown) {
    if (is_asked) return Error(Code::kNotSupported, "the option '" + std::string(name) + "' of range-diff is not supported");
  }
  return {};
}

Result<ExitStatus> RunRangeDiff(Git& git, RangeDiffOptions& options, Args& args) {
  PADDOCK_TRY(RefuseOthers(options));
  const std::vector<std::string> operands = args.All();
  if (options.follows) return Error(Code::kInvalid, "--follow requires exactly one pathspec");
  if (!options.output.empty() && !options.colours_are_set) options.colours = false;
  if (options.quiet) options.no_patch = true;
  std::string first, second;
  if (operands.size() == 3) {
    first = operands[0] + ".." + operands[1];
    second = operands[0] + ".." + operands[2];
  } else if (operands.size() == 2 && IsRange(operands[0]) && IsRange(operands[1])) {
    first = operands[0];
    second = operands[1];
  } else if (const size_t dots = operands.size() == 1 ? operands[0].find("...") : std::string::npos; dots != std::string::npos) {
    const std::string old = dots == 0 ? "HEAD" : operands[0].substr(0, dots), now = dots + 3 == operands[0].size() ? "HEAD" : operands[0].substr(dots + 3);
    first = now + ".." + old;
    second = old + ".." + now;
  } else {
    git.Say("fatal: need two commit ranges\n\nusage: git range-diff [<options>] <old-base>..<old-tip> <new-base>..<new-tip>\n   or: git range-diff [<options>] <old-tip>...<new-tip>\n   or: git range-diff [<options>] <base> <old-tip> <new-tip>\n");
    return 129;
  }
  if (options.left_only && options.right_only) return git.Complain("options '--left-only' and '--right-only' cannot be used together", 255);
  PADDOCK_ASSIGN(const std::string text, RangeDiffText(git, first, second, options));
  if (options.output.empty()) {
    git.Print(text);
  } else if (const Status written = vfs::WriteFile(git.in.fs, options.output, text); !written) {
    return Error(written.error().code, "could not open '" + options.output + "' for writing: " + std::string(written.error().Text()));
  }
  return 0;
}

}  // namespace

bool IsRange(std::string_view word) { return word.find("..") != std::string_view::npos || word.ends_with("^!") || word.ends_with("^@") || word.rfind("^-") != std::string_view::npos; }

Result<std::string> RangeDiffText(Git& git, const std::string& first, const std::string& second, const RangeDiffOptions& options) {
  SeriesReader reader(git, options);
  PADDOCK_ASSIGN(std::vector<SeriesCommit> a, reader.Read(first));
  PADDOCK_ASSIGN(std::vector<SeriesCommit> b, reader.Read(second));
  return RangeComparison(git, std::move(a), std::move(b), options).Text();
}

extern const Subcommand kRangeDiff;
const Subcommand kRangeDiff = DefineSubcommand<RangeDiffOptions, RunRangeDiff>({.name = "range-diff", .summary = "compare two versions of a series of commits", .synopsis = "[<options>] <old-base>..<old-tip> <new-base>..<new-tip>\n[<options>] <old-tip>...<new-tip>\n[<options>] <base> <old-tip> <new-tip>", .options = kRangeDiffOptions});

}  // namespace paddock::git
