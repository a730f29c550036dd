// The lines that git log --graph draws beside commits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "git/object.h"

namespace paddock::git {

// Each commit is given in the order in which it is shown; its lines are taken before the next one comes.
class HistoryGraph {
 public:
  // `parents`: those that will be shown. `mark`: what stands for the commit.
  void Show(const Oid& id, std::vector<Oid> parents, char mark = '*');
  // The next line beside this commit. Behind all that belongs to it: lines that only go on.
  std::string Next();
  // How many lines go on beside each other below this commit.
  size_t breadth() const { return next_columns_.size(); }
  // Whether the last line of Next() had the commit's own mark.
  bool is_at_commit() const { return is_at_commit_; }
  // Whether nothing is left to draw but lines that go on.
  bool is_finished() const { return state_ == State::kPadding; }
  // A line before the commit.
  std::string Padding();

 private:
  enum class State { kPadding, kPreCommit, kCommit, kPostMerge, kCollapsing };

  void PlaceColumns();
  void Place(const Oid& id, int64_t from);
  bool IsSettled() const;
  bool NeedsRoom() const { return parents_.size() >= 3 && commit_column_ + 1 < static_cast<int64_t>(columns_.size()) && room_ < ExtraParents() * 2; }
  // Parents of a merge of three or more that are drawn with dashes.
  int64_t ExtraParents() const { return static_cast<int64_t>(parents_.size()) + layout_ - 3; }
  void Turn(State state) {
    before_ = state_;
    state_ = state;
  }
  std::string RoomLine();
  std::string CommitLine();
  std::string MergeLine();
  std::string CollapsingLine();
  std::string Padded(std::string line) const;

  Oid commit_;
  std::vector<Oid> parents_;
  std::vector<Oid> columns_, next_columns_;
  std::vector<int64_t> places_, old_places_;   // half columns of the screen: which next column the line there leads to; -1: none
  State state_ = State::kPadding, before_ = State::kPadding;
  int64_t width_ = 0, room_ = 0, commit_column_ = 0, last_commit_column_ = 0;
  int64_t layout_ = 0;                         // of a merge: 0 when its first parent is to the left, else 1
  int64_t added_ = 0, last_added_ = 0;         // columns that the merge needs more
  bool is_at_commit_ = false;
  char mark_ = '*';
};

}  // namespace paddock::git
