// While a run is followed, lines that are typed steer it, queue behind it or abort it.
#include "cli/conversation.hpp"

#include "cli/transcript.hpp"

#include "cli/exit_status.hpp"
#include "cli/interrupts.hpp"

#include <future>

namespace troupe::cli {

namespace {

std::string told(const actors::compaction_report& report) {
  if (report.seq == 0)
    return "There is nothing to leave out yet.";
  if (report.cleared > 0)
    return "Cleared " + std::to_string(report.cleared) + " old tool outputs.";
  if (!report.tokens_before || !report.tokens_after)
    return "A summary stands for the older messages now.";
  return "A summary stands for the older messages now: about " + std::to_string(*report.tokens_after)
      + " tokens, where there were " + std::to_string(*report.tokens_before) + ".";
}

} // namespace

conversation::conversation(actors::session_handle& session, line_input& input,
    std::optional<message_settings> settings, following how)
    : session_(session), input_(input), settings_(settings.value_or(message_settings())),
      how_(std::move(how)) {
  how_.answer.read = [this](const std::string& question) -> std::optional<std::string> {
    const auto line_begin = question.rfind('\n') + 1; // the last line is the prompt
    std::cerr << question.substr(0, line_begin);
    if (!input_.terminal())
      std::cerr << question.substr(line_begin) << std::endl;
    auto answer = input_.next(question.substr(line_begin));
    return answer.how == line_input::outcome::line ? std::optional(std::move(answer.text)) : std::nullopt;
  };
  how_.meanwhile = [this] {
    while (const auto line = input_.typed())
      obey_meanwhile(understand(*line));
  };
}

int conversation::hold() {
  take_up();
  int interrupted = 0;
  while (!leaving_) {
    watch_interrupts(input_.terminal() ? 0 : 1);
    const auto line = input_.next("> ");
    if (line.how == line_input::outcome::end)
      break;
    if (line.how == line_input::outcome::interrupted) {
      if (++interrupted == 2)
        break;
      std::cerr << "Once more to leave.\n";
      continue;
    }
    interrupted = 0;
    if (obey(understand(line.text)) == then::leave)
      break;
  }
  return input_.terminal() ? done : status_;
}

conversation::then conversation::obey(const said& line) {
  switch (line.what) {
  case said::kind::message:
    say(line.text, delivery::send);
    break;
  case said::kind::steer:
    say(line.text, delivery::steer);
    break;
  case said::kind::quit:
    return then::leave;
  case said::kind::abort:
    if (const auto aborted = session_.abort("user"); !aborted)
      complain(aborted.error());
    else
      std::cerr << "Nothing runs.\n";
    break;
  default:
    obey_meanwhile(line);
  }
  return then::go_on;
}

void conversation::obey_meanwhile(const said& line) {
  switch (line.what) {
  case said::kind::nothing:
    break;
  case said::kind::message:
    if (post(line.text, delivery::send))
      std::cerr << "Queued: it is taken when this is done.\n";
    break;
  case said::kind::steer:
    post(line.text, delivery::steer);
    break;
  case said::kind::model:
    choose_model(line.text);
    break;
  case said::kind::quit:
    leaving_ = true;
    [[fallthrough]];
  case said::kind::abort:
    if (const auto aborted = session_.abort("user"); !aborted)
      complain(aborted.error());
    break;
  case said::kind::compact:
    compact();
    break;
  case said::kind::help:
    std::cerr << slash_help();
    break;
  case said::kind::unknown:
    std::cerr << line.text << "\n";
    break;
  }
}

// Ctrl-C stops it: what was there stays.
void conversation::compact() {
  std::cerr << "Making the context smaller; Ctrl-C stops it.\n";
  watch_interrupts(0);
  std::promise<result<actors::compaction_report>> promise;
  auto answer = promise.get_future();
  session_.compact([&](result<actors::compaction_report> got) { promise.set_value(std::move(got)); });
  for (int heard = 0; answer.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready;)
    if (interrupts() > heard) {
      heard = interrupts();
      (void)session_.abort("user");
    }
  const auto report = answer.get();
  if (report)
    std::cerr << told(*report) << "\n";
  else
    complain(report.error());
}

void conversation::choose_model(const std::string& name) {
  if (!name.empty()) {
    settings_.model = name;
    std::cerr << "The next message goes to " << name << ".\n";
  } else if (const auto look = session_.look(); look) {
    std::cerr << glance((*look)->settings.provider) << " " << glance((*look)->settings.model) << "\n";
  } else {
    complain(look.error());
  }
}

bool conversation::post(const std::string& text, delivery queue) {
  accept_message message;
  message.content = content(text);
  message.delivery = queue;
  if (settings_ != message_settings())
    message.settings = settings_;
  settings_ = {}; // also if it is refused: what was wrong with it isn't said again and again
  const auto accepted = session_.post(std::move(message));
  if (!accepted)
    status_ = complain(accepted.error());
  return accepted.has_value();
}

int conversation::follow_from(std::int64_t before) {
  const auto stream = session_.follow(before);
  return follow(session_, *stream, before, how_);
}

void conversation::say(const std::string& text, delivery queue) {
  const auto look = session_.look();
  if (!look) {
    status_ = complain(look.error());
    return;
  }
  const std::int64_t before = (*look)->head;
  if (post(text, queue))
    status_ = follow_from(before);
}

void conversation::take_up() {
  const std::string& was = session_.row().view.status;
  if (session_.created() || was == "idle" || was == "closed")
    return;
  const std::int64_t before = session_.row().head;
  if (const auto started = session_.order(start{}); !started)
    status_ = complain(started.error());
  else
    status_ = follow_from(before);
}

} // namespace troupe::cli
