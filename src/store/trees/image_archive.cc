#include "store/trees/image_archive.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "store/trees/content.h"
#include "store/trees/decompress.h"
#include "store/trees/image_json.h"
#include "text/digest.h"

namespace paddock::trees {
namespace {

constexpr int kMaxIndexes = 4;          // an index may name an index
constexpr int kMaxSymlinks = 8;
constexpr size_t kMaxBlobs = 100'000;
constexpr size_t kMaxLayers = 1'000;

Error Bad(const std::string& why) { return {Code::kSyntax, "image: " + why}; }

// Where the files of an image archive are.
class Files {
 public:
  virtual ~Files() = default;
  virtual bool Has(const std::string& name) = 0;
  virtual Result<std::unique_ptr<ByteSource>> Open(const std::string& name) = 0;  // kNoEntry
};

// Bytes that the store has.
class ContentSource final : public ByteSource {
 public:
  ContentSource(Store& store, const Content& content) : store_(store), content_(content) {}
  Result<Block> ReadBlock(size_t max) override {
    auto block = ReadContent(store_, content_, offset_, max);
    if (block) offset_ += block->bytes.size();
    return block;
  }
  void GiveBack(size_t count) override { offset_ -= std::min<uint64_t>(offset_, count); }

 private:
  Store& store_;
  Content content_;
  uint64_t offset_ = 0;
};

// A tar archive, whose order is nobody's promise: kept in the store and opened by name.
class ArchiveFiles final : public Files {
 public:
  explicit ArchiveFiles(Session& session) : session_(session) {}

  Status Load(ByteSource& tar) {
    TarReader reader(tar);
    while (true) {
      PADDOCK_ASSIGN(const std::optional<TarEntry> entry, reader.Next());
      if (!entry) return {};
      if (files_.size() + links_.size() >= kMaxBlobs) return Error(Code::kLimit, "image: more than 100,000 files in the archive");
      const std::string name = NormalName(entry->path);
      if (entry->is_hard_link) {
        links_[name] = NormalName(entry->target);
      } else if (entry->type == vfs::FileType::kSymlink) {
        links_[name] = NormalName(vfs::JoinPath(vfs::DirectoryName(name), entry->target));
      } else if (entry->type == vfs::FileType::kFile) {
        ContentWriter writer(session_, false);
        PADDOCK_TRY(reader.ReadContent([&](std::string_view bytes) { return writer.Write(bytes); },
                                       [&](uint64_t count) { return writer.Hole(count); }));
        PADDOCK_ASSIGN(files_[name], writer.Finish());
      }
    }
  }
  bool Has(const std::string& name) override { return Find(name) != nullptr; }
  Result<std::unique_ptr<ByteSource>> Open(const std::string& name) override {
    const Content* content = Find(name);
    if (content == nullptr) return Bad("the archive lacks '" + name + "'");
    return std::unique_ptr<ByteSource>(std::make_unique<ContentSource>(session_.store(), *content));
  }

 private:
  // Names only have to be equal; what leads outside equals nothing.
  static std::string NormalName(std::string_view path) {
    const std::string name = vfs::NormalizePath("/" + std::string(path));
    return name.substr(1);
  }
  const Content* Find(std::string name) {
    name = NormalName(name);
    for (int i = 0; i <= kMaxSymlinks; ++i) {
      if (const auto it = files_.find(name); it != files_.end()) return &it->second;
      const auto link = links_.find(name);
      if (link == links_.end()) return nullptr;
      name = link->second;
    }
    return nullptr;
  }

  Session& session_;
  std::map<std::string, Content> files_;
  std::map<std::string, std::string> links_;
};

class OpenFileSource final : public ByteSource {
 public:
  explicit OpenFileSource(vfs::OpenFilePtr file) : file_(std::move(file)) {}
  Result<Block> ReadBlock(size_t max) override { return file_->ReadBlock(max); }
  void GiveBack(size_t count) override { file_->GiveBack(count); }

 private:
  vfs::OpenFilePtr file_;
};

class DirectoryFiles final : public Files {
 public:
  DirectoryFiles(vfs::FileSystem& files, std::string_view directory) : files_(files), directory_(directory) {}
  bool Has(const std::string& name) override {
    const auto facts = files_.Stat(vfs::JoinPath(directory_, name));
    return facts && facts->is_file();
  }
  Result<std::unique_ptr<ByteSource>> Open(const std::string& name) override {
    for (std::string_view rest = name; !rest.empty();) {
      const size_t end = std::min(rest.find('/'), rest.size());
      if (rest.substr(0, end) == "..") return Bad("'" + name + "' leads out of the layout");
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    if (name.empty() || name[0] == '/' || !Has(name)) return Bad("the layout lacks '" + name + "'");
    auto file = files_.Open(vfs::JoinPath(directory_, name), vfs::OpenFlags::Read());
    if (!file) return Error(file.error().code, name + ": " + std::string(file.error().Text()));
    return std::unique_ptr<ByteSource>(std::make_unique<OpenFileSource>(std::move(*file)));
  }

 private:
  vfs::FileSystem& files_;
  std::string directory_;
};

// Passes bytes on and takes their digest.
class DigestingSource final : public ByteSource {
 public:
  explicit DigestingSource(ByteSource& in) : in_(in), digester_(MakeDigester(DigestAlgorithm::kSha256)) {}
  Result<Block> ReadBlock(size_t max) override {
    auto block = in_.ReadBlock(max);
    if (block) {
      digester_->Update(block->bytes);
      size_ += block->bytes.size();
    }
    return block;
  }
  void GiveBack(size_t) override {}  // nobody here does
  // Of all that the source has, also of what nobody asked for.
  Result<std::string> Finish() {
    while (true) {
      PADDOCK_ASSIGN(const Block block, ReadBlock(128 << 10));
      if (block.bytes.empty()) return "sha256:" + HexOf(digester_->Finish());
    }
  }
  uint64_t size() const { return size_; }

 private:
  ByteSource& in_;
  std::unique_ptr<Digester> digester_;
  uint64_t size_ = 0;
};

class Importer {
 public:
  Importer(Session& session, Files& files, const ImageOptions& options)
      : files_(files), options_(options), builder_(session, options.limits) {}

  Result<ImportedImage> Run() {
    if (files_.Has("index.json")) return RunOci();
    if (files_.Has("manifest.json")) return RunDocker();
    return Bad("neither 'index.json' nor 'manifest.json' is there; this is no OCI layout and no docker archive");
  }

 private:
  struct Layer {
    std::string file;
    std::string digest;  // of the file; empty when the format has none
    uint64_t size = 0;   // of the file, if it has a digest
  };

  static std::string BlobName(const std::string& digest) { return "blobs/sha256/" + digest.substr(7); }

  Result<std::string> ReadText(const std::string& name) {
    PADDOCK_ASSIGN(const auto source, files_.Open(name));
    std::string text;
    while (true) {
      PADDOCK_ASSIGN(const Block block, source->ReadBlock(64 << 10));
      if (block.bytes.empty()) return text;
      text += block.bytes;
      if (text.size() > kMaxImageDocument) return Bad("'" + name + "' is larger than 4 MiB");
    }
  }
  Result<std::string> ReadBlob(const ImageDescriptor& descriptor) {
    PADDOCK_ASSIGN(std::string text, ReadText(BlobName(descriptor.digest)));
    if ("sha256:" + HexOf(DigestOf(DigestAlgorithm::kSha256, text)) != descriptor.digest || text.size() != descriptor.size) {
      return Bad("blob " + descriptor.digest + " does not match its digest and size");
    }
    return text;
  }

  // The one of an index that fits.
  Result<ImageDescriptor> Choose(const ImageManifest& index) const {
    std::string names;
    for (const ImageDescriptor& candidate : index.manifests) {
      const bool fits_platform = (candidate.architecture.empty() || candidate.architecture == options_.architecture) &&
                                 (candidate.os.empty() || candidate.os == options_.os);
      const bool fits_tag = options_.tag.empty() || candidate.name.empty() || candidate.name == options_.tag;
      if (fits_platform && fits_tag) return candidate;
      if (names.size() < 300) names += " " + candidate.name + "(" + candidate.os + "/" + candidate.architecture + ")";
    }
    return Error(Code::kNoEntry, "image: none for " + options_.os + "/" + options_.architecture +
                                     (options_.tag.empty() ? "" : " named " + options_.tag) + "; there are:" + names);
  }

  Result<ImportedImage> RunOci() {
    PADDOCK_ASSIGN(const std::string text, ReadText("index.json"));
    PADDOCK_ASSIGN(ImageManifest manifest, ParseManifest(text, "index.json"));
    ImportedImage image;
    for (int depth = 0; manifest.is_index; ++depth) {
      if (depth == kMaxIndexes) return Bad("an index names an index, again and again");
      PADDOCK_ASSIGN(const ImageDescriptor chosen, Choose(manifest));
      if (!chosen.name.empty()) image.tags = {chosen.name};
      PADDOCK_ASSIGN(const std::string blob, ReadBlob(chosen));
      PADDOCK_ASSIGN(manifest, ParseManifest(blob, "blob " + chosen.digest));
    }
    PADDOCK_ASSIGN(const std::string config, ReadBlob(manifest.config));
    image.config_digest = manifest.config.digest;
    std::vector<Layer> layers;
    for (const ImageDescriptor& layer : manifest.layers) layers.push_back({BlobName(layer.digest), layer.digest, layer.size});
    PADDOCK_TRY(Unpack(config, layers, image));
    return image;
  }

  Result<ImportedImage> RunDocker() {
    PADDOCK_ASSIGN(const std::string text, ReadText("manifest.json"));
    PADDOCK_ASSIGN(const std::vector<DockerImage> images, ParseDockerManifest(text));
    const auto found = std::find_if(images.begin(), images.end(), [this](const DockerImage& candidate) {
      return options_.tag.empty() || std::count(candidate.tags.begin(), candidate.tags.end(), options_.tag) > 0;
    });
    if (found == images.end()) {
      std::string names;
      for (const DockerImage& candidate : images) {
        for (const std::string& tag : candidate.tags) names += names.size() < 300 ? " " + tag : "";
      }
      return Error(Code::kNoEntry, "image: none is named " + options_.tag + "; there are:" + names);
    }
    ImportedImage image;
    image.tags = found->tags;
    PADDOCK_ASSIGN(const std::string config, ReadText(found->config));
    image.config_digest = "sha256:" + HexOf(DigestOf(DigestAlgorithm::kSha256, config));
    // Its file is named by its digest: "<hex>.json", or a blob.
    const std::string base = vfs::BaseName(found->config);
    const std::string hex = image.config_digest.substr(7);
    if (base != hex && base != hex + ".json") return Bad("the config '" + found->config + "' does not match the digest in its name");
    std::vector<Layer> layers;
    for (const std::string& layer : found->layers) layers.push_back({layer, {}, 0});
    PADDOCK_TRY(Unpack(config, layers, image));
    return image;
  }

  Status Unpack(const std::string& config, const std::vector<Layer>& layers, ImportedImage& image) {
    if (layers.size() > kMaxLayers) return Error(Code::kLimit, "image: more than 1,000 layers");
    PADDOCK_ASSIGN(const ParsedConfig parsed, ParseImageConfig(config, "config " + image.config_digest));
    if (parsed.diff_ids.size() != layers.size()) {
      return Bad("the config has " + std::to_string(parsed.diff_ids.size()) + " layers, the manifest " + std::to_string(layers.size()));
    }
    image.config = parsed.config;
    image.layers = layers.size();
    for (size_t i = 0; i < layers.size(); ++i) PADDOCK_TRY(AddLayer(layers[i], parsed.diff_ids[i]));
    PADDOCK_ASSIGN(image.files, builder_.Finish());
    return {};
  }

  Status AddLayer(const Layer& layer, const std::string& diff_id) {
    PADDOCK_ASSIGN(const auto file, files_.Open(layer.file));
    DigestingSource stored(*file);
    PADDOCK_ASSIGN(const auto plain, Decompress(stored, {options_.limits.max_bytes - unpacked_, options_.limits.max_ratio}));
    DigestingSource unpacked(*plain);
    if (auto added = builder_.Add(unpacked, true); !added) {
      return Error(added.error().code, "layer '" + layer.file + "': " + std::string(added.error().Text()));
    }
    PADDOCK_ASSIGN(const std::string unpacked_digest, unpacked.Finish());
    PADDOCK_ASSIGN(const std::string stored_digest, stored.Finish());
    unpacked_ += std::min(unpacked.size(), options_.limits.max_bytes - unpacked_);
    if (!layer.digest.empty() && (stored_digest != layer.digest || stored.size() != layer.size)) {
      return Bad("blob " + layer.digest + " does not match its digest and size");
    }
    if (unpacked_digest != diff_id) return Bad("layer '" + layer.file + "' does not match the digest in the config");
    return {};
  }

  Files& files_;
  const ImageOptions& options_;
  LayerBuilder builder_;
  uint64_t unpacked_ = 0;
};

}  // namespace

Result<ImportedImage> ImportImage(Session& session, ByteSource& in, const ImageOptions& options) {
  PADDOCK_ASSIGN(const auto plain, Decompress(in, {options.limits.max_bytes, options.limits.max_ratio}));
  ArchiveFiles files(session);
  PADDOCK_TRY(files.Load(*plain));
  return Importer(session, files, options).Run();
}

Result<ImportedImage> ImportImage(Session& session, vfs::FileSystem& files, std::string_view directory,
                                  const ImageOptions& options) {
  DirectoryFiles layout(files, directory);
  return Importer(session, layout, options).Run();
}

}  // namespace paddock::trees
