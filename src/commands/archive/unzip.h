// What the parts of unzip share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "commands/archive/zip_file.h"
#include "proc/command.h"
#include "text/date/time_zone.h"
#include "text/pattern.h"

namespace paddock::unzip {

enum class Mode { kExtract, kPipe, kScreen, kShort, kLong, kTest, kComment, kInfo, kStamp };

struct Options {
  Mode mode = Mode::kExtract;
  bool freshens = false, updates = false, never = false, always = false, junks = false, ignores_case = false, keeps_set_id = false, keeps_owner = false;
  bool allows_outside = false, allows_control = false, backs_up = false, stops_at_slash = false;
  int lowers = 0, text = 0, quiet = 0, no_times = 0;
  // zipinfo's
  char info_form = 's';
  bool info_header = false, info_totals = false, info_comment = false, info_has_form = false;
  std::optional<std::string> directory, password;
  std::string archive;
  std::vector<std::string> wanted, unwanted;
};

// Reads the command line of unzip, or of zipinfo under that name. False for a usage error.
bool ParseArguments(Invocation& in, Options& o);

class Selection {
 public:
  Selection(const Options& options, bool is_utf8);
  bool Has(const codec::ZipEntry& entry, Budget& budget);
  // False if a name matched nothing; says so on `to` if there is one.
  bool Finish(Invocation& in, Output* to) const;

 private:
  struct Item {
    std::string text;
    Pattern pattern;
    bool is_used = false;
  };
  std::vector<Item> wanted_, unwanted_;
};

// The moment of an entry, by its extra field or by DOS's local time.
int64_t MomentOf(const codec::ZipEntry& entry, const TimeZone& zone);

// The archive's comment, with plain line ends.
std::string CommentText(const std::string& comment);

void ListEntries(Invocation& in, const Options& options, ZipFile& zip, Selection& selection);
void ShowInfo(Invocation& in, const Options& options, ZipFile& zip, Selection& selection, const std::string& name);

}  // namespace paddock::unzip
