// Durable agents with tools of the program's own.
#include "tests/library/stage.hpp"

#include <thread>

namespace troupe::library {

struct weather_query {
  std::string city;
  std::optional<int> days;
};
BOOST_DESCRIBE_STRUCT(weather_query, (), (city, days))

BOOST_AUTO_TEST_SUITE(agents)

namespace {

constexpr std::string_view weather_rules =
    R"({"when":{"has_tool_result":true},"reply":[{"text":"Rain, says the tool."}]}
{"when":{"last_user_contains":"rain"},"reply":[{"text":"Let me look. "},{"call":{"name":"weather","arguments":{"city":"Oslo"}}}]}
{"when":{"last_user_contains":"hold"},"reply":[{"text":"So far"},{"hold":"gate"},{"text":", and on."}]}
{"reply":[{"text":"Hello."}]}
)";

tool_definition weather(std::string said, std::vector<std::string>* keys = nullptr) {
  return define_tool("weather", "The weather in a city",
      [said, keys](const call& call, const weather_query& query) {
        if (keys)
          keys->push_back(call.idempotency_key());
        return said + " in " + query.city;
      })
      .idempotent();
}

} // namespace

BOOST_AUTO_TEST_CASE(an_agent_answers_with_a_tool_and_its_text_is_told_as_it_comes) {
  stage s(weather_rules);
  system system(s.settings());
  std::vector<std::string> keys;
  auto agent = system.open({.id = "demo", .instructions = "Be brief.", .tools = {weather("rain", &keys)}});
  std::string heard;
  agent.on_text([&](std::string_view text) { heard += text; });
  const auto sent = agent.send("Will it rain in Oslo?");
  BOOST_TEST(sent.seq > 0);
  const auto now = agent.wait_until_idle();
  BOOST_TEST(now.status == "idle");
  BOOST_TEST(!now.last_error.has_value());
  BOOST_TEST(heard == "Let me look. Rain, says the tool.");
  BOOST_TEST(keys.size() == 1U);
  BOOST_TEST(texts_of(agent.context())
      == "user: Will it rain in Oslo?\nassistant: Let me look. [weather]\ntool: rain in Oslo\n"
         "assistant: Rain, says the tool.\n");
}

BOOST_AUTO_TEST_CASE(what_another_system_began_goes_on) {
  stage s(weather_rules);
  {
    system first(s.settings());
    auto agent = first.open({.id = "demo"});
    agent.send("Hello?");
    agent.wait_until_idle();
    BOOST_TEST((thrown_by([&] { first.create({.id = "demo"}); }) == problem_code::conflict));
  }
  system second(s.settings());
  auto found = second.find("demo");
  BOOST_REQUIRE(found.has_value());
  BOOST_TEST(!second.find("other").has_value());
  BOOST_TEST((second.sessions() == std::vector<std::string>{"demo"}));
  found->send("And again?");
  found->wait_until_idle();
  BOOST_TEST(
      texts_of(found->context()) == "user: Hello?\nassistant: Hello.\nuser: And again?\nassistant: Hello.\n");
  second.erase("demo");
  BOOST_TEST(!second.find("demo").has_value());
  BOOST_TEST((thrown_by([&] { found->send("Hello?"); }) == problem_code::not_found));
}

BOOST_AUTO_TEST_CASE(tools_of_one_name_are_each_sessions_own) {
  stage s(weather_rules);
  system system(s.settings());
  auto one = system.open({.id = "one", .tools = {weather("sun")}});
  auto other = system.open({.id = "other", .tools = {weather("snow")}});
  for (auto* const agent : {&one, &other}) {
    agent->send("Will it rain in Oslo?");
    agent->wait_until_idle();
  }
  BOOST_TEST(texts_of(one.context()).find("tool: sun in Oslo") != std::string::npos);
  BOOST_TEST(texts_of(other.context()).find("tool: snow in Oslo") != std::string::npos);
  // given anew: at once, also where the session is in the memory
  system.open({.id = "one", .tools = {weather("hail")}});
  one.send("Will it rain again?");
  one.wait_until_idle();
  BOOST_TEST(texts_of(one.context()).find("tool: hail in Oslo") != std::string::npos);
  // a session that names no tools has none
  BOOST_TEST((
      thrown_by([&] { system.open({.id = "third", .tools = {"weather"}}); }) == problem_code::invalid_input));
}

BOOST_AUTO_TEST_CASE(one_that_was_there_without_tools_is_given_some) {
  stage s(weather_rules);
  system system(s.settings());
  auto agent = system.open({.id = "demo"});
  system.open({.id = "demo", .tools = {weather("fog")}});
  agent.send("Will it rain in Oslo?");
  agent.wait_until_idle();
  BOOST_TEST(texts_of(agent.context()).find("tool: fog in Oslo") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_program_may_rename_its_tools) {
  stage s(weather_rules);
  const auto forecast = define_tool(
      "forecast", "What comes", [](const weather_query& query) { return "sun in " + query.city; });
  {
    system first(s.settings());
    auto agent = first.open({.id = "demo", .tools = {weather("rain")}});
    agent.send("Hello?");
    agent.wait_until_idle();
    first.open({.id = "done", .tools = {weather("rain")}}).close();
  }
  system second(s.settings());
  auto agent = second.open({.id = "demo", .tools = {forecast}});
  agent.send("Will it rain in Oslo?"); // the model asks for what isn't there any more
  agent.wait_until_idle();
  BOOST_TEST(texts_of(agent.context()).find("Tool \"weather\" is not available.") != std::string::npos);
  BOOST_TEST(second.open({.id = "done", .tools = {forecast}}).look().status == "closed");
}

BOOST_AUTO_TEST_CASE(a_tool_may_answer_from_another_thread) {
  stage s(weather_rules);
  std::thread other;
  {
    system system(s.settings());
    const auto later = define_tool(
        "weather", "The weather in a city", [&](const weather_query& query, reply<std::string> answer) {
          other = std::thread([city = query.city, answer] { answer("wind in " + city); });
        });
    auto agent = system.open({.id = "demo", .tools = {later}});
    agent.send("Will it rain in Oslo?");
    agent.wait_until_idle();
    BOOST_TEST(texts_of(agent.context()).find("tool: wind in Oslo") != std::string::npos);
  }
  other.join();
}

BOOST_AUTO_TEST_CASE(one_that_exists_is_not_touched_by_who_wants_to_create_it) {
  stage s(weather_rules);
  system system(s.settings());
  auto agent = system.open({.id = "demo", .tools = {weather("rain")}});
  BOOST_TEST((thrown_by([&] { system.create({.id = "demo", .tools = {weather("snow")}}); })
      == problem_code::conflict));
  agent.send("Will it rain in Oslo?");
  agent.wait_until_idle();
  BOOST_TEST(texts_of(agent.context()).find("tool: rain in Oslo") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_fork_goes_on_with_the_same_tools) {
  stage s(weather_rules);
  system system(s.settings());
  auto agent = system.open({.id = "demo", .tools = {weather("rain")}});
  agent.send("Hello?");
  const auto before = agent.wait_until_idle().head;
  agent.send("Will it rain in Oslo?");
  agent.wait_until_idle();
  BOOST_TEST(texts_of(agent.at(before).context()) == "user: Hello?\nassistant: Hello.\n");
  auto branch = agent.at(before).fork("branch");
  branch.send("Will it rain elsewhere?");
  branch.wait_until_idle();
  BOOST_TEST(texts_of(branch.context()).find("tool: rain in Oslo") != std::string::npos);
  BOOST_TEST((thrown_by([&] { agent.at(10'000).context(); }) == problem_code::invalid_input));
}

BOOST_AUTO_TEST_CASE(what_is_wrong_is_said_and_nothing_is_made) {
  stage s(weather_rules);
  system system(s.settings());
  try {
    system.open({.id = "demo", .provider = "scriptd"});
    BOOST_ERROR("an unknown provider was taken");
  } catch (const error& wrong) {
    BOOST_TEST((wrong.code() == problem_code::invalid_input));
    BOOST_TEST(wrong.why().detail.find("did you mean `scripted`?") != std::string::npos);
  }
  BOOST_TEST(!system.find("demo").has_value());
  auto agent = system.open({.id = "demo"});
  BOOST_TEST((thrown_by([&] { agent.send("  "); }) == problem_code::invalid_input));
  BOOST_TEST((thrown_by([&] { agent.update({R"({"max_turn":3})"}); }) == problem_code::invalid_input));
}

BOOST_AUTO_TEST_CASE(a_person_decides_before_a_call_runs) {
  stage s(weather_rules);
  system system(s.settings());
  std::vector<std::string> keys;
  auto agent = system.open({.id = "demo",
      .tools = {weather("rain", &keys)},
      .permissions = std::vector<permission_rule>{{"*", permission::ask, std::nullopt}}});
  for (const bool allowed : {false, true}) {
    agent.send("Will it rain in Oslo?");
    const auto asking = agent.wait_for_attention(std::chrono::minutes(1));
    BOOST_REQUIRE(asking.has_value());
    BOOST_TEST(asking->status == "waiting");
    BOOST_TEST(!agent.wait_until_idle(std::chrono::milliseconds(1)).has_value());
    const auto open = agent.decisions();
    BOOST_REQUIRE(open.size() == 1U);
    BOOST_TEST(open[0].tool == "weather");
    BOOST_TEST(open[0].arguments.text == R"({"city":"Oslo"})");
    allowed ? agent.allow(open[0].id) : agent.deny(open[0].id, "Not today.");
    agent.wait_until_idle();
    BOOST_TEST(keys.size() == (allowed ? 1U : 0U));
    BOOST_TEST((thrown_by([&] { agent.deny("no-such-decision"); }) == problem_code::not_found));
  }
  BOOST_TEST(texts_of(agent.context()).find("Not today.") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(an_abort_ends_what_runs) {
  stage s(weather_rules);
  system system(s.settings());
  auto agent = system.open({.id = "demo"});
  agent.send("Please hold.");
  BOOST_REQUIRE(s.gym->wait_until_held("gate", std::chrono::minutes(1)));
  BOOST_TEST(agent.look().status == "running");
  agent.abort();
  BOOST_TEST(agent.look().status == "idle");
  agent.steer("Hello?");
  agent.wait_until_idle();
  agent.reset();
  BOOST_TEST(texts_of(agent.context()).empty());
  agent.close();
  BOOST_TEST((thrown_by([&] { agent.send("Hello?"); }) == problem_code::closed));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::library
