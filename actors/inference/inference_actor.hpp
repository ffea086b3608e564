// An inference: one request with its retries, until its one answer.
//
//   attempt ──▶ blocks … ──▶ answer
//      ▲   └─ failed before anything came ──▶ wait ─┘
#pragma once

#include "actors/node_parts.hpp"

#include <caf/fwd.hpp>

namespace troupe::actors {

struct inference_settings {
  persistence::session_key session;
  providers::inference_request request; ///< big texts may lack their content: it is fetched first
  std::shared_ptr<providers::provider> provider;
  std::int64_t max_retries = 2;
  std::int64_t retry_base_ms = 250;
  std::int64_t retry_after_ms_max = 60'000;
  std::shared_ptr<tools::stop_source> stop;
  bool shown = true; ///< to those who follow the session; a summary isn't part of the conversation
};

/// Sends the agent `block_finished` and in the end `inference_answer`, as orders; deltas go to the hub.
caf::behavior inference_actor(caf::event_based_actor* self, inference_settings settings,
    std::shared_ptr<const node_parts> parts, caf::actor agent);

} // namespace troupe::actors
