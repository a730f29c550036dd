// The walk over the parts of a word, and the fields that come out of it.

#include "shell/expand/expansion.h"

#include <utility>

#include "shell/expand/arithmetic.h"
#include "shell/expand/expander.h"
#include "shell/expand/glob.h"
#include "shell/expand/regex_quotes.h"
#include "shell/shell.h"
#include "text/pattern.h"
#include "text/utf8.h"

namespace paddock::shell {
namespace {

// Characters that make a text worth looking at as a pattern.
bool MayBePattern(std::string_view text, bool extglob) {
  return text.find_first_of(extglob ? "*?[\\+@!(" : "*?[\\") != std::string_view::npos;
}

void AppendEscaped(std::string_view text, std::string_view special, std::string* out) {
  for (const char byte : text) {
    if (special.find(byte) != std::string_view::npos) *out += '\\';
    *out += byte;
  }
}

void AppendAllEscaped(std::string_view text, std::string* out) {
  for (const char byte : text) {
    if ((byte & 0xC0) != 0x80) *out += '\\';   // one before a character of several bytes
    *out += byte;
  }
}

// The redirection of $(<file): the only thing in the program.
const Redirect* FindFileRead(const StatementList& program) {
  if (program.items.size() != 1 || program.items[0].is_background) return nullptr;
  const Statement* statement = program.items[0].statement.get();
  while (statement->kind == Statement::Kind::kPipeline && statement->children.size() == 1 &&
         !statement->is_negated && !statement->is_timed && statement->redirects.empty()) {
    statement = statement->children[0].get();
  }
  if (statement->kind != Statement::Kind::kSimple || statement->redirects.size() != 1) return nullptr;
  if (!statement->simple->words.empty() || !statement->simple->assignments.empty()) return nullptr;
  const Redirect& redirect = statement->redirects[0];
  const bool is_input = redirect.kind == Redirect::Kind::kInput && redirect.descriptor <= 0 &&
                        redirect.variable.empty();
  return is_input ? &redirect : nullptr;
}

// $(<file) without a subshell. Nothing when the file cannot be read (the complaint is printed).
std::optional<Captured> ReadSubstitutedFile(Shell& shell, const Redirect& redirect) {
  std::string path;
  const auto set_status = [&](int status) {
    shell.had_substitution = true;
    shell.last_substitution_status = status;
    shell.last_status = status;
  };
  set_status(1);
  if (!ExpandRedirectTarget(shell, redirect.target, &path)) return std::nullopt;
  Result<std::string> content = vfs::ReadFile(shell.files(), path);
  if (!content) {
    shell.Complain(path + ": " + std::string(content.error().Text()));
    return std::nullopt;
  }
  set_status(0);
  Captured captured;
  captured.text = std::move(*content);
  captured.had_nul = std::erase(captured.text, '\0') > 0;
  captured.text.erase(captured.text.find_last_not_of('\n') + 1);
  return captured;
}

}  // namespace

IfsTable::IfsTable(std::string_view ifs, bool is_utf8) : is_null_(ifs.empty()) {
  for (size_t i = 0; i < ifs.size();) {
    const size_t length = is_utf8 ? DecodeUtf8(ifs.substr(i)).length : 1;
    const char byte = ifs[i];
    uint8_t& entry = table_[static_cast<unsigned char>(byte)];
    if (length > 1) {
      wide_.emplace_back(ifs.substr(i, length));
      entry = kLead;
    } else {
      entry = byte == ' ' || byte == '\t' || byte == '\n' ? kBlank : kOther;
    }
    if (i == 0) joiner_ = ifs.substr(0, length);
    i += length;
  }
}

size_t IfsTable::WideSeparatorAt(std::string_view text, size_t at) const {
  for (const std::string& separator : wide_) {
    if (text.substr(at).starts_with(separator)) return separator.size();
  }
  return 0;
}

Expansion::Expansion(Shell& shell, Target target, std::vector<std::string>* fields)
    : shell_(shell),
      target_(target),
      fields_(fields),
      can_glob_(target == Target::kFields && !shell.options.Get(SetOption::kNoglob)),
      extglob_(shell.options.Get(ShoptOption::kExtglob)) {}

const IfsTable& Expansion::ifs() {
  if (!ifs_) {
    ifs_.emplace(shell_.ifs(), shell_.locale().is_utf8);
    splitter_.emplace(*ifs_);
  }
  return *ifs_;
}

void Expansion::StartPattern() {
  pattern_ = QuotePattern(text_);
  has_pattern_ = true;
}

void Expansion::Append(std::string_view text, bool is_quoted) {
  if (text.size() > 4096) {
    shell_.budget().WillAllocate(text.size());
    shell_.budget().Step(static_cast<int64_t>(text.size() / 32));
  }
  switch (target_) {
    case Target::kFields:
      if (can_glob_ && !has_pattern_ && !is_quoted && MayBePattern(text, extglob_)) StartPattern();
      if (has_pattern_) pattern_ += is_quoted ? QuotePattern(text) : std::string(text);
      text_ += text;
      return;
    case Target::kString:
      text_ += text;
      return;
    case Target::kPattern:
      // set -x shows patterns, and by their backslashes what of them was quoted.
      if (is_quoted && shell_.options.Get(SetOption::kXtrace)) AppendAllEscaped(text, &text_);
      else text_ += is_quoted ? QuotePattern(text) : std::string(text);
      return;
    case Target::kRegex:
      for (const char byte : text) {
        if (is_quoted) text_ += kRegexQuote;
        text_ += byte;
      }
      return;
    case Target::kReplacement:
      AppendEscaped(text, is_quoted ? std::string_view("\\&") : std::string_view(), &text_);
      return;
  }
}

void Expansion::AddQuoted(std::string_view text) {
  if (text.empty() && in_double_quotes_) return;   // the closing quote decides
  has_field_ = true;
  if (splitter_) splitter_->Interrupt();
  Append(text, true);
}

void Expansion::AddUnsplit(std::string_view text) {
  if (text.empty()) return;
  has_field_ = true;
  if (splitter_) splitter_->Interrupt();
  Append(text, false);
}

void Expansion::AddExpanded(std::string_view text) {
  if (target_ != Target::kFields || ifs().is_null()) return AddUnsplit(text);
  splitter_->Split(
      text, has_field_,
      [this](std::string_view stretch) {
        has_field_ = true;
        Append(stretch, false);
      },
      [this] { EndField(); });
}

void Expansion::BreakField() {
  if (target_ == Target::kFields) {
    if (has_field_) EndField();
  } else {
    Append(" ", true);
  }
}

void Expansion::EndField() {
  shell_.budget().Step(1 + static_cast<int64_t>(text_.size() / 64));
  if (has_pattern_ && HasPatternCharacters(pattern_, extglob_)) {
    if (!ExpandGlob(shell_, pattern_, text_, fields_)) has_failed_ = true;
  } else {
    fields_->push_back(std::move(text_));
  }
  text_.clear();
  pattern_.clear();
  has_pattern_ = false;
  has_field_ = false;
}

bool Expansion::Finish() {
  if (target_ == Target::kFields && has_field_) EndField();
  return !has_failed_;
}

void Expansion::AddList(std::span<const std::string> list, bool is_star, const Context& context) {
  if (list.empty()) {
    if (!context.is_quoted) return;
    if (is_star) {
      AddQuoted({});
    } else {
      saw_empty_list_ = true;
    }
    return;
  }
  if (target_ == Target::kFields && context.splits_literals && !is_star && !ifs().is_null() && ifs().joiner() != " ") {
    // In an operand, the elements are as if quoted, with spaces between them that may split.
    for (size_t i = 0; i < list.size(); ++i) {
      shell_.budget().Step();
      if (i > 0 && ifs().IsBlank(' ')) BreakField();
      else if (i > 0) AddQuoted(" ");
      AddQuoted(list[i]);
    }
    return;
  }
  const bool joins = target_ != Target::kFields || (context.is_quoted && is_star);
  for (size_t i = 0; i < list.size(); ++i) {
    shell_.budget().Step();
    if (i > 0) {
      if (joins) {
        Append(is_star ? std::string_view(ifs().joiner()) : " ", context.is_quoted);
      } else if (context.is_quoted || ifs().is_null()) {
        BreakField();
      } else {
        AddExpanded(ifs().joiner());
      }
    }
    if (context.is_quoted) has_field_ = true;
    AddValue(list[i], context);
  }
}

bool Expansion::AddLiteral(std::string_view text, const Context& context, bool is_first, bool is_last) {
  if (context.is_quoted) {
    AddQuoted(text);
    return true;
  }
  size_t done = 0;
  const auto emit = [&](size_t end) {
    const std::string_view piece = text.substr(done, end - done);
    if (context.splits_literals) {
      AddExpanded(piece);
    } else {
      AddUnsplit(piece);
    }
    done = end;
  };
  // Offsets where a tilde prefix may start: the word's start, and behind ':' in assignments.
  size_t at = is_first && context.has_tilde ? 0 : std::string_view::npos;
  bool after_colon = context.is_assignment;
  size_t first_value = 0;
  if (is_first && target_ == Target::kFields && !context.is_assignment && context.has_tilde &&
      context.may_be_assignment && !shell_.options.Get(SetOption::kPosix) &&
      text.find('=') != std::string_view::npos && text.find('~') != std::string_view::npos) {
    if (const auto value = FindAssignmentValue(text)) {
      first_value = *value;
      at = *value;
      after_colon = true;
    }
  }
  while (true) {
    if (at != std::string_view::npos && at < text.size() && text[at] == '~') {
      const size_t stop = text.find_first_of("/:", at);
      if (stop != std::string_view::npos || is_last) {
        const size_t end = std::min(stop, text.size());
        if (const auto home = ExpandTilde(shell_, text.substr(at + 1, end - at - 1))) {
          emit(at);
          AddQuoted(*home);
          done = end;
        }
      }
    }
    if (!after_colon) break;
    const size_t colon = text.find(':', at == std::string_view::npos ? first_value : at);
    if (colon == std::string_view::npos) break;
    at = colon + 1;
  }
  emit(text.size());
  return true;
}

std::string Expansion::ComplainedText(const std::string& part, const Context& context) const {
  if (word_ == nullptr || word_->source.find(part) == std::string::npos) return part;
  const std::string& source = word_->source;
  const bool is_one = word_->parts.size() == 1 && word_->parts[0].kind == WordPart::Kind::kDoubleQuoted;
  if (is_one && source.size() > 1 && source.front() == '"' && source.back() == '"') return source.substr(1, source.size() - 2);
  return !is_one && context.is_quoted && source.find('"') != std::string::npos ? part : source;
}

bool Expansion::AddParts(std::span<const WordPart> parts, const Context& context) {
  for (size_t i = 0; i < parts.size(); ++i) {
    const WordPart& part = parts[i];
    const bool is_good = part.kind == WordPart::Kind::kLiteral
                             ? AddLiteral(part.text, context, i == 0, i + 1 == parts.size())
                             : AddPart(part, context);
    if (!is_good) return false;
  }
  return true;
}

bool Expansion::AddPart(const WordPart& part, const Context& context) {
  switch (part.kind) {
    case WordPart::Kind::kLiteral:
      return AddLiteral(part.text, context, false, false);
    case WordPart::Kind::kQuoted:
      AddQuoted(part.text);
      return true;
    case WordPart::Kind::kDoubleQuoted:
      return AddDoubleQuoted(part);
    case WordPart::Kind::kParameter:
      return ExpandParameter(*this, *part.parameter, context);
    case WordPart::Kind::kCommand:
      return AddCommand(part, context);
    case WordPart::Kind::kArithmetic: {
      const auto value = part.compiled ? Evaluate(shell_, *part.compiled)
                                       : EvaluateWord(shell_, *part.expression);
      if (!value) {
        if (shell_.flow == Flow::kNone) shell_.Discard();
        return false;
      }
      AddValue(std::to_string(*value), context);
      return true;
    }
    case WordPart::Kind::kProcess: {
      const std::string path = shell_.SubstituteProcess(*part.program, part.is_output);
      if (shell_.flow != Flow::kNone) return false;
      AddQuoted(path);
      return true;
    }
    case WordPart::Kind::kExtglob: {
      AddUnsplit(part.text);
      Context inside = context;
      inside.has_tilde = false;
      return AddParts(part.parts, inside);
    }
  }
  return true;
}

// Empty double quotes are an empty field, unless a "$@" without elements is in them.
bool Expansion::AddDoubleQuoted(const WordPart& part) {
  shell_.budget().CheckStack();
  const bool was_inside = std::exchange(in_double_quotes_, true);
  const bool had_empty_list = std::exchange(saw_empty_list_, false);
  const size_t fields_before = fields_ == nullptr ? 0 : fields_->size();
  const size_t size_before = text_.size();
  const bool is_good = AddParts(part.parts, {.is_quoted = true});
  const bool is_empty = text_.size() == size_before && (fields_ == nullptr || fields_->size() == fields_before);
  if (is_empty && !saw_empty_list_) has_field_ = true;
  in_double_quotes_ = was_inside;
  saw_empty_list_ = had_empty_list || (was_inside && saw_empty_list_);
  return is_good;
}

bool Expansion::AddCommand(const WordPart& part, const Context& context) {
  shell_.budget().CheckStack();
  Captured captured;
  const Redirect* file = part.program ? FindFileRead(*part.program) : nullptr;
  if (file != nullptr) {
    auto content = ReadSubstitutedFile(shell_, *file);
    if (content) captured = std::move(*content);
  } else {
    captured = part.program ? shell_.Substitute(*part.program, part.line)
                            : shell_.SubstituteText(part.text, part.line);
  }
  if (captured.had_nul) shell_.Complain("warning: command substitution: ignored null byte in input");
  if (shell_.flow != Flow::kNone) return false;
  AddValue(captured.text, context);
  return true;
}

}  // namespace paddock::shell
