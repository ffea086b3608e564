// What a program that is linked can ask of the library itself.
#include <troupe/version.hpp>

namespace troupe {

static_assert(
    TROUPE_BUILT_ABI == TROUPE_HEADERS_ABI, "CMakeLists.txt and version.hpp say different interfaces");

std::string_view version() { return TROUPE_VERSION; }
bool abi_1::is_linked() { return true; }

} // namespace troupe
