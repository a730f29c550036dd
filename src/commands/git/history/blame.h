// Where each line of a file comes from, as git blame tells it.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "commands/git/diff/diff.h"
#include "commands/git/refs/revision.h"

namespace paddock::git {

struct BlameOptions {
  std::vector<std::string> ranges;
  bool no_author = false, email = false, porcelain = false, line_porcelain = false, blanks = false, names = false, numbers = false, long_ids = false, root = false, blank_boundary = false;
  bool as_annotate = false, raw_times = false, incremental = false, shows_stats = false, shows_scores = false, progress = false, minimal = false, first_parent = false;
  bool colours_repeated = false, colours_by_age = false;
  size_t abbrev = 0;                     // 0: as many digits as it takes
  std::string date;
  std::optional<std::string> contents;   // a file that stands for the one in the working tree
  std::optional<std::string> revisions;  // -S: a file of commits and their parents
  std::vector<std::string> ignored, ignored_files;
  // How far lines are followed; a copy counts when so many letters and digits are alike.
  bool moves = false;
  enum class Copies { kNo, kFromChanged, kOfCreation, kFromAll } copies = Copies::kNo;
  int64_t move_score = 20, copy_score = 40;
};

// A file in a commit; the null id stands for the working tree.
struct BlameOrigin {
  Oid commit;
  std::string path;
  auto operator<=>(const BlameOrigin&) const = default;
};
// Lines that follow each other here, and where they come from. All are counted from 0.
struct BlameEntry {
  size_t line = 0, count = 0;
  BlameOrigin origin;
  size_t number = 0;        // of the first one in that file
  bool is_guess = false;    // a commit was passed over for it
  bool is_stuck = false;    // likewise, but nothing was found behind
  size_t end() const { return line + count; }
};
// 1, and the letters and digits of the lines.
int64_t BlameScore(const std::vector<std::string_view>& lines, size_t begin, size_t count);

// What is asked about.
struct BlameTask {
  Selection selection;        // of history
  Oid start;                  // null: the working tree, on HEAD
  std::string path;
  std::string_view text;      // of the file; outlives all
  std::vector<std::pair<size_t, size_t>> ranges;   // of lines, each with the one behind its last; in order
};

// Follows lines back to where they come from, from children to parents.
class Blame {
 public:
  Blame(Git& git, const BlameOptions& options);
  // What is asked about, in order. `found`: hears of entries as soon as their origin is known.
  Result<std::vector<BlameEntry>> Run(const BlameTask& task, const std::function<Status(const BlameEntry&)>& found);

  const std::vector<std::string_view>& lines() const { return lines_; }
  // Where the file of an origin was before; null when it is new there.
  const BlameOrigin* Previous(const BlameOrigin& origin) const;
  // Whether history was not looked at beyond the commit.
  Result<bool> IsBoundary(const Oid& id);
  History& history() { return history_; }
  // How many origins have this one as their previous one, or as that of an entry.
  size_t UsesOf(const BlameOrigin& origin, const std::vector<BlameEntry>& entries) const;

  struct Counts {
    size_t blobs = 0, patches = 0, commits = 0;
  };
  const Counts& counts() const { return counts_; }

 private:
  using Entries = std::vector<BlameEntry>;
  struct Source {
    BlameOrigin origin;
    Oid blob;
  };
  // Of an entry: the part that comes from another file, and what is left around it.
  struct Split {
    BlameEntry part;
    int64_t score = 0;   // 0: there is none
  };

  Status Prepare(const BlameTask& task);
  Status ReadParents(const std::string& file);
  Status ReadIgnored();
  Status ReadIgnoredFile(const std::string& file);
  Result<std::vector<Oid>> ParentsOf(const Oid& id);
  Result<std::optional<Oid>> BlobOf(const BlameOrigin& origin);
  // The text of an origin, which stays until it is dropped.
  Result<const std::string*> TextOf(const BlameOrigin& origin);
  void Drop(const BlameOrigin& origin) { texts_.erase(origin); }
  Result<FlatTree> TreeOf(const Oid& commit);
  Result<std::optional<std::string>> FindRename(const Oid& parent, const BlameOrigin& origin);
  Result<std::vector<Source>> FindSources(const BlameOrigin& origin, const std::vector<Oid>& parents, bool& is_whole);

  // The origin may have these lines.
  Status Suspect(const BlameOrigin& origin, Entries entries);
  Status Visit(const BlameOrigin& origin, Entries& mine);
  // Lines that the parent has, too, are the parent's. `guesses`: those that differ go to the lines that are most alike.
  Status PassTo(const BlameOrigin& origin, const BlameOrigin& parent, Entries& mine, bool guesses);
  void Cut(const std::vector<DiffEdit>& edits, const std::vector<std::vector<std::optional<size_t>>>& guesses, const BlameEntry& entry, const BlameOrigin& parent, Entries& kept, Entries& passed);

  // Moves what is too small to be looked for elsewhere.
  void TakeSmall(Entries& from, Entries& small, int64_t score) const;
  Status FindMoves(const Source& source, Entries& mine, Entries& small);
  Status FindCopies(const BlameOrigin& origin, const Oid& parent, const BlameOrigin* source, Entries& mine, Entries& small);
  void FindIn(const BlameEntry& entry, const BlameOrigin& source, const std::vector<std::string_view>& text, Split& best);
  // Puts the part where it belongs, and the rest into `open`; false when there is none that is worth it.
  bool Take(const BlameEntry& entry, const Split& split, int64_t least, Entries& open, std::map<BlameOrigin, Entries>& passed) const;
  Status PassAll(std::map<BlameOrigin, Entries>& passed);

  Git& git_;
  const BlameOptions& options_;
  History history_;
  DiffOptions diff_;
  std::vector<std::string_view> lines_;
  std::optional<Oid> text_id_;             // of the file in the working tree
  std::set<Oid> excluded_, ignored_;
  std::map<Oid, std::vector<Oid>> parents_;   // of -S
  std::map<BlameOrigin, std::string> texts_;
  std::map<BlameOrigin, std::optional<Oid>> blobs_;   // of files that were looked for
  std::map<BlameOrigin, BlameOrigin> previous_;
  std::map<Oid, FlatTree> trees_;
  struct Suspected {
    std::vector<std::string> paths;   // the newest first
    std::map<std::string, Entries> entries;
  };
  std::map<Oid, Suspected> suspects_;
  std::map<std::pair<int64_t, size_t>, Oid> queue_;   // of commits: the newest first
  size_t queued_ = 0;
  Counts counts_;
};

// The forms in which it is shown.
Status PrintBlame(Git& git, const BlameOptions& options, Blame& blame, const std::vector<BlameEntry>& entries, const std::string& path);
// What programs are told: all of it with --incremental, where lines are not shown.
class BlameTeller {
 public:
  BlameTeller(Git& git, const BlameOptions& options, Blame& blame) : git_(git), options_(options), blame_(blame) {}
  Status Tell(const BlameEntry& entry);
  // What programs are told of a commit, the first time.
  Result<std::string> Details(const BlameOrigin& origin);
  // The same of the file: its name, and where it was before.
  std::string FileLines(const BlameOrigin& origin) const;

 private:
  Git& git_;
  const BlameOptions& options_;
  Blame& blame_;
  std::set<Oid> told_;
};

}  // namespace paddock::git
