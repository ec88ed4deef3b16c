#include "CPealSupport/order.h"

#include "CPealSupport/tap.h"

/* Functions of the sanitizer's runtime. */
extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

bool peal_order_is_reported;
const char peal_order_published = 0, peal_order_ended = 0;

void peal_order_release_slow(const void *address) { __tsan_release((void *)(uintptr_t)address); }
void peal_order_acquire_slow(const void *address) { __tsan_acquire((void *)(uintptr_t)address); }

/* The function of the tap. */
static void report(void *context, const struct peal_tap_record *record, void *const *arguments, const void *result)
{
    (void)context;
    (void)arguments;
    (void)result;
    if (record->event == PEAL_TAP_BROADCAST_BEGIN || record->event == PEAL_TAP_CALL_BEGIN)
        peal_order_see_published();
    else if (record->event == PEAL_TAP_CALL_END)
        peal_order_end();
}

void peal_order_begin(void)
{
    struct peal_tap_options options = PEAL_TAP_OPTIONS;
    enum peal_tap_refusal refusal;

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
    return;
#endif
#endif
    if (__tsan_acquire == NULL || __tsan_release == NULL)
        return;
    /* The events of objects are those of peal_tap_note_object, which publishes. */
    options.events = PEAL_TAP_BROADCAST_BEGIN | PEAL_TAP_CALL_BEGIN | PEAL_TAP_CALL_END | PEAL_TAP_REGISTERED
                   | PEAL_TAP_CREATED;
    options.function = report;
    peal_order_is_reported = peal_taps_open(0, &options, &refusal) != 0;
}
