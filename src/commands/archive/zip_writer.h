// Writes a zip archive member by member, to a file or to a stream.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "commands/archive/zip_file.h"
#include "proc/command.h"

namespace paddock {

struct ZipMemberOptions {
  int level = 6;
  uint16_t method = codec::kZipDeflated;
  std::optional<std::string> password;
  int line_ends = 0;           // 1: LF becomes CR LF, 2: the other way
  std::string local_extra;
};

class ZipWriter {
 public:
  // `file` is where the archive goes if it can seek; else `out` is.
  ZipWriter(Invocation& in, vfs::OpenFilePtr file, ByteSink* out) : in_(in), file_(std::move(file)), out_(out) {}

  // What went wrong with reading, or with writing.
  struct Outcome {
    Status read, written;
  };
  // Compresses `source`; fills in the sizes, the sum and how it is stored.
  Outcome Add(codec::ZipEntry& entry, ByteSource& source, const ZipMemberOptions& options);
  // Takes a member of another archive as it is.
  Status Copy(ZipFile& from, codec::ZipEntry entry);
  // The same under another name, which is in the local header, too.
  Status CopyRenamed(ZipFile& from, codec::ZipEntry entry, const std::string& name);
  // Takes what stands in front of the members of another archive, such as a program that extracts them.
  Status CopyLead(ZipFile& from);
  Status Finish(std::string_view comment);
  const std::vector<codec::ZipEntry>& entries() const { return entries_; }
  void SetComment(size_t index, std::string comment) { entries_[index].comment = std::move(comment); }

 private:
  Status CopyBytes(ZipFile& from, uint64_t start, uint64_t size);
  Status Write(std::string_view bytes);
  Status GoTo(uint64_t place);
  Outcome AddSmall(codec::ZipEntry& entry, std::string content, const ZipMemberOptions& options);
  Outcome AddStream(codec::ZipEntry& entry, const std::string& head, ByteSource& rest, const ZipMemberOptions& options);
  std::string CipherHead(const codec::ZipEntry& entry, codec::ZipCipher& cipher);

  Invocation& in_;
  vfs::OpenFilePtr file_;
  ByteSink* out_;
  uint64_t at_ = 0;
  std::vector<codec::ZipEntry> entries_;
};

}  // namespace paddock
