/* What a library without a Swift runtime and without libdispatch lacks. */
#include <stddef.h>
#include <sys/random.h>

/* The seed of hash tables, which glibc has since 2.36. */
__attribute__((visibility("hidden"), weak)) void arc4random_buf(void *bytes, size_t size);
void arc4random_buf(void *bytes, size_t size) { (void)!getrandom(bytes, size, GRND_NONBLOCK); }

/* No libdispatch serves the main queue: it is pumped. */
__attribute__((visibility("hidden"))) char _dispatch_main_q;
__attribute__((visibility("hidden"))) void dispatch_async_f(void *queue, void *context, void (*function)(void *));
void dispatch_async_f(void *queue, void *context, void (*function)(void *))
{
    (void)queue, (void)context, (void)function;
}
