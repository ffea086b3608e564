// SHA-256 (FIPS 180-4) that can go on from the state of a prefix, for digests, blobs and the chain.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>

namespace troupe {

using hash = std::array<unsigned char, 32>;

/// A running SHA-256. A copy goes on by itself from the same prefix.
class sha256 {
 public:
  sha256();
  sha256(const sha256& other);
  sha256& operator=(const sha256& other);
  sha256(sha256&&) noexcept;
  sha256& operator=(sha256&&) noexcept;
  ~sha256();
  void update(std::string_view bytes);
  /// The hash of all bytes so far; the state stays usable.
  hash finish() const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

hash sha256_of(std::string_view bytes);
std::string hex(const hash& value);
std::string hex(std::string_view bytes);
/// The bytes of hexadecimal digits; empty for what isn't any.
std::string from_hex(std::string_view digits);
/// `sha256:HEX`, the form in which content is named.
std::string content_name(const hash& value);
std::string content_name(std::string_view bytes);

} // namespace troupe
