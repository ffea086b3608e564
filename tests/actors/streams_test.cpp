// Live streams: each event once and in order, deltas that join to the block, bounded readers.
#include "tests/actors/stage.hpp"

#include "messages/event_codec.hpp"

#include <future>

namespace troupe::testing {

BOOST_AUTO_TEST_SUITE(streams)

namespace {

// Everything up to the end of the run, read by one reader.
struct seen {
  std::vector<std::int64_t> seqs;
  std::map<std::int64_t, std::string> deltas; ///< by block, placed by their offsets
  std::map<std::int64_t, std::string> blocks;

  void read(actors::live_stream& stream) {
    while (const auto item = stream.next(patience)) {
      if (const auto* const partial = std::get_if<actors::live_partial>(&*item))
        deltas[partial->block] = partial->text;
      if (const auto* const delta = std::get_if<actors::live_delta>(&*item)) {
        auto& text = deltas[delta->block];
        text.resize(std::max<std::size_t>(text.size(), delta->offset), '?');
        text.replace(delta->offset, delta->text.size(), delta->text);
      }
      const auto* const stored = std::get_if<recorded_event>(&*item);
      if (!stored)
        continue;
      seqs.push_back(stored->seq);
      const auto happened = must(decode(*stored));
      if (const auto* const block = std::get_if<assistant_block>(&happened.data))
        if (const auto* const text = std::get_if<text_block>(&block->block))
          blocks[block->index] = text->text.text;
      if (stored->type == "run.finished")
        return;
    }
    BOOST_FAIL("the run didn't come to its end");
  }
  void check_order() const {
    for (std::size_t i = 0; i < seqs.size(); ++i)
      BOOST_TEST(seqs[i] == static_cast<std::int64_t>(i) + 1);
  }
};

// Says how far it is, also when nobody wants to hear it any more.
class talker final : public tools::tool {
 public:
  const tools::tool_spec& spec() const override { return spec_; }
  tools::output run(const tools::call& call) override {
    tell = call.progress;
    const auto known = heard.get_future();
    do // until the reader, who may still be at the past, has heard of it
      tell("half");
    while (known.wait_for(std::chrono::milliseconds(5)) != std::future_status::ready);
    tell(std::string(100'000, 'x'));
    tools::output out;
    out.content = content("whole");
    return out;
  }
  std::function<void(std::string)> tell;
  std::promise<void> heard;

 private:
  tools::tool_spec spec_ = [] {
    tools::tool_spec spec;
    spec.name = "talk";
    spec.description = "Talks.";
    spec.parameters = {R"({"type":"object"})"};
    return spec;
  }();
};

} // namespace

// P-026
BOOST_AUTO_TEST_CASE(what_a_call_tells_of_itself_is_shown_while_it_runs_and_not_later) {
  const auto talking = std::make_shared<talker>();
  stage play(R"({"when":{"has_tool_result":true},"reply":[{"text":"Done."}]}
{"reply":[{"call":{"name":"talk","arguments":{}}}]})",
      talking);
  auto session = play.open("s");
  const auto stream = session.follow(0);
  await(*stream, "session.created");
  say(session, "Go");
  std::vector<std::size_t> told;
  std::string execution;
  for (bool receipt = false; !receipt;) {
    const auto item = stream->next(patience);
    BOOST_REQUIRE(item);
    if (const auto* const progress = std::get_if<actors::live_progress>(&*item)) {
      told.push_back(progress->text.size());
      if (told.size() == 1)
        talking->heard.set_value();
      BOOST_TEST(progress->execution_id == execution);
    }
    if (const auto* const stored = std::get_if<recorded_event>(&*item)) {
      if (const auto happened = must(decode(*stored)); stored->type == "tool.started")
        execution = std::get<tool_started>(happened.data).execution_id;
      receipt = stored->type == "tool.receipt";
    }
  }
  BOOST_TEST(told.front() == 4U);
  BOOST_TEST(told.back() == 64U * 1024);
  talking->tell("too late");
  until_idle(session);
  while (const auto item = stream->next(std::chrono::milliseconds(0)))
    BOOST_TEST(!std::holds_alternative<actors::live_progress>(*item));
  talking->tell = nullptr; // it holds what holds the tool
}

BOOST_AUTO_TEST_CASE(the_deltas_of_a_block_join_to_what_is_committed) {
  stage play(R"({"reply":[{"chunk_bytes":3},{"text":"Grüße, 世界! \u0000 And so on, to the end of it."}]})");
  auto session = play.open("s");
  const auto stream = session.follow(0);
  seen all;
  all.seqs.push_back(await(*stream, "session.created").seq); // from here on it is live
  say(session, "Hello");
  all.read(*stream);
  all.check_order();
  BOOST_REQUIRE_EQUAL(all.blocks.size(), 1U);
  BOOST_TEST(all.deltas[0] == all.blocks[0]);
  BOOST_TEST(all.blocks[0].size() > 40U);
}

BOOST_AUTO_TEST_CASE(a_reader_that_comes_in_the_middle_misses_no_event) {
  stage play(R"({"reply":[{"text":"One two "},{"hold":"gate"},{"text":"three four."}]})");
  auto session = play.open("s");
  const auto early = session.follow(0);
  say(session, "Hello");
  BOOST_TEST(play.gym->wait_until_held("gate", patience));
  await(*early, "inference.started");
  const auto late = session.follow(0);
  const auto later = session.follow(3);
  play.gym->release("gate");
  seen all;
  all.read(*late);
  all.check_order();
  BOOST_TEST(all.blocks[0] == "One two three four.");
  BOOST_TEST(all.deltas[0] == "One two three four."); // the first half at once, as it stood
  BOOST_TEST(await(*later, "turn.started").seq == 4);
}

BOOST_AUTO_TEST_CASE(readers_that_come_while_much_happens_see_everything_once) {
  stage play(R"({"reply":[{"text":"So."}]})");
  auto session = play.open("s", [](options& wanted) { wanted.max_turns = 0; });
  for (int i = 0; i < 60; ++i)
    say(session, "Hello", {}, i % 2 ? delivery::steer : delivery::send);
  for (int i = 0; i < 10; ++i) {
    const auto stream = session.follow(0);
    seen all;
    all.read(*stream);
    all.check_order();
  }
  until_idle(session);
  BOOST_TEST(play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_CASE(a_reader_that_is_not_read_is_cut_off_and_can_come_again) {
  const std::string text(5 * 1024 * 1024, 'x');
  stage play(R"({"when":{"last_user_contains":"more"},"reply":[{"text":"Fine."}]}
{"reply":[{"chunk_bytes":100000},{"text":")"
      + text + R"("}]})");
  auto session = play.open("s");
  const auto stream = session.follow(0);
  say(session, "Hello");
  until_idle(session);
  const auto nobody_hurried = session.follow(0);
  await(*nobody_hurried, "run.finished");
  BOOST_TEST(!stream->next(std::chrono::milliseconds(0)).has_value());
  BOOST_TEST(stream->ended());
  say(session, "more");
  await(*nobody_hurried, "run.finished");
  BOOST_TEST(stream->ended());
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::testing
