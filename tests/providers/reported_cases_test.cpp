// Faults that others' projects reported, each tried on ours; those of one decoder stand in its own tests.
#include "messages/text.hpp"
#include "providers/anthropic/decode.hpp"
#include "providers/anthropic/format.hpp"
#include "providers/gym/chat_answer.hpp"
#include "providers/gym/chat_rules.hpp"
#include "providers/gym/messages_rules.hpp"
#include "providers/openai_chat/decode.hpp"
#include "providers/openai_chat/format.hpp"
#include "tests/providers/anthropic/transcripts.hpp"
#include "tests/providers/collector.hpp"
#include "tests/providers/decoding.hpp"
#include "tests/providers/openai_chat/transcripts.hpp"
#include "tests/providers/raw_server.hpp"

namespace troupe::providers {

using namespace testing;

BOOST_AUTO_TEST_SUITE(reported_cases)

namespace {

constexpr auto canary = "sk-canary-0123456789";

std::string chunked(const std::string& body) {
  std::string size(20, '\0');
  size.resize(static_cast<std::size_t>(std::snprintf(size.data(), size.size(), "%zx", body.size())));
  return "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n" + size
      + "\r\n" + body + "\r\n0\r\n\r\n";
}

http_provider_settings settings_for(const raw_server& server) {
  http_provider_settings settings;
  settings.base_url = "http://127.0.0.1:" + std::to_string(server.port());
  settings.credentials.api_key = secret(canary);
  return settings;
}

/// One attempt against a server that gives this answer.
template <class Maker> attempt_finished run(Maker make, const std::string& answer, collector& into) {
  raw_server server([&](raw_connection& from, int) {
    from.read_request();
    from.write(answer);
    from.wait_closed();
  });
  auto asked = make(settings_for(server));
  into.follow(asked->start(ask("hi"), into.sink()));
  return into.finished();
}

using chat_decoder = openai_chat::stream_decoder;
using messages_decoder = anthropic::stream_decoder;

} // namespace

// B-001: the body ends in order, in the middle of a call's arguments.
BOOST_AUTO_TEST_CASE(a_stream_cut_amid_a_calls_arguments_is_no_success) {
  collector messages;
  auto end = run(anthropic::make_provider,
      chunked(started() + testing::call_start(0, "t", "write") + json_delta(0, R"({\"path\":\"/tm)")),
      messages);
  BOOST_TEST((end.state == inference_state::error));
  BOOST_TEST(messages.blocks().empty());
  collector completion;
  end = run(openai_chat::make_provider,
      chunked(chat::call_start(0, "t", "write") + chat::arguments(0, R"({\"path\":\"/tm)")), completion);
  BOOST_TEST((end.state == inference_state::error));
  BOOST_TEST(completion.blocks().empty());
}

// B-003: only the last frame's last bytes are lost.
BOOST_AUTO_TEST_CASE(a_cut_inside_the_final_frame_leaves_the_answer_whole) {
  auto stream = thinking_and_call();
  stream.resize(stream.find("event: message_stop"));
  auto got = decode_as<messages_decoder>(stream + "event: message_stop\ndata: {\"type\":\"m");
  BOOST_TEST((got.end.state == inference_state::completed));
  auto completion = chat::two_calls();
  completion.resize(completion.size() - 5);
  BOOST_TEST((decode_as<chat_decoder>(completion, cut_off).end.state == inference_state::completed));
}

// B-005: a character torn by a chunk's edge.
BOOST_AUTO_TEST_CASE(a_character_over_two_reads_is_one_character) {
  const std::string stream = chat::text("你好🙂") + chat::finish("stop");
  for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
    chat_decoder decoder;
    auto got =
        decode_into(decoder, {std::string_view(stream).substr(0, cut), std::string_view(stream).substr(cut)});
    BOOST_REQUIRE_EQUAL(content_of(got.blocks.at(0)), "text 你好🙂");
  }
}

// B-006: an incomplete character at the end of a read is normal; a byte that never fits is replaced.
BOOST_AUTO_TEST_CASE(an_incomplete_character_waits_and_a_broken_one_ends_nothing) {
  const std::string stream =
      chat::text("\xE4\xB8\xAD") + chat::text("a\xFF") + chat::text("next") + chat::finish("stop");
  auto edge = stream.find('\xAD');
  chat_decoder decoder;
  auto got =
      decode_into(decoder, {std::string_view(stream).substr(0, edge), std::string_view(stream).substr(edge)});
  BOOST_TEST(content_of(got.blocks.at(0)) == "text 中a\xEF\xBF\xBDnext");
}

// B-007: a line over two reads; and a whole line that is no JSON is an error, not passed over.
BOOST_AUTO_TEST_CASE(half_a_line_is_never_dropped_and_a_bad_one_never_skipped) {
  const std::string stream = "data: {\"choices\":[{\"delta\":{\"content\":\"abc\"}}]}\n\n";
  for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
    chat_decoder decoder;
    auto got =
        decode_into(decoder, {std::string_view(stream).substr(0, cut), std::string_view(stream).substr(cut)});
    BOOST_REQUIRE_EQUAL(
        got.log, "start 0 0  \ndelta 0 abc\nend - provider stream ended without a stop event\n");
  }
  breaks_as<chat_decoder>("data: {oops\n\n", "{oops");
  breaks_as<messages_decoder>("data: {oops\n\n", "{oops");
}

// B-011: a piece of a call that never began.
BOOST_AUTO_TEST_CASE(a_piece_of_a_block_that_never_began_is_an_error) {
  breaks_as<messages_decoder>(started() + json_delta(0, "{"), "which isn't open");
  breaks_as<chat_decoder>(chat::arguments(0, "{}") + chat::finish("tool_calls"), "without a name");
}

// B-012: one event far bigger than the buffer that it is read through.
BOOST_AUTO_TEST_CASE(an_event_bigger_than_the_receive_buffer_is_one_event) {
  const std::string words(300 << 10, 'x');
  collector got;
  auto end =
      run(openai_chat::make_provider, chunked(chat::text(words) + chat::finish("stop") + chat::done()), got);
  BOOST_TEST((end.state == inference_state::completed));
  BOOST_TEST((got.text() == words));
}

// B-014: what stands for a broken call is no ordinary end.
BOOST_AUTO_TEST_CASE(a_reason_for_a_malformed_call_is_told_as_it_is) {
  for (std::string reason : {"malformed_tool_use", "MALFORMED_FUNCTION_CALL", "error"})
    BOOST_TEST(decode_as<chat_decoder>(chat::text("x") + chat::finish(reason)).end.stop.value() == reason);
}

// B-023: what we stream ourselves numbers the calls.
BOOST_AUTO_TEST_CASE(the_calls_that_the_gym_streams_have_indexes_and_ids_of_their_own) {
  gym::chat_answer answer({}, 1);
  std::string stream;
  answer.begin(stream);
  for (std::string name : {"t1", "t2", "t3"})
    answer.add(gym::call_tool{name, "{}", {}}, stream);
  answer.end(stream);
  for (std::string place : {"\"index\":0,\"id\":\"call_gym_1_1\"", "\"index\":1,\"id\":\"call_gym_1_2\"",
           "\"index\":2,\"id\":\"call_gym_1_3\""})
    BOOST_TEST(stream.find(place) != std::string::npos, place);
  BOOST_TEST(decode_as<chat_decoder>(stream).blocks.size() == 3U);
}

// B-025: from the stream into the next request.
BOOST_AUTO_TEST_CASE(big_numbers_go_back_with_the_digits_that_they_came_with) {
  const std::string numbers =
      R"({\"id\":2512292042121000001,\"u\":18446744073709551615,\"big\":123456789012345678901234567890,\"f\":0.1})";
  auto got = decode_as<chat_decoder>(
      chat::call_start(0, "c", "n") + chat::arguments(0, numbers) + chat::finish("tool_calls"));
  auto next = ask("go");
  next.messages.push_back({"assistant", {}, got.blocks, std::nullopt, std::nullopt});
  next.messages.push_back({"tool", {text_part{"1"}}, {}, "c", false});
  BOOST_TEST(openai_chat::format().write(next).value().body.find(numbers) != std::string::npos);
}

// B-037: blank text and thinking without its signature, as an interrupt leaves them, aren't sent again.
BOOST_AUTO_TEST_CASE(what_an_interrupt_froze_spoils_no_later_request) {
  auto next = ask("go");
  next.messages.push_back(
      {"assistant", {}, {thinking_block{"Hm, let me", std::nullopt, std::nullopt}, text_block{"\n\n"}},
          std::nullopt, std::nullopt});
  next.messages.push_back({"user", {text_part{"and now?"}}, {}, std::nullopt, std::nullopt});
  const auto messages = anthropic::format().write(next).value().body;
  const auto chat = openai_chat::format().write(next).value().body;
  for (const auto& body : {messages, chat}) {
    BOOST_TEST(body.find("Hm, let me") == std::string::npos, body);
    BOOST_TEST(body.find("\\n\\n") == std::string::npos, body);
    BOOST_TEST(body.find("\"assistant\"") == std::string::npos, body); // an emptied answer is none
  }
  BOOST_TEST(std::holds_alternative<gym::conversation>(gym::read_messages_request(messages)), messages);
  BOOST_TEST(std::holds_alternative<gym::conversation>(gym::read_chat_request(chat)), chat);
}

// B-071: a NUL is a character like any other.
BOOST_AUTO_TEST_CASE(a_nul_comes_through_in_both_directions) {
  auto got = decode_as<chat_decoder>(chat::text(R"(a\u0000b)") + chat::finish("stop"));
  const auto& text = std::get<text_block>(got.blocks.at(0)).text.text;
  BOOST_TEST((text == std::string_view("a\0b", 3)));
  BOOST_TEST(openai_chat::format().write(ask(text)).value().body.find(R"("a\u0000b")") != std::string::npos);
}

// B-154: a key that the other side repeats, under whatever header it went.
BOOST_AUTO_TEST_CASE(a_key_that_is_echoed_gets_into_no_message) {
  const std::string page = std::string("authorization: Bearer ") + canary + "\nx-api-key: " + canary;
  const std::string answer = "HTTP/1.1 401 Unauthorized\r\ncontent-type: text/plain\r\ncontent-length: "
      + std::to_string(page.size()) + "\r\n\r\n" + page;
  for (auto make : {anthropic::make_provider, openai_chat::make_provider}) {
    collector got;
    auto end = run(make, answer, got);
    BOOST_TEST(end.error->message.find("canary") == std::string::npos, end.error->message);
    BOOST_TEST(end.error->message.find("[redacted]") != std::string::npos, end.error->message);
  }
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::providers
