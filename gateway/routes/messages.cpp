// Messages: queued, withdrawn, looked at.
#include "gateway/picture.hpp"
#include "gateway/routes/api.hpp"
#include "gateway/session_document.hpp"
#include "session/effort.hpp"

namespace troupe::gateway {

namespace {

struct posted_message {
  troupe::delivery delivery = delivery::send;
  troupe::content content;
  std::optional<std::string> id;
  std::optional<std::string> provider;
  std::optional<std::string> model;
  std::optional<std::string> effort;
  std::optional<std::string> service_tier;
  std::optional<json::raw> metadata;
};
BOOST_DESCRIBE_STRUCT(
    posted_message, (), (delivery, content, id, provider, model, effort, service_tier, metadata))

result<accept_message> message_of(const request& asked, const api_bounds& limits) {
  auto given = read_body<posted_message>(asked);
  if (!given)
    return given.error();
  std::vector<problem_at> faults;
  if (given->id)
    check_id(faults, *given->id, limits);
  check_metadata(faults, given->metadata, limits);
  if (given->effort && !session::is_effort(*given->effort))
    faults.push_back({"/effort", session::no_effort(*given->effort)});
  if (is_blank(given->content))
    faults.push_back({"/content", "is empty; `POST …/continue` goes on without a message"});
  if (auto fault = fault_of_pictures(given->content))
    faults.push_back({"/content", *std::move(fault)});
  if (!faults.empty())
    return bad_body(std::move(faults));
  accept_message message;
  message.message_id = given->id.value_or("");
  message.delivery = given->delivery;
  message.content = std::move(given->content);
  message_settings settings{given->provider, given->model, given->effort, given->service_tier};
  if (settings != message_settings())
    message.settings = std::move(settings);
  message.metadata = std::move(given->metadata);
  return message;
}

void post(const api& with, const std::shared_ptr<exchange>& one, const matched& found) {
  auto message = message_of(one->asked(), with.limits);
  if (!message)
    return void(one->answer(message.error()));
  with.sessions->post(
      found.at("id"), *std::move(message), answering_with<actors::acceptance>(one, [](const auto& accepted) {
        json::writer out;
        out.begin_object().field("message_id", accepted.message_id).key("seq").number(accepted.seq);
        out.key("duplicate").boolean(accepted.duplicate).end_object();
        return json_answer(out.take(), 202);
      }));
}

void take_back(const api& with, const std::shared_ptr<exchange>& one, const matched& found) {
  const auto queue = *found.text("queue");
  with.sessions->withdraw_queued(found.at("id"),
      queue == "all" ? std::nullopt : std::optional(queue == "steer" ? delivery::steer : delivery::send),
      answering_with<std::vector<std::string>>(one, [](const auto& ids) {
        json::writer out;
        out.begin_object().key("withdrawn").begin_array();
        for (const auto& id : ids)
          out.string(id);
        return json_answer(out.end_array().end_object().take());
      }));
}

} // namespace

void add_message_routes(router& to, const api& with) {
  to.add({.method = "POST",
      .path = "/v1/sessions/{id}/messages",
      .summary = "Queues a message",
      .description =
          "The run starts by itself. The same `id` with the same content again is the same message "
          "(`duplicate`), with another content it is 409.",
      .body = body_of<posted_message>("The message"),
      .answers = {{202, "`{message_id, seq, duplicate}`: it is stored"}},
      .carry_out = [with](const auto& one, const auto& found) { post(with, one, found); }});
  to.add({.method = "DELETE",
      .path = "/v1/sessions/{id}/messages",
      .summary = "Withdraws what is still queued",
      .parameters = {choice_parameter("queue", "Which queue", {"steer", "send", "all"}, "all")},
      .answers = {{200, "`{withdrawn: [message_id]}`"}},
      .carry_out = [with](const auto& one, const auto& found) { take_back(with, one, found); }});
  to.add({.method = "GET",
      .path = "/v1/sessions/{id}/queues",
      .summary = "The messages that wait",
      .answers = {{200, "`{steer: [message], send: [message]}`"}},
      .carry_out = [with](const auto& one, const auto& found) {
        with.sessions->state_at(found.at("id"), std::nullopt,
            answering_with<actors::state_as_of>(
                one, [](const auto& now) { return json_answer(queues_document(*now.state)); }));
      }});
}

} // namespace troupe::gateway
