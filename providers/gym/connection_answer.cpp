// An answer of the gym played step by step, with the places where it stands still or breaks.
#include "providers/gym/server_core.hpp"

namespace troupe::providers::gym {

namespace {

bool makes_output(const step& one) {
  return std::holds_alternative<say>(one) || std::holds_alternative<think>(one)
      || std::holds_alternative<call_tool>(one) || std::holds_alternative<break_stream>(one)
      || std::holds_alternative<send_garbage>(one);
}

} // namespace

void connection::go_on() {
  if (closed_)
    return;
  while (at_ < steps_.size()) {
    const auto& one = steps_[at_++];
    if (const auto* text = std::get_if<say>(&one)) {
      begin_stream();
      answer_->add(*text, events_);
    } else if (const auto* thought = std::get_if<think>(&one)) {
      begin_stream();
      answer_->add(*thought, events_);
    } else if (const auto* call = std::get_if<call_tool>(&one)) {
      begin_stream();
      answer_->add(*call, events_);
    } else if (const auto* cut = std::get_if<cut_text>(&one)) {
      answer_->set(*cut);
    } else if (const auto* stop = std::get_if<stop_with>(&one)) {
      answer_->set(*stop);
    } else if (const auto* garbage = std::get_if<send_garbage>(&one)) {
      begin_stream();
      events_ += garbage->bytes;
    } else if (ends_at(one) || pause_at(one)) {
      return;
    }
  }
  begin_stream();
  finish_answer();
}

// Steps after which the answer stands still. Its beginning goes out before, unless a refusal follows.
bool connection::pause_at(const step& at) {
  const auto* wait = std::get_if<wait_for>(&at);
  const auto* hold = std::get_if<hold_at>(&at);
  if (wait == nullptr && hold == nullptr)
    return false;
  if (!refuses_before_output())
    begin_stream();
  frame();
  send();
  if (wait != nullptr)
    delay_ = server_->loop->after(
        std::chrono::milliseconds(wait->milliseconds), [self = shared_from_this()] { self->go_on(); });
  else if (!server_->held(hold->name, shared_from_this()))
    return false;
  return true;
}

bool connection::refuses_before_output() const {
  for (auto i = at_; i < steps_.size() && !makes_output(steps_[i]); ++i)
    if (std::holds_alternative<answer_error>(steps_[i]) || std::holds_alternative<hang_up>(steps_[i]))
      return !begun_;
  return false;
}

// Steps that end the answer in another way than its own.
bool connection::ends_at(const step& at) {
  if (std::holds_alternative<hang_up>(at)) {
    frame();
    close_after_ = true;
    if (writing_ || !out_.empty())
      send();
    else
      close();
    return true;
  }
  const auto* refused = std::get_if<answer_error>(&at);
  const auto* broken = std::get_if<break_stream>(&at);
  if (refused == nullptr && broken == nullptr)
    return false;
  auto error = service_->of_status(refused != nullptr ? refused->status : 500);
  if (const auto& type = refused != nullptr ? refused->type : broken->type; !type.empty()) {
    error.type = type;
    error.code.clear(); // it belongs to the status's own type
  }
  error.message = refused != nullptr ? refused->message : broken->message;
  if (refused != nullptr && !begun_) {
    std::string more;
    if (refused->retry_after) {
      json::append_number(more, *refused->retry_after);
      more = "retry-after: " + more + "\r\n";
    }
    if (error.message.empty())
      error.message = "the gym's script says so";
    send_error(error, more);
    return true;
  }
  if (!streaming_) {
    error.status = 500;
    send_error(error);
    return true;
  }
  begin_stream();
  answer_->add(break_stream{error.type, error.message}, events_);
  end_stream();
  return true;
}

void connection::begin_stream() {
  if (begun_)
    return;
  begun_ = true;
  if (streaming_)
    answer_->begin(events_);
}

void connection::finish_answer() {
  if (!streaming_)
    return send_document(200, answer_->whole());
  answer_->end(events_);
  end_stream();
}

} // namespace troupe::providers::gym
