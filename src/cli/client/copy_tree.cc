#include "cli/client/copy_tree.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>

#include "api/rest/files/unpack.h"
#include "base/id.h"
#include "cli/client/pack_thread.h"
#include "cli/client/progress.h"
#include "cli/present.h"
#include "overlay/beneath.h"
#include "tools/schema/parse_json.h"

namespace paddock::cli {
namespace {

constexpr uint64_t kMostBytes = 1ull << 40;   // out of a sandbox; its own disk limit holds before
constexpr size_t kMostEntries = 1'000'000;

std::string ArchivePath(const Place& place) { return SandboxPath(place.sandbox, "/files/archive?path=") + EncodePercent(place.path); }

// An answer's body as an archive to unpack.
class AnswerSource final : public ByteSource {
 public:
  AnswerSource(net::Response& response, Progress& progress) : response_(response), progress_(progress), buffer_(256 << 10) {}
  Result<Block> ReadBlock(size_t max) override {
    auto got = response_.Read(std::span(buffer_).first(std::min(max, buffer_.size())));
    if (!got) {
      failure_ = got.error();
      return got.error();
    }
    progress_.Add(*got);
    return Block{nullptr, std::string_view(buffer_.data(), *got)};
  }
  void GiveBack(size_t) override {}
  // What the connection said, rather than what an archive that is cut looks like.
  const Status& failure() const { return failure_; }

 private:
  net::Response& response_;
  Progress& progress_;
  std::vector<char> buffer_;
  Status failure_;
};

Result<json::object> StatInside(Link& link, const Place& place) {
  PADDOCK_ASSIGN(const json::value stat, link.Get(SandboxPath(place.sandbox, "/files/stat?path=") + EncodePercent(place.path)));
  return stat.as_object();
}

Result<bool> IsAbsent(Link& link, const Place& place) {
  const auto there = StatInside(link, place);
  if (!there && there.error().code != Code::kNoEntry) return there.error();
  return !there.has_value();
}

// Unpacked into the directory `into`, which is made where it is missing.
Status PutArchive(Link& link, const Place& into, std::function<Result<size_t>(std::span<char>)> source) {
  net::ClientRequest request{.method = "PUT", .target = ArchivePath(into) + "&create_dirs=true", .asks_first = true};
  request.headers.push_back({"Content-Type", "application/octet-stream"});
  request.source = std::move(source);
  PADDOCK_ASSIGN(const auto response, link.Send(std::move(request)));
  const auto body = response->ReadAll(1 << 20);
  const auto answer = body ? tools::ParseJson(*body) : Result<json::value>(body.error());
  if (!answer) return Error(Code::kUnavailable, "the connection broke before the daemon said that all is there");
  const std::string skipped = TextOf(answer->as_object(), "skipped");
  if (skipped != "0") std::fprintf(stderr, "paddock cp: %s left out: devices, FIFOs and the like\n", Harmless(skipped).c_str());
  return {};
}

// What was begun is not left there. With a link of its own: the other may be cancelled or broken.
void TakeBack(const Place& place, const TreeCopy& copy) {
  auto link = Link::Open(copy.link);
  if (link) static_cast<void>(link->Delete(SandboxPath(place.sandbox, "/files?recursive=true&path=") + EncodePercent(vfs::NormalizePath(place.path))));
}

uint32_t Umask() {
  const mode_t mask = umask(0);
  umask(mask);
  return mask;
}

}  // namespace

Status CopyTreeIn(Link& link, const std::string& from, const Place& to, const TreeCopy& copy) {
  PADDOCK_ASSIGN(HostTree tree, HostTree::Open(from, vfs::HostAccess::kReadOnly));
  PADDOCK_ASSIGN(const bool is_new, IsAbsent(link, to));
  // A new one goes into its parent under its name, which gives it its mode.
  const std::string path = vfs::NormalizePath(to.path);
  PackThread pack(tree, is_new ? vfs::BaseName(path) + "/" : "./");
  Progress progress(copy.is_quiet, isatty(STDERR_FILENO) == 1 && !copy.is_quiet ? std::optional(SizeOfTree(from)) : std::nullopt);
  const Status status = PutArchive(link, {to.sandbox, is_new ? vfs::DirectoryName(path) : path}, [&](std::span<char> buffer) -> Result<size_t> {
    if (copy.interrupts.signal() != 0) return Code::kCancelled;
    PADDOCK_ASSIGN(const size_t got, pack.Read(buffer));
    progress.Add(got);
    return got;
  });
  const bool has_unreadable = pack.PrintLeftOut("cp");
  if (!status && is_new) TakeBack(to, copy);
  if (status && has_unreadable) return Error(Code::kAccess, "not everything could be read");
  return status;
}

Status CopyTreeBetween(Link& source, const Place& from, Link& target, const Place& to, const TreeCopy& copy) {
  PADDOCK_ASSIGN(const bool is_new, IsAbsent(target, to));
  PADDOCK_ASSIGN(const json::object facts, StatInside(source, {from.sandbox, from.path + "/"}));
  PADDOCK_ASSIGN(const auto archive, source.Send({.method = "GET", .target = ArchivePath(from)}));
  Progress progress(copy.is_quiet, std::nullopt);
  Status reading;   // what the one connection said, rather than what the other makes of it
  Status status = PutArchive(target, to, [&](std::span<char> buffer) -> Result<size_t> {
    const auto got = archive->Read(buffer);
    if (!got) reading = got.error();
    else progress.Add(*got);
    return got;
  });
  if (!reading) status = Error(reading.error().code, Harmless(from.sandbox + ":" + from.path) + ": " + std::string(reading.error().Text()));
  // The archive's own directory has its mode from here.
  if (status && is_new) {
    char mode[16];
    std::snprintf(mode, sizeof mode, "%04lo", std::strtoul(TextOf(facts, "mode").c_str(), nullptr, 8) & 0777u);
    const auto set = target.Post(SandboxPath(to.sandbox, "/files/chmod"), {{"path", to.path}, {"mode", mode}});
    if (!set) status = set.error();
  }
  if (!status && is_new) TakeBack(to, copy);
  return status;
}

Status CopyTreeOut(Link& link, const Place& from, const std::string& to, const TreeCopy& copy) {
  std::string path = to;
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  std::error_code ignored;
  const bool is_new = !std::filesystem::exists(std::filesystem::symlink_status(path, ignored));
  if (!is_new && !std::filesystem::is_directory(path, ignored)) return Error(Code::kNotDirectory, Harmless(path) + ": is no directory");
  PADDOCK_ASSIGN(const json::object facts, StatInside(link, {from.sandbox, from.path + "/"}));
  PADDOCK_ASSIGN(const auto response, link.Send({.method = "GET", .target = ArchivePath(from)}));
  const std::string parent = is_new ? vfs::DirectoryName(path) : path;
  PADDOCK_ASSIGN(HostTree tree, HostTree::Open(parent, vfs::HostAccess::kReadWrite));
  const uint32_t mask = 0777u & ~Umask();
  const std::string draft = ".paddock-" + NewId("");
  const std::string root = is_new ? "/" + draft : "/";
  if (is_new) PADDOCK_TRY(tree.view->MakeDirectory(root, 0700));
  Progress progress(copy.is_quiet, std::nullopt);
  AnswerSource source(*response, progress);
  const auto unpack = [&]() -> Status {
    const auto unpacked = api::Unpack(source, *tree.view, root, {.bytes = kMostBytes, .entries = kMostEntries, .mode_mask = mask, .draft = draft + "-file"});
    if (!unpacked) return source.failure() ? Status(unpacked.error()) : source.failure();
    while (true) {   // up to its end: an answer that is cut is not whole
      PADDOCK_ASSIGN(const Block block, source.ReadBlock(1 << 16));
      if (block.bytes.empty()) break;
    }
    if (unpacked->skipped > 0) std::fprintf(stderr, "paddock cp: %llu left out: devices, FIFOs and the like\n", static_cast<unsigned long long>(unpacked->skipped));
    if (!is_new) return {};
    PADDOCK_TRY(tree.view->SetMode(root, static_cast<uint32_t>(std::strtoul(TextOf(facts, "mode").c_str(), nullptr, 8)) & mask));
    const Status renamed = tree.view->Rename(root, "/" + vfs::BaseName(path), true);
    return renamed ? Status() : Status(Error(renamed.error().code, Harmless(path) + ": " + std::string(renamed.error().Text())));
  };
  const Status status = unpack();
  if (!status && is_new) {
    const Descriptor above(open(parent.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    static_cast<void>(overlay::RemoveTree(above.get(), draft));
  }
  return status;
}

Status WriteArchive(Link& link, const Place& from) {
  if (isatty(STDOUT_FILENO) == 1) return Error(Code::kInvalid, "a directory is written to stdout as a tar archive, and that is a terminal");
  PADDOCK_ASSIGN(const auto response, link.Send({.method = "GET", .target = ArchivePath(from)}));
  std::vector<char> buffer(256 << 10);
  while (true) {
    PADDOCK_ASSIGN(const size_t got, response->Read(buffer));
    if (got == 0) return {};
    for (size_t done = 0; done < got;) {
      const ssize_t wrote = write(STDOUT_FILENO, buffer.data() + done, got - done);
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote < 0) return Error(static_cast<Code>(errno));
      done += static_cast<size_t>(wrote);
    }
  }
}

}  // namespace paddock::cli
