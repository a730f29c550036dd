// The patch of a file: its head, and what follows it.
#include "commands/git/diff/combined_diff.h"
#include "commands/git/diff/diff_driver.h"
#include "commands/git/diff/diff_paint.h"
#include "commands/git/diff/diff_words.h"
#include "commands/git/refs/revision.h"
#include "commands/git/work/status.h"
#include "commands/git/work/worktree.h"
#include "git/binary_patch.h"
#include "text/diff/unified_diff.h"

namespace paddock::git {
namespace {

// A name behind --- or +++: a tab tells where one with a blank ends.
std::string HeaderName(const Git& git, const std::string& prefix, const std::string& path) {
  const std::string name = git.Quoted(prefix + path);
  return name.find(' ') != std::string::npos ? name + "\t" : name;
}
std::string_view WithoutTab(std::string_view name) { return name.ends_with('\t') ? name.substr(0, name.size() - 1) : name; }

class PatchMaker {
 public:
  PatchMaker(Git& git, const DiffOptions& options, PatchText& out) : git_(git), options_(options), out_(out) {
    old_prefix_ = options.no_prefix ? "" : options.src_prefix;
    new_prefix_ = options.no_prefix ? "" : options.dst_prefix;
    if (options.reverse) std::swap(old_prefix_, new_prefix_);
  }

  Status Make(const FileDiff& file) {
    if (file.is_combined) {
      const CombinedFile combined{file.new_path, {file.ours, file.theirs}, {file.new_mode, Oid{}}, true};
      PADDOCK_ASSIGN(const std::string text, CombinedPatch(git_, combined, options_, options_.combine != DiffOptions::Combine::kPlain));
      out_.Text(options_.colours ? ColouredPatch(text) : text);
      return {};
    }
    if (file.status == 'U') {
      out_.Text("* Unmerged path " + git_.Quoted(file.new_path) + "\n");
      return {};
    }
    if (file.status != 'T') return MakeOne(file);
    // Another kind of file: the one goes, the other comes.
    FileDiff gone = file, come = file;
    gone.status = 'D';
    gone.new_mode = 0;
    gone.new_id = {};
    gone.new_path = gone.old_path;
    come.status = 'A';
    come.old_mode = 0;
    come.old_id = {};
    come.old_path = come.new_path;
    PADDOCK_TRY(MakeOne(gone));
    return MakeOne(come);
  }

 private:
  Status MakeOne(const FileDiff& file) {
    if (options_.submodules != DiffOptions::Submodules::kShort && (file.old_mode == kModeCommit || file.new_mode == kModeCommit) && (file.old_mode == 0 || file.old_mode == kModeCommit) && (file.new_mode == 0 || file.new_mode == kModeCommit)) {
      return MakeSubmodule(file);
    }
    const std::string& path = file.file_path.empty() ? file.new_path : file.file_path;
    const DiffDriver driver = DriverOf(git_, path);
    if (options_.ext_diff.value_or(false)) {
      std::string command = driver.command;
      if (command.empty()) command = git_.in.env.Get("GIT_EXTERNAL_DIFF", git_.config.Get("diff.external", ""));
      if (!command.empty()) {
        PADDOCK_ASSIGN(const std::string text, ExternalDiff(git_, command, file));
        out_.Text(text);
        return {};
      }
    }
    const bool converts = !driver.textconv.empty() && options_.textconv.value_or(true);
    PADDOCK_ASSIGN(std::string before, ContentOf(git_, file, false));
    PADDOCK_ASSIGN(std::string after, ContentOf(git_, file, true));
    const bool is_binary = !converts && !options_.as_text && !driver.is_text && (driver.is_binary || LooksBinary(before) || LooksBinary(after));
    bool must_show = false;
    std::vector<std::string> head = Head(file, is_binary, must_show);
    const auto show_head = [&]() {
      for (const std::string& line : head) out_.Meta(line);
      head.clear();
    };
    if (file.old_mode != 0 && file.new_mode != 0 && ((file.old_mode ^ file.new_mode) & 0170000) != 0) {
      show_head();
      return {};
    }
    const std::string old_name = file.old_mode == 0 ? "/dev/null" : HeaderName(git_, old_prefix_, file.old_path);
    const std::string new_name = file.new_mode == 0 ? "/dev/null" : HeaderName(git_, new_prefix_, file.new_path);
    if (file.dissimilarity > 0 && !is_binary) {
      show_head();
      PADDOCK_TRY(Convert(file, driver, converts, before, after));
      Rewrite(before, after, old_name, new_name);
      return {};
    }
    if (file.new_mode == 0 && options_.deletes_briefly) {
      show_head();
      return {};
    }
    if (is_binary) {
      if (before == after && !must_show && file.old_mode != 0 && file.new_mode != 0) return {};
      show_head();
      if (before == after && file.old_mode != 0 && file.new_mode != 0) return {};
      if (options_.binary) out_.Text("GIT binary patch\n" + BinaryBlockText(before, after, git_.in.budget) + BinaryBlockText(after, before, git_.in.budget));
      else out_.Text("Binary files " + std::string(WithoutTab(old_name)) + " and " + std::string(WithoutTab(new_name)) + " differ\n");
      return {};
    }
    if (must_show) show_head();
    PADDOCK_TRY(Convert(file, driver, converts, before, after));
    if (before == after) return {};
    // The names stand above the first hunk.
    const auto begin = [&]() {
      show_head();
      out_.Meta("--- " + old_name);
      out_.Meta("+++ " + new_name);
    };
    out_.SetFile(options_.colours ? BlankRuleOf(git_, path) : BlankRule{}, before, after);
    if (options_.words != DiffOptions::Words::kNo) {
      DiffOptions words = options_;
      if (words.word_pattern.empty()) words.word_pattern = !driver.word_pattern.empty() ? driver.word_pattern : git_.config.Get("diff.wordregex", "");
      WordSink word_sink(git_, words, words.word_pattern, out_);
      HeadSink both(word_sink, begin);
      WalkHunks(before, after, options_, git_.in.budget, driver.heading, both);
      word_sink.Flush();
      return {};
    }
    HeadSink sink(out_, begin);
    WalkHunks(before, after, options_, git_.in.budget, driver.heading, sink);
    return {};
  }

  // Does something before the first hunk.
  class HeadSink final : public HunkSink {
   public:
    HeadSink(HunkSink& sink, std::function<void()> begin) : sink_(sink), begin_(std::move(begin)) {}
    void Fragment(std::string_view range, std::string_view heading) override {
      if (begin_) begin_();
      begin_ = {};
      sink_.Fragment(range, heading);
    }
    void Line(char mark, std::string_view line) override { sink_.Line(mark, line); }

   private:
    HunkSink& sink_;
    std::function<void()> begin_;
  };

  Status Convert(const FileDiff& file, const DiffDriver& driver, bool converts, std::string& before, std::string& after) {
    if (!converts) return {};
    if (file.old_mode != 0) {
      PADDOCK_ASSIGN(before, ConvertedText(git_, driver, file.old_path, std::move(before)));
    }
    if (file.new_mode != 0) {
      PADDOCK_ASSIGN(after, ConvertedText(git_, driver, file.new_path, std::move(after)));
    }
    return {};
  }

  // `must_show`: it tells something even when no line differs.
  std::vector<std::string> Head(const FileDiff& file, bool is_binary, bool& must_show) {
    std::vector<std::string> head = {"diff --git " + git_.Quoted(old_prefix_ + file.old_path) + " " + git_.Quoted(new_prefix_ + file.new_path)};
    must_show = true;
    if (file.old_mode == 0) head.push_back("new file mode " + ModeText(file.new_mode));
    else if (file.new_mode == 0) head.push_back("deleted file mode " + ModeText(file.old_mode));
    else if (file.old_mode != file.new_mode) head.insert(head.end(), {"old mode " + ModeText(file.old_mode), "new mode " + ModeText(file.new_mode)});
    else must_show = false;
    if (file.status == 'R' || file.status == 'C') {
      const std::string verb = file.status == 'R' ? "rename" : "copy";
      head.insert(head.end(), {"similarity index " + std::to_string(file.score) + "%", verb + " from " + git_.Quoted(file.old_path), verb + " to " + git_.Quoted(file.new_path)});
      must_show = true;
    } else if (file.dissimilarity > 0) {
      head.push_back("dissimilarity index " + std::to_string(file.dissimilarity) + "%");
      must_show = true;
    }
    if (file.old_id == file.new_id && file.old_mode != 0 && file.new_mode != 0) return head;
    const auto short_id = [&](const Oid& id) {
      if (options_.full_index || (is_binary && options_.binary)) return id.Hex();
      return git_.objects.Abbreviate(id, options_.abbrev.value_or(0));
    };
    head.push_back("index " + short_id(file.old_id) + ".." + short_id(file.new_id) + (file.old_mode == file.new_mode ? " " + ModeText(file.new_mode) : std::string()));
    return head;
  }

  // All of the old lines, and all of the new ones.
  void Rewrite(std::string_view before, std::string_view after, const std::string& old_name, const std::string& new_name) {
    out_.Meta("--- " + old_name);
    out_.Meta("+++ " + new_name);
    const std::vector<std::string_view> a = SplitLines(before), b = SplitLines(after);
    const auto range = [](size_t count) { return count == 0 ? std::string("0,0") : count == 1 ? std::string("1") : "1," + std::to_string(count); };
    out_.SetFile(BlankRule{}, before, after);
    out_.Fragment("@@ -" + (options_.deletes_briefly ? std::string("?,?") : range(a.size())) + " +" + range(b.size()) + " @@", "");
    if (!options_.deletes_briefly) {
      for (const std::string_view line : a) out_.Line('-', line);
    }
    for (const std::string_view line : b) out_.Line('+', line);
  }

  Status MakeSubmodule(const FileDiff& file) {
    const std::string top = git_.FilePath(file.new_path);
    std::string git_dir = top + "/.git";
    if (const auto followed = FollowGitFile(git_.in, git_dir)) git_dir = *followed;
    const bool is_there = !git_.work_tree.empty() && IsGitDirectory(git_.in.fs, git_dir);
    const char* note = file.old_mode == 0 ? "(new submodule)" : file.new_mode == 0 ? "(submodule deleted)" : nullptr;
    const std::string name = "Submodule " + file.new_path + " ";
    ModuleDirt dirt;
    if (file.new_text) {
      PADDOCK_ASSIGN(dirt, DirtOfModule(git_, file.new_path));
      if (dirt.is_modified) out_.Text(name + "contains modified content\n");
    }
    const auto short_id = [](Git& git, const Oid& id) { return git.objects.Abbreviate(id); };
    const bool is_same_commit = file.old_id == file.new_id;
    if (!is_there) {
      if (!is_same_commit) out_.Meta(name + short_id(git_, file.old_id) + "..." + short_id(git_, file.new_id) + " " + (note != nullptr ? note : "(commits not present)"));
      return {};
    }
    Git other(git_.in, git_dir, top, false, CommonDirectory(git_.in.fs, git_dir));
    const bool lacks = (file.old_mode != 0 && !other.objects.Has(file.old_id)) || (file.new_mode != 0 && !other.objects.Has(file.new_id));
    if (lacks) note = "(commits not present)";
    History history(other);
    bool is_forward = false, is_back = false;
    if (!lacks && file.old_mode != 0 && file.new_mode != 0) {
      PADDOCK_ASSIGN(const std::vector<Oid> bases, history.MergeBases(file.old_id, file.new_id));
      is_forward = !bases.empty() && bases[0] == file.old_id;
      is_back = !bases.empty() && !is_forward && bases[0] == file.new_id;
    }
    if (!is_same_commit) out_.Meta(name + short_id(other, file.old_id) + (is_forward || is_back ? ".." : "...") + short_id(other, file.new_id) + (note != nullptr ? " " + std::string(note) : std::string(is_back ? " (rewind)" : "") + ":"));
    if (lacks) return {};
    if (options_.submodules == DiffOptions::Submodules::kLog) {
      if (note != nullptr || is_same_commit) return {};
      return LogSubmodule(other, history, file);
    }
    FlatTree before, after;
    if (file.old_mode != 0) {
      PADDOCK_ASSIGN(before, other.FlattenCommit(file.old_id));
    }
    if (file.new_mode != 0) {
      PADDOCK_ASSIGN(after, other.FlattenCommit(file.new_id));
    }
    DiffOptions inner = options_;
    inner.reverse = false;
    inner.src_prefix = old_prefix_ + file.old_path + "/";
    inner.dst_prefix = new_prefix_ + file.new_path + "/";
    inner.no_prefix = false;
    PatchMaker maker(other, inner, out_);
    std::vector<FileDiff> changes = CompareTrees(before, after);
    if (dirt.is_modified) {
      PADDOCK_ASSIGN(const Index index, other.ReadIndex());
      PADDOCK_ASSIGN(changes, CompareWithFiles(other, before, index));
    }
    for (const FileDiff& changed : changes) PADDOCK_TRY(maker.Make(changed));
    return {};
  }
  // The commits that one side has and the other has not.
  Status LogSubmodule(Git& other, History& history, const FileDiff& file) {
    for (const bool is_new : {true, false}) {
      Selection selection;
      selection.included = {is_new ? file.new_id : file.old_id};
      selection.excluded = {is_new ? file.old_id : file.new_id};
      PADDOCK_ASSIGN(const std::vector<Oid> walk, WalkHistory(other, history, selection, {.first_parent = true}));
      for (const Oid& id : walk) {
        PADDOCK_ASSIGN(const History::Node* node, history.Get(id));
        std::string subject = node->commit.message.substr(0, node->commit.message.find('\n'));
        const std::string line = std::string(is_new ? "  > " : "  < ") + subject;
        out_.Text(options_.colours ? (is_new ? PaletteOf(git_).new_line : PaletteOf(git_).old_line) + line + "\033[m\n" : line + "\n");
      }
    }
    return {};
  }

  Git& git_;
  const DiffOptions& options_;
  PatchText& out_;
  std::string old_prefix_, new_prefix_;
};

}  // namespace

Result<std::string> PatchesText(Git& git, const std::vector<FileDiff>& files, const DiffOptions& options) {
  PatchText out(git, options);
  PatchMaker maker(git, options, out);
  for (const FileDiff& file : files) PADDOCK_TRY(maker.Make(file));
  return out.Take();
}

}  // namespace paddock::git
