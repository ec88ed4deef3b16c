# Run during the installation. Copies the debug symbols of `library` to the folder in which debuggers find them by its
# build ID. The installed library itself is stripped.
execute_process(COMMAND ${readelf} -n ${library} OUTPUT_VARIABLE notes COMMAND_ERROR_IS_FATAL ANY)
if(NOT notes MATCHES "Build ID: ([0-9a-f][0-9a-f])([0-9a-f]+)")
  message(FATAL_ERROR "${library} has no build ID")
endif()
set(folder $ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/lib/debug/.build-id/${CMAKE_MATCH_1})
set(symbols ${folder}/${CMAKE_MATCH_2}.debug)
file(MAKE_DIRECTORY ${folder})
execute_process(COMMAND ${objcopy} --only-keep-debug --compress-debug-sections ${library} ${symbols}
  COMMAND_ERROR_IS_FATAL ANY)
file(CHMOD ${symbols} PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
