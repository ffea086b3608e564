// Messages that are shared with the context in which they stand: a copy of the list costs a reference each.
#pragma once

#include "messages/message.hpp"

#include <initializer_list>
#include <iterator>
#include <memory>

namespace troupe {

class message_list {
 public:
  using shared = std::shared_ptr<const message>;

  class iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = message;
    using difference_type = std::ptrdiff_t;
    using pointer = const message*;
    using reference = const message&;

    iterator() = default;
    explicit iterator(const shared* at) : at_(at) {}
    reference operator*() const { return **at_; }
    pointer operator->() const { return at_->get(); }
    iterator& operator++() {
      ++at_;
      return *this;
    }
    iterator operator++(int) { return iterator(at_++); }
    bool operator==(const iterator&) const = default;

   private:
    const shared* at_ = nullptr;
  };

  message_list() = default;
  message_list(const std::vector<message>& copied) : message_list(copied.begin(), copied.end()) {}
  message_list(std::initializer_list<message> copied) : message_list(copied.begin(), copied.end()) {}
  explicit message_list(std::vector<shared> all) : all_(std::move(all)) {}

  std::size_t size() const { return all_.size(); }
  const message& operator[](std::size_t n) const { return *all_[n]; }
  iterator begin() const { return iterator(all_.data()); }
  iterator end() const { return iterator(all_.data() + all_.size()); }
  void push_back(message one) { all_.push_back(std::make_shared<const message>(std::move(one))); }
  /// Another one in its place, in this list alone.
  void replace(std::size_t n, message other) { all_[n] = std::make_shared<const message>(std::move(other)); }

 private:
  template <class Iterator> message_list(Iterator from, Iterator to) {
    for (; from != to; ++from)
      push_back(*from);
  }
  std::vector<shared> all_;
};

} // namespace troupe
