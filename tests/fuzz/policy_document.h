// What holds for any text that is read as a policy: it is refused with a message that names the document, or it becomes a policy
// that reads back as the same from both formats, whose network rules compile, and whose paths are absolute and normal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "bounded_run.h"
#include "policy/network_verdict.h"
#include "policy/parse.h"
#include "policy/verdict.h"
#include "policy/write.h"

namespace paddock::fuzz {

inline void ReadPolicy(std::string_view text, policy::DocumentFormat format) {
  using namespace paddock::policy;
  static const HostContext context = {.home = "/home/ann", .workspace = "/home/ann/work", .user = "ann", .search_path = {"/home/ann/bin"},
                                      .variables = {"OPENAI_API_KEY"}};
  const CpuGuard guard;
  const auto policy = ParsePolicy({.name = "p", .directory = "/etc/paddock", .format = format, .text = std::string(text)}, context);
  if (!policy) {
    PADDOCK_CHECK(policy.error().Text().starts_with("p:"));
    return;
  }
  PADDOCK_CHECK(NetworkRuleSet::Compile(policy->network).has_value());
  for (const PathRule& rule : policy->files.paths) {
    PADDOCK_CHECK(*NormalPath(rule.path) == rule.path);
    PADDOCK_CHECK(rule.path != "/" || rule.access != Access::kWrite);
    // Whatever else holds there, a path gets no more than a rule of its own grants.
    PADDOCK_CHECK(AccessOf(policy->files, rule.path).access <= rule.access);
  }
  const Value document = ToDocument(*policy);
  const std::string json = JsonText(document);
  const auto from_json = ParsePolicy({.name = "p", .directory = "/", .format = DocumentFormat::kJson, .text = json}, context);
  const auto from_toml = ParsePolicy({.name = "p", .directory = "/", .format = DocumentFormat::kToml, .text = TomlText(document)}, context);
  // A path with "${" in it would be expanded again.
  if (json.find("${") != std::string::npos) return;
  PADDOCK_CHECK(from_json && from_toml);
  PADDOCK_CHECK(JsonText(ToDocument(*from_json)) == json);
  PADDOCK_CHECK(JsonText(ToDocument(*from_toml)) == json);
}

}  // namespace paddock::fuzz
