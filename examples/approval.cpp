// A durable approval: the call waits for a person, over restarts, and runs at most once.
//
//   approval            asks, and ends while the question is open
//   approval allow      answers it from another process
#include <troupe/troupe.hpp>

#include <iostream>

namespace {

struct payment {
  std::string to;
  std::optional<int> euros;
};
BOOST_DESCRIBE_STRUCT(payment, (), (to, euros))

troupe::tool_definition transfer() {
  return troupe::define_tool("transfer", "Transfers money to somebody", [](const payment& wanted) {
    return std::to_string(wanted.euros.value_or(1)) + " euros are on their way to " + wanted.to + ".";
  });
}

int run(const std::string& answer) {
  troupe::system system{troupe::load_config()};
  auto agent = system.open({.id = "approval",
      .tools = {transfer()},
      .permissions = std::vector<troupe::permission_rule>{{"transfer", troupe::permission::ask, {}}}});
  if (answer.empty())
    agent.send("Please transfer money to Ada.");
  const auto now = agent.wait_for_attention(std::chrono::minutes(1));
  for (const auto& open : agent.decisions()) {
    std::cout << "May " << open.tool << " run with " << open.arguments.text << "?\n";
    if (answer == "allow")
      agent.allow(open.id);
    if (answer == "deny")
      agent.deny(open.id, "Not today.");
  }
  if (answer.empty())
    return now ? 0 : 1; // it stays asked: `approval allow` answers, whenever that is
  agent.wait_until_idle();
  const auto context = agent.context();
  for (const auto& message : context)
    if (message.role == "tool")
      std::cout << troupe::plain_text(troupe::content(message.parts)) << '\n';
  return 0;
}

} // namespace

int main(int count, char** words) {
  try {
    return run(count > 1 ? words[1] : "");
  } catch (const troupe::error& wrong) {
    std::cerr << "approval: " << wrong.why().detail << '\n';
    return 1;
  }
}
