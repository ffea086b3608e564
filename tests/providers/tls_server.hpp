// A TLS server for tests, with a certificate made on the spot and signed by an authority of its own.
#pragma once

#include "tests/providers/raw_server.hpp"

#include <cstdio>
#include <filesystem>

#include <csignal>

#include <openssl/ssl.h>
#include <openssl/x509v3.h>

namespace troupe::providers::testing {

/// A key with a certificate; `issuer` absent: it signs itself.
struct identity {
  EVP_PKEY* key = EVP_EC_gen("P-256");
  X509* certificate = X509_new();

  explicit identity(const char* name, const char* alternative = nullptr, const identity* issuer = nullptr,
      long ends_in_seconds = 3600) {
    X509_set_version(certificate, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), issuer == nullptr ? 1 : 2);
    X509_gmtime_adj(X509_getm_notBefore(certificate), -7200);
    X509_gmtime_adj(X509_getm_notAfter(certificate), ends_in_seconds);
    X509_set_pubkey(certificate, key);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_ASC,
        reinterpret_cast<const unsigned char*>(name), -1, -1, 0);
    const auto& signer = issuer == nullptr ? *this : *issuer;
    X509_set_issuer_name(certificate, X509_get_subject_name(signer.certificate));
    if (issuer == nullptr)
      extend(NID_basic_constraints, "critical,CA:TRUE");
    if (alternative != nullptr)
      extend(NID_subject_alt_name, alternative);
    X509_sign(certificate, signer.key, EVP_sha256());
  }
  ~identity() {
    for (const auto& path : saved_)
      std::filesystem::remove(path);
    X509_free(certificate);
    EVP_PKEY_free(key);
  }
  identity(const identity&) = delete;
  identity& operator=(const identity&) = delete;

  /// The certificate as a PEM file.
  std::string save() const {
    static int made = 0;
    auto path = (std::filesystem::temp_directory_path()
        / ("troupe-ca-" + std::to_string(::getpid()) + "-" + std::to_string(++made) + ".pem"))
                    .string();
    saved_.push_back(path);
    auto* file = std::fopen(path.c_str(), "w");
    PEM_write_X509(file, certificate);
    std::fclose(file);
    return path;
  }

 private:
  void extend(int kind, const char* value) {
    auto* extension = X509V3_EXT_conf_nid(nullptr, nullptr, kind, value);
    X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
  }
  mutable std::vector<std::string> saved_; ///< removed at the end
};

/// Answers every request of a connection with the same bytes, over TLS.
class tls_server {
 public:
  tls_server(const identity& who, std::string answer)
      : context_(SSL_CTX_new(TLS_server_method())), answer_(std::move(answer)),
        server_([this](raw_connection& from, int) { serve(from); }) {
    SSL_CTX_use_certificate(context_, who.certificate);
    SSL_CTX_use_PrivateKey(context_, who.key);
  }
  std::uint16_t port() const { return server_.port(); }
  int accepted() const { return server_.accepted(); }

 private:
  void serve(raw_connection& from) {
    // OpenSSL writes without MSG_NOSIGNAL: a client that is gone must not end the test
    sigset_t broken_pipe;
    sigemptyset(&broken_pipe);
    sigaddset(&broken_pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);
    auto* stream = SSL_new(context_);
    SSL_set_fd(stream, from.descriptor());
    char buffer[4096];
    if (SSL_accept(stream) == 1)
      while (SSL_read(stream, buffer, sizeof buffer) > 0) // the requests are small: one read each
        if (SSL_write(stream, answer_.data(), static_cast<int>(answer_.size())) <= 0)
          break;
    SSL_free(stream);
  }

  struct freer {
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  };
  SSL_CTX* context_;
  std::unique_ptr<SSL_CTX, freer> owned_{context_};
  std::string answer_;
  raw_server server_;
};

} // namespace troupe::providers::testing
