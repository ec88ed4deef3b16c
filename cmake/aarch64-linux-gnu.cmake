# CMake's toolchain file for AArch64 Linux, with the cross compiler of Debian (gcc-aarch64-linux-gnu). Tests run under
# qemu-user. scripts/test-aarch64 installs the required packages.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)

set(PEAL_SYSROOT /usr/aarch64-linux-gnu)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L ${PEAL_SYSROOT})

# libffi has no package for cross compilers. PEAL_FFI_ROOT is the folder in which its AArch64 packages were unpacked.
set(PEAL_FFI_ROOT ${PEAL_SYSROOT} CACHE PATH "Where usr/include and usr/lib of libffi for AArch64 are")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES PEAL_FFI_ROOT)
set(CMAKE_FIND_ROOT_PATH ${PEAL_SYSROOT} ${PEAL_FFI_ROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

# No Swift toolchain has a standard library for this system. The one of Embedded Swift for machines without an operating
# system is used instead. The C headers detect Linux.
set(PEAL_EMBEDDED_TRIPLE aarch64-none-none-elf)
set(PEAL_EMBEDDED_C_OPTIONS -Xcc -D__linux__=1 -Xcc -isystem -Xcc ${PEAL_SYSROOT}/include)

# The name of the architecture in Debian.
set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)
set(PEAL_DEBIAN_LIBDIR lib/aarch64-linux-gnu)
