// The service itself: whether it lives and is ready, and what may be used.
#include "gateway/routes/api.hpp"

namespace troupe::gateway {

namespace {

/// Less than the second that probes wait for an answer.
constexpr std::chrono::milliseconds probe_patience{900};

void ready(const api& with, const std::shared_ptr<exchange>& one) {
  if (one->draining())
    return void(
        one->answer(problem_document(refusal::draining, "the server takes no new work: it is leaving")));
  if (!with.sessions->of().lease_holds())
    return void(one->answer(problem{problem_code::unavailable, "the lease of this node has run out", {}}));
  // asked each time: a lease holds on for a while where the database is away already
  with.sessions->of().probe(probe_patience, [one](bool answers) {
    if (answers)
      one->answer(json_answer(R"({"status":"ready"})"));
    else
      one->answer(problem{problem_code::unavailable, "the database doesn't answer", {}});
  });
}

std::string tools_document(const actors::node& node) {
  const auto& box = node.tools();
  json::writer out;
  out.begin_object().key("toolsets").begin_object();
  for (const auto& [name, members] : box.toolsets()) {
    out.key(name).begin_array();
    for (const auto& member : members)
      out.string(member);
    out.end_array();
  }
  return out.end_object().key("tools").raw_text(box.everything().json()).end_object().take();
}

std::string models_document(const actors::node& node) {
  json::writer out;
  out.begin_object().key("providers").begin_array();
  for (const auto& [id, registered] : node.providers())
    out.begin_object()
        .field("id", id)
        .field("type", registered.fact.type)
        .field("default_model", registered.fact.default_model)
        .end_object();
  return out.end_array().end_object().take();
}

} // namespace

void add_service_routes(router& to, const api& with) {
  to.add({.method = "GET",
      .path = "/healthz",
      .summary = "Whether the process lives",
      .needs = scope::anyone,
      .while_draining = true,
      .answers = {{200, "It does"}},
      .carry_out = [](const auto& one, const auto&) { one->answer(json_answer(R"({"status":"ok"})")); }});
  to.add({.method = "GET",
      .path = "/readyz",
      .summary = "Whether it takes work",
      .description = "The database answers, the lease holds, and the server isn't draining.",
      .needs = scope::anyone,
      .while_draining = true,
      .answers = {{200, "It does"}, {503, "Not now"}},
      .carry_out = [with](const auto& one, const auto&) { ready(with, one); }});
  to.add({.method = "GET",
      .path = "/v1/tools",
      .summary = "The tools that sessions may use",
      .answers = {{200, "`{toolsets, tools}`"}},
      .carry_out = [with](const auto& one, const auto&) {
        one->answer(json_answer(tools_document(with.sessions->of())));
      }});
  to.add({.method = "GET",
      .path = "/v1/models",
      .summary = "The providers that sessions may name",
      .answers = {{200, "`{providers}`"}},
      .carry_out = [with](const auto& one, const auto&) {
        one->answer(json_answer(models_document(with.sessions->of())));
      }});
}

} // namespace troupe::gateway
