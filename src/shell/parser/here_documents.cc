// Here-documents: their bodies, read when the line with the operator ends.
#include <algorithm>

#include "shell/parser/lexer.h"

namespace paddock::shell {
namespace {

using Kind = WordPart::Kind;

// True if an odd number of backslashes ends the line, so that it goes on with the next.
bool IsContinued(std::string_view line) {
  size_t count = 0;
  while (count < line.size() && line[line.size() - 1 - count] == '\\') ++count;
  return count % 2 == 1;
}

}  // namespace

void Lexer::AddHereDocument(Statement* statement, size_t redirect_index) {
  pending_.push_back({statement, redirect_index, source_.LineAt(source_.pos())});
}

void Lexer::RestorePending(std::vector<PendingHereDocument> pending, StatementListPtr substitution) {
  if (substitution == nullptr) pending_.clear();
  if (!pending_.empty()) {
    kept_.push_back(std::move(substitution));
    warnings_.push_back({source_.LineAt(source_.pos()), "command substitution: " +
                                                            std::to_string(pending_.size()) +
                                                            " unterminated here-document"});
  }
  pending.insert(pending.end(), pending_.begin(), pending_.end());
  pending_ = std::move(pending);
}

bool Lexer::ReadPendingBodies() {
  const std::vector<PendingHereDocument> pending = TakePending();
  for (const PendingHereDocument& document : pending) {
    if (!ReadBody(document)) return false;
  }
  return true;
}

bool Lexer::FinishHereDocuments() { return pending_.empty() || ReadPendingBodies(); }

bool Lexer::ReadBody(const PendingHereDocument& pending) {
  Redirect& redirect = pending.statement->redirects[pending.redirect_index];
  const size_t begin = source_.pos();
  const int first_line = source_.LineAt(begin);
  std::string body;
  std::string joined;      // the logical line so far, when continuation lines are joined
  bool is_joining = false;
  bool is_closed = false;
  int cut_line = 0;
  while (!source_.AtEnd()) {
    const size_t line_begin = source_.pos();
    size_t newline = source_.text().find('\n', line_begin);
    while (newline == std::string_view::npos && source_.More()) newline = source_.text().find('\n', line_begin);
    const size_t line_end = newline == std::string_view::npos ? source_.text().size() : newline;
    std::string_view line = source_.Slice(line_begin, line_end);
    source_.set_pos(newline == std::string_view::npos ? line_end : line_end + 1);
    budget_.Step(static_cast<int64_t>(line.size() / 32 + 1));
    if (redirect.strips_tabs && !is_joining) {
      line.remove_prefix(std::min(line.find_first_not_of('\t'), line.size()));
    }
    if (is_joining || (!redirect.is_quoted && IsContinued(line))) {
      if (!is_joining) joined.clear();
      is_joining = newline != std::string_view::npos && IsContinued(line);
      joined += is_joining ? line.substr(0, line.size() - 1) : line;
      if (is_joining) continue;
      line = joined;
    }
    if (line == redirect.delimiter) {
      is_closed = true;
      break;
    }
    // "EOF)" ends both the document and the substitution around it, with a warning.
    const bool is_cut = is_in_substitution() && !redirect.delimiter.empty() && line.data() != joined.data() &&
                        line.substr(0, redirect.delimiter.size()) == redirect.delimiter &&
                        line.find(')') != std::string_view::npos;
    if (is_cut) {
      source_.set_pos(line_end - line.size() + redirect.delimiter.size());
      cut_line = source_.LineAt(source_.pos());
      break;
    }
    body += line;
    body += '\n';
  }
  if (!is_closed) {
    warnings_.push_back({cut_line > 0 ? cut_line : EndLine() - 1, "here-document at line " + std::to_string(pending.line) +
                                        " delimited by end-of-file (wanted `" + redirect.delimiter + "')",
                         cut_line == 0});
  }
  ParseBody(redirect, body, first_line);
  return true;
}

void Lexer::ParseBody(Redirect& redirect, std::string_view body, int first_line) {
  Word& word = redirect.target;
  if (redirect.is_quoted || body.find_first_of("$`\\") == std::string_view::npos) {
    word.parts.emplace_back(Kind::kQuoted, std::string(body));
    word.source = body;
    ClassifyWord(word);
    return;
  }
  word = ParseHereDocumentBody(body, options_, budget_, first_line, depth_);
}

}  // namespace paddock::shell
