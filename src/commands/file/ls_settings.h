// What ls has been told to do, and one file as ls knows it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "text/block_size.h"
#include "text/quote.h"
#include "vfs/attributes.h"

namespace paddock::ls {

enum class Layout { kLong, kOnePerLine, kColumns, kAcross, kCommas };
enum class SortKey { kNone, kName, kTime, kSize, kExtension, kVersion, kWidth };
enum class TimeKind { kModify, kChange, kAccess, kBirth };
enum class Indicators { kNone, kSlash, kFileType, kClassify };
enum class Hidden { kSkip, kAlmostAll, kAll };
enum class Follow { kNever, kOperandDirectory, kOperand, kAlways };

struct Settings {
  Layout layout = Layout::kOnePerLine;
  SortKey sort = SortKey::kName;
  TimeKind time = TimeKind::kModify;
  Indicators indicators = Indicators::kNone;
  Hidden hidden = Hidden::kSkip;
  Follow follow = Follow::kNever;
  bool reverse = false;
  bool directories_first = false;
  bool lists_directories = true;      // false: -d
  bool recursive = false;
  bool shows_inode = false, shows_blocks = false, shows_context = false;
  bool shows_owner = true, shows_group = true, shows_author = false;
  bool numeric_ids = false;
  bool hides_controls = false;
  bool shows_color = false, shows_links = false, is_dired = false;
  char end_of_line = '\n';
  QuotingStyle quoting = QuotingStyle::kLiteral;
  BlockSize block_size;
  BlockSize file_size = BlockSize::Of(1);
  uint64_t width = 80;
  uint64_t tab_size = 8;
  std::vector<std::string> ignore_patterns;   // --ignore, -B
  std::vector<std::string> hide_patterns;     // --hide
  std::string old_time_format, recent_time_format;

  bool NeedsAttributes() const {
    return layout == Layout::kLong || sort == SortKey::kTime || sort == SortKey::kSize || shows_blocks ||
           shows_color || shows_inode || indicators == Indicators::kClassify || follow == Follow::kAlways;
  }
};

struct File {
  std::string name;               // as shown: relative to the directory, or the operand
  std::string path;               // as the file system needs it
  vfs::Attributes attributes;
  bool has_attributes = false;
  bool is_lost = false;  // asked for, but could not be looked at
  vfs::FileType type = vfs::FileType::kFile;
  std::string target;                          // of a symlink, when it is shown
  std::optional<vfs::Attributes> linked;       // what the symlink leads to
  bool is_linked_known = false;                // `linked` was looked up
  bool is_listed = false;                      // an operand whose contents are shown
  bool needs_quotes = false;
  size_t width = 0;

  bool is_directory() const { return type == vfs::FileType::kDirectory; }
};

}  // namespace paddock::ls
