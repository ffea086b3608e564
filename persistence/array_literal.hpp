// Parameters as people would write them: arrays as text, bytes as hexadecimal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace troupe::persistence {

/// An array as one text parameter, `{"a","b"}`.
class array_literal {
 public:
  void add(std::int64_t number);
  void add(std::string_view text);
  void add(const char* text) { add(std::string_view(text)); }
  void add_bytes(std::string_view bytes);
  std::string take() { return std::move(text_) + (empty_ ? "{}" : "}"); }

 private:
  void add_plain(std::string_view element);
  void separate();
  std::string text_;
  bool empty_ = true;
};

/// `\x` and two digits a byte.
std::string to_bytea(std::string_view bytes);
/// The bytes of what `to_bytea` gives; empty for what isn't its form.
std::string from_bytea(std::string_view text);

} // namespace troupe::persistence
