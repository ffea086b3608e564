// Small readings of JSON that the checks of all services are made of.
#include "providers/gym/strict_reading.hpp"

#include <algorithm>

namespace troupe::providers::gym {

void refuse(std::string message, std::string param, std::string code) {
  throw refusal{std::move(message), std::move(param), std::move(code)};
}

std::string_view string_at(const json::value& in, std::string_view key) {
  const auto* found = in.find(key);
  return found != nullptr ? std::string_view(found->as_string()) : std::string_view();
}

bool is_name(std::string_view text, std::size_t most) {
  return !text.empty() && text.size() <= most && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

} // namespace troupe::providers::gym
