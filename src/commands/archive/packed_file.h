// What gzip, bzip2, xz and zstd do alike: read one file through a coder into another that takes its place.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/output_sink.h"
#include "codec/coder.h"
#include "commands/input_files.h"
#include "proc/command.h"

namespace paddock {

// The command's buffered standard input, or an opened file, as a source.
class InputSource final : public ByteSource {
 public:
  explicit InputSource(Input& input) : input_(input) {}
  Result<Block> ReadBlock(size_t max) override;
  void GiveBack(size_t) override {}
  // The first bytes, without taking them; may be fewer than `count` only at the end.
  Result<std::string_view> Look(size_t count);
  uint64_t taken() const { return taken_; }

 private:
  Input& input_;
  std::string ahead_;       // looked at, not taken
  size_t ahead_taken_ = 0;
  uint64_t taken_ = 0;
};

// A sink that only counts: what --test writes to.
class NullSink final : public ByteSink {
 public:
  Status Write(std::string_view) override { return {}; }
};

// A file at work that is taken away again unless Keep() is called.
class NewFile {
 public:
  // Fails with kExists for a file that is there, unless `replaces`, which takes it away first.
  static Result<NewFile> Create(Invocation& in, const std::string& path, bool replaces);
  NewFile(NewFile&& other) noexcept;
  NewFile& operator=(NewFile&&) = delete;
  ~NewFile();
  ByteSink& sink() { return *file_; }
  // Gives it what `from` had: owner, mode and times; `modified` instead of its time of change if given.
  void Keep(const vfs::Attributes& from, std::optional<Nanoseconds> modified = {});

 private:
  NewFile(Invocation& in, std::string path, vfs::OpenFilePtr file) : in_(&in), path_(std::move(path)), file_(std::move(file)) {}
  Invocation* in_;
  std::string path_;
  vfs::OpenFilePtr file_;
};

// Copies all of `from`; what went wrong on the way out has is_output set.
struct CopyResult {
  Status status;
  bool is_output = false;
  uint64_t bytes = 0;
};
CopyResult CopyStream(Budget& budget, ByteSource& from, ByteSink& to);

}  // namespace paddock
