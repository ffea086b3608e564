// Reading and replacing whole files of the workspace.
#pragma once

#include "tools/tool.hpp"
#include "tools/workspace/root.hpp"

namespace troupe::tools {

/// The same file is still there, and nobody has written to it, if these are equal.
struct file_state {
  std::uint64_t inode = 0;
  std::int64_t bytes = 0;
  std::int64_t changed_ns = 0;
  bool operator==(const file_state&) const = default;
};

struct file_text {
  std::string text;
  file_state state;
};

/// Reads a whole file. Errors: `too_large` over `bytes_max`, or what the path has.
result<file_text> read_whole(const root& root, std::string_view path, std::size_t bytes_max);

/// What became of the file.
struct replaced {
  bool existed = false;
};

/// Puts `text` in the place of the file, whole or not at all: a file beside it is written, brought to
/// the disk, and renamed over it. Mode and owner stay. `name` names this attempt, so that one that
/// was cut off is cleaned up by the next. With `expected`, a file that is no longer in that state is
/// left alone. Errors: `conflict` for that, or what the path and the disk have.
result<replaced> replace_file(const root& root, std::string_view path, std::string_view text,
    std::string_view name, const std::optional<file_state>& expected = {});

/// The output that tells of a refusal before anything was done.
output refusal(const problem& why);
output refusal(std::string why, error_kind kind = error_kind::precondition);

} // namespace troupe::tools
