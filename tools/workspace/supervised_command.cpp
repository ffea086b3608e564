// Our side of a command: the fork of its supervisor, the loop over output, end, deadline and stop.
#include "tools/workspace/supervised_command.hpp"

#include "tools/workspace/descriptor.hpp"
#include "tools/workspace/supervisor.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

namespace troupe::tools {

namespace {

using clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

/// The supervisor gives up 5 s after the grace; this is beyond that.
constexpr auto patience = 8s;

command_end lost(const char* what) {
  command_end out;
  out.trouble = std::string(what) + ": " + std::strerror(errno);
  return out;
}

std::vector<const char*> pointers(const std::vector<std::string>& texts) {
  std::vector<const char*> out;
  for (const std::string& text : texts)
    out.push_back(text.c_str());
  out.push_back(nullptr);
  return out;
}

/// A descriptor below 3 would be overwritten when the command gets its standard streams.
descriptor above_standard(descriptor from) {
  if (!from || from.get() > 2)
    return from;
  return descriptor(::fcntl(from.get(), F_DUPFD_CLOEXEC, 3));
}

pid_t fork_supervisor(const supervisor_plan& plan) {
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before); // no handler of ours may run in the child
  const pid_t child = ::fork();
  if (child == 0)
    supervise(plan);
  const int error = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return child;
}

class running_command {
 public:
  running_command(descriptor control, descriptor output, const std::function<void(std::string_view)>& sink)
      : control_(std::move(control)), output_(std::move(output)), sink_(sink) {}

  /// Follows the command to its report.
  command_end follow(clock::time_point deadline, std::chrono::milliseconds grace, int wake) {
    command_end end;
    std::optional<command_end::kind> cut;
    while (true) {
      pollfd sources[] = {{control_.get(), POLLIN, 0}, {output_.get(), POLLIN, 0}, {wake, POLLIN, 0}};
      if (cut)
        sources[2].fd = -1;
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - clock::now()).count();
      ::poll(sources, 3, static_cast<int>(std::clamp<long>(left, 0, 60'000)));
      if (sources[1].revents != 0)
        read_some();
      if (sources[0].revents != 0 && !has_started())
        return finish(end, cut);
      const bool stopped = sources[2].revents != 0;
      if (stopped || clock::now() >= deadline) {
        if (cut) { // it was asked to end and had all the time there is
          told_ = false;
          return finish(end, cut);
        }
        cut = stopped ? command_end::kind::stopped : command_end::kind::timed_out;
        deadline = clock::now() + grace + patience;
        ::send(control_.get(), &stop_request, 1, MSG_NOSIGNAL);
      }
    }
  }

 private:
  void read_some() {
    char buffer[65536];
    const ssize_t got = ::read(output_.get(), buffer, sizeof buffer);
    if (got > 0)
      sink_({buffer, static_cast<std::size_t>(got)});
    else if (got == 0 || (errno != EINTR && errno != EAGAIN))
      output_.close();
  }

  /// Takes a report; true if it says that the command runs now.
  bool has_started() {
    supervisor_report report;
    told_ = ::recv(control_.get(), &report, sizeof report, MSG_DONTWAIT) == sizeof report;
    if (!told_ || report.command == 0) {
      report_ = report;
      return false;
    }
    group_ = report.command;
    return true;
  }

  command_end finish(command_end end, const std::optional<command_end::kind>& cut) {
    if (!told_ && group_ != 0)
      ::kill(-group_, SIGKILL); // the supervisor was killed: its work is ours
    // what the command itself wrote is in the pipe; a process it left may write for ever
    int waiting = 0;
    if (output_ && ::ioctl(output_.get(), FIONREAD, &waiting) == 0)
      for (std::string rest(65536, '\0'); waiting > 0;) {
        const ssize_t got = ::read(output_.get(), rest.data(),
            std::min<std::size_t>(rest.size(), static_cast<std::size_t>(waiting)));
        if (got <= 0)
          break;
        sink_(std::string_view(rest).substr(0, static_cast<std::size_t>(got)));
        waiting -= static_cast<int>(got);
      }
    control_.close(); // the supervisor ends what is left, and itself
    if (!told_) {
      end.trouble = "the process that watches the command is gone";
    } else {
      end.how = WIFEXITED(report_.wait_status) ? command_end::kind::exited : command_end::kind::killed;
      end.number =
          WIFEXITED(report_.wait_status) ? WEXITSTATUS(report_.wait_status) : WTERMSIG(report_.wait_status);
      end.left_running = report_.left_running != 0;
    }
    if (cut)
      end.how = *cut;
    return end;
  }

  descriptor control_;
  descriptor output_;
  const std::function<void(std::string_view)>& sink_;
  supervisor_report report_;
  bool told_ = false;
  pid_t group_ = 0;
};

/// What the sandbox noted about the command.
void read_notes(int notes, command_end& end) {
  char said[8];
  const ssize_t got = ::read(notes, said, sizeof said);
  const std::string_view all(said, got < 0 ? 0 : static_cast<std::size_t>(got));
  end.began = all.find(note_began) != all.npos;
  end.left_running = end.left_running || all.find(note_left_running) != all.npos;
}

} // namespace

command_end run_command(
    const supervised_command& command, stop_source* stop, const std::function<void(std::string_view)>& sink) {
  int pair[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
    return lost("no socket for the command");
  descriptor control(pair[0]);
  descriptor their_control = above_standard(descriptor(pair[1]));
  if (::pipe2(pair, O_CLOEXEC) != 0)
    return lost("no pipe for the command");
  descriptor output(pair[0]);
  descriptor their_output = above_standard(descriptor(pair[1]));
  descriptor notes;
  descriptor input;
  if (command.sandboxed && ::pipe2(pair, O_CLOEXEC | O_NONBLOCK) == 0) {
    notes = descriptor(pair[0]);
    input = above_standard(descriptor(pair[1]));
  } else if (!command.sandboxed) {
    input = above_standard(descriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC)));
  }
  const auto wake = std::make_shared<descriptor>(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  const descriptor folder(::fcntl(command.folder, F_DUPFD_CLOEXEC, 3));
  if (!their_control || !their_output || !input || !*wake || !folder)
    return lost("no descriptor for the command");
  if (stop != nullptr)
    stop->on_stop([wake] {
      const std::uint64_t one = 1;
      [[maybe_unused]] const ssize_t written = ::write(wake->get(), &one, sizeof one);
    });

  const auto arguments = pointers(command.words);
  const auto environment = pointers(command.environment);
  const pid_t supervisor =
      fork_supervisor({arguments.data(), environment.data(), their_control.get(), input.get(),
          their_output.get(), folder.get(), static_cast<int>(command.grace.count()), command.sandboxed});
  if (supervisor < 0)
    return lost("no process for the command");
  their_control.close();
  their_output.close();
  command_end end = running_command(std::move(control), std::move(output), sink)
                        .follow(clock::now() + command.timeout, command.grace, wake->get());
  while (::waitpid(supervisor, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (notes)
    read_notes(notes.get(), end);
  return end;
}

} // namespace troupe::tools
