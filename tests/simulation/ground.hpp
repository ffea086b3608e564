// What everything in a simulated world stands on: one source of chance, one clock, one store, one trace.
#pragma once

#include "persistence/memory_journal.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::simulation {

/// Random numbers that are the same on every machine (SplitMix64).
class chance {
 public:
  explicit chance(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15ULL + 1) {}
  std::uint64_t next();
  /// In [0, bound).
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(next() % bound); }
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(most - least + 1));
  }
  bool percent(int p) { return below(100) < static_cast<std::size_t>(p); }
  bool one_in(std::size_t n) { return below(n) == 0; }
  template <class T> const T& of(const std::vector<T>& many) { return many[below(many.size())]; }

 private:
  std::uint64_t state_;
};

/// What was done, in order: always as a hash, and as lines where somebody wants to read them.
class trace {
 public:
  explicit trace(bool kept) : kept_(kept) {}
  void begin_step(std::int64_t now_ms);
  /// `detail` is only asked for where lines are kept.
  void tell(std::string_view what, std::int64_t a = 0, std::int64_t b = 0,
      const std::function<std::string()>& detail = {});
  std::uint64_t hash() const { return hash_; }
  std::int64_t steps() const { return steps_; }
  bool is_kept() const { return kept_; }
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  void mix(std::uint64_t value);
  const bool kept_;
  std::uint64_t hash_ = 0xCBF29CE484222325ULL;
  std::int64_t steps_ = 0;
  std::int64_t now_ms_ = 0;
  std::vector<std::string> lines_;
};

struct ground {
  ground(std::uint64_t seed, bool keep_trace) : luck(seed), story(keep_trace) {}

  chance luck;
  trace story;
  std::int64_t now_ms = 0;
  std::shared_ptr<persistence::memory_store> store = std::make_shared<persistence::memory_store>();
  std::map<persistence::session_key, std::int64_t> epochs; ///< the newest that the store gave out
  std::optional<std::string> breach;                       ///< the first
  bool troubled = true;                                    ///< whether anything may still go wrong
  bool tame = false;                                       ///< the model asks for nothing more
  std::function<void()> before_removal = [] {};            ///< whoever watches the logs looks once more

  void broken(const std::string& what) {
    if (!breach)
      breach = what;
  }
};

} // namespace troupe::simulation
