#include "tools/schema/parse_json.h"

#include <boost/json/basic_parser_impl.hpp>
#include <unordered_set>

#include "text/utf8.h"

namespace paddock::tools {
namespace {

// Follows the parser's events to see the keys, of which the library's own tree would silently keep the last.
class KeyWatch {
 public:
  static constexpr size_t max_object_size = std::numeric_limits<uint32_t>::max();
  static constexpr size_t max_array_size = std::numeric_limits<uint32_t>::max();
  static constexpr size_t max_key_size = std::numeric_limits<uint32_t>::max();
  static constexpr size_t max_string_size = std::numeric_limits<uint32_t>::max();
  using Failure = boost::system::error_code;

  bool on_document_begin(Failure&) { return true; }
  bool on_document_end(Failure&) { return true; }
  bool on_object_begin(Failure&) {
    open_.emplace_back();
    return true;
  }
  bool on_object_end(size_t, Failure&) {
    open_.pop_back();
    return true;
  }
  bool on_array_begin(Failure&) { return true; }
  bool on_array_end(size_t, Failure&) { return true; }
  bool on_key_part(json::string_view part, size_t, Failure&) {
    key_.append(part.data(), part.size());
    return true;
  }
  bool on_key(json::string_view part, size_t, Failure& failure) {
    key_.append(part.data(), part.size());
    if (!open_.back().insert(key_).second) {
      twice = key_;
      failure = json::make_error_code(json::error::syntax);
      return false;
    }
    key_.clear();
    return true;
  }
  bool on_string_part(json::string_view, size_t, Failure&) { return true; }
  bool on_string(json::string_view, size_t, Failure&) { return true; }
  bool on_number_part(json::string_view, Failure&) { return true; }
  bool on_int64(int64_t, json::string_view, Failure&) { return true; }
  bool on_uint64(uint64_t, json::string_view, Failure&) { return true; }
  bool on_double(double, json::string_view, Failure&) { return true; }
  bool on_bool(bool, Failure&) { return true; }
  bool on_null(Failure&) { return true; }
  bool on_comment_part(json::string_view, Failure&) { return true; }
  bool on_comment(json::string_view, Failure&) { return true; }

  std::optional<std::string> twice;

 private:
  std::vector<std::unordered_set<std::string>> open_;
  std::string key_;
};

}  // namespace

Result<json::value> ParseJson(std::string_view text, const JsonBounds& bounds) {
  if (text.size() > bounds.max_bytes) {
    return Error(Code::kSyntax, "the JSON text has " + std::to_string(text.size()) + " bytes; at most " + std::to_string(bounds.max_bytes) + " are taken");
  }
  json::parse_options options;
  options.max_depth = bounds.max_depth;
  json::basic_parser<KeyWatch> watch(options);
  boost::system::error_code failure;
  const size_t used = watch.write_some(false, text.data(), text.size(), failure);
  if (!failure && used < text.size()) failure = json::make_error_code(json::error::extra_data);
  if (failure) {
    if (const auto& twice = watch.handler().twice) {
      return Error(Code::kSyntax, "key '" + HarmlessLine(twice->substr(0, 60)) + "' stands twice in one object; keep one");
    }
    if (failure == json::error::too_deep) return Error(Code::kSyntax, "the JSON text is nested more than " + std::to_string(bounds.max_depth) + " deep");
    return Error(Code::kSyntax, "not valid JSON at byte " + std::to_string(used) + ": " + failure.message());
  }
  json::value value = json::parse(json::string_view(text.data(), text.size()), failure, {}, options);
  if (failure) return Error(Code::kSyntax, "not valid JSON: " + failure.message());
  return value;
}

}  // namespace paddock::tools
