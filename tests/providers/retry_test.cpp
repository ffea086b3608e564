// The retry policy as a table.
#include "providers/retry.hpp"

#include <boost/test/unit_test.hpp>

namespace troupe::providers {

BOOST_AUTO_TEST_SUITE(retry)

namespace {
const failure again{"overloaded", 529, true, "busy"};

http_head head_with(std::string name, std::string value) {
  return {429, {}, {}, {{std::move(name), std::move(value)}}};
}
} // namespace

BOOST_AUTO_TEST_CASE(delays_grow_with_full_jitter_up_to_a_bound) {
  BOOST_TEST(next_retry(again, 0, 2, false, std::nullopt, 250, 0.5).value() == 125);
  BOOST_TEST(next_retry(again, 1, 2, false, std::nullopt, 250, 0.5).value() == 250);
  BOOST_TEST(next_retry(again, 0, 2, false, std::nullopt, 250, 0.0).value() == 0);
  BOOST_TEST(next_retry(again, 40, 100, false, std::nullopt, 250, 1.0).value() == retry_delay_ms_max);
}

BOOST_AUTO_TEST_CASE(nothing_is_repeated_after_a_block_began_nor_without_need) {
  BOOST_TEST(!next_retry(again, 0, 2, true, std::nullopt, 250, 0.5).has_value());
  BOOST_TEST(!next_retry(again, 2, 2, false, std::nullopt, 250, 0.5).has_value());
  BOOST_TEST(!next_retry(again, 0, 0, false, std::nullopt, 250, 0.5).has_value());
  BOOST_TEST(
      !next_retry({"invalid_request", 400, false, ""}, 0, 2, false, std::nullopt, 250, 0.5).has_value());
}

BOOST_AUTO_TEST_CASE(what_the_provider_asks_for_is_obeyed_up_to_a_minute) {
  BOOST_TEST(next_retry(again, 0, 2, false, 12'000, 250, 0.5).value() == 12'000);
  BOOST_TEST(next_retry(again, 0, 2, false, 60'000, 250, 0.5).value() == 60'000);
  BOOST_TEST(!next_retry(again, 0, 2, false, 60'001, 250, 0.5).has_value());
  BOOST_TEST(next_retry(again, 0, 2, false, 0, 250, 0.5).value() == 0);
}

BOOST_AUTO_TEST_CASE(statuses) {
  struct row {
    int status;
    std::string_view code;
    bool retryable;
  };
  for (const auto& one : {row{400, "invalid_request", false}, row{401, "invalid_request", false},
           row{402, "quota", false}, row{403, "invalid_request", false}, row{404, "unknown", false},
           row{408, "rate_limit", true}, row{409, "rate_limit", true}, row{413, "unknown", false},
           row{429, "rate_limit", true}, row{500, "api_5xx", true}, row{502, "api_5xx", true},
           row{504, "api_5xx", true}, row{529, "overloaded", true}, row{302, "unknown", false}}) {
    auto failed = failure_of_status(one.status, {}, "why");
    BOOST_TEST(failed.code == one.code, one.status);
    BOOST_TEST(failed.retryable == one.retryable, one.status);
    BOOST_TEST(failed.status.value() == one.status);
  }
  BOOST_TEST(!failure_of_status(529, head_with("x-should-retry", "false"), "").retryable);
  BOOST_TEST(failure_of_status(400, head_with("x-should-retry", "true"), "").retryable);
}

BOOST_AUTO_TEST_CASE(retry_after_in_all_its_forms) {
  constexpr std::int64_t now = 784111777; // Sun, 06 Nov 1994 08:49:37 GMT
  BOOST_TEST(retry_after(head_with("retry-after", "12"), now).value() == 12000);
  BOOST_TEST(retry_after(head_with("retry-after", "0.25"), now).value() == 250);
  BOOST_TEST(retry_after(head_with("retry-after", "-3"), now).value() == 0);
  BOOST_TEST(retry_after(head_with("retry-after", "Sun, 06 Nov 1994 08:49:47 GMT"), now).value() == 10000);
  BOOST_TEST(retry_after(head_with("retry-after", "Sun, 06 Nov 1994 08:49:27 GMT"), now).value() == 0);
  BOOST_TEST(retry_after({429, {}, {}, {{"retry-after", "9"}, {"retry-after-ms", "40"}}}, now).value() == 40);
  for (const auto* nonsense : {"soon", "", "1e99", "nan", "Sun, 06 Foo 1994 08:49:37 GMT", "12 s"})
    BOOST_TEST(!retry_after(head_with("retry-after", nonsense), now).has_value(), nonsense);
  BOOST_TEST(!retry_after({}, now).has_value());
  BOOST_TEST(parse_http_date("Mon, 30 Nov 2026 00:41:00 GMT").value() == 1795999260);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::providers
