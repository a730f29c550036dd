#include <algorithm>
#include <charconv>
#include <limits>

#include "commands/file/find.h"
#include "vfs/file_system.h"

namespace paddock::find {
namespace {

struct Token {
  enum class Kind { kTest, kNot, kAnd, kOr, kList, kOpen, kClose };
  Kind kind;
  std::string text;
  Test test;
};

bool IsOperator(std::string_view arg, Token::Kind* kind) {
  using Kind = Token::Kind;
  static constexpr std::pair<std::string_view, Kind> kOperators[] = {
      {"!", Kind::kNot}, {"-not", Kind::kNot}, {"-a", Kind::kAnd}, {"-and", Kind::kAnd}, {"-o", Kind::kOr},
      {"-or", Kind::kOr}, {",", Kind::kList}, {"(", Kind::kOpen}, {")", Kind::kClose}};
  for (const auto& [text, found] : kOperators) {
    if (arg == text) {
      *kind = found;
      return true;
    }
  }
  return false;
}

// Where the starting points end; "," and ")" can only follow something.
bool BeginsExpression(std::string_view arg, bool is_leading) {
  if (arg.starts_with('-')) return arg.size() > 1;
  if (arg == "(" || arg == "!") return true;
  return (arg == ")" || arg == ",") && !is_leading;
}

class CommandLineParser {
 public:
  explicit CommandLineParser(Context& context) : context_(context), in_(context.in), args_(in_.args) {}

  std::optional<Plan> Parse(ExitStatus* status) {
    *status = 1;
    if (!ParseLeadingOptions(status)) return std::nullopt;
    while (index_ < args_.size() && !BeginsExpression(args_[index_], true)) plan_.starts.push_back(args_[index_++]);
    if (!ReadTokens(status)) return std::nullopt;
    if (is_deleting_ && is_pruning_ && !is_depth_given_) {
      in_.Fail("The -delete action automatically turns on -depth, but -prune does nothing when -depth is in effect.  "
               "If you want to carry on anyway, just explicitly use the -depth option.");
      return std::nullopt;
    }
    if (!BuildExpression()) return std::nullopt;
    if (!ReadStarts()) return std::nullopt;
    context_.depth_first |= is_deleting_;
    return std::move(plan_);
  }

 private:
  bool Fail(const std::string& message) {
    in_.Fail(message);
    return false;
  }

  bool ParseLeadingOptions(ExitStatus* status) {
    index_ = 1;
    for (; index_ < args_.size(); ++index_) {
      const std::string& arg = args_[index_];
      if (arg == "-H") SetFollow(FollowLinks::kOperands);
      else if (arg == "-L") SetFollow(FollowLinks::kAlways);
      else if (arg == "-P") SetFollow(FollowLinks::kNever);
      else if (arg == "-D") {
        if (!ParseDebug(status)) return false;
      } else if (arg.starts_with("-O")) {
        // The order of evaluation is never changed, so every level is the same.
        if (arg.size() == 2) return Fail("The -O option must be immediately followed by a decimal integer");
        if (arg.find_first_not_of("0123456789", 2) != std::string::npos) {
          return Fail("Please specify a decimal number immediately after -O");
        }
      } else if (arg == "--") {
        ++index_;
        break;
      } else {
        break;
      }
    }
    return true;
  }

  void SetFollow(FollowLinks follow) {
    plan_.follow = follow;
    context_.follows = follow != FollowLinks::kNever;
    context_.follows_all = follow == FollowLinks::kAlways;
  }

  bool ParseDebug(ExitStatus* status) {
    if (++index_ >= args_.size()) {
      in_.Fail("Missing argument after the -D option.");
      in_.UsageHint();
      return false;
    }
    if (args_[index_] == "help") {
      in_.out.Write("Valid arguments for -D:\nhelp       Explain the various -D options\n");
      *status = 0;
      return false;
    }
    static constexpr std::string_view kFlags[] = {"exec", "opt", "rates", "search", "stat", "time", "tree", "all"};
    for (const std::string_view flag : kFlags) {
      if (args_[index_] == flag) return Fail("-D " + args_[index_] + ": debugging output is not available");
    }
    in_.Fail("Ignoring unrecognised debug flag " + context_.Quoted(args_[index_]));
    return true;
  }

  bool ReadTokens(ExitStatus* status) {
    while (index_ < args_.size()) {
      in_.budget.Step();
      const std::string& arg = args_[index_];
      if (!BeginsExpression(arg, false)) {
        Fail("paths must precede expression: `" + arg + "'");
        if (!last_test_.empty() && in_.fs.Stat(arg, vfs::Follow::kNo)) {
          in_.Fail("possible unquoted pattern after predicate `" + last_test_ + "'?");
        }
        return false;
      }
      ++index_;
      Token::Kind kind = Token::Kind::kTest;
      if (IsOperator(arg, &kind)) {
        tokens_.push_back({kind, arg, {}});
        continue;
      }
      if (!ReadTest(arg, status)) return false;
      last_test_ = arg;
    }
    return true;
  }

  bool ReadTest(const std::string& arg, ExitStatus* status) {
    // "--name" is taken for "-name".
    const std::string name = arg.starts_with("--") ? arg.substr(1) : arg;
    if (name == "-help" || name == "-version") {
      in_.out.Write(name == "-help" ? HelpText(in_.command, in_.name()) : VersionText(in_.command, in_.name()));
      *status = 0;
      return false;
    }
    Arguments arguments(args_, index_);
    Making making{.context = context_, .name = name, .arguments = arguments};
    making.regex_type = regex_type_;
    making.day_start = day_start_;
    making.warns = warns_;
    Test test;
    Made made = ReadGlobal(making);
    if (made == Made::kDone) {
      test = [](Context&, const File&) { return true; };
    } else if (made == Made::kUnknown) {
      made = MakeTest(making, &test);
      if (made == Made::kUnknown) made = MakeAction(making, &test);
    }
    if (made == Made::kUnknown) return Fail("unknown predicate `" + arg + "'");
    if (made == Made::kFailed) return false;
    plan_.needs_attributes |= !IsTypeEnough(name);
    is_asking_ |= name.starts_with("-ok");
    plan_.acts |= name.starts_with("-exec") || name.starts_with("-ok") || name == "-delete";
    has_action_ |= making.has_action;
    is_deleting_ |= making.wants_depth;
    is_pruning_ |= name == "-prune";
    index_ = arguments.index();
    tokens_.push_back({Token::Kind::kTest, arg, std::move(test)});
    return true;
  }

  // Tests and actions for which a file's name and type are enough: what a directory's list tells.
  static bool IsTypeEnough(std::string_view name) {
    static constexpr std::string_view kNames[] = {
        "-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-lname", "-ilname", "-regex", "-iregex", "-type", "-true", "-false",
        "-print", "-print0", "-fprint", "-fprint0", "-prune", "-quit", "-exec", "-execdir", "-ok", "-okdir", "-delete",
        "-depth", "-d", "-maxdepth", "-mindepth", "-mount", "-xdev", "-follow", "-daystart", "-warn", "-nowarn", "-regextype", "-files0-from",
        "-noleaf", "-ignore_readdir_race", "-noignore_readdir_race"};
    return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
  }

  // Options that hold for the whole search.
  Made ReadGlobal(Making& making) {
    const std::string& name = making.name;
    static constexpr std::string_view kPositional[] = {"-depth", "-d", "-maxdepth", "-mindepth", "-mount", "-xdev"};
    for (const std::string_view option : kPositional) {
      if (name == option && warns_ && !last_plain_test_.empty()) {
        in_.Fail("warning: you have specified the global option " + name + " after the argument " + last_plain_test_ +
                 ", but global options are not positional, i.e., " + name +
                 " affects tests specified before it as well as those specified after it.  Please specify global options "
                 "before other arguments.");
      }
    }
    if (name == "-depth" || name == "-d") {
      context_.depth_first = is_depth_given_ = true;
    } else if (name == "-maxdepth" || name == "-mindepth") {
      return ReadDepth(making);
    } else if (name == "-mount" || name == "-xdev") {
      plan_.one_file_system = true;
    } else if (name == "-follow") {
      SetFollow(FollowLinks::kAlways);
    } else if (name == "-daystart") {
      day_start_ = true;
    } else if (name == "-warn" || name == "-nowarn") {
      warns_ = name == "-warn";
    } else if (name == "-regextype") {
      return ReadRegexType(making);
    } else if (name == "-files0-from") {
      const std::string* file = NeedArgument(making);
      if (file == nullptr) return Made::kFailed;
      files0_from_ = *file;
    } else if (name != "-noleaf" && name != "-ignore_readdir_race" && name != "-noignore_readdir_race") {
      last_plain_test_ = name;
      first_plain_ = std::min(first_plain_, tokens_.size());
      return Made::kUnknown;
    }
    return Made::kDone;
  }

  Made ReadDepth(Making& making) {
    const std::string* text = NeedArgument(making);
    if (text == nullptr) return Made::kFailed;
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
    if (error != std::errc() || end != text->data() + text->size() || text->find_first_not_of("0123456789") != std::string::npos) {
      in_.Fail("Expected a positive decimal integer argument to " + making.name + ", but got " + context_.Quoted(*text));
      return Made::kFailed;
    }
    (making.name == "-maxdepth" ? plan_.max_depth : plan_.min_depth) = value;
    return Made::kDone;
  }

  Made ReadRegexType(Making& making) {
    const std::string* type = NeedArgument(making);
    if (type == nullptr) return Made::kFailed;
    if (IsRegexType(*type)) {
      regex_type_ = *type;
      return Made::kDone;
    }
    static constexpr std::string_view kTypes[] = {"findutils-default", "ed", "emacs", "gnu-awk", "grep", "posix-awk", "awk",
                                                  "posix-basic", "posix-egrep", "egrep", "posix-extended",
                                                  "posix-minimal-basic", "sed"};
    std::string list;
    for (const std::string_view known : kTypes) list += (list.empty() ? "" : ", ") + context_.Quoted(known);
    in_.Fail("Unknown regular expression type " + context_.Quoted(*type) + "; valid types are " + list + ".");
    return Made::kFailed;
  }

  // --- the expression -----------------------------------------------------------------------------

  bool BuildExpression() {
    if (tokens_.empty()) {
      plan_.expression = PrintNode();
      return true;
    }
    auto expression = ParseList();
    if (expression == nullptr) return false;
    const bool follows_options = files0_from_ && first_plain_ >= at_;
    if (at_ < tokens_.size() && follows_options) return Fail("invalid expression: expected expression before closing parentheses ')'.");
    if (at_ < tokens_.size()) return Fail("you have too many ')'");
    if (!has_action_) {
      auto both = std::make_unique<Node>();
      both->kind = Node::Kind::kAnd;
      both->children.push_back(std::move(expression));
      both->children.push_back(PrintNode());
      expression = std::move(both);
    }
    plan_.expression = std::move(expression);
    return true;
  }

  std::unique_ptr<Node> PrintNode() {
    auto node = std::make_unique<Node>();
    node->test = [](Context& context, const File& file) {
      context.in.out.WriteLine(file.path);
      return true;
    };
    return node;
  }

  using NodePtr = std::unique_ptr<Node>;
  bool At(Token::Kind kind) const { return at_ < tokens_.size() && tokens_[at_].kind == kind; }

  NodePtr FailNode(const std::string& message) {
    in_.Fail(message);
    return nullptr;
  }

  // What must follow an operator is missing.
  NodePtr Missing() {
    const std::string before = at_ > 0 ? tokens_[at_ - 1].text : "";
    if (at_ >= tokens_.size()) {
      if (at_ > 0 && tokens_[at_ - 1].kind == Token::Kind::kOpen) {
        return FailNode("invalid expression; expected to find a ')' but didn't see one. Perhaps you need an extra predicate after '('");
      }
      return FailNode("expected an expression after '" + before + "'");
    }
    const Token& token = tokens_[at_];
    if (token.kind == Token::Kind::kClose) {
      if (at_ == 0) return FailNode("invalid expression; you have too many ')'");
      if (tokens_[at_ - 1].kind == Token::Kind::kOpen) return FailNode("invalid expression; empty parentheses are not allowed.");
      return FailNode("expected an expression between '" + before + "' and ')'");
    }
    return FailNode("invalid expression; you have used a binary operator '" + token.text + "' with nothing before it.");
  }

  NodePtr Chain(Node::Kind kind, Token::Kind separator, NodePtr (CommandLineParser::*parse)()) {
    NodePtr first = (this->*parse)();
    if (first == nullptr || !At(separator)) return first;
    auto node = std::make_unique<Node>();
    node->kind = kind;
    node->children.push_back(std::move(first));
    while (At(separator)) {
      ++at_;
      NodePtr next = (this->*parse)();
      if (next == nullptr) return nullptr;
      node->children.push_back(std::move(next));
    }
    return node;
  }
  NodePtr ParseList() { return Chain(Node::Kind::kList, Token::Kind::kList, &CommandLineParser::ParseOr); }
  NodePtr ParseOr() { return Chain(Node::Kind::kOr, Token::Kind::kOr, &CommandLineParser::ParseAnd); }

  NodePtr ParseAnd() {
    NodePtr first = ParseUnary();
    if (first == nullptr) return nullptr;
    std::vector<NodePtr> children;
    children.push_back(std::move(first));
    while (At(Token::Kind::kAnd) || At(Token::Kind::kTest) || At(Token::Kind::kNot) || At(Token::Kind::kOpen)) {
      if (At(Token::Kind::kAnd)) ++at_;
      NodePtr next = ParseUnary();
      if (next == nullptr) return nullptr;
      children.push_back(std::move(next));
    }
    if (children.size() == 1) return std::move(children[0]);
    auto node = std::make_unique<Node>();
    node->kind = Node::Kind::kAnd;
    node->children = std::move(children);
    return node;
  }

  NodePtr ParseUnary() {
    in_.budget.CheckStack();
    bool is_negated = false;
    while (At(Token::Kind::kNot)) {
      is_negated = !is_negated;
      ++at_;
    }
    NodePtr node;
    if (At(Token::Kind::kTest)) {
      node = std::make_unique<Node>();
      node->test = std::move(tokens_[at_++].test);
    } else if (At(Token::Kind::kOpen)) {
      ++at_;
      if (++nesting_ > kDeepest) return FailNode("invalid expression; parentheses are nested too deeply");
      node = ParseList();
      --nesting_;
      if (node == nullptr) return nullptr;
      if (!At(Token::Kind::kClose)) {
        return FailNode("invalid expression; I was expecting to find a ')' somewhere but did not see one.");
      }
      ++at_;
    } else {
      return Missing();
    }
    if (!is_negated) return node;
    auto negation = std::make_unique<Node>();
    negation->kind = Node::Kind::kNot;
    negation->children.push_back(std::move(node));
    return negation;
  }

  // --- the starting points ------------------------------------------------------------------------

  bool IsStandardInput(const vfs::OpenFile& file) const {
    const vfs::OpenFilePtr& input = in_.process.descriptors().Get(0);
    const auto own = file.GetAttributes();
    const auto other = input == nullptr ? Result<vfs::Attributes>(Code::kBadDescriptor) : input->GetAttributes();
    return own && other && own->device == other->device && own->inode == other->inode;
  }

  bool ReadStarts() {
    if (!files0_from_) {
      if (plan_.starts.empty()) plan_.starts.push_back(".");
      return true;
    }
    if (!plan_.starts.empty()) {
      Fail("extra operand " + context_.Quoted(plan_.starts[0]));
      return Fail("file operands cannot be combined with -files0-from");
    }
    if (is_asking_ && *files0_from_ == "-") {
      return Fail("option -files0-from reading from standard input cannot be combined with -ok, -okdir\n");
    }
    vfs::OpenFilePtr file;
    if (*files0_from_ != "-") {
      auto opened = in_.fs.Open(*files0_from_, vfs::OpenFlags::Read());
      if (!opened) {
        return Fail("cannot open " + context_.Quoted(*files0_from_) + " for reading: " + std::string(opened.error().Text()));
      }
      file = *opened;
      if (is_asking_ && IsStandardInput(*file)) {
        return Fail("option -files0-from: standard input must not refer to the same file when combined with -ok, -okdir: " + context_.Quoted(*files0_from_) + "\n");
      }
    }
    std::optional<Input> own;
    if (file) own.emplace(*file, in_.budget);
    Input& input = own ? *own : in_.in;
    size_t number = 0;
    while (const auto line = input.ReadLine('\0')) {
      ++number;
      if (line->text.empty()) {
        in_.Fail(context_.Quoted(*files0_from_ == "-" ? "(standard input)" : *files0_from_) + ":" + std::to_string(number) +
                 ": invalid zero-length file name");
        context_.status = 1;
        continue;
      }
      plan_.starts.emplace_back(line->text);
    }
    return true;
  }

  static constexpr int kDeepest = 1000;
  Context& context_;
  Invocation& in_;
  std::span<const std::string> args_;
  size_t index_ = 1;
  Plan plan_;
  std::vector<Token> tokens_;
  size_t at_ = 0;
  int nesting_ = 0;
  std::string last_test_;
  std::string last_plain_test_;
  size_t first_plain_ = std::numeric_limits<size_t>::max();   // of the tokens: the first that is no option
  std::string regex_type_ = "findutils-default";
  std::optional<std::string> files0_from_;
  bool is_asking_ = false;   // -ok or -okdir wants standard input
  bool day_start_ = false;
  bool warns_ = false;
  bool has_action_ = false;
  bool is_deleting_ = false;
  bool is_pruning_ = false;
  bool is_depth_given_ = false;
};

}  // namespace

const std::string* NeedArgument(Making& making) {
  if (!making.arguments.empty()) return &making.arguments.Take();
  making.context.in.Fail("missing argument to `" + making.name + "'");
  return nullptr;
}

Made InvalidArgument(Making& making, std::string_view argument) {
  making.context.in.Fail("invalid argument `" + std::string(argument) + "' to `" + making.name + "'");
  return Made::kFailed;
}

std::optional<Plan> ParseCommandLine(Context& context, ExitStatus* status) { return CommandLineParser(context).Parse(status); }

}  // namespace paddock::find
