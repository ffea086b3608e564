# Copies the public headers and those of the rooms that they include, of no room that knows CAF, the database or
# a socket. Within the tree a header is named from its root; with programs that could be a header of theirs.
file(GLOB public RELATIVE "${from}/include/troupe" "${from}/include/troupe/*.hpp")
file(GLOB_RECURSE made_of RELATIVE "${from}" "${from}/messages/*.hpp")
list(APPEND made_of config/config.hpp)
foreach(name described described_schema described_types described_value reply tool)
  list(APPEND made_of tools/${name}.hpp)
endforeach()

function(copy_header source target)
  file(READ "${source}" text)
  string(REGEX REPLACE "#include \"((messages|tools|config)/[^\"]*)\"" "#include <troupe/rooms/\\1>" text "${text}")
  file(WRITE "${target}" "${text}")
endfunction()

foreach(header ${public})
  copy_header("${from}/include/troupe/${header}" "${to}/${header}")
endforeach()
foreach(header ${made_of})
  copy_header("${from}/${header}" "${to}/rooms/${header}")
endforeach()
message(STATUS "Installing: ${to}")
