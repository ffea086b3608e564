// The head of an answer.
#include "gateway/response.hpp"

namespace troupe::gateway {

namespace {

std::string_view reason_of(int status) {
  switch (status) {
  case 200:
    return "OK";
  case 201:
    return "Created";
  case 202:
    return "Accepted";
  case 204:
    return "No Content";
  case 304:
    return "Not Modified";
  case 400:
    return "Bad Request";
  case 401:
    return "Unauthorized";
  case 403:
    return "Forbidden";
  case 404:
    return "Not Found";
  case 405:
    return "Method Not Allowed";
  case 408:
    return "Request Timeout";
  case 409:
    return "Conflict";
  case 413:
    return "Content Too Large";
  case 414:
    return "URI Too Long";
  case 415:
    return "Unsupported Media Type";
  case 417:
    return "Expectation Failed";
  case 429:
    return "Too Many Requests";
  case 431:
    return "Request Header Fields Too Large";
  case 500:
    return "Internal Server Error";
  case 501:
    return "Not Implemented";
  case 503:
    return "Service Unavailable";
  case 504:
    return "Gateway Timeout";
  default:
    return "Answer";
  }
}

void append_field(std::string& out, std::string_view name, std::string_view value) {
  out.append(name).append(": ");
  for (const char c : value)
    out += static_cast<unsigned char>(c) < ' ' || c == '\x7f' ? ' ' : c;
  out += "\r\n";
}

} // namespace

response response::with(std::string name, std::string value) && {
  headers.push_back({std::move(name), std::move(value)});
  return std::move(*this);
}

response no_content() { return {.status = 204, .content_type = {}, .body = {}, .headers = {}}; }

response json_answer(std::string json, int status) {
  return {.status = status, .body = std::move(json), .headers = {}};
}

std::string head_of(const response& what, framing frame, std::string_view date, bool keep_alive) {
  std::string out;
  out.reserve(256);
  out.append("HTTP/1.1 ").append(std::to_string(what.status)).append(" ").append(reason_of(what.status));
  out.append("\r\n");
  if (!date.empty())
    append_field(out, "date", date);
  const bool may_have_body = what.status != 204 && what.status != 304;
  if (may_have_body && !what.content_type.empty()) {
    append_field(out, "content-type", what.content_type);
    append_field(out, "x-content-type-options", "nosniff");
  }
  for (const header_field& one : what.headers)
    append_field(out, one.name, one.value);
  if (may_have_body && frame == framing::length)
    append_field(out, "content-length", std::to_string(what.body.size()));
  if (frame == framing::chunks)
    append_field(out, "transfer-encoding", "chunked");
  if (!keep_alive)
    append_field(out, "connection", "close");
  return out += "\r\n";
}

} // namespace troupe::gateway
