// OpenAPI 3.1, written from the routes.
#include "gateway/openapi.hpp"

#include "messages/json.hpp"

#include <algorithm>
#include <map>

namespace troupe::gateway {

namespace {

constexpr std::string_view problem_schema =
    R"({"type":"object","properties":{"type":{"type":"string","pattern":"^urn:troupe:error:[a-z_]+$"},)"
    R"("title":{"type":"string"},"status":{"type":"integer"},"detail":{"type":"string"},"errors":{"type":"array",)"
    R"("items":{"type":"object","properties":{"pointer":{"type":"string"},"detail":{"type":"string"}},)"
    R"("required":["pointer","detail"]}}},"required":["type","title","status","detail"]})";

void put_parameter(json::writer& out, const parameter& one, bool in_path) {
  out.begin_object().field("name", one.name).field("in", in_path ? "path" : "query");
  if (in_path)
    out.key("required").boolean(true);
  if (!one.description.empty())
    out.field("description", one.description);
  out.key("schema").raw_text(schema_of(one)).end_object();
}

/// The names in braces, in order.
std::vector<std::string> names_in(std::string_view path) {
  std::vector<std::string> out;
  for (auto at = path.find('{'); at != std::string_view::npos; at = path.find('{', at + 1))
    out.emplace_back(path.substr(at + 1, path.find_first_of("*}", at) - at - 1));
  return out;
}

void put_parameters(json::writer& out, const route& one) {
  const auto in_path = names_in(one.path);
  out.key("parameters").begin_array();
  for (const std::string& name : in_path) {
    const auto given = std::find_if(one.parameters.begin(), one.parameters.end(),
        [&](const parameter& each) { return each.name == name; });
    put_parameter(out, given != one.parameters.end() ? *given : id_parameter(name, ""), true);
  }
  for (const parameter& each : one.parameters)
    if (std::find(in_path.begin(), in_path.end(), each.name) == in_path.end())
      put_parameter(out, each, false);
  out.end_array();
}

void put_content(json::writer& out, std::string_view type, std::string_view schema) {
  out.key("content").begin_object().key(type).begin_object().key("schema").raw_text(schema);
  out.end_object().end_object();
}

void put_answers(json::writer& out, const route& one) {
  std::map<int, std::vector<const answer_rule*>> by_status; // one status may have two types of content
  for (const answer_rule& each : one.answers)
    by_status[each.status].push_back(&each);
  out.key("responses").begin_object();
  for (const auto& [status, rules] : by_status) {
    out.key(std::to_string(status)).begin_object().field("description", rules.front()->description);
    if (status != 204) {
      out.key("content").begin_object();
      for (const answer_rule* each : rules)
        out.key(each->content_type)
            .begin_object()
            .key("schema")
            .raw_text(each->schema.empty() ? "{}" : each->schema)
            .end_object();
      out.end_object();
    }
    out.end_object();
  }
  out.key("default").begin_object().field("description", "A problem document (RFC 9457)");
  put_content(out, "application/problem+json", R"({"$ref":"#/components/schemas/problem"})");
  out.end_object().end_object();
}

void put_operation(json::writer& out, const route& one) {
  out.key(lower(one.method)).begin_object().field("summary", one.summary);
  if (!one.description.empty())
    out.field("description", one.description);
  if (one.needs == scope::anyone)
    out.key("security").begin_array().end_array();
  put_parameters(out, one);
  if (one.body) {
    out.key("requestBody").begin_object().field("description", one.body->description);
    out.key("required").boolean(one.body->required);
    put_content(out, "application/json", one.body->schema);
    out.end_object();
  }
  put_answers(out, one);
  out.end_object();
}

/// A path as OpenAPI writes it: `{name*}` is `{name}` there.
std::string written(std::string path) {
  std::erase(path, '*');
  return path;
}

} // namespace

std::string openapi_document(const std::vector<route>& routes, std::string_view version) {
  std::map<std::string, std::vector<const route*>> by_path;
  for (const route& one : routes)
    by_path[written(one.path)].push_back(&one);
  json::writer out;
  out.begin_object().field("openapi", "3.1.0").key("info").begin_object();
  out.field("title", "Troupe").field("version", version).end_object();
  out.key("security").raw_text(R"([{"key":[]}])").key("paths").begin_object();
  for (const auto& [path, methods] : by_path) {
    out.key(path).begin_object();
    for (const route* one : methods)
      put_operation(out, *one);
    out.end_object();
  }
  out.end_object().key("components").begin_object();
  out.key("securitySchemes").raw_text(R"({"key":{"type":"http","scheme":"bearer"}})");
  out.key("schemas").begin_object().key("problem").raw_text(problem_schema).end_object();
  out.end_object().end_object();
  return out.take();
}

void add_openapi(router& to, std::string_view version) {
  route self{.method = "GET",
      .path = "/openapi.json",
      .summary = "This API as OpenAPI 3.1",
      .needs = scope::anyone,
      .while_draining = true,
      .answers = {{200, "The document", R"({"type":"object"})"}}};
  auto routes = to.routes();
  routes.push_back(self);
  self.carry_out = [document = openapi_document(routes, version)](const std::shared_ptr<exchange>& one,
                       const matched&) { one->answer(json_answer(document)); };
  to.add(std::move(self));
}

} // namespace troupe::gateway
