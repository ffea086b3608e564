// The rules, the most used ones first.
#include "bench/script.hpp"

#include "messages/json.hpp"

#include <mutex>
#include <random>

namespace troupe::bench {

namespace {

std::string rule(const std::string& when, const std::string& reply) {
  return "{\"when\":{" + when + "},\"reply\":[" + reply + "]}\n";
}

std::string asked(const std::string& words) { return R"("last_user_contains":)" + json::quote(words); }

// One block of deltas with pauses between them.
std::string block_with_pauses(int deltas, int pause_ms) {
  const std::string pause = R"(,{"delay_ms":)" + std::to_string(pause_ms) + "},";
  std::string out;
  for (int i = 0; i < deltas; ++i)
    out += (i == 0 ? "" : pause) + R"({"text":"word "})";
  return out;
}

std::string simple_answer() {
  std::string words;
  for (int i = 0; i < 40; ++i)
    words += "word ";
  return R"({"chunk_bytes":5},{"text":)" + json::quote(words) + "}";
}

std::string summary() {
  return R"({"text":)" + json::quote("## Current work\nTurns, simple ones.\n\n## Next steps\nMore of them.\n")
      + "}";
}

std::string call(const char* tool, const char* text) {
  return std::string(R"({"call":{"name":")") + tool + R"(","arguments":{"text":")" + text + R"("}}})";
}

std::string stream_name(std::size_t moment) { return "streamed-" + std::to_string(100 + moment); }

} // namespace

const char* name_of(turn_kind kind) {
  constexpr const char* names[] = {"simple", "tool", "paced", "streamed", "growing", "page", "held"};
  return names[static_cast<std::size_t>(kind)];
}

std::string prompt_of(turn_kind kind) { return std::string("A ") + name_of(kind) + " turn, please."; }

std::string streamed_prompt(std::size_t stream) {
  return "A " + stream_name(stream % streamed_pace_ms) + " turn, please.";
}

std::string random_words(std::size_t count) {
  static std::mutex mutex;
  static std::mt19937_64 random; // the same words in each run of the program
  const std::lock_guard lock(mutex);
  std::string out;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t letters = 4 + random() % 7;
    for (std::size_t k = 0; k < letters; ++k)
      out.push_back(static_cast<char>('a' + random() % 26));
    out.push_back(' ');
  }
  return out;
}

std::string gym_script() {
  std::string out = rule(R"("has_tool_result":true)", simple_answer())
      + rule(asked("[assistant] word"), summary()) // a transcript, to be summed up
      + rule(asked("A simple turn"), simple_answer())
      + rule(asked("A tool turn"), call("echo", "one") + "," + call("echo", "two"))
      + rule(asked("A paced turn"), block_with_pauses(40, 2))
      + rule(asked("A page turn"), call("page", "the next"))
      + rule(asked("A held turn"), R"({"hold":"for good"})");
  for (int moment = 0; moment < streamed_pace_ms; ++moment)
    out += rule(asked(stream_name(static_cast<std::size_t>(moment))),
        R"({"delay_ms":)" + std::to_string(moment) + "}," + block_with_pauses(20, streamed_pace_ms));
  for (int turn = 1; turn <= growing_turns_max; ++turn)
    out += rule(asked("A growing turn") + R"(,"inference":)" + std::to_string(turn),
        R"({"text":)" + json::quote(random_words(40)) + "}");
  return out;
}

} // namespace troupe::bench
