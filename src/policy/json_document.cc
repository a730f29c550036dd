// JSON documents: Boost.JSON's event parser, since its own tree keeps the last of two equal keys without a word.

#include <boost/json/basic_parser_impl.hpp>
#include <limits>

#include "policy/document.h"

namespace paddock::policy {
namespace {

namespace json = boost::json;

Error At(int line, std::string_view what, Code code = Code::kSyntax) {
  return Error(code, std::to_string(line) + ": " + std::string(what));
}

// Builds the tree from the parser's events. A complaint of its own ends the parse.
class Builder {
 public:
  constexpr static std::size_t max_object_size = std::numeric_limits<uint32_t>::max();
  constexpr static std::size_t max_array_size = std::numeric_limits<uint32_t>::max();
  constexpr static std::size_t max_key_size = 256;
  constexpr static std::size_t max_string_size = 64 << 10;

  using Failure = boost::system::error_code;

  bool on_document_begin(Failure&) { return true; }
  bool on_document_end(Failure&) { return true; }
  bool on_object_begin(Failure&) { return Open(Value::Kind::kTable); }
  bool on_object_end(std::size_t, Failure&) { return Close(); }
  bool on_array_begin(Failure&) { return Open(Value::Kind::kList); }
  bool on_array_end(std::size_t, Failure&) { return Close(); }
  bool on_key_part(json::string_view part, std::size_t, Failure&) { return Append(part); }
  bool on_key(json::string_view part, std::size_t, Failure& failure) {
    Append(part);
    if (!CheckText(failure)) return false;
    Value& table = *open_.back();
    if (table.members.size() >= kMaxTableKeys) return Refuse("more than 1024 keys in one table", failure);
    if (table.Find(text_) != nullptr) {
      return Refuse("key '" + text_ + "' stands twice in one table; keep one", failure);
    }
    table.members.emplace_back(std::move(text_), Value{});
    table.members.back().value.line = line;
    text_.clear();
    return true;
  }
  bool on_string_part(json::string_view part, std::size_t, Failure&) { return Append(part); }
  bool on_string(json::string_view part, std::size_t, Failure& failure) {
    Append(part);
    if (!CheckText(failure)) return false;
    Value& value = Add(Value::Kind::kString);
    value.text = std::move(text_);
    text_.clear();
    return true;
  }
  bool on_number_part(json::string_view, Failure&) { return true; }
  bool on_int64(int64_t number, json::string_view, Failure&) {
    Add(Value::Kind::kInteger).integer = number;
    return true;
  }
  bool on_uint64(uint64_t, json::string_view, Failure& failure) {
    return Refuse("number is out of range", failure);
  }
  bool on_double(double number, json::string_view, Failure&) {
    Add(Value::Kind::kNumber).number = number;
    return true;
  }
  bool on_bool(bool flag, Failure&) {
    Add(Value::Kind::kBool).boolean = flag;
    return true;
  }
  bool on_null(Failure&) {
    Add(Value::Kind::kNull);
    return true;
  }
  bool on_comment_part(json::string_view, Failure&) { return true; }
  bool on_comment(json::string_view, Failure&) { return true; }

  int line = 1;   // of the text being parsed

  const std::string& complaint() const { return complaint_; }
  Value Take() { return std::move(root_); }

 private:
  bool Refuse(std::string complaint, Failure& failure) {
    complaint_ = std::move(complaint);
    failure = json::make_error_code(json::error::syntax);
    return false;
  }
  bool Append(json::string_view part) {
    text_.append(part.data(), part.size());
    return true;
  }
  bool CheckText(Failure& failure) {
    if (text_.find('\0') == std::string::npos) return true;
    return Refuse("a string holds a NUL character", failure);
  }
  // The value that the next event fills. A pointer into the tree stays good: only the innermost open list or table
  // grows, and the others in open_ are its ancestors.
  Value& Add(Value::Kind kind) {
    Value* value = &root_;
    if (!open_.empty()) {
      Value& parent = *open_.back();
      if (parent.kind == Value::Kind::kList) {
        parent.items.emplace_back().line = line;
        value = &parent.items.back();
      } else {
        value = &parent.members.back().value;
      }
    }
    value->kind = kind;
    return *value;
  }
  bool Open(Value::Kind kind) {
    open_.push_back(&Add(kind));
    return true;
  }
  bool Close() {
    open_.pop_back();
    return true;
  }

  Value root_;
  std::vector<Value*> open_;
  std::string text_;
  std::string complaint_;
};

}  // namespace

Result<Value> ParseJsonDocument(std::string_view text) {
  if (text.size() > kMaxDocumentBytes) return At(1, "document is longer than 1 MiB", Code::kLimit);
  json::parse_options options;
  options.max_depth = kMaxDocumentDepth;
  json::basic_parser<Builder> parser(options);
  Builder& builder = parser.handler();
  boost::system::error_code failure;
  // Line by line, so that every event has its line. No JSON token but white space holds a line feed.
  while (true) {
    const size_t end = text.find('\n');
    const bool is_last = end == std::string_view::npos;
    const std::string_view line = text.substr(0, is_last ? text.size() : end + 1);
    const size_t used = parser.write_some(!is_last, line.data(), line.size(), failure);
    if (!failure && used < line.size()) failure = json::make_error_code(json::error::extra_data);
    if (failure) break;
    if (is_last) break;
    text.remove_prefix(end + 1);
    ++builder.line;
  }
  if (failure) {
    if (!builder.complaint().empty()) return At(builder.line, builder.complaint());
    if (failure == json::error::too_deep) return At(builder.line, "nested more than 32 deep", Code::kLimit);
    return At(builder.line, "not valid JSON: " + failure.message());
  }
  Value root = builder.Take();
  if (root.kind != Value::Kind::kTable) return At(1, "a policy is a table: { … }");
  return root;
}

}  // namespace paddock::policy
