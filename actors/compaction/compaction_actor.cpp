// Each part is an inference of its own, with its retries; all of them must succeed.
#include "actors/compaction/compaction_actor.hpp"

#include "actors/inference/blob_filling.hpp"
#include "messages/text.hpp"
#include "session/context_size.hpp"
#include "session/steps.hpp"
#include "session/summary.hpp"

#include <caf/actor_cast.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/send.hpp>

#include <algorithm>

namespace troupe::actors {

namespace {

// How often a request that is too long is made again with the newer half of what it was about.
constexpr int halvings_max = 4;
// Many times what the tokens that it may have come to.
constexpr std::size_t summary_bytes_max = 128 * 1024;

struct part {
  session::summary_of what = session::summary_of::history;
  std::string id; ///< of its inference
  std::vector<message> messages;
  std::size_t head = 0; ///< of these, which stay however long the rest is: a summary, or a round's question
  std::size_t left_out = 0;
  std::vector<block> answer;
  int halvings = 0;
  bool done = false;
};

class compaction_shell {
 public:
  compaction_shell(caf::event_based_actor* self, compaction_settings settings,
      std::shared_ptr<const node_parts> parts, caf::actor agent)
      : self_(self), settings_(std::move(settings)), node_(std::move(parts)), agent_(std::move(agent)) {}

  /// One answer whatever happens: a fault of ours is one too.
  template <class Step> void guard(Step step) {
    try {
      step();
    } catch (const std::exception& fault) {
      fail({"unknown", std::nullopt, false, "the compaction failed: " + to_utf8(fault.what())});
    }
  }

  void begin() {
    settings_.asking.stop->on_stop([all = stop_] { all->stop(); });
    auto& covered = settings_.covered;
    if (settings_.by_provider) {
      auto all = std::move(covered.history);
      all.insert(all.end(), covered.begun_round.begin(), covered.begun_round.end());
      add_part(session::summary_of::history, std::move(all), 0);
    } else {
      add_part(session::summary_of::history, std::move(covered.history), covered.summaries);
      add_part(session::summary_of::begun_round, std::move(covered.begun_round), 1);
    }
    if (parts_.empty())
      return fail({"unknown", std::nullopt, false, "there is nothing to sum up"});
    for (auto& each : parts_)
      fill_from_archive(self_, *node_, settings_.asking.session.tenant, each.messages,
          [this, &each](const result<void>& filled) {
            if (!filled)
              return fail({"unknown", std::nullopt, false, filled.error().detail});
            guard([&] { ask(each); });
          });
  }

  void take(const command& what) {
    if (ended_)
      return;
    if (const auto* const blocks = std::get_if<block_finished>(&what)) {
      if (auto* const of = find(blocks->inference_id))
        of->answer.insert(of->answer.end(), blocks->blocks.begin(), blocks->blocks.end());
    } else if (const auto* const answer = std::get_if<inference_answer>(&what)) {
      if (auto* const of = find(answer->finish.inference_id))
        finish(*of, *answer);
    }
  }

 private:
  void add_part(session::summary_of what, std::vector<message> messages, std::size_t head) {
    if (messages.empty())
      return;
    auto& made = parts_.emplace_back();
    made.what = what;
    made.id = settings_.compaction_id + "/" + std::to_string(parts_.size());
    made.messages = std::move(messages);
    made.head = head;
  }

  part* find(const std::string& id) {
    const auto found = std::find_if(parts_.begin(), parts_.end(), [&](const part& p) { return p.id == id; });
    return found == parts_.end() ? nullptr : &*found;
  }

  void ask(part& of) {
    if (ended_)
      return;
    of.answer.clear();
    inference_settings asking = settings_.asking;
    asking.stop = stop_;
    asking.shown = false;
    asking.request.inference_id = of.id;
    asking.request.compact = settings_.by_provider;
    if (settings_.by_provider) {
      asking.request.messages = of.messages;
    } else {
      asking.request.instructions = session::summary_instructions(of.what);
      asking.request.tools.clear(); // a summary that calls a tool is none
      asking.request.max_output_tokens = session::summary_tokens_max(of.what);
      std::string text = session::transcript(of.messages);
      if (of.left_out > 0)
        text += "[" + std::to_string(of.left_out) + " older messages did not fit and are left out]\n";
      asking.request.messages = {{"user", {text_part{std::move(text)}}, {}, {}, {}}};
    }
    self_->spawn(inference_actor, std::move(asking), node_, caf::actor_cast<caf::actor>(self_));
  }

  void finish(part& of, const inference_answer& answer) {
    of.answer.insert(of.answer.end(), answer.blocks.begin(), answer.blocks.end());
    session::add(usage_, answer.finish.usage);
    if (answer.finish.error && answer.finish.error->code == "context_overflow" && !settings_.by_provider
        && of.messages.size() > of.head + 1 && ++of.halvings <= halvings_max) {
      const auto half = static_cast<std::ptrdiff_t>((of.messages.size() - of.head + 1) / 2);
      const auto from = of.messages.begin() + static_cast<std::ptrdiff_t>(of.head);
      of.messages.erase(from, from + half);
      of.left_out += static_cast<std::size_t>(half);
      return ask(of);
    }
    if (auto why = fault_of(of, answer.finish))
      return fail(*std::move(why));
    of.done = true;
    if (std::all_of(parts_.begin(), parts_.end(), [](const part& p) { return p.done; }))
      succeed();
  }

  std::optional<failure> fault_of(const part& of, const inference_finished& finish) const {
    if (finish.state == inference_state::cancelled)
      return session::cancelled_compaction();
    if (finish.error)
      return finish.error;
    const std::string stop = finish.stop.value_or("");
    if (stop == "max_tokens")
      return failure{"invalid_summary", std::nullopt, false, "the summary was cut off at its token limit"};
    if (stop == "refusal" || stop == "content_filter")
      return failure{"invalid_summary", std::nullopt, false, "the model refused to sum up"};
    const bool calls = std::any_of(of.answer.begin(), of.answer.end(),
        [](const block& b) { return std::holds_alternative<tool_call_block>(b); });
    if (calls || stop == "tool_use" || stop == "function_call")
      return failure{"invalid_summary", std::nullopt, false, "the summary calls a tool"};
    if (stop != "end_turn" && stop != "stop_sequence" && !(settings_.by_provider && stop == "compaction"))
      return failure{"invalid_summary", std::nullopt, false, "the summary stopped with `" + stop + "`"};
    if (session::summary_text(of.answer).size() > summary_bytes_max)
      return failure{"invalid_summary", std::nullopt, false,
          "the summary is longer than " + std::to_string(summary_bytes_max) + " bytes"};
    if (settings_.by_provider)
      return session::summary_text(of.answer).empty() ? std::optional(
                 failure{"invalid_summary", std::nullopt, false, "the provider's compaction is empty"})
                                                      : std::nullopt;
    if (auto fault = session::fault_of_summary(of.what, of.answer))
      return failure{"invalid_summary", std::nullopt, false, *std::move(fault)};
    return std::nullopt;
  }

  void succeed() {
    std::string history;
    std::string begun_round;
    for (const auto& each : parts_)
      (each.what == session::summary_of::history ? history : begun_round) =
          session::summary_text(each.answer);
    compaction_answer answer{settings_.compaction_id, {}, std::nullopt, usage_, settings_.tokens_before, {}};
    const std::vector<content_part> text{text_part{session::joined_summaries(history, begun_round)}};
    answer.tokens_after =
        settings_.tokens_kept + session::estimated_tokens(message{"user", text, {}, {}, {}});
    answer.replacement.push_back({"user", content(text)});
    end(std::move(answer));
  }

  void fail(failure why) {
    end({settings_.compaction_id, {}, std::move(why), usage_, std::nullopt, std::nullopt});
  }

  void end(compaction_answer answer) {
    if (ended_)
      return;
    ended_ = true;
    stop_->stop(); // a part that is still asked for
    caf::anon_send(agent_, order{std::make_shared<const command>(std::move(answer))});
    self_->quit();
  }

  caf::event_based_actor* self_;
  compaction_settings settings_;
  std::shared_ptr<const node_parts> node_;
  caf::actor agent_;
  std::shared_ptr<tools::stop_source> stop_ = std::make_shared<tools::stop_source>();
  std::vector<part> parts_; ///< all there before the first is asked
  usage usage_;
  bool ended_ = false;
};

} // namespace

caf::behavior compaction_actor(caf::event_based_actor* self, compaction_settings settings,
    std::shared_ptr<const node_parts> parts, caf::actor agent) {
  auto shell =
      std::make_shared<compaction_shell>(self, std::move(settings), std::move(parts), std::move(agent));
  self->send(self, try_again{});
  return {
      [=](const try_again&) { shell->guard([&] { shell->begin(); }); },
      [=](const order& what) {
        shell->guard([&] { shell->take(*what.what); });
        return order_answer{};
      },
      [](const order_answer&) {},
  };
}

} // namespace troupe::actors
