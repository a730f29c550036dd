// git apply.
#include <algorithm>

#include "commands/git/diff/diff.h"
#include "commands/git/mail/apply.h"
#include "commands/git/mail/apply_hunks.h"
#include "commands/git/merge/merge.h"
#include "commands/git/work/worktree.h"
#include "commands/input_files.h"
#include "proc/process.h"
#include "text/pattern.h"

namespace paddock::git {
namespace {

constexpr size_t kMostWarnings = 5;

using Options = ApplyOptions;
Status TakeInclude(Options& options, std::string_view value) {
  options.limits.emplace_back(true, value);
  return {};
}
Status TakeExclude(Options& options, std::string_view value) {
  options.limits.emplace_back(false, value);
  return {};
}
constexpr Option kOptions[] = {
    Value<&Options::strip>('p', nullptr, "N", "remove N directories from names"), Flag<&Options::reverse>('R', "reverse", "undo the patch"),
    Flag<&Options::check>(0, "check", "only see whether it applies"), Flag<&Options::stat>(0, "stat", "only show how many lines change"),
    Flag<&Options::numstat>(0, "numstat", "the same, in numbers"), Flag<&Options::summary>(0, "summary", "only show what is created, deleted and renamed"),
    Flag<&Options::index>(0, "index", "change the index, too"), Flag<&Options::cached>(0, "cached", "change the index alone"),
    Flag<&Options::apply>(0, "apply", "apply it, in spite of --stat and the like"), Value<&Options::context>('C', nullptr, "N", "so many lines of context have to match"),
    Call<TakeInclude>(0, "include", "PATTERN", "only files that match"), Call<TakeExclude>(0, "exclude", "PATTERN", "no files that match"),
    Value<&Options::directory>(0, "directory", "DIR", "names are below DIR"), Value<&Options::whitespace>(0, "whitespace", "ACTION", "of blanks at the ends of new lines: nowarn, warn, fix, error, error-all"),
    Flag<&Options::zero>(0, "unidiff-zero", "take patches without context"), Flag<&Options::allow_empty>(0, "allow-empty", "an empty patch is no error"),
    Flag<&Options::verbose>('v', "verbose", "tell what is done"), Flag<&Options::quiet>('q', "quiet", "say nothing"), Flag<&Options::nul>('z', nullptr, "end names with NUL"),
    Flag<&Options::no_add>(0, "no-add", "take lines away, but add none"), Flag<&Options::recounts>(0, "recount", "count the lines of hunks anew"),
    Flag<&Options::inaccurate_eof>(0, "inaccurate-eof", "the last lines of hunks may have no newline"), Flag<&Options::allows_overlap>(0, "allow-overlap", "hunks may change what others made"),
    Flag<&Options::rejects>(0, "reject", "apply what fits; hunks that do not go to FILE.rej"), Flag<&Options::ignores_blanks>(0, "ignore-space-change", "blanks in the context may differ"),
    Flag<&Options::ignores_blanks>(0, "ignore-whitespace", "likewise"), Flag<&Options::intends>('N', "intent-to-add", "note that new files will be added"),
    Flag<&Options::unsafe_paths>(0, "unsafe-paths", "files beyond the working tree, too"), Flag<&Options::three_way>('3', "3way", "merge with what the patch was made for (implies --index)"),
    Value<&Options::fake_ancestor>(0, "build-fake-ancestor", "FILE", "write an index of what the patch was made for"),
};

std::string ModeText(uint32_t mode) {
  std::string text;
  for (int shift = 15; shift >= 0; shift -= 3) text += static_cast<char>('0' + (mode >> shift & 7));
  return text;
}
std::string NamesOf(const FilePatch& patch) { return patch.old_name.empty() || patch.new_name.empty() || patch.old_name == patch.new_name ? patch.Name() : patch.old_name + " => " + patch.new_name; }
std::string BeforeName(const FilePatch& patch) { return patch.old_name.empty() ? patch.new_name : patch.old_name; }

struct FileState {
  uint32_t mode = 0;   // 0: there is none
  std::string content;
  std::optional<Conflict> conflict;
  bool is_new = false;
};

class Applier {
 public:
  Applier(Git& git, Options& options) : git_(git), options_(options) {}

  Result<ExitStatus> Run(const std::vector<std::string>& names) {
    PADDOCK_ASSIGN(const ExitStatus ready, Prepare());
    if (ready != 0) return ready;
    options_.is_silent |= options_.quiet;
    for (const std::string& name : names) {
      std::string text;
      if (name == "-") {
        text = git_.in.in.ReadAll();
      } else {
        auto input = InputFile::Open(git_.in, name);
        if (!input) return Complain("can't open patch '" + name + "': " + std::string(input.error().Text()), 128);
        text = input->input().ReadAll();
      }
      PADDOCK_ASSIGN(const ExitStatus status, ApplyText(text, name == "-" ? "<stdin>" : name));
      if (status != 0) return status;
    }
    return EndWarnings();
  }
  Result<ExitStatus> RunText(const std::string& text, const std::string& name) {
    PADDOCK_ASSIGN(const ExitStatus ready, Prepare());
    if (ready != 0) return ready;
    PADDOCK_ASSIGN(const ExitStatus status, ApplyText(text, name));
    return status != 0 ? Result<ExitStatus>(status) : EndWarnings();
  }

 private:
  ExitStatus Complain(std::string_view text, ExitStatus status = 1) {
    if (!options_.is_silent) git_.Complain(text);
    return status;
  }
  Result<ExitStatus> Prepare() {
    if (options_.rejects && options_.three_way) return Complain("options '--reject' and '--3way' cannot be used together", 128);
    if (options_.three_way) options_.index = true;
    applies_ = options_.apply || !(options_.check || options_.stat || options_.numstat || options_.summary || options_.fake_ancestor);
    if (options_.rejects && !options_.quiet) options_.verbose = true;
    const bool has_index = options_.index || options_.cached;
    if (has_index) options_.unsafe_paths = options_.intends = false;
    const std::string blanks = git_.config.Get("apply.ignorewhitespace", "no");
    if (blanks == "change") options_.ignores_blanks = true;
    else if (blanks != "no" && blanks != "false" && blanks != "never" && blanks != "none") return Complain("unrecognized whitespace ignore option '" + blanks + "'", 128);
    if (options_.whitespace.empty()) options_.whitespace = git_.config.Get("apply.whitespace", applies_ ? "warn" : "nowarn");
    if (options_.whitespace == "strip") options_.whitespace = "fix";
    static constexpr std::string_view kActions[] = {"nowarn", "warn", "fix", "error", "error-all"};
    if (std::find(std::begin(kActions), std::end(kActions), options_.whitespace) == std::end(kActions)) return Complain("unrecognized whitespace option '" + options_.whitespace + "'", 129);
    if (options_.target != nullptr) {
      index_ = *options_.target;
    } else if (has_index || options_.intends) {
      PADDOCK_ASSIGN(index_, git_.ReadIndex());
    }
    return 0;
  }
  Result<ExitStatus> ApplyText(const std::string& text, const std::string& name) {
    shown_ = name;
    PatchReading reading{.strip = options_.strip.value_or(1), .is_strip_known = options_.strip.has_value(), .prefix = git_.prefix, .directory = options_.directory, .recounts = options_.recounts};
    if (!reading.directory.empty() && !reading.directory.ends_with('/')) reading.directory += '/';
    auto patches = ReadPatches(text, reading, git_.in.budget);
    for (const std::string& warning : reading.warnings) git_.Warn(warning);
    if (!patches) return patches.error().code == Code::kSyntax ? Result<ExitStatus>(Complain(patches.error().Text(), 128)) : patches.error();
    if (patches->empty() && !options_.allow_empty) return Complain("No valid patches in input (allow with \"--allow-empty\")", 128);
    if (options_.reverse) {
      std::reverse(patches->begin(), patches->end());
      for (FilePatch& patch : *patches) ReversePatch(patch);
    }
    std::erase_if(*patches, [this](const FilePatch& patch) {
      const bool is_wanted = IsWanted(patch);
      if (!is_wanted && options_.verbose) git_.Say("Skipped patch '" + NamesOf(patch) + "'.\n");
      return !is_wanted;
    });
    if (options_.whitespace != "nowarn") {
      for (const FilePatch& patch : *patches) CheckBlanks(patch);
    }
    if (options_.whitespace.starts_with("error") && bad_lines_ > 0) applies_ = false;
    if (options_.check || applies_) {
      bool fails = false;
      for (FilePatch& patch : *patches) {
        if (options_.verbose) git_.Say("Checking patch " + NamesOf(patch) + "...\n");
        PADDOCK_ASSIGN(const ExitStatus status, Check(patch));
        if (status == 128) return 128;
        patch.is_rejected = status != 0;
        fails |= status != 0;
      }
      if (fails && !options_.rejects) return 1;
    }
    if (options_.fake_ancestor) {
      PADDOCK_ASSIGN(const ExitStatus status, WriteAncestor(*patches));
      if (status != 0) return status;
    }
    if (applies_) {
      PADDOCK_ASSIGN(const bool all, WriteAll(*patches, text));
      if (!all && options_.rejects) return 1;
      if (!all) {
        has_conflicts_ = true;   // the next patch is applied all the same
        files_.clear();
        return 0;
      }
    }
    files_.clear();
    Show(*patches);
    return 0;
  }

  bool IsWanted(const FilePatch& patch) {
    const std::string& name = patch.Name();
    if (!name.starts_with(git_.prefix)) return false;
    bool includes = false;
    PatternFlags flags;
    flags.extglob = false;
    for (const auto& [is_included, pattern] : options_.limits) {
      includes |= is_included;
      if (Pattern(pattern, flags).Matches(name, git_.in.budget)) return is_included;
    }
    return !includes;
  }

  void Warn(std::string_view what, std::string_view line, size_t number) {
    ++bad_lines_;
    if (bad_lines_ > kMostWarnings && options_.whitespace != "error-all") return;
    if (!options_.quiet) git_.Say(shown_ + ":" + std::to_string(number) + ": " + std::string(what) + ".\n" + std::string(line) + "\n");
  }
  void CheckBlanks(const FilePatch& patch) {
    bool has_returns = false;   // the old file's lines end with CR LF: so may the new ones
    for (const PatchHunk& hunk : patch.hunks) {
      for (const PatchHunk::Line& line : hunk.lines) {
        git_.in.budget.Step();
        if (line.mark != '+') has_returns |= line.text.ends_with("\r\n");
        const bool is_context = options_.whitespace == "fix" && line.mark == ' ' && !options_.reverse;   // which may be mended, too
        if (line.mark != '+' && !is_context) continue;
        std::string_view text = line.text;
        if (text.ends_with('\n')) text.remove_suffix(has_returns && text.ends_with("\r\n") ? 2 : 1);
        const size_t last = text.find_last_not_of(" \t\r\v\f");
        const bool trails = !text.empty() && last + 1 != text.size();
        const std::string_view indent = text.substr(0, std::min(text.find_first_not_of(" \t"), last == std::string_view::npos ? 0 : last));
        const bool has_space = indent.find(" \t") != std::string_view::npos;
        if (trails || has_space) Warn(trails && has_space ? "trailing whitespace, space before tab in indent" : trails ? "trailing whitespace" : "space before tab in indent", text, line.number);
      }
    }
  }
  ExitStatus EndWarnings() {
    const ExitStatus status = has_conflicts_ ? 1 : 0;
    if (bad_lines_ == 0) return status;
    if (bad_lines_ > kMostWarnings && options_.whitespace != "error-all" && !options_.quiet) {
      const size_t rest = bad_lines_ - kMostWarnings;
      git_.Warn("squelched " + std::to_string(rest) + " whitespace error" + (rest == 1 ? "" : "s"));
    }
    const std::string text = std::to_string(bad_lines_) + (bad_lines_ == 1 ? " line adds whitespace errors." : " lines add whitespace errors.");
    if (options_.whitespace.starts_with("error")) return Complain(text, 128);
    const std::string mended = std::to_string(fixed_lines_) + (fixed_lines_ == 1 ? " line" : " lines") + " applied after fixing whitespace errors.";
    if (!options_.quiet) git_.Warn(fixed_lines_ > 0 && applies_ ? mended : text);
    return status;
  }

  ExitStatus Refuse(std::string_view text) { return Complain(text); }
  bool IsBeyondLink(const std::string& path) {
    for (size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) {
      const std::string above = path.substr(0, slash);
      git_.in.budget.Step();
      if (const auto known = files_.find(above); known != files_.end()) {
        if (known->second.mode == kModeLink) return true;
        if (known->second.mode == 0) continue;
      }
      if (options_.cached) {
        const IndexEntry* entry = index_.Find(above);
        if (entry != nullptr && entry->mode == kModeLink) return true;
        continue;
      }
      const auto facts = git_.in.fs.Stat(git_.FilePath(above), vfs::Follow::kNo);
      if (facts && facts->is_symlink()) return true;
    }
    return false;
  }

  // The file before the patch; the exit status when there is none.
  Result<ExitStatus> ReadOld(FilePatch& patch, FileState& old) {
    const std::string& name = patch.old_name;
    if (const auto known = files_.find(name); known != files_.end()) {
      if (known->second.mode == 0) return Refuse("path " + name + " has been renamed/deleted");
      old = known->second;
      return TakeMode(patch, old.mode);
    }
    if (!options_.unsafe_paths && !IsSafePath(name)) {
      // What is not there is told first.
      if (name.starts_with('/') || git_.in.fs.Stat(git_.FilePath(name), vfs::Follow::kNo)) return Complain("invalid path '" + name + "'", 128);
      return Refuse(name + ": No such file or directory");
    }
    const IndexEntry* entry = options_.index || options_.cached ? index_.Find(name) : nullptr;
    if ((options_.index || options_.cached) && entry == nullptr) return Refuse(name + ": does not exist in index");
    if (options_.cached) {
      old.mode = entry->mode;
      PADDOCK_ASSIGN(old.content, git_.ReadBlob(entry->id));
      return TakeMode(patch, old.mode);
    }
    if (IsBeyondLink(name)) return Refuse(git_.in.fs.Stat(git_.FilePath(name), vfs::Follow::kNo) ? "reading from '" + name + "' beyond a symbolic link" : name + ": No such file or directory");
    const auto facts = git_.in.fs.Stat(git_.FilePath(name), vfs::Follow::kNo);
    if (!facts) return Refuse(name + ": " + std::string(facts.error().Text()));
    PADDOCK_ASSIGN(auto content, ReadWorkingFile(git_, name));
    if (!content) return Refuse(name + ": wrong type");
    if (entry != nullptr && (entry->mode != content->mode || entry->id != HashObject(ObjectType::kBlob, content->data))) return Refuse(name + ": does not match index");
    old.mode = content->mode;
    old.content = std::move(content->data);
    return TakeMode(patch, old.mode);
  }
  ExitStatus TakeMode(FilePatch& patch, uint32_t mode) {
    if (patch.old_mode == 0) patch.old_mode = mode;
    if (((mode ^ patch.old_mode) & 0170000) != 0) return Refuse(patch.old_name + ": wrong type");
    if (mode != patch.old_mode && !options_.quiet) git_.Warn(patch.old_name + " has type " + ModeText(mode) + ", expected " + ModeText(patch.old_mode));
    if (patch.new_mode == 0 && !patch.is_deleted) patch.new_mode = mode;
    return 0;
  }

  Result<ExitStatus> Check(FilePatch& patch) {
    FileState state;
    bool is_taken = false;   // there is such a file already, which is merged with the new one
    if (!patch.old_name.empty()) {
      PADDOCK_ASSIGN(const ExitStatus status, ReadOld(patch, state));
      if (status != 0) return status;
    }
    const std::string& name = patch.new_name;
    if (!name.empty() && (patch.is_new || patch.is_rename || patch.is_copy)) {
      const auto known = files_.find(name);
      if (known == files_.end() || known->second.mode != 0) {
        const bool is_in_index = (options_.index || options_.cached) && index_.Find(name) != nullptr;
        if (is_in_index && !(options_.three_way && patch.is_new)) return Refuse(name + ": already exists in index");
        is_taken = is_in_index;
        const auto facts = git_.in.fs.Stat(git_.FilePath(name), vfs::Follow::kNo);
        const bool exists = known != files_.end() || (!options_.cached && facts && !facts->is_directory() && !IsBeyondLink(name));
        is_taken |= exists && options_.three_way && patch.is_new;
        if (exists && !is_taken) return Refuse(name + ": already exists in working directory");
      }
      if (patch.new_mode == 0) patch.new_mode = patch.is_new ? kModeFile : patch.old_mode;
    }
    if (!name.empty() && !patch.old_name.empty() && ((patch.new_mode ^ patch.old_mode) & 0170000) != 0) {
      return Refuse("new mode (" + ModeText(patch.new_mode) + ") of " + name + " does not match old mode (" + ModeText(patch.old_mode) + ")" + (name == patch.old_name ? "" : " of " + patch.old_name));
    }
    if (!name.empty() && !options_.unsafe_paths && !IsSafePath(name)) return Complain("invalid path '" + name + "'", 128);
    if (!name.empty() && IsBeyondLink(name)) return Refuse("affected file '" + name + "' is beyond a symbolic link");
    bool is_merged = false;
    if (options_.three_way) {
      PADDOCK_ASSIGN(is_merged, Merge(patch, is_taken, state));
      if (!is_merged && !is_taken && !options_.quiet) git_.Say("Falling back to direct application...\n");
    }
    if (!is_merged) {
      PADDOCK_ASSIGN(const bool applied, is_taken ? Result<bool>(false) : Change(patch, state.content));
      if (!applied) return Refuse(BeforeName(patch) + ": patch does not apply");
    }
    if (patch.is_deleted && !state.content.empty()) {
      Refuse("removal patch leaves file contents");
      return Refuse(BeforeName(patch) + ": patch does not apply");
    }
    if (!patch.old_name.empty() && patch.old_name != name && !patch.is_copy) files_[patch.old_name] = {};
    if (!name.empty()) files_[name] = {patch.new_mode, std::move(state.content), state.conflict, patch.is_new};
    return 0;
  }

  Result<bool> Change(FilePatch& patch, std::string& content) {
    if (!patch.is_binary) return ApplyHunks(patch, content);
    PADDOCK_ASSIGN(const ExitStatus status, ApplyBinary(patch, content));
    return status == 0;
  }
  // Changes what the patch was made for, and merges that with the file. False: it cannot be done.
  Result<bool> Merge(FilePatch& patch, bool is_taken, FileState& state) {
    const bool renames_alone = patch.is_rename && patch.added == 0 && patch.deleted == 0;
    if (patch.is_deleted || patch.old_mode == kModeCommit || patch.new_mode == kModeCommit || (patch.is_new && !is_taken) || renames_alone) return false;
    std::string base;
    if (!patch.is_new) {
      const auto found = FindBlob(git_, patch.old_id);
      if (!found) return (Refuse("repository lacks the necessary blob to perform 3-way merge."), false);
      PADDOCK_ASSIGN(base, git_.ReadBlob(*found));
    }
    if (is_taken && !options_.quiet) git_.Say("Performing three-way merge...\n");
    std::string theirs = base, ours = state.content;
    PADDOCK_ASSIGN(const bool applied, Change(patch, theirs));
    if (!applied) return false;
    if (is_taken) {
      FilePatch there;
      there.old_name = patch.new_name;
      PADDOCK_ASSIGN(const ExitStatus status, ReadOld(there, state));
      if (status != 0) return (Refuse("cannot read the current contents of '" + patch.new_name + "'"), false);
      ours = state.content;
    }
    const auto item = [&patch, this](const std::string& text) -> Result<std::optional<TreeItem>> {
      PADDOCK_ASSIGN(const Oid id, git_.objects.Write(ObjectType::kBlob, text));
      return std::optional<TreeItem>(TreeItem{patch.new_mode, id});
    };
    TextMerge merge{ours, false};
    if (base == ours) merge.text = theirs;
    else if (base != theirs && ours != theirs) {
      PADDOCK_ASSIGN(const MergeStyle style, ConfiguredStyle(git_));
      merge = MergeTexts(base, ours, theirs, {"ours", "theirs", "base"}, style, git_.in.budget);
    }
    if (merge.has_conflict) {
      Conflict& conflict = state.conflict.emplace();
      if (!patch.is_new) {
        PADDOCK_ASSIGN(conflict.base, item(base));
      }
      PADDOCK_ASSIGN(conflict.ours, item(ours));
      PADDOCK_ASSIGN(conflict.theirs, item(theirs));
    }
    state.content = std::move(merge.text);
    if (!options_.quiet) git_.Say("Applied patch to '" + patch.new_name + (merge.has_conflict ? "' with conflicts.\n" : "' cleanly.\n"));
    return true;
  }

  Result<ExitStatus> ApplyBinary(const FilePatch& patch, std::string& content) {
    const std::string& name = BeforeName(patch);
    const auto before = Oid::FromHex(patch.old_id), after = Oid::FromHex(patch.new_id);
    if (!before || !after) return Refuse("cannot apply binary patch to '" + name + "' without full index line");
    if (!patch.old_name.empty()) {
      const Oid found = HashObject(ObjectType::kBlob, content);
      if (found != *before) return Refuse("the patch applies to '" + name + "' (" + found.Hex() + "), which does not match the current contents.");
    } else if (!content.empty()) {
      return Refuse("the patch applies to an empty '" + name + "' but it is not empty");
    }
    if (after->is_null()) {
      content.clear();
      return 0;
    }
    if (git_.objects.Has(*after)) {
      PADDOCK_ASSIGN(content, git_.ReadBlob(*after));
      return 0;
    }
    if (!patch.forward) return Refuse("missing binary patch data for '" + name + "'");
    auto changed = patch.forward->is_delta ? ApplyDelta(content, patch.forward->data, git_.in.budget) : Result<std::string>(patch.forward->data);
    if (!changed) {
      if (changed.error().code == Code::kLimit || changed.error().code == Code::kNoMemory) return changed.error();
      return Refuse("binary patch does not apply to '" + name + "'");
    }
    const Oid made = HashObject(ObjectType::kBlob, *changed);
    if (made != *after) return Refuse("binary patch to '" + name + "' creates incorrect result (expecting " + after->Hex() + ", got " + made.Hex() + ")");
    content = std::move(*changed);
    return 0;
  }

  bool ApplyHunks(FilePatch& patch, std::string& content) {
    if (patch.hunks.empty()) return true;
    PatchedLines image{SplitLines(content), {}};
    image.is_patched.assign(image.lines.size(), 0);
    HunkPlacer placer(git_, options_);
    size_t number = 0;
    for (PatchHunk& hunk : patch.hunks) {
      if (placer.Apply(image, hunk, ++number)) {
        if (placer.blank_end()) Warn("new blank line at EOF", "+", *placer.blank_end());
        continue;
      }
      Complain("patch failed: " + BeforeName(patch) + ":" + std::to_string(hunk.old_begin));
      if (!options_.rejects) return false;
      hunk.is_rejected = true;
    }
    fixed_lines_ += placer.fixed_lines();
    std::string text;
    for (const std::string_view line : image.lines) {
      git_.in.budget.WillAllocate(text.size() + line.size());
      text += line;
    }
    content = std::move(text);
    return true;
  }

  // What goes first, then what comes. False: some of it was left out.
  Result<bool> WriteAll(const std::vector<FilePatch>& patches, std::string_view text) {
    for (const auto& [path, state] : files_) {
      if (state.mode != 0) continue;
      if (!options_.cached && options_.unsafe_paths && !IsSafePath(path)) PADDOCK_TRY(git_.in.fs.RemoveFile(git_.FilePath(path)));
      else if (!options_.cached) RemoveWorkFile(git_, path);
      if (!options_.intends) index_.Remove(path);
    }
    TreeMerge merge;
    for (const auto& [path, state] : files_) {
      git_.in.budget.Step();
      if (state.mode == 0) continue;
      if (!options_.cached) PADDOCK_TRY(Place(path, state));
      if (state.conflict) {
        merge.conflicts[path] = *state.conflict;
        continue;
      }
      PADDOCK_TRY(PutIntoIndex(path, state));
    }
    PutConflicts(index_, merge);
    bool all = true;
    for (const FilePatch& patch : patches) {
      if (patch.is_rejected) {
        all = false;
        continue;
      }
      PADDOCK_ASSIGN(all, TellOne(patch, text, all));
    }
    for (const auto& [path, conflict] : merge.conflicts) {
      if (!options_.quiet) git_.Say("U " + path + "\n");
    }
    if (options_.target != nullptr) {
      *options_.target = index_;
    } else if ((options_.index || options_.cached || options_.intends) && (all || !options_.rejects)) {
      PADDOCK_TRY(git_.WriteIndex(index_));
    }
    return all && merge.conflicts.empty();
  }
  Status Place(const std::string& path, const FileState& state) {
    if (!options_.unsafe_paths || IsSafePath(path)) return PutContent(git_, path, state.mode, state.content, false);
    const std::string file = git_.FilePath(path);
    static_cast<void>(git_.in.fs.RemoveFile(file).has_value());
    PADDOCK_TRY(vfs::MakeDirectories(git_.in.fs, file.substr(0, file.rfind('/'))));
    if (state.mode == kModeLink) return git_.in.fs.MakeSymlink(state.content, file);
    PADDOCK_TRY(vfs::WriteFile(git_.in.fs, file, state.content));
    return state.mode == kModeExecutable ? git_.in.fs.SetMode(file, 0755) : Status();
  }
  Status PutIntoIndex(const std::string& path, const FileState& state) {
    const bool intends = options_.intends && state.is_new;
    if (!options_.index && !options_.cached && !intends) return {};
    IndexEntry entry;
    entry.path = path;
    entry.mode = state.mode;
    if (intends) {
      entry.id = HashObject(ObjectType::kBlob, "");
      entry.is_intended = true;
    } else {
      PADDOCK_ASSIGN(entry.id, git_.objects.Write(ObjectType::kBlob, state.content));
      if (!options_.cached) {
        PADDOCK_ASSIGN(const vfs::Attributes facts, git_.in.fs.Stat(git_.FilePath(path), vfs::Follow::kNo));
        entry.TakeStat(facts);
      }
    }
    index_.Put(std::move(entry));
    return {};
  }
  // Says what came of a patch, and writes the hunks that did not fit to FILE.rej. False, if there were any; else `all`.
  Result<bool> TellOne(const FilePatch& patch, std::string_view text, bool all) {
    const auto is_rejected = [](const PatchHunk& hunk) { return hunk.is_rejected; };
    const auto count = std::count_if(patch.hunks.begin(), patch.hunks.end(), is_rejected);
    if (count == 0) {
      if (options_.verbose) git_.Say("Applied patch " + NamesOf(patch) + " cleanly.\n");
      return all;
    }
    if (!options_.quiet) git_.Say("Applying patch " + NamesOf(patch) + " with " + std::to_string(count) + (count == 1 ? " reject...\n" : " rejects...\n"));
    std::string rest = "diff a/" + patch.new_name + " b/" + patch.new_name + "\t(rejected hunks)\n";
    size_t number = 0;
    for (const PatchHunk& hunk : patch.hunks) {
      git_.in.budget.Step();
      ++number;
      if (!options_.quiet) git_.Say(hunk.is_rejected ? "Rejected hunk #" + std::to_string(number) + ".\n" : "Hunk #" + std::to_string(number) + " applied cleanly.\n");
      if (!hunk.is_rejected) continue;
      rest += text.substr(hunk.text_begin, hunk.text_size);
      if (!rest.ends_with('\n')) rest += '\n';
    }
    const std::string path = patch.new_name + ".rej";
    if (const Status made = vfs::WriteFile(git_.in.fs, git_.FilePath(path), rest); !made) Refuse("cannot open " + path + ": " + std::string(made.error().Text()));
    return false;
  }
  Result<ExitStatus> WriteAncestor(const std::vector<FilePatch>& patches) {
    FlatTree ours;
    if (const auto head = git_.Head()) {
      PADDOCK_ASSIGN(ours, git_.FlattenCommit(*head));
    }
    Index base;
    if (std::string why = TakeAncestor(git_, patches, ours, base); !why.empty()) return Complain(why, 128);
    PADDOCK_TRY(vfs::WriteFile(git_.in.fs, *options_.fake_ancestor, base.Text()));
    return 0;
  }

  void Show(const std::vector<FilePatch>& patches) {
    if (options_.stat) ShowStat(patches);
    for (const FilePatch& patch : patches) {
      if (options_.numstat) git_.Print((patch.is_binary ? "-\t-" : std::to_string(patch.added) + "\t" + std::to_string(patch.deleted)) + "\t" + (options_.nul ? patch.Name() + '\0' : git_.Quoted(patch.Name()) + "\n"));
    }
    for (const FilePatch& patch : patches) {
      if (options_.summary) git_.Print(Summary(patch));
    }
  }
  static std::string Summary(const FilePatch& patch) {
    if (patch.is_new) return " create " + (patch.new_mode == 0 ? std::string() : "mode " + ModeText(patch.new_mode) + " ") + patch.new_name + "\n";
    if (patch.is_deleted) return " delete " + (patch.old_mode == 0 ? std::string() : "mode " + ModeText(patch.old_mode) + " ") + patch.old_name + "\n";
    const bool changes = patch.old_mode != 0 && patch.new_mode != 0 && patch.old_mode != patch.new_mode;
    const std::string modes = " mode change " + ModeText(patch.old_mode) + " => " + ModeText(patch.new_mode);
    if (!patch.is_rename && !patch.is_copy) return changes ? modes + " " + patch.new_name + "\n" : "";
    size_t common = 0;
    for (size_t i = 0; i < std::min(patch.old_name.size(), patch.new_name.size()) && patch.old_name[i] == patch.new_name[i]; ++i) {
      if (patch.old_name[i] == '/') common = i + 1;
    }
    std::string names = patch.old_name.substr(common) + " => " + patch.new_name.substr(common);
    if (common > 0) names = patch.old_name.substr(0, common) + "{" + names + "}";
    return std::string(patch.is_rename ? " rename " : " copy ") + names + " (" + std::to_string(patch.score) + "%)\n" + (changes ? modes + "\n" : "");
  }
  void ShowStat(const std::vector<FilePatch>& patches) {
    size_t width = 0, most = 0, added = 0, deleted = 0;
    for (const FilePatch& patch : patches) {
      width = std::max({width, git_.Quoted(patch.old_name).size(), git_.Quoted(patch.new_name).size()});
      most = std::max(most, patch.added + patch.deleted);
      added += patch.added;
      deleted += patch.deleted;
    }
    width = std::min<size_t>(width, 50);
    const size_t room = width + most > 70 ? 70 - width : most;
    for (const FilePatch& patch : patches) {
      std::string name = git_.Quoted(patch.Name());
      if (name.size() > width) {
        size_t cut = name.find('/', name.size() + 3 - width);
        if (cut == std::string::npos) cut = name.size() + 3 - width;
        name = "..." + name.substr(cut);
      }
      name.resize(std::max(width, name.size()), ' ');
      const size_t all = patch.added + patch.deleted;
      const size_t total = most > 0 ? (all * room + most / 2) / most : 0, plus = most > 0 ? (patch.added * room + most / 2) / most : 0;
      std::string number = std::to_string(all);
      number.insert(0, number.size() < 5 ? 5 - number.size() : 0, ' ');
      git_.Print(" " + name + " |" + (patch.is_binary ? "  Bin\n" : number + " " + std::string(plus, '+') + std::string(total - std::min(total, plus), '-') + "\n"));
    }
    git_.Print(ShortStat(patches.size(), added, deleted));
  }

  Git& git_;
  Options& options_;
  bool applies_ = true;
  Index index_;
  std::string shown_;
  bool has_conflicts_ = false;   // of --3way
  size_t bad_lines_ = 0, fixed_lines_ = 0;
  std::map<std::string, FileState> files_;   // as the patches so far leave them
};

Result<ExitStatus> RunApply(Invocation& in, Git* git, Options& options, Args& args) {
  std::optional<Git> outside;
  if (git == nullptr || git->work_tree.empty()) {
    if (git == nullptr && options.three_way) return (in.err.Write("error: '--3way' outside a repository\n"), ExitStatus{128});
    if (git == nullptr) options.intends = false;
    if (git == nullptr && (options.index || options.cached)) return (in.err.Write(options.cached ? "error: '--cached' outside a repository\n" : "error: '--index' outside a repository\n"), ExitStatus{128});
    if (git == nullptr || !options.cached) {
      // Without a repository, names are from the working directory.
      const std::string here(in.fs.cwd());
      git = &outside.emplace(in, here + "/.git", here, false);
      PADDOCK_ASSIGN(git->config, ReadConfig(in, nullptr));
    }
  }
  std::vector<std::string> names = args.All();
  if (names.empty()) names.emplace_back("-");
  return Applier(*git, options).Run(names);
}

}  // namespace

Result<ExitStatus> ApplyPatchText(Git& git, ApplyOptions& options, const std::string& text, const std::string& name) { return Applier(git, options).RunText(text, name); }

std::optional<Oid> FindBlob(Git& git, const std::string& digits) {
  std::optional<Oid> found;
  for (const Oid& id : digits.size() < 4 ? std::vector<Oid>() : git.objects.FindPrefix(digits)) {
    git.in.budget.Step();
    const auto object = git.objects.Read(id);
    if (!object || object->type != ObjectType::kBlob) continue;
    if (found) return std::nullopt;
    found = id;
  }
  return found;
}

std::string TakeAncestor(Git& git, const std::vector<FilePatch>& patches, const FlatTree& ours, Index& base) {
  for (const FilePatch& patch : patches) {
    git.in.budget.Step();
    if (patch.is_new || patch.old_name.empty()) continue;
    IndexEntry entry;
    entry.path = patch.old_name;
    entry.mode = patch.old_mode != 0 ? patch.old_mode : kModeFile;
    if (!IsSafePath(entry.path)) return "invalid path '" + entry.path + "'";
    std::optional<Oid> found = FindBlob(git, patch.old_id);
    if (const auto known = ours.find(entry.path); patch.old_id.empty() && patch.hunks.empty() && known != ours.end()) {
      found = known->second.id;
      entry.mode = known->second.mode;
    }
    if (!found) return "sha1 information is lacking or useless (" + entry.path + ").";
    entry.id = *found;
    base.Put(std::move(entry));
  }
  return {};
}

extern const Subcommand kApply;
const Subcommand kApply = DefineFreeSubcommand<Options, RunApply>({.name = "apply", .summary = "apply a patch to files", .synopsis = "[<options>] [<patch>...]", .options = kOptions, .needs = Subcommand::Needs::kMaybeRepository});

}  // namespace paddock::git
