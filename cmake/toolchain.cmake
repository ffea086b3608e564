# Warnings as errors, sanitizers, and ccache and mold where they are there.
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # boost::system::result needs source locations that clang 14 has under another name
  add_compile_options(-Wno-unused-const-variable)
endif()

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # nobody replaces a function of the shared library with one of their own: calls within it stay direct
  add_compile_options(-fno-semantic-interposition)
endif()

if(CMAKE_UNITY_BUILD)
  # Files that are compiled together see each other's globals; each for itself, in the other
  # presets, is held to what these say.
  add_compile_options(-Wno-shadow)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-subobject-linkage)
  endif()
endif()

find_program(TROUPE_CCACHE ccache)
if(TROUPE_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${TROUPE_CCACHE})
endif()
find_program(TROUPE_MOLD mold)
if(TROUPE_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

set(TROUPE_SANITIZE "" CACHE STRING "Sanitizers, as -fsanitize takes them")
if(TROUPE_SANITIZE)
  # CAF 0.17 binds a reference to an empty argument tuple when it spawns a
  # function without arguments: null checks off, every other check stays fatal.
  add_compile_options(-fsanitize=${TROUPE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize=null -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${TROUPE_SANITIZE})
  if(TROUPE_SANITIZE MATCHES thread)
    # The thread sanitizer doesn't understand fences; where it matters Asio has locks as well.
    add_compile_options(-Wno-tsan)
    add_compile_definitions(BOOST_ASIO_DISABLE_FENCED_BLOCK)
  endif()
endif()
if(TROUPE_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link) # what libFuzzer steers by
endif()
