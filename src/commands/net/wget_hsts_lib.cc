#include "commands/net/wget_hsts.h"

#include <algorithm>
#include <charconv>

#include "vfs/file_system.h"

namespace paddock::wget {
namespace {

constexpr size_t kMostEntries = 10000;

bool IsAddress(std::string_view host) { return host.starts_with('[') || host.find_first_not_of("0123456789.") == std::string_view::npos; }

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return lower;
}

std::optional<int64_t> Number(std::string_view text) {
  int64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  return problem == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

}  // namespace

HstsList::Place HstsList::PlaceOf(const std::string& url) {
  const Url parts = Split(url);
  const int64_t port = Number(std::string_view(parts.host_and_port).substr(std::min(parts.host.size() + 1, parts.host_and_port.size()))).value_or(0);
  return {Lower(parts.host), port == (parts.scheme == "https" ? 443 : 80) ? 0 : port};
}

void HstsList::Read(Invocation& in, const std::string& path) {
  path_ = path;
  const auto text = vfs::ReadFile(in.fs, path, 10 << 20);
  std::string_view rest = text ? std::string_view(*text) : std::string_view();
  while (!rest.empty() && entries_.size() < kMostEntries) {
    in.budget.Step();
    const size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.starts_with('#')) continue;
    // Host, port, whether its subdomains are meant, when it was told, and for how many seconds.
    std::string_view fields[5];
    size_t count = 0;
    while (!line.empty() && count < 5) {
      const size_t from = std::min(line.find_first_not_of(" \t"), line.size());
      line.remove_prefix(from);
      const size_t to = std::min(line.find_first_of(" \t"), line.size());
      if (to > 0) fields[count++] = line.substr(0, to);
      line.remove_prefix(to);
    }
    const auto port = Number(fields[1]), subdomains = Number(fields[2]), created = Number(fields[3]), max_age = Number(fields[4]);
    if (count != 5 || !port || !subdomains || !created || !max_age || *max_age <= 0 || *created <= 0) continue;
    entries_[{Lower(fields[0]), *port}] = {*subdomains != 0, *created, *max_age};
  }
}

void HstsList::Save(Invocation& in) {
  if (path_.empty() || !is_changed_ || entries_.empty()) return;   // an empty list leaves the file as it is, as with wget
  std::string text = "# HSTS 1.0 Known Hosts database for GNU Wget.\n# Edit at your own risk.\n# <hostname>\t<port>\t<incl. subdomains>\t<created>\t<max-age>\n";
  for (const auto& [place, entry] : entries_) {
    in.budget.Step();
    text += place.host + "\t" + std::to_string(place.port) + "\t" + (entry.has_subdomains ? "1" : "0") + "\t" + std::to_string(entry.created) + "\t" + std::to_string(entry.max_age) + "\n";
  }
  [[maybe_unused]] const Status written = vfs::WriteFile(in.fs, path_, text);   // as wget, which tells nobody
}

std::string HstsList::Upgraded(const std::string& url, int64_t now) {
  if (path_.empty() || !url.starts_with("http://")) return url;
  Place place = PlaceOf(url);
  if (IsAddress(place.host)) return url;
  for (bool is_parent = false; !place.host.empty(); is_parent = true) {
    const auto found = entries_.find(place);
    if (found != entries_.end() && (!is_parent || found->second.has_subdomains)) {
      is_changed_ = true;   // what was looked up is written again, what is over is not
      if (now - found->second.created <= found->second.max_age) return "https" + url.substr(4);
      entries_.erase(found);
    }
    const size_t dot = place.host.find('.');
    place.host.erase(0, dot == std::string::npos ? dot : dot + 1);
  }
  return url;
}

void HstsList::Learn(const std::string& url, std::string_view field, int64_t now) {
  if (path_.empty() || field.empty() || !url.starts_with("https://")) return;
  Place place = PlaceOf(url);
  if (IsAddress(place.host)) return;
  Entry entry{.created = now};
  std::optional<int64_t> max_age;
  while (!field.empty()) {
    const size_t end = std::min(field.find(';'), field.size());
    std::string_view word = Trimmed(field.substr(0, end));
    field.remove_prefix(std::min(end + 1, field.size()));
    const size_t equals = std::min(word.find('='), word.size());
    const std::string name = Lower(Trimmed(word.substr(0, equals)));
    std::string_view value = Trimmed(word.substr(std::min(equals + 1, word.size())));
    if (value.size() > 1 && value.front() == '"' && value.back() == '"') value = value.substr(1, value.size() - 2);
    if (name == "max-age") max_age = Number(value);
    if (name == "includesubdomains") entry.has_subdomains = true;
  }
  if (!max_age || *max_age < 0) return;
  entry.max_age = *max_age;
  is_changed_ = true;
  if (*max_age == 0) entries_.erase(place);
  else if (entries_.size() < kMostEntries) entries_[place] = entry;
}

}  // namespace paddock::wget
