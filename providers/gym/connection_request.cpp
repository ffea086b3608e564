// What a request asks for: an answer in the words of one service, or something of the gym's own.
#include "providers/gym/model.hpp"
#include "providers/gym/server_core.hpp"

namespace troupe::providers::gym {

namespace {

/// Which service a client means where the address doesn't say it: its headers do.
const service& service_of(const http_head& head, std::string_view path) {
  if (path.starts_with("/v1/chat/"))
    return chat_service();
  if (path.starts_with("/v1/messages") || head.find("anthropic-version") || head.find("x-api-key"))
    return messages_service();
  return head.find("authorization") ? chat_service() : messages_service();
}

} // namespace

bool connection::is_method(std::string_view method, std::string_view path) {
  if (parser_->head().method == method)
    return true;
  send_error(service_->wrong_method(parser_->head().method, path, method));
  return false;
}

void connection::handle() {
  const auto& head = parser_->head();
  auto path = std::string_view(head.target).substr(0, head.target.find('?'));
  constexpr std::string_view release = "/gym/release/";
  service_ = &service_of(head, path);
  if (path == "/v1/messages" || path == "/v1/chat/completions") {
    if (is_method("POST", path))
      handle_inference();
  } else if (path == "/v1/models") {
    if (is_method("GET", path))
      send_document(200, service_->models());
  } else if (path.starts_with(release)) {
    if (is_method("POST", path))
      send_document(200,
          "{\"released\":" + std::to_string(server_->release(std::string(path.substr(release.size()))))
              + "}");
  } else if (path == "/gym/requests") {
    if (is_method("GET", path))
      send_document(200, server_->requests());
  } else {
    send_error(service_->unknown_address(head.method, path.substr(0, 200)));
  }
}

void connection::handle_inference() {
  number_ = server_->record(parser_->head(), body_);
  auto read = service_->read(body_);
  if (auto* refused = std::get_if<service_error>(&read))
    return send_error(*refused);
  auto& asked = std::get<conversation>(read);
  if (server_->rules) {
    const auto* reply = server_->rules->next_reply(asked.seen());
    if (reply == nullptr) {
      auto error = service_->of_status(400);
      error.message = "no rule of the gym's script matches this request (inference "
          + std::to_string(asked.inference) + ", last user text \""
          + asked.last_user_text.substr(0, asked.last_user_text.find('\n')).substr(0, 200)
          + "\"); add one, or one without \"when\" at the end";
      return send_error(error);
    }
    steps_ = *reply;
  } else {
    steps_ = improvise(asked);
  }
  streaming_ = asked.stream;
  begun_ = false;
  at_ = 0;
  answer_ = service_->make_answer(asked, number_);
  for (const auto& one : steps_) // what is told at the start of a stream stands at the end of a script
    if (const auto* usage = std::get_if<report_usage>(&one))
      answer_->set(*usage);
  go_on();
}

} // namespace troupe::providers::gym
