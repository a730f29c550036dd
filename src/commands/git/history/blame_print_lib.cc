// How git blame shows what it found.
#include <algorithm>

#include "commands/file_facts.h"
#include "commands/git/colour_spec.h"
#include "commands/git/history/blame.h"
#include "commands/git/history/pretty.h"
#include "commands/git/work/commit.h"

namespace paddock::git {
namespace {

size_t Columns(std::string_view text) { return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; })); }

Result<Signature> AuthorOf(Git& git, Blame& blame, const Oid& id) {
  if (!id.is_null()) {
    PADDOCK_ASSIGN(const History::Node* node, blame.history().Get(id));
    return ParseSignature(node->commit.author);
  }
  Signature me = ParseSignature(git.Who());
  me.time = Now(git.in.clock).seconds;   // whatever GIT_AUTHOR_DATE says
  me.name = "Not Committed Yet";
  me.email = "not.committed.yet";
  return me;
}

std::string PersonLines(const char* role, const Signature& person) {
  const std::string head(role);
  return head + " " + person.name + "\n" + head + "-mail <" + person.email + ">\n" + head + "-time " + std::to_string(person.time) + "\n" + head + "-tz " + OffsetText(person.offset) + "\n";
}

std::string WithNewline(std::string_view line) { return std::string(line) + (line.ends_with('\n') ? "" : "\n"); }

// What lines are painted with: by their age, and where the line above comes from the same commit.
class Colours {
 public:
  static Result<Colours> Read(Git& git, const BlameOptions& options) {
    Colours colours;
    bool repeated = options.colours_repeated, by_age = options.colours_by_age;
    if (!repeated && !by_age) {
      const std::string mode = git.config.Get("blame.coloring", "none");
      repeated = mode == "repeatedLines";
      by_age = mode == "highlightRecent";
      if (!repeated && !by_age && mode != "none") git.Warn("invalid value for 'blame.coloring': '" + mode + "'");
    }
    if (options.as_annotate) return colours;
    if (repeated) colours.repeated_ = ColourSequence(git.config.Get("color.blame.repeatedlines", "cyan")).value_or("");
    if (by_age) PADDOCK_TRY(colours.ReadAges(git));
    return colours;
  }
  std::string Of(int64_t time, bool is_first) const {
    if (!is_first && repeated_) return *repeated_;
    const auto age = std::find_if(ages_.begin(), ages_.end(), [time](const auto& one) { return !one.second || time <= *one.second; });
    return age == ages_.end() ? "" : age->first;
  }

 private:
  // "blue,12 month ago,white": colours, each up to the time behind it.
  Status ReadAges(Git& git) {
    std::string_view rest;
    const std::string text = git.config.Get("color.blame.highlightrecent", "blue,12 month ago,white,1 month ago,red");
    rest = text;
    for (bool is_colour = true; !rest.empty() || is_colour; is_colour = !is_colour) {
      git.in.budget.Step();
      std::string_view word = rest.substr(0, rest.find(','));
      rest.remove_prefix(std::min(rest.size(), word.size() + 1));
      if (is_colour) {
        const auto colour = ColourSequence(word);
        if (!colour) {
          git.Complain("invalid color value: " + std::string(word));
          return Error(Code::kInvalid, "expecting a color: " + std::string(word));
        }
        ages_.emplace_back(*colour, std::nullopt);
      } else {
        ages_.back().second = git.ReadDate(word).seconds;
      }
    }
    if (!ages_.empty()) ages_.back().second.reset();
    return {};
  }
  std::optional<std::string> repeated_;
  std::vector<std::pair<std::string, std::optional<int64_t>>> ages_;   // up to that time; the last without one
};

class Printer {
 public:
  Printer(Git& git, const BlameOptions& options, Blame& blame, const std::vector<BlameEntry>& entries, const std::string& path) : git_(git), options_(options), blame_(blame), entries_(entries), teller_(git, options, blame), has_names_(options.names) {
    for (const BlameEntry& entry : entries) has_names_ |= entry.origin.path != path;
  }

  Status PrintForPeople() {
    PADDOCK_ASSIGN(const Colours colours, Colours::Read(git_, options_));
    PADDOCK_TRY(Measure());
    for (const BlameEntry& entry : entries_) {
      PADDOCK_ASSIGN(const Signature author, AuthorOf(git_, blame_, entry.origin.commit));
      PADDOCK_ASSIGN(const bool is_boundary, blame_.IsBoundary(entry.origin.commit));
      const std::string id = IdText(entry, is_boundary), score = options_.shows_scores ? ScoreText(entry) : "";
      for (size_t i = 0; i < entry.count; ++i) {
        git_.in.budget.Step();
        const std::string colour = colours.Of(author.time, i == 0), line = WithNewline(blame_.lines()[entry.line + i]);
        const std::string head = id + (options_.as_annotate ? AnnotateText(author, entry.line + i) : score + PlaceText(author, entry, i));
        git_.Print(colour.empty() ? head + line : colour + head + std::string(kColourReset) + line);
      }
    }
    return {};
  }

  Status PrintForPrograms() {
    std::map<Oid, std::set<std::string>> paths;
    for (const BlameEntry& entry : entries_) paths[entry.origin.commit].insert(entry.origin.path);
    for (const BlameEntry& entry : entries_) {
      for (size_t i = 0; i < entry.count; ++i) {
        git_.in.budget.Step();
        std::string head = entry.origin.commit.Hex() + " " + std::to_string(entry.number + i + 1) + " " + std::to_string(entry.line + i + 1) + (i == 0 ? " " + std::to_string(entry.count) : "") + "\n";
        if (i == 0 || options_.line_porcelain) {
          PADDOCK_ASSIGN(const std::string details, teller_.Details(entry.origin));
          head += details;
          if (!details.empty() || paths[entry.origin.commit].size() > 1) head += teller_.FileLines(entry.origin);
        }
        git_.Print(head + "\t" + WithNewline(blame_.lines()[entry.line + i]));
      }
    }
    return {};
  }

 private:
  std::string Who(const Signature& author) const { return options_.email ? "<" + author.email + ">" : author.name; }
  static std::string Right(size_t number, size_t width) {
    std::string text = std::to_string(number);
    return text.insert(0, text.size() < width ? width - text.size() : 0, ' ');
  }
  Status Measure() {
    date_mode_ = options_.raw_times ? "raw" : options_.date.empty() ? git_.config.Get("blame.date", "iso") : options_.date;
    std::set<Oid> seen;
    for (const BlameEntry& entry : entries_) {
      git_.in.budget.Step();
      PADDOCK_ASSIGN(const Signature author, AuthorOf(git_, blame_, entry.origin.commit));
      author_width_ = std::max(author_width_, Columns(Who(author)));
      path_width_ = std::max(path_width_, entry.origin.path.size());
      if (seen.insert(entry.origin.commit).second) id_width_ = std::max(id_width_, git_.objects.Abbreviate(entry.origin.commit).size());
      line_width_ = std::max(line_width_, std::to_string(entry.end()).size());
      number_width_ = std::max(number_width_, std::to_string(entry.number + entry.count).size());
      if (options_.shows_scores) score_width_ = std::max(score_width_, std::to_string(BlameScore(blame_.lines(), entry.line, entry.count)).size());
    }
    marks_guesses_ = git_.config.GetBool("blame.markignoredlines", false);
    marks_stuck_ = git_.config.GetBool("blame.markunblamablelines", false);
    return {};
  }
  std::string IdText(const BlameEntry& entry, bool is_boundary) const {
    const size_t length = options_.long_ids ? 40 : std::min<size_t>((options_.abbrev > 0 ? options_.abbrev : id_width_) + 1, 40);
    std::string marks;
    if (is_boundary && !options_.blank_boundary && !options_.as_annotate) marks += '^';
    if (marks_stuck_ && entry.is_stuck) marks += '*';
    if (marks_guesses_ && entry.is_guess) marks += '?';
    const std::string id = is_boundary && options_.blank_boundary ? std::string(40, ' ') : entry.origin.commit.Hex();
    return marks + id.substr(0, length - marks.size());
  }
  std::string ScoreText(const BlameEntry& entry) const {
    std::string uses = std::to_string(blame_.UsesOf(entry.origin, entries_));
    uses.insert(0, uses.size() < 2 ? 1 : 0, '0');
    return " " + Right(static_cast<size_t>(BlameScore(blame_.lines(), entry.line, entry.count)), score_width_) + " " + uses;
  }
  std::string AnnotateText(const Signature& author, size_t line) const {
    std::string who = Who(author);
    who.insert(0, who.size() < 10 ? 10 - who.size() : 0, ' ');
    return "\t(" + who + "\t" + DateText(git_, author, date_mode_) + "\t" + std::to_string(line + 1) + ")";
  }
  std::string PlaceText(const Signature& author, const BlameEntry& entry, size_t i) const {
    std::string text;
    if (has_names_) text += " " + entry.origin.path + std::string(path_width_ - entry.origin.path.size(), ' ');
    if (options_.numbers) text += " " + Right(entry.number + i + 1, number_width_);
    const std::string who = Who(author);
    if (!options_.no_author) text += " (" + who + std::string(author_width_ - Columns(who), ' ') + " " + DateText(git_, author, date_mode_);
    return text + " " + Right(entry.line + i + 1, line_width_) + ") ";
  }

  Git& git_;
  const BlameOptions& options_;
  Blame& blame_;
  const std::vector<BlameEntry>& entries_;
  BlameTeller teller_;
  bool has_names_, marks_guesses_ = false, marks_stuck_ = false;
  std::string date_mode_;
  size_t author_width_ = 0, path_width_ = 0, id_width_ = 0, line_width_ = 0, number_width_ = 0, score_width_ = 0;
};

}  // namespace

Result<std::string> BlameTeller::Details(const BlameOrigin& origin) {
  if (!told_.insert(origin.commit).second && !options_.line_porcelain) return std::string();
  PADDOCK_ASSIGN(const Signature author, AuthorOf(git_, blame_, origin.commit));
  std::string text = PersonLines("author", author);
  if (origin.commit.is_null()) {
    text += PersonLines("committer", author) + "summary Version of " + origin.path + " from " + (options_.contents ? *options_.contents == "-" ? "standard input" : *options_.contents : origin.path) + "\n";
  } else {
    PADDOCK_ASSIGN(const History::Node* node, blame_.history().Get(origin.commit));
    text += PersonLines("committer", ParseSignature(node->commit.committer)) + "summary " + SubjectOf(node->commit.message) + "\n";
  }
  PADDOCK_ASSIGN(const bool is_boundary, blame_.IsBoundary(origin.commit));
  return text + (is_boundary ? "boundary\n" : "");
}

std::string BlameTeller::FileLines(const BlameOrigin& origin) const {
  std::string text;
  if (const BlameOrigin* before = blame_.Previous(origin)) text = "previous " + before->commit.Hex() + " " + git_.Quoted(before->path) + "\n";
  return text + "filename " + git_.Quoted(origin.path) + "\n";
}

Status BlameTeller::Tell(const BlameEntry& entry) {
  PADDOCK_ASSIGN(const std::string details, Details(entry.origin));
  git_.Print(entry.origin.commit.Hex() + " " + std::to_string(entry.number + 1) + " " + std::to_string(entry.line + 1) + " " + std::to_string(entry.count) + "\n" + details + FileLines(entry.origin));
  return {};
}

Status PrintBlame(Git& git, const BlameOptions& options, Blame& blame, const std::vector<BlameEntry>& entries, const std::string& path) {
  Printer printer(git, options, blame, entries, path);
  return options.porcelain || options.line_porcelain ? printer.PrintForPrograms() : printer.PrintForPeople();
}

}  // namespace paddock::git
