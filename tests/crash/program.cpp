// Forks, pipes and signals.
#include "tests/crash/program.hpp"

#include <boost/test/unit_test.hpp>

#include <thread>

#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace troupe::testing {

bool comes_true(const std::function<bool()>& it) {
  const auto until = std::chrono::steady_clock::now() + patience;
  while (!it()) {
    if (std::chrono::steady_clock::now() > until)
      return false;
    std::this_thread::yield();
  }
  return true;
}

program::program(const std::vector<std::string>& words) {
  int up[2];
  int down[2];
  if (::pipe2(up, O_CLOEXEC) != 0 || ::pipe2(down, O_CLOEXEC) != 0)
    BOOST_FAIL("no pipes");
  std::vector<char*> arguments;
  for (const auto& word : words)
    arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_ = ::fork();
  if (pid_ == 0) {
    ::setpgid(0, 0);
    ::dup2(down[0], STDIN_FILENO);
    ::dup2(up[1], STDOUT_FILENO);
    ::dup2(up[1], STDERR_FILENO);
    ::execv(arguments[0], arguments.data());
    ::_exit(127);
  }
  ::setpgid(pid_, pid_); // whoever of both comes first
  ::close(up[1]);
  ::close(down[0]);
  told_ = up[0];
  tell_ = down[1];
}

program::program(program&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)), told_(std::exchange(other.told_, -1)),
      tell_(std::exchange(other.tell_, -1)), pending_(std::move(other.pending_)),
      said_(std::move(other.said_)) {}

program::~program() {
  kill();
  for (const int descriptor : {told_, tell_})
    if (descriptor >= 0)
      ::close(descriptor);
}

bool program::read_more(std::chrono::steady_clock::time_point until) {
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
  pollfd readable{told_, POLLIN, 0};
  if (left.count() <= 0 || ::poll(&readable, 1, static_cast<int>(left.count())) != 1)
    return false;
  char bytes[4096];
  const auto count = ::read(told_, bytes, sizeof bytes);
  if (count <= 0)
    return false;
  pending_.append(bytes, static_cast<std::size_t>(count));
  said_.append(bytes, static_cast<std::size_t>(count));
  return true;
}

std::string program::expect(const std::string& beginning) {
  return expect_line(beginning, [&](const std::string& line) { return line.starts_with(beginning); });
}

std::string program::expect_with(const std::string& part) {
  return expect_line(part, [&](const std::string& line) { return line.find(part) != std::string::npos; });
}

std::string program::expect_line(
    const std::string& what, const std::function<bool(const std::string&)>& is_it) {
  const auto until = std::chrono::steady_clock::now() + patience;
  while (true) {
    for (auto at = pending_.find('\n'); at != std::string::npos; at = pending_.find('\n')) {
      const std::string line = pending_.substr(0, at);
      pending_.erase(0, at + 1);
      if (is_it(line))
        return line;
    }
    if (!read_more(until))
      BOOST_FAIL("no `" << what << "` came; it said:\n" << said_);
  }
}

std::string program::everything() {
  const auto until = std::chrono::steady_clock::now() + patience;
  while (read_more(until)) {
  }
  return said_;
}

void program::say(const std::string& line) const {
  const std::string whole = line + "\n";
  if (::write(tell_, whole.data(), whole.size()) != static_cast<ssize_t>(whole.size()))
    BOOST_FAIL("the program doesn't listen");
}

void program::signal(int number) const { ::kill(-pid_, number); }

void program::kill() {
  if (pid_ <= 0)
    return;
  ::kill(-pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  pid_ = 0;
}

int program::end() {
  everything(); // its output closes with it
  int status = -1;
  if (::waitpid(pid_, &status, WNOHANG) == 0) {
    const auto until = std::chrono::steady_clock::now() + patience;
    while (std::chrono::steady_clock::now() < until && ::waitpid(pid_, &status, WNOHANG) == 0)
      ::poll(nullptr, 0, 1);
  }
  pid_ = 0;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

} // namespace troupe::testing
