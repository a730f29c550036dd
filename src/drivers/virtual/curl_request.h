// CurlRequest: a proc::HttpRequest as options of a libcurl handle, and what libcurl tells afterwards.
#pragma once

#include <string>
#include <vector>

#include "drivers/virtual/curl_library.h"
#include "proc/network.h"

namespace paddock::sandbox {

// Sets the options; owns what they refer to, until the transfer has ended.
class CurlRequest {
 public:
  // All outlive it.
  CurlRequest(const CurlLibrary& curl, CURL* easy, const proc::HttpRequest& request, const std::string& trust_pem);
  ~CurlRequest();
  CurlRequest(const CurlRequest&) = delete;
  CurlRequest& operator=(const CurlRequest&) = delete;

 private:
  template <class T>
  void Set(CURLoption option, T value) {
    curl_.easy_setopt(easy_, option, value);
  }
  void SetTls(const proc::HttpRequest& request);
  void SetBody(const proc::HttpRequest& request);
  void SetLimits(const proc::HttpRequest& request);
  void SetCookies(const proc::HttpRequest& request);

  const CurlLibrary& curl_;
  CURL* const easy_;
  curl_slist* headers_ = nullptr;
  curl_slist* connect_to_ = nullptr;
  curl_mime* mime_ = nullptr;
};

proc::HttpOutcome ReadFacts(const CurlLibrary& curl, CURL* easy);
proc::HttpObserver::Progress ReadProgress(const CurlLibrary& curl, CURL* easy);
std::vector<std::string> ReadCookies(const CurlLibrary& curl, CURL* easy);
// Empty where there is none. Ports are those of the scheme unless given.
std::string UrlPart(const CurlLibrary& curl, const std::string& url, CURLUPart part);

}  // namespace paddock::sandbox
