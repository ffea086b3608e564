// One output comes through, or the reason why none did.
#include "tools/reply.hpp"

namespace troupe::tools {

void awaited_output::give(output given) {
  const std::scoped_lock lock(mutex_);
  if (!output_)
    output_ = std::move(given);
  changed_.notify_all();
}

void awaited_output::drop() {
  const std::scoped_lock lock(mutex_);
  dropped_ = true;
  changed_.notify_all();
}

void awaited_output::stop() {
  const std::scoped_lock lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

output awaited_output::wait(std::string_view tool) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return output_ || dropped_ || stopped_; });
  if (!output_ && !dropped_)
    changed_.wait_for(lock, stopped_calls_have, [this] { return output_ || dropped_; });
  if (output_)
    return *std::exchange(output_, output());
  output none;
  none.is_error = true;
  none.aborted = stopped_;
  none.error_kind = error_kind::fatal;
  none.content = content("The tool \"" + std::string(tool) + "\" gave no answer.");
  return none;
}

output answered_later(const call& call, std::string_view tool, const std::function<void(reply_line)>& begin) {
  const auto awaited = std::make_shared<awaited_output>();
  if (call.stop)
    call.stop->on_stop([awaited] { awaited->stop(); });
  begin(reply_line(awaited));
  return awaited->wait(tool);
}

} // namespace troupe::tools
