// What of a result the context has room for, and what is kept beside it.
#include "tools/kept_result.hpp"

#include "messages/commands.hpp"
#include "messages/text.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;

BOOST_AUTO_TEST_SUITE(kept_result)

namespace {

std::string joined(const tools::kept_result& kept) {
  const std::string shown = plain_text(kept.content);
  return shown.substr(0, shown.rfind("\n[… ")) + kept.rest->content.text;
}

text_part text_of(std::string text) { return {large_text(std::move(text))}; }

} // namespace

BOOST_AUTO_TEST_CASE(what_has_room_stays_as_it_came) {
  const content whole(std::string(1024, 'x'));
  const auto kept = tools::kept_within(whole, 1024);
  BOOST_TEST((kept.content == whole));
  BOOST_TEST(!kept.rest.has_value());
}

BOOST_AUTO_TEST_CASE(a_cut_parts_no_character_and_loses_none) {
  std::string text;
  while (text.size() < 3000)
    text += "世🙂x";
  for (std::size_t room = 1024; room < 1040; ++room) {
    const auto kept = tools::kept_within(text, room);
    const std::string shown = plain_text(kept.content);
    BOOST_TEST(shown.size() <= room);
    BOOST_TEST(is_utf8(shown));
    BOOST_TEST(is_utf8(kept.rest->content.text));
    BOOST_TEST(joined(kept) == text);
    BOOST_TEST(shown.find("kept as " + kept.rest->content.ref->blob) != std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(of_a_list_the_pictures_stay_and_the_text_after_the_cut_is_kept) {
  const image_part picture{"image/png", large_text(std::string(5000, 'A')), std::nullopt};
  const content whole(std::vector<content_part>{text_of(std::string(700, 'a')), picture,
      text_of(std::string(900, 'b')), text_of(std::string(50, 'c'))});
  const auto kept = tools::kept_within(whole, 1024);
  const auto parts = parts_of(kept.content);
  BOOST_REQUIRE_EQUAL(parts.size(), 3U);
  BOOST_TEST((std::get<image_part>(parts[1]) == picture));
  BOOST_TEST(kept.rest->content.text == std::string(900 - 124, 'b') + std::string(50, 'c'));
}

BOOST_AUTO_TEST_CASE(a_list_of_one_text_stays_a_list) {
  const auto kept =
      tools::kept_within(content(std::vector<content_part>{text_of(std::string(3000, 'a'))}), 1024);
  BOOST_TEST(std::holds_alternative<std::vector<content_part>>(kept.content.value));
}

BOOST_AUTO_TEST_CASE(of_an_endless_output_it_says_how_much_is_kept) {
  const std::string text(tools::rest_bytes_max + 10'000, 'x');
  const auto kept = tools::kept_within(text, 1024);
  BOOST_TEST(kept.rest->content.text.size() == tools::rest_bytes_max);
  BOOST_TEST(plain_text(kept.content).find("of them the first 33554432 are kept as") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_result_is_known_again_whatever_the_bound_was) {
  std::string text;
  while (text.size() < 5000)
    text += "世🙂x";
  const image_part picture{"image/png", large_text(std::string(50, 'A')), std::nullopt};
  for (const content& whole : {content(text), content(std::vector<content_part>{picture, text_of(text)}),
           content(std::vector<content_part>{text_of(text), text_of("end")})}) {
    for (const std::size_t bound : {1024U, 1100U, 2000U, 4999U, 100'000U})
      BOOST_TEST(tools::is_kept_form(tools::kept_within(whole, bound), whole), bound);
    BOOST_TEST(!tools::is_kept_form(tools::kept_within(whole, 1024), content(text + ".")));
    BOOST_TEST(!tools::is_kept_form({whole, std::nullopt}, content(text + ".")));
  }
  BOOST_TEST(!tools::is_kept_form({content("short"), std::nullopt}, content("other")));
}

BOOST_AUTO_TEST_CASE(pictures_without_room_give_way_to_a_line) {
  const image_part big{
      "image/png", large_text(std::string(tools::output_media_bytes_max - 10, 'A')), std::nullopt};
  const image_part small{"image/png", large_text(std::string(20, 'A')), std::nullopt};
  const auto kept = tools::kept_within(content(std::vector<content_part>{big, small}), 1024);
  const auto parts = parts_of(kept.content);
  BOOST_TEST((std::get<image_part>(parts.at(0)) == big));
  BOOST_TEST(
      std::get<text_part>(parts.at(1)).text.text == "[a picture of 20 bytes was left out: it is too big]");
}

BOOST_AUTO_TEST_CASE(details_without_room_give_way_to_their_size) {
  client_result given;
  given.content = content("fine");
  given.details = json::raw{"\"" + std::string(2000, 'x') + "\""};
  const auto kept = tools::keep_within(given, 1024);
  BOOST_TEST(kept.details->text == R"({"left_out_bytes":2002})");
  BOOST_TEST((kept.content == given.content));
}

BOOST_AUTO_TEST_SUITE_END()
