// The version of these headers, and the check that the library is of the same binary interface.
#pragma once

#include <string_view>

/// The version of the headers.
#define TROUPE_VERSION_MAJOR 0
#define TROUPE_VERSION_MINOR 1
#define TROUPE_VERSION_PATCH 0

/// Raised whenever a program has to be compiled again for a newer library.
#define TROUPE_HEADERS_ABI 1

// The package defines TROUPE_ABI as the library was built (find_package).
#if defined(TROUPE_ABI) && TROUPE_ABI != TROUPE_HEADERS_ABI
#error                                                                                                       \
    "these headers of Troupe are of another binary interface than the library: use those that were installed with it"
#endif

namespace troupe {

/// The version of the library that runs, as `0.1.0`.
std::string_view version();

namespace abi_1 {
/// Only a library of this binary interface has it, so that one of another isn't linked.
bool is_linked();
inline const bool checked = is_linked();
} // namespace abi_1

} // namespace troupe
