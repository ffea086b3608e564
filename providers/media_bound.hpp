// Pictures and documents that a provider has no room for: the newest are sent, the log keeps all.
#pragma once

#include "messages/message_list.hpp"

namespace troupe::providers {

/// The bytes of pictures and documents in the messages, as they are sent (base64).
std::size_t media_bytes(const message_list& messages);

/// Puts a line of text, which says `why`, in the place of pictures and documents, the oldest first, until
/// those that stay have at most `bytes_max`. False if nothing had to go.
bool keep_media_within(message_list& messages, std::size_t bytes_max, std::string_view why);

/// True if a provider's refusal speaks of a picture or document. Which one it means is told by a place in
/// its own form of the conversation, if at all.
bool blames_media(std::string_view message);

} // namespace troupe::providers
