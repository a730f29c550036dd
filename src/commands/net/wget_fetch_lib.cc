#include <algorithm>
#include <chrono>
#include <ctime>

#include "commands/net/wget_crawl.h"
#include "proc/kernel.h"
#include "vfs/file_system.h"

namespace paddock::wget {
namespace {

constexpr int kTimedOut = 28, kWriteError = 23, kCannotResolve = 6, kCannotConnect = 7, kBadCertificate = 60, kBadAuthorities = 77, kPartial = 18;

bool IsAddress(const std::string& host) { return host.find_first_not_of("0123456789.") == std::string::npos || host.starts_with('['); }

bool IsOfOtherFamily(const std::string& address, proc::AddressFamily family) {
  return address.starts_with('[') ? family == proc::AddressFamily::kV4 : family == proc::AddressFamily::kV6;
}

std::optional<Nanoseconds> ParseDate(const std::string& text) {
  std::tm parts{};
  if (strptime(text.c_str(), "%a, %d %b %Y %H:%M:%S", &parts) == nullptr) return std::nullopt;
  return std::chrono::seconds(timegm(&parts));
}

}  // namespace

std::string FieldOfHead(const std::vector<std::string>& head, std::string_view name) {
  for (const std::string& line : head) {
    if (line.size() <= name.size() || line[name.size()] != ':') continue;
    if (!std::equal(name.begin(), name.end(), line.begin(), [](char a, char b) { return std::tolower(a) == std::tolower(b); })) continue;
    const size_t first = line.find_first_not_of(" \t", name.size() + 1);
    return first == std::string::npos ? "" : line.substr(first, line.find_last_not_of(" \t\r\n") + 1 - first);
  }
  return "";
}

// What messages need of a URL; libcurl judges the rest.
Url Split(const std::string& url) {
  Url parts;
  const size_t colon = url.find("://");
  parts.scheme = url.substr(0, colon);
  const size_t begin = colon + 3, end = std::min(url.find_first_of("/?#", begin), url.size());
  std::string authority = url.substr(begin, end - begin);
  if (const size_t at = authority.rfind('@'); at != std::string::npos) authority.erase(0, at + 1);
  parts.path = url.substr(end, std::min(url.find('#', end), url.size()) - end);
  const size_t port = authority.rfind(':');
  const bool has_port = port != std::string::npos && authority.find(']', port) == std::string::npos;
  parts.host = has_port ? authority.substr(0, port) : authority;
  parts.host_and_port = has_port ? authority : authority + (parts.scheme == "https" ? ":443" : ":80");
  return parts;
}

void Download::OnDebug(Debug kind, std::string_view text) {
  if (kind != Debug::kHeadOut) return;
  if (!is_kept_ && !has_told_request_) Say("connected.\n");
  has_told_request_ = true;
  fetcher_.log().Write("\n---request begin---\n" + std::string(text) + "---request end---\n");
  Say("HTTP request sent, awaiting response... ");
}

Status Download::EndOfHead() {
  if (fetcher_.options_.debugs) {
    std::string head;
    for (const std::string& line : head_) head += line.substr(0, line.find_last_not_of("\r\n") + 1) + "\n";
    fetcher_.log().Write("\n---response begin---\n" + head + "\n---response end---\n");
  }
  const std::string& first = head_[0];
  const size_t space = first.find(' ');
  status_text_ = space == std::string::npos ? "" : first.substr(space + 1, first.find_last_not_of("\r\n ") - space);
  code_ = std::atoi(status_text_.c_str());
  if (code_ < 200) return {};
  if (fetcher_.options_.shows_heads) {
    Say("\n");
    for (const std::string& line : head_) fetcher_.log().Write("  " + line.substr(0, line.find_last_not_of("\r\n") + 1) + "\n");
  } else {
    Say(status_text_ + "\n");
  }
  fetcher_.hsts_.Learn(url_, FieldOfHead(head_, "Strict-Transport-Security"), std::chrono::duration_cast<std::chrono::seconds>(fetcher_.in_.clock.RealNow()).count());
  const std::string length = FieldOfHead(head_, "Content-Length");
  length_ = length.empty() || fetcher_.options_.ignores_length ? -1 : std::atoll(length.c_str());
  if (resumed_at_ > 0 && code_ != 206) resumed_at_ = 0;
  takes_body_ = !fetcher_.options_.spider && compared_ == nullptr && ((code_ >= 200 && code_ < 300 && code_ != 204) || (code_ >= 400 && fetcher_.options_.content_on_error));
  if (fetcher_.options_.content_disposition && fetcher_.options_.output.empty() && takes_body_) {
    const std::string field = FieldOfHead(head_, "Content-Disposition");
    if (const size_t at = field.find("filename="); at != std::string::npos) {
      std::string name = field.substr(at + 9);
      name = name.starts_with('"') ? name.substr(1, name.find('"', 1) - 1) : name.substr(0, name.find(';'));
      name = name.substr(name.find_last_of("/\\") + 1);
      if (!name.empty() && name != "." && name != "..") name_ = fetcher_.FreeName(fetcher_.options_.prefix.empty() ? name : vfs::JoinPath(fetcher_.options_.prefix, name));
    }
  }
  type_ = FieldOfHead(head_, "Content-Type");
  type_ = type_.substr(0, type_.find_first_of("; "));
  if (fetcher_.options_.adjusts_extension && takes_body_) AdjustExtension();
  if (takes_body_ || compared_ != nullptr || fetcher_.options_.spider) {
    if (code_ < 400) SayLength();
  }
  if (takes_body_) {
    Say("Saving to: ‘" + shown_name() + "’\n");
    if (fetcher_.options_.noise == Noise::kNormal || fetcher_.options_.shows_progress) dots_.emplace(fetcher_.log(), length_, fetcher_.options_.dots);
    begun_ = Now();
  }
  return {};
}

void Download::SayLength() {
  std::string text = "Length: ";
  const int64_t whole = length_ < 0 ? -1 : length_ + resumed_at_;
  if (whole < 0) {
    text += fetcher_.options_.ignores_length ? "ignored" : "unspecified";
  } else {
    text += std::to_string(whole) + (whole >= 1024 ? " (" + Human(whole) + ")" : "");
    if (resumed_at_ > 0) text += ", " + std::to_string(length_) + (length_ >= 1024 ? " (" + Human(length_) + ")" : "") + " remaining";
  }
  Say(text + (type_.empty() ? "" : " [" + type_ + "]") + "\n");
}

Status Download::Open() {
  is_open_ = true;
  if (fetcher_.is_stdout() || fetcher_.document() != nullptr) return {};
  const std::string directory = vfs::DirectoryName(name_);
  if (directory != ".") PADDOCK_TRY(vfs::MakeDirectories(fetcher_.in_.fs, directory));
  if (resumed_at_ == 0) fetcher_.KeepBackups(name_);
  if (fetcher_.options_.unlinks && resumed_at_ == 0 && fetcher_.in_.fs.Stat(name_, vfs::Follow::kNo)) PADDOCK_TRY(fetcher_.in_.fs.RemoveFile(name_));
  PADDOCK_ASSIGN(file_, fetcher_.in_.fs.Open(name_, resumed_at_ > 0 ? vfs::OpenFlags::Append() : vfs::OpenFlags::Write()));
  return WriteHead(*file_);
}

Status Download::WriteHead(vfs::OpenFile& file) {
  if (!fetcher_.options_.saves_heads) return {};
  for (const std::string& line : head_) PADDOCK_TRY(file.Write(line));
  return file.Write("\r\n");
}

void Download::AdjustExtension() {
  const bool is_html = type_ == "text/html" || type_ == "application/xhtml+xml";
  if (is_html) {
    std::string name = name_;
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (!name.ends_with(".html") && !name.ends_with(".htm")) name_ += ".html";
  } else if (type_ == "text/css" && !name_.ends_with(".css")) {
    name_ += ".css";
  }
}

ExitStatus Download::Failed(const HttpOutcome& outcome, bool* is_passing) {
  const Url url = Split(url_);
  const auto name = "‘" + url.host + "’";
  if (outcome.is_denied) {
    fetcher_.SayBrief("failed: " + outcome.message.substr(std::min(outcome.message.find("denied by"), outcome.message.size())) + ".\n");
    return kNetwork;
  }
  switch (outcome.error) {
    case kCannotResolve:
      Say("failed: Name or service not known.\n");
      fetcher_.SayBrief("wget: unable to resolve host address " + name + "\n");
      return kNetwork;
    case kCannotConnect:
      fetcher_.SayBrief("failed: Connection refused.\n");
      *is_passing = fetcher_.options_.retries_refused;
      return kNetwork;
    case kWriteError:
      Say("\n\n");
      fetcher_.SayBrief("Cannot write to ‘" + shown_name() + "’.\n");
      return kFiles;
    case kBadCertificate:
    case kBadAuthorities:
      fetcher_.SayBrief("ERROR: cannot verify " + url.host + "'s certificate: " + outcome.message + "\nTo connect to " + url.host +
                        " insecurely, use `--no-check-certificate'.\n");
      return kCertificate;
    case kPartial:
    case kTimedOut:
      *is_passing = true;
      if (dots_ && is_open_) dots_->Finish(Now());
      if (!has_answer_) fetcher_.SayBrief("failed: Connection timed out.\n");
      else if (outcome.error == kTimedOut) fetcher_.SayBrief(Time() + " (" + Speed(received_, Now() - begun_, fetcher_.options_.tells_bits) + ") - Read error at byte " + std::to_string(received_) + "/" + std::to_string(length_) + " (Connection timed out). ");
      else fetcher_.SayBrief(Time() + " (" + Speed(received_, Now() - begun_, fetcher_.options_.tells_bits) + ") - Connection closed at byte " + std::to_string(received_) + ". ");
      return kNetwork;
    default:
      fetcher_.SayBrief("wget: " + outcome.message + "\n");
      return outcome.error == 3 ? kGeneral : kNetwork;
  }
}

ExitStatus Download::ServerError() {
  const Options& options = fetcher_.options_;
  if (options.spider) {
    Say("Remote file does not exist -- broken link!!!\n\n");
    if (options.noise == Noise::kBrief) fetcher_.SayBrief(url_ + ":\n" + "Remote file does not exist -- broken link!!!\n");
    return kServer;
  }
  if (code_ == 401) {
    fetcher_.SayBrief(options.noise == Noise::kNormal ? "\nUsername/Password Authentication Failed.\n" : "\nUsername/Password Authentication Failed.\n");
    return kAuthentication;
  }
  if (options.noise == Noise::kBrief) fetcher_.SayBrief(url_ + ":\n");
  fetcher_.SayBrief(Time() + " ERROR " + status_text_.substr(0, 3) + ":" + (status_text_.size() > 3 ? status_text_.substr(3) : " (no description)") + ".\n");
  Say("\n");
  return kServer;
}

ExitStatus Download::Saved() {
  const Options& options = fetcher_.options_;
  if (dots_) dots_->Finish(Now());
  const int64_t whole = received_ + resumed_at_;
  const std::string sizes = "[" + std::to_string(whole) + (length_ >= 0 ? "/" + std::to_string(length_ + resumed_at_) : "") + "]";
  const bool to_stdout = fetcher_.is_stdout();
  if (to_stdout) fetcher_.in_.out.Flush();
  fetcher_.fetched_ += received_;
  ++fetcher_.files_;
  Say(Time() + " (" + Speed(received_, Now() - begun_, fetcher_.options_.tells_bits) + ") - " + (to_stdout ? "written to stdout " : "‘" + shown_name() + "’ saved ") + sizes + "\n\n");
  if (options.noise == Noise::kBrief) fetcher_.SayBrief(Time() + " URL:" + url_ + " " + sizes + " -> \"" + (to_stdout ? "-" : shown_name()) + "\" [1]\n");
  if (!options.keeps_own_time && options.output.empty()) {
    if (const auto changed = ParseDate(FieldOfHead(head_, "Last-Modified"))) {
      file_.reset();
      [[maybe_unused]] const Status set = fetcher_.in_.fs.SetTimes(name_, *changed, *changed);
    }
  }
  return kOk;
}

ExitStatus Download::Attempt(HttpRequest& request, std::optional<std::string>* redirect, bool* is_passing) {
  const Options& options = fetcher_.options_;
  const Url url = Split(url_);
  head_.clear();
  has_answer_ = has_told_request_ = takes_body_ = is_open_ = false;
  received_ = 0;
  dots_.reset();
  file_.reset();
  is_kept_ = fetcher_.connected_to_ == url.host_and_port;
  const std::string who = IsAddress(url.host) ? url.host_and_port : url.host + " (" + url.host + ")" + url.host_and_port.substr(url.host.size());
  if (options.family != proc::AddressFamily::kAny && IsAddress(url.host) && IsOfOtherFamily(url.host, options.family)) {
    Say("failed: Address family for hostname not supported.\n");
    fetcher_.SayBrief("wget: unable to resolve host address ‘" + (url.host.starts_with('[') ? url.host.substr(1, url.host.size() - 2) : url.host) + "’\n");
    return kNetwork;
  }
  if (is_kept_) Say("Reusing existing connection to " + url.host_and_port + ".\n");
  else Say("Connecting to " + who + "... ");
  request.url = url_;
  if (!url.host_and_port.ends_with(url.scheme == "https" ? ":443" : ":80")) fetcher_.places_[url.host] = url.host_and_port;
  const HttpOutcome outcome = fetcher_.client_->Perform(request, *this);
  fetcher_.connected_to_.clear();
  if (outcome.error != 0) return Failed(outcome, is_passing);
  if (FieldOfHead(head_, "Connection") != "close") fetcher_.connected_to_ = url.host_and_port;
  if (code_ >= 300 && code_ < 400 && code_ != 304 && !outcome.redirect_url.empty()) {
    Say("Location: " + FieldOfHead(head_, "Location") + " [following]\n");
    *redirect = outcome.redirect_url;
    return kOk;
  }
  if (code_ == 304) was_current_ = true;
  if (code_ == 304) return Say("File ‘" + name_ + "’ not modified on server. Omitting download.\n\n"), kOk;
  if (code_ == 416) return Say("\n    The file is already fully retrieved; nothing to do.\n\n"), kOk;
  if (std::find(options.retried_codes.begin(), options.retried_codes.end(), code_) != options.retried_codes.end()) *is_passing = true;
  if (code_ >= 400 && !options.content_on_error) return ServerError();
  if (compared_ != nullptr) return Compare();
  if (options.spider) {
    Say(FieldOfHead(head_, "Content-Type").starts_with("text/html") ? "Remote file exists and could contain further links,\nbut recursion is disabled -- not retrieving.\n\n" : "Remote file exists.\n\n");
    if (options.noise == Noise::kBrief) fetcher_.SayBrief(Time() + " URL: " + url_ + " " + status_text_ + "\n");
    return kOk;
  }
  if (!takes_body_) return Say("\n"), kOk;
  if (!is_open_ && !Open()) {
    fetcher_.SayBrief(name_ + ": cannot be written\n");
    return kFiles;
  }
  const ExitStatus saved = Saved();
  return code_ >= 400 ? ServerError() : saved;
}

ExitStatus Download::Compare() {
  const auto changed = ParseDate(FieldOfHead(head_, "Last-Modified"));
  is_stale_ = true;
  if (!changed) {
    fetcher_.SayBrief("Last-modified header missing -- time-stamps turned off.\n");
  } else if (*changed > compared_->modify_time) {
    Say("Remote file is newer, retrieving.\n\n");
  } else if (length_ >= 0 && static_cast<uint64_t>(length_) != static_cast<uint64_t>(compared_->size)) {
    Say("The sizes do not match (local " + std::to_string(compared_->size) + ") -- retrieving.\n\n");
  } else {
    Say("Server file no newer than local file ‘" + name_ + "’ -- not retrieving.\n\n");
    is_stale_ = false;
    was_current_ = true;
  }
  return kOk;
}

bool Download::IsStale(HttpRequest request, const vfs::Attributes& local, ExitStatus* status) {
  compared_ = &local;
  request.kind = HttpRequest::Kind::kHead;
  *status = Run(std::move(request));
  compared_ = nullptr;
  return is_stale_;
}

ExitStatus Download::Run(HttpRequest request) {
  const Options& options = fetcher_.options_;
  url_ = first_url_;
  int64_t redirects = 0;
  for (int64_t tried = 1;; ++tried) {
    if (!request.range.empty()) resumed_at_ = std::atoll(request.range.c_str());
    if (options.spider && tried == 1 && redirects == 0) Say("Spider mode enabled. Check if remote file exists.\n");
    Say("--" + Time() + "--  " + (tried > 1 ? "(try:" + std::string(tried < 10 ? " " : "") + std::to_string(tried) + ")  " : "") + url_ + "\n");
    std::optional<std::string> redirect;
    bool is_passing = false;
    const ExitStatus status = Attempt(request, &redirect, &is_passing);
    if (redirect) {
      if (++redirects > options.max_redirects) {
        fetcher_.SayBrief(std::to_string(options.max_redirects) + " redirections exceeded.\n");
        return kServer;
      }
      if (code_ != 307 && code_ != 308 && request.kind == HttpRequest::Kind::kPost) {
        request.kind = HttpRequest::Kind::kGet;
        request.method.clear();
        request.body.clear();
        std::erase_if(request.headers, [](const std::string& header) { return header.starts_with("Content-Type:"); });
      }
      // Credentials are for the host that was named.
      if (Split(*redirect).host_and_port != Split(url_).host_and_port) request.user.reset();
      url_ = fetcher_.Upgraded(*redirect);
      if (options.trusts_redirects && options.output.empty()) name_ = fetcher_.FreeName(FileNameFor(options, url_));
      tried = 0;
      continue;
    }
    if (status == kOk || !is_passing) return status;
    if (options.tries > 0 && tried >= options.tries) {
      fetcher_.SayBrief("Giving up.\n\n");
      return code_ >= 400 ? kNetwork : status;
    }
    fetcher_.SayBrief("Retrying.\n\n");
    const Nanoseconds pause = std::min<Nanoseconds>(std::chrono::seconds(tried), options.wait_retry);
    if (!fetcher_.in_.kernel.Sleep(fetcher_.in_.process, Now() + pause)) return status;
  }
}

void Fetcher::KeepBackups(const std::string& name) {
  if (options_.backups <= 0 || !in_.fs.Stat(name)) return;
  for (int64_t number = options_.backups; number > 0; --number) {
    in_.budget.Step();
    const std::string from = number == 1 ? name : name + "." + std::to_string(number - 1);
    if (in_.fs.Stat(from, vfs::Follow::kNo)) [[maybe_unused]] const Status moved = in_.fs.Rename(from, name + "." + std::to_string(number));
  }
}

std::string Fetcher::FreeName(const std::string& name) const {
  if (options_.backups > 0 || (options_.is_recursive && !options_.no_directories) || options_.forces_directories) return name;
  std::string free = name;
  for (int number = 1; in_.fs.Stat(free, vfs::Follow::kNo); ++number) {
    in_.budget.Step();
    free = name + "." + std::to_string(number);
  }
  return free;
}

void Fetcher::ReadBody() {
  const auto& file = options_.post_file ? options_.post_file : options_.body_file;
  const auto& data = options_.post_data ? options_.post_data : options_.body_data;
  request_.method = options_.method;
  if (!file && !data) {
    if (options_.spider || options_.method == "HEAD") request_.kind = HttpRequest::Kind::kHead;
    return;
  }
  request_.kind = HttpRequest::Kind::kPost;
  if (data) {
    request_.body = *data;
  } else {
    auto content = vfs::ReadFile(in_.fs, *file, 256 << 20);
    if (content) request_.body = std::move(*content);
    else missing_body_ = "BODY data file ‘" + *file + "’ missing: " + std::string(content.error().Text()) + "\n";
  }
}

std::optional<ExitStatus> Fetcher::Prepare() {
  const std::string& log = options_.log.empty() ? options_.log_append : options_.log;
  if (!log.empty() && log != "-") {
    auto file = in_.fs.Open(log, options_.log.empty() ? vfs::OpenFlags::Append() : vfs::OpenFlags::Write());
    if (!file) {
      in_.err.Write(log + ": " + std::string(file.error().Text()) + "\n");
      return kGeneral;
    }
    log_file_ = std::move(*file);
    log_ = std::make_unique<Output>(*log_file_);
    log_->set_unbuffered(true);
  }
  ReadBody();
  if (!options_.output.empty() && !is_stdout()) {
    auto file = in_.fs.Open(options_.output, options_.continues ? vfs::OpenFlags::Append() : vfs::OpenFlags::Write());
    if (!file) {
      SayBrief(options_.output + ": " + std::string(file.error().Text()) + "\n");
      return kGeneral;
    }
    document_ = std::move(*file);
  }
  request_.user_agent = options_.user_agent;
  request_.referer = options_.referer;
  if (options_.compression.empty() || options_.compression == "none") request_.headers = {"Accept-Encoding: identity"};
  else request_.accept_encoding = "gzip";
  if (options_.closes_connections) request_.headers.emplace_back("Connection: Close");
  if (options_.no_cache) request_.headers.insert(request_.headers.end(), {"Cache-Control: no-cache", "Pragma: no-cache"});
  for (const std::string& header : options_.headers) request_.headers.push_back(header);
  if (!options_.user.empty() || !options_.password.empty()) {
    request_.user = options_.user + ":" + options_.password;
    request_.auth = options_.sends_auth_first ? proc::HttpAuth::kBasic : proc::HttpAuth::kAny;
  }
  request_.is_insecure = options_.is_insecure;
  request_.is_verbose = options_.debugs;
  request_.ignores_length = options_.ignores_length;
  if (options_.debugs) this->log().Write("DEBUG output created by Wget 1.21.3 (Paddock).\n\n");
  if (const auto ended = PrepareTls()) return ended;
  request_.most_bytes_a_second = options_.rate;
  request_.uses_cookies = !options_.refuses_cookies;
  if (!options_.load_cookies.empty()) {
    auto text = vfs::ReadFile(in_.fs, options_.load_cookies, 4 << 20);
    if (!text) SayBrief("Cannot open cookies file ‘" + options_.load_cookies + "’: " + std::string(text.error().Text()) + "\n");
    for (std::string_view rest = text ? std::string_view(*text) : std::string_view(); !rest.empty();) {
      in_.budget.Step();
      const size_t end = std::min(rest.find('\n'), rest.size());
      if (end > 0 && rest[0] != '#') {
        std::string line(rest.substr(0, end));
        // Its own files name the port, too. The last one is sent first.
        if (const size_t colon = line.find(':'); colon < line.find('\t')) line.erase(colon, line.find('\t') - colon);
        request_.cookies.insert(request_.cookies.begin(), std::move(line));
      }
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  if (!options_.has_no_hsts) {
    const auto home = in_.env.Get("HOME");
    if (!options_.hsts_file.empty()) hsts_.Read(in_, options_.hsts_file);
    else if (home) hsts_.Read(in_, vfs::JoinPath(*home, ".wget-hsts"));
  }
  request_.family = options_.family;
  request_.connect_timeout = options_.connect_timeout.count() > 0 ? options_.connect_timeout : options_.timeout;
  if (options_.dns_timeout.count() > 0 && (request_.connect_timeout.count() == 0 || options_.dns_timeout < request_.connect_timeout)) request_.connect_timeout = options_.dns_timeout;
  const Nanoseconds silence = options_.read_timeout.count() > 0 ? options_.read_timeout : options_.timeout;
  if (silence.count() > 0) {
    request_.low_speed_limit = 1;
    request_.low_speed_seconds = std::max<int64_t>(1, std::chrono::ceil<std::chrono::seconds>(silence).count());
  }
  proc::Network* const network = in_.kernel.network();
  if (network == nullptr) return in_.Fail("this sandbox has no network", kNetwork);
  auto client = network->NewHttpClient();
  if (!client) return in_.Fail(client.error().Text(), kGeneral);
  client_ = std::move(*client);
  return std::nullopt;
}

std::optional<ExitStatus> Fetcher::PrepareTls() {
  request_.least_tls = options_.least_tls;
  if (options_.has_forward_secrecy) request_.ciphers = "ECDHE:DHE:!aNULL";
  request_.is_certificate_der = options_.is_certificate_der;
  request_.is_key_der = options_.is_key_der;
  for (const auto& [path, into] : {std::pair(&options_.certificate, &request_.certificate), std::pair(&options_.private_key, &request_.private_key)}) {
    if (path->empty()) continue;
    auto bytes = vfs::ReadFile(in_.fs, *path, 4 << 20);
    if (!bytes) return in_.Fail(*path, bytes.error(), kGeneral);
    *into = std::move(*bytes);
  }
  if (!options_.pinned_key.empty() && !options_.pinned_key.starts_with("sha256//")) return in_.Fail("--pinnedpubkey: a hash is needed (sha256//…), not a file", kGeneral);
  request_.pinned_key = options_.pinned_key;
  if (!options_.ca_file.empty()) {
    auto pem = vfs::ReadFile(in_.fs, options_.ca_file, 4 << 20);
    request_.ca_pem = pem ? std::move(*pem) : "none\n";
  }
  if (options_.ca_directory.empty()) return std::nullopt;
  constexpr size_t kMostPem = 16 << 20;
  const auto entries = in_.fs.List(options_.ca_directory);
  for (const vfs::DirectoryEntry& entry : entries ? *entries : std::vector<vfs::DirectoryEntry>()) {
    in_.budget.Step();
    const auto pem = vfs::ReadFile(in_.fs, vfs::JoinPath(options_.ca_directory, entry.name), 1 << 20);
    if (pem && request_.ca_pem.size() + pem->size() < kMostPem) request_.ca_pem += *pem + "\n";
  }
  if (request_.ca_pem.empty()) request_.ca_pem = "none\n";
  return std::nullopt;
}

Fetcher::Got Fetcher::One(const std::string& given, const std::string& referer) {
  std::string url = given;
  const size_t scheme = url.find("://");
  if (scheme == std::string::npos) url = "http://" + url;
  else if (const std::string name = url.substr(0, scheme); name != "http" && name != "https") {
    SayBrief(given + ": Unsupported scheme ‘" + name + "’.\n");
    return {.status = kGeneral};
  }
  if (const Url parts = Split(url); parts.path.empty()) url += "/";
  url = Upgraded(url);
  if (!missing_body_.empty()) {
    Say("--" + TimeText(in_.clock.RealNow()) + "--  " + url + "\n");
    SayBrief(missing_body_);
    return {.status = kFiles};
  }
  HttpRequest request = request_;
  if (!referer.empty() && request.referer.empty()) request.referer = referer;
  if (options_.start_at > 0) request.range = std::to_string(options_.start_at) + "-";
  std::string name = FileNameFor(options_, url);
  const bool has_own_file = options_.output.empty() && !options_.spider;
  const auto facts = in_.fs.Stat(name);
  if (has_own_file && facts) {
    if (options_.no_clobber) {
      Say("File ‘" + name + "’ already there; not retrieving.\n\n");
      return {.status = kOk, .file = name, .url = url};
    }
    if (options_.continues) {
      if (facts->size > 0) request.range = std::to_string(facts->size) + "-";
    } else if (options_.timestamps && options_.asks_head_first) {
      Download probe(*this, url, name);
      ExitStatus status = kOk;
      if (!probe.IsStale(request, *facts, &status)) return {.status = status, .file = probe.file(), .url = probe.url(), .type = probe.type()};
    } else if (options_.timestamps) {
      std::tm parts{};
      const std::time_t seconds = std::chrono::duration_cast<std::chrono::seconds>(facts->modify_time).count();
      gmtime_r(&seconds, &parts);
      char text[64];
      std::strftime(text, sizeof text, "If-Modified-Since: %a, %d %b %Y %H:%M:%S GMT", &parts);
      request.headers.emplace_back(text);
    } else {
      name = FreeName(name);
    }
  }
  Download download(*this, url, name);
  Got got{.status = download.Run(std::move(request))};
  got.file = download.file();
  got.url = download.url();
  got.type = download.type();
  return got;
}

std::string Fetcher::Upgraded(const std::string& url) { return hsts_.Upgraded(url, std::chrono::duration_cast<std::chrono::seconds>(in_.clock.RealNow()).count()); }

void Fetcher::WriteLists() {
  hsts_.Save(in_);
  if (options_.save_cookies.empty() || client_ == nullptr) return;
  std::string text = "# HTTP Cookie File\n# Generated by Wget on " + log_prefix() + ".\n# Edit at your own risk.\n\n";
  for (std::string line : client_->Cookies()) {
    constexpr std::string_view kHttpOnly = "#HttpOnly_";
    if (line.starts_with(kHttpOnly)) line.erase(0, kHttpOnly.size());
    // The fifth field is the time at which it ends; 0: with the session.
    size_t field = 0;
    for (int i = 0; i < 4 && field != std::string::npos; ++i) field = line.find('\t', field + (i > 0 ? 1 : 0));
    const bool ends_with_session = field != std::string::npos && line.compare(field, 3, "\t0\t") == 0;
    if (const auto place = places_.find(line.substr(0, line.find('\t'))); place != places_.end()) line.replace(0, place->first.size(), place->second);
    if (!ends_with_session || options_.keeps_session_cookies) text += line + "\n";
  }
  if (const Status written = vfs::WriteFile(in_.fs, options_.save_cookies, text); !written) {
    SayBrief("Cannot open cookies file ‘" + options_.save_cookies + "’: " + std::string(written.error().Text()) + "\n");
  }
}

// The URLs of -i: lines, or with -F the links of a page.
void Fetcher::AddInput(std::vector<std::string>& urls) {
  const auto text = options_.input == "-" ? Result<std::string>(in_.in.ReadAll()) : vfs::ReadFile(in_.fs, options_.input, 64 << 20);
  if (!text) SayBrief(options_.input + ": " + std::string(text.error().Text()) + "\n");
  const size_t before = urls.size();
  if (text && options_.forces_html) {
    for (const Link& link : FindLinks(*text, false, options_, in_.budget)) {
      std::string url = Join(options_.base, link.target);
      if (url.find("://") != std::string::npos) urls.push_back(std::move(url));
    }
  }
  std::string_view rest = text && !options_.forces_html ? std::string_view(*text) : std::string_view();
  while (!rest.empty()) {
    in_.budget.Step();
    const size_t end = rest.find('\n');
    std::string line(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
    if (!line.empty()) urls.push_back(options_.base.empty() ? std::move(line) : Join(options_.base, line));
  }
  if (urls.size() == before) SayBrief("No URLs found in " + options_.input + ".\n");
}

ExitStatus Fetcher::Run(std::vector<std::string> urls) {
  if (const auto ended = Prepare()) return *ended;
  const size_t named = urls.size();
  if (!options_.input.empty()) AddInput(urls);
  ExitStatus worst = kOk;
  const auto keep_worst = [&](ExitStatus status) {
    // The lowest number is the most telling one.
    if (status != kOk && (worst == kOk || status < worst)) worst = status;
  };
  if (options_.is_recursive || options_.needs_requisites) {
    Crawl crawl(*this);
    for (const std::string& url : urls) {
      if (!AskPassword(url)) return kGeneral;
      keep_worst(crawl.Run(url));
    }
    crawl.Finish();
    WriteLists();
    return worst;
  }
  for (size_t i = 0; i < urls.size(); ++i) {
    if (i > 0 && !Pause()) break;
    if (i >= named && is_over_quota()) break;   // for the URLs of -i only
    if (!AskPassword(urls[i])) return kGeneral;
    const Got got = One(urls[i]);
    keep_worst(got.status);
    if (options_.deletes_after && !got.file.empty()) [[maybe_unused]] const Status gone = in_.fs.RemoveFile(got.file);
  }
  if (is_over_quota()) SayBrief("Download quota of " + Human(options_.quota) + " EXCEEDED!\n");
  WriteLists();
  return worst;
}

bool Fetcher::Pause() {
  Nanoseconds pause = options_.wait;
  // Between half and one and a half of it, by the clock's last digits.
  if (options_.waits_randomly) pause = pause / 2 + pause * (in_.clock.MonotonicNow().count() / 1000 % 1000) / 1000;
  return pause.count() <= 0 || in_.kernel.Sleep(in_.process, in_.clock.MonotonicNow() + pause).has_value();
}

ExitStatus Fetch(Invocation& in, const Options& options, std::vector<std::string> urls) { return Fetcher(in, options).Run(std::move(urls)); }

}  // namespace paddock::wget
