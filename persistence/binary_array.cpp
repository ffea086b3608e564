// The form that `array_recv` reads: a header, and each element with its length, all big-endian.
#include "persistence/binary_array.hpp"

#include <algorithm>
#include <limits>

namespace troupe::persistence {

namespace {

// Dimensions, whether there are nulls, the elements' type; of the one dimension its size and first index.
constexpr std::size_t header_bytes = 5 * sizeof(std::uint32_t);
// An array of nothing has no dimension.
constexpr std::size_t empty_header_bytes = 3 * sizeof(std::uint32_t);
constexpr std::uint32_t null_length = 0xffff'ffff;
constexpr std::int64_t from_1970_to_2000 = 946'684'800'000'000;

void append_big_endian(std::string& out, std::uint64_t value, std::size_t bytes) {
  for (std::size_t i = bytes; i-- > 0;)
    out += static_cast<char>(static_cast<unsigned char>(value >> (8 * i)));
}

void append_word(std::string& out, std::uint32_t value) { append_big_endian(out, value, sizeof value); }

std::size_t width_of(element_type type) {
  switch (type) {
  case element_type::smallint:
    return 2;
  case element_type::integer:
    return 4;
  default:
    return 8;
  }
}

unsigned hex_digit(char c) { return static_cast<unsigned>(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10); }

} // namespace

binary_array::binary_array(element_type type) : type_(type), bytes_(header_bytes, '\0') {}

void binary_array::add(std::int64_t number) {
  ++count_;
  const auto width = width_of(type_);
  append_word(bytes_, static_cast<std::uint32_t>(width));
  append_big_endian(bytes_, static_cast<std::uint64_t>(number), width);
}

void binary_array::add(bool yes) {
  ++count_;
  append_word(bytes_, 1);
  bytes_ += yes ? '\1' : '\0';
}

void binary_array::add(timestamp at) {
  // what is too early for the difference is too early for the server, too, which says so
  constexpr auto earliest = std::numeric_limits<std::int64_t>::min() + from_1970_to_2000 + 1;
  add(std::max(at.microseconds, earliest) - from_1970_to_2000);
}

void binary_array::add(std::string_view bytes) {
  ++count_;
  append_word(bytes_, static_cast<std::uint32_t>(bytes.size()));
  bytes_ += bytes;
}

void binary_array::add_uuid(std::string_view id) {
  ++count_;
  append_word(bytes_, 16);
  unsigned high = 0;
  bool is_second = false;
  for (const char c : id) {
    if (c == '-')
      continue;
    if (is_second)
      bytes_ += static_cast<char>(static_cast<unsigned char>(high * 16 + hex_digit(c)));
    high = hex_digit(c);
    is_second = !is_second;
  }
}

void binary_array::add_null() {
  ++count_;
  has_null_ = true;
  append_word(bytes_, null_length);
}

std::string binary_array::take() {
  const bool empty = count_ == 0;
  std::string header;
  header.reserve(header_bytes);
  append_word(header, empty ? 0 : 1);
  append_word(header, has_null_ ? 1 : 0);
  append_word(header, static_cast<std::uint32_t>(type_));
  append_word(header, count_);
  append_word(header, 1);
  bytes_.replace(0, header_bytes, header, 0, empty ? empty_header_bytes : header_bytes);
  return std::move(bytes_);
}

} // namespace troupe::persistence
