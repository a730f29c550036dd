// gawk -g: the strings of a program that can be translated, as a .pot file.
#include "base/budget.h"
#include "lang/awk/pretty_parts.h"

namespace paddock::awk {
namespace {

// "text", broken into lines of 70 characters; the first has one less.
std::string BrokenText(std::string_view text) {
  const std::string quoted = QuotedText(text);
  std::string broken;
  size_t width = 0;
  for (size_t at = 0; at < quoted.size(); ++at) {
    const bool is_end = at + 1 == quoted.size();
    if (width == 70 && !is_end) {
      broken += "\"\n\"";
      width = 0;
    }
    broken += quoted[at];
    ++width;
    if (quoted[at] == '\\' && !is_end) {  // an escape stays whole
      broken += quoted[++at];
      ++width;
    }
  }
  return broken;
}

}  // namespace

std::string TranslationTemplate(const SyntaxTree& tree, const std::vector<Source>& sources, Budget& budget) {
  std::string out;
  const auto start = [&](const Node& node, std::string_view id) {
    const Source& source = sources[node.place.source];
    if (source.name != "cmd. line") out += "#: " + source.name + ":" + std::to_string(node.place.line) + "\n";
    out += "msgid " + BrokenText(id) + "\n";
  };
  for (const Node& node : tree.nodes) {
    budget.Step();
    const auto is_text = [&](size_t index) {
      return index < node.list.size() && node.list[index]->kind == NodeKind::kString &&
             !node.list[index]->is_translatable;
    };
    if (node.kind == NodeKind::kString && node.is_translatable) {
      start(node, node.text);
      out += "msgstr \"\"\n\n";
    } else if (node.kind == NodeKind::kBuiltin && node.builtin == Builtin::kDcgettext && is_text(0)) {
      start(node, node.list[0]->text);
      out += "msgstr \"\"\n\n";
    } else if (node.kind == NodeKind::kBuiltin && node.builtin == Builtin::kDcngettext && is_text(0) && is_text(1)) {
      start(node, node.list[0]->text);
      out += "msgid_plural " + BrokenText(node.list[1]->text) + "\nmsgstr[0] \"\"\nmsgstr[1] \"\"\n\n";
    }
  }
  return out;
}

}  // namespace paddock::awk
