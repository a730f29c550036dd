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
#include "text/time_format.h"

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
  bool has_sizes = true;              // known before all is unpacked
  bool is_open_ended = false;         // one item, whose size is known at its end
  vfs::OpenFilePtr file;
  codec::SevenZipReadAt read;
  std::unique_ptr<ZipFile> zip;
  std::function<Result<std::unique_ptr<ByteSource>>(size_t folder)> open;
};

// The archive and its size. Errors: those of the file, kSyntax (no archive), kCorrupt, kNotSupported.
Result<std::unique_ptr<Packed>> OpenPacked(Invocation& in, const Options& options, const TimeZone& zone);
// By -t or by the end of the name: 7z, zip, tar, gzip, bzip2, xz.
std::string TypeByName(const Options& options);

ExitStatus Read(Invocation& in, Options& options);
ExitStatus Write(Invocation& in, Options& options);

}  // namespace paddock::seven_zip
