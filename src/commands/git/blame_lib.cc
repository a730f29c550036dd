// git blame.
#include <algorithm>
#include <charconv>
#include <set>

#include "commands/git/commit.h"
#include "commands/git/diff.h"
#include "commands/git/pretty.h"
#include "commands/git/revision.h"
#include "commands/input_files.h"
#include "text/regex.h"

namespace paddock::git {
namespace {

struct Options {
  std::vector<std::string> ranges;
  bool no_author = false, email = false, porcelain = false, line_porcelain = false, blanks = false, names = false, numbers = false, long_ids = false, root = false, blank_boundary = false;
  bool as_annotate = false, raw_times = false;
  size_t abbrev = 0;                     // 0: as many digits as it takes
  std::string date;
  std::optional<std::string> contents;   // a file that stands for the one in the working tree
};
Status TakeAbbrev(Options& options, std::string_view value) {
  if (value.empty()) return {};
  int64_t digits = 0;
  if (!ParseOptionValue(value, digits)) return Error(Code::kRange, "option `abbrev' expects a numerical value");
  options.abbrev = static_cast<size_t>(std::clamp<int64_t>(digits, 4, 40));
  return {};
}
constexpr Option kOptions[] = {
    Value<&Options::ranges>('L', nullptr, "FROM,TO", "only these lines"), Flag<&Options::no_author>('s', nullptr, "without author and date"),
    Flag<&Options::email>('e', "show-email", "mail addresses instead of names"), Flag<&Options::porcelain>('p', "porcelain", "for programs"),
    Flag<&Options::line_porcelain>(0, "line-porcelain", "likewise, with all about each line"), Flag<&Options::blanks>('w', nullptr, "ignore blanks"),
    Flag<&Options::names>('f', "show-name", "with the name of the file"), Flag<&Options::numbers>('n', "show-number", "with the number that the line had"),
    Flag<&Options::long_ids>('l', nullptr, "with whole ids"), Flag<&Options::root>(0, "root", "first commits are no boundary"),
    Flag<&Options::blank_boundary>('b', nullptr, "no ids of boundaries"), Value<&Options::date>(0, "date", "FORMAT", "how dates are shown"),
    Flag<&Options::as_annotate>('c', nullptr, "as git annotate shows it"), Flag<&Options::raw_times>('t', nullptr, "times as seconds and zone"),
    CallOptional<TakeAbbrev>(0, "abbrev", "N", "ids with N digits"), Value<&Options::contents>(0, "contents", "FILE", "the lines of FILE (-: standard input)"),
};

struct Origin {
  Oid commit;
  std::string path;
  bool operator==(const Origin&) const = default;
};
struct Line {
  std::string_view text;
  Origin origin;
  size_t number = 0;            // in that commit, from 0
};

// Follows each line back to where it came from, from children to parents.
class Blame {
 public:
  Blame(Git& git, const Options& options) : git_(git), history_(git) { diff_.ignores_all_space = options.blanks; }

  // `final_text` outlives the lines.
  Result<std::vector<Line>> Run(const Selection& selection, const Oid& start, const std::string& path, std::string_view final_text, bool is_from_files) {
    std::vector<Line> lines;
    for (const std::string_view text : SplitLines(final_text)) {
      Line line{text, {start, path}, lines.size()};
      lines.push_back(std::move(line));
    }
    for (size_t i = 0; i < lines.size(); ++i) pending_[start][path].push_back(i);
    if (is_from_files) {
      PADDOCK_ASSIGN(auto head, Open(*git_.Head(), path));
      PADDOCK_TRY(PassTo(lines, pending_[start][path], *git_.Head(), path, head.value_or(""), final_text));
      pending_.erase(start);
    }
    Selection walked = selection;
    walked.included = {is_from_files ? *git_.Head() : start};
    PADDOCK_ASSIGN(const std::vector<Oid> order, WalkHistory(git_, history_, walked, WalkOptions{.is_topological = true}));
    const std::set<Oid> inside(order.begin(), order.end());
    for (const Oid& id : order) {
      git_.in.budget.Step();
      PADDOCK_TRY(Visit(lines, id, inside));
    }
    return lines;
  }
  std::set<Oid> boundaries;
  std::map<std::pair<Oid, std::string>, Origin> previous;   // where the file was before the commit
  History& history() { return history_; }

 private:
  Result<std::optional<std::string>> Open(const Oid& commit, const std::string& path) {
    PADDOCK_ASSIGN(const auto found, BlobOf(commit, path));
    if (!found) return std::optional<std::string>();
    PADDOCK_ASSIGN(std::string text, git_.ReadBlob(*found));
    return std::optional<std::string>(std::move(text));
  }
  // The file's blob, from the trees on its way alone; nothing for what is no file of the commit.
  Result<std::optional<Oid>> BlobOf(const Oid& commit, const std::string& path) {
    PADDOCK_ASSIGN(const History::Node* node, history_.Get(commit));
    Oid tree = node->commit.tree;
    for (size_t begin = 0;;) {
      git_.in.budget.Step();
      const size_t end = std::min(path.find('/', begin), path.size());
      PADDOCK_ASSIGN(const std::vector<TreeEntry> entries, git_.objects.ReadTree(tree));
      const std::string_view name = std::string_view(path).substr(begin, end - begin);
      const auto entry = std::find_if(entries.begin(), entries.end(), [name](const TreeEntry& one) { return one.name == name; });
      if (entry == entries.end()) return std::optional<Oid>();
      const bool is_last = end == path.size();
      if (is_last && !entry->is_tree() && entry->mode != kModeCommit) return std::optional<Oid>(entry->id);
      if (is_last || !entry->is_tree()) return std::optional<Oid>();
      tree = entry->id;
      begin = end + 1;
    }
  }
  Result<const FlatTree*> TreeOf(const Oid& commit) {
    if (const auto known = trees_.find(commit); known != trees_.end()) return &known->second;
    if (trees_.size() > 16) trees_.clear();
    PADDOCK_ASSIGN(FlatTree tree, git_.FlattenCommit(commit));
    return &trees_.emplace(commit, std::move(tree)).first->second;
  }

  // Lines that the parent has, too, are the parent's.
  Status PassTo(std::vector<Line>& lines, std::vector<size_t>& mine, const Oid& parent, const std::string& path, std::string_view before, std::string_view after) {
    const std::vector<DiffEdit> edits = FindEdits(SplitLines(before), SplitLines(after), diff_, git_.in.budget);
    std::vector<size_t> kept, passed;
    size_t edit = 0;
    std::sort(mine.begin(), mine.end(), [&lines](size_t a, size_t b) { return lines[a].number < lines[b].number; });
    for (const size_t index : mine) {
      git_.in.budget.Step();
      Line& line = lines[index];
      while (edit < edits.size() && edits[edit].b_end() <= line.number) ++edit;
      if (edit < edits.size() && edits[edit].b_begin <= line.number) {
        kept.push_back(index);
        continue;
      }
      const size_t moved = edit > 0 ? edits[edit - 1].a_end() + (line.number - edits[edit - 1].b_end()) : line.number;
      line.number = moved;
      line.origin = {parent, path};
      passed.push_back(index);
    }
    mine = std::move(kept);
    std::vector<size_t>& theirs = pending_[parent][path];
    theirs.insert(theirs.end(), passed.begin(), passed.end());
    return {};
  }

  // The parent has the very same file.
  void PassAll(std::vector<Line>& lines, std::vector<size_t>& mine, const Oid& parent, const std::string& path) {
    for (const size_t index : mine) {
      git_.in.budget.Step();
      lines[index].origin = {parent, path};
    }
    std::vector<size_t>& theirs = pending_[parent][path];
    theirs.insert(theirs.end(), mine.begin(), mine.end());
    mine.clear();
  }

  // How the file was called in the parent; nothing if it was not there.
  Result<std::optional<std::string>> PathIn(const Oid& parent, const Oid& child, const std::string& path) {
    PADDOCK_ASSIGN(const auto same, BlobOf(parent, path));
    if (same) return std::optional<std::string>(path);
    PADDOCK_ASSIGN(const FlatTree* before, TreeOf(parent));
    const FlatTree old = *before;
    PADDOCK_ASSIGN(const FlatTree* after, TreeOf(child));
    std::vector<FileDiff> files = CompareTrees(old, *after);
    std::erase_if(files, [&path](const FileDiff& file) { return file.status != 'D' && file.new_path != path; });
    PADDOCK_TRY(DetectRenames(git_, files, 50, false));
    for (const FileDiff& file : files) {
      if (file.status == 'R' && file.new_path == path) return std::optional<std::string>(file.old_path);
    }
    return std::optional<std::string>();
  }

  Status Visit(std::vector<Line>& lines, const Oid& id, const std::set<Oid>& inside) {
    const auto found = pending_.find(id);
    if (found == pending_.end()) return {};
    PADDOCK_ASSIGN(const History::Node* node, history_.Get(id));
    auto files = std::move(found->second);
    pending_.erase(found);
    for (auto& [path, mine] : files) {
      std::vector<std::pair<Oid, std::string>> sources;
      for (const Oid& parent : node->commit.parents) {
        PADDOCK_ASSIGN(const auto from, PathIn(parent, id, path));
        if (from) sources.emplace_back(parent, *from);
      }
      PADDOCK_ASSIGN(const auto blob, BlobOf(id, path));
      // A parent with the very same file takes all.
      for (size_t i = 1; i < sources.size(); ++i) {
        PADDOCK_ASSIGN(const auto older_blob, BlobOf(sources[i].first, sources[i].second));
        if (blob != older_blob) continue;
        std::rotate(sources.begin(), sources.begin() + static_cast<std::ptrdiff_t>(i), sources.end());
        break;
      }
      for (const auto& [parent, from] : sources) {
        if (mine.empty()) break;
        PADDOCK_ASSIGN(const auto older_blob, BlobOf(parent, from));
        if (blob && blob == older_blob) {
          PassAll(lines, mine, parent, from);
          if (!inside.contains(parent)) boundaries.insert(parent);
          continue;
        }
        PADDOCK_ASSIGN(const auto before, Open(parent, from));
        PADDOCK_ASSIGN(const auto after, Open(id, path));
        previous.emplace(std::make_pair(id, path), Origin{parent, from});
        PADDOCK_TRY(PassTo(lines, mine, parent, from, before.value_or(""), after.value_or("")));
        if (!inside.contains(parent)) boundaries.insert(parent);
      }
    }
    return {};
  }

  Git& git_;
  History history_;
  DiffOptions diff_;
  std::map<Oid, FlatTree> trees_;
  std::map<Oid, std::map<std::string, std::vector<size_t>>> pending_;   // lines that are a commit's so far, by file
};

// The lines that -L asks for.
class Ranges {
 public:
  Ranges(Git& git, const std::vector<Line>& lines, std::string path) : git_(git), lines_(lines), path_(std::move(path)), wanted_(lines.size(), 0) {}
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
        end = is_forward ? begin + count - 1 : begin;
        if (!is_forward) begin = std::max<int64_t>(begin - count + 1, 1);
      } else {
        PADDOCK_ASSIGN(end, Place(text, begin));
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
  bool Has(size_t line) const { return wanted_[line] != 0; }

 private:
  // A number, or the next line from `from` that matches /PATTERN/.
  Result<int64_t> Place(std::string_view& text, int64_t from) {
    int64_t number = 0;
    if (!text.starts_with('/')) {
      const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
      if (read.ec != std::errc{} || number < 0) return Error(Code::kSyntax, "-L argument not 'start,end:file' or ':funcname:file': " + std::string(text));
      text.remove_prefix(static_cast<size_t>(read.ptr - text.data()));
      return number;
    }
    const size_t end = text.find('/', 1);
    if (end == std::string_view::npos) return Error(Code::kSyntax, "-L argument not 'start,end:file' or ':funcname:file': " + std::string(text));
    const std::string pattern(text.substr(1, end - 1));
    text.remove_prefix(end + 1);
    auto regex = Regex::Compile(pattern, {.dialect = RegexDialect::kGrepBasic});
    if (!regex) return Error(Code::kInvalid, "-L parameter '" + pattern + "': " + std::string(regex.error().Text()));
    for (size_t i = static_cast<size_t>(std::max<int64_t>(from, 1) - 1); i < lines_.size(); ++i) {
      std::string_view line = lines_[i].text;
      if (line.ends_with('\n')) line.remove_suffix(1);
      PADDOCK_ASSIGN(const bool matches, regex->Search(line, 0, nullptr, git_.in.budget));
      if (matches) return static_cast<int64_t>(i + 1);
    }
    return Error(Code::kNoEntry, "-L parameter '" + pattern + "' starting at line " + std::to_string(from) + ": No match");
  }
  Git& git_;
  const std::vector<Line>& lines_;
  std::string path_;
  std::vector<char> wanted_;
  int64_t last_ = 1;
};

class Printer {
 public:
  Printer(Git& git, const Options& options, Blame& blame, const std::vector<Line>& lines) : git_(git), options_(options), blame_(blame), lines_(lines) {}

  Status Print(const std::string& final_path, const std::vector<size_t>& shown) {
    if (options_.porcelain || options_.line_porcelain) return PrintPorcelain(shown);
    const std::string date_mode = options_.raw_times ? "raw" : options_.date.empty() ? git_.config.Get("blame.date", "iso") : options_.date;
    size_t author_width = 0, file_width = 0, final_most = 0, number_most = 0;
    bool names = options_.names;
    std::set<Oid> seen;
    size_t id_length = 0;
    for (const size_t i : shown) {
      PADDOCK_ASSIGN(const Signature author, Author(lines_[i].origin.commit));
      author_width = std::max(author_width, Columns(Who(author)));
      file_width = std::max(file_width, lines_[i].origin.path.size());
      if (seen.insert(lines_[i].origin.commit).second) id_length = std::max(id_length, git_.objects.Abbreviate(lines_[i].origin.commit).size());
      names |= lines_[i].origin.path != final_path;
      final_most = std::max(final_most, i + 1);
      number_most = std::max(number_most, lines_[i].number + 1);
    }
    const auto right = [](size_t number, size_t most) {
      std::string text = std::to_string(number);
      return text.insert(0, std::to_string(most).size() - text.size(), ' ');
    };
    for (const size_t i : shown) {
      git_.in.budget.Step();
      const Line& line = lines_[i];
      PADDOCK_ASSIGN(const Signature author, Author(line.origin.commit));
      size_t length = options_.long_ids ? 40 : std::min<size_t>((options_.abbrev > 0 ? options_.abbrev : id_length) + 1, 40);
      std::string text, id = line.origin.commit.Hex();
      PADDOCK_ASSIGN(const bool is_boundary, IsBoundary(line.origin.commit));
      if (is_boundary && options_.blank_boundary) id.assign(40, ' ');
      else if (is_boundary && !options_.as_annotate) text = "^", --length;
      text += id.substr(0, length);
      if (options_.as_annotate) {
        std::string who = Who(author);
        who.insert(0, who.size() < 10 ? 10 - who.size() : 0, ' ');
        git_.Print(text + "\t(" + who + "\t" + DateText(git_, author, date_mode) + "\t" + std::to_string(i + 1) + ")" + std::string(line.text) + (line.text.ends_with('\n') ? "" : "\n"));
        continue;
      }
      if (names) text += " " + line.origin.path + std::string(file_width - line.origin.path.size(), ' ');
      if (options_.numbers) text += " " + right(line.number + 1, number_most);
      const std::string who = Who(author);
      if (!options_.no_author) text += " (" + who + std::string(author_width - Columns(who), ' ') + " " + DateText(git_, author, date_mode);
      git_.Print(text + " " + right(i + 1, final_most) + ") " + std::string(line.text) + (line.text.ends_with('\n') ? "" : "\n"));
    }
    return {};
  }

 private:
  static size_t Columns(std::string_view text) { return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; })); }
  std::string Who(const Signature& author) const { return options_.email ? "<" + author.email + ">" : author.name; }
  Result<Signature> Author(const Oid& id) {
    if (!id.is_null()) {
      PADDOCK_ASSIGN(const History::Node* node, blame_.history().Get(id));
      return ParseSignature(node->commit.author);
    }
    Signature me = ParseSignature(git_.Who());
    me.name = "Not Committed Yet";
    me.email = "not.committed.yet";
    return me;
  }
  Result<bool> IsBoundary(const Oid& id) {
    if (id.is_null()) return false;
    if (blame_.boundaries.contains(id)) return true;
    PADDOCK_ASSIGN(const History::Node* node, blame_.history().Get(id));
    return node->commit.parents.empty() && !options_.root && !git_.config.GetBool("blame.showroot", false);
  }
  static std::string PersonLines(const char* role, const Signature& person) {
    const std::string head(role);
    return head + " " + person.name + "\n" + head + "-mail <" + person.email + ">\n" + head + "-time " + std::to_string(person.time) + "\n" + head + "-tz " + OffsetText(person.offset) + "\n";
  }
  Result<std::string> Details(const Origin& origin, const std::string& path) {
    std::string text;
    if (options_.line_porcelain || told_.insert(origin.commit).second) {
      PADDOCK_ASSIGN(const Signature author, Author(origin.commit));
      text = PersonLines("author", author);
      if (origin.commit.is_null()) {
        text += PersonLines("committer", author) + "summary Version of " + path + " from " + path + "\n";
      } else {
        PADDOCK_ASSIGN(const History::Node* node, blame_.history().Get(origin.commit));
        text += PersonLines("committer", ParseSignature(node->commit.committer)) + "summary " + SubjectOf(node->commit.message) + "\n";
      }
      PADDOCK_ASSIGN(const bool is_boundary, IsBoundary(origin.commit));
      if (is_boundary) text += "boundary\n";
    } else {
      return text;
    }
    if (const auto before = blame_.previous.find({origin.commit, origin.path}); before != blame_.previous.end()) {
      text += "previous " + before->second.commit.Hex() + " " + git_.Quoted(before->second.path) + "\n";
    }
    return text + "filename " + git_.Quoted(origin.path) + "\n";
  }
  Status PrintPorcelain(const std::vector<size_t>& shown) {
    size_t rest = 0;
    for (size_t k = 0; k < shown.size(); ++k) {
      const Line& line = lines_[shown[k]];
      std::string head = line.origin.commit.Hex() + " " + std::to_string(line.number + 1) + " " + std::to_string(shown[k] + 1);
      const bool is_first = rest == 0;
      if (is_first) {
        rest = 1;
        while (k + rest < shown.size() && shown[k + rest] == shown[k] + rest && lines_[shown[k + rest]].origin == line.origin && lines_[shown[k + rest]].number == line.number + rest) {
          git_.in.budget.Step();
          ++rest;
        }
        head += " " + std::to_string(rest);
      }
      --rest;
      head += "\n";
      if (is_first || options_.line_porcelain) {
        PADDOCK_ASSIGN(const std::string details, Details(line.origin, line.origin.path));
        head += details;
      }
      git_.Print(head + "\t" + std::string(line.text) + (line.text.ends_with('\n') ? "" : "\n"));
    }
    return {};
  }

  Git& git_;
  const Options& options_;
  Blame& blame_;
  const std::vector<Line>& lines_;
  std::set<Oid> told_;
};

Result<ExitStatus> RunBlame(Git& git, Options& options, Args& args) {
  if (!args.has_dashes && !args.operands.empty()) {
    args.paths = {args.operands.back()};
    args.operands.pop_back();
    args.has_dashes = true;
  }
  if (args.paths.size() != 1) {
    git.Say("usage: git blame [<options>] [<rev-opts>] [<rev>] [--] <file>\n");
    return 129;
  }
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
  PADDOCK_ASSIGN(const FlatTree tree, git.FlattenCommit(start));
  const auto item = tree.find(path);
  if (item == tree.end()) return Error(Code::kNoEntry, from_files ? "no such path '" + path + "' in HEAD" : "no such path " + path + " in " + (selection.names.empty() ? "HEAD" : selection.names[0]));
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
    PADDOCK_ASSIGN(text, git.ReadBlob(item->second.id));
  }
  Blame blame(git, options);
  PADDOCK_ASSIGN(const std::vector<Line> lines, blame.Run(selection, from_files ? Oid{} : start, path, text, from_files));
  Ranges ranges(git, lines, path);
  for (const std::string& range : options.ranges) PADDOCK_TRY(ranges.Take(range));
  std::vector<size_t> shown;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (options.ranges.empty() || ranges.Has(i)) shown.push_back(i);
  }
  PADDOCK_TRY(Printer(git, options, blame, lines).Print(path, shown));
  return 0;
}

}  // namespace

extern const Subcommand kBlame;
const Subcommand kBlame = DefineSubcommand<Options, RunBlame>({.name = "blame", .summary = "tell where each line of a file comes from", .synopsis = "[<options>] [<rev>] [--] <file>", .options = kOptions});

}  // namespace paddock::git
