#include <algorithm>
#include <chrono>
#include <cstdio>

#include "commands/file_facts.h"
#include "commands/net/curl.h"
#include "commands/net/progress.h"
#include "proc/kernel.h"
#include "text/date/time_format.h"
#include "text/date/time_format.h"
#include "vfs/file_system.h"

namespace paddock::curl {
namespace {

using proc::HttpOutcome;
using proc::HttpRequest;

// Errors of libcurl's that this file speaks of.
constexpr int kMalformedUrl = 3, kCannotConnect = 7, kCannotResolve = 6, kHttpError = 22, kWriteError = 23, kReadError = 26, kTimedOut = 28;

// Where the bytes of one transfer go.
class Answer final : public proc::HttpObserver {
 public:
  Answer(Invocation& in, const Options& options, Output& messages, Output* heads, bool shows_meter)
      : in_(in), options_(options), messages_(messages), heads_(heads), meter_(messages, options.bar), shows_meter_(shows_meter) {}

  // Empty: standard output.
  void SetFile(std::string path, bool appends, bool takes_header_name) {
    path_ = std::move(path);
    appends_ = appends;
    takes_header_name_ = takes_header_name;
  }
  void SetUpload(vfs::OpenFilePtr file) { upload_ = std::move(file); }

  Status OnHeader(std::string_view line) override {
    if (line.starts_with("HTTP/")) header_lines.clear();
    header_lines.emplace_back(line);
    if (heads_ != nullptr) heads_->Write(line);
    if (takes_header_name_) NoteName(line);
    if (options_.include || options_.head) return Write(line);
    return {};
  }
  Status OnBody(std::string_view bytes) override { return Write(bytes); }
  void OnDebug(Debug kind, std::string_view text) override {
    if (!options_.trace_file.empty()) {
      trace_->Write(Moment() + TraceText(kind, text, options_.traces_in_hexadecimal));
      trace_->Flush();
      return;
    }
    if (kind == Debug::kText) return messages_.Write(Moment() + "* " + std::string(text) + "\n");
    const std::string mark = Moment() + (kind == Debug::kHeadIn ? "< " : "> ");
    while (!text.empty()) {
      const size_t end = text.find('\n');
      messages_.Write(mark + std::string(text.substr(0, end)) + "\n");
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
  }
  Result<std::string> ReadUpload(size_t most) override {
    if (!upload_) return Code::kBadDescriptor;
    PADDOCK_ASSIGN(const Block block, upload_->ReadBlock(most));
    return std::string(block.bytes);
  }
  void OnProgress(const Progress& progress) override {
    if (shows_meter_) meter_.Show(progress, in_.clock.MonotonicNow());
  }
  void Begin() {
    if (shows_meter_) meter_.Begin(in_.clock.MonotonicNow());
  }
  void set_trace(Output* trace) { trace_ = trace; }
  // At the end of a transfer that went well a file is there, even an empty one.
  Status Finish(const HttpOutcome& outcome) {
    if (shows_meter_) meter_.Finish({.download_total = outcome.content_length, .downloaded = outcome.downloaded, .upload_total = outcome.uploaded, .uploaded = outcome.uploaded},
                                    in_.clock.MonotonicNow());
    if (outcome.error == 0 && !path_.empty() && !file_ && !is_refused_) PADDOCK_TRY(Open());
    if (path_.empty()) in_.out.Flush();
    return {};
  }
  void Remove() {
    if (!file_) return;
    file_.reset();
    [[maybe_unused]] const Status ignored = in_.fs.RemoveFile(path_);
  }
  // Takes back what was written, for another try.
  void StartAgain() {
    if (file_) {
      [[maybe_unused]] const Status cut = file_->Truncate(first_size_);
      [[maybe_unused]] const auto sought = file_->Seek(static_cast<int64_t>(first_size_), vfs::Whence::kStart);
    }
    header_lines.clear();
  }
  const std::string& path() const { return path_; }
  bool has_written() const { return has_written_; }

  std::vector<std::string> header_lines;   // of the last head

 private:
  Status Write(std::string_view bytes) {
    if (bytes.empty()) return {};
    has_written_ = true;
    if (path_.empty()) {
      in_.out.Write(bytes);
      return options_.unbuffered ? in_.out.Flush() : in_.out.status();
    }
    if (!file_) PADDOCK_TRY(Open());
    return file_->Write(bytes);
  }

  Status Open() {
    std::string path = path_;
    vfs::OpenFlags flags = appends_ ? vfs::OpenFlags::Append() : vfs::OpenFlags::Write();
    flags.exclusive = options_.no_clobber || takes_header_name_;
    auto opened = in_.fs.Open(path, flags);
    for (int number = 1; !opened && opened.error().code == Code::kExists && options_.no_clobber && number < 100; ++number) {
      path_ = path + "." + std::to_string(number);
      opened = in_.fs.Open(path_, flags);
    }
    if (!opened) {
      is_refused_ = true;
      if (!options_.silent) {
        messages_.Write("Warning: Failed to open the file " + path_ + ": " + std::string(opened.error().Text()) + "\n");
      }
      return opened.error();
    }
    file_ = std::move(*opened);
    if (appends_) {
      if (const auto facts = file_->GetAttributes()) first_size_ = facts->size;
    }
    return {};
  }

  // Content-Disposition: attachment; filename="x": the last component of x.
  void NoteName(std::string_view line) {
    constexpr std::string_view kField = "content-disposition:";
    if (line.size() < kField.size() || !std::equal(kField.begin(), kField.end(), line.begin(), [](char a, char b) { return a == std::tolower(b); })) return;
    const size_t at = line.find("filename=");
    if (at == std::string_view::npos) return;
    std::string_view name = line.substr(at + 9);
    name = name.starts_with('"') ? name.substr(1, name.find('"', 1) - 1) : name.substr(0, name.find_first_of(";\r\n"));
    if (const size_t slash = name.find_last_of("/\\"); slash != std::string_view::npos) name.remove_prefix(slash + 1);
    if (name.empty() || name == "." || name == ".." || name.find('\0') != std::string_view::npos) return;
    path_ = options_.output_dir.empty() ? std::string(name) : vfs::JoinPath(options_.output_dir, name);
  }

  Invocation& in_;
  const Options& options_;
  // --trace-time: the time of day.
  std::string Moment() const {
    if (!options_.tells_time) return {};
    const Nanoseconds now = in_.clock.RealNow();
    const TimePoint moment = ToTimePoint(now);
    char text[40];
    const CalendarTime time = LocalZone(in_.env).ToLocal(moment.seconds);
    std::snprintf(text, sizeof text, "%02d:%02d:%02d.%06lld ", static_cast<int>(time.hour), static_cast<int>(time.minute), static_cast<int>(time.second),
                  static_cast<long long>(now.count() % 1'000'000'000 / 1000));
    return text;
  }

  Output* trace_ = nullptr;
  Output& messages_;
  Output* heads_;
  Meter meter_;
  const bool shows_meter_;
  std::string path_;
  bool appends_ = false, takes_header_name_ = false, has_written_ = false, is_refused_ = false;
  uint64_t first_size_ = 0;
  vfs::OpenFilePtr file_, upload_;
};

// The steps of one command line; its members live as long as all transfers.
class Session {
 public:
  Session(Invocation& in, const Options& options) : in_(in), options_(options) {}
  ExitStatus Run();

 private:
  ExitStatus RunOne(const GlobbedUrl& url, const Sink& sink, const std::string& upload);
  ExitStatus Attempt(HttpRequest& request, Answer& answer, const std::string& url);
  std::string InterfaceProblem() const;
  std::optional<ExitStatus> MakeRequest();
  void AddHeaders();     // of -H, and of the files that it names
  void CopyOptions();    // what the request takes over as it was given
  void ReadKeys();       // authorities, the certificate and its key
  void ReadWriteOut();   // the text of -w
  std::optional<ExitStatus> MakeAnswer(const GlobbedUrl& url, const Sink& sink, Answer& answer, HttpRequest* request);
  std::optional<ExitStatus> SetUpload(const std::string& upload, Answer& answer, HttpRequest* request);
  std::optional<ExitStatus> OpenMessages();
  std::optional<ExitStatus> OpenHeads();
  void OpenTrace();
  void AddCookies(const std::string& item);
  void SaveCookies();
  void ReadHsts();
  void SaveHsts();
  int64_t Seconds() const { return std::chrono::duration_cast<std::chrono::seconds>(in_.clock.RealNow()).count(); }
  // Nothing when another try is of no use, else why and after what time.
  std::optional<std::pair<std::string, Nanoseconds>> WhyAgain(const HttpOutcome& outcome, int64_t tried) const;
  ExitStatus Fail(int status, const std::string& message) {
    if (!options_.silent || options_.show_error) messages().Write("curl: (" + std::to_string(status) + ") " + message + "\n");
    return status;
  }
  Output& messages() { return messages_ != nullptr ? *messages_ : in_.err; }

  Invocation& in_;
  const Options& options_;
  HttpRequest request_;
  std::string query_, write_out_;
  std::unique_ptr<proc::HttpClient> client_;
  vfs::OpenFilePtr messages_file_, heads_file_;
  std::unique_ptr<Output> messages_, heads_output_, trace_output_;
  vfs::OpenFilePtr trace_file_;
  Output* trace_ = nullptr;
  Output* heads_ = nullptr;
  size_t url_number_ = 0;
  Alternatives alternatives_;   // --alt-svc
  bool lacks_certificate_ = false;   // nor that of --cert or --key
  Nanoseconds last_begun_{0};
  bool lacks_authorities_ = false;   // the file of --cacert cannot be read
};

std::optional<ExitStatus> Session::OpenMessages() {
  if (options_.stderr_file.empty() || options_.stderr_file == "-") {
    if (options_.stderr_file == "-") {
      messages_ = std::make_unique<Output>(*in_.process.descriptors().Get(1));
      messages_->set_unbuffered(true);
    }
    return std::nullopt;
  }
  auto file = in_.fs.Open(options_.stderr_file, vfs::OpenFlags::Write());
  if (!file) {
    in_.err.Write("Warning: Failed to open " + options_.stderr_file + "!\n");
    return std::nullopt;
  }
  messages_file_ = std::move(*file);
  messages_ = std::make_unique<Output>(*messages_file_);
  messages_->set_unbuffered(true);
  return std::nullopt;
}

void Session::OpenTrace() {
  if (options_.trace_file.empty()) return;
  trace_ = options_.trace_file == "-" ? &in_.out : &messages();
  if (options_.trace_file == "-" || options_.trace_file == "%") return;
  auto file = in_.fs.Open(options_.trace_file, vfs::OpenFlags::Write());
  if (!file) return messages().Write("Warning: Failed to create/open output\n");   // and it goes to standard error
  trace_file_ = std::move(*file);
  trace_output_ = std::make_unique<Output>(*trace_file_);
  trace_ = trace_output_.get();
}

std::optional<ExitStatus> Session::OpenHeads() {
  OpenTrace();
  if (options_.dump_header.empty()) return std::nullopt;
  heads_ = &in_.out;
  if (options_.dump_header == "-") return std::nullopt;
  auto file = in_.fs.Open(options_.dump_header, vfs::OpenFlags::Write());
  if (!file) {
    messages().Write("Warning: Failed to open " + options_.dump_header + "\n");
    return Fail(kWriteError, "Failed writing received data to disk/application");
  }
  heads_file_ = std::move(*file);
  heads_output_ = std::make_unique<Output>(*heads_file_);
  heads_ = heads_output_.get();
  return std::nullopt;
}

// "name=value; …" is sent as it is, another text is a file of cookies.
void Session::AddCookies(const std::string& item) {
  request_.uses_cookies = true;
  if (item.find('=') != std::string::npos) {
    request_.cookie += (request_.cookie.empty() ? "" : "; ") + item;
    return;
  }
  if (item.empty()) return;
  const auto content = item == "-" ? Result<std::string>(in_.in.ReadAll()) : vfs::ReadFile(in_.fs, item, 10 << 20);
  if (!content) return;
  std::string_view rest = *content;
  while (!rest.empty()) {
    in_.budget.Step();
    const size_t end = rest.find('\n');
    std::string line(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    while (!line.empty() && (line.back() == '\r' || line.back() == '\n')) line.pop_back();
    // No word that is a command to libcurl's list.
    const bool is_cookie = line.find('\t') != std::string::npos || line.starts_with("Set-Cookie:");
    if (is_cookie && (!line.starts_with('#') || line.starts_with("#HttpOnly_"))) request_.cookies.push_back(std::move(line));
  }
}

void Session::SaveCookies() {
  if (options_.cookie_jar.empty() || client_ == nullptr) return;
  std::string text = "# Netscape HTTP Cookie File\n# https://curl.se/docs/http-cookies.html\n# This file was generated by libcurl! Edit at your own risk.\n\n";
  std::vector<std::string> cookies = client_->Cookies();
  std::reverse(cookies.begin(), cookies.end());   // the newest first
  for (const std::string& cookie : cookies) text += cookie + "\n";
  if (options_.cookie_jar == "-") {
    in_.out.Write(text);
  } else if (const Status written = vfs::WriteFile(in_.fs, options_.cookie_jar, text); !written && options_.verbose) {
    messages().Write("* WARNING: failed to save cookies in " + options_.cookie_jar + ": " + std::string(written.error().Text()) + "\n");
  }
}

// Lines of a file of --hsts: a host, with a dot in front where its subdomains are meant, too, and when that ends.
void Session::ReadHsts() {
  if (options_.hsts_file.empty()) return;
  request_.uses_hsts = true;
  const auto content = vfs::ReadFile(in_.fs, options_.hsts_file, 10 << 20);
  std::string_view rest = content ? std::string_view(*content) : std::string_view();
  constexpr size_t kMostHosts = 10000, kLongestHost = 256;
  while (!rest.empty() && request_.hsts.size() < kMostHosts) {
    in_.budget.Step();
    const size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    while (line.starts_with(' ') || line.starts_with('\t')) line.remove_prefix(1);
    const size_t quote = line.find(" \"");
    if (line.starts_with('#') || quote == std::string_view::npos || line.find('"', quote + 2) == std::string_view::npos) continue;
    std::string_view host = line.substr(0, quote);
    const std::string_view expires = line.substr(quote + 2, line.find('"', quote + 2) - quote - 2);
    const bool has_subdomains = host.starts_with('.');
    if (has_subdomains) host.remove_prefix(1);
    if (!host.empty() && host.size() <= kLongestHost) request_.hsts.push_back({std::string(host), has_subdomains, expires == "unlimited" ? "" : std::string(expires)});
  }
}

void Session::SaveHsts() {
  if (options_.hsts_file.empty() || client_ == nullptr) return;
  std::string text = "# Your HSTS cache. https://curl.se/docs/hsts.html\n# This file was generated by libcurl! Edit at your own risk.\n";
  for (const proc::HstsEntry& entry : client_->TakeHsts()) {
    text += (entry.has_subdomains ? "." : "") + entry.host + " \"" + (entry.expires.empty() ? "unlimited" : entry.expires) + "\"\n";
  }
  [[maybe_unused]] const Status written = vfs::WriteFile(in_.fs, options_.hsts_file, text);   // as libcurl, which tells nobody
}

void Session::AddHeaders() {
  for (const std::string& header : options_.headers) {
    if (!header.starts_with('@')) {
      request_.headers.push_back(header);
      continue;
    }
    const auto content = header == "@-" ? Result<std::string>(in_.in.ReadAll()) : vfs::ReadFile(in_.fs, header.substr(1), 1 << 20);
    if (!content) {
      messages().Write("Warning: Failed to open " + header.substr(1) + "!\n");
      continue;
    }
    std::string_view rest = *content;
    while (!rest.empty()) {
      in_.budget.Step();
      const size_t end = rest.find('\n');
      std::string line(rest.substr(0, end));
      if (line.ends_with('\r')) line.pop_back();
      if (!line.empty()) request_.headers.push_back(std::move(line));
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
  }
}

void Session::CopyOptions() {
  request_.method = options_.method;
  request_.user_agent = options_.user_agent;
  request_.referer = options_.referer;
  if (request_.referer.ends_with(";auto")) {
    request_.sets_referer = true;
    request_.referer.resize(request_.referer.size() - 5);
  }
  for (const std::string& item : options_.cookies) AddCookies(item);
  if (!options_.cookie_jar.empty()) request_.uses_cookies = true;
  request_.forgets_session_cookies = options_.junk_session;
  request_.range = options_.range;
  if (options_.compressed) request_.accept_encoding = "*";
  if (options_.user) request_.user = options_.user->find(':') == std::string::npos ? *options_.user + ":" : *options_.user;
  request_.auth = options_.auth;
  request_.bearer = options_.bearer;
  request_.target = options_.target;
  request_.aws_signature = options_.aws_signature;
  request_.is_certificate_der = options_.is_certificate_der;
  request_.is_key_der = options_.is_key_der;
  request_.pinned_key = options_.pinned_key;
  request_.version = options_.http_version;
  request_.follows = options_.follow || options_.trusted;
  request_.sends_auth_everywhere = options_.trusted;
  request_.keeps_post[0] = options_.post301;
  request_.keeps_post[1] = options_.post302;
  request_.keeps_post[2] = options_.post303;
  request_.fails_on_error = options_.fail;
  request_.is_insecure = options_.insecure;
  request_.keeps_path = options_.path_as_is;
  request_.is_verbose = options_.verbose || !options_.trace_file.empty();
  request_.traces_data = !options_.trace_file.empty();
  request_.family = options_.family;
  request_.connect_to = options_.connect_to;
  request_.key_password = options_.key_password;
  request_.curves = options_.curves;
  request_.has_alpn = !options_.lacks_alpn;
  request_.checks_status = options_.checks_status;
  request_.escapes_form = options_.escapes_form;
  request_.max_redirects = options_.max_redirects;
  request_.max_file_size = options_.max_file_size;
  request_.most_bytes_a_second = options_.most_bytes_a_second;
  request_.low_speed_limit = options_.low_speed_limit;
  request_.low_speed_seconds = options_.low_speed_seconds;
  request_.connect_timeout = options_.connect_timeout;
  request_.timeout = options_.max_time;
  request_.is_raw = options_.is_raw;
  request_.ignores_length = options_.ignores_length;
  request_.refuses_user_in_url = options_.refuses_user_in_url;
  request_.least_tls = options_.least_tls;
  request_.most_tls = options_.most_tls;
  request_.ciphers = options_.ciphers;
  request_.tls13_ciphers = options_.tls13_ciphers;
  request_.protocols = options_.protocols;
  request_.redirect_protocols = options_.redirect_protocols;
  request_.default_protocol = options_.default_protocol;
  request_.expect_timeout = options_.expect_timeout;
}

void Session::ReadKeys() {
  if (!options_.cacert.empty()) {
    auto pem = vfs::ReadFile(in_.fs, options_.cacert, 4 << 20);
    if (pem) request_.ca_pem = std::move(*pem);
    else lacks_authorities_ = true;
  }
  for (const auto& [name, member] : {std::pair(&options_.certificate, &HttpRequest::certificate), std::pair(&options_.private_key, &HttpRequest::private_key)}) {
    if (name->empty()) continue;
    auto pem = vfs::ReadFile(in_.fs, *name, 4 << 20);
    if (pem) request_.*member = std::move(*pem);
    else lacks_certificate_ = true;
  }
}

void Session::ReadWriteOut() {
  if (options_.write_out.starts_with('@')) {
    auto format = options_.write_out == "@-" ? Result<std::string>(in_.in.ReadAll()) : vfs::ReadFile(in_.fs, options_.write_out.substr(1), 1 << 20);
    while (format && (format->ends_with('\n') || format->ends_with('\r'))) format->pop_back();
    if (format) write_out_ = std::move(*format);
    else messages().Write("Warning: Failed to open " + options_.write_out.substr(1) + "!\n");
  } else {
    write_out_ = options_.write_out;
  }
}

std::optional<ExitStatus> Session::MakeRequest() {
  AddHeaders();
  if (const auto ended = ReadBody(in_, options_, &request_, &query_)) return ended;
  if (query_.empty()) query_ = UrlQuery(in_, options_);   // the data of -G go in its place
  CopyOptions();
  ReadHsts();
  if (!options_.alternatives_file.empty()) alternatives_.Read(in_, options_.alternatives_file);
  if (const auto ended = SetConditions(in_, options_, &request_, messages())) return ended;
  ReadKeys();
  ReadWriteOut();
  return std::nullopt;
}

// The last segment of the path; empty where there is none.
std::string RemoteName(std::string url) {
  url.erase(std::min(url.find_first_of("?#"), url.size()));
  if (const size_t scheme = url.find("://"); scheme != std::string::npos) url.erase(0, scheme + 3);
  const size_t slash = url.rfind('/');
  return slash == std::string::npos ? "" : url.substr(slash + 1);
}

std::optional<ExitStatus> Session::MakeAnswer(const GlobbedUrl& url, const Sink& sink, Answer& answer, HttpRequest* request) {
  std::string path;
  if (sink.is_remote_name) {
    path = RemoteName(url.url);
    if (path.empty()) {
      if (!options_.silent) messages().Write("curl: Remote file name has no length!\n");
      return Fail(kWriteError, "Failed writing received data to disk/application");
    }
  } else if (!sink.path.empty() && sink.path != "-") {
    path = FillIn(sink.path, url.parts);
  }
  if (options_.resume && *options_.resume != "-") request->resume_from = std::atoll(options_.resume->c_str());
  if (path.empty()) return std::nullopt;
  if (!options_.output_dir.empty()) path = vfs::JoinPath(options_.output_dir, path);
  if (options_.create_dirs) {
    const std::string directory = vfs::DirectoryName(path);
    if (const Status made = vfs::MakeDirectories(in_.fs, directory, 0750); !made) {
      messages().Write("curl: " + directory + ": " + std::string(made.error().Text()) + "\n");
      return Fail(kWriteError, "Failed writing received data to disk/application");
    }
  }
  bool appends = false;
  if (options_.resume) {
    appends = true;
    if (*options_.resume == "-") {
      const auto facts = in_.fs.Stat(path);
      request->resume_from = facts ? static_cast<int64_t>(facts->size) : 0;
    }
  }
  answer.SetFile(std::move(path), appends, options_.header_name && sink.is_remote_name);
  return std::nullopt;
}

std::optional<ExitStatus> Session::SetUpload(const std::string& upload, Answer& answer, HttpRequest* request) {
  if (upload.empty()) return std::nullopt;
  request->kind = HttpRequest::Kind::kUpload;
  const bool is_stdin = upload == "-" || upload == ".";
  if (is_stdin) {
    answer.SetUpload(in_.process.descriptors().Get(0));
    return std::nullopt;
  }
  auto file = in_.fs.Open(upload, vfs::OpenFlags::Read());
  const auto facts = in_.fs.Stat(upload);
  if (!file || !facts || facts->is_directory()) {
    messages().Write("curl: Can't open '" + upload + "'!\ncurl: try 'curl --help' or 'curl --manual' for more information\n");
    return Fail(kReadError, "Failed to open/read local data from file/application");
  }
  if (facts->is_file()) request->upload_size = facts->size;
  answer.SetUpload(std::move(*file));
  // A URL without a file name gets the file's.
  if (const size_t end = request->url.find_first_of("?#"), slash = request->url.rfind('/', end); end == std::string::npos) {
    const size_t scheme = request->url.find("://");
    const bool has_path = slash != std::string::npos && (scheme == std::string::npos || slash > scheme + 2);
    if (!has_path) request->url += "/" + UrlEncoded(vfs::BaseName(upload));
    else if (slash + 1 == request->url.size()) request->url += UrlEncoded(vfs::BaseName(upload));
  }
  return std::nullopt;
}

std::optional<std::pair<std::string, Nanoseconds>> Session::WhyAgain(const HttpOutcome& outcome, int64_t tried) const {
  if (tried >= options_.retries) return std::nullopt;
  const int64_t code = outcome.response_code;
  std::string why;
  if (outcome.is_denied) return std::nullopt;   // the policy says the same again
  if (outcome.error == kTimedOut || outcome.error == kCannotResolve) why = "timeout";
  else if (outcome.error == kCannotConnect && (options_.retry_refused || options_.retry_all)) why = options_.retry_refused ? "connection refused" : "(retrying all errors)";
  else if ((outcome.error == 0 || outcome.error == kHttpError) && (code == 408 || code == 429 || code == 500 || code == 502 || code == 503 || code == 504)) why = "HTTP error";
  else if (outcome.error != 0 && options_.retry_all) why = "(retrying all errors)";
  if (why.empty()) return std::nullopt;
  Nanoseconds delay = options_.retry_delay;
  if (delay.count() == 0) delay = std::chrono::seconds(std::min<int64_t>(int64_t{1} << std::min<int64_t>(tried, 10), 600));
  if (outcome.retry_after > 0) delay = std::chrono::seconds(std::min<int64_t>(outcome.retry_after, 86400));
  return std::pair(why, delay);
}

ExitStatus Session::Attempt(HttpRequest& request, Answer& answer, const std::string& url) {
  const Nanoseconds begun = in_.clock.MonotonicNow();
  HttpOutcome outcome;
  for (int64_t tried = 0;; ++tried) {
    answer.Begin();
    outcome = client_->Perform(request, answer);
    const Status finished = answer.Finish(outcome);
    if (outcome.error == kWriteError || (outcome.error == 0 && !finished)) {
      outcome.error = kWriteError;
      outcome.message = "Failed writing body";
      if (answer.path().empty() || finished) outcome.message = "Failure writing output to destination";
    }
    const auto again = WhyAgain(outcome, tried);
    if (!again) break;
    if (options_.retry_max_time.count() > 0 && in_.clock.MonotonicNow() - begun + again->second > options_.retry_max_time) break;
    const int64_t left = options_.retries - tried;
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(again->second).count();
    if (!options_.silent || options_.show_error) {
      if (outcome.error != 0) Fail(outcome.error, outcome.message);
      if (!options_.silent) {
        messages().Write("Warning: Problem : " + again->first + ". Will retry in " + std::to_string(seconds) + " seconds. " + std::to_string(left) +
                         " retries left.\n");
      }
    }
    if (!in_.kernel.Sleep(in_.process, in_.clock.MonotonicNow() + again->second)) break;
    answer.StartAgain();
  }
  if (outcome.error == 0 && options_.fail_with_body && outcome.response_code >= 400) {
    outcome.error = kHttpError;
    outcome.message = "The requested URL returned error: " + std::to_string(outcome.response_code);
  }
  if (outcome.error != 0) {
    Fail(outcome.error, outcome.message);
    if (options_.remove_on_error) answer.Remove();
  }
  if (!options_.etag_save.empty() && !SaveEtag(in_, options_, answer.header_lines) && !options_.silent) messages().Write("Warning: Failed creating file for saving etags: \"" + options_.etag_save + "\".\n");
  if (!options_.alternatives_file.empty()) {
    for (const std::string& line : answer.header_lines) {
      constexpr std::string_view kField = "alt-svc:";
      if (line.size() > kField.size() && std::equal(kField.begin(), kField.end(), line.begin(), [](char a, char b) { return a == std::tolower(b); })) alternatives_.Learn(outcome.effective_url, std::string_view(line).substr(kField.size()), Seconds());
    }
  }
  if (options_.keeps_attributes && outcome.error == 0 && !answer.path().empty() && !options_.silent) messages().Write("Warning: Error setting extended attributes on '" + answer.path() + "': Operation not supported\n");
  if (outcome.error == 0 && options_.keeps_time && !answer.path().empty()) KeepRemoteTime(in_, answer.path(), answer.header_lines);
  if (!write_out_.empty()) WriteOut(in_, write_out_, {outcome, answer.header_lines, url, answer.path(), url_number_});
  in_.out.Flush();
  return outcome.error;
}

// A sandbox has no interface but lo, and no address but 127.0.0.1 and ::1. Empty: it may be bound to.
std::string Session::InterfaceProblem() const {
  std::string_view name = options_.interface;
  if (name.empty()) return {};
  const bool is_interface = name.starts_with("if!"), is_host = name.starts_with("host!");
  if (is_interface) name.remove_prefix(3);
  if (is_host) name.remove_prefix(5);
  if (!is_host && name == "lo") return {};
  if (is_interface) return "Couldn't bind to interface '" + std::string(name) + "'";
  if (name == "localhost" || name == "::1" || name.starts_with("127.")) return {};
  const bool is_address = !name.empty() && name.find_first_not_of("0123456789.") == std::string_view::npos;
  return is_address ? "bind failed with errno 99: Cannot assign requested address" : "Couldn't bind to '" + std::string(name) + "'";
}

ExitStatus Session::RunOne(const GlobbedUrl& url, const Sink& sink, const std::string& upload) {
  HttpRequest request = request_;
  request.url = url.url;
  if (!query_.empty()) {
    const size_t hash = request.url.find('#');
    const std::string fragment = hash == std::string::npos ? "" : request.url.substr(hash);
    request.url.erase(std::min(hash, request.url.size()));
    const bool has_query = request.url.find('?') != std::string::npos;
    if (!has_query && request.url.find('/', request.url.find("://") == std::string::npos ? 0 : request.url.find("://") + 3) == std::string::npos) request.url += '/';
    request.url += (has_query ? "&" : "?") + query_ + fragment;
  }
  const bool goes_to_terminal = in_.process.descriptors().Get(1) && in_.process.descriptors().Get(1)->is_terminal();
  const bool has_file = sink.is_remote_name || (!sink.path.empty() && sink.path != "-");
  const bool shows_meter = !options_.silent && !options_.no_progress && (has_file || !goes_to_terminal);
  Answer answer(in_, options_, messages(), heads_, shows_meter);
  answer.set_trace(trace_);
  if (const auto ended = MakeAnswer(url, sink, answer, &request)) return *ended;
  if (const auto ended = SetUpload(upload, answer, &request)) return *ended;
  const std::string shown = request.url;
  if (options_.protocols == kNoProtocol) {
    return Fail(1, "Protocol \"" + (shown.find("://") == std::string::npos ? std::string("http") : shown.substr(0, shown.find("://"))) + "\" not supported or disabled in libcurl");
  }
  if (options_.wants_proxy_password) return Fail(43, "A libcurl function was given a bad argument");
  if (const std::string problem = InterfaceProblem(); !problem.empty()) return Fail(45, problem);
  if (options_.unresolved) return Fail(49, "Couldn't parse CURLOPT_RESOLVE entry '" + *options_.unresolved + "'");
  if (!options_.engine.empty()) return Fail(53, "SSL Engine '" + options_.engine + "' not found");
  if (options_.wants_host_file && request.url.starts_with("https:")) return Fail(4, "--capath and --crlfile are not supported: the library reads such files of the host alone");
  if (options_.wants_tls_password && request.url.starts_with("https:")) return Fail(4, "TLS with passwords is not supported");
  if (options_.has_unknown_type && !options_.certificate.empty() && request.url.starts_with("https:")) return Fail(58, "not supported file type for certificate");
  if (lacks_certificate_ && request.url.starts_with("https:")) {
    return Fail(58, "could not load PEM client certificate, OpenSSL error error:80000002:system library::No such file or directory, (no key found, wrong pass phrase, or wrong file format?)");
  }
  if (options_.between_transfers.count() > 0 && last_begun_.count() > 0) {
    if (!in_.kernel.Sleep(in_.process, last_begun_ + options_.between_transfers)) return Fail(28, "interrupted");
  }
  last_begun_ = in_.clock.MonotonicNow();
  if (const auto other = alternatives_.For(request.url, Seconds())) request.connect_to.insert(request.connect_to.begin(), *other);
  if (options_.netrc != Options::Netrc::kIgnored && !request.user) request.user = FindInNetrc(in_, options_, &request.url);
  if (lacks_authorities_) {
    if (request.url.starts_with("https:")) return Fail(77, "error setting certificate file: " + options_.cacert);
    request.ca_pem = "none\n";   // for redirects to https, which it makes fail
  }
  return Attempt(request, answer, shown);
}

ExitStatus Session::Run() {
  OpenMessages();
  if (const auto ended = MakeRequest()) return *ended;
  if (const auto ended = OpenHeads()) return *ended;
  proc::Network* const network = in_.kernel.network();
  if (network == nullptr) return Fail(kCannotConnect, "this sandbox has no network");
  auto client = network->NewHttpClient();
  if (!client) return Fail(2, std::string(client.error().Text()));
  client_ = std::move(*client);
  ExitStatus status = 0;
  for (size_t i = 0; i < options_.urls.size(); ++i) {
    Result<std::vector<GlobbedUrl>> urls = std::vector<GlobbedUrl>{{options_.urls[i], {}}};
    if (!options_.glob_off) urls = Glob(in_.budget, options_.urls[i]);
    if (!urls) {
      Fail(kMalformedUrl, std::string(urls.error().Text()));
      status = kMalformedUrl;
      break;
    }
    const Sink sink = i < options_.sinks.size() ? options_.sinks[i] : Sink{options_.all_remote_names, ""};
    const std::string upload = i < options_.uploads.size() ? options_.uploads[i] : "";
    for (size_t number = 0; number < urls->size(); ++number) {
      in_.budget.Step();
      const GlobbedUrl& url = (*urls)[number];
      if (urls->size() > 1 && !options_.silent) {
        const bool is_stdout = !sink.is_remote_name && (sink.path.empty() || sink.path == "-");
        messages().Write("\n[" + std::to_string(number + 1) + "/" + std::to_string(urls->size()) + "]: " + url.url + " --> " + (is_stdout ? "<stdout>" : FillIn(sink.path, url.parts)) + "\n");
        if (is_stdout) in_.out.Write("--_curl_--" + url.url + "\n");
      }
      status = RunOne(url, sink, upload);
      ++url_number_;
      if (status != 0 && options_.fail_early) break;
    }
    if (status != 0 && options_.fail_early) break;
  }
  SaveCookies();
  SaveHsts();
  if (!options_.alternatives_file.empty()) alternatives_.Write(in_, options_.alternatives_file);
  if (heads_output_) heads_output_->Flush();
  return status;
}

}  // namespace

ExitStatus Transfer(Invocation& in, const Options& options) {
  ExitStatus status = Session(in, options).Run();
  for (const Options& next : options.next) {
    if (status != 0 && options.fail_early) break;
    status = Session(in, next).Run();
  }
  return status;
}

}  // namespace paddock::curl
