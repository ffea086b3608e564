// What a program that is linked can ask of the library itself.
#include <troupe/version.hpp>

namespace troupe {

static_assert(TROUPE_VERSION_MAJOR == TROUPE_BUILT_MAJOR && TROUPE_VERSION_MINOR == TROUPE_BUILT_MINOR
        && TROUPE_VERSION_PATCH == TROUPE_BUILT_PATCH && TROUPE_HEADERS_ABI == TROUPE_BUILT_ABI,
    "CMakeLists.txt and version.hpp say different versions");

std::string_view version() { return TROUPE_VERSION; }
bool abi_1::is_linked() { return true; }

} // namespace troupe
