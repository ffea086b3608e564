// The gym follows the rules of each test.
#include "tests/library/stage.hpp"

namespace troupe::library {

stage::stage(std::string_view rules) {
  providers::gym::server_settings wanted;
  wanted.rules = persistence::must(providers::gym::script::parse(rules));
  gym = persistence::must(providers::gym::server::start(std::move(wanted)));
}

configuration stage::settings() const {
  configuration out;
  out.database_url = world.url;
  out.data_dir = folder.path.string();
  out.workspace.sandbox = "none";
  auto& provider = out.providers["scripted"];
  provider.type = "claude";
  provider.base_url = gym->base_url();
  provider.default_model = "gym";
  provider.retry_base_ms = 1;
  return out;
}

std::string texts_of(const std::vector<message>& context) {
  std::string out;
  for (const auto& one : context) {
    std::string text = plain_text(content(one.parts));
    for (const auto& block : one.blocks) {
      if (const auto* const said = std::get_if<text_block>(&block))
        text += said->text.text;
      if (const auto* const call = std::get_if<tool_call_block>(&block))
        text += "[" + call->name + "]";
    }
    out += one.role + ": " + text + "\n";
  }
  return out;
}

} // namespace troupe::library
