// The shell of xmllint: commands that walk through one document. Not an interface of the folder.
#pragma once

#include <libxml/tree.h>

#include <functional>
#include <string>
#include <string_view>

#include "lang/xml/lint.h"

namespace paddock::xml {

// What the shell asks of those who parse documents.
struct ShellHost {
  std::function<xmlDoc*(const std::string& name)> load;   // null where there is none, or for what is not well-formed
  std::function<unsigned long(const std::string& expression, const xmlDoc* document)> xpath_steps;
};

// Carries out the commands in `document`, which stays the caller's. Nothing is written but to `out`, `errors` and the session.
void RunShell(xmlDoc* document, const std::string& name, ShellSession& session, const ShellHost& host, std::string& out, std::string& errors);

}  // namespace paddock::xml
