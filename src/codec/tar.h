// tar archives, header by header: v7, ustar, GNU's and pax's, sparse files in all forms. Takes hostile bytes.
//
// Unlike store/trees, which wants a whole tree or none, it goes on behind what is damaged and keeps all that a header says, because that is
// what `tar` shows.
//
// Source: POSIX pax, "ustar Interchange Format" and "pax Interchange Format"; GNU tar's manual, "Tar Internals".
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/stream.h"

namespace paddock {
class Budget;
}

namespace paddock::codec {

inline constexpr size_t kTarBlock = 512;

enum class TarFormat { kV7, kOldGnu, kGnu, kUstar, kPax };
// How pax archives tell where the holes of a file are: records for each part, one record, a text in front of the content.
enum class TarSparseForm { k00, k01, k10 };

struct TarExtent {
  uint64_t offset = 0;
  uint64_t length = 0;
};

// A file of an archive. Strings are bytes without NUL.
struct TarMember {
  std::string name;
  char type = '0';      // as in the header: 0 1 2 3 4 5 6 7 and GNU's D M S V; NUL is read as 0
  uint32_t mode = 0;
  uint64_t uid = 0, gid = 0;
  uint64_t size = 0;    // of the file, holes too
  uint64_t stored = 0;  // bytes behind the header, without padding
  int64_t modified = 0; // seconds since 1970
  int32_t modified_nanos = 0;
  std::optional<Nanoseconds> accessed, changed;   // pax only
  std::string link;
  std::string user, group;
  uint64_t major = 0, minor = 0;
  bool is_sparse = false;
  std::vector<TarExtent> extents;
  TarFormat format = TarFormat::kGnu;
  uint64_t continued_at = 0;          // type M: where in the file this part begins
  std::optional<std::string> names;   // pax only: what a directory of an incremental archive held (GNU.dumpdir)
};

class TarReader {
 public:
  // Both outlive it.
  TarReader(ByteSource& in, Budget& budget) : in_(in), budget_(budget) {}

  enum class Found {
    kMember,
    kZeros,   // a block of zeros: the end, usually
    kBad,     // no header, or a damaged one
    kEnd,     // of the input
  };
  // Skips what was not read of the member before. Errors: kCorrupt (the input ends within a member), those of the input.
  Result<Found> Next(TarMember& member);
  // The content of the last member, in order: `data` for bytes, `hole` for how many zeros.
  Status ReadContent(const std::function<Status(std::string_view)>& data, const std::function<Status(uint64_t)>& hole);
  // The same bytes as they are stored, without holes, instead.
  Status CopyStored(const std::function<Status(std::string_view)>& data) { return ReadBytes(std::exchange(data_left_, 0), data); }
  Status Skip();

  // A volume label in a pax archive's global header comes as a member of type V, as it does in GNU archives.
  void TellLabels() { tells_labels_ = true; }

  // The last member that has content behind its header, and how much of what is stored was not taken yet.
  const std::string& content_name() const { return content_name_; }
  uint64_t content_total() const { return content_total_; }
  uint64_t content_left() const { return content_end_ > taken_ ? content_end_ - taken_ : 0; }
  // Blocks taken up to here, and where the header of the last member (with what stands in front of it) began.
  uint64_t block() const { return taken_ / kTarBlock; }
  uint64_t member_block() const { return member_block_; }
  uint64_t bytes_taken() const { return taken_; }
  // All blocks of the last member's header as they stand there.
  const std::string& raw_header() const { return raw_; }
  // What is wrong with a header that was taken nevertheless, in tar's words; emptied.
  std::vector<std::string> TakeComplaints() { return std::exchange(complaints_, {}); }

 private:
  using Records = std::map<std::string, std::string, std::less<>>;

  Result<bool> ReadBlock(char* block);
  Status ReadBytes(uint64_t count, const std::function<Status(std::string_view)>& visit);
  Result<std::string> ReadText(uint64_t size);
  Status SkipPadding();
  Status Fill();
  void ParsePax(std::string_view text, Records& records);
  void ParseHeader(const char* block, TarMember& member);
  void ApplyPax(const Records& records, TarMember& member);
  Status ReadOldSparse(const char* block, TarMember& member);
  Status ReadPaxSparse(const Records& records, TarMember& member);
  Status ReadSparseMap(TarMember& member);
  void CheckExtents(TarMember& member);
  std::optional<uint64_t> Number(const char* block, size_t at, size_t size, const char* what);

  ByteSource& in_;
  Budget& budget_;
  Block block_;
  uint64_t taken_ = 0, member_block_ = 0;
  uint64_t data_left_ = 0, padding_ = 0;
  bool is_sparse_ = false;
  std::vector<TarExtent> extents_;
  uint64_t size_ = 0;
  Records global_;
  std::string content_name_;
  uint64_t content_total_ = 0, content_end_ = 0;
  bool tells_labels_ = false;
  std::string raw_;
  std::vector<std::string> complaints_;
};

// The header blocks of a member, with those that hold what has no room in the last one. Errors: kNameTooLong and kOverflow with tar's reason.
struct TarHeaderOptions {
  TarFormat format = TarFormat::kGnu;
  std::vector<std::pair<std::string, std::string>> pax_records;   // further ones, in order
  std::vector<std::string> pax_without;                            // keywords that are left out
  std::string pax_name;                                            // of the extended header; empty: DIRECTORY/PaxHeaders/FILE
  TarSparseForm sparse_form = TarSparseForm::k10;                  // of pax archives; the map of form 1.0 counts in the member's `stored`
  int pid = 0;                                                     // in the names of sparse files
  bool has_devices = true;                                         // fields of them, if only zeros, where the format has some
};
Result<std::string> EncodeTarHeader(const TarMember& member, const TarHeaderOptions& options);

// The text that stands in front of a sparse file's content in form 1.0, padded to a block.
std::string TarSparseMap(const std::vector<TarExtent>& extents);
// The block that labels a volume of a GNU archive, and the one which says that a file goes on in it: `left` bytes, from `offset` on.
std::string EncodeTarLabel(std::string_view label, int64_t time);
std::string EncodeTarContinuation(std::string_view name, uint64_t left, uint64_t offset);
// A global pax header.
std::string EncodeTarGlobal(const std::string& name, int64_t time, const std::vector<std::pair<std::string, std::string>>& records);
// The value of a record of a pax header's text; nothing without one.
std::optional<std::string> FindPaxRecord(std::string_view text, std::string_view key);

}  // namespace paddock::codec
