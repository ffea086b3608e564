// Tools from functions: the schema, the parsing and the rendering that come from the types.
#include "tools/described.hpp"

#include "tests/tools/scratch.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
namespace described = tools::described;

namespace {

enum class sky { clear, rain_, snow };
BOOST_DESCRIBE_ENUM(sky, clear, rain_, snow)

struct place {
  double latitude = 0;
  double longitude = 0;
};
BOOST_DESCRIBE_STRUCT(place, (), (latitude, longitude))

struct named {
  std::string name;
};
BOOST_DESCRIBE_STRUCT(named, (), (name))

struct query : named {
  std::optional<int> days;
  std::vector<place> places;
  std::map<std::string, bool> flags;
  std::variant<std::monostate, std::string, place> at;
  std::chrono::seconds within{};
  std::uint8_t level = 0;
  sky expected = sky::clear;
  json::raw extra;
};
BOOST_DESCRIBE_STRUCT(query, (named), (days, places, flags, at, within, level, expected, extra))

struct forecast {
  double celsius = 0;
  sky above = sky::clear;
  std::optional<std::string> note;
};
BOOST_DESCRIBE_STRUCT(forecast, (), (celsius, above, note))

struct city {
  std::string city;
  std::optional<int> days;
};
BOOST_DESCRIBE_STRUCT(city, (), (city, days))

struct nested_in_itself {
  std::vector<nested_in_itself> children;
};
BOOST_DESCRIBE_STRUCT(nested_in_itself, (), (children))

struct not_described {};

// what can't be described is refused by the static_assert that asks this
static_assert(described::describable<query>());
static_assert(!described::describable<nested_in_itself>());
static_assert(!described::describable<not_described>());
static_assert(!described::describable<std::vector<int*>>());
static_assert(!described::describable<std::map<int, int>>());
static_assert(!described::describable<char>());
static_assert(!described::describable<std::chrono::duration<int, std::ratio<7>>>());

template <class T> std::string fault(std::string_view text) {
  const std::string kept(text);
  const auto value = json::parse(kept).value();
  T out{};
  described::reading at;
  return described::read(value, out, at) ? "none" : at.fault;
}

tools::output call_tool(const std::shared_ptr<tools::tool>& tool, std::string arguments) {
  tools::tool_box box;
  box.add(tool).value();
  const auto offer = box.everything();
  const auto prepared = tools::prepare(offer, tool->spec().name, arguments);
  if (const auto* refused = std::get_if<tools::refused_call>(&prepared))
    return {.content = content(refused->text),
        .is_error = true,
        .error_kind = refused->error_kind,
        .details = {}};
  const auto& lawful = std::get<tools::prepared_call>(prepared);
  return tools::invoke(*lawful.tool,
      {.session = "s", .execution_id = "e", .arguments = lawful.arguments, .stop = {}, .progress = {}});
}

} // namespace

BOOST_AUTO_TEST_SUITE(described_types)

BOOST_AUTO_TEST_CASE(the_schema_follows_the_members) {
  BOOST_TEST(described::schema_of<query>().text
      == R"({"type":"object","properties":{"name":{"type":"string"},"days":{"type":"integer","minimum":-2147483648,"maximum":2147483647},)"
         R"("places":{"type":"array","items":{"type":"object","properties":{"latitude":{"type":"number"},"longitude":{"type":"number"}},"required":["latitude","longitude"],"additionalProperties":false}},)"
         R"("flags":{"type":"object","additionalProperties":{"type":"boolean"}},"at":{"anyOf":[{"type":"null"},{"type":"string"},)"
         R"({"type":"object","properties":{"latitude":{"type":"number"},"longitude":{"type":"number"}},"required":["latitude","longitude"],"additionalProperties":false}]},)"
         R"("within":{"description":"in seconds","type":"integer"},"level":{"type":"integer","minimum":0,"maximum":255},)"
         R"("expected":{"type":"string","enum":["clear","rain","snow"]},"extra":{}},"required":["name","places","flags","at","within","level","expected","extra"],"additionalProperties":false})");
  BOOST_TEST(tools::schema::compile(described::schema_of<query>().text).has_value());
}

BOOST_AUTO_TEST_CASE(a_value_is_read_and_written_back) {
  const std::string text =
      R"({"name":"x","places":[{"latitude":1.5,"longitude":-2}],"flags":{"a":true},"at":{"latitude":0,"longitude":1e3},)"
      R"("within":90,"level":255,"expected":"rain","extra":{"b":[1.50]}})";
  query out;
  described::reading at;
  const auto value = json::parse(text).value();
  BOOST_TEST_REQUIRE(described::read(value, out, at), at.fault);
  BOOST_TEST(out.name == "x");
  BOOST_TEST(!out.days.has_value());
  BOOST_TEST(out.places.at(0).longitude == -2);
  BOOST_TEST((out.within == std::chrono::seconds(90)));
  BOOST_TEST((out.expected == sky::rain_));
  BOOST_TEST(std::get<place>(out.at).longitude == 1000);
  json::writer written;
  described::write(written, out);
  BOOST_TEST(written.text()
      == R"({"name":"x","places":[{"latitude":1.5,"longitude":-2}],"flags":{"a":true},"at":{"latitude":0,"longitude":1000},)"
         R"("within":90,"level":255,"expected":"rain","extra":{"b":[1.50]}})");
}

BOOST_AUTO_TEST_CASE(a_fault_names_path_and_expectation) {
  BOOST_TEST(fault<place>(R"({"latitude":1})") == "/longitude: expected a value (it is required)");
  BOOST_TEST(fault<std::vector<std::uint8_t>>("[1,300]") == "/1: expected an integer from 0 to 255");
  BOOST_TEST(fault<std::vector<int>>("[2.0]") == "none");
  BOOST_TEST(fault<sky>(R"("fog")") == R"(/: expected one of "clear", "rain", "snow")");
  BOOST_TEST((fault<std::array<int, 2>>("[1]") == "/: expected 2 items"));
  BOOST_TEST((
      fault<std::variant<int, place>>(R"({"latitude":1,"longitude":"x"})") == "/longitude: expected number"));
  BOOST_TEST(fault<std::uint64_t>("18446744073709551615") == "none");
  BOOST_TEST(fault<std::int64_t>("9223372036854775808")
      == "/: expected an integer from -9223372036854775808 to 9223372036854775807");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(defined_tools)

BOOST_AUTO_TEST_CASE(a_function_over_structs_is_a_tool) {
  auto weather = tools::define_tool("weather", "The weather in a city for the coming days",
      [](const tools::call& call, const city& asked) -> forecast {
        return {21.5, sky::snow, asked.city + " " + call.idempotency_key()};
      })
                     .argument("days", "How many days ahead, 1 to 7")
                     .idempotent();
  const std::shared_ptr<tools::tool> tool = weather;
  BOOST_TEST(tool->spec().idempotent);
  BOOST_TEST(tool->spec().parameters.text
      == R"({"type":"object","properties":{"city":{"type":"string"},"days":{"description":"How many days ahead, 1 to 7","type":"integer","minimum":-2147483648,"maximum":2147483647}},"required":["city"],"additionalProperties":false})");
  BOOST_TEST(tool->spec().result->text.find("celsius") != std::string::npos);
  BOOST_TEST(plain_text(call_tool(tool, R"({"city":"Oslo"})").content)
      == R"({"celsius":21.5,"above":"snow","note":"Oslo e"})");
  BOOST_TEST(plain_text(call_tool(tool, R"({"city":"Oslo","days":3000000000})").content)
      == R"(The arguments for "weather" did not match its schema. /days: expected a number of at most 2147483647)");
}

BOOST_AUTO_TEST_CASE(a_remark_on_no_argument_is_refused_with_the_nearest) {
  auto made = tools::define_tool("t", "", [](const city&) { return std::string("x"); });
  BOOST_CHECK_EXCEPTION(made.argument("dais", ""), std::invalid_argument, [](const auto& error) {
    return std::string(error.what()).find("did you mean \"days\"?") != std::string::npos;
  });
}

BOOST_AUTO_TEST_CASE(functions_may_return_text_output_or_nothing) {
  BOOST_TEST(
      plain_text(call_tool(
          tools::define_tool("t", "", [](const city&) { return std::string("text"); }), R"({"city":""})")
                     .content)
      == "text");
  BOOST_TEST(plain_text(call_tool(tools::define_tool("t", "", [](const city&) {}), R"({"city":""})").content)
      == "Done.");
  const auto ended = call_tool(tools::define_tool("t", "",
                                   [](const city&) {
                                     tools::output out;
                                     out.content = content("over");
                                     out.terminate = true;
                                     return out;
                                   }),
      R"({"city":""})");
  BOOST_TEST(ended.terminate);
}

BOOST_AUTO_TEST_CASE(an_exception_is_a_failed_call_with_its_text) {
  const auto failed = call_tool(
      tools::define_tool("t", "", [](const city&) -> std::string { throw std::runtime_error("no network"); }),
      R"({"city":""})");
  BOOST_TEST(failed.is_error);
  BOOST_TEST(plain_text(failed.content) == "no network");
  BOOST_TEST((failed.error_kind == error_kind::fatal));
}

BOOST_AUTO_TEST_CASE(schemas_may_be_given_by_hand) {
  const auto tool = tools::define_tool("sum", "",
      {R"({"type":"object","properties":{"n":{"type":"array","items":{"type":"integer"}}},"required":["n"]})"},
      json::raw{R"({"type":"integer"})"}, [](const tools::call&, const json::value& arguments) {
        std::int64_t sum = 0;
        for (const auto& item : arguments.find("n")->items())
          sum += item.as_int64().value_or(0);
        return sum == 13 ? std::string("unlucky") : std::to_string(sum);
      });
  BOOST_TEST(plain_text(call_tool(tool, R"({"n":[1,2,3]})").content) == "6");
  const auto broken = call_tool(tool, R"({"n":[13]})");
  BOOST_TEST(plain_text(broken.content) == R"(Tool "sum" returned an invalid result.)");
  BOOST_TEST(broken.is_error);
}

BOOST_AUTO_TEST_SUITE_END()
