// JSON objects as TOML text, in the form of Python's toml package.
#pragma once

#include <string>

#include "base/budget.h"
#include "lang/jq/value.h"

namespace paddock::data {

// Python's repr() of a float.
std::string PythonFloat(double number);

// Appends the document; members that are null are left out.
void WriteToml(const jq::Value& object, std::string& out, Budget& budget);

}  // namespace paddock::data
