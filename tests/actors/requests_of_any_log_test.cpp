// Whatever a log holds, its context can be sent: the gym's rules, which are the services' own, take it.
#include "providers/anthropic/format.hpp"
#include "providers/gym/chat_rules.hpp"
#include "providers/gym/messages_rules.hpp"
#include "providers/openai_chat/format.hpp"
#include "tests/support/world.hpp"

#include <boost/test/unit_test.hpp>

#include <random>

namespace troupe::testing {

BOOST_AUTO_TEST_SUITE(requests_of_any_log)

namespace {

/// Draws what happens next; the same seed draws the same.
class chance {
 public:
  explicit chance(unsigned seed) : numbers_(seed) {}
  std::size_t below(std::size_t bound) { return numbers_() % bound; }
  template <class T> const T& of(const std::vector<T>& all) { return all[below(all.size())]; }

 private:
  std::mt19937 numbers_;
};

block some_block(chance& luck) {
  static const std::vector<std::string> texts{"", "\n\n", " ", "So.", "Ünï\n🙂", std::string("a\0b", 3)};
  static const std::vector<std::string> ids{"", "c", "c", "c-2", "with space/and:more", std::string(80, 'i')};
  static const std::vector<std::string> tools{
      "plain", "durable", "asking", "gated", "unknown", "not a name!", "", std::string(200, 'n')};
  switch (luck.below(5)) {
  case 0:
    return text_block{luck.of(texts)};
  case 1:
    return thinking_block{
        luck.of(texts), luck.below(2) ? std::optional<std::string>("sig") : std::nullopt, std::nullopt};
  case 2:
    return tool_call_block{luck.of(ids), luck.of(tools), std::nullopt, large_text("{\"half\": ")};
  default:
    return tool_call_block{luck.of(ids), luck.of(tools), json::raw{R"({"n":1})"}, std::nullopt};
  }
}

std::vector<block> some_blocks(chance& luck) {
  std::vector<block> blocks;
  for (auto left = luck.below(4); left > 0; --left)
    blocks.push_back(some_block(luck));
  return blocks;
}

void person(world& w, chance& luck) {
  for (const auto& call : std::vector(w.now().calls)) {
    if (call.phase == session::call_phase::asking)
      w.apply(decide_permission{call.decision_id, luck.below(2) == 0, "user", std::nullopt, std::nullopt});
    if (call.phase == session::call_phase::uncertain)
      w.apply(give_verdict{call.execution_id, luck.below(2) ? verdict::rerun : verdict::abandon, "user",
          luck.below(2) ? std::optional(content("")) : std::nullopt});
  }
  w.settle();
}

void something_happens(world& w, chance& luck, int number) {
  static const std::vector<std::string> stops{"tool_use", "tool_use", "end_turn", "max_tokens", "refusal"};
  switch (luck.below(11)) {
  case 0:
  case 1: {
    const std::string text = luck.below(4) ? "Hello" : " "; // also what no service takes alone
    w.apply(accept_message{"m" + std::to_string(number), luck.below(3) ? delivery::send : delivery::steer,
        content(text), luck.below(5) ? std::nullopt : std::optional<std::string>("system"), std::nullopt,
        std::nullopt, "client"});
    w.settle();
    break;
  }
  case 2:
  case 3:
    w.answer(luck.of(stops), some_blocks(luck));
    break;
  case 4:
    w.fail_answer("Overloaded");
    break;
  case 5:
    if (w.now().inference && w.now().inference->open)
      w.apply(block_finished{w.now().inference->data->inference_id, some_blocks(luck)});
    break;
  case 6:
  case 7:
    w.finish_tool(luck.below(9), luck.below(3) == 0, luck.below(9) == 0);
    break;
  case 8:
    w.apply(abort_run{"user"});
    w.apply(settle_abort{});
    w.settle();
    break;
  case 9:
    w.crash();
    break;
  default:
    person(w, luck);
  }
}

providers::inference_request request_of(const world& w) {
  providers::inference_request request;
  request.inference_id = "i";
  request.model = "test";
  request.instructions = "Be brief.";
  request.messages = w.now().context.messages();
  return request;
}

bool says_anything(const std::vector<message>& context) {
  for (const auto& message : context)
    if (message.role != "assistant"
        && plain_text(content(message.parts)).find_first_not_of(" \n") != std::string::npos)
      return true;
  return false;
}

/// How the service would refuse it; nothing if it takes it.
template <class Read> std::string refusal(const providers::wire_format& format, Read read, const world& w) {
  const auto written = format.write(request_of(w));
  if (!written)
    return says_anything(w.now().context.messages()) ? "can't be written: " + written.error().detail : "";
  const auto understood = read(written->body);
  const auto* const refused = std::get_if<providers::gym::service_error>(&understood);
  return refused ? refused->message + "\n" + written->body : "";
}

} // namespace

// B-039: aborts, crashes, half answers and blocks of every kind, wherever they come.
BOOST_AUTO_TEST_CASE(every_context_that_a_log_comes_to_is_a_lawful_request) {
  std::size_t asked = 0;
  for (unsigned seed = 1; seed <= 400; ++seed) {
    chance luck(seed);
    world w;
    std::int64_t looked_at = 0;
    for (int number = 0; number < 60; ++number) {
      something_happens(w, luck, number);
      if (!w.now().inference || !w.now().inference->open || w.now().inference->seq == looked_at)
        continue;
      looked_at = w.now().inference->seq;
      ++asked;
      const auto messages = refusal(providers::anthropic::format(), providers::gym::read_messages_request, w);
      const auto chat = refusal(providers::openai_chat::format(), providers::gym::read_chat_request, w);
      BOOST_REQUIRE_MESSAGE(messages.empty(), "seed " << seed << " step " << number << ": " << messages);
      BOOST_REQUIRE_MESSAGE(chat.empty(), "seed " << seed << " step " << number << ": " << chat);
    }
  }
  BOOST_TEST(asked > 2000U);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::testing
