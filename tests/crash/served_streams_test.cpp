// Readers of a server that dies again and again under load: whatever they were shown is what was committed.
#include "tests/crash/scene.hpp"
#include "tests/crash/stream_follower.hpp"

#include "messages/json.hpp"

#include <algorithm>

namespace troupe::testing {

BOOST_AUTO_TEST_SUITE(served_streams)

namespace {

constexpr int sessions = 3;
constexpr int messages_each = 12;
constexpr int kills = 4;

const std::string talk =
    R"({"when":{"has_tool_result":true},"reply":[{"chunk_bytes":3},{"text":"Nothing there."}]}
{"when":{"last_user_contains":"list"},"reply":[{"text":"I look. "},{"call":{"name":"list_dir","arguments":{}}},)"
    R"({"call":{"name":"list_dir","arguments":{"path":"."}}}]}
{"reply":[{"chunk_bytes":5},{"thinking":"Hm, 考え… the question is simple."},{"delay_ms":15},)"
    R"({"text":"Grüße aus Zürich, 世界. "},{"delay_ms":15},{"text":"\"Quoted\"\nand on 🙂🙂🙂 "},)"
    R"({"delay_ms":15},{"text":"to the very end of what there is to say about it."}]})";

/// The ones that are always tried, or the one behind `--` on the command line.
std::vector<unsigned> seeds() {
  const auto& given = boost::unit_test::framework::master_test_suite();
  if (given.argc > 1)
    return {static_cast<unsigned>(std::stoul(given.argv[1]))};
  return {1, 2, 3};
}

std::string session_id(int number) { return "s" + std::to_string(number); }

/// Posts until each message has its 202, whatever happens to the server; sometimes waits for the answer.
class poster {
 public:
  poster(server_program& server, std::string session, unsigned seed)
      : server_(server), session_(std::move(session)), random_(seed), thread_([this] { run(); }) {}
  ~poster() { join(); }
  poster(const poster&) = delete;
  poster& operator=(const poster&) = delete;
  void join() {
    if (thread_.joinable())
      thread_.join();
  }
  std::vector<accepted_message> accepted;
  std::vector<std::string> refused; ///< what should have been accepted

 private:
  void run() {
    for (int i = 0; i < messages_each; ++i) {
      const std::string id = session_ + "-m" + std::to_string(i);
      const std::string body = std::string(R"({"delivery":")") + (random_() % 3 == 0 ? "steer" : "send")
          + R"(","content":")" + (random_() % 4 == 0 ? "list it" : "Grüß Gott") + R"(","id":")" + id + "\"}";
      const auto got = server_.ask_until_answered("POST", "/v1/sessions/" + session_ + "/messages", body);
      if (got.status == 202)
        accepted.push_back({session_, id, std::stoll(got.at("seq"))});
      else
        refused.push_back(std::to_string(got.status) + " " + got.body);
      if (random_() % 3 == 0)
        server_.ask_until_answered("GET", "/v1/sessions/" + session_ + "/wait?timeout_ms=20000");
    }
  }
  server_program& server_;
  std::string session_;
  std::mt19937 random_;
  std::thread thread_;
};

std::vector<std::string> pages_of(const server_program& server, const std::string& id) {
  std::vector<std::string> out;
  while (true) {
    const auto page =
        server.get("/v1/sessions/" + id + "/events?limit=1000&after=" + std::to_string(out.size()));
    if (page.size("events") == 0)
      return out;
    for (std::size_t i = 0; i < page.size("events"); ++i)
      out.push_back(page.at("events/" + std::to_string(i)));
  }
}

/// Kills the server when the readers have come so far as chance says.
void kill_again_and_again(server_program& server, std::mt19937& random,
    const std::vector<std::unique_ptr<stream_follower>>& readers, const std::atomic<bool>& posted) {
  const auto so_far = [&] {
    std::int64_t all = 0;
    for (const auto& one : readers)
      all += one->account().last();
    return all;
  };
  for (int round = 0; round < kills; ++round) {
    const auto enough = so_far() + static_cast<std::int64_t>(60 + random() % 240);
    while (so_far() < enough && !posted)
      std::this_thread::yield();
    server.kill();
    server.start();
  }
}

} // namespace

BOOST_AUTO_TEST_CASE(readers_miss_nothing_and_see_nothing_twice_over_the_deaths_of_a_server_under_load) {
  for (const unsigned seed : seeds()) {
    BOOST_TEST_MESSAGE("seed " << seed);
    BOOST_TEST_CONTEXT("seed " << seed) {
      std::mt19937 random(seed);
      scene place(talk);
      server_program server(place.world.url, place.gym->base_url(), "retry_base_ms = 1\n");
      server.start();
      std::vector<std::unique_ptr<stream_follower>> readers;
      std::vector<std::unique_ptr<poster>> posters;
      for (int i = 0; i < sessions; ++i) {
        server.make(session_id(i));
        for (const auto how : {habit::steady, habit::after_every_event, habit::at_any_byte})
          readers.push_back(std::make_unique<stream_follower>(server, session_id(i), how, random()));
        posters.push_back(std::make_unique<poster>(server, session_id(i), random()));
      }
      std::atomic<bool> posted{false};
      std::thread waiting([&] {
        for (const auto& one : posters)
          one->join();
        posted = true;
      });
      kill_again_and_again(server, random, readers, posted);
      waiting.join();
      const auto journal = place.world.open();
      std::size_t joined = 0;
      std::size_t partials = 0;
      for (int i = 0; i < sessions; ++i) {
        const auto head = std::stoll(server.until_idle(session_id(i)).at("head_seq"));
        const auto pages = pages_of(server, session_id(i));
        BOOST_TEST(pages.size() == static_cast<std::size_t>(head));
        for (std::size_t r = 0; r < 3; ++r) {
          auto& reader = *readers[static_cast<std::size_t>(i) * 3 + r];
          reader.end_at(head);
          reader.join();
          for (const auto& breach : reader.account().breaches())
            BOOST_ERROR("reader " << r << " of session " << i << ": " << breach);
          BOOST_TEST((reader.account().events() == pages), "reader " << r << " of session " << i);
          joined += reader.account().blocks_joined();
          partials += reader.account().partials();
        }
        const auto& poster = *posters[static_cast<std::size_t>(i)];
        for (const auto& refusal : poster.refused)
          BOOST_ERROR("refused: " << refusal);
        check_whole(*journal, session_id(i), poster.accepted);
        BOOST_TEST(all_taken(*journal, session_id(i), messages_each));
      }
      BOOST_TEST_MESSAGE(joined << " blocks came live as they were committed, " << partials << " partials");
      BOOST_TEST(joined > 0U);
      BOOST_TEST(server.get("/readyz").status == 200);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::testing
