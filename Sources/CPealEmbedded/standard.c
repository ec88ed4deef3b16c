/* What Embedded Swift's standard library needs of a C library and must not get from this machine's. */
#include <stddef.h>
#include <sys/random.h>

void arc4random_buf(void *bytes, size_t size);
double ceil(double number);

/* The seed of hash tables, read once. glibc has this function since 2.36. A thread must not block while the system has
 * no entropy yet: the seed is then what the memory has. */
void arc4random_buf(void *bytes, size_t size) { (void)!getrandom(bytes, size, GRND_NONBLOCK); }

/* For the capacity of hash tables, which is below 2^63. This one function of libm would bring all of it. */
double ceil(double number)
{
    const double whole = (double)(long long)number;
    return whole < number ? whole + 1 : whole;
}
