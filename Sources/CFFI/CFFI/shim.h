/* libffi for Swift. The ffi_type_* globals are mutable, which Swift 6 refuses to read from
 * concurrent code; these accessors hand out their addresses, which never change. */
#ifndef PEAL_CFFI_SHIM_H
#define PEAL_CFFI_SHIM_H
#include <ffi.h>

#define PEAL_FFI_TYPE(name) \
    static inline ffi_type *peal_ffi_##name(void) { return &ffi_type_##name; }
PEAL_FFI_TYPE(void)
PEAL_FFI_TYPE(uint8)
PEAL_FFI_TYPE(sint8)
PEAL_FFI_TYPE(uint16)
PEAL_FFI_TYPE(sint16)
PEAL_FFI_TYPE(uint32)
PEAL_FFI_TYPE(sint32)
PEAL_FFI_TYPE(uint64)
PEAL_FFI_TYPE(sint64)
PEAL_FFI_TYPE(float)
PEAL_FFI_TYPE(double)
PEAL_FFI_TYPE(longdouble)
PEAL_FFI_TYPE(pointer)
PEAL_FFI_TYPE(complex_float)
PEAL_FFI_TYPE(complex_double)
PEAL_FFI_TYPE(complex_longdouble)
#undef PEAL_FFI_TYPE

/* Swift imports the enumerator FFI_TYPE_STRUCT as a macro it cannot always read. */
static inline unsigned short peal_ffi_struct_tag(void) { return FFI_TYPE_STRUCT; }
static inline ffi_abi peal_ffi_default_abi(void) { return FFI_DEFAULT_ABI; }
#endif
