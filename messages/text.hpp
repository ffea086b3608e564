// Text in and out: every Unicode scalar value comes back unchanged, what isn't UTF-8 becomes U+FFFD.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace troupe {

/// True if `bytes` is well-formed UTF-8 (RFC 3629: no surrogates, no overlong forms).
bool is_utf8(std::string_view bytes);

/// `bytes` with each maximal broken part replaced by U+FFFD; unchanged text costs one scan.
std::string to_utf8(std::string_view bytes);

/// Appends the scalar value as UTF-8; a surrogate or a value above U+10FFFF becomes U+FFFD.
void append_utf8(std::string& out, char32_t scalar);

/// The longest prefix of at most `bytes_max` bytes that cuts no character.
std::string_view utf8_prefix(std::string_view text, std::size_t bytes_max);

/// The names that are closest to `name` by edit distance, for "did you mean"; empty if none is near.
std::string nearest_name(std::string_view name, const std::string_view* first, const std::string_view* last);

} // namespace troupe
