#include <algorithm>

#include "commands/archive/unzip.h"

namespace paddock::unzip {

Selection::Selection(const Options& options, bool is_utf8) {
  const PatternFlags flags = {.extglob = false, .ignore_case = options.ignores_case, .is_utf8 = is_utf8, .is_path = options.stops_at_slash};
  for (const std::string& text : options.wanted) wanted_.push_back({text, Pattern(text, flags)});
  for (const std::string& text : options.unwanted) unwanted_.push_back({text, Pattern(text, flags)});
}

bool Selection::Has(const codec::ZipEntry& entry, Budget& budget) {
  bool is_wanted = wanted_.empty();
  for (Item& item : wanted_) {
    if (!item.pattern.Matches(entry.name, budget)) continue;
    is_wanted = item.is_used = true;
    break;
  }
  for (Item& item : unwanted_) {
    if (!item.pattern.Matches(entry.name, budget)) continue;
    item.is_used = true;
    return false;
  }
  return is_wanted;
}

bool Selection::Finish(Invocation& in, Output* to) const {
  bool is_fine = true;
  in.out.Flush();
  for (const Item& item : wanted_) {
    if (item.is_used) continue;
    is_fine = false;
    if (to != nullptr) to->Write("caution: filename not matched:  " + item.text + "\n");
  }
  for (const Item& item : unwanted_) {
    if (!item.is_used && to != nullptr) to->Write("caution: excluded filename not matched:  " + item.text + "\n");
  }
  return is_fine;
}

std::string CommentText(const std::string& comment) {
  std::string text;
  for (const char c : comment) {
    if (c == '\x1b') text += "^[";   // would act on a terminal
    else if (c != '\r') text += c;
  }
  return text + "\n";
}

int64_t MomentOf(const codec::ZipEntry& entry, const TimeZone& zone) {
  if (const auto moment = entry.modified()) return *moment;
  const TimeZone::Fields fields = {1980 + (entry.dos_date >> 9), std::max(entry.dos_date >> 5 & 15, 1), std::max(entry.dos_date & 31, 1),
                                   entry.dos_time >> 11, entry.dos_time >> 5 & 63, (entry.dos_time & 31) * 2};
  return zone.FromLocal(fields).value_or(0);
}

}  // namespace paddock::unzip
