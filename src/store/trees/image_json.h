// The JSON documents of images, read into plain structs. Not an interface of the folder; the only code of it that sees
// Boost.JSON. Takes hostile text: at most 4 MiB, 32 levels deep.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/trees/image_archive.h"

namespace paddock::trees {

inline constexpr uint64_t kMaxImageDocument = 4 << 20;

struct ImageDescriptor {
  std::string media_type;
  std::string digest;  // "sha256:" and 64 digits, checked
  uint64_t size = 0;
  std::string architecture;  // of an index's entry, if it says so
  std::string os;
  std::string name;          // annotation org.opencontainers.image.ref.name, or io.containerd.image.name
};

struct ImageManifest {
  bool is_index = false;
  std::vector<ImageDescriptor> manifests;  // of an index
  ImageDescriptor config;
  std::vector<ImageDescriptor> layers;
};

// One image of docker's manifest.json.
struct DockerImage {
  std::string config;
  std::vector<std::string> tags;
  std::vector<std::string> layers;
};

struct ParsedConfig {
  ImageConfig config;
  std::vector<std::string> diff_ids;  // digests of the layers, unpacked
};

// Errors: kSyntax naming `name`.
Result<ImageManifest> ParseManifest(std::string_view text, const std::string& name);
Result<std::vector<DockerImage>> ParseDockerManifest(std::string_view text);
Result<ParsedConfig> ParseImageConfig(std::string_view text, const std::string& name);

}  // namespace paddock::trees
