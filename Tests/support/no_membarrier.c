/* SPDX-License-Identifier: Apache-2.0
 *
 * no_membarrier.c - preloaded into a test, it makes membarrier(2) fail, as on an old kernel. Threads that read peal's
 * lists then use memory fences of their own.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <sys/syscall.h>

long syscall(long number, ...);

long syscall(long number, ...)
{
    static long (*next)(long, ...);
    long arguments[6];
    va_list list;

    if (number == __NR_membarrier) {
        errno = ENOSYS;
        return -1;
    }
    va_start(list, number);
    for (int i = 0; i < 6; i++)
        arguments[i] = va_arg(list, long);
    va_end(list);
    if (next == 0)
        *(void **)&next = dlsym(RTLD_NEXT, "syscall");
    return next(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
}
