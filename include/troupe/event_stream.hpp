// The events of a session as a range: those that are committed, then what happens, until it is idle.
#pragma once

#include <troupe/answers.hpp>

#include <iterator>
#include <memory>

namespace troupe {

/// Which events are wanted.
struct event_range {
  std::int64_t after = 0; ///< those behind this one
  bool follow = true;     ///< what happens later, too, until the session is idle; else to the head alone
};

/// Events one after the other, each once and in order; ends when the session is idle (or parked or closed)
/// and all of it was seen. While it waits for somebody to decide something, so does the range. For one
/// thread, once:
///
///   for (const troupe::event& happened : agent.events({.after = 0})) …
///
/// Moving on throws `error`: `unavailable` where the system has ended, or the reader was too far behind;
/// `not_found` where the session was erased. Beginning throws `invalid_input` behind the head.
class event_stream {
 public:
  class source; ///< where they come from
  explicit event_stream(std::unique_ptr<source> from);
  event_stream(event_stream&&) noexcept;
  event_stream& operator=(event_stream&&) noexcept;
  ~event_stream();

  /// The next event; nothing at the end.
  std::optional<event> next();

  class iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = event;
    using difference_type = std::ptrdiff_t;
    using pointer = const event*;
    using reference = const event&;

    iterator() = default;
    explicit iterator(event_stream& of) : of_(&of), now_(of.next()) {}
    reference operator*() const { return *now_; }
    pointer operator->() const { return &*now_; }
    iterator& operator++() {
      now_ = of_->next();
      return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const iterator& one, const iterator& other) {
      return one.now_.has_value() == other.now_.has_value();
    }

   private:
    event_stream* of_ = nullptr;
    std::optional<event> now_;
  };
  iterator begin() { return iterator(*this); }
  iterator end() { return {}; }

 private:
  std::unique_ptr<source> from_;
};

/// Lambdas as one visitor: `std::visit(overloaded{[](const assistant_block& b) {…}, [](const auto&) {}},
/// event.data)`.
template <class... Functions> struct overloaded : Functions... { using Functions::operator()...; };
template <class... Functions> overloaded(Functions...) -> overloaded<Functions...>;

} // namespace troupe
