// The items that elements become. Not an interface of the folder.
#pragma once

#include <deque>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "lang/xml/to_json.h"

namespace paddock::xml {

// Takes a document's elements and texts in their order and writes what they become.
class ItemTree {
 public:
  ItemTree(const ToJsonSettings& settings, std::string& json, Budget& budget) : settings_(settings), json_(json), budget_(budget) {}

  using Attributes = std::vector<std::pair<std::string, std::string>>;
  void Start(std::string name, Attributes attributes);
  void AddText(std::string_view text) { data_ += text; }
  void End();
  size_t depth() const { return path_.size(); }
  // Writes the document, unless its items were written one by one.
  void Finish();

 private:
  struct Item;
  // A text, an item or null.
  struct Value {
    Item* item = nullptr;
    bool is_text = false;
    std::string text;
  };
  struct Member {
    std::string key;
    std::vector<Value> values;
    bool is_list = false;
  };
  struct Item {
    std::vector<Member> members;
    std::unordered_map<std::string, size_t> index;   // only of many members
  };

  static Value TextValue(std::string_view text) { return {nullptr, true, std::string(text)}; }
  Member* Find(Item& item, const std::string& key);
  Item* Push(Item* item, const std::string& key, Value value);
  void Write(const Value& value);
  void WriteItem(const Item& item);

  const ToJsonSettings& settings_;
  std::string& json_;
  Budget& budget_;
  std::deque<Item> items_;
  std::vector<std::string> path_;
  std::vector<std::pair<Item*, std::string>> stack_;   // of the elements around the present one
  Item* item_ = nullptr;
  std::string data_;
};

}  // namespace paddock::xml
