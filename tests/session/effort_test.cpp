// Efforts: the nearest that a provider takes, what the log says of it, and the tokens that they stand for.
#include "session/effort.hpp"
#include "session/replay/redecide.hpp"
#include "tests/support/world.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using testing::last;
using testing::world;

BOOST_AUTO_TEST_SUITE(efforts)

namespace {

using list = std::vector<std::string>;

options with_budgets(const std::string& budgets) {
  options wanted;
  wanted.thinking_budgets = json::raw{budgets};
  return wanted;
}

std::int64_t tokens(const options& wanted, const std::string& effort) {
  return session::thinking_budget(wanted, effort).value_or(-1);
}

/// Asks with this effort where the provider takes those.
world asked_with(const std::optional<std::string>& effort, const list& taken) {
  options wanted;
  wanted.effort = effort;
  world w(wanted);
  for (auto& [id, fact] : w.known.providers)
    fact.efforts = taken;
  w.apply(accept_message{
      "m", delivery::send, content("Hello"), std::nullopt, std::nullopt, std::nullopt, "client"});
  w.settle();
  return w;
}

/// The newest append, decided again from what the log says, by providers of whom nothing is known.
std::string difference_when_redecided(const world& w) {
  const auto& newest = w.appends().back();
  const world before = world::of(w, {w.log().begin(), w.log().begin() + std::ptrdiff_t(newest.log_before)});
  const auto append = std::span(w.log()).subspan(newest.log_before, newest.events);
  const auto other = session::redecided_difference(kind_of(newest.what), before.now(), append);
  return other ? other->expected + " was " + other->found : "";
}

} // namespace

BOOST_AUTO_TEST_CASE(the_nearest_is_the_same_else_the_next_higher_else_the_next_lower) {
  const list some{"high", "low", "medium"}; // in whatever order they are configured
  const auto nearest = [&](const char* asked) { return session::nearest_effort(some, asked); };
  BOOST_TEST(nearest("medium") == "medium");
  BOOST_TEST(nearest("off") == "low");
  BOOST_TEST(nearest("minimal") == "low");
  BOOST_TEST(nearest("xhigh") == "high");
  BOOST_TEST(nearest("max") == "high");
  BOOST_TEST(session::nearest_effort({"off", "max"}, "low") == "max");
  BOOST_TEST(session::nearest_effort({"off"}, "max") == "off");
  for (const auto effort : session::efforts)
    BOOST_TEST(session::nearest_effort({}, std::string(effort)) == effort); // none listed: all are taken
}

BOOST_AUTO_TEST_CASE(an_effort_that_is_not_taken_is_clamped_and_both_are_recorded) {
  const auto w = asked_with("max", {"off", "low", "medium"});
  BOOST_TEST(last<inference_started>(w).effort.value() == "medium");
  BOOST_TEST(last<inference_started>(w).effort_requested.value() == "max");
  BOOST_TEST(w.now().settings.effort.value() == "max"); // another provider may take it
  BOOST_TEST(difference_when_redecided(w) == "");
}

BOOST_AUTO_TEST_CASE(an_effort_that_is_taken_is_recorded_alone) {
  for (const auto& [effort, taken] :
      {std::pair<std::string, list>("low", {"low"}), {"off", {"off", "high"}}, {"xhigh", {}}}) {
    const auto w = asked_with(effort, taken);
    BOOST_TEST(last<inference_started>(w).effort.value() == effort);
    BOOST_TEST(!last<inference_started>(w).effort_requested.has_value());
    BOOST_TEST(difference_when_redecided(w) == "");
  }
}

BOOST_AUTO_TEST_CASE(without_an_effort_none_is_made_up) {
  const auto w = asked_with(std::nullopt, {"low"});
  BOOST_TEST(!last<inference_started>(w).effort.has_value());
  BOOST_TEST(!last<inference_started>(w).effort_requested.has_value());
}

BOOST_AUTO_TEST_CASE(efforts_stand_for_tokens) {
  const options usual;
  BOOST_TEST(tokens(usual, "minimal") == 1024);
  BOOST_TEST(tokens(usual, "low") == 2048);
  BOOST_TEST(tokens(usual, "medium") == 8192);
  BOOST_TEST(tokens(usual, "high") == 16384);
  BOOST_TEST(tokens(usual, "xhigh") == 16384);
  BOOST_TEST(tokens(usual, "max") == 16384);
  BOOST_TEST(!session::thinking_budget(usual, "off"));
  BOOST_TEST(!session::thinking_budget(usual, std::nullopt));
}

BOOST_AUTO_TEST_CASE(a_session_has_its_own_tokens) {
  const auto own = with_budgets(R"({"low":3000,"high":20000,"max":64000})");
  BOOST_TEST(tokens(own, "low") == 3000);
  BOOST_TEST(tokens(own, "medium") == 8192);
  BOOST_TEST(tokens(own, "xhigh") == 20000); // as `high`
  BOOST_TEST(tokens(own, "max") == 64000);
}

BOOST_AUTO_TEST_CASE(budgets_that_make_no_sense_are_refused_by_their_place) {
  for (const char* const good : {"{}", R"({"minimal":1024,"max":1000000})"})
    BOOST_TEST(bool(session::check_thinking(with_budgets(good))), good);
  for (const auto& [budgets, place] : {std::pair(R"({"low":1023})", "/thinking_budgets/low"),
           {R"({"low":1000001})", "/thinking_budgets/low"}, {R"({"low":2048.5})", "/thinking_budgets/low"},
           {R"({"low":"2048"})", "/thinking_budgets/low"}, {R"({"low":null})", "/thinking_budgets/low"},
           {R"({"off":2048})", "/thinking_budgets/off"}, {R"({"lots":2048})", "/thinking_budgets/lots"},
           {"[]", "/thinking_budgets"}, {"2048", "/thinking_budgets"}}) {
    const auto checked = session::check_thinking(with_budgets(budgets));
    BOOST_REQUIRE_MESSAGE(!checked, budgets);
    BOOST_TEST((checked.error().code == problem_code::invalid_input));
    BOOST_TEST(checked.error().errors.at(0).pointer == place);
  }
  options wanted;
  wanted.effort = "huge";
  BOOST_TEST(session::check_thinking(wanted).error().errors.at(0).detail
      == "is one of off, minimal, low, medium, high, xhigh, max; it was `huge`");
}

BOOST_AUTO_TEST_SUITE_END()
