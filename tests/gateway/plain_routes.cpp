// One route for each way to answer.
#include "tests/gateway/plain_routes.hpp"

#include "gateway/body.hpp"

#include <stdexcept>

namespace troupe::gateway::testing {

namespace {

enum class colour { red, green };
struct thing {
  std::string name;
  std::optional<std::int64_t> count;
  std::optional<colour> paint;
  std::optional<std::vector<std::string>> tags;
  std::optional<json::raw> anything;
};
BOOST_DESCRIBE_ENUM(colour, red, green)
BOOST_DESCRIBE_STRUCT(thing, (), (name, count, paint, tags, anything))

void make_thing(const std::shared_ptr<exchange>& one, const matched&) {
  auto read = read_body<thing>(one->asked());
  read ? one->answer(json_answer(json::to_text(*read), 201)) : one->answer(read.error());
}

void list_things(const std::shared_ptr<exchange>& one, const matched& found) {
  json::writer out;
  out.begin_object().key("limit").number(found.integer("limit").value_or(-1));
  out.field("type", found.text("type").value_or("")).key("follow").boolean(found.flag("follow")).end_object();
  one->answer(json_answer(out.take()));
}

void show_thing(const std::shared_ptr<exchange>& one, const matched& found) {
  one->answer(json_answer(json::quote(found.at("id") + found.at("hash") + found.at("file"))));
}

void big_answer(const std::shared_ptr<exchange>& one, const matched& found) {
  one->answer(json_answer(
      json::quote(std::string(static_cast<std::size_t>(found.integer("bytes").value_or(0)), 'x'))));
}

} // namespace

void add_plain_routes(router& to) {
  to.add({.method = "GET",
      .path = "/healthz",
      .summary = "Liveness",
      .needs = scope::anyone,
      .while_draining = true,
      .carry_out = [](const auto& one, const auto&) { one->answer(json_answer(R"({"ok":true})")); }});
  to.add({.method = "POST",
      .path = "/v1/things",
      .summary = "Makes a thing",
      .body = body_of<thing>("the thing"),
      .answers = {{201, "The thing", json_schema<thing>()}},
      .carry_out = make_thing});
  to.add({.method = "GET",
      .path = "/v1/things",
      .summary = "Lists things",
      .parameters = {integer_parameter("limit", "How many", 1, 1000, 100),
          text_parameter("type", "Which", 64), flag_parameter("follow", "Stay", true),
          choice_parameter("for", "What", {"idle", "attention"}, "idle")},
      .answers = {{200, "Things"}},
      .carry_out = list_things});
  to.add({.method = "GET", .path = "/v1/things/{id}", .summary = "A thing", .carry_out = show_thing});
  to.add({.method = "DELETE",
      .path = "/v1/things/{id}",
      .summary = "Deletes a thing",
      .answers = {{204, "Deleted"}},
      .carry_out = [](const auto& one, const auto&) { one->answer(no_content()); }});
  to.add({.method = "GET",
      .path = "/v1/things/{id}/blobs/{hash}",
      .summary = "Content",
      .parameters = {digest_parameter("hash", "As in the reference")},
      .carry_out = show_thing});
  to.add({.method = "GET",
      .path = "/console/{file*}",
      .summary = "A file",
      .parameters = {text_parameter("file", "Its path")},
      .carry_out = show_thing});
  to.add({.method = "GET",
      .path = "/v1/big",
      .summary = "Much",
      .parameters = {integer_parameter("bytes", "How much", 0, 100'000'000, 0)},
      .carry_out = big_answer});
  to.add({.method = "GET",
      .path = "/v1/dropped",
      .summary = "Forgets",
      .carry_out = [](const auto&, const auto&) {}});
  to.add(
      {.method = "GET", .path = "/v1/thrown", .summary = "Throws", .carry_out = [](const auto&, const auto&) {
         throw std::runtime_error("a fault");
       }});
  to.add({.method = "GET",
      .path = "/v1/failed",
      .summary = "Fails",
      .carry_out = [](const auto& one, const auto&) {
        one->answer(problem{problem_code::internal, "row 7 of the secret table", {}});
      }});
}

} // namespace troupe::gateway::testing
