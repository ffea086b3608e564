// Lines by spdlog, fields as `name=value`.
#include "telemetry/log.hpp"

#include <memory>

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace troupe::telemetry {

namespace {

spdlog::logger& logger() {
  static const auto made = [] {
    auto out = std::make_shared<spdlog::logger>("troupe", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    out->set_pattern("%Y-%m-%dT%H:%M:%S.%fZ %l %v", spdlog::pattern_time_type::utc);
    out->set_level(spdlog::level::warn);
    return out;
  }();
  return *made;
}

spdlog::level::level_enum level_of(level severity) {
  switch (severity) {
  case level::debug:
    return spdlog::level::debug;
  case level::info:
    return spdlog::level::info;
  case level::warning:
    return spdlog::level::warn;
  case level::error:
    return spdlog::level::err;
  case level::none:
    return spdlog::level::off;
  }
  return spdlog::level::err;
}

// A value can't break the line or pretend to be another field.
std::string quoted(const std::string& value) {
  if (value.find_first_of(" \"=\n\r\t\\") == std::string::npos && !value.empty())
    return value;
  std::string out = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\')
      out.push_back('\\');
    out.push_back(static_cast<unsigned char>(c) < 0x20 ? ' ' : c);
  }
  return out + "\"";
}

} // namespace

void set_least_level(level least) { logger().set_level(level_of(least)); }

void log(level severity, std::string_view event,
    std::initializer_list<std::pair<std::string_view, std::string>> fields) {
  if (!logger().should_log(level_of(severity)))
    return;
  std::string line(event);
  for (const auto& [name, value] : fields)
    line += " " + std::string(name) + "=" + quoted(value);
  logger().log(level_of(severity), line);
}

} // namespace troupe::telemetry
