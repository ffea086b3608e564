// Reads the worked logs once.
#include "tests/support/logs.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace troupe::testing {

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw std::runtime_error("can't read " + path);
  std::ostringstream out;
  out << file.rdbuf();
  return out.str();
}

namespace {

worked_log load(const std::filesystem::path& path) {
  worked_log log;
  log.name = path.stem().string();
  std::istringstream lines(read_file(path.string()));
  for (std::string line; std::getline(lines, line);) {
    log.recorded.push_back(from_line(line).value());
    log.events.push_back(decode(log.recorded.back()).value());
  }
  auto context = path;
  context.replace_extension(".context.json");
  log.context = read_file(context.string());
  return log;
}

} // namespace

const std::vector<worked_log>& worked_logs() {
  static const std::vector<worked_log> all = [] {
    std::vector<worked_log> logs;
    for (const auto& entry :
        std::filesystem::directory_iterator(std::string(TROUPE_SOURCE_DIR) + "/tests/golden/logs"))
      if (entry.path().extension() == ".jsonl")
        logs.push_back(load(entry.path()));
    std::sort(logs.begin(), logs.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    return logs;
  }();
  return all;
}

} // namespace troupe::testing
