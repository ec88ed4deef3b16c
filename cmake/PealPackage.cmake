# What `cpack` makes: a tarball that may be unpacked anywhere, and Debian packages where dpkg-deb is, one of them with the
# debug symbols of the library.
#
# Where the Swift module is built it is in the tarball, and in a Debian package of its own, with the library that
# shares the Swift runtime. Both fit the toolchain that built them, which is in no distribution. So the other
# packages do not depend on them, and the package states only in its description which Swift it needs.

set(CPACK_PACKAGE_NAME peal)
set(CPACK_PACKAGE_VENDOR peal)
# The distributor of the packages sets their maintainer.
set(PEAL_PACKAGE_CONTACT "The maintainers of peal <maintainers@peal.invalid>" CACHE STRING
  "Name and address in packages")
set(CPACK_PACKAGE_CONTACT ${PEAL_PACKAGE_CONTACT})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_FILE_NAME peal-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL peal_runtime peal_development)
if(CMAKE_OBJCOPY AND CMAKE_READELF)
  list(APPEND CPACK_COMPONENTS_ALL peal_debug)
endif()
if(TARGET PealSwift)
  list(APPEND CPACK_COMPONENTS_ALL peal_swift)
endif()
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/PealPackageOptions.cmake)

set(CPACK_GENERATOR TGZ)
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)

find_program(PEAL_DPKG_DEB dpkg-deb)
find_program(PEAL_DPKG_SHLIBDEPS dpkg-shlibdeps)
if(PEAL_DPKG_DEB)
  list(APPEND CPACK_GENERATOR DEB)
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "One call reaches every part of a program that cares: protocols declared by C prototypes,
observers that register for them, broadcasts on the calling thread or on queues.")
# By hand: made by CPack, that of the Swift package would name its private library too.
file(WRITE ${PROJECT_BINARY_DIR}/debian/shlibs
  "libpeal ${PEAL_SOVERSION} libpeal${PEAL_SOVERSION} (>= ${PROJECT_VERSION})\n")
file(WRITE ${PROJECT_BINARY_DIR}/debian/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_PEAL_RUNTIME_PACKAGE_CONTROL_EXTRA
  ${PROJECT_BINARY_DIR}/debian/shlibs ${PROJECT_BINARY_DIR}/debian/triggers)

set(CPACK_DEBIAN_PEAL_RUNTIME_PACKAGE_NAME libpeal${PEAL_SOVERSION})
set(CPACK_DEBIAN_PEAL_RUNTIME_PACKAGE_SECTION libs)
# dpkg-shlibdeps looks at symbols, and so does not see that packed relocations need a newer loader.
if(PEAL_PACK_RELOCATIONS)
  set(CPACK_DEBIAN_PEAL_RUNTIME_PACKAGE_DEPENDS "libc6 (>= 2.36)")
endif()
if(CMAKE_CROSSCOMPILING)
  # dpkg-shlibdeps looks at what is installed, which is for this machine. A test compares the numbers with the library.
  set(CPACK_DEBIAN_PEAL_RUNTIME_PACKAGE_DEPENDS "libc6 (>= 2.34), libffi8 (>= 3.4)")
elseif(PEAL_DPKG_SHLIBDEPS)
  set(CPACK_DEBIAN_PEAL_RUNTIME_PACKAGE_SHLIBDEPS ON)
else()
  message(STATUS "peal: no dpkg-shlibdeps: the Debian package will not say which libraries it needs")
endif()
set(CPACK_DEBIAN_PEAL_DEBUG_PACKAGE_NAME libpeal${PEAL_SOVERSION}-dbgsym)
set(CPACK_DEBIAN_PEAL_DEBUG_PACKAGE_SECTION debug)
set(CPACK_DEBIAN_PEAL_DEBUG_PACKAGE_DEPENDS "libpeal${PEAL_SOVERSION} (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_PEAL_DEVELOPMENT_PACKAGE_NAME libpeal-dev)
set(CPACK_DEBIAN_PEAL_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_PEAL_DEVELOPMENT_PACKAGE_DEPENDS "libpeal${PEAL_SOVERSION} (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_PEAL_SWIFT_PACKAGE_NAME libpeal-swift-dev)
set(CPACK_DEBIAN_PEAL_SWIFT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_PEAL_SWIFT_PACKAGE_DEPENDS "libpeal-dev (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_PEAL_SWIFT_DESCRIPTION "The Swift module Peal, and peal over the shared Swift runtime
Both fit the toolchain that built them, and no other: Swift ${CMAKE_Swift_COMPILER_VERSION}.")

include(CPack)
