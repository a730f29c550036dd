#include "shell/ast/lines.h"

namespace paddock::shell {
namespace {

class LineVisitor {
 public:
  explicit LineVisitor(const std::function<void(int& line)>& visit) : visit_(visit) {}

  void Visit(const Statement& statement) {
    Line(statement.line);
    for (const Redirect& redirect : statement.redirects) {
      Line(redirect.line);
      Visit(redirect.target);
    }
    if (statement.simple) Visit(*statement.simple);
    for (const auto& child : statement.children) Visit(*child);
    Visit(statement.condition);
    Visit(statement.body);
    for (size_t i = 0; i < statement.branches.size(); ++i) {
      const Statement::Branch& branch = statement.branches[i];
      Line(branch.line);
      if (i > 0 && branch.condition) {
        // An elif is printed as an if inside an else.
        Line(branch.line);
        Line(branch.line);
      }
      Visit(branch.condition);
      Visit(branch.body);
    }
    for (const Word& word : statement.words) Visit(word);
    for (const Word& word : statement.expressions) Visit(word);
    for (const Statement::CaseClause& clause : statement.clauses) {
      for (const Word& pattern : clause.patterns) Visit(pattern);
      Visit(clause.body);
    }
    if (statement.test) Visit(*statement.test);
    if (statement.definition) Visit(*statement.definition);
  }

 private:
  void Line(const int& line) { visit_(const_cast<int&>(line)); }

  void Visit(const StatementListPtr& list) {
    if (list == nullptr) return;
    for (const StatementList::Item& item : list->items) Visit(*item.statement);
  }
  void Visit(const std::unique_ptr<Word>& word) {
    if (word) Visit(*word);
  }
  void Visit(const Word& word) {
    for (const WordPart& part : word.parts) Visit(part);
  }
  void Visit(const WordPart& part) {
    // Of other parts the text decides where they begin and end, so they are not the same once printed.
    if (part.kind == WordPart::Kind::kCommand || part.kind == WordPart::Kind::kProcess) Line(part.line);
    for (const WordPart& inner : part.parts) Visit(inner);
    if (part.parameter) {
      Visit(part.parameter->subscript);
      Visit(part.parameter->word);
      Visit(part.parameter->word2);
    }
    Visit(part.program);
    Visit(part.expression);
  }
  void Visit(const Assignment& assignment) {
    Visit(assignment.subscript);
    Visit(assignment.value);
    for (const Assignment::Element& element : assignment.elements) {
      Visit(element.subscript);
      Visit(element.value);
    }
  }
  void Visit(const SimpleCommand& simple) {
    for (const Assignment& assignment : simple.assignments) Visit(assignment);
    for (const SimpleCommand::Argument& argument : simple.words) {
      Visit(argument.word);
      if (argument.assignment) Visit(*argument.assignment);
    }
  }
  void Visit(const Condition& condition) {
    if (condition.left) Visit(*condition.left);
    if (condition.right) Visit(*condition.right);
    Visit(condition.word);
    Visit(condition.word2);
  }

  const std::function<void(int& line)>& visit_;
};

}  // namespace

void VisitLines(const Statement& statement, const std::function<void(int& line)>& visit) {
  LineVisitor(visit).Visit(statement);
}

}  // namespace paddock::shell
