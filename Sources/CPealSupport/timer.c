#include "timer.h"

#include "mailbox.h"

/* libdispatch's interface in C: see mailbox.c for why it is declared here. An alarm is a source. */
struct dispatch_queue_s;
struct dispatch_source_type_s;
extern const struct dispatch_source_type_s _dispatch_source_type_timer;
extern struct dispatch_queue_s *dispatch_get_global_queue(intptr_t priority, uintptr_t flags);
extern struct peal_alarm *dispatch_source_create(
    const struct dispatch_source_type_s *type, uintptr_t handle, uintptr_t mask,
    struct dispatch_queue_s *queue);
extern void dispatch_source_set_event_handler_f(
    struct peal_alarm *source, void (*handler)(void *));
extern void dispatch_source_set_timer(
    struct peal_alarm *source, uint64_t start, uint64_t interval, uint64_t leeway);
extern void dispatch_resume(struct peal_alarm *source);
extern uint64_t dispatch_time(uint64_t when, int64_t nanoseconds);

enum { STRICT = 1 };
static const uint64_t never = UINT64_MAX;

struct peal_alarm *peal_alarm_make(void (*wake)(void *))
{
    struct peal_alarm *alarm = dispatch_source_create(
        &_dispatch_source_type_timer, 0, STRICT, dispatch_get_global_queue(0, 0));
    if (alarm == NULL)
        return NULL;
    dispatch_source_set_event_handler_f(alarm, wake);
    dispatch_source_set_timer(alarm, never, never, 0);
    dispatch_resume(alarm);
    return alarm;
}

void peal_alarm_set(struct peal_alarm *alarm, int64_t due)
{
    const int64_t left = due - (int64_t)peal_clock_now();
    dispatch_source_set_timer(alarm, dispatch_time(0, left > 0 ? left : 0), never, 0);
}
