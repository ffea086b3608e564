// Compactions with a real model server: a summary is asked for, checked, and stands in the context.
#include "session/summary.hpp"
#include "tests/actors/stage.hpp"

#include <future>

namespace troupe::testing {

BOOST_AUTO_TEST_SUITE(compactions)

namespace {

// Summaries are asked for with a transcript, which no other request begins with.
const std::string sums_up =
    R"({"when":{"last_user_contains":"[user] "},"reply":[{"text":"## Current work\nMuch.\n\n## Next steps\nMore."}]}
)";
const std::string answers = R"({"reply":[{"text":"Yes."}]})";

std::function<void(options&)> by(compaction_strategy strategy, std::optional<std::int64_t> threshold = {}) {
  return [=](options& o) { o.compaction = compaction_options{strategy, threshold, 1}; };
}

void two_rounds(actors::session_handle& session) {
  for (const char* const text : {"First", "Second"}) {
    say(session, text);
    until_idle(session);
  }
}

std::string first_text(const session::state& now) {
  return plain_text(content(now.context.messages().front().parts));
}

} // namespace

BOOST_AUTO_TEST_CASE(a_summary_takes_the_place_of_the_older_rounds) {
  stage play(sums_up + answers);
  auto session = play.open("s", by(compaction_strategy::summarize));
  two_rounds(session);
  const auto report = must(session.compact());
  BOOST_TEST(report.seq > 0);
  BOOST_TEST(report.tokens_before.has_value());
  const auto now = *must(session.look());
  BOOST_TEST(first_text(now) == "## Current work\nMuch.\n\n## Next steps\nMore.");
  BOOST_TEST(now.context.size() == 3U);
  BOOST_TEST(must(session.compact()).seq == 0); // nothing more to leave out
  say(session, "Third");
  until_idle(session);
  BOOST_TEST(play.wrong_with("s") == "");
}

// B-059, H-152
BOOST_AUTO_TEST_CASE(B_059_a_summary_is_asked_for_with_the_context_alone) {
  stage play(sums_up + answers);
  auto session = play.open("s", [](options& o) {
    o.compaction = compaction_options{compaction_strategy::summarize, std::nullopt, 1};
    o.instructions = large_text("Be brief.");
    o.effort = "high";
  });
  two_rounds(session);
  must(session.compact());
  const std::string text = play.gym->requests();
  const auto requests = json::parse(text).value();
  const auto& asked = *requests.items().back().find("body");
  BOOST_TEST(asked.find("tools") == nullptr);
  BOOST_TEST(asked.find("thinking") == nullptr);
  BOOST_TEST(asked.find("output_config") == nullptr);
  BOOST_TEST(asked.find("system")->source().find("Be brief.") == std::string_view::npos);
  BOOST_TEST(asked.find("messages")->items().size() == 1U);
}

BOOST_AUTO_TEST_CASE(those_who_ask_meanwhile_share_one) {
  stage play(R"({"when":{"last_user_contains":"[user] "},"reply":[{"hold":"sum"},)"
             R"({"text":"## Current work\nA.\n\n## Next steps\nB."}]}
)" + answers);
  auto session = play.open("s", by(compaction_strategy::summarize));
  two_rounds(session);
  std::vector<std::future<std::int64_t>> told;
  for (int i = 0; i < 3; ++i) {
    const auto promise = std::make_shared<std::promise<std::int64_t>>();
    told.push_back(promise->get_future());
    session.compact(
        [promise](const result<actors::compaction_report>& got) { promise->set_value(got ? got->seq : -1); });
  }
  say(session, "Third"); // waits behind it
  play.gym->release("sum");
  std::set<std::int64_t> seqs;
  for (auto& one : told)
    seqs.insert(one.get());
  BOOST_TEST(seqs.size() == 1U);
  BOOST_TEST(*seqs.begin() > 0);
  until_idle(session);
  BOOST_TEST(play.count("s", "compaction.started") == 1U);
  BOOST_TEST(play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_CASE(a_summary_that_is_none_changes_nothing_and_says_why) {
  stage play(R"({"when":{"last_user_contains":"[user] "},"times":1,"reply":[{"text":"It was nice."}]}
{"when":{"last_user_contains":"[user] "},"times":1,"reply":[{"call":{"name":"big","arguments":{"bytes":1}}}]}
{"when":{"last_user_contains":"[user] "},"times":1,"reply":[{"http_error":{"status":400,"message":"no"}}]}
)" + answers);
  auto session = play.open("s", by(compaction_strategy::summarize));
  two_rounds(session);
  const auto before = must(session.look())->context.digest();
  for (int i = 0; i < 3; ++i) {
    const auto refused = session.compact();
    BOOST_TEST(code_of(refused) == "conflict");
    BOOST_TEST(refused.error().detail.find("nothing was changed") != std::string::npos);
  }
  BOOST_TEST(must(session.look())->context.digest() == before);
  BOOST_TEST(play.count("s", "compaction.failed") == 3U);
  BOOST_TEST(play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_CASE(a_request_that_is_too_long_is_made_again_without_the_older_half) {
  stage play(
      R"({"when":{"last_user_contains":"[user] First"},"reply":[{"http_error":{"status":400,)"
      R"("type":"invalid_request_error","message":"prompt is too long: 250000 tokens > 200000 maximum"}}]}
{"when":{"last_user_contains":"[assistant] Yes."},"reply":[{"text":"## Current work\nMuch.\n\n## Next steps\nMore."}]}
)" + answers);
  auto session = play.open("s", by(compaction_strategy::summarize));
  two_rounds(session);
  BOOST_TEST(must(session.compact()).seq > 0);
  BOOST_TEST(play.count("s", "compaction.finished") == 1U);
}

BOOST_AUTO_TEST_CASE(an_abort_ends_it_at_once) {
  stage play(R"({"when":{"last_user_contains":"[user] "},"reply":[{"hold":"never"}]}
)" + answers);
  auto session = play.open("s", by(compaction_strategy::summarize));
  two_rounds(session);
  std::promise<std::string> told;
  session.compact([&](const result<actors::compaction_report>& got) { told.set_value(code_of(got)); });
  must(session.abort("user"));
  BOOST_TEST(told.get_future().get() == "conflict");
  BOOST_TEST(all_of<compaction_failed>(play.log("s")).front().error.code == "cancelled");
  say(session, "Third");
  until_idle(session);
  BOOST_TEST(play.wrong_with("s") == "");
}

// H-162: what was asked for during the run, and has not begun
BOOST_AUTO_TEST_CASE(an_abort_of_the_run_ends_the_wish_for_one) {
  stage play(R"({"when":{"last_user_contains":"Third"},"reply":[{"hold":"never"}]}
)" + sums_up
      + answers);
  auto session = play.open("s", by(compaction_strategy::summarize));
  two_rounds(session);
  auto stream = session.follow(0);
  say(session, "Third");
  for (int started = 0; started < 3; ++started)
    await(*stream, "inference.started");
  std::promise<std::string> told;
  session.compact([&](const result<actors::compaction_report>& got) { told.set_value(code_of(got)); });
  must(session.abort("user"));
  BOOST_TEST(told.get_future().get() == "conflict");
  until_idle(session);
  BOOST_TEST(play.count("s", "compaction.started") == 0U);
}

BOOST_AUTO_TEST_CASE(an_overflow_is_met_by_one_compaction) {
  stage play(sums_up
      + R"({"when":{"last_user_contains":"Third"},"times":1,"reply":[{"http_error":{"status":400,)"
        R"("type":"invalid_request_error","message":"prompt is too long: 9 tokens > 8 maximum"}}]}
)" + answers);
  auto session = play.open("s", by(compaction_strategy::summarize));
  two_rounds(session);
  say(session, "Third");
  const auto now = until_idle(session);
  BOOST_TEST(!now.last_error.has_value());
  BOOST_TEST(play.count("s", "compaction.finished") == 1U);
  BOOST_TEST(play.count("s", "notice.added") == 0U);
  BOOST_TEST(play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_CASE(the_provider_s_own_way_gives_a_text_or_fails) {
  stage play(R"({"when":{"last_user_contains":"First"},"times":1,"reply":[{"text":"Yes."}]}
{"when":{"last_user_contains":"Second"},"times":1,"reply":[{"text":"Yes."}]}
{"when":{"last_user_contains":"First"},"times":1,"reply":[{"text":""}]}
{"when":{"last_user_contains":"First"},"times":1,"reply":[{"text":"They said hello."}]}
)" + answers);
  auto session = play.open("s", by(compaction_strategy::provider));
  two_rounds(session);
  BOOST_TEST(code_of(session.compact()) == "conflict"); // null is no summary
  const auto before = must(session.look())->context.size();
  BOOST_TEST(before == 4U);
  must(session.compact());
  BOOST_TEST(first_text(*must(session.look())) == "They said hello.");
  BOOST_TEST(all_of<compaction_started>(play.log("s")).front().strategy == "provider");
  say(session, "Third");
  until_idle(session);
  BOOST_TEST(play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_CASE(a_node_that_takes_the_session_gives_up_what_the_last_one_began) {
  stage play(R"({"when":{"last_user_contains":"[user] "},"reply":[{"hold":"never"}]}
)" + answers);
  {
    auto session = play.open("s", by(compaction_strategy::summarize));
    two_rounds(session);
    auto stream = session.follow(0);
    session.compact([](const auto&) {});
    while (const auto item = stream->next(patience))
      if (const auto* const stored = std::get_if<recorded_event>(&*item);
          stored && stored->type == "compaction.started")
        break;
  }
  play.close_first();
  const auto second = play.start();
  auto session = must(second->open(stage::options_of("s"), actors::opening::find));
  until_idle(session);
  BOOST_TEST(all_of<compaction_failed>(play.log("s")).front().error.code == "interrupted");
  BOOST_TEST(play.count("s", "compaction.started") == 1U);
  say(session, "Third");
  until_idle(session);
  BOOST_TEST(play.wrong_with("s") == "");
}

// The standing things aren't messages: what waits, what is asked, the instructions stay (B-060).
BOOST_AUTO_TEST_CASE(B_060_instructions_and_what_is_queued_outlive_it) {
  stage play(sums_up + answers);
  auto session = play.open("s", [](options& o) {
    o.compaction = compaction_options{compaction_strategy::summarize, std::nullopt, 1};
    o.instructions = large_text("Never delete anything.");
  });
  two_rounds(session);
  must(session.compact());
  say(session, "Third");
  until_idle(session);
  const auto started = all_of<inference_started>(play.log("s"));
  BOOST_TEST((started.back().instructions == started.front().instructions));
  BOOST_TEST((started.back().tools == started.front().tools));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::testing
