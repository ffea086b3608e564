// The tool box, what happens to a call before it runs, coercion, and stopping.
#include "tools/coerce.hpp"
#include "tools/described.hpp"
#include "tools/prepare.hpp"
#include "tools/workspace/workspace.hpp"

#include <boost/test/unit_test.hpp>

#include <thread>

using namespace troupe;

namespace {

struct number_argument {
  int n = 0;
};
BOOST_DESCRIBE_STRUCT(number_argument, (), (n))

std::shared_ptr<tools::tool> sample(std::string name) {
  return tools::define_tool(std::move(name), "does something", [](const number_argument& a) { return a.n; });
}

std::shared_ptr<tools::tool> with_schema(std::string schema) {
  return tools::define_tool(
      "t", "", json::raw{std::move(schema)}, std::nullopt, [](const json::value&) { return std::string(); });
}

tool_call_block call_of(std::string name, std::string arguments) {
  return make_tool_call("c1", std::move(name), arguments);
}

std::string refusal(const tools::offer& offer, const tool_call_block& call, bool complete = true) {
  const auto prepared = tools::prepare(offer, call, complete);
  const auto* refused = std::get_if<tools::refused_call>(&prepared);
  return refused == nullptr ? "none" : refused->text;
}

std::vector<std::string> names(const tools::offer& offer) {
  std::vector<std::string> out;
  for (const auto& tool : offer.all())
    out.push_back(tool->spec.name);
  return out;
}

std::string add_fault(const std::shared_ptr<tools::tool>& tool) {
  tools::tool_box box;
  const auto added = box.add(tool);
  return added.has_error() ? added.error().detail : "none";
}

std::string coerced(std::string_view schema, std::string_view value) {
  return tools::coerced({std::string(value)}, tools::schema::compile(schema).value()).text;
}

} // namespace

BOOST_AUTO_TEST_SUITE(tool_box)

BOOST_AUTO_TEST_CASE(a_session_is_offered_what_it_names_in_a_stable_order) {
  tools::tool_box box;
  tools::add_workspace(box, {.root = "/tmp", .environment = {}, .sandbox = {}}).value();
  box.add(sample("zebra")).value();
  box.add(sample("apple")).value();
  const std::vector<std::string> wanted = {"zebra", "workspace", "apple", "shell"};
  BOOST_TEST(names(box.offer_of(wanted).value())
          == (std::vector<std::string>{
              "zebra", "edit_file", "list_dir", "read_file", "search_text", "shell", "write_file", "apple"}),
      boost::test_tools::per_element());
  BOOST_TEST(box.offer_of(std::vector<std::string>{"apple"})->json()
      == R"([{"name":"apple","description":"does something","parameters":{"type":"object","properties":{"n":{"type":"integer","minimum":-2147483648,"maximum":2147483647}},"required":["n"],"additionalProperties":false}}])");
  const std::vector<std::string> wrong = {"workspce"};
  BOOST_TEST(box.offer_of(wrong).error().detail
      == "there is no tool or toolset `workspce`; did you mean `workspace`?");
}

BOOST_AUTO_TEST_CASE(changing_tools_ask_and_reading_tools_are_durable) {
  tools::tool_box box;
  tools::add_workspace(box, {.root = "/tmp", .environment = {}, .sandbox = {}}).value();
  for (const auto& tool : box.everything().all()) {
    const std::string& name = tool->spec.name;
    const bool reads = name == "read_file" || name == "list_dir" || name == "search_text";
    BOOST_TEST(tool->spec.durable == reads, name);
    BOOST_TEST(
        (tool->spec.on_interrupted == (reads ? interrupted_policy::rerun : interrupted_policy::ask)), name);
  }
}

BOOST_AUTO_TEST_CASE(bad_tools_are_refused_one_by_one) {
  BOOST_TEST(add_fault(sample("a b")).find("isn't lawful") != std::string::npos);
  BOOST_TEST(add_fault(sample(std::string(65, 'a'))).find("isn't lawful") != std::string::npos);
  BOOST_TEST(
      add_fault(with_schema(R"({"type":"string"})")).find("must be of type object") != std::string::npos);
  BOOST_TEST(
      add_fault(with_schema(R"({"type":"strng"})")).find("did you mean \"string\"?") != std::string::npos);
  BOOST_TEST(add_fault(with_schema(R"({"$ref":"#"})")).find("leads back to itself") != std::string::npos);
  BOOST_TEST(add_fault(with_schema("{")).find("not JSON") != std::string::npos);
  tools::tool_box box;
  box.add(sample("a"), "set").value();
  BOOST_TEST((box.add(sample("a")).error().code == problem_code::conflict));
  BOOST_TEST((box.add(sample("set")).error().code == problem_code::conflict));
}

BOOST_AUTO_TEST_CASE(a_schema_that_forgets_its_type_is_repaired) {
  tools::tool_box box;
  box.add(with_schema(R"({ "properties": {} })")).value();
  BOOST_TEST(box.everything().find("t")->spec.parameters.text == R"({"type":"object","properties":{}})");
}

BOOST_AUTO_TEST_CASE(client_tools_join_and_a_mode_hides) {
  tools::tool_box box;
  box.add(sample("mine")).value();
  client_tool asked;
  asked.name = "ask_user";
  asked.parameters.text = R"({"type":"object"})";
  asked.durable = true;
  const std::vector<std::string> wanted = {"mine"};
  const auto offer = box.offer_of(wanted, std::vector{asked}).value();
  BOOST_TEST(offer.find("ask_user")->run_by == nullptr);
  BOOST_TEST((offer.find("ask_user")->spec.on_interrupted == interrupted_policy::rerun));
  const auto hidden = offer.only(std::vector<std::string>{"ask_user", "other"});
  BOOST_TEST(names(hidden) == std::vector<std::string>{"ask_user"}, boost::test_tools::per_element());
  BOOST_TEST(refusal(hidden, call_of("mine", "{\"n\":1}")) == "Tool \"mine\" is not available.");
  asked.name = "mine";
  BOOST_TEST((box.offer_of(wanted, std::vector{asked}).error().code == problem_code::conflict));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(preparing_a_call)

struct one_tool {
  tools::tool_box box;
  tools::offer offer;
  one_tool() {
    box.add(sample("add")).value();
    offer = box.everything();
  }
};

BOOST_FIXTURE_TEST_CASE(each_fault_has_its_fixed_text_and_the_first_counts, one_tool) {
  BOOST_TEST(refusal(offer, call_of("ad", "nonsense"), false) == "Tool \"ad\" is not available.");
  BOOST_TEST(refusal(offer, call_of("add", "nonsense"), false)
      == "The tool call was incomplete and was not executed.");
  BOOST_TEST(refusal(offer, call_of("add", "{\"n\":")) == "The arguments for \"add\" were not valid JSON.");
  BOOST_TEST(refusal(offer, call_of("add", "{\"n\":1,\"n\":2}"))
      == "The arguments for \"add\" were not valid JSON.");
  BOOST_TEST(refusal(offer, call_of("add", "[1]"))
      == "The arguments for \"add\" did not match its schema. /: expected object");
  BOOST_TEST(refusal(offer, call_of("add", "{\"n\":\"1\"}"))
      == "The arguments for \"add\" did not match its schema. /n: expected integer");
  BOOST_TEST(refusal(offer, call_of("add", " "))
      == "The arguments for \"add\" did not match its schema. /n: expected a value (it is required)");
  BOOST_TEST(refusal(offer, call_of("add", "{ \"n\" : 1 }")) == "none");
}

BOOST_AUTO_TEST_CASE(digits_reach_the_tool_as_they_are_and_inexact_ones_not_at_all) {
  tools::tool_box box;
  box.add(with_schema("{}")).value();
  const auto offer = box.everything();
  const auto prepared = tools::prepare(offer, call_of("t", R"({"big":18446744073709551615,"f":0.10})"));
  BOOST_TEST(
      std::get<tools::prepared_call>(prepared).arguments.text == R"({"big":18446744073709551615,"f":0.10})");
  // the log can't keep them as a value: the tool would run with others than the model meant
  for (const char* const inexact : {R"({"big":123456789012345678901234567890})", R"({"big":1e400})"})
    BOOST_TEST(refusal(offer, call_of("t", inexact)) == "The arguments for \"t\" were not valid JSON.");
}

BOOST_AUTO_TEST_CASE(deep_and_hostile_arguments_are_not_valid) {
  tools::tool_box box;
  box.add(with_schema("{}")).value();
  const auto offer = box.everything();
  std::string deep;
  for (int i = 0; i < 100'000; ++i)
    deep += "{\"a\":";
  BOOST_TEST(refusal(offer, call_of("t", deep)) == "The arguments for \"t\" were not valid JSON.");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(coercion)

BOOST_AUTO_TEST_CASE(a_value_that_says_the_same_is_turned_into_the_type_that_is_asked_for) {
  const auto shape =
      R"({"properties":{"n":{"type":"integer"},"b":{"type":"boolean"},"s":{"type":"string"},"o":{"type":["object","null"]},"l":{"type":"array","items":{"type":"number"}}}})";
  BOOST_TEST(coerced(shape, R"({"n":"5","b":"true","s":5,"o":"{\"x\":1}","l":["1.50"]})")
      == R"({"n":5,"b":true,"s":"5","o":{"x":1},"l":[1.50]})");
  BOOST_TEST(coerced(shape, R"({"o":"","l":"2"})") == R"({"o":null,"l":[2]})");
  BOOST_TEST(coerced(R"({"anyOf":[{"type":"integer"},{"type":"null"}]})", R"("7")") == "7");
}

BOOST_AUTO_TEST_CASE(what_says_something_else_stays) {
  const auto shape = R"({"properties":{"n":{"type":"integer"},"s":{"type":"string"}}})";
  BOOST_TEST(coerced(shape, R"({"n":"five","s":null,"x":"1"})") == R"({"n":"five","s":null,"x":"1"})");
  BOOST_TEST(coerced(shape, R"({"n":"1.5","s":[1]})") == R"({"n":"1.5","s":[1]})");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(stopping)

BOOST_AUTO_TEST_CASE(an_action_runs_once_whether_registered_before_or_after) {
  tools::stop_source stop;
  int ran = 0;
  stop.on_stop([&] { ++ran; });
  BOOST_TEST(!stop.stopped());
  stop.stop();
  stop.stop();
  BOOST_TEST(ran == 1);
  stop.on_stop([&] { ++ran; });
  BOOST_TEST(ran == 2);
}

BOOST_AUTO_TEST_CASE(registering_while_stopping_loses_nothing) {
  for (int round = 0; round < 200; ++round) {
    tools::stop_source stop;
    std::atomic<int> ran = 0;
    std::thread other([&] { stop.stop(); });
    for (int i = 0; i < 10; ++i)
      stop.on_stop([&] { ++ran; });
    other.join();
    BOOST_TEST(ran == 10);
  }
}

BOOST_AUTO_TEST_SUITE_END()
