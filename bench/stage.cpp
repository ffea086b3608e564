// Sets the stage up and takes it down.
#include "bench/stage.hpp"

#include "bench/meters.hpp"
#include "persistence/migrator.hpp"
#include "persistence/postgres_journal.hpp"
#include "persistence/this_process.hpp"
#include "providers/anthropic/format.hpp"

#include <atomic>
#include <fstream>
#include <future>
#include <stdexcept>

#include <unistd.h>

namespace troupe::bench {

namespace {

// A tool that costs nothing, so that what is measured is the way to it and back.
class cheap_tool final : public tools::tool {
 public:
  cheap_tool(std::string name, std::function<content(const std::string& arguments)> answer)
      : answer_(std::move(answer)) {
    spec_.name = std::move(name);
    spec_.description = "Gives back a text.";
    spec_.parameters = {R"({"type":"object","properties":{"text":{"type":"string"}},"required":["text"]})"};
    spec_.durable = true;
  }
  const tools::tool_spec& spec() const override { return spec_; }
  tools::output run(const tools::call& call) override {
    tools::output out;
    out.content = answer_(call.arguments.text);
    return out;
  }

 private:
  tools::tool_spec spec_;
  std::function<content(const std::string&)> answer_;
};

content a_page() {
  std::string text = random_words(1024);
  text.resize(4096);
  return text;
}

} // namespace

void must(const result<void>& got) {
  if (!got)
    throw std::runtime_error(got.error().detail);
}

stage::stage(std::filesystem::path troupe) : troupe_(std::move(troupe)) {
  std::string name = (std::filesystem::temp_directory_path() / "troupe-bench-XXXXXX").string();
  if (!mkdtemp(name.data()))
    throw std::runtime_error("no scratch folder");
  folder_ = name;
  std::filesystem::permissions(folder_, std::filesystem::perms(0755));
  const auto script = folder_ / "gym.jsonl";
  std::ofstream(script) << gym_script();
  gym_.emplace(std::vector<std::string>{
      troupe_.string(), "gym", "--listen", "127.0.0.1:0", "--script", script.string()});
  cluster_ = must(persistence::private_cluster::open(folder_ / "data"));
  must(persistence::migrator(cluster_->url()).up());
  provider_ = providers::anthropic::make_provider(gym_client());
  node_ = must(actors::node::start(node_settings()));
}

stage::~stage() {
  node_.reset();
  provider_.reset();
  gym_.reset();
  cluster_.reset();
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string stage::fresh_database(const std::string& name) {
  database_meter(database_url()).query("create database " + name);
  auto url = cluster_->url_of(name);
  must(persistence::migrator(url).up());
  return url;
}

providers::http_provider_settings stage::gym_client() const {
  providers::http_provider_settings http;
  http.name = "gym";
  http.base_url = gym_url();
  http.max_concurrent = 1024;
  return http;
}

actors::node_settings stage::node_settings() const {
  actors::node_settings settings;
  settings.providers["gym"] = {provider_, {"gym", "claude-gym"}, 250};
  must(settings.tools.add(
      std::make_shared<cheap_tool>("echo", [](const std::string& text) { return content(text); })));
  must(settings.tools.add(std::make_shared<cheap_tool>("page", [](const std::string&) { return a_page(); })));
  settings.identity = persistence::this_process("bench");
  settings.open_journal = [this]() -> result<std::shared_ptr<persistence::journal>> {
    auto journal = persistence::open_postgres_journal({cluster_->url(), {}});
    if (!journal)
      return journal.error();
    return std::shared_ptr<persistence::journal>(std::move(*journal));
  };
  return settings;
}

std::vector<std::string> stage::troupe_words(const std::string& gym_url) const {
  const auto file = folder_ / ("troupe-" + gym_url.substr(gym_url.rfind(':') + 1) + ".toml");
  std::ofstream(file) << "[providers.gym]\napi = \"anthropic-messages\"\ntype = \"gym\"\nbase_url = \""
                      << gym_url << "\"\ndefault_model = \"claude-gym\"\n";
  return {troupe_.string(), "--config", file.string()};
}

std::vector<actors::session_handle> open_sessions(actors::node& node, std::size_t count) {
  static std::atomic<std::size_t> opened{0};
  std::vector<std::future<actors::session_handle>> coming;
  for (std::size_t i = 0; i < count; ++i) {
    options wanted;
    wanted.id = "bench-" + std::to_string(++opened);
    wanted.provider = "gym";
    wanted.tools = std::vector<std::string>{"echo", "page"};
    auto promise = std::make_shared<std::promise<actors::session_handle>>();
    coming.push_back(promise->get_future());
    node.open(
        std::move(wanted), actors::opening::create, true, [promise](result<actors::session_handle> made) {
          if (made)
            promise->set_value(std::move(*made));
          else
            promise->set_exception(std::make_exception_ptr(std::runtime_error(made.error().detail)));
        });
  }
  std::vector<actors::session_handle> out;
  for (auto& one : coming)
    out.push_back(one.get());
  return out;
}

} // namespace troupe::bench
