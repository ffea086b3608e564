// posix_spawn, and a pipe where something is read.
#include "bench/child.hpp"

#include <array>
#include <csignal>
#include <stdexcept>
#include <utility>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace troupe::bench {

namespace {

// With `output` -1 what it prints goes nowhere.
pid_t spawned(const std::vector<std::string>& words, int output) {
  std::vector<char*> arguments;
  for (const auto& word : words)
    arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (output >= 0)
    posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  else
    for (const int stream : {STDOUT_FILENO, STDERR_FILENO})
      posix_spawn_file_actions_addopen(&files, stream, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, arguments[0], &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (failed != 0)
    throw std::runtime_error(words.front() + " can't be started");
  return child;
}

struct pipe_of_ours {
  std::array<int, 2> ends{-1, -1};
  pipe_of_ours() {
    if (pipe2(ends.data(), O_CLOEXEC) != 0)
      throw std::runtime_error("no pipe");
  }
  ~pipe_of_ours() {
    close(ends[0]);
    close_writing();
  }
  void close_writing() {
    if (ends[1] >= 0)
      close(std::exchange(ends[1], -1));
  }
};

} // namespace

pid_t start_program(const std::vector<std::string>& words) { return spawned(words, -1); }

int wait_for_end(pid_t program) {
  int status = 0;
  waitpid(program, &status, 0);
  if (!WIFEXITED(status))
    throw std::runtime_error("a program was ended by signal " + std::to_string(WTERMSIG(status)));
  return WEXITSTATUS(status);
}

std::string output_of(const std::vector<std::string>& words) {
  pipe_of_ours printed;
  const pid_t child = spawned(words, printed.ends[1]);
  printed.close_writing();
  std::string out;
  std::array<char, 4096> buffer{};
  for (ssize_t count = 0; (count = read(printed.ends[0], buffer.data(), buffer.size())) > 0;)
    out.append(buffer.data(), static_cast<std::size_t>(count));
  if (wait_for_end(child) != 0)
    throw std::runtime_error(words.front() + " failed: " + out);
  return out;
}

served_program::served_program(const std::vector<std::string>& words) {
  pipe_of_ours printed;
  process_ = spawned(words, printed.ends[1]);
  printed.close_writing();
  std::string line;
  char c = 0;
  while (read(printed.ends[0], &c, 1) == 1 && c != '\n')
    line.push_back(c);
  if (line.find("http://") == std::string::npos)
    throw std::runtime_error(words.front() + " doesn't serve: " + line);
  url_ = line.substr(line.find("http://"));
}

served_program::~served_program() {
  kill(process_, SIGTERM);
  waitpid(process_, nullptr, 0);
}

std::uint16_t served_program::port() const {
  return static_cast<std::uint16_t>(std::stoul(url_.substr(url_.rfind(':') + 1)));
}

} // namespace troupe::bench
