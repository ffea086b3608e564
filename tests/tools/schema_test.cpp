// JSON Schema: the sentence of a fault, what is refused at registration, and hostile schemas.
#include "tools/schema.hpp"

#include "tools/pattern.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using tools::schema;

namespace {

std::string fault(std::string_view text, std::string_view value) {
  const auto compiled = schema::compile(text);
  BOOST_TEST_REQUIRE(compiled.has_value(), (compiled.has_error() ? compiled.error().detail : ""));
  return compiled->check(value).value_or("none");
}

std::string refusal(std::string_view text) {
  const auto compiled = schema::compile(text);
  BOOST_TEST_REQUIRE(compiled.has_error());
  return compiled.error().detail;
}

std::string repeated(std::string_view what, int times) {
  std::string out;
  for (int i = 0; i < times; ++i)
    out += what;
  return out;
}

} // namespace

BOOST_AUTO_TEST_SUITE(schema_sentences)

BOOST_AUTO_TEST_CASE(a_fault_names_the_path_and_what_was_expected) {
  const auto tool =
      R"({"type":"object","properties":{"path":{"type":"string"},"limit":{"type":"integer","minimum":1}},
    "required":["path"],"additionalProperties":false})";
  BOOST_TEST(fault(tool, R"({"path":"a"})") == "none");
  BOOST_TEST(fault(tool, R"({"path":5})") == "/path: expected string");
  BOOST_TEST(fault(tool, R"({})") == "/path: expected a value (it is required)");
  BOOST_TEST(fault(tool, R"([])") == "/: expected object");
  BOOST_TEST(fault(tool, R"({"path":"a","limit":0})") == "/limit: expected a number of at least 1");
  BOOST_TEST(fault(tool, R"({"path":"a","limit":1.5})") == "/limit: expected integer");
  BOOST_TEST(
      fault(tool, R"({"path":"a","limt":2})") == "/limt: expected no such member; did you mean \"limit\"?");
}

BOOST_AUTO_TEST_CASE(paths_are_json_pointers) {
  BOOST_TEST(fault(R"({"properties":{"a/b":{"items":{"properties":{"c~d":{"type":"null"}}}}}})",
                 R"({"a/b":[{},{"c~d":1}]})")
      == "/a~1b/1/c~0d: expected null");
}

BOOST_AUTO_TEST_CASE(bounds_and_choices_are_said_in_words) {
  BOOST_TEST(fault(R"({"enum":["a","b"]})", R"("c")") == R"(/: expected one of "a", "b")");
  BOOST_TEST(fault(R"({"const":{"x":1}})", "2") == R"(/: expected {"x":1})");
  BOOST_TEST(fault(R"({"type":["string","null"]})", "2") == "/: expected string or null");
  BOOST_TEST(fault(R"({"minLength":2})", R"("ä")") == "/: expected at least 2 characters");
  BOOST_TEST(fault(R"({"maxItems":1})", "[1,2]") == "/: expected at most 1 item");
  BOOST_TEST(fault(R"({"pattern":"^a+$"})", R"("b")") == "/: expected text that matches ^a+$");
  BOOST_TEST(fault(R"({"format":"date"})", R"("2026-02-29")") == "/: expected a date as 2026-11-30");
  BOOST_TEST(
      fault(R"({"uniqueItems":true})", "[1,2,1.0]") == "/2: expected an item that isn't there already");
  BOOST_TEST(fault(R"({"dependentRequired":{"a":["b"]}})", R"({"a":1})")
      == R"(/b: expected a value (it is required beside "a"))");
}

BOOST_AUTO_TEST_CASE(of_several_forms_the_closest_tells_what_was_expected) {
  const auto shapes = R"({"oneOf":[
    {"type":"object","properties":{"kind":{"const":"circle"},"radius":{"type":"number"}},"required":["kind","radius"]},
    {"type":"object","properties":{"kind":{"const":"box"},"width":{"type":"number"},"height":{"type":"number"}},"required":["kind","width","height"]}]})";
  BOOST_TEST(fault(shapes, R"({"kind":"circle","radius":"2"})") == "/radius: expected number");
  BOOST_TEST(fault(shapes, R"({"kind":"box","width":1})") == "/height: expected a value (it is required)");
  BOOST_TEST(fault(R"({"anyOf":[{"type":"string"},{"type":"integer"}]})", "true")
      == "/: expected string or integer");
}

BOOST_AUTO_TEST_CASE(a_sentence_is_bounded_and_cuts_no_character) {
  const std::string longest = fault(R"({"properties":{")" + repeated("ä", 400) + R"(":{"type":"null"}}})",
      R"({")" + repeated("ä", 400) + R"(":1})");
  BOOST_TEST(longest.size() <= 400U);
  BOOST_TEST(longest.ends_with("ä…"));
}

BOOST_AUTO_TEST_CASE(integers_are_exact_from_minus_2_to_63_to_2_to_64_minus_1) {
  BOOST_TEST(fault(R"({"type":"integer","maximum":18446744073709551615})", "18446744073709551615") == "none");
  BOOST_TEST(fault(R"({"type":"integer","maximum":18446744073709551614})", "18446744073709551615") != "none");
  BOOST_TEST(fault(R"({"const":9007199254740993})", "9007199254740992") != "none");
  BOOST_TEST(fault(R"({"type":"integer"})", "1.0") == "none");
  BOOST_TEST(fault(R"({"type":"integer"})", "123456789012345678901234567890") == "none");
}

BOOST_AUTO_TEST_CASE(text_with_a_nul_is_not_cut) {
  BOOST_TEST(fault(R"({"enum":["a"]})", R"("a\u0000b")") != "none");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(schema_registration)

BOOST_AUTO_TEST_CASE(later_drafts_are_translated_where_draft_07_has_the_same) {
  BOOST_TEST(fault(R"({"$defs":{"n":{"type":"integer"}},"items":{"$ref":"#/$defs/n"}})", R"([1,"2"])")
      == "/1: expected integer");
  BOOST_TEST(fault(R"({"prefixItems":[{"type":"string"}],"items":false})", R"(["a",1])")
      == "/1: expected nothing here");
  BOOST_TEST(fault(R"({"dependentSchemas":{"a":{"required":["b"]}}})", R"({"a":1})")
      == "/b: expected a value (it is required)");
  BOOST_TEST(fault(R"({"minimum":3,"exclusiveMinimum":true})", "3") == "/: expected a number above 3");
}

BOOST_AUTO_TEST_CASE(what_has_no_equivalent_is_refused_by_name) {
  for (const std::string keyword : {"unevaluatedProperties", "unevaluatedItems", "minContains", "maxContains",
           "$dynamicRef", "$recursiveRef", "$anchor"}) {
    const std::string detail = refusal(R"({"properties":{"a":{")" + keyword + R"(":1}}})");
    BOOST_TEST(detail.find("/properties/a: " + keyword + " is not supported") != std::string::npos, detail);
  }
  // but a member of that name is no keyword
  BOOST_TEST(fault(R"({"properties":{"minContains":{"type":"string"}}})", "{}") == "none");
}

BOOST_AUTO_TEST_CASE(a_schema_that_is_no_schema_is_refused_with_its_place) {
  BOOST_TEST(refusal(R"({"type":"strng"})")
      == R"(the schema is refused at /type: "strng" is no type; did you mean "string"?)");
  BOOST_TEST(refusal(R"({"properties":{"a":5}})").find("/properties/a: a schema is an object, true or false")
      != std::string::npos);
  BOOST_TEST(refusal(R"({"minLength":-1})").find("/minLength") != std::string::npos);
  BOOST_TEST(refusal(R"({"required":true})").find("required is a list of names") != std::string::npos);
  BOOST_TEST(refusal(R"({"enum":[]})").find("enum") != std::string::npos);
  BOOST_TEST(refusal("nonsense").find("not JSON") != std::string::npos);
  BOOST_TEST(
      refusal(R"({"$ref":"https://example.com/x.json"})").find("doesn't lead to a place in this schema")
      != std::string::npos);
}

BOOST_AUTO_TEST_CASE(references_that_only_lead_to_each_other_are_refused) {
  BOOST_TEST(
      refusal(
          R"({"definitions":{"a":{"$ref":"#/definitions/b"},"b":{"$ref":"#/definitions/a"}},"$ref":"#/definitions/a"})")
          .find("leads back")
      != std::string::npos);
  BOOST_TEST(refusal(R"({"allOf":[{"$ref":"#"}]})").find("leads back") != std::string::npos);
  BOOST_TEST(fault(R"({"properties":{"next":{"$ref":"#"}},"additionalProperties":false})",
                 R"({"next":{"next":{"other":1}}})")
                 .substr(0, 17)
      == "/next/next/other:");
}

BOOST_AUTO_TEST_CASE(hostile_schemas_are_bounded) {
  BOOST_TEST(refusal("{\"description\":\"" + std::string(300'000, 'x') + "\"}").find("longer than")
      != std::string::npos);
  BOOST_TEST(refusal("{\"anyOf\":[" + repeated("{},", 11'000) + "{}]}").find("more than 10000 subschemas")
      != std::string::npos);
  BOOST_TEST(refusal(repeated(R"({"not":)", 100) + "{}" + repeated("}", 100)).find("nested deeper")
      != std::string::npos);
  // every level of the value doubles the work: the bound on it ends the check
  const auto doubling =
      R"({"anyOf":[{"items":{"$ref":"#"},"minItems":1},{"items":{"$ref":"#"},"minItems":1}]})";
  BOOST_TEST(
      fault(doubling, repeated("[", 60) + repeated("]", 60)).find("bounded work") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(patterns)

using outcome = tools::pattern::outcome;

BOOST_AUTO_TEST_CASE(a_pattern_works_on_characters_and_anywhere) {
  BOOST_TEST((tools::pattern::compile("^.{3}$")->match("äöü") == outcome::matches));
  BOOST_TEST((tools::pattern::compile("b")->match("abc") == outcome::matches));
  BOOST_TEST((tools::pattern::compile("^b")->match("a\nb") == outcome::differs));
  BOOST_TEST((tools::pattern::compile("a$")->match("a\n") == outcome::differs));
  BOOST_TEST((tools::pattern::compile("\\u00e4")->match("ä") == outcome::matches));
}

BOOST_AUTO_TEST_CASE(a_long_text_costs_no_stack) {
  BOOST_TEST((tools::pattern::compile("^[a-z ]*$")->match(std::string(1'000'000, 'a')) == outcome::matches));
  BOOST_TEST((tools::pattern::compile("^(a|b)*$")->match(std::string(200'000, 'a')) != outcome::differs));
}

BOOST_AUTO_TEST_CASE(a_catastrophic_pattern_is_cut_short) {
  const auto hostile = tools::pattern::compile("^(a+)+$");
  BOOST_TEST_REQUIRE(hostile.has_value());
  BOOST_TEST((hostile->match(std::string(40, 'a') + "!") == outcome::too_hard));
}

BOOST_AUTO_TEST_CASE(what_the_languages_dont_share_is_refused) {
  for (const std::string_view source : {"(a)\\1", "\\p{L}", "(?<x>a)", "(?i)a", "\\A", "[a", "(", "a**"})
    BOOST_TEST(tools::pattern::compile(source).has_error(), source);
}

BOOST_AUTO_TEST_SUITE_END()
