// Three texts made into one.
#include "commands/git/diff/diff.h"
#include "commands/git/merge/merge.h"
#include "text/diff/unified_diff.h"

namespace paddock::git {
namespace {

using Lines = std::vector<std::string_view>;

// Conflicts with so few lines between them are one.
constexpr size_t kSmallGap = 3;

struct Range {
  size_t from = 0, to = 0;
  size_t size() const { return to - from; }
};

// A place where at least one side changed something.
struct Piece {
  enum class Kind { kConflict, kOurs, kTheirs } kind;
  Range base, ours, theirs;
};

// A change of one side: lines [begin, end) of the base become [from, to) of the side.
struct Change {
  size_t begin, end, from, to;
};

DiffOptions OptionsOf(const MergeStyle& style) {
  DiffOptions options;
  options.ignores_all_space = style.ignores_all_space;
  options.ignores_space_change = style.ignores_space_change;
  options.ignores_space_at_end = style.ignores_space_at_end;
  options.ignores_cr = style.ignores_cr;
  options.edits.algorithm = style.algorithm;
  options.edits.slides_by_indent = false;   // git merges without that rule of its diffs
  return options;
}

std::vector<Change> ChangesOf(const Lines& base, const Lines& side, const DiffOptions& options, Budget& budget) {
  std::vector<Change> list;
  for (const DiffEdit& edit : FindEdits(base, side, options, budget)) list.push_back({edit.a_begin, edit.a_end(), edit.b_begin, edit.b_end()});
  return list;
}

bool SameLines(const Lines& a, Range of_a, const Lines& b, Range of_b) {
  return of_a.size() == of_b.size() && std::equal(a.begin() + static_cast<std::ptrdiff_t>(of_a.from), a.begin() + static_cast<std::ptrdiff_t>(of_a.to), b.begin() + static_cast<std::ptrdiff_t>(of_b.from));
}

// The changes of both sides, those that touch each other in one piece.
std::vector<Piece> FindPieces(const Lines& base, const Lines& ours, const Lines& theirs, const MergeStyle& style, Budget& budget) {
  const DiffOptions options = OptionsOf(style);
  const std::vector<Change> a = ChangesOf(base, ours, options, budget), b = ChangesOf(base, theirs, options, budget);
  // With blanks ignored there may be nothing that counts on our side: then all of theirs is taken.
  if (a.empty()) return {{Piece::Kind::kTheirs, {0, base.size()}, {0, ours.size()}, {0, theirs.size()}}};
  std::vector<Piece> pieces;
  size_t i = 0, k = 0;
  int64_t shift_a = 0, shift_b = 0;   // how far the sides are ahead of the base
  while (i < a.size() || k < b.size()) {
    budget.Step();
    const size_t begin = std::min(i < a.size() ? a[i].begin : SIZE_MAX, k < b.size() ? b[k].begin : SIZE_MAX);
    size_t end = begin;
    const size_t first_a = i, first_b = k;
    for (bool grows = true; grows;) {
      grows = false;
      if (i < a.size() && a[i].begin <= end) {
        end = std::max(end, a[i++].end);
        grows = true;
      }
      if (k < b.size() && b[k].begin <= end) {
        end = std::max(end, b[k++].end);
        grows = true;
      }
    }
    const auto range = [&](const std::vector<Change>& list, size_t first, size_t last, int64_t& shift) {
      const int64_t from = static_cast<int64_t>(begin) + shift;
      for (size_t c = first; c < last; ++c) shift = static_cast<int64_t>(list[c].to) - static_cast<int64_t>(list[c].end);
      return Range{static_cast<size_t>(from), static_cast<size_t>(static_cast<int64_t>(end) + shift)};
    };
    Piece piece{Piece::Kind::kConflict, {begin, end}, range(a, first_a, i, shift_a), range(b, first_b, k, shift_b)};
    if (first_b == k || SameLines(ours, piece.ours, theirs, piece.theirs)) piece.kind = Piece::Kind::kOurs;
    else if (first_a == i) piece.kind = Piece::Kind::kTheirs;
    pieces.push_back(piece);
  }
  return pieces;
}

// What both sides have in the middle of a conflict divides it.
void Divide(const Piece& piece, const Lines& ours, const Lines& theirs, const MergeStyle& style, Budget& budget, std::vector<Piece>& out) {
  if (piece.ours.size() == 0 || piece.theirs.size() == 0) {
    out.push_back(piece);
    return;
  }
  const auto part = [](const Lines& lines, Range range) { return Lines(lines.begin() + static_cast<std::ptrdiff_t>(range.from), lines.begin() + static_cast<std::ptrdiff_t>(range.to)); };
  for (const Change& change : ChangesOf(part(ours, piece.ours), part(theirs, piece.theirs), OptionsOf(style), budget)) {
    out.push_back({Piece::Kind::kConflict, piece.base, {piece.ours.from + change.begin, piece.ours.from + change.end}, {piece.theirs.from + change.from, piece.theirs.from + change.to}});
  }
}

bool HasWords(const Lines& lines, Range range) {
  for (size_t i = range.from; i < range.to; ++i) {
    if (std::any_of(lines[i].begin(), lines[i].end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); })) return true;
  }
  return false;
}

void JoinNear(std::vector<Piece>& pieces, const Lines& ours, bool at_blank) {
  std::vector<Piece> joined;
  for (const Piece& piece : pieces) {
    Piece* last = joined.empty() ? nullptr : &joined.back();
    if (last != nullptr && last->kind == Piece::Kind::kConflict && piece.kind == Piece::Kind::kConflict &&
        (piece.ours.from - last->ours.to <= kSmallGap || (at_blank && !HasWords(ours, {last->ours.to, piece.ours.from})))) {
      last->ours.to = piece.ours.to;
      last->theirs.to = piece.theirs.to;
      last->base.to = std::max(last->base.to, piece.base.to);
      continue;
    }
    joined.push_back(piece);
  }
  pieces = std::move(joined);
}

// Lines of a side; `needs_newline`: a marker comes behind them.
void AppendLines(std::string& out, const Lines& lines, Range range, bool needs_newline) {
  for (size_t i = range.from; i < range.to; ++i) out += lines[i];
  if (needs_newline && range.from < range.to && !out.ends_with('\n')) out += '\n';
}

}  // namespace

TextMerge MergeTexts(std::string_view base_text, std::string_view our_text, std::string_view their_text, const Sides& names, const MergeStyle& style, Budget& budget) {
  const Lines base = SplitLines(base_text), ours = SplitLines(our_text), theirs = SplitLines(their_text);
  using Markers = MergeStyle::Markers;
  using Favour = MergeStyle::Favour;
  std::vector<Piece> pieces = FindPieces(base, ours, theirs, style, budget);
  if (style.markers == Markers::kPlain) {
    std::vector<Piece> fine;
    for (const Piece& piece : pieces) {
      if (piece.kind == Piece::Kind::kConflict) Divide(piece, ours, theirs, style, budget, fine);
      else fine.push_back(piece);
    }
    pieces = std::move(fine);
    JoinNear(pieces, ours, style.joins_at_blank);
  }
  TextMerge merge;
  size_t at = 0;   // in our lines
  for (Piece piece : pieces) {
    budget.Step();
    AppendLines(merge.text, ours, {at, piece.ours.from}, false);
    at = piece.ours.to;
    if (piece.kind != Piece::Kind::kConflict) {
      if (piece.kind == Piece::Kind::kOurs) AppendLines(merge.text, ours, piece.ours, false);
      else AppendLines(merge.text, theirs, piece.theirs, false);
      continue;
    }
    if (style.favour == Favour::kOurs || style.favour == Favour::kUnion) AppendLines(merge.text, ours, piece.ours, style.favour == Favour::kUnion);
    if (style.favour == Favour::kTheirs || style.favour == Favour::kUnion) AppendLines(merge.text, theirs, piece.theirs, false);
    if (style.favour != Favour::kNone) continue;
    Range tail{piece.ours.to, piece.ours.to};
    if (style.markers == Markers::kShortBase) {
      while (piece.ours.size() > 0 && piece.theirs.size() > 0 && ours[piece.ours.from] == theirs[piece.theirs.from]) {
        merge.text += ours[piece.ours.from++];
        ++piece.theirs.from;
      }
      while (piece.ours.size() > 0 && piece.theirs.size() > 0 && ours[piece.ours.to - 1] == theirs[piece.theirs.to - 1]) {
        --piece.ours.to;
        --piece.theirs.to;
        --tail.from;
      }
    }
    merge.has_conflict = true;
    ++merge.conflicts;
    budget.Step(style.marker_size);
    const auto marker = [&style](char c) { return std::string(style.marker_size, c); };
    merge.text += marker('<') + " " + names.ours + "\n";
    AppendLines(merge.text, ours, piece.ours, true);
    if (style.markers != Markers::kPlain) {
      merge.text += marker('|') + (names.base.empty() ? "" : " " + names.base) + "\n";
      AppendLines(merge.text, base, piece.base, true);
    }
    merge.text += marker('=') + "\n";
    AppendLines(merge.text, theirs, piece.theirs, true);
    merge.text += marker('>') + " " + names.theirs + "\n";
    AppendLines(merge.text, ours, tail, false);
  }
  AppendLines(merge.text, ours, {at, ours.size()}, false);
  return merge;
}

Status TakeConflictStyle(MergeStyle& style, std::string_view name) {
  if (name == "merge") style.markers = MergeStyle::Markers::kPlain;
  else if (name == "diff3") style.markers = MergeStyle::Markers::kBase;
  else if (name == "zdiff3") style.markers = MergeStyle::Markers::kShortBase;
  else return Error(Code::kInvalid, "unknown style '" + std::string(name) + "' given for 'merge.conflictstyle'");
  return {};
}

Result<MergeStyle> ConfiguredStyle(Git& git) {
  MergeStyle style;
  PADDOCK_TRY(TakeConflictStyle(style, git.config.Get("merge.conflictstyle", "merge")));
  style.finds_renames = git.config.GetBool("merge.renames", git.config.GetBool("diff.renames", true));
  return style;
}

namespace {

Status TakeStrategyOption(MergeStyle& style, std::string_view option) {
  if (option == "ours") style.favour = MergeStyle::Favour::kOurs;
  else if (option == "theirs") style.favour = MergeStyle::Favour::kTheirs;
  else if (option == "ignore-space-change") style.ignores_space_change = true;
  else if (option == "ignore-all-space") style.ignores_all_space = true;
  else if (option == "ignore-space-at-eol") style.ignores_space_at_end = true;
  else if (option == "ignore-cr-at-eol") style.ignores_cr = true;
  else if (option == "patience" || option == "diff-algorithm=patience") style.algorithm = EditAlgorithm::kPatience;
  else if (option == "histogram" || option == "diff-algorithm=histogram") style.algorithm = EditAlgorithm::kHistogram;
  else if (option == "diff-algorithm=myers" || option == "diff-algorithm=default" || option == "diff-algorithm=minimal") style.algorithm = EditAlgorithm::kMyers;
  else if (option == "no-renames") style.finds_renames = false;
  else if (option == "find-renames") style.finds_renames = true;
  else if (option.starts_with("find-renames=") || option.starts_with("rename-threshold=")) {
    std::string_view number = option.substr(option.find('=') + 1);
    if (number.ends_with('%')) number.remove_suffix(1);
    int64_t percent = 0;
    if (!ParseOptionValue(number, percent) || percent < 0 || percent > 100) return Error(Code::kInvalid, "unknown strategy option: -X" + std::string(option));
    style.finds_renames = true;
    style.rename_percent = static_cast<int>(percent);
  } else if (option == "renormalize" || option.starts_with("subtree")) {
    return Error(Code::kNotSupported, "strategy option -X" + std::string(option) + " is not supported");
  } else {
    return Error(Code::kInvalid, "unknown strategy option: -X" + std::string(option));
  }
  return {};
}

}  // namespace

Result<MergeStyle> StrategyStyle(Git& git, std::string_view strategy, const std::vector<std::string>& options) {
  PADDOCK_ASSIGN(MergeStyle style, ConfiguredStyle(git));
  for (const std::string& option : options) PADDOCK_TRY(TakeStrategyOption(style, option));
  if (strategy.empty() || strategy == "ort") style.algorithm = EditAlgorithm::kHistogram;
  return style;
}

}  // namespace paddock::git
