#include "commands/sys/parallel_template.h"

#include <charconv>
#include <optional>

namespace paddock {
namespace {

struct Place {
  size_t length = 0;       // in the template
  std::string_view part;   // "", ".", "/", "//", "/.", "#", "%"
  int64_t position = 0;    // 0: all arguments; negative: from the last one
  bool is_perl = false;
  std::string code;
};

constexpr std::string_view kSkipped = "\x01skip\x01";

bool IsSeparated(std::string_view text, size_t at, size_t size) {
  const auto is_word = [](char c) { return c == '_' || c == '$' || c == '>' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return (at == 0 || !is_word(text[at - 1])) && (at + size == text.size() || !is_word(text[at + size]));
}

// `name` or name() as Perl would call it, `with` in its place; whether it was there.
bool ReplaceCall(std::string& code, std::string_view name, std::string_view with) {
  bool found = false;
  for (size_t at = code.find(name); at != std::string::npos; at = code.find(name, at)) {
    if (!IsSeparated(code, at, name.size())) {
      at += name.size();
      continue;
    }
    size_t end = at + name.size();
    if (std::string_view(code).substr(end).starts_with("()")) end += 2;
    code.replace(at, end - at, with);
    at += with.size();
    found = true;
  }
  return found;
}

std::string PerlQuoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

// "3" or "-1" at the front of `text`, cut off; 0 for none.
int64_t TakePosition(std::string_view& text) {
  int64_t position = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), position);
  if (error != std::errc() || position == 0 || position < -1000000 || position > 1000000) return 0;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return position;
}

std::optional<Place> PerlAt(std::string_view text, const ParallelSyntax& syntax) {
  if (!text.starts_with(syntax.open)) return std::nullopt;
  const size_t close = text.find(syntax.close, syntax.open.size());
  if (close == std::string_view::npos) return std::nullopt;
  std::string_view code = text.substr(syntax.open.size(), close - syntax.open.size());
  Place place;
  place.length = close + syntax.close.size();
  place.is_perl = true;
  if (!code.empty() && code[0] != ' ') place.position = TakePosition(code);
  place.code = code;
  return place;
}

std::optional<Place> ReplacementAt(std::string_view text, const ParallelSyntax& syntax, Budget* budget) {
  for (const ParallelSyntax::Replacement& replacement : syntax.replacements) {
    // {TAG} is {3TAG} for one argument.
    std::string_view rest = text;
    std::string without;
    Place place;
    place.is_perl = true;
    size_t digits = 0;
    if (replacement.tag.starts_with('{') && rest.starts_with('{')) {
      std::string_view inner = rest.substr(1);
      place.position = TakePosition(inner);
      digits = rest.size() - 1 - inner.size();
      if (place.position != 0) {
        without = "{" + std::string(inner.substr(0, 200));
        rest = without;
      }
    }
    if (!replacement.pattern) {
      if (!rest.starts_with(replacement.tag)) continue;
      place.length = replacement.tag.size() + digits;
      place.code = replacement.code;
      return place;
    }
    if (budget == nullptr) continue;
    const std::string subject(rest.substr(0, 200));
    std::vector<RegexGroup> groups(6);
    const auto found = replacement.pattern->Search(subject, 0, &groups, *budget);
    if (!found || !*found || groups[0].begin != 0) continue;
    place.length = groups[0].end + digits;
    for (size_t i = 0; i < replacement.code.size(); ++i) {
      const std::string_view code = std::string_view(replacement.code).substr(i);
      if (code.size() > 2 && code.starts_with("$$") && code[2] >= '1' && code[2] <= '5') {
        const RegexGroup& group = groups[static_cast<size_t>(code[2] - '0')];
        for (size_t k = group.begin; group.is_set() && k < group.end; ++k) {   // it may stand between slashes
          if (subject[k] == '/' && (k == 0 || subject[k - 1] != '\\')) place.code += '\\';
          place.code += subject[k];
        }
        i += 2;
      } else {
        place.code += code[0];
      }
    }
    return place;
  }
  return std::nullopt;
}

std::optional<Place> PlaceAt(std::string_view text, const ParallelSyntax& syntax, Budget* budget = nullptr) {
  if (auto perl = PerlAt(text, syntax)) return perl;
  if (auto replacement = ReplacementAt(text, syntax, budget)) return replacement;
  if (!syntax.placeholder.empty() && text.starts_with(syntax.placeholder)) {
    Place place;
    place.length = syntax.placeholder.size();
    return place;
  }
  for (const auto& [spelling, part] : syntax.renamed) {
    if (spelling.empty() || !text.starts_with(spelling)) continue;
    Place place;
    place.length = spelling.size();
    place.part = part;
    return place;
  }
  if (!text.starts_with('{')) return std::nullopt;
  const size_t close = text.find('}');
  if (close == std::string_view::npos || close > 300) return std::nullopt;
  std::string_view inner = text.substr(1, close - 1);
  Place place;
  place.length = close + 1;
  place.position = TakePosition(inner);
  bool has_number = place.position != 0;
  for (size_t i = 0; i < syntax.names.size() && !has_number; ++i) {
    const std::string& name = syntax.names[i];
    if (name.empty() || !inner.starts_with(name)) continue;
    const std::string_view rest = inner.substr(name.size());
    if (!rest.empty() && rest != "." && rest != "/" && rest != "//" && rest != "/.") continue;
    place.position = static_cast<int64_t>(i) + 1;
    has_number = true;
    inner = rest;
  }
  if (inner.empty() && !has_number) return std::nullopt;   // {} is the placeholder or nothing
  for (const std::string_view part : {"", ".", "/", "//", "/.", "#", "%"}) {
    if (inner != part) continue;
    if (has_number && (part == "#" || part == "%")) return std::nullopt;
    for (const auto& [spelling, renamed] : syntax.renamed) {   // what has another spelling lost this one
      if (renamed == part && !has_number) return std::nullopt;
    }
    place.part = part;
    return place;
  }
  return std::nullopt;
}

std::string Cut(const std::string& argument, std::string_view part) {
  const size_t slash = argument.rfind('/');
  const std::string base = slash == std::string::npos ? argument : argument.substr(slash + 1);
  if (part == "/") return base;
  if (part == "//") return slash == std::string::npos ? "." : slash == 0 ? "/" : argument.substr(0, slash);
  if (part.empty()) return argument;
  const std::string& from = part == "/." ? base : argument;
  const size_t dot = from.rfind('.');
  const size_t last_slash = from.rfind('/');
  if (dot == std::string::npos || (last_slash != std::string::npos && dot < last_slash)) return from;
  return from.substr(0, dot);
}

}  // namespace

Status ParallelSyntax::AddReplacement(std::string_view definition) {
  const size_t space = definition.find(' ');
  if (space == 0 || space == std::string_view::npos) return Error(Code::kInvalid, "--rpl needs a tag and an expression: " + std::string(definition));
  Replacement replacement{std::string(definition.substr(0, space)), std::string(definition.substr(space + 1)), std::nullopt};
  if (replacement.tag.find('(') != std::string::npos) {
    // Between parentheses stands a pattern, around them text.
    std::string pattern = "\\A";
    int depth = 0;
    for (const char c : replacement.tag) {
      depth += c == '(' ? 1 : 0;
      if (depth == 0 && !((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))) pattern += '\\';
      pattern += c;
      depth -= c == ')' ? 1 : 0;
    }
    auto compiled = Regex::Compile(pattern, {.dialect = RegexDialect::kPerl});
    if (!compiled) return Error(Code::kInvalid, "--rpl " + replacement.tag + ": " + std::string(compiled.error().Text()));
    replacement.pattern.emplace(std::move(*compiled));
  }
  replacements.insert(replacements.begin(), std::move(replacement));
  return {};
}

void ParallelSyntax::AddPlus() {
  static constexpr std::string_view kPlus[] = {
      R"({,([^}]+)} s/^($$1)/\L$1/)",
      R"({,,([^}]+)} s/($$1)/\L$1/g)",
      R"({^([^}]+)} s/^($$1)/\U$1/)",
      R"({^^([^}]+)} s/($$1)/\U$1/g)",
      R"({/([^#%/}][^/}]*)/([^}]*)} s/$$1/$$2/)",
      R"({%([^}]+)} s/(?:$$1)$//)",
      R"({#([^#}][^}]*)} s/^(?:$$1)//)",
      R"({:([0-9]+):([0-9]+)} $_ = substr($_, $$1, $$2))",
      R"({:([0-9]+)} $_ = substr($_, $$1))",
      R"({:-([^}]*)} $_ = '$$1' if $_ eq '')",
      R"({0#} $_ = sprintf('%0' . length(total_jobs()) . 'd', seq()))",
      R"({0%} $_ = sprintf('%0' . length(total_jobs()) . 'd', slot()))",
      R"({##} $_ = total_jobs())",
      R"({/...} s:.*/::; s:\.[^/.]*\.[^/.]*\.[^/.]*$::)",
      R"({/..} s:.*/::; s:\.[^/.]*\.[^/.]*$::)",
      R"({...} s:\.[^/.]*\.[^/.]*\.[^/.]*$::)",
      R"({..} s:\.[^/.]*\.[^/.]*$::)",
      R"({+...} s:.*\.([^/.]*\.[^/.]*\.[^/.]*)$:$1: or s:.*::s)",
      R"({+..} s:.*\.([^/.]*\.[^/.]*)$:$1: or s:.*::s)",
      R"({+.} s:.*\.([^/.]*)$:$1: or s:.*::s)",
      R"({+/} s:/[^/]*$:: or s:.*::s)",
  };
  for (const std::string_view definition : kPlus) [[maybe_unused]] const Status added = AddReplacement(definition);   // they are known to be good
}

Result<ParallelPerlAnswer> RunParallelPerl(std::string_view code, const ParallelTemplate::Values& values, std::string& topic, PerlHost& host,
                                           Budget& budget) {
  ParallelPerlAnswer answer;
  std::string body(code);
  for (const std::string_view object : {"$job->seq", "$job->slot", "$job->total_jobs"}) {
    for (size_t at = body.find(object); at != std::string::npos; at = body.find(object, at)) body.erase(at, 6);
  }
  ReplaceCall(body, "seq", std::to_string(values.sequence));
  ReplaceCall(body, "slot", std::to_string(values.slot));
  ReplaceCall(body, "total_jobs", std::to_string(values.total));
  answer.is_unquoted = ReplaceCall(body, "uq", "1");
  ReplaceCall(body, "skip", "die(\"" + std::string(kSkipped) + "\")");
  if (body.find("arg") != std::string::npos) {
    std::string list = "my @arg = (''";
    for (const std::string& argument : values.arguments) {
      budget.Step();
      list += ", " + PerlQuoted(argument);
    }
    body = list + "); " + body;
  }
  budget.WillAllocate(body.size() * 8);
  PADDOCK_ASSIGN(PerlProgram program, PerlProgram::Compile(body, budget));
  const Status done = program.Run(topic, host, budget);
  if (!done && done.error().message.starts_with(kSkipped)) {
    answer.is_skipped = true;
    return answer;
  }
  PADDOCK_TRY(done);
  return answer;
}

std::string QuoteForParallel(std::string_view text) {
  if (text.empty()) return "''";
  static constexpr std::string_view kPlain = "-_.+/abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  if (text.find_first_not_of(kPlain) == std::string_view::npos) return std::string(text);
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\"'\"'";
    } else {
      quoted += c;
    }
  }
  quoted += '\'';
  if (quoted.starts_with("''")) quoted.erase(0, 2);
  if (quoted.ends_with("''")) quoted.resize(quoted.size() - 2);
  return quoted;
}

std::string QuoteTemplateWord(std::string_view word, const ParallelSyntax& syntax) {
  std::string quoted;
  size_t begin = 0;
  for (size_t i = 0; i < word.size();) {
    const auto place = PlaceAt(word.substr(i), syntax);
    if (!place) {
      ++i;
      continue;
    }
    if (i > begin) quoted += QuoteForParallel(word.substr(begin, i - begin));
    quoted += word.substr(i, place->length);
    begin = i += place->length;
  }
  if (begin < word.size() || word.empty()) quoted += QuoteForParallel(word.substr(begin));
  return quoted;
}

bool ParallelTemplate::has_places() const {
  for (size_t i = 0; i < command_.size(); ++i) {
    if (PlaceAt(std::string_view(command_).substr(i), syntax_, nullptr)) return true;
  }
  return has_arguments();
}

bool ParallelTemplate::has_arguments() const {
  Budget* const none = nullptr;
  for (size_t i = 0; i < command_.size(); ++i) {
    const auto place = PlaceAt(std::string_view(command_).substr(i), syntax_, none);
    if (place && place->part != "#" && place->part != "%") return true;
  }
  // A tag with a pattern begins as one.
  for (const ParallelSyntax::Replacement& replacement : syntax_.replacements) {
    if (replacement.pattern && command_.find(replacement.tag.substr(0, replacement.tag.find('('))) != std::string::npos) return true;
  }
  return false;
}

bool ParallelTemplate::counts_jobs() const {
  if (command_.find("total_jobs") != std::string::npos) return true;
  for (const ParallelSyntax::Replacement& replacement : syntax_.replacements) {
    if (replacement.code.find("total_jobs") != std::string::npos && command_.find(replacement.tag) != std::string::npos) return true;
  }
  return false;
}

Status ParallelTemplate::FillOne(std::string_view text, const Values& values, const std::vector<std::string>& arguments, PerlHost& host,
                                 Budget& budget, Filled& to) const {
  std::string& out = to.text;
  const auto put = [&](const std::string& value, bool quotes) {
    budget.Step(1 + static_cast<int64_t>(value.size() / 32));
    if (out.size() + value.size() > out.capacity()) budget.WillAllocate(2 * (out.size() + value.size()));
    out += quotes ? QuoteForParallel(value) : value;
  };
  for (size_t i = 0; i < text.size();) {
    budget.Step();
    const auto place = PlaceAt(text.substr(i), syntax_, &budget);
    if (!place) {
      out += text[i++];
      continue;
    }
    i += place->length;
    if (place->part == "#" || place->part == "%") {
      out += std::to_string(place->part == "#" ? values.sequence : values.slot);
      continue;
    }
    size_t begin = 0, end = arguments.size();
    if (place->position != 0) {
      const int64_t at = place->position > 0 ? place->position - 1 : static_cast<int64_t>(arguments.size()) + place->position;
      if (at < 0 || at >= static_cast<int64_t>(arguments.size())) continue;
      begin = static_cast<size_t>(at);
      end = begin + 1;
    }
    for (size_t k = begin; k < end; ++k) {
      if (k > begin) out += ' ';
      if (!place->is_perl) {
        put(Cut(arguments[k], place->part), values.quotes);
        continue;
      }
      std::string topic = arguments[k];
      PADDOCK_ASSIGN(const ParallelPerlAnswer answer, RunParallelPerl(place->code, values, topic, host, budget));
      to.is_skipped = to.is_skipped || answer.is_skipped;
      put(topic, values.quotes && !answer.is_unquoted);
    }
  }
  return {};
}

Result<ParallelTemplate::Filled> ParallelTemplate::Fill(const Values& values, PerlHost& host, Budget& budget) const {
  Filled filled;
  if (!values.repeats_words) {
    PADDOCK_TRY(FillOne(command_, values, values.arguments, host, budget, filled));
    return filled;
  }
  for (size_t begin = 0; begin < command_.size();) {
    size_t end = command_.find(' ', begin);
    if (end == std::string::npos) end = command_.size();
    const std::string_view word = std::string_view(command_).substr(begin, end - begin);
    const bool has_place = ParallelTemplate(std::string(word), syntax_).has_arguments();
    if (!has_place) PADDOCK_TRY(FillOne(word, values, {}, host, budget, filled));
    for (size_t k = 0; has_place && k < values.arguments.size(); ++k) {
      budget.Step();
      if (k > 0) filled.text += ' ';
      PADDOCK_TRY(FillOne(word, values, {values.arguments[k]}, host, budget, filled));
    }
    if (end < command_.size()) filled.text += ' ';
    begin = end + 1;
  }
  return filled;
}

}  // namespace paddock
