// The worked logs: read, folded, projected to their contexts, their digests recomputed byte for byte.
#include "messages/event_codec.hpp"
#include "session/project.hpp"
#include "tests/support/log_rules.hpp"
#include "tests/support/logs.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;

BOOST_AUTO_TEST_SUITE(worked_logs)

BOOST_AUTO_TEST_CASE(all_sixteen_are_there) { BOOST_TEST(testing::worked_logs().size() == 16U); }

// B-087: they were written by the versions of their time, and are read and folded by this one as they were.
BOOST_AUTO_TEST_CASE(their_contexts_are_projected_byte_for_byte) {
  for (const auto& log : testing::worked_logs()) {
    const auto expected = json::compact(log.context).value().text.text;
    BOOST_TEST(session::to_json(session::project(log.events)) == expected, log.name);
  }
}

BOOST_AUTO_TEST_CASE(every_digest_is_that_of_the_context_at_its_place) {
  int checked = 0;
  for (const auto& log : testing::worked_logs()) {
    session::state state;
    for (const auto& event : log.events) {
      if (const auto* const started = std::get_if<inference_started>(&event.data)) {
        BOOST_TEST(state.context.digest() == started->digest, log.name << " event " << event.seq);
        BOOST_TEST(content_name(session::to_json(state.context.messages())) == started->digest);
        BOOST_TEST(started->context_seq == event.seq - 1);
        ++checked;
      }
      session::evolve(state, event);
    }
  }
  BOOST_TEST(checked > 20);
}

BOOST_AUTO_TEST_CASE(they_keep_the_rules_of_a_log) {
  for (const auto& log : testing::worked_logs()) {
    const auto breach = testing::log_breach(log.events, {});
    BOOST_TEST(!breach, log.name << ": " << breach.value_or(""));
  }
}

BOOST_AUTO_TEST_CASE(every_payload_is_written_again_as_it_was_but_for_key_order_of_options) {
  for (const auto& log : testing::worked_logs())
    for (std::size_t i = 0; i < log.events.size(); ++i) {
      if (log.recorded[i].type == "session.created" || log.recorded[i].type == "session.forked")
        continue;
      BOOST_TEST(encode(log.events[i].data) == log.recorded[i].payload, log.name << " event " << i + 1);
    }
}

BOOST_AUTO_TEST_CASE(they_end_idle_with_their_queues_empty) {
  for (const auto& log : testing::worked_logs()) {
    const auto state = session::fold(log.events);
    BOOST_TEST(session::status(state) == "idle", log.name);
    BOOST_TEST(state.has_queued() == (log.name == "09-abort-in-a-batch"), log.name);
  }
}

BOOST_AUTO_TEST_SUITE_END()
