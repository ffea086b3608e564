// The command under its supervisor, so that nothing of it is left behind, with its error output put away.
#include "tools/printing_command.hpp"

#include "tools/workspace/descriptor.hpp"
#include "tools/workspace/supervised_command.hpp"

#include <cstring>

#include <fcntl.h>

namespace troupe::tools {

namespace {

// Finds the program in PATH as well; `$@` is taken word by word, nothing in it is the shell's.
constexpr const char* without_errors = "exec \"$@\" 2>/dev/null";
constexpr int cannot_run = 126; // by the shell's convention
constexpr int not_found = 127;

std::string how_it_ended(const command_end& end, const printing_settings& settings) {
  switch (end.how) {
  case command_end::kind::exited:
    if (end.number == not_found || end.number == cannot_run)
      return "can't be started, or ended with exit status " + std::to_string(end.number);
    return "ended with exit status " + std::to_string(end.number);
  case command_end::kind::killed:
    return "was ended by signal " + std::to_string(end.number) + " (" + ::strsignal(end.number) + ")";
  case command_end::kind::timed_out:
    return "took longer than " + std::to_string(settings.time_max.count()) + " ms";
  case command_end::kind::stopped:
    return "was stopped";
  case command_end::kind::lost:
    break;
  }
  return "is lost: " + end.trouble;
}

} // namespace

problem printing_command::failed(const std::string& how) const {
  return {problem_code::unavailable, "`" + settings_.words.front() + "` " + how, {}};
}

result<std::shared_ptr<stop_source>> printing_command::begin() {
  const std::lock_guard lock(mutex_);
  if (stopped_)
    return failed("isn't run any more: the program ends");
  running_ = std::make_shared<stop_source>();
  return running_;
}

result<std::string> printing_command::text() {
  const auto stop = begin();
  if (!stop)
    return stop.error();
  const descriptor folder(::open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  supervised_command command{.words = {"/bin/sh", "-c", without_errors, "sh"},
      .environment = settings_.environment,
      .folder = folder.get(),
      .timeout = settings_.time_max,
      .grace = settings_.grace};
  command.words.insert(command.words.end(), settings_.words.begin(), settings_.words.end());
  std::string printed;
  bool too_much = false;
  const auto end = run_command(command, stop->get(), [&](std::string_view bytes) {
    too_much = too_much || printed.size() + bytes.size() > settings_.bytes_max;
    if (too_much)
      (*stop)->stop();
    else
      printed += bytes;
  });
  if (too_much)
    return failed("printed more than " + std::to_string(settings_.bytes_max) + " bytes");
  if (end.how != command_end::kind::exited || end.number != 0)
    return failed(how_it_ended(end, settings_));
  return printed;
}

void printing_command::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  if (running_)
    running_->stop();
}

} // namespace troupe::tools
