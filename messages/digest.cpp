// SHA-256 by libcrypto.
#include "messages/digest.hpp"

#include <new>

#include <openssl/evp.h>

namespace troupe {

struct sha256::state {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  state() {
    if (!context)
      throw std::bad_alloc();
  }
  state(const state&) = delete;
  state& operator=(const state&) = delete;
  ~state() { EVP_MD_CTX_free(context); }
};

sha256::sha256() : state_(std::make_unique<state>()) {
  static const EVP_MD* const algorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  if (EVP_DigestInit_ex(state_->context, algorithm, nullptr) != 1)
    throw std::bad_alloc();
}
sha256::sha256(const sha256& other) : state_(std::make_unique<state>()) {
  if (EVP_MD_CTX_copy_ex(state_->context, other.state_->context) != 1)
    throw std::bad_alloc();
}
sha256& sha256::operator=(const sha256& other) {
  if (this != &other)
    *this = sha256(other);
  return *this;
}
sha256::sha256(sha256&&) noexcept = default;
sha256& sha256::operator=(sha256&&) noexcept = default;
sha256::~sha256() = default;

void sha256::update(std::string_view bytes) { EVP_DigestUpdate(state_->context, bytes.data(), bytes.size()); }

hash sha256::finish() const {
  const sha256 copy(*this);
  hash out{};
  unsigned length = 0;
  EVP_DigestFinal_ex(copy.state_->context, out.data(), &length);
  return out;
}

hash sha256_of(std::string_view bytes) {
  sha256 running;
  running.update(bytes);
  return running.finish();
}

std::string hex(std::string_view bytes) {
  static constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  out.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out.push_back(digits[byte >> 4]);
    out.push_back(digits[byte & 15]);
  }
  return out;
}

namespace {

int digit(char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; }

} // namespace

std::string from_hex(std::string_view digits) {
  std::string out;
  out.reserve(digits.size() / 2);
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    const int high = digit(digits[i]);
    const int low = digit(digits[i + 1]);
    if (high < 0 || low < 0)
      return {};
    out += static_cast<char>(high * 16 + low);
  }
  return out;
}

std::string hex(const hash& value) {
  return hex(std::string_view(reinterpret_cast<const char*>(value.data()), value.size()));
}

std::string content_name(const hash& value) { return "sha256:" + hex(value); }
std::string content_name(std::string_view bytes) { return content_name(sha256_of(bytes)); }

} // namespace troupe
