#include "lang/awk/pretty.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "base/budget.h"
#include "lang/awk/pretty_parts.h"

namespace paddock::awk {
namespace {

// A rule, a function or an @include, with the comments that belong to it.
struct Item {
  const Rule* rule = nullptr;
  const FunctionDefinition* function = nullptr;
  Place place;
  uint32_t end_line = 0;
  std::string space;
  bool changes_space = false;         // an @namespace stands in front of it
  uint32_t previous_line = 0;         // where the item before it in its source ends
  std::vector<const Comment*> lead;   // in front of it
  std::vector<const Comment*> inner;  // within its lines
};

std::string SortKey(const FunctionDefinition& function) {
  return function.name.find("::") == std::string::npos ? "awk::" + function.name : function.name;
}

class Printer {
 public:
  Printer(const SyntaxTree& tree, const std::vector<uint64_t>* counts, Budget& budget)
      : tree_(tree), counts_(counts), budget_(budget) {}

  std::string Run() {
    CollectItems();
    if (counts_ == nullptr) AssignComments();
    Block(heading_);
    Rules(Rule::When::kBegin, "BEGIN");
    Rules(Rule::When::kBeginFile, "BEGINFILE");
    Rules(Rule::When::kRecord, "");
    Rules(Rule::When::kEndFile, "ENDFILE");
    Rules(Rule::When::kEnd, "END");
    Block(rest_);
    if (counts_ == nullptr) Inclusions();
    Functions();
    return std::move(out_);
  }

 private:
  std::string Text(const Node& node) { return ExpressionText(node, space_, budget_); }
  uint64_t CountOf(const Node& node) const { return counts_ == nullptr ? 0 : (*counts_)[static_cast<size_t>(node.id)]; }

  // --- items and comments
  void CollectItems();
  void AssignComments();
  // Comments that stand together, with one empty line where the program has some.
  void Block(const std::vector<const Comment*>& comments);
  void Flush(uint32_t before_line);
  std::string TakeTrailing(uint32_t line);
  // The trailing comment of the line that `brace` opens, unless more of the program follows there.
  std::string TakeOpening(const Node& block);

  // --- lines
  void Start(uint64_t count = 0);
  void Line(std::string_view text, uint64_t count = 0) {
    Start(count);
    out_ += text;
    out_ += '\n';
  }
  std::string Turns(uint64_t count) const { return count == 0 ? "" : " # " + std::to_string(count); }

  // --- what the program consists of
  // The @namespace lines in front of the item that change anything.
  void ChangeSpace(const Item& item);
  void WriteSpace(const std::string& space, std::string_view comment);
  // True for a comment that belongs to an @namespace, on its line or right below.
  bool TakeSpaceComment(const Comment& comment);
  void Rules(Rule::When when, std::string_view name);
  void WriteRule(const Item& item, std::string_view name);
  void Inclusions();
  void Functions();
  void Body(const Node& block);
  void Statements(const std::vector<Node*>& list, uint32_t end_line);
  void Statement(const Node& node);
  void Simple(const Node& node, const std::string& text);
  // The statement that `head` governs, in braces; the text behind the closing one is left to the caller.
  void Governed(const Node& body);
  void CloseLoop(const Node& body);
  void If(const Node& node, uint64_t count, const std::string& start);
  void Switch(const Node& node);
  std::string For(const Node& node);
  std::string SimpleText(const Node& node);
  std::string PrintText(const Node& node);
  std::string WithValue(std::string_view word, const Node& node);

  const SyntaxTree& tree_;
  const std::vector<uint64_t>* counts_;
  Budget& budget_;
  std::string out_;
  size_t indent_ = 0;
  std::vector<Item> items_;
  std::vector<const Comment*> heading_, rest_;
  std::vector<const Comment*> pending_;  // of the item in progress
  size_t next_comment_ = 0;
  uint32_t following_line_ = 0;  // where the program goes on behind the statement in progress
  std::string space_;
  std::vector<const Comment*> space_comments_;   // by number of the @namespace
  bool has_heading_ = false;
};

void Printer::CollectItems() {
  for (const Rule& rule : tree_.rules) items_.push_back({&rule, nullptr, rule.place, rule.end_line, rule.space, false, 0, {}, {}});
  for (const FunctionDefinition& function : tree_.functions) {
    if (!function.is_defined) continue;
    items_.push_back({nullptr, &function, {function.place.source, function.start_line}, function.end_line,
                      function.space, false, 0, {}, {}});
  }
  std::stable_sort(items_.begin(), items_.end(), [](const Item& a, const Item& b) {
    return a.place.source != b.place.source ? a.place.source < b.place.source : a.place.line < b.place.line;
  });
  for (size_t i = 0; i < items_.size(); ++i) {
    const bool is_first = i == 0 || items_[i - 1].place.source != items_[i].place.source;
    items_[i].previous_line = is_first ? 0 : items_[i - 1].end_line;
    items_[i].changes_space = items_[i].space != (is_first ? "" : items_[i - 1].space);
  }
}

void Printer::AssignComments() {
  space_comments_.resize(tree_.space_changes.size());
  for (const Comment& comment : tree_.comments) {
    budget_.Step();
    if (TakeSpaceComment(comment)) continue;
    const auto next = std::find_if(items_.begin(), items_.end(), [&](const Item& item) {
      budget_.Step();
      return item.place.source == comment.place.source && item.end_line > comment.place.line;
    });
    if (next == items_.end()) {
      rest_.push_back(&comment);
    } else if (next->place.line <= comment.place.line) {
      next->inner.push_back(&comment);
    } else if (next == items_.begin() && comment.place.source == 0) {
      heading_.push_back(&comment);
    } else {
      next->lead.push_back(&comment);
    }
  }
}

void Printer::Block(const std::vector<const Comment*>& comments) {
  for (size_t i = 0; i < comments.size(); ++i) {
    const bool has_gap = i > 0 && comments[i]->is_alone && comments[i - 1]->is_alone &&
                         comments[i]->place.line > comments[i - 1]->place.line + 1;
    if (has_gap) Line("");
    Line(comments[i]->text);
  }
}

void Printer::Flush(uint32_t before_line) {
  std::vector<const Comment*> block;
  while (next_comment_ < pending_.size() && pending_[next_comment_]->place.line < before_line) {
    block.push_back(pending_[next_comment_++]);
  }
  Block(block);
}

std::string Printer::TakeTrailing(uint32_t line) {
  if (next_comment_ >= pending_.size() || line == following_line_) return "";
  const Comment* const comment = pending_[next_comment_];
  if (comment->place.line != line || comment->is_alone) return "";
  ++next_comment_;
  return "\t" + comment->text;
}

std::string Printer::TakeOpening(const Node& block) {
  if (block.kind != NodeKind::kBlock || block.end_line == block.place.line) return "";
  if (!block.list.empty() && block.list[0]->place.line == block.place.line) return "";
  const uint32_t following = std::exchange(following_line_, 0);
  const std::string comment = TakeTrailing(block.place.line);
  following_line_ = following;
  return comment;
}

void Printer::Start(uint64_t count) {
  if (counts_ != nullptr) {
    char column[32] = "\t";
    if (count > 0) std::snprintf(column, sizeof column, "%6llu  ", static_cast<unsigned long long>(count));
    out_ += column;
  }
  out_.append(indent_, '\t');
}

void Printer::ChangeSpace(const Item& item) {
  for (size_t i = 0; i < tree_.space_changes.size(); ++i) {
    const SpaceChange& change = tree_.space_changes[i];
    budget_.Step();
    if (change.place.source != item.place.source || change.place.line > item.place.line || change.place.line < item.previous_line) continue;
    WriteSpace(change.space, space_comments_[i] == nullptr ? "" : "\t" + space_comments_[i]->text);
  }
  WriteSpace(item.space, "");
}

void Printer::WriteSpace(const std::string& space, std::string_view comment) {
  if (space == space_) return;
  space_ = space;
  out_ += '\n';
  Line("@namespace \"" + (space.empty() ? "awk" : space) + "\"" + std::string(comment));
  out_ += '\n';
}

bool Printer::TakeSpaceComment(const Comment& comment) {
  for (size_t i = 0; i < tree_.space_changes.size(); ++i) {
    const Place place = tree_.space_changes[i].place;
    budget_.Step();
    const bool is_here = place.line == comment.place.line || (comment.is_alone && place.line + 1 == comment.place.line);
    if (place.source != comment.place.source || !is_here || space_comments_[i] != nullptr) continue;
    space_comments_[i] = &comment;
    return true;
  }
  return false;
}

void Printer::Rules(Rule::When when, std::string_view name) {
  bool is_first = true;
  for (const Item& item : items_) {
    if (item.rule == nullptr || item.rule->when != when) continue;
    if (is_first && counts_ != nullptr) Line("# " + std::string(name) + (name.empty() ? "Rule(s)\n" : " rule(s)\n"));
    is_first = false;
    if (item.changes_space) ChangeSpace(item);
    Block(item.lead);
    WriteRule(item, name);
  }
}

void Printer::WriteRule(const Item& item, std::string_view name) {
  const Rule& rule = *item.rule;
  std::string head(name);
  uint64_t count = 0;
  if (rule.pattern != nullptr) {
    head = Text(*rule.pattern);
    if (rule.range_end != nullptr) head += ", " + Text(*rule.range_end);
    count = CountOf(*rule.pattern);
  } else if (name.empty()) {
    count = CountOf(*rule.action);
  }
  pending_ = item.inner;
  next_comment_ = 0;
  Line(head + (head.empty() ? "{" : " {") + (rule.pattern != nullptr ? Turns(CountOf(*rule.action)) : "") + TakeOpening(*rule.action), count);
  Body(*rule.action);
  Line("}");
  out_ += '\n';
}

void Printer::Inclusions() {
  if (tree_.inclusions.empty()) return;
  out_ += '\n';
  Line("# Included files (-i and/or @include)");
  out_ += '\n';
  for (const Inclusion& inclusion : tree_.inclusions) {
    Start();
    out_ += "# @include \"" + inclusion.path + "\"";
    const auto first = std::find_if(items_.begin(), items_.end(),
                                    [&](const Item& item) { return item.place.source == inclusion.source; });
    if (first == items_.end() || first->lead.empty()) {
      out_ += '\n';
      continue;
    }
    out_ += '\t';
    Block(first->lead);
    first->lead.clear();
  }
  out_ += '\n';
}

void Printer::Functions() {
  std::vector<const Item*> functions;
  for (const Item& item : items_) {
    if (item.function != nullptr) functions.push_back(&item);
  }
  std::sort(functions.begin(), functions.end(),
            [](const Item* a, const Item* b) { return SortKey(*a->function) < SortKey(*b->function); });
  if (!functions.empty() && counts_ != nullptr) {
    out_ += '\n';
    Line("# Functions, listed alphabetically");
  }
  for (const Item* item : functions) {
    const FunctionDefinition& function = *item->function;
    if (item->changes_space) ChangeSpace(*item);
    out_ += '\n';
    std::vector<const Comment*> lead = item->lead;
    if (!lead.empty() && !lead[0]->is_alone) {
      Line(lead[0]->text);
      lead.erase(lead.begin());
      out_ += '\n';
    }
    Block(lead);
    std::string name = NameWithin(space_, function.name);
    for (size_t i = 0; i < function.parameters.size(); ++i) {
      name += (i == 0 ? "(" : ", ") + function.parameters[i];
    }
    Line("function " + name + (function.parameters.empty() ? "()" : ")"), CountOf(*function.body));
    Line("{");
    pending_ = item->inner;
    next_comment_ = 0;
    Body(*function.body);
    Line("}");
  }
}

void Printer::Body(const Node& block) {
  ++indent_;
  following_line_ = 0;
  Statements(block.list, block.end_line);
  Flush(block.end_line + 1);
  --indent_;
}

// A line of 0 is no line: what follows is somewhere else.
void Printer::Statements(const std::vector<Node*>& list, uint32_t end_line) {
  const uint32_t following = following_line_;
  for (size_t i = 0; i < list.size(); ++i) {
    following_line_ = i + 1 < list.size() ? list[i + 1]->place.line : end_line != 0 ? end_line : following;
    Statement(*list[i]);
  }
  following_line_ = following;
}

void Printer::Statement(const Node& node) {
  budget_.CheckStack();
  budget_.Step();
  if (node.kind == NodeKind::kBlock) {
    Statements(node.list, node.end_line);
    return;
  }
  Flush(node.place.line);
  const uint64_t count = CountOf(node);
  switch (node.kind) {
    case NodeKind::kIf: If(node, count, ""); return;
    case NodeKind::kWhile:
      Start(CountOf(*node.b));
      out_ += "while (" + Text(*node.a) + ") ";
      Governed(*node.b);
      CloseLoop(*node.b);
      return;
    case NodeKind::kDo:
      Start(CountOf(*node.b));
      out_ += "do ";
      Governed(*node.b);
      Line("} while (" + Text(*node.a) + ")" + TakeTrailing(node.end_line));
      return;
    case NodeKind::kFor:
      Start(CountOf(*node.b));
      out_ += For(node);
      Governed(*node.b);
      CloseLoop(*node.b);
      return;
    case NodeKind::kForIn:
      Start(CountOf(*node.c));
      out_ += "for (" + Text(*node.a) + " in " + Text(*node.b) + ") ";
      Governed(*node.c);
      CloseLoop(*node.c);
      return;
    case NodeKind::kSwitch: Switch(node); return;
    default: break;
  }
  Flush(node.end_line);
  Line(SimpleText(node) + TakeTrailing(node.end_line), count);
}

void Printer::Governed(const Node& body) {
  out_ += "{" + TakeOpening(body) + "\n";
  ++indent_;
  Statement(body);
  if (body.kind == NodeKind::kBlock) Flush(body.end_line);
  --indent_;
}

void Printer::CloseLoop(const Node& body) {
  Line("}" + (body.kind == NodeKind::kBlock ? TakeTrailing(body.end_line) : ""));
}

void Printer::If(const Node& node, uint64_t count, const std::string& start) {
  Start(count);
  out_ += start + "if (" + Text(*node.a) + ") {" + Turns(CountOf(*node.b)) + TakeOpening(*node.b) + "\n";
  ++indent_;
  const uint32_t following = following_line_;
  if (node.c != nullptr) following_line_ = node.c->place.line;
  Statement(*node.b);
  following_line_ = following;
  if (node.b->kind == NodeKind::kBlock) Flush(node.b->end_line);
  --indent_;
  if (node.c == nullptr) {
    CloseLoop(*node.b);
    return;
  }
  const Node* otherwise = node.c;
  if (otherwise->kind == NodeKind::kBlock && otherwise->list.size() == 1) otherwise = otherwise->list[0];
  if (otherwise->kind == NodeKind::kIf) {
    If(*otherwise, CountOf(*otherwise), "} else ");
    return;
  }
  Start(CountOf(*node.c));
  out_ += "} else ";
  Governed(*node.c);
  CloseLoop(*node.c);
}

std::string Printer::For(const Node& node) {
  const Node* const init = node.list[0];
  const Node* const step = node.list[1];
  if (init == nullptr && step == nullptr && node.a == nullptr) return "for (;;) ";
  return "for (" + (init == nullptr ? "" : SimpleText(*init)) + "; " + (node.a == nullptr ? "" : Text(*node.a)) + "; " +
         (step == nullptr ? "" : SimpleText(*step)) + ") ";
}

void Printer::Switch(const Node& node) {
  const uint32_t following = std::exchange(following_line_, node.list.empty() ? node.end_line : node.list[0]->place.line);
  Line("switch (" + Text(*node.a) + ") {" + TakeTrailing(node.place.line), CountOf(node));
  for (size_t i = 0; i < node.list.size(); ++i) {
    const Node& label = *node.list[i];
    const uint32_t next_line = i + 1 < node.list.size() ? node.list[i + 1]->place.line : node.end_line;
    Flush(label.place.line);
    following_line_ = label.list.empty() ? next_line : label.list[0]->place.line;
    const std::string name = label.a == nullptr ? "default:" : "case " + Text(*label.a) + ":";
    Line(name + TakeTrailing(label.place.line), CountOf(label));
    ++indent_;
    following_line_ = next_line;
    Statements(label.list, next_line);
    Flush(next_line);
    --indent_;
  }
  following_line_ = following;
  Line("}");
}

std::string Printer::WithValue(std::string_view word, const Node& node) {
  if (node.a == nullptr) return std::string(word);
  const std::string value = Text(*node.a);
  const bool needs_parens = IsBinary(*node.a) && !value.starts_with('(');
  return std::string(word) + " " + (needs_parens ? "(" + value + ")" : value);
}

std::string Printer::PrintText(const Node& node) {
  std::string list = ExpressionList(node.list, ", ", space_, budget_);
  const std::string word = node.kind == NodeKind::kPrint ? "print" : "printf";
  if (node.redirect == Redirect::kNone) return list.empty() ? word : word + " " + list;
  const bool is_enclosed = node.list.size() == 1 && list.starts_with('(') && list.ends_with(')');
  if (!is_enclosed && (!node.list.empty() || node.kind == NodeKind::kPrintf)) list = "(" + list + ")";
  std::string to = Text(*node.b);
  if (IsBinary(*node.b) && !to.starts_with('(')) to = "(" + to + ")";
  static constexpr const char* kRedirects[] = {"", " > ", " >> ", " | ", " |& "};
  return word + list + kRedirects[static_cast<int>(node.redirect)] + to;
}

std::string Printer::SimpleText(const Node& node) {
  switch (node.kind) {
    case NodeKind::kPrint:
    case NodeKind::kPrintf: return PrintText(node);
    case NodeKind::kBreak: return "break";
    case NodeKind::kContinue: return "continue";
    case NodeKind::kNext: return "next";
    case NodeKind::kNextFile: return "nextfile";
    case NodeKind::kExit: return WithValue("exit", node);
    case NodeKind::kReturn: return WithValue("return", node);
    case NodeKind::kDelete:
      if (node.a->kind != NodeKind::kElement) return "delete " + Text(*node.a);
      return "delete " + Text(*node.a->a) + "[" + ExpressionList(node.a->list, " ", space_, budget_) + "]";
    default: return node.a == nullptr ? "" : Text(*node.a);
  }
}

}  // namespace

std::string PrettyPrint(const SyntaxTree& tree, const std::vector<uint64_t>* counts, Budget& budget) {
  return Printer(tree, counts, budget).Run();
}

}  // namespace paddock::awk
