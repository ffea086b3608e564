// Killed with SIGKILL, the whole process group, at every kind of moment: nothing that was acknowledged
// is lost, nothing is done twice, and the session comes to its end.
#include "tests/crash/scene.hpp"

namespace troupe::testing {

BOOST_AUTO_TEST_SUITE(crashes)

namespace {

const std::string blocking =
    "echo ran >>effects; echo $$ >>pids; echo now >told; read -r word <gate; echo done >>effects";

std::string then_done(const std::string& first) {
  return R"({"when":{"has_tool_result":true},"reply":[{"text":"Done."}]})"
         "\n{\"reply\":[{\"text\":\"So. \"},"
      + first + "]}";
}

} // namespace

BOOST_AUTO_TEST_CASE(messages_that_were_accepted_are_answered_by_the_next_process) {
  scene place(R"({"times":1,"reply":[{"text":"One "},{"hold":"gate"},{"text":"two."}]}
{"reply":[{"text":"Fine."}]})");
  auto first = place.start({"post:m1:Hello", "line", "post:m2:And", "steer:m3:Or", "idle"});
  std::vector<std::string> accepted{first.expect("accepted m1")};
  BOOST_TEST(place.gym->wait_until_held("gate", patience));
  first.say("go on");
  accepted.push_back(first.expect("accepted m2"));
  accepted.push_back(first.expect("accepted m3"));
  first.kill();
  BOOST_TEST(place.count("messages.consumed") == 1U);
  place.finish({"idle"});
  place.check_whole(accepted);
  BOOST_TEST(place.count("messages.consumed") == 3U);
}

BOOST_AUTO_TEST_CASE(an_answer_that_was_half_through_is_voided_and_asked_again) {
  scene place(R"({"times":1,"reply":[{"thinking":"Hm."},{"text":"One "},{"hold":"gate"},{"text":"two."}]}
{"reply":[{"text":"Fine."}]})");
  auto first = place.start({"post:m1:Hello", "idle"});
  const auto accepted = first.expect("accepted m1");
  while (!first.expect("event").ends_with("assistant.block")) {
  }
  BOOST_TEST(place.gym->wait_until_held("gate", patience));
  first.kill();
  place.finish({"idle"});
  place.check_whole({accepted});
  const auto log = place.log();
  BOOST_TEST(all_of<output_voided>(log).at(0).reason == "crash");
  BOOST_TEST(all_of<inference_finished>(log).size() == 1U);
  BOOST_TEST(all_of<run_finished>(log).size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_batch_that_waits_for_a_permission_waits_on) {
  scene place(then_done(shell_calls({"echo ran >>effects"})));
  auto first = place.start({"ask", "post:m1:Do it", "wait", "line"});
  const auto accepted = first.expect("accepted m1");
  first.expect("waiting");
  first.kill();
  BOOST_TEST(place.status() == "waiting");
  {
    auto second = place.start({"allow", "line"});
    second.expect("decided"); // and it dies again with the answer taken
    second.kill();
  }
  auto third = place.start({"abandon", "idle"});
  third.expect("idle");
  BOOST_TEST(third.end() == 0);
  place.check_whole({accepted});
  BOOST_TEST(place.count("permission.requested") == 1U);
  BOOST_TEST(place.count("permission.decided") == 1U);
  BOOST_TEST(place.lines("effects", "ran") <= 1U);
}

BOOST_AUTO_TEST_CASE(a_tool_that_ran_is_uncertain_and_runs_again_on_a_persons_word) {
  scene place(then_done(shell_calls({blocking})));
  auto first = place.start({"post:m1:Do it", "idle"});
  const auto accepted = first.expect("accepted m1");
  place.wait_until_told();
  first.kill();
  auto second = place.start({"wait", "line"});
  second.expect("waiting");
  BOOST_TEST(place.lines("effects", "ran") == 1U);
  second.kill();
  place.open_gate();
  place.finish({"rerun", "idle"});
  place.check_whole({accepted});
  BOOST_TEST(place.lines("effects", "ran") == 2U);
  BOOST_TEST(place.lines("effects", "done") == 1U);
  BOOST_TEST(place.count("tool.uncertain") == 1U);
  BOOST_TEST(place.count("tool.receipt") == 1U);
}

BOOST_AUTO_TEST_CASE(a_tool_that_ran_is_abandoned_on_a_persons_word) {
  scene place(then_done(shell_calls({blocking})));
  auto first = place.start({"post:m1:Do it", "idle"});
  const auto accepted = first.expect("accepted m1");
  place.wait_until_told();
  first.kill();
  place.finish({"abandon", "idle"});
  place.check_whole({accepted});
  BOOST_TEST(place.lines("effects", "ran") == 1U);
  BOOST_TEST(place.lines("effects", "done") == 0U);
  BOOST_TEST(place.count("tool.started") == 1U);
}

BOOST_AUTO_TEST_CASE(a_call_that_has_its_receipt_is_not_repeated_with_the_one_beside_it) {
  scene place(then_done(shell_calls({blocking, "echo quick >>effects"})));
  auto first = place.start({"post:m1:Do it", "idle"});
  const auto accepted = first.expect("accepted m1");
  while (!first.expect("event").ends_with("tool.receipt")) {
  }
  place.wait_until_told();
  first.kill();
  place.wait_for_the_command(); // it must not take what opens the gate for the next one
  place.open_gate();
  place.finish({"rerun", "idle"});
  place.check_whole({accepted});
  BOOST_TEST(place.lines("effects", "quick") == 1U);
  BOOST_TEST(place.lines("effects", "ran") == 2U);
  BOOST_TEST(place.count("tool.receipt") == 2U);
}

BOOST_AUTO_TEST_CASE(an_abort_that_was_asked_for_is_carried_out_by_the_next_process) {
  scene place(R"({"when":{"last_user_contains":"And"},"reply":[{"text":"Fine."}]})"
              "\n"
      + then_done(
          shell_calls({"trap '' TERM INT HUP; echo now >told; while :; do read -r word <gate; done"})));
  auto first = place.start({"post:m1:Do it", "line", "post:m2:And", "abort", "idle"});
  std::vector<std::string> accepted{first.expect("accepted m1")};
  place.wait_until_told();
  first.say("go on");
  accepted.push_back(first.expect("accepted m2"));
  first.expect("aborted");
  first.kill();
  BOOST_TEST(place.types().ends_with("abort.requested"));
  place.finish({"idle"});
  place.check_whole(accepted);
  const auto log = place.log();
  BOOST_TEST((all_of<run_finished>(log).at(0).outcome.kind == run_outcome_kind::aborted));
  BOOST_TEST(all_of<run_started>(log).size() == 1U); // what was queued before is held
  BOOST_TEST(all_of<tool_uncertain>(log).empty());
  place.finish({"start", "idle"});
  place.check_whole(accepted);
  BOOST_TEST(place.count("messages.consumed") == 2U);
}

BOOST_AUTO_TEST_CASE(a_session_whose_owners_die_before_anything_comes_of_it_is_parked_until_start) {
  scene place(R"({"reply":[{"text":"Fine."}]})");
  place.finish({"post:m1:Hello", "idle"});
  for (int death = 0; death < 6; ++death) {
    auto victim = place.start({"line"});
    victim.expect("open");
    victim.kill();
  }
  place.finish({"wait"});
  BOOST_TEST(place.status() == "failed");
  BOOST_TEST(place.count("session.parked") == 1U);
  auto last = place.start({"start", "post:m2:And now?", "idle"});
  const auto accepted = last.expect("accepted m2");
  BOOST_TEST(last.end() == 0);
  place.check_whole({accepted});
}

BOOST_AUTO_TEST_CASE(killed_after_each_of_its_events_a_run_comes_to_the_same_end) {
  constexpr int events_of_the_run = 20;
  for (int n = 1; n <= events_of_the_run; n += 2) {
    BOOST_TEST_CONTEXT("killed after event " << n) {
      scene place(then_done(shell_calls({"echo one >>effects", "echo two >>effects"})));
      auto first = place.start({"post:m1:Do it", "idle", "line"});
      first.expect("event " + std::to_string(n) + " ");
      first.kill();
      // posted again under the same id: it is the same message if it was accepted
      place.finish({"post:m1:Do it", "abandon", "abandon", "idle"});
      place.check_whole({});
      const auto log = place.log();
      BOOST_TEST(all_of<message_queued>(log).size() == 1U);
      BOOST_TEST(all_of<run_finished>(log).size() == 1U);
      BOOST_TEST((all_of<run_finished>(log).at(0).outcome.kind == run_outcome_kind::completed));
      BOOST_TEST(place.lines("effects", "one") <= 1U);
      BOOST_TEST(place.lines("effects", "two") <= 1U);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::testing
