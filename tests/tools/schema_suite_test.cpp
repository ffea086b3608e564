// Our JSON Schema against the official test suite of draft-07 (json_schema_suite/).
#include "tools/schema.hpp"

#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>

using namespace troupe;

BOOST_AUTO_TEST_SUITE(schema_suite)

namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace

BOOST_AUTO_TEST_CASE(every_verdict_of_the_official_suite_is_ours_too) {
  const std::filesystem::path folder = TROUPE_SOURCE_DIR "/tests/tools/json_schema_suite";
  int agreed = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".json")
      continue;
    const std::string text = text_of(entry.path());
    const auto groups = json::parse(text);
    BOOST_TEST_REQUIRE(groups.has_value(), entry.path());
    for (const json::value& group : groups->items()) {
      const std::string name =
          entry.path().filename().string() + ": " + group.find("description")->as_string();
      const auto compiled = tools::schema::compile(group.find("schema")->source());
      if (compiled.has_error()) {
        // only references that lead out of the schema are refused
        BOOST_TEST(
            compiled.error().detail.find("doesn't lead to a place in this schema") != std::string::npos,
            name << ": " << compiled.error().detail);
        continue;
      }
      for (const json::value& test : group.find("tests")->items()) {
        const auto fault = compiled->check(*test.find("data"));
        BOOST_TEST(fault.has_value() != test.find("valid")->as_bool(),
            name << ": " << test.find("description")->as_string() << ": " << fault.value_or("no fault"));
        ++agreed;
      }
    }
  }
  BOOST_TEST(agreed > 860);
}

BOOST_AUTO_TEST_SUITE_END()
