// A host for tests: modules in a map, what is said aside in a string.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "base/budget.h"
#include "lang/jq/host.h"

namespace paddock::jq {

class MemoryHost final : public Host {
 public:
  explicit MemoryHost(Budget& budget) : budget_(budget) {
    environment_ = Value::Object();
    environment_.Set("PAGER", Value::String("less"));
  }

  Got NextInput(Value& value, std::string&) override {
    if (inputs.empty()) return Got::kEnd;
    value = inputs.front();
    inputs.pop_front();
    return Got::kValue;
  }
  Value InputName() override { return Value::Null(); }
  uint64_t InputLine() override { return 0; }
  void WriteError(std::string_view text) override { errors += text; }
  const Value& Environment() override { return environment_; }
  TimeZone LocalZone() override { return TimeZone(); }
  const Clock& clock() override { return budget_.clock(); }
  Budget& budget() override { return budget_; }
  Result<std::string> ReadModule(const std::string& path) override {
    const auto found = modules.find(path);
    if (found == modules.end()) return Code::kNoEntry;
    return found->second;
  }
  const std::vector<std::string>& library_paths() override { return libraries_; }
  std::string program_origin() override { return ""; }
  std::string home() override { return "/home"; }

  std::deque<Value> inputs;
  std::map<std::string, std::string> modules;
  std::string errors;

 private:
  Budget& budget_;
  Value environment_;
  std::vector<std::string> libraries_ = {"lib"};
};

}  // namespace paddock::jq
