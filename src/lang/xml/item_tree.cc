#include "lang/xml/item_tree.h"

#include <algorithm>

namespace paddock::xml {
namespace {

constexpr size_t kFewMembers = 16;

// What Python takes for blank, by its UTF-8.
size_t BlankBefore(std::string_view text) {
  const auto byte = static_cast<unsigned char>(text.back());
  if (byte == ' ' || (byte >= '\t' && byte <= '\r') || (byte >= 0x1c && byte <= 0x1f)) return 1;
  static constexpr std::string_view kWide[] = {"\u0085", "\u00a0", "\u1680", "\u2000", "\u2001", "\u2002", "\u2003", "\u2004", "\u2005", "\u2006",
                                               "\u2007", "\u2008", "\u2009", "\u200a", "\u2028", "\u2029", "\u202f", "\u205f", "\u3000"};
  for (const std::string_view blank : kWide) {
    if (text.ends_with(blank)) return blank.size();
  }
  return 0;
}
size_t BlankAt(std::string_view text) {
  for (size_t size = 1; size <= std::min<size_t>(3, text.size()); ++size) {
    if (BlankBefore(text.substr(0, size)) == size) return size;
  }
  return 0;
}

std::string_view Stripped(std::string_view text) {
  while (!text.empty() && BlankBefore(text) > 0) text.remove_suffix(BlankBefore(text));
  while (!text.empty() && BlankAt(text) > 0) text.remove_prefix(BlankAt(text));
  return text;
}

void WriteString(std::string_view text, std::string& json) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  json += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && c != '"' && c != '\\') json += c;
    else if (byte >= 0x20) (json += '\\') += c;
    else ((json += "\\u00") += kDigits[byte >> 4]) += kDigits[byte & 15];
  }
  json += '"';
}

}  // namespace

void ItemTree::Start(std::string name, Attributes attributes) {
  budget_.Step(2);
  path_.push_back(std::move(name));
  if (path_.size() <= settings_.item_depth) return;
  stack_.emplace_back(item_, std::move(data_));
  item_ = nullptr;
  data_.clear();
  for (auto& [key, value] : attributes) {
    if (item_ == nullptr) item_ = &items_.emplace_back();
    Member& member = item_->members.emplace_back();
    member.key = "@" + key;
    member.values.push_back(TextValue(value));
  }
}

void ItemTree::End() {
  budget_.Step(static_cast<int64_t>(data_.size() / 32 + 1));
  const std::string name = path_.back();
  if (path_.size() == settings_.item_depth) {
    Write(item_ != nullptr ? Value{item_, false, {}} : data_.empty() ? Value{} : TextValue(data_));
    json_ += '\n';
  }
  path_.pop_back();
  if (stack_.empty()) {
    item_ = nullptr;
    data_.clear();
    items_.clear();
    return;
  }
  const std::string text(Stripped(data_));
  Item* item = item_;
  std::tie(item_, data_) = std::move(stack_.back());
  stack_.pop_back();
  if (item != nullptr && !text.empty()) Push(item, "#text", TextValue(text));
  item_ = Push(item_, name, item != nullptr ? Value{item, false, {}} : text.empty() ? Value{} : TextValue(text));
}

void ItemTree::Finish() {
  if (settings_.item_depth > 0) return;
  Write({item_, false, {}});
  json_ += '\n';
}

ItemTree::Member* ItemTree::Find(Item& item, const std::string& key) {
  if (item.members.size() <= kFewMembers) {
    const auto found = std::find_if(item.members.begin(), item.members.end(), [&](const Member& member) { return member.key == key; });
    return found == item.members.end() ? nullptr : &*found;
  }
  for (size_t i = item.index.size(); i < item.members.size(); ++i) item.index.emplace(item.members[i].key, i);
  const auto found = item.index.find(key);
  return found == item.index.end() ? nullptr : &item.members[found->second];
}

// A member that is there already becomes a list.
ItemTree::Item* ItemTree::Push(Item* item, const std::string& key, Value value) {
  if (item == nullptr) item = &items_.emplace_back();
  Member* member = Find(*item, key);
  if (member == nullptr) {
    member = &item->members.emplace_back();
    member->key = key;
    member->is_list = std::find(settings_.lists.begin(), settings_.lists.end(), key) != settings_.lists.end();
  } else {
    member->is_list = true;
  }
  member->values.push_back(std::move(value));
  return item;
}

void ItemTree::Write(const Value& value) {
  budget_.Step(static_cast<int64_t>(value.text.size() / 16 + 1));
  if (value.item != nullptr) WriteItem(*value.item);
  else if (value.is_text) WriteString(value.text, json_);
  else json_ += "null";
}

void ItemTree::WriteItem(const Item& item) {
  budget_.CheckStack();
  json_ += '{';
  for (const Member& member : item.members) {
    if (&member != &item.members.front()) json_ += ',';
    WriteString(member.key, json_);
    json_ += member.is_list ? ":[" : ":";
    for (const Value& value : member.values) {
      if (&value != &member.values.front()) json_ += ',';
      Write(value);
    }
    if (member.is_list) json_ += ']';
  }
  json_ += '}';
}

}  // namespace paddock::xml
