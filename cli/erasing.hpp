// The receipt of an erasure.
#pragma once

#include "messages/json.hpp"
#include "persistence/journal.hpp"

namespace troupe::cli {

/// Its members for a JSON object that is open.
void put_receipt(json::writer& out, const persistence::erasure& gone);

std::string receipt_as_json(const std::string& id, const persistence::erasure& gone);
std::string receipt_as_text(const std::string& id, const persistence::erasure& gone);

} // namespace troupe::cli
