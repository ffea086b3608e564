// A pseudo terminal of the kernel's, and everything that came out of it.
#include "tests/cli/terminal.hpp"

#include <stdexcept>

#include <poll.h>
#include <pty.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace troupe::testing {

namespace {

constexpr int patience_ms = 60'000;

} // namespace

bool there_are_terminals() {
  int ours = -1, theirs = -1;
  if (openpty(&ours, &theirs, nullptr, nullptr, nullptr) != 0)
    return false;
  close(ours);
  close(theirs);
  return true;
}

terminal::terminal(const user& who, std::vector<std::string> words) {
  words.insert(words.begin(), {TROUPE_PROGRAM, "--data-dir", who.folder() + "/data"});
  std::vector<char*> arguments;
  for (const auto& word : words)
    arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const std::string home = "HOME=" + who.folder();
  const char* variables[] = {"PATH=/usr/bin:/bin", home.c_str(), "LC_ALL=C.UTF-8", "TERM=xterm", nullptr};
  winsize size{};
  size.ws_row = 40;
  size.ws_col = 200; // so that nothing is broken into lines
  process_ = forkpty(&terminal_, nullptr, nullptr, &size);
  if (process_ < 0)
    throw std::runtime_error("no terminal");
  if (process_ == 0) {
    if (chdir(who.folder().c_str()) == 0)
      execve(arguments[0], arguments.data(), const_cast<char**>(variables));
    _exit(127);
  }
}

terminal::~terminal() {
  if (process_ > 0) {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  close(terminal_);
}

void terminal::type(const std::string& keys) const {
  if (write(terminal_, keys.data(), keys.size()) != static_cast<ssize_t>(keys.size()))
    throw std::runtime_error("the terminal takes no keys");
}

bool terminal::read_more() {
  pollfd source{terminal_, POLLIN, 0};
  char bytes[4096];
  if (poll(&source, 1, patience_ms) != 1)
    return false;
  const ssize_t got = read(terminal_, bytes, sizeof bytes);
  if (got > 0)
    seen_.append(bytes, static_cast<std::size_t>(got));
  return got > 0;
}

bool terminal::shows(const std::string& text) {
  while (true) {
    const auto at = seen_.find(text, found_);
    if (at != std::string::npos) {
      found_ = at + text.size();
      return true;
    }
    if (!read_more())
      return false;
  }
}

int terminal::status() {
  while (read_more()) {
  }
  const int watched = static_cast<int>(syscall(SYS_pidfd_open, process_, 0));
  pollfd source{watched, POLLIN, 0};
  const bool ended = poll(&source, 1, patience_ms) == 1;
  close(watched);
  int status = 0;
  if (!ended || waitpid(process_, &status, 0) != process_)
    return -1;
  process_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

} // namespace troupe::testing
