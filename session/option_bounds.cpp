// One problem for all that is out of bounds, so that it is mended in one go.
#include "session/option_bounds.hpp"

#include <limits>

namespace troupe::session {

namespace {

constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();

class bound_check {
 public:
  void number(const std::optional<std::int64_t>& given, std::string pointer, std::int64_t least,
      std::int64_t most = any) {
    if (!given || (*given >= least && *given <= most))
      return;
    faults_.push_back({std::move(pointer),
        std::to_string(*given) + " is out of bounds: "
            + (most == any ? "at least " + std::to_string(least)
                           : "from " + std::to_string(least) + " to " + std::to_string(most))});
  }

  result<void> take() {
    if (faults_.empty())
      return {};
    return problem{problem_code::invalid_input, "options are out of bounds", std::move(faults_)};
  }

 private:
  std::vector<problem_at> faults_;
};

} // namespace

result<void> within_bounds(const options& wanted) {
  bound_check check;
  if (wanted.compaction) {
    check.number(wanted.compaction->keep, "/compaction/keep", 1, compaction_keep_max);
    check.number(
        wanted.compaction->threshold_tokens, "/compaction/threshold_tokens", compaction_threshold_min);
  }
  if (wanted.output_limit) {
    check.number(wanted.output_limit->max_messages, "/output_limit/max_messages", output_messages_min);
    check.number(wanted.output_limit->max_source_bytes, "/output_limit/max_source_bytes", 1);
  }
  return check.take();
}

} // namespace troupe::session
