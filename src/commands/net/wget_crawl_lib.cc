// wget -r and -p: which links are followed, and what becomes of them in the files.
#include <algorithm>

#include "commands/net/wget_crawl.h"
#include "text/path_glob.h"
#include "text/regex.h"

namespace paddock::wget {
namespace {

constexpr uint64_t kMostPageBytes = 64 << 20;
constexpr size_t kMostTasks = 100000;

std::string Lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return out;
}
std::string Directory(const std::string& path) { return path.substr(0, path.substr(0, path.find('?')).rfind('/') + 1); }
std::string FileOf(const std::string& path) {
  const std::string plain = path.substr(0, path.find('?'));
  return plain.substr(plain.rfind('/') + 1);
}
bool HasHtmlSuffix(const std::string& name) {
  const std::string lower = Lower(name);
  return lower.ends_with(".html") || lower.ends_with(".htm") || lower.ends_with(".shtml");
}

bool MatchesAny(const std::vector<std::string>& patterns, const std::string& name, bool ignores_case, Budget& budget) {
  return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
    const std::string text = ignores_case ? Lower(name) : name, wanted = ignores_case ? Lower(pattern) : pattern;
    if (wanted.find_first_of("*?[") == std::string::npos) return text.ends_with(wanted);
    return PathGlob(wanted, {.any_matches_slash = true}).Matches(text, budget);
  });
}

bool MatchesRegex(const Options& options, const std::string& pattern, const std::string& url, Budget& budget) {
  const auto regex = Regex::Compile(pattern, {.dialect = RegexDialect::kExtended, .ignore_case = options.ignores_case});
  if (!regex) return false;
  const auto found = regex->Search(url, 0, nullptr, budget);
  return found && *found;
}

bool IsAtOrBelow(const std::string& directory, std::string pattern, Budget& budget) {
  if (!pattern.starts_with('/')) pattern.insert(0, "/");
  while (pattern.size() > 1 && pattern.ends_with('/')) pattern.pop_back();
  const std::string path = directory.size() > 1 && directory.ends_with('/') ? directory.substr(0, directory.size() - 1) : directory;
  if (pattern.find_first_of("*?[") == std::string::npos) return path == pattern || path.starts_with(pattern == "/" ? "/" : pattern + "/");
  return PathGlob(pattern, {.any_matches_slash = true}).Matches(path, budget);
}

std::string RelativeTo(const std::string& from_file, const std::string& to_file) {
  size_t common = 0;
  for (size_t i = 0; i < from_file.size() && i < to_file.size() && from_file[i] == to_file[i]; ++i) {
    if (from_file[i] == '/') common = i + 1;
  }
  std::string out;
  for (size_t i = common; i < from_file.size(); ++i) out += from_file[i] == '/' ? "../" : "";
  return out + to_file.substr(common);
}

std::string Quoted(const std::string& path) {
  std::string out;
  for (const char c : path) {
    if (c == '?') out += "%3F";
    else if (c == '%') out += "%25";
    else if (c == '#') out += "%23";
    else out += c;
  }
  return out;
}
std::string AsAttribute(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '&' ? std::string("&amp;") : c == '"' ? std::string("&quot;") : std::string(1, c);
  return out;
}

}  // namespace

bool Crawl::HasAcceptedHost(const std::string& host) const {
  const auto is_in = [&](const std::vector<std::string>& domains) {
    return std::any_of(domains.begin(), domains.end(), [&](const std::string& domain) { return Lower(host).ends_with(Lower(domain)); });
  };
  return (options_.domains.empty() || is_in(options_.domains)) && !is_in(options_.excluded_domains);
}
bool Crawl::HasAcceptedName(const std::string& name) const {
  if (!options_.accepted.empty() && !MatchesAny(options_.accepted, name, options_.ignores_case, in_.budget)) return false;
  return options_.rejected.empty() || !MatchesAny(options_.rejected, name, options_.ignores_case, in_.budget);
}
bool Crawl::HasAcceptedDirectory(const std::string& path) const {
  const std::string directory = Directory(path);
  const auto is_in = [&](const std::vector<std::string>& list) { return std::any_of(list.begin(), list.end(), [&](const std::string& one) { return IsAtOrBelow(directory, one, in_.budget); }); };
  return (options_.directories.empty() || is_in(options_.directories)) && !is_in(options_.excluded_directories);
}

const char* Crawl::Reason(const Task& parent, const Link& link, const std::string& url) {
  if (!url.starts_with("http://") && !url.starts_with("https://")) return "NONHTTP";
  const Url parts = Split(url);
  const Url from = Split(parent.url);
  if (options_.https_only && parts.scheme != "https") return "NOTHTTPS";
  if (options_.relative_only && (link.target.starts_with('/') || link.target.find("://") != std::string::npos)) return "ABSOLUTE";
  if (!HasAcceptedHost(parts.host)) return "DOMAIN";
  const bool is_needed = options_.needs_requisites && link.is_requisite;
  if (options_.stays_below && !is_needed && parts.host_and_port == start_.host_and_port && !parts.path.starts_with(Directory(start_.path))) return "PARENT";
  if (!HasAcceptedDirectory(parts.path)) return "LIST";
  if (!options_.accept_regex.empty() && !MatchesRegex(options_, options_.accept_regex, url, in_.budget)) return "REGEX";
  if (!options_.reject_regex.empty() && MatchesRegex(options_, options_.reject_regex, url, in_.budget)) return "REGEX";
  const std::string name = FileOf(parts.path);
  const bool goes_on = options_.depth == 0 || parent.depth < options_.depth - 1 || options_.needs_requisites;
  if (!name.empty() && !(HasHtmlSuffix(name) && goes_on) && !HasAcceptedName(name)) return "RULES";
  if (!options_.spans_hosts && Lower(parts.host) != Lower(from.host)) return "SPANNEDHOST";
  return IsAllowedByRobots(url) ? nullptr : "ROBOTS";
}

void Crawl::Note(const char* reason, const std::string& url, const std::string& parent) {
  if (!rejected_) return;
  const auto cells = [](const std::string& address) {
    const Url parts = Split(address);
    const size_t port = parts.host_and_port.rfind(':');
    const size_t query = std::min(parts.path.find('?'), parts.path.size());
    std::string path = parts.path.substr(0, query);
    if (path.starts_with('/')) path.erase(0, 1);
    const std::string whole = address.substr(0, address.find('#'));
    std::string safe;
    for (const char c : whole) safe += c == ':' ? std::string("%3A") : std::string(1, c);
    return safe + "\t" + (parts.scheme == "https" ? "SCHEME_HTTPS" : "SCHEME_HTTP") + "\t" + parts.host + "\t" + parts.host_and_port.substr(port + 1) + "\t" + path + "\t\t" +
           (query < parts.path.size() ? parts.path.substr(query + 1) : "") + "\t";
  };
  if (!rejected_->Write(std::string(reason) + "\t" + cells(url) + "\t" + cells(parent) + "\n")) rejected_.reset();
}

bool Crawl::IsAllowedByRobots(const std::string& url) {
  const Url parts = Split(url);
  const std::string host = parts.scheme + "://" + parts.host_and_port;
  auto known = robots_.find(host);
  if (known == robots_.end()) {
    known = robots_.emplace(host, std::vector<std::string>()).first;
    const std::string address = url.substr(0, url.find('/', url.find("://") + 3)) + "/robots.txt";
    fetcher_.Say("Loading robots.txt; please ignore errors.\n");
    const Fetcher::Got got = fetcher_.One(address);
    const auto text = got.status == 0 && !got.file.empty() ? vfs::ReadFile(in_.fs, got.file, 1 << 20) : Result<std::string>(std::string());
    bool is_for_us = false;
    for (std::string_view rest = text ? std::string_view(*text) : std::string_view(); !rest.empty();) {
      in_.budget.Step();
      const size_t end = std::min(rest.find('\n'), rest.size());
      std::string line(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
      line.resize(std::min(line.find('#'), line.size()));
      const size_t colon = line.find(':');
      if (colon == std::string::npos) continue;
      const size_t first = line.find_first_not_of(" \t", colon + 1), last = line.find_last_not_of(" \t\r");
      const std::string field = Lower(line.substr(0, colon)), value = first == std::string::npos || last < first ? "" : line.substr(first, last + 1 - first);
      if (field == "user-agent") is_for_us = value == "*" || Lower(value) == "wget";
      else if (field == "disallow" && is_for_us && !value.empty()) known->second.push_back(value);
    }
  }
  return std::none_of(known->second.begin(), known->second.end(), [&](const std::string& path) { return parts.path.starts_with(path); });
}

void Crawl::AddLinks(const Task& task, const Fetcher::Got& got) {
  const bool is_css = got.type == "text/css" || (got.type.empty() && got.file.ends_with(".css"));
  const bool is_html = got.type == "text/html" || got.type == "application/xhtml+xml" || (got.type.empty() && HasHtmlSuffix(got.file));
  if (!is_css && !is_html) return;
  pages_[got.file] = {got.url, is_css};
  const bool is_deep = options_.depth > 0 && task.depth >= options_.depth;
  const bool takes_requisites = options_.needs_requisites && (!options_.is_recursive || task.depth <= options_.depth + 1 || options_.depth == 0);
  if ((is_deep || !options_.is_recursive) && !takes_requisites) return;
  const auto text = vfs::ReadFile(in_.fs, got.file, kMostPageBytes);
  if (!text) return;
  std::string base = got.url;
  const Task parent{.url = got.url, .referer = {}, .depth = task.depth};
  for (const Link& link : FindLinks(*text, is_css, options_, in_.budget)) {
    in_.budget.Step();
    const std::string url = Join(base, link.target);
    if (link.is_base) {
      base = url;
      continue;
    }
    if ((is_deep || !options_.is_recursive) && !link.is_requisite) continue;
    if (link.target.empty() || seen_.contains(url)) continue;
    if (const char* const reason = Reason(parent, link, url)) {
      Note(reason, url, got.url);
      continue;
    }
    seen_.insert(url);
    if (tasks_.size() >= kMostTasks) return;
    in_.budget.WillAllocate(url.size() * 2 + 128);
    tasks_.push_back({url, got.url, task.depth + 1, link.is_requisite});
  }
}

ExitStatus Crawl::Run(const std::string& first) {
  std::string url = first.find("://") == std::string::npos ? "http://" + first : first;
  url.resize(std::min(url.find('#'), url.size()));
  if (Split(url).path.empty()) url += "/";
  start_ = Split(url);
  if (!options_.rejected_log.empty() && !rejected_) {
    auto log = in_.fs.Open(options_.rejected_log, vfs::OpenFlags::Write());
    if (log) rejected_ = std::move(*log);
    const auto columns = [](const std::string& begin) {
      std::string out;
      for (const char* name : {"URL", "SCHEME", "HOST", "PORT", "PATH", "PARAMS", "QUERY", "FRAGMENT"}) out += (out.empty() ? "" : "\t") + begin + name;
      return out;
    };
    if (rejected_ && !rejected_->Write("REASON\t" + columns("U_") + "\t" + columns("P_") + "\n")) rejected_.reset();
  }
  if (seen_.insert(url).second) tasks_.push_back({url, {}, 0, false});
  ExitStatus worst = kOk;
  for (bool is_first = true; !tasks_.empty(); is_first = false) {
    in_.budget.Step();
    if (!is_first && !fetcher_.Pause()) break;
    if (fetcher_.is_over_quota()) break;
    const Task task = std::move(tasks_.front());
    tasks_.pop_front();
    const Fetcher::Got got = fetcher_.One(task.url, task.referer);
    if (got.status != kOk && (worst == kOk || got.status < worst)) worst = got.status;
    if (got.file.empty()) continue;
    files_[task.url] = got.file;
    files_[got.url] = got.file;
    seen_.insert(got.url);
    AddLinks(task, got);
    if (options_.deletes_after || !HasAcceptedName(vfs::BaseName(got.file))) {
      fetcher_.Say("Removing " + got.file + (options_.deletes_after ? ".\n\n" : " since it should be rejected.\n\n"));
      if (const Status gone = in_.fs.RemoveFile(got.file); !gone) fetcher_.SayBrief("unlink: " + std::string(gone.error().Text()) + "\n");
      files_.erase(task.url);
      files_.erase(got.url);
      pages_.erase(got.file);
    }
  }
  return worst;
}

void Crawl::Convert(const std::string& file, const Page& page) {
  auto text = vfs::ReadFile(in_.fs, file, kMostPageBytes);
  if (!text) return;
  std::string out, base = page.url;
  size_t done = 0;
  bool is_changed = false;
  for (const Link& link : FindLinks(*text, page.is_css, options_, in_.budget)) {
    in_.budget.Step();
    if (link.begin < done) continue;
    const std::string url = Join(base, link.target);
    std::string now;
    const auto found = files_.find(url);
    if (link.is_base) {
      base = url;
      now = "";
    } else if ((link.target.empty() && link.fragment.empty()) || (!url.starts_with("http://") && !url.starts_with("https://"))) {
      continue;
    } else if (options_.converts_names) {
      // Only the name at the end changes.
      if (found == files_.end()) continue;
      const size_t slash = link.target.rfind('/');
      now = AsAttribute((slash == std::string::npos ? "" : link.target.substr(0, slash + 1)) + Quoted(vfs::BaseName(found->second)) + link.fragment);
    } else if (found != files_.end()) {
      const std::string path = RelativeTo(file, found->second);
      now = AsAttribute((options_.adjusts_extension ? Quoted(path) : path) + link.fragment);
    } else {
      now = AsAttribute(url + link.fragment);
    }
    out.append(*text, done, link.begin - done);
    out += page.is_css || link.is_quoted ? now : '"' + now + '"';
    is_changed = true;
    done = link.end;
  }
  out.append(*text, done, std::string::npos);
  if (!is_changed) return;
  const auto facts = in_.fs.Stat(file);
  if (options_.backs_up_converted && !vfs::WriteFile(in_.fs, file + ".orig", *text)) return;
  if (const Status written = vfs::WriteFile(in_.fs, file, out); !written) fetcher_.SayBrief(file + ": " + std::string(written.error().Text()) + "\n");
  else if (facts) [[maybe_unused]] const Status set = in_.fs.SetTimes(file, facts->modify_time, facts->modify_time);
}

void Crawl::Finish() {
  if (fetcher_.is_over_quota()) fetcher_.SayBrief("Download quota of " + Human(options_.quota) + " EXCEEDED!\n");
  if (fetcher_.files_ > 0) fetcher_.SayBrief("FINISHED --" + fetcher_.log_prefix() + "--\nDownloaded: " + std::to_string(fetcher_.files_) + " files, " + Human(fetcher_.fetched_) + "\n");
  if (!options_.converts_links && !options_.converts_names) return;
  for (const auto& [file, page] : pages_) Convert(file, page);
}

}  // namespace paddock::wget
