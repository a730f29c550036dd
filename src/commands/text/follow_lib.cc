#include <algorithm>

#include "commands/text/follow.h"
#include "proc/kernel.h"
#include "proc/process.h"
#include "text/quote.h"

namespace paddock {
namespace {

using namespace std::chrono_literals;

class Follower {
 public:
  Follower(Invocation& in, const FollowRules& rules, std::vector<FollowedFile>& files, HeaderWriter& headers)
      : in_(in), rules_(rules), files_(files), headers_(headers) {}

  bool Run() {
    Nanoseconds pause = kShortestPause;
    for (FollowedFile& file : files_) file.is_given_up |= file.file == nullptr && !rules_.retry;
    while (true) {
      const bool is_last = rules_.pid != 0 && !in_.kernel.Signal(in_.process, rules_.pid, 0);
      bool has_news = false;
      for (FollowedFile& file : files_) has_news |= Look(file);
      // An empty write notices that the reader of a pipe has gone.
      if (!in_.out.Flush()) return true;
      if (const Status open = in_.process.Write(1, {}); !open) {
        if (open.error().code != Code::kBadDescriptor) return true;
        in_.Fail("standard output", open.error());
        return false;
      }
      // One that lost its name is looked for, but not waited for alone.
      if (std::all_of(files_.begin(), files_.end(), [this](const FollowedFile& f) {
            return f.is_given_up || (f.file == nullptr && !rules_.retry);
          })) {
        in_.Fail("no files remaining");
        return false;
      }
      if (is_last && !has_news) return true;
      pause = has_news ? kShortestPause : std::min(pause * 2, LongestPause());
      in_.budget.Step();
      (void)in_.kernel.Sleep(in_.process, in_.clock.MonotonicNow() + pause);
    }
  }

 private:
  static constexpr Nanoseconds kShortestPause = 1ms;

  Nanoseconds LongestPause() const {
    const double seconds = std::min(rules_.seconds, 0.05);
    return std::max<Nanoseconds>(kShortestPause, Nanoseconds(static_cast<int64_t>(seconds * 1e9)));
  }

  // Brings one file up to date; true when it had something new.
  bool Look(FollowedFile& file) {
    if (file.is_given_up) return false;
    bool has_news = false;
    if (!file.is_stdin && (rules_.by_name || file.file == nullptr)) has_news = Recheck(file);
    if (file.file == nullptr) return has_news;
    auto attributes = file.file->GetAttributes();
    if (!attributes) return has_news;
    if (attributes->is_file()) {
      if (attributes->size == file.offset) return has_news;
      if (attributes->size < file.offset) {
        in_.Fail(QuoteSubject(file.display_name, in_.locale.is_utf8) + ": file truncated");
        file.offset = 0;
      }
      if (!file.file->Seek(static_cast<int64_t>(file.offset), vfs::Whence::kStart)) return has_news;
    } else if (!file.file->IsReadReady()) {
      return has_news;
    }
    return Copy(file, attributes->is_file() ? attributes->size : ~uint64_t{0}) || has_news;
  }

  bool Copy(FollowedFile& file, uint64_t end) {
    bool has_copied = false;
    while (file.offset < end && in_.out.status()) {
      auto block = file.file->ReadBlock(64 << 10);
      if (!block || block->bytes.empty()) break;
      headers_.Switch(in_.out, file.display_name);
      in_.out.Write(block->bytes);
      in_.budget.Step(static_cast<int64_t>(block->bytes.size() / 64) + 1);
      file.offset += block->bytes.size();
      has_copied = true;
      if (end == ~uint64_t{0} && !file.file->IsReadReady()) break;
    }
    return has_copied;
  }

  // Looks at what has the name now; true when another file is followed from here on.
  bool Recheck(FollowedFile& file) {
    const std::string quoted = QuoteFile(file.name, in_.locale.is_utf8);
    auto found = in_.fs.Stat(file.name);
    if (found && file.file != nullptr && found->device == file.device && found->inode == file.inode) return false;
    Result<vfs::OpenFilePtr> opened =
        found ? in_.fs.Open(file.name, vfs::OpenFlags::Read()) : Result<vfs::OpenFilePtr>(found.error());
    if (!opened) {
      Lose(file, opened.error(), quoted);
      return false;
    }
    if (found->is_directory()) {
      const bool gives_up = !rules_.retry || !rules_.by_name;
      if (file.reason != Code::kIsDirectory) {
        in_.Fail(quoted + " has been replaced with an untailable file" + (gives_up ? "; giving up on this name" : ""));
      }
      file.file = nullptr;
      file.reason = Code::kIsDirectory;
      file.is_given_up = gives_up;
      return false;
    }
    in_.Fail(quoted + (file.reason == Code::kIsDirectory ? " has become accessible"
                       : file.file == nullptr            ? " has appeared;  following new file"
                                            : " has been replaced;  following new file"));
    file.file = *opened;
    file.reason = Code::kOk;
    file.offset = 0;
    file.device = found->device;
    file.inode = found->inode;
    return true;
  }

  void Lose(FollowedFile& file, const Error& error, const std::string& quoted) {
    if (!rules_.retry && (file.file != nullptr || file.reason != error.code)) {
      in_.Fail(QuoteSubject(file.name, in_.locale.is_utf8), error);
      file.is_given_up = file.file == nullptr;
    } else if (file.file != nullptr) {
      in_.Fail(quoted + " has become inaccessible", error);
    } else if (file.reason != error.code && file.reason != Code::kIsDirectory) {   // what could not be followed is not missed
      in_.Fail(QuoteSubject(file.name, in_.locale.is_utf8), error);
    }
    file.file = nullptr;
    file.reason = error.code;
  }

  Invocation& in_;
  const FollowRules& rules_;
  std::vector<FollowedFile>& files_;
  HeaderWriter& headers_;
};

}  // namespace

void HeaderWriter::Switch(Output& out, std::string_view name) {
  if (is_enabled_ && current_ != name) Write(out, name);
}

void HeaderWriter::Write(Output& out, std::string_view name) {
  if (!is_enabled_) return;
  out.Write(is_first_ ? "==> " : "\n==> ");
  out.Write(name);
  out.Write(" <==\n");
  is_first_ = false;
  current_ = name;
}

FollowedFile FollowedFile::Missing(const std::string& name) {
  FollowedFile missing;
  missing.name = missing.display_name = name;
  return missing;
}

FollowedFile FollowedFile::Opened(InputFile file) {
  FollowedFile opened;
  opened.name = file.name();
  opened.display_name = file.display_name();
  opened.is_stdin = file.is_stdin();
  opened.file = file.shared_file();
  file.input().Finish();
  if (opened.file == nullptr) return opened;
  if (auto attributes = opened.file->GetAttributes()) {
    opened.device = attributes->device;
    opened.inode = attributes->inode;
  }
  if (auto offset = opened.file->Seek(0, vfs::Whence::kCurrent)) opened.offset = *offset;
  return opened;
}

bool FollowFiles(Invocation& in, const FollowRules& rules, std::vector<FollowedFile>& files,
                 HeaderWriter& headers) {
  return Follower(in, rules, files, headers).Run();
}

}  // namespace paddock
