// Tools that answer later: once, from any thread, or not at all.
#include "tools/described.hpp"
#include "tools/prepare.hpp"

#include <boost/test/unit_test.hpp>

#include <thread>

namespace troupe::tools {

struct delayed_query {
  std::string word;
};
struct delayed_answer {
  std::string word;
  int length = 0;
};
BOOST_DESCRIBE_STRUCT(delayed_query, (), (word))
BOOST_DESCRIBE_STRUCT(delayed_answer, (), (word, length))

BOOST_AUTO_TEST_SUITE(replies)

namespace {

call call_of(std::string arguments) {
  call made;
  made.arguments = {std::move(arguments)};
  made.stop = std::make_shared<stop_source>();
  return made;
}

std::shared_ptr<tool> later_tool(
    std::function<void(const call&, delayed_query, reply<delayed_answer>)> body) {
  return define_tool("later", "Answers later",
      [body](const call& call, const delayed_query& query, reply<delayed_answer> answer) {
        body(call, query, std::move(answer));
      });
}

} // namespace

BOOST_AUTO_TEST_CASE(another_thread_gives_the_answer_and_the_first_counts) {
  std::thread other;
  const auto tool = later_tool([&](const call&, delayed_query query, reply<delayed_answer> answer) {
    other = std::thread([query, answer] {
      answer({query.word, static_cast<int>(query.word.size())});
      answer({"another", 0});
      answer.fail("too late");
    });
  });
  BOOST_REQUIRE(tool->spec().result.has_value()); // by the reply's type
  const auto given = tool->run(call_of(R"({"word":"Oslo"})"));
  other.join();
  BOOST_TEST(!given.is_error);
  BOOST_TEST(plain_text(given.content) == R"({"word":"Oslo","length":4})");
}

BOOST_AUTO_TEST_CASE(a_reply_that_nobody_keeps_is_a_failure) {
  const auto dropped = later_tool([](const call&, delayed_query, reply<delayed_answer>) {});
  const auto given = dropped->run(call_of(R"({"word":"Oslo"})"));
  BOOST_TEST(given.is_error);
  BOOST_TEST(plain_text(given.content) == "The tool \"later\" gave no answer.");
  const auto failed =
      later_tool([](const call&, delayed_query, reply<delayed_answer> answer) { answer.fail("not today"); });
  BOOST_TEST(plain_text(failed->run(call_of(R"({"word":"Oslo"})")).content) == "not today");
}

BOOST_AUTO_TEST_CASE(one_that_is_stopped_is_not_waited_for_without_end) {
  std::optional<reply<delayed_answer>> kept;
  const auto forgetful = later_tool([&](const call& call, delayed_query, reply<delayed_answer> answer) {
    kept = std::move(answer);
    call.stop->stop();
  });
  const auto given = forgetful->run(call_of(R"({"word":"Oslo"})"));
  BOOST_TEST(given.aborted);
  (*kept)({"late", 4}); // it is dropped
  // what was done all the same is told
  const auto obedient = later_tool([](const call& call, delayed_query query, reply<delayed_answer> answer) {
    call.stop->on_stop([query, answer] { answer({query.word, 1}); });
    call.stop->stop();
  });
  BOOST_TEST(!obedient->run(call_of(R"({"word":"Oslo"})")).aborted);
}

BOOST_AUTO_TEST_CASE(what_it_throws_at_the_beginning_fails_the_call) {
  const auto tool = later_tool(
      [](const call&, delayed_query, reply<delayed_answer>) { throw std::runtime_error("no line"); });
  tool_box box;
  BOOST_REQUIRE(box.add(tool).has_value());
  const std::vector<std::string> names{"later"};
  const auto offer = box.offer_of(names).value();
  const auto given = invoke(*offer.find("later"), call_of(R"({"word":"Oslo"})"));
  BOOST_TEST(given.is_error);
  BOOST_TEST(plain_text(given.content) == "no line");
}

BOOST_AUTO_TEST_CASE(arguments_of_an_older_form_are_brought_into_the_schemas) {
  auto tool = define_tool("measure", "Measures", [](const delayed_query& query) { return query.word; });
  tool.prepare_arguments([](const json::raw& given) {
    const auto parsed = json::parse(given.text).value();
    if (const auto* const old = parsed.find("text"))
      return json::raw{"{\"word\":" + std::string(old->source()) + "}"};
    if (parsed.find("broken"))
      throw std::runtime_error("that form is too old");
    return parsed.find("wild") ? json::raw{"{\"word\":"} : given;
  });
  tool_box box;
  BOOST_REQUIRE(box.add(tool).has_value());
  const std::vector<std::string> names{"measure"};
  const auto offer = box.offer_of(names).value();
  const auto ready = prepare(offer, "measure", R"({"text":"Oslo"})");
  BOOST_REQUIRE(std::holds_alternative<prepared_call>(ready));
  BOOST_TEST(std::get<prepared_call>(ready).arguments.text == R"({"word":"Oslo"})");
  BOOST_TEST(std::get<prepared_call>(prepare(offer, "measure", R"({"word":"Oslo"})")).arguments.text
      == R"({"word":"Oslo"})");
  BOOST_TEST(
      std::get<refused_call>(prepare(offer, "measure", R"({"broken":1})")).text == "that form is too old");
  BOOST_TEST(std::get<refused_call>(prepare(offer, "measure", R"({"wild":1})")).text
      == "The arguments for \"measure\" were not valid JSON.");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::tools
