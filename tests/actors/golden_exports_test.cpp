// Logs that earlier versions wrote and exported: every later one decides them again to the same events. Files
// are only ever added to tests/golden/exports.
#include "actors/history/exported_log_check.hpp"
#include "tests/actors/stage.hpp"

#include <filesystem>
#include <fstream>

namespace troupe::testing {

BOOST_AUTO_TEST_SUITE(golden_exports)

BOOST_AUTO_TEST_CASE(every_log_that_was_ever_exported_is_right) {
  std::size_t logs = 0;
  for (const auto& file : std::filesystem::directory_iterator(TROUPE_SOURCE_DIR "/tests/golden/exports")) {
    std::ifstream from(file.path(), std::ios::binary);
    const auto found = actors::check_exported_log(from, {});
    BOOST_TEST(
        found.has_value(), file.path().filename().string() << ": " << (found ? "" : found.error().detail));
    BOOST_TEST((found && found->what.events > 0));
    ++logs;
  }
  BOOST_TEST(logs >= 7U);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::testing
