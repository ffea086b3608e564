// The tree as texts, and what all the rules ask of a path.
#include "tests/tidy/rules.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace troupe::tidy {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    out.push_back(text.substr(0, end));
    if (end == std::string_view::npos)
      break;
    text.remove_prefix(end + 1);
  }
  return out;
}

std::string_view room_of(std::string_view path) {
  const std::size_t slash = path.find('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

bool is_source(std::string_view path) { return path.ends_with(".cpp") || path.ends_with(".hpp"); }

findings check_all(const tree& files) {
  findings out;
  for (const auto check :
      {check_includes, check_used, check_first_lines, check_lengths, check_words, check_documents}) {
    findings found = check(files);
    std::move(found.begin(), found.end(), std::back_inserter(out));
  }
  return out;
}

tree read_tree(const std::string& root) {
  namespace fs = std::filesystem;
  static const std::string_view passed_over[] = {"build", ".git", ".cache", ".vscode", ".idea"};
  tree out;
  for (auto at = fs::recursive_directory_iterator(root); at != fs::recursive_directory_iterator(); ++at) {
    const std::string name = at->path().filename().string();
    if (at->is_directory() && at.depth() == 0
        && std::find(std::begin(passed_over), std::end(passed_over), name) != std::end(passed_over)) {
      at.disable_recursion_pending();
      continue;
    }
    if (!at->is_regular_file() || at->file_size() > 4 * 1024 * 1024)
      continue;
    std::ifstream file(at->path(), std::ios::binary);
    out[fs::relative(at->path(), root).generic_string()] =
        std::string(std::istreambuf_iterator<char>(file), {});
  }
  return out;
}

} // namespace troupe::tidy
