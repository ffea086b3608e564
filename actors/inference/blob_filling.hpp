// Big texts of a request whose content is only in the database.
#pragma once

#include "actors/node_parts.hpp"
#include "messages/message_list.hpp"

#include <caf/fwd.hpp>

#include <functional>
#include <map>

namespace troupe::actors {

/// The names of what has no content at hand.
std::vector<std::string> missing_blobs(const std::vector<message>& messages);

/// Gives each its content; the name of one that isn't among `contents`, if there is any.
std::optional<std::string> fill_blobs(
    std::vector<message>& messages, const std::map<std::string, std::string>& contents);
std::optional<std::string> fill_blobs(
    message_list& messages, const std::map<std::string, std::string>& contents);

/// The same with what the archive has. `then` is called at once where nothing is missing, else later, in the
/// actor; the messages must live so long.
void fill_from_archive(caf::event_based_actor* self, const node_parts& parts, std::int32_t tenant,
    std::vector<message>& messages, std::function<void(result<void>)> then);
void fill_from_archive(caf::event_based_actor* self, const node_parts& parts, std::int32_t tenant,
    message_list& messages, std::function<void(result<void>)> then);

/// Lets every text that is at hand be written as itself, not by reference: for readers.
void show_texts(std::vector<message>& messages);

} // namespace troupe::actors
