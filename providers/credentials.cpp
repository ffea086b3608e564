// Resolving keys: given, from the environment, from a file.
#include "providers/credentials.hpp"

#include <fstream>
#include <iterator>

namespace troupe::providers {

namespace {

constexpr std::size_t key_bytes_max = 16384;

std::string trimmed(std::string text) {
  constexpr auto blank = " \t\r\n";
  auto last = text.find_last_not_of(blank);
  if (last == std::string::npos)
    return {};
  text.resize(last + 1);
  return text.substr(text.find_first_not_of(blank));
}

} // namespace

std::string secret::redact(std::string text) const {
  if (value_.size() < 4) // too short to be a key, and too frequent in words
    return text;
  constexpr std::string_view instead = "[redacted]";
  for (auto at = text.find(value_); at != std::string::npos; at = text.find(value_, at + instead.size()))
    text.replace(at, value_.size(), instead);
  return text;
}

result<secret> resolve(const credential_settings& settings) {
  if (!settings.api_key.empty())
    return settings.api_key;
  if (!settings.api_key_env.empty()) {
    if (!settings.environment)
      return problem{problem_code::internal,
          "no API key: " + settings.api_key_env
              + " can't be looked up, since the program lent no environment",
          {}};
    const char* value = settings.environment(settings.api_key_env.c_str());
    auto key = trimmed(value == nullptr ? "" : value);
    if (key.empty())
      return problem{problem_code::invalid_input,
          "no API key: the environment variable " + settings.api_key_env
              + " is not set; export it, or set api_key_file in the provider's configuration",
          {}};
    return secret(std::move(key));
  }
  if (!settings.api_key_file.empty()) {
    std::ifstream file(settings.api_key_file, std::ios::binary);
    std::string content(key_bytes_max + 1, '\0');
    file.read(content.data(), static_cast<std::streamsize>(content.size()));
    content.resize(static_cast<std::size_t>(file.gcount()));
    auto key = trimmed(content);
    if (key.empty() || content.size() > key_bytes_max)
      return problem{problem_code::invalid_input,
          "no API key: the file " + settings.api_key_file
              + (content.size() > key_bytes_max ? " is over 16384 bytes" : " can't be read or is empty")
              + "; put the key into it as one line",
          {}};
    return secret(std::move(key));
  }
  return secret();
}

} // namespace troupe::providers
