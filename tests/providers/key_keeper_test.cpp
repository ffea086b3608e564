// The key of a provider: kept for its time, asked for once by many, and asked for anew when it was refused.
#include "providers/key_keeper.hpp"

#include <boost/test/unit_test.hpp>

#include <condition_variable>
#include <deque>
#include <future>

namespace troupe::providers {

BOOST_AUTO_TEST_SUITE(key_keepers)

namespace {

using namespace std::chrono_literals;

/// Something that knows keys, gives one after the other, and can be made to wait.
class locksmith {
 public:
  credential_settings settings(std::chrono::seconds kept) {
    credential_settings out;
    out.command = [this] { return next(); };
    out.end_command = [this] { open(); };
    out.command_for = kept;
    return out;
  }
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  void shut() {
    const std::lock_guard lock(mutex_);
    open_ = false;
  }
  void wait_until_asked(int times) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return asked_ >= times; });
  }
  int asked() {
    const std::lock_guard lock(mutex_);
    return asked_;
  }
  std::deque<result<std::string>> keys;

 private:
  result<std::string> next() {
    std::unique_lock lock(mutex_);
    ++asked_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return open_; });
    auto key = keys.front();
    keys.pop_front();
    return key;
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = true;
  int asked_ = 0;
};

struct fixture {
  locksmith smith;
  key_keeper::time now{};
  std::shared_ptr<key_keeper> keeper;

  explicit fixture(std::deque<result<std::string>> keys, std::chrono::seconds kept = 300s) {
    smith.keys = std::move(keys);
    keeper = std::make_shared<key_keeper>(smith.settings(kept), [this] { return now; });
  }
  ~fixture() { keeper->close(); }
  fixture(const fixture&) = delete;
  fixture& operator=(const fixture&) = delete;

  std::future<result<key_keeper::found>> ask_for() {
    const auto told = std::make_shared<std::promise<result<key_keeper::found>>>();
    keeper->ask([told](const result<key_keeper::found>& key) { told->set_value(key); });
    return told->get_future();
  }
  /// As a provider does it.
  key_keeper::found key() {
    if (const auto here = keeper->at_hand())
      return **here;
    return ask_for().get().value();
  }
};

} // namespace

BOOST_AUTO_TEST_CASE(a_key_is_kept_for_its_time) {
  fixture f({"one\n", "two\n"});
  BOOST_TEST(f.key().key.reveal() == "one");
  f.now += 299s;
  BOOST_TEST(f.key().key.reveal() == "one");
  BOOST_TEST(f.key().kept);
  f.now += 1s;
  BOOST_TEST(f.key().key.reveal() == "two");
  BOOST_TEST(f.smith.asked() == 2);
}

BOOST_AUTO_TEST_CASE(without_a_time_each_inference_asks) {
  fixture f({"one", "two"}, 0s);
  BOOST_TEST(f.key().key.reveal() == "one");
  BOOST_TEST(f.key().key.reveal() == "two");
}

BOOST_AUTO_TEST_CASE(those_who_come_while_it_runs_share_its_answer) {
  fixture f({"one", "two"});
  f.smith.shut();
  auto first = f.ask_for();
  f.smith.wait_until_asked(1);
  auto second = f.ask_for();
  auto third = f.ask_for();
  f.smith.open();
  BOOST_TEST(first.get()->key.reveal() == "one");
  BOOST_TEST(second.get()->key.reveal() == "one");
  BOOST_TEST(third.get()->key.reveal() == "one");
  BOOST_TEST(f.smith.asked() == 1);
}

BOOST_AUTO_TEST_CASE(a_refused_key_is_given_out_no_more) {
  fixture f({"old", "new", "newer"});
  const auto fresh = f.key();
  BOOST_TEST(!f.keeper->refused(fresh)); // it came a moment ago: another one is no better
  const auto next = f.key();
  BOOST_TEST(next.key.reveal() == "new");
  const auto kept = f.key();
  BOOST_TEST(f.keeper->refused(kept));
  BOOST_TEST(f.key().key.reveal() == "newer");
  // another one that had the old key is told that there is a newer one, which stays
  BOOST_TEST(f.keeper->refused(kept));
  BOOST_TEST(f.key().key.reveal() == "newer");
  BOOST_TEST(f.smith.asked() == 3);
}

BOOST_AUTO_TEST_CASE(a_failure_is_told_and_not_kept) {
  fixture f({problem{problem_code::unavailable, "`keys` ended with exit status 3", {}}, "  \n", "two\nlines",
      "key"});
  BOOST_TEST(f.ask_for().get().error().detail
      == "no API key: the command (api_key_command) `keys` ended with exit status 3");
  BOOST_TEST(f.ask_for().get().error().detail.find("gives nothing") != std::string::npos);
  const auto lines = f.ask_for().get().error().detail;
  BOOST_TEST(lines.find("more than one line") != std::string::npos, lines);
  BOOST_TEST(lines.find("two") == std::string::npos, lines);
  BOOST_TEST(f.key().key.reveal() == "key");
}

BOOST_AUTO_TEST_CASE(an_end_ends_the_command_and_answers_those_who_wait) {
  fixture f({problem{problem_code::unavailable, "`keys` was stopped", {}}});
  f.smith.shut();
  auto waiting = f.ask_for();
  f.smith.wait_until_asked(1);
  f.keeper->close();
  BOOST_TEST(!waiting.get());
  BOOST_TEST(!f.ask_for().get()); // and nothing is asked any more
  BOOST_TEST(f.smith.asked() == 1);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::providers
