// JSON objects as XML text, in the form of Python's xmltodict package.
#pragma once

#include <string>

#include "base/budget.h"
#include "base/result.h"
#include "lang/jq/value.h"

namespace paddock::data {

struct XmlSettings {
  std::string root;               // an element around everything, if not empty
  bool is_full_document = false;  // with the XML declaration, and exactly one root
};

// Appends the document and a newline. The error is what Python says of it; what came before it is in `out`.
Status WriteXml(const jq::Value& value, const XmlSettings& settings, std::string& out, Budget& budget);

}  // namespace paddock::data
