// What the parts of wget that fetch share: the run and one transfer of it.
#pragma once

#include <map>
#include <memory>

#include "commands/net/wget.h"
#include "commands/net/wget_hsts.h"
#include "vfs/file_system.h"

namespace paddock::wget {

using proc::HttpOutcome;
using proc::HttpRequest;

enum Exit { kOk = 0, kGeneral = 1, kFiles = 3, kNetwork = 4, kCertificate = 5, kAuthentication = 6, kServer = 8 };

std::string FieldOfHead(const std::vector<std::string>& head, std::string_view name);

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
  // What became of one URL.
  struct Got {
    ExitStatus status = 0;
    std::string file, url, type;   // the last two after redirects; no file when none was written
  };
  Got One(const std::string& url, const std::string& referer = {});
  void AddInput(std::vector<std::string>& urls);
  void WriteLists();   // cookies, and hosts that want https
  std::string Upgraded(const std::string& url);   // to https, where the host wants that
  std::string log_prefix() const { return TimeText(in_.clock.RealNow()); }
  bool is_over_quota() const { return options_.quota > 0 && fetched_ > options_.quota; }
  std::optional<ExitStatus> Prepare();
  std::optional<ExitStatus> PrepareTls();
  bool AskPassword(const std::string& url);   // --use-askpass; false after a complaint
  void ReadBody();
  void KeepBackups(const std::string& name);   // --backups
  bool Pause();   // between two files; false when the run was interrupted
  // A name that no file has: NAME, NAME.1, …
  std::string FreeName(const std::string& name) const;

  Invocation& in_;
  const Options& options_;
  HttpRequest request_;
  std::unique_ptr<proc::HttpClient> client_;
  vfs::OpenFilePtr log_file_, document_;
  std::unique_ptr<Output> log_;
  std::string missing_body_;   // the complaint about a body that cannot be read
  std::map<std::string, std::string> places_;   // hosts with an unusual port: with it
  HstsList hsts_;
  int64_t fetched_ = 0, files_ = 0;
  std::string connected_to_;   // host and port of the connection that is kept
  friend class Download;
  friend class Crawl;
};

// One URL, and its redirects, until its bytes are in a file.
class Download final : public proc::HttpObserver {
 public:
  Download(Fetcher& fetcher, std::string first_url, std::string name) : fetcher_(fetcher), first_url_(std::move(first_url)), name_(std::move(name)) {}
  ExitStatus Run(HttpRequest request);
  // -N --no-if-modified-since: asks for the head alone; true when what it says makes the local file one to fetch again.
  bool IsStale(HttpRequest request, const vfs::Attributes& local, ExitStatus* status);
  // After Run(): the file, if one was written, the URL and the type of the answer.
  std::string file() const { return is_open_ && !fetcher_.is_stdout() && fetcher_.document() == nullptr ? name_ : was_current_ ? name_ : ""; }
  const std::string& url() const { return url_; }
  const std::string& type() const { return type_; }

  Status OnHeader(std::string_view line) override {
    if (line.starts_with("HTTP/") || head_.empty()) {
      head_.clear();
      if (!has_answer_ && !has_told_request_) Say(is_kept_ ? "" : "connected.\n"), Say("HTTP request sent, awaiting response... ");
      has_answer_ = true;
    }
    if (line != "\r\n" && line != "\n") {
      head_.emplace_back(line);
      return {};
    }
    return EndOfHead();
  }
  void OnDebug(Debug kind, std::string_view text) override;   // -d
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
  Status WriteHead(vfs::OpenFile& file);   // --save-headers
  void AdjustExtension();
  void SayLength();
  ExitStatus Attempt(HttpRequest& request, std::optional<std::string>* redirect, bool* is_passing);
  ExitStatus Failed(const HttpOutcome& outcome, bool* is_passing);
  ExitStatus ServerError();
  ExitStatus Saved();
  ExitStatus Compare();
  std::string shown_name() const { return fetcher_.is_stdout() ? "STDOUT" : fetcher_.document() != nullptr ? fetcher_.options_.output : name_; }

  Fetcher& fetcher_;
  const std::string first_url_;
  std::string name_, url_, type_;
  const vfs::Attributes* compared_ = nullptr;   // in IsStale()
  bool is_stale_ = false;
  bool was_current_ = false;   // -N or -nc: the file is there already
  std::vector<std::string> head_;
  bool has_answer_ = false, has_told_request_ = false, is_kept_ = false, takes_body_ = false, is_open_ = false;
  int code_ = 0;
  std::string status_text_;
  int64_t length_ = -1, received_ = 0, resumed_at_ = 0;
  Nanoseconds begun_{0};
  vfs::OpenFilePtr file_;
  std::optional<Dots> dots_;
};

}  // namespace paddock::wget
