// Resolving keys: given, from the environment, from a file, by a command.
#include "providers/credentials.hpp"

#include <algorithm>
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

// It goes into one line of a header.
result<secret> one_line(std::string text, const std::string& source, std::size_t bytes_max) {
  const bool too_long = text.size() > bytes_max;
  auto key = trimmed(std::move(text));
  const auto breaks = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  const char* const wrong = too_long                              ? " gives more bytes than a key has"
      : key.empty()                                               ? " gives nothing"
      : std::find_if(key.begin(), key.end(), breaks) != key.end() ? " gives more than one line"
                                                                  : nullptr;
  if (wrong)
    return problem{
        problem_code::invalid_input, "no API key: " + source + wrong + "; it must be one line, the key", {}};
  return secret(std::move(key));
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
    return one_line(std::move(content), "the file " + settings.api_key_file, key_bytes_max);
  }
  if (settings.command) {
    auto printed = settings.command();
    if (!printed)
      return problem{
          printed.error().code, "no API key: the command (api_key_command) " + printed.error().detail, {}};
    return one_line(*std::move(printed), "the command (api_key_command)", key_bytes_max);
  }
  return secret();
}

} // namespace troupe::providers
