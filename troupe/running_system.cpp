// Starting and ending, and what is followed meanwhile.
#include "troupe/running_system.hpp"

#include "telemetry/log.hpp"

namespace troupe::library {

namespace {

/// How long an ending may have to wait for a thread that has nothing to tell.
constexpr std::chrono::milliseconds looks_up_every{50};

} // namespace

problem system_has_ended() {
  return {problem_code::unavailable, "this system has ended; open the session with another one", {}};
}

void tell_thrown(const std::exception_ptr& what) {
  std::string why = "something that is no std::exception";
  try {
    std::rethrow_exception(what);
  } catch (const std::exception& thrown) {
    why = thrown.what();
  } catch (...) { // whatever it was: it is told below
  }
  telemetry::log(telemetry::level::error, "a continuation threw", {{"what", why}});
}

running_system::borrowed_node::borrowed_node(running_system& of) : of_(of), node_(nullptr) {
  const std::scoped_lock lock(of_.mutex_);
  if (of_.ended_)
    return;
  ++of_.borrowed_;
  node_ = of_.node_.get();
}

running_system::borrowed_node::~borrowed_node() {
  if (!node_)
    return;
  const std::scoped_lock lock(of_.mutex_);
  --of_.borrowed_;
  of_.given_back_.notify_all();
}

running_system::running_system(config::configuration settings, database opened)
    : settings_(std::move(settings)), database_(std::move(opened)) {}

result<std::shared_ptr<running_system>> running_system::start(config::configuration settings,
    const std::vector<std::shared_ptr<tools::tool>>& tools, bool takes_over, std::chrono::milliseconds rest) {
  auto opened = open_database(settings);
  if (!opened)
    return opened.error();
  std::shared_ptr<running_system> made(new running_system(std::move(settings), *std::move(opened)));
  auto parts =
      node_settings_of(made->settings_, made->database_, takes_over ? node_role::server : node_role::command);
  if (!parts)
    return parts.error();
  for (const auto& tool : tools)
    if (const auto added = parts->tools.add(tool); !added)
      return added.error();
  parts->rest_before_leaving = rest;
  auto node = actors::node::start(std::move(*parts));
  if (!node)
    return node.error();
  made->node_ = std::move(*node);
  made->desk_ = std::make_unique<actors::reception>(*made->node_);
  return made;
}

running_system::~running_system() { end(); }

bool running_system::is_ending() {
  const std::scoped_lock lock(mutex_);
  return ended_;
}

// Who waits for a text is let go first, then who reads, then who waits for the node; those who tell come
// last, since they may have waited for any of that.
void running_system::end() {
  std::multimap<std::string, std::unique_ptr<text_follower>> followers;
  std::unique_ptr<actors::node> node;
  {
    std::unique_lock lock(mutex_);
    if (ended_)
      return;
    ended_ = true;
    for (const auto& [session, follower] : followers_)
      follower->how_far()->end();
    given_back_.wait(lock, [this] { return borrowed_ == 0; });
    for (const auto& one : streams_)
      if (const auto stream = one.lock())
        stream->reset();
    streams_.clear();
    followers.swap(followers_);
    node = std::move(node_);
  }
  node.reset();
  followers.clear();
  database_ = {};
}

result<std::shared_ptr<running_system::open_stream_of_node>> running_system::open_stream(
    const persistence::session_key& session, std::int64_t after, bool follow) {
  const borrowed_node node(*this);
  if (!node)
    return system_has_ended();
  auto made = std::make_shared<open_stream_of_node>(node->follow(session, after, follow));
  const std::scoped_lock lock(mutex_);
  std::erase_if(streams_, [](const auto& one) { return one.expired(); });
  streams_.push_back(made);
  return made;
}

void running_system::close_stream(const std::shared_ptr<open_stream_of_node>& stream) {
  const std::scoped_lock lock(mutex_); // not while the system ends
  stream->reset();
}

next_item running_system::texts_of(const persistence::session_row& row) {
  struct reading {
    std::shared_ptr<open_stream_of_node> stream;
    std::int64_t seen;
  };
  const auto at = std::make_shared<reading>(reading{nullptr, row.head});
  return [this, at, key = row.key]() -> std::optional<std::optional<actors::stream_item>> {
    const borrowed_node node(*this);
    if (!node)
      return std::nullopt;
    if (!at->stream || !*at->stream) {
      const auto opened = open_stream(key, at->seen, true);
      if (!opened)
        return std::nullopt;
      at->stream = *opened;
    }
    auto item = (*at->stream)->next(looks_up_every);
    if (const auto* const stored = item ? std::get_if<recorded_event>(&*item) : nullptr)
      at->seen = stored->seq;
    if (item || !(*at->stream)->ended())
      return item;
    if (!(*at->stream)->overflowed())
      return std::nullopt;    // the session is erased
    close_stream(at->stream); // who is told was too slow: on from there
    return std::optional<actors::stream_item>();
  };
}

result<void> running_system::follow_text(
    const std::string& session, std::function<void(std::string_view)> told) {
  const auto row = wait<persistence::session_row>(
      [&](actors::reception& desk, auto answer) { desk.row(session, std::move(answer)); });
  if (!row)
    return row.error();
  const borrowed_node node(*this);
  if (!node)
    return system_has_ended();
  auto follower = std::make_unique<text_follower>(texts_of(*row), row->head, std::move(told));
  const std::scoped_lock lock(mutex_);
  followers_.emplace(session, std::move(follower));
  return {};
}

void running_system::wait_for_text(
    const std::string& session, std::int64_t seq, std::chrono::steady_clock::time_point until) {
  std::vector<std::shared_ptr<text_follower::progress>> all;
  {
    const std::scoped_lock lock(mutex_);
    const auto [from, to] = followers_.equal_range(session);
    for (auto one = from; one != to; ++one)
      all.push_back(one->second->how_far());
  }
  for (const auto& one : all)
    one->wait_for(seq, until);
}

} // namespace troupe::library
