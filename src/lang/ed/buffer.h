// The lines that are edited, with one step of undo.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace paddock {
class Budget;
}

namespace paddock::ed {

struct Line {
  explicit Line(std::string_view content) : text(content) {}
  std::string text;
  bool is_in_buffer = false;
};
// Shared by the buffer, marks, lists of global commands and the undo log: a line is one and the same wherever it moves.
using LinePtr = std::shared_ptr<Line>;

class Buffer {
 public:
  explicit Buffer(Budget& budget) : budget_(budget) {}

  size_t size() const { return lines_.size(); }
  // Lines count from 1.
  const LinePtr& at(size_t number) const { return lines_[number - 1]; }
  // The number of a line, looked for from `hint` on and around; 0 when it is not there.
  size_t Find(const Line& line, size_t hint) const;

  // Takes `count` lines behind line `after` away and puts others there.
  void Replace(size_t after, size_t count, std::vector<LinePtr> lines);
  void Insert(size_t after, std::vector<LinePtr> lines) { Replace(after, 0, std::move(lines)); }
  // All lines away, nothing to undo.
  void Clear();

  size_t current() const { return current_; }
  void set_current(size_t number) { current_ = number; }
  bool is_modified() const { return is_modified_; }
  void set_modified(bool is_modified) { is_modified_ = is_modified; }

  // What is done from the next change on is the step that Undo() takes back.
  void BeginStep() { begins_step_ = true; }
  // Forgets the step before.
  void DropStep();
  // False when there is nothing to undo. Undoing again does it again.
  bool Undo();

 private:
  struct Change {
    size_t after;
    std::vector<LinePtr> removed;
    size_t inserted;
  };
  std::vector<LinePtr> Splice(size_t after, size_t count, std::vector<LinePtr> lines);

  Budget& budget_;
  std::vector<LinePtr> lines_;
  size_t current_ = 0;
  bool is_modified_ = false;
  bool begins_step_ = true;
  std::vector<Change> step_;
  size_t step_current_ = 0;   // the current line before the step
  bool step_modified_ = false;
};

}  // namespace paddock::ed
