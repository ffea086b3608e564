// Text, times, ids and hashes.
#include "messages/content.hpp"
#include "messages/ids.hpp"
#include "messages/text.hpp"

#include <boost/test/unit_test.hpp>

#include <array>

using namespace troupe;

BOOST_AUTO_TEST_SUITE(plain_text_things)

BOOST_AUTO_TEST_CASE(every_scalar_value_survives) {
  for (char32_t c = 0; c <= 0x10FFFF; c += (c % 251) + 1) {
    if (c >= 0xD800 && c < 0xE000)
      continue;
    std::string text;
    append_utf8(text, c);
    BOOST_REQUIRE(is_utf8(text));
    BOOST_REQUIRE(to_utf8(text) == text);
  }
}

BOOST_AUTO_TEST_CASE(broken_sequences_are_replaced_part_by_part) {
  const std::string r = "\xEF\xBF\xBD";
  BOOST_TEST(to_utf8("a\x80z") == "a" + r + "z");
  BOOST_TEST(to_utf8("\xC0\xAF") == r + r);                 // overlong
  BOOST_TEST(to_utf8("\xED\xA0\x80") == r + r + r);         // a surrogate
  BOOST_TEST(to_utf8("\xF4\x90\x80\x80") == r + r + r + r); // above U+10FFFF
  BOOST_TEST(to_utf8("\xE2\x82") == r);                     // cut off
  BOOST_TEST(to_utf8("\xE2\x82"
                     "A")
      == r + "A");
}

BOOST_AUTO_TEST_CASE(a_prefix_cuts_no_character) {
  BOOST_TEST(utf8_prefix("aé", 2) == "a");
  BOOST_TEST(utf8_prefix("aé", 3) == "aé");
  BOOST_TEST(utf8_prefix("\xF0\x9F\x98\x80", 3).empty());
}

BOOST_AUTO_TEST_CASE(the_nearest_name_is_offered) {
  const std::array<std::string_view, 3> known{"anthropic", "openai", "gym"};
  BOOST_TEST(nearest_name("antropic", known.data(), known.data() + 3) == "anthropic");
  BOOST_TEST(nearest_name("something else", known.data(), known.data() + 3).empty());
}

BOOST_AUTO_TEST_CASE(times_come_back) {
  for (const auto* const text :
      {"2026-11-30T10:00:00.000500Z", "1970-01-01T00:00:00.000000Z", "2000-02-29T23:59:59.999999Z"})
    BOOST_TEST(to_string(parse_timestamp(text).value()) == text);
  BOOST_TEST(parse_timestamp("2026-11-30T10:00:00.5Z").value().microseconds % 1'000'000 == 500'000);
  for (const auto* const text : {"", "2026-11-30", "2026-13-30T10:00:00Z", "2026-02-30T10:00:00Z",
           "2026-11-30T24:00:00Z", "2026-11-30T10:00:00", "2026-11-30T10:00:00.Z",
           "2026-11-30T10:00:00.1234567Z", "2026-11-30T10:00:00+01:00"})
    BOOST_TEST(!parse_timestamp(text), text);
}

BOOST_AUTO_TEST_CASE(ids_sort_by_time) {
  const auto early = uuid_v7(timestamp{1'700'000'000'000'000}, ~0ULL, ~0ULL);
  const auto late = uuid_v7(timestamp{1'700'000'000'001'000}, 0, 0);
  BOOST_TEST(early < late);
  BOOST_TEST(is_uuid(early));
  BOOST_TEST(early[14] == '7');
  BOOST_TEST((early[19] == 'b' && late[19] == '8'));
}

BOOST_AUTO_TEST_CASE(ids_of_users_keep_to_their_alphabet) {
  for (const auto* const good : {"a", "A-1._b", "0"})
    BOOST_TEST(is_id(good), good);
  for (const auto* const bad : {"", "-a", ".a", "a b", "a/b", "é", "a\n"})
    BOOST_TEST(!is_id(bad), bad);
  BOOST_TEST(is_id(std::string(128, 'x')));
  BOOST_TEST(!is_id(std::string(129, 'x')));
}

BOOST_AUTO_TEST_CASE(a_hash_goes_on_from_its_prefix) {
  BOOST_TEST(hex(sha256_of("")) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  BOOST_TEST(hex(sha256_of("abc")) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  sha256 prefix;
  prefix.update("ab");
  sha256 branch = prefix;
  branch.update("X");
  prefix.update("c");
  BOOST_TEST(hex(prefix.finish()) == hex(sha256_of("abc")));
  BOOST_TEST(hex(prefix.finish()) == hex(sha256_of("abc")));
  BOOST_TEST(hex(branch.finish()) == hex(sha256_of("abX")));
}

BOOST_AUTO_TEST_CASE(only_long_text_stands_by_reference) {
  BOOST_TEST(!large_text(std::string(8192, 'x')).ref);
  const large_text big(std::string(8193, 'x'));
  BOOST_REQUIRE(big.ref);
  BOOST_TEST(big.ref->bytes == 8193U);
  BOOST_TEST((large_text::reference(*big.ref) == big));
}

BOOST_AUTO_TEST_SUITE_END()
