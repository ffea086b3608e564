// Tools that single sessions are given: each only to that one.
#include "tools/described.hpp"
#include "tools/tool_box.hpp"

#include <boost/test/unit_test.hpp>

namespace troupe::tools {

struct no_question {};
BOOST_DESCRIBE_STRUCT(no_question, (), ())

BOOST_AUTO_TEST_SUITE(session_tools_suite)

namespace {

std::shared_ptr<tool> saying(std::string words, std::string description = "Says something") {
  return define_tool("say", std::move(description), [words](const no_question&) { return words; });
}

call a_call() {
  call made;
  made.arguments = {"{}"};
  return made;
}

/// What the session's own tool says now, or why there is none.
std::string said(const tool_box& box, const std::string& session) {
  const std::vector<std::string> names{"say"};
  const auto offer = box.offer_of(names, {}, session);
  return offer ? plain_text(offer->find("say")->run_by->run(a_call()).content)
               : std::string(name_of(offer.error().code));
}

} // namespace

BOOST_AUTO_TEST_CASE(each_has_its_own_of_one_name) {
  tool_box box;
  BOOST_REQUIRE(box.give("one", {saying("1")}).has_value());
  BOOST_REQUIRE(box.give("other", {saying("2")}).has_value());
  BOOST_TEST(said(box, "one") == "1");
  BOOST_TEST(said(box, "other") == "2");
  BOOST_TEST(said(box, "third") == "invalid_input");
  box.take_back("one");
  BOOST_TEST(said(box, "one") == "invalid_input");
}

BOOST_AUTO_TEST_CASE(what_stands_behind_a_name_is_exchanged_under_who_holds_it) {
  tool_box box;
  BOOST_REQUIRE(box.give("one", {saying("before")}).has_value());
  const std::vector<std::string> names{"say"};
  const auto held = box.offer_of(names, {}, "one").value();
  BOOST_REQUIRE(box.give("one", {saying("after")}).has_value());
  BOOST_TEST(plain_text(held.find("say")->run_by->run(a_call()).content) == "after");
  // declared otherwise it is another tool: who holds the old one keeps it
  BOOST_REQUIRE(box.give("one", {saying("new", "Says something else")}).has_value());
  BOOST_TEST(plain_text(held.find("say")->run_by->run(a_call()).content) == "after");
  BOOST_TEST(said(box, "one") == "new");
}

BOOST_AUTO_TEST_CASE(a_fork_begins_with_the_same_and_then_they_part) {
  tool_box box;
  BOOST_REQUIRE(box.give("parent", {saying("theirs")}).has_value());
  box.share("parent", "fork");
  BOOST_TEST(said(box, "fork") == "theirs");
  BOOST_REQUIRE(box.give("fork", {saying("its own")}).has_value());
  BOOST_TEST(said(box, "fork") == "its own");
  BOOST_TEST(said(box, "parent") == "theirs");
  box.share("parent", "fork"); // begun anew
  BOOST_TEST(said(box, "fork") == "theirs");
}

BOOST_AUTO_TEST_CASE(a_name_that_all_have_is_nobodys_own) {
  tool_box box;
  BOOST_REQUIRE(box.add(saying("everybody's")).has_value());
  BOOST_TEST((box.give("one", {saying("mine")}).error().code == problem_code::conflict));
  BOOST_TEST(said(box, "one") == "everybody's");
  BOOST_TEST(!box.has_given("one"));
  BOOST_REQUIRE(box.give("two", {}).has_value());
  BOOST_TEST(!box.has_given("two"));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::tools
