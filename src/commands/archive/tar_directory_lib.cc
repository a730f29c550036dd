// What files in a directory say of it: that it is a cache or otherwise not wanted (--exclude-tag), or what of it is not (--exclude-ignore).
#include <algorithm>

#include "commands/archive/tar_create.h"

namespace paddock::tar {
namespace {

constexpr std::string_view kCacheSignature = "Signature: 8a477f597d28d172789f06886806bc55";

}  // namespace

Tagged LookForTags(Context& context, const std::string& directory, const std::string& shown) {
  for (const ExcludeTag& tag : context.o.exclude_tags) {
    const std::string real = vfs::JoinPath(directory, tag.file);
    if (!context.in.fs.Stat(real, vfs::Follow::kNo)) continue;
    if (tag.needs_signature) {
      auto opened = context.in.fs.Open(real, vfs::OpenFlags::Read());
      const auto head = opened ? (*opened)->ReadBlock(kCacheSignature.size()) : Result<Block>(Code::kNoEntry);
      if (!head || head->bytes != kCacheSignature) continue;
    }
    const char* const left_out = tag.what == ExcludeTag::What::kAll ? "; directory not dumped" : "; contents not dumped";
    if (context.o.verbose > 0) context.Warn("cachedir", context.Shown(shown) + ": contains a cache directory tag " + context.Shown(tag.file) + left_out);
    return {tag.what, tag.file};
  }
  return {};
}

size_t IgnoreFiles::Enter(const std::string& directory) {
  const size_t patterns = ignored_.size();
  for (const auto& [file, is_recursive] : c_.o.ignore_files) {
    const auto opened = c_.in.fs.Open(vfs::JoinPath(directory, file), vfs::OpenFlags::Read());
    if (!opened) continue;
    Input input(**opened, c_.in.budget);
    while (const auto line = input.ReadLine()) {
      if (line->text.empty()) continue;
      ignored_.push_back({is_recursive, std::make_shared<Matcher>(std::string(line->text), MatchFlags(), true, false, c_.in.locale.is_utf8)});
    }
  }
  return patterns;
}

bool IgnoreFiles::IsIgnored(const std::string& path, const std::string& name) const {
  return std::any_of(ignored_.begin(), ignored_.end(), [&](const Ignored& pattern) {
    return pattern.matcher->Matches(pattern.is_recursive ? path : name, c_.in.budget);
  });
}

}  // namespace paddock::tar
