#include "drivers/docker/plain/plain_open_file.h"

#include <algorithm>

#include "drivers/docker/plain/file_script.h"
#include "drivers/docker/plain/shell_text.h"

namespace paddock::docker {
namespace {

constexpr size_t kMostRead = 1 << 20;        // at a time
constexpr size_t kMostInScript = 64 << 10;   // bytes that are written by a script; more of them by a program's stdin
constexpr size_t kMostFed = 64 << 20;        // at a time
constexpr int kReplaced = 210;               // exit status

Result<std::string> Told(Result<ShellChannel::Answer> answer) {
  if (answer && answer->status == kReplaced) return Error(Code::kIo, "the file was removed or replaced while it was open, and without the agent it is then lost");
  return Understand(std::move(answer));
}

}  // namespace

PlainOpenFile::PlainOpenFile(std::shared_ptr<Inside> inside, std::string path, const vfs::OpenFlags& flags, const vfs::Attributes& attributes)
    : inside_(std::move(inside)), path_(std::move(path)), quoted_(Quoted(path_)), flags_(flags), type_(attributes.type), identity_(IdentityOf(attributes)) {}

std::string PlainOpenFile::SameFile() const {
  return "[ \"$(stat -L -c %d:%i " + quoted_ + " 2>/dev/null)\" = " + identity_ + " ] || exit " + std::to_string(kReplaced) + "\n";
}

Result<Block> PlainOpenFile::ReadBlock(size_t max) {
  if (type_ == vfs::FileType::kDirectory) return Code::kIsDirectory;
  if (!flags_.read) return Code::kBadDescriptor;
  if (max == 0) return Block{};
  const std::lock_guard lock(mutex_);
  const std::string count = std::to_string(std::min(max, kMostRead));
  // Neither reads: the shell's own descriptor is moved.
  const std::string seek = is_regular() && offset_ > 0 ? "dd bs=1 skip=" + std::to_string(offset_) + " count=0 2>/dev/null; " : "";
  PADDOCK_ASSIGN(std::string bytes, Told(inside_->Ask(SameFile() + "{ " + seek + "head -c " + count + "; } < " + quoted_, kMostRead)));
  offset_ += bytes.size();
  const auto keep = std::make_shared<const std::string>(std::move(bytes));
  return Block{keep, *keep};
}

void PlainOpenFile::GiveBack(size_t count) {
  const std::lock_guard lock(mutex_);
  if (is_regular()) offset_ -= std::min<uint64_t>(count, offset_);
}

Status PlainOpenFile::Write(std::string_view bytes) {
  if (!flags_.write) return Code::kBadDescriptor;
  const std::lock_guard lock(mutex_);
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, kMostFed);
    PADDOCK_TRY(WritePiece(piece));
    bytes.remove_prefix(piece.size());
  }
  return {};
}

Status PlainOpenFile::WritePiece(std::string_view bytes) {
  const bool is_small = bytes.size() <= kMostInScript;
  const std::string what = is_small ? "printf " + PrintfFormat(bytes) : "cat";
  std::string script = SameFile();
  if (!is_regular() || flags_.append) script += what + " >> " + quoted_;
  else if (offset_ == 0) script += what + " 1<> " + quoted_;
  else script += "{ dd bs=1 seek=" + std::to_string(offset_) + " count=0 conv=notrunc 2>/dev/null; " + what + "; } 1<> " + quoted_;
  if (is_small) PADDOCK_TRY(Told(inside_->Ask(script)));
  else PADDOCK_TRY(Told(inside_->Feed("( " + script + "\n)\nr=$?\ncat > /dev/null\nexit $r", bytes)));   // input that nobody reads would be waited for
  if (!is_regular()) return {};
  if (flags_.append) {
    PADDOCK_ASSIGN(const vfs::Attributes now, GetAttributes());
    offset_ = now.size;
  } else {
    offset_ += bytes.size();
  }
  return {};
}

Result<uint64_t> PlainOpenFile::Seek(int64_t offset, vfs::Whence whence) {
  const std::lock_guard lock(mutex_);
  uint64_t base = 0;
  if (whence == vfs::Whence::kCurrent) base = offset_;
  if (whence == vfs::Whence::kEnd) {
    PADDOCK_ASSIGN(const vfs::Attributes now, GetAttributes());
    base = now.size;
  }
  if (base > INT64_MAX) return Code::kOverflow;
  int64_t target = 0;
  if (__builtin_add_overflow(static_cast<int64_t>(base), offset, &target) || target < 0) return Code::kInvalid;
  offset_ = static_cast<uint64_t>(target);
  return offset_;
}

Result<vfs::Attributes> PlainOpenFile::GetAttributes() const {
  PADDOCK_ASSIGN(const std::string said, Told(inside_->Ask(SameFile() + StatCommand(quoted_, true))));
  return ParseAttributes(said);
}

Status PlainOpenFile::Truncate(uint64_t size) {
  if (!flags_.write || !is_regular()) return Code::kInvalid;
  PADDOCK_TRY(Told(inside_->Ask(SameFile() + "truncate -c -s " + std::to_string(size) + " " + quoted_)));
  return {};
}

}  // namespace paddock::docker
