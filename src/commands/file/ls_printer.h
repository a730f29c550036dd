// How ls shows files: lines, columns, the long format.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "commands/file/ls_color.h"
#include "commands/file/ls_settings.h"
#include "commands/user_names.h"
#include "proc/command.h"
#include "text/date/time_zone.h"

namespace paddock::ls {

class Printer {
 public:
  Printer(Invocation& in, const Settings& settings, const Colors& colors);

  // Forgets the column widths and the total of what was measured.
  void Reset();
  // Takes a file into account for widths, quoting and the total.
  void Measure(File& file);
  // The width that --sort=width compares.
  size_t NameWidth(const File& file) const;

  void Heading(const std::string& directory, bool is_first);
  void Total();
  void Print(const std::vector<File>& files);
  void BlankLine() { Put("\n"); }
  // Trailers of --dired and --color.
  void Finish();

 private:
  struct Widths {
    size_t inode = 0, blocks = 0, links = 0, owner = 0, group = 0, author = 0, context = 0;
    size_t size = 0, major = 0, minor = 0;
  };

  void Put(std::string_view text);
  void PutPadded(std::string_view text, size_t width, bool left = false);
  // Right-aligned, with a space after.
  void PutField(std::string_view text, size_t width);
  void PutCode(std::string_view code);
  void ResetColor();
  void SetNormalColor();

  std::string ShownName(std::string_view name, std::string_view also_quoted) const;
  void PutLinked(const std::string& shown, const std::string& path);
  // Writes the name (or the symlink's target); returns its width.
  size_t PutName(const File& file, bool is_target, size_t column);
  size_t PutIndicator(const File& file, bool is_target);
  // Inode, blocks, context and name.
  void PutEntry(const File& file, size_t column);
  size_t EntryWidth(const File& file) const;
  char IndicatorOf(const vfs::Attributes& attributes) const;

  void PrintLong(const File& file);
  void PutSize(const File& file);
  void PutTime(const File& file);
  std::string UserText(uint32_t uid);
  std::string GroupText(uint32_t gid);
  std::string BlocksText(const File& file) const;
  std::string InodeText(const File& file) const;

  void PrintColumns(const std::vector<File>& files, bool by_columns);
  void PrintSeparated(const std::vector<File>& files, char separator);
  std::vector<size_t> FitColumns(const std::vector<File>& files, bool by_columns) const;
  void Indent(size_t from, size_t to);
  bool AlignsQuotes() const;

  Invocation& in_;
  const Settings& settings_;
  const Colors& colors_;
  UserNames names_;
  TimeZone zone_;
  TimePoint now_;
  size_t unknown_time_width_ = 0;
  std::string also_quoted_;
  Widths widths_;
  uint64_t total_blocks_ = 0;
  bool some_quoted_ = false;
  bool used_color_ = false;
  uint64_t position_ = 0;   // bytes written
  std::vector<uint64_t> dired_, sub_dired_;
};

}  // namespace paddock::ls
