// The life of a supervisor: start, watch, end, report. It runs in the child of a fork of a process
// with many threads, so every call here is async-signal-safe.
#include "tools/workspace/supervisor.hpp"

#include "tools/workspace/descendants.hpp"

#include <cerrno>
#include <ctime>

#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace troupe::tools {

namespace {

constexpr long long last_effort_ms = 5'000;

long long now_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000LL + now.tv_nsec / 1'000'000;
}

void default_signals() {
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number)
    ::sigaction(number, &action, nullptr);
}

/// Everything that we inherited but what is needed, so that no socket or lock of the parent lives on.
void close_others(const supervisor_plan& plan) {
  int keep[] = {plan.control, plan.input, plan.output, plan.folder};
  for (int& left : keep)
    for (int& right : keep)
      if (&left < &right && left > right) {
        const int swapped = left;
        left = right;
        right = swapped;
      }
  int from = 0;
  for (const int number : keep) {
    close_range_of(from, number - 1);
    from = number + 1;
  }
  close_range_of(from, -1);
}

[[noreturn]] void become_command(const supervisor_plan& plan, int parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL); // the parent has one thread, so its death is what this means
  if (::getppid() != parent)
    ::_exit(127);
  // the three numbers below are free: they were closed, or are ours and above
  if (::fchdir(plan.folder) != 0 || ::dup2(plan.input, 0) < 0 || ::dup2(plan.output, 1) < 0
      || ::dup2(plan.output, 2) < 0)
    ::_exit(127);
  close_range_of(3, -1);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execve(plan.arguments[0], const_cast<char* const*>(plan.arguments),
      const_cast<char* const*>(plan.environment));
  static constexpr char message[] = "the command can't be started\n";
  [[maybe_unused]] const ssize_t written = ::write(2, message, sizeof message - 1);
  ::_exit(127);
}

struct watch {
  pid_t command = 0;
  bool command_ended = false;
  bool all_ended = false;
  supervisor_report report;

  /// Takes note of all that has ended.
  void reap() {
    int status = 0;
    while (true) {
      const pid_t ended = ::waitpid(-1, &status, WNOHANG);
      if (ended == 0 || (ended < 0 && errno != EINTR)) {
        all_ended = ended < 0;
        return;
      }
      if (ended == command) {
        command_ended = true;
        report.wait_status = status;
      }
    }
  }
};

void kill_all(watch& watched, int child_signal) {
  const long long until = now_ms() + last_effort_ms;
  for (watched.reap(); !watched.all_ended && now_ms() < until; watched.reap()) {
    if (!watched.command_ended)
      ::kill(-watched.command, SIGKILL);
    kill_children(SIGKILL); // whose children become ours when they are gone, until none is left
    pollfd child{child_signal, POLLIN, 0};
    ::poll(&child, 1, 20);
    signalfd_siginfo info;
    [[maybe_unused]] const ssize_t got = ::read(child_signal, &info, sizeof info);
  }
}

/// Asks for the end; false if nothing is there to ask. The program of a sandbox itself is spared:
/// with its end all is killed that is in it.
bool ask_to_end(const supervisor_plan& plan, pid_t command) {
  if (plan.sandboxed)
    return kill_groups_of_children(command, SIGTERM);
  ::kill(-command, SIGTERM);
  kill_children(SIGTERM);
  return true;
}

void send_report(int control, const supervisor_report& report) {
  ::send(control, &report, sizeof report, MSG_NOSIGNAL);
}

} // namespace

void supervise(const supervisor_plan& plan) {
  ::setsid();
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::prctl(PR_SET_DUMPABLE, 0); // our memory is a copy of a process that may hold keys
  ::prctl(PR_SET_NAME, "troupe-command");
  default_signals();
  close_others(plan);
  sigset_t child_only;
  ::sigemptyset(&child_only);
  ::sigaddset(&child_only, SIGCHLD);
  const int child_signal = ::signalfd(-1, &child_only, SFD_NONBLOCK | SFD_CLOEXEC);
  const pid_t self = ::getpid();
  watch watched;
  watched.command = ::fork();
  if (watched.command == 0)
    become_command(plan, self);
  ::setpgid(watched.command, watched.command);
  ::close(plan.input);
  ::close(plan.output);
  ::close(plan.folder);
  if (watched.command < 0) {
    send_report(plan.control, {0, 127 << 8, 0});
    ::_exit(1);
  }
  send_report(plan.control, {watched.command, 0, 0});

  bool reported = false;
  long long kill_at = 0; // 0: nobody asked for the end
  while (true) {
    pollfd sources[] = {{plan.control, POLLIN, 0}, {child_signal, POLLIN, 0}};
    const long long left = kill_at == 0 ? -1 : kill_at - now_ms();
    ::poll(sources, 2, kill_at == 0 ? -1 : static_cast<int>(left < 0 ? 0 : left));
    signalfd_siginfo info;
    while (::read(child_signal, &info, sizeof info) > 0) {
    }
    watched.reap();
    if (sources[0].revents != 0) {
      char request = 0;
      if (::recv(plan.control, &request, 1, 0) <= 0) {
        kill_all(watched, child_signal);
        ::_exit(0);
      }
      if (kill_at == 0) {
        kill_at = now_ms() + (ask_to_end(plan, watched.command) ? plan.grace_ms : 0);
      }
    }
    if (kill_at != 0 && !watched.all_ended && now_ms() >= kill_at)
      kill_all(watched, child_signal);
    const bool over =
        kill_at == 0 ? watched.command_ended : watched.all_ended || now_ms() >= kill_at + last_effort_ms;
    if (over && !reported) {
      watched.report.left_running = watched.all_ended ? 0 : 1;
      send_report(plan.control, watched.report);
      reported = true;
      kill_at = 0;
    }
  }
}

} // namespace troupe::tools
