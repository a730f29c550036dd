// What zstd does with files: finds them, packs and unpacks, tests and lists them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "commands/archive/packed_file.h"
#include "commands/archive/zstd_modes.h"
#include "commands/archive/zstd_options.h"
#include "proc/command.h"

namespace paddock::zstd {

class FileWork {
 public:
  FileWork(Invocation& in, Options& options) : in_(in), o_(options) {}

  ExitStatus Run(std::vector<std::string> names);

 private:
  void Say(int level, const std::string& text);
  ExitStatus Stop(const std::string& text);
  void Fail(const std::string& text) { static_cast<void>(Stop(text)); }

  static void AddLines(std::string_view text, std::vector<std::string>& names);
  void DropLinks(std::vector<std::string>& names);
  void Expand(const std::string& name, std::vector<std::string>& files);

  bool ReadDictionary();
  ExitStatus Bench(const std::vector<std::string>& names);
  ExitStatus Train(const std::vector<std::string>& names);
  bool MayAdapt();
  void ClampLevel();
  bool PreparePatch(const std::vector<std::string>& names);

  // Names.
  struct Suffix {
    std::string_view packed, plain;
  };
  static constexpr Suffix kSuffixes[] = {{".zst", ""}, {".tzst", ".tar"}, {".gz", ""}, {".tgz", ".tar"}, {".lzma", ""}, {".xz", ""}, {".txz", ".tar"}, {".lz4", ""}, {".tlz4", ".tar"}};
  static bool IsPackedName(const std::string& name);
  static const char* SuffixOf(Form form) { return form == Form::kZstd ? ".zst" : form == Form::kGzip ? ".gz" : form == Form::kXz ? ".xz" : ".lzma"; }

  // What a file becomes; nothing after a complaint.
  std::optional<std::string> TargetOf(const std::string& name);
  // A name that climbs is no place below the directory.
  std::string Mirrored(const std::string& name);

  // The work.
  struct Sizes {
    uint64_t in = 0, out = 0;
  };

  ExitStatus Work(const std::vector<std::string>& names);
  void ShowTotal();

  bool MayJoin(const std::string& output);
  bool Asks(const std::string& reason, const std::string& question, const std::string& refusal);

  // True when the output may be made there.
  bool MakeWay(const std::string& source, const std::string& target);

  struct Opened {
    vfs::OpenFilePtr file;
    std::optional<vfs::Attributes> attributes;
    std::unique_ptr<Input> input;
  };
  // Nothing after a complaint.
  std::optional<Opened> Open(const std::string& name);

  void TakeOne(const std::string& name);

  void Replace(const std::string& name, const std::string& target, InputSource& source, const Opened& opened);

  void JoinInto(const std::vector<std::string>& names, const std::string& target);

  bool Convert(const std::string& name, const std::string& target, InputSource& source, ByteSink& out, const Opened& opened, Sizes& sizes);
  void Trace(const Sizes& sizes, Nanoseconds took);
  static std::string Padded(std::string name);

  codec::CoderPtr NewEncoder(const Opened& opened, const std::string& name);

  bool Pack(const std::string& name, InputSource& source, ByteSink& out, const Opened& opened, Sizes& sizes);

  bool Unpack(const std::string& name, InputSource& source, ByteSink& out, Sizes& sizes);
  codec::CoderPtr NewDecoder(codec::Format format);
  uint64_t WindowMax() const;

  bool Broken(const std::string& name, const std::string& head, const CopyResult& copied);
  void HelpWithWindow(const std::string& name, const std::string& head);

  // The list of -l.
  ExitStatus List(const std::vector<std::string>& names);
  void ListOne(const std::string& name, bool is_table);
  static double RatioOf(const codec::ZstdInfo& info) { return info.packed == 0 ? 0 : static_cast<double>(info.plain) / static_cast<double>(info.packed); }
  std::string Row(const codec::ZstdInfo& info, const std::string& name) const;
  static std::string Details(const codec::ZstdInfo& info, const std::string& name);

  Invocation& in_;
  Options& o_;
  ExitStatus status_ = 0;
  std::string dictionary_;
  int patch_log_ = 0;
  bool has_stdin_ = false, is_many_ = false;
  uint64_t done_ = 0, listed_ = 0;
  Sizes total_;
  codec::ZstdInfo total_info_;
};

// "3.80 KiB", padded to a width.
std::string HumanText(uint64_t size, int width = 6);
// The same in a column.
std::string Column(uint64_t size, int width);

}  // namespace paddock::zstd
