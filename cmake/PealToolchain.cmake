# Finds the Swift toolchain and libffi, and says plainly what to do where one is missing.

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
