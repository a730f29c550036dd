#include "net/tls.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

namespace paddock::net {
namespace {

constexpr unsigned char kProtocols[] = "\x08http/1.1";

int SelectProtocol(SSL*, const unsigned char** out, unsigned char* out_size, const unsigned char* in, unsigned in_size, void*) {
  unsigned char* chosen = nullptr;
  if (SSL_select_next_proto(&chosen, out_size, kProtocols, sizeof kProtocols - 1, in, in_size) != OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_NOACK;
  }
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

Error Fault(const std::string& what) { return Error(Code::kInvalid, what + ": " + TlsErrorText()); }

Status UseCertificate(SSL_CTX* context, const std::string& certificate_file, const std::string& key_file) {
  if (SSL_CTX_use_certificate_chain_file(context, certificate_file.c_str()) != 1)
    return Fault("TLS certificate " + certificate_file);
  if (SSL_CTX_use_PrivateKey_file(context, key_file.c_str(), SSL_FILETYPE_PEM) != 1) return Fault("TLS key " + key_file);
  if (SSL_CTX_check_private_key(context) != 1) return Fault("TLS key " + key_file + " is not the one of " + certificate_file);
  return {};
}

Result<SslContext> MakeContext(const SSL_METHOD* method) {
  ERR_clear_error();
  SslContext context(SSL_CTX_new(method), SslFree());
  if (context == nullptr || SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION) != 1) return Fault("no TLS");
  SSL_CTX_set_mode(context.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  return context;
}

}  // namespace

void SslFree::operator()(ssl_ctx_st* context) const { SSL_CTX_free(context); }
void SslFree::operator()(ssl_st* ssl) const { SSL_free(ssl); }

std::string TlsErrorText() {
  std::string text;
  while (const unsigned long code = ERR_get_error()) {
    char line[256];
    ERR_error_string_n(code, line, sizeof line);
    if (!text.empty()) text += "; ";
    text += line;
  }
  return text.empty() ? "unknown TLS error" : text;
}

Result<SslContext> MakeServerTls(const std::string& certificate_file, const std::string& key_file) {
  PADDOCK_ASSIGN(SslContext context, MakeContext(TLS_server_method()));
  PADDOCK_TRY(UseCertificate(context.get(), certificate_file, key_file));
  SSL_CTX_set_alpn_select_cb(context.get(), SelectProtocol, nullptr);
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  return context;
}

Result<SslContext> MakeClientTls(const ClientTls& options) {
  PADDOCK_ASSIGN(SslContext context, MakeContext(TLS_client_method()));
  if (SSL_CTX_set_alpn_protos(context.get(), kProtocols, sizeof kProtocols - 1) != 0) return Fault("no TLS");
  if (!options.certificate_file.empty()) {
    PADDOCK_TRY(UseCertificate(context.get(), options.certificate_file, options.key_file));
  }
  if (!options.verifies) return context;
  if (options.ca_file.empty()) {
    if (SSL_CTX_set_default_verify_paths(context.get()) != 1) return Fault("the system's certificate authorities");
  } else if (SSL_CTX_load_verify_locations(context.get(), options.ca_file.c_str(), nullptr) != 1) {
    return Fault("certificate authorities in " + options.ca_file);
  }
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  return context;
}

Result<SslHandle> MakeServerSsl(const SslContext& context) {
  SslHandle ssl(SSL_new(context.get()));
  if (ssl == nullptr) return Error(Code::kNoMemory, "no TLS: " + TlsErrorText());
  SSL_set_accept_state(ssl.get());
  return ssl;
}

Result<SslHandle> MakeClientSsl(const SslContext& context, const std::string& name, bool verifies) {
  SslHandle ssl(SSL_new(context.get()));
  if (ssl == nullptr) return Error(Code::kNoMemory, "no TLS: " + TlsErrorText());
  SSL_set_connect_state(ssl.get());
  unsigned char address[sizeof(in6_addr)];
  const bool is_address = inet_pton(AF_INET, name.c_str(), address) == 1 || inet_pton(AF_INET6, name.c_str(), address) == 1;
  if (!is_address && SSL_set_tlsext_host_name(ssl.get(), name.c_str()) != 1) return Fault("TLS server name " + name);
  if (!verifies) return ssl;
  X509_VERIFY_PARAM* const rules = SSL_get0_param(ssl.get());
  X509_VERIFY_PARAM_set_hostflags(rules, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  const int is_set = is_address ? X509_VERIFY_PARAM_set1_ip_asc(rules, name.c_str())
                                : X509_VERIFY_PARAM_set1_host(rules, name.c_str(), name.size());
  if (is_set != 1) return Fault("TLS server name " + name);
  return ssl;
}

}  // namespace paddock::net
