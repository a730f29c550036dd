// Policy documents, in JSON or TOML, become Policy. docs/policy.md describes the schema.
//
// Unknown keys, wrong types, values out of range and keys that stand twice are errors: "NAME:LINE: key.path: what;
// remedy". A document may extend a preset or another document: then its rules are added to the base's, a path rule for
// the same path and a single value take the base's place.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "policy/context.h"
#include "policy/policy.h"

namespace paddock::policy {

enum class DocumentFormat { kJson, kToml };

struct DocumentSource {
  std::string name;        // for messages and the rules' origins: "policy.toml"
  std::string directory;   // absolute; relative paths are relative to it
  DocumentFormat format = DocumentFormat::kToml;
  std::string text;
};

// Fetches the document that another one extends. `path` is absolute and normal.
using DocumentFetcher = std::function<Result<DocumentSource>(const std::string& path)>;

// The policy of a document. Without `fetch`, `extends` takes presets only. Errors: kSyntax and kInvalid with a message as
// above, kLimit (size, nesting, more than 8 documents that extend each other), whatever `fetch` returns.
Result<Policy> ParsePolicy(const DocumentSource& source, const HostContext& context, const DocumentFetcher& fetch = {});

// What no single key can get wrong: secrets that could be read inside, a workspace that is the whole host. `name` is
// for the message.
Status CheckPolicy(const Policy& policy, const std::string& name);

// By the name's end: ".json", ".toml". Errors: kInvalid.
Result<DocumentFormat> FormatOf(std::string_view path);

}  // namespace paddock::policy
