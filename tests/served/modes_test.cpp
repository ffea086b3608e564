// Modes over HTTP: what the model sees, what becomes of a call it should not have made, and the change.
#include "tests/served/served.hpp"

using namespace troupe;
using namespace troupe::testing;

BOOST_AUTO_TEST_SUITE(served_modes)

namespace {

const std::string big_call = R"({"call":{"name":"big","arguments":{"bytes":3}}})";

std::string calling(const std::string& step) {
  return R"({"when":{"has_tool_result":true},"reply":[{"text":"Done."}]}
{"reply":[)"
      + step + "]}";
}

/// A node that has the modes `look` (big), `both` (big, boom) and `idle` (nothing).
void with_modes(actors::node_settings& settings) {
  settings.modes = {{"look", {"big"}}, {"both", {"boom", "big"}}, {"idle", {}}};
}

/// The tools in the request that the gym got as number `n`, from 0.
std::string tools_asked_with(served& here, std::size_t n) {
  const answered requests{200, here.play.gym->requests()};
  const std::string tools = std::to_string(n) + "/body/tools";
  std::string out;
  for (std::size_t i = 0; i < requests.size(tools); ++i)
    out += (out.empty() ? "" : " ") + requests.at(tools + "/" + std::to_string(i) + "/name");
  return out;
}

/// The names in the tools that the log says the inference number `n` was offered.
std::string tools_recorded(served& here, std::size_t n) {
  const auto started = all_of<inference_started>(here.play.log("s")).at(n);
  const answered list = here.get("/v1/sessions/s/blobs/" + started.tools.content.ref->blob);
  std::string out;
  for (std::size_t i = 0; i < list.size(""); ++i)
    out += (out.empty() ? "" : " ") + list.at(std::to_string(i) + "/name");
  return out;
}

bool has(const answered& answer, const std::string& words) {
  return answer.body.find(words) != std::string::npos;
}

} // namespace

BOOST_AUTO_TEST_CASE(the_model_sees_the_tools_of_the_mode_and_the_log_says_so) {
  served here(calling(big_call), with_modes);
  here.make("s", R"(,"mode":"look")");
  BOOST_TEST(here.get("/v1/sessions/s").at("mode") == "look");
  here.say("s", "Go");
  here.until_idle("s");
  BOOST_TEST(tools_asked_with(here, 0) == "big");
  BOOST_TEST(tools_recorded(here, 0) == "big");
  const auto context = here.get("/v1/sessions/s/context");
  BOOST_TEST(!has(context, "is not available"), context.body);
  BOOST_TEST(here.play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_CASE(a_session_may_bring_its_own_mode) {
  served here(calling(big_call), with_modes);
  here.make("s", R"(,"mode":{"name":"mine","tools":["hold","big"]})");
  here.say("s", "Go");
  here.until_idle("s");
  BOOST_TEST(tools_asked_with(here, 0) == "big hold"); // in the order of the session's tools
  BOOST_TEST(here.get("/v1/sessions/s").at("mode/name") == "mine");
}

BOOST_AUTO_TEST_CASE(a_mode_may_show_no_tool_at_all) {
  served here(R"({"reply":[{"text":"Hi."}]})", with_modes);
  here.make("s", R"(,"mode":"idle")");
  here.say("s", "Go");
  here.until_idle("s");
  BOOST_TEST(tools_asked_with(here, 0) == "");
  BOOST_TEST(tools_recorded(here, 0) == "");
}

BOOST_AUTO_TEST_CASE(a_hidden_tool_that_is_called_anyway_is_unknown) {
  served here(calling(hold_call("x")), with_modes);
  here.make("s", R"(,"mode":"look")");
  here.say("s", "Go");
  here.until_idle("s");
  const auto results = all_of<tool_receipt>(here.play.log("s"));
  BOOST_REQUIRE_EQUAL(results.size(), 1U);
  BOOST_TEST(plain_text(results[0].content) == "Tool \"hold\" is not available.");
  BOOST_TEST((results[0].error_kind == error_kind::invalid_input));
  BOOST_TEST(here.play.gates.begun("x") == 0U);
  BOOST_TEST(here.play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_CASE(tools_of_clients_are_hidden_too) {
  served here(calling(R"({"call":{"name":"remote","arguments":{}}})"), with_modes);
  here.make("s",
      R"(,"client_tools":[{"name":"remote","description":"","parameters":{"type":"object"}}],"mode":"look")");
  here.say("s", "Go");
  here.until_idle("s");
  BOOST_TEST(tools_asked_with(here, 0) == "big");
  BOOST_TEST(has(here.get("/v1/sessions/s/context"), R"(Tool \"remote\" is not available.)"));
  BOOST_TEST(here.patch("/v1/sessions/s", R"({"mode":{"name":"far","tools":["remote"]}})").status == 200);
  here.say("s", "Go");
  here.until_attention("s");
  BOOST_TEST(tools_asked_with(here, 2) == "remote");
  BOOST_TEST(here.get("/v1/sessions/s/decisions").size("client_calls") == 1U);
}

BOOST_AUTO_TEST_CASE(a_mode_that_cannot_be_is_refused_by_name) {
  served here(R"({"reply":[{"text":"Hi."}]})", with_modes);
  const auto made_with = [&](const std::string& mode, const std::string& tools) {
    return here.post("/v1/sessions", R"({"id":"t","tools":)" + tools + R"(,"mode":)" + mode + "}");
  };
  const auto misspelt = made_with(R"("lok")", R"(["stage"])");
  BOOST_TEST(misspelt.status == 400);
  BOOST_TEST(has(misspelt, "unknown mode `lok`; did you mean `look`?"), misspelt.body);
  BOOST_TEST(misspelt.at("errors/0/pointer") == "/mode");
  const auto unknown = made_with(R"("something-else")", R"(["stage"])");
  BOOST_TEST(has(unknown, "configure it under [modes.something-else] first"), unknown.body);
  const auto lacking = made_with(R"("both")", R"(["big"])");
  BOOST_TEST(lacking.status == 400);
  BOOST_TEST(has(lacking, "names the tool `boom`, which the session doesn't have"), lacking.body);
  const auto near = made_with(R"({"name":"mine","tools":["bag"]})", R"(["big"])");
  BOOST_TEST(has(near, "did you mean `big`?"), near.body);
  for (const char* const wrong : {"5", "[]", R"({"name":"x"})", R"({"tools":["big"]})",
           R"({"name":"","tools":[]})", R"({"name":"x","tools":"big"})", R"({"name":"x","tools":[1]})",
           R"({"name":"x","tools":[],"more":1})"})
    BOOST_TEST(made_with(wrong, R"(["stage"])").status == 400, wrong);
  BOOST_TEST(here.get("/v1/sessions").size("sessions") == 0U);
  here.make("s");
  BOOST_TEST(here.patch("/v1/sessions/s", R"({"mode":"lok"})").status == 400);
  BOOST_TEST(here.patch("/v1/sessions/s", R"({"mode":"look"})").status == 200);
  BOOST_TEST(here.patch("/v1/sessions/s", R"({"tools":["hold"]})").status == 400); // the mode needs `big`
}

BOOST_AUTO_TEST_CASE(a_change_of_the_mode_holds_from_the_next_inference_on) {
  served here(R"({"when":{"has_tool_result":true},"reply":[{"text":"Done."}]}
{"reply":[{"text":"Well. "},{"hold":"gate"},)"
          + big_call + "]}",
      with_modes);
  here.make("s");
  here.say("s", "Go");
  BOOST_REQUIRE(here.play.gym->wait_until_held("gate", patience));
  BOOST_TEST(here.patch("/v1/sessions/s", R"({"mode":"idle"})").status == 200);
  here.play.gym->release("gate");
  here.until_idle("s");
  const auto receipts = all_of<tool_receipt>(here.play.log("s"));
  BOOST_REQUIRE_EQUAL(receipts.size(), 1U);
  BOOST_TEST(plain_text(receipts[0].content) == "ttt"); // it was shown to the model that called it
  BOOST_TEST(tools_recorded(here, 0) == "big boom hold");
  BOOST_TEST(tools_recorded(here, 1) == "");
  BOOST_TEST(tools_asked_with(here, 1) == "");
  BOOST_TEST(here.patch("/v1/sessions/s", R"({"mode":null})").at("mode") == "");
  here.play.gym->release("gate");
  here.say("s", "Go");
  here.until_idle("s");
  BOOST_TEST(tools_asked_with(here, 2) == "big boom hold");
  BOOST_TEST(here.play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_CASE(a_mode_that_the_configuration_lost_is_missed_by_name_and_a_shorter_one_is_taken) {
  served here(R"({"reply":[{"text":"Hi."}]})", with_modes);
  here.make("s", R"(,"mode":"both")");
  here.start_anew([](actors::node_settings& settings) { settings.modes["look"] = {"big"}; });
  const auto missed = here.say("s", "Go");
  BOOST_TEST(missed.status == 400);
  BOOST_TEST(has(missed, "unknown mode `both`"), missed.body);
  here.start_anew([](actors::node_settings& settings) { settings.modes["both"] = {"big", "far"}; });
  BOOST_TEST(here.patch("/v1/sessions/s", R"({"max_turns":3})").status == 200);
  BOOST_TEST(here.say("s", "Go").status == 202);
  here.until_idle("s");
  BOOST_TEST(tools_recorded(here, 0) == "big");
}

BOOST_AUTO_TEST_SUITE_END()
