// The size of a picture by the head of its file.
#include "gateway/picture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::gateway;

BOOST_AUTO_TEST_SUITE(picture)

namespace {

const std::string png_9000_by_10 = "iVBORw0KGgoAAAANSUhEUgAAIygAAAAKCAIAAAAAAAAAAAAAAA==";

content with_picture(const std::string& data) {
  return content(std::vector<content_part>{
      text_part{large_text("Look:")}, image_part{"image/png", large_text(data), std::nullopt}});
}

} // namespace

BOOST_AUTO_TEST_CASE(the_head_of_each_format_tells_the_size) {
  const std::pair<std::string, picture_size> heads[] = {{png_9000_by_10, {9000, 10}},
      {"R0lGODlhLAEpIwAAAA==", {300, 9001}},
      {"/9j/4QAgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA/8IAEQgB4AKAAwAAAAAAAAAAAAAAAA==", {640, 480}},
      {"UklGRmQAAABXRUJQVlA4WAoAAAAAAAAAfz4AAQAA", {16000, 2}},
      {"UklGRmQAAABXRUJQVlA4TAoAAAAvK8ExAAAAAAAAAAAA", {300, 200}},
      {"UklGRmQAAABXRUJQVlA4IAoAAAAAAACdASosAcgAAAAAAA==", {300, 200}}};
  for (const auto& [base64, size] : heads) {
    BOOST_TEST((size_of_picture(base64) == size), base64);
    for (std::size_t cut = 0; cut < base64.size(); ++cut) // no byte is read that isn't there
      (void)size_of_picture(std::string_view(base64).substr(0, cut));
  }
}

BOOST_AUTO_TEST_CASE(what_is_no_picture_has_no_size) {
  for (const char* const other :
      {"", "=", "====", "aGVsbG8gd29ybGQh", "not base64 at all!", "/9j/2Q==", "/9j/4AAA"})
    BOOST_TEST(!size_of_picture(other).has_value(), other);
}

BOOST_AUTO_TEST_CASE(a_side_that_is_too_long_is_a_fault_that_says_so) {
  const auto fault = fault_of_pictures(with_picture(png_9000_by_10));
  BOOST_REQUIRE(fault.has_value());
  BOOST_TEST(fault->find("9000 by 10 pixels") != std::string::npos);
  BOOST_TEST(fault->find("picture_side_max") != std::string::npos);
  BOOST_TEST(!fault_of_pictures(with_picture("aGVsbG8gd29ybGQh")).has_value()); // the provider judges it
  BOOST_TEST(!fault_of_pictures(content(png_9000_by_10)).has_value());          // a text
  for (const char* const broken :
      {"", "=", "====", "AAA", "AA\nAAAA=", "!!!not base64!!!", "🙂🙂🙂🙂"})
    BOOST_TEST(
        fault_of_pictures(with_picture(broken)).value_or("").find("base64") != std::string::npos, broken);
  BOOST_TEST(fault_of_pictures(content(std::vector<content_part>{image_part{}})).has_value());
}

BOOST_AUTO_TEST_SUITE_END()
