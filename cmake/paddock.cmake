# Build rules shared by every folder: warnings, sanitizers, one library a folder, tests beside sources.

find_program(PADDOCK_CCACHE ccache)
if(PADDOCK_CCACHE)
  # The sloppiness that precompiled headers ask for: without it whatever includes one is compiled anew each time. Paths below the sources
  # count from there, so that another clone finds what this one has compiled.
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${PADDOCK_CCACHE})
endif()

add_library(paddock_flags INTERFACE)
target_include_directories(paddock_flags INTERFACE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
target_compile_options(paddock_flags INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wno-missing-field-initializers $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict> -Werror
                       -fno-omit-frame-pointer -pthread)
if(PADDOCK_SANITIZE)
  target_compile_options(paddock_flags INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=undefined)
  target_link_options(paddock_flags INTERFACE -fsanitize=address,undefined)
  target_compile_definitions(paddock_flags INTERFACE PADDOCK_SANITIZE=1)
endif()
if(PADDOCK_FUZZ)
  # The other compiler's own warnings are no reason to stop.
  target_compile_options(paddock_flags INTERFACE -fsanitize=fuzzer-no-link -Wno-error)
endif()
find_program(PADDOCK_MOLD mold)
if(PADDOCK_MOLD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_link_options(paddock_flags INTERFACE -fuse-ld=mold)
endif()

# The standard headers that most files read, read once: a third off the time to build, and more than half of that with clang. The build with
# sanitizers alone (asan) has none of this: it finds the file that forgot an #include, and has all warnings.
if(PADDOCK_FUZZ OR (CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT PADDOCK_SANITIZE))
  set(PADDOCK_PRECOMPILED <algorithm> <array> <atomic> <cerrno> <charconv> <chrono> <cstdint> <cstdio> <cstring> <functional> <map> <memory> <mutex> <optional> <set> <span>
      <string> <string_view> <thread> <unordered_map> <utility> <variant> <vector>)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # What precompiled headers warn of is no longer passed over as a system header's; these are wrong about std::string (GCC 12).
    target_compile_options(paddock_flags INTERFACE -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
  else()
    target_compile_options(paddock_flags INTERFACE "SHELL:-Xclang -fno-pch-timestamp")   # for ccache: the same headers are the same, whenever they were read
  endif()
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/headers.cc CONTENT "")
  add_library(paddock_headers OBJECT ${CMAKE_BINARY_DIR}/generated/headers.cc)
  target_link_libraries(paddock_headers PRIVATE paddock_flags)
  target_precompile_headers(paddock_headers PRIVATE ${PADDOCK_PRECOMPILED})
endif()

set_property(GLOBAL PROPERTY PADDOCK_UNIT_TESTS "")
set_property(GLOBAL PROPERTY PADDOCK_LIBRARIES "")

# paddock_library(NAME DEPS …): the folder's *.cc (below it too, when RECURSE is given) as library
# paddock_NAME. Files named *_test.cc go to the one unit test program instead. PRECOMPILE: a large header of another's that most of the
# files read, to be read once, too. NOT_PRECOMPILED: no headers at all are, for a folder that is compiled in another way than they were.
function(paddock_library name)
  cmake_parse_arguments(ARG "RECURSE;NOT_PRECOMPILED" "" "DEPS;LIBS;PRECOMPILE" ${ARGN})
  if(ARG_RECURSE)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  else()
    file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  endif()
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  if(NOT sources)
    file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/empty.cc "")
    set(sources ${CMAKE_CURRENT_BINARY_DIR}/empty.cc)
  endif()
  add_library(paddock_${name} STATIC ${sources})
  list(TRANSFORM ARG_DEPS PREPEND paddock_)
  target_link_libraries(paddock_${name} PUBLIC paddock_flags ${ARG_DEPS} ${ARG_LIBS})
  if(TARGET paddock_headers AND ARG_PRECOMPILE)
    target_precompile_headers(paddock_${name} PRIVATE ${PADDOCK_PRECOMPILED} ${ARG_PRECOMPILE})
  elseif(TARGET paddock_headers AND NOT ARG_NOT_PRECOMPILED)
    target_precompile_headers(paddock_${name} REUSE_FROM paddock_headers)
  endif()
  set_property(GLOBAL APPEND PROPERTY PADDOCK_UNIT_TESTS ${tests})
  set_property(GLOBAL APPEND PROPERTY PADDOCK_LIBRARIES paddock_${name})
endfunction()
