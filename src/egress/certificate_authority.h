// CertificateAuthority: the engine's own authority, with which it opens TLS where the rules ask for it. Lives in memory only
// and ends with the engine. EC P-256; the certificates of servers share one key.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "base/result.h"
#include "policy/host_name.h"

typedef struct ssl_ctx_st SSL_CTX;

namespace paddock::egress {

class CertificateAuthority {
 public:
  CertificateAuthority();
  ~CertificateAuthority();

  // The authority's certificate, made at the first call. Any thread.
  Result<std::string> Pem();
  // A server's TLS context with a certificate for `host` (a name or an address); the last few hundred are kept. The engine's
  // thread.
  Result<std::shared_ptr<SSL_CTX>> ContextFor(const policy::Host& host);

 private:
  struct Keys;
  Result<Keys*> EnsureKeys();   // with mutex_ held

  std::mutex mutex_;
  std::unique_ptr<Keys> keys_;
  std::list<std::pair<std::string, std::shared_ptr<SSL_CTX>>> recent_;   // the last used first
  std::unordered_map<std::string, decltype(recent_)::iterator> contexts_;
};

// Whom upstream servers' certificates may come from: the system's store and what the options add. Read at the first use.
class UpstreamTrust {
 public:
  // Errors: kInvalid when the text holds no certificate and is not empty.
  static Status Check(const std::string& extra_pem);
  explicit UpstreamTrust(std::string extra_pem) : extra_pem_(std::move(extra_pem)) {}

  // A client's TLS context that verifies. The engine's thread.
  Result<std::shared_ptr<SSL_CTX>> Context();
  // The system's roots and the added ones as PEM.
  Result<std::string> Pem() const;

 private:
  const std::string extra_pem_;
  std::shared_ptr<SSL_CTX> context_;
};

// What OpenSSL says about its last failure on this thread.
std::string TlsErrorText();

}  // namespace paddock::egress
