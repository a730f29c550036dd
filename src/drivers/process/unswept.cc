#include "drivers/process/unswept.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "base/descriptor.h"
#include "drivers/process/protect/safe_open.h"
#include "policy/context.h"
#include "text/utf8.h"

namespace paddock::process_wall {
namespace {

constexpr const char* kName = "unswept";
constexpr size_t kMostBytes = 1 << 20;
constexpr size_t kMostNamed = 10;

}  // namespace

void NoteUnswept(int quarantine, const UnsweptRun& run) {
  std::string text = std::to_string(run.started);
  for (const std::string& root : run.roots) text += '\0' + root;
  const Descriptor file(openat(quarantine, kName, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (file.is_open() && write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) ClearUnswept(quarantine);
}

void ClearUnswept(int quarantine) { unlinkat(quarantine, kName, 0); }

std::optional<UnsweptRun> ReadUnswept(int quarantine) {
  const auto text = ReadRegular(quarantine, kName, kMostBytes);
  if (!text) return std::nullopt;
  UnsweptRun run;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), run.started);
  if (error != std::errc()) return std::nullopt;
  for (size_t at = static_cast<size_t>(end - text->data()); at < text->size();) {
    const size_t next = std::min(text->find('\0', at + 1), text->size());
    run.roots.push_back(text->substr(at + 1, next - at - 1));
    at = next;
  }
  return run;
}

std::string UnsweptText(const UnsweptRun& run, const std::string& root, const ProtectedSnapshot& snapshot) {
  const bool touches = std::any_of(run.roots.begin(), run.roots.end(), [&](const std::string& other) { return policy::IsWithin(root, other) || policy::IsWithin(other, root); });
  if (!touches) return {};
  std::string names;
  size_t count = 0;
  for (const auto& [path, entry] : snapshot.entries) {
    if (entry.kind == ProtectedEntry::Kind::kDirectory || entry.changed < run.started || path.starts_with('/')) continue;
    if (++count <= kMostNamed) names += (names.empty() ? "" : ", ") + HarmlessLine(path);
  }
  if (count == 0) return {};
  if (count > kMostNamed) names += ", and " + std::to_string(count - kMostNamed) + " more";
  return "an earlier run here was killed with all its helpers, so nobody swept; look at what came or changed under protected names below " + root + " since: " + names;
}

}  // namespace paddock::process_wall
