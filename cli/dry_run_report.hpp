// What came of a dry run, for people or as JSON.
#pragma once

#include "actors/history/dry_run.hpp"

namespace troupe::cli {

struct dry_run_report {
  std::string fork;
  std::vector<actors::recorded_answer> recorded;
  std::vector<actors::recorded_answer> now;
  std::size_t unknown_calls = 0;
  std::optional<std::string> stopped; ///< why not everything was said

  /// Tells it on the standard output, and gives the exit status.
  int tell(bool as_json) const;

 private:
  void tell_json(const actors::dry_run_comparison& found) const;
  void tell_people(const actors::dry_run_comparison& found) const;
};

} // namespace troupe::cli
