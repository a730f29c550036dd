// What a jq program may ask of the world: more input, the environment, the clock, and to say something aside.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "lang/jq/value.h"
#include "text/date/time_zone.h"

namespace paddock {
class Budget;
}

namespace paddock::jq {

class Host {
 public:
  virtual ~Host() = default;

  enum class Got { kValue, kEnd, kError };
  // The next input value; an error is its message.
  virtual Got NextInput(Value& value, std::string& error) = 0;
  // null before the first input and for standard input.
  virtual Value InputName() = 0;
  virtual uint64_t InputLine() = 0;

  virtual void WriteError(std::string_view text) = 0;
  // An object of all variables.
  virtual const Value& Environment() = 0;
  virtual TimeZone LocalZone() = 0;
  virtual const Clock& clock() = 0;
  virtual Budget& budget() = 0;

  // Modules: the content of a file, kNoEntry when there is none; the directories of -L, and where the program is.
  virtual Result<std::string> ReadModule(const std::string& path) = 0;
  virtual const std::vector<std::string>& library_paths() = 0;
  virtual std::string program_origin() = 0;
  virtual std::string home() = 0;
};

}  // namespace paddock::jq
