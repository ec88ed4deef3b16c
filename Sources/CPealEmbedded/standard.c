/* The functions of a C library that Embedded Swift's standard library requires and must not take from this machine's,
 * and one of its functions that is wrong. */
#include <stddef.h>
#include <stdint.h>
#include <sys/random.h>

void arc4random_buf(void *bytes, size_t size);
double ceil(double number);
void *swift_bridgeObjectRetain(void *object);
/* The standard library's. */
void *swift_bridgeObjectRetain_n(void *object, uint32_t count);

/* The seed of hash tables, read once. glibc has this function since 2.36. A thread must not block while the system has
 * no entropy yet: the seed is then what the memory has. */
void arc4random_buf(void *bytes, size_t size) { (void)!getrandom(bytes, size, GRND_NONBLOCK); }

/* For the capacity of hash tables, which is below 2^63. This one function of libm would bring all of it. */
double ceil(double number)
{
    const double whole = (double)(long long)number;
    return whole < number ? whole + 1 : whole;
}

/* Retains the storage of a string or array. Compilers rely on that this returns its argument: on AArch64 they use the
 * result in its place. The function of Swift 6.3.1 returns it without the bits that mark a small string, which is then
 * read as a pointer (swiftlang/swift#91151). This one replaces that, which is weak. */
void *swift_bridgeObjectRetain(void *object)
{
    (void)swift_bridgeObjectRetain_n(object, 1);
    return object;
}
