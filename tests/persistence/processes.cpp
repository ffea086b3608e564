// Forks, pipes and pidfds.
#include "tests/persistence/processes.hpp"

#include <fstream>

#include <csignal>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace troupe::persistence {

pid_t postmaster_of(const std::filesystem::path& place) {
  pid_t pid = 0;
  std::ifstream(place / "data" / "postmaster.pid") >> pid;
  return pid;
}

bool wait_for_end(pid_t pid) {
  const int descriptor = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  if (descriptor < 0)
    return true; // has ended already
  pollfd ended{descriptor, POLLIN, 0};
  const bool has_ended = ::poll(&ended, 1, 20'000) == 1;
  ::close(descriptor);
  return has_ended;
}

child_process::child_process(const std::function<bool()>& enter) {
  int up[2];
  int down[2];
  if (::pipe(up) != 0 || ::pipe(down) != 0)
    return;
  pid_ = ::fork();
  if (pid_ == 0) {
    ::close(up[0]);
    ::close(down[1]);
    const char answer = enter() ? 'y' : 'n';
    char end = 0;
    if (::write(up[1], &answer, 1) != 1 || ::read(down[0], &end, 1) < 0)
      ::_exit(1);
    ::_exit(0); // as a process that ends without a word: only the kernel lets go of its locks
  }
  ::close(up[1]);
  ::close(down[0]);
  told_ = up[0];
  tell_ = down[1];
}

child_process::~child_process() { end(); }

bool child_process::is_in() {
  char answer = 'n';
  return ::read(told_, &answer, 1) == 1 && answer == 'y';
}

bool child_process::end() {
  if (tell_ >= 0)
    ::close(tell_);
  tell_ = -1;
  return reap();
}

void child_process::kill() {
  if (pid_ > 0)
    ::kill(pid_, SIGKILL);
  reap();
}

bool child_process::reap() {
  int status = -1;
  if (pid_ > 0)
    ::waitpid(pid_, &status, 0);
  pid_ = 0;
  if (told_ >= 0)
    ::close(told_);
  told_ = -1;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

} // namespace troupe::persistence
