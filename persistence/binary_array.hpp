// Arrays as PostgreSQL sends them itself: no quoting, and nothing to parse on the other side.
#pragma once

#include "messages/time.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace troupe::persistence {

/// The types of elements by their numbers in PostgreSQL, which never change.
enum class element_type : std::uint32_t {
  boolean = 16,
  bytea = 17,
  bigint = 20,
  smallint = 21,
  integer = 23,
  text = 25,
  timestamptz = 1184,
  uuid = 2950,
};

/// An array of one dimension as one binary parameter. Each `add` is for its types alone.
class binary_array {
 public:
  explicit binary_array(element_type type);
  /// A `bigint`, `integer` or `smallint`; whoever calls sees to it that it fits.
  void add(std::int64_t number);
  void add(bool yes);
  void add(timestamp at);
  /// A `text` or `bytea`, as it is.
  void add(std::string_view bytes);
  void add(const char*) = delete; // would be a bool
  /// A `uuid` in its written form.
  void add_uuid(std::string_view id);
  void add_null();
  bool empty() const { return count_ == 0; }
  std::string take();

 private:
  element_type type_;
  std::uint32_t count_ = 0;
  bool has_null_ = false;
  std::string bytes_; ///< the header has its place, and is filled in last
};

} // namespace troupe::persistence
