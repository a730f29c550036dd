#include "commands/git/diff/diff_renames.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "text/diff/unified_diff.h"

namespace paddock::git {
namespace {

constexpr size_t kLeastBrokenSize = 400;

std::string_view LastPart(std::string_view path) { return path.substr(path.rfind('/') + 1); }
bool IsRegular(uint32_t mode) { return (mode & 0170000) == 0100000; }

// How many bytes of each piece there are, by a number that stands for the piece: a line, or 64 bytes of one. What is behind the last
// whole piece does not count.
using Pieces = std::vector<std::pair<uint32_t, int64_t>>;
Pieces CountPieces(std::string_view text, Budget& budget) {
  constexpr uint32_t kNumbers = 107927;
  const bool is_text = !LooksBinary(text.substr(0, 8000));
  std::unordered_map<uint32_t, int64_t> counts;
  uint32_t low = 0, high = 0;
  int64_t length = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (is_text && text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') continue;
    const uint32_t old_low = low;
    low = (low << 7) ^ (high >> 25);
    high = (high << 7) ^ (old_low >> 25);
    low += static_cast<unsigned char>(text[i]);
    if (++length < 64 && text[i] != '\n') continue;
    budget.Step();
    counts[(low + high * 0x61) % kNumbers] += length;
    length = 0;
    low = high = 0;
  }
  Pieces pieces(counts.begin(), counts.end());
  std::sort(pieces.begin(), pieces.end());
  return pieces;
}

ContentOverlap Overlap(const Pieces& a, const Pieces& b) {
  ContentOverlap overlap;
  auto other = b.begin();
  for (const auto& [piece, count] : a) {
    for (; other != b.end() && other->first < piece; ++other) overlap.added += other->second;
    int64_t there = 0;
    if (other != b.end() && other->first == piece) there = (other++)->second;
    overlap.copied += std::min(count, there);
    overlap.added += std::max<int64_t>(there - count, 0);
  }
  for (; other != b.end(); ++other) overlap.added += other->second;
  return overlap;
}

struct Pair {
  FileDiff file;
  bool is_broken = false;
  int merge_score = 0;   // of a broken one that may stay so
  int users = 0;         // how many files the old side is the source of
  bool is_rename = false, is_gone = false;
  size_t source = 0;
  int score = 0;
};

class Renames {
 public:
  Renames(Git& git, std::vector<FileDiff>& files, const RenameRules& rules) : git_(git), files_(files), rules_(rules) {}

  Status Run() {
    for (FileDiff& file : files_) PADDOCK_TRY(AddFile(std::move(file)));
    if (rules_.finds_renames) {
      if (rules_.finds_copies) {
        for (const FileDiff& file : rules_.unchanged) pairs_.push_back({.file = file});
        // In order of path, as the others are.
        std::stable_sort(pairs_.begin(), pairs_.end(), [](const Pair& a, const Pair& b) { return a.file.old_path < b.file.old_path; });
      }
      PADDOCK_TRY(Match());
    }
    Collect();
    return {};
  }

 private:
  bool IsBlobPair(const FileDiff& file) const { return file.status == 'M' && file.old_mode != kModeCommit && file.new_mode != kModeCommit && file.old_mode != kModeTree && file.new_mode != kModeTree && file.old_path == file.new_path; }

  Status AddFile(FileDiff file) {
    git_.in.budget.Step();
    int merge_score = 0;
    if (rules_.break_score >= 0 && (IsBlobPair(file) || file.status == 'T')) {
      PADDOCK_ASSIGN(const bool breaks, IsRewritten(file, merge_score));
      if (breaks) {
        if (merge_score < rules_.merge_score) merge_score = 0;
        FileDiff gone = file, come = std::move(file);
        gone.status = 'D';
        gone.new_mode = 0;
        gone.new_id = {};
        gone.new_text.reset();
        gone.new_is_file = false;
        come.status = 'A';
        come.old_mode = 0;
        come.old_id = {};
        come.old_text.reset();
        come.old_is_file = false;
        pairs_.push_back({.file = std::move(gone), .is_broken = true, .merge_score = merge_score});
        pairs_.push_back({.file = std::move(come), .is_broken = true, .merge_score = merge_score});
        return {};
      }
    }
    pairs_.push_back({.file = std::move(file)});
    return {};
  }

  Result<bool> IsRewritten(const FileDiff& file, int& merge_score) {
    if (IsRegular(file.old_mode) != IsRegular(file.new_mode)) {
      merge_score = kWholeScore;
      return true;
    }
    if (file.old_id == file.new_id) return false;
    PADDOCK_ASSIGN(const std::string before, ContentOf(git_, file, false));
    PADDOCK_ASSIGN(const std::string after, ContentOf(git_, file, true));
    if (std::max(before.size(), after.size()) < kLeastBrokenSize || before.empty()) return false;
    ContentOverlap overlap = CompareContents(before, after, git_.in.budget);
    const auto old_size = static_cast<int64_t>(before.size()), new_size = static_cast<int64_t>(after.size());
    overlap.copied = std::min(overlap.copied, old_size);
    if (new_size < overlap.added + overlap.copied) overlap.added = std::max<int64_t>(new_size - overlap.copied, 0);
    const int64_t removed = old_size - overlap.copied;
    merge_score = static_cast<int>(removed * kWholeScore / old_size);
    if (merge_score > rules_.break_score) return true;
    if ((removed + overlap.added) * kWholeScore / std::max(old_size, new_size) < rules_.break_score) return false;
    // A file of which much was removed and little added is no rewrite.
    return !(old_size * rules_.break_score < removed * kWholeScore && overlap.added * 20 < removed && overlap.added * 20 < overlap.copied);
  }

  Status Match() {
    for (size_t i = 0; i < pairs_.size(); ++i) {
      Pair& pair = pairs_[i];
      const FileDiff& file = pair.file;
      const bool is_empty_old = file.old_mode != 0 && IsEmpty(file.old_id), is_empty_new = file.new_mode != 0 && IsEmpty(file.new_id);
      if (file.status == 'U' || file.old_mode == kModeTree || file.new_mode == kModeTree) continue;
      if (file.status == 'A') {
        if (rules_.takes_empty || !is_empty_new) targets_.push_back(i);
      } else if (!rules_.takes_empty && is_empty_old) {
        continue;
      } else if (file.status == 'D') {
        if (pair.is_broken && pair.merge_score == 0) ++pair.users;
        sources_.push_back(i);
      } else if (rules_.finds_copies) {
        ++pair.users;
        sources_.push_back(i);
      }
    }
    if (targets_.empty() || sources_.empty()) return {};
    MatchExact();
    if (rules_.least_score >= kWholeScore) return {};
    if (!rules_.finds_copies) {
      std::erase_if(sources_, [this](size_t i) { return pairs_[i].users > 0; });
      if (rules_.break_score < 0) {
        PADDOCK_TRY(MatchByName());
        std::erase_if(sources_, [this](size_t i) { return pairs_[i].users > 0; });
      }
    }
    return MatchSimilar();
  }

  static bool IsEmpty(const Oid& id) {
    static const Oid empty = HashObject(ObjectType::kBlob, "");
    return id == empty;
  }
  void Record(size_t target, size_t source, int score) {
    pairs_[target].is_rename = true;
    pairs_[target].source = source;
    pairs_[target].score = score;
    ++pairs_[source].users;
  }

  void MatchExact() {
    std::map<Oid, std::vector<size_t>> by_id;
    for (const size_t i : sources_) by_id[pairs_[i].file.old_id].push_back(i);
    for (const size_t target : targets_) {
      const FileDiff& file = pairs_[target].file;
      const auto same = by_id.find(file.new_id);
      if (same == by_id.end()) continue;
      std::optional<size_t> best;
      int best_score = -1, rest = 100;
      for (const size_t source : same->second) {
        git_.in.budget.Step();
        const Pair& other = pairs_[source];
        if ((!IsRegular(other.file.old_mode) || !IsRegular(file.new_mode)) && other.file.old_mode != file.new_mode) continue;
        if (other.users > 0 && !rules_.finds_copies) continue;
        const int score = (other.users == 0 ? 1 : 0) + (LastPart(other.file.old_path) == LastPart(file.new_path) ? 1 : 0);
        if (score > best_score) {
          best = source;
          best_score = score;
          if (score == 2) break;
        }
        if (--rest == 0) break;
      }
      if (best) Record(target, *best, kWholeScore);
    }
  }

  // A name that is there once on each side says much.
  Status MatchByName() {
    constexpr size_t kSeveral = static_cast<size_t>(-1);
    std::map<std::string_view, size_t> old_names, new_names;
    for (const size_t i : sources_) {
      const auto [at, is_first] = old_names.emplace(LastPart(pairs_[i].file.old_path), i);
      if (!is_first) at->second = kSeveral;
    }
    for (const size_t i : targets_) {
      if (pairs_[i].is_rename) continue;
      const auto [at, is_first] = new_names.emplace(LastPart(pairs_[i].file.new_path), i);
      if (!is_first) at->second = kSeveral;
    }
    const int least = rules_.least_score + (kWholeScore - rules_.least_score) / 2;
    for (const size_t source : sources_) {
      const std::string_view name = LastPart(pairs_[source].file.old_path);
      const auto target = new_names.find(name);
      if (old_names[name] == kSeveral || target == new_names.end() || target->second == kSeveral || pairs_[target->second].is_rename) continue;
      PADDOCK_ASSIGN(const int score, Similarity(source, target->second));
      if (score >= least) Record(target->second, source, score);
    }
    return {};
  }

  struct Candidate {
    int score = 0;
    bool has_same_name = false;
    size_t target = 0, source = 0;
    bool IsBetterThan(const Candidate& other) const { return score != other.score ? score > other.score : has_same_name && !other.has_same_name; }
  };

  Status MatchSimilar() {
    constexpr size_t kCandidates = 4;   // for each file
    std::vector<size_t> open;
    for (const size_t i : targets_) {
      if (!pairs_[i].is_rename) open.push_back(i);
    }
    if (open.empty() || sources_.empty()) return {};
    const auto limit = static_cast<uint64_t>(std::max<int64_t>(rules_.limit, 0));
    if (limit > 0 && static_cast<uint64_t>(open.size()) * sources_.size() > limit * limit) {
      git_.Warn("exhaustive rename detection was skipped due to too many files.");
      git_.Warn("you may want to set your diff.renameLimit variable to at least " + std::to_string(std::max(open.size(), sources_.size())) + " and retry the command.");
      return {};
    }
    std::vector<Candidate> all;
    for (const size_t target : open) {
      std::vector<Candidate> best;
      for (const size_t source : sources_) {
        PADDOCK_ASSIGN(const int score, Similarity(source, target));
        const Candidate candidate{score, LastPart(pairs_[source].file.old_path) == LastPart(pairs_[target].file.new_path), target, source};
        if (best.size() < kCandidates) {
          best.push_back(candidate);
          continue;
        }
        Candidate* worst = &best[0];
        for (Candidate& other : best) {
          if (worst->IsBetterThan(other)) worst = &other;
        }
        if (candidate.IsBetterThan(*worst)) *worst = candidate;
      }
      all.insert(all.end(), best.begin(), best.end());
    }
    std::stable_sort(all.begin(), all.end(), [](const Candidate& a, const Candidate& b) { return a.IsBetterThan(b); });
    for (const bool copies : {false, true}) {
      if (copies && !rules_.finds_copies) break;
      for (const Candidate& candidate : all) {
        if (candidate.score < rules_.least_score) break;
        if (pairs_[candidate.target].is_rename || (!copies && pairs_[candidate.source].users > 0)) continue;
        Record(candidate.target, candidate.source, candidate.score);
      }
    }
    return {};
  }

  struct Side {
    int64_t size = 0;
    Pieces pieces;
  };
  Result<const Side*> Content(size_t index, bool is_new) {
    auto& sides = is_new ? new_sides_ : old_sides_;
    if (const auto known = sides.find(index); known != sides.end()) return &known->second;
    PADDOCK_ASSIGN(const std::string text, ContentOf(git_, pairs_[index].file, is_new));
    Side side{static_cast<int64_t>(text.size()), CountPieces(text, git_.in.budget)};
    git_.in.budget.WillAllocate(side.pieces.size() * sizeof(side.pieces[0]) + sizeof(Side));
    return &sides.emplace(index, std::move(side)).first->second;
  }
  Result<int> Similarity(size_t source, size_t target) {
    git_.in.budget.Step();
    if (!IsRegular(pairs_[source].file.old_mode) || !IsRegular(pairs_[target].file.new_mode)) return 0;
    PADDOCK_ASSIGN(const Side* before, Content(source, false));
    PADDOCK_ASSIGN(const Side* after, Content(target, true));
    const int64_t larger = std::max(before->size, after->size), smaller = std::min(before->size, after->size);
    if (smaller == 0 || larger * (kWholeScore - rules_.least_score) < (larger - smaller) * kWholeScore) return 0;
    git_.in.budget.Step(static_cast<int64_t>(before->pieces.size() + after->pieces.size()) / 8);
    return static_cast<int>(Overlap(before->pieces, after->pieces).copied * kWholeScore / larger);
  }

  // What is left: renames with both their sides, broken files put together again.
  void Collect() {
    // What is put together again has its old side for itself.
    for (size_t i = 0; i + 1 < pairs_.size(); ++i) {
      if (pairs_[i].file.status == 'D' && pairs_[i].is_broken && !pairs_[i + 1].is_rename) ++pairs_[i].users;
    }
    for (Pair& pair : pairs_) pair.is_gone = pair.file.status == 'D' && !pair.is_broken && pair.users > 0;
    std::vector<FileDiff> kept;
    for (size_t i = 0; i < pairs_.size(); ++i) {
      Pair& pair = pairs_[i];
      if (pair.is_gone) continue;
      if (pair.file.status == 'D' && pair.is_broken) {
        Pair& other = pairs_[i + 1];
        if (other.is_rename) continue;
        FileDiff file = other.file;
        file.status = IsRegular(pair.file.old_mode) == IsRegular(other.file.new_mode) && (pair.file.old_mode & 0170000) == (other.file.new_mode & 0170000) ? 'M' : 'T';
        file.old_mode = pair.file.old_mode;
        file.old_id = pair.file.old_id;
        file.old_text = pair.file.old_text;
        file.old_is_file = pair.file.old_is_file;
        file.dissimilarity = pair.merge_score * 100 / kWholeScore;
        other.is_gone = true;
        kept.push_back(std::move(file));
        continue;
      }
      if (pair.is_rename) {
        Pair& source = pairs_[pair.source];
        FileDiff& file = pair.file;
        file.status = source.file.old_path == file.new_path ? 'M' : --source.users > 0 ? 'C' : 'R';
        file.old_path = source.file.old_path;
        file.old_mode = source.file.old_mode;
        file.old_id = source.file.old_id;
        file.old_is_file = source.file.old_is_file;
        file.old_text = source.file.old_text;
        file.score = pair.score * 100 / kWholeScore;
      } else if (pair.file.old_mode == pair.file.new_mode && pair.file.old_id == pair.file.new_id && pair.file.status == 'M' && !pair.file.old_is_file && !pair.file.new_is_file && !pair.file.new_text) {
        continue;   // only there to be copied
      }
      kept.push_back(pair.file);   // others may have it for a source
    }
    files_ = std::move(kept);
  }

  Git& git_;
  std::vector<FileDiff>& files_;
  const RenameRules& rules_;
  std::vector<Pair> pairs_;
  std::vector<size_t> sources_, targets_;
  std::unordered_map<size_t, Side> old_sides_, new_sides_;
};

}  // namespace

ContentOverlap CompareContents(std::string_view before, std::string_view after, Budget& budget) {
  return Overlap(CountPieces(before, budget), CountPieces(after, budget));
}

Status FindRenames(Git& git, std::vector<FileDiff>& files, const RenameRules& rules) { return Renames(git, files, rules).Run(); }

Status DetectRenames(Git& git, std::vector<FileDiff>& files, int percent, bool copies) {
  return FindRenames(git, files, {.least_score = percent * kWholeScore / 100, .finds_copies = copies, .unchanged = {}});
}

}  // namespace paddock::git
