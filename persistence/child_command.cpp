// posix_spawn with one pipe.
#include "persistence/child_command.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace troupe::persistence {

namespace {

constexpr std::size_t text_max = 64 * 1024;

/// Reads to the end; keeps the last bytes.
std::string drain(int descriptor) {
  std::string text;
  char buffer[4096];
  for (;;) {
    const auto size = ::read(descriptor, buffer, sizeof buffer);
    if (size < 0 && errno == EINTR)
      continue;
    if (size <= 0)
      return text;
    text.append(buffer, static_cast<std::size_t>(size));
    if (text.size() > text_max)
      text.erase(0, text.size() - text_max);
  }
}

} // namespace

result<command_output> run_command(const std::vector<std::string>& arguments) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return problem{problem_code::unavailable, std::string("no pipe: ") + std::strerror(errno), {}};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
  posix_spawn_file_actions_addclosefrom_np(&actions, 3);
  posix_spawn_file_actions_addchdir_np(&actions, "/");
  std::vector<char*> argv;
  for (const auto& argument : arguments)
    argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  char path[] = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  char locale[] = "LC_ALL=C.UTF-8";
  char* const environment[] = {path, locale, nullptr};
  pid_t child = 0;
  const int failed = ::posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environment);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (failed != 0) {
    ::close(ends[0]);
    return problem{
        problem_code::unavailable, "`" + arguments[0] + "` can't be run: " + std::strerror(failed), {}};
  }
  command_output out;
  out.text = drain(ends[0]);
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return problem{
          problem_code::unavailable, "`" + arguments[0] + "` ended unseen: " + std::strerror(errno), {}};
  out.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return out;
}

} // namespace troupe::persistence
