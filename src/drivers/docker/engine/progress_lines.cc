#include "drivers/docker/engine/progress_lines.h"

#include <boost/json.hpp>

#include "drivers/docker/engine/json_fields.h"

namespace paddock::docker {
namespace {

namespace json = boost::json;

}  // namespace

Status ProgressLines::Line(std::string_view line) {
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
  if (line.empty()) return {};
  json::parse_options options;
  options.max_depth = 32;
  boost::system::error_code failure;
  const json::value value = json::parse(json::string_view(line.data(), line.size()), failure, {}, options);
  if (failure) return Error(Code::kInvalid, "what the engine tells of its progress is no JSON");
  std::string error = TextOf(FieldAt(value, {"errorDetail", "message"}));
  if (error.empty()) error = TextOf(Field(&value, "error"));
  if (!error.empty()) {
    error.resize(std::min<size_t>(error.size(), 500));
    const bool is_absent = error.find("not found") != error.npos || error.find("manifest unknown") != error.npos || error.find("does not exist") != error.npos;
    return Error(is_absent ? Code::kNoEntry : Code::kUnavailable, error);
  }
  if (take_) take_(value);
  return {};
}

Status ProgressLines::Feed(std::string_view bytes) {
  while (!bytes.empty()) {
    const size_t end = bytes.find('\n');
    if (rest_.size() + std::min(end, bytes.size()) > kMostLine) return Error(Code::kLimit, "the engine's progress has a line that is too long");
    rest_ += bytes.substr(0, end);
    if (end == bytes.npos) return {};
    bytes.remove_prefix(end + 1);
    const std::string line = std::move(rest_);
    rest_.clear();
    PADDOCK_TRY(Line(line));
  }
  return {};
}

Status ProgressLines::Finish() {
  const std::string line = std::move(rest_);
  rest_.clear();
  return Line(line);
}

}  // namespace paddock::docker
