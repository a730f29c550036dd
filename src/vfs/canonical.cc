// View::Canonical: the absolute path without symlinks, "." and "..", as realpath prints it.

#include <algorithm>
#include <utility>

#include "base/memory_meter.h"
#include "vfs/view.h"

namespace paddock::vfs {
namespace {

constexpr int kMaxSymlinks = 40;

// A path that grows component by component. `here` is the deepest directory that exists; the last
// `beyond` components of `path` lie below it: they are missing, or the first of them is no
// directory.
struct Resolution {
  std::string path;  // "" for the root
  Place here;
  size_t beyond = 0;
  Code failure = Code::kOk;  // why `beyond` is not zero

  void Append(std::string_view name) {
    path += '/';
    path += name;
  }
  void DropLast() { path.resize(path.empty() ? 0 : path.rfind('/')); }
  void AppendBeyond(std::string_view name, Code why) {
    if (beyond++ == 0) failure = why;
    Append(name);
  }
};

}  // namespace

Result<std::string> View::Canonical(std::string_view path, MustExist must_exist) {
  if (path.empty()) return Code::kNoEntry;
  if (path.size() >= kMaxPath) return Code::kNameTooLong;
  if (path.find('\0') != std::string_view::npos) return Code::kInvalid;
  const bool takes_missing = must_exist == MustExist::kNone;
  Resolution so_far;
  so_far.here = names_.root();
  std::string rest(path);
  if (path.front() != '/') {
    PADDOCK_ASSIGN(so_far.path, PhysicalCwd());
    if (so_far.path == "/") so_far.path.clear();
    so_far.here = cwd_place_;
  }
  int links_left = kMaxSymlinks;
  for (size_t begin = 0; begin < rest.size();) {
    const size_t end = std::min(rest.find('/', begin), rest.size());
    const std::string name = rest.substr(begin, end - begin);
    begin = end + 1;
    ChargeExec(1);
    if (name.empty()) continue;
    if (so_far.beyond > 0 && !takes_missing) return so_far.failure;
    if (name == ".") continue;
    if (name == "..") {
      so_far.DropLast();
      if (so_far.beyond > 0) {
        --so_far.beyond;
      } else {
        PADDOCK_ASSIGN(so_far.here, names_.Parent(so_far.here));
      }
      continue;
    }
    if (so_far.beyond > 0) {
      so_far.AppendBeyond(name, Code::kNoEntry);
      continue;
    }
    const auto walked = names_.Walk(so_far.here, name, Follow::kNo, who_);
    const Code failure = !walked            ? walked.error().code
                         : walked->exists() ? Code::kOk
                                            : Code::kNoEntry;
    if (failure != Code::kOk) {
      if (!takes_missing && (must_exist == MustExist::kAll || failure != Code::kNoEntry))
        return failure;
      so_far.AppendBeyond(name, failure);
      continue;
    }
    const Attributes& found = walked->attributes;
    if (found.is_symlink() && found.special == 0) {
      if (links_left-- > 0) {
        PADDOCK_ASSIGN(std::string target, walked->place.volume->ReadLink(walked->place.node));
        if (end < rest.size()) target += rest.substr(end);
        rest = std::move(target);
        begin = 0;
        if (rest.starts_with('/')) {
          so_far.path.clear();
          so_far.here = names_.root();
        }
        continue;
      }
      if (!takes_missing) return Code::kLoop;
    }
    if (found.is_directory()) {
      so_far.Append(name);
      so_far.here = walked->place;
    } else {
      so_far.AppendBeyond(name, Code::kNotDirectory);
    }
  }
  // A slash at the end asks for a directory.
  const bool is_other = so_far.beyond > 0 && so_far.failure == Code::kNotDirectory;
  if (rest.ends_with('/') && is_other && !takes_missing) return Code::kNotDirectory;
  return so_far.path.empty() ? std::string("/") : std::move(so_far.path);
}

}  // namespace paddock::vfs
