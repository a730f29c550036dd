#include "lang/yaml/emitter.h"

#include "base/budget.h"
#include "text/utf8.h"

namespace paddock::yaml {
namespace {

constexpr int kIndent = 2;
constexpr size_t kLongestKey = 128;

std::u32string Decode(std::string_view text) {
  std::u32string codes;
  codes.reserve(text.size());
  while (!text.empty()) {
    const DecodedChar next = DecodeUtf8(text);
    codes += next.is_valid ? next.code : U'\uFFFD';
    text.remove_prefix(next.length);
  }
  return codes;
}

// A tag as it is written: !!str, !local, !<anything else>.
std::string ShownTag(const std::string& tag) {
  if (tag.starts_with(kTagPrefix)) return "!!" + tag.substr(sizeof(kTagPrefix) - 1);
  return tag.starts_with('!') ? tag : "!<" + tag + ">";
}

}  // namespace

Emitter::Emitter(EmitSettings settings, std::string& out, Budget& budget) : settings_(settings), out_(out), budget_(budget) {
  if (settings_.width <= kIndent * 2) settings_.width = 80;
}

void Emitter::Document(const Node& root) {
  if (!is_first_ || settings_.starts_explicitly) {
    Indent();
    Indicator("---", true);
  }
  is_first_ = false;
  Emit(root, {.is_root = true});
  Indent();
  if (settings_.ends_explicitly) {
    Indicator("...", true);
    Indent();
  }
}

void Emitter::Finish() {
  if (!is_open_ended_) return;
  Indicator("...", true);
  Indent();
}

void Emitter::Indicator(std::string_view text, bool needs_space, bool is_space, bool is_indention) {
  if (!is_space_ && needs_space) WriteAscii(" ");
  WriteAscii(text);
  is_space_ = is_space;
  is_indention_ = is_indention_ && is_indention;
  is_open_ended_ = false;
}

void Emitter::LineBreak() {
  out_ += '\n';
  is_space_ = true;
  is_indention_ = true;
  column_ = 0;
}

void Emitter::Indent() {
  const auto indent = static_cast<size_t>(std::max(indent_, 0));
  if (!is_indention_ || column_ > indent || (column_ == indent && !is_space_)) LineBreak();
  if (column_ < indent) {
    is_space_ = true;
    out_.append(indent - column_, ' ');
    column_ = indent;
  }
}

void Emitter::WriteAscii(std::string_view text) {
  out_ += text;
  column_ += text.size();
}

void Emitter::Write(std::u32string_view text) {
  for (const char32_t code : text) AppendUtf8(out_, code);
  column_ += text.size();
}

// Returns the indent to go back to.
int Emitter::Deeper(bool is_flow, bool is_indentless) {
  const int before = indent_;
  if (indent_ < 0) {
    indent_ = is_flow ? kIndent : 0;
  } else if (!is_indentless) {
    indent_ += kIndent;
  }
  return before;
}

void Emitter::Emit(const Node& node, Context context) {
  budget_.Step();
  budget_.CheckStack();
  if (node.kind == Node::kScalar) return Scalar(node, context);
  const bool is_implied = node.tag == std::string(kTagPrefix) + (node.kind == Node::kSequence ? "seq" : "map");
  WriteTag(node, is_implied);
  const bool is_flow = flow_level_ > 0 || node.is_flow || node.items.empty();
  if (node.kind == Node::kSequence) {
    is_flow ? FlowSequence(node) : BlockSequence(node, context);
  } else {
    is_flow ? FlowMapping(node) : BlockMapping(node);
  }
}

void Emitter::WriteTag(const Node& node, bool is_implied) {
  if (!is_implied) Indicator(ShownTag(node.tag), true);
}

void Emitter::BlockSequence(const Node& node, Context context) {
  const int before = Deeper(false, settings_.is_indentless && context.is_in_mapping && !is_indention_);
  for (const Node* item : node.items) {
    Indent();
    Indicator("-", true, false, true);
    Emit(*item, {});
  }
  indent_ = before;
}

bool Emitter::IsSimpleKey(const Node& key) const {
  if (key.kind != Node::kScalar) return false;
  const std::u32string text = Decode(key.text.substr(0, kLongestKey * 4));
  const Analysis analysis = Analyze(text);
  return ShownTag(key.tag).size() + text.size() < kLongestKey && !analysis.is_empty && !analysis.is_multiline;
}

void Emitter::BlockMapping(const Node& node) {
  const int before = Deeper(false);
  for (size_t i = 0; i + 1 < node.items.size(); i += 2) {
    Indent();
    if (IsSimpleKey(*node.items[i])) {
      Emit(*node.items[i], {.is_in_mapping = true, .is_simple_key = true});
      Indicator(":", false);
    } else {
      Indicator("?", true, false, true);
      Emit(*node.items[i], {.is_in_mapping = true});
      Indent();
      Indicator(":", true, false, true);
    }
    Emit(*node.items[i + 1], {.is_in_mapping = true});
  }
  indent_ = before;
}

void Emitter::FlowSequence(const Node& node) {
  Indicator("[", true, true);
  ++flow_level_;
  const int before = Deeper(true);
  for (size_t i = 0; i < node.items.size(); ++i) {
    if (i > 0) Indicator(",", false);
    if (column_ > settings_.width) Indent();
    Emit(*node.items[i], {});
  }
  indent_ = before;
  --flow_level_;
  Indicator("]", false);
}

void Emitter::FlowMapping(const Node& node) {
  Indicator("{", true, true);
  ++flow_level_;
  const int before = Deeper(true);
  for (size_t i = 0; i + 1 < node.items.size(); i += 2) {
    if (i > 0) Indicator(",", false);
    if (column_ > settings_.width) Indent();
    if (IsSimpleKey(*node.items[i])) {
      Emit(*node.items[i], {.is_in_mapping = true, .is_simple_key = true});
      Indicator(":", false);
    } else {
      Indicator("?", true);
      Emit(*node.items[i], {.is_in_mapping = true});
      if (column_ > settings_.width) Indent();
      Indicator(":", true);
    }
    Emit(*node.items[i + 1], {.is_in_mapping = true});
  }
  indent_ = before;
  --flow_level_;
  Indicator("}", false);
}

char Emitter::ChooseStyle(const Node& node, const Analysis& analysis, bool is_plain_implied, const Context& context) const {
  const bool may_be_plain = flow_level_ > 0 ? analysis.allows_flow_plain : analysis.allows_block_plain;
  const bool is_hard_key = context.is_simple_key && (analysis.is_empty || analysis.is_multiline);
  switch (node.style) {
    case '"': return '"';
    case 0:
      if (is_plain_implied && !is_hard_key && may_be_plain) return 0;
      break;
    case '|':
    case '>': return flow_level_ == 0 && !context.is_simple_key && analysis.allows_block ? node.style : '"';
    default: break;
  }
  return analysis.allows_single && !(context.is_simple_key && analysis.is_multiline) ? '\'' : '"';
}

void Emitter::Scalar(const Node& node, Context context) {
  const int before = Deeper(true);
  const std::u32string text = Decode(node.text);
  budget_.Step(static_cast<int64_t>(text.size() / 8));
  const Analysis analysis = Analyze(text);
  const bool is_plain_implied = node.tag == std::string(kTagPrefix).append(ResolvePlain(node.text, settings_.grammar));
  const bool is_quoted_implied = node.tag == std::string(kTagPrefix) + "str";
  const char style = ChooseStyle(node, analysis, is_plain_implied, context);
  WriteTag(node, style == 0 ? is_plain_implied : is_quoted_implied);
  const bool may_split = !context.is_simple_key;
  switch (style) {
    case '"': DoubleQuoted(text, may_split); break;
    case '\'': SingleQuoted(text, may_split); break;
    case '|': Literal(text); break;
    case '>': Folded(text); break;
    default: Plain(text, may_split, context.is_root); break;
  }
  indent_ = before;
}

}  // namespace paddock::yaml
