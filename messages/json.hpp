// JSON that keeps what it was given: the digits of numbers, the order of keys, the text of strings.
//
// Boost.JSON turns 1.5 into 1.5E0 and forgets double keys; what comes from a model or a user must
// come back unchanged (docs/decisions/0003-json.md). Parsing is bounded in depth and never recurses
// past that bound.
#pragma once

#include "messages/result.hpp"

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::json {

/// Nesting beyond this is refused, from whatever side it comes.
inline constexpr int depth_max = 64;

/// One JSON value as compact text (no white space outside strings). The text is trusted: make it
/// with `compact` or a `writer`.
struct raw {
  std::string text;
  bool operator==(const raw&) const = default;
};

enum class kind : std::uint8_t { null, boolean, number, string, array, object };

/// A parsed value. `source()` is its slice of the parsed text, which must outlive it.
class value {
 public:
  using member = std::pair<std::string, value>;

  kind type() const { return kind_; }
  bool is(kind k) const { return kind_ == k; }
  bool as_bool() const { return boolean_; }                ///< false for anything but `true`
  const std::string& as_string() const { return string_; } ///< empty for anything but a string
  std::optional<std::int64_t> as_int64() const;            ///< absent unless an exact integer
  std::optional<std::uint64_t> as_uint64() const;
  std::optional<double> as_double() const; ///< absent unless a finite number
  const std::vector<value>& items() const& { return items_; }
  const std::vector<member>& members() const& { return members_; }
  const std::vector<value>& items() && = delete; // a loop over what a temporary holds reads what is gone
  const std::vector<member>& members() && = delete;
  /// The member's value; null when absent or when this is no object. Of double keys the last.
  const value* find(std::string_view key) const;
  std::string_view source() const { return source_; }

 private:
  friend class parser;
  kind kind_ = kind::null;
  bool boolean_ = false;
  std::string string_;
  std::vector<value> items_;
  std::vector<member> members_;
  std::string_view source_;
};

/// Parses exactly one value (RFC 8259). A lone surrogate and broken UTF-8 become U+FFFD.
/// Errors: `invalid_input` with the byte offset, or `too_large` past `levels` (`depth_max` at most).
result<value> parse(std::string_view text, int levels = depth_max);

/// A text that dies with the statement would leave the value pointing nowhere.
template <std::same_as<std::string> Temporary>
result<value> parse(Temporary&& text, int levels = depth_max) = delete;

/// What `compact` found besides the text.
struct compacted {
  raw text;
  kind type = kind::null;
  bool double_keys = false;     ///< some object names a key twice
  bool inexact_numbers = false; ///< an integer outside −2^63 … 2^64−1, or a number that isn't finite
};

/// The value's own text with the white space outside strings taken out; lone surrogates and broken
/// UTF-8 in it become U+FFFD. Errors as `parse`.
result<compacted> compact(std::string_view text);

/// Appends `text` as a JSON string; escapes `"`, `\` and what is below U+0020, nothing else.
void append_string(std::string& out, std::string_view text);

/// Appends the shortest decimal that reads back as `number`; `null` if it isn't finite.
void append_number(std::string& out, double number);

/// `text` as a JSON string.
std::string quote(std::string_view text);

/// Writes one value piece by piece, without white space, keys in the order given.
class writer {
 public:
  writer& begin_object();
  writer& end_object();
  writer& begin_array();
  writer& end_array();
  writer& key(std::string_view name);
  writer& string(std::string_view text);
  writer& number(std::int64_t number);
  writer& number(std::uint64_t number);
  writer& number(double number);
  writer& boolean(bool yes);
  writer& null();
  writer& raw_text(std::string_view json); ///< a value that is JSON text already
  /// `key` and `string` in one.
  writer& field(std::string_view name, std::string_view text) { return key(name).string(text); }
  const std::string& text() const { return out_; }
  std::string take() { return std::move(out_); }

 private:
  void separate();
  std::string out_;
  bool needs_comma_ = false;
};

} // namespace troupe::json
