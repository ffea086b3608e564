// The stored numbers of commands.
#include "messages/commands.hpp"

#include <array>

namespace troupe {

command_kind kind_of(const command& given) {
  static constexpr std::array kinds = {command_kind::create_session, command_kind::accept_message,
      command_kind::withdraw, command_kind::take_up, command_kind::start, command_kind::continue_run,
      command_kind::block_finished, command_kind::inference_answer, command_kind::begin_tools,
      command_kind::tool_answer, command_kind::decide_permission, command_kind::give_verdict,
      command_kind::abort, command_kind::settle_abort, command_kind::recover, command_kind::update_session,
      command_kind::client_result, command_kind::expire, command_kind::close_session,
      command_kind::reset_context, command_kind::compact, command_kind::compaction_answer, command_kind::fork,
      command_kind::trim};
  static_assert(kinds.size() == std::variant_size_v<command>);
  return kinds[given.index()];
}

} // namespace troupe
