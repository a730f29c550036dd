// tsort - topological sort
//
// usage: tsort [OPTION] [FILE]
// Reads pairs of words, the first of which has to come before the second, and writes all words in an order
// that agrees with them. Words without a predecessor come in the order of their bytes, then those they set free.
//
// Exit status: 0, or 1 for a loop (which is reported and broken), an odd number of words or an unreadable file.
// Source: POSIX tsort; GNU coreutils 9.1.
// Differs: nothing known.

#include <deque>
#include <map>
#include <ranges>

#include "commands/closed_input.h"
#include "commands/input_files.h"
#include "text/quote.h"

namespace paddock {
namespace {

struct Options {};

struct Node {
  explicit Node(std::string_view word) : text(word) {}
  std::string text;
  uint64_t predecessors = 0;
  std::vector<Node*> successors;
  Node* link = nullptr;     // the node after it on the path that the search for a loop follows
  bool is_written = false;
};

class Sorter {
 public:
  Sorter(Invocation& in, std::string_view shown_name) : in_(in), shown_name_(shown_name) {}

  bool Read(Input& input) {
    Node* first = nullptr;
    std::string word;
    while (ReadWord(input, word)) {
      in_.budget.Step();
      Node* node = Find(word);
      if (first == nullptr) {
        first = node;
        continue;
      }
      if (first != node) {
        first->successors.push_back(node);
        ++node->predecessors;
      }
      first = nullptr;
    }
    if (first == nullptr) return true;
    in_.Fail(shown_name_ + ": input contains an odd number of tokens");
    return false;
  }

  ExitStatus Write() {
    ExitStatus status = 0;
    size_t left = nodes_.size();
    while (left > 0) {
      for (auto& [word, node] : nodes_) {
        if (node.predecessors == 0 && !node.is_written) free_.push_back(&node);
      }
      left -= WriteFree();
      if (left == 0) break;
      in_.Fail(shown_name_ + ": input contains a loop:");
      status = 1;
      while (!BreakLoop()) in_.budget.Step();
    }
    return status;
  }

 private:
  static bool IsDelimiter(int c) { return c == ' ' || c == '\t' || c == '\n'; }

  static bool ReadWord(Input& input, std::string& word) {
    int c = input.Get();
    while (IsDelimiter(c)) c = input.Get();
    word.clear();
    for (; c >= 0 && !IsDelimiter(c); c = input.Get()) word += static_cast<char>(c);
    return !word.empty();
  }

  Node* Find(const std::string& word) {
    const auto found = nodes_.find(word);
    if (found != nodes_.end()) return &found->second;
    Node& node = nodes_.emplace(word, Node(word)).first->second;
    return &node;
  }

  // Writes all that has nothing left before it; returns the number.
  size_t WriteFree() {
    size_t count = 0;
    for (; !free_.empty(); ++count) {
      Node* node = free_.front();
      free_.pop_front();
      node->is_written = true;
      in_.budget.Step();
      in_.out.WriteLine(node->text);
      for (Node* next : node->successors | std::views::reverse) {
        in_.budget.Step();
        if (--next->predecessors == 0) free_.push_back(next);
      }
    }
    return count;
  }

  // One pass over the nodes in order, which puts predecessors before the path found so far; true when that
  // closed a loop, which is then written and opened at one edge.
  bool BreakLoop() {
    for (auto& [word, node] : nodes_) {
      if (node.predecessors == 0) continue;
      in_.budget.Step();
      if (path_ == nullptr) {
        path_ = &node;
        continue;
      }
      const auto edge = FindEdge(node);
      if (edge == node.successors.rend()) continue;
      if (node.link != nullptr) {
        ReportLoop(node, edge);
        return true;
      }
      node.link = path_;
      path_ = &node;
    }
    return path_ == nullptr;
  }

  std::vector<Node*>::reverse_iterator FindEdge(Node& node) {
    in_.budget.Step(static_cast<int64_t>(node.successors.size()));
    return std::find(node.successors.rbegin(), node.successors.rend(), path_);
  }

  void ReportLoop(Node& last, std::vector<Node*>::reverse_iterator edge) {
    while (path_ != nullptr) {
      Node* next = path_->link;
      in_.Fail(path_->text);
      if (path_ == &last) {
        --(*edge)->predecessors;
        last.successors.erase(std::next(edge).base());
        break;
      }
      path_->link = nullptr;
      path_ = next;
    }
    while (path_ != nullptr) {
      Node* next = path_->link;
      path_->link = nullptr;
      path_ = next;
    }
  }

  Invocation& in_;
  const std::string shown_name_;
  std::map<std::string, Node> nodes_;
  std::deque<Node*> free_;
  Node* path_ = nullptr;
};

ExitStatus Run(Invocation& in, const Options&, const std::vector<std::string>& operands) {
  if (operands.size() > 1) return in.Usage("extra operand " + Quote(operands[1], in.locale.is_utf8));
  const std::string name = operands.empty() ? "-" : operands[0];
  auto file = InputFile::Open(in, name);
  if (!file) return in.Fail(QuoteSubject(name, in.locale.is_utf8), file.error());
  Sorter sorter(in, QuoteSubject(name, in.locale.is_utf8));
  const bool is_even = sorter.Read(file->input());
  return CloseStandardInput(in, {name}, is_even ? sorter.Write() : 1, "standard input");
}

}  // namespace

extern const Command kCommand_tsort;
const Command kCommand_tsort = Define<Options, Run>({
    .name = "tsort",
    .summary = "write totally ordered list consistent with the partial ordering in FILE",
    .synopsis = "[OPTION] [FILE]",
});

}  // namespace paddock
