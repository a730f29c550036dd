#include "policy/load.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <memory>
#include <vector>

#include "base/descriptor.h"
#include "policy/document.h"
#include "policy/parse.h"
#include "policy/verdict.h"

namespace paddock::policy {
namespace {

Error Refuse(const std::string& path, const std::string& why) {
  return Error(Code::kAccess, "policy document '" + path + "' " + why);
}

Error Failed(const std::string& path) {
  const auto code = static_cast<Code>(errno);
  return Error(code, "policy document '" + path + "': " + std::string(CodeText(code)));
}

// The path that the open descriptor has: the one that was opened, whatever happens to names meanwhile.
Result<std::string> PathOfDescriptor(int descriptor, const std::string& path) {
  char real[PATH_MAX];
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  const ssize_t size = readlink(link.c_str(), real, sizeof real);
  if (size <= 0 || size == static_cast<ssize_t>(sizeof real) || real[0] != '/') return Refuse(path, "has no path; is /proc mounted?");
  return std::string(real, static_cast<size_t>(size));
}

// Where the symlinks stand that lead to `path`: who can write there chooses the document.
Status CollectLinks(const std::string& path, std::vector<std::string>& places) {
  PADDOCK_ASSIGN(std::string rest, NormalPath(path));
  std::string done;   // has no symlink in it
  for (int steps = 0; !rest.empty() && rest != "/"; ++steps) {
    if (steps > 4096) return Refuse(path, "has too many symlinks on its way");
    const size_t end = rest.find('/', 1);
    const std::string place = done + rest.substr(0, end);
    rest = end == std::string::npos ? std::string() : rest.substr(end);
    char target[PATH_MAX];
    const ssize_t size = readlink(place.c_str(), target, sizeof target);
    if (size < 0) {
      done = place;
      continue;
    }
    if (size == static_cast<ssize_t>(sizeof target)) return Refuse(path, "has a symlink that is too long");
    places.push_back(place);
    if (places.size() > 64) return Refuse(path, "has too many symlinks on its way");
    const std::string text(target, static_cast<size_t>(size));
    // `..` behind a link is taken by the real directory, which `done` names.
    PADDOCK_ASSIGN(rest, NormalPath((text.starts_with('/') ? text : done + "/" + text) + rest));
    done.clear();
  }
  return {};
}

Result<DocumentSource> ReadDocument(const std::string& path, const std::string& base, std::vector<std::string>& places) {
  DocumentSource source{.name = path};
  PADDOCK_TRY(CollectLinks(path.starts_with('/') ? path : base + "/" + path, places));
  PADDOCK_ASSIGN(source.format, FormatOf(path));
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (file.get() < 0) return Failed(path);
  struct stat status {};
  if (fstat(file.get(), &status) != 0) return Failed(path);
  if (!S_ISREG(status.st_mode)) return Refuse(path, "is not a regular file");
  if (status.st_uid != 0 && status.st_uid != geteuid()) {
    return Refuse(path, "belongs to user " + std::to_string(status.st_uid) + ", not to you or root; copy it");
  }
  if ((status.st_mode & S_IWOTH) != 0) return Refuse(path, "can be written by everybody; run chmod o-w on it");
  PADDOCK_ASSIGN(std::string real, PathOfDescriptor(file.get(), path));
  source.directory = real.substr(0, std::max<size_t>(real.rfind('/'), 1));
  places.push_back(std::move(real));
  // One byte more than allowed, so that the parser sees that it is too long.
  source.text.resize(kMaxDocumentBytes + 1);
  size_t size = 0;
  while (size < source.text.size()) {
    const ssize_t got = read(file.get(), source.text.data() + size, source.text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Failed(path);
    if (got == 0) break;
    size += static_cast<size_t>(got);
  }
  source.text.resize(size);
  return source;
}

// Refuses a document that the policy lets the code inside change.
Status CheckPlace(const Policy& policy, const std::string& document) {
  FileRules rules = policy.files;
  rules.protected_names.clear();   // a name that nothing may change is still a place that a clone or an archive brought
  const auto resolve = [](std::string& path) -> Status {
    PADDOCK_ASSIGN(path, ResolvePath(path));
    return {};
  };
  for (PathRule& rule : rules.paths) PADDOCK_TRY(resolve(rule.path));
  if (!rules.workspace.empty()) PADDOCK_TRY(resolve(rules.workspace));
  if (!rules.home.empty()) PADDOCK_TRY(resolve(rules.home));
  const FileVerdict verdict = AccessOf(rules, document);
  if (verdict.access == Access::kWrite && !verdict.is_private) {
    return Refuse(document, "lies where it lets the code inside write (" + verdict.rule + "); keep it outside, such as in ~/.config/paddock");
  }
  return {};
}

}  // namespace

Result<std::string> ResolvePath(const std::string& path) {
  PADDOCK_ASSIGN(std::string head, NormalPath(path));
  std::string tail;
  while (true) {
    const std::unique_ptr<char, decltype(&std::free)> real(realpath(head.c_str(), nullptr), &std::free);
    if (real != nullptr) {
      const std::string found(real.get());
      return tail.empty() ? found : (found == "/" ? "" : found) + tail;
    }
    if (head == "/" || (errno != ENOENT && errno != ENOTDIR && errno != EACCES)) {
      const auto code = static_cast<Code>(errno);
      return Error(code, "path '" + path + "': " + std::string(CodeText(code)));
    }
    const size_t slash = head.rfind('/');
    tail = head.substr(slash) + tail;
    head.resize(std::max<size_t>(slash, 1));
  }
}

Result<Policy> LoadPolicy(const std::string& path, const HostContext& context, const std::function<Status(Policy&)>& amend) {
  std::vector<std::string> documents;
  const std::unique_ptr<char, decltype(&std::free)> current(getcwd(nullptr, 0), &std::free);
  const std::string base = current != nullptr ? current.get() : "/";
  const DocumentFetcher fetch = [&](const std::string& other) { return ReadDocument(other, base, documents); };
  PADDOCK_ASSIGN(const DocumentSource source, ReadDocument(path, base, documents));
  PADDOCK_ASSIGN(Policy policy, ParsePolicy(source, context, fetch));
  if (amend) {
    PADDOCK_TRY(amend(policy));
    PADDOCK_TRY(CheckPolicy(policy, path));
  }
  for (const std::string& document : documents) PADDOCK_TRY(CheckPlace(policy, document));
  return policy;
}

}  // namespace paddock::policy
