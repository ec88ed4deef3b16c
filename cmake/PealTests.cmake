# What tests share: the libraries that they run with, and functions for the programs of Tests/c. A folder of claims is one program, and each of its files a test of CTest with the
# file's name: `c.queues` runs `c-queue queues.c`.

if(PEAL_SANITIZE)
  set(peal_test_seconds 300)
else()
  set(peal_test_seconds 60)
endif()
# How long the programs run that disturb the library at random.
set(peal_stress_seconds 2)
if(PEAL_NIGHTLY_TESTS)
  set(peal_stress_seconds 60)
  set(peal_test_seconds 300)
endif()

# The libraries that claims run with. A program is linked to the shared one, and LD_LIBRARY_PATH replaces it. Both have the
# same engine, so one of them suffices by day and under a sanitizer, where the Swift tests run with the other.
set(peal_test_flavours shared)
if(TARGET peal::self-contained)
  set(peal_test_flavours self-contained)
  if(PEAL_NIGHTLY_TESTS OR (PEAL_FULL_TESTS AND NOT PEAL_SANITIZE))
    list(APPEND peal_test_flavours shared)
  endif()
endif()

# peal_add_program(<program> <source>... [STANDARD <year>] [LIBRARIES <target>...] [INTERPOSES]): a program that is linked
# to the library. INTERPOSES: its malloc and other functions of libc replace those of the library (interpose.h). A release
# build compiles it in half the time without optimization; examples and benchmarks use the same headers with -O2 and -O3.
function(peal_add_program program)
  cmake_parse_arguments(PARSE_ARGV 1 arg "INTERPOSES" "STANDARD" "LIBRARIES")
  add_executable(${program} ${arg_UNPARSED_ARGUMENTS})
  set(language C)
  set(standard 99)
  if(arg_UNPARSED_ARGUMENTS MATCHES "cpp(;|$)")
    set(language CXX)
    set(standard 17)
  endif()
  if(arg_STANDARD)
    set(standard ${arg_STANDARD})
  endif()
  set_target_properties(${program} PROPERTIES LINKER_LANGUAGE ${language}
    ${language}_STANDARD ${standard} ${language}_EXTENSIONS OFF)
  target_compile_options(${program} PRIVATE $<$<CONFIG:Release>:$<IF:$<BOOL:${PEAL_NIGHTLY_TESTS}>,-O3,-O0>>)
  # math.h is used for its constants and comparisons. libm has the functions that are not built in.
  target_link_libraries(${program} PRIVATE peal-test-support ${CMAKE_DL_LIBS} m)
  if(arg_LIBRARIES)
    peal_link_tool(${program} ${arg_LIBRARIES})
  endif()
  if(arg_INTERPOSES)
    target_sources(${program} PRIVATE ${peal_test_support}/interpose.c)
    set_target_properties(${program} PROPERTIES ENABLE_EXPORTS ON)
  endif()
endfunction()

# peal_add_host(<program> <source>): a program that is built with the headers and is not linked to the library.
function(peal_add_host program source)
  add_executable(${program} ${source})
  set_target_properties(${program} PROPERTIES C_STANDARD 99 C_EXTENSIONS OFF)
  target_link_libraries(${program} PRIVATE peal-test-options ${CMAKE_DL_LIBS})
  target_include_directories(${program} PRIVATE $<TARGET_PROPERTY:peal::swift,INTERFACE_INCLUDE_DIRECTORIES>)
endfunction()

# peal_add_plugin(<plugin> <source> [<definition>...]): a library that is loaded by dlopen, and linked to the library.
function(peal_add_plugin plugin source)
  add_library(${plugin} MODULE ${source})
  set_target_properties(${plugin} PROPERTIES C_STANDARD 99 C_EXTENSIONS OFF C_VISIBILITY_PRESET hidden PREFIX "")
  target_compile_definitions(${plugin} PRIVATE ${ARGN})
  target_link_libraries(${plugin} PRIVATE peal-test-options peal::swift)
endfunction()

# peal_add_test(<name> [FLAVOURS <shared|self-contained>...] [LABELS <label>...] [ENVIRONMENT <variable>...] COMMAND ...):
# adds the test c.<name>, which runs with the shared library, and c.self-contained.<name>, if that library was built.
# LABELS: `threads` selects tests for the thread sanitizer, `memory` those for the address sanitizer, and `binary` facts
# about files.
function(peal_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "FLAVOURS;LABELS;ENVIRONMENT;COMMAND")
  if(NOT arg_FLAVOURS)
    set(arg_FLAVOURS shared)
  endif()
  foreach(flavour IN LISTS arg_FLAVOURS)
    set(test c.${name})
    set(environment PEAL_TEST_LIBRARY=$<TARGET_FILE:peal::swift>)
    if(flavour STREQUAL "self-contained")
      if(NOT TARGET peal::self-contained)
        continue()
      endif()
      set(test c.self-contained.${name})
      set(environment PEAL_TEST_LIBRARY=$<TARGET_FILE:peal::self-contained>
        LD_LIBRARY_PATH=$<TARGET_SONAME_FILE_DIR:peal::self-contained>)
    endif()
    add_test(NAME ${test} COMMAND ${arg_COMMAND})
    set_tests_properties(${test} PROPERTIES TIMEOUT ${peal_test_seconds} SKIP_RETURN_CODE 77
      LABELS "${arg_LABELS}" ENVIRONMENT "${environment};${arg_ENVIRONMENT}")
  endforeach()
endfunction()

# peal_add_claims(<program> [CLAIMS <source>...] [THREADED <source>...] [SUFFIX <suffix>] [FENCED <name>...]
#   [HELPERS <source>...] [FLAVOURS …] [ENVIRONMENT …] [STANDARD …] [LIBRARIES …] [INTERPOSES]): a program of claims, and a
# test for each of its sources but the helpers. The thread sanitizer has only the THREADED sources, which start threads. The
# names after FENCED also run as on a kernel without membarrier(2). SUFFIX is for a second program of the same sources.
function(peal_add_claims program)
  cmake_parse_arguments(PARSE_ARGV 1 arg "INTERPOSES" "STANDARD;SUFFIX"
    "CLAIMS;THREADED;FENCED;HELPERS;FLAVOURS;ENVIRONMENT;LIBRARIES")
  if(PEAL_SANITIZE STREQUAL "thread")
    set(arg_CLAIMS)
    if(NOT arg_THREADED)
      return()
    endif()
  endif()
  if(NOT arg_FLAVOURS)
    set(arg_FLAVOURS ${peal_test_flavours})
  endif()
  set(options STANDARD ${arg_STANDARD} LIBRARIES ${arg_LIBRARIES})
  if(arg_INTERPOSES)
    list(APPEND options INTERPOSES)
  endif()
  peal_add_program(${program} ${arg_CLAIMS} ${arg_THREADED} ${arg_HELPERS} ${options})
  foreach(source IN LISTS arg_CLAIMS arg_THREADED)
    get_filename_component(name ${source} NAME_WE)
    get_filename_component(file ${source} NAME)
    set(labels memory)
    if(source IN_LIST arg_THREADED)
      list(APPEND labels threads)
    endif()
    peal_add_test(${name}${arg_SUFFIX} FLAVOURS ${arg_FLAVOURS} LABELS ${labels} ENVIRONMENT ${arg_ENVIRONMENT}
      COMMAND ${program} ${file})
    if(name IN_LIST arg_FENCED AND TARGET no-membarrier)
      peal_add_test(fences.${name} LABELS memory ENVIRONMENT LD_PRELOAD=$<TARGET_FILE:no-membarrier>
        COMMAND ${program} ${file})
    endif()
  endforeach()
endfunction()
