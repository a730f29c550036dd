#include "cli/client/completion_names.h"

#include "cli/present.h"

namespace paddock::cli {

std::optional<json::value> CompletionNames::Get(const std::string& target) {
  if (!link_) {
    auto link = Link::Open(options_);
    if (!link) return std::nullopt;
    link_.emplace(std::move(*link));
  }
  auto answer = link_->Get(target);
  if (!answer || !answer->is_object()) return std::nullopt;
  return std::move(*answer);
}

std::vector<std::string> CompletionNames::Names(const std::string& target, const char* member) {
  std::vector<std::string> names;
  const auto answer = Get(target);
  if (!answer) return names;
  const json::value* list = answer->as_object().if_contains(member);
  if (list == nullptr || !list->is_array()) return names;
  for (const json::value& value : list->as_array()) {
    if (!value.is_object()) continue;
    const std::string name = TextOf(value.as_object(), "name");
    names.push_back(name.empty() ? TextOf(value.as_object(), "id") : name);
  }
  return names;
}

std::vector<std::string> CompletionNames::Of(const std::string& kind) {
  if (kind == "SANDBOX") return Names("/v1/sandboxes?limit=1000", "sandboxes");
  if (kind == "SNAPSHOT") return Names("/v1/snapshots?limit=1000", "snapshots");
  if (kind == "SESSION") return Names("/v1/sessions?limit=1000", "sessions");
  if (kind == "TEMPLATE") return Names("/v1/templates?limit=1000", "templates");
  if (kind != "OTHER") return {};
  std::vector<std::string> names = Of("SNAPSHOT");
  for (std::string& name : Of("SANDBOX")) names.push_back(std::move(name));
  return names;
}

std::vector<std::string> CompletionNames::Processes(const std::string& sandbox) {
  return sandbox.empty() ? std::vector<std::string>() : Names(SandboxPath(sandbox, "/processes"), "processes");
}

std::vector<std::string> CompletionNames::Files(const std::string& place) {
  const size_t colon = place.find(':');
  const size_t slash = place.rfind('/');
  if (slash == std::string::npos || slash < colon) return {place.substr(0, colon + 1) + "/"};
  const std::string directory = place.substr(0, slash + 1);
  std::vector<std::string> files;
  const auto answer = Get(SandboxPath(place.substr(0, colon), "/files?path=") + EncodePercent(directory.substr(colon + 1)));
  if (!answer) return files;
  const json::value* entries = answer->as_object().if_contains("entries");
  if (entries == nullptr || !entries->is_array()) return files;
  for (const json::value& value : entries->as_array()) {
    if (!value.is_object()) continue;
    files.push_back(directory + TextOf(value.as_object(), "name") + (TextOf(value.as_object(), "type") == "directory" ? "/" : ""));
  }
  return files;
}

}  // namespace paddock::cli
