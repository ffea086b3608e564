// From a request to its route, one check after the other.
#include "gateway/router.hpp"

#include "gateway/problem_document.hpp"
#include "gateway/target.hpp"

#include <algorithm>
#include <charconv>

namespace troupe::gateway {

namespace {

using named_values = std::vector<std::pair<std::string, std::string>>;

std::vector<std::string> cut(std::string_view path) {
  std::vector<std::string> out;
  for (std::size_t at = 1, end = 0; end != std::string_view::npos; at = end + 1) {
    end = path.find('/', at);
    out.emplace_back(path.substr(at, end == std::string_view::npos ? end : end - at));
  }
  return out;
}

bool is_name(std::string_view part) { return part.starts_with('{'); }
bool takes_rest(std::string_view part) { return part.ends_with("*}"); }

std::string name_in(std::string_view part) {
  part.remove_prefix(1);
  return std::string(part.substr(0, part.find_first_of("*}")));
}

bool fits(const std::vector<std::string>& pattern, const std::vector<std::string>& path) {
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (takes_rest(pattern[i]))
      return path.size() > i;
    if (i >= path.size() || (is_name(pattern[i]) ? path[i].empty() : path[i] != pattern[i]))
      return false;
  }
  return pattern.size() == path.size();
}

named_values names(const std::vector<std::string>& pattern, std::vector<std::string> path) {
  named_values out;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (!is_name(pattern[i]))
      continue;
    auto& [name, value] = out.emplace_back(name_in(pattern[i]), std::move(path[i]));
    for (std::size_t rest = i + 1; takes_rest(pattern[i]) && rest < path.size(); ++rest)
      value += "/" + path[rest];
  }
  return out;
}

const parameter* rule_for(const route& one, std::string_view name) {
  const auto found = std::find_if(
      one.parameters.begin(), one.parameters.end(), [&](const parameter& each) { return each.name == name; });
  return found == one.parameters.end() ? nullptr : &*found;
}

result<void> check_path(const route& one, const named_values& path) {
  for (const auto& [name, value] : path) {
    const parameter* const rule = rule_for(one, name);
    if (auto lawful = check(rule != nullptr ? *rule : id_parameter(name, ""), value); !lawful)
      return lawful;
  }
  return {};
}

bool is_in_path(const route& one, const std::string& name) {
  return one.path.find("{" + name + "}") != std::string::npos
      || one.path.find("{" + name + "*}") != std::string::npos;
}

result<void> check_query(const route& one, const named_values& query) {
  for (auto given = query.begin(); given != query.end(); ++given) {
    const parameter* const rule = rule_for(one, given->first);
    if (rule == nullptr || is_in_path(one, given->first))
      return problem{
          problem_code::invalid_input, "there is no query parameter " + shown(given->first) + " here", {}};
    if (std::any_of(query.begin(), given, [&](const auto& other) { return other.first == given->first; }))
      return problem{
          problem_code::invalid_input, "the query parameter `" + given->first + "` is given twice", {}};
    if (auto lawful = check(*rule, given->second); !lawful)
      return lawful;
  }
  return {};
}

/// Null if the body may be read; what it says is read by the handler.
std::optional<response> refused_body(const route& one, const request& asked) {
  const std::string_view body = trimmed(asked.body);
  if (!one.body && !body.empty() && body != "{}")
    return problem_document(problem{problem_code::invalid_input, one.method + " here takes no body", {}});
  if (one.body && one.body->required && body.empty())
    return problem_document(
        problem{problem_code::invalid_input, "the request needs a body: " + one.body->description, {}});
  const std::string type = asked.media_type();
  if (body.empty() || type.empty() || type == "application/json"
      || (type.starts_with("application/") && type.ends_with("+json")))
    return std::nullopt;
  return problem_document(
      refusal::unsupported_media_type, "bodies here are application/json; this is " + shown(type));
}

const std::string* find(const named_values& list, std::string_view name) {
  const auto found =
      std::find_if(list.begin(), list.end(), [&](const auto& one) { return one.first == name; });
  return found == list.end() ? nullptr : &found->second;
}

} // namespace

const std::string& matched::at(std::string_view name) const {
  static const std::string none;
  const std::string* const found = find(path, name);
  return found != nullptr ? *found : none;
}

std::optional<std::string> matched::text(std::string_view name) const {
  if (const std::string* const given = find(query, name))
    return *given;
  const parameter* const rule = rule_for(*of, name);
  return rule != nullptr ? rule->otherwise : std::nullopt;
}

std::optional<std::int64_t> matched::integer(std::string_view name) const {
  const auto digits = text(name);
  std::int64_t number = 0;
  if (!digits || std::from_chars(digits->data(), digits->data() + digits->size(), number).ec != std::errc())
    return std::nullopt;
  return number;
}

bool matched::flag(std::string_view name) const {
  const auto given = text(name);
  return given == "true" || given == "1";
}

void router::add(route one) {
  patterns_.push_back(cut(one.path));
  routes_.push_back(std::move(one));
}

void router::operator()(std::shared_ptr<exchange> one) const {
  auto target = split_target(one->asked().target);
  if (!target)
    return void(one->answer(target.error()));
  const std::string& method = one->asked().method == "HEAD" ? "GET" : one->asked().method;
  std::string allowed;
  matched found;
  std::size_t at = 0;
  for (; at < routes_.size() && found.of == nullptr; ++at) {
    if (!fits(patterns_[at], target->path))
      continue;
    const route& each = routes_[at];
    if (each.method == method)
      found.of = &each;
    else
      allowed += (allowed.empty() ? "" : ", ") + each.method + (each.method == "GET" ? ", HEAD" : "");
  }
  const std::string_view path =
      std::string_view(one->asked().target).substr(0, one->asked().target.find('?'));
  if (found.of == nullptr && allowed.empty())
    return void(one->answer(problem{problem_code::not_found,
        "there is nothing at " + shown(path) + "; /openapi.json lists what there is", {}}));
  if (found.of == nullptr)
    return void(one->answer(problem_document(refusal::method_not_allowed,
        shown(path) + " takes " + allowed + ", not " + shown(one->asked().method))
                                .with("allow", allowed)));
  if (one->draining() && !found.of->while_draining)
    return void(one->answer(
        problem_document(refusal::draining, "this node is stopping and changed nothing; ask again")));
  found.path = names(patterns_[at - 1], std::move(target->path));
  if (!keeper_ || found.of->needs == scope::anyone)
    return admitted(std::move(one), std::move(found), target->query);
  const scope needs = found.of->needs;
  keeper_(one, needs, [this, one, found = std::move(found), query = target->query](caller who) mutable {
    found.by = std::move(who);
    admitted(std::move(one), std::move(found), query);
  });
}

void router::admitted(std::shared_ptr<exchange> one, matched found, std::string_view raw_query) const {
  const route& here = *found.of;
  auto query = split_query(raw_query);
  if (!query)
    return void(one->answer(query.error()));
  found.query = std::move(*query);
  if (auto lawful = check_path(here, found.path); !lawful)
    return void(one->answer(lawful.error()));
  if (auto lawful = check_query(here, found.query); !lawful)
    return void(one->answer(lawful.error()));
  if (auto refused = refused_body(here, one->asked()))
    return void(one->answer(std::move(*refused)));
  here.carry_out(std::move(one), std::move(found));
}

} // namespace troupe::gateway
