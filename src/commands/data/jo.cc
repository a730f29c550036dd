// jo - make JSON of words
//
// usage: jo [-a] [-B] [-D] [-d DELIMITER] [-p] [-e] [-n] [-o FILE] [-f FILE] [--] [[-s|-n|-b] WORD]...
// A WORD is key=value, key@boolean or key:=FILE; key[] appends, key[name] nests. A value @FILE is its text, %FILE its base64, :FILE its JSON.
//
// Exit status: 0; 1 when a file cannot be used or a word does not fit; 255 for an unknown option.
// Source: jo 1.9.
// Differs: -e with input goes on.

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "commands/data/json_tree.h"
#include "commands/input_files.h"
#include "proc/command.h"
#include "proc/option_complaint.h"
#include "text/base64.h"

namespace paddock {
namespace {

using json_tree::Node;
constexpr ExitStatus kUsage = 255;

struct Options {
  bool is_array = false, no_words = false, dedupes = false, pretty = false, quits_empty = false, skips_null = false;
  std::string delimiter;
  std::optional<std::string> out, file;
  bool wants_help = false, wants_version = false, wants_json_version = false;
};
constexpr Option kOptions[] = {
    Flag<&Options::is_array>('a', nullptr, "creates an array of words"),
    Flag<&Options::no_words>('B', nullptr, "disable boolean true/false/null detection"),
    Flag<&Options::dedupes>('D', nullptr, "deduplicate object keys"),
    Value<&Options::delimiter>('d', nullptr, "DELIMITER", "key will be object path separated by DELIMITER"),
    Value<&Options::file>('f', nullptr, "FILE", "load file as JSON object or array"),
    Flag<&Options::pretty>('p', nullptr, "pretty-prints JSON on output"),
    Flag<&Options::quits_empty>('e', nullptr, "quit if stdin is empty do not wait for input"),
    Flag<&Options::skips_null>('n', nullptr, "do not add keys with empty values"),
    Value<&Options::out>('o', nullptr, "FILE", "output to the given file"),
    Flag<&Options::wants_help>('h', nullptr, "display this help"),
    Flag<&Options::wants_version>('v', nullptr, "show version"),
    Flag<&Options::wants_json_version>('V', nullptr, "show version in JSON"),
};

enum class Guess { kAny, kString, kNumber, kBool };

Node Literal(Node::Kind kind, std::string text) { return {kind, std::move(text), {}}; }
Node Null() { return Literal(Node::Kind::kNull, "null"); }
Node Bool(bool is_true) { return Literal(Node::Kind::kBool, is_true ? "true" : "false"); }
Node Number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.16g", value);
  return Literal(Node::Kind::kNumber, text);
}
std::optional<double> ReadNumber(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || end != text.c_str() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

class Maker {
 public:
  Maker(Invocation& in, const Options& options) : in_(in), o_(options) { root_.kind = options.is_array ? Node::Kind::kArray : Node::Kind::kObject; }

  // Errors: with the complaint that ends the run.
  Status Load(const std::string& file) {
    PADDOCK_ASSIGN(const std::string text, ReadFile(file));
    std::string_view rest = text;
    auto node = json_tree::ParseValue(rest, in_.budget);
    if (!node || !node->is_container()) return {};
    root_ = std::move(*node);
    Normalize(root_);
    return {};
  }

  Status Add(const std::string& word, Guess guess) {
    in_.budget.Step(static_cast<int64_t>(1 + word.size() / 32));
    if (root_.kind == Node::Kind::kArray) {
      PADDOCK_ASSIGN(Node value, ValueOf(word, guess));
      root_.members.emplace_back("", std::move(value));
      return {};
    }
    const size_t at = word.find_first_of("=@", 1);
    const size_t equals = !word.empty() && word[0] == '=' ? 0 : at;
    if (equals == std::string::npos) {
      in_.err.Write("Argument `" + word + "' is neither k=v nor k@v\n");
      return {};
    }
    std::string key = word.substr(0, equals);
    const std::string text = word.substr(equals + 1);
    Node value;
    if (word[equals] == '@') {
      value = Truth(text);
    } else if (key.ends_with(':')) {
      key.pop_back();
      PADDOCK_ASSIGN(value, FromFile(':', text));
    } else {
      if (text.empty() && o_.skips_null && guess == Guess::kAny) return {};
      PADDOCK_ASSIGN(value, ValueOf(text, guess));
    }
    return Put(key, std::move(value));
  }

  std::string Text() {
    std::string text;
    Write(root_, 0, text);
    return text + "\n";
  }

 private:
  Result<std::string> ReadFile(const std::string& name) {
    auto file = InputFile::Open(in_, name);
    if (!file) {
      in_.err.Write(name + ": " + std::string(file.error().Text()) + "\n");
      return Error(Code::kInvalid, "Cannot open " + name + " for reading");
    }
    std::string text = file->input().ReadAll();
    if (!file->input().status()) return Error(Code::kInvalid, "Cannot read " + name);
    return text;
  }
  Result<Node> FromFile(char kind, const std::string& name) {
    PADDOCK_ASSIGN(std::string text, ReadFile(name));
    if (kind == '%') return Literal(Node::Kind::kString, EncodeBase64(text));
    if (kind == '@') {
      if (text.ends_with('\n')) text.pop_back();
      return Literal(Node::Kind::kString, std::move(text));
    }
    std::string_view rest = text;
    auto node = json_tree::ParseValue(rest, in_.budget);
    if (!node || rest.find_first_not_of(" \t\r\n") != std::string_view::npos) return Error(Code::kInvalid, "Cannot decode JSON in file " + name);
    Normalize(*node);
    return std::move(*node);
  }
  // Numbers as they are printed.
  void Normalize(Node& node) {
    in_.budget.CheckStack();
    in_.budget.Step();
    if (node.kind == Node::Kind::kNumber) {
      if (const auto value = ReadNumber(node.text)) node.text = Number(*value).text;
    }
    for (auto& [_, member] : node.members) Normalize(member);
  }

  static Node Truth(const std::string& text) {
    if (text.empty()) return Null();
    if (const auto number = ReadNumber(text)) return Bool(*number != 0);
    return Bool(text[0] == 't' || text[0] == 'T');
  }

  Result<Node> ValueOf(const std::string& text, Guess guess) {
    if (guess == Guess::kString) return Literal(Node::Kind::kString, text == "null" ? "" : text);
    if (guess == Guess::kNumber) {
      if (text.empty() || text == "false" || text == "null") return Number(0);
      if (text == "true") return Number(1);
      return Number(ReadNumber(text).value_or(static_cast<double>(text.size())));
    }
    if (guess == Guess::kBool) {
      const auto number = ReadNumber(text);
      return Bool(number ? *number != 0 : !text.empty() && text != "false" && text != "null");
    }
    if (text.empty()) return Null();
    if (text[0] == '\\') return Literal(Node::Kind::kString, text.substr(1));
    if (text.size() > 1 && (text[0] == '@' || text[0] == '%' || text[0] == ':')) return FromFile(text[0], text.substr(1));
    if (!o_.no_words && text == "null") return Null();
    if (!o_.no_words && (text == "true" || text == "false")) return Bool(text == "true");
    if (const auto number = ReadNumber(text)) return Number(*number);
    if (text[0] == '{' || text[0] == '[') {
      std::string_view rest = text;
      auto node = json_tree::ParseValue(rest, in_.budget);
      if (node && rest.find_first_not_of(" \t\r\n") == std::string_view::npos) {
        Normalize(*node);
        return std::move(*node);
      }
    }
    return Literal(Node::Kind::kString, text);
  }

  // The names on the way to a member; "" in the last place appends.
  std::vector<std::string> PathOf(const std::string& key, bool& appends) {
    std::vector<std::string> path;
    std::string rest = key;
    while (!o_.delimiter.empty()) {
      const size_t end = rest.find(o_.delimiter[0]);
      if (end == std::string::npos) break;
      path.push_back(rest.substr(0, end));
      rest.erase(0, end + 1);
    }
    size_t open = rest.find('[');
    if (open != std::string::npos && rest.find(']', open) == std::string::npos) {
      in_.err.Write("missing closing bracket on " + rest + "\n");
      open = std::string::npos;
    }
    path.push_back(rest.substr(0, open));
    // One pair of brackets counts; what follows it does not.
    if (open != std::string::npos) {
      const std::string name = rest.substr(open + 1, rest.find(']', open) - open - 1);
      if (name.empty()) appends = true;
      else path.push_back(name);
    }
    return path;
  }
  Node* Find(Node& node, const std::string& name) {
    in_.budget.Step(static_cast<int64_t>(1 + node.members.size() / 8));
    for (auto& [key, value] : node.members) {
      if (key == name) return &value;
    }
    return nullptr;
  }
  Status Put(const std::string& key, Node value) {
    bool appends = false;
    const std::vector<std::string> path = PathOf(key, appends);
    Node* node = &root_;
    for (size_t i = 0; i + 1 < path.size(); ++i) {
      Node* next = Find(*node, path[i]);
      if (next == nullptr || next->kind != Node::Kind::kObject) next = &node->members.emplace_back(path[i], Node{Node::Kind::kObject, {}, {}}).value;
      node = next;
    }
    if (appends) {
      Node* list = Find(*node, path.back());
      if (list == nullptr) list = &node->members.emplace_back(path.back(), Node{Node::Kind::kArray, {}, {}}).value;
      if (list->kind != Node::Kind::kArray) {
        std::string old, added;
        Write(*list, 0, old);
        Write(value, 0, added);
        return Error(Code::kInvalid, "JSON_ERR: Cannot append " + added + " to non-array " + old);
      }
      list->members.emplace_back("", std::move(value));
      return {};
    }
    Node* old = o_.dedupes ? Find(*node, path.back()) : nullptr;
    if (old != nullptr) *old = std::move(value);
    else node->members.emplace_back(path.back(), std::move(value));
    return {};
  }

  static std::string Quoted(std::string_view text) {
    std::string quoted = "\"";
    for (const char c : text) {
      constexpr std::string_view kBytes = "\b\f\n\r\t\"\\", kNames = "bfnrt\"\\";
      const size_t known = kBytes.find(c);
      if (known != std::string_view::npos) {
        quoted += {'\\', kNames[known]};
      } else if (static_cast<unsigned char>(c) < ' ') {
        char digits[8];
        std::snprintf(digits, sizeof digits, "\\u%04x", static_cast<unsigned>(c));
        quoted += digits;
      } else {
        quoted += c;
      }
    }
    return quoted + "\"";
  }
  void Write(const Node& node, size_t depth, std::string& to) {
    in_.budget.CheckStack();
    in_.budget.Step(static_cast<int64_t>(1 + (node.text.size() + depth) / 32));
    if (!node.is_container()) {
      to += node.kind == Node::Kind::kString ? Quoted(node.text) : node.text;
      return;
    }
    constexpr size_t kIndent = 3;
    const bool is_object = node.kind == Node::Kind::kObject;
    const bool is_spread = o_.pretty && !node.members.empty();
    const auto new_line = [&](size_t level) {
      if (is_spread) to.append("\n").append(kIndent * level, ' ');
    };
    to += is_object ? '{' : '[';
    for (size_t i = 0; i < node.members.size(); ++i) {
      if (i > 0) to += ',';
      new_line(depth + 1);
      if (is_object) to.append(Quoted(node.members[i].name)).append(o_.pretty ? ": " : ":");
      Write(node.members[i].value, depth + 1, to);
    }
    new_line(depth);
    to += is_object ? '}' : ']';
  }

  Invocation& in_;
  const Options& o_;
  Node root_;
};

Status AddAll(Invocation& in, const Options& options, const std::vector<std::string>& words, Maker& maker) {
  if (words.empty() && !options.file) {
    while (const auto line = in.in.ReadLine()) {
      PADDOCK_TRY(maker.Add(std::string(line->text), Guess::kAny));
    }
    return {};
  }
  Guess guess = Guess::kAny;
  for (const std::string& word : words) {
    if (word == "-s" || word == "-n" || word == "-b") {
      guess = word == "-s" ? Guess::kString : word == "-n" ? Guess::kNumber : Guess::kBool;
      continue;
    }
    PADDOCK_TRY(maker.Add(word, guess));
    guess = Guess::kAny;
  }
  return {};
}

ExitStatus Run(Invocation& in) {
  Options options;
  const auto parsed = ParseOptions(in.args, kOptions, &options, {.stop_at_operand = true});
  if (!parsed || options.wants_help || parsed->wants_help) {
    if (!parsed) ComplainOfOption(in, parsed.error().Text());
    (parsed ? in.out : in.err)
        .Write("Usage: jo [-a] [-B] [-D] [-d keydelim] [-p] [-e] [-n] [-o outfile] [-v] [-V] [-f file] [--] [-s|-n|-b] [word...]\n\tword is key=value or key@value\n" +
               OptionHelp(kOptions));
    return parsed ? 0 : kUsage;
  }
  if (options.wants_version || parsed->wants_version) return in.out.Write("jo 1.9\n"), 0;
  if (options.wants_json_version) {
    in.out.Write("{\"program\":\"jo\",\"author\":\"Jan-Piet Mens\",\"repo\":\"https://github.com/jpmens/jo\",\"version\":\"1.9\"}\n");
    return 0;
  }
  if (options.quits_empty && parsed->operands.empty() && !options.file && in.in.at_end()) return 0;
  Maker maker(in, options);
  if (options.file) {
    if (const Status status = maker.Load(*options.file); !status) return in.Fail(status.error().Text());
  }
  if (const Status status = AddAll(in, options, parsed->operands, maker); !status) return in.Fail(status.error().Text());
  if (!options.out) return in.out.Write(maker.Text()), 0;
  const Status status = vfs::WriteFile(in.fs, *options.out, maker.Text());
  if (status) return 0;
  in.err.Write(*options.out + ": " + std::string(status.error().Text()) + "\n");
  return in.Fail("Cannot open " + *options.out + " for writing");
}

}  // namespace

extern const Command kCommand_jo;
const Command kCommand_jo = {
    .name = "jo",
    .summary = "JSON output from a shell",
    .synopsis = "[OPTION]... [--] [[-s|-n|-b] WORD]...",
    .options = kOptions,
    .usage_status = kUsage,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
