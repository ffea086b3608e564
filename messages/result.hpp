// The answer of whatever can be refused: a value or a problem.
#pragma once

#include "messages/problem.hpp"

#include <boost/system/result.hpp>

namespace troupe {

template <class T> using result = boost::system::result<T, problem>;

} // namespace troupe
