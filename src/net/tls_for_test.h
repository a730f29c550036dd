// For tests: a certificate for localhost and 127.0.0.1 that signs itself, in files.
#pragma once

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <unistd.h>

#include <string>

namespace paddock::net {

class TestCertificate {
 public:
  TestCertificate() {
    char name[] = "/tmp/paddock_tls_XXXXXX";
    folder_ = mkdtemp(name);
    Make();
  }
  ~TestCertificate() {
    unlink(certificate().c_str());
    unlink(key().c_str());
    rmdir(folder_.c_str());
  }
  TestCertificate(const TestCertificate&) = delete;
  TestCertificate& operator=(const TestCertificate&) = delete;
  std::string certificate() const { return folder_ + "/cert.pem"; }
  std::string key() const { return folder_ + "/key.pem"; }
  // Replaces both files.
  void Make() {
    EVP_PKEY* const key = EVP_EC_gen("P-256");
    X509* const x509 = X509_new();
    X509_set_version(x509, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(x509), ++serial_);
    X509_gmtime_adj(X509_getm_notBefore(x509), -3600);
    X509_gmtime_adj(X509_getm_notAfter(x509), 3600);
    X509_set_pubkey(x509, key);
    X509_NAME* const subject = X509_get_subject_name(x509);
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("localhost"), -1, -1, 0);
    X509_set_issuer_name(x509, subject);
    for (const auto& [id, value] :
         {std::pair{NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1"}, {NID_basic_constraints, "critical,CA:TRUE"}}) {
      X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, nullptr, id, value);
      X509_add_ext(x509, extension, -1);
      X509_EXTENSION_free(extension);
    }
    EXPECT_GT(X509_sign(x509, key, EVP_sha256()), 0);
    FILE* file = fopen(certificate().c_str(), "w");
    EXPECT_EQ(PEM_write_X509(file, x509), 1);
    fclose(file);
    file = fopen(this->key().c_str(), "w");
    EXPECT_EQ(PEM_write_PrivateKey(file, key, nullptr, nullptr, 0, nullptr, nullptr), 1);
    fclose(file);
    X509_free(x509);
    EVP_PKEY_free(key);
  }

 private:
  std::string folder_;
  int serial_ = 0;
};

}  // namespace paddock::net
