// Sets the stage up and takes it down.
#include "bench/stage.hpp"

#include "persistence/migrator.hpp"
#include "persistence/postgres_journal.hpp"
#include "persistence/this_process.hpp"
#include "providers/anthropic/format.hpp"

#include <array>
#include <atomic>
#include <condition_variable>
#include <csignal>
#include <fstream>
#include <mutex>
#include <stdexcept>

#include <sys/wait.h>
#include <unistd.h>

namespace troupe::bench {

namespace {

// A tool that costs nothing, so that what is measured is the way to it and back.
class echo final : public tools::tool {
 public:
  echo() {
    spec_.name = "echo";
    spec_.description = "Gives back what it is given.";
    spec_.parameters = {R"({"type":"object","properties":{"text":{"type":"string"}},"required":["text"]})"};
    spec_.durable = true;
  }
  const tools::tool_spec& spec() const override { return spec_; }
  tools::output run(const tools::call& call) override {
    tools::output out;
    out.content = content(call.arguments.text);
    return out;
  }

 private:
  tools::tool_spec spec_;
};

std::string script() {
  std::string words;
  for (int i = 0; i < 40; ++i)
    words += "word ";
  std::string paced;
  for (int i = 0; i < 40; ++i)
    paced += R"({"text":"word "},{"delay_ms":2},)";
  paced.pop_back();
  const std::string simple = R"({"chunk_bytes":5},{"text":")" + words + R"("})";
  const auto call = [](const char* text) {
    return std::string(R"({"call":{"name":"echo","arguments":{"text":")") + text + R"("}}})";
  };
  const auto rule = [](const std::string& when, const std::string& reply) {
    return "{\"when\":{" + when + "},\"reply\":[" + reply + "]}\n";
  };
  return rule(R"("has_tool_result":true)", simple)
      + rule(R"("last_user_contains":"tool")", call("one") + "," + call("two"))
      + rule(R"("last_user_contains":"paced")", paced) + "{\"reply\":[" + simple + "]}\n";
}

template <class T> T must(result<T> got) {
  if (!got)
    throw std::runtime_error(got.error().detail);
  return std::move(*got);
}

void must(const result<void>& got) {
  if (!got)
    throw std::runtime_error(got.error().detail);
}

} // namespace

const char* name_of(turn_kind kind) {
  return kind == turn_kind::simple ? "simple" : kind == turn_kind::tool ? "tool" : "paced";
}
std::string prompt_of(turn_kind kind) { return std::string("A ") + name_of(kind) + " turn, please."; }

void stage::start_gym(const std::filesystem::path& troupe) {
  std::ofstream(folder_ / "gym.jsonl") << script();
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0)
    throw std::runtime_error("no pipe");
  const std::string file = (folder_ / "gym.jsonl").string();
  gym_ = fork();
  if (gym_ == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    execl(troupe.c_str(), "troupe", "gym", "--listen", "127.0.0.1:0", "--script", file.c_str(), nullptr);
    _exit(127);
  }
  close(ends[1]);
  std::string line;
  char c = 0;
  while (read(ends[0], &c, 1) == 1 && c != '\n')
    line.push_back(c);
  close(ends[0]);
  if (line.find("http://") == std::string::npos)
    throw std::runtime_error("the gym didn't start: " + line);
  gym_url_ = line.substr(line.find("http://"));
}

stage::stage(const std::filesystem::path& troupe) {
  std::string name = (std::filesystem::temp_directory_path() / "troupe-bench-XXXXXX").string();
  if (!mkdtemp(name.data()))
    throw std::runtime_error("no scratch folder");
  folder_ = name;
  std::filesystem::permissions(folder_, std::filesystem::perms(0755));
  start_gym(troupe);
  cluster_ = must(persistence::private_cluster::open(folder_ / "data"));
  must(persistence::migrator(cluster_->url()).up());
  actors::node_settings settings;
  providers::http_provider_settings http;
  http.name = "gym";
  http.base_url = gym_url_;
  http.max_concurrent = 1024;
  provider_ = providers::anthropic::make_provider(std::move(http));
  settings.providers["gym"] = {provider_, {"gym", "claude-gym"}, 250};
  must(settings.tools.add(std::make_shared<echo>()));
  settings.identity = persistence::this_process("bench");
  settings.open_journal = [this]() -> result<std::shared_ptr<persistence::journal>> {
    auto journal = persistence::open_postgres_journal({cluster_->url(), {}});
    if (!journal)
      return journal.error();
    return std::shared_ptr<persistence::journal>(std::move(*journal));
  };
  node_ = must(actors::node::start(std::move(settings)));
}

stage::~stage() {
  node_.reset();
  provider_.reset();
  kill(gym_, SIGTERM);
  waitpid(gym_, nullptr, 0);
  cluster_.reset();
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::vector<actors::session_handle> stage::open_sessions(std::size_t count) {
  std::vector<actors::session_handle> out;
  for (std::size_t i = 0; i < count; ++i) {
    options wanted;
    wanted.id = "bench-" + std::to_string(++opened_);
    wanted.provider = "gym";
    wanted.tools = std::vector<std::string>{"echo"};
    out.push_back(must(node_->open(std::move(wanted), actors::opening::create)));
  }
  return out;
}

double stage::gym_streams_per_second(turn_kind kind, std::size_t at_once, std::size_t count) {
  std::atomic<std::size_t> started{0};
  std::size_t ended = 0;
  std::mutex mutex;
  std::condition_variable all_ended;
  std::function<void()> next = [&] {
    if (started.fetch_add(1) >= count)
      return;
    providers::inference_request request;
    request.model = "claude-gym";
    request.messages = {{"user", {text_part{prompt_of(kind)}}, {}, std::nullopt, std::nullopt}};
    auto holder = std::make_shared<std::shared_ptr<providers::attempt>>();
    *holder = provider_->start(std::move(request), [&, holder](std::vector<providers::stream_event> events) {
      if (!std::holds_alternative<providers::attempt_finished>(events.back())) {
        if (*holder)
          (*holder)->acknowledge(1);
        return;
      }
      next();
      const std::lock_guard lock(mutex);
      if (++ended == count)
        all_ended.notify_all();
    });
  };
  const auto begin = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < at_once; ++i)
    next();
  std::unique_lock lock(mutex);
  all_ended.wait(lock, [&] { return ended == count; });
  return static_cast<double>(count)
      / std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

} // namespace troupe::bench
