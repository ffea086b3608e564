// Reads /proc. A zombie is no process any more.
#include "persistence/server_process.hpp"

#include <cstdlib>
#include <fstream>
#include <string>

#include <sys/stat.h>

namespace troupe::persistence {

namespace fs = std::filesystem;

pid_t pid_in(const fs::path& pid_file) {
  pid_t pid = 0;
  std::ifstream(pid_file) >> pid;
  return pid;
}

bool works_in(pid_t pid, const fs::path& data) {
  const auto process = fs::path("/proc") / std::to_string(pid);
  std::string line; // pid, name in parentheses, state
  std::getline(std::ifstream(process / "stat"), line);
  const auto name = line.find(" (postgres) ");
  if (name == std::string::npos || line.compare(name + 12, 1, "Z") == 0)
    return false;
  struct stat of_process {};
  struct stat of_data {};
  if (::stat(process.c_str(), &of_process) != 0 || ::stat(data.c_str(), &of_data) != 0
      || of_process.st_uid != of_data.st_uid)
    return false;
  std::error_code failed;
  const auto folder = fs::read_symlink(process / "cwd", failed);
  return failed ? fs::exists(process) : folder == fs::canonical(data, failed);
}

bool any_process_works_in(const fs::path& data) {
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator("/proc", failed)) {
    const int pid = std::atoi(entry.path().filename().c_str());
    if (pid > 0 && works_in(pid, data))
      return true;
  }
  return false;
}

} // namespace troupe::persistence
