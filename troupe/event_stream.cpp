// Events from the node's stream, until its session is idle.
#include <troupe/agent.hpp>
#include <troupe/event_stream.hpp>

#include "messages/event_codec.hpp"
#include "troupe/running_system.hpp"

namespace troupe {

namespace {

/// How long an ending of the system may have to wait for a reader; the session is looked at as often.
constexpr std::chrono::milliseconds looks_at_session_every{100};

} // namespace

class event_stream::source {
 public:
  source(std::shared_ptr<library::running_system> of, std::string id, event_range wanted)
      : of_(std::move(of)), id_(std::move(id)), seen_(wanted.after), follows_(wanted.follow) {
    const auto row = of_->wait<persistence::session_row>(
                            [&](actors::reception& desk, auto answer) { desk.row(id_, std::move(answer)); })
                         .value();
    stream_ = of_->open_stream(row.key, wanted.after, wanted.follow).value();
  }
  ~source() {
    const library::running_system::borrowed_node node(*of_); // it doesn't end while its stream does
    stream_.reset();
  }
  source(const source&) = delete;
  source& operator=(const source&) = delete;

  std::optional<event> next() {
    while (true) {
      const library::running_system::borrowed_node node(*of_); // it doesn't end while its stream is asked
      if (!node)
        throw error(library::system_has_ended());
      auto& stream = **stream_;
      const auto item = stream.next(came_ ? std::chrono::milliseconds(0) : looks_at_session_every);
      came_ = item.has_value();
      if (!item && stream.ended()) {
        if (stream.overflowed() || follows_)
          throw error({problem_code::unavailable,
              "the events of session `" + id_ + "` came faster than they were read; go on after event "
                  + std::to_string(seen_),
              {}});
        return std::nullopt;
      }
      if (!item && follows_ && is_over())
        return std::nullopt;
      const auto* const stored = item ? std::get_if<recorded_event>(&*item) : nullptr;
      if (!stored)
        continue;
      seen_ = stored->seq;
      return decode(*stored).value();
    }
  }

 private:
  /// Nothing runs or is about to, and all that happened was seen.
  bool is_over() const {
    const auto now = of_->wait<std::shared_ptr<const session::state>>(
        [&](actors::reception& desk, auto answer) { desk.look(id_, std::move(answer)); });
    if (!now && now.error().code == problem_code::timeout)
      return false; // it waits for the database
    const auto& state = *now.value();
    const auto status = session::status(state);
    return state.head <= seen_ && status != "running" && status != "waiting" && !session::needs_work(state);
  }

  std::shared_ptr<library::running_system> of_;
  std::string id_;
  std::int64_t seen_;
  bool follows_;
  bool came_ = true;
  std::shared_ptr<library::running_system::open_stream_of_node> stream_;
};

event_stream::event_stream(std::unique_ptr<source> from) : from_(std::move(from)) {}
event_stream::event_stream(event_stream&&) noexcept = default;
event_stream& event_stream::operator=(event_stream&&) noexcept = default;
event_stream::~event_stream() = default;

std::optional<event> event_stream::next() { return from_->next(); }

event_stream agent::events(event_range wanted) {
  return event_stream(std::make_unique<event_stream::source>(of_, id_, wanted));
}

} // namespace troupe
