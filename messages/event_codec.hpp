// Events to JSON and back: the payload that is stored, the whole line that is shown, the chain.
#pragma once

#include "messages/event.hpp"
#include "messages/message.hpp"

#include <functional>
#include <span>

namespace troupe {

/// `data` as the JSON text that is stored: keys in the order of the declaration, absent fields left
/// out (the numbers of `usage` are null instead), big strings by reference.
std::string encode(const event_data& data);

/// Reads a payload of a type; an older version goes through its upcasters first. An unknown field is
/// passed over. Errors: `corrupt` for an unknown type or a payload that breaks its form, naming both.
result<event_data> decode(std::string_view type, std::int16_t version, std::string_view payload);

/// The event of a stored one. Errors as `decode`, with the `seq`.
result<event> decode(const recorded_event& stored);

/// The event as it is stored and chained: `{"seq":…,"type":…,"v"?,"at":…,"run_id"?,"data":…}`.
std::string to_line(const recorded_event& stored);
/// The same to the end of a text.
void append_line(std::string& out, const recorded_event& stored);

/// Reads a line that `to_line` wrote; `append` and other further keys are passed over, but for
/// `append`, which gives `append_seq` where it is there.
result<recorded_event> from_line(std::string_view line);

/// Calls `sink` with every big text of the event that has its content at hand: what must be stored
/// before the event that refers to it.
void each_blob(const event_data& data, const std::function<void(const blob_ref&, const std::string&)>& sink);

/// Calls `sink` with every reference to stored content, whether or not the content is at hand.
void each_reference(const event_data& data, const std::function<void(const blob_ref&)>& sink);
void each_reference(const message& said, const std::function<void(const blob_ref&)>& sink);
void each_reference(const options& wanted, const std::function<void(const blob_ref&)>& sink);
void each_reference(const content& value, const std::function<void(const blob_ref&)>& sink);

/// Calls `sink` with every big text of the event that readers get as itself: all but the instructions
/// and tools of an inference, which stay references.
void each_text(event_data& data, const std::function<void(large_text&)>& sink);

/// The chain after an append: SHA-256 of (the chain before ‖ `{"append":SEQ,"command":N}` ‖ the lines of
/// its events, each with its line end). `before` is empty for the first append of a log.
hash chain_after(
    std::string_view before, std::int64_t append_seq, command_kind command, const std::string& lines);

/// The chain behind events that follow one that has `before` (empty: none), as 32 bytes; empty for none. The
/// last append may be cut short.
std::string chain_of(std::span<const recorded_event> events, std::string before = {});

/// One user content (`"text"` or `[block…]`) from JSON that came from outside.
/// Errors: `invalid_input` with the pointer of each fault.
result<content> content_from_json(const json::value& value);
std::string to_json(const content& value);
std::string to_json(const std::vector<content_part>& parts);
std::string to_json(const block& value);

/// Options from JSON that came from outside: an unknown field is an error that names it.
result<options> options_from_json(const json::value& value);
std::string to_json(const options& value);

} // namespace troupe
