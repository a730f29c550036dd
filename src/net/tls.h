// TLS through OpenSSL: contexts of servers and clients. TLS 1.2 and above, HTTP/1.1 only.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"

struct ssl_ctx_st;
struct ssl_st;

namespace paddock::net {

struct SslFree {
  void operator()(ssl_ctx_st* context) const;
  void operator()(ssl_st* ssl) const;
};
using SslContext = std::shared_ptr<ssl_ctx_st>;
using SslHandle = std::unique_ptr<ssl_st, SslFree>;

// Reads PEM files. Errors: kInvalid with what OpenSSL says, also when the key does not belong to the certificate.
Result<SslContext> MakeServerTls(const std::string& certificate_file, const std::string& key_file);

struct ClientTls {
  bool verifies = true;        // the chain and the name; false is for tests and explicit wishes only
  std::string ca_file;         // PEM; empty: the system's authorities
  std::string certificate_file, key_file;   // of the client; empty: none
  std::string server_name;     // for SNI and the check; empty: the address's host
};
Result<SslContext> MakeClientTls(const ClientTls& options);

// A connection's end. Errors: kNoMemory.
Result<SslHandle> MakeServerSsl(const SslContext& context);
// `name`: a host name, or an address, which is then looked for among the certificate's addresses.
Result<SslHandle> MakeClientSsl(const SslContext& context, const std::string& name, bool verifies);
// What OpenSSL's error queue of this thread says; empties it.
std::string TlsErrorText();

}  // namespace paddock::net
