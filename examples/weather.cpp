// A durable agent with a tool: run it, kill it, run it again, and the session goes on.
//
//   weather ["question"]
//
// Without a configured provider or a key in the environment the built-in gym answers.
#include <troupe/troupe.hpp>

#include <iostream>

namespace {

struct weather_query {
  std::string city;
  std::optional<int> days;
};
struct forecast {
  double celsius;
  std::string sky;
};
BOOST_DESCRIBE_STRUCT(weather_query, (), (city, days))
BOOST_DESCRIBE_STRUCT(forecast, (), (celsius, sky))

// A real one would ask a service, with the key: a call that is made again after a crash has the same.
forecast look_up(const weather_query& query, const std::string& idempotency_key) {
  const bool is_known = !query.city.empty() && !idempotency_key.empty();
  return {is_known ? 7.5 : 0, query.days.value_or(1) > 3 ? "who knows" : "rain"};
}

int run(const std::string& question) {
  troupe::system system{troupe::load_config()};

  auto weather = troupe::define_tool("weather", "The weather in a city for the coming days",
      [](const troupe::call& call, const weather_query& query) {
        return look_up(query, call.idempotency_key());
      })
                     .argument("city", "The city's name")
                     .argument("days", "How many days ahead, 1 to 7")
                     .idempotent();

  auto agent = system.open({.id = "weather", .instructions = "Be brief.", .tools = {weather}});
  agent.on_text([](std::string_view text) { std::cout << text << std::flush; });
  agent.send(question); // returns when the message is committed
  const auto now = agent.wait_until_idle();
  std::cout << '\n';
  if (now.last_error)
    std::cerr << now.last_error->message << '\n';
  return now.last_error ? 1 : 0;
}

} // namespace

int main(int count, char** words) {
  try {
    return run(count > 1 ? words[1] : "What is the weather in Oslo?");
  } catch (const troupe::error& wrong) {
    std::cerr << "weather: " << wrong.why().detail << '\n';
    return 1;
  }
}
