// Documents: those that everybody looks for, numbered decisions, and links that lead somewhere.
#include "tests/tidy/rules.hpp"

#include <algorithm>
#include <cctype>

namespace troupe::tidy {

namespace {

constexpr std::string_view expected[] = {"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md",
    "LICENSE", "docs/README.md", "docs/glossary.md"};

/// `a/b/../c` → `a/c`.
std::string normal(const std::string& path) {
  std::vector<std::string> parts;
  std::string part;
  for (const char c : path + "/") {
    if (c != '/') {
      part += c;
      continue;
    }
    if (part == ".." && !parts.empty())
      parts.pop_back();
    else if (!part.empty() && part != ".")
      parts.push_back(part);
    part.clear();
  }
  std::string out;
  for (const std::string& each : parts)
    out += (out.empty() ? "" : "/") + each;
  return out;
}

bool exists(const tree& files, const std::string& path) {
  const auto found = files.lower_bound(path);
  return found != files.end() && (found->first == path || found->first.starts_with(path + "/"));
}

void check_links(
    findings& out, const tree& files, const std::string& path, std::string_view line, std::size_t number) {
  const std::string folder = path.substr(0, path.rfind('/') == std::string::npos ? 0 : path.rfind('/') + 1);
  for (std::size_t at = line.find("]("); at != std::string_view::npos; at = line.find("](", at + 2)) {
    const std::size_t end = line.find(')', at);
    std::string target(line.substr(at + 2, end == std::string_view::npos ? end : end - at - 2));
    target = target.substr(0, target.find('#'));
    if (target.empty() || target.find("://") != std::string::npos || target.starts_with("mailto:"))
      continue;
    if (!exists(files, normal(folder + target)))
      out.push_back({path + ":" + std::to_string(number), "links to " + target + ", which isn't there",
          "a dead link costs every reader a search"});
  }
}

/// Names of documents in comments and messages, as `docs/events.md`.
void check_mentions(
    findings& out, const tree& files, const std::string& path, std::string_view line, std::size_t number) {
  const auto part_of_path = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '/' || c == '_' || c == '-' || c == '.';
  };
  for (std::size_t at = line.find("docs/"); at != std::string_view::npos; at = line.find("docs/", at + 5)) {
    if (at > 0 && part_of_path(line[at - 1]))
      continue;
    if (line.substr(0, at).ends_with("](")
        || (is_source(path) && line.substr(0, at).find("//") == std::string_view::npos))
      continue; // a link is looked at above; in a source only comments send readers anywhere
    std::size_t end = at;
    while (end < line.size() && part_of_path(line[end]))
      ++end;
    std::string name(line.substr(at, end - at));
    while (name.ends_with('.') || name.ends_with('/'))
      name.pop_back();
    if (name.ends_with(".md") && !exists(files, name))
      out.push_back({path + ":" + std::to_string(number), "speaks of " + name + ", which isn't there",
          "what a comment sends a reader to must exist"});
  }
}

} // namespace

findings check_documents(const tree& files) {
  findings out;
  for (const std::string_view name : expected)
    if (!files.contains(std::string(name)))
      out.push_back({std::string(name), "is missing", "it is where everybody looks first"});

  const std::string decisions = "docs/decisions/";
  int next = 1;
  for (auto at = files.lower_bound(decisions); at != files.end() && at->first.starts_with(decisions); ++at) {
    const std::string name = at->first.substr(decisions.size());
    std::string number = std::to_string(next++);
    number = std::string(4 - std::min<std::size_t>(4, number.size()), '0') + number;
    if (!name.starts_with(number + "-") || !name.ends_with(".md"))
      out.push_back({at->first, "should begin with " + number + "-",
          "decisions are numbered without a gap, so that none is overlooked and each can be cited"});
  }

  for (const auto& [path, text] : files) {
    if (path.starts_with("tests/tidy/"))
      continue;
    const auto lines = lines_of(text);
    bool is_code = false;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (lines[i].starts_with("```"))
        is_code = !is_code;
      if (path.ends_with(".md") && !is_code)
        check_links(out, files, path, lines[i], i + 1);
      check_mentions(out, files, path, lines[i], i + 1);
    }
  }
  return out;
}

} // namespace troupe::tidy
