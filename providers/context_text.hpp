// Texts of a context as requests take them: at hand or a fault, not blank, under lawful names.
#pragma once

#include "messages/message.hpp"

namespace troupe::providers {

/// True for text that services refuse: without a character that can be seen.
bool is_blank(std::string_view text);

/// `name` with what no service takes replaced; also calls that were refused for their name are told again.
std::string lawful_name(const std::string& name, std::size_t bytes_max);

/// The content of a context's texts; the first that isn't at hand is the fault of the whole.
class context_texts {
 public:
  const std::string& content_of(const large_text& text);
  /// All text of the parts, a line each.
  std::string joined(const std::vector<content_part>& parts);
  /// What a system message in the middle says, as a user's text that every model takes; empty if blank.
  std::string as_system_text(const std::vector<content_part>& parts);
  const std::optional<problem>& fault() const { return fault_; }

 private:
  std::optional<problem> fault_;
};

} // namespace troupe::providers
