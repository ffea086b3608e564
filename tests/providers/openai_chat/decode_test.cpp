// The decoder of Chat Completions: transcripts, the habits of compatible servers, and every breach.
#include "providers/openai_chat/decode.hpp"
#include "tests/providers/decoding.hpp"
#include "tests/providers/openai_chat/transcripts.hpp"

namespace troupe::providers::openai_chat {

using namespace testing;
using namespace testing::chat;

BOOST_AUTO_TEST_SUITE(chat_decode)

namespace {

decoded decode(const std::string& stream, const std::optional<failure>& cut = in_order) {
  return decode_as<stream_decoder>(stream, cut);
}

decoded decode_whole(std::string_view body) { return decode_as<whole_decoder>(body); }

void breaks(const std::string& stream, std::string_view words, std::string_view code = "invalid_request") {
  breaks_as<stream_decoder>(stream, words, code);
}

/// The calls of a stream of such entries, as `id name arguments`, one a line.
std::string calls_of(const std::vector<std::string>& chunks, const std::string& reason = "tool_calls") {
  std::string stream;
  for (const auto& one : chunks)
    stream += chat::calls(one);
  auto got = decode(stream + finish(reason) + done());
  std::string lines;
  for (const auto& one : got.blocks) {
    const auto& call = std::get<tool_call_block>(one);
    lines += call.call_id + " " + call.name + " "
        + (call.arguments ? call.arguments->text : "raw:" + call.arguments_raw->text) + "\n";
  }
  if (got.end.error)
    lines += got.end.error->message;
  return lines;
}

} // namespace

BOOST_AUTO_TEST_CASE(two_interleaved_calls) {
  auto got = decode(two_calls());
  BOOST_TEST((got.end.state == inference_state::completed));
  BOOST_TEST(got.end.stop.value() == "tool_use");
  BOOST_TEST(got.end.stop_raw.value() == "tool_calls");
  BOOST_REQUIRE_EQUAL(got.blocks.size(), 2U);
  BOOST_TEST(std::get<tool_call_block>(got.blocks[0]).call_id == "call_a");
  BOOST_TEST(arguments_of(got.blocks[0]) == R"({"city":"Oslo"})");
  BOOST_TEST(std::get<tool_call_block>(got.blocks[1]).call_id == "call_b");
  BOOST_TEST(arguments_of(got.blocks[1]) == R"({"city":"Bergen"})");
  BOOST_TEST(got.end.usage.input_tokens.value() == 60);
  BOOST_TEST(got.end.usage.output_tokens.value() == 34);
  BOOST_TEST(got.end.usage.cache_read_tokens.value() == 0);
  BOOST_TEST(!got.end.usage.reasoning_tokens.has_value());
  BOOST_TEST(got.end.response_id.value() == "cc_1");
  BOOST_TEST(got.end.response_model.value() == "gpt-test");
}

BOOST_AUTO_TEST_CASE(text_thinking_and_calls_are_blocks_in_their_order) {
  auto got = decode(everything());
  BOOST_TEST(
      got.log.ends_with("done 0 thinking hm 你 \nstart 1 0  \ndelta 1 你好🙂 café\ndelta 1  ok\n"
                        "done 1 text 你好🙂 café ok\nstart 2 2 c1 add\ndelta 2 {\"a\":\"\\u00e9🙂\"\n"
                        "delta 2 ,\"b\":2}\nstart 3 2 c2 sub\ndone 2 call c1 add "
                        "{\"a\":\"\\u00e9🙂\",\"b\":2}\ndone 3 call c2 sub {}\nend tool_use \n"),
      got.log);
}

BOOST_AUTO_TEST_CASE(text_after_calls_and_thinking_in_between_are_blocks_of_their_own) {
  auto got = decode(text("a") + delta(R"("reasoning":"b")") + text("c") + chat::call_start(0, "i", "n")
      + text("d") + chat::arguments(0, "{}") + finish("tool_calls"));
  BOOST_REQUIRE_EQUAL(got.blocks.size(), 5U);
  BOOST_TEST(content_of(got.blocks[0]) == "text a");
  BOOST_TEST(content_of(got.blocks[1]) == "thinking b ");
  BOOST_TEST(content_of(got.blocks[2]) == "text c");
  BOOST_TEST(content_of(got.blocks[3]) == "text d");
  BOOST_TEST(content_of(got.blocks[4]) == "call i n {}");
}

BOOST_AUTO_TEST_CASE(thinking_has_several_names_and_is_told_once) {
  for (std::string name : {"reasoning_content", "reasoning", "reasoning_text"}) {
    auto got = decode(delta("\"" + name + R"(":"hm","tool_calls":[])") + text("x") + finish("stop"));
    BOOST_TEST(content_of(got.blocks.at(0)) == "thinking hm ");
  }
  auto both = decode(delta(R"("reasoning":"hm","reasoning_content":"hm")") + finish("stop"));
  BOOST_TEST(content_of(both.blocks.at(0)) == "thinking hm ");
}

BOOST_AUTO_TEST_CASE(reasons_to_stop) {
  auto stopped = [](const std::string& reason) {
    return *decode(text("x") + finish(reason) + done()).end.stop;
  };
  BOOST_TEST(stopped("stop") == "end_turn");
  BOOST_TEST(stopped("length") == "max_tokens");
  BOOST_TEST(stopped("content_filter") == "content_filter");
  BOOST_TEST(stopped("tool_calls") == "tool_use"); // the session says that no call came with it
  BOOST_TEST(stopped("brand_new") == "brand_new");
  // named tools and several servers stop with `stop`: what is called says more
  BOOST_TEST(decode(chat::call_start(0, "i", "n") + finish("stop")).end.stop.value() == "tool_use");
}

BOOST_AUTO_TEST_CASE(a_refusal_is_text_and_no_plain_end) {
  auto got = decode(delta(R"("role":"assistant","refusal":"I can't ")") + delta(R"("refusal":"do that.")")
      + finish("stop") + done());
  BOOST_TEST(content_of(got.blocks.at(0)) == "text I can't do that.");
  BOOST_TEST(got.end.stop.value() == "refusal");
  BOOST_TEST(got.end.stop_raw.value() == "stop");
}

BOOST_AUTO_TEST_CASE(a_call_that_the_limit_cut_off_is_dropped) {
  auto got = decode(text("x") + chat::call_start(0, "i", "n") + chat::arguments(0, R"({\"a\":1})")
      + chat::call_start(1, "j", "n") + chat::arguments(1, R"({\"a\":)") + finish("length"));
  BOOST_TEST(got.end.stop.value() == "max_tokens");
  BOOST_REQUIRE_EQUAL(got.blocks.size(), 2U);
  BOOST_TEST(content_of(got.blocks[1]) == R"(call i n {"a":1})");
}

BOOST_AUTO_TEST_CASE(arguments_that_are_no_object_are_kept_as_they_are) {
  BOOST_TEST(calls_of({R"({"index":0,"id":"i","function":{"name":"n","arguments":"{\"a\": oops"}})"})
      == "i n raw:{\"a\": oops\n");
  BOOST_TEST(
      calls_of({R"({"index":0,"id":"i","function":{"name":"n","arguments":"[1]"}})"}) == "i n raw:[1]\n");
  BOOST_TEST(calls_of({R"({"index":0,"id":"i","type":"custom","custom":{"name":"n","input":"free text"}})"})
      == "i n raw:free text\n");
  BOOST_TEST(calls_of({R"({"index":0,"id":"i","function":{"name":"n"}})"}) == "i n {}\n");
  BOOST_TEST(calls_of({R"({"index":0,"id":"i","function":{"name":"n","arguments":null}})"}) == "i n {}\n");
}

BOOST_AUTO_TEST_CASE(arguments_may_come_as_an_object) {
  BOOST_TEST(calls_of({R"({"function":{"name":"wx","arguments":{"city": "Oslo"}}})"})
      == " wx {\"city\":\"Oslo\"}\n");
}

// B-017
BOOST_AUTO_TEST_CASE(calls_without_an_index_are_told_apart_by_their_place_and_id) {
  BOOST_TEST(
      calls_of(
          {R"({"id":"c1","function":{"name":"a","arguments":"{}"}},{"id":"c2","function":{"name":"b","arguments":"{\"x\":1}"}})"})
      == "c1 a {}\nc2 b {\"x\":1}\n");
  BOOST_TEST(
      calls_of(
          {R"({"function":{"name":"a","arguments":"{\"x\":"}},{"function":{"name":"a","arguments":"{\"y\":"}})",
              R"({"function":{"arguments":"1}"}},{"function":{"arguments":"2}"}})"})
      == " a {\"x\":1}\n a {\"y\":2}\n");
  BOOST_TEST(
      calls_of({R"({"id":"c1","function":{"name":"a","arguments":"{"}})", R"({"function":{"arguments":"}"}})",
          R"({"id":"c2","function":{"name":"a","arguments":"{}"}})",
          R"({"id":"c1","function":{"arguments":" "}})"})
      == "c1 a {}\nc2 a {}\n");
}

// B-018
BOOST_AUTO_TEST_CASE(another_id_under_the_same_index_is_another_call) {
  BOOST_TEST(calls_of({R"({"index":0,"id":"a","function":{"name":"n","arguments":"{\"q\":\"x\"}"}})",
                 R"({"index":0,"id":"b","function":{"name":"n","arguments":"{\"q\":\"y\"}"}})"})
      == "a n {\"q\":\"x\"}\nb n {\"q\":\"y\"}\n");
  // without ids: a whole object, then a name
  BOOST_TEST(calls_of({R"({"index":0,"function":{"name":"n","arguments":"{\"q\":1}"}})",
                 R"({"index":0,"function":{"name":"n","arguments":"{\"q\":2}"}})",
                 R"({"index":0,"function":{"name":"m","arguments":"{}"}})"})
      == " n {\"q\":1}\n n {\"q\":2}\n m {}\n");
}

// B-020
BOOST_AUTO_TEST_CASE(the_index_counts_more_than_what_came_last) {
  BOOST_TEST(
      calls_of({R"({"index":0,"id":"a","function":{"name":"n","arguments":"{\"x\":"}})",
          R"({"index":1,"id":"b","function":{"name":"n","arguments":"{\"y\":"}})",
          R"({"index":0,"function":{"arguments":"1}"}})", R"({"index":1,"function":{"arguments":"2}"}})"})
      == "a n {\"x\":1}\nb n {\"y\":2}\n");
}

// B-021
BOOST_AUTO_TEST_CASE(a_name_that_is_repeated_is_the_same_name) {
  std::vector<std::string> chunks;
  for (std::string piece : {"{", "\\\"a\\\"", ":", "1", "}"})
    chunks.push_back(R"({"index":0,"id":"i","function":{"name":"add","arguments":")" + piece + "\"}}");
  BOOST_TEST(calls_of(chunks) == "i add {\"a\":1}\n");
  for (auto& one : chunks)
    one.erase(one.find(R"("id":"i",)"), 9);
  BOOST_TEST(calls_of(chunks) == " add {\"a\":1}\n");
  chunks.push_back(R"({"index":0,"function":{"name":"add","arguments":""}})");
  BOOST_TEST(calls_of(chunks) == " add {\"a\":1}\n");
}

// B-024: the context gives them one, the same at the call and its result.
BOOST_AUTO_TEST_CASE(a_missing_id_stays_empty_and_a_late_one_is_taken) {
  BOOST_TEST(calls_of({R"({"index":0,"id":null,"function":{"name":"n","arguments":"{}"}})"}) == " n {}\n");
  BOOST_TEST(calls_of({R"({"index":0,"function":{"name":"n","arguments":"{"}})",
                 R"({"index":0,"id":"late","function":{"arguments":"}"}})"})
      == "late n {}\n");
  BOOST_TEST(calls_of({R"({"function":{"name":"n","arguments":"{"}})",
                 R"({"id":"late","function":{"arguments":"}"}})"})
      == "late n {}\n");
  // one whose id changes in the middle is still one
  BOOST_TEST(calls_of({R"({"index":0,"id":"a","function":{"name":"n","arguments":"{"}})",
                 R"({"index":0,"id":"b","function":{"arguments":"}"}})"})
      == "a n {}\n");
}

BOOST_AUTO_TEST_CASE(a_late_name_begins_the_block_with_what_came_before_it) {
  auto got = decode(chat::calls(R"({"index":0,"id":"i","function":{"arguments":"{\"a\":"}})")
      + chat::calls(R"({"index":0,"function":{"name":"n","arguments":"1}"}})") + finish("tool_calls"));
  BOOST_TEST(got.log == "start 0 2 i n\ndelta 0 {\"a\":1}\ndone 0 call i n {\"a\":1}\nend tool_use \n");
  breaks(chat::calls(R"({"index":0,"id":"i","function":{"arguments":"{}"}})") + finish("tool_calls"),
      "a tool call without a name");
}

// B-025
BOOST_AUTO_TEST_CASE(numbers_keep_their_digits) {
  BOOST_TEST(
      calls_of(
          {R"({"index":0,"id":"i","function":{"name":"n","arguments":"{\"id\":2512292042121000001,\"u\":18446744073709551615,\"f\":0.1}"}})"})
      == R"(i n {"id":2512292042121000001,"u":18446744073709551615,"f":0.1})"
         "\n");
  // one that no integer holds is not rounded: the tool's check sees the text
  BOOST_TEST(
      calls_of(
          {R"({"index":0,"id":"i","function":{"name":"n","arguments":"{\"big\":123456789012345678901234567890}"}})"})
      == "i n raw:{\"big\":123456789012345678901234567890}\n");
}

// B-026
BOOST_AUTO_TEST_CASE(reasoning_counts_once_wherever_the_vendor_counts_it) {
  auto told = [](const std::string& numbers) {
    return decode(text("x") + finish("stop") + usage(numbers) + done()).end.usage;
  };
  auto inside = told(
      R"({"prompt_tokens":60,"completion_tokens":34,"total_tokens":94,"completion_tokens_details":{"reasoning_tokens":20}})");
  BOOST_TEST(inside.output_tokens.value() == 34);
  BOOST_TEST(inside.reasoning_tokens.value() == 20);
  auto beside = told(
      R"({"prompt_tokens":12,"completion_tokens":2,"total_tokens":331,"completion_tokens_details":{"reasoning_tokens":317}})");
  BOOST_TEST(beside.output_tokens.value() == 319);
  BOOST_TEST(beside.reasoning_tokens.value() == 317);
}

BOOST_AUTO_TEST_CASE(usage_that_is_not_told_is_unknown_and_never_nothing) {
  auto unknown = decode(text("x") + finish("stop") + done()).end.usage;
  BOOST_TEST((unknown == troupe::usage{}));
  auto null = decode(text("x") + finish("stop")
      + usage(R"({"prompt_tokens":null,"completion_tokens":3,"prompt_tokens_details":null})") + done());
  BOOST_TEST(!null.end.usage.input_tokens.has_value());
  BOOST_TEST(!null.end.usage.cache_read_tokens.has_value());
  BOOST_TEST(null.end.usage.output_tokens.value() == 3);
  // some tell it with every chunk, as totals, or in the choice
  auto growing = decode(
      chunk(R"({"index":0,"delta":{"content":"x"}})", R"(,"usage":{"prompt_tokens":5,"completion_tokens":1})")
      + chunk(
          R"({"index":0,"delta":{},"finish_reason":"stop","usage":{"completion_tokens":2,"prompt_cache_hit_tokens":4}})"));
  BOOST_TEST(growing.end.usage.input_tokens.value() == 5);
  BOOST_TEST(growing.end.usage.output_tokens.value() == 2);
  BOOST_TEST(growing.end.usage.cache_read_tokens.value() == 4);
}

BOOST_AUTO_TEST_CASE(errors_in_the_middle) {
  auto begun = text("The tide");
  breaks(begun
          + data(
              R"({"error":{"message":"engine died","type":"InternalServerError","param":null,"code":500}})")
          + done(),
      "InternalServerError: engine died", "api_5xx");
  breaks(begun + data(R"({"error":{"message":"slow","type":"requests","code":"rate_limit_exceeded"}})"),
      "slow", "rate_limit");
  breaks(begun + data(R"({"error":{"message":"m","type":"insufficient_quota","code":"insufficient_quota"}})"),
      "m", "quota");
  breaks(begun + data(R"({"error":"it broke"})"), "it broke", "unknown");
  breaks(begun + data(R"({"object":"error","message":"old form","code":503})"), "old form", "api_5xx");
  breaks(begun + "event: error\ndata: {\"x\":1}\n\n", "ended its stream with an error", "unknown");
  auto later = decode(begun + finish("stop") + data(R"({"error":{"message":"late"}})"));
  BOOST_TEST((later.end.state == inference_state::error));
}

BOOST_AUTO_TEST_CASE(breaches) {
  auto ended = text("a") + finish("stop");
  breaks("", "provider stream ended without a stop event");
  breaks(text("a"), "provider stream ended without a stop event");
  breaks(text("a") + done(), "provider stream ended without a stop event");
  breaks(ended + text("b"), "went on after its finish_reason stop");
  breaks(ended + chat::call_start(0, "i", "n"), "went on after its finish_reason stop");
  breaks(ended + finish("length"), "two finish_reasons, stop and length");
  breaks(ended + done() + text("b"), "went on after its end");
  breaks(text("a") + "data: {oops\n\n", "{oops");
  breaks(data("[1]"), "no JSON object");
  breaks(chunk(R"({"index":1,"delta":{"content":"x"}})"), "more than one choice");
  breaks(delta(R"("content":{"a":1})"), "content that is no text");
  breaks(delta(R"("content":[{"type":"image_url"}])"), "of the kind \"image_url\"");
  breaks(delta(R"("function_call":{"name":"n"})"), "function_call");
}

BOOST_AUTO_TEST_CASE(what_is_new_or_said_twice_is_passed_over) {
  auto got = decode(": ping\n\n" + data(R"({"id":"x","prompt_filter_results":[],"choices":[]})")
      + data(R"({"brand":"new"})")
      + delta(R"("role":"assistant","content":[{"type":"text","text":"ok"}],"audio":null)")
      + chunk(R"({"index":0,"delta":null,"finish_reason":"stop","logprobs":null})")
      + chunk(R"({"index":0,"delta":{"content":""},"finish_reason":"stop"})") + done() + done());
  BOOST_TEST((got.end.state == inference_state::completed), got.log);
  BOOST_TEST(content_of(got.blocks.at(0)) == "text ok");
}

// B-016
BOOST_AUTO_TEST_CASE(null_is_no_word) {
  auto got = decode(delta(R"("content":null,"reasoning":null,"refusal":null,"tool_calls":null)") + text("a")
      + delta("\"content\":null") + finish("stop"));
  BOOST_REQUIRE_EQUAL(got.blocks.size(), 1U);
  BOOST_TEST(content_of(got.blocks[0]) == "text a");
}

// B-011
BOOST_AUTO_TEST_CASE(an_answer_over_the_bound_is_refused) {
  stream_decoder decoder;
  std::vector<stream_event> events;
  BOOST_TEST(decoder.feed(chat::call_start(0, "a", "n"), events));
  auto piece = chat::arguments(0, std::string(std::size_t{1} << 20, 'x'));
  std::size_t fed = 0;
  while (fed < 200 && decoder.feed(piece, events)) {
    events.clear();
    ++fed;
  }
  BOOST_TEST(fed <= 64U);
  decoder.finish(std::nullopt, events);
  BOOST_TEST(std::get<attempt_finished>(events.back()).error->message.find("is over") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(more_calls_than_the_bound_are_refused) {
  stream_decoder decoder;
  std::vector<stream_event> events;
  std::size_t fed = 0;
  while (fed <= blocks_max && decoder.feed(chat::call_start(static_cast<int>(fed), "", "n"), events))
    ++fed;
  BOOST_TEST(fed == blocks_max);
}

BOOST_AUTO_TEST_CASE(an_answer_as_one_object) {
  auto got = decode_whole(
      R"({"id":"cc_9","object":"chat.completion","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"hi","refusal":null,"tool_calls":[{"id":"t1","type":"function","function":{"name":"n","arguments":"{\"a\": 1}"}},{"id":"t2","type":"function","function":{"name":"m","arguments":"{}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":3,"completion_tokens":4}})");
  BOOST_TEST((got.end.state == inference_state::completed));
  BOOST_TEST(content_of(got.blocks.at(0)) == "text hi");
  BOOST_TEST(content_of(got.blocks.at(1)) == R"(call t1 n {"a":1})");
  BOOST_TEST(content_of(got.blocks.at(2)) == "call t2 m {}");
  BOOST_TEST(got.end.usage.output_tokens.value() == 4);
  BOOST_TEST(got.end.response_id.value() == "cc_9");
  BOOST_TEST(decode_whole(R"({"error":{"message":"x","type":"server_error"}})").end.error->code == "api_5xx");
  BOOST_TEST(decode_whole("not json").end.error->code == "invalid_request");
  BOOST_TEST(decode_whole("").end.error->message == "provider stream ended without a stop event");
  BOOST_TEST(
      decode_whole(R"({"choices":[]})").end.error->message == "provider stream ended without a stop event");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::providers::openai_chat
