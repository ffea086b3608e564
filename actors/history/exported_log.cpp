// Lines are written by the same hand that the chain is made of, and read strictly.
#include "actors/history/exported_log.hpp"

#include "messages/event_codec.hpp"
#include "messages/json.hpp"
#include "persistence/journal.hpp"

#include <limits>

namespace troupe::actors {

void put_line(std::string& out, const log_header& header) {
  json::writer line;
  line.begin_object()
      .key("troupe_log")
      .number(exported_log_version)
      .field("session", header.session)
      .end_object();
  out += line.text() + '\n';
}

void put_line(std::string& out, const log_blob& blob) {
  json::writer line;
  line.begin_object().field("blob", blob.name).field("content", blob.content).end_object();
  out += line.text() + '\n';
}

void put_line(std::string& out, const log_append& append) {
  json::writer line;
  line.begin_object().key("append").number(append.events.front().append_seq);
  line.key("command").number(static_cast<std::int64_t>(append.events.front().command)).end_object();
  out += line.text() + '\n';
  for (const auto& event : append.events) {
    append_line(out, event);
    out += '\n';
  }
}

void put_line(std::string& out, const log_end& end) {
  json::writer line;
  line.begin_object().key("end").number(end.head).field("chain", end.chain).end_object();
  out += line.text() + '\n';
}

problem exported_log_reader::refusal(const std::string& why) const {
  return {problem_code::invalid_input, "line " + std::to_string(line_) + ": " + why, {}};
}

// A last line without its end is a torn one.
result<bool> exported_log_reader::read_line() {
  if (pending_) {
    pending_ = false;
    return true;
  }
  text_.clear();
  ++line_;
  for (int c = from_.get(); c != std::istream::traits_type::eof(); c = from_.get()) {
    if (c == '\n')
      return true;
    if (text_.size() >= exported_line_bytes_max)
      return refusal("it is longer than " + std::to_string(exported_line_bytes_max) + " bytes");
    text_ += static_cast<char>(c);
  }
  if (!text_.empty())
    return refusal("it has no end: the file was cut off");
  return false;
}

result<std::optional<log_item>> exported_log_reader::next() {
  const auto there = read_line();
  if (!there)
    return there.error();
  if (!*there)
    return std::optional<log_item>();
  item_line_ = line_;
  return item();
}

result<std::optional<log_item>> exported_log_reader::item() {
  if (text_.size() > exported_head_bytes_max && !text_.starts_with("{\"blob\":\""))
    return refusal("it is longer than " + std::to_string(exported_head_bytes_max)
        + " bytes, and is no content and no event of an append");
  const auto parsed = json::parse(text_);
  if (!parsed)
    return refusal("it is no JSON: " + parsed.error().detail);
  const auto text = [&](std::string_view name) {
    const auto* const found = parsed->find(name);
    return found && found->is(json::kind::string) ? std::optional(found->as_string()) : std::nullopt;
  };
  const auto number = [&](std::string_view name) {
    const auto* const found = parsed->find(name);
    return found ? found->as_int64() : std::nullopt;
  };
  if (const auto version = number("troupe_log")) {
    if (*version != exported_log_version)
      return refusal("its form is " + std::to_string(*version) + "; this version reads "
          + std::to_string(exported_log_version));
    const auto session = text("session");
    return session ? result<std::optional<log_item>>(log_header{*session}) : refusal("it names no `session`");
  }
  if (const auto name = text("blob")) {
    auto content = text("content");
    return content ? result<std::optional<log_item>>(log_blob{*name, *std::move(content)})
                   : refusal("the blob has no `content`");
  }
  if (const auto seq = number("append")) {
    const auto command = number("command");
    return command && *command > 0 && *command <= std::numeric_limits<std::int16_t>::max()
        ? append(*seq, *command)
        : refusal("the append has no `command`, which is a number from 1");
  }
  if (const auto head = number("end")) {
    auto chain = text("chain");
    return chain ? result<std::optional<log_item>>(log_end{*head, *std::move(chain)})
                 : refusal("the end has no `chain`");
  }
  return refusal("it is none of `troupe_log`, `blob`, `append` and `end`");
}

result<std::optional<log_item>> exported_log_reader::append(std::int64_t seq, std::int64_t command) {
  log_append out;
  while (true) {
    const auto there = read_line();
    if (!there)
      return there.error();
    if (!*there || !text_.starts_with("{\"seq\":")) {
      pending_ = *there;
      break;
    }
    if (out.events.size() >= persistence::append_events_max)
      return refusal("an append has at most " + std::to_string(persistence::append_events_max) + " events");
    auto event = from_line(text_);
    if (!event)
      return refusal(event.error().detail);
    event->append_seq = seq;
    event->command = static_cast<command_kind>(command);
    out.events.push_back(*std::move(event));
  }
  return out.events.empty() ? refusal("the append at " + std::to_string(seq) + " has no events")
                            : result<std::optional<log_item>>(std::move(out));
}

} // namespace troupe::actors
