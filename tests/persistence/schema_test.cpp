// The schema and its migrations: applied once whoever races, taken back, refused where unknown;
// tenants apart by policies; appends that touch no index of the sessions.
#include "tests/persistence/processes.hpp"
#include "tests/persistence/worlds.hpp"

#include "persistence/database_connection.hpp"
#include "persistence/migrator.hpp"

#include <fstream>
#include <map>
#include <thread>

namespace troupe::persistence {

BOOST_AUTO_TEST_SUITE(schema)

namespace {

/// An empty database.
struct empty_database {
  static inline int made = 0;
  std::string name = "empty_" + std::to_string(++made);
  std::string url = test_cluster().url_of(name);
  empty_database() { database_connection(test_cluster().url()).script("create database " + name); }
  ~empty_database() {
    database_connection(test_cluster().url()).script("drop database " + name + " with (force)");
  }
  std::string sql(const std::string& text) {
    const auto rows = database_connection(url).script(text);
    return rows.empty() ? "" : rows.back().at(0).value_or("");
  }
};

/// What a statement is refused for, or nothing.
std::string refusal(database_connection& connection, const std::string& sql) {
  try {
    connection.script(sql);
    return {};
  } catch (const database_fault& fault) {
    return fault.sqlstate();
  }
}

} // namespace

BOOST_AUTO_TEST_CASE(up_down_up) {
  empty_database database;
  migrator all(database.url);
  BOOST_TEST(must(all.check()).size() == migrations().size());
  BOOST_TEST(must(all.up()).size() == migrations().size());
  BOOST_TEST(must(all.check()).empty());
  BOOST_TEST(must(all.up()).empty()); // again: nothing to do
  BOOST_TEST(must(all.down(2)).size() == migrations().size() - 2);
  BOOST_TEST(must(all.check()).size() == migrations().size() - 2);
  BOOST_TEST(must(all.up()).size() == migrations().size() - 2);
  BOOST_TEST(must(all.down(0)).size() == migrations().size());
  BOOST_TEST(database.sql("select count(*) from pg_namespace where nspname = 'troupe'") == "0");
  BOOST_TEST(must(all.up()).size() == migrations().size());
  BOOST_TEST(must(missing_roles(database.url)).empty());
}

// B-123: replicas that start at once, and one that is killed midway.
BOOST_AUTO_TEST_CASE(five_migrators_at_once) {
  for (int round = 0; round < 4; ++round) {
    empty_database database;
    std::vector<std::thread> threads;
    std::atomic<std::size_t> applied{0};
    for (int i = 0; i < 5; ++i)
      threads.emplace_back([&] {
        const auto done = migrator(database.url).up();
        applied += done ? done->size() : 1000;
      });
    for (auto& thread : threads)
      thread.join();
    BOOST_TEST(applied == migrations().size());
    BOOST_TEST(database.sql("select count(*) from troupe.migrations") == std::to_string(migrations().size()));
  }
}

BOOST_AUTO_TEST_CASE(a_migrator_that_is_killed_leaves_whole_steps) {
  empty_database database;
  auto steps = migrations();
  steps.push_back({static_cast<int>(steps.size() + 1), "0099_slow",
      "create table troupe.slow (); select pg_sleep(60)", "drop table troupe.slow"});
  child_process victim([&] { return migrator(database.url, steps).up().has_value(); });
  while (database.sql("select count(*) from pg_stat_activity where datname = current_database() and query "
                      "like '%pg_sleep(60)%' "
                      "and pid <> pg_backend_pid() and wait_event = 'PgSleep'")
      == "0")
    ;
  victim.kill();
  database.sql("select count(pg_terminate_backend(pid)) from pg_stat_activity where datname = "
               "current_database() and pid <> pg_backend_pid()");
  BOOST_TEST(database.sql("select to_regclass('troupe.slow') is null") == "t");
  BOOST_TEST(must(migrator(database.url).check()).empty());
}

BOOST_AUTO_TEST_CASE(a_schema_that_is_not_ours_is_refused) {
  empty_database database;
  must(migrator(database.url).up());
  auto other = migrations();
  other.pop_back();
  const auto newer = migrator(database.url, other).check(); // as an older program
  BOOST_REQUIRE(!newer);
  BOOST_TEST((newer.error().code == problem_code::conflict));
  BOOST_TEST(newer.error().detail.find("newer troupe") != std::string::npos);
  BOOST_TEST(!migrator(database.url, other).up());
  BOOST_TEST(!migrator(database.url, other).down(0));
  other = migrations();
  other[1].up += " ";
  const auto changed = migrator(database.url, other).up();
  BOOST_REQUIRE(!changed);
  BOOST_TEST(changed.error().detail.find("another form") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_step_that_fails_changes_nothing) {
  empty_database database;
  auto steps = migrations();
  steps.push_back(
      {static_cast<int>(steps.size() + 1), "0099_wrong", "create table troupe.half (); select 1/0", ""});
  const auto answer = migrator(database.url, steps).up();
  BOOST_REQUIRE(!answer);
  BOOST_TEST(database.sql("select to_regclass('troupe.half') is null") == "t");
  BOOST_TEST(must(migrator(database.url).check()).empty()); // the ones before it are there
}

BOOST_AUTO_TEST_CASE(the_types_are_those_of_the_code_in_its_order) {
  postgres_world world;
  std::string expected;
  for (const auto name : event_type_names)
    expected += std::string(name) + ",";
  BOOST_TEST(
      world.sql("select string_agg(t::text, ',') || ',' from unnest(enum_range(null::troupe.event_type)) t")
      == expected);
}

BOOST_AUTO_TEST_CASE(the_database_takes_the_session_ids_that_we_take) {
  postgres_world world;
  auto log = world.open();
  must(log->create(1, "main", this_process("one")));
  database_connection writer(world.url);
  writer.become_writer();
  const auto rename = [](const std::string& id) {
    return "update troupe.sessions set session_id = '" + id + "'";
  };
  for (const std::string& id : {std::string("a"), std::string("Z9._-x"), std::string(128, 'x')}) {
    BOOST_TEST(is_id(id));
    writer.script(rename(id));
  }
  for (const std::string& id : {std::string(), std::string(129, 'x'), std::string(".a"), std::string("a b"),
           std::string("a\n"), std::string("\na"), std::string("é"), std::string("a/b")}) {
    BOOST_TEST(!is_id(id));
    BOOST_TEST(refusal(writer, rename(id)) == "23514", id);
  }
}

namespace {

/// The plan of a statement before anything is known of its parameters, a line a node.
std::vector<std::string> plan_of(
    database_connection& writer, const sql::statement& statement, int parameters) {
  writer.script("deallocate all");
  writer.script("prepare it as " + std::string(statement.text));
  std::string nothing = "null";
  for (int i = 1; i < parameters; ++i)
    nothing += ", null";
  std::vector<std::string> lines;
  for (const auto& line : writer.script("explain execute it (" + nothing + ")"))
    lines.push_back(line.at(0).value());
  return lines;
}

/// The first node that would go through more of a table than the rows it wants, or nothing: a scan by an
/// index whose condition doesn't name the key.
std::string wide_scan(const std::vector<std::string>& plan) {
  const std::map<std::string, std::vector<std::string>> keys = {{"claims", {"branch_id", "claim"}},
      {"branches", {"tenant_id"}}, {"sessions", {"branch_id"}}, {"events", {"branch_id", "seq"}},
      {"blob_uses", {"hash"}}, {"blobs", {"hash"}}};
  for (std::size_t i = 0; i < plan.size(); ++i) {
    if (plan[i].find("Seq Scan") != std::string::npos)
      return plan[i];
    const auto on =
        plan[i].find(" Scan using ") == std::string::npos ? std::string::npos : plan[i].find(" on ");
    if (on == std::string::npos)
      continue;
    const auto table = plan[i].substr(on + 4, plan[i].find_first_of(" \n", on + 4) - on - 4);
    const std::string condition = i + 1 < plan.size() ? plan[i + 1] : "";
    const auto wanted = keys.find(table);
    if (wanted == keys.end())
      continue;
    for (const auto& column : wanted->second)
      if (condition.find("Index Cond") == std::string::npos
          || condition.find("(" + column) == std::string::npos)
        return plan[i] + condition;
    if (table == "branches" && condition.find("branch_id =") == std::string::npos
        && condition.find("parent_id =") == std::string::npos)
      return plan[i] + condition;
  }
  return {};
}

} // namespace

BOOST_AUTO_TEST_CASE(rows_are_found_by_their_whole_key_whatever_was_there_when_it_was_planned) {
  postgres_world world;
  database_connection writer(world.url);
  writer.become_writer();
  const auto fill =
      "insert into troupe.branches (tenant_id, parent_id, cut_seq) select 1, null, null from "
      "generate_series(1, 3000); insert into troupe.claims select 1, 1 + n % 3000, n, 'm' || n from "
      "generate_series(1, 30000) n";
  for (const std::string known :
      {"select", "analyze troupe.sessions, troupe.claims, troupe.branches, troupe.events", fill,
          "analyze troupe.sessions, troupe.claims, troupe.branches, troupe.events"}) {
    world.sql(known);
    for (const auto& [statement, parameters] :
        {std::pair(&sql::append_events, 22), {&sql::append_events_and_content, 28}, {&sql::look_up_claims, 4},
            {&sql::read_events, 5}, {&sql::read_payloads, 6}, {&sql::read_these_events, 3},
            {&sql::blob_of_session, 3}, {&sql::forks_of_session, 2}})
      if (const auto wide = wide_scan(plan_of(writer, *statement, parameters)); !wide.empty())
        BOOST_ERROR(statement->name << ": " << wide);
  }
}

BOOST_AUTO_TEST_CASE(an_append_finds_its_rows_by_key_whatever_was_there_when_it_was_planned) {
  postgres_world world;
  database_connection writer(world.url);
  writer.become_writer();
  const auto text_of = [&](const sql::statement& statement, int parameters) {
    std::string text;
    for (const auto& line : plan_of(writer, statement, parameters))
      text += line + "\n";
    return text;
  };
  for (const char* const known : {"select", "analyze troupe.sessions, troupe.claims"}) {
    world.sql(known);
    const auto whole = text_of(sql::append_events_and_content, 28);
    for (const auto& plan : {text_of(sql::append_events, 22), whole}) {
      BOOST_TEST(plan.find("Seq Scan") == std::string::npos, plan);
      BOOST_TEST(plan.find("Tid Scan on sessions") != std::string::npos, plan);
      BOOST_TEST(plan.find("Index Cond: ((tenant_id = w.tenant_id) AND (branch_id = w.branch_id))")
              != std::string::npos,
          plan);
    }
    BOOST_TEST(whole.find("(claim = c_1.claim)") != std::string::npos, whole);
  }
}

BOOST_AUTO_TEST_CASE(a_tenant_that_logs_name_is_not_deleted) {
  postgres_world world;
  database_connection owner(world.url);
  BOOST_TEST(refusal(owner, "delete from troupe.tenants where name = 'default'") == "23001");
  BOOST_TEST(world.sql("select count(*) from troupe.tenants where name = 'default'") == "1");
}

// B-126: row-level security is the net below the queries.
BOOST_AUTO_TEST_CASE(a_reader_sees_its_tenant_and_nothing_else) {
  postgres_world world;
  auto log = world.open();
  const auto node = this_process("one");
  const auto other = must(log->tenant("other"));
  for (const auto tenant : {1, other}) {
    auto what = append_to(must(log->create(tenant, "main", node)), 0, {R"({"n":1})"});
    what.claims = {"m1"};
    what.blobs = {{"sha256:" + std::string(64, 'a'), "content"}};
    commit_one(*log, what);
  }
  database_connection reader(world.url);
  reader.script("set role troupe_reader");
  for (const std::string table :
      {"tenants", "branches", "sessions", "events", "claims", "blobs", "blob_uses", "event_log"}) {
    BOOST_TEST_CONTEXT(table) {
      reader.script("reset troupe.tenant");
      BOOST_TEST(reader.script("select count(*) from troupe." + table).at(0).at(0).value() == "0");
      reader.script("set troupe.tenant = 1");
      BOOST_TEST(reader.script("select count(*) from troupe." + table).at(0).at(0).value() == "1");
    }
  }
  for (const std::string table : {"api_keys", "tenant_keys", "branch_keys"})
    BOOST_TEST(refusal(reader, "select count(*) from troupe." + table) == "42501");
  BOOST_TEST(refusal(reader, "delete from troupe.events") == "42501");
  BOOST_TEST(refusal(reader, "insert into troupe.tenants (name) values ('x')") == "42501");
  database_connection writer(world.url);
  writer.script("set role troupe_writer");
  BOOST_TEST(writer.script("select count(*) from troupe.events").at(0).at(0).value() == "2");
  BOOST_TEST(
      refusal(writer, "update troupe.events set payload = '{}'") == "42501"); // what is in the log stays
  BOOST_TEST(refusal(writer, "alter table troupe.events no force row level security") == "42501");
  BOOST_TEST(
      world.sql("select count(*) from pg_class where relnamespace = 'troupe'::regnamespace and relkind = 'r' "
                "and not relforcerowsecurity")
      == "2"); // nodes and migrations hold nothing of tenants
}

BOOST_AUTO_TEST_CASE(reads_go_through_the_reader_and_writes_through_the_writer) {
  postgres_world world;
  auto log = world.open();
  const auto row = must(log->create(1, "main", this_process("one")));
  world.sql("revoke select on troupe.events from troupe_reader");
  commit_one(*log, append_to(row, 0, {R"({"n":1})"}));
  BOOST_TEST((log->read(row.key, 0, 10).error().code == problem_code::unavailable));
  world.sql("revoke all on troupe.events from troupe_writer; grant select on troupe.events to troupe_reader");
  BOOST_TEST(must(log->read(row.key, 0, 10)).size() == 1U);
  world.sql("grant select on troupe.events to troupe_writer");
  std::size_t heard = 0;
  auto waiting = world.open(impatient([&](const std::string&) { // lacking a right is waited for, and said
    if (++heard == 1)
      world.sql("grant insert on troupe.events to troupe_writer");
  }));
  commit_one(*waiting, append_to(row, 1, {R"({"n":2})"}));
  BOOST_TEST(heard == 2U);
}

BOOST_AUTO_TEST_CASE(where_roles_cannot_be_made_one_tenant_is_served) {
  const auto data = test_cluster().place() / "data";
  test_cluster();
  database_connection admin(test_cluster().url());
  admin.script("create role plain login nosuperuser nocreaterole");
  admin.script("create database plain owner plain");
  std::ofstream(data / "pg_hba.conf", std::ios::app) << "local plain plain trust\n";
  admin.script("select pg_reload_conf()");
  auto url = test_cluster().url_of("plain");
  url.replace(url.find("user=troupe"), 11, "user=plain");
  const auto applied = must([&] {
    for (;;) // until the reload is through
      if (auto done = migrator(url).up())
        return done;
  }());
  BOOST_TEST(applied.size() == migrations().size());
  const auto sql = must(missing_roles(url));
  BOOST_TEST(sql.find("create role troupe_writer") != std::string::npos);
  auto log = must(open_postgres_journal({url, impatient()}));
  BOOST_TEST(must(log->tenant("default")) == 1);
  const auto refused_tenant = log->tenant("other");
  BOOST_REQUIRE(!refused_tenant);
  BOOST_TEST(refused_tenant.error().detail.find("set_up_roles") != std::string::npos);
  const auto row = must(log->create(1, "demo", this_process("one")));
  commit_one(*log, append_to(row, 0, {R"({"n":1})"}));
  BOOST_TEST(must(log->read(row.key, 0, 10)).size() == 1U);
  // an administrator runs what is missing of that SQL: from then on the roles are in force
  database_connection here(test_cluster().url_of("plain"));
  here.script("grant troupe_writer, troupe_reader to plain; select troupe.set_up_roles()");
  BOOST_TEST(must(missing_roles(url)).empty());
  log = must(open_postgres_journal({url, impatient()}));
  BOOST_TEST(must(log->tenant("other")) == 2);
  BOOST_TEST(must(log->read(row.key, 0, 10)).size() == 1U);
  commit_one(*log, append_to(row, 1, {R"({"n":2})"}));
  log.reset();
  admin.script("drop database plain with (force)");
  admin.script("drop role plain");
  std::ofstream(data / "pg_hba.conf") << "local all troupe peer map=troupe\n";
  admin.script("select pg_reload_conf()");
}

BOOST_AUTO_TEST_CASE(a_branch_reads_its_parents_events_up_to_the_cut) {
  postgres_world world;
  auto log = world.open();
  const auto node = this_process("one");
  const auto first = must(log->create(1, "first", node));
  commit_one(*log, append_to(first, 0, std::vector<std::string>(10, "\"first\"")));
  const auto fork = [&](const std::string& id, const session_row& parent, int cut) {
    world.sql("with b as (insert into troupe.branches (tenant_id, parent_id, cut_seq) values (1, "
        + std::to_string(parent.key.branch) + ", " + std::to_string(cut)
        + ") returning *) insert into troupe.sessions (tenant_id, branch_id, session_id, epoch, head_seq) "
          "select 1, branch_id, '"
        + id + "', 1, cut_seq from b");
    return must(log->find(1, id));
  };
  const auto second = fork("second", first, 7);
  commit_one(*log, append_to(second, 7, std::vector<std::string>(5, "\"second\""))); // 8…12
  const auto third = fork("third", second, 9);
  commit_one(*log, append_to(third, 9, {"\"third\""}));
  const auto early = fork("early", third, 3); // below its parent's and grandparent's cuts
  commit_one(*log, append_to(early, 3, {"\"early\""}));
  const auto texts = [&](const session_row& row, std::int64_t after, std::size_t limit) {
    std::string out;
    for (const auto& event : must(log->read(row.key, after, limit)))
      out += std::to_string(event.seq) + event.payload.substr(1, 1) + " ";
    return out;
  };
  BOOST_TEST(texts(second, 0, 100) == "1f 2f 3f 4f 5f 6f 7f 8s 9s 10s 11s 12s ");
  BOOST_TEST(texts(third, 0, 100) == "1f 2f 3f 4f 5f 6f 7f 8s 9s 10t ");
  BOOST_TEST(texts(third, 6, 3) == "7f 8s 9s ");
  BOOST_TEST(texts(early, 0, 100) == "1f 2f 3f 4e ");
  BOOST_TEST(texts(first, 0, 100) == "1f 2f 3f 4f 5f 6f 7f 8f 9f 10f ");
  BOOST_TEST(
      world.sql("select string_agg(seq || substr(payload, 2, 1), ' ' order by seq) from troupe.event_log "
                "where session = 'third'")
      == "1f 2f 3f 4f 5f 6f 7f 8s 9s 10t");
  BOOST_TEST(
      world.sql("select string_agg(seq || substr(payload, 2, 1), ' ' order by seq) from troupe.event_log "
                "where session = 'early'")
      == "1f 2f 3f 4e");
}

BOOST_AUTO_TEST_CASE(moving_a_head_touches_no_index) {
  postgres_world world;
  {
    auto log = world.open();
    const auto row = must(log->create(1, "demo", this_process("one")));
    for (std::int64_t head = 0; head < 200; ++head) {
      auto what = append_to(row, head, {R"({"n":1})"});
      what.view = session_view{head % 2 ? "running" : "idle", head % 2 == 0,
          head % 3 ? std::optional(timestamp{1'800'000'000'000'000 + head}) : std::nullopt,
          R"({"usage":)" + std::to_string(head) + "}"};
      commit_one(*log, what);
    }
  } // the backend reports what it counted when it ends
  while (world.sql("select n_tup_upd from pg_stat_user_tables where relname = 'sessions'") != "200")
    ;
  BOOST_TEST(world.sql("select n_tup_hot_upd from pg_stat_user_tables where relname = 'sessions'") == "200");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::persistence
