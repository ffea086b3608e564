// The scanner beside the reader: what it reads is what the reader reads, and what we write it does read.
#include "messages/event_codec.hpp"
#include "messages/json_reading.hpp"
#include "messages/json_runs.hpp"
#include "messages/json_scanning.hpp"
#include "messages/text.hpp"
#include "tests/support/logs.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;

BOOST_AUTO_TEST_SUITE(json_scanning)

namespace {

std::string golden(std::string_view type) {
  return testing::read_file(
      std::string(TROUPE_SOURCE_DIR) + "/tests/golden/events/" + std::string(type) + ".v1.json");
}

template <class T> std::optional<T> scanned(const std::string& text) {
  json::scanner scanner(text);
  T out{};
  return is_utf8(text) && scanner.get(out) && scanner.at_end() ? std::optional<T>(std::move(out))
                                                               : std::nullopt;
}

template <class T> std::optional<T> read(const std::string& text) {
  const auto parsed = json::parse(text);
  if (!parsed)
    return std::nullopt;
  json::reader reader(false);
  T out{};
  reader.get(*parsed, out);
  return reader.faults().empty() ? std::optional<T>(std::move(out)) : std::nullopt;
}

/// Text that the scanner takes is text that the reader takes, for the same.
template <class T> bool agrees(const std::string& text) {
  const auto quick = scanned<T>(text);
  return !quick || quick == read<T>(text);
}

template <class Function> void each_type(Function function) {
  boost::mp11::mp_for_each<boost::mp11::mp_iota_c<event_type_count>>([&](auto index) {
    function(boost::mp11::mp_identity<std::variant_alternative_t<index, event_data>>(),
        golden(event_type_names[index]));
  });
}

} // namespace

BOOST_AUTO_TEST_CASE(every_payload_that_we_write_is_scanned) {
  each_type([]<class T>(boost::mp11::mp_identity<T>, const std::string& payload) {
    BOOST_TEST(scanned<T>(payload).has_value(), payload);
    BOOST_TEST(agrees<T>(payload), payload);
  });
}

BOOST_AUTO_TEST_CASE(the_payloads_of_worked_logs_are_read_as_the_reader_reads_them) {
  for (const auto& log : testing::worked_logs())
    for (const auto& stored : log.recorded)
      boost::mp11::mp_with_index<event_type_count>(decode(stored).value().data.index(), [&](auto index) {
        using data = std::variant_alternative_t<index, event_data>;
        BOOST_TEST(agrees<data>(stored.payload), stored.payload);
      });
}

BOOST_AUTO_TEST_CASE(a_payload_with_any_byte_changed_is_read_as_the_reader_reads_it) {
  each_type([]<class T>(boost::mp11::mp_identity<T>, const std::string& payload) {
    for (std::size_t at = 0; at < payload.size(); ++at) {
      for (const char other : std::string("\"\\{}[],: 0-.eun\x01\x80", 17)) {
        std::string changed = payload;
        changed[at] = other;
        BOOST_REQUIRE_MESSAGE(agrees<T>(changed), changed);
      }
      BOOST_REQUIRE_MESSAGE(agrees<T>(payload.substr(0, at)), payload.substr(0, at));
      BOOST_REQUIRE_MESSAGE(agrees<T>(payload + payload.substr(at)), payload.substr(at));
    }
  });
}

BOOST_AUTO_TEST_CASE(what_another_might_write_is_left_to_the_reader) {
  for (const char* const text : {R"({ "turn":1})", R"({"turn":01})", R"({"turn":1,"turn":2})",
           R"({"turn":1,"mood":"good"})", R"({"turn":1.0})", R"({"turn":9223372036854775808})"})
    BOOST_TEST(!scanned<turn_started>(text).has_value(), text);
  for (const char* const text : {R"({"inference_id":"a","reason":"\u0041"})",
           R"({"reason":"b","inference_id":"a"})", R"({"inference_id":"a"})"}) {
    BOOST_TEST(!scanned<output_voided>(text).has_value(), text);
    BOOST_TEST(agrees<output_voided>(text), text);
  }
}

BOOST_AUTO_TEST_CASE(values_that_stay_text_are_scanned_whole) {
  for (const char* const text :
      {"null", "true", "-0.5e+7", "[]", "{}", R"("\"\n")", R"({"a":[1,{"b":""}]})"}) {
    BOOST_TEST(scanned<json::raw>(text).has_value(), text);
    BOOST_TEST(agrees<json::raw>(text), text);
  }
  for (const std::string text : {"", "nul", "1.", "+1", "[1,]", R"({"a"})", R"({"a":1,})", "[1 ]",
           R"("\ud800")", R"("\x")", "01", "\"\t\""})
    BOOST_TEST(!scanned<json::raw>(text).has_value(), text);
  const std::string deep = std::string(json::depth_max, '[') + std::string(json::depth_max, ']');
  BOOST_TEST(!scanned<json::raw>(deep).has_value());
}

BOOST_AUTO_TEST_CASE(escapes_mean_the_same) {
  const std::string text = R"("a\"b\\c\/d\be\ff\ng\rh\ti\u0000j\u001fk\u001F")";
  BOOST_TEST(scanned<std::string>(text).value() == read<std::string>(text).value());
}

BOOST_AUTO_TEST_CASE(a_run_ends_where_its_first_special_character_stands) {
  for (int c = 0; c < 256; ++c) {
    const char other = static_cast<char>(c);
    const bool ends = c < 0x20 || c == '"' || c == '\\';
    BOOST_TEST(json::ends_run(other) == ends, c);
    for (std::size_t place = 0; place < 20; ++place) {
      std::string text(20, '\x7f');
      text[place] = other;
      BOOST_TEST(json::run_end(text, 0) == (ends ? place : text.size()), c << " at " << place);
      BOOST_TEST(json::run_end(text, place) == (ends ? place : text.size()), c << " from " << place);
    }
  }
  BOOST_TEST(json::run_end("", 0) == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
