// Finds the big texts of an event, wherever in it they stand.
#include "messages/event_codec.hpp"
#include "messages/json_mapping.hpp"

namespace troupe {

namespace {

using blob_sink = std::function<void(const blob_ref&, const std::string&)>;

void walk(const large_text& text, const blob_sink& sink) {
  if (text.ref && text.loaded)
    sink(*text.ref, text.text);
}
void walk(const referenced_text& text, const blob_sink& sink) { walk(text.content, sink); }

// All overloads first: a body sees only what is declared before it.
void walk(const content& value, const blob_sink& sink);
template <class T> void walk(const std::vector<T>& list, const blob_sink& sink);
template <class T> void walk(const std::optional<T>& held, const blob_sink& sink);
template <class... T> void walk(const std::variant<T...>& choice, const blob_sink& sink);
template <class T> void walk(const T& value, const blob_sink& sink);

template <class T> void walk(const std::vector<T>& list, const blob_sink& sink) {
  for (const auto& item : list)
    walk(item, sink);
}
template <class T> void walk(const std::optional<T>& held, const blob_sink& sink) {
  if (held)
    walk(*held, sink);
}
template <class... T> void walk(const std::variant<T...>& choice, const blob_sink& sink) {
  std::visit([&](const auto& held) { walk(held, sink); }, choice);
}
void walk(const content& value, const blob_sink& sink) { walk(value.value, sink); }

template <class T> void walk([[maybe_unused]] const T& value, [[maybe_unused]] const blob_sink& sink) {
  if constexpr (json::described_struct<T>)
    boost::mp11::mp_for_each<json::members_of<T>>([&](auto member) { walk(value.*member.pointer, sink); });
}

} // namespace

void each_blob(const event_data& data, const blob_sink& sink) {
  std::visit([&](const auto& held) { walk(held, sink); }, data);
}

} // namespace troupe
