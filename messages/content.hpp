// Content of messages and results: text, pictures and documents; what is big is named by its hash.
#pragma once

#include "messages/digest.hpp"
#include "messages/json.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <boost/describe.hpp>

namespace troupe {

/// A string longer than this is stored once by content and referred to.
inline constexpr std::size_t inline_bytes_max = 8192;

/// The name of stored content: `{"blob": "sha256:HEX", "bytes": n}`.
struct blob_ref {
  std::string blob;
  std::uint64_t bytes = 0;
  bool operator==(const blob_ref&) const = default;
};
BOOST_DESCRIBE_STRUCT(blob_ref, (), (blob, bytes))

/// Text or data that stands in an event as itself, or by reference where it is big.
/// `loaded` is false after a decode until the content has been fetched.
struct large_text {
  std::string text;
  std::optional<blob_ref> ref;
  bool loaded = true;

  large_text() = default;
  large_text(std::string content);
  large_text(const char* content) : large_text(std::string(content)) {}
  static large_text reference(blob_ref ref);
  /// By what it names, whether or not the content is at hand.
  bool operator==(const large_text& other) const;
};

/// A text that always stands by reference, however short (instructions and tools of an inference).
struct referenced_text {
  large_text content;
  referenced_text() = default;
  explicit referenced_text(std::string text);
  bool operator==(const referenced_text&) const = default;
};

struct text_part {
  large_text text;
  bool operator==(const text_part&) const = default;
};
struct image_part {
  std::optional<std::string> media_type;
  std::optional<large_text> data; ///< base64
  std::optional<std::string> url;
  bool operator==(const image_part&) const = default;
};
struct document_part {
  std::optional<std::string> media_type;
  std::optional<large_text> data;
  std::optional<std::string> url;
  std::optional<std::string> name;
  bool operator==(const document_part&) const = default;
};
BOOST_DESCRIBE_STRUCT(text_part, (), (text))
BOOST_DESCRIBE_STRUCT(image_part, (), (media_type, data, url))
BOOST_DESCRIBE_STRUCT(document_part, (), (media_type, data, url, name))

using content_part = std::variant<text_part, image_part, document_part>;

/// Content as it came: one string, or a list of parts.
struct content {
  std::variant<large_text, std::vector<content_part>> value;
  content() = default;
  content(large_text text) : value(std::move(text)) {}
  content(std::string text) : value(large_text(std::move(text))) {}
  content(const char* text) : value(large_text(text)) {}
  content(std::vector<content_part> parts) : value(std::move(parts)) {}
  bool operator==(const content&) const = default;
};

/// The content as the context shows it: always a list of parts.
std::vector<content_part> parts_of(const content& value);

/// True if a model would find nothing in it to read: no provider takes such a message.
bool is_blank(const content& value);

/// All text of the content, joined by line ends; pictures and documents are left out.
std::string plain_text(const content& value);

} // namespace troupe
