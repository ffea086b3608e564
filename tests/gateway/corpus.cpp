// Reading the corpus.
#include "tests/gateway/corpus.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace troupe::gateway::testing {

std::vector<broken_request> corpus() {
  std::vector<broken_request> out;
  for (const auto& at : std::filesystem::directory_iterator(TROUPE_SOURCE_DIR "/tests/gateway/malformed")) {
    const std::string name = at.path().filename().string();
    std::ifstream file(at.path(), std::ios::binary);
    if (name.front() != '.')
      out.push_back({name, std::string(std::istreambuf_iterator<char>(file), {})});
  }
  std::sort(out.begin(), out.end(), [](const auto& one, const auto& other) { return one.name < other.name; });
  return out;
}

} // namespace troupe::gateway::testing
