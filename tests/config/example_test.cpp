// The file `config/troupe.toml` against the table of keys: every key is there, every default is equal.
#include "config/keys.hpp"

#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

#include <unistd.h>

using namespace troupe;

BOOST_AUTO_TEST_SUITE(example_file)

namespace {

const std::string example = TROUPE_SOURCE_DIR "/config/troupe.toml";

struct entry {
  std::string value;
  bool said_without_effect = false;
};

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

/// `section.key` → what the file says, also where it is commented out: `#key`, while prose is `# text`.
std::map<std::string, entry> entries_of_file() {
  std::map<std::string, entry> out;
  std::ifstream in(example);
  std::string section;
  std::string comment;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("# ") || line == "#" || line.empty()) {
      comment = line.empty() ? "" : comment + line;
      continue;
    }
    if (line.starts_with('#'))
      line.erase(0, 1);
    if (line.starts_with('['))
      section = line.substr(1, line.find(']') - 1);
    const auto equals = line.find(" = ");
    if (equals != std::string::npos)
      out[section + "." + line.substr(0, equals)] = {line.substr(equals + 3), has(comment, "No effect yet")};
    comment.clear();
  }
  return out;
}

void collect(std::map<std::string, entry>& out, const config::section& from) {
  for (const auto& key : from.keys)
    out[from.name + "." + std::string(key.name)] = {config::value_of(key), !key.in_force};
  for (const auto& section : from.sections)
    collect(out, section);
  if (from.named)
    collect(out,
        from.named(from.name == "providers" ? "anthropic"
                : from.name == "tenants"    ? "acme"
                : from.name == "modes"      ? "review"
                                            : "everything"));
}

/// The same of the table of keys.
std::map<std::string, entry> entries_of_table() {
  config::configuration defaults;
  std::map<std::string, entry> out;
  collect(out, config::sections_of(defaults));
  return out;
}

std::string text_of_file() {
  std::ifstream in(example);
  return {std::istreambuf_iterator<char>(in), {}};
}

} // namespace

BOOST_AUTO_TEST_CASE(the_example_has_every_key_with_its_default_and_no_other) {
  const auto file = entries_of_file();
  const auto table = entries_of_table();
  BOOST_TEST(table.size() > 60U);
  for (const auto& [key, there] : table) {
    BOOST_REQUIRE_MESSAGE(file.contains(key), "config/troupe.toml lacks " << key);
    BOOST_TEST(file.at(key).value == there.value, key);
  }
  for (const auto& [key, value] : file)
    BOOST_TEST(table.contains(key), key << " isn't known");
}

BOOST_AUTO_TEST_CASE(the_example_says_of_each_key_whether_it_has_an_effect) {
  const auto file = entries_of_file();
  for (const auto& [key, there] : entries_of_table())
    if (!key.starts_with("tenants.")) // said once for all of them
      BOOST_TEST(file.at(key).said_without_effect == there.said_without_effect, key);
}

BOOST_AUTO_TEST_CASE(the_example_as_it_is_changes_nothing) {
  const auto loaded = config::load(example, {});
  BOOST_REQUIRE_MESSAGE(loaded, loaded.error().detail);
  BOOST_TEST(loaded->providers.empty());
  config::configuration changed = *loaded;
  config::configuration defaults;
  std::map<std::string, entry> left;
  std::map<std::string, entry> right;
  collect(left, config::sections_of(changed));
  collect(right, config::sections_of(defaults));
  for (const auto& [key, there] : right)
    BOOST_TEST(left.at(key).value == there.value, key);
}

BOOST_AUTO_TEST_CASE(the_example_with_every_key_in_force_is_read) {
  std::istringstream in(text_of_file());
  std::string text;
  for (std::string line; std::getline(in, line);)
    if (!line.starts_with("#[tools.mcp") && !line.starts_with("#command") && !line.starts_with("#url"))
      text += (line.starts_with('#') && !line.starts_with("# ") ? line.substr(1) : line) + "\n";
  const std::string path =
      (std::filesystem::temp_directory_path() / ("troupe-example-test-" + std::to_string(getpid()) + ".toml"))
          .string();
  std::ofstream(path) << text;
  const auto loaded = config::load(path, {});
  std::remove(path.c_str());
  BOOST_REQUIRE_MESSAGE(loaded, loaded.error().detail);
  BOOST_TEST(loaded->providers.contains("anthropic"));
  BOOST_TEST(loaded->tenant_limits.at("acme").max_running == 256);
}

BOOST_AUTO_TEST_SUITE_END()
