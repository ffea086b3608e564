// What a recorded session's users, models and tools said, to say it again and to compare with.
#pragma once

#include "messages/commands.hpp"

#include <map>
#include <mutex>
#include <set>

namespace troupe::actors {

struct recorded_call {
  std::string name;
  std::string arguments; ///< JSON with its keys in order, or the model's own text where it is none
  bool operator==(const recorded_call&) const = default;
};

/// One answer of a model.
struct recorded_answer {
  std::int64_t seq = 0; ///< of its end
  std::string text;
  std::vector<recorded_call> calls;
  std::string end; ///< the stop reason, or the code and the words of the failure
  troupe::usage usage;
  std::size_t input = 0; ///< how many inputs had been taken up
  bool cut_off = false;  ///< by an abort or a crash: what it would have come to isn't known
};

/// True where the two say the same and call the same; what they thought and cost isn't compared.
bool agree(const recorded_answer& one, const recorded_answer& other);

/// What a call came to, as the model was shown it.
struct recorded_result {
  troupe::content content;
  bool is_error = false;
  bool terminate = false; ///< it ended its run
};

class recording {
 public:
  /// The next event, as readers get it.
  void take(const event& happened);

  /// What clients said and didn't take back, in their order.
  const std::vector<accept_message>& inputs() const { return inputs_; }
  const std::vector<recorded_answer>& answers() const { return answers_; }
  /// By the call; the same call again had the next one.
  const std::map<std::string, std::vector<recorded_result>>& results() const { return results_; }

 private:
  void finish(std::int64_t seq, const inference_finished& end);
  void take_back(const std::vector<std::string>& ids);

  std::string inference_;
  std::size_t taken_up_ = 0;
  std::map<std::int64_t, block> blocks_;
  std::map<std::pair<std::string, std::int64_t>, std::string> calls_; ///< by inference and index
  std::vector<accept_message> inputs_;
  std::vector<recorded_answer> answers_;
  std::map<std::string, std::vector<recorded_result>> results_;
  std::set<std::string> ended_by_; ///< calls that ended their run, by execution
};

/// Gives a recording's results again, each call's in their order and then the last one again. From any
/// thread.
class recorded_results {
 public:
  explicit recorded_results(std::map<std::string, std::vector<recorded_result>> of) : of_(std::move(of)) {}
  /// Absent for a call that was never made.
  std::optional<recorded_result> next(const recorded_call& call);
  std::size_t unknown() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::vector<recorded_result>> of_;
  std::map<std::string, std::size_t> given_;
  std::size_t unknown_ = 0;
};

/// The call of a name with arguments as JSON text, whatever the order of its keys.
recorded_call call_of(std::string name, const std::string& arguments);

} // namespace troupe::actors
