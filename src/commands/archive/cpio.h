// What the parts of cpio share: the options, a file of an archive, and the three ways to copy.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codec/tar.h"
#include "commands/archive/packed_file.h"
#include "commands/user_names.h"
#include "proc/command.h"

namespace paddock::cpio {

enum class Form { kUnknown, kBinary, kOdc, kNewc, kCrc, kTar, kUstar };

struct Options {
  char mode = 0;
  Form form = Form::kUnknown;
  uint64_t block = 512;
  bool lists = false, is_local = false, quiet = false, verbose = false, dots = false, inverts = false, numeric = false, to_stdout = false, only_verifies = false, appends = false;
  bool ignores_device = false, renumbers = false, links = false, no_absolute = false, is_null = false, resets_access = false, follows = false, makes_directories = false;
  bool keeps_time = false, no_owner = false, unconditional = false, shows_usage = false, renames = false, sparse = false, swaps_bytes = false, swaps_halves = false;
  std::string directory, owner, archive, input, output, pattern_file;
  std::string message;   // for the end of a volume, of which there is one
};

struct Entry {
  std::string name, link;    // link: where a symlink goes, or (tar) what a hard link is to
  uint32_t mode = 0;         // with the type, as in st_mode
  uint64_t inode = 0, uid = 0, gid = 0, links = 1, size = 0, major = 0, minor = 0, special_major = 0, special_minor = 0;
  int64_t time = 0;
  uint32_t sum = 0;
  bool is_hard_link = false;   // of a tar archive

  uint32_t type() const { return mode & 0170000; }
  bool is_directory() const { return type() == 0040000; }
  bool is_file() const { return type() == 0100000; }
  bool is_symlink() const { return type() == 0120000; }
};

class Context {
 public:
  Context(Invocation& invocation, const Options& options) : in(invocation), o(options), names(invocation.fs, invocation.budget) {}
  Invocation& in;
  const Options& o;
  UserNames names;
  ExitStatus status = 0;

  void Fail(const std::string& message);
  void Warn(const std::string& message);
  // With the hint at the help.
  ExitStatus Usage(const std::string& message);
  // The hint at --help alone, after a complaint.
  ExitStatus Hint(ExitStatus usage_status);
  // "cpio: NAME: WHAT: reason".
  void Fail(const std::string& name, const std::string& what, const Error& error) { Fail(name + ": " + what + ": " + std::string(error.Text())); }
  // "3 blocks", unless --quiet.
  void TellBlocks(uint64_t bytes);
  std::string Path(const std::string& name) const { return o.directory.empty() ? name : vfs::JoinPath(o.directory, name); }
  // Shows a name, or a dot.
  void Show(const std::string& name);
  void EndDots();
  // What -R says; false after a complaint.
  bool ParseOwner();
  std::optional<uint32_t> user, group;
};

// Reads an archive of any form, header by header.
class Reader {
 public:
  Reader(Context& context, InputSource& source) : c_(context), source_(source) {}
  // Nothing at the end. Errors: kCorrupt with cpio's words, those of the input.
  Result<std::optional<Entry>> Next();
  // The content of the last entry, to `sink` (null: skipped); `sum` gets the sum of its bytes.
  Status Content(ByteSink* sink, uint32_t* sum = nullptr);
  uint64_t bytes() const;
  Form form() const { return form_; }

 private:
  Result<std::string> Take(uint64_t count);
  Status Pass(uint64_t count, ByteSink* sink, uint32_t* sum);
  Status Find();
  Result<std::optional<Entry>> NextTar();
  Status ReadText(Entry& entry);
  Status ReadBinary(Entry& entry);
  Status ReadNew(Entry& entry);

  Context& c_;
  InputSource& source_;
  Form form_ = Form::kUnknown;
  bool is_swapped_ = false;
  uint64_t left_ = 0, padding_ = 0, taken_ = 0;
  std::optional<codec::TarReader> tar_;
};

// The header of an entry, with what follows its name; kRange for what the form has no room for.
Result<std::string> EncodeHeader(const Entry& entry, Form form);
// How many zeros follow a content of `size`.
uint64_t PaddingAfter(uint64_t size, Form form);
// The entry of a file.
Entry EntryOf(const std::string& name, const vfs::Attributes& attributes);
// The line of -tv.
std::string ListLine(Context& context, const Entry& entry);

// The names of standard input.
class NameList {
 public:
  explicit NameList(Context& context) : c_(context) {}
  std::optional<std::string> Next();

 private:
  Context& c_;
};

ExitStatus CopyIn(Context& context, const std::vector<std::string>& patterns);
ExitStatus CopyOut(Context& context);
ExitStatus CopyPass(Context& context, const std::string& directory);

}  // namespace paddock::cpio
