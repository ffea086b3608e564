// What a program of somebody else does with the installed package: an agent with a tool, and an error.
#include <troupe/troupe.hpp>

#include <iostream>

struct addition {
  int one;
  int other;
};
BOOST_DESCRIBE_STRUCT(addition, (), (one, other))

int main() {
  try {
    troupe::system system{troupe::load_config()};
    auto add =
        troupe::define_tool("add", "Adds two numbers", [](const troupe::call& call, const addition& numbers) {
          return std::to_string(numbers.one + numbers.other) + (call.cancelled() ? " at last" : "");
        }).idempotent();
    auto agent = system.open({.id = "consumer", .tools = {add}});
    std::string heard;
    agent.on_text([&](std::string_view text) { heard += text; });
    agent.send("Hello there, who are you?");
    const auto now = agent.wait_until_idle();
    std::size_t events = 0;
    for (const troupe::event& happened : agent.events())
      events += happened.seq > 0 ? 1 : 0;
    try {
      agent.send("");
      std::cerr << "an empty message was taken\n";
      return 1;
    } catch (const troupe::error& refused) { // thrown on the library's side of the border
      if (refused.code() != troupe::problem_code::invalid_input)
        throw;
    }
    std::cout << "troupe " << troupe::version() << ": " << events << " events, " << heard.size()
              << " bytes said, " << now.status << '\n';
    return events > 0 && !heard.empty() && now.status == "idle" ? 0 : 1;
  } catch (const troupe::error& wrong) {
    std::cerr << wrong.why().detail << '\n';
    return 1;
  }
}
