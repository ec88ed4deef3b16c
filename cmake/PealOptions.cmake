# Compiler options of all parts, and the target `peal-warnings` for C programs of this project.

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_C_STANDARD 11)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

add_library(peal-warnings INTERFACE)
target_compile_options(peal-warnings INTERFACE
  $<$<COMPILE_LANGUAGE:C,CXX>:-Wall;-Wextra;-Wpedantic;-Werror>)

# peal_quote_directories(<target> <scope> <folder>...): folders of headers that are found by #include "name.h" alone, so that
# no header in them shadows one of libc or of another package.
function(peal_quote_directories target scope)
  foreach(folder IN LISTS ARGN)
    target_compile_options(${target} ${scope} "$<$<COMPILE_LANGUAGE:C,CXX>:SHELL:-iquote ${folder}>")
  endforeach()
endfunction()

# Uses C library functions that check sizes where the compiler knows them. Sanitized builds do not, because the sanitizer
# checks more.
set(PEAL_FORTIFY)
if(NOT PEAL_SANITIZE)
  set(PEAL_FORTIFY $<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE> $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=2>)
endif()

# peal_harden(<target>): for C that reads bytes of other processes and of files. A function with an array checks before it
# returns that nothing was written beyond it, and the addresses of functions in other libraries are read-only before the
# program begins. libpeal has the latter too (PealLibrary.cmake), and no arrays on the path of a call. Libraries search their
# own folder, where those of peal are, in the build as where they are installed: CMake would end a search path that it
# replaces later with a colon, which stands for the current folder.
function(peal_harden target)
  get_target_property(type ${target} TYPE)
  set_target_properties(${target} PROPERTIES BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH_USE_LINK_PATH ON)
  if(type STREQUAL "SHARED_LIBRARY")
    set_target_properties(${target} PROPERTIES INSTALL_RPATH "\$ORIGIN")
  endif()
  target_compile_options(${target} PRIVATE -fstack-protector-strong ${PEAL_FORTIFY})
  target_link_options(${target} PRIVATE LINKER:-z,relro LINKER:-z,now LINKER:-z,noexecstack)
endfunction()

# Options of all Swift code of this project. Whole-module optimization inlines the path of a broadcast across files.
# The modules that the compiler makes of C headers stay in the build: a cache that builds share has modules of all of them.
set(PEAL_SWIFT_LANGUAGE -swift-version 6 -wmo -module-cache-path ${PROJECT_BINARY_DIR}/module-cache
  -enable-upcoming-feature ExistentialAny -enable-upcoming-feature InternalImportsByDefault)
# The library uses neither tasks nor regular expressions, so it need not load their runtimes.
set(PEAL_SWIFT_ENGINE ${PEAL_SWIFT_LANGUAGE}
  -Xfrontend -disable-implicit-concurrency-module-import -Xfrontend -disable-implicit-string-processing-module-import)

add_library(peal-swift-options INTERFACE)
target_compile_options(peal-swift-options INTERFACE
  "$<$<COMPILE_LANGUAGE:Swift>:SHELL:$<JOIN:${PEAL_SWIFT_ENGINE}, > -warnings-as-errors>"
  # No code inspects types at run time.
  "$<$<COMPILE_LANGUAGE:Swift>:SHELL:-Xfrontend -disable-reflection-metadata>")

# The sets of tests: each has those of the sets before it.
set(PEAL_TESTS full CACHE STRING "The tests to build: day (each claim once), full, or nightly (longer forms)")
set_property(CACHE PEAL_TESTS PROPERTY STRINGS day full nightly)
if(NOT PEAL_TESTS MATCHES "^(day|full|nightly)$")
  message(FATAL_ERROR "PEAL_TESTS is day, full or nightly, not ${PEAL_TESTS}")
endif()
set(PEAL_NIGHTLY_TESTS OFF)
if(PEAL_TESTS STREQUAL "nightly")
  set(PEAL_NIGHTLY_TESTS ON)
endif()
set(PEAL_FULL_TESTS ON)
if(PEAL_TESTS STREQUAL "day")
  set(PEAL_FULL_TESTS OFF)
endif()

# Options of the Swift API and of Swift programs of this project, which may use tasks.
add_library(peal-swift-language INTERFACE)
target_compile_options(peal-swift-language INTERFACE
  "$<$<COMPILE_LANGUAGE:Swift>:SHELL:$<JOIN:${PEAL_SWIFT_LANGUAGE}, > -parse-as-library -warnings-as-errors>")

# The definition of a method has checked the indices by which a broadcast fills its register frame, so a stack protector
# would not add protection. A loop over observers that crosses two cache lines takes one more cycle for each observer, and
# with one observer up to four times as long.
set(PEAL_ALIGNED_LOOPS -Xllvm -x86-experimental-pref-innermost-loop-alignment=6)
if(NOT PEAL_SANITIZE)
  target_compile_options(peal-swift-options INTERFACE
    "$<$<COMPILE_LANGUAGE:Swift>:SHELL:-Xfrontend -disable-stack-protector>"
    "$<$<AND:$<COMPILE_LANGUAGE:Swift>,$<CONFIG:Release>>:SHELL:$<JOIN:${PEAL_ALIGNED_LOOPS}, >>")
endif()

if(PEAL_SANITIZE)
  if(NOT CMAKE_C_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR
      "a sanitized build needs the clang of the Swift toolchain for C: use the presets asan or tsan, "
      "or pass -DCMAKE_C_COMPILER=… -DCMAKE_CXX_COMPILER=…")
  endif()
  set(clang_sanitizers ${PEAL_SANITIZE})
  if(PEAL_SANITIZE STREQUAL "address")
    set(clang_sanitizers address,undefined)
  endif()
  # Sanitized code takes longer to compile than to run, so it is hardly optimized. A report needs the names of functions
  # and the numbers of lines. CMake appends the flags of a configuration to those of a Swift program, where the last one
  # counts. For the thread sanitizer Swift code is optimized: without optimization the compiler takes each atomic operation
  # of a C function on a Swift pointer for a modification, and reports races that are none.
  set(PEAL_SWIFT_SANITIZED -Onone)
  if(PEAL_SANITIZE STREQUAL "thread" OR PEAL_NIGHTLY_TESTS)
    set(PEAL_SWIFT_SANITIZED -O)
  endif()
  set(CMAKE_Swift_FLAGS_RELWITHDEBINFO "${PEAL_SWIFT_SANITIZED} -gline-tables-only")
  if(NOT PEAL_NIGHTLY_TESTS)
    set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O1 -gline-tables-only -DNDEBUG")
    set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O0 -gline-tables-only -DNDEBUG")
  endif()
  set(PEAL_SWIFT_SANITIZER -sanitize=${PEAL_SANITIZE})
  if(PEAL_SANITIZE STREQUAL "thread")
    list(APPEND PEAL_SWIFT_SANITIZER -DPEAL_THREAD_SANITIZER -Xcc -DPEAL_THREAD_SANITIZER)
  elseif(PEAL_SANITIZE STREQUAL "address")
    # For inline functions of C in Swift code, where __has_feature does not know the sanitizer.
    list(APPEND PEAL_SWIFT_SANITIZER -Xcc -DPEAL_ADDRESS_SANITIZER)
  endif()
  add_compile_options(
    "$<$<COMPILE_LANGUAGE:C,CXX>:-fsanitize=${clang_sanitizers};-fno-omit-frame-pointer;-fno-sanitize-recover=all>"
    "$<$<COMPILE_LANGUAGE:Swift>:SHELL:$<JOIN:${PEAL_SWIFT_SANITIZER}, >>")
  add_link_options(
    "$<$<LINK_LANGUAGE:C,CXX>:-fsanitize=${clang_sanitizers}>"
    "$<$<LINK_LANGUAGE:Swift>:-sanitize=${PEAL_SANITIZE}>")
  if(PEAL_SANITIZE STREQUAL "thread")
    add_compile_options("$<$<COMPILE_LANGUAGE:C,CXX>:-DPEAL_THREAD_SANITIZER>")
    # The thread sanitizer of the Swift toolchain intercepts libdispatch, and needs it in every program.
    set(swift_runtime ${PEAL_SWIFT_TOOLCHAIN}/lib/swift/linux)
    add_link_options(
      "$<$<LINK_LANGUAGE:C,CXX>:-Wl,--push-state,--no-as-needed;-L${swift_runtime};-Wl,-rpath,${swift_runtime};-ldispatch;-lBlocksRuntime;-Wl,--pop-state>")
  endif()
endif()
