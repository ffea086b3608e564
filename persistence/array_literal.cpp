// Quotes elements by the rules of array input (PostgreSQL, 8.15.6).
#include "persistence/array_literal.hpp"

#include "messages/digest.hpp"

#include <utility>

namespace troupe::persistence {

void array_literal::separate() { text_ += std::exchange(empty_, false) ? '{' : ','; }

void array_literal::add_plain(std::string_view element) {
  separate();
  text_ += element;
}

void array_literal::add(std::int64_t number) { add_plain(std::to_string(number)); }

void array_literal::add(std::string_view text) {
  separate();
  text_ += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\')
      text_ += '\\';
    text_ += c;
  }
  text_ += '"';
}

void array_literal::add_bytes(std::string_view bytes) {
  separate();
  text_.reserve(text_.size() + 2 * bytes.size() + 6);
  text_ += "\"\\\\x";
  text_ += hex(bytes);
  text_ += '"';
}

std::string to_bytea(std::string_view bytes) {
  std::string out = "\\x";
  out += hex(bytes);
  return out;
}

std::string from_bytea(std::string_view text) {
  return text.substr(0, 2) == "\\x" ? from_hex(text.substr(2)) : "";
}

} // namespace troupe::persistence
