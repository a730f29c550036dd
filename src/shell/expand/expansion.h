// Expansion: turns the parts of one word into text or fields while remembering what was quoted.
//
// Text arrives in three qualities: literal (unquoted source text: globs, does not split), quoted (neither)
// and expanded (unquoted results: splits and globs). Splitting happens as text arrives, so a big value is
// passed over once. Where the text goes is the target: fields, a plain string, a pattern, a regular
// expression, or the replacement of ${x/p/r}.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shell/ast/ast.h"

namespace paddock::shell {

class Shell;

// The characters of IFS.
class IfsTable {
 public:
  IfsTable(std::string_view ifs, bool is_utf8);
  // Length of the separator at text[at], 0 if there is none.
  size_t SeparatorAt(std::string_view text, size_t at) const {
    const uint8_t kind = table_[static_cast<unsigned char>(text[at])];
    return kind == 0 ? 0 : kind == kLead ? WideSeparatorAt(text, at) : 1;
  }
  bool IsBlank(char byte) const { return table_[static_cast<unsigned char>(byte)] == kBlank; }
  // A separator of several bytes, which does not join with blanks before it.
  bool IsWide(char byte) const { return table_[static_cast<unsigned char>(byte)] == kLead; }
  bool is_null() const { return is_null_; }
  // Between the elements of "$*": the first character of IFS, or nothing.
  const std::string& joiner() const { return joiner_; }

 private:
  size_t WideSeparatorAt(std::string_view text, size_t at) const;

  static constexpr uint8_t kBlank = 1;
  static constexpr uint8_t kOther = 2;
  static constexpr uint8_t kLead = 3;   // the first byte of a character of several
  std::array<uint8_t, 256> table_{};
  std::vector<std::string> wide_;
  bool is_null_;
  std::string joiner_;
};

// Takes text apart at separators: the rules of POSIX 2.6.5, for text that arrives in pieces.
class FieldSplitter {
 public:
  explicit FieldSplitter(const IfsTable& ifs) : ifs_(ifs) {}

  // Calls add(text) for stretches of a field and end() where a field ends; `has_field` says whether
  // something of a field is there already.
  template <class Add, class End>
  void Split(std::string_view text, bool has_field, Add&& add, End&& end) {
    size_t i = 0;
    while (i < text.size()) {
      const size_t begin = i;
      size_t separator = 0;
      while (i < text.size() && (separator = ifs_.SeparatorAt(text, i)) == 0) ++i;
      if (i > begin) {
        add(text.substr(begin, i - begin));
        has_field = true;
        is_after_blank_ = false;
      }
      if (i == text.size()) return;
      const bool is_blank = ifs_.IsBlank(text[i]);
      const bool joins = is_after_blank_ && !ifs_.IsWide(text[i]);
      i += separator;
      if (has_field) {
        end();
        is_after_blank_ = is_blank;
      } else if (!is_blank) {
        if (!joins) end();
        is_after_blank_ = false;
      }
      has_field = false;
    }
  }
  // Text that does not split came between.
  void Interrupt() { is_after_blank_ = false; }

 private:
  const IfsTable& ifs_;
  bool is_after_blank_ = false;   // blanks have just ended a field: a separator behind them belongs to them
};

class Expansion {
 public:
  enum class Target : uint8_t { kFields, kString, kPattern, kRegex, kReplacement };
  // How the parts of a word are read.
  struct Context {
    bool is_quoted = false;        // inside double quotes
    bool splits_literals = false;  // an operand as in ${x:-a b}: its literal text splits too
    bool is_assignment = false;    // a tilde may stand after ':' too
    bool may_be_assignment = true; // a field "name=~" is read as one
    bool has_tilde = true;         // a tilde at the start of the word means a home directory
  };

  // `fields` gets the results of target kFields; null for the others.
  Expansion(Shell& shell, Target target, std::vector<std::string>* fields = nullptr);

  // Each returns false when the expansion failed (the complaint is printed, shell.flow is set).
  bool AddWord(const Word& word, const Context& context) {
    const Word* const outer = std::exchange(word_, &word);
    const bool is_good = AddParts(word.parts, context);
    word_ = outer;
    return is_good;
  }
  // What a complaint about a part of the word names, as bash: all of the word, or of what is between its quotes;
  // where only some of it is quoted, the part itself.
  std::string ComplainedText(const std::string& part, const Context& context) const;
  bool AddParts(std::span<const WordPart> parts, const Context& context);
  bool AddPart(const WordPart& part, const Context& context);
  // Unquoted source text; `is_first` and `is_last` say where in the word it stands (for tildes).
  bool AddLiteral(std::string_view text, const Context& context, bool is_first, bool is_last);
  // Ends the word: the last field, its globbing.
  bool Finish();
  std::string& text() { return text_; }
  // In a here-document only ${a[*]} joins with IFS; $* and what operators make of lists join with spaces.
  void set_here_document() { is_here_document_ = true; }
  bool is_here_document() const { return is_here_document_; }
  // The value of an assignment.
  void set_assignment() { is_assignment_ = true; }
  bool is_assignment() const { return is_assignment_; }

  // Results of expansions.
  void AddValue(std::string_view value, const Context& context) {
    if (context.is_quoted) {
      AddQuoted(value);
    } else {
      AddExpanded(value);
    }
  }
  void AddQuoted(std::string_view text);
  // There is a field here, even if it is empty.
  void MarkField() { has_field_ = true; }
  void AddExpanded(std::string_view text);
  void AddUnsplit(std::string_view text);
  // The elements of $@ $* ${a[@]} ${a[*]} after their operator.
  void AddList(std::span<const std::string> list, bool is_star, const Context& context);
  // The next text belongs to another field ("$@" in quotes).
  void BreakField();

  Shell& shell() { return shell_; }
  Target target() const { return target_; }
  const IfsTable& ifs();

 private:
  void EndField();
  void Append(std::string_view text, bool is_quoted);
  void StartPattern();
  bool AddDoubleQuoted(const WordPart& part);
  bool AddCommand(const WordPart& part, const Context& context);

  Shell& shell_;
  Target target_;
  std::vector<std::string>* fields_;
  std::optional<IfsTable> ifs_;
  std::optional<FieldSplitter> splitter_;
  std::string text_;             // the field so far, quotes removed
  std::string pattern_;          // the same as a pattern; kept from the first active character on
  bool has_pattern_ = false;
  bool has_field_ = false;       // even an empty text is a field
  bool is_here_document_ = false;
  bool is_assignment_ = false;
  const Word* word_ = nullptr;   // that is being expanded
  bool in_double_quotes_ = false;
  bool saw_empty_list_ = false;  // "$@" without elements in these double quotes
  bool has_failed_ = false;      // failglob found nothing
  bool can_glob_;
  bool extglob_;
};

// --- Pieces that the files of this folder share ---------------------------------------------------------

// ${…} and $x (parameter.cc).
bool ExpandParameter(Expansion& out, const Parameter& parameter, const Expansion::Context& context);

// The text of an expression with its expansions made (arithmetic_word.cc); those inside a subscript are
// quoted so that the subscript ends where it was written to end.
bool ExpandArithmeticText(Shell& shell, const Word& word, std::string* text);
// The text of a subscript of ${a[…]}: the key, or the expression.
bool ExpandSubscript(Shell& shell, const Word& subscript, std::string* text);

// What a tilde prefix (without '~') stands for (tilde.cc); nothing if it stays as it is.
std::optional<std::string> ExpandTilde(Shell& shell, std::string_view prefix);
// True for "name=…", "name+=…" and "name[…]=…"; gives the offset behind the '='.
std::optional<size_t> FindAssignmentValue(std::string_view text);

// ${x@…} for one value or a list (transform.cc).
struct Reference;
struct ParameterValue;
bool TransformValue(Shell& shell, char letter, const Reference& reference, ParameterValue* value);

}  // namespace paddock::shell
