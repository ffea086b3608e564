// A compaction: the covered messages in, what stands for them out, or why there is nothing.
//
//   contents ──▶ one request, or two where a round is cut ──▶ checks ──▶ answer
//                   ▲── too long: again without the older half ──┘
#pragma once

#include "actors/inference/inference_actor.hpp"
#include "session/compaction_cut.hpp"

namespace troupe::actors {

struct compaction_settings {
  std::string compaction_id;
  session::covered_messages covered; ///< big texts may lack their content: it is fetched first
  bool by_provider = false;          ///< the provider's own way, else a summary is asked of the model
  /// How each request is made: session, provider, retries and the stop. Of the request the model, and for
  /// the provider's own way the instructions and tools.
  inference_settings asking;
  std::int64_t tokens_before = 0; ///< of the context's messages, estimated
  std::int64_t tokens_kept = 0;   ///< of those that stay
};

/// Sends the agent one `compaction_answer`, as an order, whatever happens.
caf::behavior compaction_actor(caf::event_based_actor* self, compaction_settings settings,
    std::shared_ptr<const node_parts> parts, caf::actor agent);

} // namespace troupe::actors
