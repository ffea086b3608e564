// The reader of a Chat Completions request: what it has read so far, and what it still has to check.
#pragma once

#include "providers/gym/chat_rules.hpp"
#include "providers/gym/strict_reading.hpp"

#include <map>

namespace troupe::providers::gym {

class chat_reader {
 public:
  static constexpr std::size_t name_max = 64; ///< bytes of a function's or a speaker's name

  explicit chat_reader(const json::value& body) : body_(body) {}
  conversation read();

 private:
  using value = json::value;
  void read_settings();
  bool read_flag(std::string_view key);
  void read_tools();
  void read_tool(const value& tool, const std::string& at, std::set<std::string, std::less<>>& names);
  void read_schema(const value& function, const std::string& name, const std::string& at);
  void read_choice(const std::set<std::string, std::less<>>& names);
  void read_messages();
  void read_message(const value& message, std::size_t index);
  void read_answer(const value& message, std::size_t index);
  void read_call(const value& call, const std::string& at);
  void read_result(const value& message, std::size_t index);
  std::string read_content(const value& message, std::string_view role, const std::string& at);
  void read_part(const value& part, std::string_view role, const std::string& at);
  void check_answered();

  const value& body_;
  conversation out_;
  std::map<std::string, std::string> call_names_;
  std::set<std::string> open_; ///< ids of the newest answer's calls that have no result
  std::size_t open_at_ = 0;    ///< where that answer stands
};

} // namespace troupe::providers::gym
