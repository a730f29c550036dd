#include "commands/git/history/graph.h"

#include <algorithm>

namespace paddock::git {

void HistoryGraph::Show(const Oid& id, std::vector<Oid> parents, char mark) {
  commit_ = id;
  mark_ = mark;
  parents_ = std::move(parents);
  last_commit_column_ = commit_column_;
  PlaceColumns();
  room_ = 0;
  state_ = NeedsRoom() ? State::kPreCommit : State::kCommit;   // no line of the state before was drawn in between
}

void HistoryGraph::PlaceColumns() {
  columns_ = std::move(next_columns_);
  next_columns_.clear();
  places_.assign(2 * (columns_.size() + parents_.size()), -1);
  width_ = 0;
  last_added_ = added_;
  added_ = 0;
  bool is_seen = false;
  for (size_t i = 0; i <= columns_.size(); ++i) {
    if (i == columns_.size() && is_seen) break;
    if (i < columns_.size() && columns_[i] != commit_) {
      Place(columns_[i], -1);
      continue;
    }
    is_seen = true;
    commit_column_ = static_cast<int64_t>(i);
    layout_ = -1;
    for (const Oid& parent : parents_) Place(parent, static_cast<int64_t>(i));
    if (parents_.empty()) width_ += 2;
  }
  while (places_.size() > 1 && places_.back() < 0) places_.pop_back();
}

// Where the line to `id` goes on; `from`: the column of the commit whose parent it is.
void HistoryGraph::Place(const Oid& id, int64_t from) {
  const auto found = std::find(next_columns_.begin(), next_columns_.end(), id);
  const int64_t column = found - next_columns_.begin();
  if (found == next_columns_.end()) next_columns_.push_back(id);
  int64_t place = width_;
  if (parents_.size() > 1 && from >= 0 && layout_ == -1) {
    // The first parent settles whether the merge opens to the left or to the right.
    const int64_t distance = from - column;
    layout_ = distance > 0 ? 0 : 1;
    added_ = static_cast<int64_t>(parents_.size()) + layout_ - 2;
    if (layout_ == 0) place = width_ - (distance > 1 ? 2 * distance - 3 : 1);
    width_ += 2 * layout_;
  } else if (added_ > 0 && width_ >= 2 && places_[static_cast<size_t>(width_ - 2)] == column) {
    // The last line leads there, too: the two join at once.
    place = width_ - 2;
    added_ = -1;
  } else {
    width_ += 2;
  }
  if (place >= static_cast<int64_t>(places_.size())) places_.resize(static_cast<size_t>(place) + 1, -1);
  places_[static_cast<size_t>(place)] = column;
}

bool HistoryGraph::IsSettled() const {
  for (size_t i = 0; i < places_.size(); ++i) {
    if (places_[i] >= 0 && places_[i] != static_cast<int64_t>(i / 2)) return false;
  }
  return true;
}

std::string HistoryGraph::Padded(std::string line) const {
  line.resize(std::max(line.size(), static_cast<size_t>(width_)), ' ');
  return line;
}

std::string HistoryGraph::Next() {
  is_at_commit_ = state_ == State::kCommit;
  switch (state_) {
    case State::kPreCommit: return Padded(RoomLine());
    case State::kCommit: return Padded(CommitLine());
    case State::kPostMerge: return Padded(MergeLine());
    case State::kCollapsing: return Padded(CollapsingLine());
    case State::kPadding: break;
  }
  std::string line;
  for (size_t i = 0; i < next_columns_.size(); ++i) line += "| ";
  return Padded(line);
}

std::string HistoryGraph::Padding() {
  if (state_ != State::kCommit) return Next();
  std::string line;
  for (const Oid& column : columns_) {
    line += '|';
    line.append(column == commit_ && parents_.size() > 2 ? (parents_.size() - 2) * 2 : 1, ' ');
  }
  before_ = State::kPadding;
  return Padded(line);
}

std::string HistoryGraph::RoomLine() {
  std::string line;
  bool is_seen = false;
  for (size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i] == commit_) {
      is_seen = true;
      line += "|" + std::string(static_cast<size_t>(room_), ' ');
    } else {
      const bool slants = is_seen && (room_ > 0 || (before_ == State::kPostMerge && last_commit_column_ < static_cast<int64_t>(i)));
      line += slants ? '\\' : '|';
    }
    line += ' ';
  }
  ++room_;
  if (!NeedsRoom()) Turn(State::kCommit);
  return line;
}

std::string HistoryGraph::CommitLine() {
  std::string line;
  bool is_seen = false;
  for (size_t i = 0; i <= columns_.size(); ++i) {
    const int64_t column = static_cast<int64_t>(i);
    if (i == columns_.size() && is_seen) break;
    if (i == columns_.size() || columns_[i] == commit_) {
      is_seen = true;
      line += mark_;
      if (parents_.size() > 2) {
        for (int64_t dash = 0; dash < ExtraParents(); ++dash) line += dash + 1 == ExtraParents() ? "-." : "--";
      }
    } else if (is_seen && added_ > 1) {
      line += '\\';
    } else if (is_seen && added_ == 1) {
      line += before_ == State::kPostMerge && last_added_ > 0 && last_commit_column_ < column ? '\\' : '|';
    } else {
      const bool slants = before_ == State::kCollapsing && 2 * i + 1 < old_places_.size() && old_places_[2 * i + 1] == column && 2 * i < places_.size() && places_[2 * i] < column;
      line += slants ? '/' : '|';
    }
    line += ' ';
  }
  Turn(parents_.size() > 1 ? State::kPostMerge : IsSettled() ? State::kPadding : State::kCollapsing);
  return line;
}

std::string HistoryGraph::MergeLine() {
  std::string line;
  bool is_seen = false, has_parent = false;
  for (size_t i = 0; i <= columns_.size(); ++i) {
    if (i == columns_.size() && is_seen) break;
    const bool is_commit = i == columns_.size() || columns_[i] == commit_;
    if (is_commit) {
      is_seen = true;
      static constexpr char kMarks[] = {'/', '|', '\\'};
      size_t mark = static_cast<size_t>(layout_);
      for (size_t parent = 0; parent < parents_.size(); ++parent) {
        line += kMarks[mark];
        if (mark < 2) ++mark;
        else if (added_ > 0 || parent + 1 < parents_.size()) line += ' ';
      }
      if (added_ == 0) line += ' ';
    } else if (is_seen) {
      line += added_ > 0 ? "\\ " : "| ";
    } else {
      line += '|';
      if (layout_ != 0 || static_cast<int64_t>(i) + 1 != commit_column_) line += has_parent ? '_' : ' ';
    }
    if (i < columns_.size() && columns_[i] == parents_.front()) has_parent = true;
  }
  Turn(IsSettled() ? State::kPadding : State::kCollapsing);
  return line;
}

std::string HistoryGraph::CollapsingLine() {
  old_places_ = std::move(places_);
  places_.assign(old_places_.size(), -1);
  int64_t edge = -1, edge_target = -1;
  bool uses_edge = false;
  // A line that has far to go runs level, one of them in each row.
  const auto run_level = [&](int64_t at, int64_t target, int64_t end) {
    if (edge != -1) return;
    edge = end;
    edge_target = target;
    for (int64_t i = target * 2 + 3; i < at - 2; i += 2) places_[static_cast<size_t>(i)] = target;
  };
  for (size_t i = 0; i < old_places_.size(); ++i) {
    const int64_t target = old_places_[i], at = static_cast<int64_t>(i);
    if (target < 0) continue;
    if (target * 2 >= at) {
      places_[i] = target;
    } else if (places_[i - 1] < 0) {
      places_[i - 1] = target;
      run_level(at, target, at);
    } else if (places_[i - 1] != target && i >= 2) {
      // It crosses the line to its left.
      places_[i - 2] = target;
      run_level(at, target, at - 1);
    }
  }
  old_places_ = places_;
  if (places_.back() < 0) places_.pop_back();
  std::string line;
  for (size_t i = 0; i < places_.size(); ++i) {
    const int64_t target = places_[i], at = static_cast<int64_t>(i);
    if (target < 0) {
      line += ' ';
    } else if (target * 2 == at) {
      line += '|';
    } else if (target == edge_target && at != edge - 1) {
      if (at != target * 2 + 3) places_[i] = -1;
      uses_edge = true;
      line += '_';
    } else {
      if (uses_edge && at < edge) places_[i] = -1;
      line += '/';
    }
  }
  if (IsSettled()) Turn(State::kPadding);
  return line;
}

}  // namespace paddock::git
