// The reader that `rules.hpp` stands for: what it has read so far, and what it still has to check.
#pragma once

#include "providers/gym/rules.hpp"

#include <map>

namespace troupe::providers::gym {

/// Thrown where a rule is broken and caught where the reading began.
struct refusal {
  std::string message;
};
[[noreturn]] void refuse(std::string message);

/// The member's text; empty if there is no such string.
std::string_view string_at(const json::value& in, std::string_view key);
/// True for 1 to `most` characters of `[a-zA-Z0-9_-]`.
bool is_name(std::string_view text, std::size_t most);

/// One message after those of one role in a row are merged, as the service does it.
struct merged {
  std::string role;
  std::vector<std::pair<std::string, const json::value*>> blocks; ///< with their place
};

class request_reader {
 public:
  explicit request_reader(const json::value& body) : body_(body) {}
  conversation read();

 private:
  using value = json::value;
  void read_settings();
  void read_system(const value& system);
  void read_tools();
  void read_tool(const value& tool, const std::string& at, std::set<std::string, std::less<>>& names);
  void read_messages();
  void read_message(const value& message, std::size_t index, bool last, std::vector<merged>& said);
  void read_block(const value& block, const std::string& at, bool assistant);
  void read_source(const value& block, const std::string& at);
  void read_call(const value& block, const std::string& at);
  void read_result(const value& block, const std::string& at);
  void heard(std::string_view text);
  void check_pairs(const std::vector<merged>& said);
  void check_results(const merged& message, const std::set<std::string_view>& asked);
  [[noreturn]] void refuse_unanswered(const std::string& at, const std::set<std::string_view>& ids);
  void count_mark(const value& block);

  const value& body_;
  conversation out_;
  std::map<std::string, std::string> call_names_;
  int cache_marks_ = 0;
};

} // namespace troupe::providers::gym
