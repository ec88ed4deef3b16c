/* The step of a module's start or stop, and the outcome of a completion.
 *
 * Not Swift: it has no arrays inside structs, and the engine has no status codes.
 */
#ifndef CPEAL_STEP_H
#define CPEAL_STEP_H

#include "CPealSupport/interface.h"
#include "CPealSupport/nullability.h"

static inline struct peal_module_step peal_step_begin(
    uint64_t center, const char *_Nonnull module, void *_Nullable context, uint64_t completion)
{
    struct peal_module_step step = { .size = sizeof step, .module = module, .context = context };
    step.center.id = center;
    step.done.id = completion;
    return step;
}

static inline struct peal_completion_info peal_completion_outcome(
    int32_t status, int64_t result, size_t observers, size_t completed, size_t dropped)
{
    struct peal_completion_info info = { .size = sizeof info, .status = (peal_status)status, .result = result };
    info.observers = observers;
    info.completed = completed;
    info.dropped = dropped;
    return info;
}

/* The gate that a thread stores while it calls no observer. */
extern const uint32_t peal_no_gate __attribute__((visibility("hidden")));

static inline const uint32_t *_Nonnull peal_null_gate(void) { return &peal_no_gate; }

/* The message, which the module may not have terminated with a zero. */
static inline size_t peal_step_message_length(const struct peal_module_step *_Nonnull step)
{
    size_t length = 0;
    while (length < sizeof step->message && step->message[length] != 0)
        length++;
    return length;
}
static inline const char *_Nonnull peal_step_message(const struct peal_module_step *_Nonnull step)
{
    return step->message;
}

#endif
