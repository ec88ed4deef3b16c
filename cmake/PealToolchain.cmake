# Finds the Swift toolchain and libffi, and prints the remedy if one is missing.

if(NOT CMAKE_Swift_COMPILER)
  find_program(PEAL_SWIFTC swiftc PATHS /opt/swift/usr/bin /usr/local/swift/usr/bin /usr/libexec/swift/bin)
  if(NOT PEAL_SWIFTC)
    message(FATAL_ERROR
      "peal needs a Swift 6.3 toolchain to be built: install one from swift.org/install and put its "
      "swiftc on the PATH, or pass -DCMAKE_Swift_COMPILER=/path/to/swiftc. Programs that use peal need none.")
  endif()
  set(CMAKE_Swift_COMPILER ${PEAL_SWIFTC})
endif()

find_path(PEAL_FFI_INCLUDE_DIR ffi.h PATH_SUFFIXES ${CMAKE_LIBRARY_ARCHITECTURE})
find_library(PEAL_FFI_LIBRARY ffi)
if(NOT PEAL_FFI_INCLUDE_DIR OR NOT PEAL_FFI_LIBRARY)
  message(FATAL_ERROR "peal needs libffi: install libffi-dev (Debian) or libffi-devel (Fedora)")
endif()

# The folder of the real toolchain: swiftc on the PATH may be a link to it.
get_filename_component(peal_swiftc ${CMAKE_Swift_COMPILER} REALPATH)
get_filename_component(PEAL_SWIFT_TOOLCHAIN ${peal_swiftc}/../.. ABSOLUTE)
set(PEAL_SWIFT_RUNTIME_DIR ${PEAL_SWIFT_TOOLCHAIN}/lib/swift/linux CACHE STRING
  "Where the library with the shared Swift runtime looks for that runtime, after its own folder")
