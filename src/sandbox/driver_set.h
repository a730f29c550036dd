// DriverSet: the drivers of this program, found by the isolation that they give.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/sandbox.h"

namespace paddock::sandbox {

class DriverSet {
 public:
  void Add(std::unique_ptr<Driver> driver) { drivers_.push_back(std::move(driver)); }

  // Before the program ends without destroying what it has.
  void LetGo() {
    for (const auto& driver : drivers_) driver->LetGo();
  }

  const std::vector<std::unique_ptr<Driver>>& drivers() const { return drivers_; }

  // By Driver::name(). Errors: kInvalid with the names there are.
  Result<Driver*> Find(std::string_view isolation) const {
    std::string names;
    for (const auto& driver : drivers_) {
      if (isolation == driver->name()) return driver.get();
      names += (names.empty() ? "" : ", ") + std::string(driver->name());
    }
    return Error(Code::kInvalid, "unknown isolation '" + std::string(isolation) + "'; there are " + names);
  }

 private:
  std::vector<std::unique_ptr<Driver>> drivers_;
};

}  // namespace paddock::sandbox
