// A command whose output is wanted: what it printed, how it failed, its bounds, and its end when told.
#include "tools/printing_command.hpp"

#include <boost/test/unit_test.hpp>

#include <thread>

using namespace troupe;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(printing_commands)

namespace {

tools::printing_settings shell(const std::string& script) {
  return {.words = {"/bin/sh", "-c", script}, .environment = {"PATH=/usr/bin:/bin", "NAME=harbour"}};
}

std::string printed(const std::string& script) {
  tools::printing_command command(shell(script));
  const auto text = command.text();
  return text ? *text : "FAILED " + text.error().detail;
}

} // namespace

BOOST_AUTO_TEST_CASE(what_it_printed_is_given_and_its_errors_are_put_away) {
  BOOST_TEST(printed("echo one; echo two >&2; printf three") == "one\nthree");
  BOOST_TEST(printed("printf %s \"$NAME\"") == "harbour");
  BOOST_TEST(printed("cat") == ""); // nothing to read
}

BOOST_AUTO_TEST_CASE(it_is_run_word_by_word) {
  tools::printing_command command(
      {.words = {"printf", "%s|", "a b", "$NAME", "'", "; echo x"}, .environment = {"PATH=/usr/bin:/bin"}});
  BOOST_TEST(command.text().value() == "a b|$NAME|'|; echo x|");
  BOOST_TEST(command.text().value() == "a b|$NAME|'|; echo x|"); // again and again
}

BOOST_AUTO_TEST_CASE(a_failure_tells_how_and_nothing_that_was_printed) {
  BOOST_TEST(printed("echo secret; echo secret >&2; exit 3") == "FAILED `/bin/sh` ended with exit status 3");
  BOOST_TEST(printed("echo secret; kill -9 $$") == "FAILED `/bin/sh` was ended by signal 9 (Killed)");
  tools::printing_command missing({.words = {"/nowhere/at-all", "secret"}, .environment = {}});
  BOOST_TEST(
      missing.text().error().detail == "`/nowhere/at-all` can't be started, or ended with exit status 127");
}

BOOST_AUTO_TEST_CASE(its_time_and_its_output_are_bounded) {
  auto slow = shell("sleep 600");
  slow.time_max = 50ms;
  slow.grace = 50ms;
  BOOST_TEST(tools::printing_command(slow).text().error().detail == "`/bin/sh` took longer than 50 ms");
  BOOST_TEST(printed("head -c 8192 /dev/zero").size() == 8192U);
  BOOST_TEST(printed("head -c 8193 /dev/zero") == "FAILED `/bin/sh` printed more than 8192 bytes");
  BOOST_TEST(printed("yes") == "FAILED `/bin/sh` printed more than 8192 bytes");
}

BOOST_AUTO_TEST_CASE(it_ends_when_it_is_told_to_and_begins_no_more) {
  tools::printing_command command(shell("sleep 600"));
  result<std::string> text = std::string();
  std::thread waiting([&] { text = command.text(); });
  command.stop(); // before it has begun, or while it runs
  waiting.join();
  BOOST_REQUIRE(!text);
  BOOST_TEST(!command.text());
}

BOOST_AUTO_TEST_SUITE_END()
