// The context: the messages that the next inference starts from, folded from the log one event at a
// time, with the running digest of their JSON (spec: "The context").
//
// Copies are cheap: messages are shared, so that a decision can fold what it is about to append.
#pragma once

#include "messages/event.hpp"
#include "messages/message_list.hpp"
#include "session/used_ids.hpp"

#include <functional>
#include <map>
#include <memory>

namespace troupe::session {

/// A call that a result answers.
struct answered_call {
  call_ref call;
  std::string tool; ///< its name
};

/// A call whose id the context shows as another one, since no provider takes it or it was used before.
struct renamed_call {
  call_ref call;
  std::string shown;
};
using renamed_calls = std::vector<renamed_call>;

/// A message with the place where it joined, and the first and the last event that it is folded from.
struct context_entry {
  troupe::message message;
  std::int64_t seq = 0;
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::shared_ptr<const answered_call> answers = nullptr; ///< null: no result of a tool
  std::shared_ptr<const renamed_calls> renamed = nullptr; ///< null: no answer in which a call is renamed
  bool stands_for_more = false;                           ///< what a compaction put in the place of others
};

/// What the context shows in the place of an old result.
std::string cleared_text(const std::string& tool);

class context {
 public:
  context();
  /// As it was carried over from a log that isn't there any more; no answer is coming in it.
  context(std::vector<context_entry> entries, used_ids used);

  /// Folds one event in. A message that is consumed is given by the caller, who keeps the queues, with the
  /// event that queued it.
  void add_message(message message, std::int64_t seq, std::int64_t from);
  void add_block(const assistant_block& block, std::int64_t seq);
  void finish_inference(const std::string& inference_id, std::int64_t seq);
  void void_output(const std::string& inference_id);
  void add_result(const tool_result& result, const content& shown, bool is_error, std::int64_t seq);
  void reset(const std::optional<large_text>& handoff, std::int64_t seq);
  void clear(const context_cleared& cleared);
  /// Gives the event from which on a fold comes to the same context, at most `needed` and at most `seq`.
  std::int64_t replace(const compaction_finished& compaction, std::int64_t seq, std::int64_t needed);

  const used_ids& used() const { return used_; }
  void take_used(used_ids used) {
    used_ = std::move(used);
    given_names_ = nullptr;
  }
  /// From here on calls are shown as these say, whatever was used before: for a fold that doesn't begin where
  /// the log does. `take_used` ends it.
  void name_calls_as(renamed_calls given);
  renamed_calls renamed() const;

  /// In order, with the blocks of an answer that is still coming as its last message.
  std::vector<message> messages() const;
  /// The same, not copied.
  message_list shared_messages() const;
  std::vector<context_entry> entries() const;
  /// The newest first, until `visit` says false.
  void newest_first(const std::function<bool(const context_entry&)>& visit) const;
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0 && open_.empty(); }
  /// The role of the last message, empty when there is none.
  std::string last_role() const;
  /// `sha256:HEX` of the messages' JSON array.
  std::string digest() const;

 private:
  struct node;
  struct shown_call {
    call_ref call;
    std::string shown_id;
    std::string tool;
  };
  void push(context_entry entry);
  void rebuild(std::vector<context_entry> entries);
  std::string shown_id(const std::string& call_id, const call_ref& call);

  std::shared_ptr<const node> last_;
  std::size_t size_ = 0;
  sha256 digest_; ///< of `[` and the messages so far
  used_ids used_;
  std::shared_ptr<const renamed_calls> given_names_; ///< null: calls are named by what was used before
  std::vector<block> open_;                          ///< of the answer that is coming, in index order
  std::vector<std::int64_t> open_indexes_;
  std::string open_inference_;
  std::int64_t open_seq_ = 0;
  std::vector<shown_call> calls_; ///< of the newest assistant message
};

} // namespace troupe::session
