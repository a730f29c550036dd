// Trees as YAML text, in PyYAML's form: block style, quotes where they are needed, lines folded at a width.
#pragma once

#include <string>
#include <string_view>

#include "lang/yaml/node.h"
#include "lang/yaml/scalar.h"

namespace paddock {
class Budget;
}

namespace paddock::yaml {

struct EmitSettings {
  Grammar grammar = Grammar::k11;
  size_t width = 80;
  bool is_indentless = false;     // sequences in mappings stand as far left as their keys
  bool starts_explicitly = false; // --- before the first document too
  bool ends_explicitly = false;   // ... behind each
};

class Emitter {
 public:
  Emitter(EmitSettings settings, std::string& out, Budget& budget);

  // One more document. Tags of scalars and collections are set; those that the text implies are not written.
  void Document(const Node& root);
  // The end of the stream.
  void Finish();

 private:
  struct Analysis {
    bool is_empty = false;
    bool is_multiline = false;
    bool allows_flow_plain = true;
    bool allows_block_plain = true;
    bool allows_single = true;
    bool allows_block = true;
  };
  struct Context {
    bool is_root = false;
    bool is_in_mapping = false;
    bool is_simple_key = false;
  };

  void Emit(const Node& node, Context context);
  void Scalar(const Node& node, Context context);
  void BlockSequence(const Node& node, Context context);
  void BlockMapping(const Node& node);
  void FlowSequence(const Node& node);
  void FlowMapping(const Node& node);
  void WriteTag(const Node& node, bool is_implied);
  bool IsSimpleKey(const Node& key) const;

  static Analysis Analyze(std::u32string_view text);
  char ChooseStyle(const Node& node, const Analysis& analysis, bool is_plain_implied, const Context& context) const;
  void Plain(std::u32string_view text, bool may_split, bool is_root);
  void SingleQuoted(std::u32string_view text, bool may_split);
  void DoubleQuoted(std::u32string_view text, bool may_split);
  void Literal(std::u32string_view text);
  void Folded(std::u32string_view text);
  void WriteBreaks(std::u32string_view breaks);
  std::string BlockHints(std::u32string_view text) const;

  void Indicator(std::string_view text, bool needs_space, bool is_space = false, bool is_indention = false);
  void Indent();
  void LineBreak();
  void Write(std::u32string_view text);
  void WriteAscii(std::string_view text);
  int Deeper(bool is_flow, bool is_indentless = false);

  EmitSettings settings_;
  std::string& out_;
  Budget& budget_;
  size_t column_ = 0;
  int indent_ = -1;
  size_t flow_level_ = 0;
  bool is_space_ = true;
  bool is_indention_ = true;
  bool is_open_ended_ = false;
  bool is_first_ = true;
};

}  // namespace paddock::yaml
