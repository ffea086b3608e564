// Logs out and in: the same bytes again, and nothing that isn't right gets in.
#include "actors/history/export_log.hpp"
#include "actors/history/import_log.hpp"
#include "actors/history/verification.hpp"
#include "messages/event_codec.hpp"
#include "tests/actors/stage.hpp"
#include "tests/persistence/worlds.hpp"

#include <sstream>

namespace troupe::testing {

BOOST_AUTO_TEST_SUITE(transfer)

namespace {

std::string exported_from(persistence::journal& log, const std::string& id) {
  std::string out;
  must(actors::export_log(log, must(log.find(1, id)), [&](const std::string& lines) {
    out += lines;
    return true;
  }));
  return out;
}

/// A session with calls, a text over 8 KiB, which is stored by content, and a second question.
std::string exported_session() {
  stage play(R"({"when":{"last_user_contains":"Again"},"reply":[{"text":"And again."}]}
{"when":{"has_tool_result":true},"reply":[{"text":"Done."}]}
{"reply":[)"
      + hold_call("a") + "," + hold_call("b") + "]}");
  play.gates.open("a");
  play.gates.open("b");
  auto session = play.open("s", [](options& o) { o.instructions = large_text(std::string(10'000, 'i')); });
  say(session, "Do it with " + std::string(9'000, 'x') + " \"\\ Grüße");
  until_idle(session);
  say(session, "Again", "m2");
  until_idle(session);
  const auto journal = persistence::make_memory_journal(play.store);
  return exported_from(*journal, "s");
}

struct target {
  persistence::memory_world world;
  std::unique_ptr<persistence::journal> log = world.open();
  persistence::node_identity node = persistence::this_process("importer");

  result<actors::imported> import(const std::string& text) {
    std::istringstream from(text);
    return actors::import_log(*log, 1, node, from);
  }
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    out.push_back(line);
  return out;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string out;
  for (const auto& line : lines)
    out += line + "\n";
  return out;
}

std::size_t place_of(const std::vector<std::string>& lines, const std::string& what) {
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (lines[i].find(what) != std::string::npos)
      return i;
  BOOST_FAIL("no line has " + what);
  return 0;
}

} // namespace

BOOST_AUTO_TEST_CASE(out_and_in_and_out_again_gives_the_same_bytes) {
  const auto text = exported_session();
  target memory;
  const auto came = must(memory.import(text));
  BOOST_TEST(came.session == "s");
  BOOST_TEST(exported_from(*memory.log, "s") == text);
  persistence::postgres_world database;
  const auto log = database.open();
  std::istringstream from(text);
  const auto stored = must(actors::import_log(*log, 1, memory.node, from));
  BOOST_TEST(stored.events == came.events);
  BOOST_TEST(stored.blobs >= 2);
  BOOST_TEST(exported_from(*log, "s") == text);
  const auto row = must(log->find(1, "s"));
  BOOST_TEST(row.view.status == "idle");
  BOOST_TEST(!row.node);
}

BOOST_AUTO_TEST_CASE(an_imported_session_goes_on_and_knows_its_messages) {
  const auto text = exported_session();
  stage play(R"({"reply":[{"text":"Here."}]})");
  const auto log = persistence::make_memory_journal(play.store);
  std::istringstream from(text);
  must(actors::import_log(*log, 1, persistence::this_process("importer"), from));
  auto session = play.open("s");
  BOOST_TEST(say(session, "Again", "m2").duplicate);
  BOOST_TEST(!say(session, "Something new", "m3").duplicate);
  until_idle(session);
  BOOST_TEST(play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_CASE(an_id_that_exists_is_refused_and_stays_as_it_was) {
  const auto text = exported_session();
  target here;
  must(here.import(text));
  const auto again = here.import(text);
  BOOST_REQUIRE(!again);
  BOOST_TEST((again.error().code == problem_code::conflict));
  BOOST_TEST(exported_from(*here.log, "s") == text);
}

BOOST_AUTO_TEST_CASE(a_file_that_is_cut_anywhere_is_refused_and_leaves_nothing) {
  const auto text = exported_session();
  for (std::size_t length = 0; length < text.size(); length += 1 + text.size() / 150) {
    target here;
    const auto came = here.import(text.substr(0, length));
    BOOST_TEST(!came, "cut at " << length);
    BOOST_TEST(!here.log->find(1, "s"));
  }
}

BOOST_AUTO_TEST_CASE(each_thing_that_is_wrong_is_told_with_its_line) {
  const auto good = lines_of(exported_session());
  struct fault {
    std::function<void(std::vector<std::string>&)> make;
    const char* said;
  };
  const auto change = [](const std::string& where, const std::string& from, const std::string& to) {
    return [=](std::vector<std::string>& lines) {
      auto& line = lines[place_of(lines, where)];
      const auto at = line.find(from);
      BOOST_REQUIRE(at != std::string::npos);
      line.replace(at, from.size(), to);
    };
  };
  const std::vector<fault> faults{
      {[](auto& l) { l.erase(l.begin()); }, "line 1: "},
      {[](auto& l) { l[0] = R"({"troupe_log":2,"session":"s"})"; }, "line 1: its form is 2"},
      {[](auto& l) { l[0] = R"({"troupe_log":1,"session":"other"})"; }, "the head says `other`"},
      {[](auto& l) { l[0] = R"({"troupe_log":1,"session":"no spaces"})"; }, "is no session id"},
      {[](auto& l) { l.insert(l.begin() + 2, "what is this"); }, "line 3: it is no JSON"},
      {[](auto& l) { l.insert(l.begin() + 2, R"({"what":1})"); }, "line 3: it is none of"},
      {[](auto& l) { l.erase(l.begin() + std::ptrdiff_t(place_of(l, "turn.started"))); }, "event 4"},
      {[](auto& l) { l.push_back(l[1]); }, "behind the `end` line"},
      {[](auto& l) { l.erase(l.begin() + std::ptrdiff_t(place_of(l, "{\"blob\":"))); },
          "which doesn't stand before it"},
      {change("{\"blob\":", "\"content\":\"", "\"content\":\"y"), "isn't the one that"},
      {change("And again.", "And again.", "And never."), "the chain doesn't hold"},
      {change("run.finished", "completed", "max_turns"), "found run.finished"},
      {change("\"message_id\":\"m2\"", "Again", "Never"), "found inference.started"},
      {change("{\"end\":", "\"chain\":\"", "\"chain\":\"0"), "the chain doesn't hold"},
      {change("{\"end\":", "{\"end\":", "{\"end\":1"), "the last event is"},
      {change("{\"append\":1,", "\"command\":1", "\"command\":99999"), "a number from 1"},
      {change("{\"append\":1,", "{\"append\":1", "{\"append\":[" + std::string(5000, '0') + "]"),
          "is no content"},
      {change("run.started", "\"run_id\":\"", "\"run_id\":\"x"), "UUID"},
  };
  for (const auto& [make, said] : faults) {
    auto lines = good;
    make(lines);
    target here;
    const auto came = here.import(joined(lines));
    BOOST_REQUIRE_MESSAGE(!came, said);
    BOOST_TEST((came.error().code == problem_code::invalid_input), said);
    BOOST_TEST(came.error().detail.rfind("line ", 0) == 0U, came.error().detail.substr(0, 300));
    BOOST_TEST(came.error().detail.find(said) != std::string::npos, came.error().detail.substr(0, 600));
    BOOST_TEST(!here.log->find(1, "s"), said);
  }
}

BOOST_AUTO_TEST_CASE(what_cannot_be_read_twice_is_refused) {
  struct pipe : std::streambuf {
  } nothing_to_seek;
  std::istream from(&nothing_to_seek);
  target here;
  const auto came = actors::import_log(*here.log, 1, here.node, from);
  BOOST_REQUIRE(!came);
  BOOST_TEST(came.error().detail.find("not a pipe") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(content_that_was_altered_is_found_by_export_and_verification) {
  const auto text = exported_session();
  persistence::postgres_world database;
  const auto log = database.open();
  std::istringstream from(text);
  must(actors::import_log(*log, 1, persistence::this_process("importer"), from));
  database.sql("update troupe.blobs set content = 'altered' where octet_length(content) > 9000");
  const auto row = must(log->find(1, "s"));
  const auto out = actors::export_log(*log, row, [](const std::string&) { return true; });
  BOOST_REQUIRE(!out);
  BOOST_TEST((out.error().code == problem_code::corrupt));
  const auto found = must(actors::verify_log(*log, row)).first_difference;
  BOOST_REQUIRE(found);
  BOOST_TEST(found->expected.rfind("the content sha256:", 0) == 0U);
  database.sql("delete from troupe.blob_uses");
  database.sql("delete from troupe.blobs");
  BOOST_TEST(
      must(actors::verify_log(*log, row)).first_difference->found == "nothing that the session may read");
}

BOOST_AUTO_TEST_CASE(a_log_that_was_altered_is_not_exported_as_if_it_were_good) {
  const auto text = exported_session();
  persistence::postgres_world database;
  const auto log = database.open();
  std::istringstream from(text);
  must(actors::import_log(*log, 1, persistence::this_process("importer"), from));
  database.sql("update troupe.events set payload = replace(payload, 'And again.', 'And never.')");
  const auto out = actors::export_log(*log, must(log->find(1, "s")), [](const std::string&) { return true; });
  BOOST_REQUIRE(!out);
  BOOST_TEST((out.error().code == problem_code::corrupt));
}

BOOST_AUTO_TEST_CASE(more_content_than_one_append_may_bring_is_refused_at_once) {
  std::string text = R"({"troupe_log":1,"session":"s"})"
                     "\n";
  for (char c = 'a'; c <= 'i'; ++c) { // nine times 8 MiB
    const std::string content(std::size_t{8} << 20, c);
    text += R"({"blob":")" + content_name(std::string_view(content)) + R"(","content":")" + content + "\"}\n";
  }
  target into;
  const auto no = into.import(text);
  BOOST_TEST(code_of(no) == "invalid_input");
  BOOST_TEST(no.error().detail.starts_with("line 10: "), no.error().detail);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::testing
