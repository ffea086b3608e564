// From a schema's JSON to its compiled form: every keyword is understood, refused by name, or is no
// assertion (a title, an example, a word of somebody's own).
#include "tools/schema_reader.hpp"

#include "messages/text.hpp"

#include <algorithm>

namespace troupe::tools::schema_form {

namespace {

constexpr std::size_t text_bytes_max = 256 * 1024;
constexpr std::size_t nodes_max = 10'000;

constexpr std::string_view refused_keywords[] = {"unevaluatedProperties", "unevaluatedItems", "minContains",
    "maxContains", "$recursiveRef", "$recursiveAnchor", "$dynamicRef", "$dynamicAnchor", "$anchor",
    "$vocabulary", "extends", "disallow", "divisibleBy"};

} // namespace

problem reader::fault(const json::value& where, const std::string& what, problem_code code) const {
  const auto found = paths_.find(&where);
  const std::string pointer = found == paths_.end() ? "" : found->second;
  return {
      code, "the schema is refused at " + (pointer.empty() ? "/" : pointer) + ": " + what, {{pointer, what}}};
}

void reader::name_places(const json::value& value, const std::string& pointer) {
  paths_[&value] = pointer;
  places_[pointer] = &value;
  for (std::size_t i = 0; i < value.items().size(); ++i)
    name_places(value.items()[i], pointer + "/" + std::to_string(i));
  for (const auto& [key, child] : value.members())
    name_places(child, pointer + "/" + escaped_token(key));
}

std::string escaped_token(std::string_view token) {
  std::string out;
  for (const char c : token)
    c == '~' ? out += "~0" : c == '/' ? out += "~1" : out += c;
  return out;
}

/// The node of a subschema, made and queued for reading when it is met first.
const node* reader::node_at(const json::value& value) {
  auto [found, fresh] = made_.try_emplace(&value, nullptr);
  if (fresh) {
    found->second = &document_->nodes.emplace_back();
    waiting_.push_back(&value);
  }
  return found->second;
}

const json::value* reader::follow(std::string_view reference) const {
  if (reference.substr(0, 1) != "#")
    return nullptr;
  std::string plain;
  for (std::size_t i = 1; i < reference.size(); ++i) {
    if (reference[i] == '%' && reference.size() - i > 2) {
      plain += static_cast<char>(std::strtol(std::string(reference.substr(i + 1, 2)).c_str(), nullptr, 16));
      i += 2;
    } else {
      plain += reference[i];
    }
  }
  const auto found = places_.find(plain);
  return found == places_.end() ? nullptr : found->second;
}

result<void> reader::run() {
  document_->root = node_at(root_);
  name_places(root_, "");
  while (!waiting_.empty()) {
    const json::value& next = *waiting_.back();
    waiting_.pop_back();
    if (document_->nodes.size() > nodes_max)
      return fault(
          root_, "it has more than " + std::to_string(nodes_max) + " subschemas", problem_code::too_large);
    if (auto read = read_node(next, *made_[&next]); read.has_error())
      return read;
  }
  return refuse_loops();
}

result<void> reader::read_node(const json::value& value, node& out) {
  if (value.is(json::kind::boolean)) {
    out.always = value.as_bool();
    return {};
  }
  if (!value.is(json::kind::object))
    return fault(value, "a schema is an object, true or false");
  for (const std::string_view name : refused_keywords)
    if (value.find(name) != nullptr)
      return fault(value, std::string(name) + " is not supported", problem_code::unsupported);
  if (const json::value* reference = value.find("$ref")) {
    const json::value* target = follow(reference->as_string());
    if (target == nullptr)
      return fault(*reference,
          "$ref " + json::quote(reference->as_string()) + " doesn't lead to a place in this schema");
    out.ref = node_at(*target);
    if (!new_draft_ && !reference->as_string().starts_with("#/$defs/"))
      return {}; // up to draft-07 what stands beside $ref has no meaning
  }
  for (const auto part : {&reader::read_types, &reader::read_numbers, &reader::read_texts,
           &reader::read_items, &reader::read_properties, &reader::read_dependencies, &reader::read_choices})
    if (auto read = (this->*part)(value, out); read.has_error())
      return read;
  return {};
}

/// A chain of subschemas that apply to the same value must end.
result<void> reader::refuse_loops() const {
  struct step {
    const node* at;
    std::vector<const node*> left;
  };
  std::map<const node*, bool> finished; // false: on the way
  for (const node& start : document_->nodes) {
    std::vector<step> way;
    if (finished.emplace(&start, false).second)
      way.push_back({&start, same_value_targets(start)});
    while (!way.empty()) {
      if (way.back().left.empty()) {
        finished[way.back().at] = true;
        way.pop_back();
        continue;
      }
      const node* target = way.back().left.back();
      way.back().left.pop_back();
      const auto [found, fresh] = finished.emplace(target, false);
      if (!fresh && !found->second)
        return fault(root_, "$ref leads back to itself");
      if (fresh)
        way.push_back({target, same_value_targets(*target)});
    }
  }
  return {};
}

std::vector<const node*> same_value_targets(const node& from) {
  std::vector<const node*> out;
  for (const auto* list : {&from.all_of, &from.any_of, &from.one_of})
    out.insert(out.end(), list->begin(), list->end());
  for (const node* one : {from.ref, from.none_of, from.if_, from.then_, from.else_})
    out.push_back(one);
  for (const auto& [name, dependency] : from.dependencies)
    out.push_back(dependency.then);
  out.erase(std::remove(out.begin(), out.end(), nullptr), out.end());
  return out;
}

result<std::shared_ptr<const document>> read(std::string_view text) {
  if (text.size() > text_bytes_max)
    return problem{problem_code::too_large,
        "the schema is longer than " + std::to_string(text_bytes_max) + " bytes", {}};
  const auto parsed = json::parse(text);
  if (parsed.has_error())
    return problem{parsed.error().code, "the schema is " + parsed.error().detail, {}};
  auto made = std::make_shared<document>();
  reader reading(*parsed, *made);
  if (auto done = reading.run(); done.has_error())
    return done.error();
  return std::shared_ptr<const document>(std::move(made));
}

} // namespace troupe::tools::schema_form
