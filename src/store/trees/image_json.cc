#include "store/trees/image_json.h"

#include <boost/json.hpp>
#include <utility>

#include "store/trees/object_id.h"

namespace paddock::trees {
namespace {

namespace json = boost::json;

constexpr size_t kMaxItems = 10'000;

Error Bad(const std::string& name, const std::string& why) { return {Code::kSyntax, "image: " + name + " " + why}; }

Result<json::value> Parse(std::string_view text, const std::string& name) {
  if (text.size() > kMaxImageDocument) return Bad(name, "is larger than 4 MiB");
  json::parse_options options;
  options.max_depth = 32;
  json::error_code failure;
  try {
    json::value value = json::parse(json::string_view(text.data(), text.size()), failure, {}, options);
    if (!failure) return value;
  } catch (const std::exception& thrown) {
    return Bad(name, std::string("is no JSON: ") + thrown.what());
  }
  return Bad(name, "is no JSON: " + failure.message());
}

// The members that are asked for; what is absent or null is empty, what has another type is an error.
class Members {
 public:
  Members(const json::value& value, std::string name) : name_(std::move(name)) {
    object_ = value.if_object();
    if (object_ == nullptr) Fail("is no object");
  }
  bool ok() const { return failure_.empty(); }
  Error error() const { return Bad(name_, failure_); }

  std::string String(const char* key) {
    const json::value* value = Find(key);
    if (value == nullptr) return {};
    if (const json::string* text = value->if_string()) return std::string(text->data(), text->size());
    Fail(std::string("has a '") + key + "' that is no string");
    return {};
  }
  uint64_t Number(const char* key) {
    const json::value* value = Find(key);
    if (value == nullptr) return 0;
    if (value->is_int64() && value->get_int64() >= 0) return static_cast<uint64_t>(value->get_int64());
    Fail(std::string("has a '") + key + "' that is no size");
    return 0;
  }
  std::vector<std::string> Strings(const char* key) {
    std::vector<std::string> list;
    for (const json::value& item : Array(key)) {
      const json::string* text = item.if_string();
      if (text == nullptr) {
        Fail(std::string("has a '") + key + "' that is no list of strings");
        return {};
      }
      list.emplace_back(text->data(), text->size());
    }
    return list;
  }
  const json::array& Array(const char* key) {
    static const json::array kEmpty;
    const json::value* value = Find(key);
    if (value == nullptr) return kEmpty;
    const json::array* array = value->if_array();
    if (array != nullptr && array->size() <= kMaxItems) return *array;
    Fail(std::string("has a '") + key + "' that is no list, or a very long one");
    return kEmpty;
  }
  // Null when absent.
  const json::value* Find(const char* key) {
    if (object_ == nullptr) return nullptr;
    const json::value* value = object_->if_contains(key);
    return value == nullptr || value->is_null() ? nullptr : value;
  }
  void Fail(std::string why) {
    if (failure_.empty()) failure_ = std::move(why);
  }

 private:
  const json::object* object_ = nullptr;
  std::string name_;
  std::string failure_;
};

Result<ImageDescriptor> DescriptorOf(const json::value& value, const std::string& name) {
  Members members(value, name);
  ImageDescriptor descriptor;
  descriptor.media_type = members.String("mediaType");
  descriptor.digest = members.String("digest");
  descriptor.size = members.Number("size");
  if (const json::value* platform = members.Find("platform")) {
    Members inner(*platform, name);
    descriptor.architecture = inner.String("architecture");
    descriptor.os = inner.String("os");
    if (!inner.ok()) return inner.error();
  }
  if (const json::value* annotations = members.Find("annotations")) {
    Members inner(*annotations, name);
    descriptor.name = inner.String("io.containerd.image.name");
    if (descriptor.name.empty()) descriptor.name = inner.String("org.opencontainers.image.ref.name");
    if (!inner.ok()) return inner.error();
  }
  if (!members.ok()) return members.error();
  // The only algorithm in use; its text is that of an object's id.
  if (!ObjectId::Parse(descriptor.digest)) return Bad(name, "has a digest that is not sha256: '" + descriptor.digest.substr(0, 80) + "'");
  return descriptor;
}

}  // namespace

Result<ImageManifest> ParseManifest(std::string_view text, const std::string& name) {
  PADDOCK_ASSIGN(const json::value document, Parse(text, name));
  Members members(document, name);
  ImageManifest manifest;
  manifest.is_index = members.Find("manifests") != nullptr;
  if (manifest.is_index) {
    for (const json::value& item : members.Array("manifests")) {
      PADDOCK_ASSIGN(ImageDescriptor descriptor, DescriptorOf(item, name));
      manifest.manifests.push_back(std::move(descriptor));
    }
  } else {
    const json::value* config = members.Find("config");
    if (config == nullptr) return Bad(name, "has neither 'manifests' nor 'config'");
    PADDOCK_ASSIGN(manifest.config, DescriptorOf(*config, name));
    for (const json::value& item : members.Array("layers")) {
      PADDOCK_ASSIGN(ImageDescriptor descriptor, DescriptorOf(item, name));
      manifest.layers.push_back(std::move(descriptor));
    }
  }
  if (!members.ok()) return members.error();
  return manifest;
}

Result<std::vector<DockerImage>> ParseDockerManifest(std::string_view text) {
  const std::string name = "manifest.json";
  PADDOCK_ASSIGN(const json::value document, Parse(text, name));
  const json::array* list = document.if_array();
  if (list == nullptr || list->empty() || list->size() > kMaxItems) return Bad(name, "is no list of images");
  std::vector<DockerImage> images;
  for (const json::value& item : *list) {
    Members members(item, name);
    DockerImage image{members.String("Config"), members.Strings("RepoTags"), members.Strings("Layers")};
    if (!members.ok()) return members.error();
    if (image.config.empty()) return Bad(name, "has an image without 'Config'");
    images.push_back(std::move(image));
  }
  return images;
}

Result<ParsedConfig> ParseImageConfig(std::string_view text, const std::string& name) {
  PADDOCK_ASSIGN(const json::value document, Parse(text, name));
  Members members(document, name);
  ParsedConfig parsed;
  parsed.config.architecture = members.String("architecture");
  parsed.config.os = members.String("os");
  if (const json::value* rootfs = members.Find("rootfs")) {
    Members inner(*rootfs, name);
    parsed.diff_ids = inner.Strings("diff_ids");
    if (!inner.ok()) return inner.error();
  }
  if (const json::value* config = members.Find("config")) {
    Members inner(*config, name);
    parsed.config.environment = inner.Strings("Env");
    parsed.config.entrypoint = inner.Strings("Entrypoint");
    parsed.config.command = inner.Strings("Cmd");
    parsed.config.working_directory = inner.String("WorkingDir");
    parsed.config.user = inner.String("User");
    if (!inner.ok()) return inner.error();
  }
  if (!members.ok()) return members.error();
  return parsed;
}

}  // namespace paddock::trees
