# CMake's toolchain file for AArch64 Linux, with the cross compiler of Debian (gcc-aarch64-linux-gnu). What is built for
# tests runs under qemu-user. scripts/test-aarch64 installs what is needed.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)

set(PEAL_SYSROOT /usr/aarch64-linux-gnu)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L ${PEAL_SYSROOT})

# libffi has no package for cross compilers: PEAL_FFI_ROOT is where those of the machine itself were unpacked.
set(PEAL_FFI_ROOT ${PEAL_SYSROOT} CACHE PATH "Where usr/include and usr/lib of libffi for AArch64 are")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES PEAL_FFI_ROOT)
set(CMAKE_FIND_ROOT_PATH ${PEAL_SYSROOT} ${PEAL_FFI_ROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

# No Swift toolchain has a standard library for this system. That for machines without one, in Embedded Swift, serves: the
# C headers see that the system is Linux.
set(PEAL_EMBEDDED_TRIPLE aarch64-none-none-elf)
set(PEAL_EMBEDDED_C_OPTIONS -Xcc -D__linux__=1 -Xcc -isystem -Xcc ${PEAL_SYSROOT}/include)

# Debian's names.
set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)
set(PEAL_DEBIAN_LIBDIR lib/aarch64-linux-gnu)
