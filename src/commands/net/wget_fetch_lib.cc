#include <algorithm>
#include <chrono>
#include <ctime>

#include "commands/net/wget.h"
#include "proc/kernel.h"
#include "vfs/file_system.h"

namespace paddock::wget {
namespace {

using proc::HttpOutcome;
using proc::HttpRequest;

constexpr int kTimedOut = 28, kWriteError = 23, kCannotResolve = 6, kCannotConnect = 7, kBadCertificate = 60, kPartial = 18;
enum Exit { kOk = 0, kGeneral = 1, kFiles = 3, kNetwork = 4, kCertificate = 5, kAuthentication = 6, kServer = 8 };

struct Url {
  std::string scheme, host_and_port, host, path;   // the path with its query, without a fragment
};

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

bool IsAddress(const std::string& host) { return host.find_first_not_of("0123456789.") == std::string::npos || host.starts_with('['); }

std::string FieldOf(const std::vector<std::string>& head, std::string_view name) {
  for (const std::string& line : head) {
    if (line.size() <= name.size() || line[name.size()] != ':') continue;
    if (!std::equal(name.begin(), name.end(), line.begin(), [](char a, char b) { return std::tolower(a) == std::tolower(b); })) continue;
    const size_t first = line.find_first_not_of(" \t", name.size() + 1);
    return first == std::string::npos ? "" : line.substr(first, line.find_last_not_of(" \t\r\n") + 1 - first);
  }
  return "";
}

std::optional<Nanoseconds> ParseDate(const std::string& text) {
  std::tm parts{};
  if (strptime(text.c_str(), "%a, %d %b %Y %H:%M:%S", &parts) == nullptr) return std::nullopt;
  return std::chrono::seconds(timegm(&parts));
}

class Fetcher {
 public:
  Fetcher(Invocation& in, const Options& options) : in_(in), options_(options) {}
  ExitStatus Run(std::vector<std::string> urls);

  // For Download.
  void Say(const std::string& text) {
    if (options_.noise == Noise::kNormal) log().Write(text);
  }
  void SayBrief(const std::string& text) {
    if (options_.noise != Noise::kQuiet) log().Write(text);
  }
  Output& log() { return log_ ? *log_ : in_.err; }
  Invocation& in() { return in_; }
  const Options& options() const { return options_; }
  vfs::OpenFile* document() { return document_.get(); }
  bool is_stdout() const { return options_.output == "-"; }

 private:
  ExitStatus One(const std::string& url);
  std::optional<ExitStatus> Prepare();
  void ReadBody();
  std::string NameFor(const std::string& url) const;
  // A name that no file has: NAME, NAME.1, …
  std::string FreeName(const std::string& name) const;

  Invocation& in_;
  const Options& options_;
  HttpRequest request_;
  std::unique_ptr<proc::HttpClient> client_;
  vfs::OpenFilePtr log_file_, document_;
  std::unique_ptr<Output> log_;
  std::string missing_body_;   // the complaint about a body that cannot be read
  std::string connected_to_;   // host and port of the connection that is kept
  friend class Download;
};

// One URL, and its redirects, until its bytes are in a file.
class Download final : public proc::HttpObserver {
 public:
  Download(Fetcher& fetcher, std::string first_url, std::string name) : fetcher_(fetcher), first_url_(std::move(first_url)), name_(std::move(name)) {}
  ExitStatus Run(HttpRequest request);

  Status OnHeader(std::string_view line) override {
    if (line.starts_with("HTTP/") || head_.empty()) {
      head_.clear();
      if (!has_answer_) Say(is_kept_ ? "" : "connected.\n"), Say("HTTP request sent, awaiting response... ");
      has_answer_ = true;
    }
    if (line != "\r\n" && line != "\n") {
      head_.emplace_back(line);
      return {};
    }
    return EndOfHead();
  }
  Status OnBody(std::string_view bytes) override {
    if (!takes_body_) return {};
    if (!is_open_) PADDOCK_TRY(Open());
    if (dots_) dots_->Add(static_cast<int64_t>(bytes.size()), Now());
    received_ += static_cast<int64_t>(bytes.size());
    if (fetcher_.is_stdout()) {
      fetcher_.in().out.Write(bytes);
      return fetcher_.in().out.status();
    }
    return (file_ ? file_.get() : fetcher_.document())->Write(bytes);
  }

 private:
  void Say(const std::string& text) { fetcher_.Say(text); }
  Nanoseconds Now() const { return fetcher_.in_.clock.MonotonicNow(); }
  std::string Time() const { return TimeText(fetcher_.in_.clock.RealNow()); }
  Status EndOfHead();
  Status Open();
  void SayLength();
  ExitStatus Attempt(HttpRequest& request, std::optional<std::string>* redirect, bool* is_passing);
  ExitStatus Failed(const HttpOutcome& outcome, bool* is_passing);
  ExitStatus ServerError();
  ExitStatus Saved();
  std::string shown_name() const { return fetcher_.is_stdout() ? "STDOUT" : fetcher_.document() != nullptr ? fetcher_.options_.output : name_; }

  Fetcher& fetcher_;
  const std::string first_url_;
  std::string name_, url_;
  std::vector<std::string> head_;
  bool has_answer_ = false, is_kept_ = false, takes_body_ = false, is_open_ = false;
  int code_ = 0;
  std::string status_text_;
  int64_t length_ = -1, received_ = 0, resumed_at_ = 0;
  Nanoseconds begun_{0};
  vfs::OpenFilePtr file_;
  std::optional<Dots> dots_;
};

Status Download::EndOfHead() {
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
  const std::string length = FieldOf(head_, "Content-Length");
  length_ = length.empty() ? -1 : std::atoll(length.c_str());
  if (resumed_at_ > 0 && code_ != 206) resumed_at_ = 0;
  takes_body_ = !fetcher_.options_.spider && ((code_ >= 200 && code_ < 300 && code_ != 204) || (code_ >= 400 && fetcher_.options_.content_on_error));
  if (fetcher_.options_.content_disposition && fetcher_.options_.output.empty() && takes_body_) {
    const std::string field = FieldOf(head_, "Content-Disposition");
    if (const size_t at = field.find("filename="); at != std::string::npos) {
      std::string name = field.substr(at + 9);
      name = name.starts_with('"') ? name.substr(1, name.find('"', 1) - 1) : name.substr(0, name.find(';'));
      name = name.substr(name.find_last_of("/\\") + 1);
      if (!name.empty() && name != "." && name != "..") name_ = fetcher_.FreeName(fetcher_.options_.prefix.empty() ? name : vfs::JoinPath(fetcher_.options_.prefix, name));
    }
  }
  if (takes_body_ || fetcher_.options_.spider) {
    if (code_ < 400) SayLength();
  }
  if (takes_body_) {
    Say("Saving to: ‘" + shown_name() + "’\n");
    if (fetcher_.options_.noise == Noise::kNormal) dots_.emplace(fetcher_.log(), length_);
    begun_ = Now();
  }
  return {};
}

void Download::SayLength() {
  std::string text = "Length: ";
  const int64_t whole = length_ < 0 ? -1 : length_ + resumed_at_;
  if (whole < 0) {
    text += "unspecified";
  } else {
    text += std::to_string(whole) + (whole >= 1024 ? " (" + Human(whole) + ")" : "");
    if (resumed_at_ > 0) text += ", " + std::to_string(length_) + (length_ >= 1024 ? " (" + Human(length_) + ")" : "") + " remaining";
  }
  std::string type = FieldOf(head_, "Content-Type");
  type = type.substr(0, type.find_first_of("; "));
  Say(text + (type.empty() ? "" : " [" + type + "]") + "\n");
}

Status Download::Open() {
  is_open_ = true;
  if (fetcher_.is_stdout() || fetcher_.document() != nullptr) return {};
  const std::string directory = vfs::DirectoryName(name_);
  if (directory != ".") PADDOCK_TRY(vfs::MakeDirectories(fetcher_.in_.fs, directory));
  PADDOCK_ASSIGN(file_, fetcher_.in_.fs.Open(name_, resumed_at_ > 0 ? vfs::OpenFlags::Append() : vfs::OpenFlags::Write()));
  return {};
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
      fetcher_.SayBrief("ERROR: cannot verify " + url.host + "'s certificate: " + outcome.message + "\nTo connect to " + url.host +
                        " insecurely, use `--no-check-certificate'.\n");
      return kCertificate;
    case kPartial:
    case kTimedOut:
      *is_passing = true;
      if (dots_ && is_open_) dots_->Finish(Now());
      if (!has_answer_) fetcher_.SayBrief("failed: Connection timed out.\n");
      else if (outcome.error == kTimedOut) fetcher_.SayBrief(Time() + " (" + Speed(received_, Now() - begun_) + ") - Read error at byte " + std::to_string(received_) + "/" + std::to_string(length_) + " (Connection timed out). ");
      else fetcher_.SayBrief(Time() + " (" + Speed(received_, Now() - begun_) + ") - Connection closed at byte " + std::to_string(received_) + ". ");
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
  Say(Time() + " (" + Speed(received_, Now() - begun_) + ") - " + (to_stdout ? "written to stdout " : "‘" + shown_name() + "’ saved ") + sizes + "\n\n");
  if (options.noise == Noise::kBrief) fetcher_.SayBrief(Time() + " URL:" + url_ + " " + sizes + " -> \"" + (to_stdout ? "-" : shown_name()) + "\" [1]\n");
  if (!options.keeps_own_time && options.output.empty()) {
    if (const auto changed = ParseDate(FieldOf(head_, "Last-Modified"))) {
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
  has_answer_ = takes_body_ = is_open_ = false;
  received_ = 0;
  dots_.reset();
  file_.reset();
  is_kept_ = fetcher_.connected_to_ == url.host_and_port;
  const std::string who = IsAddress(url.host) ? url.host_and_port : url.host + " (" + url.host + ")" + url.host_and_port.substr(url.host.size());
  if (is_kept_) Say("Reusing existing connection to " + url.host_and_port + ".\n");
  else Say("Connecting to " + who + "... ");
  request.url = url_;
  const HttpOutcome outcome = fetcher_.client_->Perform(request, *this);
  fetcher_.connected_to_.clear();
  if (outcome.error != 0) return Failed(outcome, is_passing);
  if (FieldOf(head_, "Connection") != "close") fetcher_.connected_to_ = url.host_and_port;
  if (code_ >= 300 && code_ < 400 && code_ != 304 && !outcome.redirect_url.empty()) {
    Say("Location: " + FieldOf(head_, "Location") + " [following]\n");
    *redirect = outcome.redirect_url;
    return kOk;
  }
  if (code_ == 304) return Say("File ‘" + name_ + "’ not modified on server. Omitting download.\n\n"), kOk;
  if (code_ == 416) return Say("\n    The file is already fully retrieved; nothing to do.\n\n"), kOk;
  if (code_ >= 400 && !options.content_on_error) return ServerError();
  if (options.spider) {
    Say(FieldOf(head_, "Content-Type").starts_with("text/html") ? "Remote file exists and could contain further links,\nbut recursion is disabled -- not retrieving.\n\n" : "Remote file exists.\n\n");
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
      url_ = *redirect;
      tried = 0;
      continue;
    }
    if (status == kOk || !is_passing) return status;
    if (options.tries > 0 && tried >= options.tries) {
      fetcher_.SayBrief("Giving up.\n\n");
      return status;
    }
    fetcher_.SayBrief("Retrying.\n\n");
    const Nanoseconds pause = std::chrono::seconds(std::min<int64_t>(tried, 10));
    if (!fetcher_.in_.kernel.Sleep(fetcher_.in_.process, Now() + pause)) return status;
  }
}

std::string Fetcher::NameFor(const std::string& url) const {
  std::string path = Split(url).path;
  std::string name = path.substr(0, path.find('?'));
  name = name.substr(name.rfind('/') + 1);
  if (name.empty()) name = options_.default_page;
  if (const size_t query = path.find('?'); query != std::string::npos) {
    for (const char c : path.substr(query)) name += c == '/' ? std::string("%2F") : std::string(1, c);
  }
  if (name == "..") name = "%2E%2E";
  if (name == ".") name = "%2E";
  return options_.prefix.empty() ? name : vfs::JoinPath(options_.prefix, name);
}

std::string Fetcher::FreeName(const std::string& name) const {
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
  request_.headers = {"Accept-Encoding: identity"};
  if (options_.no_cache) request_.headers.insert(request_.headers.end(), {"Cache-Control: no-cache", "Pragma: no-cache"});
  for (const std::string& header : options_.headers) request_.headers.push_back(header);
  if (!options_.user.empty() || !options_.password.empty()) {
    request_.user = options_.user + ":" + options_.password;
    request_.auth = proc::HttpAuth::kAny;
  }
  request_.is_insecure = options_.is_insecure;
  request_.most_bytes_a_second = options_.rate;
  request_.uses_cookies = true;
  request_.connect_timeout = options_.connect_timeout.count() > 0 ? options_.connect_timeout : options_.timeout;
  if (options_.timeout.count() > 0) {
    request_.low_speed_limit = 1;
    request_.low_speed_seconds = std::max<int64_t>(1, std::chrono::ceil<std::chrono::seconds>(options_.timeout).count());
  }
  if (!options_.ca_file.empty()) {
    auto pem = vfs::ReadFile(in_.fs, options_.ca_file, 4 << 20);
    request_.ca_pem = pem ? std::move(*pem) : "none\n";
  }
  proc::Network* const network = in_.kernel.network();
  if (network == nullptr) return in_.Fail("this sandbox has no network", kNetwork);
  auto client = network->NewHttpClient();
  if (!client) return in_.Fail(client.error().Text(), kGeneral);
  client_ = std::move(*client);
  return std::nullopt;
}

ExitStatus Fetcher::One(const std::string& given) {
  std::string url = given;
  const size_t scheme = url.find("://");
  if (scheme == std::string::npos) url = "http://" + url;
  else if (const std::string name = url.substr(0, scheme); name != "http" && name != "https") {
    SayBrief(given + ": Unsupported scheme ‘" + name + "’.\n");
    return kGeneral;
  }
  if (const Url parts = Split(url); parts.path.empty()) url += "/";
  if (!missing_body_.empty()) {
    Say("--" + TimeText(in_.clock.RealNow()) + "--  " + url + "\n");
    SayBrief(missing_body_);
    return kFiles;
  }
  HttpRequest request = request_;
  std::string name = NameFor(url);
  const bool has_own_file = options_.output.empty() && !options_.spider;
  const auto facts = in_.fs.Stat(name);
  if (has_own_file && facts) {
    if (options_.no_clobber) {
      Say("File ‘" + name + "’ already there; not retrieving.\n\n");
      return kOk;
    }
    if (options_.continues) {
      if (facts->size > 0) request.range = std::to_string(facts->size) + "-";
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
  return Download(*this, url, name).Run(std::move(request));
}

ExitStatus Fetcher::Run(std::vector<std::string> urls) {
  if (const auto ended = Prepare()) return *ended;
  if (!options_.input.empty()) {
    const auto text = options_.input == "-" ? Result<std::string>(in_.in.ReadAll()) : vfs::ReadFile(in_.fs, options_.input, 64 << 20);
    if (!text) SayBrief(options_.input + ": " + std::string(text.error().Text()) + "\n");
    const size_t before = urls.size();
    std::string_view rest = text ? std::string_view(*text) : std::string_view();
    while (!rest.empty()) {
      in_.budget.Step();
      const size_t end = rest.find('\n');
      std::string line(rest.substr(0, end));
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
      while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
      if (!line.empty()) urls.push_back(std::move(line));
    }
    if (urls.size() == before) {
      SayBrief("No URLs found in " + options_.input + ".\n");
      if (urls.empty()) return kOk;
    }
  }
  ExitStatus worst = kOk;
  for (size_t i = 0; i < urls.size(); ++i) {
    if (i > 0 && options_.wait.count() > 0 && !in_.kernel.Sleep(in_.process, in_.clock.MonotonicNow() + options_.wait)) break;
    const ExitStatus status = One(urls[i]);
    // The lowest number is the most telling one.
    if (status != kOk && (worst == kOk || status < worst)) worst = status;
  }
  return worst;
}

}  // namespace

ExitStatus Fetch(Invocation& in, const Options& options, std::vector<std::string> urls) { return Fetcher(in, options).Run(std::move(urls)); }

}  // namespace paddock::wget
