# A room is a static library named after its folder. Its sources are all the .cpp
# files under it, so that a file that is there is built and one that isn't used shows up.
function(troupe_room name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  add_library(troupe_${name} STATIC ${sources})
  target_include_directories(troupe_${name} PUBLIC $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/troupe/rooms>)
  target_link_libraries(troupe_${name} PUBLIC ${ARGN})
endfunction()

# A test program over one folder of tests/: Boost.Test, a suite a file, a CTest entry a program.
function(troupe_test name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
  add_executable(${name}_test ${CMAKE_SOURCE_DIR}/tests/main.cpp ${sources})
  target_compile_definitions(${name}_test PRIVATE BOOST_TEST_DYN_LINK
    TROUPE_SOURCE_DIR="${CMAKE_SOURCE_DIR}" TROUPE_BINARY_DIR="${CMAKE_BINARY_DIR}")
  target_include_directories(${name}_test PRIVATE ${CMAKE_SOURCE_DIR})
  target_link_libraries(${name}_test PRIVATE ${ARGN} Boost::unit_test_framework)
  add_test(NAME ${name} COMMAND ${name}_test --color_output=no)
  set_tests_properties(${name} PROPERTIES TIMEOUT 600)
endfunction()
