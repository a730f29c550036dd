#include "lang/make/reader.h"

#include <algorithm>

#include "lang/make/defaults.h"
#include "lang/make/options.h"

namespace paddock::make {
namespace {

constexpr int kDeepestInclude = 200;

}  // namespace

Reader::Reader(Session& session, Graph& graph) : session_(session), graph_(graph), budget_(session.budget()) {
  session.eval_reader = this;
  session.eval = [](void* self, const std::string& text) {
    auto& reader = *static_cast<Reader*>(self);
    const Location before = reader.session_.where;
    const Location here = reader.here_;
    Rule rule = std::exchange(reader.rule_, Rule{});
    std::vector<Conditional> conditionals = std::exchange(reader.conditionals_, {});
    reader.ReadText(text, before.file, before.line);
    reader.rule_ = std::move(rule);
    reader.conditionals_ = std::move(conditionals);
    reader.here_ = here;
    reader.session_.where = before;
  };
}

bool Reader::ReadAll() {
  if (!session_.settings().has_no_rules) {
    File* const suffixes = graph_.Enter(".SUFFIXES");
    for (const std::string_view suffix : SplitWords(DefaultSuffixes(), budget_)) suffixes->deps.push_back({graph_.Enter(std::string(suffix))});
  }
  for (const std::string& text : session_.settings().evals) ReadText(session_.Expand(text), "", 0);
  const std::string more = session_.ValueOf("MAKEFILES");
  sets_goal_ = false;
  for (const std::string_view name : SplitWords(more, budget_)) ReadFile(std::string(name), true, false);
  sets_goal_ = true;
  if (session_.settings().makefiles.empty()) {
    for (const char* name : {"GNUmakefile", "makefile", "Makefile"}) {
      if (session_.host().ModifyTime(name) && ReadFile(name, false, true)) return true;
      if (session_.is_over()) return true;
    }
    return false;
  }
  for (const std::string& name : session_.settings().makefiles) {
    if (session_.is_over()) break;
    here_ = {};
    ReadFile(name, false, false);
  }
  return true;
}

bool Reader::ReadFile(const std::string& name, bool is_optional, bool is_default) {
  budget_.CheckStack();
  if (++depth_ > kDeepestInclude) {
    session_.Fatal(here_, name + ": Too many open files");
    return false;
  }
  auto text = session_.host().Read(name);
  Makefile makefile{name, !text, is_optional, here_, ""};
  if (!text) makefile.reason = text.error().Text();
  makefiles_.push_back(makefile);
  if (!text) {
    --depth_;
    if (is_default) makefiles_.pop_back();
    return false;
  }
  const std::string list = session_.RawValue("MAKEFILE_LIST");
  session_.Set(session_.globals(), "MAKEFILE_LIST", (list.empty() ? "" : list + " ") + name, Origin::kFile, false);
  const Location before = here_;
  Rule rule = std::exchange(rule_, Rule{});
  std::vector<Conditional> conditionals = std::exchange(conditionals_, {});
  const std::string lines = ReplaceAll(*text, "\r\n", "\n", budget_);
  std::string_view content = lines;
  if (content.starts_with("\xEF\xBB\xBF")) content.remove_prefix(3);
  ReadText(content, name, 1);
  rule_ = std::move(rule);
  conditionals_ = std::move(conditionals);
  here_ = before;
  --depth_;
  return true;
}

bool Reader::TakeLine(Lines& lines, std::string* line) {
  if (lines.at >= lines.text.size()) return false;
  lines.line = lines.next_line;
  size_t from = lines.at;
  while (true) {
    size_t end = lines.text.find('\n', from);
    const bool is_last = end == std::string_view::npos;
    if (is_last) end = lines.text.size();
    ++lines.next_line;
    size_t slashes = 0;
    while (slashes < end - lines.at && lines.text[end - 1 - slashes] == '\\') ++slashes;
    from = end + 1;
    const bool goes_on = slashes % 2 == 1 && !is_last;
    if (goes_on && from < lines.text.size()) continue;
    *line = lines.text.substr(lines.at, end - lines.at + (goes_on ? 1 : 0));   // with the newline, for it joins an empty line
    lines.at = from;
    break;
  }
  budget_.Step(1 + static_cast<int64_t>(line->size() / 32));
  return true;
}

void Reader::ReadText(std::string_view text, const std::string& file, size_t first_line) {
  budget_.CheckStack();
  Lines lines{.text = text, .file = file, .next_line = first_line};
  std::string line;
  while (!session_.is_over() && TakeLine(lines, &line)) {
    here_ = {file, first_line == 0 ? 0 : lines.line};
    session_.where = here_;
    RunLine(lines, line);
  }
  if (session_.is_over()) return;
  CloseRule();
  if (!conditionals_.empty()) session_.Fatal({file, lines.next_line}, "missing 'endif'");
  session_.where = {};
}

char Reader::RecipePrefix() {
  const Variable* variable = session_.FindGlobal(".RECIPEPREFIX");
  return variable == nullptr || variable->value.empty() ? '\t' : variable->value[0];
}

void Reader::RunLine(Lines& lines, const std::string& raw) {
  const char prefix = RecipePrefix();
  const bool is_tabbed = !raw.empty() && raw[0] == prefix;
  if (is_tabbed && rule_.is_open) {
    if (IsIgnoring()) return;
    if (!rule_.has_recipe && rule_.recipe.where.line == 0) rule_.recipe.where = here_;
    rule_.has_recipe = true;
    rule_.recipe.prefix = prefix;
    rule_.recipe.lines.push_back(raw.substr(1));
    return;
  }
  const std::string line = JoinedLines(raw, graph_.is_posix);
  const std::string bare = WithoutComment(line);
  const std::string_view text = Trim(bare);
  if (text.empty()) return;
  const Assignment assignment = ParseAssignment(TrimFront(line));
  if (assignment.how != Assign::kNone) {
    if (IsIgnoring()) {
      if (assignment.is_define) ReadDefine(lines, assignment);
      return;
    }
    CloseRule();
    RunAssignment(lines, ParseAssignment(bare));
    return;
  }
  if (RunConditional(text)) return;
  if (IsIgnoring() || session_.is_over()) return;
  if (RunDirective(text)) return;
  if (session_.is_over()) return;
  if (is_tabbed) {
    session_.Fatal(here_, "recipe commences before first target");
    return;
  }
  CloseRule();
  RunRule(raw, line);
}

void Reader::RunAssignment(Lines& lines, const Assignment& assignment) {
  if (assignment.is_undefine) {
    const std::string name = session_.Expand(assignment.name);
    if (Trim(name).empty()) return session_.Fatal(here_, "empty variable name");
    session_.Undefine(Trim(name), assignment.is_override ? Origin::kOverride : Origin::kFile);
    return;
  }
  if (assignment.is_define) {
    ReadDefine(lines, assignment);
    return;
  }
  session_.Define(session_.globals(), assignment, Origin::kFile, false, here_);
  const std::string name(Trim(session_.Expand(assignment.name)));
  if (name == "MAKEFLAGS") {
    Settings& settings = session_.settings();
    const Settings before = settings;
    if (const Status parsed = ParseFlags(session_.ValueOf("MAKEFLAGS"), settings); !parsed) {
      session_.Fatal(here_, parsed.error().Text());
    }
    settings.assignments = before.assignments;   // they were in it already
    settings.evals = before.evals;
    if (before.has_typed_jobs) settings.jobs = before.jobs;
  }
}

void Reader::ReadDefine(Lines& lines, Assignment assignment) {
  const Location begin = here_;
  const bool is_ignored = IsIgnoring();
  if (assignment.has_more && !is_ignored) session_.Warn(begin, "extraneous text after 'define' directive");
  std::string body, line;
  int level = 1;
  const char prefix = RecipePrefix();
  while (TakeLine(lines, &line)) {
    budget_.WillAllocate(body.size() + line.size());
    const std::string bare = WithoutComment(JoinedLines(line, graph_.is_posix));
    std::string_view text = bare;
    const std::string_view word = line.empty() || line[0] == prefix ? std::string_view() : TakeWord(text);
    if (word == "define") ++level;
    if (word == "endef" && --level == 0) {
      if (!Trim(text).empty()) session_.Warn({lines.file, lines.line}, "extraneous text after 'endef' directive");
      if (is_ignored) return;
      if (body.ends_with('\n')) body.pop_back();
      assignment.value = body;
      session_.Define(session_.globals(), assignment, Origin::kFile, false, begin);
      return;
    }
    body += JoinedLines(line, graph_.is_posix);
    body += '\n';
  }
  session_.Fatal(begin, "missing 'endef', unterminated 'define'");
}

bool Reader::RunConditional(std::string_view line) {
  std::string_view rest = line;
  const std::string_view word = TakeWord(rest);
  rest = Trim(rest);
  const bool is_test = word == "ifdef" || word == "ifndef" || word == "ifeq" || word == "ifneq";
  if (is_test) {
    const bool outer = !IsIgnoring();
    bool value = false;
    if (outer && !Condition(word, rest, &value)) return true;
    conditionals_.push_back({outer && value, !outer || value, outer, false});
    return true;
  }
  if (word == "endif") {
    if (conditionals_.empty()) {
      session_.Fatal(here_, "extraneous 'endif'");
      return true;
    }
    if (!rest.empty()) session_.Warn(here_, "extraneous text after 'endif' directive");
    conditionals_.pop_back();
    return true;
  }
  if (word != "else") return false;
  if (conditionals_.empty()) {
    session_.Fatal(here_, "extraneous 'else'");
    return true;
  }
  Conditional& now = conditionals_.back();
  if (now.has_else) {
    session_.Fatal(here_, "only one 'else' per conditional");
    return true;
  }
  if (rest.empty()) {
    now.has_else = true;
    now.is_active = now.outer_active && !now.was_taken;
    now.was_taken = true;
    return true;
  }
  const std::string_view inner = TakeWord(rest);
  if (inner != "ifdef" && inner != "ifndef" && inner != "ifeq" && inner != "ifneq") {
    session_.Warn(here_, "extraneous text after 'else' directive");
    now.has_else = true;
    now.is_active = now.outer_active && !now.was_taken;
    now.was_taken = true;
    return true;
  }
  bool value = false;
  if (now.outer_active && !now.was_taken && !Condition(inner, Trim(rest), &value)) return true;
  now.is_active = value;
  now.was_taken = now.was_taken || value;
  return true;
}

bool Reader::Condition(std::string_view keyword, std::string_view rest, bool* value) {
  const auto bad = [&] {
    if (!session_.is_over()) session_.Fatal(here_, "invalid syntax in conditional");
    return false;
  };
  if (keyword == "ifdef" || keyword == "ifndef") {
    const std::string name = session_.Expand(rest);
    const std::vector<std::string_view> words = SplitWords(name, budget_);
    if (words.size() > 1) return bad();
    const Variable* variable = words.empty() ? nullptr : session_.Find(words[0]);
    *value = (variable != nullptr && !variable->value.empty()) == (keyword == "ifdef");
    return !session_.is_over();
  }
  if (rest.empty()) return bad();
  std::string_view left, right, after;
  if (rest[0] == '(') {
    size_t depth = 0, comma = 0, end = 0;
    for (size_t i = 1; i < rest.size() && end == 0; ++i) {
      if (rest[i] == '(') ++depth;
      if (rest[i] == ')' && depth > 0) {
        --depth;
      } else if (rest[i] == ')' && comma != 0) {
        end = i;
      } else if (rest[i] == ',' && depth == 0 && comma == 0) {
        comma = i;
      }
    }
    if (comma == 0 || end == 0) return bad();
    left = rest.substr(1, comma - 1);
    while (!left.empty() && IsBlank(left.back())) left.remove_suffix(1);
    right = TrimFront(rest.substr(comma + 1, end - comma - 1));
    after = Trim(rest.substr(end + 1));
  } else {
    if (rest[0] != '"' && rest[0] != '\'') return bad();
    const size_t first = rest.find(rest[0], 1);
    if (first == std::string_view::npos) return bad();
    left = rest.substr(1, first - 1);
    const std::string_view second = TrimFront(rest.substr(first + 1));
    if (second.empty() || (second[0] != '"' && second[0] != '\'')) return bad();
    const size_t end = second.find(second[0], 1);
    if (end == std::string_view::npos) return bad();
    right = second.substr(1, end - 1);
    after = Trim(second.substr(end + 1));
  }
  if (!after.empty()) session_.Warn(here_, "extraneous text after '" + std::string(keyword) + "' directive");
  *value = (session_.Expand(left) == session_.Expand(right)) == (keyword == "ifeq");
  return !session_.is_over();
}

bool Reader::RunDirective(std::string_view line) {
  std::string_view rest = line;
  const std::string_view word = TakeWord(rest);
  const std::string_view after = Trim(rest);
  if (after.starts_with(':') || after.starts_with('=')) return false;   // a target of that name
  if (word == "export" || word == "unexport") {
    CloseRule();
    if (after.empty()) {
      session_.exports_all = word == "export";
      return true;
    }
    const std::string names = session_.Expand(after);
    for (const std::string_view name : SplitWords(names, budget_)) {
      Variable* variable = session_.FindGlobal(name);
      if (variable == nullptr) variable = session_.Set(session_.globals(), name, "", Origin::kFile);
      variable->export_mode = word == "export" ? Export::kYes : Export::kNo;
    }
    return true;
  }
  if (word == "vpath") {
    CloseRule();
    Vpath(after);
    return true;
  }
  if (word == "include" || word == "-include" || word == "sinclude") {
    CloseRule();
    Include(after, word != "include");
    return true;
  }
  return false;
}

void Reader::Include(std::string_view text, bool is_optional) {
  for (const std::string& name : ExpandNames(session_.Expand(text))) {
    if (session_.is_over()) return;
    std::string found = name;
    if (!session_.host().ModifyTime(name) && !name.starts_with('/')) {
      std::vector<std::string> directories = session_.settings().include_directories;
      directories.emplace_back("/usr/include");
      for (const std::string& directory : directories) {
        if (!session_.host().ModifyTime(directory + "/" + name)) continue;
        found = directory + "/" + name;
        break;
      }
    }
    ReadFile(found, is_optional, false);
  }
}

void Reader::Vpath(std::string_view rest) {
  const std::string text = session_.Expand(rest);
  std::string_view left = text;
  const std::string pattern(TakeWord(left));
  if (pattern.empty()) {
    graph_.vpaths.clear();
    return;
  }
  VpathRule rule{pattern, {}};
  std::string_view directories = Trim(left);
  while (!directories.empty()) {
    const size_t end = directories.find_first_of(": \t");
    if (end != 0) rule.directories.emplace_back(directories.substr(0, end));
    if (end == std::string_view::npos) break;
    directories.remove_prefix(end + 1);
  }
  if (rule.directories.empty()) {
    std::erase_if(graph_.vpaths, [&](const VpathRule& known) { return known.pattern == pattern; });
  } else {
    graph_.vpaths.push_back(std::move(rule));
  }
}

}  // namespace paddock::make
