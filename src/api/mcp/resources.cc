#include "api/mcp/resources.h"

#include <algorithm>

#include "net/request.h"
#include "text/base64.h"
#include "text/utf8.h"
#include "tools/content/file_access.h"
#include "vfs/file_system.h"

namespace paddock::mcp {
namespace {

constexpr std::string_view kSession = "paddock://session/";
constexpr std::string_view kSandbox = "paddock://sandbox/";
constexpr size_t kMostUriBytes = 16u << 10;

std::string EncodePath(std::string_view path) {
  std::string encoded;
  for (size_t at = 0; at < path.size();) {
    const size_t slash = std::min(path.find('/', at), path.size());
    encoded += net::EncodePercent(path.substr(at, slash - at));
    if (slash < path.size()) encoded += '/';
    at = slash + 1;
  }
  return encoded;
}

struct FoundFile {
  std::string path;
  uint64_t size = 0;
};

// Regular files below "/", sorted by path. Symlinks are not followed.
Result<std::vector<FoundFile>> FindFiles(vfs::FileSystem& files) {
  struct Folder {
    std::string path;   // ends in "/"
    size_t depth;
  };
  std::vector<Folder> folders = {{"/", 0}};
  std::vector<FoundFile> found;
  size_t looked_at = 0;
  while (!folders.empty() && looked_at < kMostResources) {
    const Folder folder = std::move(folders.back());
    folders.pop_back();
    const auto entries = files.List(folder.path);
    if (!entries && folder.depth == 0) return entries.error();
    if (!entries) continue;   // somebody removed or closed it
    for (const vfs::DirectoryEntry& entry : *entries) {
      if (++looked_at > kMostResources) break;
      if (!IsValidUtf8(entry.name)) continue;   // no client could name it in JSON
      const std::string path = folder.path + entry.name;
      const auto attributes = files.Stat(path, vfs::Follow::kNo);
      if (!attributes) continue;
      if (attributes->type == vfs::FileType::kFile) found.push_back({path, attributes->size});
      if (attributes->type == vfs::FileType::kDirectory && folder.depth < kMostResourceDepth) {
        folders.push_back({path + "/", folder.depth + 1});
      }
    }
  }
  std::sort(found.begin(), found.end(), [](const FoundFile& a, const FoundFile& b) { return a.path < b.path; });
  return found;
}

}  // namespace

Result<Place> ParseUri(std::string_view uri) {
  const Error bad(Code::kInvalid, "uri: must be paddock://session/PATH or paddock://sandbox/ID/PATH");
  if (uri.size() > kMostUriBytes) {
    return Error(Code::kInvalid, "uri: must be at most " + std::to_string(kMostUriBytes) + " bytes long");
  }
  if (uri.find_first_of("?#") != std::string_view::npos) return bad;
  Place place;
  if (uri.starts_with(kSession)) {
    uri.remove_prefix(kSession.size() - 1);
  } else if (uri.starts_with(kSandbox)) {
    uri.remove_prefix(kSandbox.size());
    const size_t slash = uri.find('/');
    if (slash == 0 || slash == std::string_view::npos) return bad;
    PADDOCK_ASSIGN(place.sandbox, net::DecodePercent(uri.substr(0, slash)));
    if (place.sandbox.empty()) return bad;
    uri.remove_prefix(slash);
  } else {
    return bad;
  }
  PADDOCK_ASSIGN(place.path, net::DecodePercent(uri));
  if (place.path.size() < 2) return bad;
  return place;
}

std::string UriOf(const Place& place) {
  if (place.sandbox.empty()) return std::string(kSession) + EncodePath(std::string_view(place.path).substr(1));
  return std::string(kSandbox) + net::EncodePercent(place.sandbox) + EncodePath(place.path);
}

bool HasSessionFiles(const tools::Equipment& equipment) { return equipment.FindTool("read_file") != nullptr; }
bool HasSandboxFiles(const tools::Equipment& equipment) { return equipment.FindTool("sandbox_read_file") != nullptr; }

Result<json::object> ListResources(tools::SessionAccess& session, const json::string* cursor) {
  std::string after;
  if (cursor != nullptr) {
    const auto decoded = cursor->size() <= 2 * kMostUriBytes ? DecodeBase64(*cursor) : std::nullopt;
    if (!decoded || !decoded->starts_with('/')) return Error(Code::kInvalid, "cursor: is not one that this server gave");
    after = *decoded;
  }
  PADDOCK_ASSIGN(const tools::FileLease files, session.Files());
  PADDOCK_ASSIGN(const std::vector<FoundFile> found, FindFiles(*files));
  auto next = std::upper_bound(found.begin(), found.end(), after,
                               [](const std::string& path, const FoundFile& file) { return path < file.path; });
  json::array list;
  for (; next != found.end() && list.size() < kResourcesInPage; ++next) {
    list.push_back({{"uri", UriOf({.sandbox = {}, .path = next->path})}, {"name", next->path}, {"size", next->size}});
  }
  json::object page = {{"resources", std::move(list)}};
  if (next != found.end()) page["nextCursor"] = EncodeBase64(std::prev(next)->path);
  return page;
}

json::object ListTemplates(const tools::Equipment& equipment) {
  json::array list;
  if (HasSessionFiles(equipment)) {
    list.push_back(
        {{"uriTemplate", std::string(kSession) + "{+path}"},
         {"name", "session_file"},
         {"title", "File of session storage"},
         {"description",
          "A file of session storage by its path, without the first slash. Kept output of commands lies below outputs/."}});
  }
  if (HasSandboxFiles(equipment)) {
    list.push_back({{"uriTemplate", std::string(kSandbox) + "{sandbox_id}/{+path}"},
                    {"name", "sandbox_file"},
                    {"title", "File of a sandbox"},
                    {"description", "A file inside a sandbox by its absolute path, without the first slash."}});
  }
  return {{"resourceTemplates", std::move(list)}};
}

Result<std::string> FileOf(tools::SessionAccess& session, const Place& place) {
  const auto find = [](vfs::FileSystem& files, const std::string& path) -> Result<std::string> {
    const auto found = files.Stat(path);
    if (found && found->is_directory()) return Error(Code::kIsDirectory, "uri: " + path + " is a directory; name a file in it");
    PADDOCK_ASSIGN(const std::string file, files.Canonical(path, vfs::FileSystem::MustExist::kParent));
    PADDOCK_ASSIGN(const vfs::Attributes directory, files.Stat(file.substr(0, std::max<size_t>(file.rfind('/'), 1))));
    if (!directory.is_directory()) return Error(Code::kNotDirectory, "uri: " + path + " lies in no directory");
    return file;
  };
  if (place.sandbox.empty()) {
    PADDOCK_ASSIGN(const std::string path, tools::SessionPath(place.path, "uri"));
    PADDOCK_ASSIGN(const tools::FileLease files, session.Files());
    return find(*files, path);
  }
  PADDOCK_ASSIGN(const std::shared_ptr<tools::SandboxAccess> sandbox, session.Find(place.sandbox));
  PADDOCK_ASSIGN(const tools::FileLease files, sandbox->Files());
  return find(*files, place.path);
}

Result<json::object> ReadResource(tools::SessionAccess& session, const Place& place, std::string_view uri) {
  std::string content;
  if (place.sandbox.empty()) {
    PADDOCK_ASSIGN(const std::string path, tools::SessionPath(place.path, "uri"));
    PADDOCK_ASSIGN(const tools::FileLease files, session.Files());
    PADDOCK_ASSIGN(content, tools::ReadRegularFile(*files, path));
  } else {
    PADDOCK_ASSIGN(const std::shared_ptr<tools::SandboxAccess> sandbox, session.Find(place.sandbox));
    PADDOCK_ASSIGN(const tools::FileLease files, sandbox->Files());
    PADDOCK_ASSIGN(content, tools::ReadRegularFile(*files, place.path));
  }
  json::object entry = {{"uri", uri}};
  if (IsValidUtf8(content) && content.find('\0') == std::string::npos) {
    entry["mimeType"] = "text/plain";
    entry["text"] = std::move(content);
  } else {
    entry["mimeType"] = "application/octet-stream";
    entry["blob"] = EncodeBase64(content);
  }
  json::array contents;
  contents.push_back(std::move(entry));
  return json::object{{"contents", std::move(contents)}};
}

}  // namespace paddock::mcp
