// diff3 - compare three files line by line
//
// usage: diff3 [OPTION]... MYFILE OLDFILE YOURFILE
// Shows where three files differ, as a list, as an ed script for MYFILE, or merged.
//
// Exit status: 0, 1 when there were conflicts, 2 for trouble.
// Source: GNU diffutils 3.8, whose -X puts no brackets around conflicts, against its manual.
// Differs: --diff-program is refused.

#include <algorithm>
#include <array>

#include "commands/text/diff3_blocks.h"
#include "commands/text/diff_usage.h"
#include "commands/text/merge_input.h"

namespace paddock {
namespace {

constexpr ExitStatus kTrouble = 2;

struct Options {
  int style_count = 0;           // of -A -e -E -3 -x -X
  bool shows_old = false;        // -A: what the old file had
  bool flags_conflicts = false;
  bool only_overlaps = false;
  bool only_simple = false;
  bool appends_write = false;
  bool merges = false;
  bool is_text = false;
  bool strips_carriage_returns = false;
  bool initial_tab = false;
  bool version = false;
  std::optional<std::string> program;
  std::vector<std::string> labels;
};

struct Style {
  bool old, flags, overlaps, simple;
};
constexpr Style kStyles[] = {{true, true, false, false},  {false, false, false, false}, {false, true, false, false},
                             {false, false, false, true}, {false, false, true, false},  {false, false, true, false}};
template <int kStyle>
Status UseStyle(Options& options, std::string_view) {
  ++options.style_count;
  options.shows_old |= kStyles[kStyle].old;
  options.flags_conflicts |= kStyles[kStyle].flags;
  options.only_overlaps |= kStyles[kStyle].overlaps;
  options.only_simple |= kStyles[kStyle].simple;
  return {};
}
Status AddLabel(Options& options, std::string_view text) {
  if (options.labels.size() == 3) return Error(Code::kSyntax, "too many file label options");
  options.labels.emplace_back(text);
  return {};
}

constexpr Option kOptions[] = {
    Call<UseStyle<0>>('A', "show-all", nullptr, "output all changes, conflicts in brackets"),
    Call<UseStyle<1>>('e', "ed", nullptr, "output an ed script that brings YOURFILE's changes into MYFILE"),
    Call<UseStyle<2>>('E', "show-overlap", nullptr, "like -e, conflicts in brackets"),
    Call<UseStyle<3>>('3', "easy-only", nullptr, "like -e, only changes that do not overlap"),
    Call<UseStyle<4>>('x', "overlap-only", nullptr, "like -e, only changes that overlap"),
    Call<UseStyle<5>>('X', nullptr, nullptr, "the same as -x"),
    Flag<&Options::appends_write>('i', nullptr, "append 'w' and 'q' commands to ed scripts"),
    Flag<&Options::merges>('m', "merge", "output the merged file, by -A unless told otherwise"),
    Flag<&Options::is_text>('a', "text", "treat all files as text"),
    Flag<&Options::strips_carriage_returns>(0, "strip-trailing-cr", "strip trailing carriage return on input"),
    Flag<&Options::initial_tab>('T', "initial-tab", "begin lines with a tab so that tabs line up"),
    Value<&Options::program>(0, "diff-program", "PROGRAM", "refused"),
    Flag<&Options::version>('v', "version", "output version information and exit"),
    Call<AddLabel>('L', "label", "LABEL", "use LABEL instead of a file name (up to three times)"),
};

class Merger {
 public:
  Merger(Invocation& in, const Options& options, const std::vector<std::string>& names)
      : in_(in), options_(options), names_(names), labels_(options.labels) {
    for (size_t i = labels_.size(); i < 3; ++i) labels_.push_back(names[i]);
    is_script_ = options.style_count > 0 && !options.merges;
    const bool is_plain_merge = options.style_count == 0 && options.merges;
    shows_old_ = options.shows_old || is_plain_merge;
    flags_ = options.flags_conflicts || is_plain_merge;
  }

  ExitStatus Run() {
    size_t common = is_script_ || options_.merges ? 1 : 2;
    if (names_[common] == "-") {
      common = 3 - common;
      if (names_[0] == "-" || names_[common] == "-") {
        in_.Fail("'-' specified for more than one input file");
        return kTrouble;
      }
    }
    if (!Check() || !Read(common)) return kTrouble;
    const size_t other = 3 - common;
    DiffRules rules;
    constexpr size_t kHorizon = 100;
    rules.context = kHorizon;
    const DiffPair second(*texts_[other], *texts_[common], rules, in_.budget);
    const DiffPair first(*texts_[0], *texts_[common], rules, in_.budget);
    if (is_script_) ReportMissingNewlines(second, first);
    const auto blocks = FindDiff3Blocks({texts_[0].get(), texts_[1].get(), texts_[2].get()}, common, {&first, &second}, is_script_,
                                        in_.budget);
    if (is_script_) return WriteScript(blocks);
    if (options_.merges) return WriteMerged(blocks);
    WriteList(blocks);
    return 0;
  }

 private:
  bool Check() {
    for (const std::string& name : names_) {
      if (name == "-") continue;
      auto facts = in_.fs.Stat(name, vfs::Follow::kYes);
      const Error error = !facts ? facts.error() : Error(Code::kIsDirectory);
      if (facts && !facts->is_directory()) continue;
      in_.Fail(name, error);
      return false;
    }
    return true;
  }

  // Reads the files in the order in which the comparisons of the original do.
  bool Read(size_t common) {
    const size_t other = 3 - common;
    std::array<std::string, 3> contents;
    for (const size_t file : {other, common, size_t{0}}) {
      auto content = ReadMergeInput(in_, names_[file]);
      if (!content) {
        in_.Fail("diff failed: diff: " + names_[file], content.error());
        return false;
      }
      contents[file] = std::move(*content);
    }
    for (const size_t file : {other, size_t{0}}) {
      if (options_.is_text || (!IsBinaryText(contents[file]) && !IsBinaryText(contents[common]))) continue;
      if (contents[file] == contents[common]) continue;
      in_.Fail("diff failed: Binary files " + names_[file] + " and " + names_[common] + " differ");
      return false;
    }
    if (options_.merges) original_ = contents[0];
    for (size_t i = 0; i < 3; ++i) {
      texts_[i] = std::make_unique<DiffText>(
          options_.strips_carriage_returns ? WithoutCarriageReturns(contents[i]) : std::move(contents[i]));
    }
    return true;
  }

  // An ed script cannot say that the last line has no newline.
  void ReportMissingNewlines(const DiffPair& second, const DiffPair& first) {
    for (const DiffPair* pair : {&second, &first}) {
      if (pair->edits().empty()) continue;
      const DiffEdit& edit = pair->edits().back();
      const auto report = [&](size_t file, size_t begin, size_t end) {
        const DiffText& text = pair->text(file);
        if (text.lacks_newline() && begin < end && end == text.size()) in_.Fail("No newline at end of file");
      };
      report(0, edit.a_begin, edit.a_end());
      report(1, edit.b_begin, edit.b_end());
    }
  }

  void WriteLine(const DiffText& text, size_t line, bool always_ends) {
    in_.out.Write(text.line(line));
    if (always_ends || text.is_terminated(line)) in_.out.Put('\n');
    in_.budget.Step();
  }

  // The default form.
  void WriteList(const std::vector<Diff3Block>& blocks) {
    for (const Diff3Block& block : blocks) {
      in_.out.WriteLine("====" + (block.odd == 3 ? std::string() : std::to_string(block.odd + 1)));
      // Equal lines are shown once, below the last of the files that have them.
      const size_t not_shown = block.odd == 3 ? 3 : block.odd == 0 ? 1 : 0;
      const std::array<size_t, 3> order =
          block.odd == 1 ? std::array<size_t, 3>{0, 2, 1} : std::array<size_t, 3>{0, 1, 2};
      for (const size_t file : order) WriteRange(block, file, file != not_shown);
    }
  }

  void WriteRange(const Diff3Block& block, size_t file, bool shows_lines) {
    const size_t first = block.first[file];
    const size_t last = block.last[file];
    std::string range = std::to_string(file + 1) + ":";
    if (first == last) range += std::to_string(first) + "a";
    else if (last - first == 1) range += std::to_string(last) + "c";
    else range += std::to_string(first + 1) + "," + std::to_string(last) + "c";
    in_.out.WriteLine(range);
    if (!shows_lines) return;
    for (size_t i = first; i < last; ++i) {
      in_.out.Write(options_.initial_tab ? "\t" : "  ");
      WriteLine(*texts_[file], i, false);
      if (!texts_[file]->is_terminated(i)) in_.out.Write("\n\\ No newline at end of file\n");
    }
  }

  // What is done with a block.
  enum class Action { kSkip, kApply, kFlag };
  Action ActionFor(const Diff3Block& block) const {
    switch (block.odd) {
      case 1: return shows_old_ ? Action::kFlag : Action::kSkip;
      case 2: return options_.only_overlaps ? Action::kSkip : Action::kApply;
      case 3: return options_.only_simple ? Action::kSkip : flags_ ? Action::kFlag : Action::kApply;
      default: return Action::kSkip;
    }
  }

  ExitStatus WriteScript(const std::vector<Diff3Block>& blocks) {
    bool has_conflicts = false;
    for (size_t i = blocks.size(); i-- > 0;) {
      const Action action = ActionFor(blocks[i]);
      if (action == Action::kSkip) continue;
      if (action == Action::kFlag) {
        has_conflicts = true;
        WriteScriptConflict(blocks[i]);
      } else {
        WriteScriptChange(blocks[i]);
      }
    }
    if (options_.appends_write) in_.out.Write("w\nq\n");
    return has_conflicts ? 1 : 0;
  }

  // Lines to insert; a dot at the front is doubled, as a lone one would end the text. True if that was done.
  bool WriteDotted(const Diff3Block& block, size_t file) {
    bool has_dots = false;
    for (size_t i = block.first[file]; i < block.last[file]; ++i) {
      if (texts_[file]->line(i).starts_with('.')) {
        in_.out.Put('.');
        has_dots = true;
      }
      WriteLine(*texts_[file], i, true);
    }
    return has_dots;
  }
  // Ends the text and takes doubled dots away again.
  void EndText(bool has_dots, size_t first, size_t count) {
    in_.out.Write(".\n");
    if (!has_dots) return;
    std::string range = std::to_string(first);
    if (count != 1) range += "," + std::to_string(first + count - 1);
    in_.out.WriteLine(range + "s/^\\.//");
  }

  void WriteScriptConflict(const Diff3Block& block) {
    const size_t low = block.first[0] + 1;
    const size_t high = block.last[0];
    bool has_dots = false;
    in_.out.WriteLine(std::to_string(high) + "a");
    if (block.odd == 3) {
      if (shows_old_) {
        in_.out.WriteLine("||||||| " + labels_[1]);
        has_dots = WriteDotted(block, 1);
      }
      in_.out.WriteLine("=======");
      has_dots |= WriteDotted(block, 2);
    }
    in_.out.WriteLine(">>>>>>> " + labels_[2]);
    EndText(has_dots, high + 2, block.count(1) + block.count(2) + 1);
    in_.out.WriteLine(std::to_string(low - 1) + "a");
    in_.out.WriteLine("<<<<<<< " + labels_[block.odd == 3 ? 0 : 1]);
    has_dots = false;
    if (block.odd == 1) {
      if (shows_old_) has_dots = WriteDotted(block, 1);
      in_.out.WriteLine("=======");
    }
    EndText(has_dots, low + 1, block.count(1));
  }

  void WriteScriptChange(const Diff3Block& block) {
    const size_t low = block.first[0] + 1;
    const size_t high = block.last[0];
    const bool deletes = block.count(2) == 0;
    std::string range = std::to_string(high);
    if (high > low) range = std::to_string(low) + "," + range;
    in_.out.WriteLine(range + (deletes ? "d" : high < low ? "a" : "c"));
    if (!deletes) EndText(WriteDotted(block, 2), low, block.count(2));
  }

  ExitStatus WriteMerged(const std::vector<Diff3Block>& blocks) {
    bool has_conflicts = false;
    const DiffText mine(std::move(original_));
    size_t next = 0;
    const auto copy = [&](size_t file, const Diff3Block& block) {
      for (size_t i = block.first[file]; i < block.last[file]; ++i) WriteLine(*texts_[file], i, false);
    };
    for (const Diff3Block& block : blocks) {
      const Action action = ActionFor(block);
      if (action == Action::kSkip) continue;
      for (; next < block.first[0]; ++next) WriteLine(mine, next, false);
      const bool is_conflict = action == Action::kFlag;
      has_conflicts |= is_conflict;
      if (is_conflict) {
        if (block.odd == 3) {
          in_.out.WriteLine("<<<<<<< " + labels_[0]);
          copy(0, block);
        }
        if (shows_old_) {
          in_.out.WriteLine((block.odd == 3 ? "||||||| " : "<<<<<<< ") + labels_[1]);
          copy(1, block);
        }
        in_.out.WriteLine("=======");
      }
      copy(2, block);
      if (is_conflict) in_.out.WriteLine(">>>>>>> " + labels_[2]);
      next = block.last[0];
    }
    for (; next < mine.size(); ++next) WriteLine(mine, next, false);
    return has_conflicts ? 1 : 0;
  }

  Invocation& in_;
  const Options& options_;
  const std::vector<std::string>& names_;
  std::vector<std::string> labels_;
  bool is_script_ = false, shows_old_ = false, flags_ = false;
  std::array<std::unique_ptr<DiffText>, 3> texts_;
  std::string original_;
};

ExitStatus RunParsed(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  const bool flags = options.flags_conflicts || (options.style_count == 0 && options.merges);
  if (options.style_count > 1 || (options.appends_write && options.merges) || (!options.labels.empty() && !flags)) {
    return DiffutilsUsage(in, "incompatible options");
  }
  if (operands.size() < 3) {
    return DiffutilsUsage(in, "missing operand after '" + (operands.empty() ? in.args.back() : operands.back()) + "'");
  }
  if (operands.size() > 3) return DiffutilsUsage(in, "extra operand '" + operands[3] + "'");
  if (options.program) return in.Fail("--diff-program is not supported", kTrouble);
  return Merger(in, options, operands).Run();
}

ExitStatus Run(Invocation& in) {
  Options options;
  auto parsed = ParseOptions(in.args, kOptions, &options);
  if (!parsed) return DiffutilsUsage(in, parsed.error().Text());
  if (parsed->wants_help) {
    in.out.Write(HelpText(in.command, in.name()));
    return 0;
  }
  if (options.version) {
    in.out.Write(VersionText(in.command, in.name()));
    return 0;
  }
  return RunParsed(in, options, parsed->operands);
}

}  // namespace

extern const Command kCommand_diff3;
const Command kCommand_diff3 = {
    .name = "diff3",
    .summary = "compare three files line by line",
    .synopsis = "[OPTION]... MYFILE OLDFILE YOURFILE",
    .details = "\nIf a FILE is '-', read standard input.\n"
               "Exit status is 0 if successful, 1 if conflicts, 2 if trouble.\n",
    .options = kOptions,
    .usage_status = 2,
    .run = Run,
};

}  // namespace paddock
