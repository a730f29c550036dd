// gron - turn JSON into assignments that grep can search, and back
//
// usage: gron [OPTION]... [FILE | -]
//        gron --ungron [OPTION]... [FILE | -]
//
// Exit status: 0; 1 when FILE cannot be opened, 2 for an unknown option, 3 when the input is no JSON, 4 for an address, 5 when statements cannot be read.
// Source: gron 0.7.1.
// Differs: addresses are not fetched (curl URL | gron does it).

#include <algorithm>
#include <charconv>

#include "commands/data/json_tree.h"
#include "commands/input_files.h"
#include "proc/command.h"
#include "text/utf8.h"

namespace paddock {
namespace {

using json_tree::Node;
constexpr ExitStatus kNoFile = 1, kUsage = 2, kNoJson = 3, kNoFetch = 4, kNoStatements = 5;

struct Options {
  bool ungron = false, values = false, colorize = false, monochrome = false, stream = false, insecure = false, json = false, no_sort = false, wants_version = false;
};
constexpr Option kOptions[] = {
    Flag<&Options::ungron>('u', "ungron", "Reverse the operation (turn assignments back into JSON)"),
    Flag<&Options::values>('v', "values", "Print just the values of provided assignments"),
    Flag<&Options::colorize>('c', "colorize", "Colorize output"),
    Flag<&Options::monochrome>('m', "monochrome", "Monochrome (don't colorize output)"),
    Flag<&Options::stream>('s', "stream", "Treat each line of input as a separate JSON object"),
    Flag<&Options::insecure>('k', "insecure", "of addresses, which are refused"),
    Flag<&Options::json>('j', "json", "Represent gron data as JSON stream"),
    Flag<&Options::no_sort>(0, "no-sort", "Don't sort output (faster)"),
    Flag<&Options::wants_version>(0, "version", "Print version information"),
};

// A part of a path: a name, or a place in an array.
struct Step {
  std::string name;
  size_t index = 0;
  bool is_index = false;
};

bool IsLetter(char32_t c) { return c == '_' || c == '$' || IsInClass(c, CharClass::kAlpha); }

// Whether a name can stand behind a dot.
bool IsBareName(std::string_view name) {
  constexpr std::string_view kReserved[] = {"break",  "case",    "catch",      "class",  "const",     "continue", "debugger", "default",   "delete", "do",    "else",
                                            "export", "extends", "false",      "finally", "for",      "function", "if",       "implements", "import", "in",   "instanceof",
                                            "interface", "let",  "new",        "null",   "package",   "private",  "protected", "public",   "return", "static", "super",
                                            "switch", "this",    "throw",      "true",   "try",       "typeof",   "var",      "void",      "while",  "with",  "yield"};
  if (name.empty() || std::ranges::find(kReserved, name) != std::end(kReserved)) return false;
  for (size_t i = 0; i < name.size();) {
    const DecodedChar decoded = DecodeUtf8(name.substr(i));
    if (!decoded.is_valid || !(IsLetter(decoded.code) || (i > 0 && IsInClass(decoded.code, CharClass::kDigit)))) return false;
    i += decoded.length;
  }
  return true;
}

class Printer {
 public:
  Printer(Invocation& in, const Options& options) : in_(in), o_(options), has_colors_(options.colorize && !options.monochrome) {}

  void Print(const Node& node, const std::string& path) {
    in_.budget.CheckStack();
    in_.budget.Step(static_cast<int64_t>(1 + (path.size() + node.text.size()) / 32));
    in_.out.Write(o_.json ? "[[" + path + "]," + ValueText(node) + "]\n" : path + " = " + Colored(ValueText(node), ColorOf(node)) + ";\n");
    const bool is_object = node.kind == Node::Kind::kObject;
    std::vector<std::pair<std::string, const Node*>> parts;
    for (size_t i = 0; i < node.members.size(); ++i) {
      const auto& [name, value] = node.members[i];
      if (o_.json) {
        parts.emplace_back((path.empty() ? "" : path + ",") + (is_object ? json_tree::Quoted(name) : std::to_string(i)), &value);
      } else if (!is_object) {
        parts.emplace_back(path + Colored("[", kBrace) + Colored(std::to_string(i), kNumber) + Colored("]", kBrace), &value);
      } else if (IsBareName(name)) {
        parts.emplace_back(path + "." + Colored(name, kBare), &value);
      } else {
        parts.emplace_back(path + Colored("[", kBrace) + Colored(json_tree::Quoted(name), kString) + Colored("]", kBrace), &value);
      }
    }
    // Names behind a dot come before those in brackets.
    if (is_object && !o_.no_sort) std::ranges::stable_sort(parts, [&](const auto& a, const auto& b) { return in_.budget.Step(), a.first < b.first; });
    for (const auto& [text, value] : parts) Print(*value, text);
  }
  std::string RootName() const { return o_.json ? "" : Colored("json", kBare); }

 private:
  static constexpr std::string_view kBare = "34;1", kBrace = "35", kNumber = "31", kString = "33", kWord = "36";
  std::string Colored(std::string text, std::string_view color) const {
    return has_colors_ ? "\033[" + std::string(color) + "m" + text + "\033[0m" : text;
  }
  static std::string ValueText(const Node& node) {
    if (node.kind == Node::Kind::kObject) return "{}";
    if (node.kind == Node::Kind::kArray) return "[]";
    return node.kind == Node::Kind::kString ? json_tree::Quoted(node.text) : node.text;
  }
  static std::string_view ColorOf(const Node& node) {
    if (node.is_container()) return kBrace;
    return node.kind == Node::Kind::kNumber ? kNumber : node.kind == Node::Kind::kString ? kString : kWord;
  }

  Invocation& in_;
  const Options& o_;
  bool has_colors_;
};

struct Statement {
  std::vector<Step> path;   // without the name of the root
  Node value;
};

class StatementReader {
 public:
  StatementReader(Invocation& in, std::string_view line) : in_(in), line_(line), rest_(line) {}

  // Nothing for a line that is no assignment. Errors: with the complaint.
  Result<std::optional<Statement>> Read() {
    Statement statement;
    const std::string root = TakeName();
    if (root.empty()) {
      constexpr std::string_view kDropped = " \t-";
      if (line_.empty() || kDropped.find(line_[0]) != std::string_view::npos) return std::optional<Statement>();
      return Error(Code::kSyntax, "ungron failed for ``: invalid statement");
    }
    if (root != "json") statement.path.push_back({.name = root});
    while (true) {
      in_.budget.Step();
      if (rest_.starts_with('.')) {
        rest_.remove_prefix(1);
        std::string name = TakeName();
        if (name.empty()) return Bad();
        statement.path.push_back({.name = std::move(name)});
      } else if (rest_.starts_with('[')) {
        rest_.remove_prefix(1);
        PADDOCK_TRY(TakeBrackets(statement.path));
      } else {
        break;
      }
    }
    if (line_.find('=') == std::string_view::npos) return std::optional<Statement>();
    SkipBlanks();
    if (!rest_.starts_with('=')) return Bad();
    rest_.remove_prefix(1);
    auto value = json_tree::ParseValue(rest_, in_.budget);
    if (!value || !value->members.empty()) return Bad();
    SkipBlanks();
    if (!rest_.starts_with(';')) return Bad();
    statement.value = std::move(*value);
    return std::optional(std::move(statement));
  }

 private:
  Error Bad() const { return {Code::kSyntax, "ungron failed for `" + std::string(line_) + "`: statement has no value"}; }
  void SkipBlanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size())); }
  std::string TakeName() {
    size_t size = 0;
    while (size < rest_.size()) {
      const DecodedChar decoded = DecodeUtf8(rest_.substr(size));
      if (!decoded.is_valid || !(IsLetter(decoded.code) || (size > 0 && IsInClass(decoded.code, CharClass::kDigit)))) break;
      size += decoded.length;
    }
    std::string name(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return name;
  }
  Status TakeBrackets(std::vector<Step>& path) {
    Step step;
    if (rest_.starts_with('"')) {
      auto name = json_tree::ParseValue(rest_, in_.budget);
      if (!name) return Bad();
      step.name = std::move(name->text);
    } else {
      step.is_index = true;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), step.index);
      if (error != std::errc()) return Bad();
      rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    }
    if (!rest_.starts_with(']')) return Bad();
    rest_.remove_prefix(1);
    path.push_back(std::move(step));
    return {};
  }

  Invocation& in_;
  std::string_view line_, rest_;
};

// A line of -j: [["a",0],1].
Result<Statement> ReadJsonStatement(Invocation& in, std::string_view line) {
  PADDOCK_ASSIGN(Node node, json_tree::ParseValue(line, in.budget));
  if (node.kind != Node::Kind::kArray || node.members.size() != 2 || node.members[0].value.kind != Node::Kind::kArray) {
    return Error(Code::kSyntax, "invalid statement");
  }
  Statement statement;
  for (auto& [_, part] : node.members[0].value.members) {
    Step step{.name = part.text, .is_index = part.kind == Node::Kind::kNumber};
    if (step.is_index) std::from_chars(part.text.data(), part.text.data() + part.text.size(), step.index);
    statement.path.push_back(std::move(step));
  }
  statement.value = std::move(node.members[1].value);
  return statement;
}

class Builder {
 public:
  explicit Builder(Invocation& in) : in_(in) {}

  Status Add(Statement statement) {
    Node* node = &root_;
    for (const Step& step : statement.path) {
      in_.budget.Step();
      PADDOCK_TRY(Become(*node, step.is_index ? Node::Kind::kArray : Node::Kind::kObject));
      node = step.is_index ? &Element(*node, step.index) : &Member(*node, step.name);
    }
    if (statement.value.is_container()) return Become(*node, statement.value.kind);
    if (node->kind != Node::Kind::kMissing) return Bad("unexpected data type for merge");
    *node = std::move(statement.value);
    return {};
  }
  const Node& root() const { return root_; }

 private:
  static Error Bad(const char* what) { return {Code::kSyntax, std::string("failed to merge statements: ") + what}; }
  static Status Become(Node& node, Node::Kind kind) {
    if (node.kind == kind) return {};
    if (node.kind == Node::Kind::kMissing) return node.kind = kind, Status();
    if (!node.is_container()) return Bad("unexpected data type for merge");
    return Bad(node.kind == Node::Kind::kObject ? "cannot merge object with non-object" : "cannot merge array with non-array");
  }
  Node& Element(Node& node, size_t index) {
    if (index >= node.members.size()) {
      in_.budget.WillAllocate(std::min<uint64_t>(index, UINT64_MAX / 256) * sizeof(node.members[0]));
      in_.budget.Step(static_cast<int64_t>(index - node.members.size() + 1));
      node.members.resize(index + 1);
    }
    return node.members[index].value;
  }
  // The statements of a member stand together: most often it is the last one.
  Node& Member(Node& node, const std::string& name) {
    if (!node.members.empty() && node.members.back().name == name) return node.members.back().value;
    in_.budget.Step(static_cast<int64_t>(node.members.size() / 8));
    const auto found = std::ranges::find(node.members, name, [](const auto& member) -> const std::string& { return member.name; });
    if (found != node.members.end()) return found->value;
    return node.members.emplace_back(name, Node()).value;
  }

  Invocation& in_;
  Node root_;
};

class Runner {
 public:
  Runner(Invocation& in, const Options& options, Input& input) : in_(in), o_(options), input_(input) {}

  ExitStatus Run() { return o_.ungron ? Build() : o_.values ? PrintValues() : o_.stream ? PrintLines() : PrintOne(); }

 private:
  ExitStatus Complain(const std::string& message, ExitStatus status) {
    in_.out.Flush();
    in_.err.Write(message + "\n");
    return status;
  }
  ExitStatus PrintOne() {
    const std::string text = input_.ReadAll();
    std::string_view rest = text;
    const auto node = json_tree::ParseValue(rest, in_.budget);
    if (!node) return Complain("failed to form statements: " + std::string(node.error().Text()), kNoJson);
    Printer printer(in_, o_);
    printer.Print(*node, printer.RootName());
    return 0;
  }
  // The lines as the elements of one array.
  ExitStatus PrintLines() {
    Node all{Node::Kind::kArray, {}, {}};
    ExitStatus status = 0;
    while (const auto line = input_.ReadLine()) {
      std::string_view rest = line->text;
      auto node = json_tree::ParseValue(rest, in_.budget);
      if (!node) {
        status = Complain("failed to form statements: " + std::string(node.error().Text()), kNoJson);
        break;
      }
      if (all.members.size() == all.members.capacity()) in_.budget.WillAllocate(2 * (all.members.size() + 1) * sizeof(all.members[0]));
      all.members.emplace_back("", std::move(*node));
    }
    Printer printer(in_, o_);
    printer.Print(all, printer.RootName());
    return status;
  }
  // Calls `use` for each statement of the input.
  template <class Use>
  Status EachStatement(Use use) {
    while (const auto line = input_.ReadLine()) {
      in_.budget.Step();
      if (o_.json) {
        if (line->text.empty()) continue;
        PADDOCK_ASSIGN(Statement statement, ReadJsonStatement(in_, line->text));
        PADDOCK_TRY(use(std::move(statement)));
        continue;
      }
      PADDOCK_ASSIGN(std::optional<Statement> statement, StatementReader(in_, line->text).Read());
      if (statement) {
        PADDOCK_TRY(use(std::move(*statement)));
      }
    }
    return {};
  }
  ExitStatus Build() {
    Builder builder(in_);
    bool is_empty = true;
    const Status status = EachStatement([&](Statement statement) {
      is_empty = false;
      return builder.Add(std::move(statement));
    });
    if (!status) return Complain(std::string(status.error().Text()), kNoStatements);
    if (is_empty) return Complain("no statements were parsed", kNoStatements);
    in_.out.WriteLine(json_tree::Indented(builder.root(), in_.budget));
    return 0;
  }
  ExitStatus PrintValues() {
    const Status status = EachStatement([&](const Statement& statement) -> Status {
      if (!statement.value.is_container()) in_.out.WriteLine(statement.value.text);
      return {};
    });
    // What is no statement has no value, either.
    static_cast<void>(status);
    return 0;
  }

  Invocation& in_;
  const Options& o_;
  Input& input_;
};

ExitStatus Run(Invocation& in) {
  Options options;
  const auto parsed = ParseOptions(in.args, kOptions, &options);
  if (!parsed || parsed->wants_help) {
    if (!parsed) in.err.Write("gron: " + std::string(parsed.error().Text()) + "\n");
    (parsed ? in.out : in.err).Write("Usage:\n  gron [OPTIONS] [FILE|-]\n\nOptions:\n" + OptionHelp(kOptions));
    return parsed ? 0 : kUsage;
  }
  if (options.wants_version) return in.out.Write(VersionText(in.command, in.name())), 0;
  const std::string name = parsed->operands.empty() ? "-" : parsed->operands[0];
  if (name.starts_with("http://") || name.starts_with("https://")) return in.Fail("addresses are not supported: curl URL | gron", kNoFetch);
  if (name == "-") return Runner(in, options, in.in).Run();
  auto file = InputFile::OpenPath(in, name);
  if (!file) {
    std::string reason(file.error().Text());
    if (!reason.empty() && reason[0] >= 'A' && reason[0] <= 'Z') reason[0] = static_cast<char>(reason[0] + 32);
    in.err.Write("open " + name + ": " + reason + "\n");
    return kNoFile;
  }
  return Runner(in, options, file->input()).Run();
}

}  // namespace

extern const Command kCommand_gron;
const Command kCommand_gron = {
    .name = "gron",
    .summary = "transform JSON into discrete assignments to make it greppable",
    .synopsis = "[OPTION]... [FILE | -]",
    .options = kOptions,
    .usage_status = kUsage,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
