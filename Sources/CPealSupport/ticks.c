#include "CPealSupport/ticks.h"

#include <pthread.h>
#include <string.h>

#include "CPealSupport/thread.h"

bool peal_ticks_are_counted;

/* The first readings of both clocks. */
static pthread_once_t have_begun = PTHREAD_ONCE_INIT;
static uint64_t first_ticks, first_time;
static bool ticks_are_clock;
static uint64_t known_rate; /* the bits of a double */

/* Reads both clocks at once, as nearly as possible: the reading of ticks that took the least time is kept. */
static void read_both(uint64_t *ticks, uint64_t *time)
{
    enum { READINGS = 5 };
    uint64_t least = UINT64_MAX;
    for (unsigned reading = 0; reading < READINGS; reading++) {
        const uint64_t before = peal_processor_ticks();
        const uint64_t now = peal_clock_system();
        const uint64_t between = peal_processor_ticks() - before;
        if (between < least) {
            least = between;
            *ticks = before + between / 2;
            *time = now;
        }
    }
}

static void read_first(void)
{
    read_both(&first_ticks, &first_time);
    peal_ticks_are_counted = peal_processor_ticks_are_steady();
    ticks_are_clock = peal_ticks_are_counted && peal_processor_ticks_are_clock();
}

void peal_ticks_begin(void)
{
    enum { SHORT_BASELINE = 200000 };
    pthread_once(&have_begun, read_first);
    /* The rate is needed at once, for the durations that a function gets. */
    while (peal_clock_system() < first_time + SHORT_BASELINE)
        peal_processor_pause();
    (void)peal_ticks_measure();
}

double peal_ticks_measure(void)
{
    if (!peal_ticks_are_counted)
        return 1;
    uint64_t ticks = 0, time = 0;
    read_both(&ticks, &time);
    const double rate = (double)(time - first_time) / (double)(ticks - first_ticks);
    uint64_t bits;
    memcpy(&bits, &rate, sizeof bits);
    __atomic_store_n(&known_rate, bits, __ATOMIC_RELAXED);
    return rate;
}

double peal_ticks_rate(void)
{
    if (!peal_ticks_are_counted)
        return 1;
    const uint64_t bits = __atomic_load_n(&known_rate, __ATOMIC_RELAXED);
    double rate;
    memcpy(&rate, &bits, sizeof rate);
    return rate;
}

uint64_t peal_ticks_time(uint64_t ticks, double rate)
{
    if (!peal_ticks_are_counted)
        return ticks;
    return first_time + (uint64_t)(int64_t)((double)(int64_t)(ticks - first_ticks) * rate);
}

/* ---- The clock by ticks ------------------------------------------------------------------------ */

enum { BASELINE = 10000000, ROUNDING = 4, WINDOW = 16000, PRECISION = 16 };

/* The nanoseconds of a tick times 2^32, or 0 while they are not known. They are rounded up by a quarter. The kernel
 * changes the rate of its clock by up to a tenth while it corrects the time, and the rate is measured once. So a time by
 * ticks is never early, and is at most 4 microseconds late at the end of the window. */
static uint64_t fraction;
static uint64_t window; /* so many ticks after a reading of the clock, the next reading follows */

static void learn_fraction(uint64_t now)
{
    pthread_once(&have_begun, read_first);
    if (!ticks_are_clock || now < first_time + BASELINE)
        return;
    const double rate = peal_ticks_measure();
    __atomic_store_n(&window, (uint64_t)(WINDOW / rate), __ATOMIC_RELAXED);
    __atomic_store_n(&fraction, (uint64_t)(rate * (1 + 1.0 / ROUNDING) * 0x1p32), __ATOMIC_RELEASE);
}

static uint64_t read_clock(struct peal_thread *own)
{
    /* The ticks are read first, so that a time by ticks is too late rather than too early. It must not be very late: the
     * thread may have been interrupted between the two. */
    const uint64_t ticks = peal_processor_ticks();
    const uint64_t now = peal_clock_system();
    const bool is_precise = peal_processor_ticks() - ticks < __atomic_load_n(&window, __ATOMIC_RELAXED) / PRECISION;
    if (own != NULL) {
        own->clock_ticks = is_precise ? ticks : 0;
        own->clock_time = now;
    }
    if (__atomic_load_n(&fraction, __ATOMIC_RELAXED) == 0)
        learn_fraction(now);
    return now;
}

uint64_t peal_ticks_clock(void)
{
    struct peal_thread *const own = peal_thread_own;
    const uint64_t known = __atomic_load_n(&fraction, __ATOMIC_ACQUIRE);
    if (peal_clock_is_manual())
        return peal_clock_now();
    if (own != NULL && known != 0) {
        const uint64_t passed = peal_processor_ticks() - own->clock_ticks;
        if (passed < __atomic_load_n(&window, __ATOMIC_RELAXED))
            return own->clock_time + ((passed + 1) * known >> 32);
    }
    return read_clock(own);
}
