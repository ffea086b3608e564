// What a test takes for granted.
#pragma once

#include "messages/result.hpp"

#include <boost/test/unit_test.hpp>

namespace troupe::testing {

/// The value of a result that has to have one; fails the test with the problem's detail.
template <class T> T must(result<T> answer) {
  if (!answer)
    BOOST_FAIL(std::string(name_of(answer.error().code)) + ": " + answer.error().detail);
  return *std::move(answer);
}

} // namespace troupe::testing
