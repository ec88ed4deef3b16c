#include "sanitizer.h"

/* Defined if the program was linked with the leak sanitizer. */
extern void __lsan_disable(void) __attribute__((weak));
extern void __lsan_enable(void) __attribute__((weak));

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
