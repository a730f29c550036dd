// YAML documents as JSON texts, one after the other: what `yq` gives to jq.
//
// libyaml finds the events; the tree, anchors, merge keys and the meaning of scalars are as PyYAML's safe loader has
// them, and so are the words of errors. Aliases are written out, within a bound that grows with the document.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lang/yaml/node.h"

namespace paddock {
class Budget;
}

namespace paddock::yaml {

// What the notes of -Y call a key.
std::string HashKey(std::string_view key);

struct ReadSettings {
  bool annotates = false;          // members and elements that tell the tags and styles of their neighbours
  bool expands_aliases = true;     // or writes {"__yq_alias__": NAME}
  size_t expansion_factor = 1024;  // characters of JSON for each of YAML
};

class Reader {
 public:
  // `text` outlives the reader; `name` is for messages.
  Reader(std::string_view text, std::string name, ReadSettings settings, Budget& budget);
  ~Reader();
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  // Appends the next document and a newline to `json`. False at the end and after an error.
  bool Next(std::string& json);

  // "ScannerError: while …", with its places; empty when there was none.
  const std::string& error() const { return error_; }
  // A document's aliases would be too much when written out.
  bool is_unsafe() const { return is_unsafe_; }

 private:
  struct Parser;

  bool NextEvent();
  bool Fail(std::string error);
  bool FailAt(std::string_view kind, std::string_view problem, const Mark& mark);
  bool FailAt(std::string_view kind, std::string_view context, const Mark& where, std::string_view problem, const Mark& mark);
  bool FailAsParser();
  std::string Place(const Mark& mark) const;

  // Composes the next document; null at the end and after an error.
  Node* Compose();
  Node* NewNode(Node::Kind kind, const char* tag);
  Node* FromEvent();
  // The node, or null when the anchor is taken.
  Node* WithAnchor(const unsigned char* anchor, Node* node);
  void SetScalarTag(Node* node, bool is_plain_implicit);

  bool Flatten(Node* mapping);
  bool Merge(Node* mapping, Node* value, std::vector<Node*>& merged);
  bool Construct(Node* node, std::string& json);
  bool ConstructSequence(Node* node, std::string& json);
  bool ConstructMapping(Node* node, std::string& json);
  bool ConstructScalar(const Node* node, std::string& json);
  bool ConstructKey(Node* node, std::string& json, std::string& key);
  bool IsWithinBounds(const std::string& json);

  std::unique_ptr<Parser> parser_;
  std::string name_;
  ReadSettings settings_;
  Budget& budget_;
  std::deque<Node> nodes_;
  std::unordered_map<std::string, Node*> anchors_;
  std::string error_;
  bool is_unsafe_ = false;
  bool is_ended_ = false;
  size_t last_end_ = 0;       // of the document before
  size_t json_begin_ = 0;
  size_t most_json_ = 0;
};

}  // namespace paddock::yaml
