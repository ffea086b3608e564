// Trouble that only a real server has: cut connections, killed backends, conflicts, full disks,
// read-only times, poisonous rows. Nothing is lost and nothing is there twice.
#include "tests/persistence/cutting_proxy.hpp"
#include "tests/persistence/processes.hpp"
#include "tests/persistence/worlds.hpp"

#include "persistence/database_connection.hpp"
#include "persistence/migrator.hpp"

#include "messages/digest.hpp"

#include <filesystem>
#include <future>
#include <thread>

#include <csignal>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

namespace troupe::persistence {

BOOST_AUTO_TEST_SUITE(postgres_faults)

namespace {

struct started : postgres_world {
  node_identity node = this_process("one");
  std::unique_ptr<journal> log = open();
  session_row row = must(log->create(1, "demo", node));
  std::string count() { return sql("select count(*) from troupe.events"); }
};

/// A trigger on the events that runs `body` before each insert.
std::string trigger(const std::string& body) {
  return "create sequence troupe.tries; grant usage on sequence troupe.tries to public;"
         "create function troupe.meddle() returns trigger language plpgsql as $$ begin "
      + body
      + " return new; end $$; create trigger meddle before insert on troupe.events for each row execute "
        "function troupe.meddle()";
}

} // namespace

BOOST_AUTO_TEST_CASE(an_answer_that_is_cut_off_is_looked_up) {
  started s;
  cutting_proxy proxy(s.url);
  auto log = must(open_postgres_journal({proxy.url(), impatient()}));
  commit_one(*log, append_to(s.row, 0, {R"({"n":0})"}));
  std::int64_t head = 1;
  int cuts = 0;
  for (const auto what : {cut::answer, cut::request, cut::answer, cut::answer}) {
    proxy.expect(what);
    auto first = append_to(s.row, head, {R"({"n":1})", R"({"n":2})"});
    auto second = append_to(s.row, std::nullopt, {R"({"n":3})"});
    second.claims = {"m" + std::to_string(head)};
    const auto outcomes = must(log->append_all({first, second}));
    BOOST_REQUIRE(std::holds_alternative<committed>(outcomes.at(0)));
    BOOST_REQUIRE(std::holds_alternative<committed>(outcomes.at(1)));
    head += 3;
    BOOST_TEST(s.count() == std::to_string(head));
    BOOST_TEST(proxy.cuts() == ++cuts);
  }
  const auto all = must(log->read(s.row.key, 0, 100));
  BOOST_TEST(must(log->head(s.row.key)).chain == chain_of(all));
}

// B-114: a network that swallows what is sent holds nobody up for longer than was said.
BOOST_AUTO_TEST_CASE(an_answer_that_never_comes_is_waited_for_no_longer_than_the_bound) {
  started s;
  cutting_proxy proxy(s.url);
  auto waiting = impatient();
  waiting.answer = std::chrono::milliseconds(400);
  auto log = must(open_postgres_journal({proxy.url(), waiting}));
  std::int64_t head = 0;
  for (const auto what : {cut::request_unnoticed, cut::answer_unnoticed}) {
    proxy.expect(what);
    const auto before = std::chrono::steady_clock::now();
    commit_one(*log, append_to(s.row, head, {R"({"n":1})"}));
    BOOST_TEST((std::chrono::steady_clock::now() - before < std::chrono::seconds(5)));
    BOOST_TEST(s.count() == std::to_string(++head));
    proxy.expect(what);
    BOOST_TEST(must(log->find(1, "demo")).head == head); // reads, too
  }
  BOOST_TEST(proxy.cuts() == 4);
}

BOOST_AUTO_TEST_CASE(watching_for_answers_keeps_no_descriptors) {
  started s;
  const auto open_descriptors = [] {
    const std::filesystem::directory_iterator all("/proc/self/fd");
    return std::distance(begin(all), end(all));
  };
  commit_one(*s.log, append_to(s.row, 0, {R"({"n":1})"}));
  const auto before = open_descriptors();
  for (int i = 0; i < 20; ++i) {
    must(s.log->read(s.row.key, 0, 10));
    must(s.log->read_these(s.row.key, {1}));
    must(s.log->take(1, "demo", s.node, 0));
  }
  BOOST_TEST(open_descriptors() == before);
}

BOOST_AUTO_TEST_CASE(every_call_survives_a_cut) {
  started s;
  cutting_proxy proxy(s.url);
  auto log = must(open_postgres_journal({proxy.url(), impatient()}));
  int made = 0;
  for (const auto what : {cut::answer, cut::request}) {
    const auto id = "s" + std::to_string(++made);
    proxy.expect(what);
    must(log->heartbeat(s.node, 60'000));
    proxy.expect(what);
    const auto row = must(log->create(1, id, s.node));
    BOOST_TEST((log->create(1, id, s.node).error().code == problem_code::conflict));
    proxy.expect(what);
    must(log->find(1, id));
    proxy.expect(what);
    log->release(row.key, row.epoch);
    proxy.expect(what);
    BOOST_TEST(must(log->take(1, id, s.node)).row.epoch == 3); // not 4: a lost answer takes once
  }
}

BOOST_AUTO_TEST_CASE(connections_killed_between_and_during_appends) {
  started s;
  commit_one(*s.log, append_to(s.row, 0, {R"({"n":1})"}));
  const std::string kill_ours =
      "select count(pg_terminate_backend(pid)) from pg_stat_activity "
      "where datname = current_database() and pid <> pg_backend_pid() and usename = 'troupe'";
  BOOST_TEST(s.sql(kill_ours) == "1");
  commit_one(*s.log, append_to(s.row, 1, {R"({"n":2})"}));
  // while it waits for the row
  database_connection blocker(s.url);
  blocker.script("begin; select * from troupe.sessions for update");
  std::thread appending([&] { commit_one(*s.log, append_to(s.row, 2, {R"({"n":3})"})); });
  const std::string waiting =
      "select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  std::string pid;
  while (pid.empty())
    pid = s.sql(waiting);
  BOOST_TEST(s.sql("select pg_terminate_backend(" + pid + ")") == "t");
  while (s.sql(waiting + " and pid <> " + pid).empty()) // it is back and waits again
    ;
  blocker.script("commit");
  appending.join();
  BOOST_TEST(s.count() == "3");
}

BOOST_AUTO_TEST_CASE(the_server_is_killed_under_load) {
  const temporary_directory directory;
  auto cluster = must(private_cluster::open(directory.path, {.durable = false}));
  must(migrator(cluster.url()).up());
  std::atomic<int> done{0};
  std::atomic<bool> enough{false};
  std::vector<std::string> heard;
  std::thread appending([&] {
    auto log = must(open_postgres_journal(
        {cluster.url(), impatient([&](const std::string& sentence) { heard.push_back(sentence); })}));
    const auto row = must(log->create(1, "demo", this_process("one")));
    for (std::int64_t head = 0; !enough; ++head) {
      commit_one(*log, append_to(row, head, {R"({"n":)" + std::to_string(head) + "}"}));
      ++done;
    }
  });
  const auto wait_for = [&](int more) {
    for (const int now = done; done < now + more;)
      std::this_thread::yield();
  };
  for (int round = 0; round < 3; ++round) {
    wait_for(100);
    const auto server = postmaster_of(cluster.place());
    ::kill(server, round == 2 ? SIGINT : SIGKILL);
    wait_for_end(server);
    cluster = must(private_cluster::open(directory.path, {.durable = false}));
  }
  wait_for(100);
  enough = true;
  appending.join();
  auto log = must(open_postgres_journal({cluster.url(), impatient()}));
  const auto taken = must(log->take(1, "demo", this_process("two"))); // checks holes and the chain
  BOOST_TEST(taken.events.size() == static_cast<std::size_t>(done));
  for (std::size_t i = 0; i < taken.events.size(); ++i)
    BOOST_TEST(taken.events[i].payload == R"({"n":)" + std::to_string(i) + "}");
  BOOST_TEST(heard.size() % 2 == 0U);
  BOOST_TEST(heard.size() >= 2U);
  const auto server = postmaster_of(cluster.place());
  log.reset();
  { const auto last = std::move(cluster); }
  wait_for_end(server);
}

// B-118: a conflict that passes is nobody's result.
BOOST_AUTO_TEST_CASE(a_transaction_that_lost_is_tried_again) {
  started s;
  s.sql(trigger("if nextval('troupe.tries') <= 12 then raise exception 'lost' using errcode = "
                "case when random() < 0.5 then '40001' else '40P01' end; end if;"));
  commit_one(*s.log, append_to(s.row, 0, {R"({"n":1})"}));
  BOOST_TEST(s.count() == "1");
}

// B-073: what can't be stored fails its command, and leaves no gap.
BOOST_AUTO_TEST_CASE(what_the_server_cannot_store_is_refused_alone) {
  started s;
  s.sql(trigger("if new.payload like '%poison%' then raise exception 'secret words' using errcode = '22P05', "
                "detail = 'more secret words'; end if;"));
  std::vector<append> batch;
  for (int i = 0; i < 100; ++i)
    batch.push_back(append_to(must(s.log->create(1, "s" + std::to_string(i), s.node)), 0,
        {i % 50 == 7 ? "\"poison\"" : R"({"n":1})"}));
  const auto outcomes = must(s.log->append_all(batch));
  for (std::size_t i = 0; i < outcomes.size(); ++i)
    BOOST_TEST(std::holds_alternative<refused>(outcomes[i]) == (i % 50 == 7));
  const auto& why = std::get<refused>(outcomes[7]).why;
  BOOST_TEST(why.detail.find("more secret") == std::string::npos);
  BOOST_TEST(s.count() == "98");
  s.sql("drop trigger meddle on troupe.events"); // nothing of the refused one is left
  commit_one(*s.log, append_to(must(s.log->find(1, "s7")), 0, {"\"poison\""}));
}

BOOST_AUTO_TEST_CASE(a_read_only_server_is_waited_for) {
  started s;
  std::vector<std::string> heard;
  auto log = s.open(impatient([&](const std::string& sentence) {
    heard.push_back(sentence);
    if (heard.size() == 1)
      s.sql("set transaction read write; alter database " + s.name + " reset default_transaction_read_only");
  }));
  s.sql("alter database " + s.name + " set default_transaction_read_only = on");
  s.sql("select count(pg_terminate_backend(pid)) from pg_stat_activity where datname = current_database() "
        "and pid <> pg_backend_pid()");
  commit_one(*log, append_to(s.row, 0, {R"({"n":1})"}));
  BOOST_TEST(heard.size() >= 2U);
  BOOST_TEST(heard.size() % 2 == 0U);
  BOOST_TEST(s.count() == "1");
}

BOOST_AUTO_TEST_CASE(a_full_disk_is_waited_for) {
  const temporary_directory directory;
  if (::geteuid() != 0 || ::mount("tmpfs", directory.path.c_str(), "tmpfs", 0, "size=1m,mode=0777") != 0) {
    BOOST_TEST_MESSAGE("SKIPPED: a small disk can only be mounted by root");
    return;
  }
  struct mounted {
    std::filesystem::path path;
    ~mounted() { ::umount2(path.c_str(), MNT_DETACH); }
  } const disk{directory.path};
  {
    started s;
    const auto inside = directory.path / "space";
    std::filesystem::create_directory(inside);
    std::filesystem::permissions(inside, std::filesystem::perms::all);
    struct stat owner {};
    BOOST_REQUIRE(::stat((test_cluster().place() / "data").c_str(), &owner) == 0);
    BOOST_REQUIRE(::chown(inside.c_str(), owner.st_uid, owner.st_gid) == 0);
    s.sql("create tablespace small location '" + inside.string() + "'");
    s.sql("alter table troupe.events set tablespace small");
    std::vector<std::string> heard;
    auto log = s.open(impatient([&](const std::string& sentence) {
      heard.push_back(sentence);
      if (heard.size() == 1)
        BOOST_REQUIRE(::mount("tmpfs", directory.path.c_str(), "tmpfs", MS_REMOUNT, "size=64m") == 0);
    }));
    std::string noise; // or it would be compressed
    while (noise.size() < 8'000)
      noise += hex(sha256_of(noise));
    for (std::int64_t head = 0; heard.empty() && head < 1'000; ++head)
      commit_one(*log, append_to(s.row, head, {"\"" + noise + std::to_string(head) + "\""}));
    BOOST_REQUIRE(heard.size() == 2U);
    BOOST_TEST(heard[0].find("No space left") != std::string::npos);
    BOOST_TEST(s.sql("select count(*) = max(seq) from troupe.events") == "t");
    s.sql("alter table troupe.events set tablespace pg_default");
    s.sql("drop tablespace small");
  }
}

BOOST_AUTO_TEST_CASE(content_that_was_erased_meanwhile_is_sent_again) {
  started s;
  const std::string content(9'000, 'x');
  const auto with_blob = [&](std::int64_t head) {
    auto what = append_to(s.row, head, {R"({"blob":1})"});
    what.blobs = {{content_name(content), content}};
    return what;
  };
  commit_one(*s.log, with_blob(0));
  const auto other = must(s.log->create(1, "other", s.node));
  s.sql("delete from troupe.blob_uses; delete from troupe.blobs"); // an erasure
  auto what = append_to(other, 0, {R"({"blob":1})"});
  what.blobs = {{content_name(content), content}};
  commit_one(*s.log, what);
  BOOST_TEST(must(s.log->blobs(1, {content_name(content)})).size() == 1U);
}

// B-082: damage in the middle is said, with its place; nothing goes on from what is before it.
BOOST_AUTO_TEST_CASE(a_damaged_log_is_not_loaded) {
  started s;
  for (std::int64_t head = 0; head < 10; ++head)
    commit_one(*s.log, append_to(s.row, head, {R"({"n":1})"}));
  s.log->release(s.row.key, 1);
  s.sql("update troupe.events set payload = '{}' where seq = 5");
  auto answer = s.log->take(1, "demo", s.node);
  BOOST_REQUIRE(!answer);
  BOOST_TEST((answer.error().code == problem_code::corrupt));
  BOOST_TEST(answer.error().detail.find("chain") != std::string::npos);
  s.sql("delete from troupe.events where seq = 5");
  answer = s.log->take(1, "demo", s.node);
  BOOST_REQUIRE(!answer);
  BOOST_TEST(answer.error().detail.find("gap at 5") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_database_that_is_not_there_is_unavailable) {
  for (const std::string url :
      {"host=/nonexistent dbname=x", "postgresql://u:secret@127.0.0.1:1/x", "nonsense secret", ""}) {
    const auto answer = open_postgres_journal({url, impatient()});
    BOOST_REQUIRE(!answer);
    BOOST_TEST((answer.error().code == problem_code::unavailable));
    BOOST_TEST(answer.error().detail.find("secret") == std::string::npos);
  }
  const auto answer = open_postgres_journal({test_cluster().url(), impatient()});
  BOOST_REQUIRE(!answer);
  BOOST_TEST(answer.error().detail.find("troupe migrate") != std::string::npos);
}

// Somebody else holds the row when the append comes to it: what he leaves decides.
BOOST_AUTO_TEST_CASE(an_append_that_waited_for_its_row_goes_by_what_the_row_became) {
  postgres_world world;
  auto log = world.open();
  const auto row = must(log->create(1, "main", this_process("one")));
  auto claimed = append_to(row, 0, {R"({"n":1})"});
  claimed.claims = {"m1"};
  commit_one(*log, claimed);
  const std::string waiting =
      "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  const auto append_while = [&](const std::string& change, append what) {
    database_connection other(world.url);
    other.script("begin; " + change);
    auto outcome = std::async(std::launch::async, [&] { return append_one(*log, what); });
    while (world.sql(waiting) == "0")
      ;
    other.script("commit");
    return outcome.get();
  };
  const std::string moves_nothing = "update troupe.sessions set deaths = deaths + 1";
  auto next = append_to(row, 1, {R"({"n":2})", R"({"n":3})"});
  next.claims = {"m2"};
  BOOST_TEST(std::holds_alternative<committed>(append_while(moves_nothing, next)));
  BOOST_TEST(
      std::holds_alternative<committed>(append_while(moves_nothing, append_to(row, 3, {R"({"n":4})"}))));
  BOOST_TEST(world.sql("select deaths from troupe.sessions") == "0"); // the append's own word is the last
  BOOST_TEST(std::holds_alternative<fenced>(
      append_while("update troupe.sessions set epoch = epoch + 1", append_to(row, 4, {R"({"n":5})"}))));
  auto late = append_to(row, 4, {R"({"n":5})"});
  late.epoch = row.epoch + 1;
  BOOST_TEST(std::holds_alternative<fenced>(append_while("delete from troupe.sessions", late)));
  BOOST_TEST(world.sql("select string_agg(seq::text, ' ' order by seq) from troupe.events") == "1 2 3 4");
  BOOST_TEST(world.sql("select string_agg(claim, ' ' order by claim) from troupe.claims") == "m1 m2");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::persistence
