// Who may include whom, and which header nobody needs.
#include "tests/tidy/rules.hpp"

#include <algorithm>
#include <set>

namespace troupe::tidy {

namespace {

struct room {
  std::string_view name;
  std::vector<std::string_view> may_include; ///< besides itself
};

/// ARCHITECTURE.md draws this table. Tests, benchmarks and examples may include everything.
const std::vector<room>& rooms() {
  static const std::vector<room> table = {
      {"messages", {}},
      {"telemetry", {}},
      {"session", {"messages"}},
      {"persistence", {"session", "messages", "telemetry"}},
      {"providers", {"session", "messages", "telemetry"}},
      {"tools", {"messages", "telemetry"}},
      {"actors", {"persistence", "providers", "tools", "session", "messages", "telemetry"}},
      {"config",
          {"actors", "gateway", "persistence", "providers", "tools", "session", "messages", "telemetry"}},
      {"gateway", {"actors", "persistence", "providers", "tools", "session", "messages", "telemetry"}},
      {"include", {"config", "tools", "messages"}},
      {"troupe",
          {"include", "config", "actors", "persistence", "providers", "tools", "session", "messages",
              "telemetry"}},
      {"cli",
          {"troupe", "include", "config", "gateway", "actors", "persistence", "providers", "tools", "session",
              "messages", "telemetry"}},
  };
  return table;
}

struct library {
  std::string_view header; ///< what its includes begin with
  std::vector<std::string_view> where;
};

const std::vector<library>& libraries() {
  static const std::vector<library> table = {
      {"caf/", {"actors", "gateway", "messages/type_ids.hpp"}},
      {"pqxx/", {"persistence"}},
      {"libpq", {"persistence"}},
      {"boost/asio", {"providers", "gateway"}},
      {"boost/beast", {"providers", "gateway"}},
      {"boost/regex", {"tools/pattern.cpp"}},
      {"openssl/", {"messages/digest.cpp", "providers", "gateway"}},
      {"toml++/", {"config"}},
      {"CLI/", {"cli"}},
      {"histedit.h", {"cli/line_editor.cpp"}},
      {"spdlog/", {"telemetry"}},
      {"valijson/", {}},
  };
  return table;
}

bool is_free(std::string_view room) {
  return room == "tests" || room == "bench" || room == "examples" || room.empty();
}

struct include {
  std::string name; ///< of ours: from the project's root on
  bool ours;
};

std::vector<std::pair<std::size_t, include>> includes_of(std::string_view text) {
  std::vector<std::pair<std::size_t, include>> out;
  const auto lines = lines_of(text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!lines[i].starts_with("#include "))
      continue;
    const std::string_view rest = lines[i].substr(9);
    const std::size_t end = rest.find_first_of("\">", 1);
    if (end == std::string_view::npos)
      continue;
    const std::string name(rest.substr(1, end - 1));
    const bool is_public = rest[0] == '<' && name.starts_with("troupe/"); // as programs write it
    out.push_back({i + 1, {is_public ? "include/" + name : name, is_public || rest[0] == '"'}});
  }
  return out;
}

bool lies_in(std::string_view path, std::string_view place) {
  return path == place || (path.starts_with(place) && path.substr(place.size()).starts_with("/"));
}

const char* const rooms_reason = "a room knows only the rooms below it (ARCHITECTURE.md), so that each can "
                                 "be understood, tested and replaced alone";
const char* const library_reason = "a third-party library stays behind one room's interfaces: it costs "
                                   "compile time and can then be replaced in one place";

void check_ours(findings& out, const std::string& where, std::string_view path, std::string_view name) {
  const std::string_view from = room_of(path);
  const std::string_view to = room_of(name);
  if (to.empty()) {
    out.push_back({where, "includes \"" + std::string(name) + "\" by a relative path",
        "includes are written from the project's root, so that one name means one file"});
    return;
  }
  if (is_free(from) || from == to)
    return;
  const auto found =
      std::find_if(rooms().begin(), rooms().end(), [&](const room& one) { return one.name == from; });
  if (found == rooms().end())
    out.push_back({where,
        "lies in the room " + std::string(from) + "/, which the table of rooms doesn't know", rooms_reason});
  else if (std::find(found->may_include.begin(), found->may_include.end(), to) == found->may_include.end())
    out.push_back({where, std::string(from) + "/ may not include " + std::string(to) + "/", rooms_reason});
}

void check_library(findings& out, const std::string& where, std::string_view path, std::string_view name) {
  if (is_free(room_of(path)))
    return;
  for (const library& one : libraries())
    if (name.starts_with(one.header)
        && std::none_of(one.where.begin(), one.where.end(), [&](auto place) { return lies_in(path, place); }))
      out.push_back({where, "may not include <" + std::string(name) + ">", library_reason});
}

} // namespace

findings check_includes(const tree& files) {
  findings out;
  for (const auto& [path, text] : files)
    if (is_source(path))
      for (const auto& [line, one] : includes_of(text)) {
        const std::string where = path + ":" + std::to_string(line);
        if (one.ours)
          check_ours(out, where, path, one.name);
        check_library(out, where, path, one.name);
      }
  return out;
}

findings check_used(const tree& files) {
  static const char* const reason =
      "what nothing uses is read, built and kept right for nothing: wire it in or delete it";
  std::map<std::string, std::set<std::string>, std::less<>> included_by;
  for (const auto& [path, text] : files)
    if (is_source(path))
      for (const auto& [line, one] : includes_of(text))
        included_by[std::string(one.name)].insert(path);
  findings out;
  for (const auto& [path, text] : files) {
    if (path.ends_with(".hpp")) {
      std::set<std::string> users = included_by[path];
      users.erase(path.substr(0, path.size() - 4) + ".cpp");
      // what programs include, and what stands in the way of one that does
      const bool is_public = path.starts_with("include/troupe/") || path.starts_with("tests/consumer/");
      if (users.empty() && !is_public)
        out.push_back({path, "is included by nothing but its own source", reason});
    } else if (path.ends_with(".cpp") && !is_free(room_of(path))) {
      const auto includes = includes_of(text);
      const bool serves = std::any_of(includes.begin(), includes.end(), [&](const auto& one) {
        const auto room = room_of(one.second.name);
        return one.second.ours && (room == room_of(path) || (room == "include" && room_of(path) == "troupe"));
      });
      if (!serves && text.find("int main(") == std::string::npos)
        out.push_back({path, "carries out no header of its room and is no program", reason});
    }
  }
  return out;
}

} // namespace troupe::tidy
