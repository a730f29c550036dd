// git blame -M and -C: lines that came from elsewhere in the file, and from other files.
#include <algorithm>

#include "commands/git/history/blame.h"

namespace paddock::git {

int64_t BlameScore(const std::vector<std::string_view>& lines, size_t begin, size_t count) {
  int64_t score = 1;
  for (size_t i = begin; i < begin + count; ++i) {
    score += std::count_if(lines[i].begin(), lines[i].end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); });
  }
  return score;
}

void Blame::TakeSmall(Entries& from, Entries& small, int64_t score) const {
  Entries kept;
  for (BlameEntry& entry : from) {
    git_.in.budget.Step(static_cast<int64_t>(1 + entry.count));
    (BlameScore(lines_, entry.line, entry.count) <= score ? small : kept).push_back(std::move(entry));
  }
  from = std::move(kept);
}

// The best run of the entry's lines that the text has, too; of equals the last one.
void Blame::FindIn(const BlameEntry& entry, const BlameOrigin& source, const std::vector<std::string_view>& text, Split& best) {
  const std::vector<std::string_view> own(lines_.begin() + static_cast<std::ptrdiff_t>(entry.line), lines_.begin() + static_cast<std::ptrdiff_t>(entry.end()));
  const std::vector<DiffEdit> edits = FindEdits(text, own, diff_, git_.in.budget);
  size_t begin = 0, number = 0;
  for (size_t i = 0; i <= edits.size(); ++i) {
    const size_t end = i < edits.size() ? edits[i].b_begin : own.size();
    if (begin < end) {
      git_.in.budget.Step(static_cast<int64_t>(1 + end - begin));
      const int64_t score = BlameScore(own, begin, end - begin);
      if (score >= best.score) best = {{entry.line + begin, end - begin, source, number, entry.is_guess, entry.is_stuck}, score};
    }
    if (i < edits.size()) begin = edits[i].b_end(), number = edits[i].a_end();
  }
}

bool Blame::Take(const BlameEntry& entry, const Split& split, int64_t least, Entries& open, std::map<BlameOrigin, Entries>& passed) const {
  if (split.score <= least) return false;
  git_.in.budget.WillAllocate(3 * sizeof(BlameEntry));
  const size_t before = split.part.line - entry.line, behind = entry.end() - split.part.end();
  BlameEntry rest = entry;
  rest.count = before;
  if (before > 0) open.push_back(rest);
  rest.line = split.part.end();
  rest.number = entry.number + entry.count - behind;
  rest.count = behind;
  if (behind > 0) open.push_back(rest);
  passed[split.part.origin].push_back(split.part);
  return true;
}

Status Blame::PassAll(std::map<BlameOrigin, Entries>& passed) {
  for (auto& [origin, entries] : passed) PADDOCK_TRY(Suspect(origin, std::move(entries)));
  return {};
}

Status Blame::FindMoves(const Source& source, Entries& mine, Entries& small) {
  PADDOCK_ASSIGN(const std::string* text, TextOf(source.origin));
  const std::vector<std::string_view> lines = SplitLines(*text);
  std::map<BlameOrigin, Entries> passed;
  Entries kept;
  for (Entries open = std::move(mine); !open.empty();) {
    Entries next;
    for (const BlameEntry& entry : open) {
      Split best;
      FindIn(entry, source.origin, lines, best);
      if (!Take(entry, best, options_.move_score, next, passed)) kept.push_back(entry);
    }
    TakeSmall(next, small, options_.move_score);
    open = std::move(next);
  }
  mine = std::move(kept);
  return PassAll(passed);
}

// `source`: the file itself in the parent, which was looked at before.
Status Blame::FindCopies(const BlameOrigin& origin, const Oid& parent, const BlameOrigin* source, Entries& mine, Entries& small) {
  using Copies = BlameOptions::Copies;
  const bool is_new_name = source == nullptr || source->path != origin.path;
  const bool looks_at_all = options_.copies == Copies::kFromAll || (options_.copies == Copies::kOfCreation && is_new_name);
  PADDOCK_ASSIGN(const FlatTree before, TreeOf(parent));
  FlatTree after;
  if (!looks_at_all) {
    PADDOCK_ASSIGN(after, TreeOf(origin.commit));
    if (text_id_ && origin.commit.is_null()) after[origin.path].id = *text_id_;
  }
  std::map<BlameOrigin, Entries> passed;
  Entries kept;
  for (Entries open = std::move(mine); !open.empty();) {
    std::vector<Split> best(open.size());
    for (const auto& [path, item] : before) {
      git_.in.budget.Step();
      if (item.mode == kModeCommit || (source != nullptr && path == source->path)) continue;
      if (const auto same = after.find(path); !looks_at_all && same != after.end() && same->second == item) continue;
      const BlameOrigin other{parent, path};
      PADDOCK_ASSIGN(const std::string* text, TextOf(other));
      const std::vector<std::string_view> lines = SplitLines(*text);
      for (size_t i = 0; i < open.size(); ++i) FindIn(open[i], other, lines, best[i]);
      Drop(other);
    }
    Entries next;
    for (size_t i = 0; i < open.size(); ++i) {
      if (!Take(open[i], best[i], options_.copy_score, next, passed)) kept.push_back(open[i]);
    }
    TakeSmall(next, small, options_.copy_score);
    open = std::move(next);
  }
  mine = std::move(kept);
  return PassAll(passed);
}

}  // namespace paddock::git
