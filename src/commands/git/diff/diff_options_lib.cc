// What the values of the options that diff, show and log have in common mean.
#include "commands/git/diff/diff.h"

#include <charconv>

namespace paddock::git {
namespace {

// A part of all: "50%", ".5", or digits behind the point ("5", "50"). Moves `text` behind it.
int TakeScore(std::string_view& text) {
  uint64_t number = 0, scale = 1;
  bool has_point = false;
  for (; !text.empty(); text.remove_prefix(1)) {
    const char c = text[0];
    if (!has_point && c == '.') {
      scale = 1;
      has_point = true;
    } else if (c == '%') {
      scale = has_point ? scale * 100 : 100;
      text.remove_prefix(1);
      break;
    } else if (c >= '0' && c <= '9') {
      if (scale >= 100000) continue;
      scale *= 10;
      number = number * 10 + static_cast<uint64_t>(c - '0');
    } else {
      break;
    }
  }
  return number >= scale ? kWholeScore : static_cast<int>(kWholeScore * number / scale);
}

Error Bad(std::string text) { return Error(Code::kRange, std::move(text)); }

// Takes "a,b,c" apart.
template <class F>
Status ForEachPart(std::string_view list, F take) {
  while (true) {
    const size_t comma = list.find(',');
    PADDOCK_TRY(take(list.substr(0, comma)));
    if (comma == std::string_view::npos) return {};
    list.remove_prefix(comma + 1);
  }
}

}  // namespace

Status TakeStatOption(DiffOptions& options, std::string_view value) {
  options.stat = true;
  if (value.empty()) return {};
  // WIDTH,NAME-WIDTH,COUNT.
  size_t* const parts[] = {&options.stat_width, &options.stat_name_width, &options.stat_count};
  for (size_t* part : parts) {
    int64_t number = 0;
    const size_t comma = value.find(',');
    if (!ParseOptionValue(value.substr(0, comma), number)) return Error(Code::kInvalid, "invalid --stat value: " + std::string(value));
    if (number > 0) *part = static_cast<size_t>(std::min<int64_t>(number, 10000));
    if (comma == std::string_view::npos) return {};
    value.remove_prefix(comma + 1);
  }
  return Error(Code::kInvalid, "invalid --stat value: " + std::string(value));
}

Status TakeRenameOption(DiffOptions& options, std::string_view value) {
  int score = kWholeScore / 2;
  if (!value.empty()) {
    score = TakeScore(value);
    if (!value.empty()) return Bad("invalid argument to find-renames");
    if (score == 0) score = kWholeScore / 2;
  }
  options.find_renames = score;
  return {};
}

Status TakeFilterOption(DiffOptions& options, std::string_view value) {
  for (const char c : value) {
    const char upper = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    if (c != '*' && std::string_view("ACDMRTUXB").find(upper) == std::string_view::npos) return Bad("unknown change class '" + std::string(1, c) + "' in --diff-filter=" + std::string(value));
  }
  options.filter += value;
  return {};
}

Status TakeBreakOption(DiffOptions& options, std::string_view value) {
  int broken = TakeScore(value), merged = 0;
  if (value.starts_with('/')) {
    value.remove_prefix(1);
    merged = TakeScore(value);
  }
  if (!value.empty()) return Bad("break-rewrites expects <n>/<m> form");
  options.break_score = broken == 0 ? kWholeScore / 2 : broken;
  options.merge_score = merged == 0 ? kWholeScore * 6 / 10 : merged;
  return {};
}

Status SettleForms(DiffOptions& options) {
  const int alone = options.name_only + options.name_status + options.checks + options.no_patch;
  if (alone > 1) return Error(Code::kInvalid, "options '--name-only', '--name-status', '--check', and '-s' cannot be used together");
  if (alone == 0) return {};
  options.patch = options.stat = options.numstat = options.shortstat = options.summary = options.raw = false;
  options.dirstat.reset();
  return {};
}

Status TakeColourOption(DiffOptions& options, std::string_view value) {
  if (value.empty() || value == "always") options.colours = true;
  else if (value == "never" || value == "auto") options.colours = false;
  else return Bad("option `color' expects \"always\", \"auto\", or \"never\"");
  options.colours_are_set = true;
  return {};
}

Status TakeWordsOption(DiffOptions& options, std::string_view value) {
  using Words = DiffOptions::Words;
  if (value.empty() || value == "plain") {
    if (options.words == Words::kNo || !value.empty()) options.words = Words::kPlain;
  } else if (value == "color") {
    options.words = Words::kColor;
    options.colours = options.colours_are_set = true;
  } else if (value == "porcelain") {
    options.words = Words::kPorcelain;
  } else if (value == "none") {
    options.words = Words::kNo;
    return {};
  } else {
    return Bad("bad --word-diff argument: " + std::string(value));
  }
  return {};
}

Status TakeAlgorithmOption(DiffOptions& options, std::string_view value) {
  std::string name(value);
  for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (name != "myers" && name != "default" && name != "minimal" && name != "patience" && name != "histogram") {
    return Bad("option diff-algorithm accepts \"myers\", \"minimal\", \"patience\" and \"histogram\"");
  }
  options.edits.minimal = name == "minimal";
  options.edits.algorithm = name == "patience" ? EditAlgorithm::kPatience : name == "histogram" ? EditAlgorithm::kHistogram : EditAlgorithm::kMyers;
  return {};
}

Status TakeDirstatOption(DiffOptions& options, std::string_view value) {
  if (!options.dirstat) options.dirstat.emplace();
  Dirstat& dirstat = *options.dirstat;
  if (value.empty()) return {};
  std::string complaints;
  PADDOCK_TRY(ForEachPart(value, [&](std::string_view part) -> Status {
    if (part == "changes") dirstat.counts = Dirstat::Counts::kChanges;
    else if (part == "lines") dirstat.counts = Dirstat::Counts::kLines;
    else if (part == "files") dirstat.counts = Dirstat::Counts::kFiles;
    else if (part == "noncumulative") dirstat.is_cumulative = false;
    else if (part == "cumulative") dirstat.is_cumulative = true;
    else if (!part.empty() && part[0] >= '0' && part[0] <= '9') {
      int64_t percent = 0;
      const auto read = std::from_chars(part.data(), part.data() + part.size(), percent);
      std::string_view rest = part.substr(static_cast<size_t>(read.ptr - part.data()));
      int64_t permille = std::min<int64_t>(percent, 1000000) * 10;
      if (rest.size() > 1 && rest[0] == '.' && rest[1] >= '0' && rest[1] <= '9') {
        permille += rest[1] - '0';
        rest.remove_prefix(std::min(rest.find_first_not_of("0123456789", 1), rest.size()));
      }
      if (read.ec != std::errc{} || !rest.empty()) complaints += "  Failed to parse dirstat cut-off percentage '" + std::string(part) + "'\n";
      else dirstat.least_permille = permille;
    } else {
      complaints += "  Unknown dirstat parameter '" + std::string(part) + "'\n";
    }
    return {};
  }));
  if (!complaints.empty()) return Error(Code::kInvalid, "Failed to parse --dirstat/-X option parameter:\n" + complaints);
  return {};
}

Status TakeSubmoduleOption(DiffOptions& options, std::string_view value) {
  using Form = DiffOptions::Submodules;
  if (value.empty() || value == "log") options.submodules = Form::kLog;
  else if (value == "short") options.submodules = Form::kShort;
  else if (value == "diff") options.submodules = Form::kDiff;
  else return Bad("failed to parse --submodule option parameter: '" + std::string(value) + "'");
  options.has_submodule_form = true;
  return {};
}

Status TakeIgnoreSubmodulesOption(DiffOptions& options, std::string_view value) {
  options.ignores_dirty = value == "dirty";
  if (value.empty() || value == "all") options.ignores_submodules = true;
  else if (value == "none" || value == "dirty" || value == "untracked") options.ignores_submodules = false;
  else return Error(Code::kInvalid, "bad --ignore-submodules argument: " + std::string(value));
  return {};
}

Status TakeHighlightOption(DiffOptions& options, std::string_view value) {
  uint8_t where = 0;
  bool is_bad = false;
  PADDOCK_TRY(ForEachPart(value, [&](std::string_view part) -> Status {
    if (part == "none") where = 0;
    else if (part == "default") where = kHighlightNew;
    else if (part == "all") where = kHighlightNew | kHighlightOld | kHighlightContext;
    else if (part == "new") where |= kHighlightNew;
    else if (part == "old") where |= kHighlightOld;
    else if (part == "context") where |= kHighlightContext;
    else is_bad = true;
    return is_bad ? Bad("unknown value after ws-error-highlight=" + std::string(value.substr(0, static_cast<size_t>(part.data() - value.data())))) : Status();
  }));
  options.highlight = where;
  return {};
}

Status TakeMovedOption(DiffOptions& options, std::string_view value) {
  using Mode = MovedLines::Mode;
  if (value.empty() || value == "zebra" || value == "default") options.moved = Mode::kZebra;
  else if (value == "plain") options.moved = Mode::kPlain;
  else if (value == "blocks") options.moved = Mode::kBlocks;
  else if (value == "dimmed-zebra" || value == "dimmed_zebra") options.moved = Mode::kDimmedZebra;
  else if (const auto is_on = ParseConfigBool(value)) options.moved = *is_on ? Mode::kZebra : Mode::kNo;
  else return Bad("color moved setting must be one of 'no', 'default', 'blocks', 'zebra', 'dimmed-zebra', 'plain'\nerror: bad --color-moved argument: " + std::string(value));
  return {};
}

Status TakeMovedBlanksOption(DiffOptions& options, std::string_view value) {
  MovedLines moved;
  std::string complaints;
  PADDOCK_TRY(ForEachPart(value, [&](std::string_view part) -> Status {
    const size_t begin = std::min(part.find_first_not_of(' '), part.size());
    part = part.substr(begin, part.find_last_not_of(' ') + 1 - begin);
    if (part == "no") moved = {};
    else if (part == "ignore-space-change") moved.ignores_space_change = true;
    else if (part == "ignore-space-at-eol") moved.ignores_space_at_end = true;
    else if (part == "ignore-all-space") moved.ignores_all_space = true;
    else if (part == "allow-indentation-change") moved.may_be_indented = true;
    else complaints += (complaints.empty() ? "" : "error: ") + ("unknown color-moved-ws mode '" + std::string(part)) + "', possible values are 'ignore-space-change', 'ignore-space-at-eol', 'ignore-all-space', 'allow-indentation-change'\n";
    return {};
  }));
  if (moved.may_be_indented && (moved.ignores_all_space || moved.ignores_space_change || moved.ignores_space_at_end)) {
    complaints += (complaints.empty() ? "" : "error: ") + std::string("color-moved-ws: allow-indentation-change cannot be combined with other whitespace modes\n");
  }
  if (!complaints.empty()) return Bad(complaints + "error: invalid mode '" + std::string(value) + "' in --color-moved-ws");
  options.moved_blanks = moved;
  return {};
}

Status TakeContextOption(DiffOptions& options, std::string_view value) {
  PADDOCK_TRY(ParseOptionValue(value, options.context));
  if (options.context < 0) return Error(Code::kRange, "option `unified' expects a non-negative integer");
  options.patch = true;
  return {};
}
Status TakeNoColourOption(DiffOptions& options, std::string_view) { return TakeColourOption(options, "never"); }
Status TakeColourWordsOption(DiffOptions& options, std::string_view value) {
  options.words = DiffOptions::Words::kColor;
  options.colours = options.patch = true;
  if (!value.empty()) options.word_pattern = value;
  return {};
}
Status TakeWordPatternOption(DiffOptions& options, std::string_view value) {
  if (options.words == DiffOptions::Words::kNo) options.words = DiffOptions::Words::kPlain;
  options.patch = true;
  options.word_pattern = value;
  return {};
}
Status TakeRelativeOption(DiffOptions& options, std::string_view value) {
  options.is_relative = true;
  options.relative_to = value;
  return {};
}
Status TakeCopiesOption(DiffOptions& options, std::string_view value) {
  options.finds_copies = true;
  return TakeRenameOption(options, value);
}
Status TakeCopiesHarderOption(DiffOptions& options, std::string_view) {
  options.finds_copies = options.finds_copies_harder = true;
  if (!options.find_renames) options.find_renames = kWholeScore / 2;
  return {};
}
Status TakeMinimalOption(DiffOptions& options, std::string_view) {
  options.edits.minimal = true;
  return {};
}
Status TakeAnchorOption(DiffOptions& options, std::string_view value) {
  options.edits.algorithm = EditAlgorithm::kPatience;
  options.edits.anchors.emplace_back(value);
  return {};
}
Status TakeDirstatByFileOption(DiffOptions& options, std::string_view value) {
  PADDOCK_TRY(TakeDirstatOption(options, "files"));
  return TakeDirstatOption(options, value);
}
Status TakeCumulativeOption(DiffOptions& options, std::string_view) { return TakeDirstatOption(options, "cumulative"); }
Status TakeNoMovedBlanksOption(DiffOptions& options, std::string_view) {
  options.moved_blanks = MovedLines{};
  return {};
}
Status TakeIndicator(char& mark, std::string_view value) {
  if (value.size() != 1) return Error(Code::kInvalid, "option `output-indicator' expects a character, got '" + std::string(value) + "'");
  mark = value[0];
  return {};
}
Status TakeStatNumber(DiffOptions& options, size_t& number, std::string_view value) {
  int64_t given = 0;
  PADDOCK_TRY(ParseOptionValue(value, given));
  options.stat = true;
  number = static_cast<size_t>(std::clamp<int64_t>(given, 0, 10000));
  return {};
}

void TakeDiffConfig(const Git& git, DiffOptions& options) {
  if (!options.colours_are_set) options.colours |= git.config.Get("color.diff", git.config.Get("color.ui", "auto")) == "always";
  DiffOptions configured;
  if (const auto form = git.config.Get("diff.submodule"); form && !options.has_submodule_form && TakeSubmoduleOption(configured, *form)) options.submodules = configured.submodules;
  if (const auto dirstat = git.config.Get("diff.dirstat"); dirstat && options.dirstat && TakeDirstatOption(configured, *dirstat)) {
    const Dirstat plain;
    if (options.dirstat->counts == plain.counts && options.dirstat->least_permille == plain.least_permille && !options.dirstat->is_cumulative) options.dirstat = configured.dirstat;
  }
}

}  // namespace paddock::git
