// A policy while a document is read into it, and the readers of its sections.
#pragma once

#include <string>

#include "policy/context.h"
#include "policy/field.h"
#include "policy/policy.h"

namespace paddock::policy {

struct Draft {
  Policy policy;            // begins as the base that the document extends
  HostContext context;      // `workspace` follows files.workspace
  std::string directory;    // of the document
  std::vector<PathRule> path_rules;   // of this document alone
  bool names_network_mode = false;
};

Status ReadFiles(const Field& field, Draft& draft);
Status ReadNetwork(const Field& field, Draft& draft);
Status ReadSecrets(const Field& field, Draft& draft);
Status ReadLimits(const Field& field, Draft& draft);
Status ReadEnvironment(const Field& field, Draft& draft);
Status ReadKernel(const Field& field, Draft& draft);

// Shared by the sections.
Result<std::string> PathOf(const Field& field, const Draft& draft);
// "443", 443, "8000-8999", or a list of those.
Result<std::vector<PortRange>> PortsOf(const Field& field);
// HTTP methods in upper case.
Result<std::vector<std::string>> MethodsOf(const Field& field);
// A name of a variable; with `*` at the end when `allows_star`.
Result<std::string> VariableNameOf(const Field& field, std::string_view text, bool allows_star);

}  // namespace paddock::policy
