// Compiling, remembering what was compiled, and the sentence that a failed check gives.
#include "tools/schema.hpp"

#include "messages/text.hpp"
#include "tools/schema_check.hpp"

namespace troupe::tools {

namespace {

constexpr std::size_t sentence_bytes_max = 400;
constexpr std::size_t remembered_max = 1024;

std::string sentence(const schema_form::fault& worst) {
  const std::string text = (worst.path.empty() ? "/" : worst.path) + ": " + worst.what;
  const std::string_view head = utf8_prefix(text, sentence_bytes_max - 3);
  return head.size() == text.size() ? text : std::string(head) + "…";
}

} // namespace

result<schema> schema::compile(std::string_view text) {
  auto read = schema_form::read(text);
  if (read.has_error())
    return read.error();
  schema made;
  made.document_ = *read;
  return made;
}

result<schema> schema_cache::compile(std::string_view text) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = compiled_.find(text); found != compiled_.end())
      return found->second;
  }
  auto made = schema::compile(text);
  if (made.has_error())
    return made;
  const std::lock_guard lock(mutex_);
  if (compiled_.size() >= remembered_max)
    compiled_.clear();
  compiled_.emplace(text, *made);
  return made;
}

std::optional<std::string> schema::check(const json::value& value) const {
  using namespace schema_form;
  const place root;
  checker quick;
  if (quick.check(*document_->root, value, root, nullptr))
    return std::nullopt;
  if (quick.is_exhausted())
    return "/: expected a value that can be checked with bounded work";
  checker thorough;
  std::vector<fault> faults;
  thorough.check(*document_->root, value, root, &faults);
  return faults.empty() ? "/: expected a value that fits the schema" : sentence(faults.front());
}

std::optional<std::string> schema::check(std::string_view text) const {
  const auto value = json::parse(text);
  if (value.has_error())
    return "/: expected JSON";
  return check(*value);
}

bool schema::wants_object() const {
  const schema_form::node* at = document_->root;
  while (at->ref != nullptr && !at->types)
    at = at->ref;
  return at->types == schema_form::object_bit;
}

bool schema::is_untyped() const {
  return !document_->root->types && document_->root->ref == nullptr && !document_->root->always;
}

} // namespace troupe::tools
