// Big texts of a request whose content is only in the database.
#pragma once

#include "messages/message.hpp"

#include <map>

namespace troupe::actors {

/// The names of what has no content at hand.
std::vector<std::string> missing_blobs(const std::vector<message>& messages);

/// Gives each its content; the name of one that isn't among `contents`, if there is any.
std::optional<std::string> fill_blobs(
    std::vector<message>& messages, const std::map<std::string, std::string>& contents);

/// Lets every text that is at hand be written as itself, not by reference: for readers.
void show_texts(std::vector<message>& messages);

} // namespace troupe::actors
