// Files as resources: those of session storage, and those of sandboxes.
//
//   paddock://session/notes/plan.md             /notes/plan.md of session storage
//   paddock://sandbox/sbx_…/workspace/a%20b     /workspace/a b of a sandbox, by its id or name
//
// Which there are follows the tools: without sandbox_read_file there are none of sandboxes.
#pragma once

#include "api/mcp/message.h"
#include "base/result.h"
#include "tools/capability/capability.h"

namespace paddock::mcp {

// Where a resource lies. `sandbox` is empty for session storage; `path` is absolute.
struct Place {
  std::string sandbox;
  std::string path;
};
// Errors: kInvalid for another scheme, a bad escape, an empty part.
Result<Place> ParseUri(std::string_view uri);
std::string UriOf(const Place& place);

// Whether this equipment lets anybody read session files, and files of sandboxes.
bool HasSessionFiles(const tools::Equipment& equipment);
bool HasSandboxFiles(const tools::Equipment& equipment);

inline constexpr size_t kResourcesInPage = 100;
inline constexpr size_t kMostResources = 10'000;   // entries that a listing looks at; what lies behind is not listed
inline constexpr size_t kMostResourceDepth = 32;

// The file that a place names, absolute in its sandbox or in session storage, with its symlinks followed; it need not be there, but its
// directory must. Errors: as ReadResource(), kIsDirectory.
Result<std::string> FileOf(tools::SessionAccess& session, const Place& place);

// A page of the session's files in order of their paths: {"resources", "nextCursor"?}. Errors: kInvalid for a cursor that is
// none.
Result<json::object> ListResources(tools::SessionAccess& session, const json::string* cursor);
// {"resourceTemplates"}.
json::object ListTemplates(const tools::Equipment& equipment);
// {"contents"}: text where the file is UTF-8, else base64; of at most 4 MiB. Errors: as tools::ReadRegularFile, kNoEntry for a
// sandbox that the session does not have.
Result<json::object> ReadResource(tools::SessionAccess& session, const Place& place, std::string_view uri);

}  // namespace paddock::mcp
