// A chat over one session: lines in, runs followed, until somebody leaves.
#pragma once

#include "cli/line_input.hpp"
#include "cli/run_following.hpp"
#include "cli/slash.hpp"

namespace troupe::cli {

class conversation {
 public:
  /// `settings` go with the first message. `how` says how questions are answered.
  conversation(actors::session_handle& session, line_input& input, std::optional<message_settings> settings,
      following how);

  /// Goes on with what was cut off, then takes line after line. Gives the exit status: on a terminal
  /// 0, else that of the last run.
  int hold();

 private:
  enum class then { go_on, leave };

  then obey(const said& line);
  /// The same while a run is followed.
  void obey_meanwhile(const said& line);
  bool post(const std::string& text, delivery queue);
  int follow_from(std::int64_t before);
  void say(const std::string& text, delivery queue);
  /// Makes the context smaller, and tells what came of it.
  void compact();
  void choose_model(const std::string& name);
  void take_up();

  actors::session_handle& session_;
  line_input& input_;
  message_settings settings_;
  following how_;
  int status_ = 0;
  bool leaving_ = false;
};

} // namespace troupe::cli
