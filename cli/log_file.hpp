// The file that an exported log is in: plain, or compressed (RFC 1952) where its name ends in `.gz`.
#pragma once

#include "messages/result.hpp"

#include <cstdint>
#include <fstream>
#include <istream>
#include <memory>
#include <ostream>
#include <string>

namespace troupe::cli {

/// Reads it, compressed or not, whatever it is called; it can be read again from the beginning. A file that
/// is damaged ends there, and leaves `bad`. Errors: `invalid_input` for what is no file that can be read.
result<std::unique_ptr<std::istream>> read_log_file(const std::string& file);

/// What becomes of a file that has the name already.
enum class name_in_use : std::uint8_t { replaced, kept };

/// Where a log goes. A file is there whole or not at all: it has its name when it is written to its end and
/// on the disk, and the name too. What is no file (a pipe, a device) is written as it is.
class log_destination {
 public:
  log_destination();
  ~log_destination();
  log_destination(const log_destination&) = delete;
  log_destination& operator=(const log_destination&) = delete;

  /// Empty or `-`: the standard output. Errors: `invalid_input`, `conflict` for a file that is kept.
  result<void> open(const std::string& file, name_in_use then = name_in_use::replaced);
  std::ostream& out() { return *out_; }
  /// What was written gets its name, or is thrown away. Errors: `invalid_input` if it can't be written,
  /// `conflict` as above.
  result<void> finish(bool whole);

 private:
  bool close();

  name_in_use then_ = name_in_use::replaced;
  std::string name_;       ///< empty: the standard output
  std::string written_to_; ///< until it is whole
  std::ofstream file_;
  struct compressed;
  std::unique_ptr<compressed> compressed_;
  std::ostream* out_;
};

} // namespace troupe::cli
