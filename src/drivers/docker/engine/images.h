// Images of an engine.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "drivers/docker/engine/engine.h"

namespace paddock::docker {

struct ImageInfo {
  std::string id;                           // "sha256:…"
  std::vector<std::string> digests;         // "docker.io/library/ubuntu@sha256:…"
  std::vector<std::string> environment, entrypoint, command;
  std::string user, working_directory;
  std::string architecture, system;
  std::map<std::string, std::string> labels;
};

// `reference`: a full one (FullReference()) or an id. Errors: kNoEntry when the engine does not have it.
Result<ImageInfo> InspectImage(const Engine& engine, const std::string& reference);

struct PullProgress {
  std::string layer, status;                // "a3ed95caeb02", "Downloading"
  uint64_t current = 0, total = 0;          // bytes; 0 when unknown
};
// Registry credentials as the engine takes them: the base64 text of X-Registry-Auth; empty: none.
struct PullRequest {
  std::string reference;                    // full
  std::string registry_auth;
  std::shared_ptr<net::Cancellation> cancellation;
  std::function<void(const PullProgress&)> on_progress;   // may be null
};
// Errors: kUnavailable with the registry's words, kNoEntry for an image that it does not have; kCancelled.
Status PullImage(const Engine& engine, PullRequest request);
// An image whose one layer is this tar archive, with a name and labels, whose values are words. Returns its id. An archive that ends with an
// error leaves no image.
Result<std::string> ImportImage(const Engine& engine, std::function<Result<size_t>(std::span<char>)> tar, const std::string& repository, const std::string& tag,
                                const std::map<std::string, std::string>& labels = {});
struct ListedImage {
  std::string id;
  std::vector<std::string> tags;   // "localhost/name:tag"; empty: it has none
  std::map<std::string, std::string> labels;
};
// Those that have all the labels ("NAME=value" or "NAME"); the engine is asked for those that have the first.
Result<std::vector<ListedImage>> ListImages(const Engine& engine, const std::vector<std::string>& labels);
Status TagImage(const Engine& engine, const std::string& id, const std::string& repository, const std::string& tag);
// Success when it is gone.
Status RemoveImage(const Engine& engine, const std::string& reference);
// The same for one that nobody uses: never a container with it. Errors: kConflict when one stands on it.
Status RemoveUnusedImage(const Engine& engine, const std::string& reference);
// What the container's files are now, as an image. Returns its id.
Result<std::string> CommitContainer(const Engine& engine, const std::string& container_id, const std::string& repository, const std::string& tag);

}  // namespace paddock::docker
