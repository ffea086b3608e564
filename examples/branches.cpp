// The same session tomorrow: it goes on, shows what it was at any event, and is branched from there.
//
//   branches
#include <troupe/troupe.hpp>

#include <iostream>

namespace {

void print(const std::string& title, const std::vector<troupe::message>& context) {
  std::cout << title << '\n';
  for (const auto& message : context) {
    std::cout << "  " << message.role << ": " << troupe::plain_text(troupe::content(message.parts));
    for (const auto& block : message.blocks)
      if (const auto* const said = std::get_if<troupe::text_block>(&block))
        std::cout << said->text.text;
    std::cout << '\n';
  }
}

void talk(troupe::system& system) {
  auto agent = system.open({.id = "branches"}); // goes on with it, whatever process had it before
  agent.send("My name is Ada.");
  const auto introduced = agent.wait_until_idle().head;
  agent.steer("Only my first name, please."); // as soon as the answer and its tools are done
  agent.send("What do you know of me?");      // when it would otherwise stop
  agent.wait_until_idle();

  std::size_t answers = 0;
  for (const troupe::event& event : agent.events({.after = introduced}))
    std::visit(troupe::overloaded{[&](const troupe::assistant_block&) { ++answers; }, [](const auto&) {}},
        event.data);
  std::cout << answers << " blocks of answers since event " << introduced << '\n';

  print("As it was at event " + std::to_string(introduced) + ":", agent.at(introduced).context());
  auto branch = agent.fork(introduced);
  branch.send("Forget my name.");
  branch.wait_until_idle();
  print("The branch " + branch.id() + ":", branch.context());
  print("The session it came from:", agent.context());
  system.erase(branch.id());
}

} // namespace

int main() {
  try {
    troupe::system system{troupe::load_config()};
    talk(system);
  } catch (const troupe::error& wrong) {
    std::cerr << "branches: " << wrong.why().detail << '\n';
    return 1;
  }
}
