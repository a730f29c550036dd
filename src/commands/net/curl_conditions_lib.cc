// What curl asks for only if it is new, and what it keeps of an answer to ask so the next time: ETags and times.
#include <algorithm>

#include "commands/file_facts.h"
#include "commands/net/curl.h"
#include "text/date/date_parse.h"
#include "text/date/time_format.h"
#include "text/date/time_zone.h"
#include "vfs/file_system.h"

namespace paddock::curl {
namespace {

// The value of the last field of that name (in small letters); nothing without one.
std::optional<std::string> FindField(const std::vector<std::string>& lines, std::string_view name) {
  std::optional<std::string> found;
  for (const std::string& line : lines) {
    const bool is_named = line.size() > name.size() && line[name.size()] == ':' &&
                          std::equal(name.begin(), name.end(), line.begin(), [](char a, char b) { return a == std::tolower(static_cast<unsigned char>(b)); });
    if (!is_named) continue;
    std::string_view value = std::string_view(line).substr(name.size() + 1);
    while (!value.empty() && (value.front() == ' ' || value.front() == '\t')) value.remove_prefix(1);
    while (!value.empty() && (value.back() == '\r' || value.back() == '\n' || value.back() == ' ')) value.remove_suffix(1);
    found = value;
  }
  return found;
}

// libcurl takes dates with a month's name and a year, and YYYYMMDD; not the many other forms that date(1) knows.
bool LooksLikeDate(std::string_view text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const size_t digits = static_cast<size_t>(std::find_if_not(text.begin(), text.end(), is_digit) - text.begin());
  if (digits == 8 && (text.size() == 8 || text[8] == ' ')) return true;
  bool has_month = false, has_year = false;
  for (int month = 1; month <= 12; ++month) has_month = has_month || text.find(MonthName(month).substr(0, 3)) != std::string_view::npos;
  for (size_t at = 0; at + 4 <= text.size(); ++at) has_year = has_year || std::all_of(text.begin() + static_cast<ptrdiff_t>(at), text.begin() + static_cast<ptrdiff_t>(at) + 4, is_digit);
  return has_month && has_year;
}

}  // namespace

std::optional<ExitStatus> SetConditions(Invocation& in, const Options& options, proc::HttpRequest* request, Output& messages) {
  if (!options.etag_compare.empty()) {
    const auto content = vfs::ReadFile(in.fs, options.etag_compare, 1 << 20);
    if (!content) {
      if (!options.silent) messages.Write("curl: Failed to open " + options.etag_compare + "\n");
      return 26;
    }
    const std::string tag = content->substr(0, content->find_first_of("\r\n"));   // none: nothing is the same
    request->headers.push_back("If-None-Match: " + (tag.empty() ? "\"\"" : tag));
  }
  if (options.time_condition.empty()) return std::nullopt;
  std::string_view text = options.time_condition;
  if (text.starts_with('-') || text.starts_with('=')) {
    request->is_unmodified_since = text.starts_with('-');
    text.remove_prefix(1);
  }
  const TimePoint now = Now(in.clock);
  if (const auto moment = LooksLikeDate(text) ? ParseDate(text, now, TimeZone(), in.budget) : std::nullopt) {
    request->changed_since = moment->seconds;
  } else if (const auto facts = in.fs.Stat(text)) {
    request->changed_since = std::chrono::floor<std::chrono::seconds>(facts->modify_time).count();
  } else if (!options.silent) {
    messages.Write("Warning: Illegal date format for -z, --time-cond (and not a file name). \nWarning: Disabling time condition. See curl_getdate(3) for valid date syntax.\n");
  }
  return std::nullopt;
}

bool SaveEtag(Invocation& in, const Options& options, const std::vector<std::string>& header_lines) {
  const auto tag = FindField(header_lines, "etag");
  const std::string text = tag && !tag->empty() ? *tag + "\n" : "";
  if (options.etag_save == "-") {
    in.out.Write(text);
    return true;
  }
  if (text.empty() && in.fs.Stat(options.etag_save)) return true;
  return vfs::WriteFile(in.fs, options.etag_save, text).has_value();
}

void KeepRemoteTime(Invocation& in, const std::string& path, const std::vector<std::string>& header_lines) {
  const auto field = FindField(header_lines, "last-modified");
  const auto moment = field ? ParseDate(*field, Now(in.clock), TimeZone(), in.budget) : std::nullopt;
  const auto time = moment ? FromTimePoint(*moment) : std::nullopt;
  if (!time) return;
  [[maybe_unused]] const Status set = in.fs.SetTimes(path, *time, *time);
}

}  // namespace paddock::curl
