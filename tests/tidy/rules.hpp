// The rules of the house that a machine can keep, over the texts of the tree.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::tidy {

/// Path from the project's root → text.
using tree = std::map<std::string, std::string>;

/// A broken rule: where, what, and the reason for the rule.
struct finding {
  std::string where; ///< `path` or `path:line`
  std::string what;
  std::string reason;
};
using findings = std::vector<finding>;

/// No room includes one that it may not know; a third-party library has its rooms.
findings check_includes(const tree& files);
/// Every header is included by somebody, every source serves a header or is a program.
findings check_used(const tree& files);
/// Every file opens by saying what it is for.
findings check_first_lines(const tree& files);
/// Files and lines stay within their bounds.
findings check_lengths(const tree& files);
/// No names that say nothing, no sleeping, no environment behind the configuration's back, no paths
/// of one machine.
findings check_words(const tree& files);
/// The documents that everybody looks for are there, decisions are numbered, no link is dead.
findings check_documents(const tree& files);

/// All of the above.
findings check_all(const tree& files);

/// The tree of the project: everything but what is built and what belongs to version control.
tree read_tree(const std::string& root);

/// The lines of a text, without their ends.
std::vector<std::string_view> lines_of(std::string_view text);
/// The room of a path: its first folder, empty at the root.
std::string_view room_of(std::string_view path);
bool is_source(std::string_view path);

} // namespace troupe::tidy
