# What the rooms stand on; each is a Debian 12 package (docs/decisions/0002-dependencies.md).
find_package(Threads REQUIRED)
find_package(OpenSSL 3 REQUIRED COMPONENTS Crypto SSL)
find_package(ZLIB REQUIRED)
find_package(Boost 1.81 REQUIRED COMPONENTS url unit_test_framework)
find_package(spdlog REQUIRED)
find_package(CLI11 REQUIRED)
find_library(CAF_CORE caf_core REQUIRED) # Debian's package has no CMake files
add_library(caf_core INTERFACE)
target_link_libraries(caf_core INTERFACE ${CAF_CORE} Threads::Threads)
find_package(PkgConfig REQUIRED)
pkg_check_modules(PQXX REQUIRED IMPORTED_TARGET libpqxx libpq)
pkg_check_modules(TOMLPLUSPLUS REQUIRED IMPORTED_TARGET tomlplusplus)
pkg_check_modules(LIBEDIT REQUIRED IMPORTED_TARGET libedit)
