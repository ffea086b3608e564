// Each rule seen failing on a deliberate fault, and passing where there is none.
#include "tests/tidy/rules.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::tidy;

BOOST_AUTO_TEST_SUITE(the_rules)

namespace {

/// `where what` of each finding, in one text.
std::string said(const findings& found) {
  std::string out;
  for (const finding& one : found)
    out += one.where + " " + one.what + "\n";
  return out;
}

std::string lines(int count, const std::string& line = "x") {
  std::string out;
  for (int i = 0; i < count; ++i)
    out += line + "\n";
  return out;
}

} // namespace

BOOST_AUTO_TEST_CASE(includes_point_down_the_rooms) {
  BOOST_TEST(
      said(check_includes({{"session/a.cpp", "#include \"messages/b.hpp\"\n#include \"session/c.hpp\"\n"}}))
      == "");
  BOOST_TEST(said(check_includes({{"session/a.cpp", "\n#include \"persistence/b.hpp\"\n"}}))
      == "session/a.cpp:2 session/ may not include persistence/\n");
  BOOST_TEST(said(check_includes({{"session/a.cpp", "#include \"telemetry/log.hpp\"\n"}}))
      == "session/a.cpp:1 session/ may not include telemetry/\n");
  BOOST_TEST(said(check_includes({{"tools/a.cpp", "#include \"session/b.hpp\"\n"}}))
      == "tools/a.cpp:1 tools/ may not include session/\n");
  BOOST_TEST(said(check_includes({{"actors/a.cpp", "#include \"config/b.hpp\"\n"}}))
      == "actors/a.cpp:1 actors/ may not include config/\n");
  BOOST_TEST(said(check_includes({{"cellar/a.cpp", "#include \"messages/b.hpp\"\n"}}))
      == "cellar/a.cpp:1 lies in the room cellar/, which the table of rooms doesn't know\n");
  BOOST_TEST(said(check_includes({{"tools/a.cpp", "#include \"b.hpp\"\n"}}))
      == "tools/a.cpp:1 includes \"b.hpp\" by a relative path\n");
  BOOST_TEST(said(check_includes({{"tests/tools/a.cpp", "#include \"session/b.hpp\"\n"}})) == "");
}

BOOST_AUTO_TEST_CASE(libraries_stay_in_their_rooms) {
  for (const std::string include :
      {"caf/all.hpp", "pqxx/pqxx", "boost/beast/core.hpp", "boost/asio/io_context.hpp", "toml++/toml.h",
          "CLI/CLI.hpp", "spdlog/spdlog.h", "boost/regex.hpp", "valijson/validator.hpp"})
    BOOST_TEST(said(check_includes({{"session/a.cpp", "#include <" + include + ">\n"}}))
        == "session/a.cpp:1 may not include <" + include + ">\n");
  BOOST_TEST(said(check_includes({{"actors/a.cpp", "#include <caf/actor.hpp>\n"},
                 {"persistence/a.cpp", "#include <pqxx/pqxx>\n"},
                 {"messages/type_ids.hpp", "#include <caf/type_id.hpp>\n"},
                 {"providers/a.cpp", "#include <boost/beast/http.hpp>\n"}}))
      == "");
  BOOST_TEST(said(check_includes({{"messages/other.hpp", "#include <caf/type_id.hpp>\n"}})) != "");
}

BOOST_AUTO_TEST_CASE(what_nothing_uses_is_found) {
  BOOST_TEST(said(check_used({{"tools/a.hpp", ""}, {"tools/a.cpp", "#include \"tools/a.hpp\"\n"}}))
      == "tools/a.hpp is included by nothing but its own source\n");
  BOOST_TEST(said(check_used({{"tools/a.hpp", ""}, {"tools/a.cpp", "#include \"tools/a.hpp\"\n"},
                 {"tests/t.cpp", "#include \"tools/a.hpp\"\n"}}))
      == "");
  BOOST_TEST(said(check_used({{"tools/a.cpp", "#include \"messages/b.hpp\"\n"}, {"messages/b.hpp", ""}}))
      == "tools/a.cpp carries out no header of its room and is no program\n");
  BOOST_TEST(said(check_used({{"cli/main.cpp", "int main() {}\n"}})) == "");
}

BOOST_AUTO_TEST_CASE(a_file_opens_with_a_sentence) {
  const std::string fault = " doesn't open with a sentence that says what the file is for\n";
  BOOST_TEST(said(check_first_lines({{"tools/a.cpp", "#include <x>\n"}})) == "tools/a.cpp" + fault);
  BOOST_TEST(said(check_first_lines({{"tools/a.cpp", "// todo\n"}})) == "tools/a.cpp" + fault);
  BOOST_TEST(said(check_first_lines({{"tools/a.cpp", "// Says what the file\n// is for.\n"}})) == "");
  BOOST_TEST(said(check_first_lines({{"migrations/1.up.sql", "create table x ();\n"}}))
      == "migrations/1.up.sql" + fault);
  BOOST_TEST(said(check_first_lines({{"scripts/test", "#!/bin/bash\nset -e\n"}})) == "scripts/test" + fault);
  BOOST_TEST(said(check_first_lines({{"scripts/test", "#!/bin/bash\n# Runs all the tests.\n"}})) == "");
}

BOOST_AUTO_TEST_CASE(files_and_lines_have_bounds) {
  BOOST_TEST(said(check_lengths({{"tools/a.cpp", lines(250)}, {"tests/a.cpp", lines(600)}})) == "");
  BOOST_TEST(
      said(check_lengths({{"tools/a.cpp", lines(251)}})) == "tools/a.cpp has 251 lines; the bound is 250\n");
  BOOST_TEST(
      said(check_lengths({{"tests/a.cpp", lines(601)}})) == "tests/a.cpp has 601 lines; the bound is 600\n");
  BOOST_TEST(said(check_lengths({{"tools/a.cpp", std::string(141, 'x')}}))
      == "tools/a.cpp:1 is 141 characters long; the bound is 140\n");
  BOOST_TEST(said(check_lengths({{"tests/a.cpp", "\"" + std::string(200, 'x') + "\""}})) == "");
}

BOOST_AUTO_TEST_CASE(names_that_say_nothing_are_found) {
  for (const std::string name : {"string_util", "json_helpers", "session_manager", "common"})
    BOOST_TEST(
        said(check_words({{"tools/" + name + ".cpp", ""}})).find("in its name") != std::string::npos, name);
  BOOST_TEST(said(check_words({{"tools/utility_functions.cpp", ""}})) == "");
}

BOOST_AUTO_TEST_CASE(a_clock_read_past_the_surroundings_is_found) {
  const std::string reads = "const auto now = std::chrono::steady_clock::now();\n";
  BOOST_TEST(said(check_words({{"actors/a.cpp", reads}})) == "actors/a.cpp:1 uses steady_clock::now\n");
  BOOST_TEST(said(check_words({{"actors/surroundings.cpp", reads}, {"gateway/a.cpp", reads}})) == "");
}

BOOST_AUTO_TEST_CASE(sleeping_and_reading_the_environment_are_found) {
  BOOST_TEST(said(check_words({{"tests/a.cpp", "std::this_thread::sleep_for(1s);\n"}}))
      == "tests/a.cpp:1 uses sleep_for\n");
  BOOST_TEST(
      said(check_words({{"tools/a.cpp", "\nstd::getenv(\"X\");\n"}})) == "tools/a.cpp:2 uses getenv\n");
  BOOST_TEST(
      said(check_words({{"config/a.cpp", "std::getenv(\"X\");\n"}, {"tools/b.cpp", "my_getenv_like();\n"}}))
      == "");
}

BOOST_AUTO_TEST_CASE(paths_of_one_machine_are_found) {
  BOOST_TEST(said(check_words({{"scripts/x", "cd /home/ann/troupe\n"}}))
      == "scripts/x:1 names a path of one machine: /home/\n");
}

BOOST_AUTO_TEST_CASE(documents_are_there_numbered_and_linked) {
  tree files = {{"README.md", ""}, {"ARCHITECTURE.md", ""}, {"CONTRIBUTING.md", ""}, {"CHANGELOG.md", ""},
      {"LICENSE", ""}, {"docs/README.md", ""}, {"docs/glossary.md", ""},
      {"docs/decisions/0001-first.md", ""}};
  BOOST_TEST(said(check_documents(files)) == "");
  files["README.md"] = "See [the glossary](docs/glossary.md#a), [rooms](docs/) and [more](docs/more.md), or "
                       "[out](https://example.com).\n";
  BOOST_TEST(said(check_documents(files)) == "README.md:1 links to docs/more.md, which isn't there\n");
  files["README.md"] = "```cpp\non_text([](text t) {});\n```\n"; // code, no link
  BOOST_TEST(said(check_documents(files)) == "");
  files["README.md"] = "";
  files["tools/a.cpp"] = "// As docs/nothing.md says.\n";
  BOOST_TEST(said(check_documents(files)) == "tools/a.cpp:1 speaks of docs/nothing.md, which isn't there\n");
  files.erase("tools/a.cpp");
  files["docs/decisions/0003-third.md"] = "";
  BOOST_TEST(said(check_documents(files)) == "docs/decisions/0003-third.md should begin with 0002-\n");
  files.erase("docs/decisions/0003-third.md");
  files.erase("CHANGELOG.md");
  BOOST_TEST(said(check_documents(files)) == "CHANGELOG.md is missing\n");
}

BOOST_AUTO_TEST_SUITE_END()
