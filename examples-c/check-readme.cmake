# cmake -DPROGRAM=... -DREADME=... -P check-readme.cmake [-- ARGUMENT...]
#
# Fails unless PROGRAM ends with 0, is silent on stderr and prints exactly the first ```text block
# of README.
set(arguments "")
set(after FALSE)
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(index RANGE ${last})
    if(after)
        list(APPEND arguments "${CMAKE_ARGV${index}}")
    elseif(CMAKE_ARGV${index} STREQUAL "--")
        set(after TRUE)
    endif()
endforeach()

file(READ "${README}" readme)
set(fence "```text\n")
string(FIND "${readme}" "${fence}" start)
if(start EQUAL -1)
    message(FATAL_ERROR "${README} has no ```text block")
endif()
string(LENGTH "${fence}" fence_length)
math(EXPR start "${start} + ${fence_length}")
string(SUBSTRING "${readme}" ${start} -1 expected)
string(FIND "${expected}" "```" end)
string(SUBSTRING "${expected}" 0 ${end} expected)

execute_process(
    COMMAND "${PROGRAM}" ${arguments}
    OUTPUT_VARIABLE output ERROR_VARIABLE errors RESULT_VARIABLE exit_code)
if(NOT exit_code EQUAL 0)
    message(FATAL_ERROR "${PROGRAM} ended with ${exit_code}\n${output}${errors}")
endif()
if(NOT errors STREQUAL "")
    message(FATAL_ERROR "${PROGRAM} wrote to stderr:\n${errors}")
endif()
if(NOT output STREQUAL expected)
    message(FATAL_ERROR "${PROGRAM} printed:\n${output}\n${README} says:\n${expected}")
endif()
