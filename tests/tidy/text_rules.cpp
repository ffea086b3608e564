// First lines, lengths, and words that don't belong into the tree.
#include "tests/tidy/rules.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

namespace troupe::tidy {

namespace {

constexpr std::size_t source_lines_max = 250;
constexpr std::size_t test_lines_max = 600;
constexpr std::size_t line_characters_max = 140;

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

/// The words of a file's name: `a/json_codec.cpp` → json, codec.
std::vector<std::string> words_of_name(std::string_view path) {
  std::vector<std::string> out;
  const std::string_view name =
      path.substr(path.rfind('/') == std::string_view::npos ? 0 : path.rfind('/') + 1);
  std::string word;
  for (const char c : std::string(name) + "_")
    if (std::isalpha(static_cast<unsigned char>(c)))
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else if (!word.empty())
      out.push_back(std::exchange(word, {}));
  return out;
}

/// Data in a test reads best unbroken.
bool is_data(std::string_view path, std::string_view line) {
  return room_of(path) == "tests" && line.find('"') != std::string_view::npos;
}

bool is_word_at(std::string_view text, std::size_t at, std::size_t length) {
  const auto part_of_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  return (at == 0 || !part_of_name(text[at - 1]))
      && (at + length == text.size() || !part_of_name(text[at + length]));
}

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1))
    if (is_word_at(text, at, word.size()))
      return true;
  return false;
}

std::string_view comment_of(std::string_view path) {
  if (is_source(path))
    return "// ";
  if (path.ends_with(".up.sql"))
    return "-- ";
  if (path.ends_with(".cmake") || path.ends_with("CMakeLists.txt") || path.starts_with("scripts/")
      || path == ".ci/run")
    return "# ";
  return {};
}

} // namespace

findings check_first_lines(const tree& files) {
  findings out;
  for (const auto& [path, text] : files) {
    const std::string_view mark = comment_of(path);
    const bool is_build_list = path.ends_with("CMakeLists.txt") && lines_of(text).size() < 10;
    if (mark.empty() || is_build_list)
      continue;
    const auto lines = lines_of(text);
    std::size_t at = !lines.empty() && lines[0].starts_with("#!") ? 1 : 0;
    std::string comment;
    for (; at < lines.size() && lines[at].starts_with(mark); ++at)
      comment += lines[at];
    const std::string_view words = std::string_view(comment).substr(std::min(mark.size(), comment.size()));
    if (words.size() < 10 || words.find_first_of(".:?") == std::string_view::npos)
      out.push_back({path, "doesn't open with a sentence that says what the file is for",
          "who opens a file wants to know first whether it is the right one"});
  }
  return out;
}

findings check_lengths(const tree& files) {
  findings out;
  for (const auto& [path, text] : files) {
    if (!is_source(path))
      continue;
    const auto lines = lines_of(text);
    const std::size_t bound = room_of(path) == "tests" ? test_lines_max : source_lines_max;
    if (lines.size() > bound)
      out.push_back(
          {path, "has " + std::to_string(lines.size()) + " lines; the bound is " + std::to_string(bound),
              "a file says one thing; a longer one says two"});
    for (std::size_t i = 0; i < lines.size(); ++i)
      if (characters(lines[i]) > line_characters_max && !is_data(path, lines[i]))
        out.push_back({path + ":" + std::to_string(i + 1),
            "is " + std::to_string(characters(lines[i])) + " characters long; the bound is "
                + std::to_string(line_characters_max),
            "a line that must be scrolled isn't read"});
  }
  return out;
}

findings check_words(const tree& files) {
  struct word_rule {
    std::string_view word;
    bool (*applies)(std::string_view path);
    const char* reason;
  };
  static const auto everywhere = [](std::string_view path) { return is_source(path); };
  static const auto not_settings = [](std::string_view path) {
    const auto room = room_of(path);
    return is_source(path) && room != "config" && room != "troupe" && room != "tests" && room != "bench"
        && room != "examples";
  };
  static const char* const sleeping =
      "a sleep is too long on a fast machine and too short on a slow one: wait for the event itself";
  // PostgreSQL tells nobody when it takes connections: there it is asked again and again.
  static const auto not_asking_a_server = [](std::string_view path) {
    return is_source(path) && path != "persistence/cluster_server.cpp";
  };
  static const auto simulated = [](std::string_view path) {
    return is_source(path) && room_of(path) == "actors" && path != "actors/surroundings.cpp";
  };
  static const char* const by_the_surroundings =
      "time and chance come to a node through its surroundings (actors/surroundings.hpp), so that a "
      "simulation can give its own";
  static const word_rule rules[] = {
      {"steady_clock::now", simulated, by_the_surroundings},
      {"system_clock::now", simulated, by_the_surroundings},
      {"random_device", simulated, by_the_surroundings},
      {"sleep_for", not_asking_a_server, sleeping},
      {"sleep_until", everywhere, sleeping},
      {"usleep", everywhere, sleeping},
      {"nanosleep", everywhere, sleeping},
      {"getenv", not_settings,
          "settings come in through config/ and troupe/; what reads the environment elsewhere can't be seen, "
          "tested or documented"},
      {"secure_getenv", not_settings,
          "settings come in through config/ and troupe/; what reads the environment elsewhere can't be seen, "
          "tested or documented"},
  };
  static const std::vector<std::string> empty_names = {
      "util", "utils", "helper", "helpers", "manager", "common", "misc"};
  static const std::string_view machine_paths[] = {"/work/", "/home/", "/Users/"};

  findings out;
  for (const auto& [path, text] : files) {
    for (const std::string& word : words_of_name(path))
      if (std::find(empty_names.begin(), empty_names.end(), word) != empty_names.end())
        out.push_back({path, "has \"" + word + "\" in its name",
            "a name says what a thing is for; these words fit everything"});
    if (path.starts_with("tests/tidy/") || path.starts_with("tests/golden/"))
      continue;
    const auto lines = lines_of(text);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const std::string where = path + ":" + std::to_string(i + 1);
      for (const word_rule& rule : rules)
        if (rule.applies(path) && has_word(lines[i], rule.word))
          out.push_back({where, "uses " + std::string(rule.word), rule.reason});
      for (const std::string_view place : machine_paths)
        if (room_of(path) != "tests" && lines[i].find(place) != std::string_view::npos)
          out.push_back({where, "names a path of one machine: " + std::string(place),
              "the project must work wherever it is put"});
    }
  }
  return out;
}

} // namespace troupe::tidy
