#include "commands/file/ls_lister.h"

#include <algorithm>

#include "commands/file_facts.h"
#include "commands/stat_ahead.h"
#include "text/quote.h"
#include "text/version_order.h"

namespace paddock::ls {
namespace {

using vfs::FileType;

constexpr size_t kDeepest = 4096;

std::string_view ExtensionOf(std::string_view name) {
  const size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : name.substr(dot);
}

Nanoseconds TimeOf(const File& file, TimeKind kind) {
  switch (kind) {
    case TimeKind::kChange: return file.attributes.change_time;
    case TimeKind::kAccess: return file.attributes.access_time;
    case TimeKind::kModify:
    case TimeKind::kBirth: break;
  }
  return file.attributes.modify_time;
}

template <class T>
int Compare(const T& a, const T& b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

}  // namespace

Lister::Lister(Invocation& in, const Settings& settings, const Colors& colors)
    : in_(in), settings_(settings), colors_(colors), printer_(in, settings, colors) {
  const PatternFlags flags{.extglob = false, .is_utf8 = in.locale.is_utf8, .leading_dot_special = true};
  for (const std::string& pattern : settings.ignore_patterns) ignore_.emplace_back(pattern, flags);
  for (const std::string& pattern : settings.hide_patterns) hide_.emplace_back(pattern, flags);
}

void Lister::Report(std::string_view message, bool is_operand) {
  in_.Fail(message);
  status_ = std::max(status_, is_operand ? 2 : 1);
}

ExitStatus Lister::Run(const std::vector<std::string>& operands) {
  pending_.emplace_back();
  if (operands.empty()) {
    if (settings_.lists_directories) pending_.back().push_back({".", true});
    else AddOperand(".");
  }
  for (const std::string& operand : operands) AddOperand(operand);
  if (!files_.empty()) {
    Sort(files_);
    if (settings_.lists_directories) PushDirectories("");
    std::erase_if(files_, [](const File& file) { return file.is_listed; });
  }
  if (!files_.empty()) {
    printer_.Print(files_);
    if (!pending_.back().empty()) printer_.BlankLine();
  } else if (operands.size() <= 1 && pending_.back().size() == 1) {
    shows_names_ = false;
  }
  while (!pending_.empty()) {
    if (pending_.back().empty()) {
      pending_.pop_back();
      if (!active_.empty()) active_.pop_back();
      continue;
    }
    const Pending next = std::move(pending_.back().back());
    pending_.back().pop_back();
    ListDirectory(next);
  }
  printer_.Finish();
  return status_;
}

Result<vfs::Attributes> Lister::LookAt(const std::string& path, bool is_operand) const {
  using vfs::Follow;
  switch (settings_.follow) {
    case ls::Follow::kAlways: return in_.fs.Stat(path, Follow::kYes);
    case ls::Follow::kOperand:
      if (is_operand) return in_.fs.Stat(path, Follow::kYes);
      break;
    case ls::Follow::kOperandDirectory:
      if (is_operand) {
        auto behind = in_.fs.Stat(path, Follow::kYes);
        if (behind && behind->is_directory()) return behind;
        if (!behind && behind.error().code != Code::kNoEntry) return behind;
      }
      break;
    case ls::Follow::kNever: break;
  }
  return in_.fs.Stat(path, Follow::kNo);
}

void Lister::AddOperand(const std::string& operand) {
  in_.budget.Step();
  auto attributes = LookAt(operand, true);
  if (!attributes) {
    return Report("cannot access " + QuoteFile(operand, in_.locale.is_utf8) + ": " +
                      std::string(attributes.error().Text()),
                  true);
  }
  File file;
  file.name = file.path = operand;
  file.attributes = std::move(*attributes);
  file.has_attributes = true;
  file.type = file.attributes.type;
  file.is_listed = file.is_directory() && settings_.lists_directories;
  LookBehindLink(file, true);
  printer_.Measure(file);
  files_.push_back(std::move(file));
}

bool Lister::NeedsAttributes(FileType type) const {
  if (settings_.layout == Layout::kLong || settings_.sort == SortKey::kTime ||
      settings_.sort == SortKey::kSize || settings_.shows_blocks || settings_.shows_context ||
      settings_.shows_links) {
    return true;
  }
  const bool needs_type = settings_.recursive || settings_.shows_color || settings_.directories_first ||
                          settings_.indicators != Indicators::kNone;
  switch (type) {
    case FileType::kFile: return settings_.indicators == Indicators::kClassify || settings_.shows_color;
    // The list has the number of what a mounted directory covers.
    case FileType::kDirectory: return settings_.shows_color || settings_.shows_inode;
    case FileType::kSymlink:
      return (settings_.shows_inode || needs_type) &&
             (settings_.follow == ls::Follow::kAlways || settings_.shows_color || settings_.directories_first);
    default: return false;
  }
}

void Lister::AddEntry(const std::string& directory, const vfs::DirectoryEntry& entry,
                      const Result<vfs::Attributes>* seen) {
  in_.budget.Step();
  File file;
  file.name = entry.name;
  file.path = directory == "." ? entry.name : vfs::JoinPath(directory, entry.name);
  file.type = entry.type;
  file.attributes.inode = entry.inode;
  if (NeedsAttributes(entry.type)) {
    auto attributes = seen != nullptr ? *seen : LookAt(file.path, false);
    if (attributes) {
      file.attributes = std::move(*attributes);
      file.has_attributes = true;
      file.type = file.attributes.type;
    } else {
      file.is_lost = true;
      const std::string shown = vfs::JoinPath(directory, entry.name);
      Report("cannot access " + QuoteFile(shown, in_.locale.is_utf8) + ": " +
                 std::string(attributes.error().Text()),
             false);
    }
  }
  LookBehindLink(file, false);
  printer_.Measure(file);
  files_.push_back(std::move(file));
}

void Lister::LookBehindLink(File& file, bool is_operand) {
  if (file.type != FileType::kSymlink) return;
  const bool is_long = settings_.layout == Layout::kLong;
  const bool checks_target =
      settings_.directories_first ||
      (settings_.shows_color && (colors_.HasCode("or") || colors_.colors_by_target() ||
                                (colors_.HasCode("mi") && is_long)));
  if (is_long || checks_target) {
    auto target = in_.fs.ReadLink(file.path);
    if (!target) {
      Report("cannot read symbolic link " + QuoteFile(file.path, in_.locale.is_utf8) + ": " +
                 std::string(target.error().Text()),
             is_operand);
    } else {
      file.target = std::move(*target);
    }
  }
  if (checks_target || (is_long && settings_.indicators >= Indicators::kFileType)) {
    file.is_linked_known = true;
    if (auto behind = in_.fs.Stat(file.path); behind) file.linked = std::move(*behind);
  }
}

bool Lister::IsIgnored(std::string_view name) const {
  const auto matches = [&](const std::vector<Pattern>& patterns) {
    return std::any_of(patterns.begin(), patterns.end(),
                       [&](const Pattern& pattern) { return pattern.Matches(name, in_.budget); });
  };
  if (settings_.hidden == Hidden::kSkip && (name.starts_with('.') || matches(hide_))) return true;
  return matches(ignore_);
}

void Lister::Sort(std::vector<File>& files) const {
  const SortKey key = settings_.sort;
  const auto compare_key = [&](const File& a, const File& b) {
    switch (key) {
      case SortKey::kTime:
        return Compare(TimeOf(b, settings_.time), TimeOf(a, settings_.time));
      case SortKey::kSize: return Compare(b.attributes.size, a.attributes.size);
      case SortKey::kExtension: return Compare(ExtensionOf(a.name), ExtensionOf(b.name));
      case SortKey::kVersion: return CompareVersionNames(a.name, b.name);
      case SortKey::kWidth: return Compare(a.width, b.width);
      case SortKey::kName:
      case SortKey::kNone: break;
    }
    return 0;
  };
  const auto is_first_kind = [](const File& file) {
    return file.is_directory() || (file.linked && file.linked->is_directory());
  };
  in_.budget.Step(static_cast<int64_t>(files.size()));
  if (key == SortKey::kWidth) {
    for (File& file : files) file.width = printer_.NameWidth(file);
  }
  std::stable_sort(files.begin(), files.end(), [&](const File& a, const File& b) {
    if (settings_.directories_first && is_first_kind(a) != is_first_kind(b)) return is_first_kind(a);
    if (key == SortKey::kNone) return false;
    int order = compare_key(a, b);
    if (order == 0) order = a.name.compare(b.name);
    return settings_.reverse ? order > 0 : order < 0;
  });
}

void Lister::ListDirectory(const Pending& directory) {
  const std::string& path = directory.path;
  auto entries = in_.fs.List(path);
  if (!entries) {
    return Report("cannot open directory " + QuoteFile(path, in_.locale.is_utf8) + ": " +
                      std::string(entries.error().Text()),
                  directory.is_operand);
  }
  Identity identity{};
  if (settings_.recursive) {
    if (const auto own = in_.fs.Stat(path)) identity = {own->device, own->inode};
    if (std::find(active_.begin(), active_.end(), identity) != active_.end()) {
      return Report(QuoteSubject(path, in_.locale.is_utf8) + ": not listing already-listed directory", true);
    }
  }
  if (settings_.recursive || shows_names_) {
    printer_.Heading(path, is_first_);
    is_first_ = false;
  }
  ReadDirectory(directory, *entries);
  if (settings_.layout == Layout::kLong || settings_.shows_blocks) printer_.Total();
  printer_.Print(files_);
  if (settings_.recursive) {
    pending_.emplace_back();
    active_.push_back(identity);
    PushDirectories(path);
    if (pending_.size() > kDeepest) in_.budget.Stop(LimitKind::kDepth);
  }
}

void Lister::ReadDirectory(const Pending& directory, const std::vector<vfs::DirectoryEntry>& entries) {
  files_.clear();
  files_.reserve(entries.size());
  printer_.Reset();
  if (settings_.hidden == Hidden::kAll) {
    for (const char* name : {".", ".."}) {
      vfs::DirectoryEntry entry{name, FileType::kDirectory, 0};
      if (IsIgnored(entry.name)) continue;
      if (const auto own = in_.fs.Stat(vfs::JoinPath(directory.path, name))) entry.inode = own->inode;
      AddEntry(directory.path, entry);
    }
  }
  StatAhead ahead;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (IsIgnored(entries[i].name)) continue;
    const bool looks = settings_.follow != ls::Follow::kAlways && NeedsAttributes(entries[i].type);
    AddEntry(directory.path, entries[i], looks ? &ahead.Of(in_.fs, directory.path, entries, i) : nullptr);
  }
  Sort(files_);
}

// Queues the directories among the files, to be listed in their order.
void Lister::PushDirectories(const std::string& parent) {
  for (auto file = files_.rbegin(); file != files_.rend(); ++file) {
    if (!file->is_directory()) continue;
    if (parent.empty()) {
      pending_.back().push_back({file->path, true});
    } else if (file->name != "." && file->name != "..") {
      pending_.back().push_back({vfs::JoinPath(parent, file->name), false});
    }
  }
}

}  // namespace paddock::ls
