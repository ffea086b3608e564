// Pictures and documents that a provider has no room for.
#include "providers/media_bound.hpp"

#include <boost/test/unit_test.hpp>

namespace troupe::providers {

BOOST_AUTO_TEST_SUITE(media_bounds)

namespace {

message with(std::vector<content_part> parts) {
  message out;
  out.parts = std::move(parts);
  return out;
}

image_part picture(std::size_t bytes) {
  return {"image/png", large_text(std::string(bytes, 'A')), std::nullopt};
}

std::string text_at(const message& in, std::size_t place) {
  const auto* const text = std::get_if<text_part>(&in.parts.at(place));
  return text ? text->text.text : "";
}

} // namespace

BOOST_AUTO_TEST_CASE(the_oldest_go_first_and_no_more_than_must) {
  message_list messages{with({text_part{large_text("old")}, picture(100)}),
      with({document_part{"application/pdf", large_text(std::string(100, 'B')), std::nullopt, std::nullopt}}),
      with({image_part{std::nullopt, std::nullopt, "https://example.com/a.png"}, picture(100)})};
  const auto shared = messages;
  BOOST_TEST(media_bytes(messages) == 300U);
  BOOST_TEST(!keep_media_within(messages, 300, "too big"));
  BOOST_TEST(keep_media_within(messages, 299, "too big"));
  BOOST_TEST(text_at(messages[0], 1) == "[picture left out: too big]");
  BOOST_TEST(media_bytes(messages) == 200U);
  BOOST_TEST(keep_media_within(messages, 150, "too big"));
  BOOST_TEST(text_at(messages[1], 0) == "[document left out: too big]");
  BOOST_TEST(media_bytes(messages) == 100U);
  BOOST_TEST(text_at(messages[0], 0) == "old");
  BOOST_TEST(keep_media_within(messages, 0, "refused"));
  BOOST_TEST(text_at(messages[2], 1) == "[picture left out: refused]");
  BOOST_TEST(std::holds_alternative<image_part>(messages[2].parts[0])); // its address costs nothing
  BOOST_TEST(!keep_media_within(messages, 0, "refused"));
  BOOST_TEST(media_bytes(shared) == 300U); // whoever has the same messages has them whole
}

BOOST_AUTO_TEST_CASE(a_refusal_of_media_is_told_from_others) {
  for (const char* const of_media : {"messages.2.content.0.image.source: too wide", "Could not process Image",
           "The document has too many pages", "invalid PDF"})
    BOOST_TEST(blames_media(of_media), of_media);
  for (const char* const other : {"", "max_tokens: too big", "messages: roles must alternate",
           "see the documentation", "imagine a pdfs"})
    BOOST_TEST(!blames_media(other), other);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::providers
