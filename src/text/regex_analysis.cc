#include "text/regex_analysis.h"

#include <algorithm>

namespace paddock {
namespace {

using Kind = RegexNode::Kind;

bool IsAssertion(const RegexNode& node, Assertion assertion) {
  return node.kind == Kind::kAssertion && node.value == static_cast<uint32_t>(assertion);
}

// The longest run of literal bytes that every match contains, gathered from left to right.
class LiteralFinder {
 public:
  explicit LiteralFinder(const RegexTree& tree) : tree_(tree) {}

  std::string Run() {
    Visit(tree_.root);
    Break();
    return best_;
  }

 private:
  void Break() {
    if (run_.size() > best_.size()) best_ = run_;
    run_.clear();
  }

  void Visit(uint32_t index) {
    const RegexNode& node = tree_.at(index);
    switch (node.kind) {
      case Kind::kLiteral: run_.append(tree_.Literal(node)); break;
      case Kind::kConcat:
        for (const uint32_t child : node.children) Visit(child);
        break;
      case Kind::kGroup: Visit(node.children[0]); break;
      case Kind::kRepeat:
        Break();
        if (node.min > 0) Visit(node.children[0]);
        Break();
        break;
      case Kind::kEmpty:
      case Kind::kAssertion: break;
      default: Break();
    }
  }

  const RegexTree& tree_;
  std::string run_;
  std::string best_;
};

constexpr size_t kHuge = size_t{1} << 40;

size_t ProgramSize(const RegexTree& tree, uint32_t index) {
  const RegexNode& node = tree.at(index);
  size_t size = 1;
  for (const uint32_t child : node.children) size += ProgramSize(tree, child) + 2;
  if (node.kind == Kind::kRepeat) {
    const int copies = node.max == RegexNode::kNoMaximum ? node.min + 1 : node.max;
    size = size * static_cast<size_t>(std::max(copies, 1));
  }
  return std::min(size, kHuge);
}

bool HasGroup(const RegexTree& tree, uint32_t index) {
  const RegexNode& node = tree.at(index);
  return node.kind == Kind::kGroup ||
         std::any_of(node.children.begin(), node.children.end(), [&](uint32_t c) { return HasGroup(tree, c); });
}

void AnalyzeRun(const RegexTree& tree, uint32_t index, RegexAnalysis& analysis) {
  const RegexNode* node = &tree.at(index);
  analysis.run_is_single = true;
  analysis.run_min = 1;
  if (node->kind == Kind::kRepeat && node->max == RegexNode::kNoMaximum) {
    analysis.run_is_single = false;
    analysis.run_min = node->min;
    node = &tree.at(node->children[0]);
  }
  analysis.is_run = node->kind == Kind::kSet;
  analysis.run_set = node->value;
}

void AnalyzePlain(const RegexTree& tree, RegexAnalysis& analysis) {
  const RegexNode& root = tree.at(tree.root);
  std::vector<uint32_t> parts = root.kind == Kind::kConcat ? root.children : std::vector<uint32_t>{tree.root};
  const auto is = [&](uint32_t part, Assertion a, Assertion b) {
    return IsAssertion(tree.at(part), a) || IsAssertion(tree.at(part), b);
  };
  if (!parts.empty() && is(parts.front(), Assertion::kTextStart,
                           tree.multiline ? Assertion::kTextStart : Assertion::kLineStart)) {
    analysis.plain_at_start = analysis.is_anchored = true;
    parts.erase(parts.begin());
  }
  if (!parts.empty() && is(parts.back(), Assertion::kTextEnd,
                           tree.multiline ? Assertion::kTextEnd : Assertion::kLineEnd)) {
    analysis.plain_at_end = true;
    parts.pop_back();
  }
  if (parts.size() == 1) AnalyzeRun(tree, parts.front(), analysis);
  analysis.is_plain = std::all_of(parts.begin(), parts.end(), [&](uint32_t part) {
    return tree.at(part).kind == Kind::kLiteral || tree.at(part).kind == Kind::kEmpty;
  });
}

}  // namespace

bool IsNullable(const RegexTree& tree, uint32_t index) {
  const RegexNode& node = tree.at(index);
  const auto nullable = [&tree](uint32_t child) { return IsNullable(tree, child); };
  switch (node.kind) {
    case Kind::kEmpty:
    case Kind::kAssertion:
    case Kind::kBackReference: return true;
    case Kind::kLiteral: return node.min == 0;
    case Kind::kSet: return false;
    case Kind::kConcat: return std::all_of(node.children.begin(), node.children.end(), nullable);
    case Kind::kAlternate: return std::any_of(node.children.begin(), node.children.end(), nullable);
    case Kind::kRepeat: return node.min == 0 || nullable(node.children[0]);
    case Kind::kGroup: return nullable(node.children[0]);
  }
  return true;
}

RegexAnalysis AnalyzeRegex(const RegexTree& tree) {
  RegexAnalysis analysis;
  analysis.required = LiteralFinder(tree).Run();
  AnalyzePlain(tree, analysis);
  analysis.is_nullable = IsNullable(tree, tree.root);
  analysis.size = ProgramSize(tree, tree.root);
  for (const RegexNode& node : tree.nodes) {
    if (node.kind == Kind::kBackReference) analysis.has_back_references = true;
    if (node.kind == Kind::kAssertion && node.value >= static_cast<uint32_t>(Assertion::kWordBoundary)) {
      analysis.has_word_assertions = true;
    }
    if (node.kind == Kind::kRepeat && HasGroup(tree, node.children[0])) {
      const bool is_counted = node.max != RegexNode::kNoMaximum && node.max > 1;
      if (is_counted || IsNullable(tree, node.children[0])) analysis.has_subtle_groups = true;
    }
    if (node.kind == Kind::kSet && !tree.sets[node.value].is_byte_wise()) analysis.is_byte_wise = false;
  }
  if (tree.is_utf8 && analysis.has_word_assertions) analysis.is_byte_wise = false;
  return analysis;
}

}  // namespace paddock
