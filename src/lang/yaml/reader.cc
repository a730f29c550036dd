#include "lang/yaml/reader.h"

#include <yaml.h>

#include "base/budget.h"
#include "lang/yaml/scalar.h"
#include "text/base64.h"
#include "text/digest.h"

namespace paddock::yaml {
namespace {

// libyaml looks through all open flow collections at each token, and what reads the tree recurses.
constexpr size_t kMostDepth = 1000;

Mark From(const yaml_mark_t& mark) { return {mark.line, mark.column}; }

const char* IdOf(const Node& node) {
  return node.kind == Node::kScalar ? "scalar" : node.kind == Node::kSequence ? "sequence" : "mapping";
}

bool IsLocalTag(std::string_view tag) { return tag.size() > 1 && tag[0] == '!' && tag[1] != '!'; }

// The name of a tag of YAML's own, or empty.
std::string_view CoreName(std::string_view tag) {
  return tag.starts_with(kTagPrefix) ? tag.substr(sizeof(kTagPrefix) - 1) : std::string_view();
}

// What tells a node's style to the emitter; empty for the usual one.
std::string StyleOf(const Node& node) {
  if (node.kind == Node::kScalar) return node.style == 0 ? "" : std::string(1, node.style);
  return node.is_flow ? "flow" : "";
}

}  // namespace

std::string HashKey(std::string_view key) { return EncodeBase64(DigestOf(DigestAlgorithm::kSha224, key)); }

struct Reader::Parser {
  yaml_parser_t parser;
  yaml_event_t event;
  bool has_event = false;

  explicit Parser(std::string_view text) {
    yaml_parser_initialize(&parser);
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, reinterpret_cast<const unsigned char*>(text.data()), text.size());
  }
  ~Parser() {
    Drop();
    yaml_parser_delete(&parser);
  }
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;

  void Drop() {
    if (has_event) yaml_event_delete(&event);
    has_event = false;
  }
};

Reader::Reader(std::string_view text, std::string name, ReadSettings settings, Budget& budget)
    : name_(std::move(name)), settings_(settings), budget_(budget) {
  budget.WillAllocate(text.size() * 2);   // what libyaml may hold is not counted
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  parser_ = std::make_unique<Parser>(text);
}

Reader::~Reader() = default;

std::string Reader::Place(const Mark& mark) const {
  return "\n  in \"" + name_ + "\", line " + std::to_string(mark.line + 1) + ", column " + std::to_string(mark.column + 1);
}

bool Reader::Fail(std::string error) {
  error_ = std::move(error);
  is_ended_ = true;
  return false;
}

bool Reader::FailAt(std::string_view kind, std::string_view problem, const Mark& mark) {
  return Fail(std::string(kind) + ": " + std::string(problem) + Place(mark));
}

bool Reader::FailAt(std::string_view kind, std::string_view context, const Mark& where, std::string_view problem, const Mark& mark) {
  std::string text = std::string(kind) + ": " + std::string(context);
  if (where.line != mark.line || where.column != mark.column) text += Place(where);
  return Fail(text + "\n" + std::string(problem) + Place(mark));
}

bool Reader::FailAsParser() {
  const yaml_parser_t& parser = parser_->parser;
  const std::string problem = parser.problem == nullptr ? "" : parser.problem;
  if (parser.error == YAML_READER_ERROR) {
    constexpr char kHexDigits[] = "0123456789abcdef";
    std::string code;
    for (int shift = 12; shift >= 0; shift -= 4) code += kHexDigits[(parser.problem_value >> shift) & 15];
    return Fail("ReaderError: unacceptable character #x" + code + ": " + problem + "\n  in \"" + name_ + "\", position " +
                std::to_string(parser.problem_offset));
  }
  if (parser.error == YAML_MEMORY_ERROR) return Fail("MemoryError: ");
  const std::string_view kind = parser.error == YAML_SCANNER_ERROR ? "ScannerError" : "ParserError";
  if (parser.context == nullptr) return FailAt(kind, problem, From(parser.problem_mark));
  return FailAt(kind, parser.context, From(parser.context_mark), problem, From(parser.problem_mark));
}

bool Reader::NextEvent() {
  budget_.Step();
  parser_->Drop();
  if (yaml_parser_parse(&parser_->parser, &parser_->event) == 0) return FailAsParser();
  parser_->has_event = true;
  return true;
}

Node* Reader::NewNode(Node::Kind kind, const char* tag) {
  Node& node = nodes_.emplace_back();
  node.kind = kind;
  node.start = From(parser_->event.start_mark);
  if (tag != nullptr && std::string_view(tag) != "!") node.tag = tag;
  return &node;
}

Node* Reader::WithAnchor(const unsigned char* anchor, Node* node) {
  if (anchor == nullptr) return node;
  const auto [known, is_new] = anchors_.emplace(reinterpret_cast<const char*>(anchor), node);
  if (is_new) return node;
  FailAt("ComposerError", "found duplicate anchor; first occurrence", known->second->start, "second occurrence", node->start);
  return nullptr;
}

void Reader::SetScalarTag(Node* node, bool is_plain_implicit) {
  if (!node->tag.empty()) return;
  node->tag = std::string(kTagPrefix).append(is_plain_implicit ? ResolvePlain(node->text, Grammar::k12) : "str");
}

// The node that the event at hand begins; null for one that ends a collection, and after an error.
Node* Reader::FromEvent() {
  const yaml_event_t& event = parser_->event;
  const auto text = [](const yaml_char_t* bytes) { return reinterpret_cast<const char*>(bytes); };
  Node* node = nullptr;
  switch (event.type) {
    case YAML_ALIAS_EVENT: {
      const std::string name = text(event.data.alias.anchor);
      if (!settings_.expands_aliases) {
        node = NewNode(Node::kMapping, "tag:yaml.org,2002:map");
        for (const char* part : {"__yq_alias__", name.c_str()}) {
          node->items.push_back(NewNode(Node::kScalar, "tag:yaml.org,2002:str"));
          node->items.back()->text = part;
        }
        node->is_flow = true;
        return node;
      }
      const auto known = anchors_.find(name);
      if (known != anchors_.end()) return known->second;
      FailAt("ComposerError", "found undefined alias", From(event.start_mark));
      return nullptr;
    }
    case YAML_SCALAR_EVENT: {
      const auto& scalar = event.data.scalar;
      node = NewNode(Node::kScalar, text(scalar.tag));
      node->text.assign(text(scalar.value), scalar.length);
      switch (scalar.style) {
        case YAML_SINGLE_QUOTED_SCALAR_STYLE: node->style = '\''; break;
        case YAML_DOUBLE_QUOTED_SCALAR_STYLE: node->style = '"'; break;
        case YAML_LITERAL_SCALAR_STYLE: node->style = '|'; break;
        case YAML_FOLDED_SCALAR_STYLE: node->style = '>'; break;
        default: break;
      }
      SetScalarTag(node, scalar.plain_implicit != 0);
      return WithAnchor(scalar.anchor, node);
    }
    case YAML_SEQUENCE_START_EVENT:
      node = NewNode(Node::kSequence, text(event.data.sequence_start.tag));
      if (node->tag.empty()) node->tag = std::string(kTagPrefix) + "seq";
      node->is_flow = event.data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE;
      return WithAnchor(event.data.sequence_start.anchor, node);
    case YAML_MAPPING_START_EVENT:
      node = NewNode(Node::kMapping, text(event.data.mapping_start.tag));
      if (node->tag.empty()) node->tag = std::string(kTagPrefix) + "map";
      node->is_flow = event.data.mapping_start.style == YAML_FLOW_MAPPING_STYLE;
      return WithAnchor(event.data.mapping_start.anchor, node);
    default: return nullptr;
  }
}

Node* Reader::Compose() {
  for (;;) {
    if (!NextEvent()) return nullptr;
    if (parser_->event.type == YAML_STREAM_END_EVENT) {
      is_ended_ = true;
      return nullptr;
    }
    if (parser_->event.type == YAML_DOCUMENT_START_EVENT) break;
  }
  Node* root = nullptr;
  std::vector<Node*> levels;
  for (;;) {
    if (!NextEvent()) return nullptr;
    const yaml_event_type_t type = parser_->event.type;
    if (type == YAML_DOCUMENT_END_EVENT) return root;
    if (type == YAML_SEQUENCE_END_EVENT || type == YAML_MAPPING_END_EVENT) {
      levels.pop_back();
      if (levels.empty()) most_json_ = parser_->event.end_mark.index;
      continue;
    }
    Node* node = FromEvent();
    if (node == nullptr) return nullptr;
    if (levels.empty()) {
      root = node;
      most_json_ = parser_->event.end_mark.index;
    } else {
      levels.back()->items.push_back(node);
    }
    if (type != YAML_SEQUENCE_START_EVENT && type != YAML_MAPPING_START_EVENT) continue;
    levels.push_back(node);
    if (levels.size() > kMostDepth) {
      Fail("RecursionError: maximum recursion depth exceeded");
      return nullptr;
    }
  }
}

bool Reader::Next(std::string& json) {
  if (is_ended_) return false;
  nodes_.clear();
  anchors_.clear();
  Node* root = Compose();
  if (root == nullptr) return false;
  const size_t end = most_json_;
  most_json_ = (end - std::min(end, last_end_)) * settings_.expansion_factor;
  last_end_ = end;
  json_begin_ = json.size();
  if (!Construct(root, json)) {
    json.resize(json_begin_);
    return false;
  }
  json += '\n';
  return true;
}

bool Reader::IsWithinBounds(const std::string& json) {
  budget_.Step();
  if (json.size() - json_begin_ <= most_json_) return true;
  is_unsafe_ = true;
  is_ended_ = true;
  return false;
}

bool Reader::Construct(Node* node, std::string& json) {
  budget_.CheckStack();
  if (!IsWithinBounds(json)) return false;
  if (node->kind == Node::kScalar) return ConstructScalar(node, json);
  if (node->is_under_way) return FailAt("ConstructorError", "found unconstructable recursive node", node->start);
  const std::string_view core = CoreName(node->tag);
  for (const std::string_view name : {"str", "int", "float", "bool", "null", "timestamp"}) {
    if (core == name) return FailAt("ConstructorError", std::string("expected a scalar node, but found ") + IdOf(*node), node->start);
  }
  node->is_under_way = true;
  const bool is_good = node->kind == Node::kSequence ? ConstructSequence(node, json) : ConstructMapping(node, json);
  node->is_under_way = false;
  return is_good;
}

bool Reader::ConstructScalar(const Node* node, std::string& json) {
  const std::string_view core = CoreName(node->tag);
  if (core == "null") {
    json += "null";
    return true;
  }
  if (core == "seq" || core == "map") {
    return FailAt("ConstructorError", "expected a " + std::string(core == "seq" ? "sequence" : "mapping") + " node, but found scalar",
                  node->start);
  }
  if (core == "int" || core == "float" || core == "bool") {
    std::string error;
    return ScalarToJson(core, node->text, json, error) || Fail(error);
  }
  AppendJsonString(node->text, json);
  return true;
}

bool Reader::ConstructSequence(Node* node, std::string& json) {
  json += '[';
  std::string separator;
  for (Node* item : node->items) {
    json += separator;
    separator = ", ";
    if (!Construct(item, json)) return false;
  }
  for (size_t i = 0; settings_.annotates && i < node->items.size(); ++i) {
    const auto note = [&](const char* what, const std::string& value) {
      json += separator;
      separator = ", ";
      AppendJsonString(std::string("__yq_") + what + "_" + std::to_string(i) + "_" + value + "__", json);
    };
    budget_.Step();
    if (IsLocalTag(node->items[i]->tag)) note("tag", node->items[i]->tag);
    if (const std::string style = StyleOf(*node->items[i]); !style.empty()) note("style", style);
  }
  json += ']';
  return true;
}

// The key as JSON has it; `key` is the text of one that is a string, to be hashed.
bool Reader::ConstructKey(Node* node, std::string& json, std::string& key) {
  if (node->kind != Node::kScalar) {
    if (node->is_under_way) return FailAt("ConstructorError", "found unconstructable recursive node", node->start);
    return Fail(std::string("TypeError: unhashable type: '") + (node->kind == Node::kMapping ? "dict'" : "list'"));
  }
  std::string text;
  if (!ConstructScalar(node, text)) return false;
  if (text.starts_with('"')) {
    key = node->text;
    json += text;
    return true;
  }
  if (CoreName(node->tag) == "float" && text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  AppendJsonString(text, json);
  return true;
}

bool Reader::ConstructMapping(Node* node, std::string& json) {
  if (!Flatten(node)) return false;
  json += '{';
  std::string separator;
  for (size_t i = 0; i + 1 < node->items.size(); i += 2) {
    json += separator;
    separator = ", ";
    std::string key;
    if (!ConstructKey(node->items[i], json, key)) return false;
    const bool has_text = CoreName(node->items[i]->tag) == "str" || !key.empty();
    json += ": ";
    Node* value = node->items[i + 1];
    if (!Construct(value, json)) return false;
    if (!settings_.annotates || !has_text) continue;
    const auto note = [&](const char* what, const std::string& told) {
      json += separator;
      AppendJsonString(std::string("__yq_") + what + "_" + HashKey(key) + "__", json);
      json += ": ";
      AppendJsonString(told, json);
    };
    if (IsLocalTag(value->tag)) note("tag", value->tag);
    if (const std::string style = StyleOf(*value); !style.empty()) note("style", style);
  }
  json += '}';
  return true;
}

// Puts the pairs of what `value` names into `merged`.
bool Reader::Merge(Node* mapping, Node* value, std::vector<Node*>& merged) {
  constexpr std::string_view kContext = "while constructing a mapping";
  if (value->kind == Node::kMapping) {
    if (!Flatten(value)) return false;
    budget_.Step(static_cast<int64_t>(value->items.size()));
    merged.insert(merged.end(), value->items.begin(), value->items.end());
    return true;
  }
  if (value->kind == Node::kScalar) {
    return FailAt("ConstructorError", kContext, mapping->start, "expected a mapping or list of mappings for merging, but found scalar",
                  value->start);
  }
  for (Node* item : value->items) {
    if (item->kind != Node::kMapping) {
      return FailAt("ConstructorError", kContext, mapping->start, std::string("expected a mapping for merging, but found ") + IdOf(*item),
                    item->start);
    }
    if (!Flatten(item)) return false;
  }
  for (size_t i = value->items.size(); i-- > 0;) {
    const std::vector<Node*>& pairs = value->items[i]->items;
    budget_.Step(static_cast<int64_t>(pairs.size()) + 1);
    merged.insert(merged.end(), pairs.begin(), pairs.end());
  }
  return true;
}

// Replaces merge keys by what they name, which stands before the mapping's own pairs.
bool Reader::Flatten(Node* mapping) {
  budget_.CheckStack();
  if (mapping->is_flattened) return true;
  mapping->is_flattened = true;   // already: a circle finds nothing more to merge
  std::vector<Node*> merged, own;
  for (size_t i = 0; i + 1 < mapping->items.size(); i += 2) {
    budget_.Step();
    if (CoreName(mapping->items[i]->tag) == "merge") {
      if (!Merge(mapping, mapping->items[i + 1], merged)) return false;
    } else {
      own.push_back(mapping->items[i]);
      own.push_back(mapping->items[i + 1]);
    }
  }
  if (own.size() == mapping->items.size()) return true;
  merged.insert(merged.end(), own.begin(), own.end());
  mapping->items = std::move(merged);
  return true;
}

}  // namespace paddock::yaml
