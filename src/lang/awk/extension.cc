#include "lang/awk/extension.h"

namespace paddock::awk {
namespace {

constexpr std::string_view kLibraryNames[] = {"filefuncs", "fnmatch",  "fork",      "inplace",    "intdiv",  "ordchr",
                                              "readdir",   "readfile", "revoutput", "revtwoway", "rwarray", "time"};

constexpr ExtensionInfo kExtensions[kExtensionCount] = {
    {"chdir", Extension::kChdir, Library::kFilefuncs, 1},
    {"stat", Extension::kStat, Library::kFilefuncs, 2},
    {"statvfs", Extension::kStatvfs, Library::kFilefuncs, 2},
    {"fts", Extension::kFts, Library::kFilefuncs, 3},
    {"fnmatch", Extension::kFnmatch, Library::kFnmatch, 3},
    {"fork", Extension::kFork, Library::kFork, 0},
    {"wait", Extension::kWait, Library::kFork, 0},
    {"waitpid", Extension::kWaitpid, Library::kFork, 1},
    {"inplace::begin", Extension::kInplaceBegin, Library::kInplace, 2},
    {"inplace::end", Extension::kInplaceEnd, Library::kInplace, 2},
    {"intdiv", Extension::kIntdiv, Library::kIntdiv, 3},
    {"ord", Extension::kOrd, Library::kOrdchr, 1},
    {"chr", Extension::kChr, Library::kOrdchr, 1},
    {"readfile", Extension::kReadfile, Library::kReadfile, 1},
    {"reada", Extension::kReada, Library::kRwarray, 2},
    {"writea", Extension::kWritea, Library::kRwarray, 2},
    {"readall", Extension::kReadall, Library::kRwarray, 1},
    {"writeall", Extension::kWriteall, Library::kRwarray, 1},
    {"gettimeofday", Extension::kGettimeofday, Library::kTime, 0},
    {"sleep", Extension::kSleep, Library::kTime, 1},
};

}  // namespace

std::optional<Library> FindLibrary(std::string_view name) {
  if (const size_t slash = name.rfind('/'); slash != std::string_view::npos) name.remove_prefix(slash + 1);
  if (name.ends_with(".so")) name.remove_suffix(3);
  for (size_t i = 0; i < std::size(kLibraryNames); ++i) {
    if (kLibraryNames[i] == name) return static_cast<Library>(i);
  }
  return std::nullopt;
}

const ExtensionInfo& InfoOf(Extension id) { return kExtensions[static_cast<size_t>(id)]; }

const ExtensionInfo* FindExtension(std::string_view name, Libraries libraries) {
  for (const ExtensionInfo& info : kExtensions) {
    if (info.name == name && (libraries & BitOf(info.library)) != 0) return &info;
  }
  return nullptr;
}

}  // namespace paddock::awk
