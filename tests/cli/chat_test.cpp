// A chat, from a script and on a terminal: messages, commands that begin with a slash, Ctrl-C and Ctrl-D.
#include "tests/cli/program.hpp"
#include "tests/cli/terminal.hpp"

#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>

using namespace troupe;
using testing::says;
using testing::terminal;
using testing::user;

namespace {

std::string file(const user& u, const std::string& name) {
  std::ifstream in(u.folder() + "/" + name);
  return {std::istreambuf_iterator<char>(in), {}};
}

} // namespace

BOOST_AUTO_TEST_SUITE(chat_from_a_script)

BOOST_AUTO_TEST_CASE(each_line_is_a_message_and_waits_for_its_answer) {
  const user u;
  const auto chat =
      u.troupe({"chat", "--session", "demo"}, "Hello\n\nSecond\n/steer Third\n//quit is no command");
  BOOST_TEST(chat.status == 0, chat.err);
  const auto first = chat.out.find("You said: “Hello”");
  const auto second = chat.out.find("You said: “Second”");
  const auto third = chat.out.find("You said: “Third”");
  const auto fourth = chat.out.find("You said: “/quit is no command”");
  BOOST_TEST(first < second);
  BOOST_TEST(second < third);
  BOOST_TEST(third < fourth);
  BOOST_TEST(fourth != std::string::npos);
  const auto more = u.troupe({"chat", "--session", "demo"}, "Again\n");
  BOOST_TEST(more.status == 0, more.err);
  BOOST_TEST(says(u.troupe({"show", "demo"}).out, "Hello"));
}

BOOST_AUTO_TEST_CASE(commands_begin_with_a_slash) {
  const user u;
  const auto chat = u.troupe({"chat"},
      "/help\n/modle x\n/compact\n/abort\n/steer\n/quit now\n/model claude-x\nHello\n/model\n/quit\nnever "
      "read\n");
  BOOST_TEST(chat.status == 0, chat.err);
  BOOST_TEST(says(chat.err, "  /steer TEXT "));
  BOOST_TEST(says(chat.err, "unknown command `/modle`; did you mean `/model`?"));
  BOOST_TEST(says(chat.err, "There is nothing to leave out yet."));
  BOOST_TEST(says(chat.err, "Nothing runs."));
  BOOST_TEST(says(chat.err, "/steer wants a TEXT"));
  BOOST_TEST(says(chat.err, "/quit takes nothing behind it"));
  BOOST_TEST(says(chat.err, "Now with gym claude-x"));
  BOOST_TEST(says(chat.err, "gym claude-x\n"));
  BOOST_TEST(!says(chat.out, "never read"));
}

BOOST_AUTO_TEST_CASE(a_long_conversation_is_made_smaller_on_request) {
  const user u;
  std::string lines;
  for (int round = 1; round <= 6; ++round)
    lines += "Round " + std::to_string(round) + "\n";
  const auto chat = u.troupe({"chat", "--session", "demo"}, lines + "/compact\nRound 7\n");
  BOOST_TEST(chat.status == 0, chat.err);
  BOOST_TEST(says(chat.err, "A summary stands for the older messages now: about "));
  BOOST_TEST(says(chat.out, "You said: “Round 7”"));
}

BOOST_AUTO_TEST_CASE(questions_are_answered_by_the_lines_that_follow) {
  const user u;
  const auto chat = u.troupe({"chat", "--session", "s", "--tools", "workspace", "--approve", "ask"},
      "Write 'x' to a.txt\nmaybe\ny\nWrite 'y' to b.txt\nn\n");
  BOOST_TEST(chat.status == 0, chat.err);
  BOOST_TEST(says(chat.err, "May it run?  write_file"));
  BOOST_TEST(file(u, "a.txt") == "x");
  BOOST_TEST(!std::filesystem::exists(u.folder() + "/b.txt"));
  const auto open = u.troupe({"chat", "--session", "s"}, "Write 'z' to c.txt\n");
  BOOST_TEST(open.status == 1);
  BOOST_TEST(says(open.err, "troupe run --session s --approve allow"));
  const auto then = u.troupe({"chat", "--session", "s"}, "y\n"); // what waits is asked first
  BOOST_TEST(then.status == 0, then.err);
  BOOST_TEST(file(u, "c.txt") == "z");
}

BOOST_AUTO_TEST_CASE(what_fails_is_told_by_the_exit_status) {
  const user u;
  BOOST_TEST(u.troupe({"chat", "--session", "no spaces"}, "Hello\n").status == 2);
  const auto away = u.troupe_as_it_is({"--data-dir", u.folder() + "/data", "chat", "--provider", "away"},
      "Hello\n",
      {"TROUPE__PROVIDERS__AWAY__BASE_URL=http://127.0.0.1:1", "TROUPE__PROVIDERS__AWAY__RETRY_BASE_MS=1"});
  BOOST_TEST(away.status == 3, away.err);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(chat_on_a_terminal, *boost::unit_test::precondition([](auto) {
  return boost::test_tools::assertion_result(testing::there_are_terminals());
}))

BOOST_AUTO_TEST_CASE(lines_are_edited_and_remembered_for_their_owner_alone) {
  const user u;
  {
    terminal chat(u, {"chat", "--session", "demo"});
    BOOST_REQUIRE_MESSAGE(chat.shows("> "), chat.seen());
    chat.type("Hxllo\x1b[D\x1b[D\x1b[D\x7f"
              "e\r"); // three to the left, the x away, an e in its place
    BOOST_REQUIRE_MESSAGE(chat.shows("You said: “Hello”"), chat.seen());
    BOOST_REQUIRE(chat.shows("> "));
    chat.type("gr\xC3\xBC\xC3\x9F dich\r");
    BOOST_REQUIRE_MESSAGE(chat.shows("You said: “grüß dich”"), chat.seen());
    BOOST_REQUIRE(chat.shows("> "));
    chat.type("\x04");
    BOOST_TEST(chat.status() == 0, chat.seen());
  }
  const auto kept = std::filesystem::status(u.folder() + "/data/chat_history").permissions();
  BOOST_TEST((kept == (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write)));
  terminal again(u, {"chat", "--session", "other"});
  BOOST_REQUIRE(again.shows("> "));
  again.type("\x1b[A\x1b[A\r"); // two lines back
  BOOST_REQUIRE_MESSAGE(again.shows("You said: “Hello”"), again.seen());
  BOOST_REQUIRE(again.shows("> "));
  again.type("\x04");
  BOOST_TEST(again.status() == 0, again.seen());
}

BOOST_AUTO_TEST_CASE(ctrl_c_aborts_what_runs_and_twice_at_the_prompt_leaves) {
  const user u;
  terminal chat(u, {"chat", "--session", "demo", "--tools", "workspace"});
  BOOST_REQUIRE(chat.shows("> "));
  chat.type("Run `sleep 1000`\r");
  BOOST_REQUIRE_MESSAGE(chat.shows("-> shell"), chat.seen());
  chat.type("\x03");
  BOOST_REQUIRE_MESSAGE(chat.shows("The run ended early: it was aborted."), chat.seen());
  BOOST_REQUIRE(chat.shows("> "));
  chat.type("Hello\r"); // the session goes on
  BOOST_REQUIRE_MESSAGE(chat.shows("You said: “Hello”"), chat.seen());
  BOOST_REQUIRE(chat.shows("> "));
  chat.type("half a line\x03");
  BOOST_REQUIRE_MESSAGE(chat.shows("Once more to leave."), chat.seen());
  BOOST_REQUIRE(chat.shows("> "));
  chat.type("\x03");
  BOOST_TEST(chat.status() == 0, chat.seen());
}

BOOST_AUTO_TEST_CASE(lines_that_are_typed_during_a_run_queue_behind_it_or_abort_it) {
  const user u;
  terminal chat(u, {"chat", "--session", "demo", "--tools", "workspace"});
  BOOST_REQUIRE(chat.shows("> "));
  chat.type("Run `sleep 1000`\r");
  BOOST_REQUIRE_MESSAGE(chat.shows("-> shell"), chat.seen());
  chat.type("/hlep\r");
  BOOST_REQUIRE_MESSAGE(chat.shows("did you mean `/help`?"), chat.seen());
  chat.type("Later\r");
  BOOST_REQUIRE_MESSAGE(chat.shows("Queued: it is taken when this is done."), chat.seen());
  chat.type("/abort\r");
  BOOST_REQUIRE_MESSAGE(chat.shows("it was aborted"), chat.seen());
  BOOST_REQUIRE(chat.shows("> "));
  chat.type("/quit\r");
  BOOST_TEST(chat.status() == 0, chat.seen());
  BOOST_TEST(says(u.troupe({"run", "--session", "demo"}).out, "You said: “Later”"));
}

BOOST_AUTO_TEST_CASE(a_question_is_answered_at_its_prompt) {
  const user u;
  terminal chat(u, {"chat", "--session", "s", "--tools", "workspace", "--approve", "ask"});
  BOOST_REQUIRE(chat.shows("> "));
  chat.type("Write 'x' to a.txt\r");
  BOOST_REQUIRE_MESSAGE(chat.shows("[y]es or [n]o: "), chat.seen());
  chat.type("y\r");
  BOOST_REQUIRE_MESSAGE(chat.shows("<- write_file"), chat.seen());
  BOOST_REQUIRE(chat.shows("> "));
  chat.type("Write 'y' to b.txt\r");
  BOOST_REQUIRE(chat.shows("[y]es or [n]o: "));
  chat.type("\x03"); // no answer: the run is aborted
  BOOST_REQUIRE_MESSAGE(chat.shows("it was aborted"), chat.seen());
  BOOST_REQUIRE(chat.shows("> "));
  chat.type("/quit\r");
  BOOST_TEST(chat.status() == 0, chat.seen());
  BOOST_TEST(file(u, "a.txt") == "x");
  BOOST_TEST(!std::filesystem::exists(u.folder() + "/b.txt"));
}

BOOST_AUTO_TEST_SUITE_END()
