// The output of a command, kept within a bound: its beginning and its end, and how much was between.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace troupe::tools {

class bounded_output {
 public:
  /// Keeps at most `bytes_max` bytes, half from each end.
  explicit bounded_output(std::size_t bytes_max) : half_(bytes_max / 2) {}

  void append(std::string_view bytes);
  std::uint64_t bytes_total() const { return total_; }

  /// The text as UTF-8; what isn't becomes U+FFFD. Where something was left out, a line says how much.
  std::string text() const;

 private:
  std::size_t half_;
  std::uint64_t total_ = 0;
  std::string head_;
  std::string tail_; ///< up to twice `half_`, cut back now and then
};

} // namespace troupe::tools
