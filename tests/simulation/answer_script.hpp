// What a scripted model says to a request: batches of stream events, drawn by chance.
#pragma once

#include "providers/provider.hpp"
#include "tests/simulation/ground.hpp"

#include <deque>

namespace troupe::simulation {

struct answer_script {
  std::deque<std::vector<providers::stream_event>> pieces;
  bool hangs = false; ///< after them nothing comes but what a cancel brings
};

answer_script draw_answer(ground& on, const providers::inference_request& request);

} // namespace troupe::simulation
