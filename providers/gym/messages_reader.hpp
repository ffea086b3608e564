// The reader of a Messages request: what it has read so far, and what it still has to check.
#pragma once

#include "providers/gym/messages_rules.hpp"
#include "providers/gym/strict_reading.hpp"

#include <map>

namespace troupe::providers::gym {

/// One message after those of one role in a row are merged, as the service does it.
struct merged {
  std::string role;
  std::vector<std::pair<std::string, const json::value*>> blocks; ///< with their place
};

class messages_reader {
 public:
  explicit messages_reader(const json::value& body) : body_(body) {}
  conversation read();

 private:
  using value = json::value;
  void read_settings();
  void read_thinking(std::int64_t most);
  void read_system(const value& system);
  void read_tools();
  void read_tool(const value& tool, const std::string& at, std::set<std::string, std::less<>>& names);
  void read_messages();
  void read_message(const value& message, std::size_t index, bool last, std::vector<merged>& said);
  void read_block(const value& block, const std::string& at, bool assistant);
  void read_source(const value& block, const std::string& at);
  void read_call(const value& block, const std::string& at);
  void read_result(const value& block, const std::string& at);
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
