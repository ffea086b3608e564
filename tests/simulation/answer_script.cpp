// Texts, thoughts and calls in pieces; ends of every kind.
#include "tests/simulation/answer_script.hpp"

#include "session/summary.hpp"
#include "tests/simulation/staged_tools.hpp"

namespace troupe::simulation {

namespace {

using namespace providers;

// After so many messages the model calls no more tools, so that runs end.
constexpr std::size_t messages_with_calls = 24;

class drawing {
 public:
  explicit drawing(ground& on) : on_(on) {}

  void text(block_kind kind, std::string text) {
    add(block_started{next_, kind, {}, {}});
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t size = std::min(text.size() - at, 1 + on_.luck.below(text.size() > 100 ? 6000 : 8));
      add(block_delta{next_, kind, text.substr(at, size)});
      at += size;
    }
    if (kind == block_kind::text)
      add(providers::block_finished{next_, text_block{std::move(text)}});
    else
      add(providers::block_finished{next_, thinking_block{std::move(text), std::nullopt, std::nullopt}});
    ++next_;
  }

  void call(const std::string& name, const std::string& call_id, const std::string& arguments) {
    add(block_started{next_, block_kind::tool_call, call_id, name});
    add(block_delta{next_, block_kind::tool_call, arguments});
    add(providers::block_finished{next_, make_tool_call(call_id, name, arguments)});
    ++next_;
  }

  // A block that is never finished.
  void half(std::string text) {
    add(block_started{next_, block_kind::text, {}, {}});
    add(block_delta{next_, block_kind::text, std::move(text)});
  }

  void end(std::string stop) {
    attempt_finished last;
    last.stop = last.stop_raw = std::move(stop);
    last.usage.input_tokens = on_.luck.one_in(3) ? on_.luck.between(500, 3000) : 10;
    last.usage.output_tokens = on_.luck.between(1, 50);
    add(std::move(last));
  }

  void fail(std::string code, bool retryable, std::optional<std::int64_t> retry_after_ms = std::nullopt) {
    attempt_finished last;
    last.state = inference_state::error;
    last.error = failure{std::move(code), std::nullopt, retryable, "The service said no."};
    last.retry_after_ms = retry_after_ms;
    add(std::move(last));
  }

  answer_script take() {
    if (!piece_.empty())
      script.pieces.push_back(std::move(piece_));
    return std::move(script);
  }

  answer_script script;

 private:
  void add(stream_event event) {
    piece_.push_back(std::move(event));
    if (on_.luck.percent(50))
      script.pieces.push_back(std::exchange(piece_, {}));
  }

  ground& on_;
  std::int64_t next_ = 0;
  std::vector<stream_event> piece_;
};

std::string some_text(ground& on) {
  return on.luck.one_in(40) ? std::string(9000, 'a')
                            : std::string(static_cast<std::size_t>(on.luck.between(1, 30)), 'x');
}

void draw_calls(ground& on, drawing& out, const inference_request& request) {
  const auto calls = on.luck.between(1, 4);
  for (std::int64_t i = 0; i < calls; ++i) {
    std::string name = "unknown_tool";
    if (!request.tools.empty() && !on.luck.one_in(12))
      name = request.tools[on.luck.below(request.tools.size())].name;
    std::string id = "c" + std::to_string(on.luck.below(4)); // used again and again
    if (on.luck.one_in(10))
      id.clear();
    std::string arguments = R"({"n":)" + std::to_string(on.luck.below(9)) + "}";
    if (on.luck.one_in(12))
      arguments = on.luck.one_in(2) ? R"({"n":"many"})" : R"({"n":1)";
    out.call(name, id, arguments);
    if (on.luck.one_in(8))
      out.text(block_kind::text, some_text(on));
  }
}

} // namespace

namespace {

bool asks_for_a_summary(const inference_request& request) {
  return request.instructions == session::summary_instructions(session::summary_of::history)
      || request.instructions == session::summary_instructions(session::summary_of::begun_round);
}

answer_script draw_summary(ground& on) {
  drawing out(on);
  const auto kind = on.tame ? 99 : on.luck.below(100);
  if (kind < 8) {
    out.fail("overloaded", true);
  } else if (kind < 16) {
    out.fail("context_overflow", false);
  } else if (kind < 20) {
    out.script.hangs = true;
    out.half("## Current");
  } else if (kind < 26) {
    out.call("shared", "c1", "{}");
    out.end("tool_use");
  } else if (kind < 32) {
    out.text(block_kind::text, "It was about this and that.");
    out.end("end_turn");
  } else {
    out.text(block_kind::text, "## Current work\n" + some_text(on) + "\n\n## Next steps\nMore.");
    out.end(kind < 36 ? "max_tokens" : "end_turn");
  }
  return out.take();
}

} // namespace

answer_script draw_answer(ground& on, const inference_request& request) {
  if (asks_for_a_summary(request))
    return draw_summary(on);
  drawing out(on);
  const auto kind = on.luck.below(100);
  if (on.tame) {
    out.text(block_kind::text, "Done.");
    out.end("end_turn");
    return out.take();
  }
  if (kind < 8) {
    out.fail(on.luck.one_in(2) ? "overloaded" : "rate_limit", true,
        on.luck.one_in(3) ? std::optional(on.luck.between(1, 4000)) : std::nullopt);
    return out.take();
  }
  if (kind < 10) {
    out.fail(on.luck.one_in(2) ? "invalid_request" : "context_overflow", false);
    return out.take();
  }
  if (on.luck.one_in(4))
    out.text(block_kind::thinking, some_text(on));
  if (on.luck.percent(70) || kind < 20)
    out.text(block_kind::text, some_text(on));
  if (kind < 13) {
    out.half("unfini");
    out.fail("network", true);
  } else if (kind < 17) {
    out.script.hangs = true;
    out.half("and then");
  } else if (kind < 20) {
    const std::vector<std::string> stops{"refusal", "pause_turn", "stop_sequence", "something_new",
        "tool_use", "max_tokens", "content_filter", "context_window"};
    out.end(on.luck.of(stops));
  } else if (kind < 78 && request.messages.size() < messages_with_calls) {
    draw_calls(on, out, request);
    out.end(on.luck.one_in(15) ? "max_tokens" : on.luck.one_in(20) ? "end_turn" : "tool_use");
  } else {
    out.end("end_turn");
  }
  return out.take();
}

} // namespace troupe::simulation
