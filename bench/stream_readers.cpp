// Each reader blocks on a thread of its own, as a client would: its waking up counts.
#include "bench/stream_readers.hpp"

namespace troupe::bench {

namespace {

constexpr std::chrono::seconds readers_patience{30};

std::int64_t head_of(actors::session_handle& session) { return must(session.look())->head; }

class in_process final : public timed_reader {
 public:
  explicit in_process(actors::session_handle& session) : from_(session.follow(head_of(session))) {}

  got_item next() override {
    const auto item = from_->next(readers_patience);
    got_item out;
    out.when = std::chrono::steady_clock::now();
    if (!item)
      throw std::runtime_error("nothing came of a stream");
    if (const auto* const delta = std::get_if<actors::live_delta>(&*item)) {
      out.what = got_item::kind::delta;
      out.inference = delta->inference_id;
      out.block = delta->block;
      out.offset = delta->offset;
    } else if (const auto* const event = std::get_if<recorded_event>(&*item);
               event && event->type == "run.finished") {
      out.what = got_item::kind::run_finished;
    }
    return out;
  }

 private:
  std::unique_ptr<actors::live_stream> from_;
};

class over_http final : public timed_reader {
 public:
  over_http(std::uint16_t port, actors::session_handle& session)
      : from_(port, session.id(), head_of(session)) {}

  got_item next() override {
    const auto event = from_.next();
    got_item out;
    out.when = std::chrono::steady_clock::now();
    if (event.name == "run.finished")
      out.what = got_item::kind::run_finished;
    if (event.name != "delta")
      return out;
    const auto read = json::parse(event.data);
    if (!read)
      throw std::runtime_error("a delta that is no JSON: " + event.data);
    out.what = got_item::kind::delta;
    out.inference = read->find("inference_id")->as_string();
    out.block = std::stoll(std::string(read->find("block")->source()));
    out.offset = std::stoull(std::string(read->find("offset")->source()));
    return out;
  }

 private:
  event_reader from_;
};

double ms_between(moment from, moment to) {
  return std::chrono::duration<double, std::milli>(to - from).count();
}

} // namespace

std::unique_ptr<timed_reader> read_in_process(actors::session_handle& session) {
  return std::make_unique<in_process>(session);
}

std::unique_ptr<timed_reader> read_over_http(std::uint16_t port, actors::session_handle& session) {
  return std::make_unique<over_http>(port, session);
}

void added_times::append(const added_times& other) {
  first.insert(first.end(), other.first.begin(), other.first.end());
  deltas.insert(deltas.end(), other.deltas.begin(), other.deltas.end());
  ends.insert(ends.end(), other.ends.begin(), other.ends.end());
}

added_times read_turns(actors::session_handle& session, timed_reader& reader, const std::string& prompt,
    int turns, const arrivals& came) {
  added_times out;
  for (int turn = 0; turn < turns; ++turn) {
    accept_message message;
    message.content = content(prompt);
    must(session.post(std::move(message)));
    std::string inference;
    while (true) {
      const auto got = reader.next();
      if (got.what == got_item::kind::run_finished) {
        out.ends.push_back(ms_between(came.end_of(inference), got.when));
        break;
      }
      if (got.what != got_item::kind::delta)
        continue;
      const double added = ms_between(came.of(got.inference, got.block, got.offset), got.when);
      if (inference != got.inference)
        out.first.push_back(added);
      out.deltas.push_back(added);
      inference = got.inference;
    }
  }
  return out;
}

} // namespace troupe::bench
