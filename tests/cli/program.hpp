// Runs the command `troupe` as a user does.
#pragma once

#include <string>
#include <vector>

namespace troupe::testing {

inline bool says(const std::string& text, const std::string& what) {
  return text.find(what) != std::string::npos;
}

struct run_result {
  int status = 0;
  std::string out;
  std::string err;
};

/// A scratch folder with a data directory of its own; both are gone in the end.
class user {
 public:
  user();
  ~user();
  user(const user&) = delete;
  user& operator=(const user&) = delete;
  /// `troupe --data-dir … WORDS` in the scratch folder, without the caller's environment.
  run_result troupe(std::vector<std::string> words, const std::string& input = {}) const;
  /// The same without the data directory.
  run_result troupe_as_it_is(const std::vector<std::string>& words, const std::string& input = {},
      std::vector<std::string> environment = {}) const;
  void write(const std::string& name, const std::string& text) const;
  const std::string& folder() const { return folder_; }

 private:
  std::string folder_;
};

} // namespace troupe::testing
