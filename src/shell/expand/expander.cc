// The entry points of expansion, with short ways for the words that scripts have most.

#include "shell/expand/expander.h"

#include "shell/expand/brace.h"
#include "shell/expand/expansion.h"
#include "shell/expand/regex_quotes.h"
#include "shell/shell.h"

namespace paddock::shell {
namespace {

using Target = Expansion::Target;

// The variable behind a part that is just $x or ${x}, if its value can be had without ceremony.
const std::string* FindSimpleValue(Shell& shell, const WordPart& part) {
  if (part.kind != WordPart::Kind::kParameter) return nullptr;
  const Parameter& parameter = *part.parameter;
  if (parameter.op != ParameterOp::kNone || parameter.is_indirect || parameter.subscript ||
      parameter.is_subscript_at || parameter.is_subscript_star) {
    return nullptr;
  }
  const Variable* variable = shell.variables.Find(parameter.name);
  if (variable == nullptr || variable->has(kNameref)) return nullptr;
  return variable->Scalar();
}

// The value of a word that is just "$x".
const std::string* FindQuotedValue(Shell& shell, const Word& word) {
  if (word.parts.size() != 1 || word.parts[0].kind != WordPart::Kind::kDoubleQuoted ||
      word.parts[0].parts.size() != 1) {
    return nullptr;
  }
  return FindSimpleValue(shell, word.parts[0].parts[0]);
}

// True for a part written as $name, without braces: text that brace expansion puts behind it can make
// the name longer.
bool IsOpenName(const WordPart& part) {
  return part.kind == WordPart::Kind::kParameter && part.parameter->op == ParameterOp::kNone &&
         !part.parameter->source.starts_with("${") && IsName(part.parameter->name.text);
}

// Adds $name with the start of `behind` that continues the name; returns what is left of it.
bool AddLongerName(Expansion& out, const WordPart& part, std::string_view* behind) {
  size_t length = 0;
  while (length < behind->size() && IsName("_" + std::string(behind->substr(length, 1)))) ++length;
  Parameter longer;
  longer.name = Name(part.parameter->name.text + std::string(behind->substr(0, length)));
  behind->remove_prefix(length);
  return ExpandParameter(out, longer, {});
}

bool AddPieces(Expansion& out, std::span<const BracePiece> pieces, const Expansion::Context& context) {
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (pieces[i].part == nullptr) {
      if (!out.AddLiteral(pieces[i].text, context, i == 0, i + 1 == pieces.size())) return false;
    } else if (IsOpenName(*pieces[i].part) && i + 1 < pieces.size() && pieces[i + 1].part == nullptr) {
      std::string_view behind = pieces[i + 1].text;
      if (!AddLongerName(out, *pieces[i].part, &behind)) return false;
      if (!out.AddLiteral(behind, context, false, i + 2 == pieces.size())) return false;
      ++i;
    } else if (!out.AddPart(*pieces[i].part, context)) {
      return false;
    }
  }
  return true;
}

bool ExpandBraced(Shell& shell, const Word& word, std::vector<std::string>* fields) {
  return ExpandBraces(shell, word, [&](std::span<const BracePiece> pieces) {
    Expansion out(shell, Target::kFields, fields);
    // A word with braces is no assignment, whatever it looks like.
    return AddPieces(out, pieces, {.may_be_assignment = false}) && out.Finish();
  });
}

}  // namespace

bool ExpandWord(Shell& shell, const Word& word, std::vector<std::string>* fields, bool may_be_assignment) {
  if (word.has_braces && shell.options.Get(SetOption::kBraceexpand)) return ExpandBraced(shell, word, fields);
  if (word.is_plain) {
    fields->push_back(word.plain);
    return true;
  }
  if (const std::string* value = FindQuotedValue(shell, word)) {
    fields->push_back(*value);
    return true;
  }
  if (word.parts.size() == 1) {
    // $x whose value neither splits nor globs.
    const std::string* value = FindSimpleValue(shell, word.parts[0]);
    if (value != nullptr && !value->empty() && value->find_first_of(" \t\n*?[\\+@!(") == std::string::npos &&
        shell.ifs() == " \t\n") {
      fields->push_back(*value);
      return true;
    }
  }
  Expansion out(shell, Target::kFields, fields);
  return out.AddWord(word, {.may_be_assignment = may_be_assignment}) && out.Finish();
}

bool ExpandAlternatives(Shell& shell, const Word& word, std::vector<std::string>* values) {
  if (!word.has_braces || !shell.options.Get(SetOption::kBraceexpand)) {
    values->emplace_back();
    return ExpandToString(shell, word, &values->back(), /*is_assignment=*/true);
  }
  return ExpandBraces(shell, word, [&](std::span<const BracePiece> pieces) {
    Expansion out(shell, Target::kString);
    out.set_assignment();
    if (!AddPieces(out, pieces, {.is_assignment = true})) return false;
    values->push_back(std::move(out.text()));
    return true;
  });
}

bool ExpandToString(Shell& shell, const Word& word, std::string* value, bool is_assignment) {
  if (word.is_plain) {
    *value = word.plain;
    return true;
  }
  if (const std::string* simple = FindQuotedValue(shell, word)) {
    *value = *simple;
    return true;
  }
  Expansion out(shell, Target::kString);
  if (is_assignment) out.set_assignment();
  if (!out.AddWord(word, {.is_assignment = is_assignment})) return false;
  *value = std::move(out.text());
  return true;
}

bool ExpandPattern(Shell& shell, const Word& word, std::string* pattern) {
  Expansion out(shell, Target::kPattern);
  if (!out.AddWord(word, {})) return false;
  *pattern = std::move(out.text());
  return true;
}

bool ExpandRegex(Shell& shell, const Word& word, std::string* pattern) {
  Expansion out(shell, Target::kRegex);
  if (!out.AddWord(word, {})) return false;
  shell.budget().Step(static_cast<int64_t>(out.text().size() / 32));
  *pattern = RegexOfMarked(out.text());
  return true;
}

bool ExpandRedirectTarget(Shell& shell, const Word& word, std::string* target) {
  if (word.is_plain && !word.has_braces) {
    *target = word.plain;
    return true;
  }
  if (shell.options.Get(SetOption::kPosix) && !shell.is_interactive) {
    return ExpandToString(shell, word, target);   // neither splitting nor globbing
  }
  std::vector<std::string> fields;
  if (!ExpandWord(shell, word, &fields)) return false;
  if (fields.size() != 1) {
    shell.Complain(word.source + ": ambiguous redirect");
    return false;
  }
  *target = std::move(fields[0]);
  return true;
}

bool ExpandHereDocument(Shell& shell, const Word& body, std::string* text) {
  Expansion out(shell, Target::kString);
  out.set_here_document();
  if (!out.AddWord(body, {.is_quoted = true})) return false;
  *text = std::move(out.text());
  return true;
}

bool ExpandHereString(Shell& shell, const Word& word, std::string* text) {
  Expansion out(shell, Target::kString);
  out.set_assignment();   // lists are joined as there
  if (!out.AddWord(word, {})) return false;
  *text = std::move(out.text());
  return true;
}

std::vector<std::string> SplitFields(std::string_view text, std::string_view ifs) {
  const IfsTable table(ifs, /*is_utf8=*/true);
  std::vector<std::string> fields;
  std::string field;
  bool has_field = false;
  FieldSplitter(table).Split(
      text, false,
      [&](std::string_view stretch) {
        field += stretch;
        has_field = true;
      },
      [&] {
        fields.push_back(std::move(field));
        field.clear();
        has_field = false;
      });
  if (has_field) fields.push_back(std::move(field));
  return fields;
}

}  // namespace paddock::shell
