// Finds the big texts of an event, wherever in it they stand.
#include "messages/event_codec.hpp"
#include "messages/json_mapping.hpp"

namespace troupe {

namespace {

/// Goes through whatever an event is made of; `Visit` takes a `large_text`, and says whether it wants
/// those that always stand by reference too.
template <class Visit> class walker {
 public:
  explicit walker(const Visit& visit) : visit_(visit) {}

  template <class Text>
  requires std::is_same_v<std::remove_const_t<Text>, large_text>
  void walk(Text& text) { visit_(text); }
  void walk(const referenced_text& text) {
    if constexpr (Visit::references)
      walk(text.content);
  }
  template <class Content>
  requires std::is_same_v<std::remove_const_t<Content>, content>
  void walk(Content& value) {
    std::visit([&](auto& held) { walk(held); }, value.value);
  }
  template <class T> void walk(std::vector<T>& list) {
    for (auto& item : list)
      walk(item);
  }
  template <class T> void walk(const std::vector<T>& list) {
    for (const auto& item : list)
      walk(item);
  }
  template <class T> void walk(std::optional<T>& held) {
    if (held)
      walk(*held);
  }
  template <class T> void walk(const std::optional<T>& held) {
    if (held)
      walk(*held);
  }
  template <class... T> void walk(std::variant<T...>& choice) {
    std::visit([&](auto& held) { walk(held); }, choice);
  }
  template <class... T> void walk(const std::variant<T...>& choice) {
    std::visit([&](const auto& held) { walk(held); }, choice);
  }
  template <class T> void walk([[maybe_unused]] T& value) {
    if constexpr (json::described_struct<std::remove_const_t<T>>)
      boost::mp11::mp_for_each<json::members_of<std::remove_const_t<T>>>(
          [&](auto member) { walk(value.*member.pointer); });
  }

 private:
  const Visit& visit_;
};

struct store_visit {
  static constexpr bool references = true;
  const std::function<void(const blob_ref&, const std::string&)>& sink;
  void operator()(const large_text& text) const {
    if (text.ref && text.loaded)
      sink(*text.ref, text.text);
  }
};

struct reference_visit {
  static constexpr bool references = true;
  const std::function<void(const blob_ref&)>& sink;
  void operator()(const large_text& text) const {
    if (text.ref)
      sink(*text.ref);
  }
};

struct show_visit {
  static constexpr bool references = false;
  const std::function<void(large_text&)>& sink;
  void operator()(large_text& text) const { sink(text); }
};

} // namespace

void each_blob(const event_data& data, const std::function<void(const blob_ref&, const std::string&)>& sink) {
  const store_visit visit{sink};
  walker(visit).walk(data);
}

void each_reference(const event_data& data, const std::function<void(const blob_ref&)>& sink) {
  const reference_visit visit{sink};
  walker(visit).walk(data);
}

void each_reference(const message& said, const std::function<void(const blob_ref&)>& sink) {
  const reference_visit visit{sink};
  walker(visit).walk(said.parts);
  walker(visit).walk(said.blocks);
}

void each_reference(const options& wanted, const std::function<void(const blob_ref&)>& sink) {
  const reference_visit visit{sink};
  walker(visit).walk(wanted);
}

void each_reference(const content& value, const std::function<void(const blob_ref&)>& sink) {
  const reference_visit visit{sink};
  walker(visit).walk(value);
}

void each_text(event_data& data, const std::function<void(large_text&)>& sink) {
  const show_visit visit{sink};
  walker(visit).walk(data);
}

} // namespace troupe
