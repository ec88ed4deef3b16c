# cmake -DPROGRAM=... -P check-missing.cmake
#
# Fails unless PROGRAM reports a library that does not exist, and a library that is not peal.
function(expect path pattern)
    execute_process(
        COMMAND "${PROGRAM}" "${path}"
        OUTPUT_VARIABLE output ERROR_VARIABLE errors RESULT_VARIABLE exit_code)
    if(NOT exit_code EQUAL 1 OR NOT output STREQUAL "" OR NOT errors MATCHES "${pattern}")
        message(FATAL_ERROR "${path}: ended with ${exit_code}\n${output}${errors}")
    endif()
endfunction()

expect("./no-such-libpeal.so" "^dlopen: cannot load peal: .*no-such-libpeal.so.*\n.*path")
expect("libc.so.6" "^dlopen: libc.so.6 is not a peal this program can use: .*peal_version")
