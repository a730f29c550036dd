// 7z a, u, d and rn: finds files, plans what becomes of the archive, and writes it. Inside of 7z alone.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "codec/coder.h"
#include "codec/seven_zip.h"
#include "commands/archive/7z.h"
#include "commands/archive/zip_writer.h"
#include "commands/file_facts.h"

namespace paddock::seven_zip {

using codec::SevenZipItem;

class ArchiveWriter {
 public:
  ArchiveWriter(Invocation& in, Options& options) : in_(in), o_(options), zone_(LocalZone(in.env)), says_(!options.to_stdout && options.messages != '0') {}

  ExitStatus Run();

 private:
  static constexpr uint64_t kTicksTo1970 = 116444736000000000;

  // A file that is to go into the archive.
  struct Found {
    std::string path, name;
    vfs::Attributes attributes;
    std::string link;                   // of a symlink
    bool is_stdin = false, replaces = false;

    uint64_t size() const { return attributes.is_symlink() ? link.size() : attributes.is_directory() ? 0 : attributes.size; }
    bool has_data() const { return is_stdin || size() > 0; }
  };

  struct Kept {
    size_t item;                        // of the old archive
    std::string name;
  };

  class CountingSink final : public ByteSink {
   public:
    explicit CountingSink(ByteSink& to) : to_(to) {}
    Status Write(std::string_view bytes) override {
      count_ += bytes.size();
      return to_.Write(bytes);
    }
    uint64_t count() const { return count_; }

   private:
    ByteSink& to_;
    uint64_t count_ = 0;
  };

  class FileSink final : public ByteSink {
   public:
    explicit FileSink(vfs::OpenFilePtr file) : file_(std::move(file)) {}
    Status Write(std::string_view bytes) override { return file_->Write(bytes); }

   private:
    vfs::OpenFilePtr file_;
  };

  struct Counts {
    uint64_t folders = 0, files = 0, bytes = 0;
    void Add(bool is_directory, uint64_t size) {
      (is_directory ? folders : files) += 1;
      bytes += size;
    }
    bool is_empty() const { return folders + files == 0; }
    std::string Text() const {
      std::string text;
      if (folders > 0) text = std::to_string(folders) + (folders == 1 ? " folder, " : " folders, ");
      return text + std::to_string(files) + (files == 1 ? " file, " : " files, ") + SizeText(bytes);
    }
  };

  void Say(const std::string& text);
  ExitStatus System(const std::string& what);
  ExitStatus Problem(const Error& error);
  static std::string Reason(const Error& error) { return "errno=" + std::to_string(static_cast<int>(error.code)) + " : " + std::string(error.Text()); }
  const SevenZipItem& Old(size_t index) const { return old_->archive.items[index]; }
  ExitStatus OpenOld();
  void FindStdin();

  // Of what there is to add.
  void Scan(bool exists);
  std::string FindPath(const std::string& operand);
  void Take(const std::string& path, const std::string& name, const vfs::Attributes& attributes, int depth);
  void Walk(const std::string& path, const std::string& prefix, int depth);
  std::vector<std::string> NamesIn(const std::string& path);

  // Below the working directory; what a pattern names is taken with all that it holds.
  void FindPatterns(const std::string& prefix, const std::vector<Wildcard>& patterns, int depth);

  // Of what becomes of what is there.
  static uint64_t TicksOf(const vfs::Attributes& attributes) { return static_cast<uint64_t>(attributes.modify_time.count() / 100 + static_cast<int64_t>(kTicksTo1970)); }
  std::string Renamed(const std::string& name) const;
  bool IsDeleted(const SevenZipItem& item);

  // What -u says of a state, else what the command does: '0' drops, '1' keeps what is in the archive, '2' packs the file.
  char ActionOf(char state) const;
  char ActionFor(const SevenZipItem& item, const Found* found);
  void Plan();

  // To the precision that the archive has.
  bool IsNotNewer(const Found& found, const SevenZipItem& item) const;
  bool IsOlder(const Found& found, const SevenZipItem& item) const;

  // Of writing.
  Result<uint64_t> WriteArchive();

  // From a work directory on another mount.
  Status MoveAcross(const std::string& draft);
  void Announce(const Found& found);

  // The content; `crc` and `size` are what was really read.
  Status ReadFound(const Found& found, const std::function<Status(std::string_view)>& take);
  SevenZipItem Describe(const Found& found) const;
  Result<uint64_t> WriteSevenZip(vfs::OpenFile& file, FileSink& sink);

  // Directories, then files without content, in the order of their names.
  void AddEmpty(codec::SevenZipArchive& made);
  Status Pack(FileSink& sink, codec::SevenZipArchive& made, const std::vector<const Found*>& data, std::vector<SevenZipItem>& filled);
  static void FinishFolder(codec::SevenZipArchive& made, codec::SevenZipFolder folder, uint64_t packed, const std::vector<SevenZipItem>& filled, size_t first);

  // Folders of the old archive: as they are when all that is in them stays, packed again when only some does.
  Status KeepOld(FileSink& sink, codec::SevenZipArchive& made, std::vector<SevenZipItem>& filled);
  Status CopyFolder(FileSink& sink, codec::SevenZipArchive& made, codec::SevenZipFolder folder);
  Status PackAgain(FileSink& sink, codec::SevenZipArchive& made, size_t folder, const std::vector<size_t>& members, const std::map<size_t, const Kept*>& stays, const std::vector<SevenZipItem>& filled, size_t first);
  Result<uint64_t> WriteZip(const vfs::OpenFilePtr& file);

  // The name stands in front of the data too, so that it is packed again.
  Status RenameInZip(ZipWriter& writer, codec::ZipEntry entry, const std::string& name);
  Status AddToZip(ZipWriter& writer, const Found& found);
  Result<uint64_t> WriteTar(ByteSink& out);
  Result<uint64_t> WriteAlone(ByteSink& out);
  void DeleteSources();

  // The separator comes before everything.
  static bool IsBefore(const std::string& a, const std::string& b);

  Invocation& in_;
  Options& o_;
  TimeZone zone_;
  bool says_;
  std::string type_;
  std::unique_ptr<Packed> old_;
  std::vector<Found> found_;
  std::set<std::string, std::less<>> names_;
  std::vector<Kept> kept_;
  std::vector<size_t> removed_;
  std::vector<std::pair<std::string, std::string>> missing_;
  std::string stdin_text_;
  uint64_t read_ = 0, cut_ = 0;
};

}  // namespace paddock::seven_zip
