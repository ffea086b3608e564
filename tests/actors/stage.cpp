// Puts nodes together from the same parts that the command uses, but for the store.
#include "tests/actors/stage.hpp"

#include "messages/event_codec.hpp"
#include "persistence/this_process.hpp"
#include "providers/anthropic/format.hpp"
#include "tests/support/log_rules.hpp"
#include "tests/support/verified.hpp"

namespace troupe::testing {

std::string hold_call(const std::string& name, const std::string& tool) {
  return R"({"call":{"name":")" + tool + R"(","arguments":{"name":")" + name + R"("}}})";
}

stage::stage(const std::string& rules, std::shared_ptr<tools::tool> tool)
    : reader_(persistence::make_memory_journal(store)) {
  providers::gym::server_settings settings;
  settings.rules = must(providers::gym::script::parse(rules));
  gym = must(providers::gym::server::start(std::move(settings)));
  tools_ = {make_hold(gates), make_big(), make_boom()};
  if (tool)
    tools_.push_back(std::move(tool));
  first_ = start("first");
}

actors::registered_provider stage::provider_of(const providers::gym::server& gym) {
  providers::http_provider_settings http;
  http.name = "gym";
  http.base_url = gym.base_url();
  actors::registered_provider out{
      providers::anthropic::make_provider(std::move(http)), {"gym", "claude-gym"}, 1};
  out.fact.compacts = true;
  return out;
}

std::unique_ptr<actors::node> stage::start(
    const std::string& name, const std::function<void(actors::node_settings&)>& tune) {
  actors::node_settings settings;
  settings.providers["gym"] = provider_of(*gym);
  for (const auto& tool : tools_)
    must(settings.tools.add(tool, "stage"));
  settings.identity = persistence::this_process(name);
  settings.lease = std::chrono::hours(1);
  settings.open_journal = [this]() -> result<std::shared_ptr<persistence::journal>> {
    persistence::patience waiting{std::chrono::milliseconds{1}, std::chrono::milliseconds{5}, {}};
    waiting.on_trouble = [this](const std::string&) {
      const std::lock_guard lock(mutex_);
      ++troubles_;
      troubled_.notify_all();
    };
    return std::shared_ptr<persistence::journal>(persistence::make_memory_journal(store, std::move(waiting)));
  };
  if (tune)
    tune(settings);
  return must(actors::node::start(std::move(settings)));
}

bool stage::wait_for_trouble(std::size_t times) {
  std::unique_lock lock(mutex_);
  return troubled_.wait_for(lock, patience, [&] { return troubles_ >= times; });
}

options stage::options_of(const std::string& id, const std::function<void(options&)>& tune) {
  options wanted;
  wanted.id = id;
  wanted.provider = "gym";
  wanted.tools = std::vector<std::string>{"stage"};
  if (tune)
    tune(wanted);
  return wanted;
}

actors::session_handle stage::open(const std::string& id, const std::function<void(options&)>& tune) {
  return must(node().open(options_of(id, tune), actors::opening::either));
}

persistence::session_row stage::row(const std::string& id) { return must(reader_->find(1, id)); }

std::vector<recorded_event> stage::stored(const std::string& id) {
  return must(reader_->read(row(id).key, 0, 1'000'000));
}

std::vector<event> stage::log(const std::string& id) {
  std::vector<event> out;
  for (const auto& one : stored(id))
    out.push_back(must(decode(one)));
  return out;
}

std::string stage::types(const std::string& id) {
  std::string out;
  for (const auto& one : stored(id))
    out += (out.empty() ? "" : " ") + one.type;
  return out;
}

std::size_t stage::count(const std::string& id, const std::string& type) {
  std::size_t out = 0;
  for (const auto& one : stored(id))
    out += one.type == type ? 1 : 0;
  return out;
}

std::string stage::wrong_with(const std::string& id, const std::set<std::string>& durable) {
  const auto found = row(id);
  if (const auto other = difference_in(*reader_, found); !other.empty())
    return other;
  return log_breach(log(id), durable).value_or("");
}

accept_message text_message(const std::string& text, const std::string& id, delivery how) {
  accept_message message;
  message.message_id = id;
  message.delivery = how;
  message.content = content(text);
  return message;
}

actors::acceptance say(
    actors::session_handle& session, const std::string& text, const std::string& id, delivery how) {
  return must(session.post(text_message(text, id, how)));
}

namespace {

session::state seen_at_rest(actors::session_handle& session, bool attention) {
  const auto seen = must(session.wait(attention, patience));
  if (!seen)
    BOOST_FAIL("the session `" + session.id() + "` doesn't come to rest");
  return **seen;
}

} // namespace

session::state until_idle(actors::session_handle& session) { return seen_at_rest(session, false); }
session::state until_attention(actors::session_handle& session) { return seen_at_rest(session, true); }

event await(actors::live_stream& stream, const std::string& type) {
  while (const auto item = stream.next(patience))
    if (const auto* const stored = std::get_if<recorded_event>(&*item); stored && stored->type == type)
      return must(decode(*stored));
  BOOST_FAIL("no " + type + " came");
  return {};
}

} // namespace troupe::testing
