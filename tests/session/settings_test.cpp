// Provider, model, effort and tier: they come with a message, count from its consumption, and decide
// whether the conversation can go on.
#include "session/compatibility.hpp"
#include "session/project.hpp"
#include "tests/support/log_rules.hpp"
#include "tests/support/world.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using session::effective_settings;
using testing::count;
using testing::last;
using testing::world;

BOOST_AUTO_TEST_SUITE(settings)

namespace {

using asked = std::optional<std::string>;

void send(world& w, const std::string& id, std::optional<message_settings> settings = std::nullopt) {
  BOOST_TEST(!w.apply(accept_message{
      id, delivery::send, content(id), std::nullopt, std::move(settings), std::nullopt, "client"}));
  w.settle();
}

void answer(world& w) { w.answer("end_turn", {text_block{"Yes."}}); }

message_settings with_effort(const std::string& effort) { return {asked(), asked(), effort, asked()}; }

void keeps_the_rules(const world& w) {
  BOOST_TEST(testing::log_breach(w.log(), world::durable_tools()).value_or("") == "");
}

} // namespace

BOOST_AUTO_TEST_CASE(they_count_from_the_inference_after_their_message_and_stay) {
  world w;
  send(w, "m1");
  send(w, "m2", with_effort("high")); // queued while the first is answered
  BOOST_TEST(!last<inference_started>(w).effort);
  BOOST_TEST(count<settings_changed>(w) == 0U);
  answer(w);
  BOOST_TEST(last<inference_started>(w).effort.value() == "high");
  answer(w);
  send(w, "m3");
  BOOST_TEST(last<inference_started>(w).effort.value() == "high");
  BOOST_TEST(count<settings_changed>(w) == 1U);
  w.crash(); // and over a restart
  BOOST_TEST(last<inference_started>(w).effort.value() == "high");
  answer(w);
  keeps_the_rules(w);
}

BOOST_AUTO_TEST_CASE(they_are_recorded_whole_whenever_a_message_carries_any) {
  world w;
  send(w, "m1", with_effort("high"));
  answer(w);
  send(w, "m2", with_effort("high")); // what is in force already
  BOOST_TEST(count<settings_changed>(w) == 2U);
  const auto& change = last<settings_changed>(w);
  BOOST_TEST(change.provider == "gym");
  BOOST_TEST(change.model == "claude-test");
  BOOST_TEST(change.effort.value() == "high");
  BOOST_TEST(change.previous.effort.value() == "high");
  BOOST_TEST(change.compatible);
  BOOST_TEST(count<context_reset>(w) == 0U);
}

BOOST_AUTO_TEST_CASE(those_of_several_messages_are_one_change_to_what_the_last_said_of_each) {
  options o;
  o.send_mode = queue_mode::all;
  world w(std::move(o));
  send(w, "m1");
  send(w, "m2", message_settings{"other", asked(), "low", asked()});
  send(w, "m3", message_settings{"gym", asked(), asked(), "priority"});
  send(w, "m4", with_effort("high"));
  answer(w);
  BOOST_TEST(count<settings_changed>(w) == 1U);
  const auto& change = last<settings_changed>(w);
  BOOST_TEST(change.provider == "gym");
  BOOST_TEST(change.effort.value() == "high");
  BOOST_TEST(change.service_tier.value() == "priority");
  BOOST_TEST(count<context_reset>(w) == 0U); // what lay in between was never in force
  BOOST_TEST(change.message_id.value() == "m4");
}

BOOST_AUTO_TEST_CASE(what_does_not_fit_begins_the_context_anew_with_its_message) {
  world w;
  send(w, "m1");
  answer(w);
  send(w, "m2", message_settings{"other", asked(), asked(), asked()});
  const auto& change = last<settings_changed>(w);
  BOOST_TEST(!change.compatible);
  BOOST_TEST(change.previous.provider.value() == "gym");
  BOOST_TEST(change.model == "gpt-test"); // the provider's own, since none was named
  BOOST_TEST(last<context_reset>(w).reason == "incompatible");
  BOOST_TEST(w.now().context.size() == 1U);
  BOOST_TEST(last<inference_started>(w).provider == "other");
  keeps_the_rules(w);
  // a crash before the whole of it is a crash before all of it
  for (const auto& append : w.appends()) {
    world cut = world::from(w, append.log_before + append.events);
    BOOST_TEST((cut.now().settings.provider == "other") == (count<context_reset>(cut) == 1U));
  }
}

BOOST_AUTO_TEST_CASE(who_may_continue_whose_conversation) {
  const std::map<std::string, session::provider_fact> known{{"claude", {"claude", "claude-a"}},
      {"claude2", {"claude", "claude-a"}}, {"aws", {"bedrock", "anthropic/claude-a"}},
      {"openai", {"codex", "gpt-a"}}, {"grok", {"grok", "grok-a"}}, {"gym", {"gym", "claude-gym"}}};
  const auto of = [](const std::string& provider, const std::string& model) {
    return effective_settings{provider, model, std::nullopt, std::nullopt};
  };
  struct row {
    effective_settings from, to;
    bool fits;
  };
  const row rows[] = {{of("claude", "claude-a"), of("claude", "claude-b"), true},
      {of("claude", "claude-a"), of("claude2", "claude-a"), false}, // the same type under another id
      {of("claude", "claude-a"), of("aws", "anthropic/claude-a"), true},
      {of("aws", "claude-a"), of("claude", "claude-b"), true},
      {of("aws", "openai/gpt-a"), of("aws", "openai/gpt-b"), true},
      {of("aws", "openai/gpt-a"), of("openai", "gpt-a"), false},
      {of("aws", "anthropic/claude-a"), of("aws", "openai/gpt-a"), false},
      {of("aws", "meta/llama"), of("aws", "meta/llama-2"), false}, // of no family
      {of("claude", "claude-a"), of("openai", "gpt-a"), false},
      {of("openai", "gpt-a"), of("openai", "gpt-b"), true},
      {of("grok", "grok-a"), of("grok", "grok-b"), true},
      {of("grok", "grok-a"), of("openai", "gpt-a"), false},
      {of("gym", "claude-gym"), of("gym", "claude-other"), true},
      {of("gym", "claude-gym"), of("gym", "gpt-gym"), false},
      {of("gym", "claude-gym"), of("claude", "claude-a"), false},
      {of("gone", "claude-a"), of("claude", "claude-a"), false}, // of a type that nobody knows
      {of("gone", "x"), of("gone", "x"), true}};                 // what doesn't change fits
  for (const auto& one : rows)
    BOOST_TEST(session::compatible(one.from, one.to, known) == one.fits,
        one.from.provider + " " + one.from.model + " to " + one.to.provider + " " + one.to.model);
}

BOOST_AUTO_TEST_CASE(an_effort_that_is_none_is_refused_with_its_message) {
  world w;
  const auto refused = w.apply(accept_message{
      "m1", delivery::send, content("Hello"), std::nullopt, with_effort("hgih"), std::nullopt, "client"});
  BOOST_REQUIRE(refused);
  BOOST_TEST(refused->detail.find("`hgih`") != std::string::npos);
  BOOST_TEST(count<message_queued>(w) == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
