// ProgressLines: what an engine tells of a pull, a load or an import: JSON objects, one after the other, within an answer whose status says
// nothing of the end.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <boost/json/value.hpp>

#include "base/result.h"

namespace paddock::docker {

class ProgressLines {
 public:
  using Take = std::function<void(const boost::json::value& line)>;
  explicit ProgressLines(Take take) : take_(std::move(take)) {}

  // Errors: kUnavailable with what the engine says went wrong, kNoEntry when that is an image that is not there, kLimit for a line
  // above kMostLine, kInvalid for one that is no JSON.
  Status Feed(std::string_view bytes);
  // At the end of the answer.
  Status Finish();

  static constexpr size_t kMostLine = 1 << 20;

 private:
  Status Line(std::string_view line);
  const Take take_;
  std::string rest_;
};

}  // namespace paddock::docker
