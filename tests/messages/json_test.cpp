// JSON that keeps what it was given.
#include "messages/json.hpp"

#include <boost/test/unit_test.hpp>

#include <cmath>

using namespace troupe;

BOOST_AUTO_TEST_SUITE(json_text)

namespace {

std::string compacted(std::string_view text) { return json::compact(text).value().text.text; }

} // namespace

BOOST_AUTO_TEST_CASE(a_value_keeps_its_digits_its_order_and_its_escapes) {
  BOOST_TEST(
      compacted(R"( { "b" : 1.50 , "a" : [ 1E2, -0.0, 18446744073709551615 ], "\u0041" : "\/ \u00e9" } )")
      == R"({"b":1.50,"a":[1E2,-0.0,18446744073709551615],"\u0041":"\/ \u00e9"})");
}

BOOST_AUTO_TEST_CASE(white_space_inside_strings_stays) {
  BOOST_TEST(compacted("[\"a \\n b\" ,\t1]") == "[\"a \\n b\",1]");
}

BOOST_AUTO_TEST_CASE(a_lone_surrogate_becomes_the_replacement_character) {
  BOOST_TEST(json::parse(R"("\ud83d\ude00")")->as_string() == "\xF0\x9F\x98\x80");
  BOOST_TEST(json::parse(R"("a\ud83db")")->as_string()
      == "a\xEF\xBF\xBD"
         "b");
  BOOST_TEST(json::parse(R"("\ude00")")->as_string() == "\xEF\xBF\xBD");
  BOOST_TEST(json::parse(R"("\ud83d\u0041")")->as_string()
      == "\xEF\xBF\xBD"
         "A");
  BOOST_TEST(compacted(R"("\ud83d\ude00 \ud83d x")") == "\"\\ud83d\\ude00 \xEF\xBF\xBD x\"");
}

BOOST_AUTO_TEST_CASE(broken_utf8_becomes_the_replacement_character) {
  BOOST_TEST(json::parse("\"a\xFF"
                         "b\"")
                 ->as_string()
      == "a\xEF\xBF\xBD"
         "b");
  BOOST_TEST(compacted("\"a\xC3\"") == "\"a\xEF\xBF\xBD\"");
}

BOOST_AUTO_TEST_CASE(u_0000_comes_back) {
  const auto parsed = json::parse(R"("a\u0000b")");
  BOOST_TEST(parsed->as_string() == std::string("a\0b", 3));
  BOOST_TEST(json::quote(parsed->as_string()) == R"("a\u0000b")");
}

BOOST_AUTO_TEST_CASE(integers_are_exact_to_both_ends) {
  BOOST_TEST(json::parse("-9223372036854775808")->as_int64().value() == INT64_MIN);
  BOOST_TEST(json::parse("18446744073709551615")->as_uint64().value() == UINT64_MAX);
  BOOST_TEST(!json::parse("9223372036854775808")->as_int64());
  BOOST_TEST(!json::parse("1.0")->as_int64());
  BOOST_TEST(!json::parse("1e999")->as_double());
}

BOOST_AUTO_TEST_CASE(double_keys_and_inexact_numbers_are_seen) {
  BOOST_TEST(json::compact(R"({"a":{"x":1,"y":2,"x":3}})")->double_keys);
  BOOST_TEST(json::compact(R"([{"\u0061":1,"a":2}])")->double_keys);
  BOOST_TEST(!json::compact(R"([{"a":1},{"a":2}])")->double_keys);
  BOOST_TEST(json::compact("[18446744073709551616]")->inexact_numbers);
  BOOST_TEST(json::compact("{\"a\":1e400}")->inexact_numbers);
  BOOST_TEST(!json::compact("[18446744073709551615,-9223372036854775808,0.1]")->inexact_numbers);
}

BOOST_AUTO_TEST_CASE(what_isnt_json_is_refused_with_its_place) {
  for (const auto* const text : {"", " ", "{", "[1,]", "{\"a\"}", "{\"a\":1,}", "{a:1}", "01", "1.", ".5",
           "+1", "1e", "tru", "nul", "\"a", "\"\\x\"", "\"\\u12\"", "\"a\nb\"", "[1]x", "{\"a\":1 \"b\":2}",
           "'a'", "NaN", "-", "[", "\xEF\xBB\xBF{}"}) {
    BOOST_TEST(!json::parse(text), text);
    BOOST_TEST(!json::compact(text), text);
  }
  BOOST_TEST(json::parse("[1,x]").error().detail == "not JSON at byte 3: expected a value");
}

BOOST_AUTO_TEST_CASE(nesting_is_bounded) {
  const std::string fits = std::string(64, '[') + std::string(64, ']');
  const std::string deeper = std::string(65, '[') + std::string(65, ']');
  BOOST_TEST(json::parse(fits).has_value());
  BOOST_TEST((json::parse(deeper).error().code == problem_code::too_large));
  const std::string deepest(10'000'000, '[');
  BOOST_TEST(!json::parse(deepest));
}

BOOST_AUTO_TEST_CASE(a_document_cut_anywhere_is_refused) {
  const std::string_view text = R"({"a":[1,2.5e3,"x\u00e9\n"],"b":{"c":null,"d":true}})";
  for (std::size_t i = 0; i < text.size(); ++i)
    BOOST_TEST(!json::parse(text.substr(0, i)), i);
}

BOOST_AUTO_TEST_CASE(only_what_must_be_escaped_is) {
  BOOST_TEST(
      json::quote("\"\\/\b\t\n\f\r\x01\x1f\x7f é") == "\"\\\"\\\\/\\b\\t\\n\\f\\r\\u0001\\u001f\x7f é\"");
}

BOOST_AUTO_TEST_CASE(numbers_are_written_shortest) {
  std::string out;
  for (const double number : {0.000183, 8.1e-05, 1.5, 0.1, 1e300, 0.0})
    json::append_number(out += " ", number);
  BOOST_TEST(out == " 0.000183 8.1e-05 1.5 0.1 1e+300 0");
  out.clear();
  json::append_number(out, std::nan(""));
  BOOST_TEST(out == "null");
}

BOOST_AUTO_TEST_CASE(the_writer_separates_by_itself) {
  json::writer out;
  out.begin_object()
      .field("a", "x")
      .key("b")
      .begin_array()
      .number(std::int64_t{1})
      .null()
      .begin_object()
      .end_object()
      .end_array()
      .key("c")
      .boolean(false)
      .end_object();
  BOOST_TEST(out.text() == R"({"a":"x","b":[1,null,{}],"c":false})");
}

BOOST_AUTO_TEST_SUITE_END()
