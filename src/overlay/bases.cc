#include "overlay/bases.h"

#include <fcntl.h>

#include <array>
#include <cerrno>

#include "overlay/fields.h"
#include "overlay/upper.h"
#include "text/digest.h"

namespace paddock::overlay {
namespace {

constexpr const char* kFile = "bases";
constexpr size_t kLargestFile = 1ull << 30;
// What is read of the workspace at the end of a run, to tell later whether a touched file has really changed.
constexpr uint64_t kMostPerFile = 16 << 20;
constexpr uint64_t kMostPerRun = 256 << 20;

char LetterOf(FileFacts::Type type) {
  switch (type) {
    case FileFacts::Type::kAbsent: return 'a';
    case FileFacts::Type::kFile: return 'f';
    case FileFacts::Type::kDirectory: return 'd';
    case FileFacts::Type::kSymlink: return 'l';
    default: return 'o';
  }
}

std::optional<FileFacts::Type> TypeOf(std::string_view letter) {
  if (letter == "a") return FileFacts::Type::kAbsent;
  if (letter == "f") return FileFacts::Type::kFile;
  if (letter == "d") return FileFacts::Type::kDirectory;
  if (letter == "l") return FileFacts::Type::kSymlink;
  if (letter == "o") return FileFacts::Type::kDevice;
  return std::nullopt;
}

// Finds the paths whose bases matter: all in the upper tree but merged directories, and not what is below a directory that
// stands in the workspace's place as a whole.
template <class Visit>
Status ForEachBase(int upper, int workspace, Visit visit) {
  std::vector<std::string> pending = {""};
  size_t count = 0;
  while (!pending.empty()) {
    const std::string directory = std::move(pending.back());
    pending.pop_back();
    const auto names = NamesIn(upper, directory, kMostEntries - count);
    if (!names) {
      if (names.error().code == Code::kLimit) return names.error();
      continue;   // a directory that is shut is refused when it comes to applying
    }
    count += names->size();
    for (const std::string& name : *names) {
      std::string path = Joined(directory, name);
      const UpperEntry entry = ReadUpper(upper, path);
      auto below = FactsAt(workspace, path);
      const FileFacts facts = below ? *below : FileFacts();
      if (entry.kind == UpperEntry::Kind::kMerged && facts.is_directory()) pending.push_back(std::move(path));
      else visit(path, facts);
    }
  }
  return {};
}

}  // namespace

std::string DigestAt(int directory, const std::string& path, const FileFacts& facts, uint64_t most) {
  if (facts.is_symlink()) {
    const auto target = LinkTarget(directory, path);
    return target ? HexOf(DigestOf(DigestAlgorithm::kSha256, *target)) : std::string();
  }
  if (!facts.is_file() || facts.size > most) return {};
  const auto file = OpenBeneath(directory, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (!file) return {};
  const auto digester = MakeDigester(DigestAlgorithm::kSha256);
  std::array<char, 64 << 10> block;
  for (uint64_t total = 0; total <= most;) {
    const ssize_t got = read(file->get(), block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return {};
    if (got == 0) return HexOf(digester->Finish());
    digester->Update({block.data(), static_cast<size_t>(got)});
    total += static_cast<uint64_t>(got);
  }
  return {};
}

Result<Bases> Bases::Load(const Overlay& overlay) {
  Bases bases;
  bases.pending_ = overlay.info().run_began;
  const auto text = ReadSmallFile(overlay.descriptor(), kFile, kLargestFile);
  if (!text && text.error().code == Code::kNoEntry) return bases;
  if (!text) return text.error();
  const Error damaged(Code::kInvalid, "the overlay's 'bases' file is damaged");
  for (size_t at = 0; at < text->size();) {
    const size_t end = text->find('\n', at);
    if (end == std::string::npos) return damaged;
    const auto words = SplitWords(std::string_view(*text).substr(at, end - at));
    at = end + 1;
    if (words.size() != 6) return damaged;
    const auto type = TypeOf(words[0]);
    const auto mode = ParseNumber(words[1]), seen = ParseNumber(words[2]);
    const auto digest = UnescapeWord(words[4]), path = UnescapeWord(words[5]);
    if (!type || !mode || !seen || !digest || !path || (words[3] != "sure" && words[3] != "unsure")) return damaged;
    bases.bases_[*path] = {.seen = std::chrono::nanoseconds(*seen), .type = *type, .mode = static_cast<uint32_t>(*mode),
                           .is_unsure = words[3] == "unsure", .digest = *digest};
  }
  return bases;
}

std::string Bases::Encode() const {
  std::string text;
  for (const auto& [path, base] : bases_) {
    text += LetterOf(base.type);
    text += " " + std::to_string(base.mode) + " " + std::to_string(base.seen.count()) + (base.is_unsure ? " unsure " : " sure ") +
            EscapeWord(base.digest) + " " + EscapeWord(path) + "\n";
  }
  return text;
}

std::string Bases::ConflictAt(int workspace, const std::string& path, const FileFacts& now) const {
  if (const auto exact = bases_.find(path); exact != bases_.end()) {
    const Base& base = exact->second;
    if (base.is_unsure) return "changed in the workspace while the sandbox ran";
    if (base.type == FileFacts::Type::kAbsent) return now.exists() ? "created in the workspace since" : "";
    if (!now.exists()) return "deleted in the workspace since";
    if (now.type != base.type) return "replaced in the workspace since";
    if (now.changed <= base.seen || now.is_directory()) return {};
    const bool is_equal = !base.digest.empty() && now.mode == base.mode && DigestAt(workspace, path, now, kMostPerFile) == base.digest;
    return is_equal ? "" : "changed in the workspace since";
  }
  // Below a directory that is new, gone or replaced as a whole.
  for (std::string_view parent = ParentOf(path); !parent.empty(); parent = ParentOf(parent)) {
    const auto found = bases_.find(parent);
    if (found == bases_.end()) continue;
    if (!now.exists()) return {};
    if (found->second.type == FileFacts::Type::kAbsent) return "created in the workspace since";
    return !now.is_directory() && now.changed > found->second.seen ? "changed in the workspace since" : "";
  }
  if (pending_.count() == 0 || !now.exists() || now.is_directory()) return {};
  return now.changed > pending_ ? "changed in the workspace since the run began" : "";
}

Status Settle(Overlay& overlay) {
  if (overlay.info().run_began.count() == 0) return {};
  PADDOCK_ASSIGN(const Descriptor upper, overlay.OpenUpper());
  PADDOCK_ASSIGN(const Descriptor workspace, overlay.OpenWorkspace());
  PADDOCK_ASSIGN(const Bases before, Bases::Load(overlay));
  Bases after;
  uint64_t read = 0;
  PADDOCK_TRY(ForEachBase(upper.get(), workspace.get(), [&](const std::string& path, const FileFacts& facts) {
    if (const auto known = before.bases_.find(path); known != before.bases_.end()) {
      after.bases_.insert(*known);
      return;
    }
    Base base{.seen = overlay.info().run_began, .type = facts.type, .mode = facts.mode};
    // Of a directory only what is in it matters, file by file.
    base.is_unsure = facts.exists() && !facts.is_directory() && facts.changed > base.seen;
    if (!base.is_unsure && facts.size <= kMostPerRun - read) {
      base.digest = DigestAt(workspace.get(), path, facts, kMostPerFile);
      if (!base.digest.empty()) read += facts.size;
    }
    after.bases_[path] = std::move(base);
  }));
  PADDOCK_TRY(ReplaceSmallFile(overlay.descriptor(), kFile, after.Encode()));
  return overlay.EndRun();
}

}  // namespace paddock::overlay
