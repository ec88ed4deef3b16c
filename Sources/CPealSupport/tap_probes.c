#include "CPealSupport/tap.h"

#include <stdlib.h>

#if defined(__has_include) && !defined(__cppcheck__)
#if __has_include(<sys/sdt.h>)
#define HAS_PROBES 1
#endif
#endif

#ifdef HAS_PROBES

/* A tracer that attaches to a probe increments its semaphore. */
#define SEMAPHORE(name) __attribute__((section(".probes"), visibility("hidden"))) unsigned short peal_##name##_semaphore
SEMAPHORE(broadcast);
SEMAPHORE(call);
SEMAPHORE(enqueue);

#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>

/* A section by which tracers find the probes. The notes do not keep it in a linked library, so the code refers to it. */
extern const char base[] __asm__("_.stapsdt.base") __attribute__((visibility("hidden")));

static bool is_wanted(const unsigned short *semaphore) { return __atomic_load_n(semaphore, __ATOMIC_RELAXED) != 0; }

/* The function of the tap: one probe for each kind of event. */
static void fire(void *context, const struct peal_tap_record *record, void *const *arguments, const void *result)
{
    (void)context;
    (void)arguments;
    (void)result;
    if (record->event == PEAL_TAP_BROADCAST_END && is_wanted(&peal_broadcast_semaphore))
        DTRACE_PROBE5(
            peal, broadcast, record->method, record->broadcast, record->count, record->duration, record->status);
    if (record->event == PEAL_TAP_CALL_END && is_wanted(&peal_call_semaphore))
        DTRACE_PROBE5(peal, call, record->method, record->broadcast, record->object, record->queue, record->duration);
    if (record->event == PEAL_TAP_ENQUEUED && is_wanted(&peal_enqueue_semaphore))
        DTRACE_PROBE4(peal, enqueue, record->method, record->broadcast, record->queue, record->count);
}

void peal_tap_probes_begin(void)
{
    struct peal_tap_options options = PEAL_TAP_OPTIONS;
    enum peal_tap_refusal refusal;
    const char *wanted = secure_getenv("PEAL_PROBES");

    __asm__ volatile("" : : "r"(base));
    if (wanted == NULL || strcmp(wanted, "") == 0 || strcmp(wanted, "0") == 0)
        return;
    options.events = PEAL_TAP_BROADCAST_END | PEAL_TAP_CALL_END | PEAL_TAP_ENQUEUED;
    options.filter = strcmp(wanted, "1") == 0 || peal_tap_filter_mistake(wanted) != 0 ? NULL : wanted;
    options.function = fire;
    /* No center exists yet: each method that is defined finds the tap. */
    (void)peal_taps_open(0, &options, &refusal);
}

#else

void peal_tap_probes_begin(void) {}

#endif
