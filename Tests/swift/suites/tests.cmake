# The tests of `swift test`, under the sanitizers and by day. The same files are linked to the library of this build, so that
# the engine is not compiled again.
find_library(PEAL_SWIFT_TESTING Testing PATHS ${PEAL_SWIFT_TOOLCHAIN}/lib/swift/linux NO_DEFAULT_PATH)
if(NOT PEAL_SWIFT_TESTING)
  message(STATUS "tests: the toolchain has no swift-testing: the tests in Swift are left out here")
  return()
endif()

if(PEAL_SANITIZE STREQUAL "thread")
  # LD_PRELOAD loads this library before the Swift runtime.
  add_library(swift-announce SHARED ${CMAKE_CURRENT_SOURCE_DIR}/suites/announce.c)
  target_link_libraries(swift-announce PRIVATE peal-warnings)
  target_compile_definitions(swift-announce PRIVATE _GNU_SOURCE)
endif()

# peal_add_swift_tests(<name> <folder> <libraries>...)
function(peal_add_swift_tests name folder)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/Tests/${folder}/*.swift)
  add_executable(swift-${name} ${sources} ${CMAKE_CURRENT_SOURCE_DIR}/suites/Main.swift)
  set_target_properties(swift-${name} PROPERTIES Swift_MODULE_NAME ${folder})
  target_compile_options(swift-${name} PRIVATE
    -Onone -swift-version 6 -enable-batch-mode -parse-as-library -module-name ${folder})
  # CMake appends the options of the build, and the last one counts.
  target_link_options(swift-${name} PRIVATE -Onone)
  target_link_libraries(swift-${name} PRIVATE ${ARGN} ${PEAL_SWIFT_TESTING})
  # One test at a time. A test that blocks its thread until a task has run takes a thread of the pool that runs tasks.
  # There are as many threads as processors, so several such tests would wait for each other.
  add_test(NAME swift.${name} COMMAND swift-${name} --no-parallel --quiet)
  set_tests_properties(swift.${name} PROPERTIES TIMEOUT 300 COST 300 LABELS "memory;threads")
  if(TARGET swift-announce)
    set_property(TEST swift.${name} PROPERTY ENVIRONMENT LD_PRELOAD=$<TARGET_FILE:swift-announce>)
  elseif(PEAL_SANITIZE)
    # The leak sanitizer follows neither pointers with tag bits nor the side tables of weak references. These tests
    # count living objects instead.
    set_property(TEST swift.${name} PROPERTY ENVIRONMENT ASAN_OPTIONS=detect_leaks=0)
  endif()
endfunction()

peal_add_swift_tests(api PealTests PealSwift)
if(NOT PEAL_SANITIZE)
  return()
endif()
peal_add_swift_tests(engine PealCoreTests PealCore)
target_link_options(swift-engine PRIVATE -ldispatch)
# PealCall has no threads.
if(NOT PEAL_SANITIZE STREQUAL "thread")
  peal_add_swift_tests(call PealCallTests PealCall)
  target_link_options(swift-call PRIVATE -ldispatch)
endif()
