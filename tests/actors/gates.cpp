// The board, and the tools that stand at its gates.
#include "tests/actors/gates.hpp"

namespace troupe::testing {

void gate_board::open(const std::string& name) {
  const std::lock_guard lock(places_->mutex);
  places_->open[name] = true;
  places_->moved.notify_all();
}

bool gate_board::wait_until_begun(const std::string& name, std::size_t times) {
  std::unique_lock lock(places_->mutex);
  return places_->moved.wait_for(lock, patience, [&] { return places_->begun[name] >= times; });
}

bool gate_board::wait_until_stopped(const std::string& name) {
  std::unique_lock lock(places_->mutex);
  return places_->moved.wait_for(lock, patience, [&] { return places_->stopped[name] > 0; });
}

std::size_t gate_board::begun(const std::string& name) const {
  const std::lock_guard lock(places_->mutex);
  return places_->begun[name];
}

bool gate_board::pass(const std::string& name, const tools::call& call) {
  call.stop->on_stop([places = places_, name] {
    const std::lock_guard lock(places->mutex);
    ++places->stopped[name];
    places->moved.notify_all();
  });
  std::unique_lock lock(places_->mutex);
  ++places_->begun[name];
  places_->moved.notify_all();
  places_->moved.wait(lock, [&] { return places_->open[name] || call.cancelled(); });
  return places_->open[name];
}

namespace {

std::string text_argument(const tools::call& call, std::string_view key) {
  const auto arguments = json::parse(call.arguments.text);
  const auto* const found = arguments ? arguments->find(key) : nullptr;
  return found ? found->as_string() : std::string();
}

class hold final : public tools::tool {
 public:
  hold(gate_board& gates, tools::tool_spec spec) : gates_(gates), spec_(std::move(spec)) {}
  const tools::tool_spec& spec() const override { return spec_; }
  tools::output run(const tools::call& call) override {
    const std::string name = text_argument(call, "name");
    tools::output out;
    out.aborted = !gates_.pass(name, call);
    out.content = content("held " + name);
    return out;
  }

 private:
  gate_board& gates_;
  tools::tool_spec spec_;
};

tools::tool_spec spec_of(const char* name, const char* description, const char* parameters) {
  tools::tool_spec spec;
  spec.name = name;
  spec.description = description;
  spec.parameters = {parameters};
  return spec;
}

class big final : public tools::tool {
 public:
  const tools::tool_spec& spec() const override { return spec_; }
  tools::output run(const tools::call& call) override {
    const auto arguments = json::parse(call.arguments.text).value();
    tools::output out;
    out.content = content(std::string(arguments.find("bytes")->as_uint64().value(), 't'));
    return out;
  }

 private:
  tools::tool_spec spec_ = spec_of("big", "Answers with so many letters.",
      R"({"type":"object","properties":{"bytes":{"type":"integer"}},"required":["bytes"]})");
};

class boom final : public tools::tool {
 public:
  const tools::tool_spec& spec() const override { return spec_; }
  tools::output run(const tools::call&) override { throw std::runtime_error("it blew up"); }

 private:
  tools::tool_spec spec_ = spec_of("boom", "Throws.", R"({"type":"object"})");
};

} // namespace

std::shared_ptr<tools::tool> make_hold(
    gate_board& gates, const std::function<void(tools::tool_spec&)>& tune) {
  auto spec = spec_of("hold", "Stands at a gate.",
      R"({"type":"object","properties":{"name":{"type":"string"}},"required":["name"]})");
  if (tune)
    tune(spec);
  return std::make_shared<hold>(gates, std::move(spec));
}

std::shared_ptr<tools::tool> make_big() { return std::make_shared<big>(); }
std::shared_ptr<tools::tool> make_boom() { return std::make_shared<boom>(); }

} // namespace troupe::testing
