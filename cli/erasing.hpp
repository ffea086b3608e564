// The receipt of an erasure.
#pragma once

#include "messages/json.hpp"
#include "persistence/journal.hpp"

namespace troupe::cli {

/// Absent where the session went, and the answer that says with what was lost.
using erasure_receipt = std::optional<persistence::erasure>;

/// Its members for a JSON object that is open.
void put_receipt(json::writer& out, const erasure_receipt& gone);

std::string receipt_as_json(const std::string& id, const erasure_receipt& gone);
std::string receipt_as_text(const std::string& id, const erasure_receipt& gone);

} // namespace troupe::cli
