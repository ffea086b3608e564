// What every route of the API works with, and the tables of routes by resource.
#pragma once

#include "actors/reception.hpp"
#include "gateway/body.hpp"
#include "gateway/problem_document.hpp"
#include "gateway/router.hpp"
#include "gateway/routes/held_exchanges.hpp"

namespace troupe::gateway {

/// Bounds of what clients ask for, each with its key in the configuration's section `server`.
struct api_bounds {
  std::int64_t page_limit = 100;
  std::int64_t page_limit_max = 1000;
  std::int64_t wait_ms = 30'000;
  std::int64_t wait_ms_max = 60'000;
  std::size_t metadata_bytes_max = 16 * 1024;
  std::size_t id_characters_max = 128; ///< of an id that a client chooses
};

struct api {
  std::shared_ptr<actors::reception> sessions;
  api_bounds limits;
  std::shared_ptr<held_exchanges> held = std::make_shared<held_exchanges>();
};

void add_session_routes(router& to, const api& with);
void add_message_routes(router& to, const api& with);
void add_run_routes(router& to, const api& with);
void add_event_routes(router& to, const api& with);
void add_decision_routes(router& to, const api& with);
void add_service_routes(router& to, const api& with);

// What the types of fields don't say, where bodies share them: each adds its fault, if there is one.
void check_id(std::vector<problem_at>& faults, std::string_view id, const api_bounds& limits);
void check_metadata(
    std::vector<problem_at>& faults, const std::optional<json::raw>& metadata, const api_bounds& limits);

/// A problem of the insides as a client should see it: a session that another node holds, or that
/// leaves just now, is there again soon.
problem problem_for_client(const problem& why);

/// Answers with what `render` makes of the value, or with the problem.
template <class T, class Render>
actors::then<T> answering_with(std::shared_ptr<exchange> one, Render render) {
  return [one, render](const result<T>& got) {
    if (got)
      one->answer(render(*got));
    else
      one->answer(problem_for_client(got.error()));
  };
}

} // namespace troupe::gateway
