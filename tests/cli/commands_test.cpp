// The command as its users meet it: what it prints where, its exit status, and what it says of mistakes.
#include "messages/json.hpp"
#include "providers/gym/server.hpp"
#include "tests/cli/program.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

using namespace troupe;
using testing::says;
using testing::user;

BOOST_AUTO_TEST_SUITE(commands)

BOOST_AUTO_TEST_CASE(a_run_streams_its_answer_and_is_continued) {
  const user u;
  u.write("notes.txt", "Ship on Friday.\n");
  const auto first = u.troupe({"run", "--session", "demo", "--tools", "workspace", "Read notes.txt"});
  BOOST_TEST(first.status == 0, first.err);
  BOOST_TEST(says(first.out, "Ship on Friday."));
  BOOST_TEST(!says(first.out, "->"));
  BOOST_TEST(says(first.err, "-> read_file {\"path\":\"notes.txt\"}"));
  BOOST_TEST(says(first.err, "built-in gym"));
  const auto second = u.troupe({"run", "--session", "demo", "-"}, "Hello again\n");
  BOOST_TEST(second.status == 0, second.err);
  const auto transcript = u.troupe({"show", "demo"});
  BOOST_TEST(transcript.status == 0);
  BOOST_TEST(says(transcript.out, "Read notes.txt"));
  BOOST_TEST(says(transcript.out, "Hello again"));
  const auto then = u.troupe({"show", "demo", "--at", "1", "--json"});
  BOOST_TEST(then.out == "{\"seq\":1,\"messages\":[]}\n");
  const auto list = u.troupe({"sessions", "--json"});
  const auto row = json::parse(std::string_view(list.out).substr(0, list.out.find('\n')));
  BOOST_REQUIRE(row);
  BOOST_TEST(row->find("id")->as_string() == "demo");
  BOOST_TEST(row->find("status")->as_string() == "idle");
  BOOST_TEST(row->find("resume")->as_string() == "nothing: it is idle");
}

BOOST_AUTO_TEST_CASE(events_as_json_are_a_line_each) {
  const user u;
  const auto run = u.troupe({"--json", "run", "Hello"});
  BOOST_TEST(run.status == 0, run.err);
  std::size_t at = 0;
  std::int64_t seq = 0;
  while (at < run.out.size()) {
    const auto end = run.out.find('\n', at);
    const auto event = json::parse(std::string_view(run.out).substr(at, end - at));
    BOOST_REQUIRE(event);
    BOOST_TEST(event->find("seq")->as_int64().value() > seq);
    seq = event->find("seq")->as_int64().value();
    at = end + 1;
  }
  BOOST_TEST(seq >= 9);
}

BOOST_AUTO_TEST_CASE(what_asks_waits_and_is_answered_by_the_next_run) {
  const user u;
  const auto asked =
      u.troupe({"run", "--session", "s", "--tools", "workspace", "--approve", "ask", "Write 'x' to a.txt"});
  BOOST_TEST(asked.status == 1);
  BOOST_TEST(says(asked.err, "Waits for permission: write_file"));
  BOOST_TEST(says(asked.err, "troupe run --session s --approve allow"));
  BOOST_TEST(says(u.troupe({"sessions"}).out, "waits for 1 permission"));
  const auto allowed = u.troupe({"run", "--session", "s", "--approve", "allow"});
  BOOST_TEST(allowed.status == 0, allowed.err);
  BOOST_TEST(says(u.troupe({"show", "s"}).out, "Created a.txt"));
  const auto denied = u.troupe({"run", "--session", "s", "--approve", "deny", "Write 'y' to b.txt"});
  BOOST_TEST(denied.status == 0, denied.err);
  BOOST_TEST(says(denied.err, "[Permission denied] Not allowed."));
}

BOOST_AUTO_TEST_CASE(a_session_is_played_back_and_verified) {
  const user u;
  u.write("notes.txt", "Ship on Friday.\n");
  const auto run = u.troupe({"run", "--session", "demo", "--tools", "workspace", "Read notes.txt"});
  BOOST_TEST(run.status == 0, run.err);
  const auto again = u.troupe({"replay", "demo", "--speed", "0"});
  BOOST_TEST(again.status == 0, again.err);
  BOOST_TEST(again.out == run.out);
  BOOST_TEST(says(again.err, "> Read notes.txt\n-> read_file"));
  const auto lines = u.troupe({"replay", "demo", "--speed", "1000", "--until", "3", "--json"});
  BOOST_TEST(std::count(lines.out.begin(), lines.out.end(), '\n') == 3);
  const auto verified = u.troupe({"replay", "demo", "--verify"});
  BOOST_TEST(verified.status == 0, verified.err);
  BOOST_TEST(says(verified.out, "all as the machine decides them, and the chain holds"));
  BOOST_TEST(u.troupe({"run", "Hello"}).status == 0);
  const auto all = u.troupe({"replay", "--verify", "--all", "--json"});
  BOOST_TEST(all.status == 0, all.err);
  BOOST_TEST(std::count(all.out.begin(), all.out.end(), '\n') == 2);
  BOOST_TEST(says(all.out, "{\"id\":\"demo\",\"ok\":true,"));
  BOOST_TEST(says(all.err, "2 of 2 sessions"));
  BOOST_TEST(says(u.troupe({"replay", "dmo"}).err, "did you mean `demo`?"));
  BOOST_TEST(u.troupe({"replay"}).status == 2);
  BOOST_TEST(u.troupe({"replay", "--all"}).status == 2);
  BOOST_TEST(u.troupe({"replay", "demo", "--until", "9999"}).status == 2);
  BOOST_TEST(u.troupe({"replay", "demo", "--speed", "-1"}).status == 2);
}

BOOST_AUTO_TEST_CASE(what_was_said_is_said_again_to_other_instructions) {
  const user u;
  u.write("notes.txt", "Ship on Friday.\n");
  BOOST_TEST(u.troupe({"run", "--session", "demo", "--tools", "workspace", "Read notes.txt"}).status == 0);
  std::filesystem::remove(u.folder() + "/notes.txt"); // what a tool gave is on record
  const auto same = u.troupe({"replay", "demo", "--with", "instructions=Be brief, please,model=gym"});
  BOOST_TEST(same.status == 0, same.err + same.out);
  BOOST_TEST(says(same.out, "All 2 answers are the same."));
  BOOST_TEST(says(same.err, "1 of 1: Read notes.txt"));
  const auto told = u.troupe({"--json", "replay", "demo", "--with", "model=other"});
  BOOST_TEST(says(told.out, "\"same\":2,\"parts_at\":null"), told.out + told.err);
  BOOST_TEST(u.troupe({"replay", "--verify", "--all"}).status == 0);
  BOOST_TEST(says(u.troupe({"replay", "demo", "--with", "modell=x"}).err, "did you mean `model`?"));
  BOOST_TEST(u.troupe({"replay", "demo", "--with", "model=x", "--verify"}).status == 2);
  BOOST_TEST(u.troupe({"replay", "demo", "--with", "provider=nobody"}).status == 2);
}

BOOST_AUTO_TEST_CASE(sessions_are_archived_and_brought_back) {
  const user u;
  BOOST_TEST(u.troupe({"run", "--session", "demo", "Hello"}).status == 0);
  BOOST_TEST(u.troupe({"run", "--session", "other", "Hello"}).status == 0);
  const auto before = u.troupe({"export", "demo"}).out;
  BOOST_TEST(u.troupe({"archive", "--to", "put-away"}).status == 2);
  BOOST_TEST(u.troupe({"archive", "demo", "--older-than", "1", "--to", "put-away"}).status == 2);
  const auto none = u.troupe({"archive", "--older-than", "1", "--to", "put-away"});
  BOOST_TEST(none.status == 0, none.err);
  BOOST_TEST(says(none.err, "No session has rested"));
  const auto done = u.troupe({"archive", "demo", "--to", "put-away"});
  BOOST_TEST(done.status == 0, done.err);
  BOOST_TEST(says(done.out, "demo: in put-away/demo.jsonl.gz; demo: erased, with "), done.out);
  BOOST_TEST(u.troupe({"show", "demo"}).status == 1);
  BOOST_TEST(u.troupe({"show", "other"}).status == 0);
  const auto back = u.troupe({"import", "put-away/demo.jsonl.gz"});
  BOOST_TEST(back.status == 0, back.err);
  BOOST_TEST(u.troupe({"export", "demo"}).out == before);
  // its file is there, as of one that was killed before the session was erased
  BOOST_TEST(u.troupe({"archive", "demo", "--to", "put-away"}).status == 0);
  BOOST_TEST(u.troupe({"show", "demo"}).status == 1);
  BOOST_TEST(u.troupe({"import", "put-away/demo.jsonl.gz"}).status == 0);
  BOOST_TEST(u.troupe({"run", "--session", "demo", "Hello again"}).status == 0);
  BOOST_TEST(says(u.troupe({"archive", "demo", "--to", "put-away"}).err, "is there already"));
  BOOST_TEST(u.troupe({"show", "demo"}).status == 0);
  std::ifstream archived(u.folder() + "/put-away/demo.jsonl.gz", std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(archived), {}};
  BOOST_TEST(u.troupe({"erase", "demo"}).status == 0);
  u.write("cut.jsonl.gz", bytes.substr(0, bytes.size() / 2));
  BOOST_TEST(u.troupe({"import", "cut.jsonl.gz"}).status == 2);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  u.write("bent.jsonl.gz", bytes);
  BOOST_TEST(u.troupe({"import", "bent.jsonl.gz"}).status == 2);
  BOOST_TEST(u.troupe({"show", "demo"}).status == 1);
}

BOOST_AUTO_TEST_CASE(a_log_whose_beginning_was_removed_is_shown_played_and_archived) {
  const user u;
  BOOST_TEST(u.troupe({"import", TROUPE_SOURCE_DIR "/tests/golden/exports/trimmed.jsonl"}).status == 0);
  const auto shown = u.troupe({"show", "trimmed"});
  BOOST_TEST(says(shown.err, "Events 1 to "), shown.err);
  BOOST_TEST(says(shown.out, "[assistant]"));
  BOOST_TEST(says(u.troupe({"replay", "--verify", "trimmed"}).out, "were removed by retention"));
  BOOST_TEST(u.troupe({"replay", "trimmed", "--speed", "0"}).status == 0);
  BOOST_TEST(says(u.troupe({"replay", "trimmed", "--speed", "0", "--until", "3"}).err, "were removed"));
  BOOST_TEST(says(u.troupe({"show", "trimmed", "--at", "3"}).err, "were removed"));
  BOOST_TEST(says(u.troupe({"replay", "trimmed", "--with", "model=claude-gym"}).err, "were removed"));
  const auto before = u.troupe({"export", "trimmed"}).out;
  const auto done = u.troupe({"archive", "trimmed", "--to", "put-away"});
  BOOST_TEST(done.status == 0, done.err);
  BOOST_TEST(u.troupe({"import", "put-away/trimmed.jsonl.gz"}).status == 0);
  BOOST_TEST(u.troupe({"export", "trimmed"}).out == before);
  BOOST_TEST(u.troupe({"run", "--session", "trimmed", "And now?"}).status == 0);
}

BOOST_AUTO_TEST_CASE(sessions_are_examined_and_erased_with_their_forks) {
  const user u;
  BOOST_TEST(u.troupe({"run", "--session", "demo", "Hello"}).status == 0);
  BOOST_TEST(u.troupe({"fork", "demo", "--at", "4", "--id", "fork"}).status == 0);
  const auto good = u.troupe({"doctor", "--sessions"});
  BOOST_TEST(good.status == 0, good.out + good.err);
  BOOST_TEST(says(good.out, "ok      sessions: 2 of 2"));
  BOOST_TEST(says(good.out, "every row belongs to a session"));
  BOOST_TEST(says(u.troupe({"--json", "doctor", "--sessions", "--repair"}).out, "{\"ok\":true"));
  BOOST_TEST(u.troupe({"doctor", "--repair"}).status == 2);
  const auto gone = u.troupe({"--json", "erase", "demo", "--with-forks"});
  BOOST_TEST(gone.status == 0, gone.err);
  BOOST_TEST(says(gone.out, "{\"id\":\"fork\",\"events\":"));
  BOOST_TEST(says(gone.out, "{\"id\":\"demo\",\"events\":"));
  BOOST_TEST(u.troupe({"show", "fork"}).status == 1);
  BOOST_TEST(says(u.troupe({"doctor", "--sessions"}).out, "sessions: 0 of 0"));
}

BOOST_AUTO_TEST_CASE(a_session_is_forked_and_goes_on) {
  const user u;
  BOOST_TEST(u.troupe({"run", "--session", "demo", "Hello"}).status == 0);
  const auto made = u.troupe({"fork", "demo", "--at", "4", "--id", "demo-2"});
  BOOST_TEST(made.status == 0, made.err);
  BOOST_TEST(made.out == "demo-2\n");
  BOOST_TEST(u.troupe({"run", "--session", "demo-2", "Hello from here"}).status == 0);
  BOOST_TEST(says(u.troupe({"show", "demo-2"}).out, "Hello from here"));
  BOOST_TEST(!says(u.troupe({"show", "demo"}).out, "Hello from here"));
  BOOST_TEST(u.troupe({"replay", "--verify", "--all"}).status == 0);
  const auto named = u.troupe({"--json", "fork", "demo", "--at", "1"});
  BOOST_TEST(says(named.out, "\"forked_from\":{\"session\":\"demo\",\"seq\":1}"), named.err);
  BOOST_TEST(u.troupe({"fork", "demo", "--at", "4", "--id", "demo-2"}).status == 0); // the same again
  BOOST_TEST(u.troupe({"fork", "demo", "--at", "5", "--id", "demo-2"}).status == 1);
  BOOST_TEST(u.troupe({"fork", "demo", "--at", "999"}).status == 2);
  BOOST_TEST(u.troupe({"fork", "demo"}).status == 2);
  const user other;
  const auto out = u.troupe({"export", "demo-2"});
  other.write("f.jsonl", out.out);
  const auto in = other.troupe({"import", "f.jsonl"});
  BOOST_TEST(in.status == 0, in.err);
  BOOST_TEST(other.troupe({"export", "demo-2"}).out == out.out);
}

BOOST_AUTO_TEST_CASE(a_session_is_erased_for_good) {
  const user u;
  BOOST_TEST(u.troupe({"run", "--session", "demo", "Hello"}).status == 0);
  BOOST_TEST(u.troupe({"fork", "demo", "--at", "4", "--id", "kept"}).status == 0);
  const auto gone = u.troupe({"erase", "demo"});
  BOOST_TEST(gone.status == 0, gone.err);
  BOOST_TEST(says(gone.out, "demo: erased, with "));
  BOOST_TEST(u.troupe({"show", "demo"}).status == 1);
  BOOST_TEST(u.troupe({"erase", "demo"}).status == 1);
  BOOST_TEST(u.troupe({"replay", "kept", "--verify"}).status == 0); // what it inherited is there
}

BOOST_AUTO_TEST_CASE(a_session_is_played_by_its_script) {
  const user u;
  BOOST_TEST(u.troupe({"run", "--session", "demo", "Hello"}).status == 0);
  const auto made = u.troupe({"replay", "demo", "--script", "demo.rules"});
  BOOST_TEST(made.status == 0, made.err);
  BOOST_TEST(says(made.err, "1 answer is in demo.rules"));
  BOOST_TEST(u.troupe({"replay", "demo", "--script", "no/such/folder"}).status == 2);
}

BOOST_AUTO_TEST_CASE(a_session_is_exported_and_imported_somewhere_else) {
  const user u;
  BOOST_TEST(u.troupe({"run", "--session", "demo", "Hello"}).status == 0);
  const auto out = u.troupe({"export", "demo"});
  BOOST_TEST(out.status == 0, out.err);
  BOOST_TEST(out.out.rfind("{\"troupe_log\":1,\"session\":\"demo\"}\n", 0) == 0U);
  BOOST_TEST(u.troupe({"export", "demo", "demo.jsonl"}).status == 0);
  const auto here = u.troupe({"import", "demo.jsonl"});
  BOOST_TEST(here.status == 1);
  BOOST_TEST(says(here.err, "session `demo` exists already"));
  const user other;
  other.write("demo.jsonl", out.out);
  const auto there = other.troupe({"import", "demo.jsonl"});
  BOOST_TEST(there.status == 0, there.err);
  BOOST_TEST(other.troupe({"export", "demo"}).out == out.out);
  BOOST_TEST(other.troupe({"show", "demo"}).out == u.troupe({"show", "demo"}).out);
  const auto on = other.troupe({"run", "--session", "demo", "And on"});
  BOOST_TEST(on.status == 0, on.err);
  BOOST_TEST(other.troupe({"replay", "demo", "--verify"}).status == 0);
  other.write("torn.jsonl", out.out.substr(0, out.out.size() / 2));
  const auto torn = other.troupe({"import", "torn.jsonl"});
  BOOST_TEST(torn.status == 2);
  BOOST_TEST(says(torn.err, "cut off"));
  BOOST_TEST(other.troupe({"import", "nothing.jsonl"}).status == 2);
  other.write("real.jsonl", "");
  std::filesystem::create_symlink("real.jsonl", other.folder() + "/link.jsonl");
  BOOST_TEST(other.troupe({"export", "demo", "link.jsonl"}).status == 0);
  BOOST_TEST(std::filesystem::is_symlink(other.folder() + "/link.jsonl")); // what it leads to was written
  BOOST_TEST(std::filesystem::file_size(other.folder() + "/real.jsonl") > out.out.size());
  BOOST_TEST(other.troupe({"export", "dmo"}).status == 1);
}

BOOST_AUTO_TEST_CASE(wrong_usage_ends_with_2_and_says_what_to_do) {
  const user u;
  BOOST_TEST(u.troupe_as_it_is({}).status == 2);
  BOOST_TEST(u.troupe_as_it_is({"runn"}).status == 2);
  const auto bare = u.troupe({"run"});
  BOOST_TEST(bare.status == 2);
  BOOST_TEST(says(bare.err, "a PROMPT is missing"));
  const auto provider = u.troupe({"run", "--provider", "gim", "Hello"});
  BOOST_TEST(provider.status == 2);
  BOOST_TEST(says(provider.err, "unknown provider `gim`; did you mean `gym`?"));
  const auto tool = u.troupe({"run", "--tools", "workspce", "Hello"});
  BOOST_TEST(tool.status == 2);
  BOOST_TEST(says(tool.err, "did you mean `workspace`?"));
  const auto id = u.troupe({"run", "--session", "no spaces", "Hello"});
  BOOST_TEST(id.status == 2);
  BOOST_TEST(says(id.err, "is no session id"));
  u.write("troupe.toml", "[databse]\n");
  const auto config = u.troupe({"sessions"});
  BOOST_TEST(config.status == 2);
  BOOST_TEST(says(config.err, "troupe.toml:1: unknown key `databse`; did you mean `database`?"));
}

BOOST_AUTO_TEST_CASE(an_empty_prompt_and_a_folder_as_configuration_are_refused) {
  const user u;
  const auto empty = u.troupe({"run", "--session", "s", "-"}, "");
  BOOST_TEST(empty.status == 2);
  BOOST_TEST(says(empty.err, "the PROMPT is empty"));
  const auto folder = u.troupe({"--config", u.folder(), "sessions"});
  BOOST_TEST(folder.status == 2);
  BOOST_TEST(says(folder.err, "is a folder"));
}

BOOST_AUTO_TEST_CASE(what_a_model_or_a_file_says_steers_no_terminal) {
  const user u;
  u.write("esc.txt",
      "\x1b[31mred \xC2\x9B"
      "0m \xE2\x80\xAE"
      "back\n");
  const auto run = u.troupe({"run", "--session", "s", "--tools", "workspace", "Read esc.txt"});
  BOOST_TEST(run.status == 0, run.err);
  BOOST_TEST(says(run.out, "red "));
  for (const std::string& text : {run.out, run.err, u.troupe({"show", "s"}).out})
    for (const auto* const control : {"\x1b", "\xC2\x9B", "\xE2\x80\xAE"})
      BOOST_TEST(!says(text, control));
}

BOOST_AUTO_TEST_CASE(what_isnt_there_ends_with_1) {
  const user u;
  u.troupe({"run", "--session", "demo", "Hello"});
  const auto show = u.troupe({"show", "dmo"});
  BOOST_TEST(show.status == 1);
  BOOST_TEST(says(show.err, "there is no session `dmo`; did you mean `demo`?"));
  BOOST_TEST(u.troupe({"run", "--session", "nobody"}).status == 1);
  BOOST_TEST(u.troupe({"show", "demo", "--at", "99"}).status == 2);
}

BOOST_AUTO_TEST_CASE(what_cant_be_reached_ends_with_3) {
  const user u;
  const auto database = u.troupe_as_it_is({"--database", "postgresql://127.0.0.1:1/none", "sessions"});
  BOOST_TEST(database.status == 3, database.err);
  const auto provider = u.troupe_as_it_is(
      {"--data-dir", u.folder() + "/data", "run", "--provider", "away", "Hello"}, {},
      {"TROUPE__PROVIDERS__AWAY__BASE_URL=http://127.0.0.1:1", "TROUPE__PROVIDERS__AWAY__RETRY_BASE_MS=1"});
  BOOST_TEST(provider.status == 3, provider.err);
  BOOST_TEST(says(provider.err, "The run failed: "));
}

BOOST_AUTO_TEST_CASE(help_has_examples) {
  const user u;
  for (const auto* const command : {"run", "chat", "show", "sessions", "gym", "migrate", "doctor"}) {
    const auto help = u.troupe_as_it_is({command, "--help"});
    BOOST_TEST(help.status == 0, command);
    BOOST_TEST(says(help.out, "Example"), command);
  }
  const auto all = u.troupe_as_it_is({"--help"});
  BOOST_TEST(all.status == 0);
  BOOST_TEST(says(all.out, "troupe chat --session demo"));
}

BOOST_AUTO_TEST_CASE(the_doctor_says_what_works) {
  const user u;
  const auto healthy = u.troupe({"doctor", "--json"});
  BOOST_TEST(healthy.status == 0, healthy.out);
  BOOST_TEST(json::parse(healthy.out)->find("ok")->as_bool());
  BOOST_TEST(says(healthy.out, "bubblewrap"));
  u.write("troupe.toml", "[providers.a]\nbase_url = \"http://:x\"\n");
  const auto sick = u.troupe({"doctor"});
  BOOST_TEST(sick.status == 2);
  BOOST_TEST(says(sick.out, "FAILED"));
  u.write("other.toml", "[limits]\nmax_running = 3\n[tools.workspace]\nsandbox = \"none\"\n");
  const auto told = u.troupe({"doctor", "--config", "other.toml"});
  BOOST_TEST(told.status == 0, told.out);
  BOOST_TEST(says(told.out, "limits.max_running: is read and checked, and has no effect yet"));
  BOOST_TEST(says(told.out, "sandbox: none is wanted: commands run as the user that runs troupe"));
  u.write("bad.toml", "[server]\nlisten = \"here\"\n");
  const auto bad = u.troupe({"doctor", "--config", "bad.toml"});
  BOOST_TEST(bad.status == 2);
  BOOST_TEST(says(bad.err, "bad.toml:2: `server.listen`: \"here\" isn't HOST:PORT"));
}

BOOST_AUTO_TEST_CASE(the_doctor_asks_the_providers) {
  const user u;
  providers::gym::server_settings settings;
  settings.rules = *providers::gym::script::parse(R"({"reply":[{"text":"Hi."}]})");
  const auto gym = *providers::gym::server::start(std::move(settings));
  const auto section = [](const std::string& name, const std::string& api, const std::string& url) {
    return "[providers." + name + "]\napi = \"" + api + "\"\nbase_url = \"" + url + "\"\napi_key = \"k\"\n";
  };
  u.write("troupe.toml",
      section("a", "anthropic-messages", gym->base_url())
          + section("b", "openai-chat", gym->base_url() + "/v1"));
  const auto answers = u.troupe({"doctor"});
  BOOST_TEST(answers.status == 0, answers.out);
  BOOST_TEST(says(answers.out, "ok      provider a: " + gym->base_url() + " answers, asked with a key"));
  BOOST_TEST(says(answers.out, "ok      provider b: " + gym->base_url() + "/v1 answers, asked with a key"));
  u.write("troupe.toml", section("a", "anthropic-messages", "http://127.0.0.1:1"));
  const auto silent = u.troupe({"doctor"});
  BOOST_TEST(silent.status == 3, silent.out);
  BOOST_TEST(says(silent.out, "FAILED  provider a: http://127.0.0.1:1 doesn't answer: "));
}

BOOST_AUTO_TEST_CASE(the_doctor_runs_the_command_that_gives_a_key_and_never_tells_it) {
  const user u;
  const auto gym = *providers::gym::server::start({});
  const auto with_command = [&](const std::string& command) {
    u.write("troupe.toml",
        "[providers.a]\nbase_url = \"" + gym->base_url() + "\"\napi_key_command = " + command + "\n");
    return u.troupe({"doctor"});
  };
  const auto works = with_command(R"(["echo", "sk-canary"])");
  BOOST_TEST(works.status == 0, works.out);
  BOOST_TEST(
      says(works.out, "ok      provider a api_key_command: `echo` works: it printed a key"), works.out);
  BOOST_TEST(says(works.out, "answers, asked with a key"));
  const auto fails = with_command(R"(["/bin/sh", "-c", "echo sk-canary; echo sk-canary >&2; exit 4"])");
  BOOST_TEST(fails.status == 3, fails.out);
  BOOST_TEST(
      says(fails.out,
          "FAILED  provider a: no API key: the command (api_key_command) `/bin/sh` ended with exit status 4"),
      fails.out);
  const auto run = u.troupe({"run", "Hello"});
  BOOST_TEST(run.status != 0);
  BOOST_TEST(says(run.err, "ended with exit status 4"), run.err);
  for (const auto* const said : {&works, &fails, &run})
    BOOST_TEST(!says(said->out + said->err, "canary"), said->out + said->err);
}

BOOST_AUTO_TEST_CASE(the_doctor_names_what_is_odd_in_modes_and_efforts) {
  const user u;
  u.write("troupe.toml", "[modes.review]\ntools = [\"raed_file\", \"workspace\", \"shell\"]\n");
  const auto told = u.troupe({"doctor"});
  BOOST_TEST(told.status == 0, told.out);
  BOOST_TEST(says(told.out, "mode review: shows 3 tool(s)"), told.out);
  BOOST_TEST(says(told.out, "`raed_file` is no tool of this node (did you mean `read_file`?)"), told.out);
  BOOST_TEST(says(told.out, "`workspace` is a toolset"), told.out);
  BOOST_TEST(!says(told.out, "`shell`"), told.out);
  u.write("troupe.toml", "[providers.a]\nbase_url = \"http://127.0.0.1:1\"\nefforts = [\"lots\"]\n");
  const auto wrong = u.troupe({"doctor"});
  BOOST_TEST(wrong.status == 2, wrong.out);
  BOOST_TEST(says(wrong.out, "efforts: each is one of off, minimal, low"), wrong.out);
}

BOOST_AUTO_TEST_CASE(the_configuration_is_hidden_from_the_tools_of_a_run) {
  const user u;
  u.write("troupe.toml", "[limits]\nmax_running = 3\n");
  const auto run = u.troupe({"run", "--session", "s", "--tools", "workspace", "Read troupe.toml"});
  BOOST_TEST(run.status == 0, run.err);
  BOOST_TEST(says(run.err, "belongs to Troupe itself"));
  BOOST_TEST(!says(run.out, "max_running"));
}

BOOST_AUTO_TEST_CASE(the_schema_is_checked_and_brought_up_to_date) {
  const user u;
  BOOST_TEST(u.troupe({"migrate", "--check"}).status == 1);
  BOOST_TEST(says(u.troupe({"migrate"}).out, "applied "));
  const auto again = u.troupe({"migrate", "--check"});
  BOOST_TEST(again.status == 0);
  BOOST_TEST(again.out == "the schema is up to date\n");
}

BOOST_AUTO_TEST_SUITE_END()
