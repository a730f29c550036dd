// 7z: what it is asked for, archives of any format as it sees them, and the two ways to use them. For 7z*.cc alone.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "codec/seven_zip.h"
#include "commands/archive/zip_file.h"
#include "proc/command.h"
#include "text/date/time_format.h"

namespace paddock::seven_zip {

inline constexpr ExitStatus kWarning = 1, kFatal = 2, kBadUsage = 7, kBreak = 255;

enum class Clash { kAsk, kReplace, kSkip, kRenameNew, kRenameOld };

struct Wildcard {
  std::vector<std::string> parts;
  bool is_recursive = false;
};

struct Options {
  std::string command;
  Clash clash = Clash::kAsk;
  bool is_bare = false, is_technical = false, to_stdout = false, is_recursive = false;
  int log = 0;
  char messages = '1', errors = '2';       // descriptors of -bso and -bse; '0': nowhere
  std::string directory, archive;
  std::vector<Wildcard> wanted, unwanted;
  std::string type;                        // of -t; empty: by the archive
  std::optional<std::string> password;
  // For writing.
  std::vector<std::string> operands;
  codec::SevenZipMethod method;
  bool is_solid = true, hides_names = false, deletes_sources = false;
  std::optional<std::string> stdin_name;   // of -si
  std::optional<std::string> work;         // where the unfinished archive is, of -w
  std::string actions;                     // of -u: letters with digits behind them; a state that is not there has the command's own
  std::vector<uint64_t> volumes;           // sizes, of -v; the last one is that of all further volumes
};

std::vector<std::string> Parts(std::string_view path);
// True for what the pattern names and for all that is below it.
bool Matches(const Wildcard& wildcard, const std::vector<std::string>& path, Budget& budget);
std::string SizeText(uint64_t size);

// An archive of any format as 7z shows it. A format without blocks has one for each item.
struct Packed {
  std::string type;
  codec::SevenZipArchive archive;
  std::string facts;                  // lines of the listing behind its type
  std::string volume_facts;           // of volumes, which stand in front of the archive in the listing
  uint64_t volumes = 0, volumes_size = 0;
  bool has_sizes = true;              // known before all is unpacked
  bool is_open_ended = false;         // one item, whose size is known at its end
  vfs::OpenFilePtr file;
  codec::SevenZipReadAt read;
  std::unique_ptr<ZipFile> zip;
  std::function<Result<std::unique_ptr<ByteSource>>(size_t folder)> open;
};

// Opens a file, and all the files of a set of volumes when the name is that of the first one (….001).
struct Volumes {
  vfs::OpenFilePtr file;
  uint64_t count = 0;                 // 0: no volumes
  uint64_t first_size = 0;
};
Result<Volumes> OpenVolumes(vfs::FileSystem& fs, const std::string& path, Budget& budget);
// Cuts `draft` into PATH.001 and so on, and takes it away; how many there are.
Result<uint64_t> CutVolumes(vfs::FileSystem& fs, const std::string& draft, const std::string& path, const std::vector<uint64_t>& sizes, Budget& budget);

// The archive and its size. Errors: those of the file, kSyntax (no archive), kCorrupt, kNotSupported.
Result<std::unique_ptr<Packed>> OpenPacked(Invocation& in, const Options& options, const TimeZone& zone);
// By -t or by the end of the name: 7z, zip, tar, gzip, bzip2, xz.
std::string TypeByName(const Options& options);

// Where messages go that -bso or -bse sends to `stream`, and whether they go anywhere.
inline Output& StreamOf(Invocation& in, char stream) { return stream == '2' ? in.err : in.out; }
inline void TellError(Invocation& in, const Options& options, std::string_view text) {
  in.out.Flush();
  if (options.errors != '0') StreamOf(in, options.errors).Write(text);
}

ExitStatus Read(Invocation& in, Options& options);
ExitStatus Write(Invocation& in, Options& options);

}  // namespace paddock::seven_zip
