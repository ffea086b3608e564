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
    if (wanted.after > row.head)
      throw error({problem_code::invalid_input,
          "`" + std::to_string(wanted.after) + "` is beyond the head of the session, which is "
              + std::to_string(row.head),
          {}});
    stream_ = of_->open_stream(row.key, wanted.after, wanted.follow).value();
  }
  ~source() { of_->close_stream(stream_); }
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
        if (!follows_ && !stream.overflowed())
          return std::nullopt;
        throw error(stream.overflowed() ? too_slow() : gone());
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
  problem too_slow() const {
    return {problem_code::unavailable,
        "the events of session `" + id_ + "` came faster than they were read; go on after event "
            + std::to_string(seen_),
        {}};
  }
  problem gone() const {
    return {problem_code::not_found, "the session `" + id_ + "` was erased while it was followed", {}};
  }
  /// Nothing runs or is about to, wherever the session is, and all that happened was seen.
  bool is_over() const {
    const auto now = of_->wait<actors::session_report>(
        [&](actors::reception& desk, auto answer) { desk.find(id_, std::move(answer)); });
    if (!now && (now.error().code == problem_code::timeout || now.error().code == problem_code::fenced))
      return false;                    // it waits for the database, or is on its way somewhere
    const auto& row = now.value().row; // behind what was seen where its agent hasn't looked at that yet
    return row.head == seen_ && row.view.status != "running" && row.view.status != "waiting"
        && !row.view.needs_work;
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
