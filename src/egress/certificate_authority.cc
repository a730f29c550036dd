#include "egress/certificate_authority.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <cstring>

namespace paddock::egress {
namespace {

constexpr size_t kKeptContexts = 256;
constexpr long kBackdateSeconds = 24 * 3600;   // clocks inside may lag
constexpr long kAuthoritySeconds = 90l * 24 * 3600;
constexpr long kServerSeconds = 30l * 24 * 3600;

template <class T, void (*Free)(T*)>
struct Freer {
  void operator()(T* it) const { Free(it); }
};
using Key = std::unique_ptr<EVP_PKEY, Freer<EVP_PKEY, EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Freer<X509, X509_free>>;
struct BioFree {
  void operator()(BIO* bio) const { BIO_free(bio); }
};
using Bio = std::unique_ptr<BIO, BioFree>;

Error TlsError(std::string_view what) { return Error(Code::kInternal, std::string(what) + ": " + TlsErrorText()); }

bool AddExtension(X509* certificate, X509* issuer, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str());
  if (extension == nullptr) return false;
  const bool is_added = X509_add_ext(certificate, extension, -1) == 1;
  X509_EXTENSION_free(extension);
  return is_added;
}

// A certificate without extensions and signature.
Certificate MakeCertificate(EVP_PKEY* key, const char* name, long seconds) {
  Certificate certificate(X509_new());
  unsigned char serial[16];
  if (!certificate || RAND_bytes(serial, sizeof serial) != 1) return nullptr;
  serial[0] &= 0x7f;
  BIGNUM* number = BN_bin2bn(serial, sizeof serial, nullptr);
  BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate.get()));
  BN_free(number);
  X509_NAME* subject = X509_get_subject_name(certificate.get());
  const bool is_good =
      X509_set_version(certificate.get(), 2) == 1 && X509_set_pubkey(certificate.get(), key) == 1 &&
      X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -kBackdateSeconds) != nullptr &&
      X509_gmtime_adj(X509_getm_notAfter(certificate.get()), seconds) != nullptr &&
      X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>(name), -1, -1, 0) == 1;
  return is_good ? std::move(certificate) : nullptr;
}

// Chooses HTTP/1.1 from what the client offers; a client that only speaks something else is turned away.
int ChooseProtocol(SSL*, const unsigned char** out, unsigned char* out_size, const unsigned char* in, unsigned in_size, void*) {
  constexpr std::string_view kHttp = "http/1.1";
  for (unsigned at = 0; at < in_size; at += 1u + in[at]) {
    if (at + 1u + in[at] <= in_size && std::string_view(reinterpret_cast<const char*>(in + at + 1), in[at]) == kHttp) {
      *out = in + at + 1;
      *out_size = static_cast<unsigned char>(kHttp.size());
      return SSL_TLSEXT_ERR_OK;
    }
  }
  return SSL_TLSEXT_ERR_ALERT_FATAL;
}

std::shared_ptr<SSL_CTX> MakeContext(const SSL_METHOD* method) {
  std::shared_ptr<SSL_CTX> context(SSL_CTX_new(method), SSL_CTX_free);
  if (!context) return nullptr;
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_mode(context.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  return context;
}

Result<std::string> ReadWhole(const char* path) {
  const Bio file(BIO_new_file(path, "r"));
  if (!file) return Error(Code::kNoEntry, std::string(path) + " could not be read");
  std::string text;
  char piece[16384];
  for (int count; (count = BIO_read(file.get(), piece, sizeof piece)) > 0;) text.append(piece, static_cast<size_t>(count));
  return text;
}

// Where systems keep their roots in one file.
Result<std::string> SystemRoots() {
  constexpr const char* kPlaces[] = {"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
                                     "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/ca-bundle.pem",
                                     "/etc/ssl/cert.pem"};
  for (const char* place : kPlaces) {
    if (auto text = ReadWhole(place)) return text;
  }
  ERR_clear_error();
  return Error(Code::kNoEntry,
               "no trusted certificates on this system: /etc/ssl/certs/ca-certificates.crt is missing (package ca-certificates)");
}

// Adds every certificate of a PEM text; returns how many.
int AddToStore(X509_STORE* store, const std::string& pem) {
  const Bio bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  int count = 0;
  for (;;) {
    const Certificate certificate(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
    if (!certificate) break;
    if (store != nullptr) X509_STORE_add_cert(store, certificate.get());
    ++count;
  }
  ERR_clear_error();
  return count;
}

}  // namespace

std::string TlsErrorText() {
  const unsigned long code = ERR_peek_last_error();
  const char* reason = code != 0 ? ERR_reason_error_string(code) : nullptr;
  ERR_clear_error();
  return reason != nullptr ? reason : "TLS failed";
}

struct CertificateAuthority::Keys {
  Key authority_key, server_key;
  Certificate certificate;
  std::string pem;
};

CertificateAuthority::CertificateAuthority() = default;
CertificateAuthority::~CertificateAuthority() = default;

Result<CertificateAuthority::Keys*> CertificateAuthority::EnsureKeys() {
  if (keys_ != nullptr) return keys_.get();
  auto keys = std::make_unique<Keys>();
  keys->authority_key.reset(EVP_EC_gen("P-256"));
  keys->server_key.reset(EVP_EC_gen("P-256"));
  if (!keys->authority_key || !keys->server_key) return TlsError("no key for the engine's certificate authority");
  keys->certificate = MakeCertificate(keys->authority_key.get(), "Paddock sandbox authority", kAuthoritySeconds);
  X509* certificate = keys->certificate.get();
  if (certificate == nullptr || X509_set_issuer_name(certificate, X509_get_subject_name(certificate)) != 1 ||
      !AddExtension(certificate, certificate, NID_basic_constraints, "critical,CA:TRUE,pathlen:0") ||
      !AddExtension(certificate, certificate, NID_key_usage, "critical,keyCertSign,cRLSign") ||
      !AddExtension(certificate, certificate, NID_subject_key_identifier, "hash") ||
      !AddExtension(certificate, certificate, NID_authority_key_identifier, "keyid:always") ||
      X509_sign(certificate, keys->authority_key.get(), EVP_sha256()) == 0) {
    return TlsError("no certificate for the engine's authority");
  }
  const Bio bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(bio.get(), certificate);
  char* text = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &text);
  keys->pem.assign(text, static_cast<size_t>(size));
  keys_ = std::move(keys);
  return keys_.get();
}

Result<std::string> CertificateAuthority::Pem() {
  const std::lock_guard lock(mutex_);
  PADDOCK_ASSIGN(const Keys* const keys, EnsureKeys());
  return keys->pem;
}

Result<std::shared_ptr<SSL_CTX>> CertificateAuthority::ContextFor(const policy::Host& host) {
  if (const auto found = contexts_.find(host.text); found != contexts_.end()) {
    recent_.splice(recent_.begin(), recent_, found->second);
    return found->second->second;
  }
  Keys* keys = nullptr;
  {
    const std::lock_guard lock(mutex_);
    PADDOCK_ASSIGN(keys, EnsureKeys());
  }
  const Certificate certificate = MakeCertificate(keys->server_key.get(), "Paddock sandbox", kServerSeconds);
  const std::string name = (host.address ? "IP:" : "DNS:") + host.text;
  if (!certificate || X509_set_issuer_name(certificate.get(), X509_get_subject_name(keys->certificate.get())) != 1 ||
      !AddExtension(certificate.get(), keys->certificate.get(), NID_basic_constraints, "critical,CA:FALSE") ||
      !AddExtension(certificate.get(), keys->certificate.get(), NID_key_usage, "critical,digitalSignature") ||
      !AddExtension(certificate.get(), keys->certificate.get(), NID_ext_key_usage, "serverAuth") ||
      !AddExtension(certificate.get(), keys->certificate.get(), NID_subject_alt_name, name) ||
      !AddExtension(certificate.get(), keys->certificate.get(), NID_subject_key_identifier, "hash") ||
      !AddExtension(certificate.get(), keys->certificate.get(), NID_authority_key_identifier, "keyid:always") ||
      X509_sign(certificate.get(), keys->authority_key.get(), EVP_sha256()) == 0) {
    return TlsError("no certificate for " + host.text);
  }
  const auto context = MakeContext(TLS_server_method());
  if (!context || SSL_CTX_use_certificate(context.get(), certificate.get()) != 1 ||
      SSL_CTX_use_PrivateKey(context.get(), keys->server_key.get()) != 1) {
    return TlsError("no TLS for " + host.text);
  }
  SSL_CTX_set_alpn_select_cb(context.get(), ChooseProtocol, nullptr);
  recent_.emplace_front(host.text, context);
  contexts_[host.text] = recent_.begin();
  if (recent_.size() > kKeptContexts) {
    contexts_.erase(recent_.back().first);
    recent_.pop_back();
  }
  return context;
}

Status UpstreamTrust::Check(const std::string& extra_pem) {
  if (!extra_pem.empty() && AddToStore(nullptr, extra_pem) == 0)
    return Error(Code::kInvalid, "extra_trust_pem holds no certificate");
  return {};
}

Result<std::shared_ptr<SSL_CTX>> UpstreamTrust::Context() {
  if (context_ != nullptr) return context_;
  const auto context = MakeContext(TLS_client_method());
  if (!context) return TlsError("no TLS to servers");
  PADDOCK_ASSIGN(const std::string pem, Pem());
  AddToStore(SSL_CTX_get_cert_store(context.get()), pem);
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  constexpr unsigned char kProtocols[] = "\x08http/1.1";
  SSL_CTX_set_alpn_protos(context.get(), kProtocols, sizeof kProtocols - 1);
  context_ = context;
  return context_;
}

Result<std::string> UpstreamTrust::Pem() const {
  auto roots = SystemRoots();
  if (!roots && extra_pem_.empty()) return roots.error();
  std::string pem = roots.value_or("");
  if (!pem.empty() && !pem.ends_with('\n')) pem += '\n';
  return pem + extra_pem_;
}

}  // namespace paddock::egress
