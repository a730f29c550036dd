// Choosing changes one by one. The questions, their letters and their answers are those of git add -p.
#include "commands/git/work/patch_choice.h"

#include <algorithm>

#include "commands/git/refs/revision.h"
#include "commands/git/work/worktree.h"
#include "text/diff/unified_diff.h"
#include "text/regex.h"

namespace paddock::git {
namespace {

// What becomes of a place in the old text.
struct Edit {
  size_t at = 0, count = 0;              // lines that go
  std::vector<std::string> lines;        // lines that come, with their newlines
};

struct Hunk {
  enum class Use { kUndecided, kTake, kLeave } use = Use::kUndecided;
  bool is_mode = false;
  size_t old_begin = 0, new_begin = 0;   // lines before it
  std::string heading;
  std::vector<std::string> body;         // as a patch has it, with newlines
  std::optional<Edit> edited;
};

bool IsContext(const std::string& line) { return line.empty() || line[0] == ' ' || line[0] == '\n'; }

std::pair<size_t, size_t> Counts(const std::vector<std::string>& body) {
  size_t before = 0, after = 0;
  for (const std::string& line : body) {
    if (line[0] == '\\') continue;
    before += line[0] != '+';
    after += line[0] != '-';
  }
  return {before, after};
}

std::string RangeText(size_t begin, size_t count) { return std::to_string(begin + (count > 0 ? 1 : 0)) + (count == 1 ? "" : "," + std::to_string(count)); }

std::string HunkText(const Hunk& hunk) {
  std::string text;
  if (!hunk.is_mode) {
    const auto [before, after] = Counts(hunk.body);
    text = "@@ -" + RangeText(hunk.old_begin, before) + " +" + RangeText(hunk.new_begin, after) + " @@" + hunk.heading + "\n";
  }
  for (const std::string& line : hunk.body) text += line;
  return text;
}

// How many pieces a hunk falls into: changes with lines between them.
size_t PieceCount(const Hunk& hunk) {
  size_t pieces = 0;
  bool in_change = false;
  for (const std::string& line : hunk.body) {
    if (line[0] == '\\') continue;
    if (!IsContext(line) && !in_change) ++pieces;
    in_change = !IsContext(line);
  }
  return hunk.is_mode ? 1 : pieces;
}

std::vector<Hunk> Split(const Hunk& hunk) {
  std::vector<Hunk> pieces;
  const size_t count = PieceCount(hunk);
  size_t at = 0, old_line = hunk.old_begin, new_line = hunk.new_begin;
  for (size_t i = 0; i < count; ++i) {
    Hunk piece;
    piece.old_begin = old_line;
    piece.new_begin = new_line;
    if (i == 0) piece.heading = hunk.heading;
    size_t end = at;
    while (end < hunk.body.size() && IsContext(hunk.body[end])) ++end;
    while (end < hunk.body.size() && !IsContext(hunk.body[end])) ++end;
    const size_t next = end;   // the context behind belongs to both
    while (end < hunk.body.size() && IsContext(hunk.body[end])) ++end;
    if (i + 1 == count) end = hunk.body.size();
    piece.body.assign(hunk.body.begin() + static_cast<std::ptrdiff_t>(at), hunk.body.begin() + static_cast<std::ptrdiff_t>(end));
    const auto [before, after] = Counts({hunk.body.begin() + static_cast<std::ptrdiff_t>(at), hunk.body.begin() + static_cast<std::ptrdiff_t>(next)});
    old_line += before;
    new_line += after;
    at = next;
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

// The lines that a body takes away, and those it puts there.
Edit EditOf(const std::vector<std::string>& body, size_t begin) {
  Edit edit{begin, 0, {}};
  bool in_old = false, in_new = false;
  for (const std::string& line : body) {
    if (line[0] == '\\') {
      if (in_new && !edit.lines.empty() && edit.lines.back().ends_with('\n')) edit.lines.back().pop_back();
      continue;
    }
    in_old = line[0] != '+';
    in_new = line[0] != '-';
    edit.count += in_old;
    if (in_new) edit.lines.push_back(line == "\n" ? line : line.substr(1));
  }
  return edit;
}

// Without the lines around the change, which other hunks may share.
Edit CoreOf(const Hunk& hunk) {
  size_t first = 0, last = hunk.body.size();
  while (first < last && IsContext(hunk.body[first])) ++first;
  while (last > first && IsContext(hunk.body[last - 1])) --last;
  return EditOf({hunk.body.begin() + static_cast<std::ptrdiff_t>(first), hunk.body.begin() + static_cast<std::ptrdiff_t>(last)}, hunk.old_begin + first);
}

std::string Applied(const std::string& old_text, const std::vector<Hunk>& hunks, bool taken) {
  const std::vector<std::string_view> lines = SplitLines(old_text);
  std::string text;
  size_t at = 0;
  for (const Hunk& hunk : hunks) {
    if (hunk.is_mode || (hunk.use == Hunk::Use::kTake) != taken) continue;
    const Edit edit = taken && hunk.edited ? *hunk.edited : CoreOf(hunk);
    if (edit.at < at || edit.at + edit.count > lines.size()) continue;
    for (; at < edit.at; ++at) text += lines[at];
    for (const std::string& line : edit.lines) text += line;
    at += edit.count;
  }
  for (; at < lines.size(); ++at) text += lines[at];
  return text;
}

class FileChoice {
 public:
  FileChoice(Git& git, const FileDiff& file, std::string verb, std::string place, bool can_edit) : git_(git), file_(file), verb_(std::move(verb)), place_(std::move(place)), can_edit_(can_edit) {}

  // False: the file is binary.
  Result<bool> Read() {
    PADDOCK_ASSIGN(old_text_, ContentOf(git_, file_, false));
    PADDOCK_ASSIGN(new_text_, ContentOf(git_, file_, true));
    if (LooksBinary(old_text_) || LooksBinary(new_text_)) return false;
    DiffOptions options;
    options.patch = true;
    PADDOCK_ASSIGN(const std::string patch, FormatDiff(git_, {file_}, options));
    Hunk mode;
    mode.is_mode = true;
    for (const std::string_view line : SplitLines(patch)) {
      git_.in.budget.Step();
      if (line.starts_with("@@ ")) {
        Hunk hunk;
        const size_t heading = line.find(" @@", 3);
        std::string_view ranges = line.substr(4, heading - 4);
        const auto start = [](std::string_view range) {
          int64_t begin = 0, count = 1;
          const size_t comma = range.find(',');
          static_cast<void>(ParseOptionValue(range.substr(0, comma), begin).has_value());
          if (comma != std::string_view::npos) static_cast<void>(ParseOptionValue(range.substr(comma + 1), count).has_value());
          return static_cast<size_t>(std::max<int64_t>(begin - (count > 0 ? 1 : 0), 0));
        };
        const size_t space = ranges.find(" +");
        hunk.old_begin = start(ranges.substr(0, space));
        hunk.new_begin = start(ranges.substr(space + 2));
        hunk.heading = line.substr(heading + 3);
        if (hunk.heading.ends_with('\n')) hunk.heading.pop_back();
        hunks_.push_back(std::move(hunk));
      } else if (!hunks_.empty()) {
        hunks_.back().body.emplace_back(line);
      } else if (file_.status == 'M' && (line.starts_with("old mode ") || line.starts_with("new mode "))) {
        mode.body.emplace_back(line);
      } else {
        head_ += line;
      }
    }
    if (!mode.body.empty()) hunks_.insert(hunks_.begin(), std::move(mode));
    if (hunks_.empty()) hunks_.push_back(Hunk{.is_mode = true});   // an empty file comes or goes
    return true;
  }

  // False: no more files.
  Result<bool> Ask() {
    git_.Print(head_);
    size_t at = 0;
    bool goes_on = true;
    while (goes_on) {
      git_.in.budget.Step(16);
      if (at >= hunks_.size()) at = 0;
      const size_t before = Undecided(at, false), after = Undecided(at, true);
      if (before == kNone && after == kNone && hunks_[at].use != Hunk::Use::kUndecided) break;
      git_.Print(HunkText(hunks_[at]));
      const std::string letters = Letters(at, before, after);
      const char* kind = file_.status == 'D' ? "deletion" : file_.status == 'A' ? "addition" : hunks_[at].is_mode ? "mode change" : "this hunk";
      git_.Print("(" + std::to_string(at + 1) + "/" + std::to_string(hunks_.size()) + ") " + verb_ + " " + kind + place_ + " [y,n,q,a,d" + letters + ",?]? ");
      git_.in.out.Flush();
      const auto line = git_.in.in.ReadLine();
      if (!line) break;
      std::string answer(line->text);
      while (answer.ends_with('\n') || answer.ends_with('\r') || answer.ends_with(' ')) answer.pop_back();
      if (answer.empty()) continue;
      const auto may = [&letters](const char* letter) { return letters.find(letter) != std::string::npos; };
      const size_t next = after == kNone ? hunks_.size() : after;
      switch (answer[0]) {
        case 'y': case 'Y': case 'n': case 'N':
          hunks_[at].use = answer[0] == 'y' || answer[0] == 'Y' ? Hunk::Use::kTake : Hunk::Use::kLeave;
          at = next;
          break;
        case 'a': case 'A': case 'd': case 'D': case 'q': case 'Q':
          for (; at < hunks_.size(); ++at) {
            if (hunks_[at].use == Hunk::Use::kUndecided) hunks_[at].use = answer[0] == 'a' || answer[0] == 'A' ? Hunk::Use::kTake : Hunk::Use::kLeave;
          }
          if (answer[0] == 'q' || answer[0] == 'Q') {
            git_.Print("\n");
            return false;
          }
          break;
        case 'K':
          if (may("K")) --at;
          else git_.Say("No previous hunk\n");
          break;
        case 'J':
          if (may("J")) ++at;
          else git_.Say("No next hunk\n");
          break;
        case 'k':
          if (may("k")) at = before;
          else git_.Say("No previous hunk\n");
          break;
        case 'j':
          if (may("j")) at = after;
          else git_.Say("No next hunk\n");
          break;
        case 'g': case 'G':
          if (may("g")) GoTo(answer.substr(1), at);
          else git_.Say("No other hunks to goto\n");
          break;
        case '/':
          if (may("/")) PADDOCK_TRY(Search(answer.substr(1), at));
          else git_.Say("No other hunks to search\n");
          break;
        case 's': case 'S':
          if (may("s")) {
            const std::vector<Hunk> pieces = Split(hunks_[at]);
            git_.Print("Split into " + std::to_string(pieces.size()) + " hunks.\n");
            hunks_.erase(hunks_.begin() + static_cast<std::ptrdiff_t>(at));
            hunks_.insert(hunks_.begin() + static_cast<std::ptrdiff_t>(at), pieces.begin(), pieces.end());
          } else {
            git_.Say("Sorry, cannot split this hunk\n");
          }
          break;
        case 'e': case 'E':
          if (!may("e")) {
            git_.Say("Sorry, cannot edit this hunk\n");
          } else {
            if (!can_edit_) return Error(Code::kNotSupported, "editing what is taken back is not supported");
            PADDOCK_ASSIGN(const bool is_edited, EditHunk(hunks_[at]));
            if (!is_edited) break;
            hunks_[at].use = Hunk::Use::kTake;
            at = next;
          }
          break;
        default:
          Help(letters);
      }
    }
    git_.Print("\n");
    return true;
  }

  std::optional<ChosenFile> Chosen() const {
    if (std::none_of(hunks_.begin(), hunks_.end(), [](const Hunk& hunk) { return hunk.use == Hunk::Use::kTake; })) return std::nullopt;
    ChosenFile chosen;
    chosen.file = file_;
    chosen.is_whole = std::all_of(hunks_.begin(), hunks_.end(), [](const Hunk& hunk) { return hunk.use == Hunk::Use::kTake && !hunk.edited; });
    if (file_.status == 'D' || (file_.status == 'A' && hunks_[0].edited == std::nullopt)) {
      chosen.taken = {file_.new_mode, new_text_};
      chosen.left = {file_.old_mode, old_text_};
      return chosen;
    }
    const bool has_mode = hunks_[0].is_mode;
    const bool takes_mode = has_mode && hunks_[0].use == Hunk::Use::kTake;
    const uint32_t old_mode = file_.old_mode != 0 ? file_.old_mode : file_.new_mode;
    chosen.taken = {takes_mode ? file_.new_mode : old_mode, Applied(old_text_, hunks_, true)};
    chosen.left = {takes_mode ? old_mode : file_.new_mode, Applied(old_text_, hunks_, false)};
    return chosen;
  }

 private:
  static constexpr size_t kNone = SIZE_MAX;

  size_t Undecided(size_t at, bool after) const {
    if (after) {
      for (size_t i = at + 1; i < hunks_.size(); ++i) {
        if (hunks_[i].use == Hunk::Use::kUndecided) return i;
      }
    } else {
      for (size_t i = at; i-- > 0;) {
        if (hunks_[i].use == Hunk::Use::kUndecided) return i;
      }
    }
    return kNone;
  }

  std::string Letters(size_t at, size_t before, size_t after) const {
    std::string letters;
    if (before != kNone) letters += ",k";
    if (at > 0) letters += ",K";
    if (after != kNone) letters += ",j";
    if (at + 1 < hunks_.size()) letters += ",J";
    if (hunks_.size() > 1) letters += ",g,/";
    if (PieceCount(hunks_[at]) > 1) letters += ",s";
    if (!hunks_[at].is_mode && file_.status != 'D') letters += ",e";
    return letters;
  }

  void GoTo(std::string number, size_t& at) {
    for (size_t first = at > 10 ? at - 10 : 0; number.empty();) {
      git_.in.budget.Step();
      const size_t end = std::min(first + 21, hunks_.size());
      for (; first < end; ++first) {
        const auto [before, after] = Counts(hunks_[first].body);
        std::string line = std::string(hunks_[first].use == Hunk::Use::kTake ? "+" : hunks_[first].use == Hunk::Use::kLeave ? "-" : " ") + std::to_string(first + 1) + ": ";
        if (line.size() < 5) line.insert(1, 5 - line.size(), ' ');
        line += "-" + RangeText(hunks_[first].old_begin, before) + " +" + RangeText(hunks_[first].new_begin, after);
        line.resize(std::max<size_t>(line.size() + 1, 26), ' ');
        const auto change = std::find_if(hunks_[first].body.begin(), hunks_[first].body.end(), [](const std::string& text) { return !IsContext(text); });
        git_.Print(line + (change == hunks_[first].body.end() ? "\n" : *change));
      }
      git_.Print(first < hunks_.size() ? "go to which hunk (<ret> to see more)? " : "go to which hunk? ");
      git_.in.out.Flush();
      const auto line = git_.in.in.ReadLine();
      if (!line) return;
      number = line->text;
      while (number.ends_with('\n')) number.pop_back();
    }
    while (number.starts_with(' ')) number.erase(0, 1);
    int64_t value = 0;
    if (!ParseOptionValue(number, value)) git_.Say("Invalid number: '" + number + "'\n");
    else if (value > 0 && static_cast<size_t>(value) <= hunks_.size()) at = static_cast<size_t>(value) - 1;
    else git_.Say("Sorry, only " + std::to_string(hunks_.size()) + (hunks_.size() == 1 ? " hunk available.\n" : " hunks available.\n"));
  }

  Status Search(std::string pattern, size_t& at) {
    if (pattern.empty()) {
      git_.Print("search for regex? ");
      git_.in.out.Flush();
      const auto line = git_.in.in.ReadLine();
      if (!line) return {};
      pattern = line->text;
      while (pattern.ends_with('\n')) pattern.pop_back();
      if (pattern.empty()) return {};
    }
    const auto regex = Regex::Compile(pattern, {.dialect = RegexDialect::kExtended});
    if (!regex) {
      git_.Say("Malformed search regexp " + pattern + ": " + std::string(regex.error().Text()) + "\n");
      return {};
    }
    for (size_t i = 0; i < hunks_.size(); ++i) {
      const size_t candidate = (at + i) % hunks_.size();
      for (const std::string& line : hunks_[candidate].body) {
        PADDOCK_ASSIGN(const bool matches, regex->Search(line, 0, nullptr, git_.in.budget));
        if (!matches) continue;
        at = candidate;
        return {};
      }
    }
    git_.Say("No hunk matches the given pattern\n");
    return {};
  }

  Result<bool> EditHunk(Hunk& hunk) {
    const std::string path = git_.GitPath("addp-hunk-edit.diff");
    const std::string whole = HunkText(hunk);
    PADDOCK_TRY(vfs::WriteFile(git_.in.fs, path, "# Manual hunk edit mode -- see bottom for a quick guide.\n" + whole +
                               "# ---\n# To remove '-' lines, make them ' ' lines (context).\n# To remove '+' lines, delete them.\n# Lines starting with # will be removed.\n"
                               "# If the patch applies cleanly, the edited hunk will immediately be marked for staging.\n# If it does not apply cleanly, you will be given an opportunity to\n"
                               "# edit again.  If all lines of the hunk are removed, then the edit is\n# aborted and the hunk is left unchanged.\n"));
    const Edit original = EditOf(hunk.body, hunk.old_begin);
    std::vector<std::string> old_lines;
    for (const std::string& line : hunk.body) {
      if (line[0] != '+' && line[0] != '\\') old_lines.push_back(line == "\n" ? line : line.substr(1));
    }
    while (true) {
      git_.in.budget.Step(16);
      if (!git_.Edit(path)) return false;
      PADDOCK_ASSIGN(const std::string text, vfs::ReadFile(git_.in.fs, path, 16 << 20));
      std::vector<std::string> body, kept;
      for (const std::string_view line : SplitLines(text)) {
        if (line.starts_with('#') || line.starts_with("@@")) continue;
        body.emplace_back(line);
        if (line[0] != '+' && line[0] != '\\') kept.emplace_back(line == "\n" ? line : line.substr(1));
      }
      if (body.empty()) return false;
      if (kept == old_lines) {
        hunk.edited = EditOf(body, hunk.old_begin);
        return true;
      }
      git_.Say("error: patch failed: " + file_.new_path + ":" + std::to_string(original.at + 1) + "\nerror: " + file_.new_path + ": patch does not apply\n");
      git_.Print("Your edited hunk does not apply. Edit again (saying \"no\" discards!) [y/n]? ");
      git_.in.out.Flush();
      const auto line = git_.in.in.ReadLine();
      if (!line || !(line->text.starts_with('y') || line->text.starts_with('Y'))) return false;
    }
  }

  void Help(const std::string& letters) {
    std::string verb = verb_;
    if (!verb.empty()) verb[0] = static_cast<char>(verb[0] - 'A' + 'a');
    std::string text = "y - " + verb + " this hunk" + place_ + "\nn - do not " + verb + " this hunk" + place_ + "\nq - quit; do not " + verb + " this hunk or any of the remaining ones\n" +
                       "a - " + verb + " this hunk and all later hunks in the file\nd - do not " + verb + " this hunk or any of the later hunks in the file\n";
    static constexpr std::pair<const char*, const char*> kMore[] = {
        {",j", "j - leave this hunk undecided, see next undecided hunk\n"}, {",J", "J - leave this hunk undecided, see next hunk\n"},
        {",k", "k - leave this hunk undecided, see previous undecided hunk\n"}, {",K", "K - leave this hunk undecided, see previous hunk\n"},
        {",g", "g - select a hunk to go to\n"}, {",/", "/ - search for a hunk matching the given regex\n"},
        {",s", "s - split the current hunk into smaller hunks\n"}, {",e", "e - manually edit the current hunk\n"}};
    for (const auto& [letter, line] : kMore) {
      if (letters.find(letter) != std::string::npos) text += line;
    }
    git_.Print(text + "? - print help\n");
  }

  Git& git_;
  const FileDiff& file_;
  std::string verb_, place_;   // "Stage", " from worktree"
  bool can_edit_;
  std::string head_, old_text_, new_text_;
  std::vector<Hunk> hunks_;
};

void PutEntry(Git& git, Index& index, const std::string& path, const ChosenFile::Side& side, const Oid& id) {
  IndexEntry entry;
  entry.path = path;
  entry.mode = side.mode;
  entry.id = id;
  // Its stat, where the file is just that.
  if (const auto staged = StageFile(git, path, false); staged && *staged && (*staged)->id == id && (*staged)->mode == side.mode) entry = **staged;
  index.Put(std::move(entry));
}

Status PutSide(Git& git, Index* index, bool to_file, const std::string& path, const ChosenFile::Side& side) {
  if (side.mode == 0) {
    if (to_file) RemoveWorkFile(git, path);
    if (index != nullptr) index->Remove(path);
    return {};
  }
  PADDOCK_ASSIGN(const Oid id, git.objects.Write(ObjectType::kBlob, side.text));
  if (to_file) PADDOCK_TRY(PutContent(git, path, side.mode, side.text, true));
  if (index != nullptr) PutEntry(git, *index, path, side, id);
  return {};
}

}  // namespace

Result<std::vector<ChosenFile>> AskForPatches(Git& git, const std::vector<FileDiff>& files, const std::string& verb, const std::string& place, bool can_edit) {
  std::vector<ChosenFile> chosen;
  size_t binary = 0, shown = 0;
  for (const FileDiff& file : files) {
    FileChoice choice(git, file, verb, place, can_edit);
    PADDOCK_ASSIGN(const bool is_text, choice.Read());
    if (!is_text) {
      ++binary;
      continue;
    }
    ++shown;
    PADDOCK_ASSIGN(const bool goes_on, choice.Ask());
    if (auto one = choice.Chosen()) chosen.push_back(std::move(*one));
    if (!goes_on) break;
  }
  if (files.empty()) git.Say("No changes.\n");
  else if (shown == 0 && binary == files.size()) git.Say("Only binary files changed.\n");
  return chosen;
}

Result<ExitStatus> ChoosePatches(Git& git, PatchTarget target, const std::optional<FlatTree>& source, const std::string& source_name, const std::vector<std::string>& operands) {
  PADDOCK_ASSIGN(Pathspec paths, git.ParsePaths(operands));
  PADDOCK_ASSIGN(Index index, git.ReadIndex());
  const FlatTree in_index = IndexFiles(index);
  std::vector<FileDiff> files;
  // Something else than the index or HEAD is put there, not taken back.
  const bool is_forward = target != PatchTarget::kStage && !source_name.empty() && source_name != "HEAD" && source;
  switch (target) {
    case PatchTarget::kStage: {
      PADDOCK_ASSIGN(files, CompareWithFiles(git, in_index, index));
      for (FileDiff& file : files) {
        const IndexEntry* entry = index.Find(file.new_path);
        if (entry == nullptr || !entry->is_intended) continue;
        file.status = 'A';
        file.old_mode = 0;
      }
      break;
    }
    case PatchTarget::kUnstage:
      files = source ? CompareTrees(*source, in_index) : CompareTrees({}, in_index);
      break;
    case PatchTarget::kDiscard: case PatchTarget::kDiscardBoth: {
      PADDOCK_ASSIGN(files, CompareWithFiles(git, source ? *source : in_index, index));
      break;
    }
  }
  std::string last;
  for (const IndexEntry& entry : index.entries()) {
    if (entry.stage == 0 || entry.path == last || (!paths.empty() && !paths.Matches(entry.path, git.in.budget))) continue;
    last = entry.path;
    git.Say("ignoring unmerged: " + entry.path + "\n");
    std::erase_if(files, [&last](const FileDiff& file) { return file.new_path == last; });
  }
  DiffOptions plain;
  plain.no_renames = true;
  plain.reverse = is_forward;
  PADDOCK_TRY(Arrange(git, files, plain, paths));
  static constexpr const char* kVerbs[] = {"Stage", "Unstage", "Discard", "Discard"};
  const std::string verb = is_forward ? "Apply" : kVerbs[static_cast<int>(target)];
  const std::string place = target == PatchTarget::kDiscard ? (is_forward ? " to worktree" : " from worktree") : target == PatchTarget::kDiscardBoth ? (is_forward ? " to index and worktree" : " from index and worktree") : is_forward ? " to index" : "";
  const bool takes = target == PatchTarget::kStage || is_forward;
  PADDOCK_ASSIGN(const std::vector<ChosenFile> chosen, AskForPatches(git, files, verb, place, takes));
  const bool to_file = target == PatchTarget::kDiscard || target == PatchTarget::kDiscardBoth;
  for (const ChosenFile& file : chosen) {
    const std::string& path = file.file.new_path;
    if (target == PatchTarget::kDiscardBoth) {
      const IndexEntry* entry = index.Find(path);
      const Oid& known = is_forward ? file.file.old_id : file.file.new_id;
      PADDOCK_ASSIGN(const auto now, StageFile(git, path, false));
      if (entry != nullptr && now && entry->id != now->id && entry->id != known) return Error(Code::kNotSupported, "'" + path + "' is different in the index and in the working tree: --patch for both is not supported there");
    }
    PADDOCK_TRY(PutSide(git, target == PatchTarget::kDiscard ? nullptr : &index, to_file, path, takes ? file.taken : file.left));
  }
  if (!chosen.empty()) PADDOCK_TRY(git.WriteIndex(index));
  return 0;
}

}  // namespace paddock::git
