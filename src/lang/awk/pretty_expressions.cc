// How an expression is written by -o and -p.
#include <algorithm>
#include <cstdio>

#include "base/budget.h"
#include "lang/awk/pretty_parts.h"

namespace paddock::awk {
namespace {

std::string_view OperatorText(Tok tok) {
  switch (tok) {
    case Tok::kPlus: return " + ";
    case Tok::kMinus: return " - ";
    case Tok::kStar: return " * ";
    case Tok::kSlash: return " / ";
    case Tok::kPercent: return " % ";
    case Tok::kCaret: return " ^ ";
    case Tok::kLess: return " < ";
    case Tok::kLessEqual: return " <= ";
    case Tok::kEqual: return " == ";
    case Tok::kNotEqual: return " != ";
    case Tok::kGreater: return " > ";
    case Tok::kGreaterEqual: return " >= ";
    case Tok::kAssign: return " = ";
    case Tok::kAddAssign: return " += ";
    case Tok::kSubtractAssign: return " -= ";
    case Tok::kMultiplyAssign: return " *= ";
    case Tok::kDivideAssign: return " /= ";
    case Tok::kModuloAssign: return " %= ";
    case Tok::kPowerAssign: return " ^= ";
    default: return " ";
  }
}

bool IsPower(const Node& node) { return node.kind == NodeKind::kArithmetic && node.op == Tok::kCaret; }
bool IsSign(const Node& node) { return node.kind == NodeKind::kNegate || node.kind == NodeKind::kPlus; }

// What an operand that the program left bare needs parentheses for.
bool NeedsParens(const Node& parent, const Node& child) {
  if (child.paren_count > 0) return false;
  const bool is_getline = child.kind == NodeKind::kGetline;
  switch (parent.kind) {
    case NodeKind::kConcat: return is_getline || child.kind == NodeKind::kArithmetic || child.kind == NodeKind::kRegex;
    case NodeKind::kMatch:
      return is_getline || child.kind == NodeKind::kArithmetic || child.kind == NodeKind::kConcat ||
             child.kind == NodeKind::kCompare || child.kind == NodeKind::kMatch;
    case NodeKind::kCompare: return is_getline || child.kind == NodeKind::kIn;
    case NodeKind::kArithmetic:
      return is_getline || (IsPower(parent) && &child == parent.b && (IsSign(child) || child.kind == NodeKind::kNot));
    case NodeKind::kNegate:
    case NodeKind::kPlus: return is_getline || IsPower(child) || IsSign(child);
    case NodeKind::kNot: return is_getline || IsPower(child);
    case NodeKind::kGetline: return IsBinary(child);
    default: return false;
  }
}

class Writer {
 public:
  Writer(const std::string& space, Budget& budget) : space_(space), budget_(budget) {}

  std::string Write(const Node& node) {
    budget_.CheckStack();
    budget_.Step();
    return std::string(node.paren_count, '(') + Bare(node) + std::string(node.paren_count, ')');
  }
  std::string List(const std::vector<Node*>& list, std::string_view separator) {
    std::string text;
    for (const Node* node : list) {
      if (!text.empty()) text += separator;
      text += Write(*node);
    }
    return text;
  }

 private:
  std::string Operand(const Node& parent, const Node& child) {
    std::string text = Write(child);
    return NeedsParens(parent, child) && !text.starts_with('(') ? "(" + text + ")" : text;
  }
  std::string Binary(const Node& node, std::string_view between) {
    return Operand(node, *node.a) + std::string(between) + Operand(node, *node.b);
  }
  std::string Bare(const Node& node);
  std::string Getline(const Node& node);
  std::string Call(const Node& node);

  const std::string& space_;
  Budget& budget_;
};

std::string Writer::Bare(const Node& node) {
  switch (node.kind) {
    case NodeKind::kNumber: return node.literal;
    case NodeKind::kString: return (node.is_translatable ? "_" : "") + QuotedText(node.text);
    case NodeKind::kRegex: return "/" + node.literal + "/";
    case NodeKind::kTypedRegex: return "@/" + node.literal + "/";
    case NodeKind::kVariable: return node.is_local ? node.text : NameWithin(space_, node.text);
    case NodeKind::kField: return "$" + Write(*node.a);
    case NodeKind::kElement: return Write(*node.a) + "[" + List(node.list, ", ") + "]";
    case NodeKind::kAssign:
    case NodeKind::kArithmetic:
    case NodeKind::kCompare: return Binary(node, OperatorText(node.op));
    case NodeKind::kIncrement: {
      const std::string step = node.is_negative ? "--" : "++";
      return node.is_prefix ? step + Write(*node.a) : Write(*node.a) + step;
    }
    case NodeKind::kConditional: return Write(*node.a) + " ? " + Write(*node.b) + " : " + Write(*node.c);
    case NodeKind::kAnd: return Binary(node, " && ");
    case NodeKind::kOr: return Binary(node, " || ");
    case NodeKind::kNot: return "! " + Operand(node, *node.a);
    case NodeKind::kNegate: return "-" + Operand(node, *node.a);
    case NodeKind::kPlus: return "+" + Operand(node, *node.a);
    case NodeKind::kConcat: {
      std::string text;
      for (const Node* part : node.list) text += (text.empty() ? "" : " ") + Operand(node, *part);
      return text;
    }
    case NodeKind::kMatch: return Binary(node, node.is_negative ? " !~ " : " ~ ");
    case NodeKind::kIn: {
      const std::string subscript = List(node.list, ", ");
      return (node.list.size() > 1 ? "(" + subscript + ")" : subscript) + " in " + Write(*node.a);
    }
    case NodeKind::kGroup: return List(node.list, ", ");
    case NodeKind::kCall: return NameWithin(space_, node.text) + "(" + List(node.list, ", ") + ")";
    case NodeKind::kIndirectCall: return "@" + Write(*node.a) + "(" + List(node.list, ", ") + ")";
    case NodeKind::kBuiltin: return Call(node);
    case NodeKind::kGetline: return Getline(node);
    default: return "";
  }
}

std::string Writer::Getline(const Node& node) {
  const std::string target = node.a == nullptr ? "" : " " + Write(*node.a);
  switch (node.redirect) {
    case Redirect::kFile: return "getline" + target + " < " + Operand(node, *node.b);
    case Redirect::kPipe: return Operand(node, *node.b) + " | getline" + target;
    case Redirect::kCoprocess: return Operand(node, *node.b) + " |& getline" + target;
    default: return "getline" + target;
  }
}

// Arguments that the program left to their defaults are written out.
std::string Writer::Call(const Node& node) {
  const size_t count = node.list.size();
  std::string arguments = List(node.list, ", ");
  switch (node.builtin) {
    case Builtin::kLength: arguments = count == 0 ? "$0" : arguments; break;
    case Builtin::kSplit: arguments += count == 2 ? ", FS" : ""; break;
    case Builtin::kPatsplit: arguments += count == 2 ? ", FPAT" : ""; break;
    case Builtin::kSub:
    case Builtin::kGsub: arguments += count == 2 ? ", $0" : ""; break;
    case Builtin::kGensub: arguments += count == 3 ? ", $0" : ""; break;
    default: break;
  }
  return std::string(InfoOf(node.builtin).name) + "(" + arguments + ")";
}

}  // namespace

bool IsBinary(const Node& node) {
  if (node.paren_count > 0) return false;
  switch (node.kind) {
    case NodeKind::kAssign:
    case NodeKind::kConditional:
    case NodeKind::kAnd:
    case NodeKind::kOr:
    case NodeKind::kArithmetic:
    case NodeKind::kCompare:
    case NodeKind::kConcat:
    case NodeKind::kMatch:
    case NodeKind::kIn:
    case NodeKind::kGetline: return true;
    default: return false;
  }
}

std::string QuotedText(std::string_view text) {
  constexpr std::string_view kSpecial = "\a\b\f\n\r\t\v\"\\";
  constexpr std::string_view kLetters = "abfnrtv\"\\";
  std::string quoted = "\"";
  for (const char c : text) {
    const size_t index = kSpecial.find(c);
    if (index != std::string_view::npos) {
      quoted += '\\';
      quoted += kLetters[index];
    } else if (c < ' ' || c == 0x7f) {  // as are all bytes beyond ASCII
      char octal[8];
      std::snprintf(octal, sizeof octal, "\\%03o", static_cast<unsigned>(static_cast<unsigned char>(c)));
      quoted += octal;
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string NameWithin(const std::string& space, const std::string& name) {
  if (space.empty()) return name;
  if (name.starts_with(space + "::")) return name.substr(space.size() + 2);
  const bool is_shared = std::all_of(name.begin(), name.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  return is_shared || name.find("::") != std::string::npos ? name : "awk::" + name;
}

std::string ExpressionText(const Node& node, const std::string& space, Budget& budget) {
  return Writer(space, budget).Write(node);
}

std::string ExpressionList(const std::vector<Node*>& list, std::string_view separator, const std::string& space,
                           Budget& budget) {
  return Writer(space, budget).List(list, separator);
}

}  // namespace paddock::awk
