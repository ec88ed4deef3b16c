#include "CPealSupport/sanitizer.h"

/* Defined if the program was linked with the leak sanitizer. */
extern void __lsan_disable(void) __attribute__((weak));
extern void __lsan_enable(void) __attribute__((weak));
extern void __lsan_register_root_region(const void *memory, size_t size) __attribute__((weak));
extern void __lsan_unregister_root_region(const void *memory, size_t size) __attribute__((weak));

void peal_leaks_ignore_begin(void)
{
    if (__lsan_disable)
        __lsan_disable();
}

void peal_leaks_ignore_end(void)
{
    if (__lsan_enable)
        __lsan_enable();
}

void peal_leaks_note_root(const void *memory, size_t size)
{
    if (__lsan_register_root_region)
        __lsan_register_root_region(memory, size);
}

void peal_leaks_forget_root(const void *memory, size_t size)
{
    if (__lsan_unregister_root_region)
        __lsan_unregister_root_region(memory, size);
}
