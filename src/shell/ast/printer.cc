#include "shell/ast/printer.h"

#include <algorithm>

namespace paddock::shell {
namespace {

// Writes a tree the way bash does, oddities included: the text of a here-document waits until the line
// with its operator ends, and a semicolon is left out behind it.
class Printer {
 public:
  std::string Function(const std::string& name, const Statement& definition) {
    out_ = name + " () \n";
    FunctionBody(definition);
    FlushHereDocuments("");
    return std::move(out_);
  }
  std::string Exported(const Statement& definition) {
    out_ = "() { ";
    step_ = 0;
    indentation_ = 1;
    FunctionInside(definition);
    indentation_ = 0;
    FunctionEnd(definition);
    return std::move(out_);
  }
  std::string One(const Statement& statement) {
    Command(statement);
    FlushHereDocuments("");
    return std::move(out_);
  }
  std::string All(const StatementList& list) {
    List(list);
    FlushHereDocuments("");
    return std::move(out_);
  }

 private:
  void Indent() { out_.append(static_cast<size_t>(indentation_), ' '); }
  // Each command starts with the indentation, unless what is before it on the line is its own parent.
  void StartCommand() {
    if (is_indent_skipped_) {
      is_indent_skipped_ = false;
    } else {
      Indent();
    }
  }
  void SkipIndent() { is_indent_skipped_ = true; }
  void NewLine(std::string_view text) {
    out_ += '\n';
    Indent();
    out_ += text;
  }
  void Semicolon() {
    if (out_.empty() || (out_.back() != '&' && out_.back() != '\n')) out_ += ';';
  }
  // Writes `text`, then the here-documents that wait.
  void FlushHereDocuments(std::string_view text) {
    out_ += text;
    if (waiting_.empty()) return;
    out_ += '\n';
    for (const Redirect* redirect : waiting_) {
      out_ += redirect->target.source;
      out_ += redirect->delimiter;
      out_ += '\n';
    }
    if (!text.empty()) out_ += ' ';
    waiting_.clear();
    was_here_document_ = true;
  }

  void List(const StatementList& list) {
    for (size_t i = 0; i < list.items.size(); ++i) {
      const StatementList::Item& item = list.items[i];
      const bool is_last = i + 1 == list.items.size();
      Command(*item.statement);
      if (item.is_background) {
        FlushHereDocuments(" &");
        if (!is_last) {
          out_ += ' ';
          SkipIndent();
        }
        continue;
      }
      // To bash a list is a chain of pairs: what ends a pair writes the here-documents that wait.
      if (i > 0) FlushHereDocuments("");
      if (!is_last) Separator(item.is_line_end);
    }
  }
  void Separator(bool is_line_end) {
    if (!waiting_.empty()) {
      FlushHereDocuments("");
    } else if (was_here_document_) {
      was_here_document_ = false;
    } else if (function_depth_ > 0 || !is_line_end) {
      out_ += ';';
    }
    if (function_depth_ > 0) {
      out_ += '\n';
      return;
    }
    out_ += is_line_end ? '\n' : ' ';
    SkipIndent();
  }

  void Command(const Statement& statement) {
    StartCommand();
    switch (statement.kind) {
      case Statement::Kind::kSimple: Simple(*statement.simple, !statement.redirects.empty()); break;
      case Statement::Kind::kPipeline: Pipeline(statement); break;
      case Statement::Kind::kAnd: Connection(statement, " && "); break;
      case Statement::Kind::kOr: Connection(statement, " || "); break;
      case Statement::Kind::kGroup: Group(statement); break;
      case Statement::Kind::kSubshell: Subshell(statement); break;
      case Statement::Kind::kIf: If(statement, 0); break;
      case Statement::Kind::kFor: For(statement, "for "); break;
      case Statement::Kind::kSelect: For(statement, "select "); break;
      case Statement::Kind::kArithmeticFor: ArithmeticFor(statement); break;
      case Statement::Kind::kWhile: Loop(statement, "while "); break;
      case Statement::Kind::kUntil: Loop(statement, "until "); break;
      case Statement::Kind::kCase: Case(statement); break;
      case Statement::Kind::kCondition:
        out_ += "[[ ";
        Test(*statement.test, false);
        out_ += " ]]";
        break;
      case Statement::Kind::kArithmetic:
        out_ += "((" + statement.expressions[0].source + "))";
        break;
      case Statement::Kind::kFunction:
        out_ += "function " + statement.name.text + " () \n";
        FunctionBody(*statement.definition);
        break;
      case Statement::Kind::kCoprocess:
        out_ += "coproc " + statement.name.text + " ";
        SkipIndent();
        Command(*statement.definition);
        break;
    }
    if (!statement.redirects.empty()) {
      if (statement.kind != Statement::Kind::kSimple) out_ += ' ';
      Redirects(statement.redirects);
    }
  }

  void Simple(const SimpleCommand& simple, bool has_redirects) {
    bool is_first = true;
    const auto add = [&](const std::string& source) {
      if (!is_first) out_ += ' ';
      out_ += source;
      is_first = false;
    };
    for (const Assignment& assignment : simple.assignments) add(assignment.source);
    for (const SimpleCommand::Argument& argument : simple.words) add(argument.word.source);
    if (has_redirects && !is_first) out_ += ' ';
  }

  void Pipeline(const Statement& pipeline) {
    if (pipeline.is_timed) out_ += pipeline.is_time_posix ? "time -p " : "time ";
    if (pipeline.is_negated) out_ += "! ";
    for (size_t i = 0; i < pipeline.children.size(); ++i) {
      const bool is_last = i + 1 == pipeline.children.size();
      SkipIndent();
      Command(*pipeline.children[i]);
      if (is_last) {
        if (i > 0) FlushHereDocuments("");
      } else {
        FlushHereDocuments(" |");
        out_ += ' ';
      }
    }
  }

  void Connection(const Statement& statement, std::string_view connector) {
    SkipIndent();
    Command(*statement.children[0]);
    FlushHereDocuments(connector);
    SkipIndent();
    Command(*statement.children[1]);
    FlushHereDocuments("");
  }

  void Body(const StatementListPtr& list) {
    indentation_ += step_;
    List(*list);
    FlushHereDocuments("");
    indentation_ -= step_;
  }

  void Group(const Statement& group) {
    out_ += "{ ";
    if (function_depth_ == 0) {
      SkipIndent();
      List(*group.body);
      FlushHereDocuments("");
      Semicolon();
      out_ += " }";
      return;
    }
    out_ += '\n';
    Body(group.body);
    NewLine("}");
  }

  void Subshell(const Statement& subshell) {
    out_ += "( ";
    SkipIndent();
    List(*subshell.body);
    FlushHereDocuments("");
    out_ += " )";
  }

  // An elif is an if inside else.
  void If(const Statement& statement, size_t index) {
    const Statement::Branch& branch = statement.branches[index];
    out_ += "if ";
    SkipIndent();
    List(*branch.condition);
    Semicolon();
    out_ += " then\n";
    Body(branch.body);
    if (index + 1 < statement.branches.size()) {
      Semicolon();
      NewLine("else\n");
      if (statement.branches[index + 1].condition == nullptr) {
        Body(statement.branches[index + 1].body);
      } else {
        indentation_ += step_;
        Indent();
        If(statement, index + 1);
        indentation_ -= step_;
      }
    }
    Semicolon();
    NewLine("fi");
  }

  void LoopBody(const Statement& loop) {
    Body(loop.body);
    Semicolon();
    NewLine("done");
  }

  void Loop(const Statement& loop, std::string_view keyword) {
    out_ += keyword;
    SkipIndent();
    List(*loop.condition);
    FlushHereDocuments("");
    Semicolon();
    out_ += " do\n";
    LoopBody(loop);
  }

  void For(const Statement& loop, std::string_view keyword) {
    out_ += keyword;
    out_ += loop.name.text + " in ";
    for (size_t i = 0; i < loop.words.size(); ++i) {
      if (i > 0) out_ += ' ';
      out_ += loop.words[i].source;
    }
    if (!loop.has_in) out_ += "\"$@\"";
    out_ += ';';
    NewLine("do\n");
    LoopBody(loop);
  }

  void ArithmeticFor(const Statement& loop) {
    out_ += "for ((";
    for (size_t i = 0; i < loop.expressions.size(); ++i) {
      if (i > 0) out_ += "; ";
      out_ += loop.expressions[i].source.empty() ? "1" : loop.expressions[i].source;
    }
    out_ += "))";
    NewLine("do\n");
    LoopBody(loop);
  }

  void Case(const Statement& statement) {
    out_ += "case " + statement.words[0].source + " in ";
    indentation_ += step_;
    for (const Statement::CaseClause& clause : statement.clauses) {
      NewLine("");
      for (size_t i = 0; i < clause.patterns.size(); ++i) {
        if (i > 0) out_ += " | ";
        out_ += clause.patterns[i].source;
      }
      out_ += ")\n";
      Body(clause.body);
      NewLine(clause.end == Statement::CaseEnd::kBreak         ? ";;"
              : clause.end == Statement::CaseEnd::kFallThrough ? ";&"
                                                               : ";;&");
    }
    indentation_ -= step_;
    NewLine("esac");
  }

  void Test(const Condition& test, bool is_negated) {
    if (test.kind == Condition::Kind::kNot && test.parentheses == 0) {
      Test(*test.left, !is_negated);
      return;
    }
    if (is_negated) out_ += "! ";
    for (int i = 0; i < test.parentheses; ++i) out_ += "( ";
    switch (test.kind) {
      case Condition::Kind::kAnd:
      case Condition::Kind::kOr:
        Test(*test.left, false);
        out_ += test.kind == Condition::Kind::kAnd ? " && " : " || ";
        Test(*test.right, false);
        break;
      case Condition::Kind::kNot:
        Test(*test.left, true);
        break;
      case Condition::Kind::kUnary:
        out_ += test.op + " " + test.word.source;
        break;
      case Condition::Kind::kBinary:
        out_ += test.word.source + " " + test.op + " " + test.word2.source;
        break;
      case Condition::Kind::kWord:
        out_ += "-n " + test.word.source;
        break;
    }
    for (int i = 0; i < test.parentheses; ++i) out_ += " )";
  }

  // "{ … }" of a function, whatever its body is.
  void FunctionBody(const Statement& definition) {
    Indent();
    out_ += "{ \n";
    indentation_ += step_;
    FunctionInside(definition);
    indentation_ -= step_;
    FunctionEnd(definition);
  }

  void FunctionInside(const Statement& definition) {
    ++function_depth_;
    if (definition.kind == Statement::Kind::kGroup) {
      List(*definition.body);
    } else {
      Command(definition);
    }
    FlushHereDocuments("");
    --function_depth_;
    was_here_document_ = false;
  }

  void FunctionEnd(const Statement& definition) {
    NewLine("}");
    if (definition.kind == Statement::Kind::kGroup && !definition.redirects.empty()) {
      out_ += ' ';
      Redirects(definition.redirects);
    }
  }

  void Redirects(const std::vector<Redirect>& redirects) {
    std::vector<const Redirect*> documents;
    was_here_document_ = false;
    for (size_t i = 0; i < redirects.size(); ++i) {
      if (i > 0) out_ += ' ';
      One(redirects[i]);
      if (redirects[i].kind == Redirect::Kind::kHereDocument) documents.push_back(&redirects[i]);
    }
    if (documents.empty()) return;
    FlushHereDocuments("");
    waiting_ = std::move(documents);
  }

  // The number or {name} before an operator; a number that is the operator's own is left out.
  void Descriptor(const Redirect& redirect, int own) {
    if (!redirect.variable.empty()) {
      out_ += "{" + redirect.variable + "}";
    } else if (redirect.descriptor >= 0 && redirect.descriptor != own) {
      out_ += std::to_string(redirect.descriptor);
    }
  }

  void Duplicate(const Redirect& redirect, char direction) {
    const std::string& target = redirect.target.source;
    const int own = direction == '<' ? 0 : 1;
    const bool is_close = target == "-";
    std::string_view digits = target;
    if (!digits.empty() && digits.back() == '-') digits.remove_suffix(1);
    const bool is_number =
        std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (!redirect.variable.empty()) {
      out_ += "{" + redirect.variable + "}";
    } else if (redirect.descriptor >= 0 && (is_number || redirect.descriptor != own)) {
      out_ += std::to_string(redirect.descriptor);
    } else if (is_number) {
      out_ += std::to_string(own);
    }
    out_ += is_close ? '>' : direction;
    out_ += '&';
    out_ += target;
  }

  void One(const Redirect& redirect) {
    switch (redirect.kind) {
      case Redirect::Kind::kInput: Descriptor(redirect, 0); out_ += "< "; break;
      case Redirect::Kind::kOutput: Descriptor(redirect, 1); out_ += "> "; break;
      case Redirect::Kind::kClobber: Descriptor(redirect, 1); out_ += ">| "; break;
      case Redirect::Kind::kAppend: Descriptor(redirect, 1); out_ += ">> "; break;
      case Redirect::Kind::kReadWrite:
        if (redirect.variable.empty() && redirect.descriptor < 0) out_ += '0';
        Descriptor(redirect, 1);
        out_ += "<> ";
        break;
      case Redirect::Kind::kHereString: Descriptor(redirect, 0); out_ += "<<< "; break;
      case Redirect::Kind::kDuplicateInput: Duplicate(redirect, '<'); return;
      case Redirect::Kind::kDuplicateOutput: Duplicate(redirect, '>'); return;
      case Redirect::Kind::kBoth: out_ += redirect.descriptor == 1 ? ">&" : "&> "; break;
      case Redirect::Kind::kBothAppend: out_ += "&>> "; break;
      case Redirect::Kind::kHereDocument:
        Descriptor(redirect, 0);
        out_ += redirect.strips_tabs ? "<<-" : "<<";
        if (redirect.is_quoted) {
          out_ += '\'';
          for (const char c : redirect.delimiter) {
            if (c == '\'') {
              out_ += "'\\''";
            } else {
              out_ += c;
            }
          }
          out_ += '\'';
        } else {
          out_ += redirect.delimiter;
        }
        return;
    }
    out_ += redirect.target.source;
  }

  std::string out_;
  int step_ = 4;
  int indentation_ = 0;
  bool is_indent_skipped_ = false;
  int function_depth_ = 0;
  std::vector<const Redirect*> waiting_;
  bool was_here_document_ = false;
};

}  // namespace

std::string PrintFunction(const std::string& name, const Statement& definition) {
  return Printer().Function(name, definition);
}

std::string PrintExportedFunction(const Statement& definition) { return Printer().Exported(definition); }

std::string PrintStatement(const Statement& statement) { return Printer().One(statement); }

std::string PrintList(const StatementList& list) { return Printer().All(list); }

std::string PrintSubstitution(const StatementList& list) {
  const std::string text = Printer().All(list);
  return !text.empty() && text[0] == '(' ? " " + text : text;
}

}  // namespace paddock::shell
