// Events to JSON and back, beside golden files that are only ever added to.
#include "messages/event_codec.hpp"
#include "messages/json_mapping.hpp"
#include "tests/support/logs.hpp"

#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <set>

using namespace troupe;

BOOST_AUTO_TEST_SUITE(event_codec)

namespace {

const std::string golden_folder = std::string(TROUPE_SOURCE_DIR) + "/tests/golden/events/";

std::string golden(std::string_view type) {
  return testing::read_file(golden_folder + std::string(type) + ".v1.json");
}

/// All of one type: `TYPE.v1.json`, and `TYPE.v1.WHAT.json` for what has joined since.
std::vector<std::string> golden_payloads(std::string_view type) {
  std::vector<std::string> all;
  for (const auto& entry : std::filesystem::directory_iterator(golden_folder))
    if (entry.path().filename().string().starts_with(std::string(type) + ".v1."))
      all.push_back(testing::read_file(entry.path().string()));
  return all;
}

} // namespace

BOOST_AUTO_TEST_CASE(every_type_has_a_golden_file_that_reads_and_writes_the_same) {
  for (const auto type : event_type_names) {
    BOOST_TEST(!golden(type).empty());
    for (const auto& payload : golden_payloads(type)) {
      const auto data = decode(type, 1, payload);
      BOOST_REQUIRE_MESSAGE(data, type << ": " << (data ? "" : data.error().detail));
      BOOST_TEST(type_name(*data) == type);
      BOOST_TEST(encode(*data) == payload, type);
    }
  }
}

// So that a golden file says something about every field.
BOOST_AUTO_TEST_CASE(every_field_is_in_its_golden_file) {
  boost::mp11::mp_for_each<boost::mp11::mp_iota_c<event_type_count>>([](auto index) {
    using data = std::variant_alternative_t<index, event_data>;
    std::set<std::string> fields;
    for (const auto& text : golden_payloads(event_type_names[index])) {
      const auto payload = json::parse(text);
      for (const auto& [name, value] : payload->members())
        fields.insert(name);
    }
    boost::mp11::mp_for_each<json::members_of<data>>([&](auto member) {
      BOOST_TEST(fields.contains(member.name), event_type_names[index] << " lacks " << member.name);
    });
  });
}

BOOST_AUTO_TEST_CASE(an_unknown_field_is_passed_over) {
  const auto data = decode("turn.started", 1, R"({"turn":3,"mood":"good"})");
  BOOST_REQUIRE(data);
  BOOST_TEST(std::get<turn_started>(*data).turn == 3);
}

// B-087: what a later version wrote is no reason to go on without it.
BOOST_AUTO_TEST_CASE(an_unknown_type_is_an_error_that_names_the_event) {
  recorded_event stored;
  stored.seq = 7;
  stored.type = "run.paused";
  stored.payload = "{}";
  const auto happened = decode(stored);
  BOOST_REQUIRE(!happened);
  BOOST_TEST((happened.error().code == problem_code::corrupt));
  BOOST_TEST(happened.error().detail == "event 7: `run.paused` is no event type that this version knows");
}

BOOST_AUTO_TEST_CASE(a_newer_version_is_refused) {
  BOOST_TEST(decode("turn.started", 2, R"({"turn":1})").error().detail
      == "`turn.started` has version 2, this build reads 1 to 1");
}

BOOST_AUTO_TEST_CASE(a_broken_payload_is_refused_with_its_place) {
  BOOST_TEST(decode("turn.started", 1, R"({"turn":"one"})").error().detail
      == "`turn.started`: /turn: expected a whole number");
  BOOST_TEST(decode("turn.started", 1, "{}").error().detail == "`turn.started`: /turn: is missing");
  BOOST_TEST(decode("run.started", 1, R"({"cause":"whim","machine":1})").error().detail
      == "`run.started`: /cause: expected one of `message`, `start`, `continue`, `hook`, `timer`, `child`");
}

BOOST_AUTO_TEST_CASE(a_line_comes_back_as_it_was) {
  for (const auto& log : testing::worked_logs())
    for (const auto& stored : log.recorded) {
      auto copy = from_line(to_line(stored)).value();
      copy.append_seq = stored.append_seq;
      BOOST_TEST((copy == stored), log.name << " event " << stored.seq);
    }
}

BOOST_AUTO_TEST_CASE(the_chain_covers_every_byte) {
  const auto& stored = testing::worked_logs().front().recorded.front();
  const std::string line = to_line(stored) + "\n";
  const auto chained = [](std::string_view before, const std::string& lines) {
    return chain_after(before, 1, command_kind::create_session, lines);
  };
  const auto chain = chained("", line);
  BOOST_TEST((chained("", line) == chain));
  BOOST_TEST((chain == sha256_of("{\"append\":1,\"command\":1}\n" + line)));
  for (std::size_t i = 0; i < line.size(); i += 7) {
    std::string changed = line;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    BOOST_TEST((chained("", changed) != chain));
  }
  BOOST_TEST((chained(std::string(32, '\0'), line) != chain));
  BOOST_TEST((chain_after("", 2, command_kind::create_session, line) != chain));
  BOOST_TEST((chain_after("", 1, command_kind::recover, line) != chain));
}

BOOST_AUTO_TEST_CASE(big_texts_stand_by_reference_wherever_they_are) {
  const std::string big(10'000, 'x');
  const std::string picture(9'000, 'p');
  message_queued queued;
  queued.message_id = "m";
  queued.content.value = std::vector<content_part>{text_part{large_text(big)},
      image_part{"image/png", large_text(picture), std::nullopt}, text_part{large_text("small")}};
  std::set<std::string> found;
  each_blob(queued, [&](const blob_ref& ref, const std::string& content) {
    BOOST_TEST(ref.blob == content_name(content));
    found.insert(content);
  });
  BOOST_TEST((found == std::set<std::string>{big, picture}));
  const std::string payload = encode(queued);
  BOOST_TEST(payload.size() < 600U);
  const auto back = std::get<message_queued>(decode("message.queued", 1, payload).value());
  BOOST_TEST((back == queued));
  BOOST_TEST(!std::get<text_part>(std::get<std::vector<content_part>>(back.content.value)[0]).text.loaded);
}

BOOST_AUTO_TEST_CASE(instructions_and_tools_are_references_however_short) {
  inference_started started;
  started.instructions = referenced_text("");
  started.tools = referenced_text("[]");
  int blobs = 0;
  each_blob(started, [&](const blob_ref&, const std::string&) { ++blobs; });
  BOOST_TEST(blobs == 2);
}

BOOST_AUTO_TEST_CASE(arguments_stay_the_models_own_text) {
  const auto call = make_tool_call("c", "t", " { \"a\" : 1.50, \"b\":\"\\u00e9 x\" } ");
  BOOST_REQUIRE(call.arguments);
  BOOST_TEST(call.arguments->text == R"({"a":1.50,"b":"\u00e9 x"})");
  const auto back = decode("assistant.block", 1, encode(assistant_block{"i", 0, call})).value();
  BOOST_TEST((std::get<tool_call_block>(std::get<assistant_block>(back).block) == call));
}

BOOST_AUTO_TEST_CASE(arguments_that_are_no_exact_object_stay_as_text) {
  for (const auto* const text :
      {"[1]", "5", "{\"a\":1,\"a\":2}", "{\"n\":18446744073709551616}", "{\"a\":", "not json"}) {
    const auto call = make_tool_call("c", "t", text);
    BOOST_TEST(!call.arguments, text);
    BOOST_TEST(call.arguments_raw->text == text);
  }
  BOOST_TEST(make_tool_call("c", "t", " \n ").arguments->text == "{}");
}

BOOST_AUTO_TEST_CASE(content_from_outside_can_name_no_stored_content) {
  const std::string ref = R"({"blob":"sha256:00","bytes":9000})";
  BOOST_TEST(!content_from_json(json::parse(ref).value()));
  const std::string inside = R"([{"type":"text","text":)" + ref + "}]";
  const auto refused = content_from_json(json::parse(inside).value());
  BOOST_REQUIRE(!refused);
  BOOST_TEST(refused.error().errors.front().pointer == "/0/text");
}

BOOST_AUTO_TEST_CASE(options_from_outside_name_their_unknown_fields) {
  const auto refused =
      options_from_json(json::parse(R"({"id":"a","steering_mode":"sometimes","colour":"red"})").value());
  BOOST_REQUIRE(!refused);
  BOOST_REQUIRE(refused.error().errors.size() == 2U);
  BOOST_TEST(refused.error().errors[0].pointer == "/steering_mode");
  BOOST_TEST(refused.error().errors[1].pointer == "/colour");
  BOOST_TEST(options_from_json(json::parse("{}").value())->max_retries == 2);
}

BOOST_AUTO_TEST_SUITE_END()
