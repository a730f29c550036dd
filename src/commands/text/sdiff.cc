// sdiff - side-by-side merge of two files
//
// usage: sdiff [OPTION]... FILE1 FILE2
// Shows two files side by side, by diff -y. With -o it asks for each difference which side to take and
// writes the outcome: l or 1, r or 2, e with l, r, b, d or nothing to edit first, s and v to hide and show common
// lines, q to quit.
//
// Exit status: 0 when the files are the same, 1 when they differ, 2 for trouble.
// Source: GNU diffutils 3.8. The editor is $EDITOR, else ed.
// Differs: --diff-program is refused together with -o.

#include <algorithm>
#include <array>

#include "commands/text/diff_options.h"
#include "commands/text/diff_usage.h"
#include "commands/text/merge_input.h"
#include "proc/process.h"

namespace paddock {
namespace {

constexpr ExitStatus kTrouble = 2;

struct Options {
  std::vector<std::string> arguments;   // for diff
  std::optional<std::string> output;
  std::optional<std::string> program;
  bool suppresses_common = false;
  bool left_column = false;
  bool version = false;
};

constexpr char kPassed[][24] = {"-i", "-E", "-Z", "-b", "-w", "-B", "--strip-trailing-cr", "-a", "-t", "-d", "-H"};
template <int kIndex>
Status Pass(Options& options, std::string_view) {
  options.arguments.emplace_back(kPassed[kIndex]);
  return {};
}
constexpr char kPassedWithValue[][16] = {"-I", "--width=", "--tabsize="};
template <int kIndex>
Status PassValue(Options& options, std::string_view text) {
  options.arguments.push_back(kPassedWithValue[kIndex] + std::string(text));
  return {};
}

constexpr Option kOptions[] = {
    Value<&Options::output>('o', "output", "FILE", "operate interactively, sending output to FILE"),
    Call<Pass<0>>('i', "ignore-case", nullptr, "ignore differences in case"),
    Call<Pass<1>>('E', "ignore-tab-expansion", nullptr, "ignore changes due to tab expansion"),
    Call<Pass<2>>('Z', "ignore-trailing-space", nullptr, "ignore white space at line end"),
    Call<Pass<3>>('b', "ignore-space-change", nullptr, "ignore changes in the amount of white space"),
    Call<Pass<4>>('W', "ignore-all-space", nullptr, "ignore all white space"),
    Call<Pass<5>>('B', "ignore-blank-lines", nullptr, "ignore changes whose lines are all blank"),
    Call<PassValue<0>>('I', "ignore-matching-lines", "RE", "ignore changes all whose lines match RE"),
    Call<Pass<6>>(0, "strip-trailing-cr", nullptr, "strip trailing carriage return on input"),
    Call<Pass<7>>('a', "text", nullptr, "treat all files as text"),
    Call<PassValue<1>>('w', "width", "NUM", "output at most NUM (default 130) print columns"),
    Flag<&Options::left_column>('l', "left-column", "output only the left column of common lines"),
    Flag<&Options::suppresses_common>('s', "suppress-common-lines", "do not output common lines"),
    Call<Pass<8>>('t', "expand-tabs", nullptr, "expand tabs to spaces in output"),
    Call<PassValue<2>>(0, "tabsize", "NUM", "tab stops at every NUM (default 8) print columns"),
    Call<Pass<9>>('d', "minimal", nullptr, "try hard to find a smaller set of changes"),
    Call<Pass<10>>('H', "speed-large-files", nullptr, "assume large files, many scattered small changes"),
    Value<&Options::program>(0, "diff-program", "PROGRAM", "use PROGRAM to compare files; not with -o"),
    Flag<&Options::version>('v', "version", "output version information and exit"),
};

constexpr std::string_view kHelp =
    "ed:\tEdit then use both versions, each decorated with a header.\n"
    "eb:\tEdit then use both versions.\n"
    "el or e1:\tEdit then use the left version.\n"
    "er or e2:\tEdit then use the right version.\n"
    "e:\tDiscard both versions then edit a new one.\n"
    "l or 1:\tUse the left version.\n"
    "r or 2:\tUse the right version.\n"
    "s:\tSilently include common lines.\n"
    "v:\tVerbosely include common lines.\n"
    "q:\tQuit.\n";

// The interactive merge.
class Session {
 public:
  Session(Invocation& in, const std::array<std::string, 2>& names, const DiffPair& pair,
          const std::array<const DiffText*, 2>& raw, std::string_view rows, bool left_column, bool hides_common)
      : in_(in), names_(names), pair_(pair), raw_(raw), rows_(rows), left_column_(left_column),
        hides_common_(hides_common) {}

  // False when the user quit.
  bool Run() {
    for (const DiffEdit& edit : pair_.edits()) {
      const DiffHunk hunk = pair_.MakeHunk(&edit, &edit + 1);
      if (hunk.change == DiffChange::kNone) continue;
      TakeCommon(hunk.first[0], hunk.first[1]);
      ShowRows(std::max(hunk.last[0] - hunk.first[0], hunk.last[1] - hunk.first[1]), true);
      if (!Ask(hunk)) return false;
      next_ = hunk.last;
    }
    TakeCommon(pair_.text(0).size(), pair_.text(1).size());
    return true;
  }
  const std::string& merged() const { return merged_; }
  bool failed() const { return failed_; }

 private:
  void TakeCommon(size_t end_0, size_t end_1) {
    const size_t count_0 = end_0 - next_[0];
    const size_t count_1 = end_1 - next_[1];
    ShowRows(left_column_ ? count_0 : std::max(count_0, count_1), !hides_common_);
    Append(merged_, 0, next_[0], end_0);
    next_ = {end_0, end_1};
  }

  // The next rows of what diff -y printed.
  void ShowRows(size_t count, bool shows) {
    for (; count > 0 && !rows_.empty(); --count) {
      in_.budget.Step();
      const size_t end = std::min(rows_.find('\n'), rows_.size() - 1) + 1;
      if (shows) in_.out.Write(rows_.substr(0, end));
      rows_.remove_prefix(end);
    }
  }

  void Append(std::string& target, size_t file, size_t first, size_t last) {
    for (size_t i = first; i < last; ++i) {
      in_.budget.Step();
      target += raw_[file]->line(i);
      if (raw_[file]->is_terminated(i)) target += '\n';
    }
  }

  // One character of the answer, past white space but not past the end of the line.
  int NextOfAnswer() {
    int c = in_.in.Get();
    while (c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r') {
      in_.budget.Step();
      c = in_.in.Get();
    }
    return c;
  }
  void Complain(bool is_line_left) {
    for (int c = is_line_left ? in_.in.Get() : '\n'; c != '\n' && c >= 0; c = in_.in.Get()) in_.budget.Step();
    in_.err.Write(kHelp);
  }

  struct Answer {
    char command = 'q';
    char detail = '\n';
  };
  Answer ReadAnswer() {
    while (true) {
      in_.budget.Step();
      in_.out.Put('%');
      in_.out.Flush();
      const int command = NextOfAnswer();
      if (command < 0) return {};
      if (command == '\n') {
        Complain(false);
        continue;
      }
      const auto letter = static_cast<char>(command);
      if (letter == 'e') {
        const int detail = NextOfAnswer();
        if (detail == '\n') return {letter, '\n'};
        const bool is_known = detail > 0 && std::string_view("12bdlr").find(static_cast<char>(detail)) != std::string_view::npos;
        if (!is_known) {
          Complain(true);
          continue;
        }
        const int end = NextOfAnswer();
        if (end == '\n') return {letter, static_cast<char>(detail)};
        Complain(end >= 0);
      } else if (std::string_view("12lrsvq").find(letter) != std::string_view::npos) {
        const int end = NextOfAnswer();
        if (end == '\n') return {letter, '\n'};
        Complain(end >= 0);
      } else {
        Complain(true);
      }
    }
  }

  bool Ask(const DiffHunk& hunk) {
    while (true) {
      const Answer answer = ReadAnswer();
      switch (answer.command) {
        case '1': case 'l': Append(merged_, 0, hunk.first[0], hunk.last[0]); return true;
        case '2': case 'r': Append(merged_, 1, hunk.first[1], hunk.last[1]); return true;
        case 's': hides_common_ = true; break;
        case 'v': hides_common_ = false; break;
        case 'e': return Edit(hunk, answer.detail);
        default: return false;
      }
    }
  }

  std::string Title(const DiffHunk& hunk, size_t file) const {
    const size_t first = hunk.first[file] + 1;
    const size_t last = hunk.last[file];
    if (first > last) return "";
    std::string title = (file == 0 ? "--- " : "+++ ") + names_[file] + " " + std::to_string(first);
    if (first < last) title += "," + std::to_string(last);
    return title + "\n";
  }

  bool Edit(const DiffHunk& hunk, char detail) {
    std::string text;
    const auto add = [&](size_t file) {
      if (detail == 'd') text += Title(hunk, file);
      Append(text, file, hunk.first[file], hunk.last[file]);
    };
    if (detail == '1' || detail == 'l' || detail == 'b' || detail == 'd') add(0);
    if (detail == '2' || detail == 'r' || detail == 'b' || detail == 'd') add(1);
    if (auto edited = RunEditor(text)) {
      merged_ += *edited;
      return true;
    } else {
      in_.Fail(edited.error().Text());
    }
    failed_ = true;
    return false;
  }

  Result<std::string> RunEditor(const std::string& text) {
    const std::string path = vfs::JoinPath(std::string(in_.env.Get("TMPDIR", "/tmp")),
                                           "sdiff" + std::to_string(in_.process.pid()) + "-" + std::to_string(edits_++));
    {
      PADDOCK_ASSIGN(const vfs::OpenFilePtr file,
                     in_.fs.Open(path, {.write = true, .create = true, .exclusive = true}, 0600));
      PADDOCK_TRY(file->Write(text));
    }
    const std::string editor(in_.env.Get("EDITOR", "ed"));
    in_.out.Flush();
    const auto status = in_.launcher.Run(in_.process, {.args = {editor, path}, .environment = &in_.env});
    auto edited = ReadMergeInput(in_, path);
    [[maybe_unused]] const Status removed = in_.fs.RemoveFile(path);
    if (!status) return Error(status.error().code, "subsidiary program '" + editor + "' not found");
    if (*status != 0) {
      return Error(Code::kInvalid, "subsidiary program '" + editor + "' failed (exit status " + std::to_string(*status) + ")");
    }
    return edited;
  }

  Invocation& in_;
  const std::array<std::string, 2>& names_;
  const DiffPair& pair_;
  const std::array<const DiffText*, 2> raw_;
  std::string_view rows_;
  const bool left_column_;
  bool hides_common_;
  bool failed_ = false;
  int edits_ = 0;
  std::array<size_t, 2> next_{};
  std::string merged_;
};

// Complaints of the comparison are diff's.
ExitStatus FailAsDiff(Invocation& in, const std::string& message, bool is_usage) {
  in.out.Flush();
  in.err.Write("diff: " + message + "\n");
  if (is_usage) in.err.Write("diff: Try 'diff --help' for more information.\n");
  return kTrouble;
}

ExitStatus Merge(Invocation& in, const Options& options, const std::vector<std::string>& arguments,
                 std::array<std::string, 2> names) {
  if (names[0] == "-" || names[1] == "-") return in.Fail("cannot interactively merge standard input", kTrouble);
  std::array<bool, 2> are_directories{};
  for (size_t i = 0; i < 2; ++i) {
    const auto facts = in.fs.Stat(names[i], vfs::Follow::kYes);
    are_directories[i] = facts && facts->is_directory();
  }
  if (are_directories[0] && are_directories[1]) return in.Fail("both files to be compared are directories", kTrouble);
  for (size_t i = 0; i < 2; ++i) {
    if (are_directories[i]) names[i] = vfs::JoinPath(names[i], vfs::BaseName(names[1 - i]));
  }
  std::array<std::string, 2> contents;
  for (size_t i = 0; i < 2; ++i) {
    auto content = ReadMergeInput(in, names[i]);
    if (!content) return in.Fail(names[i], content.error(), kTrouble);
    contents[i] = std::move(*content);
  }
  DiffOptions diff_options;
  const auto parsed = ParseOptions(arguments, kDiffOptions, &diff_options);
  if (!parsed) return FailAsDiff(in, std::string(parsed.error().Text()), parsed.error().code == Code::kSyntax);
  auto settings = MakeDiffSettings(in, diff_options);
  if (!settings) return FailAsDiff(in, std::string(settings.error().Text()), settings.error().code == Code::kSyntax);
  auto target = in.fs.Open(*options.output, {.write = true, .create = true, .truncate = true}, 0666);
  if (!target) return in.Fail(*options.output, target.error(), kTrouble);
  if (!settings->text && contents[0] != contents[1] && (IsBinaryText(contents[0]) || IsBinaryText(contents[1]))) {
    in.out.WriteLine("Binary files " + names[0] + " and " + names[1] + " differ");
    return kTrouble;
  }
  const DiffText raw_0(contents[0]);
  const DiffText raw_1(contents[1]);
  const bool strips = settings->rules.strip_carriage_return;
  const DiffText left(strips ? WithoutCarriageReturns(contents[0]) : contents[0]);
  const DiffText right(strips ? WithoutCarriageReturns(contents[1]) : contents[1]);
  const DiffPair pair(left, right, settings->rules, in.budget);
  StringSink rows;
  {
    Output shown(rows);
    PrintSideBySide(pair, settings->layout, shown);
    shown.Flush();
  }
  Session session(in, names, pair, {&raw_0, &raw_1}, rows.text, options.left_column, options.suppresses_common);
  const bool is_whole = session.Run();
  if (const Status written = (*target)->Write(session.merged()); !written) {
    return in.Fail(*options.output, written.error(), kTrouble);
  }
  if (!is_whole) return kTrouble;
  return pair.HasChanges() ? 1 : 0;
}

ExitStatus RunParsed(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  if (operands.size() < 2) {
    return DiffutilsUsage(in, "missing operand after '" + (operands.empty() ? in.args.back() : operands.back()) + "'");
  }
  if (operands.size() > 2) return DiffutilsUsage(in, "extra operand '" + operands[2] + "'");
  std::vector<std::string> arguments = {options.program.value_or("diff"), "-y"};
  arguments.insert(arguments.end(), options.arguments.begin(), options.arguments.end());
  if (options.left_column) arguments.emplace_back("--left-column");
  if (options.output) {
    if (options.program) return in.Fail("--diff-program is not supported with -o", kTrouble);
    return Merge(in, options, arguments, {operands[0], operands[1]});
  }
  if (options.suppresses_common) arguments.emplace_back("--suppress-common-lines");
  arguments.emplace_back("--");
  arguments.insert(arguments.end(), operands.begin(), operands.end());
  in.out.Flush();
  const auto status = in.launcher.Run(in.process, {.args = arguments, .environment = &in.env});
  if (!status) return in.Fail(arguments[0], status.error(), kTrouble);
  return *status;
}

ExitStatus Run(Invocation& in) {
  Options options;
  auto parsed = ParseOptions(in.args, kOptions, &options);
  if (!parsed) return DiffutilsUsage(in, parsed.error().Text());
  if (parsed->wants_help || options.version) {
    in.out.Write(parsed->wants_help ? HelpText(in.command, in.name()) : VersionText(in.command, in.name()));
    return 0;
  }
  return RunParsed(in, options, parsed->operands);
}

}  // namespace

extern const Command kCommand_sdiff;
const Command kCommand_sdiff = {
    .name = "sdiff",
    .summary = "side-by-side merge of differences between two files",
    .synopsis = "[OPTION]... FILE1 FILE2",
    .details = "\nIf a FILE is '-', read standard input.\n"
               "Exit status is 0 if inputs are the same, 1 if different, 2 if trouble.\n",
    .options = kOptions,
    .usage_status = 2,
    .run = Run,
};

}  // namespace paddock
