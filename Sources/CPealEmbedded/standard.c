/* C functions that Embedded Swift's standard library calls, implemented here so that the library does not require them
 * of the system; and the replacement of one function of that standard library, which is wrong. */
#include <stddef.h>
#include <stdint.h>
#include <sys/random.h>

void arc4random_buf(void *bytes, size_t size);
double ceil(double number);
void *swift_bridgeObjectRetain(void *object);
/* A function of the Swift standard library. */
void *swift_bridgeObjectRetain_n(void *object, uint32_t count);

/* Fills in the seed of hash tables, once. glibc has this function since 2.36. The thread must not block while the
 * system has no entropy yet. In that case the seed is the previous content of the memory. */
void arc4random_buf(void *bytes, size_t size) { (void)!getrandom(bytes, size, GRND_NONBLOCK); }

/* For the capacity of hash tables, which is below 2^63. Otherwise this one function would make the library require
 * libm. */
double ceil(double number)
{
    const double whole = (double)(long long)number;
    return whole < number ? whole + 1 : whole;
}

/* Retains the storage of a string or array. Compilers rely on that this returns its argument: on AArch64 they use the
 * result in its place. The function of Swift 6.3.1 returns the argument without the bits that mark a small string,
 * which is then read as a pointer (swiftlang/swift#91151). That function is a weak symbol, so this one replaces it. */
void *swift_bridgeObjectRetain(void *object)
{
    (void)swift_bridgeObjectRetain_n(object, 1);
    return object;
}
