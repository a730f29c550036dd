#include "commands/archive/packed_file.h"

#include <algorithm>

namespace paddock {

Result<Block> InputSource::ReadBlock(size_t max) {
  if (ahead_taken_ < ahead_.size()) {
    const std::string_view bytes = std::string_view(ahead_).substr(ahead_taken_, max);
    ahead_taken_ += bytes.size();
    taken_ += bytes.size();
    return Block{nullptr, bytes};
  }
  const std::string_view bytes = input_.Peek().substr(0, max);
  if (bytes.empty() && !input_.status()) return input_.status().error();
  input_.Consume(bytes.size());
  taken_ += bytes.size();
  return Block{nullptr, bytes};
}

Result<std::string_view> InputSource::Look(size_t count) {
  if (ahead_taken_ > 0) ahead_.erase(0, std::exchange(ahead_taken_, 0));
  while (ahead_.size() < count) {
    const std::string_view bytes = input_.Peek();
    if (bytes.empty() && !input_.status()) return input_.status().error();
    if (bytes.empty()) break;
    const std::string_view part = bytes.substr(0, count - ahead_.size());
    ahead_ += part;
    input_.Consume(part.size());
  }
  return std::string_view(ahead_);
}

Result<NewFile> NewFile::Create(Invocation& in, const std::string& path, bool replaces) {
  if (replaces) {
    const Status removed = in.fs.RemoveFile(path);
    if (!removed && removed.error().code != Code::kNoEntry) return removed.error();
  }
  PADDOCK_ASSIGN(vfs::OpenFilePtr file, in.fs.Open(path, {.write = true, .create = true, .exclusive = true}, 0600));
  return NewFile(in, path, std::move(file));
}

NewFile::NewFile(NewFile&& other) noexcept : in_(other.in_), path_(std::exchange(other.path_, {})), file_(std::move(other.file_)) {}

NewFile::~NewFile() {
  if (!path_.empty()) static_cast<void>(in_->fs.RemoveFile(path_));
}

void NewFile::Keep(const vfs::Attributes& from, std::optional<Nanoseconds> modified) {
  file_.reset();
  // What the user may not change stays as it is, as with the real tools.
  if (in_->fs.credentials().uid == 0) static_cast<void>(in_->fs.SetOwner(path_, from.uid, from.gid));
  else static_cast<void>(in_->fs.SetOwner(path_, std::nullopt, from.gid));
  static_cast<void>(in_->fs.SetMode(path_, from.mode & 0777));
  static_cast<void>(in_->fs.SetTimes(path_, from.access_time, modified.value_or(from.modify_time)));
  path_.clear();
}

CopyResult CopyStream(Budget& budget, ByteSource& from, ByteSink& to) {
  CopyResult result;
  while (true) {
    auto block = from.ReadBlock(128 << 10);
    if (!block) {
      result.status = block.error();
      return result;
    }
    if (block->bytes.empty()) return result;
    budget.Step(static_cast<int64_t>(block->bytes.size() / 256 + 1));
    result.bytes += block->bytes.size();
    result.status = to.Write(block->bytes);
    if (!result.status) {
      result.is_output = true;
      return result;
    }
  }
}

}  // namespace paddock
