#include "drivers/virtual/curl_request.h"

#include <chrono>

namespace paddock::sandbox {
namespace {

using proc::HttpAuth;
using proc::HttpOutcome;
using proc::HttpRequest;
using proc::HttpVersion;

long Milliseconds(Nanoseconds time) { return static_cast<long>(std::chrono::ceil<std::chrono::milliseconds>(time).count()); }

long VersionNumber(HttpVersion version) {
  switch (version) {
    case HttpVersion::k10: return CURL_HTTP_VERSION_1_0;
    case HttpVersion::k11: return CURL_HTTP_VERSION_1_1;
    case HttpVersion::k2: return CURL_HTTP_VERSION_2_0;
    case HttpVersion::k2Alone: return CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE;
    case HttpVersion::kAny: break;
  }
  return CURL_HTTP_VERSION_NONE;
}

}  // namespace

CurlRequest::CurlRequest(const CurlLibrary& curl, CURL* easy, const HttpRequest& request, const std::string& trust_pem) : curl_(curl), easy_(easy) {
  Set(CURLOPT_URL, request.url.c_str());
  if (!request.method.empty()) Set(CURLOPT_CUSTOMREQUEST, request.method.c_str());
  for (const std::string& header : request.headers) headers_ = curl_.slist_append(headers_, header.c_str());
  if (headers_ != nullptr) Set(CURLOPT_HTTPHEADER, headers_);
  for (const std::string& place : request.connect_to) connect_to_ = curl_.slist_append(connect_to_, place.c_str());
  if (connect_to_ != nullptr) Set(CURLOPT_CONNECT_TO, connect_to_);
  const auto set_text = [this](CURLoption option, const std::string& text) {
    if (!text.empty()) Set(option, text.c_str());
  };
  set_text(CURLOPT_USERAGENT, request.user_agent);
  set_text(CURLOPT_REFERER, request.referer);
  set_text(CURLOPT_COOKIE, request.cookie);
  set_text(CURLOPT_RANGE, request.range);
  set_text(CURLOPT_ACCEPT_ENCODING, request.accept_encoding == "*" ? "" : request.accept_encoding);
  if (request.accept_encoding == "*") Set(CURLOPT_ACCEPT_ENCODING, "");   // all that the library knows
  if (request.user && request.auth != HttpAuth::kNone) {
    Set(CURLOPT_USERPWD, request.user->c_str());
    Set(CURLOPT_HTTPAUTH, static_cast<long>(request.auth == HttpAuth::kBasic    ? CURLAUTH_BASIC
                                            : request.auth == HttpAuth::kDigest ? CURLAUTH_DIGEST
                                            : request.auth == HttpAuth::kNtlm   ? CURLAUTH_NTLM
                                                                                : CURLAUTH_BASIC | CURLAUTH_DIGEST));
  }
  if (!request.bearer.empty()) {
    Set(CURLOPT_XOAUTH2_BEARER, request.bearer.c_str());
    Set(CURLOPT_HTTPAUTH, static_cast<long>(CURLAUTH_BEARER));
  }
  if (request.version != HttpVersion::kAny) Set(CURLOPT_HTTP_VERSION, VersionNumber(request.version));
  Set(CURLOPT_FOLLOWLOCATION, request.follows ? 1L : 0L);
  Set(CURLOPT_UNRESTRICTED_AUTH, request.sends_auth_everywhere ? 1L : 0L);
  Set(CURLOPT_AUTOREFERER, request.sets_referer ? 1L : 0L);
  Set(CURLOPT_MAXREDIRS, static_cast<long>(request.max_redirects));
  Set(CURLOPT_POSTREDIR, static_cast<long>((request.keeps_post[0] ? CURL_REDIR_POST_301 : 0) | (request.keeps_post[1] ? CURL_REDIR_POST_302 : 0) |
                                           (request.keeps_post[2] ? CURL_REDIR_POST_303 : 0)));
  Set(CURLOPT_FAILONERROR, request.fails_on_error ? 1L : 0L);
  Set(CURLOPT_PATH_AS_IS, request.keeps_path ? 1L : 0L);
  if (request.is_raw) {
    Set(CURLOPT_HTTP_CONTENT_DECODING, 0L);
    Set(CURLOPT_HTTP_TRANSFER_DECODING, 0L);
  }
  if (request.escapes_form) Set(CURLOPT_MIME_OPTIONS, static_cast<long>(CURLMIMEOPT_FORMESCAPE));
  set_text(CURLOPT_REQUEST_TARGET, request.target);
  set_text(CURLOPT_AWS_SIGV4, request.aws_signature);
  if (request.ignores_length) Set(CURLOPT_IGNORE_CONTENT_LENGTH, 1L);
  if (request.refuses_user_in_url) Set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
  set_text(CURLOPT_PROTOCOLS_STR, request.protocols);
  set_text(CURLOPT_REDIR_PROTOCOLS_STR, request.redirect_protocols);
  set_text(CURLOPT_DEFAULT_PROTOCOL, request.default_protocol);
  if (request.changed_since) {
    Set(CURLOPT_TIMECONDITION, static_cast<long>(request.is_unmodified_since ? CURL_TIMECOND_IFUNMODSINCE : CURL_TIMECOND_IFMODSINCE));
    Set(CURLOPT_TIMEVALUE_LARGE, static_cast<curl_off_t>(*request.changed_since));
  }
  if (request.is_insecure) {
    Set(CURLOPT_SSL_VERIFYPEER, 0L);
    Set(CURLOPT_SSL_VERIFYHOST, 0L);
  }
  if (!trust_pem.empty()) {
    curl_blob blob{const_cast<char*>(trust_pem.data()), trust_pem.size(), CURL_BLOB_COPY};
    Set(CURLOPT_CAINFO_BLOB, &blob);
  }
  SetTls(request);
  SetBody(request);
  SetLimits(request);
  SetCookies(request);
}

CurlRequest::~CurlRequest() {
  Set(CURLOPT_HTTPHEADER, static_cast<curl_slist*>(nullptr));
  Set(CURLOPT_MIMEPOST, static_cast<curl_mime*>(nullptr));
  curl_.slist_free_all(headers_);
  Set(CURLOPT_CONNECT_TO, static_cast<curl_slist*>(nullptr));
  curl_.slist_free_all(connect_to_);
  if (mime_ != nullptr) curl_.mime_free(mime_);
}

void CurlRequest::SetTls(const HttpRequest& request) {
  constexpr long kLeast[] = {CURL_SSLVERSION_DEFAULT, CURL_SSLVERSION_TLSv1_0, CURL_SSLVERSION_TLSv1_1, CURL_SSLVERSION_TLSv1_2, CURL_SSLVERSION_TLSv1_3};
  constexpr long kMost[] = {CURL_SSLVERSION_MAX_DEFAULT, CURL_SSLVERSION_MAX_TLSv1_0, CURL_SSLVERSION_MAX_TLSv1_1, CURL_SSLVERSION_MAX_TLSv1_2, CURL_SSLVERSION_MAX_TLSv1_3};
  Set(CURLOPT_SSLVERSION, kLeast[static_cast<int>(request.least_tls)] | kMost[static_cast<int>(request.most_tls)]);
  if (!request.ciphers.empty()) Set(CURLOPT_SSL_CIPHER_LIST, request.ciphers.c_str());
  const auto set_blob = [this](CURLoption option, const std::string& bytes) {
    curl_blob blob{const_cast<char*>(bytes.data()), bytes.size(), CURL_BLOB_COPY};
    Set(option, &blob);
  };
  if (!request.certificate.empty()) {
    set_blob(CURLOPT_SSLCERT_BLOB, request.certificate);
    Set(CURLOPT_SSLCERTTYPE, request.is_certificate_der ? "DER" : "PEM");
    set_blob(CURLOPT_SSLKEY_BLOB, request.private_key.empty() ? request.certificate : request.private_key);
    Set(CURLOPT_SSLKEYTYPE, (request.private_key.empty() ? request.is_certificate_der : request.is_key_der) ? "DER" : "PEM");
  }
  if (!request.key_password.empty()) Set(CURLOPT_KEYPASSWD, request.key_password.c_str());
  if (!request.curves.empty()) Set(CURLOPT_SSL_EC_CURVES, request.curves.c_str());
  if (request.checks_status) Set(CURLOPT_SSL_VERIFYSTATUS, 1L);
  if (!request.has_alpn) Set(CURLOPT_SSL_ENABLE_ALPN, 0L);
  // Anything else would be the name of a file of the host.
  if (request.pinned_key.starts_with("sha256//")) Set(CURLOPT_PINNEDPUBLICKEY, request.pinned_key.c_str());
  if (!request.tls13_ciphers.empty()) Set(CURLOPT_TLS13_CIPHERS, request.tls13_ciphers.c_str());
}

void CurlRequest::SetBody(const HttpRequest& request) {
  switch (request.kind) {
    case HttpRequest::Kind::kGet: break;
    case HttpRequest::Kind::kHead: Set(CURLOPT_NOBODY, 1L); break;
    case HttpRequest::Kind::kPost:
      Set(CURLOPT_POST, 1L);
      Set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
      Set(CURLOPT_POSTFIELDS, request.body.data());   // not copied
      break;
    case HttpRequest::Kind::kUpload:
      Set(CURLOPT_UPLOAD, 1L);
      Set(CURLOPT_INFILESIZE_LARGE, request.upload_size ? static_cast<curl_off_t>(*request.upload_size) : curl_off_t{-1});
      break;
    case HttpRequest::Kind::kForm:
      mime_ = curl_.mime_init(easy_);
      for (const proc::FormPart& part : request.form) {
        curl_mimepart* const added = curl_.mime_addpart(mime_);
        curl_.mime_name(added, part.name.c_str());
        curl_.mime_data(added, part.content.data(), part.content.size());
        if (part.filename) curl_.mime_filename(added, part.filename->c_str());
        if (!part.type.empty()) curl_.mime_type(added, part.type.c_str());
        curl_slist* headers = nullptr;
        for (const std::string& header : part.headers) headers = curl_.slist_append(headers, header.c_str());
        if (headers != nullptr) curl_.mime_headers(added, headers, 1);
      }
      Set(CURLOPT_MIMEPOST, mime_);
      break;
  }
}

void CurlRequest::SetLimits(const HttpRequest& request) {
  if (request.expect_timeout) Set(CURLOPT_EXPECT_100_TIMEOUT_MS, Milliseconds(*request.expect_timeout));
  if (request.connect_timeout.count() > 0) Set(CURLOPT_CONNECTTIMEOUT_MS, Milliseconds(request.connect_timeout));
  if (request.timeout.count() > 0) Set(CURLOPT_TIMEOUT_MS, Milliseconds(request.timeout));
  if (request.max_file_size > 0) Set(CURLOPT_MAXFILESIZE_LARGE, static_cast<curl_off_t>(request.max_file_size));
  if (request.most_bytes_a_second > 0) {
    Set(CURLOPT_MAX_RECV_SPEED_LARGE, static_cast<curl_off_t>(request.most_bytes_a_second));
    Set(CURLOPT_MAX_SEND_SPEED_LARGE, static_cast<curl_off_t>(request.most_bytes_a_second));
  }
  if (request.low_speed_seconds > 0) {
    Set(CURLOPT_LOW_SPEED_LIMIT, static_cast<long>(request.low_speed_limit));
    Set(CURLOPT_LOW_SPEED_TIME, static_cast<long>(request.low_speed_seconds));
  }
  if (request.resume_from > 0) Set(CURLOPT_RESUME_FROM_LARGE, static_cast<curl_off_t>(request.resume_from));
}

void CurlRequest::SetCookies(const HttpRequest& request) {
  if (!request.uses_cookies) return;
  Set(CURLOPT_COOKIEFILE, "");   // begins to keep them; reads nothing
  for (const std::string& cookie : request.cookies) Set(CURLOPT_COOKIELIST, cookie.c_str());
  if (request.forgets_session_cookies) Set(CURLOPT_COOKIELIST, "SESS");
}

HttpOutcome ReadFacts(const CurlLibrary& curl, CURL* easy) {
  HttpOutcome facts;
  const auto text = [&](CURLINFO info, std::string* into) {
    const char* value = nullptr;
    if (curl.easy_getinfo(easy, info, &value) == CURLE_OK && value != nullptr) *into = value;
  };
  const auto number = [&](CURLINFO info, int64_t* into) {
    long value = 0;
    if (curl.easy_getinfo(easy, info, &value) == CURLE_OK) *into = value;
  };
  const auto offset = [&](CURLINFO info, int64_t* into) {
    curl_off_t value = 0;
    if (curl.easy_getinfo(easy, info, &value) == CURLE_OK) *into = value;
  };
  text(CURLINFO_EFFECTIVE_URL, &facts.effective_url);
  text(CURLINFO_EFFECTIVE_METHOD, &facts.effective_method);
  text(CURLINFO_REDIRECT_URL, &facts.redirect_url);
  text(CURLINFO_CONTENT_TYPE, &facts.content_type);
  text(CURLINFO_SCHEME, &facts.scheme);
  text(CURLINFO_REFERER, &facts.referer);
  number(CURLINFO_RESPONSE_CODE, &facts.response_code);
  number(CURLINFO_HTTP_VERSION, &facts.http_version);
  number(CURLINFO_REDIRECT_COUNT, &facts.redirects);
  number(CURLINFO_NUM_CONNECTS, &facts.connects);
  number(CURLINFO_HEADER_SIZE, &facts.header_bytes);
  number(CURLINFO_REQUEST_SIZE, &facts.request_bytes);
  number(CURLINFO_SSL_VERIFYRESULT, &facts.verify_result);
  offset(CURLINFO_RETRY_AFTER, &facts.retry_after);
  offset(CURLINFO_SIZE_DOWNLOAD_T, &facts.downloaded);
  offset(CURLINFO_SIZE_UPLOAD_T, &facts.uploaded);
  offset(CURLINFO_SPEED_DOWNLOAD_T, &facts.download_speed);
  offset(CURLINFO_SPEED_UPLOAD_T, &facts.upload_speed);
  offset(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &facts.content_length);
  offset(CURLINFO_NAMELOOKUP_TIME_T, &facts.time_namelookup);
  offset(CURLINFO_CONNECT_TIME_T, &facts.time_connect);
  offset(CURLINFO_APPCONNECT_TIME_T, &facts.time_appconnect);
  offset(CURLINFO_PRETRANSFER_TIME_T, &facts.time_pretransfer);
  offset(CURLINFO_STARTTRANSFER_TIME_T, &facts.time_starttransfer);
  offset(CURLINFO_REDIRECT_TIME_T, &facts.time_redirect);
  offset(CURLINFO_TOTAL_TIME_T, &facts.time_total);
  return facts;
}

proc::HttpObserver::Progress ReadProgress(const CurlLibrary& curl, CURL* easy) {
  const auto read = [&](CURLINFO info) {
    curl_off_t value = 0;
    return curl.easy_getinfo(easy, info, &value) == CURLE_OK && value > 0 ? static_cast<int64_t>(value) : 0;
  };
  return {.download_total = read(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T),
          .downloaded = read(CURLINFO_SIZE_DOWNLOAD_T),
          .upload_total = read(CURLINFO_CONTENT_LENGTH_UPLOAD_T),
          .uploaded = read(CURLINFO_SIZE_UPLOAD_T)};
}

std::vector<std::string> ReadCookies(const CurlLibrary& curl, CURL* easy) {
  curl_slist* list = nullptr;
  std::vector<std::string> cookies;
  if (curl.easy_getinfo(easy, CURLINFO_COOKIELIST, &list) != CURLE_OK) return cookies;
  for (const curl_slist* at = list; at != nullptr; at = at->next) cookies.emplace_back(at->data);
  curl.slist_free_all(list);
  return cookies;
}

std::string UrlPart(const CurlLibrary& curl, const std::string& url, CURLUPart part) {
  CURLU* const parsed = curl.url();
  std::string text;
  char* value = nullptr;
  if (curl.url_set(parsed, CURLUPART_URL, url.c_str(), CURLU_GUESS_SCHEME | CURLU_NON_SUPPORT_SCHEME) == CURLUE_OK &&
      curl.url_get(parsed, part, &value, CURLU_DEFAULT_PORT) == CURLUE_OK && value != nullptr) {
    text = value;
    curl.free(value);
  }
  curl.url_cleanup(parsed);
  if (part == CURLUPART_HOST && text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  return text;
}

}  // namespace paddock::sandbox
