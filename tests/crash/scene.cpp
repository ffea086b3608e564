// Sets the scene, and judges what is left after the crash.
#include "tests/crash/scene.hpp"

#include "messages/event_codec.hpp"
#include "tests/persistence/processes.hpp"
#include "tests/support/log_rules.hpp"
#include "tests/support/verified.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

namespace troupe::testing {

std::string shell_calls(const std::vector<std::string>& commands) {
  std::string steps;
  for (const auto& command : commands)
    steps += (steps.empty() ? "" : ",")
        + (R"({"call":{"name":"shell","arguments":{"command":)" + json::quote(command) + "}}}");
  return steps;
}

namespace {

// Open for both ways, so that neither side waits for the other to come.
int make_pipe(const std::filesystem::path& path) {
  ::mkfifo(path.c_str(), 0600);
  return ::open(path.c_str(), O_RDWR | O_CLOEXEC);
}

std::vector<event> decoded(const std::vector<recorded_event>& log) {
  std::vector<event> out;
  for (const auto& stored : log)
    out.push_back(must(decode(stored)));
  return out;
}

// Once, at its place, and taken no more than once.
void check_message(const std::vector<event>& log, const accepted_message& accepted) {
  std::size_t queued = 0;
  std::size_t taken = 0;
  for (const auto& happened : log) {
    if (const auto* const message = std::get_if<message_queued>(&happened.data);
        message && message->message_id == accepted.id) {
      ++queued;
      BOOST_TEST(happened.seq == accepted.seq);
    }
    if (const auto* const some = std::get_if<messages_consumed>(&happened.data))
      taken += static_cast<std::size_t>(
          std::count(some->message_ids.begin(), some->message_ids.end(), accepted.id));
  }
  BOOST_TEST(queued == 1U, "message " << accepted.id << " is there " << queued << " times");
  BOOST_TEST(taken <= 1U, "message " << accepted.id << " was taken " << taken << " times");
}

} // namespace

void check_whole(
    persistence::journal& journal, const std::string& id, const std::vector<accepted_message>& accepted) {
  const auto row = must(journal.find(1, id));
  const auto stored = must(journal.read(row.key, 0, 1'000'000));
  BOOST_TEST(difference_in(journal, row) == "");
  const auto log = decoded(stored);
  BOOST_TEST(log_breach(log, {"read_file", "list_dir", "search_text"}).value_or("") == "");
  BOOST_TEST(row.view.status == "idle");
  for (const auto& one : accepted)
    check_message(log, one);
  for (const auto& finished : all_of<inference_finished>(log))
    BOOST_TEST((finished.state != inference_state::error));
}

bool all_taken(persistence::journal& journal, const std::string& id, std::size_t messages) {
  std::size_t queued = 0;
  std::size_t taken = 0;
  for (const auto& happened : decoded(must(journal.read(must(journal.find(1, id)).key, 0, 1'000'000)))) {
    queued += std::holds_alternative<message_queued>(happened.data) ? 1 : 0;
    if (const auto* const some = std::get_if<messages_consumed>(&happened.data))
      taken += some->message_ids.size();
  }
  return queued == messages && taken == messages;
}

std::unique_ptr<providers::gym::server> start_gym(const std::string& rules) {
  providers::gym::server_settings settings;
  settings.rules = must(providers::gym::script::parse(rules));
  return must(providers::gym::server::start(std::move(settings)));
}

scene::scene(const std::string& rules) : gym(start_gym(rules)), journal_(world.open()) {
  told_ = make_pipe(scratch_.path / "told");
  gate_ = make_pipe(scratch_.path / "gate");
}

scene::~scene() {
  ::close(told_);
  ::close(gate_);
}

program scene::start(const std::vector<std::string>& words) const {
  std::vector<std::string> all{
      std::string(TROUPE_BINARY_DIR) + "/bin/crash_driver", world.url, gym->base_url(), folder().string()};
  all.insert(all.end(), words.begin(), words.end());
  return program(all);
}

void scene::finish(const std::vector<std::string>& words) const {
  auto driver = start(words);
  const int status = driver.end();
  BOOST_TEST(status == 0, "the driver said:\n" << driver.everything());
}

std::size_t scene::lines(const std::string& file, const std::string& line) const {
  std::ifstream in(folder() / file);
  std::size_t found = 0;
  for (std::string read; std::getline(in, read);)
    found += read == line ? 1 : 0;
  return found;
}

void scene::wait_until_told() {
  pollfd readable{told_, POLLIN, 0};
  char byte = 0;
  do {
    if (::poll(&readable, 1, std::chrono::milliseconds(patience).count()) != 1
        || ::read(told_, &byte, 1) != 1)
      BOOST_FAIL("no command told anything");
  } while (byte != '\n');
}

void scene::wait_for_the_command() const {
  std::ifstream in(folder() / "pids");
  pid_t pid = 0;
  for (pid_t read = 0; in >> read;)
    pid = read;
  BOOST_TEST(persistence::wait_for_end(pid));
}

void scene::open_gate() { BOOST_TEST(::write(gate_, "go\n", 3) == 3); }

std::vector<event> scene::log() {
  return decoded(must(journal_->read(must(journal_->find(1, "s")).key, 0, 1'000'000)));
}

std::string scene::types() {
  std::string out;
  for (const auto& happened : log())
    out += (out.empty() ? "" : " ") + std::string(type_name(happened.data));
  return out;
}

std::size_t scene::count(const std::string& type) {
  std::size_t found = 0;
  for (const auto& happened : log())
    found += type_name(happened.data) == type ? 1 : 0;
  return found;
}

std::string scene::status() { return must(journal_->find(1, "s")).view.status; }

void scene::check_whole(const std::vector<std::string>& accepted_lines) {
  std::vector<accepted_message> accepted;
  for (const auto& line : accepted_lines) {
    std::istringstream words(line);
    std::string verb;
    words >> verb >> accepted.emplace_back().id >> accepted.back().seq;
  }
  testing::check_whole(*journal_, "s", accepted);
}

} // namespace troupe::testing
