#include <algorithm>
#include <charconv>

#include "commands/net/curl.h"
#include "text/date/time_format.h"
#include "vfs/file_system.h"

namespace paddock::curl {
namespace {

constexpr size_t kMostEntries = 10000, kLongestName = 512;

struct Place {
  std::string host, port;
};

// Of an https URL; nothing for others.
std::optional<Place> PlaceOf(const std::string& url) {
  constexpr std::string_view kScheme = "https://";
  if (!url.starts_with(kScheme)) return std::nullopt;
  std::string_view rest = std::string_view(url).substr(kScheme.size());
  rest = rest.substr(0, std::min(rest.find_first_of("/?#"), rest.size()));
  if (const size_t at = rest.rfind('@'); at != std::string_view::npos) rest.remove_prefix(at + 1);
  const size_t colon = rest.starts_with('[') ? rest.find(':', rest.find(']')) : rest.find(':');
  Place place{std::string(rest.substr(0, colon)), colon == std::string_view::npos ? "443" : std::string(rest.substr(colon + 1))};
  for (char& c : place.host) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return place;
}

bool IsKnownVersion(std::string_view version) { return version == "h1" || version == "h2" || version == "h3"; }
bool IsPort(std::string_view text) {
  int port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc() && end == text.data() + text.size() && port > 0 && port <= 65535;
}

// "YYYYMMDD HH:MM:SS", which sorts as time does.
std::string TimeText(int64_t seconds, Budget& budget) {
  const TimePoint moment{seconds, 0};
  return FormatTime("%Y%m%d %H:%M:%S", TimeZone::FromTz("UTC").ToLocal(seconds), moment, budget);
}

}  // namespace

void Alternatives::Read(Invocation& in, const std::string& path) {
  budget_ = &in.budget;
  const auto text = vfs::ReadFile(in.fs, path, 10 << 20);
  std::string_view rest = text ? std::string_view(*text) : std::string_view();
  while (!rest.empty() && entries_.size() < kMostEntries) {
    in.budget.Step();
    const size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const size_t open = line.find('"'), close = line.find('"', open + 1);
    if (line.starts_with('#') || open == std::string_view::npos || close == std::string_view::npos) continue;
    std::vector<std::string> words;
    const auto split = [&words](std::string_view part) {
      while (!part.empty()) {
        const size_t length = std::min(part.find(' '), part.size());
        if (length > 0) words.emplace_back(part.substr(0, std::min(length, kLongestName)));
        part.remove_prefix(std::min(length + 1, part.size()));
      }
    };
    split(line.substr(0, open));
    words.emplace_back(line.substr(open + 1, close - open - 1));
    split(line.substr(close + 1));
    if (words.size() != 9 || !IsKnownVersion(words[0]) || !IsKnownVersion(words[3]) || !IsPort(words[2]) || !IsPort(words[5])) continue;
    entries_.push_back({words[0], words[1], words[2], words[3], words[4], words[5], words[6], words[7] != "0", words[8]});
  }
}

std::optional<std::string> Alternatives::For(const std::string& url, int64_t now) const {
  const auto place = PlaceOf(url);
  if (!place || budget_ == nullptr) return std::nullopt;
  const std::string moment = TimeText(now, *budget_);
  for (const Entry& entry : entries_) {
    // What is told of HTTP/3 is of no use here.
    if (entry.host != place->host || entry.port != place->port || entry.to_version == "h3" || entry.expires < moment) continue;
    return entry.host + ":" + entry.port + ":" + entry.to_host + ":" + entry.to_port;
  }
  return std::nullopt;
}

void Alternatives::Learn(const std::string& url, std::string_view field, int64_t now) {
  const auto place = PlaceOf(url);
  if (!place || budget_ == nullptr) return;
  while (!field.empty() && (field.front() == ' ' || field.front() == '\t')) field.remove_prefix(1);
  while (!field.empty() && static_cast<unsigned char>(field.back()) <= ' ') field.remove_suffix(1);
  if (field.empty()) return;
  // Each field replaces what was known of the place.
  std::erase_if(entries_, [&](const Entry& entry) { return entry.host == place->host && entry.port == place->port; });
  if (field == "clear") return;
  while (!field.empty() && entries_.size() < kMostEntries) {
    budget_->Step();
    const size_t end = std::min(field.find(','), field.size());
    std::string_view item = field.substr(0, end);
    field.remove_prefix(std::min(end + 1, field.size()));
    while (item.starts_with(' ')) item.remove_prefix(1);
    const size_t equals = item.find("=\""), close = equals == std::string_view::npos ? equals : item.find('"', equals + 2);
    if (close == std::string_view::npos || equals == 0) continue;
    const std::string version(item.substr(0, equals) == "http/1.1" ? "h1" : item.substr(0, equals));
    const std::string_view target = item.substr(equals + 2, close - equals - 2);
    const size_t colon = target.rfind(':');
    if (colon == std::string_view::npos || !IsKnownVersion(version) || !IsPort(target.substr(colon + 1))) continue;
    int64_t seconds = 86400;
    const std::string_view remarks = item.substr(close + 1);
    if (const size_t at = remarks.find("ma="); at != std::string_view::npos) {
      std::string_view value = remarks.substr(at + 3);
      if (value.starts_with('"')) value.remove_prefix(1);
      std::from_chars(value.data(), value.data() + value.size(), seconds);
    }
    entries_.push_back({.from_version = "h1", .host = place->host, .port = place->port, .to_version = version, .to_host = colon == 0 ? place->host : std::string(target.substr(0, colon)),
                        .to_port = std::string(target.substr(colon + 1)), .expires = TimeText(now + std::clamp<int64_t>(seconds, 0, 1'000'000'000), *budget_),
                        .persists = remarks.find("persist=1") != std::string_view::npos});
  }
}

void Alternatives::Write(Invocation& in, const std::string& path) const {
  std::string text = "# Your alt-svc cache. https://curl.se/docs/alt-svc.html\n# This file was generated by libcurl! Edit at your own risk.\n";
  for (const Entry& entry : entries_) {
    text += entry.from_version + " " + entry.host + " " + entry.port + " " + entry.to_version + " " + entry.to_host + " " + entry.to_port + " \"" + entry.expires + "\" " +
            (entry.persists ? "1 " : "0 ") + entry.priority + "\n";
  }
  [[maybe_unused]] const Status written = vfs::WriteFile(in.fs, path, text);   // as libcurl, which tells nobody
}

}  // namespace paddock::curl
