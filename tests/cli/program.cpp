// Fork, exec, and everything that was printed.
#include "tests/cli/program.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace troupe::testing {

namespace {

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream out;
  out << file.rdbuf();
  return out.str();
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> out;
  for (const auto& word : words)
    out.push_back(const_cast<char*>(word.c_str()));
  out.push_back(nullptr);
  return out;
}

} // namespace

user::user() {
  std::string name = (std::filesystem::temp_directory_path() / "troupe-cli-XXXXXX").string();
  if (!mkdtemp(name.data()))
    throw std::runtime_error("no scratch folder");
  folder_ = name;
  std::filesystem::permissions(folder_, std::filesystem::perms(0755));
}

user::~user() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void user::write(const std::string& name, const std::string& text) const {
  std::ofstream(folder_ + "/" + name) << text;
}

run_result user::troupe(std::vector<std::string> words, const std::string& input) const {
  words.insert(words.begin(), {"--data-dir", folder_ + "/data"});
  return troupe_as_it_is(words, input);
}

run_result user::troupe_as_it_is(const std::vector<std::string>& words, const std::string& input,
    std::vector<std::string> environment) const {
  write("stdin", input);
  std::vector<std::string> all{TROUPE_PROGRAM};
  all.insert(all.end(), words.begin(), words.end());
  environment.insert(environment.end(), {"PATH=/usr/bin:/bin", "HOME=" + folder_, "LC_ALL=C.UTF-8"});
  auto arguments = pointers(all);
  auto variables = pointers(environment);
  const pid_t child = fork();
  if (child == 0) {
    if (chdir(folder_.c_str()) != 0)
      _exit(126);
    dup2(open("stdin", O_RDONLY), STDIN_FILENO);
    dup2(open("stdout", O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO);
    dup2(open("stderr", O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
    execve(arguments[0], arguments.data(), variables.data());
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, content_of(folder_ + "/stdout"),
      content_of(folder_ + "/stderr")};
}

} // namespace troupe::testing
