// Has the tool run on a thread of its own, and reports.
#include "actors/tool_call/tool_call_actor.hpp"

#include "actors/tool_call/tool_runner.hpp"
#include "messages/text.hpp"
#include "tools/kept_result.hpp"
#include "tools/prepare.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/send.hpp>

#include <mutex>

namespace troupe::actors {

namespace {

// Of one update, and of all that one attempt may say: nobody holds it up, so it has to have an end.
constexpr std::size_t progress_bytes_max = 64 * 1024;
constexpr std::size_t all_progress_bytes_max = 256 * 1024;

tools::output overdue() {
  tools::output out;
  out.content = content("The tool call was not answered in time.");
  out.is_error = true;
  out.error_kind = error_kind::timeout;
  return out;
}

tools::output no_thread() {
  tools::output out;
  out.content = content("The tool could not be started: this machine has no more threads.");
  out.is_error = true;
  out.error_kind = error_kind::transient;
  return out;
}

// A node whose lease has lapsed waits: either it is renewed and no other node has the session, or the
// agent finds that one has, and stops this.
tools::output run(const tool_call_settings& settings, const std::shared_ptr<const node_parts>& parts) {
  const auto stop = settings.call.stop;
  stop->on_stop([parts] { parts->lease.wake(); });
  if (!parts->lease.wait([&] { return stop->stopped(); })) {
    tools::output stopped;
    stopped.aborted = true;
    return stopped;
  }
  return tools::invoke(*settings.tool, settings.call);
}

// Where a call tells its progress while it runs and nobody has stopped it; what a tool says later is dropped
// (P-026). Whoever keeps a copy of the call keeps this, and nothing of the node through it.
class progress_line {
 public:
  explicit progress_line(std::function<void(std::string)> tell) : tell_(std::move(tell)) {}
  void say(std::string text) {
    const std::scoped_lock lock(mutex_);
    if (!tell_ || said_ >= all_progress_bytes_max)
      return;
    said_ += std::min(text.size(), progress_bytes_max) + 1;
    if (text.size() > progress_bytes_max)
      text = std::string(utf8_prefix(text, progress_bytes_max));
    tell_(std::move(text));
  }
  void end() {
    const std::scoped_lock lock(mutex_);
    tell_ = nullptr;
  }

 private:
  std::mutex mutex_;
  std::function<void(std::string)> tell_;
  std::size_t said_ = 0;
};

std::shared_ptr<progress_line> line_of(
    const tool_call_settings& settings, const std::shared_ptr<const node_parts>& parts) {
  return std::make_shared<progress_line>(
      [session = settings.session, execution_id = settings.call.execution_id, attempt = settings.call.attempt,
          stop = settings.call.stop, hub = parts->hub](std::string text) {
        if (stop->stopped())
          return;
        const std::vector<live_item> items{live_progress{execution_id, attempt, std::move(text)}};
        caf::anon_send(hub, publish_live{session, std::make_shared<const std::vector<live_item>>(items)});
      });
}

tool_answer answer_of(const tool_call_settings& settings, tools::output out, std::size_t output_bytes_max) {
  tool_answer answer;
  answer.execution_id = settings.call.execution_id;
  answer.attempt = settings.call.attempt;
  if (out.aborted && settings.overdue->load()) {
    out = overdue();
  } else if (out.aborted) {
    answer.outcome = tool_outcome::aborted;
    answer.content = content("The tool call was aborted.");
    answer.is_error = true;
    return answer;
  }
  answer.outcome = out.is_error ? tool_outcome::failed : tool_outcome::completed;
  answer.content = std::move(out.content);
  answer.is_error = out.is_error;
  answer.error_kind = out.error_kind;
  answer.details = std::move(out.details);
  answer.terminate = out.terminate;
  return tools::keep_within(std::move(answer), output_bytes_max);
}

} // namespace

caf::behavior tool_call_actor(caf::event_based_actor* self, tool_call_settings settings,
    std::shared_ptr<const node_parts> parts, caf::actor agent) {
  // held by its work: an actor that nobody holds is no more
  const auto line = line_of(settings, parts);
  settings.call.progress = [line](std::string text) { line->say(std::move(text)); };
  auto work = [me = caf::actor_cast<caf::actor>(self), settings, parts, line] {
    auto out = run(settings, parts);
    line->end();
    caf::anon_send(me,
        tool_ended{std::make_shared<const command>(
            answer_of(settings, std::move(out), parts->tools.output_bytes_max()))});
  };
  const bool runs = parts->tool_runner->run(std::move(work),
      [stop = settings.call.stop, parts] { return stop->stopped() || parts->lease.holds(); });
  if (!runs)
    self->send(self,
        tool_ended{std::make_shared<const command>(
            answer_of(settings, no_thread(), parts->tools.output_bytes_max()))});
  return {[self, agent](const tool_ended& what) {
    caf::anon_send(agent, order{what.answer});
    self->quit();
  }};
}

} // namespace troupe::actors
